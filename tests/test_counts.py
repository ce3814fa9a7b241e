"""Frames whose rows are means over runs, made by hand: what their counts must be."""

import pandas as pd
import pytest

from evalframe.errors import FrameError


def means(**columns):
    frame = pd.DataFrame({"item_id": [1, 2, 3], "score": [0.5, 1.0, None]})
    return frame.assign(n_responses=[2, 3, 0], n_missing=[1, 0, 2]).assign(**columns)


def test_counts_are_those_of_the_runs():
    row = means().evals.score().iloc[0]
    assert (row["n_items"], row["n_responses"], row["n_missing"]) == (2, 5, 3)
    assert (row["estimate"], row["n_items_missing"]) == (0.75, 1)


def test_a_missing_run_counts_as_0_on_request():
    # 1 of 3 runs, 3 of 3 and none of 2.
    found = means().evals.score(missing="zero")["estimate"].iloc[0]
    assert found == pytest.approx((1 / 3 + 1 + 0) / 3, rel=1e-15)


def test_other_values_have_counts_of_their_own():
    frame = means(n_output_tokens=[5.0, 6.0, 7.0], n_missing_tokens=[0, 1, 0])
    row = frame.evals.score(value="tokens").iloc[0]
    assert (row["n_responses"], row["n_missing"]) == (7, 1)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"n_responses": [2, 3, 1]}, "1 of them beside nan in 1 row"),
        ({"n_responses": [0, 3, 0]}, "0 of them beside 0.5 in 1 row"),
        ({"n_responses": [2, 2.5, 0]}, "'n_responses' must hold whole numbers"),
        ({"n_missing": [1, -1, 2]}, "'n_missing' must hold whole numbers"),
        ({"item_id": [1, 1, 3]}, r"\(item_id\) must be unique"),
        ({"seed": 0}, "found the column 'n_responses', .* and 'seed'"),
    ],
)
def test_counts_that_cannot_be_are_refused(columns, message):
    with pytest.raises(FrameError, match=message):
        means(**columns).evals.score()
