"""How often limits of strengths hold the truth, on simulated games."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from evalframe import bradley_terry

TRUTH = np.array([-0.8, -0.3, 0.1, 1.0])
PAIRS = np.array(list(combinations(range(4), 2)))
FRAMES, A_PAIR = 1_500, 50


def simulated(shared, nu, rng):
    """Return frames of 50 games a pair on 50 prompts, each of which all pairs are shown.

    With chance `shared` a game takes its luck from the prompt, which leaves the chances of each
    game as they are and makes the games of a prompt depend on each other.
    """
    shape = (FRAMES, A_PAIR, len(PAIRS))
    luck = np.where(rng.random(shape) < shared, rng.random((*shape[:2], 1)), rng.random(shape))
    gap = TRUTH[PAIRS[:, 0]] - TRUTH[PAIRS[:, 1]]
    ends = np.stack([np.exp(gap / 2), np.full(len(gap), nu), np.exp(-gap / 2)])
    limits = np.cumsum(ends / ends.sum(axis=0), axis=0)
    end = (luck > limits[0]).astype(int) + (luck > limits[1])
    frame, prompt, pair = np.indices(shape).reshape(3, -1)
    return pd.DataFrame(
        {
            "frame": frame,
            "item_id": prompt,
            "arm_a": PAIRS[pair, 0],
            "arm_b": PAIRS[pair, 1],
            "winner": np.array(["a", "tie", "b"])[end.ravel()],
        }
    )


def coverage(found, truth, low, high):
    return float(((found[low] <= truth) & (truth <= found[high])).mean())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shared", "nu", "options"),
    [
        (0.0, 0.0, {"errors": "model"}),
        (0.0, 0.0, {}),
        (0.6, 0.0, {}),
        (0.6, 0.7, {"ties": "davidson"}),
    ],
    ids=["model", "robust", "shared prompts", "shared prompts, ties"],
)
def test_limits_hold_the_truth_as_often_as_they_say(shared, nu, options):
    games = simulated(shared, nu, np.random.default_rng(12))
    games = games if shared else games.drop(columns="item_id")
    found = bradley_terry(games, 0, by="frame", **options)
    truth = TRUTH[found["arm"].astype(int)]
    assert 0.93 <= coverage(found, truth, "conf_low", "conf_high") <= 0.97
    others = found[found["arm"] != 0]
    truth = TRUTH[others["arm"].astype(int)] - TRUTH[0]
    assert 0.93 <= coverage(others, truth, "diff_low", "diff_high") <= 0.97
    if nu:
        once = found.drop_duplicates("frame")
        assert 0.93 <= coverage(once, np.log(nu), "tie_low", "tie_high") <= 0.97


@pytest.mark.slow
def test_errors_of_the_model_are_too_small_on_shared_prompts():
    games = simulated(0.95, 0.0, np.random.default_rng(13))
    found = bradley_terry(games[games["frame"] < 500], by="frame", errors="model")
    assert coverage(found, TRUTH[found["arm"].astype(int)], "conf_low", "conf_high") < 0.9
