"""What the argument `metrics` names: built-in metrics, columns, and a user's own functions."""

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api import types

from evalframe.errors import FrameError, RoleError, rows_text
from evalframe.numbers import to_numbers
from evalframe.roles import check_names
from evalframe.text.catalogue import DEFAULT, GROUPS, METRICS
from evalframe.text.extraction import as_large_string, extract

Own = Callable[[str], float]
Named = str | Mapping[str, Own]


@dataclass(frozen=True, slots=True)
class Metric:
    """One number of a text.

    Attributes
    ----------
    group : str
    name : str
        "group.metric", or a column's own name.
    column : bool
        Whether it is a column of the frame.
    own : callable or None
        The user's function of a text. Without one and no column, the metric is built in.
    """

    group: str
    name: str
    column: bool = False
    own: Own | None = None


def resolve(metrics: Named | Sequence[Named] | None, frame: pd.DataFrame) -> list[Metric]:
    """Return the metrics that an argument names, in the order named.

    Parameters
    ----------
    metrics : str, mapping, sequence of them, or None
        A built-in group (its default metrics; all where none is), a built-in metric, a column of
        the frame, or ``{"group.name": function}``. None: the default metrics.
    frame : DataFrame

    Raises
    ------
    RoleError
        If a name is none of these, two of them, or named twice, or columns have no plain names.
    """
    check_names(frame)
    if metrics is None:
        return [Metric(_group(name), name) for name in DEFAULT]
    several = isinstance(metrics, Iterable) and not isinstance(metrics, str | Mapping)
    named: list[Any] = [*metrics] if several else [metrics]
    found = [metric for one in named for metric in _named(one, frame)]
    names = [metric.name for metric in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not names:
        raise RoleError(
            "metrics must name at least one metric, each once, found "
            f"{', '.join(map(repr, twice)) + ' twice' if twice else 'none'}; "
            "evalframe.metrics() lists the built-in ones"
        )
    return found


def _named(one: Named, frame: pd.DataFrame) -> list[Metric]:
    """Return the metrics of one entry of the argument."""
    if isinstance(one, Mapping):
        return [_own(name, function) for name, function in one.items()]
    if not isinstance(one, str):
        raise _no_metric(one, frame)
    built_in = one in METRICS or one in GROUPS
    if built_in and one in frame.columns:
        raise RoleError(
            f"metrics names {one!r}, which is built in and a column of the frame too; rename the "
            f"column: df.rename(columns={{{one!r}: {'own_' + one!r}}})"
        )
    if one in GROUPS:
        names = [f"{one}.{metric.name}" for metric in GROUPS[one]]
        usual = [name for name in names if METRICS[name].default]
        return [Metric(one, name) for name in usual or names]
    if one in METRICS:
        return [Metric(_group(one), one)]
    if one in frame.columns:
        return [Metric(_group(one), one, column=True)]
    raise _no_metric(one, frame)


def _no_metric(one: object, frame: pd.DataFrame) -> RoleError:
    """Say that a name is no metric, and which one is near."""
    pool = [*GROUPS, *METRICS, *map(str, frame.columns)]
    close = difflib.get_close_matches(str(one), pool, n=1, cutoff=0.7)
    return RoleError(
        "metrics must name built-in groups or metrics, columns of the frame, or give functions as "
        f"{{'group.name': function}}, found {one!r}"
        + (f"; did you mean {close[0]!r}?" if close else "")
        + f" Groups: {', '.join(GROUPS)}; evalframe.metrics() lists the metrics"
    )


def _own(name: str, function: Own) -> Metric:
    """Return a user's own metric."""
    group, dot, rest = str(name).partition(".")
    if not (group and dot and rest) or not callable(function) or name in METRICS:
        what = "a built-in metric" if name in METRICS else f"{type(function).__name__}"
        raise RoleError(
            "own metrics are given as {'group.name': function of a text} under names of their own, "
            f"found {name!r}: {what}; for example: "
            "metrics={'own.exclamations': lambda text: text.count('!')}"
        )
    return Metric(group, name, own=function)


def _group(name: str) -> str:
    """Return the group of a metric: what stands before the first dot, or the whole name."""
    return name.partition(".")[0]


def columns_read(chosen: Sequence[Metric]) -> list[str]:
    """Return the columns that metrics are computed from."""
    text = [] if all(metric.column for metric in chosen) else ["output"]
    return list(dict.fromkeys([*(metric.name for metric in chosen if metric.column), *text]))


def measure(
    rows: pd.DataFrame,
    chosen: Sequence[Metric],
    *,
    progress: Callable[[int], object] | None = None,
) -> NDArray[np.float64]:
    """Return the metrics of each row.

    Parameters
    ----------
    rows : DataFrame of n rows
        With the columns of `columns_read`.
    chosen : sequence of Metric
    progress : callable, optional
        Called with the number of texts whose built-in metrics are done, each time some are.

    Returns
    -------
    (n, M) float64
        NaN where a text is missing or a metric is not defined for it.

    Raises
    ------
    FrameError
        If a text is not text, or a number not finite.
    """
    values = np.full((len(rows), len(chosen)), np.nan)
    built_in = [m for m, metric in enumerate(chosen) if not metric.column and metric.own is None]
    texts = arrow_texts(rows["output"]) if "output" in columns_read(chosen) else None
    if texts is not None and built_in:
        values[:, built_in] = extract(texts, [chosen[m].name for m in built_in], progress=progress)
    for m, metric in enumerate(chosen):
        if metric.column:
            values[:, m] = to_numbers(rows[metric.name], metric.name)
        elif metric.own is not None and texts is not None:
            values[:, m] = _measure_own(texts, metric.name, metric.own)
    return values


def arrow_texts(column: pd.Series) -> pa.Array:
    """Return a column of texts as an Arrow array, null where missing.

    Raises
    ------
    FrameError
        If a value is not text, or text that UTF-8 cannot hold.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    try:
        if isinstance(column.dtype, pd.StringDtype | pd.ArrowDtype):
            # Straight from the column's own storage: texts are large.
            found = as_large_string(pa.array(column.array, from_pandas=True))
        elif types.infer_dtype(column, skipna=True) in ("string", "empty"):
            found = pa.array(column, type=pa.large_string(), from_pandas=True)
        else:
            raise _not_text(column)
    except pa.ArrowException as error:
        raise _not_text(column) from error
    except UnicodeEncodeError as error:
        raise _half_characters(column) from error
    if isinstance(column.dtype, pd.ArrowDtype) and not _is_text(column.dtype.pyarrow_dtype):
        raise _not_text(column)
    return found


def _is_text(stored: pa.DataType) -> bool:
    stored = stored.value_type if pa.types.is_dictionary(stored) else stored
    return "string" in str(stored) or pa.types.is_null(stored)


def _not_text(column: pd.Series) -> FrameError:
    known = column[column.notna().to_numpy()].astype(object)
    wrong = np.array([not isinstance(one, str) for one in known], dtype=np.bool_)
    first = known.iloc[int(wrong.argmax())]
    rows = np.flatnonzero(column.notna().to_numpy())[wrong]
    return FrameError(
        f"column {column.name!r} must hold text, found {type(first).__name__} "
        f"({first!r}) in {rows_text(rows)}; make it text, or missing"
    )


def _half_characters(column: pd.Series) -> FrameError:
    """Refuse text with one half of a character that UTF-16 writes in two."""
    halves = column.str.contains("[\ud800-\udfff]", regex=True, na=False).to_numpy(np.bool_)
    return FrameError(
        f"column {column.name!r} must hold text, found halves of characters (lone surrogates) in "
        f"{rows_text(np.flatnonzero(halves))}; replace them, for example: "
        "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
    )


def _measure_own(texts: pa.Array, name: str, own: Own) -> NDArray[np.float64]:
    """Apply a user's function to each text."""
    values = np.full(len(texts), np.nan)
    for row, text in enumerate(texts.to_pylist()):
        if text is not None:
            values[row] = own(text)
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise FrameError(
            f"metric {name!r} must give finite numbers, or NaN where it says nothing, found "
            f"{values[infinite[0]]!r} in {rows_text(infinite)}"
        )
    return values
