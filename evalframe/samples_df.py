"""The frame of Inspect AI's ``samples_df()``, as `tidy` meets it."""

import json
from typing import Any

import numpy as np
import pandas as pd

from evalframe.errors import FrameError, RoleError, rows_text

# The columns that together tell this frame from any other.
MARKS = ("sample_id", "eval_id", "id", "epoch", "model_usage")
TOKENS = "n_output_tokens"


def prepared(frame: pd.DataFrame, item: str | None, tokens: str | None) -> pd.DataFrame:
    """Return Inspect's frame with a column of output tokens, and any other frame as it is.

    Parameters
    ----------
    frame : DataFrame
        Not changed.
    item, tokens : str or None
        The columns that the user named for these roles.

    Raises
    ------
    RoleError
        If `item` is the column of executions.
    FrameError
        If ``model_usage`` is not what Inspect writes there.
    """
    if not set(MARKS) <= set(frame.columns):
        return frame
    if item == "sample_id":
        raise RoleError(
            "item='sample_id' is one execution in a frame of Inspect's samples_df(): every epoch "
            "and every log has its own, and no two arms share one. The question is 'id': "
            'df.evals.tidy(item="id", seed="epoch", arm="eval_id", score="score_...")'
        )
    # total_tokens counts the input too; the output stands inside model_usage alone.
    if tokens not in (None, "model_usage") or TOKENS in frame.columns:
        return frame
    counts = _output_tokens(frame)
    if tokens is None:
        return frame.assign(**{TOKENS: counts}) if counts.notna().any() else frame
    return frame.assign(model_usage=counts)


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
