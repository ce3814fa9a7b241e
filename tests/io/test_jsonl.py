import gzip
import json
import math
import os
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from evalframe.errors import FrameError, RecordError, RoleError
from evalframe.io.blocks import CHUNK
from evalframe.io.jsonl import read_jsonl, write_jsonl

TEXT = pd.Series(["text"]).dtype
one_file = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@pytest.fixture
def read(tmp_path):
    """Write bytes, or text, or objects one a line, and read them."""

    def read(content, name="x.jsonl", **options):
        if isinstance(content, list):
            content = "".join(json.dumps(line) + "\n" for line in content)
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
        return read_jsonl(tmp_path / name, **options)

    return read


def cells(frame, column="a"):
    return [None if value is None or value is pd.NA else value for value in frame[column].tolist()]


@pytest.mark.parametrize("text", ["001", "18_19", "1e5", "nan", "2024-01-02", "", "null", "NA"])
def test_text_stays_text(read, text):
    frame = read([{"started_at": text}, {"started_at": "x"}])
    assert frame["started_at"].tolist() == [text, "x"]
    assert frame["started_at"].dtype == TEXT


def test_no_column_becomes_dates_by_its_name(read):
    names = ("started_at", "end_time", "timestamp", "modified", "date")
    frame = read([dict.fromkeys(names, 1_700_000_000)])
    assert {str(frame[name].dtype) for name in names} == {"int64"}


def test_nan_is_missing(read):
    frame = read('{"a": NaN, "b": 0.5, "c": "x", "d": true}\n{"a": NaN, "b": NaN, "c": NaN}')
    assert frame[["a", "b", "c", "d"]].isna().to_numpy().tolist() == [
        [True, *[False] * 3],
        [True] * 4,
    ]
    assert frame["a"].dtype == frame["b"].dtype == "float64"
    assert frame["c"].dtype == TEXT


def test_a_key_that_a_line_lacks_is_missing_and_columns_come_by_first_appearance(read):
    frame = read([{"b": 1, "a": "x"}, {"a": "y", "c": True}, {}])
    assert list(frame.columns) == ["b", "a", "c", "arm"]
    assert frame.isna().sum().tolist() == [2, 1, 2, 0]
    assert [str(frame[name].dtype) for name in "bc"] == ["Int64", "boolean"]


def test_columns_that_appear_late_are_missing_before(read):
    frame = read([{"a": 1}] * (CHUNK + 1) + [{"b": 2**60 + 1}])
    assert frame["a"].isna().tolist() == [False] * (CHUNK + 1) + [True]
    assert frame["b"].dropna().tolist() == [2**60 + 1]


@pytest.mark.parametrize(
    "data",
    [
        b'\xef\xbb\xbf{"a": "\xc3\xa9"}\n{"a": "y"}\n',
        b'{"a": "\xc3\xa9"}\r\n{"a": "y"}\r\n',
        b'\n  \t\r\n{"a": "\xc3\xa9"}\n\n{"a": "y"}',
        b' {"a": "\\u00e9"} \n{"a": "y"}\n\n',
    ],
)
def test_bom_crlf_and_blank_lines_change_nothing(read, data):
    assert read(data)["a"].tolist() == ["é", "y"]


def test_only_a_line_feed_ends_a_line(read):
    text = "a\u2028b\u2029c\x85d\x7f"
    frame = read(json.dumps({"a": text}, ensure_ascii=False) + "\n" + '{"a": "\\u000b\\f\\r\\n"}')
    assert frame["a"].tolist() == [text, "\x0b\f\r\n"]


def test_gzip_is_read_by_its_suffix(read):
    data = gzip.compress(b'{"a": "001"}\n')
    assert read(data, "x.jsonl.gz")["a"].tolist() == ["001"]
    assert read(data, "x.jsonl.gz")["arm"].tolist() == ["x"]


def test_whole_surrogate_pairs_are_read(read):
    assert read(r'{"a": "\ud83d\ude00", "b": "\\ud83d"}')["a"].tolist() == ["\U0001f600"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b'{"a": 1} {"a": 2}', "must be one JSON object, found Extra data at column 10"),
        (b'{"a": 1,}', "must be one JSON object"),
        (b"{'a': 1}", "must be one JSON object"),
        (b"[1]", "must be one JSON object, found a list"),
        (b"null", "must be one JSON object, found null"),
        (b"7", "must be one JSON object, found the int 7"),
        (b'"x"', "must be one JSON object, found the str 'x'"),
        (b'{"a": 1, "b": 2, "a": 3}', "the key 'a' twice in one object"),
        (b'{"b": {"a": 1, "a": 1}}', "the key 'a' twice in one object"),
        (b'{"a": "\xff"}', "not UTF-8 at byte 8"),
        (b'{"a": "\xed\xa0\xbd"}', "not UTF-8"),
        (b'{"a": "\xc3', "not UTF-8"),
        (rb'{"a": "\ud83d"}', "half of a surrogate pair"),
        (rb'{"a": {"\uDE00": 1}}', "half of a surrogate pair"),
        (b'{"a": "\t"}', "Invalid control character"),
        (b'\xef\xbb\xbf{"a": 1}', "must be one JSON object"),
        (b"\x0c", "must be one JSON object"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ' + b"9" * 5000 + b"}", "4300 digits"),
    ],
    ids=lambda value: value[:25] if isinstance(value, bytes) else value,
)
def test_a_bad_line_is_refused_by_file_and_number(read, line, found):
    message = f"{re.escape('x.jsonl, line 3: ')}.*{found}.*; write one complete JSON object a line"
    with pytest.raises(RecordError, match=message):
        read(b'{"a": 1}\n\n' + line + b'\n{"a": 1}\n')


def test_the_file_with_the_bad_line_is_named(tmp_path):
    (tmp_path / "good.jsonl").write_text('{"a": 1}')
    (tmp_path / "bad.jsonl").write_text("{")
    with pytest.raises(RecordError, match=r"bad\.jsonl, line 1: "):
        read_jsonl([tmp_path / "good.jsonl", tmp_path / "bad.jsonl"])


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (gzip.compress(b'{"a": 1}'), "ends in .gz"),
        ('{"a": 1}'.encode("utf-16"), "save it as UTF-8"),
        (b"PAR1\x15\x04", "use read_parquet"),
    ],
    ids=["gzip", "UTF-16", "Parquet"],
)
def test_another_kind_of_file_is_recognised(read, data, advice):
    with pytest.raises(RecordError, match=f"line 1: .*{advice}"):
        read(data)


@pytest.mark.parametrize("cut", [b"", b'{"a": 1}\n'])
def test_damaged_gzip_is_refused(read, cut):
    data = gzip.compress(b'{"a": 1}\n' * 10_000, mtime=0)
    with pytest.raises(RecordError, match=r"x.jsonl.gz, after line 0: must be whole gzip data"):
        read(b'{"a": 1}\n', "x.jsonl.gz")
    with pytest.raises(RecordError, match="must be whole gzip data"):
        read(data[: len(data) // 2] + cut, "x.jsonl.gz")
    with pytest.raises(RecordError, match="must be whole gzip data"):
        read(data[:-5] + b"\0" + data[-4:], "x.jsonl.gz")


def test_a_file_without_arms_is_one_arm_named_by_its_stem(read):
    frame = read([{"item_id": 1}, {"item_id": 2}], "base-v1.5.jsonl")
    assert frame["arm"].tolist() == ["base-v1.5"] * 2
    assert read([{"arm": "x"}, {"item_id": 2}])["arm"].isna().tolist() == [False, True]


def test_several_files_are_labelled_and_in_order(tmp_path):
    for folder, item in (("a", 1), ("b", 2)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "out.jsonl").write_text(f'{{"item_id": {item}}}\n')
    (tmp_path / "own.jsonl").write_text('{"arm": "inside", "item_id": 3}\n')
    paths = [tmp_path / "own.jsonl", tmp_path / "b/out.jsonl", tmp_path / "a/out.jsonl"]
    frame = read_jsonl(paths)
    assert frame["arm"].tolist() == ["inside", "b/out", "a/out"]
    assert frame["item_id"].tolist() == [3, 2, 1]
    assert frame.index.equals(pd.RangeIndex(3))
    labelled = read_jsonl({"x": paths[:2], "y": paths[2]})
    assert list(labelled.columns) == ["arm", "item_id"]
    assert labelled["arm"].tolist() == ["x", "x", "y"]


def test_types_that_differ_between_files_stay_as_they_are(tmp_path):
    for name, value in (("n", None), ("s", "7"), ("i", 7)):
        (tmp_path / name).write_text(json.dumps({"a": value}))
    path = {name: tmp_path / name for name in "nsi"}
    text = read_jsonl([path["n"], path["s"]])["a"]
    assert text.dtype == TEXT
    assert text.isna().tolist() == [True, False]
    assert cells(read_jsonl([path["i"], path["s"]])) == [7, "7"]
    assert read_jsonl([path["i"], path["n"]])["a"].dtype == "Int64"


@pytest.mark.parametrize("data", ["", "\n \r\n", "\ufeff"])
def test_a_file_without_lines_has_no_rows(read, data):
    frame = read(data)
    assert (frame.shape, list(frame.columns), frame["arm"].dtype) == ((0, 1), ["arm"], TEXT)


def test_an_empty_file_adds_no_rows_to_others(read, tmp_path):
    (tmp_path / "empty.jsonl").touch()
    expected = read([{"a": 1}])
    assert_frame_equal(read_jsonl([tmp_path / "empty.jsonl", tmp_path / "x.jsonl"]), expected)


def test_one_object_a_row_with_keys_in_column_order(tmp_path):
    frame = pd.DataFrame(
        {"b": ["é\u2028\n", None], "a": [0.1, np.nan], "c": [True, False], "d": [1, 2**62 + 1]}
    )
    write_jsonl(frame, tmp_path / "x.jsonl")
    assert (tmp_path / "x.jsonl").read_bytes() == (
        '{"b": "é\u2028\\n", "a": 0.1, "c": true, "d": 1}\n'
        '{"b": null, "a": null, "c": false, "d": 4611686018427387905}\n'
    ).encode()


def test_infinity_comes_back(tmp_path):
    frame = pd.DataFrame({"a": [math.inf, -math.inf, 1e308], "arm": "x"})
    write_jsonl(frame, tmp_path / "x.jsonl")
    assert_frame_equal(read_jsonl(tmp_path / "x.jsonl"), frame)


def test_a_gz_suffix_compresses_and_the_same_frame_gives_the_same_bytes(tmp_path):
    frame = pd.DataFrame({"a": ["001"] * 1000, "arm": "x"})
    for name in ("x.jsonl.gz", "y.jsonl.gz"):
        write_jsonl(frame, tmp_path / name)
    assert (tmp_path / "x.jsonl.gz").read_bytes() == (tmp_path / "y.jsonl.gz").read_bytes()
    assert (tmp_path / "x.jsonl.gz").stat().st_size < 1000
    assert_frame_equal(read_jsonl(tmp_path / "x.jsonl.gz"), frame)


def test_the_index_is_not_written_and_the_frame_unchanged(tmp_path):
    frame = pd.DataFrame({"a": [[1], [2]], "arm": "x"}, index=[5, 5])
    before = frame.copy(deep=True)
    write_jsonl(frame, tmp_path / "x.jsonl")
    assert_frame_equal(frame, before)
    assert_frame_equal(read_jsonl(tmp_path / "x.jsonl"), frame.reset_index(drop=True))


@pytest.mark.parametrize("cell", [1j, {1}, b"x", object(), pd.Timedelta(1), {1: 2}, [{"x": {1}}]])
def test_a_cell_without_json_form_is_refused_by_column_and_row(tmp_path, cell):
    path = tmp_path / "x.jsonl"
    path.write_text("old")
    with pytest.raises(
        FrameError, match=r"column 'a' must hold what JSON.* in row 1 \(frame.iloc\[1\]\); .*drop"
    ):
        write_jsonl(pd.DataFrame({"a": pd.Series(["x", cell], dtype=object)}), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.jsonl"]


def test_a_cell_that_holds_itself_is_refused(tmp_path):
    loop = []
    loop.append(loop)
    with pytest.raises(FrameError, match="what JSON has a form for"):
        write_jsonl(pd.DataFrame({"a": [loop]}), tmp_path / "x.jsonl")


@pytest.mark.parametrize("cell", ["x\ud800", ["x\ud800"], {"\ud800": 1}])
def test_half_a_surrogate_pair_is_refused_by_column_and_row(tmp_path, cell):
    path = tmp_path / "x.jsonl"
    path.write_text("old")
    frame = pd.DataFrame({"b": ["é", "é"], "a": pd.Series(["x", cell], dtype=object)})
    with pytest.raises(FrameError, match=r"column 'a' must.*surrogate pair in row 1 .*replace"):
        write_jsonl(frame, path)
    assert path.read_text() == "old"


def test_columns_are_named_once_and_by_text(tmp_path):
    with pytest.raises(RoleError, match=r"2 columns whose name is not text, first 0; rename"):
        write_jsonl(pd.DataFrame([[1, 2]]), tmp_path / "x")
    with pytest.raises(RoleError, match="named twice: 'a'; rename"):
        write_jsonl(pd.DataFrame([[1, 2]], columns=["a", "a"]), tmp_path / "x")
    with pytest.raises(TypeError, match="takes a DataFrame first, not 'x'"):
        write_jsonl("x", pd.DataFrame())


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**66), 2**66),
    st.floats(allow_nan=False),
    text,
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3)
)
objects = st.dictionaries(st.sampled_from(["a", "b", "arm", "é"]), scalars | values)


def same(left, right):
    """Return whether two JSON values are equal with their types, an int a float of equal value."""
    if isinstance(left, float) and type(right) is int:
        return left == right
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return list(left) == list(right) and all(same(left[key], right[key]) for key in left)
    return left == right


@one_file
@given(lines=st.lists(objects, max_size=6), ascii_only=st.booleans())
def test_reading_agrees_with_the_standard_library(tmp_path, lines, ascii_only):
    path = tmp_path / "x.jsonl"
    data = [json.dumps(line, ensure_ascii=ascii_only) for line in lines]
    path.write_text("\n".join(data), encoding="utf-8", newline="")
    frame = read_jsonl(path)
    assert len(frame) == len(lines)
    for name in {key for line in lines for key in line}:
        for cell, line in zip(frame[name], data, strict=True):
            value = json.loads(line).get(name)
            missing = value is None and (cell is None or cell is pd.NA or cell != cell)
            assert missing or same(cell.item() if isinstance(cell, np.generic) else cell, value)


def column(dtype, elements):
    return st.lists(elements, min_size=3, max_size=3).map(
        lambda cells: pd.Series(cells, dtype=dtype)
    )


frames = st.fixed_dictionaries(
    {
        "arm": column(TEXT, text),
        "text": column(TEXT, text).map(lambda cells: cells.mask([False, True, False], None)),
        "id": column("int64", st.integers(-(2**63), 2**63 - 1)),
        "maybe": column("Int64", st.integers(-(2**63), 2**63 - 1)).map(
            lambda cells: cells.mask([True, False, False])
        ),
        "score": column("float64", st.floats(allow_nan=False)),
        "cap": column("bool", st.booleans()),
        "cap_maybe": column("boolean", st.booleans()).map(
            lambda cells: cells.mask([False, False, True])
        ),
        "nested": column(object, st.lists(values, max_size=2)),
    }
).map(pd.DataFrame)


@one_file
@given(frame=frames, name=st.sampled_from(["x.jsonl", "x.jsonl.gz"]))
def test_what_is_written_is_read(tmp_path, frame, name):
    write_jsonl(frame, tmp_path / name)
    assert_frame_equal(read_jsonl(tmp_path / name), frame)


piece = st.sampled_from(
    [
        b'{"a": 1}',
        b"\n",
        b"\r",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\\ud800",
        b'"',
        b"{",
        b"}",
        b"NaN",
        b"\0",
    ]
)


@one_file
@given(data=st.binary() | st.lists(piece).map(b"".join), name=st.sampled_from(["x", "x.gz"]))
def test_hostile_bytes_are_read_or_refused(tmp_path, data, name):
    (tmp_path / name).write_bytes(data)
    refusal = ""
    try:
        read_jsonl(tmp_path / name)
    except RecordError as error:
        refusal = str(error)
    assert refusal == "" or str(tmp_path / name) in refusal
