import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from evalframe import bradley_terry
from evalframe.errors import DesignError

CASES = json.loads(
    (Path(__file__).parents[2] / "reference" / "bradley_terry.json").read_text(encoding="utf-8")
)
SIMULATED = [case for case in CASES["simulated"] if "separated" not in case]
SEPARATED = [case for case in CASES["simulated"] if "separated" in case]
TIED = [case for case in SIMULATED if "davidson" in case]
PACKAGE = CASES["package"]["cases"]
FINITE = [case for case in PACKAGE if "exact_mle" in case]


def games(case):
    """Return the games of a simulated case, a row a game."""
    end = np.array(["a", "tie", "b"])[case["end"]]
    return pd.DataFrame(
        {"arm_a": case["a"], "arm_b": case["b"], "winner": end, "item_id": case["item"]}
    )


def repeated(rows):
    """Return (first, second, winner, count) rows as a row a game."""
    return pd.DataFrame(
        [row[:3] for row in rows for _ in range(row[3])], columns=["arm_a", "arm_b", "winner"]
    )


@pytest.mark.parametrize("case", SIMULATED, ids=lambda case: f"{case['n_arms']} arms")
def test_strengths_are_those_of_choix(case):
    found = bradley_terry(games(case), ties="drop")
    assert_allclose(found["strength"], case["choix"], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("case", SIMULATED, ids=lambda case: f"{case['n_arms']} arms")
@pytest.mark.parametrize("ties", ["drop", "half"])
@pytest.mark.parametrize("side", [False, True])
def test_errors_are_those_of_statsmodels_logit(case, ties, side):
    theirs, n = case[f"{ties}_side" if side else ties], case["n_arms"]
    robust = bradley_terry(games(case), 0, ties=ties, side=side)
    model = bradley_terry(games(case), 0, ties=ties, side=side, errors="model")
    for found in (robust, model):
        assert_allclose(found["strength"], theirs["theta"][:n], rtol=1e-9, atol=1e-10)
        assert_allclose(
            found["diff"][1:], np.subtract(theirs["theta"][1:n], theirs["theta"][0]), rtol=1e-8
        )
    assert_allclose(model["se"], theirs["se"][:n], rtol=1e-9)
    assert_allclose(robust["se"], theirs["robust_se"][:n], rtol=1e-9)
    assert_allclose(model["diff_se"][1:], theirs["diff_se"][1:n], rtol=1e-9)
    assert_allclose(robust["diff_se"][1:], theirs["robust_diff_se"][1:n], rtol=1e-9)
    if side:
        assert_allclose(robust["side"], theirs["theta"][n], rtol=1e-8)
        assert_allclose(robust["side_se"], theirs["robust_se"][n], rtol=1e-9)
        assert_allclose(model["side_se"], theirs["se"][n], rtol=1e-9)


@pytest.mark.parametrize("case", TIED, ids=lambda case: f"{case['n_arms']} arms")
@pytest.mark.parametrize("side", [False, True])
def test_davidsons_model_is_statsmodels_poisson(case, side):
    theirs, n = case["davidson_side" if side else "davidson"], case["n_arms"]
    found = bradley_terry(games(case), ties="davidson", side=side, errors="model")
    assert_allclose(found["strength"], theirs["theta"][:n], rtol=1e-8, atol=1e-9)
    assert_allclose(found["se"], theirs["se"][:n], rtol=1e-8)
    assert_allclose(found["tie"], theirs["theta"][-1], rtol=1e-8)
    assert_allclose(found["tie_se"], theirs["se"][-1], rtol=1e-8)
    if side:
        assert_allclose(found["side"], theirs["theta"][n], rtol=1e-8)
        assert_allclose(found["side_se"], theirs["se"][n], rtol=1e-8)


@pytest.mark.parametrize(
    "case", [case for case in CASES["simulated"] if "jeffreys" in case], ids=lambda c: len(c["a"])
)
def test_the_penalty_is_jeffreys_prior(case):
    theirs = case["jeffreys"]
    found = bradley_terry(games(case), ties="drop", penalty="jeffreys", errors="model")
    assert_allclose(found["strength"], theirs["theta"], rtol=1e-6, atol=1e-7)
    assert_allclose(found["se"], theirs["se"], rtol=1e-6)


def test_citations_between_journals_as_published():
    case = CASES["journals"]
    names, cited = case["journals"], case["cited"]
    frame = repeated(
        (a, b, a, cited[i][j])
        for i, a in enumerate(names)
        for j, b in enumerate(names)
        if i != j
    )  # fmt: skip
    found = bradley_terry(frame, "Biometrika", errors="model")
    assert_array_equal(found["arm"], names)
    assert_allclose(found["strength"], case["choix"], rtol=1e-8)
    assert_allclose(found["diff"][1:], case["from_first"][1:], rtol=1e-9)
    assert_allclose(found["diff_se"][1:], case["from_first_se"][1:], rtol=1e-9)
    assert_allclose(found["diff"][1:], case["published"][1:], atol=5e-6)
    assert_allclose(found["diff_se"][1:], case["published_se"][1:], atol=5e-6)


def test_the_home_advantage_of_baseball_as_published():
    case = CASES["baseball"]
    rows = [
        row
        for home, away, won, lost in case["rows"]
        for row in ((home, away, home, won), (home, away, away, lost))
    ]
    found = bradley_terry(repeated(rows), "Baltimore", side=True, errors="model")
    found = found.set_index("arm").loc[case["teams"]]
    assert_allclose(found["diff"][:6], case["from_last"], rtol=1e-9)
    assert_allclose(found["diff_se"][:6], case["from_last_se"], rtol=1e-9)
    assert_allclose(found["side"], case["home"], rtol=1e-9)
    assert_allclose(found["side"], case["published_home"], atol=5e-5)
    assert_allclose(found["side_se"], case["published_home_se"], atol=5e-5)


def test_the_puddings_of_davidson_as_published():
    case = CASES["pudding"]
    rows = [
        row
        for i, j, _, w_i, w_j, t in case["rows"]
        for row in ((i, j, "a", w_i), (i, j, "b", w_j), (i, j, "tie", t))
    ]
    # The arms are 1 to 6, so that 1 is no result.
    found = bradley_terry(repeated(rows), 1, ties="davidson", errors="model")
    assert_allclose(found["strength"], case["statsmodels"]["theta"][:6], rtol=1e-8)
    assert_allclose(found["tie_se"], case["statsmodels"]["se"][6], rtol=1e-8)
    # What was published are iterates close to the solution.
    worth = np.exp(found["strength"])
    assert_allclose(worth / worth.sum(), case["worth"], atol=3e-5)
    assert_allclose(np.exp(found["tie"]), case["nu"], atol=3e-4)
    assert_allclose(found["strength"], case["strength"], atol=2e-4)
    assert_allclose(found["se"], case["se"], atol=2e-5)
    assert_allclose(found["diff_se"][1:], case["from_first_se"][1:], atol=2e-5)
    assert_allclose(found["tie"], case["log_nu"], atol=3e-4)
    assert_allclose(found["tie_se"], case["log_nu_se"], atol=2e-5)


def recorded(case):
    """Return the result for a call of the package, with its options in our names."""
    columns, options = case["columns"], dict(case["args"])
    ties = {"drop": "drop", "split": "half"}[options.pop("ties", "drop")]
    frame = pd.DataFrame(CASES["package"]["data"][case["data"]])
    if ties == "half":
        # The package takes a missing winner as a tie.
        frame = frame.fillna({columns["winner"]: 0.5 if columns["winner"] == "won" else "tie"})
    return bradley_terry(
        frame,
        arm_a=columns["model_a"],
        arm_b=columns["model_b"],
        winner=columns["winner"],
        ties=ties,
        anchor=options.pop("anchor", 1500),
        errors="model",
        **options,
    )


@pytest.mark.parametrize("case", FINITE, ids=lambda case: case["case"])
def test_the_recorded_elo_ratings(case):
    exact, theirs, near = case["exact_mle"], case["expected"]["models"], case["tolerance_rel"]
    found = recorded(case).set_index("arm").loc[exact["model"]]
    assert_allclose(found["strength"], exact["strength"], rtol=1e-10)
    assert_allclose(found["se"], exact["se"], rtol=1e-10)
    assert_allclose(found["strength"], theirs["strength"], rtol=near["strength"])
    assert_allclose(found["se"], theirs["se"], rtol=near["se"])
    # Their Elo limits are made of their errors, which are not those of the last step.
    assert_allclose(found["elo"], theirs["elo"], rtol=near["elo"])
    assert_allclose(found["elo_low"], theirs["elo_low"], rtol=near["se"])
    assert_allclose(found["elo_high"], theirs["elo_high"], rtol=near["se"])
    # The package counts the games of the left side alone.
    assert_array_equal(found["n_games"], exact["games_both_sides"])
    assert found["n_games"].sum() == 2 * case["expected"]["n_games"]


@pytest.mark.parametrize(
    "case", [case for case in PACKAGE if "exact_mle" not in case], ids=lambda case: case["case"]
)
def test_what_the_package_returns_without_a_word_is_refused_by_name(case):
    said = {
        "separated_no_warning": "separated: 'a' won every game",
        "disconnected_gives_NA": "disconnected: no game joins 'a', 'b' / 'c', 'd'",
    }
    with pytest.raises((DesignError, ValueError)) as error:
        recorded(case)
    name = case["case"].split("/")[1]
    assert said.get(name, "three columns") in str(error.value)


def test_a_separated_arm_is_named_with_what_to_do():
    with pytest.raises(DesignError, match=r"0 won every game.*penalty=\"jeffreys\""):
        bradley_terry(games(SEPARATED[0]))
