"""Two arms side by side on the same (item, seed) keys."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe.arms import Arms
from evalframe.counts import Counts
from evalframe.errors import SHOWN, DesignError, FrameError, rows_text
from evalframe.keys import dense, key_columns, key_text
from evalframe.matrix import reduce
from evalframe.roles import RUNS, SEEDS
from evalframe.runs import Runs, row_keys

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PairedMeans:
    """Item means of a baseline and of K other arms over the keys that each shares with it.

    Attributes
    ----------
    baseline, arm : (U, K) float64
        NaN where a unit is not shared. Column k of `baseline` is over the keys shared with arm k.
    n_dropped : (U, K) int64
        (item, seed) keys of either arm that were left out.
    n_zeros : (U, K) int64
        Missing values of either arm that were counted as 0.
    present : (U, K) bool
        Units of which the arm has a row.
    """

    baseline: Floats
    arm: Floats
    n_dropped: Ints
    n_zeros: Ints
    present: NDArray[np.bool_]


def check_prompts(runs: Runs) -> None:
    """Refuse arms that answered different prompts under one (item, seed) key."""
    if runs.prompt is None:
        return
    known = np.flatnonzero(runs.prompt >= 0)
    key, n_keys = pair_keys(runs)
    seen = np.zeros(n_keys, dtype=np.int64)
    seen[key[known]] = known
    differs = known[runs.prompt[seen[key[known]]] != runs.prompt[known]]
    if len(differs):
        names = [name for name in key_columns(runs.frame, runs.by_names) if name != "arm"]
        row, other = int(differs[0]), int(seen[key[differs[0]]])
        n_keys, first = len(np.unique(key[differs])), key_text(runs.frame, row, names)
        labels = runs.arms.tolist()
        arms = " and ".join(repr(labels[runs.arm[r]]) for r in (row, other))
        raise DesignError.of(
            "arms must answer the same prompt",
            f"another prompt_hash in {n_keys:,} (item, seed) key(s); first: {first}, arms {arms} "
            f"(rows {row:,} and {other:,})",
            "run the arms on one set of prompts, or leave the check out: "
            "df.drop(columns='prompt_hash')",
            column="prompt_hash",
            count=n_keys,
            first=first,
        )


def paired_means(
    runs: Runs, column: str, baseline: int, others: list[int], missing: str
) -> PairedMeans:
    """Reduce a baseline and other arms to item means over the keys they share.

    Parameters
    ----------
    runs : Runs
    column : str
        One of ``runs.values``.
    baseline : int
        Code of the baseline.
    others : list of int
        Codes of the K other arms.
    missing : {"raise", "drop", "zero"}
        "raise" refuses missing values and keys that only one arm has, "drop" leaves both out and
        counts them, "zero" counts a missing value as 0 and refuses unpaired keys.

    Returns
    -------
    PairedMeans

    Raises
    ------
    FrameError
        If a value is missing and `missing` is "raise".
    DesignError
        If arms are not paired and `missing` is not "drop".
    """
    shape = (runs.n_units, len(others))
    if len(runs.arms) == 0:
        none = np.zeros(shape, dtype=np.int64)
        return PairedMeans(np.zeros(shape), np.zeros(shape), none, none, none > 0)
    if missing == "raise":
        refuse_missing(runs, column, 'leave them out with missing="drop"')
    if missing != "drop":
        refuse_unpaired(runs, baseline, others)
        means = reduce(runs, column, zero=True)
        base = np.repeat(means.mean[:, [baseline]], len(others), axis=1)
        zeros = means.n_missing[:, [baseline]] + means.n_missing[:, others]
        rows = means.n_values + means.n_missing
        present = rows[:, others] > 0
        return PairedMeans(base, means.mean[:, others], np.zeros_like(zeros), zeros, present)
    result = PairedMeans(
        baseline=np.full(shape, np.nan),
        arm=np.full(shape, np.nan),
        n_dropped=np.zeros(shape, dtype=np.int64),
        n_zeros=np.zeros(shape, dtype=np.int64),
        present=np.zeros(shape, dtype=np.bool_),
    )
    for place, other in enumerate(others):
        shared, result.n_dropped[:, place] = _shared_rows(runs, column, baseline, other)
        means = reduce(_two_arms(runs, column, shared, other), column)
        result.baseline[:, place], result.arm[:, place] = means.mean.T
        result.present[runs.unit[runs.arm == other], place] = True
    return result


def refuse_disjoint(pairs: Sequence[PairedMeans], labels: pd.Index, arms: Arms) -> None:
    """Raise where no arm shares an item with the baseline, in any group and column."""
    shared = (bool((~np.isnan(pair.baseline) & ~np.isnan(pair.arm)).any()) for pair in pairs)
    refuse_none_shared(any(shared), labels, arms)


def refuse_none_shared(shared: bool, labels: pd.Index, arms: Arms) -> None:
    """Raise where arms were run but no item is `shared` with the baseline."""
    if shared or not arms.others:
        return
    known = labels.tolist()
    others = ", ".join(repr(known[code]) for code in arms.others)
    raise DesignError.of(
        "a comparison needs items that both arms answered",
        f"none shared with the baseline {known[arms.baseline]!r} by {others}",
        "check that item_id (and seed) mean the same in all arms",
        column="item_id",
        count=len(arms.others),
    )


def refuse_missing(runs: Runs, column: str, remedy: str) -> None:
    """Raise where a value is missing, naming the first keys."""
    rows = np.flatnonzero(runs.lacks(column))
    if len(rows) and runs.counts is not None:
        _refuse_missing_runs(runs, column, rows)
    if len(rows):
        first = key_text(runs.frame, rows[0], key_columns(runs.frame, runs.by_names))
        raise FrameError.of_rows(
            f"column {column!r} must have a value in every row",
            "none",
            rows,
            f'{remedy}, or count them as 0 with missing="zero"',
            column=column,
            first=first,
        )


def _refuse_missing_runs(runs: Runs, column: str, rows: Ints) -> None:
    """Raise where some of the runs that a row is the mean over have no value."""
    first = key_text(runs.frame, rows[0], key_columns(runs.frame, runs.by_names))
    raise FrameError.of(
        f"column {column!r} must be a mean over runs that all have a value",
        f"runs without one behind {rows_text(rows)}; first: {first}",
        'count them as 0 with missing="zero", or read the runs themselves with read_parquet or '
        'read_jsonl and leave them out with missing="drop"',
        column=column,
        count=len(rows),
        first=first,
    )


def pair_keys(runs: Runs) -> tuple[Ints, int]:
    """Return a code of each row's (unit, seed) key and how many codes there may be."""
    key = runs.unit * runs.n_seeds + runs.seed
    size = runs.n_units * runs.n_seeds
    if not dense(size, len(key)):
        codes, seen = pd.factorize(key)
        return codes.astype(np.int64, copy=False), len(seen)
    return key, size


def refuse_unpaired(runs: Runs, baseline: int, others: list[int]) -> None:
    """Raise where an arm lacks a key that the baseline has, or has one more."""
    key, size = pair_keys(runs)
    compared = np.isin(runs.arm, [baseline, *others])
    n_keys = np.count_nonzero(np.bincount(key[compared], minlength=size))
    # Keys are unique within an arm, so this count is reached only if every arm has every key.
    if np.count_nonzero(compared) == n_keys * (len(others) + 1):
        return
    labels = runs.arms.tolist()
    lines, count = [], 0
    for other in others:
        of_baseline, of_arm = (_has(key, runs.arm == code, size) for code in (baseline, other))
        for code, lacks in ((other, of_baseline & ~of_arm), (baseline, of_arm & ~of_baseline)):
            if lacks.any():
                lines.append(f"arm {labels[code]!r} lacks {_keys_text(runs, key, lacks)}")
                count += int(np.count_nonzero(lacks))
    raise DesignError.of(
        f"arms must be run on the same (item, seed) keys as the baseline {labels[baseline]!r}",
        ", ".join(lines[: 2 * SHOWN]),
        'compare the shared keys alone with missing="drop", which reports n_dropped',
        column="item_id",
        count=count,
        first=lines[0],
    )


def _has(key: Ints, rows: NDArray[np.bool_], size: int) -> NDArray[np.bool_]:
    found = np.zeros(size, dtype=np.bool_)
    found[key[rows]] = True
    return found


def _keys_text(runs: Runs, key: Ints, lacks: NDArray[np.bool_]) -> str:
    """Say how many keys an arm lacks, and the first of them in the order of rows."""
    rows = np.flatnonzero(lacks[key])
    codes, first = np.unique(key[rows], return_index=True)
    names = [name for name in key_columns(runs.frame, runs.by_names) if name != "arm"]
    names += [SEEDS] if runs.counts is not None and SEEDS in runs.frame else []
    shown = "; ".join(key_text(runs.frame, rows[i], names) for i in np.sort(first)[:SHOWN])
    return f"{len(codes):,} key(s): {shown}{'; ...' if len(codes) > SHOWN else ''}"


def _shared_rows(
    runs: Runs, column: str, baseline: int, other: int
) -> tuple[NDArray[np.bool_], Ints]:
    """Return the rows of two arms whose keys both have a value, and the keys dropped a unit."""
    if runs.counts is not None:
        return _shared_means(runs, runs.counts[column], baseline, other)
    key, size = pair_keys(runs)
    known = ~np.isnan(runs.values[column])
    ours = (runs.arm == baseline) | (runs.arm == other)
    both = _has(key, known & (runs.arm == baseline), size)
    both &= _has(key, known & (runs.arm == other), size)
    left_out = np.flatnonzero(ours & ~both[key])
    _, first = np.unique(key[left_out], return_index=True)
    n_dropped = np.bincount(runs.unit[left_out[first]], minlength=runs.n_units)
    return ours & both[key], n_dropped


def _shared_means(
    runs: Runs, counts: Counts, baseline: int, other: int
) -> tuple[NDArray[np.bool_], Ints]:
    """Do the same for rows that are means over runs, or refuse what the single runs alone tell."""
    row = np.full((2, runs.n_units), -1)
    for side, code in zip(row, (baseline, other), strict=True):
        rows = np.flatnonzero(runs.arm == code)
        side[runs.unit[rows]] = rows
    # The last place catches row -1: an arm that has no row of the unit.
    n_values, n_missing = np.append(counts.n_values, 0)[row], np.append(counts.n_missing, 0)[row]
    both, shared = (row >= 0).all(axis=0), (n_values > 0).all(axis=0)
    seed = np.append(runs.seed, -1)[row]
    unclear = (both & (seed[0] != seed[1])) | (shared & (n_missing > 0).any(axis=0))
    if unclear.any():
        first = int(row[0, np.flatnonzero(unclear)[0]])
        refuse_unclear(runs, first, int(unclear.sum()), "two arms")
    n_dropped = np.where(shared, 0, (n_values + n_missing).max(axis=0))
    return ((runs.arm == baseline) | (runs.arm == other)) & shared[runs.unit], n_dropped


def refuse_unclear(runs: Runs, row: int, n_items: int, who: str) -> None:
    """Refuse means over runs that do not tell which runs `who` share; the first is in `row`."""
    first = key_text(runs.frame, row, ["item_id"])
    raise DesignError.of(
        f'missing="drop" must know which runs {who} share',
        f"means over runs, of which {n_items:,} item(s) lack a value or a seed in an arm; "
        f"first: {first}",
        "leave these items out, or take the runs themselves: read_parquet or read_jsonl "
        "instead of scan",
        column=RUNS,
        count=n_items,
        first=first,
    )


def _two_arms(runs: Runs, column: str, rows: NDArray[np.bool_], other: int) -> Runs:
    """Return the rows of a baseline (arm 0) and one other arm (arm 1)."""
    unit, seed = runs.unit[rows], runs.seed[rows]
    arm = (runs.arm[rows] == other).astype(np.int64)
    return replace(
        runs,
        arms=runs.arms[:2],
        unit=unit,
        arm=arm,
        seed=seed,
        key=row_keys(unit, arm, seed, runs.n_units, 2),
        values={column: runs.values[column][rows]},
        counts=None if runs.counts is None else {column: runs.counts[column].of(rows)},
    )
