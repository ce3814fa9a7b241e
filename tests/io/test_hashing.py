import hashlib

import pytest

from evalframe.io.hashing import prompt_hash


@pytest.mark.parametrize(
    ("text", "digest"),
    [
        # FIPS 180-4 examples: the empty message and "abc".
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ],
)
def test_published_digests(text, digest):
    assert prompt_hash(text) == digest


def test_the_text_is_hashed_as_utf8_and_as_it_is():
    text = "  Größe?\r\n\U0001f600\u2028"
    assert prompt_hash(text) == hashlib.sha256(text.encode("utf-8")).hexdigest()
    assert prompt_hash(text) != prompt_hash(text.strip())


@pytest.mark.parametrize("value", [None, b"abc", 7, float("nan"), ["abc"]])
def test_only_text_has_a_hash(value):
    with pytest.raises(TypeError, match=f"one str, not {type(value).__name__}.*map"):
        prompt_hash(value)


def test_half_a_surrogate_pair_is_refused_with_its_place():
    with pytest.raises(ValueError, match=r"character 2 is the lone surrogate '\\ud83d'.*replace"):
        prompt_hash("ab\ud83d")
