import os
import re
import stat
from pathlib import Path

import pytest

from evalframe.errors import RecordError
from evalframe.io.paths import replacing, sources


@pytest.fixture(autouse=True)
def tree(tmp_path, monkeypatch):
    for name in ("base.jsonl", "edit.jsonl.gz", "a/out.jsonl", "b/out.jsonl", "b/c/deep.ndjson"):
        path = tmp_path / "runs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stems(paths):
    return [source.stem for source in sources(paths)]


def names(paths):
    return [source.path.as_posix() for source in sources(paths)]


@pytest.mark.parametrize("path", ["runs/base.jsonl", Path("runs/base.jsonl"), ["runs/base.jsonl"]])
def test_one_path_is_one_file_without_a_label(path):
    (source,) = sources(path)
    assert (source.path, source.label, source.stem) == (Path("runs/base.jsonl"), None, "base")


def test_several_paths_keep_their_order():
    given = ["runs/edit.jsonl.gz", Path("runs/base.jsonl")]
    assert names(given) == names(tuple(given)) == names(iter(given))
    assert stems(given) == ["edit", "base"]


def test_a_pattern_gives_its_files_sorted_without_folders():
    assert names("runs/*") == ["runs/base.jsonl", "runs/edit.jsonl.gz"]
    assert names("runs/**/*.jsonl") == ["runs/a/out.jsonl", "runs/b/out.jsonl", "runs/base.jsonl"]
    assert names([Path("runs/*.gz"), "runs/b*.jsonl"]) == ["runs/edit.jsonl.gz", "runs/base.jsonl"]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file():
    Path("run[1].jsonl").touch()
    Path("run1.jsonl").touch()
    assert names("run[1].jsonl") == ["run[1].jsonl"]


def test_home_is_expanded(tree, monkeypatch):
    monkeypatch.setenv("HOME", str(tree / "runs"))
    assert names("~/base.jsonl") == [(tree / "runs/base.jsonl").as_posix()]


def test_a_mapping_labels_its_files():
    given = {"old": "runs/base.jsonl", "new": ["runs/a/out.jsonl", "runs/b/*.jsonl"]}
    found = [(source.label, source.path.as_posix()) for source in sources(given)]
    assert found == [
        ("old", "runs/base.jsonl"),
        ("new", "runs/a/out.jsonl"),
        ("new", "runs/b/out.jsonl"),
    ]


def test_one_file_may_stand_under_two_labels():
    found = sources({"base": "runs/base.jsonl", "again": "runs/base.jsonl"})
    assert [source.label for source in found] == ["base", "again"]


def test_a_given_label_wins_then_the_column_then_the_stem():
    (plain,), (labelled,) = sources("runs/base.jsonl"), sources({"x": "runs/base.jsonl"})
    assert [plain.arm(True), plain.arm(False)] == [None, "base"]
    assert [labelled.arm(True), labelled.arm(False)] == ["x", "x"]


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("x.jsonl", "x"),
        ("x.jsonl.gz", "x"),
        ("x.JSONL.GZ", "x"),
        ("x.ndjson", "x"),
        ("x.json", "x"),
        ("x.parquet", "x"),
        ("model-v1.5", "model-v1.5"),
        ("model-v1.5.jsonl", "model-v1.5"),
        ("log.txt", "log.txt"),
        (".jsonl", ".jsonl"),
    ],
)
def test_the_stem_is_the_name_without_the_suffix_of_its_format(name, stem):
    Path(name).touch()
    assert stems(name) == [stem]


def test_equal_stems_become_the_shortest_distinct_path():
    assert stems(["runs/a/out.jsonl", "runs/base.jsonl", "runs/b/out.jsonl"]) == [
        "a/out",
        "base",
        "b/out",
    ]
    for name in ("x/b/out.jsonl", "y/b/out.jsonl"):
        Path(name).parent.mkdir(parents=True)
        Path(name).touch()
    assert stems(["x/b/out.jsonl", "y/b/out.jsonl"]) == ["x/b/out", "y/b/out"]


def test_bytes_of_a_name_that_are_no_text_are_escapes_in_the_stem():
    for name in ("\udcff.jsonl", "\udcfe.jsonl"):
        Path(name).touch()
    assert stems(["\udcff.jsonl", "\udcfe.jsonl"]) == ["\\xff", "\\xfe"]


def test_names_that_differ_in_the_suffix_alone_keep_it():
    Path("x.json").touch()
    Path("x.jsonl").touch()
    assert stems(["x.json", "x.jsonl"]) == ["x.json", "x.jsonl"]


def test_a_missing_file_is_named_with_a_near_one():
    with pytest.raises(FileNotFoundError, match=r"'runs/bse.jsonl'.*did you mean 'base.jsonl'"):
        sources(["runs/base.jsonl", "runs/bse.jsonl"])
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        sources("run/base.jsonl")


def test_a_pattern_without_files_is_named():
    with pytest.raises(FileNotFoundError, match=r"no file matches 'runs/\*.csv'"):
        sources({"base": "runs/*.csv"})
    with pytest.raises(FileNotFoundError, match="no file matches"):
        sources("runs/b/[c]")


def test_a_folder_is_refused_with_what_to_type():
    with pytest.raises(IsADirectoryError, match=r"'runs' is a folder.*'runs/\*.jsonl'"):
        sources("runs")


@pytest.mark.parametrize("paths", [[], {}, {"base": []}])
def test_no_path_is_refused(paths):
    with pytest.raises(RecordError, match="found no path"):
        sources(paths)


def test_a_file_given_twice_is_refused():
    with pytest.raises(RecordError, match=r"1 of the files given twice, first '.*base.jsonl'"):
        sources(["runs/base.jsonl", "runs/a/out.jsonl", "runs/*.jsonl"])
    with pytest.raises(RecordError, match="twice"):
        sources({"x": ["runs/base.jsonl", "./runs/base.jsonl"]})


@pytest.mark.parametrize("paths", [None, 7, b"base.jsonl", {"a.jsonl"}, [b"x"], [None], {"x": 1}])
def test_what_is_no_path_is_a_type_error(paths):
    with pytest.raises(TypeError, match="path"):
        sources(paths)


@pytest.mark.parametrize("label", ["", 7, None])
def test_a_label_is_text(label):
    with pytest.raises(TypeError, match="non-empty str"):
        sources({label: "runs/base.jsonl"})


def write(path, data=b"new"):
    with replacing(path) as file:
        file.write(data)


def test_a_written_file_replaces_the_old_one_and_nothing_else_is_left(tmp_path):
    path = tmp_path / "new" / "x"
    path.parent.mkdir()
    path.write_bytes(b"old")
    write(path)
    assert path.read_bytes() == b"new"
    assert os.listdir(path.parent) == ["x"]


def break_off(path, error):
    with replacing(path) as file:
        file.write(b"half")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
@pytest.mark.parametrize("old", [[], ["x"]])
def test_an_error_leaves_what_was_there(tmp_path, monkeypatch, error, old):
    monkeypatch.chdir(tmp_path / "runs" / "b" / "c")
    os.remove("deep.ndjson")
    for name in old:
        Path(name).write_bytes(b"old")
    with pytest.raises(error):
        break_off("x", error)
    assert os.listdir() == old
    assert [Path(name).read_bytes() for name in old] == [b"old"] * len(old)


def test_a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(tmp_path):
    write(tmp_path / "x")
    (tmp_path / "usual").touch()
    assert (tmp_path / "x").stat().st_mode == (tmp_path / "usual").stat().st_mode
    (tmp_path / "x").chmod(0o640)
    write(tmp_path / "x")
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


def test_a_link_keeps_pointing_to_its_file(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    (tmp_path / "link").symlink_to("x")
    write(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "x").read_bytes() == b"new"


def test_a_device_is_written_to_and_not_replaced():
    write(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_where_nothing_can_be_written_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no folder '.*none' to write 'x' in"):
        write(tmp_path / "none" / "x")
    with pytest.raises(IsADirectoryError, match="add a file name"):
        write(tmp_path)
    with pytest.raises(TypeError, match="not int"):
        write(7)


@pytest.mark.parametrize(
    ("names", "pattern"),
    [
        (["b.csv", "c.jsonl"], "*.csv"),
        (["a.jsonl.gz"], "*.jsonl.gz"),
        ([".hidden", "x"], "*.jsonl"),
    ],
)
def test_a_folder_s_pattern_is_of_the_files_that_are_there(tmp_path, names, pattern):
    for name in names:
        (tmp_path / name).touch()
    with pytest.raises(IsADirectoryError, match=re.escape(f"{tmp_path}/{pattern}")):
        sources(str(tmp_path))
