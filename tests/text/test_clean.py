"""What is taken out of a text before it is read."""

import pytest


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("before\n```py\nx = 1\n```\nafter", "before\n\nafter"),
        ("before\n```\nnever closed\n\nat all", "before\n"),
        ("~~~\ncode\n~~~\nafter", "\nafter"),
        ("inline ```code``` stays", "inline ```code``` stays"),
        ("see https://example.com/a_(b).html. Then", "see  . Then"),
        ("see (http://x.org/?q=1&r=2), and", "see ( ), and"),
        ("see www.example.org!", "see  !"),
        ("write to me.you+1@site.co.uk, please", "write to  , please"),
        ("awww.so cute", "awww.so cute"),
        ("a@b and @user", "a@b and @user"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("cafe\u0301", "café"),
    ],
)
def test_prose(text, prose, read):
    assert read(text).prose == prose


def test_a_code_block_parts_sentences(read):
    found = read("Run this\n```\nx = 1. Then y\n```\nand that")
    assert found.sentences == [["run", "this"], ["and", "that"]]


def test_a_sentence_ends_after_an_address(read):
    assert len(read("See https://x.org/a. Then go.").sentences) == 2
