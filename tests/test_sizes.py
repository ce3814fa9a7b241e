"""Frames without rows, with one item and with one cluster, to every method."""

import pandas as pd
import pytest
from apart import calls
from every_method import CALLS, clean, runs

LABELS = ["arm", "baseline", "reference", "item_id"]
EMPTY = {
    "as they were": lambda frame: frame,
    "object": lambda frame: frame.astype(object),
    "no dtype": lambda frame: pd.DataFrame(columns=list(frame.columns)),
    "category": lambda frame: frame.astype(dict.fromkeys(["item_id", "arm", "seed"], "category")),
    "nullable": lambda frame: frame.convert_dtypes(),
    "arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
}


@pytest.mark.parametrize("name", CALLS)
def test_no_rows_give_no_rows_of_the_same_dtypes(name):
    full = clean(name)
    kinds = [column for column in full.columns if column not in LABELS]
    for stored in EMPTY.values():
        empty = CALLS[name].run(stored(runs().iloc[:0]))
        assert len(empty) == 0
        assert list(empty.columns) == list(full.columns)
        assert empty[kinds].dtypes.equals(full[kinds].dtypes)
        assert isinstance(empty.index, pd.RangeIndex)


@pytest.mark.parametrize("name", calls("groups alone"))
def test_no_rows_keep_the_columns_of_by(name):
    frame = runs().assign(lang="en")
    empty = CALLS[name].run(frame.iloc[:0], by=["task", "lang"])
    assert len(empty) == 0
    assert list(empty.columns) == list(CALLS[name].run(frame, by=["task", "lang"]).columns)


SPREAD = ["se", "conf_low", "conf_high", "mde", "icc", "sim_low"]


def unknown_of(name):
    """Return the columns that one item, or one cluster, leaves without a number."""
    table = CALLS[name].table
    if table == "coverage":
        # It is asked of a design, and draws one item as well.
        return []
    if name == "power":
        return ["se", "power"]
    # An exact interval of one item right or wrong is wide, and known.
    return ["se"] if name.endswith("auto") else [c for c in SPREAD if c in clean(name)]


@pytest.mark.parametrize("name", calls("errors"))
@pytest.mark.parametrize("case", ["one item", "one cluster"])
def test_one_item_and_one_cluster_have_no_error_and_say_so(name, case):
    frame = runs(n_clusters=1)
    if case == "one item" or name not in calls("clusters"):
        # An author still needs training texts of other items.
        training = (frame["split"] == "train") & (CALLS[name].table == "voice")
        frame = frame[(frame["item_id"] == 0) | training]
        frame = frame if CALLS[name].table == "icc" else frame.drop(columns="cluster_id")
    result = CALLS[name].run(frame)
    assert len(result) > 0
    shown = result if "metric" not in result else result[result["metric"] != "tokens"]
    assert shown[unknown_of(name)].isna().all(axis=None)
    assert (result["note"] != "").all()
