"""Batches of files as rows of a few tidy columns, held to what `tidy` asks of a whole frame."""

from collections.abc import Hashable, Mapping

import numpy as np
import pandas as pd
import pyarrow as pa

from evalframe import roles
from evalframe.errors import EvalFrameError, FrameError
from evalframe.io.batches import Batch
from evalframe.io.label_columns import LabelColumn
from evalframe.io.refusals import SCAN, placed
from evalframe.labels import Codes
from evalframe.numbers import to_numbers
from evalframe.roles import COLUMN
from evalframe.tidy import flags, mapped

LABELS = ("item", "arm", "seed", "cluster", "prompt_hash")
DEFAULT_VALUES = ("score", "n_output_tokens", "hit_cap")


class RowReader:
    """Reads batches one after the other, and keeps what must hold over all of them.

    Parameters
    ----------
    named : mapping of role to column or None
        As the arguments of `tidy`.
    values : list of str or None
        Canonical columns of numbers; None for those of the default that are there.
    by : list of str
        Columns of groups.
    value_map : mapping or None
    """

    def __init__(
        self,
        named: Mapping[str, str | None],
        values: list[str] | None,
        by: list[str],
        value_map: Mapping[Hashable, float] | None,
    ) -> None:
        self._named = {role: column for role, column in named.items() if column is not None}
        self._values = list(DEFAULT_VALUES) if values is None else values
        self._chosen = values is not None
        self._by, self._map = by, value_map
        names = dict.fromkeys([COLUMN[role] for role in LABELS] + by)
        self._labels = {
            name: LabelColumn(name, fractions=name in by, gaps=name == "prompt_hash")
            for name in names
        }
        self._seen: dict[str, None] = {}
        self._has_arm: dict[str, bool] = {}
        self.empty = pa.table({})

    @property
    def wanted(self) -> list[str]:
        """The columns of the files to read, by the names that these have."""
        given = {COLUMN[role]: column for role, column in self._named.items()}
        names = [*self._labels, *self._values]
        return list(dict.fromkeys(given.get(name, name) for name in names))

    def read(self, batch: Batch) -> tuple[pa.Table, Codes]:
        """Return the rows of a batch under the canonical names, and its items.

        Raises
        ------
        RoleError, FrameError
            As `tidy`; the message names the file.
        """
        try:
            frame = self._tidied(batch)
            read = {name: label.read(batch, frame) for name, label in self._labels.items()}
            numbers = {name: self._numbers(frame, name) for name in self._values}
        except EvalFrameError as error:
            raise _in_file(error, batch) from error
        columns = {name: array for name, (array, _) in read.items()} | numbers
        rows = pa.table(columns)
        if len(self.empty.column_names) == 0:
            self.empty = rows.slice(0, 0)
        return rows, read["item_id"][1]

    def _tidied(self, batch: Batch) -> pd.DataFrame:
        """Return a batch under the canonical names, with the arm of its file."""
        frame, arm = batch.frame, self._named.get("arm", "arm")
        has_arm = arm in batch.columns
        label = batch.source.label
        if label is None and not has_arm and "arm" not in self._named:
            label = batch.source.stem
        names = batch.columns if label is None else list(dict.fromkeys([*batch.columns, arm]))
        self._seen.update(dict.fromkeys(names))
        if len(frame) and self._has_arm.setdefault(str(batch.source.path), has_arm) != has_arm:
            raise FrameError.of(
                f"column {arm!r} must have a label in every row",
                "some rows without it",
                "fill it in, or name the arm of the file: {'LABEL': PATH}",
                column="arm",
            )
        # A batch of lines may lack a value, or the hash of a prompt, on every row.
        gaps = {*self._values, "prompt_hash"}
        named = {r: c for r, c in self._named.items() if c in names or COLUMN[r] not in gaps}
        known = roles.rename(pd.DataFrame(columns=names), named)
        roles.need(known, {"item": "item_id"} | {f"by={name!r}": name for name in self._by})
        frame = frame if label is None else frame.assign(**{arm: pd.Series(label, frame.index)})
        return frame.rename(columns={column: COLUMN[role] for role, column in named.items()})

    def _numbers(self, frame: pd.DataFrame, name: str) -> pa.Array:
        """Return a column of numbers, NaN for all rows where the batch lacks it."""
        if name not in frame:
            return pa.array(np.full(len(frame), np.nan))
        column = frame[name]
        if name == COLUMN["score"] and self._map is not None:
            column = mapped(column, self._map)
        return pa.array(to_numbers(flags(column) if name == COLUMN["hit_cap"] else column, name))

    def values(self) -> list[str]:
        """Return the columns of numbers that the files have, or refuse where one is not there."""
        known = pd.DataFrame(columns=list(self._seen))
        known = roles.rename(known, self._named)
        if self._chosen:
            roles.need(known, {roles.metric_name(name): name for name in self._values})
        else:
            roles.need(known, {"score": "score"})
        return [name for name in self._values if name in known]

    def frame(self, rows: pa.Table) -> pd.DataFrame:
        """Return rows as the tidy frame that they are part of, without columns of no labels."""
        kept = [
            name
            for name, label in self._labels.items()
            if label.seen and (label.n_known or name != "cluster_id")
        ]
        frame: pd.DataFrame = rows.select([*kept, *self.values()]).to_pandas(use_threads=False)
        for name in kept:
            dtype = self._labels[name].dtype()
            if dtype is not None:
                frame[name] = frame[name].astype(dtype)
        return frame


def _in_file(error: EvalFrameError, batch: Batch) -> EvalFrameError:
    """Return an error of a batch as one of its file."""
    counted = f", rows counted from its row {batch.first:,}" if batch.first else ""
    return placed(error, f"{batch.source.path}{counted}", SCAN)
