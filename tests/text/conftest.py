"""What the tests of the text layer share."""

import importlib.util
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from evalframe.text.tokens import Tokens


@pytest.fixture(scope="session")
def plain():
    """The slow definitions of plain.py."""
    spec = importlib.util.spec_from_file_location("plain", Path(__file__).with_name("plain.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def read():
    """A function that returns the words, sentences (as lists of words) and prose of a text."""

    def parts(text):
        tokens = Tokens(pa.array([text], type=pa.large_string()))
        words = [tokens.lexicon.words[int(code)].as_py() for code in tokens.code]
        starts = [*tokens.sentences.first.tolist(), len(words)]
        sentences = [words[a:b] for a, b in pairwise(starts)]
        prose = tokens.prose.bytes[tokens.prose.starts[0] : tokens.prose.starts[1] - 1]
        return SimpleNamespace(words=words, sentences=sentences, prose=bytes(prose).decode())

    return parts
