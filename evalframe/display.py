"""A result as a table to read in a notebook.

Everything is read from the frame's columns, so that a result read back from a file looks the same.
"""

import html
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_numeric_dtype

from evalframe.decimals import decimals, grouped, least_decimals
from evalframe.errors import FrameError
from evalframe.results import check_result
from evalframe.tables import FLOOR, MARGIN, TABLES, Kind

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler
    from pandas.io.formats.style_render import CSSDict

_TABLES: dict[str, dict[str, Kind]] = {
    **TABLES,
    "compare": {**TABLES["compare"], **MARGIN, **FLOOR},
}

# Two columns that are the ends of one interval.
_INTERVALS = {"conf_low": "conf_high", "sim_low": "sim_high", "self_low": "self_high"}

# Which rows stand out, by the first of these columns that is there, and what that means.
_MARKED = {
    "exceeds": "exceeds the noise floor, and the interval is without 0",
    "significant": "the interval is without 0",
}

# Texts of more characters than this are broken, into lines of about as many.
_LONG = 32


def style_table(result: pd.DataFrame) -> "Styler":
    """Show a result in a notebook: rounded, without an index, notes last and wrapped.

    Numbers measured in one unit have the same decimals in all rows of a metric, about four digits
    of the largest; p-values have three significant digits. What cannot be known is "n/a". The ends
    of an interval stand side by side in brackets. Rows that exceed the noise floor are bold; in a
    result without a floor, rows that are significant. Numbers are rounded for reading: take them
    from the result to compute with.

    Parameters
    ----------
    result : DataFrame
        What any method returned, some of its rows or columns, or the same read back from a file.

    Returns
    -------
    Styler
        Of a copy of `result`; a notebook shows it, ``.to_html()`` gives it as text. All text in it
        is escaped.

    Raises
    ------
    FrameError
        If the frame has no column of a result.
    ImportError
        If jinja2 is not installed.

    Examples
    --------
    >>> import evalframe
    >>> shown = evalframe.style_table(evalframe.score([1, 0, 1, 1]))
    >>> "0.75" in shown.to_html()
    True
    """
    check_result(result, "evalframe.style_table(df.evals.score())")
    kinds = _kinds(result)
    try:
        from pandas.io.formats.style import Styler
    except ImportError as error:
        raise ImportError('style_table needs jinja2: pip install "evalframe[notebook]"') from error
    frame = _shown(result)
    styler = Styler(frame, cell_ids=False).hide(axis="index")
    for name in frame.columns:
        _write(styler, frame, name, _kind(frame[name], kinds.get(name)))
    styler.format_index(_heading, axis="columns")
    styler.set_table_styles(
        {name: _look(frame, name, _kind(frame[name], kinds.get(name))) for name in frame.columns}
    )
    styler.set_table_styles(
        [
            {"selector": "thead th", "props": "border-bottom: 1px solid; vertical-align: bottom"},
            {"selector": "td", "props": "vertical-align: top"},
            {"selector": "caption", "props": "caption-side: bottom; text-align: left"},
        ],
        overwrite=False,
    )
    # Names of arms may hold dollar signs, which a notebook would set as formulas.
    styler.set_table_attributes('class="tex2jax_ignore mathjax_ignore"')
    _mark(styler, frame)
    return styler


def _kinds(result: pd.DataFrame) -> Mapping[str, Kind]:
    """Return the columns of the table that a frame has most columns of."""
    here = set(result.columns) | set(result.index.names)
    table = max(_TABLES.values(), key=lambda kinds: len(here & set(kinds)))
    told = [name for name, kind in table.items() if kind not in ("label", "str") and name in here]
    if not told or not result.columns.is_unique:
        found = ", ".join(str(name) for name in result.columns[:20])
        raise FrameError(
            f"style_table shows a result, with each column once, found the columns {found}; give "
            "what a method returned, for example df.evals.score()"
        )
    return table


def _shown(result: pd.DataFrame) -> pd.DataFrame:
    """Return the result with a named index as columns, and the note last."""
    unnamed = all(name is None for name in result.index.names)
    frame = result.reset_index(drop=unnamed)
    if "note" in frame:
        frame = frame[[*(name for name in frame.columns if name != "note"), "note"]]
    return frame


def _kind(column: "pd.Series[Any]", kind: Kind | None) -> Kind:
    """Return the kind to show a column by: its own where it holds that, else what it holds."""
    if kind in ("float", "int", "count") and not is_numeric_dtype(column):
        return "str"
    if kind is None:
        return "float" if is_float_dtype(column) else "label"
    return "str" if kind == "bool" and not is_bool_dtype(column) else kind


def _write(styler: "Styler", frame: pd.DataFrame, name: str, kind: Kind) -> None:
    """Say how the cells of a column are written."""
    opened, closed = _brackets(frame, name)

    def put(write: Callable[[Any], str], rows: Any) -> None:
        def text(cell: Any) -> str:
            return f"{opened}{html.escape(write(cell))}{closed}"

        styler.format(text, subset=(rows, [name]), na_rep="" if name == "note" else "n/a")

    if kind != "float":
        put({"int": _count, "count": _count, "bool": _flag}.get(kind, str), frame.index)
    elif _is_p(name):
        put("{:.3g}".format, frame.index)
    else:
        for rows, places in _decimals(frame, name):
            put(f"{{:z,.{places}f}}".format, rows)


def _decimals(frame: pd.DataFrame, name: str) -> list[tuple[Any, int]]:
    """Return rows of a column of numbers, and how many decimals they have."""
    alike = [other for other in grouped(name) if other in frame and is_numeric_dtype(frame[other])]
    if not alike:
        return [(frame.index, least_decimals(frame[name].to_numpy(float, na_value=float("nan"))))]
    numbers = frame[alike].astype(float)
    metric = frame["metric"].astype(str) if "metric" in frame else pd.Series("", frame.index)
    return [(rows.index, decimals(rows.to_numpy())) for _, rows in numbers.groupby(metric)]


def _brackets(frame: pd.DataFrame, name: str) -> tuple[str, str]:
    """Return what stands before and behind the numbers of a column."""
    names = list(frame.columns)
    at = names.index(name)
    if at + 1 < len(names) and _INTERVALS.get(name) == names[at + 1]:
        return "[", ","
    if at and _INTERVALS.get(names[at - 1]) == name:
        return "", "]"
    return "", ""


def _is_p(name: str) -> bool:
    return name.startswith("p_") or name.endswith(("_p", "_p_value"))


def _count(number: Any) -> str:
    return f"{number:,.0f}"


def _flag(value: Any) -> str:
    return "yes" if value else "no"


def _heading(name: Any) -> str:
    """Return a column's name, which may be broken behind each underscore."""
    return html.escape(str(name)).replace("_", "_<wbr>")


def _look(frame: pd.DataFrame, name: str, kind: Kind) -> list["CSSDict"]:
    """Return the CSS of a column."""
    if kind in ("float", "int", "count"):
        side, cell = "right", "white-space: nowrap; font-variant-numeric: tabular-nums"
        opened, closed = _brackets(frame, name)
        if opened:
            cell += "; padding-right: 0.2em"
        elif closed:
            side, cell = "left", cell + "; padding-left: 0.2em"
    else:
        longest = max((len(str(text)) for text in frame[name]), default=0)
        # A table gives text that may be broken only the width of its longest word.
        broken = f"overflow-wrap: break-word; min-width: {_LONG // 2}em; max-width: {_LONG}em"
        wrapped = f"white-space: normal; {broken}"
        side, cell = "left", wrapped if longest > _LONG else "white-space: nowrap"
    side = f"text-align: {side}"
    return [{"selector": "td", "props": f"{side}; {cell}"}, {"selector": "th", "props": side}]


def _mark(styler: "Styler", frame: pd.DataFrame) -> None:
    """Make the rows bold that stand out, and say below the table why."""
    column = next((name for name in _MARKED if name in frame), None)
    if column is None or not is_bool_dtype(frame[column]):
        return
    rows = frame.index[frame[column].fillna(False).to_numpy(bool)]
    if len(rows):
        styler.set_properties(subset=(rows, list(frame.columns)), **{"font-weight": "bold"})
        styler.set_caption(f"Bold: {_MARKED[column]}.")
