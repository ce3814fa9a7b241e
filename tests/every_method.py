"""One call of every public method, on an evaluation that all of them can read.

What must hold of every method is tested for all of these calls: a method joins by being public, as
`test_laws.py` fails where one is not called here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
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
    by : bool
        Whether `by` gives each group rows of its own.
    reads : tuple of str
        Further columns that it reads beside ids and arms.
    pairs : bool
        Whether it compares arms item by item, so that each must have what the other has.
    """

    run: Callable[..., pd.DataFrame]
    table: str
    value: str = "score"
    by: bool = True
    reads: tuple[str, ...] = field(default=("cluster_id", "seed"))
    pairs: bool = False


def _on_base(method: Callable[..., pd.DataFrame], **usual: Any) -> Callable[..., pd.DataFrame]:
    return lambda frame, **options: method(frame, "base", **{**usual, **options})


def _alone(method: Callable[..., pd.DataFrame], **usual: Any) -> Callable[..., pd.DataFrame]:
    return lambda frame, **options: method(frame, **{**usual, **options})


# The score is a judge's, and some runs have a label beside it.
JUDGED = {"judge": "score", "gold": "gold"}
CALLS = {
    "score": Call(_alone(ef.score), "score"),
    "score, auto": Call(_alone(ef.score, interval="auto"), "score"),
    "compare": Call(_on_base(ef.compare, n_boot=50), "compare", pairs=True),
    "compare, auto": Call(
        _on_base(ef.compare, interval="auto", value="score"), "compare", pairs=True
    ),
    "compare, floor": Call(_on_base(ef.compare, floor="x", value="score"), "compare", pairs=True),
    "compare, margin": Call(_on_base(ef.compare, margin=0.1, value="score"), "compare", pairs=True),
    "compare, unpaired": Call(_on_base(ef.compare, paired=False, value="score"), "compare"),
    "mcnemar": Call(
        _on_base(ef.mcnemar, value="passed"), "mcnemar", "passed", reads=("seed",), pairs=True
    ),
    "bootstrap": Call(_alone(ef.bootstrap, n_boot=50), "bootstrap"),
    "bootstrap, paired": Call(_on_base(ef.bootstrap, n_boot=50), "bootstrap", pairs=True),
    "permutation": Call(_on_base(ef.permutation, n_perm=50), "permutation", pairs=True),
    "contrasts": Call(_on_base(ef.contrasts, n_draws=200), "contrasts", by=False, pairs=True),
    "contrasts, unpaired": Call(
        _on_base(ef.contrasts, paired=False, n_draws=200), "contrasts", by=False
    ),
    "pairs": Call(_alone(ef.pairs, missing="raise"), "pairs", by=False, pairs=True),
    "rank": Call(_alone(ef.rank, missing="raise", n_boot=200), "rank", pairs=True),
    "rank, bootstrap": Call(
        lambda frame, **options: ef.rank(
            frame, **{"missing": "raise", "method": "bootstrap", "n_boot": 200, **options}
        ),
        "rank",
        pairs=True,
    ),
    "rank, normal": Call(
        lambda frame, **options: ef.rank(
            frame, **{"missing": "raise", "method": "normal", "n_boot": 200, **options}
        ),
        "rank",
        pairs=True,
    ),
    "pooled": Call(_alone(ef.pooled, by="task"), "pooled", by=False),
    "pooled, paired": Call(_on_base(ef.pooled, by="task"), "pooled", by=False, pairs=True),
    "adjusted": Call(
        lambda frame, **options: ef.adjusted(frame, "base", 0.5, **options),
        "adjusted",
        by=False,
        pairs=True,
    ),
    "pass_at_k": Call(_alone(ef.pass_at_k, k=[1, 2]), "passes"),
    "pass_hat_k": Call(_alone(ef.pass_hat_k, k=2), "passes"),
    "icc": Call(_alone(ef.icc), "icc"),
    "icc, paired": Call(_on_base(ef.icc, missing="raise"), "icc", pairs=True),
    "variance": Call(_alone(ef.variance), "variance"),
    "sample_size": Call(_on_base(ef.sample_size, effect=0.1), "plan", pairs=True),
    "power": Call(_on_base(ef.power, effect=0.1, paired=False), "plan"),
    "mde": Call(_on_base(ef.mde, seeds=3), "plan", pairs=True),
    "coverage": Call(_alone(ef.coverage, n_sim=30), "coverage"),
    "overview": Call(_alone(ef.overview), "overview"),
    "bradley_terry": Call(
        _on_base(ef.bradley_terry, penalty="jeffreys", missing="raise"), "bradley_terry", pairs=True
    ),
    "bradley_terry, davidson": Call(
        _alone(ef.bradley_terry, ties="davidson", penalty="jeffreys", missing="raise"),
        "bradley_terry",
        pairs=True,
    ),
    "debias": Call(_alone(ef.debias, **JUDGED), "debias"),
    "debias, paired": Call(_alone(ef.debias, baseline="base", **JUDGED), "debias", pairs=True),
    "debias, unpaired": Call(_alone(ef.debias, baseline="base", paired=False, **JUDGED), "debias"),
    "label_plan": Call(_alone(ef.label_plan, half_width=0.4, **JUDGED), "label_plan"),
    "label_plan, paired": Call(
        _alone(ef.label_plan, baseline="base", se=0.26, **JUDGED), "label_plan", pairs=True
    ),
}
CALLS |= {
    "agreement": Call(_alone(ef.agreement, **JUDGED), "agreement"),
    "krippendorff": Call(_alone(ef.krippendorff, raters=["score", "gold"]), "krippendorff"),
    "judge_bias": Call(
        _alone(ef.judge_bias, arm_a="first", arm_b="second", winner="won"),
        "judge_bias",
        value="",
    ),
}
# They return the frame itself, or a row a fault or a text; their own tests hold their laws.
OTHERS = {"check", "tidy", "voice", "style", "metrics"}


def runs(n_items: int = 12, n_clusters: int = 5) -> pd.DataFrame:
    """Return runs of three arms, two seeds an item, in two tasks, with every column of a role."""
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
    right = np.where(draw.random(len(frame)) < 0.85, frame["score"], 1 - frame["score"])
    frame["gold"] = np.where(frame["item_id"] % 4 > 0, right, np.nan)
    frame["first"] = np.where(frame["seed"] == 0, "base", "x")
    frame["second"] = np.where(frame["seed"] == 0, "x", "base")
    frame["won"] = np.where(frame["score"] > 0, frame["first"], frame["second"])
    return frame
