"""A score or a compare result as plain text.

Everything is read from the frame's columns, so that a result read back from a file prints the same.
"""

import math
import re
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import pandas as pd

from evalframe.errors import DesignError, FrameError
from evalframe.floor import exceeds_floor
from evalframe.results import FLOOR, MARGIN, TABLES, check_result
from evalframe.stats.floor import critical

Row = Mapping[Hashable, Any]

# What a report reads; `by` columns and columns of other results may stand beside them.
_SCORE = tuple(name for name in TABLES["score"] if name not in ("n_items_missing", "note"))
_NOT_READ = ("df", "interval", "significant", "small_n", "note")
_COMPARE = tuple(name for name in TABLES["compare"] if name not in _NOT_READ)

# How notes say that missing scores were made 0, and that a p of McNemar's test is adjusted.
_ZEROS = re.compile(r"([\d,]+) missing counted as 0")
_ADJUSTED = re.compile(r"mcnemar_p( adjusted: \w+ over [\d,]+ tests?)")

# Below this many sampling units an interval is not to be relied on.
_FEW = 100


def format_report(result: pd.DataFrame, floor: pd.DataFrame | None = None) -> str:
    """Print a score or a compare result as plain text.

    A compare result gives one block for each group and arm, a score result one for each row, with a
    blank line between blocks. What cannot be known prints as ``n/a``. Numbers are rounded for
    reading; take them from the frame to compute with.

    Parameters
    ----------
    result : DataFrame
        What ``score`` or ``compare`` returned, or the same read back from a file.
    floor : DataFrame, optional
        What ``compare`` returned for two runs of the baseline: adds the noise floor lines. They are
        printed without it for a result that was compared with ``floor=``.

    Returns
    -------
    str
        Without a line break at the end; empty for a result without rows.

    Raises
    ------
    FrameError
        If `result` has the columns of neither a score nor a compare result.
    DesignError
        If `floor` does not fit `result`, or `result` is a score result.

    Examples
    --------
    >>> score = pd.DataFrame({"arm": ["model"], "metric": ["score"], "estimate": [0.74],
    ...     "se": [0.02196], "conf_low": [0.6968], "conf_high": [0.7832], "n_items": [400],
    ...     "n_responses": [400], "n_missing": [0], "n_clusters": [None], "design_effect": [None],
    ...     "df": [399.0], "level": [0.95], "interval": ["t"], "clustered": [False]})
    >>> print(format_report(score))
    Evaluation score: model
    <BLANKLINE>
      Estimate   0.7400
      Std. error 0.0220
      95% CI     [0.6968, 0.7832]
    <BLANKLINE>
      Items      400
      Independent standard error, t on 399 df.
    """
    check_result(result, "evalframe.format_report(df.evals.score())")
    if set(_COMPARE) <= set(result.columns):
        if floor is not None:
            noise = exceeds_floor(result, floor)
            result = result.reset_index(drop=True).assign(**{name: noise[name] for name in FLOOR})
        return "\n\n".join(_compare_blocks(result))
    if set(_SCORE) <= set(result.columns):
        if floor is not None:
            raise DesignError(
                "a noise floor is for differences, and result is a score result; "
                "leave floor out, or pass what df.evals.compare(baseline) returns"
            )
        by = _by_columns(result)
        return "\n\n".join(_score_block(row, by) for row in result.to_dict("records"))
    raise FrameError(_neither(result))


def _neither(result: pd.DataFrame) -> str:
    def missing(needed: tuple[str, ...]) -> str:
        return ", ".join(column for column in needed if column not in result.columns)

    return (
        "format_report prints a score or a compare result, and this frame is neither:\n"
        f"  - score: no column {missing(_SCORE)}\n"
        f"  - compare: no column {missing(_COMPARE)}\n"
        f"The frame has: {', '.join(map(str, result.columns))}.\n"
        "Make one with df.evals.score() or df.evals.compare(baseline)."
    )


def _compare_blocks(result: pd.DataFrame) -> list[str]:
    by = _by_columns(result)
    rows = result.to_dict("records")
    blocks: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        key = (*(row[column] for column in by), row["arm"], row["baseline"])
        blocks.setdefault(key, []).append(row)
    several = len({(row["arm"], row["baseline"]) for row in rows}) > 1
    return [_compare_block(block, by, several) for block in blocks.values()]


def _compare_block(rows: list[Row], by: list[str], several: bool) -> str:
    rank = {"score": 0, "tokens": 1, "hit_cap": 2}
    rows = sorted(rows, key=lambda row: rank.get(row["metric"], len(rank)))
    head = rows[0]
    lines = [*_group_line(head, by), *([f"{head['arm']} vs {head['baseline']}"] if several else [])]
    lines += _size_lines(head)
    for row in rows:
        said = _METRIC_LINES.get(row["metric"], _other_lines)(row)
        if row["n_items"] != head["n_items"]:
            said[0] += f"; of {_count(row['n_items'], 'item')} alone"
        lines += said
    lines += [line for row in rows for line in _margin_lines(row)]
    lines += [line for row in rows for line in _floor_lines(row)]
    return "\n".join(lines + _warning_lines(head))


def _size_lines(row: Row) -> list[str]:
    line = f"n={_count(row['n_items'], 'item')}"
    if row["clustered"]:
        line += f" in {_count(row['n_clusters'], 'cluster')}"
    if row.get("interval") == "welch":
        line += " of both arms, unpaired"
    if row["metric"] == "score":
        line += f"  {_means(row, 'z.4f')}"
    lines = [line, *(f"missing: {n} counted as 0" for n in _zeros(row))]
    if row["n_dropped"] > 0:
        lines.append(f"dropped: {_count(row['n_dropped'], '(item, seed) key')} not in both arms")
    return lines


def _zeros(row: Row) -> list[str]:
    return _ZEROS.findall(str(row.get("note", "")))


def _score_lines(row: Row) -> list[str]:
    line = (
        f"score diff={_number(row['diff'], '+z.4f')}  SE={_number(row['se'], '.4f')}  "
        f"{_interval(row, '+z.4f')}"
    )
    if pd.isna(row["conf_low"]) or pd.isna(row["conf_high"]):
        line += "; significance cannot be known"
    elif row["conf_low"] <= 0 <= row["conf_high"]:
        smallest = _number(row["mde"], ".4f")
        line += f"; not significant; smallest detectable difference at this n is {smallest}"
    return [line, _mcnemar_line(row)]


def _mcnemar_line(row: Row) -> str:
    if pd.isna(row["mcnemar_p"]):
        reason = "unpaired" if row.get("interval") == "welch" else "scores are not all 0 or 1"
        return f"McNemar exact p=n/a ({reason})"
    adjusted = " ".join(_ADJUSTED.findall(str(row.get("note", ""))))
    line = (
        f"McNemar exact p={row['mcnemar_p']:.3g}{adjusted}  "
        f"({row['baseline']}-only right={_number(row['baseline_only'], '.0f')}, "
        f"{row['arm']}-only right={_number(row['arm_only'], '.0f')})"
    )
    return line + "; ignores clustering" if row["clustered"] else line


def _token_lines(row: Row) -> list[str]:
    relative = _number(row["diff_rel"], "+z.1%")
    return [
        f"tokens: {_means(row, 'z.1f')}  diff={_number(row['diff'], '+z.1f')} ({relative})  "
        f"bootstrap {_interval(row, '+z.1f')}"
    ]


def _other_lines(row: Row) -> list[str]:
    return [
        f"{row['metric']}: {_means(row, 'z.4f')}  diff={_number(row['diff'], '+z.4f')}  "
        f"SE={_number(row['se'], '.4f')}  {_interval(row, '+z.4f')}"
    ]


_METRIC_LINES: dict[str, Callable[[Row], list[str]]] = {
    "score": _score_lines,
    "tokens": _token_lines,
    "hit_cap": lambda row: [f"cap-hit rate: {_means(row, 'z.3f')}"],
}


def _margin_lines(row: Row) -> list[str]:
    if not set(MARGIN) <= set(row) or pd.isna(row["margin"]):
        return []
    worse, better = (_number(row[name], ".3g") for name in ("p_not_worse", "p_not_better"))
    tests = f"not worse p={worse}, not better p={better}"
    return [f"margin ({row['metric']}) of {row['margin']:g}: {row['verdict']}  ({tests})"]


def _floor_lines(row: Row) -> list[str]:
    spec = {"score": ".4f", "tokens": ".1f"}.get(row["metric"])
    if spec is None or not set(FLOOR) <= set(row):
        return []
    bound = f"|floor diff| + {critical(row['level']):.2f} SE = {_number(row['threshold'], spec)}"
    size = _number(row["diff"], spec).removeprefix("-")
    line = f"noise floor ({row['metric']}): |diff|={size}"
    if pd.isna(row["threshold"]) or pd.isna(row["diff"]):
        return [f"{line} cannot be held against {bound}"]
    return [f"{line} {'exceeds' if row['exceeds'] else 'does not exceed'} {bound}"]


def _warning_lines(row: Row) -> list[str]:
    sizes = [("cluster", row["n_clusters"])] if row["clustered"] else []
    for unit, size in [*sizes, ("item", row["n_items"])]:
        if size < _FEW:
            return [f"WARNING: only {_count(size, unit)} (<{_FEW}); intervals are unreliable"]
    if row.get("small_n", False):
        return [f"WARNING: an arm alone has fewer than {_FEW}; intervals are unreliable"]
    return []


def _score_block(row: Row, by: list[str]) -> str:
    lines = [
        *_group_line(row, by),
        f"Evaluation {row['metric']}: {row['arm']}",
        "",
        _entry("Estimate", _number(row["estimate"], "z.4f")),
        _entry("Std. error", _number(row["se"], ".4f")),
        _entry(f"{_percent(row['level'])} CI", _limits(row, "z.4f")),
        "",
        _entry("Items", f"{int(row['n_items'])}"),
    ]
    if row["clustered"]:
        lines.append(_entry("Clusters", _number(row["n_clusters"], ".0f")))
        lines.append(_entry("Design eff", _design_effect(row["design_effect"])))
    if row["n_missing"] > 0:
        total = row["n_responses"] + row["n_missing"]
        what = "responses, counted as 0" if _zeros(row) else "responses"
        lines.append(_entry("Missing", f"{row['n_missing']:.0f} of {total:.0f} {what}"))
    kind = "Cluster-robust" if row["clustered"] else "Independent"
    if row["interval"] == "t":
        df = _number(row["df"], ".2f").removesuffix("0").removesuffix(".0")
        lines.append(f"  {kind} standard error, t on {df} df.")
    else:
        lines.append(f"  {kind} standard error, {row['interval']} interval.")
    if row.get("note"):
        lines.append(f"  Note: {row['note']}.")
    return "\n".join(lines)


def _design_effect(value: Any) -> str:
    if pd.isna(value):
        return "n/a"
    return f"{value:.2f} (SE is {math.sqrt(value):.2f}x the independent estimate)"


def _by_columns(result: pd.DataFrame) -> list[str]:
    columns = list(result.columns)
    return columns[: columns.index("arm")]


def _group_line(row: Row, by: list[str]) -> list[str]:
    return [", ".join(f"{column}={row[column]}" for column in by)] if by else []


def _entry(label: str, text: str) -> str:
    return f"  {label:<10} {text}"


def _means(row: Row, spec: str) -> str:
    baseline = f"{row['baseline']}={_number(row['baseline_mean'], spec)}"
    return f"{baseline}  {row['arm']}={_number(row['arm_mean'], spec)}"


def _interval(row: Row, spec: str) -> str:
    return f"{_percent(row['level'])} CI {_limits(row, spec)}"


def _limits(row: Row, spec: str) -> str:
    return f"[{_number(row['conf_low'], spec)}, {_number(row['conf_high'], spec)}]"


def _percent(level: float) -> str:
    # Ten digits hide the rounding of 100 * 0.999 and still tell 99.999% from 100%.
    return f"{100 * level:.10g}%"


def _count(size: Any, unit: str) -> str:
    return f"{size:.0f} {unit}" if size == 1 else f"{size:.0f} {unit}s"


def _number(value: Any, spec: str) -> str:
    return "n/a" if pd.isna(value) else format(float(value), spec)
