"""One call of every public method, on an evaluation that all of them can read.

What must hold of every method is tested for all of these calls: a method joins by being public, as
`test_laws.py` fails where one is not called here. A claim that a call is not held to stands in
`apart.py` with the reason.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

import evalframe as ef

WORDS = ["the", "cat", "ran", "on", "mat,", "moon.", "It", "was;", "we", "saw", "rain", "but"]


@dataclass(frozen=True)
class Call:
    """How a method is called.

    Attributes
    ----------
    run : callable
        The call, of a frame and further options.
    table : str
        The table of its result.
    value : str
        The column of numbers that it reads; "" where it reads none.
    pairs : bool
        Whether it compares arms item by item, so that each must have what the other has.
    """

    run: Callable[..., pd.DataFrame]
    table: str
    value: str = "score"
    pairs: bool = False


def _calls(
    method: Callable[..., pd.DataFrame],
    table: str,
    variants: dict[str, dict[str, Any]],
    *first: object,
    value: str = "score",
    pairs: bool = False,
) -> dict[str, Call]:
    """Return a call for each variant of a method, named after both."""

    def call(usual: dict[str, Any]) -> Call:
        def run(frame: pd.DataFrame, **options: Any) -> pd.DataFrame:
            return method(frame, *first, **{**usual, **options})

        return Call(run, table, value, pairs)

    name = method.__name__
    return {f"{name}, {v}" if v else name: call(usual) for v, usual in variants.items()}


# The score is a judge's, and some runs have a label beside it.
JUDGED = {"judge": "score", "gold": "gold"}
AGAINST = {**JUDGED, "baseline": "base"}
GAMES = {"arm_a": "first", "arm_b": "second", "winner": "won"}
LENGTHS = {"length_a": "n_output_tokens", "length_b": "n_second_tokens"}
FEW, BOTH = {"n_boot": 50}, {"missing": "raise", "n_boot": 200}
ONE, APART_BY, QUICK = {"value": "score"}, {"by": "task"}, {"n_draws": 200}
FINITE = {"penalty": "jeffreys", "missing": "raise"}
STYLE = {"metrics": ["text_length", "word_length"], "n_calibration": 40}
BASE = ("base",)
CALLS = {
    **_calls(ef.score, "score", {"": {}, "auto": {"interval": "auto"}, "cr2": {"interval": "cr2"}}),
    **_calls(
        ef.compare,
        "compare",
        {
            "": FEW,
            "auto": {**ONE, "interval": "auto"},
            "adjusted": {**ONE, "interval": "cr2", "adjust": "holm"},
            "floor": {**ONE, "floor": "x"},
            "margin": {**ONE, "margin": 0.1},
        },
        *BASE,
        pairs=True,
    ),
    **_calls(ef.compare, "compare", {"unpaired": {**ONE, "paired": False}}, *BASE),
    **_calls(
        ef.mcnemar,
        "mcnemar",
        {"": {"value": "passed"}, "chi2": {"value": "passed", "method": "chi2", "adjust": "bh"}},
        *BASE,
        value="passed",
        pairs=True,
    ),
    **_calls(
        ef.bootstrap,
        "bootstrap",
        {
            "": FEW,
            "ratio": {**FEW, "statistic": ("ratio", "n_output_tokens"), "method": "studentized"},
            "hierarchical": {**FEW, "unit": "hierarchical"},
            "saddlepoint": {"method": "saddlepoint"},
        },
    ),
    **_calls(
        ef.bootstrap,
        "bootstrap",
        {"paired": FEW, "median": {**FEW, "statistic": "median", "method": "bca"}},
        *BASE,
        pairs=True,
    ),
    **_calls(
        ef.permutation,
        "permutation",
        {"": {"n_perm": 50}, "items": {"n_perm": 50, "unit": "item", "alternative": "greater"}},
        *BASE,
        pairs=True,
    ),
    **_calls(
        ef.contrasts,
        "contrasts",
        {"": QUICK, "bonferroni": {"simultaneous": "bonferroni", "adjust": "bh"}},
        *BASE,
        pairs=True,
    ),
    **_calls(ef.contrasts, "contrasts", {"unpaired": {**QUICK, "paired": False}}, *BASE),
    **_calls(ef.pairs, "pairs", {"": {**QUICK, "missing": "raise"}}, pairs=True),
    **_calls(
        ef.rank,
        "rank",
        {
            "": BOTH,
            "bootstrap": {**BOTH, "method": "bootstrap"},
            "normal": {**BOTH, "method": "normal"},
        },
        pairs=True,
    ),
    **_calls(ef.pooled, "pooled", {"": APART_BY}),
    **_calls(
        ef.pooled,
        "pooled",
        {
            "paired": APART_BY,
            "shared": {**APART_BY, "shared": True, "weighting": "inverse-variance"},
        },
        *BASE,
        pairs=True,
    ),
    **_calls(ef.adjusted, "adjusted", {"": {}, "theta": {"theta": 1.0}}, *BASE, 0.5, pairs=True),
    **_calls(ef.pass_at_k, "passes", {"": {"k": [1, 2]}}),
    **_calls(ef.pass_hat_k, "passes", {"": {"k": 2}}),
    **_calls(ef.icc, "icc", {"": {}}),
    **_calls(ef.icc, "icc", {"paired": {"missing": "raise"}}, *BASE, pairs=True),
    **_calls(ef.variance, "variance", {"": {}}),
    **_calls(ef.sample_size, "plan", {"": {"effect": 0.1}}, *BASE, pairs=True),
    **_calls(ef.power, "plan", {"": {"effect": 0.1, "paired": False}}, *BASE),
    **_calls(ef.mde, "plan", {"": {"seeds": 3}}, *BASE, pairs=True),
    **_calls(ef.coverage, "coverage", {"": {"n_sim": 30}}),
    **_calls(ef.overview, "overview", {"": {}}),
    **_calls(ef.bradley_terry, "bradley_terry", {"": FINITE}, *BASE, pairs=True),
    **_calls(
        ef.bradley_terry, "bradley_terry", {"davidson": {**FINITE, "ties": "davidson"}}, pairs=True
    ),
    **_calls(
        ef.bradley_terry,
        "bradley_terry",
        {"games": {**GAMES, "penalty": "jeffreys", "side": True, "errors": "model"}},
        value="",
    ),
    **_calls(ef.debias, "debias", {"": JUDGED, "strata": {**JUDGED, "strata": "kind"}}),
    **_calls(ef.debias, "debias", {"paired": AGAINST}, pairs=True),
    **_calls(ef.debias, "debias", {"unpaired": {**AGAINST, "paired": False}}),
    **_calls(ef.label_plan, "label_plan", {"": {**JUDGED, "half_width": 0.4}}),
    **_calls(ef.label_plan, "label_plan", {"paired": {**AGAINST, "se": 0.26}}, pairs=True),
    **_calls(ef.agreement, "agreement", {"": JUDGED}),
    **_calls(
        ef.krippendorff,
        "krippendorff",
        {
            "": {"raters": ["score", "gold"]},
            "ratio": {"raters": ["score", "gold"], "scale": "ratio"},
        },
    ),
    **_calls(ef.judge_bias, "judge_bias", {"": GAMES, "lengths": {**GAMES, **LENGTHS}}, value=""),
    # Arms are held against base, whose texts marked as training say how like himself an author is.
    **_calls(
        ef.voice,
        "voice",
        {
            "": STYLE,
            "size": {**STYLE, "size": 2, "n_subsets": 20, "interval": "jackknife_se"},
            "levels": {**STYLE, "ties": "mid", "interval": None, "level": [0.8, 0.95]},
            "columns": {**STYLE, "metrics": ["n_output_tokens", {"own.length": len}]},
        },
        *BASE,
        value="",
        pairs=True,
    ),
    **_calls(
        ef.voice,
        "voice_replicates",
        {"replicates": {**STYLE, "replicates": True}},
        *BASE,
        value="",
        pairs=True,
    ),
}


def takes(name: str, option: str) -> bool:
    """Say whether the method of a call has an option."""
    return option in inspect.signature(getattr(ef, name.partition(",")[0])).parameters


@cache
def clean(name: str) -> pd.DataFrame:
    """Return what a call makes of the runs as they are."""
    return CALLS[name].run(runs())


def runs(n_items: int = 12, n_clusters: int = 5) -> pd.DataFrame:
    """Return runs of three arms, two seeds an item, in two tasks, with every column of a role."""
    return _runs(n_items, n_clusters).copy()


@cache
def _runs(n_items: int, n_clusters: int) -> pd.DataFrame:
    draw = np.random.default_rng(3)
    index = pd.MultiIndex.from_product(
        [range(n_items), ["base", "x", "y"], [0, 1]], names=["item_id", "arm", "seed"]
    )
    frame = index.to_frame(index=False)
    frame["cluster_id"] = frame["item_id"] % n_clusters
    frame["task"] = np.where(frame["item_id"] % 2, "odd", "even")
    frame["score"] = (draw.random(len(frame)) < 0.6).astype(float)
    # Right or wrong over both seeds, as a fourfold table needs it.
    frame["passed"] = frame.groupby(["item_id", "arm"])["score"].transform("max")
    frame["prompt_hash"] = frame["item_id"].map("hash of {}".format)
    frame["n_output_tokens"] = draw.integers(20, 90, len(frame))
    frame["hit_cap"] = draw.random(len(frame)) < 0.2
    frame["output"] = [" ".join(draw.choice(WORDS, 12)) for _ in range(len(frame))]
    # Four items are answered by the author; his other texts, and arms' on them, are for training.
    answered = (frame["item_id"] % 3 == 0) & ((frame["arm"] != "base") | (frame["seed"] == 0))
    frame["split"] = np.where(answered, "eval", "train")
    right = np.where(draw.random(len(frame)) < 0.85, frame["score"], 1 - frame["score"])
    frame["gold"] = np.where(frame["item_id"] % 4 > 0, right, np.nan)
    frame["first"] = np.where(frame["seed"] == 0, "base", "x")
    frame["second"] = np.where(frame["seed"] == 0, "x", "base")
    frame["won"] = np.where(frame["score"] > 0, frame["first"], frame["second"])
    frame["kind"] = np.where(frame["item_id"] % 4 < 2, "short", "long")
    frame["n_second_tokens"] = draw.integers(20, 90, len(frame))
    return frame
