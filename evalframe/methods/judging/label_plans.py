"""How many labels does it take beside a judge? Plans from a pilot or from numbers."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.arms import Arms, select_arms
from evalframe.errors import short
from evalframe.methods.arguments import by_columns, check_choice, check_flag, is_finite, is_number
from evalframe.methods.judging.debias_notes import left_out
from evalframe.methods.judging.label_scenes import Numbers, scene_of_numbers, scene_of_pilot
from evalframe.methods.judging.labelled_items import (
    MISSING,
    LabelledItems,
    check_columns,
    labelled_arms,
    labelled_pairs,
)
from evalframe.methods.rows import assemble, no_labels
from evalframe.pairing import check_prompts
from evalframe.results import Said
from evalframe.roles import metric_name
from evalframe.runs import Runs, select
from evalframe.stats.floor import critical
from evalframe.stats.label_needs import Scene, labels_needed
from evalframe.stats.means import student_quantile
from evalframe.stats.power import quantiles
from evalframe.stats.segments import Floats

# With fewer labels the normal quantiles of a plan are too small.
FEW = 30


def label_plan(
    pilot: pd.DataFrame | None = None,
    baseline: object = None,
    *,
    judge: str | None = None,
    gold: str | None = None,
    se: float | None = None,
    half_width: float | None = None,
    mde: float | None = None,
    n_items: int | None = None,
    correlation: float | None = None,
    sd_gold: float | None = None,
    sd_judge: float | None = None,
    icc: float | None = None,
    cluster_size: float | None = None,
    level: float = 0.95,
    power: float = 0.8,
    alpha: float = 0.05,
    clip: bool = False,
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    missing: str = "raise",
) -> pd.DataFrame:
    r"""Human labels that `debias` needs for a given error, from a pilot or from numbers.

    The same function plans from runs of which some are labelled,
    ``df.evals.label_plan(judge="judge", gold="gold", se=0.02)``, and from numbers,
    ``evalframe.label_plan(n_items=2000, correlation=0.8, se=0.02)``.

    Parameters
    ----------
    pilot : DataFrame, optional
        Runs with a judge's scores, and labels of some items.
    baseline : label, optional
        The arm of the pilot that the others are compared with. Default: each arm by itself.
    judge, gold : str
        With a pilot: the columns of the judge's scores and of the labels.
    se, half_width, mde : float
        What to reach, one of them: a standard error; half the width of the interval; a difference
        (with `baseline`, of arms) that a test finds with the given power.
    n_items : int
        Items that the judge scores. Default: the pilot's.
    correlation : float
        Without a pilot: of judge and label.
    sd_gold, sd_judge : float, optional
        Without a pilot: standard deviations, of an item's difference where two arms are compared.
        Default: 0.5, and as `sd_gold`.
    icc, cluster_size : float, optional
        Without a pilot: intraclass correlation of items in a cluster, and items in one.
    level : float, default 0.95
        Of the interval.
    power : float, default 0.8
        Chance of finding the difference.
    alpha : float, default 0.05
        Size of the two-sided test.
    clip : bool, default False
        Whether lambda will be kept between 0 and 1.
    by, cluster, missing : default None, True, "raise"
        What to read of a pilot, as in `debias`.

    Returns
    -------
    DataFrame
        One row (with a pilot one an arm and group):

        - n_labels, n_labels_without_judge, saving : labels to give, labels that would do without
          a judge, and the share that the judge saves
        - se, half_width, mde : what these labels reach
        - se_best : with a label on every item
        - lambda, correlation, sd_gold, sd_judge
        - icc_rest, icc_judge, cluster_size : of what the judge leaves open, and of the judge;
          missing where items are independent
        - n_items, level, power, alpha, clip, note

    Raises
    ------
    ValueError
        If even a label on every item does not reach the target, or numbers contradict each other.
    DesignError, RoleError, FrameError
        If the pilot is not as `debias` needs it.

    See Also
    --------
    debias : What the labels are for.

    Notes
    -----
    With n of T items labelled, :math:`\mathrm{se}^2 = \sigma_y^2 ((1 - \rho^2) / n + \rho^2 / T)`,
    as lambda is then best. The half width is t with n - 2 degrees of freedom times this error, and
    what few labels add to it in `debias`: from numbers as for scores of few values, such as 0 and
    1. The mde takes normal quantiles. Labels are taken as drawn by chance from all items, in all
    clusters alike; drawn within strata, in proportion to their items, they do no worse.

    References
    ----------
    .. [1] Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient prediction-powered inference,
       arXiv:2311.01453.

    Examples
    --------
    >>> plan = label_plan(n_items=2000, correlation=0.8, se=0.02)
    >>> plan[["n_labels", "n_labels_without_judge", "saving", "se_best"]].round(3)
       n_labels  n_labels_without_judge  saving  se_best
    0       282                     625   0.549    0.011
    """
    given = Numbers(n_items, correlation, sd_gold, sd_judge, icc, cluster_size, clip)
    given.check()
    target = _target({"se": se, "half_width": half_width, "mde": mde})
    _check(level, power, alpha, clip)
    solve = partial(_plan, target=target, level=level, power=power, alpha=alpha)
    asked = {"se": se, "half_width": half_width, "mde": mde, **_stated(given)}
    asked |= {"level": level, "power": power, "alpha": alpha}
    if pilot is None:
        _refuse_pilot_only({"baseline": baseline, "judge": judge, "gold": gold, "by": by})
        none = no_labels(pd.Index([], dtype=str), 1)
        keys = pd.DataFrame({"arm": none, "baseline": none})
        columns = {"metric": "", **solve(*scene_of_numbers(given))}
        return results.table("label_plan", keys, columns, asked)
    _refuse_numbers(given)
    check_flag("cluster", cluster)
    check_choice("missing", missing, MISSING)
    if judge is None or gold is None:
        raise ValueError(
            'a pilot needs judge= and gold=, its columns, for example judge="judge", gold="gold"'
        )
    names, groups = check_columns(pilot, judge, gold), by_columns(by, "label_plan")
    runs = select(pilot, names, by=groups, cluster=cluster, prompts=baseline is not None)
    arms = None if baseline is None else select_arms(runs.arms, baseline)
    items = _items(runs, names, arms, missing)
    scene, said = scene_of_pilot(items, given)
    part = {"metric": metric_name(names[1]), **solve(scene, [*said, left_out(items)])}
    made = {"judge": judge, "gold": gold, "baseline": baseline, "by": groups}
    made |= {"cluster": cluster, "missing": missing, **asked}
    return assemble("label_plan", runs.by, runs.arms, arms, [part], items.shown, made)


def _items(runs: Runs, columns: list[str], arms: Arms | None, missing: str) -> LabelledItems:
    if arms is None:
        return labelled_arms(runs, columns, None, missing)
    check_prompts(runs)
    return labelled_pairs(runs, columns, arms, None, missing)


# A group without an item has a row of NaN.
@np.errstate(invalid="ignore", divide="ignore")
def _plan(
    scene: Scene,
    said: list[Said],
    *,
    target: tuple[str, float],
    level: float,
    power: float,
    alpha: float,
) -> dict[str, Any]:
    """Return the columns of a plan, an entry a row."""

    def sizes(one: Scene, n: Floats) -> dict[str, Floats]:
        error = one.error(n)
        wide = student_quantile(level, one.units(n) - 2.0) * one.limits_error(n)
        return {"se": error, "half_width": wide, "mde": sum(quantiles(power, alpha)) * error}

    def needed(one: Scene) -> Floats:
        def size(n: Floats) -> Floats:
            return np.nan_to_num(sizes(one, n)[target[0]], nan=np.inf)

        return labels_needed(size, target[1], one.n_items)

    n, alone, most = needed(scene), needed(scene.without_judge()), scene.n_items
    best = sizes(scene, most)
    lost = np.isnan(n) & ~np.isnan(best["se"])
    if lost.all() and len(lost):
        raise ValueError(
            f"{target[0]}={target[1]:g} is out of reach: a label on every one of the "
            f"{most[0]:,.0f} items gives {best[target[0]][0]:.4g}; take more items, or a larger "
            f"{target[0]}"
        )
    return {
        "n_labels": n,
        "n_labels_without_judge": alone,
        "saving": 1.0 - n / alone,
        **sizes(scene, n),
        "se_best": best["se"],
        **_of_scene(scene, n),
        "level": level,
        "power": power,
        "alpha": alpha,
        "note": results.notes(
            len(n),
            [
                *said,
                (lost, lambda row: f"out of reach: all labels give {best[target[0]][row]:.4g}"),
                (n < FEW, "few labels: lambda is rough and normal quantiles too small, take more"),
                (n == most, "every item needs a label: the judge adds nothing"),
            ],
        ),
    }


def _of_scene(scene: Scene, n: Floats) -> dict[str, Any]:
    clustered = scene.cluster_size > 1
    return {
        "lambda": scene.lam(n),
        "correlation": scene.correlation,
        "sd_gold": scene.sd_gold,
        "sd_judge": scene.sd_judge,
        "icc_rest": np.where(clustered, scene.icc_rest, np.nan),
        "icc_judge": np.where(clustered, scene.icc_judge, np.nan),
        "n_items": scene.n_items,
        "cluster_size": np.where(clustered, scene.cluster_size, np.nan),
        "clip": scene.clip,
    }


def _target(targets: dict[str, float | None]) -> tuple[str, float]:
    stated = {name: value for name, value in targets.items() if value is not None}
    if len(stated) != 1:
        raise ValueError(
            "a plan of labels needs one target, se=, half_width= or mde=, found "
            f"{', '.join(stated) or 'none'}"
        )
    name, value = next(iter(stated.items()))
    if not (is_finite(value) and value > 0):
        raise ValueError(f"{name} must be a number above 0, not {short(value)}")
    return name, float(value)


def _check(level: float, power: float, alpha: float, clip: bool) -> None:
    critical(level)
    for name, value, low in (("alpha", alpha, 0.0), ("power", power, alpha)):
        if not (is_number(value) and low < value < 1):
            raise ValueError(f"{name} must lie between {low:g} and 1, not {short(value)}")
    if not isinstance(clip, bool):
        raise ValueError(f"clip must be True or False, not {short(clip)}")


def _stated(given: Numbers) -> dict[str, Any]:
    return {name: getattr(given, name) for name in Numbers.__dataclass_fields__}


def _refuse_pilot_only(stated: dict[str, object]) -> None:
    found = [f"{name}={value!r}" for name, value in stated.items() if value is not None]
    if found:
        raise ValueError(f"{', '.join(found)} read a pilot, and there is none; give a frame first")


def _refuse_numbers(given: Numbers) -> None:
    names = ("correlation", "sd_gold", "sd_judge", "icc", "cluster_size")
    stated = [name for name in names if getattr(given, name) is not None]
    if stated:
        raise ValueError(
            f"a pilot shows its own spread, found {', '.join(stated)} beside it; leave them out, "
            "or plan from numbers: evalframe.label_plan(n_items=2000, correlation=0.8, se=0.02)"
        )
