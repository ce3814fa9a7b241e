"""A compare result held against the noise floor: result frames in, result frame out."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evalframe import results
from evalframe.errors import DesignError, FrameError
from evalframe.stats import floor as rule

_OF_RESULT = ("arm", "baseline", "metric", "diff", "conf_low", "conf_high", "level")
_OF_FLOOR = ("arm", "metric", "diff", "se")


def exceeds_floor(result: pd.DataFrame, floor: pd.DataFrame) -> pd.DataFrame:
    """Say for each difference of a compare result whether it exceeds the noise floor.

    The noise floor is what rerunning an arm under the same settings changes: run the baseline twice
    and compare the two runs. A difference exceeds it when its interval excludes 0 and its size is
    above the floor's size plus z standard errors of the floor.

    Parameters
    ----------
    result : DataFrame
        What ``compare`` returned.
    floor : DataFrame
        What ``compare`` returned for the two runs, with the same ``by`` columns: one row for each
        group and metric. A row of `result` without a row here has no threshold and does not exceed.

    Returns
    -------
    DataFrame
        The rows of `result` in their order: ``by`` columns, arm, baseline, metric, diff,
        floor_diff, floor_se, threshold, exceeds. NaN anywhere makes exceeds False.

    Raises
    ------
    FrameError
        If either frame lacks columns of a compare result.
    DesignError
        If the ``by`` columns differ, `floor` has several rows for one group and metric, or no row
        of `result` has one.

    Notes
    -----
    threshold = abs(floor_diff) + z * floor_se, with z the critical value of the result's level:
    1.96 at 0.95.

    Examples
    --------
    >>> result = pd.DataFrame({"arm": ["edit"], "baseline": ["base"], "metric": ["tokens"],
    ...     "diff": [-50.0], "conf_low": [-58.0], "conf_high": [-42.0], "level": [0.95]})
    >>> rerun = pd.DataFrame({"arm": ["rerun"], "metric": ["tokens"], "diff": [0.5], "se": [0.2]})
    >>> exceeds_floor(result, rerun)[["metric", "diff", "threshold", "exceeds"]]
       metric  diff  threshold  exceeds
    0  tokens -50.0      0.892     True
    """
    for one in (result, floor):
        results.check_result(one, 'exceeds_floor(df.evals.compare("A"), reruns.evals.compare("A"))')
    by = _by_columns(result, _OF_RESULT, "result")
    row = _row_of_floor(result, floor, by)
    # Position -1 is "no row of the floor": the NaN at the end.
    floor_diff = np.append(_floats(floor["diff"]), np.nan)[row]
    floor_se = np.append(_floats(floor["se"]), np.nan)[row]
    levels = _floats(result["level"])
    diff = _floats(result["diff"])
    threshold, exceeds = rule.exceeds(
        diff,
        _floats(result["conf_low"]),
        _floats(result["conf_high"]),
        floor_diff,
        floor_se,
        _critical(levels),
    )
    columns = {
        "metric": result["metric"].to_numpy(),
        "diff": diff,
        "floor_diff": floor_diff,
        "floor_se": floor_se,
        "threshold": threshold,
        "exceeds": exceeds,
    }
    provenance = {"level": np.unique(levels).tolist()}
    return results.table("exceeds_floor", result[[*by, "arm", "baseline"]], columns, provenance)


def _by_columns(frame: pd.DataFrame, needed: Sequence[str], name: str) -> list[str]:
    """Return the columns before ``arm``, once all the needed columns are there."""
    missing = [column for column in needed if column not in frame.columns]
    if missing:
        has = ", ".join(str(column) for column in frame.columns)
        raise FrameError(
            f"{name} must be what compare returned; it has no column {', '.join(missing)}.\n"
            f"The frame has: {has}.\n"
            "Make one with df.evals.compare(baseline)."
        )
    columns = list(frame.columns)
    return columns[: columns.index("arm")]


def _row_of_floor(result: pd.DataFrame, floor: pd.DataFrame, by: list[str]) -> NDArray[np.int64]:
    """Return for each row of the result the position of its floor, -1 where there is none."""
    floor_by = _by_columns(floor, _OF_FLOOR, "floor")
    if set(floor_by) != set(by):
        raise DesignError(
            f"result has by={by!r}, floor has by={floor_by!r}; both need the same groups. "
            f"Compare the two runs of the baseline with by={by!r}."
        )
    keys = [*by, "metric"]
    arms = floor["arm"].tolist()
    position: dict[tuple[object, ...], int] = {}
    for row, key in enumerate(_tuples(floor, keys)):
        if key in position:
            first, second = arms[position[key]], arms[row]
            raise DesignError(
                f"floor must have one row for each of {', '.join(keys)}; it has at least two for "
                f"{', '.join(str(part) for part in key)}: arms {first!r} and {second!r}. "
                f'Keep the rerun of the baseline, for example floor[floor["arm"] == {first!r}].'
            )
        position[key] = row
    found = np.array([position.get(key, -1) for key in _tuples(result, keys)], dtype=np.int64)
    if len(found) and (found < 0).all():
        raise DesignError(
            f"no row of result has a row in floor with the same {', '.join(keys)}: "
            f"result starts with {_tuples(result, keys)[:1]!r}, floor with "
            f"{_tuples(floor, keys)[:1]!r}. "
            "Compare the two runs of the baseline on the same groups and metrics."
        )
    return found


def _tuples(frame: pd.DataFrame, columns: list[str]) -> list[tuple[object, ...]]:
    return list(zip(*(frame[column].tolist() for column in columns), strict=True))


def _floats(column: pd.Series) -> NDArray[np.float64]:
    # A column read back from JSON Lines may be object, with None for what is not known.
    return np.asarray(column.astype("Float64").to_numpy(na_value=np.nan), dtype=np.float64)


def _critical(levels: NDArray[np.float64]) -> NDArray[np.float64]:
    distinct, which = np.unique(levels, return_inverse=True)
    z = np.array([rule.critical(level) for level in distinct.tolist()], dtype=np.float64)
    return z[which]
