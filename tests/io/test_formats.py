"""What a file holds is told by its content, whatever it is called."""

import gzip
import json
import os
import threading
from pathlib import Path

import pandas as pd
import pytest

from evalframe.errors import RecordError
from evalframe.io.formats import format_of

SAMPLES = Path(__file__).parents[1] / "reference" / "samples"


@pytest.fixture
def file(tmp_path):
    """Return a function that writes bytes under a name that says nothing."""

    def write(data):
        path = tmp_path / "anything.txt"
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("lm_eval/*/samples_*.jsonl", "lm_eval"),
        ("lm_eval/*/results_*.json", "lm_eval results"),
        ("inspect/*.eval", "inspect"),
        ("inspect/*.parquet", "parquet"),
    ],
)
def test_files_that_the_tools_wrote_are_told_under_any_name(file, pattern, wanted):
    found = sorted(SAMPLES.glob(pattern))
    assert found
    for path in found:
        assert format_of(path) == wanted
        assert format_of(file(path.read_bytes())) == wanted
        if wanted != "parquet":
            assert (
                wanted == "inspect" or format_of(file(gzip.compress(path.read_bytes()))) == wanted
            )


@pytest.mark.parametrize("indent", [None, 2])
def test_an_inspect_log_in_json_is_told_by_its_header(file, indent):
    samples = [{"id": n, "scores": {}, "messages": "x" * 1_000} for n in range(2_000)]
    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
    assert format_of(file(json.dumps(log | {"samples": samples}, indent=indent))) == "inspect"
    # The header may stand behind what is too long to be looked at.
    first = {"status": "success", "eval": log["eval"], "samples": samples}
    assert format_of(file(json.dumps(first, indent=indent))) == "inspect"


def test_records_are_lines_even_with_the_keys_of_a_harness(file):
    rows = '{"item_id": 1, "doc_id": 2, "results": 3, "score": 1}\n{"item_id": 2}\n'
    assert format_of(file(rows)) == "jsonl"
    assert format_of(file("\ufeff\n" + rows)) == "jsonl"
    assert format_of(file(json.dumps({"doc_id": 1, "doc": {"x": "y" * 2**21}}))) == "lm_eval"


@pytest.mark.parametrize("start", ["", "\n\n", '{"item_id": ', '{"a" 1}', "{1: 2}", "{" * 9_000])
def test_what_is_no_whole_object_is_left_to_the_reader_of_lines(file, start):
    assert format_of(file(start)) == "jsonl"


def test_a_cut_gzip_file_is_left_to_the_reader_of_lines(file):
    assert format_of(file(gzip.compress(b'{"item_id": 1}\n' * 99)[:20])) == "jsonl"


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ("item_id,score\n1,1\n", "text that begins 'item_id,score'"),
        ('[{"item_id": 1}]', "a JSON list"),
        ("{}".encode("utf-16"), "UTF-16 text"),
        (b"ARROW1\x00\x00", "an Arrow"),
        (b"\x89PNG\r\n\x1a\n\x00", "bytes that begin b'\\x89PNG'"),
    ],
)
def test_other_files_are_named_with_what_they_hold(file, data, found):
    path = file(data)
    with pytest.raises(RecordError) as caught:
        format_of(path)
    assert str(caught.value).startswith(f"{path} must hold evaluation records")
    assert f"found {found}" in str(caught.value)


def test_a_pipe_is_not_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    text = '{"item_id": 1, "score": 1}\n'
    writer = threading.Thread(target=lambda: path.write_text(text))
    assert format_of(path) == "jsonl"
    writer.start()
    assert path.read_text() == text
    writer.join()


def test_parquet_is_told_under_the_name_of_lines(tmp_path):
    pd.DataFrame({"item_id": [1]}).to_parquet(tmp_path / "x.jsonl")
    assert format_of(tmp_path / "x.jsonl") == "parquet"
