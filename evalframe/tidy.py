"""A frame made tidy: canonical names, plain dtypes, checked keys."""

from collections.abc import Hashable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from evalframe import roles, samples_df
from evalframe.errors import FrameError
from evalframe.labels import complete, to_codes
from evalframe.numbers import to_numbers
from evalframe.runs import select


def tidy(
    frame: pd.DataFrame,
    *,
    item: str | None = None,
    arm: str | None = None,
    seed: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    tokens: str | None = None,
    hit_cap: str | None = None,
    prompt_hash: str | None = None,
    text: str | None = None,
    split: str | None = None,
    value_map: Mapping[Hashable, float] | None = None,
    by: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    """Rename columns to the names every method reads, convert their dtypes and check their keys.

    Ids keep their type: "007" stays text and 7 stays an integer; a column with both is refused.
    Grades are never guessed: text becomes numbers through `value_map` alone. The frame of Inspect
    AI's ``samples_df()`` is taken as it is; its output tokens come out of ``model_usage``.

    Parameters
    ----------
    frame : DataFrame
        One row a run: an item, an arm, a seed. It is not changed.
    item, arm, seed, score, cluster, tokens, hit_cap, prompt_hash, text, split : str, optional
        The column that plays each role. None: the canonical one (``item_id``, ``arm``, ``seed``,
        ``score``, ``cluster_id``, ``n_output_tokens``, ``hit_cap``, ``prompt_hash``, ``output``,
        ``split``), where the frame has it. Only an item is required.
    value_map : mapping, optional
        What each label of the score column is worth, for example ``{"C": 1, "I": 0}``. A missing
        score stays missing, and a number beside labels is worth itself; a label that is not in the
        map is an error.
    by : str or sequence of str, optional
        Columns within which items are numbered, as where ids start anew in each task: the methods
        then take the same `by`.

    Returns
    -------
    DataFrame
        The same rows, index and extra columns, under the canonical names. Scores and tokens are
        float64 (NaN where missing), hit_cap is bool (boolean with missing ones), ids are str,
        int64, bool, datetime or a category of text.

    Raises
    ------
    RoleError
        If a column is missing or named twice.
    FrameError
        If ids are missing or of mixed types, a key (item, arm, seed) repeats, a cluster changes
        inside an item, or a grade is text or infinite.

    Examples
    --------
    >>> import pandas as pd
    >>> raw = pd.DataFrame({"question": ["q1", "q2"], "grade": ["C", "I"]})
    >>> tidy(raw, item="question", score="grade", value_map={"C": 1, "I": 0})
      item_id  score
    0      q1    1.0
    1      q2    0.0
    """
    named = {
        "item": item,
        "arm": arm,
        "seed": seed,
        "score": score,
        "cluster": cluster,
        "tokens": tokens,
        "hit_cap": hit_cap,
        "prompt_hash": prompt_hash,
        "text": text,
        "split": split,
    }
    roles.check_names(frame)
    result = roles.rename(samples_df.prepared(frame, named), named)
    roles.need(result, {"item": "item_id"})
    if value_map is not None:
        roles.need(result, {"score": "score"})
        result["score"] = mapped(result["score"], value_map)
    for column in ("score", "n_output_tokens"):
        if column in result:
            result[column] = to_numbers(result[column], column)
    # In a reduced frame it is the share of an item's runs.
    if "hit_cap" in result and roles.RUNS not in result:
        result["hit_cap"] = flags(result["hit_cap"])
    for column in ("item_id", "arm", "seed", "cluster_id"):
        if column in result and not result[column].isna().all():
            codes = complete(to_codes(result[column], column, sort=False), column)
            result[column] = pd.Series(
                codes.labels.take(codes.codes), index=result.index, dtype=codes.labels.dtype
            )
    groups: list[Any] = list(by) if isinstance(by, list | tuple | pd.Index) else [by]
    groups = [] if by is None else groups
    select(result, (), by=groups, reduced=True)
    return result


def mapped(column: pd.Series, value_map: Mapping[Hashable, float]) -> pd.Series:
    """Return a column of labels as what each is worth.

    Raises
    ------
    FrameError
        If a label is not in the map, or a worth is no finite number.
    """
    if not isinstance(value_map, Mapping):
        raise FrameError(
            f"value_map must say what each label is worth, found {value_map!r}; for example "
            "value_map={'C': 1, 'I': 0}"
        )
    worthless = [label for label, one in value_map.items() if not _is_worth(one)]
    if worthless:
        raise FrameError(
            f"value_map must give a finite number for each label, found "
            f"{value_map[worthless[0]]!r} for {worthless[0]!r}; for example "
            "value_map={'C': 1, 'I': 0}"
        )
    try:
        codes, labels = pd.factorize(column.astype(object))
    except TypeError:
        # Lists and dicts are no labels: the error for grades that are no numbers says so.
        return pd.Series(to_numbers(column, "score"), index=column.index)
    unknown = [label for label in labels.tolist() if label not in value_map]
    # A map of codes such as 1 and 2 must have them all.
    coded = any(isinstance(label, Real) for label in value_map)
    numbers = [label for label in unknown if isinstance(label, Real) and not coded]
    shown = ", ".join(sorted({repr(label) for label in unknown})[:10])
    if unknown and len(numbers) == len(labels):
        raise FrameError(
            f"value_map must hold labels of column 'score', found numbers alone: {shown}; they are "
            "worth what they say: leave value_map out"
        )
    if len(unknown) > len(numbers):
        raise FrameError(
            f"value_map must hold every label of column 'score', found {len(unknown)} without a "
            f"value: {shown}; it has {', '.join(map(repr, value_map))}"
        )
    # Looked up as Python does, to which True is 1; a missing one is -1, the last.
    worth = np.array([*(float(value_map.get(label, label)) for label in labels), np.nan])
    return pd.Series(worth[codes], index=column.index)


def _is_worth(one: object) -> bool:
    return isinstance(one, Real | Decimal | np.bool_) and bool(np.isfinite(float(one)))


def flags(column: pd.Series) -> pd.Series:
    """Return a column of true and false as bool, or boolean where some are missing.

    Raises
    ------
    FrameError
        If a value is neither.
    """
    numbers = to_numbers(column, "hit_cap")
    missing = np.isnan(numbers)
    wrong = np.flatnonzero(~missing & (numbers != 0) & (numbers != 1))
    if len(wrong):
        raise FrameError.of_rows(
            "column 'hit_cap' must hold true or false",
            f"{numbers[wrong[0]].item()!r}",
            wrong,
            "for example: df.assign(hit_cap=df['hit_cap'] > 0)",
            column="hit_cap",
        )
    flags = pd.Series(numbers == 1, index=column.index)
    return flags.astype("boolean").mask(missing) if missing.any() else flags
