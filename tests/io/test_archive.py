import tracemalloc
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evalframe.errors import RecordError
from evalframe.io.archive import DEFLATED, SMALL, STORED, ZSTANDARD, opened

METHODS = [STORED, DEFLATED, ZSTANDARD]
TEXT = b"answer " * 5_000


def read(path, name="a.json"):
    with opened(path) as archive:
        return archive.read(name)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("data", [b"", b"x", TEXT])
def test_a_member_comes_back_whole(tmp_path, logs, method, data):
    path = logs.write_zip(tmp_path / "x.eval", [("b", b"y"), ("a.json", data)], method)
    assert read(path) == data


@pytest.mark.parametrize("frames", [2, 7])
def test_several_zstandard_frames_are_one_member(tmp_path, logs, frames):
    path = logs.write_zip(tmp_path / "x.eval", [("a.json", TEXT)], frames=frames)
    assert read(path) == TEXT


def test_an_archive_of_the_standard_library_is_read(tmp_path, logs):
    assert read(logs.write_deflated(tmp_path / "x.eval", [("a.json", TEXT)])) == TEXT


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_of_two_members_with_one_name_the_later_one_counts(tmp_path, logs):
    path = logs.write_deflated(tmp_path / "x.eval", [("a.json", b"old"), ("a.json", b"new")])
    assert read(path) == b"new"


@pytest.mark.parametrize("method", [DEFLATED, ZSTANDARD])
def test_a_zip_bomb_is_refused_by_the_size_it_declares(tmp_path, logs, method):
    path = logs.write_zip(tmp_path / "x.eval", [("a.json", bytes(SMALL + 1))], method)
    with pytest.raises(RecordError, match=r"member 'a.json'.*zip bomb"):
        read(path)


@pytest.mark.parametrize("method", [DEFLATED, ZSTANDARD])
def test_a_zip_bomb_that_declares_less_is_not_unpacked(tmp_path, logs, method):
    members, claims = [("a.json", bytes(32 * 2**20))], {"a.json": 1000}
    path = logs.write_zip(tmp_path / "x.eval", members, method, claims=claims)
    tracemalloc.start()
    with pytest.raises(RecordError, match=r"member 'a.json': .*damaged"):
        read(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2**20


@pytest.mark.parametrize("method", METHODS)
def test_a_member_that_declares_more_than_it_is_is_damaged(tmp_path, logs, method):
    path = logs.write_zip(tmp_path / "x.eval", [("a.json", TEXT)], method, claims={"a.json": 10**6})
    with pytest.raises(RecordError, match="damaged"):
        read(path)


def test_a_method_that_no_log_uses_is_named(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.eval", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.json", "{}")
    with pytest.raises(RecordError, match="zip method 12"):
        read(tmp_path / "x.eval")


def test_an_encrypted_member_is_refused(tmp_path, logs):
    path = logs.write_zip(tmp_path / "x.eval", [("a.json", TEXT)], flags=1)
    with pytest.raises(RecordError, match="encrypted"):
        read(path)


def test_a_changed_byte_is_noticed(tmp_path, logs):
    path = logs.write_zip(tmp_path / "x.eval", [("a.json", TEXT)], STORED)
    path.write_bytes(path.read_bytes().replace(b"answer", b"answEr", 1))
    with pytest.raises(RecordError, match="checksum"):
        read(path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"PK\x03\x04" + b"x" * 99, TEXT])
def test_what_is_no_archive_is_refused_by_name(tmp_path, content):
    (tmp_path / "x.eval").write_bytes(content)
    with pytest.raises(RecordError, match=r"x\.eval: must be a whole zip archive"):
        read(tmp_path / "x.eval")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(METHODS), st.data())
def test_bytes_cut_out_or_changed_are_refused_or_harmless(tmp_path, logs, method, data):
    members = [("a.json", TEXT[:200]), ("b.json", b"[]")]
    path = logs.write_zip(tmp_path / "x.eval", members, method)
    content = bytearray(path.read_bytes())
    start = data.draw(st.integers(0, len(content) - 1))
    new = data.draw(st.binary(max_size=8))
    content[start : start + data.draw(st.integers(0, 40))] = new
    path.write_bytes(content)
    try:
        found = [read(path, name) for name, _ in members]
    except (RecordError, KeyError):
        return
    assert found == [content for _, content in members]
