from pathlib import Path

import pandas as pd
import pytest
from numpy.testing import assert_allclose

import evalframe
from evalframe.errors import FrameError, RoleError

SAMPLES = Path(__file__).parent / "reference" / "samples" / "inspect"
NAMES = {"item": "id", "seed": "epoch", "cluster": "metadata_passage", "arm": "eval_id"}
MATCH = {**NAMES, "score": "score_match", "value_map": {"C": 1, "I": 0}}


@pytest.fixture
def frame():
    return pd.read_parquet(SAMPLES / "samples_df.parquet")


def test_the_frame_is_taken_as_it_is(frame):
    tidy = frame.evals.tidy(**MATCH)
    read = evalframe.read_inspect(SAMPLES, scorer="match", cluster="passage", arm="eval_id")
    names = ["item_id", "arm", "seed", "cluster_id", "score", "n_output_tokens"]
    order = ["arm", "seed", "item_id"]
    pd.testing.assert_frame_equal(
        tidy[names].sort_values(order, ignore_index=True),
        read[names].sort_values(order, ignore_index=True),
        check_dtype=False,
    )
    assert all(isinstance(dtype, pd.ArrowDtype) for dtype in frame.dtypes[["id", "epoch"]])


def test_unscored_is_missing_and_counted(frame):
    result = frame.evals.tidy(**NAMES, score="score_brevity").evals.score()
    assert (result["n_missing"] > 0).all()
    assert_allclose(result["estimate"], 0.2)


def test_an_execution_is_no_item(frame):
    with pytest.raises(RoleError, match=r"sample_id.*one execution.*item=\"id\", seed=\"epoch\""):
        frame.evals.tidy(item="sample_id", score="score_brevity")


@pytest.mark.parametrize(
    ("named", "lacking"),
    [
        ({}, "item, seed, arm"),
        ({"item": "id", "arm": "eval_id"}, "seed"),
        ({"item": "id"}, "seed, arm"),
    ],
)
def test_an_item_epoch_or_log_left_out_is_an_error_that_names_the_call(frame, named, lacking):
    with pytest.raises(
        RoleError, match=rf'named for {lacking}; .*tidy\(item="id", seed="epoch", arm'
    ):
        frame.evals.tidy(**named, score="score_match")


def test_every_method_says_what_the_frame_is(frame):
    with pytest.raises(RoleError, match=r'samples_df\(\): df.evals.tidy\(item="id", seed="epoch"'):
        frame.evals.score()
    assert "reset_index" not in " ".join(frame.evals.check()["remedy"])


def test_a_column_sample_id_of_another_frame_is_an_item_like_any():
    frame = pd.DataFrame({"sample_id": ["a", "b"], "score": [1, 0]})
    assert frame.evals.tidy(item="sample_id")["item_id"].tolist() == ["a", "b"]


def test_score_text_without_a_map_shows_the_labels(frame):
    with pytest.raises(FrameError, match=r"'C', 'I'.*value_map"):
        frame.evals.tidy(**NAMES, score="score_match")


@pytest.mark.parametrize("tokens", [None, "model_usage"])
def test_output_tokens_come_out_of_the_usage(frame, tokens):
    tidy = frame.evals.tidy(**MATCH, tokens=tokens)
    assert tidy["n_output_tokens"].sum() == 160
    assert (tidy["n_output_tokens"] < frame["total_tokens"]).all()


def test_tokens_that_the_user_names_are_left_alone(frame):
    tidy = frame.evals.tidy(**MATCH, tokens="total_tokens")
    assert tidy["n_output_tokens"].tolist() == frame["total_tokens"].tolist()


def test_tokens_of_several_models_are_those_of_the_rows_own(frame):
    usage = '{"m": {"output_tokens": 3}, "grader": {"output_tokens": 90}}'
    frame = frame.assign(model_usage=[usage, None, *[""] * (len(frame) - 2)])
    assert "n_output_tokens" not in frame.evals.tidy(**MATCH)
    tidy = frame.assign(model="m").evals.tidy(**MATCH)
    assert tidy["n_output_tokens"].iloc[0] == 3
    assert tidy["n_output_tokens"].isna().sum() == len(frame) - 1


@pytest.mark.parametrize("usage", ["{", "[1]", "7", "[" * 100_000])
def test_usage_that_is_no_object_is_refused_by_row(frame, usage):
    frame["model_usage"] = [*frame["model_usage"].iloc[1:], usage]
    with pytest.raises(FrameError, match=r"'model_usage'.*1 row \(counted from 0: 35\)"):
        frame.evals.tidy(**MATCH)


def test_the_frame_is_not_changed(frame):
    before = frame.copy(deep=True)
    frame.evals.tidy(**MATCH)
    pd.testing.assert_frame_equal(frame, before)
