"""The frame of Inspect AI's ``samples_df()``, as `tidy` meets it."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from evalframe.errors import FrameError, RoleError, rows_text
from evalframe.roles import SAMPLES_DF, samples_df_call

TOKENS = "n_output_tokens"


def prepared(frame: pd.DataFrame, named: Mapping[str, str | None]) -> pd.DataFrame:
    """Return Inspect's frame with a column of output tokens, and any other frame as it is.

    Parameters
    ----------
    frame : DataFrame
        Not changed.
    named : mapping of role to column or None
        As the user named them.

    Raises
    ------
    RoleError
        If the item is the column of executions or not named, or the seed or the arm is not.
    FrameError
        If ``model_usage`` is not what Inspect writes there.
    """
    if not set(SAMPLES_DF) <= set(frame.columns):
        return frame
    tokens = named["tokens"]
    _check_named(frame, named)
    # total_tokens counts the input too; the output stands inside model_usage alone.
    if tokens not in (None, "model_usage") or TOKENS in frame.columns:
        return frame
    counts = _output_tokens(frame)
    if tokens is None:
        return frame.assign(**{TOKENS: counts}) if counts.notna().any() else frame
    return frame.assign(model_usage=counts)


def _check_named(frame: pd.DataFrame, named: Mapping[str, str | None]) -> None:
    """Refuse executions as items, and items, epochs or logs that were left out."""
    call = samples_df_call(frame.columns)
    if named["item"] == "sample_id":
        raise RoleError(
            "item='sample_id' is one execution in a frame of Inspect's samples_df(): every epoch "
            f"and every log has its own, and no two arms share one. The question is 'id': {call}"
        )
    needed = {"item": "item_id", "seed": "seed", "arm": "arm"}
    apart = {"item": 0, "seed": frame["epoch"].nunique(), "arm": frame["eval_id"].nunique()}
    lacking = [
        role
        for role, column in needed.items()
        if named[role] is None and column not in frame.columns and apart[role] != 1
    ]
    if lacking:
        raise RoleError(
            "a frame of Inspect's samples_df() has a row an epoch of an item in a log, and no "
            f"column was named for {', '.join(lacking)}; for example: {call}"
        )


def _output_tokens(frame: pd.DataFrame) -> pd.Series:
    """Return the output tokens of each row: of its model, or of the only one there is."""
    models = frame["model"] if "model" in frame.columns else pd.Series(index=frame.index)
    counts: list[float | None] = []
    wrong: list[int] = []
    for row, (cell, model) in enumerate(zip(frame["model_usage"], models, strict=True)):
        usage = _usage(cell)
        if usage is None:
            wrong.append(row)
            usage = {}
        only = next(iter(usage.values())) if len(usage) == 1 else None
        used = usage.get(model, only) if isinstance(model, str) else only
        tokens = used.get("output_tokens") if isinstance(used, dict) else None
        counts.append(tokens if isinstance(tokens, int) else None)
    if wrong:
        raise FrameError(
            f"column 'model_usage' must hold an object of models as JSON, found "
            f"{frame['model_usage'].iloc[wrong[0]]!r:.60} in {rows_text(np.array(wrong))}; leave "
            "the column out: df.drop(columns='model_usage')"
        )
    return pd.Series(counts, index=frame.index, dtype="float64")


def _usage(cell: Any) -> dict[str, Any] | None:
    """Return the usage by model in a cell, empty where it is missing, None where it is neither."""
    if isinstance(cell, str):
        try:
            cell = json.loads(cell) if cell else {}
        except (ValueError, RecursionError):
            return None
    if isinstance(cell, dict):
        return cell
    return {} if cell is None or cell is pd.NA or cell != cell else None
