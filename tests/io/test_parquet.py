import contextlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from evalframe import results
from evalframe.errors import FrameError, RecordError, RoleError
from evalframe.io.jsonl import read_jsonl, write_jsonl
from evalframe.io.parquet import read_parquet, write_parquet
from evalframe.io.scanning import scan

TEXT = pd.Series(["text"]).dtype
ID = 1344800117571260417
LABELS = {
    "text": pd.Series(["b", "a"]),
    "int": pd.Series([ID, 7]),
    "float": pd.Series([0.1, 7.0]),
    "bool": pd.Series([True, False]),
    "category": pd.Series(pd.Categorical(["b", "a"], ["z", "b", "a"])),
    "ordered": pd.Series(pd.Categorical(["b", "a"], ["z", "b", "a"], ordered=True)),
    "category of ints": pd.Series(pd.Categorical([ID, 7], [9, ID, 7])),
    **{
        unit: pd.Series(np.array([0, 1], f"datetime64[{unit}]")) for unit in ("s", "ms", "us", "ns")
    },
    "zone": pd.Series(pd.DatetimeIndex(np.array([0, 1], "datetime64[s]"), tz="Europe/Berlin")),
}
OTHER = {
    "Int64": pd.Series([ID, None], dtype="Int64"),
    "Int8": pd.Series([7, None], dtype="Int8"),
    "boolean": pd.Series([True, None], dtype="boolean"),
    "Float64": pd.Series([0.1, None], dtype="Float64"),
    "float32": pd.Series([0.1, None], dtype="float32"),
    "text with nulls": pd.Series(["a", None]),
    "objects of int": pd.Series([ID, None], dtype=object),
    "objects of bool": pd.Series([True, None], dtype=object),
    "nulls": pd.Series([None, None], dtype=object),
    "int64[pyarrow]": pd.Series([ID, None], dtype="int64[pyarrow]"),
    "string[pyarrow]": pd.Series(["a", None], dtype=pd.ArrowDtype(pa.string())),
    "lists[pyarrow]": pd.Series([[1], None], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    "dates": pd.Series([pd.Timestamp(0).date(), None], dtype=object),
    "timedelta": pd.Series(pd.to_timedelta([1, None])),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.parquet"


def write_arrow(columns, path):
    """Write as a program without pandas would."""
    pq.write_table(pa.table(columns), path)
    return path


@pytest.mark.parametrize("rows", [2, 0])
@pytest.mark.parametrize("kind", [*LABELS, *OTHER])
def test_every_dtype_comes_back(path, kind, rows):
    frame = pd.DataFrame({"arm": "x", "a": {**LABELS, **OTHER}[kind]})[:rows]
    write_parquet(frame, path)
    assert_frame_equal(read_parquet(path), frame)


@pytest.mark.parametrize("rows", [2, 0])
@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("name", ["compare", "compare with floor", "mcnemar", "score"])
def test_a_result_equals_itself(path, name, kind, rows):
    name, _, floor = name.partition(" with ")
    kinds = {**results.TABLES[name], **(results.FLOOR if floor else {})}
    label = LABELS[kind][:rows]
    keys = pd.DataFrame({"task": label, "arm": label, "baseline": label})
    cell = {"float": np.nan, "int": ID, "count": None, "str": "é", "bool": True}
    columns = {key: [cell[kind]] * rows for key, kind in kinds.items() if kind != "label"}
    made = {"level": 0.95, "rng": 2**63 - 1, "by": ["task"], "value": None, "map": {"C": True}}
    result = results.table(name, keys, columns, made)
    write_parquet(result, path)
    back = read_parquet(path)
    assert_frame_equal(back, result)
    assert back.attrs == result.attrs
    assert json.loads(pq.read_schema(path).metadata[b"evalframe"]) == result.attrs["evalframe"]


def test_a_result_without_arms_gets_none(path):
    result = pd.DataFrame({"severity": ["error"], "count": [3]})
    result.attrs = {"evalframe": {"table": "check"}}
    for write in (write_parquet, pd.DataFrame.to_parquet):
        write(result, path)
        assert_frame_equal(read_parquet(path), result)
    assert read_parquet({"x": path})["arm"].tolist() == ["x"]


def test_attrs_come_back_from_one_file_alone(path):
    frame = pd.DataFrame({"arm": ["x"]})
    frame.attrs = {"source": "a", "evalframe": {"n": 1}}
    write_parquet(frame, path)
    write_parquet(frame, path.with_name("y.parquet"))
    assert read_parquet(path).attrs == read_parquet(path, columns="arm").attrs == frame.attrs
    assert read_parquet([path, path.with_name("y.parquet")]).attrs == {}


def test_pandas_reads_what_we_write_and_we_read_what_pandas_writes(path):
    frame = pd.DataFrame({"arm": ["x", "y"], "n": pd.Series([ID, None], dtype="Int64")})
    frame.attrs = {"evalframe": {"table": "score"}, "by": ["task"]}
    write_parquet(frame, path)
    theirs = pd.read_parquet(path)
    assert_frame_equal(theirs, frame)
    assert theirs.attrs == frame.attrs
    frame.to_parquet(path)
    ours = read_parquet(path)
    assert_frame_equal(ours, frame)
    assert ours.attrs == frame.attrs


@pytest.mark.parametrize(
    ("cells", "dtype"),
    [
        (pa.array([ID, None]), "Int64"),
        (pa.array([7, None], pa.uint8()), "UInt8"),
        (pa.array([ID, 7]), "int64"),
        (pa.array([True, None]), "boolean"),
        (pa.array([True, False]), "bool"),
        (pa.array([0.5, None]), "float64"),
        (pa.array(["001", None]), TEXT),
        (pa.array(["001", None], pa.large_string()), TEXT),
        (pa.array([None, None], pa.string()), TEXT),
        (pa.nulls(2), "object"),
        (pa.array(["b", None]).dictionary_encode(), pd.CategoricalDtype(["b"])),
    ],
    ids=str,
)
def test_without_metadata_of_pandas_values_stay_exact(path, cells, dtype):
    frame = read_parquet(write_arrow({"a": cells, "arm": ["x", "y"]}, path))
    assert frame["a"].dtype == dtype
    expected = [None if cell is None else cell for cell in cells.to_pylist()]
    assert [None if pd.isna(cell) else cell for cell in frame["a"]] == expected


def test_list_columns_are_read_as_they_are(path):
    frame = read_parquet(write_arrow({"a": [[1, 2], None], "arm": ["x", "y"]}, path))
    assert frame["a"][0].tolist() == [1, 2]
    assert frame["a"][1] is None


def test_a_file_without_row_groups_has_no_rows(path):
    schema = pa.schema([("a", pa.int64()), ("b", pa.dictionary(pa.int32(), pa.string()))])
    pq.ParquetWriter(path, schema).close()
    frame = read_parquet(path)
    assert (len(frame), list(frame.columns)) == (0, ["a", "b", "arm"])
    assert frame["a"].dtype == "int64"


@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(2),
        pd.RangeIndex(5, 9, 2, name="row"),
        pd.Index(["p", "q"], name="item_id"),
        pd.Index([7, 7]),
        pd.MultiIndex.from_tuples([("p", 0), ("p", 1)], names=["item_id", "seed"]),
        pd.Index(pd.array([ID, None], dtype="Int64"), name="item_id"),
        pd.Index([ID, None], dtype=object, name="item_id"),
    ],
    ids=lambda index: f"{type(index).__name__} of {index.dtype}, {list(index.names)}",
)
def test_an_index_comes_back(path, index):
    frame = pd.DataFrame({"arm": ["x", "y"], "a": pd.array([1, None])}, index=index)
    write_parquet(frame, path)
    assert_frame_equal(read_parquet(path), frame)
    assert_frame_equal(read_parquet(path, columns=["a"]), frame[["a"]])
    stored = [] if isinstance(index, pd.RangeIndex) else list(index.names)
    assert len(pq.read_schema(path).names) == 2 + len(stored)


def test_integers_of_an_index_stay_exact_beside_missing_ones_that_pandas_does_not_know_of(path):
    frame = pd.DataFrame({"arm": ["x", "y"]}, index=pd.Index([ID, 7], name="item_id"))
    both = frame.set_index(pd.Index(["p", "q"], name="task"), append=True)
    for one in (frame, both):
        table = pa.Table.from_pandas(one)
        at = table.schema.get_field_index("item_id")
        table = table.set_column(at, "item_id", pa.array([ID, None]))
        pq.write_table(table, path)
        assert read_parquet(path).reset_index()["item_id"].tolist() == [ID, pd.NA]


def test_columns_are_read_in_the_order_asked(path):
    write_arrow({"a": [1], "a.b": [2], "c": [3]}, path)
    assert list(read_parquet(path, columns=["c", "a"]).columns) == ["c", "a"]
    assert list(read_parquet(path, columns="a").columns) == ["a"]
    assert list(read_parquet(path, columns=["arm", "a", "a"]).columns) == ["arm", "a"]
    assert list(read_parquet({"x": path}, columns=["a"]).columns) == ["a", "arm"]
    assert list(read_parquet(path).columns) == ["a", "a.b", "c", "arm"]


def test_a_missing_column_is_named_with_the_file_and_what_it_has(path):
    write_arrow({"a": [1], "c": [3]}, path)
    message = r"x.parquet: every column.*found 2 that are not: 'b', 'd'; the file has: 'a', 'c'"
    with pytest.raises(RoleError, match=message):
        read_parquet(path, columns=["a", "b", "d"])


def test_columns_named_twice_are_refused(path):
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"]), path)
    with pytest.raises(RoleError, match=r"x.parquet: .*columns named twice: 'a'; rename"):
        read_parquet(path)


def test_a_file_without_arms_is_one_arm_named_by_its_stem(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write_arrow({"item_id": [folder]}, tmp_path / folder / "out.parquet")
    write_arrow({"item_id": ["c"], "arm": ["inside"]}, tmp_path / "own.parquet")
    frame = read_parquet([tmp_path / "own.parquet", tmp_path / "*" / "out.parquet"])
    assert frame["arm"].tolist() == ["inside", "a/out", "b/out"]
    assert frame["arm"].dtype == TEXT
    assert read_parquet({"x": tmp_path / "own.parquet"})["arm"].tolist() == ["x"]
    assert read_parquet(tmp_path / "a/out.parquet")["arm"].tolist() == ["out"]


@pytest.mark.parametrize("pair", [("arm_a", "arm_b"), ("model_a", "model_b")])
def test_a_table_of_games_is_no_arm(path, pair):
    frame = pd.DataFrame({pair[0]: ["x"], pair[1]: ["y"], "winner": ["x"]})
    write_parquet(frame, path)
    assert_frame_equal(read_parquet(path), frame)


def test_a_folder_named_like_a_partition_adds_no_column(tmp_path):
    (tmp_path / "seed=1").mkdir()
    path = write_arrow({"arm": ["x"]}, tmp_path / "seed=1" / "x.parquet")
    assert list(read_parquet(path).columns) == ["arm"]


def test_several_files_are_joined_by_name_without_loss(tmp_path):
    one = write_arrow(
        {"item_id": [ID], "score": [0.5], "note": pa.nulls(1)}, tmp_path / "one.parquet"
    )
    two = write_arrow({"note": ["n"], "item_id": [7], "seed": [ID]}, tmp_path / "two.parquet")
    frame = read_parquet([one, two])
    assert list(frame.columns) == ["item_id", "score", "note", "arm", "seed"]
    assert frame.index.equals(pd.RangeIndex(2))
    assert frame["item_id"].tolist() == [ID, 7]
    assert (frame["seed"].dtype, frame["seed"][1]) == ("Int64", ID)
    assert frame["note"].isna().tolist() == [True, False]
    assert frame["note"].dtype == TEXT
    text = write_arrow({"item_id": ["7"]}, tmp_path / "text.parquet")
    assert read_parquet([two, text])["item_id"].tolist() == [7, "7"]


def test_several_files_keep_an_index_of_one_name(tmp_path):
    frame = pd.DataFrame({"arm": ["x"]}, index=pd.Index(["p"], name="item_id"))
    for name, part in (("a", frame), ("b", frame), ("c", frame.rename_axis("other"))):
        write_parquet(part, tmp_path / name)
    both = read_parquet([tmp_path / "a", tmp_path / "b"])
    assert_frame_equal(both, pd.concat([frame, frame]))
    with pytest.raises(RoleError, match=r"c: the index must.*found \['other'\].*reset_index"):
        read_parquet([tmp_path / "a", tmp_path / "c"])


def test_parquet_and_jsonl_give_the_same_frame(tmp_path):
    frame = pd.DataFrame(
        {
            "item_id": ["001", "nan"],
            "arm": "x",
            "seed": [ID, 0],
            "cluster_id": pd.Series([ID, None], dtype="Int64"),
            "score": [0.1, np.nan],
            "hit_cap": pd.Series([True, None], dtype="boolean"),
        }
    )
    write_jsonl(frame, tmp_path / "x.jsonl")
    write_parquet(frame, tmp_path / "x.parquet")
    assert_frame_equal(read_jsonl(tmp_path / "x.jsonl"), read_parquet(tmp_path / "x.parquet"))


@pytest.mark.parametrize("threads_from", [0, 2**40])
def test_threads_change_nothing(path, monkeypatch, threads_from):
    frame = pd.DataFrame({"a": range(1000), "arm": ["x", "y"] * 500})
    write_parquet(frame, path)
    monkeypatch.setattr("evalframe.io.parquet.THREADS_FROM", threads_from)
    assert_frame_equal(read_parquet(path), frame)


@pytest.mark.slow
def test_a_script_that_reads_last_ends_well(path):
    frame = pd.DataFrame({"a": range(1000), "arm": ["x"] * 1000, "score": [0.5] * 1000})
    write_parquet(frame, path)
    # On one processor the threads of pd.read_parquet outlive the interpreter in many of the runs.
    script = (
        "import os, sys\n"
        "if hasattr(os, 'sched_setaffinity'):\n"
        "    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from evalframe.io.parquet import read_parquet\n"
        "read_parquet(sys.argv[1])\n"
    )

    def status(_):
        return subprocess.run([sys.executable, "-c", script, str(path)], check=False).returncode

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        assert list(pool.map(status, range(30))) == [0] * 30


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_a_cut_file_is_refused_by_name(path, data):
    path.write_bytes(data)
    with pytest.raises(
        RecordError, match=r"x.parquet: must be whole Parquet, found .+: write it again"
    ):
        read_parquet(path)


@pytest.mark.parametrize("data", [b'{"a": 1}\n', b"item_id,score\n", b"\x89PNG\r\n"])
def test_what_is_not_parquet_is_refused_with_how_it_begins_and_what_reads_it(path, data):
    path.write_bytes(data)
    said = (
        rf"x.parquet: must be Parquet, found .+{re.escape(repr(data))}; read .+ read_jsonl, a CSV"
    )
    with pytest.raises(RecordError, match=said):
        read_parquet(path)


FRAME = pd.DataFrame({"a": ["é", None] * 20, "b": range(40), "arm": "x"})


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_cut_file_is_refused(path, share):
    write_parquet(FRAME, path)
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(RecordError, match=r"x\.parquet: "):
        read_parquet(path)


def test_a_changed_byte_of_the_data_is_refused(path):
    write_parquet(pd.DataFrame({"a": range(1000), "arm": "x"}), path)
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    with pytest.raises(RecordError, match=r"x\.parquet: must be whole Parquet"):
        read_parquet(path)


def test_metadata_of_pandas_that_is_damaged_is_refused(path):
    table = pa.table({"arm": ["x"]})
    for metadata in ("{}", "[", '{"index_columns": [], "column_indexes": [], "columns": [{}]}'):
        pq.write_table(table.replace_schema_metadata({b"pandas": metadata}), path)
        with pytest.raises(RecordError, match=r"x\.parquet: must be whole Parquet"):
            read_parquet(path)


def test_two_levels_of_one_name_come_back_or_are_refused_where_arrow_stores_them_as_one(path):
    levels = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["level", "level"])
    frame = pd.DataFrame({"score": [1.0, 0.0], "arm": "x"}, index=levels)
    write_parquet(frame, path)
    # Before version 17 Arrow gave both columns the name of the levels.
    with contextlib.suppress(RoleError):
        assert_frame_equal(read_parquet(path), frame)


@pytest.mark.parametrize(
    ("kind", "raw"), [(pa.string(), pa.binary()), (pa.large_string(), pa.large_binary())]
)
def test_text_that_is_not_utf8_is_refused_before_anyone_looks_at_it(path, kind, raw):
    text = pa.Array.from_buffers(kind, 2, pa.array([b"q1", b"q\x99"], raw).buffers())
    pq.write_table(pa.table({"item_id": text, "arm": ["x", "x"]}), path)
    for read in (read_parquet, scan):
        with pytest.raises(RecordError, match=r"x\.parquet.*UTF8"):
            read(path)


DAMAGE = {
    "a dtype that Python cannot read": lambda about: about["columns"][1].update(numpy_type=","),
    "a dtype that is half a call": lambda about: about["columns"][1].update(numpy_type="f("),
    "a dtype of other letters": lambda about: about["columns"][1].update(numpy_type="\u00e9"),
    "a dtype that is no text": lambda about: about["columns"][1].update(numpy_type=7),
    "numbers as text": lambda about: about["columns"][1].update(numpy_type="string"),
    "text as numbers": lambda about: about["columns"][0].update(numpy_type="Int64"),
    "another name": lambda about: about["columns"][1].update(name=None),
    "the name of another column": lambda about: about["columns"][1].update(name="arm"),
    "no field": lambda about: about["columns"].pop(),
    "names of no type": lambda about: about["column_indexes"][0].update(numpy_type={}),
    "an index that is not there": lambda about: about.update(index_columns=["x"]),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_metadata_of_pandas_never_changes_a_value_or_a_name(path, damage):
    pd.DataFrame({"arm": ["001"], "n": [1]}).to_parquet(path)
    table = pq.read_table(path)
    about = table.schema.pandas_metadata
    damage(about)
    pq.write_table(table.replace_schema_metadata({b"pandas": json.dumps(about)}), path)
    with contextlib.suppress(RecordError):
        assert read_parquet(path).to_dict("list") == {"arm": ["001"], "n": [1]}


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        ([{"a": 1}, "x", None], r"dict \(1\), str \(1\)"),
        ([1, "a", "b"], r"str \(2\), int \(1\)"),
        ([[1], "a"], r"list \(1\), str \(1\)"),
        ([1, True], r"int \(1\), bool \(1\)"),
        ([2**53 + 1, 0.5], r"int \(1\), float \(1\)"),
        ([2**70], r"int \(1\)"),
        ([b"a", "b"], r"bytes \(1\), str \(1\)"),
        ([pd.Timestamp(0).date(), pd.Timestamp(1)], r"date \(1\), Timestamp \(1\)"),
        ([{}], r"dict \(1\)"),
        (["\ud800"], r"str \(1\).*surrogates"),
        ([1j], r"complex \(1\)"),
        ([object()], r"object \(1\)"),
    ],
    ids=lambda found: found if isinstance(found, str) else "",
)
def test_values_that_parquet_cannot_hold_are_refused_by_column(path, cells, found):
    path.write_text("old")
    frame = pd.DataFrame({"b": ["x"] * len(cells), "a": pd.Series(cells, dtype=object)})
    with pytest.raises(FrameError, match=f"column 'a' must be of one type.*found {found}.*drop"):
        write_parquet(frame, path)
    assert path.read_text() == "old"
    assert os.listdir(path.parent) == ["x.parquet"]


@pytest.mark.parametrize(
    ("attrs", "where"),
    [
        (
            {"evalframe": {"rng": np.int64(1)}},
            r"attrs\['evalframe'\]\['rng'\] must be plain JSON.*found int64",
        ),
        ({"a": [1, (2,)]}, r"attrs\['a'\]\[1\] must be .*found tuple"),
        ({"a": float("nan")}, r"attrs\['a'\] must be .*found float nan"),
        ({"a": {1: 2}}, r"attrs\['a'\] must have keys of text, found the key 1"),
        ({1: 2}, "attrs must have keys of text, found the key 1"),
        ({"a": pd.DataFrame()}, r"attrs\['a'\] must be .*found DataFrame"),
    ],
)
def test_attrs_that_are_not_plain_json_are_refused_before_writing(path, attrs, where):
    frame = pd.DataFrame({"a": [1]})
    frame.attrs = attrs
    with pytest.raises(FrameError, match=where):
        write_parquet(frame, path)
    assert not path.exists()


def test_what_is_no_frame_or_no_path_is_refused(path):
    with pytest.raises(TypeError, match="takes a DataFrame first"):
        write_parquet(path, pd.DataFrame())
    with pytest.raises(TypeError, match="path must be a str"):
        write_parquet(pd.DataFrame({"a": [1]}), 7)
    with pytest.raises(RoleError, match="named twice: 'a'; rename"):
        write_parquet(pd.DataFrame([[1, 2]], columns=["a", "a"]), path)


def test_writing_changes_nothing_in_the_frame(path):
    frame = pd.DataFrame({"a": pd.Categorical([2, 1]), "b": [[1], [2]]}, index=[5, 5])
    frame.attrs = {"evalframe": {"n": [1]}}
    before = frame.copy(deep=True)
    write_parquet(frame, path)
    assert_frame_equal(frame, before)
    assert frame.attrs == before.attrs
