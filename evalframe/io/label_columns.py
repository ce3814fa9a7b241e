"""One column of labels over many batches: of one kind, on every row, its categories in order."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from evalframe.errors import FrameError
from evalframe.io.batches import Batch
from evalframe.labels import Codes, complete, to_codes

# What a column of one kind may be in other batches: a temperature can be whole in all of one.
NUMBERS = {"integer", "floating"}


class LabelColumn:
    """What is known of a column of labels after the batches that were read.

    Parameters
    ----------
    name : str
        The canonical name.
    fractions : bool
        Whether floats with fractions are labels.
    gaps : bool
        Whether rows may lack a label (a prompt's hash).
    """

    def __init__(self, name: str, *, fractions: bool = False, gaps: bool = False) -> None:
        self.name, self.fractions, self.gaps = name, fractions, gaps
        self.seen = False
        self.n_known = self.n_missing = 0
        self.first: dict[str, str] = {}
        self._categories: dict[Path, tuple[list[object], bool] | None] = {}

    def read(self, batch: Batch, frame: pd.DataFrame) -> tuple[pa.Array, Codes]:
        """Return the labels of a batch, none for all of its rows where it lacks the column.

        Raises
        ------
        FrameError
            If labels are of another type than before, or missing on some rows.
        """
        n_rows = len(frame)
        if self.name not in frame:
            self._count(batch, 0, n_rows)
            return pa.nulls(n_rows), Codes(np.full(n_rows, -1), pd.Index([], dtype=object))
        self.seen = True
        column = frame[self.name]
        codes = to_codes(column, self.name, sort=False, fractions=self.fractions)
        known = codes.codes >= 0
        if not self.gaps and (known.any() or self.name != "cluster_id"):
            complete(codes, self.name)
        self._count(batch, int(known.sum()), n_rows - int(known.sum()))
        self._note_kind(codes.labels, batch)
        self._note_categories(column, batch.source.path)
        return _arrow(codes, known), codes

    def _count(self, batch: Batch, n_known: int, n_missing: int) -> None:
        """Refuse a column that is there on some rows only."""
        self.n_known += n_known
        self.n_missing += n_missing
        if self.n_known and self.n_missing and not self.gaps:
            where = "none" if n_missing else "the first"
            raise FrameError.of(
                f"column {self.name!r} must have a label in every row",
                f"{where} in {batch.source.path} from row {batch.first:,} on, "
                f"{self.n_missing:,} rows without one so far",
                "fill them in, or scan the files that have it alone",
                column=self.name,
                count=self.n_missing,
            )

    def _note_kind(self, labels: pd.Index, batch: Batch) -> None:
        """Refuse labels of another type than those before: 7 is not "7"."""
        if len(labels) == 0:
            return
        plain = labels.categories if isinstance(labels, pd.CategoricalIndex) else labels
        kind = str(plain.inferred_type)
        self.first.setdefault(kind, f"{plain[:1].tolist()[0]!r} in {batch.source.path}")
        if len(self.first) > 1 and not (self.fractions and set(self.first) <= NUMBERS):
            shown = " and ".join(f"{kind} ({label})" for kind, label in self.first.items())
            raise FrameError.of(
                f"column {self.name!r} must hold labels of one type in all files",
                shown,
                "write them in one type, for example as text",
                column=self.name,
                count=len(self.first),
            )

    def _note_categories(self, column: pd.Series, path: Path) -> None:
        known = self._categories.get(path, ([], True))
        if known is None or not isinstance(column.dtype, pd.CategoricalDtype):
            self._categories[path] = None
            return
        names = dict.fromkeys([*known[0], *column.cat.categories.tolist()])
        self._categories[path] = (list(names), known[1] and bool(column.cat.ordered))

    def dtype(self) -> pd.CategoricalDtype | None:
        """Return the categories of text that all files share; None where they have none."""
        found = list(self._categories.values())
        if not found or found[0] is None or self.first.keys() != {"string"}:
            return None
        names, ordered = found[0]
        alike = [one is not None and set(one[0]) == set(names) for one in found]
        return pd.CategoricalDtype(names, ordered=ordered) if all(alike) else None


def _arrow(codes: Codes, known: NDArray[np.bool_]) -> pa.Array:
    """Return codes as an Arrow array of their labels."""
    if len(codes.labels) == 0:
        return pa.nulls(len(codes.codes))
    labels = codes.labels
    if isinstance(labels, pd.CategoricalIndex):
        labels = pd.Index(labels.tolist())
    array = pa.array(labels)
    array = array.cast(pa.string()) if array.type == pa.large_string() else array
    return array.take(pa.array(codes.codes, mask=~known))
