"""Frames that are odd and clean, and frames that must be refused: what each does to sound runs."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa


def numbers(frame, kind):
    """Return the frame with 0/1 columns of another dtype."""
    columns = ["score", "passed"]
    if kind == "Decimal":
        return frame.assign(**{c: [Decimal(int(x)) for x in frame[c]] for c in columns})
    if kind == "object":
        return frame.assign(**{c: frame[c].astype(object) for c in columns})
    return frame.astype(dict.fromkeys(columns, kind))


DTYPES = ["bool", "boolean", "Int64", "Float64", "int8", "float32", "object", "Decimal"]
ARROW = [pd.ArrowDtype(pa.float64()), pd.ArrowDtype(pa.bool_()), pd.ArrowDtype(pa.int16())]


def locked(frame):
    """Return the frame over arrays that cannot be written to."""
    columns = {}
    for name in frame.columns:
        values = frame[name].to_numpy().copy()
        values.flags.writeable = False
        columns[name] = pd.Series(values, copy=False)
    return pd.DataFrame(columns, copy=False)


def odd_names(frame):
    """Return the frame with more columns, whose names are no text or mean something elsewhere."""
    odd = frame.assign(note=np.nan, index=0, level_0=1, unit="u", group=None, segment=pd.NaT)
    odd[0], odd[None], odd[("a", "b")], odd[1.5] = 1, 2, 3, 4
    return odd


class Records(pd.DataFrame):
    """A frame of a class of its own."""

    @property
    def _constructor(self):
        return Records


# What is clean under another dress.
SAME = {
    **{f"scores as {kind}": lambda f, kind=kind: numbers(f, kind) for kind in DTYPES},
    **{f"scores as {kind}": lambda f, kind=kind: numbers(f, kind) for kind in ARROW},
    "one label for all rows": lambda f: f.set_axis([7] * len(f), axis=0),
    "an index of two levels": lambda f: f.set_axis(
        pd.MultiIndex.from_product([["a", "b"], range(len(f) // 2)]), axis=0
    ),
    "an index of datetimes": lambda f: f.set_axis(pd.date_range("2024", periods=len(f)), axis=0),
    "an index named as a column": lambda f: f.rename_axis("item_id"),
    "a view": lambda f: pd.concat([f.assign(seed=9), f]).iloc[len(f) :],
    "read-only arrays": locked,
    "shuffled rows": lambda f: f.sample(frac=1, random_state=5),
    "a column named evals": lambda f: f.assign(evals=1),
    "a column of lists": lambda f: f.assign(extra=[[1, {}]] * len(f)),
    "a column of missing text": lambda f: f.assign(extra=None),
    "named columns": lambda f: f.rename_axis(columns="field"),
    "an index of missing labels": lambda f: f.set_axis([np.nan] * len(f), axis=0),
    "column names as categories": lambda f: f.set_axis(pd.CategoricalIndex(f.columns), axis=1),
    "column names as string": lambda f: f.set_axis(f.columns.astype("string[python]"), axis=1),
    "columns of odd names": odd_names,
    "labels that may not repeat": lambda f: f.set_flags(allows_duplicate_labels=False),
    "a frame of another class": Records,
    "every column nullable": lambda f: f.convert_dtypes(),
    "every column of Arrow": lambda f: f.convert_dtypes(dtype_backend="pyarrow"),
}

# What is refused, and what of the message must be there.
REFUSED = {
    "no item column": (lambda f: f.drop(columns="item_id"), "no column 'item_id'"),
    "an infinite score": (
        lambda f: f.assign(score=f["score"].where(f.index != 3, np.inf), passed=np.inf),
        r"'(score|passed)' must hold finite numbers",
    ),
    "scores as text": (
        lambda f: f.assign(**dict.fromkeys(["score", "passed"], f["score"].map({0: "I", 1: "C"}))),
        r"value_map=\{'C': 1, 'I': 0\}|'passed' must hold numbers|must be all numbers or all",
    ),
    "scores as digits in text": (
        lambda f: f.assign(**dict.fromkeys(["score", "passed"], f["score"].map("{:.1f}".format))),
        r"'(score|passed)' must hold numbers|must be all numbers or all labels",
    ),
    "a missing item": (
        lambda f: f.assign(item_id=f["item_id"].astype("Int64").where(f.index != 3)),
        "column 'item_id'.*missing|column 'item_id' must have",
    ),
    "a missing arm": (lambda f: f.assign(arm=f["arm"].where(f.index != 3)), "column 'arm'"),
    "a missing seed": (lambda f: f.assign(seed=f["seed"].where(f.index != 3)), "column 'seed'"),
    "ids of two types": (
        lambda f: f.assign(item_id=f["item_id"].astype(object).where(f["item_id"] != 3, "3")),
        "column 'item_id'",
    ),
    "ids as tuples": (lambda f: f.assign(item_id=[(i,) for i in f["item_id"]]), "'item_id'"),
    "ids as lists": (lambda f: f.assign(item_id=[[i] for i in f["item_id"]]), "'item_id'"),
    "ids with fractions": (lambda f: f.assign(item_id=f["item_id"] + 0.5), "'item_id'"),
    "a key twice": (lambda f: pd.concat([f, f.iloc[[3]]]), r"item_id=0, arm='x', seed=1"),
    "a key twice, of two filters": (
        lambda f: pd.concat([f.assign(filter="a"), f.assign(filter="b")]),
        "filter",
    ),
    **{
        f"two columns {name}": (
            lambda f, name=name: pd.concat([f, f[[name]]], axis=1),
            rf"column names must be unique.*'{name}'.*df\.loc\[:, ~df\.columns\.duplicated\(\)\]",
        )
        for name in ("score", "item_id", "arm", "task")
    },
    "columns of two levels": (
        lambda f: f.set_axis(pd.MultiIndex.from_product([["a"], f.columns]), axis=1),
        r"2 levels \(first column: \('a', 'item_id'\)\).*join",
    ),
    "a cluster that changes inside an item": (
        lambda f: f.assign(cluster_id=f["cluster_id"].where(f.index != 3, 77)),
        "column 'cluster_id' must be the same",
    ),
    "a cluster in some rows only": (
        lambda f: f.assign(cluster_id=f["cluster_id"].where(f["item_id"] != 3)),
        "column 'cluster_id'",
    ),
    "another prompt": (
        lambda f: f.assign(prompt_hash=f["prompt_hash"].where(f.index != 3, "other")),
        "prompt_hash",
    ),
    "an arm that is not there": (lambda f: f.replace({"arm": {"base": "b"}}), "'base'"),
    "items that an arm lacks": (
        lambda f: f[(f["arm"] != "x") | (f["item_id"] > 1)],
        r"item_id=0|item\(s\): 0",
    ),
    "runs that an arm lacks": (
        lambda f: f[(f["arm"] != "x") | (f["item_id"] > 1) | (f["seed"] > 0)],
        r"item_id=0|item\(s\): 0",
    ),
}
