import json
import math

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from evalframe.errors import RecordError
from evalframe.io.jsonl import read_jsonl, write_jsonl

RECORD = {
    "item_id": "q1",
    "seed": 0,
    "arm": "base",
    "prompt_hash": "ab" * 32,
    "output": "x",
    "score": 1.0,
    "n_output_tokens": 3,
    "hit_cap": False,
}


@pytest.fixture
def read(tmp_path):
    """Write objects one a line, and read them."""

    def read(lines, **options):
        (tmp_path / "x.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return read_jsonl(tmp_path / "x.jsonl", **options)

    return read


def test_records_are_read_strictly(read):
    lines = [RECORD, {**RECORD, "score": 0, "cluster_id": "c1"}]
    frame = read(lines, strict=True)
    assert_frame_equal(frame, read(lines))
    assert list(frame.columns) == [*RECORD, "cluster_id"]
    assert frame["score"].tolist() == [1.0, 0.0]
    assert frame["cluster_id"].isna().tolist() == [True, False]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"seed": None}, "the value of 'seed' is null, not int"),
        ({"seed": True}, "the value of 'seed' is the bool True, not int"),
        ({"seed": 1.0}, "the value of 'seed' is the float 1.0, not int"),
        ({"seed": "0"}, "the value of 'seed' is the str '0', not int"),
        ({"score": True}, "the value of 'score' is the bool True, not int or float"),
        ({"score": "1"}, "the value of 'score' is the str '1', not int or float"),
        ({"score": math.nan}, "the value of 'score' is nan, not finite"),
        ({"score": -math.inf}, "the value of 'score' is -inf, not finite"),
        ({"item_id": 7}, "the value of 'item_id' is the int 7, not str"),
        ({"arm": ["x"]}, "the value of 'arm' is a list, not str"),
        ({"prompt_hash": {}}, "the value of 'prompt_hash' is an object, not str"),
        ({"output": None}, "the value of 'output' is null, not str"),
        ({"n_output_tokens": False}, "the value of 'n_output_tokens' is the bool False, not int"),
        ({"hit_cap": 0}, "the value of 'hit_cap' is the int 0, not bool"),
        ({"cluster_id": None}, "the value of 'cluster_id' is null, not str"),
        ({"tags": "x"}, "the key 'tags' is not one of a record"),
    ],
)
def test_what_is_no_record_is_refused_strictly(read, change, found):
    with pytest.raises(RecordError, match=r"x\.jsonl, line 2: must be a record") as error:
        read([RECORD, {**RECORD, **change}], strict=True)
    assert found in str(error.value)
    assert isinstance(error.value, ValueError)


@pytest.mark.parametrize("name", RECORD)
def test_a_missing_key_is_refused_strictly_and_so_are_all_faults_at_once(read, name):
    record = {key: value for key, value in RECORD.items() if key != name}
    with pytest.raises(
        RecordError, match=f"line 1: must be a record, found the key '{name}' is missing"
    ):
        read([record], strict=True)
    with pytest.raises(RecordError, match=f"'{name}' is missing.*'x' is not one"):
        read([{**record, "x": 1}], strict=True)


def test_records_read_strictly_come_back_strictly(read, tmp_path):
    lines = [RECORD, {**RECORD, "score": 0.1, "cluster_id": "c1"}, {**RECORD, "output": "\0\u2028"}]
    frame = read(lines, strict=True)
    write_jsonl(frame, tmp_path / "y.jsonl")
    assert_frame_equal(read_jsonl(tmp_path / "y.jsonl", strict=True), frame)


def test_no_records_are_a_frame_with_the_columns_of_records(tmp_path, read):
    frame = read([], strict=True)
    assert len(frame) == 0
    assert frame.dtypes.to_dict() == read([RECORD], strict=True).dtypes.to_dict()
    write_jsonl(frame, tmp_path / "y.jsonl")
    assert_frame_equal(read_jsonl(tmp_path / "y.jsonl", strict=True), frame)


def test_a_missing_cluster_is_left_out_of_a_record_and_null_elsewhere(tmp_path):
    record = pd.DataFrame([{**RECORD, "cluster_id": None}])
    write_jsonl(record, tmp_path / "x.jsonl")
    assert json.loads((tmp_path / "x.jsonl").read_text()) == RECORD
    write_jsonl(record.assign(other=1), tmp_path / "x.jsonl")
    assert json.loads((tmp_path / "x.jsonl").read_text())["cluster_id"] is None
