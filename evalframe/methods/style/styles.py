"""The style of each text in numbers, and the list of what is measured."""

from collections.abc import Callable, Mapping, Sequence

import pandas as pd

from evalframe import results
from evalframe.labels import complete, to_codes
from evalframe.methods.style.metric_choice import columns_read, measure, resolve
from evalframe.progress import progress_bar
from evalframe.roles import metric_name, need
from evalframe.text.catalogue import METRICS

_KEYS = ("item_id", "arm", "seed", "split")


def style(
    frame: pd.DataFrame,
    *,
    metrics: str
    | Mapping[str, Callable[[str], float]]
    | Sequence[str | Mapping[str, Callable[[str], float]]]
    | None = None,
) -> pd.DataFrame:
    """Style metrics of each text: one row a text, one column a metric.

    Parameters
    ----------
    frame : DataFrame
        With the texts in ``output``. Rows keep their order, and none is dropped.
    metrics : str, mapping, or sequence of them, optional
        Built-in groups (their default metrics) and metrics by name, columns of numbers that the
        frame has, and own functions of a text as ``{"group.name": function}``. By default the 69
        default metrics, which `metrics` lists with their formulas.

    Returns
    -------
    DataFrame
        item_id, arm, seed and split, those the frame has, then a float64 column a metric, named
        group.metric; a column of the frame keeps its name. NaN where a text is missing (None, NaN)
        or a metric is not defined for it: of a text without a word, the empty one included, only
        the length is known, 0.

    Raises
    ------
    RoleError, FrameError
        If a column or metric is missing, or its values are not what it needs.

    See Also
    --------
    metrics : All built-in metrics with formula and source.
    voice : How alike in style arms are to an author.

    Notes
    -----
    Texts are read in normal form C, and without fenced code blocks, web and e-mail addresses, which
    count for layout alone. Metrics marked English rest on word lists or spelling rules of English;
    the others apply to any language.

    Examples
    --------
    >>> frame = pd.DataFrame({"item_id": [1, 2], "output": ["Well, I never! Did you?", None]})
    >>> style(frame, metrics=["sentence_rhythm.mean", "pronouns.second"])
       item_id  sentence_rhythm.mean  pronouns.second
    0        1                   2.5              0.2
    1        2                   NaN              NaN
    """
    chosen = resolve(metrics, frame)
    columns = columns_read(chosen)
    need(frame, {metric_name(column): column for column in columns})
    rows = frame[columns]
    with progress_bar(len(rows), "texts") as advance:
        values = measure(rows, chosen, progress=advance)
    names = [metric.name for metric in chosen]
    keys = {name: _labels(frame[name], name) for name in _KEYS if name in frame}
    table = pd.concat(
        [pd.DataFrame(keys, index=range(len(frame))), pd.DataFrame(values, columns=names)], axis=1
    )
    table.attrs["evalframe"] = {"table": "style", "version": results.version(), "metrics": names}
    return table


def _labels(column: pd.Series, name: str) -> pd.Series:
    """Return a key column as results show labels; only a split may be missing."""
    found = to_codes(column, name, sort=False)
    if name != "split":
        found = complete(found, name)
    labels = pd.Series(found.labels, dtype=found.labels.dtype)
    labels = labels.reindex(found.codes).reset_index(drop=True)
    # pandas 2 keeps text as objects, and a file gives a missing one back as None.
    return labels.where(labels.notna(), None) if labels.dtype == object else labels


def metrics() -> pd.DataFrame:
    """List the built-in style metrics.

    Returns
    -------
    DataFrame
        One row a metric:

        - group, metric : `style` and `voice` know it as group.metric
        - default : whether it is computed unless others are named; those that are not move with
          the length of a text, or repeat others
        - language : "neutral", or "English" where it rests on English words or spelling
        - formula : with N words, S sentences, P paragraphs, V types (distinct words), V1 and V2
          types that occur once and twice, f the frequency of a type, l the characters of a word
          less apostrophes and hyphens
        - source : where it comes from
        - range : the values it can take
        - short_texts : what texts get that are too short for the formula

    Examples
    --------
    >>> listed = metrics()
    >>> len(listed), int(listed["default"].sum()), listed["group"].nunique()
    (94, 69, 13)
    """
    split = [name.split(".", 1) for name in METRICS]
    found = list(METRICS.values())
    columns = {
        "group": [group for group, _ in split],
        "metric": [name for _, name in split],
        "default": [metric.default for metric in found],
        "language": [metric.language for metric in found],
        "formula": [metric.formula for metric in found],
        "source": [metric.source for metric in found],
        "range": [metric.bounds for metric in found],
        "short_texts": [metric.short_texts for metric in found],
    }
    return results.table("metrics", pd.DataFrame(index=range(len(found))), columns, {})
