"""`df.evals`: the methods, one line each."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

import pandas as pd

from evalframe.methods import faults, inventory
from evalframe.methods.bootstrapping import resampling
from evalframe.methods.comparing import comparisons, contrasting, discordance, permutations, pooling
from evalframe.methods.games import strengths
from evalframe.methods.judging import debiasing, judge_orders, judges, label_plans, raters
from evalframe.methods.noise import components, intraclass
from evalframe.methods.ranking import every_pair, leaderboards
from evalframe.methods.scoring import controls, passes, scores, trust
from evalframe.methods.sizing import planning
from evalframe.methods.style import likeness, styles
from evalframe.tidy import tidy as tidy_frame

P = ParamSpec("P")
R = TypeVar("R")


def _method(
    function: Callable[Concatenate[pd.DataFrame, P], R],
) -> Callable[Concatenate["Evals", P], R]:
    """Return a function of a frame as a method that passes the accessor's own frame."""

    @wraps(function)
    def method(self: "Evals", /, *args: P.args, **kwargs: P.kwargs) -> R:
        return function(self._frame, *args, **kwargs)

    return method


# A reload of this module registers again; pandas would warn of the accessor it replaces.
if getattr(getattr(pd.DataFrame, "evals", None), "__module__", None) == __name__:
    delattr(pd.DataFrame, "evals")


@pd.api.extensions.register_dataframe_accessor("evals")
class Evals:
    """Score and compare language-model evaluations, straight from a tidy frame.

    One tidy frame from any:
        `tidy` names the columns and checks their values.
    What is there, and what is wrong with it?
        `overview`, `check`
    How good is each arm?
        `score`; `pass_at_k` and `pass_hat_k` of repeated runs; `adjusted` by a known reference;
        `coverage`: can its interval be trusted here?
    Is one arm better than another?
        `compare`; `mcnemar` and `permutation` test it; `contrasts` with several arms, columns and
        groups at once; `pooled` over a suite
    Which of many arms differ, and in what order do they stand?
        `pairs`, `rank`, and `bradley_terry` from games
    How sure is any other statistic?
        `bootstrap`
    Where does the uncertainty come from?
        `variance`, `icc`
    How many items does it take?
        `sample_size`, `power`, `mde`
    How far can a judge be trusted, and put right?
        `agreement`, `krippendorff`, `judge_bias`; `debias` by a few labels, and `label_plan`: how
        many
    How alike in style are an arm's texts and an author's?
        `voice`; `style` of each text

    Each is the function of the same name in `evalframe`, with the frame as its first argument:
    ``df.evals.score()`` is ``evalframe.score(df)``. For typed code, ``Evals(df)`` is the same
    object as ``df.evals``.
    """

    def __init__(self, frame: pd.DataFrame) -> None:
        # pandas 3 makes a new accessor at each access, pandas 2 keeps one: it holds no state.
        self._frame = frame

    # One tidy frame from any.
    tidy = _method(tidy_frame)

    # What is there, and what is wrong with it?
    overview = _method(inventory.overview)
    check = _method(faults.check)

    # How good is each arm?
    score = _method(scores.score)
    pass_at_k = _method(passes.pass_at_k)
    pass_hat_k = _method(passes.pass_hat_k)
    adjusted = _method(controls.adjusted)
    coverage = _method(trust.coverage)

    # Is one arm better than another?
    compare = _method(comparisons.compare)
    mcnemar = _method(discordance.mcnemar)
    permutation = _method(permutations.permutation)
    contrasts = _method(contrasting.contrasts)
    pooled = _method(pooling.pooled)

    # Which of many arms differ, and in what order do they stand?
    pairs = _method(every_pair.pairs)
    rank = _method(leaderboards.rank)
    bradley_terry = _method(strengths.bradley_terry)

    # How sure is any other statistic?
    bootstrap = _method(resampling.bootstrap)

    # Where does the uncertainty come from?
    variance = _method(components.variance)
    icc = _method(intraclass.icc)

    # How many items does it take?
    sample_size = _method(planning.sample_size)
    power = _method(planning.power)
    mde = _method(planning.mde)

    # How far can a judge be trusted, and put right?
    agreement = _method(judges.agreement)
    krippendorff = _method(raters.krippendorff)
    judge_bias = _method(judge_orders.judge_bias)
    debias = _method(debiasing.debias)
    label_plan = _method(label_plans.label_plan)

    # How alike in style are an arm's texts and an author's?
    voice = _method(likeness.voice)
    style = _method(styles.style)
