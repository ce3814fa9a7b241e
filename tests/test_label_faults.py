"""Labels that are refused: of other types, of two types, too large, or missing."""

import datetime as dt
import re
import uuid
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from evalframe import FrameError

METHODS = {
    "score": lambda frame: frame.evals.score(by="task"),
    "compare": lambda frame: frame.evals.compare("base", by="task"),
    "mcnemar": lambda frame: frame.evals.mcnemar("base", by="task"),
    "tidy": lambda frame: frame.evals.tidy(),
}
# Each role by one method: all read labels alike.
READERS = [
    ("item_id", "mcnemar"),
    ("arm", "compare"),
    ("seed", "tidy"),
    ("cluster_id", "score"),
    ("task", "compare"),
]
IDS = [reader for reader in READERS if reader[0] != "task"]


def runs():
    """Return 24 rows: 6 items of 2 tasks and 4 clusters, 2 arms, 2 seeds."""
    frame = pd.DataFrame(
        [(item, arm, seed) for arm in ("base", "edit") for item in range(6) for seed in (0, 1)],
        columns=["item_id", "arm", "seed"],
    )
    frame["task"] = frame["item_id"].map(lambda item: "code" if item < 3 else "math")
    frame["cluster_id"] = frame["item_id"].map([0, 0, 1, 2, 3, 3].__getitem__)
    frame["score"] = [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0]
    return frame


def arrow(values, kind=None):
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.array(values, kind)))


def codes(role):
    return pd.factorize(runs()[role], sort=True)[0]


WRONG = {
    "tuples": [(1, 2)] * 24,
    "lists": [[1]] * 24,
    "dicts": [{"a": 1}] * 24,
    "sets": [{1}] * 24,
    "bytes": [b"a"] * 24,
    "decimals": [Decimal(1)] * 24,
    "uuids": [uuid.UUID(int=1)] * 24,
    "complex": [1j] * 24,
    "dates": [dt.date(2024, 1, 1)] * 24,
    "times": [dt.time(1)] * 24,
    "timedeltas": pd.to_timedelta([1] * 24, unit="s"),
    "periods": pd.period_range("2024", periods=1, freq="D").repeat(24),
    "intervals": pd.interval_range(0, 1).repeat(24),
    "infinite": [float("inf")] * 24,
    "text and integers": [7, "7"] * 12,
    "text and floats": [1.0, "1.0"] * 12,
    "integers and booleans": [1, True] * 12,
    "dates and datetimes": [dt.date(2024, 1, 1), dt.datetime(2024, 1, 1)] * 12,
    "zones": [pd.Timestamp("2024", tz="UTC"), pd.Timestamp("2024", tz="Europe/Zurich")] * 12,
    "with and without zone": [pd.Timestamp("2024", tz="UTC"), pd.Timestamp("2024")] * 12,
    "arrow lists": pa.array([[1]] * 24),
    "arrow structs": pa.array([{"a": 1}] * 24),
    "arrow binary": pa.array([b"a"] * 24),
    "arrow decimals": pa.array([Decimal(1)] * 24),
}


def wrong(name):
    values = WRONG[name]
    if isinstance(values, pa.Array):
        return pd.Series(pd.arrays.ArrowExtensionArray(values))
    return pd.Series(values, dtype=object if isinstance(values, list) else None)


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize(("role", "method"), READERS)
def test_labels_of_other_types_are_refused(name, role, method):
    frame = runs().assign(**{role: wrong(name)})
    remedy = re.escape(f"df.assign({role}=df[{role!r}].map(str))")
    with pytest.raises(FrameError, match=f"column '{role}' must hold labels.*{remedy}"):
        METHODS[method](frame)


@pytest.mark.parametrize("kind", ["float64", "Float64", "double[pyarrow]", "object", "category"])
@pytest.mark.parametrize(("role", "method"), IDS)
def test_floats_with_fractions_are_no_ids_and_the_first_one_is_named(kind, role, method):
    frame = runs().assign(**{role: pd.Series([1.0] * 5 + [1.5] * 19).astype(kind)})
    with pytest.raises(FrameError, match=rf"column '{role}' must hold labels.*1\.5 in row 5"):
        METHODS[method](frame)


@pytest.mark.parametrize(("role", "method"), READERS)
@pytest.mark.parametrize("kind", [object, "category"])
@pytest.mark.parametrize(("number", "text"), [(7, "7"), (1, "1.0"), (7, "007")])
def test_a_number_and_its_text_are_refused_naming_a_row_of_each(role, method, kind, number, text):
    mixed = pd.Series([number] * 4 + [text] * 20, dtype=object).astype(kind)
    found = re.escape(f"int ({number} in row 0) and str ({text!r} in row 4)")
    with pytest.raises(FrameError, match=f"column '{role}'.*{found}"):
        METHODS[method](runs().assign(**{role: mixed}))


@pytest.mark.parametrize(("role", "method"), READERS)
def test_a_category_that_no_row_has_does_not_count_as_a_type(role, method):
    labels = ["base", "edit", "f", "g", "h", "i"]
    mixed = pd.Categorical([labels[code] for code in codes(role)], categories=[*labels, 5, 1.5])
    assert len(METHODS[method](runs().assign(**{role: mixed}))) > 0


HUGE = {
    "uint64": pd.Series([2**64 - 1] * 24, dtype="uint64"),
    "object": pd.Series([10**30] * 24, dtype=object),
    "UInt64": pd.Series([2**63] * 24, dtype="UInt64"),
    "negative": pd.Series([-(2**63) - 1] * 24, dtype=object),
    "uint64[pyarrow]": pd.Series([2**63] * 24, dtype="uint64[pyarrow]"),
    "float": pd.Series([2.0**53] * 24),
}


@pytest.mark.parametrize("name", HUGE)
@pytest.mark.parametrize(("role", "method"), IDS)
def test_integers_that_do_not_fit_are_refused(name, role, method):
    remedy = re.escape(f"df.assign({role}=df[{role!r}].map(str))")
    with pytest.raises(FrameError, match=f"column '{role}'.*{remedy}"):
        METHODS[method](runs().assign(**{role: HUGE[name]}))


def gap(missing, kind=object):
    """Return a column with two labels, and none in rows 3 and 4."""
    known = [1, 2]
    if "date" in str(kind):
        known = [pd.Timestamp("2024"), pd.Timestamp("2025")]
    elif "bool" in str(kind):
        known = [True, False]
    elif kind in TEXTS:
        known = ["a", "b"]
    values = [missing if i in (3, 4) else known[i % 2] for i in range(24)]
    return pd.Series(values, dtype=kind)


TEXTS = (object, "str", "string[python]", "string[pyarrow]", "category")
GAPS = {
    **{f"{missing!r}": gap(missing) for missing in (None, float("nan"), pd.NA, pd.NaT)},
    **{kind: gap(None, kind) for kind in (
        "float64", "Int64", "boolean", "int64[pyarrow]", "double[pyarrow]", "bool[pyarrow]",
        "datetime64[ns]", "datetime64[ns, UTC]", *TEXTS[1:],
    )},
    "category of Int64": gap(None, "Int64").astype("category"),
    "arrow string": arrow(gap(None).tolist()),
    "arrow NaN": arrow([float("nan") if i in (3, 4) else 1.0 for i in range(24)]),
    "dictionary": pd.Series(
        pd.arrays.ArrowExtensionArray(pa.array(gap(None).tolist()).dictionary_encode())
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GAPS)
@pytest.mark.parametrize(("role", "method"), READERS)
def test_a_missing_label_is_refused_with_its_rows(name, role, method):
    found = re.escape("found none in 2 rows (counted from 0: 3, 4)")
    remedy = re.escape(f"df.dropna(subset=[{role!r}])")
    with pytest.raises(FrameError, match=f"column '{role}'.*{found}.*{remedy}"):
        METHODS[method](runs().assign(**{role: GAPS[name]}))


ALL_MISSING = {
    "None": pd.Series([None] * 24, dtype=object),
    "NaN": pd.Series([np.nan] * 24),
    "NaT": pd.Series([pd.NaT] * 24),
    "string": pd.Series([None] * 24, dtype="string"),
    "Int64": pd.Series([None] * 24, dtype="Int64"),
    "category": pd.Series(pd.Categorical([None] * 24)),
    "arrow null": arrow([None] * 24, pa.null()),
}


@pytest.mark.parametrize("name", ALL_MISSING)
@pytest.mark.parametrize(("role", "method"), READERS)
def test_a_column_without_any_label_is_refused_unless_it_is_the_clusters(name, role, method):
    frame = runs().assign(**{role: ALL_MISSING[name]})
    if role == "cluster_id":
        expected = METHODS[method](runs().drop(columns=role))
        assert_frame_equal(METHODS[method](frame)[expected.columns], expected, check_exact=True)
        return
    with pytest.raises(FrameError, match=f"column '{role}'.*found none in 24 rows"):
        METHODS[method](frame)


def test_the_rows_of_an_error_are_positions_whatever_the_index():
    frame = runs().assign(arm=GAPS["None"])
    frame.index = pd.Index([9] * 24)
    with pytest.raises(FrameError, match=r"counted from 0: 3, 4\)"):
        frame.evals.score()


def test_many_rows_are_counted_and_five_are_shown():
    frame = runs().assign(arm=pd.Series([None] * 12 + ["a"] * 12))
    with pytest.raises(
        FrameError, match=r"none in 12 rows \(counted from 0: 0, 1, 2, 3, 4, \.\.\.\)"
    ):
        frame.evals.score()
