"""Arrow reads only what it reads as the standard library does."""

import gzip
import json
import math
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from evalframe.errors import RecordError
from evalframe.io import blocks, jsonl
from evalframe.io.fast import learned, read_block
from evalframe.io.jsonl import read_jsonl
from evalframe.io.paths import sources

FIRST = b'{"a": 1, "t": "x"}\n'
SAMPLE = len(FIRST)


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Read bytes in small blocks, whose first line teaches the types: (frame, blocks by Arrow)."""
    answers = []

    def asked(block, schema):
        answers.append(read_block(block, schema))
        return answers[-1]

    monkeypatch.setattr(blocks, "read_block", asked)

    def read(data, name="x.jsonl", block=1, sample=SAMPLE):
        answers.clear()
        monkeypatch.setattr(blocks, "BLOCK", block)
        monkeypatch.setattr(blocks, "SAMPLE", sample)
        (tmp_path / name).write_bytes(data)
        frame = read_jsonl(tmp_path / name)
        return frame, sum(answer is not None for answer in answers)

    return read


def by_the_standard_library(path):
    return jsonl._frame(sources(path), False, fast=False)


def both(read, tmp_path, data, **sizes):
    """Return the frame, once it equals that of the standard library, and the blocks by Arrow."""
    frame, n_fast = read(data, **sizes)
    assert_frame_equal(frame, by_the_standard_library(tmp_path / "x.jsonl"), check_exact=True)
    return frame, n_fast


def test_clean_lines_are_read_by_arrow(read, tmp_path):
    lines = [
        {"item_id": "001", "seed": n, "score": n / 3, "hit_cap": n % 2 == 0, "output": 'é\n"\\'}
        for n in range(50)
    ]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    frame, n_fast = both(read, tmp_path, data, block=400, sample=150)
    assert n_fast > 5
    assert frame["score"].tolist() == [line["score"] for line in lines]
    assert frame["output"].tolist() == ['é\n"\\'] * 50


# What Arrow would accept, or read otherwise: after a line that teaches a: integer and t: text.
REFUSED = {
    "two objects a line": b'{"a": 1} {"a": 2}\n',
    "two objects without a blank": b'{"a": 1}{"a": 2}\n',
    "an object over several lines": b'{"a": 1,\n"t": "y"}\n',
    "an object over lines that end in }": b'{"a": 1}\n{"a": 1}{"t":\n"y"}\n',
    "Inf": b'{"a": Inf}\n',
    "-Inf": b'{"a": -Inf}\n',
    "a key twice": b'{"a": 1, "a": 1}\n',
    "half a surrogate pair": b'{"t": "\\ud83d"}\n',
    "the other half": b'{"t": "\\udc00"}\n',
    "a control character": b'{"t": "\x01"}\n',
    "not UTF-8": b'{"t": "\xff"}\n',
    "an encoded surrogate": b'{"t": "\xed\xa0\xbd"}\n',
    "NUL between lines": b'{"a": 2}\n\0{"a": 3}\n',
    "NUL and the rest": b'{"a": 2}\n\0 what Arrow never sees\n',
    "a comma too many": b'{"a": 1,}\n',
    "a comment": b'{"a": 1} // c\n',
    "a leading zero": b'{"a": 01}\n',
    "a list": b"[1]\n",
    "a list around": b'{"a": 2}\n[{"a": 2}]\n',
    "cut": b'{"a": 1, "t": "y',
    "deeply nested": b'{"a": ' + b"[" * 100_000 + b"\n",
    "deeply nested under a new key": b'{"b": ' + b'{"c": ' * 100_000 + b"\n",
}


@pytest.mark.parametrize("bad", REFUSED.values(), ids=REFUSED)
def test_what_the_standard_library_refuses_is_refused_by_file_and_line(read, bad):
    data = FIRST * 3 + bad
    with pytest.raises(RecordError, match=re.escape("x.jsonl, line ") + "[45]: ") as fast:
        read(data, block=len(FIRST) * 3)
    with pytest.raises(RecordError) as slow:
        read(data, block=len(data), sample=len(data))
    assert str(fast.value) == str(slow.value)


SAME = {
    "Infinity": b'{"a": Infinity}\n',
    "NaN": b'{"a": NaN, "t": NaN}\n',
    "text that looks like a date": b'{"t": "2024-01-02"}\n{"t": "2024-01-02T03:04:05Z"}\n',
    "text that looks like a number": b'{"t": "001"}\n{"t": "1e5"}\n{"t": "nan"}\n',
    "a large integer beside a fraction": b'{"a": 1344800117571260417}\n{"a": 1.5}\n',
    "an integer beyond 64 bits": b'{"a": 18446744073709551616}\n',
    "the largest integers": b'{"a": 9223372036854775807}\n{"a": -9223372036854775808}\n',
    "an integer among fractions": b'{"a": 1.5}\n{"a": 2}\n',
    "minus zero": b'{"a": -0}\n{"a": 1.5}\n{"a": -0.0}\n',
    "a float too large": b'{"a": 1e400}\n',
    "a float too small": b'{"a": 1e-400}\n',
    "many digits": b'{"a": 0.1000000000000000055511151231257827021181583404541015625000001}\n',
    "true after 1": b'{"a": true}\n',
    "1 after true": b'{"b": true}\n{"b": 1}\n',
    "text after 1": b'{"a": "1"}\n',
    "1 after text": b'{"t": 1}\n',
    "nested objects with other keys": b'{"n": {"b": 1}}\n{"n": {"c": 1}}\n{"n": {}}\n',
    "lists": b'{"n": [1, "a"]}\n{"n": []}\n',
    "null alone": b'{"n": null}\n',
    "a new key": b'{"z": 1}\n{"y": "x"}\n',
    "no keys": b"{}\n{}\n",
    "an empty key": b'{"": 1}\n{"": 2}\n',
    "keys in another order": b'{"t": "y", "a": 2}\n',
    "an escaped key": b'{"\\u0061": 2}\n',
    "NUL in text": b'{"t": "\\u0000y"}\n',
    "a pair of surrogates": b'{"t": "\\ud83d\\ude00"}\n',
    "blank lines": b"\n \t\n" + FIRST + b"\r\n",
    "Windows line ends": FIRST.replace(b"\n", b"\r\n") * 2,
    "blanks around": b' {"a": 2} \n\t{"a": 3}\t\n',
    "U+2028": '{"t": "a\u2028b\x85c"}\n'.encode(),
    "a long line": b'{"t": "' + b"y" * 100_000 + b'"}\n',
}


@pytest.mark.parametrize("lines", SAME.values(), ids=SAME)
@pytest.mark.parametrize("first", [FIRST * 3, b"", b"\xef\xbb\xbf" + FIRST * 3])
@pytest.mark.parametrize("block", [1, 3 * len(FIRST), 4000])
def test_values_are_those_of_the_standard_library(read, tmp_path, first, lines, block):
    both(read, tmp_path, first + lines * 3, block=block)
    both(read, tmp_path, first + lines.rstrip(b"\n"), block=block)


def test_the_last_line_needs_no_end(read, tmp_path):
    _, n_fast = both(read, tmp_path, FIRST * 3 + FIRST[:-1], block=3 * len(FIRST))
    assert n_fast == 2


def test_an_integer_column_with_nulls_is_nullable(read, tmp_path):
    data = FIRST * 9 + b'{"a": null, "t": "x"}\n' + b'{"a": 1344800117571260417, "t": null}\n'
    frame, n_fast = both(read, tmp_path, data, block=len(FIRST) * 3)
    assert frame["a"].dtype == "Int64"
    assert frame["a"].tolist()[-1] == 1344800117571260417
    assert n_fast == 4


@pytest.mark.parametrize(
    ("tail", "values"),
    [
        (b'{"a": "x"}\n', [0.5, 1, 0.5, 1, "x"]),
        (b'{"a": 9007199254740993}\n', [0.5, 1, 0.5, 1, 9007199254740993]),
    ],
)
def test_integers_stay_integers_where_floats_lose_their_column(read, tmp_path, tail, values):
    data = b'{"a": 0.5}\n{"a": 1}\n' * 2 + tail
    frame, n_fast = both(read, tmp_path, data, block=20, sample=11)
    assert [(type(cell), cell) for cell in frame["a"]] == [(type(cell), cell) for cell in values]
    assert n_fast >= 1


def test_a_block_that_arrow_cannot_read_teaches_the_types_of_the_next(read, tmp_path):
    data = b'{"a": null}\n' * 2 + b'{"a": 7}\n' * 20
    _, n_fast = both(read, tmp_path, data, block=24, sample=11)
    assert n_fast >= 3


def test_arrow_is_asked_no_more_where_it_fails(read, tmp_path):
    data = (FIRST + b'{"a": NaN, "t": "x"}\n') * 40
    _, n_fast = both(read, tmp_path, data, block=len(data) // 40 + 1)
    assert n_fast == 0


def test_gzip_is_read_in_blocks(read):
    lines = b"".join(b'{"a": %d}\n' % n for n in range(1000))
    frame, n_fast = read(gzip.compress(lines), "x.jsonl.gz", block=500, sample=50)
    assert frame["a"].tolist() == list(range(1000))
    assert n_fast > 10
    with pytest.raises(RecordError, match=r"after line [1-9][\d,]*: must be whole gzip data"):
        read(gzip.compress(lines * 99)[:-900], "x.jsonl.gz", block=500, sample=50)


def test_the_line_of_a_fault_is_counted_over_all_blocks(read):
    data = FIRST * 100 + b"\n" + FIRST * 100 + b"{\n" + FIRST * 100
    with pytest.raises(RecordError, match=r"x\.jsonl, line 202: "):
        read(data, block=100)


def test_columns_come_by_first_appearance_in_the_file(read, tmp_path):
    data = b'{"b": 1}\n{"a": 1, "b": 2}\n' * 3 + b'{"c": 1, "a": 2}\n'
    frame, _ = both(read, tmp_path, data, block=1)
    assert list(frame) == ["b", "a", "c", "arm"]


def test_nested_values_and_mixtures_have_no_type_to_learn():
    parts = {name: blocks.part(cells) for name, cells in {"n": [[1]], "m": [1, "a"]}.items()}
    assert learned({}, {"n": parts["n"]}) is None
    assert learned({}, {"m": parts["m"]}) is None
    assert learned({"a": pa.int64()}, {"a": blocks.part(["x"])}) is None
    assert learned({"a": pa.int64()}, {"a": blocks.part([1, 0.5, None])}) == {"a": pa.float64()}
    assert learned({"a": pa.float64()}, {"a": blocks.part([1])}) == {"a": pa.float64()}
    assert learned({"a": pa.null()}, {"a": blocks.part([True])}) == {"a": pa.bool_()}


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
dates = st.sampled_from(["2024-01-02", "2024-01-02 03:04:05", "1e5", "nan", "001", "true", ""])
numbers = st.one_of(
    st.integers(-3, 3),
    st.integers(-(2**65), 2**65),
    st.floats(),
    st.floats(-1, 1),
    st.sampled_from([-0.0, 2**53, 2**53 + 1, 1e300]),
)
cells = {
    "i": st.integers(-(2**63), 2**63 - 1),
    "f": st.floats(allow_nan=False, allow_infinity=False),
    "b": st.booleans(),
    "t": text | dates,
    "é": st.none() | st.integers(0, 9),
    "x": numbers,
    "arm": text,
}
odd = st.one_of(st.none(), numbers, text, st.booleans(), st.lists(numbers, max_size=2))
clean = st.fixed_dictionaries({name: cells[name] for name in "ifbt"})
loose = st.fixed_dictionaries({}, optional=cells)
hostile = st.dictionaries(st.sampled_from([*cells, "", "new"]), odd, max_size=3)
lines = st.lists(clean, max_size=12) | st.lists(clean | loose, max_size=12)
files = lines | st.tuples(lines, st.lists(hostile, max_size=2), lines).map(
    lambda parts: [line for part in parts for line in part]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    lines=files,
    ascii_only=st.booleans(),
    block=st.sampled_from([1, 60, 300]),
    end=st.sampled_from(["\n", "\r\n", "\n\n", " \n"]),
)
def test_arrow_and_the_standard_library_agree(read, tmp_path, lines, ascii_only, block, end):
    data = "".join(json.dumps(line, ensure_ascii=ascii_only) + end for line in lines)
    both(read, tmp_path, data.encode(), block=block)


pieces = st.sampled_from(
    [
        *(b'{"a": 1}', b'{"a": 2, "t": "y"}', b'{"a"', b": ", b"1", b'"t"', b"{", b"}", b"[", b"]"),
        *(
            b"\n",
            b"\r",
            b", ",
            b"true",
            b"null",
            b"NaN",
            b"Inf",
            b"-",
            b".5",
            b"e9",
            b"\xff",
            b"\0",
        ),
        *(b"\\ud800", b"\\u0061", b'"', b"\xef\xbb\xbf", b"\xc3\xa9", b" ", b"//", b"/*", b"*/"),
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(data=st.lists(pieces).map(b"".join), block=st.sampled_from([1, 57, 200]))
def test_hostile_bytes_are_read_alike_or_refused_alike(read, tmp_path, data, block):
    data = FIRST * 3 + data
    (tmp_path / "x.jsonl").write_bytes(data)

    def outcome(read):
        try:
            return read()
        except RecordError as error:
            return str(error)

    expected = outcome(lambda: by_the_standard_library(tmp_path / "x.jsonl"))
    found = outcome(lambda: read(data, block=block)[0])
    if isinstance(expected, str):
        assert found == expected
    else:
        assert_frame_equal(found, expected, check_exact=True)


tokens = st.from_regex(r"-?[1-9][0-9]{0,19}\.[0-9]{1,40}(e-?[0-9]{1,2})?", fullmatch=True)


@given(st.floats(allow_nan=False, allow_infinity=False).map(repr) | tokens)
def test_floats_are_the_same_bits(token):
    found = read_block(b'{"a": %s}\n' % token.encode() * 2, {"a": pa.float64()})
    value = float(token)
    proved = abs(value) < 2**53 and not (value == 0 and math.copysign(1, value) < 0)
    assert (found is not None) == proved
    assert not proved or found[1]["a"].cells.tolist() == [value] * 2


def test_a_script_that_reads_last_ends_well(tmp_path):
    (tmp_path / "x.jsonl").write_bytes(FIRST * 2000)
    script = (
        "import os, sys\n"
        "if hasattr(os, 'sched_setaffinity'):\n"
        "    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from evalframe.io import blocks\n"
        "from evalframe.io.jsonl import read_jsonl\n"
        "blocks.BLOCK, blocks.SAMPLE = 4000, 100\n"
        "read_jsonl(sys.argv[1])\n"
    )

    def status(_):
        command = [sys.executable, "-c", script, str(tmp_path / "x.jsonl")]
        return subprocess.run(command, check=False).returncode

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(status, range(4))) == [0] * 4


def test_types_differ_between_files_as_within_one(tmp_path, read):
    (tmp_path / "a.jsonl").write_bytes(b'{"v": 1, "arm": "a"}\n' * 9)
    (tmp_path / "b.jsonl").write_bytes(b'{"v": null, "arm": "b"}\n' * 9)
    (tmp_path / "c.jsonl").write_bytes(b'{"v": 0.5, "arm": "c"}\n' * 9)
    read(b"{}", block=50, sample=25)
    paths = [tmp_path / f"{name}.jsonl" for name in "abc"]
    assert read_jsonl(paths[:2])["v"].dtype == "Int64"
    assert read_jsonl(paths)["v"].dtype == "float64"
    frame = read_jsonl(paths)
    assert_frame_equal(frame, by_the_standard_library(paths), check_exact=True)
    assert frame["v"].tolist()[:9] == [1.0] * 9
    assert pd.isna(frame["v"][9:18]).all()
