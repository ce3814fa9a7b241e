"""Runs reduced to a row an item and arm, from which every mean comes out as from the runs."""

import hashlib
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe.labels import to_codes
from evalframe.matrix import reduce
from evalframe.roles import COLUMN, MISSING_RUNS, RUNS, SEEDS, missing_column, sum_column
from evalframe.runs import Runs, select

Ints = NDArray[np.int64]

# A set of seeds is written out up to this length, and beyond it named by its digest.
LONGEST = 60

_TEXT = pd.Series([""]).dtype


def reduced(frame: pd.DataFrame, values: Sequence[str], by: Sequence[str]) -> pd.DataFrame:
    """Return the means of a tidy frame over the runs of each item and arm, with their numbers.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs.
    values : sequence of str
        Columns of numbers to take the means of.
    by : sequence of str
        Columns that belong to the key: an item of two groups has a row in each.

    Returns
    -------
    DataFrame
        The `by` columns, ``item_id``, and ``arm``, ``cluster_id`` and ``seeds`` (which runs they
        are) where the frame has them; ``prompt_hash`` where it has one; then `values`,
        ``n_responses``, ``n_missing`` and, for each value, its number of missing ones, and its sum
        where some are missing and some are not.

    Raises
    ------
    RoleError, FrameError
        As every method does.
    """
    runs = select(frame, values, by=by, prompts=True)
    n_cells = runs.n_units * len(runs.arms)
    cell = runs.key % max(n_cells, 1)
    there, first = np.unique(cell, return_index=True)
    place = np.searchsorted(there, cell)
    kept = [*by, "item_id", *(["arm"] if "arm" in frame else [])]
    kept += ["cluster_id"] if runs.unit_cluster is not None else []
    table = frame[kept].iloc[first].reset_index(drop=True)
    n_runs = np.bincount(place, minlength=len(there)).astype(np.int64)
    if "seed" in frame:
        table[SEEDS] = _seed_sets(frame["seed"], runs.seed, place, n_runs)
    if runs.prompt is not None:
        table["prompt_hash"] = _prompts(frame, runs, place, len(there))
    counts: dict[str, NDArray[np.generic]] = {RUNS: n_runs, MISSING_RUNS: np.zeros_like(n_runs)}
    for column in values:
        means = reduce(runs, column)
        table[column] = means.mean.ravel()[there]
        counts[missing_column(column)] = means.n_missing.ravel()[there]
        partly = (means.n_missing > 0) & (means.n_values > 0)
        counts[sum_column(column)] = np.where(partly, means.total, np.nan).ravel()[there]
        if column == COLUMN["score"]:
            counts[RUNS] = means.n_values.ravel()[there]
    return table.assign(**counts)


def _seed_sets(seeds: pd.Series, seed: Ints, place: Ints, n_runs: Ints) -> pd.Series:
    """Return for each row of the result which seeds it is made of, alike for equal sets alone."""
    labels = to_codes(seeds, "seed", sort=True).labels.tolist()
    text = np.full(len(n_runs), _set_text(labels), dtype=object)
    # A seed occurs once in a row, so that as many as there are is all of them: as a rule, so is it.
    partly = n_runs < len(labels)
    mine = partly[place]
    ordered = seed[mine][np.lexsort((seed[mine], place[mine]))]
    start = np.cumsum(n_runs * partly) - n_runs
    for size in np.unique(n_runs[partly]):
        rows = np.flatnonzero(partly & (n_runs == size))
        sets, which = np.unique(
            ordered[start[rows, None] + np.arange(size)], axis=0, return_inverse=True
        )
        names = [_set_text([labels[code] for code in one]) for one in sets.tolist()]
        text[rows] = np.array(names, dtype=object)[which.ravel()]
    return pd.Series(text, dtype=str)


def _set_text(labels: list[object]) -> str:
    """Write a sorted set of seeds: integers that follow each other as "0..4"."""
    if len(labels) > 2 and all(type(one) is int for one in labels):
        numbers = np.array(labels)
        parts = np.split(numbers, np.flatnonzero(np.diff(numbers) != 1) + 1)
        pieces = [str(p[0]) if len(p) == 1 else f"{p[0]}..{p[-1]}" for p in parts]
    else:
        pieces = [repr(one) for one in labels]
    text = ", ".join(pieces)
    if len(text) <= LONGEST:
        return text
    return f"{len(labels):,} seeds, SHA-256 {hashlib.sha256(text.encode()).hexdigest()[:32]}"


def _prompts(frame: pd.DataFrame, runs: Runs, place: Ints, n_rows: int) -> pd.Series:
    """Return a fingerprint of the prompts of each row of the result, missing where none is known.

    It is the hash itself where an item has one, and otherwise a digest of (seed, hash): of all of
    the item's where no seed has two, so that arms of which some hashes are missing agree, and of
    the row's own where arms differ. Digests of different prompts are equal with chance 2**-64.
    """
    prompt = np.zeros(0, dtype=np.int64) if runs.prompt is None else runs.prompt
    known = np.flatnonzero(prompt >= 0)
    # A row of each cell that has a hash.
    source = np.full(n_rows, -1)
    source[place[known]] = known
    text = frame["prompt_hash"].astype(_TEXT).take(np.maximum(source, 0))
    text = text.reset_index(drop=True).mask(source < 0)
    one = np.full(runs.n_units, -1)
    one[runs.unit[known]] = prompt[known]
    several = np.zeros(runs.n_units, dtype=np.bool_)
    several[runs.unit[known[one[runs.unit[known]] != prompt[known]]]] = True
    rows = known[several[runs.unit[known]]]
    if len(rows):
        text.iloc[place[rows]] = _digests(frame, runs, place, rows)
    return text


def _digests(frame: pd.DataFrame, runs: Runs, place: Ints, rows: Ints) -> NDArray[np.object_]:
    """Return for each of some rows the digest of its item's (seed, hash), or of its cell's."""
    prompt = np.zeros(0, dtype=np.int64) if runs.prompt is None else runs.prompt
    unit, seed, code = runs.unit[rows], runs.seed[rows], prompt[rows]
    pairs = pd.DataFrame({"unit": unit, "seed": seed, "code": code, "cell": place[rows]})
    pairs["mark"] = _marks(frame, rows)
    different = pairs.drop_duplicates(["unit", "seed", "code"])
    clash = np.zeros(runs.n_units, dtype=np.bool_)
    clash[different["unit"][different.duplicated(["unit", "seed"])]] = True
    # Sums of 64-bit integers wrap around, and do not depend on the order of rows.
    of_unit = different.groupby("unit")["mark"].sum().reindex(unit).to_numpy()
    of_cell = pairs.groupby("cell")["mark"].sum().reindex(place[rows]).to_numpy()
    chosen = np.where(clash[unit], of_cell, of_unit)
    return np.array([f"several prompts, {mark:016x}" for mark in chosen.tolist()], dtype=object)


def _marks(frame: pd.DataFrame, rows: Ints) -> NDArray[np.uint64]:
    """Return a number for each row's (seed, hash), equal for equal ones alone but by chance."""
    some = frame.iloc[rows]
    text = some["prompt_hash"].astype(str).to_numpy(dtype=object)
    if "seed" in frame:
        seeds = to_codes(some["seed"], "seed", sort=False)
        names = np.array([repr(one) for one in seeds.labels.tolist()], dtype=object)
        text = names[seeds.codes] + " " + text
    marks: NDArray[np.uint64] = pd.util.hash_array(text, categorize=True)
    return marks
