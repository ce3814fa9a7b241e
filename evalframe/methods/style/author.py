"""The texts of an author and of the arms held against him: which pair, and which train."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe.errors import DesignError, FrameError, rows_text
from evalframe.keys import key_text
from evalframe.labels import to_codes
from evalframe.roles import need
from evalframe.runs import Runs, select

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

SPLITS = ("train", "eval")


@dataclass(frozen=True, slots=True)
class Sides:
    """Rows of the arms, followed by rows of the author, as codes.

    Attributes
    ----------
    rows : DataFrame of n rows
        The columns that were asked for.
    by : DataFrame of B rows
        Labels of the groups, sorted.
    arms : Index of length A
        Labels of the arms held against the author.
    reference : object
        The author's label.
    reference_labels : Index of length 1
        The same, with its dtype.
    items : Index
        Labels of the items, sorted.
    item, unit, group : (n,) int64
        Codes of each row. A unit is an item of one group.
    arm, seed : (n,) int64
        Codes of each row; -1 in the author's.
    author, train, skipped : (n,) bool
        Rows of the author; those of them that calibrate; rows of arms marked "train".
    """

    rows: pd.DataFrame
    by: pd.DataFrame
    arms: pd.Index
    reference: object
    reference_labels: pd.Index
    items: pd.Index
    item: Ints
    unit: Ints
    group: Ints
    arm: Ints
    seed: Ints
    author: Bools
    train: Bools
    skipped: Bools


def read_sides(
    frame: pd.DataFrame, reference: object, by: Sequence[str], columns: Sequence[str]
) -> Sides:
    """Take apart the author's rows and the arms' rows.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs.
    reference : label or DataFrame
        The arm that is the author, or the author's texts as a frame of their own.
    by : sequence of str
        Columns whose groups are taken apart; the author's frame needs them too.
    columns : sequence of str
        Other columns to keep.

    Raises
    ------
    RoleError, FrameError
        If a column is missing, or its values are not what its role needs.
    DesignError
        If the author is not there, nobody is held against him, or a completion answers another
        prompt than its reference.
    """
    wanted = {"text" if column == "output" else column: column for column in columns}
    need(frame, {"item": "item_id"} | wanted)
    if isinstance(reference, pd.DataFrame):
        need(reference, {"item": "item_id"} | wanted | {f"by={name!r}": name for name in by})
        runs, author, label = frame, reference, _author_label(reference, by)
    else:
        runs, author, label = _split_arms(frame, reference, by)
    arms = select(runs, (), by=by, cluster=False)
    keep = ["item_id", *by, *(name for name in columns if name not in ("item_id", *by))]
    rows = pd.DataFrame({name: _stacked(runs[name], author[name]) for name in keep})
    # Numbering the rows as seeds makes every key unique: texts of one item may repeat here.
    keys = rows[["item_id", *by]].assign(seed=np.arange(len(rows)))
    if "prompt_hash" in runs and "prompt_hash" in author:
        keys["prompt_hash"] = _stacked(runs["prompt_hash"], author["prompt_hash"])
    joint = select(keys, (), by=by, cluster=False, prompts=True)
    item = to_codes(rows["item_id"], "item_id", sort=True)
    of_author = np.arange(len(rows)) >= len(runs)
    arm, seed = np.full(len(rows), -1), np.full(len(rows), -1)
    arm[: len(runs)], seed[: len(runs)] = arms.arm, arms.seed
    skipped = np.zeros(len(rows), dtype=np.bool_)
    if "split" in runs:
        skipped[: len(runs)] = (runs["split"] == "train").fillna(False).to_numpy(dtype=np.bool_)
    train = _training(author, joint.unit, len(runs))
    _check_prompts(joint, of_author & ~train, ~of_author & ~skipped)
    return Sides(
        rows=rows,
        by=joint.by,
        arms=arms.arms,
        reference=label[0],
        reference_labels=label,
        items=item.labels,
        item=item.codes,
        unit=joint.unit,
        group=joint.unit_group[joint.unit],
        arm=arm,
        seed=seed,
        author=of_author,
        train=train,
        skipped=skipped,
    )


def _stacked(one: pd.Series, other: pd.Series) -> pd.Series:
    """Return one column after the other, without a guess at what both could become."""
    if one.dtype == other.dtype:
        return pd.concat([one, other], ignore_index=True)
    both = [part.astype(object).to_numpy() for part in (one, other)]
    return pd.Series(np.concatenate(both), dtype=object)


def _author_label(reference: pd.DataFrame, by: Sequence[str]) -> pd.Index:
    """Return what an author's frame calls him, as an Index of one label."""
    labels = select(reference, (), by=by, cluster=False).arms
    if len(labels) > 1:
        raise DesignError(
            f"reference must hold the texts of one author, found {len(labels):,} arms: "
            f"{', '.join(map(repr, labels[:5]))}; choose one: "
            f"reference[reference['arm'] == {labels[0]!r}]"
        )
    return labels if len(labels) and "arm" in reference else pd.Index(["reference"], dtype=str)


def _split_arms(
    frame: pd.DataFrame, reference: object, by: Sequence[str]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.Index]:
    """Return the rows of the arms, those of the author, and his label as an Index."""
    labels = select(frame, (), by=by, cluster=False).arms
    if len(labels) and not (labels == reference).any():
        raise DesignError(
            f"reference must be the label of an arm or a frame of the author's texts, found "
            f"{reference!r}; the frame has {len(labels):,} arm(s): "
            f"{', '.join(map(repr, labels[:20]))}"
        )
    if len(labels) == 1:
        raise DesignError(
            f"an author is compared with other arms, found {reference!r} alone; put his texts and "
            "theirs in one frame, for example: pd.concat([author, runs], ignore_index=True)"
        )
    if len(labels) == 0:
        return frame, frame, pd.Index([reference])
    author = (frame["arm"] == reference).to_numpy(dtype=np.bool_)
    return frame[~author], frame[author], labels[labels == reference]


def _check_prompts(runs: Runs, references: Bools, completions: Bools) -> None:
    """Refuse completions of another prompt than their reference's, where both are known."""
    if runs.prompt is None:
        return
    prompt, unit = runs.prompt, runs.unit
    known = np.flatnonzero(references & (prompt >= 0))
    of_unit = np.full(runs.n_units, -1)
    of_unit[unit[known]] = prompt[known]
    wanted = of_unit[unit]
    wrong = np.flatnonzero(completions & (prompt >= 0) & (wanted >= 0) & (prompt != wanted))
    if len(wrong):
        n_items = len(np.unique(unit[wrong]))
        first = key_text(runs.frame, int(wrong[0]), [*runs.by_names, "item_id"])
        raise DesignError.of(
            "completions and their reference must answer the same prompt",
            f"another prompt_hash in {n_items:,} item(s); first: {first}",
            "run the arms on the author's prompts, or leave the check out: "
            "df.drop(columns='prompt_hash')",
            column="prompt_hash",
            count=n_items,
            first=first,
        )


def _training(author: pd.DataFrame, unit: Ints, n_runs: int) -> Bools:
    """Say which rows calibrate: the author's with split "train", else those no arm answered."""
    train = np.zeros(len(unit), dtype=np.bool_)
    if "split" not in author:
        train[n_runs:] = ~np.isin(unit[n_runs:], unit[:n_runs])
        return train
    split = author["split"].astype(object)
    wrong = np.flatnonzero(~split.isin(SPLITS).to_numpy())
    if len(wrong):
        raise FrameError(
            f"column 'split' must be 'train' or 'eval' in the author's rows, found "
            f"{split.iloc[wrong[0]]!r} ({key_text(author, int(wrong[0]), ['item_id'])}) and others "
            f"in {rows_text(wrong)}; for example: df.replace({{'split': {{'test': 'eval'}}}})"
        )
    train[n_runs:] = (split == "train").to_numpy(dtype=np.bool_)
    return train
