"""Can I trust this interval? Its coverage, simulated for the user's own evaluation."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.errors import short
from evalframe.methods.arguments import (
    MISSING,
    by_columns,
    check_choice,
    check_count,
    check_flag,
    chosen,
    is_finite,
    is_number,
    value_columns,
)
from evalframe.methods.intervals import intervals
from evalframe.methods.remarks import counted_as_zero, left_out
from evalframe.methods.rows import assemble
from evalframe.methods.scoring.designs import Designs, read_designs
from evalframe.methods.scoring.score_intervals import INTERVALS, METHODS, choose
from evalframe.methods.scoring.score_sample import score_sample
from evalframe.rng import draw_seed, generator
from evalframe.roles import metric_name
from evalframe.runs import select
from evalframe.stats.floor import critical
from evalframe.stats.segments import Floats
from evalframe.stats.simulate import Design, draw_items

# Item means held at once (some 100 MB with what the intervals need).
_BLOCK = 1_000_000
# Limits this close to the true mean hold it: they differ by rounding.
_ROUNDING = 1e-12


def coverage(
    frame: pd.DataFrame,
    *,
    interval: str | Sequence[str] = ("t", "auto"),
    n_sim: int = 2000,
    mean: float | None = None,
    icc: float | None = None,
    value: str | Sequence[str] = "score",
    by: str | Sequence[str] | None = None,
    cluster: bool = True,
    level: float = 0.95,
    rng: int | np.random.Generator | None = 0,
    missing: str = "drop",
) -> pd.DataFrame:
    r"""How often an interval of `score` would hold the true mean, in evaluations like this one.

    Evaluations with the same items, clusters and runs are drawn under a true mean that is known,
    and each gets its interval. An interval that claims 95% and holds the mean in 80% of them cannot
    be trusted here.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs, as for `score`.
    interval : str or sequence of str, default ("t", "auto")
        Intervals of `score` to try; one row each.
    n_sim : int, default 2000
        Evaluations drawn.
    mean : float, optional
        True mean. Default: the one observed; where all items score 0, or 1, half an item off it.
    icc : float, optional
        Intraclass correlation of clusters. Default: the one estimated, at least 0.
    value : str or sequence of str, default "score"
        The column of numbers, or several.
    by : str or sequence of str, optional
        Columns whose groups are taken apart.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it.
    level : float, default 0.95
        Confidence level.
    rng : int, Generator or None, default 0
        Where draws come from.
    missing : {"drop", "zero", "raise"}
        As in `score`.

    Returns
    -------
    DataFrame
        One row an arm (and group, and column) and interval:

        - coverage, coverage_error : share of the intervals that hold the true mean, and the Monte
          Carlo standard error of that share; an interval that is not defined does not hold it
        - too_low, too_high : shares of the intervals that lie below the mean, and above it
        - width : mean width of those that are defined
        - mean, icc : under which evaluations were drawn
        - n_items, n_clusters, seeds, n_sim, level, clustered, note

    Raises
    ------
    ValueError
        If an argument is not one of its choices.
    RoleError, FrameError
        As in `score`.

    Notes
    -----
    Scores from 0 to 1 are drawn from beta distributions, nested as clusters, items and runs are,
    with the variances that `variance` estimates; runs right or wrong are coins with their item's
    chance. Scores without a scale draw deviations from those observed, and clusters are normal.
    The error of a share c is :math:`\sqrt{c (1 - c) / n_\text{sim}}` [1]_.
    Seconds as a rule; "beta-binomial", which is "auto" for clusters of items right or wrong, takes
    some 10 ms a draw.

    References
    ----------
    .. [1] Morris, White and Crowther (2019), Using simulation studies to evaluate statistical
       methods, Statistics in Medicine 38(11), 2074-2102, doi:10.1002/sim.8086.

    Examples
    --------
    >>> runs = pd.DataFrame({"item_id": range(20), "score": [1] * 19 + [0]})
    >>> found = coverage(runs, interval=["t", "mid-p"], n_sim=1000)
    >>> found[["interval", "coverage"]].round(1)
      interval  coverage
    0        t       0.6
    1    mid-p       1.0
    """
    critical(level)
    names = chosen("interval", interval, INTERVALS)
    check_choice("missing", missing, MISSING)
    check_flag("cluster", cluster)
    check_count("n_sim", n_sim, 2)
    _check_share("icc", icc)
    if mean is not None and not is_finite(mean):
        raise ValueError(f"mean must be a number, not {short(mean)}")
    columns, groups = value_columns(value, frame), by_columns(by, "coverage")
    seed = draw_seed(rng)
    runs = select(frame, columns, by=groups, cluster=cluster)
    parts, shown = [], np.zeros(0, dtype=np.bool_)
    for column in columns:
        found = read_designs(runs, column, mean, icc, missing)
        if found.scaled:
            _check_share("mean", mean, open_ends=True)
        parts += _cover_column(column, found, names, n_sim, level, seed)
        shown = found.shown
    provenance = {
        "value": columns,
        "by": groups,
        "interval": names,
        "n_sim": n_sim,
        "mean": mean,
        "icc": icc,
        "cluster": cluster,
        "level": level,
        "rng": seed,
        "missing": missing,
    }
    return assemble("coverage", runs.by, runs.arms, None, parts, shown, provenance)


def _check_share(name: str, value: float | None, *, open_ends: bool = False) -> None:
    if value is None:
        return
    inside = is_number(value) and 0 <= value <= 1
    if not inside or (open_ends and value in (0, 1)):
        raise ValueError(f"{name} must be a number between 0 and 1, not {short(value)}")


def _cover_column(
    column: str, found: Designs, names: list[str], n_sim: int, level: float, seed: int
) -> list[dict[str, Any]]:
    """Return the columns of each interval: an entry a segment."""
    n_rows = len(found.designs)
    shares = np.full((len(names), 5, n_rows), np.nan)
    for row, design in enumerate(found.designs):
        if design is not None:
            shares[:, :, row] = _simulate(design, found, names, n_sim, level, seed)
    known = [design for design in found.designs if design is not None]
    filled = np.array([design is not None for design in found.designs], dtype=np.bool_)

    def each(values: list[float]) -> Floats:
        whole = np.full(n_rows, np.nan)
        whole[filled] = values
        return whole

    n_items = np.nan_to_num(each([float(len(one.runs)) for one in known]))
    shared = {
        "metric": metric_name(column),
        "mean": each([one.mean for one in known]),
        "icc": found.icc,
        "n_items": n_items,
        "n_clusters": each([float(one.cluster[-1]) + 1 for one in known])
        if found.clustered
        else np.nan,
        "seeds": each([float(one.runs.mean()) for one in known]),
        "n_sim": n_sim,
        "level": level,
        "clustered": found.clustered,
    }
    parts = []
    for name, (held, low, high, width, undefined) in zip(names, shares, strict=True):
        error = np.sqrt(held * (1 - held) / n_sim)
        note = _notes(held, error, undefined, found, filled, level)
        own = {"coverage": held, "coverage_error": error, "too_low": low, "too_high": high}
        parts.append(shared | own | {"interval": name, "width": width, "note": note})
    return parts


def _simulate(
    design: Design, found: Designs, names: list[str], n_sim: int, level: float, seed: int
) -> Floats:
    """Return for each interval: coverage, too low, too high, mean width, share undefined."""
    draws = generator(seed)
    n, n_clusters = len(design.runs), int(design.cluster[-1]) + 1
    total = np.zeros((len(names), 5))
    step = max(1, _BLOCK // n)
    for start in range(0, n_sim, step):
        block = min(step, n_sim - start)
        values = draw_items(design, block, draws)
        place = np.arange(block)[:, None]
        cluster = (place * n_clusters + design.cluster).ravel() if found.clustered else None
        sample = score_sample(
            values.ravel(),
            np.repeat(np.arange(block), n),
            block,
            cluster,
            single=np.full(block, bool((design.runs == 1).all())),
            scale=(0.0, 1.0) if found.scaled else None,
            level=level,
        )
        for row, name in enumerate(names):
            made = intervals(sample, METHODS, name, choose)
            defined = ~(np.isnan(made.low) | np.isnan(made.high))
            low = defined & (made.high < design.mean - _ROUNDING)
            high = defined & (made.low > design.mean + _ROUNDING)
            width = np.where(defined, made.high - made.low, 0.0).sum()
            held = np.count_nonzero(defined & ~low & ~high)
            total[row] += held, low.sum(), high.sum(), width, np.count_nonzero(~defined)
    shares = total / n_sim
    with np.errstate(invalid="ignore", divide="ignore"):
        shares[:, 3] = total[:, 3] / (n_sim - total[:, 4])
    shares[shares[:, 4] == 1, :3] = np.nan
    return shares


def _notes(
    held: Floats, error: Floats, undefined: Floats, found: Designs, filled: Any, level: float
) -> list[str]:
    """Say in words what a reader of each row must know."""
    short = held + 2 * error < level - 0.02
    never = undefined == 1
    return results.notes(
        len(held),
        [
            (~filled, "no item has a score"),
            (never, "the interval is not defined for such evaluations"),
            (
                (undefined > 0) & ~never,
                [
                    f"not defined in {100 * share:.1f}% of them"
                    for share in np.nan_to_num(undefined)
                ],
            ),
            (
                short,
                [
                    f"covers {100 * h:.0f}% where it claims {100 * level:g}%"
                    for h in np.nan_to_num(held)
                ],
            ),
            (found.edge, "all items score alike: the true mean and the spread are a guess"),
            left_out(found.n_dropped),
            counted_as_zero(found.n_zeros),
        ],
    )
