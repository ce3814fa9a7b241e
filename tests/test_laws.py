"""What holds for every method and every result: `every_method.py` has the calls."""

import copy
import inspect
import json

import numpy as np
import pandas as pd
import pytest
from apart import APART, ELSEWHERE, READ_OTHERWISE, READERS, TAKEN, calls
from awkward import SAME
from every_method import CALLS, clean, runs, takes
from pandas.testing import assert_frame_equal

import evalframe as ef
from evalframe.results import DTYPE, FLOOR, MARGIN, TABLES

PUBLIC = sorted(name for name in vars(ef.Evals) if not name.startswith("_"))
LABELS = ["arm", "baseline", "reference"]
# A p that is adjusted is that of all rows together, and the note says of how many.
FAMILIES = {
    "mcnemar": ("p_adjusted", "note"),
    "mcnemar, chi2": ("p_adjusted", "note"),
    "compare, adjusted": ("mcnemar_p", "note"),
}


def same(one, other, without=()):
    left, right = (f.drop(columns=[c for c in without if c in f]) for f in (one, other))
    assert_frame_equal(left.reset_index(drop=True), right.reset_index(drop=True), check_exact=True)


TOGETHER = ("p_adjusted", "mcnemar_p", "sim_low", "sim_high", "sim_quantile", "n_tests", "note")


def kinds_of(name):
    """Return the columns of a result and the kind of each, those that an option adds included."""
    kinds = dict(TABLES[CALLS[name].table])
    for option, added in (("margin", MARGIN), ("floor", FLOOR)):
        if name == f"compare, {option}":
            note = kinds.pop("note")
            kinds |= {**added, "note": note}
    return kinds


def in_order(result):
    """Return the rows arm by arm, in the order they have in each."""
    place = result.groupby("arm", observed=True).cumcount()
    return result.assign(place=place).sort_values(["arm", "place"]).drop(columns="place")


def test_every_public_name_is_called_or_tested_elsewhere():
    called = {name.partition(",")[0] for name in CALLS}
    errors = {name for name in ef.__all__ if name.endswith("Error")}
    assert called | set(ELSEWHERE) == (set(ef.__all__) | set(PUBLIC)) - errors - {"Evals"}
    assert not called & set(ELSEWHERE)


def test_every_exception_is_of_a_call():
    known = {*CALLS, *(name.partition(",")[0] for name in CALLS)}
    assert {name for reasons in APART.values() for name in reasons} <= known
    assert {name for name, _ in TAKEN} | set(READ_OTHERWISE) <= known


@pytest.mark.parametrize("name", PUBLIC)
def test_options_are_named_and_none_is_swallowed(name):
    parameters = inspect.signature(getattr(ef, name)).parameters.values()
    kinds = {parameter.kind for parameter in parameters}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    assert inspect.Parameter.VAR_POSITIONAL not in kinds
    unnamed = [one.name for one in parameters if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    # After the frame only what a method cannot do without may stand without its name.
    asked = ["baseline", "reference", "reference_mean"]
    assert set(unnamed[1:]) <= set(asked)


@pytest.mark.parametrize("name", CALLS)
def test_columns_and_dtypes_are_those_of_the_table(name):
    result, kinds = clean(name), kinds_of(name)
    assert list(result.columns) == list(kinds)
    for column, kind in kinds.items():
        if kind != "label":
            assert result[column].dtype == pd.Series([], dtype=DTYPE[kind]).dtype
    assert result.attrs["evalframe"]["table"] == CALLS[name].table
    assert isinstance(result.index, pd.RangeIndex)
    if "note" in kinds:
        assert result["note"].map(type).eq(str).all()


@pytest.mark.parametrize("name", CALLS)
def test_parquet_gives_it_back(name, tmp_path):
    result = clean(name)
    json.dumps(result.attrs["evalframe"], allow_nan=False)
    result.to_parquet(tmp_path / "result.parquet")
    ef.write_parquet(result, tmp_path / "written.parquet")
    for file in ("result", "written"):
        back = pd.read_parquet(tmp_path / f"{file}.parquet")
        assert_frame_equal(back, result, check_exact=True)
        assert back.attrs == result.attrs


@pytest.mark.parametrize("name", calls("rows in other words"))
def test_neither_row_order_nor_names_nor_other_columns_matter(name):
    frame, result = runs(), clean(name)
    other = frame.sample(frac=1, random_state=2).assign(extra="?", item_id=lambda f: -f["item_id"])
    same(CALLS[name].run(other[other.columns[::-1]]), result)
    texts = frame.assign(cluster_id=frame["cluster_id"].map("c{}".format))
    same(CALLS[name].run(texts), result)


@pytest.mark.parametrize("name", calls("arms in rows"))
def test_arms_of_other_names_have_the_same_numbers(name):
    # With x as floor the two cannot change places; then they take names of another order.
    names = {"x": "y", "y": "x"} if name != "compare, floor" else {"base": "z"}
    back = {new: old for old, new in names.items()}
    other = runs().replace({"arm": names, "baseline": names})
    if name == "compare, floor":
        swapped = ef.compare(other, "z", value="score", floor="x")
    else:
        swapped = CALLS[name].run(other)
    swapped = swapped.replace({"arm": back, "baseline": back})
    same(in_order(swapped), in_order(clean(name)))


@pytest.mark.parametrize("name", CALLS)
def test_the_input_is_not_changed(name):
    for dress in ("read-only arrays", "every column nullable"):
        frame = SAME[dress](runs())
        frame.attrs["mine"] = [1, {"deep": 2}]
        before, attrs = frame.copy(deep=True), copy.deepcopy(frame.attrs)
        result = CALLS[name].run(frame)
        result.iloc[:, :] = result.iloc[::-1].to_numpy()
        assert_frame_equal(frame, before, check_exact=True)
        assert frame.attrs == attrs


@pytest.mark.parametrize("name", CALLS)
def test_numpy_told_to_raise_has_nothing_to_raise(name):
    with np.errstate(divide="raise", invalid="raise", over="raise"):
        assert_frame_equal(CALLS[name].run(runs()), clean(name), check_exact=True)


@pytest.mark.parametrize("name", calls("groups alone"))
def test_a_group_alone_is_that_group_among_others(name):
    frame = runs()
    whole = CALLS[name].run(frame, by="task")
    assert whole["task"].drop_duplicates().tolist() == ["even", "odd"]
    for task, part in whole.groupby("task"):
        alone = CALLS[name].run(frame[frame["task"] == task])
        same(part.drop(columns="task"), alone, FAMILIES.get(name, ()))


@pytest.mark.parametrize("name", calls("arms in rows", "arms alone"))
def test_an_arm_more_changes_nothing_of_the_others(name):
    frame = runs()
    alone = CALLS[name].run(frame[frame["arm"] != "y"])
    among = clean(name)
    same(among[among["arm"] != "y"], alone, [*TOGETHER, "n_items_absent"])


SEVERAL = [n for n in calls("several values") if CALLS[n].value == "score" and takes(n, "value")]


@pytest.mark.parametrize("name", SEVERAL)
def test_one_value_at_a_time_is_all_at_once(name):
    values = ["score", "passed"]
    together = CALLS[name].run(runs(), value=values)
    for value in values:
        rows = together[together["metric"] == value]
        same(rows, CALLS[name].run(runs(), value=value), TOGETHER)


@pytest.mark.parametrize("name", calls("arms in rows", "arms alike"))
def test_two_arms_alike_have_the_same_numbers(name):
    frame = runs()
    read = ["score", "passed", "gold", "n_output_tokens", "hit_cap", "output"]
    frame.loc[frame["arm"] == "y", read] = frame.loc[frame["arm"] == "x", read].to_numpy()
    frame = frame.astype(runs()[read].dtypes)
    result = CALLS[name].run(frame)
    x, y = (result[result["arm"] == arm].drop(columns="arm") for arm in "xy")
    same(x, y)


OTHER_TYPES = {
    "text": lambda ids: ids.map("{:04d}".format).astype(object),
    "str": lambda ids: ids.map("{:04d}".format).astype("str"),
    "string": lambda ids: ids.map("{:04d}".format).astype("string[python]"),
    "arrow": lambda ids: ids.map("{:04d}".format).astype("string[pyarrow]"),
    "category": lambda ids: ids.map("{:04d}".format).astype("category"),
    "unused": lambda ids: ids.astype("category").cat.add_categories([99, -7]),
    "Int64": lambda ids: ids.astype("Int64"),
    "whole floats": lambda ids: ids.astype(float),
    "datetime": lambda ids: pd.Timestamp("2024-01-01") + pd.to_timedelta(ids, "D"),
    "large": lambda ids: ids + 1344800117571260417,
}


@pytest.mark.parametrize("kind", OTHER_TYPES)
@pytest.mark.parametrize("name", READERS)
def test_ids_of_other_types_have_the_same_numbers(name, kind):
    frame = runs()
    ids = ["item_id", "seed", "cluster_id"]
    other = frame.assign(**{column: OTHER_TYPES[kind](frame[column]) for column in ids})
    same(CALLS[name].run(other), clean(name))


@pytest.mark.parametrize("name", calls("arms in rows"))
def test_arms_as_categories_have_the_same_numbers(name):
    arms = runs()["arm"].astype(pd.CategoricalDtype(["unused", "y", "base", "x"]))
    result, expected = CALLS[name].run(runs().assign(arm=arms)), in_order(clean(name))
    order = result["arm"].astype(str).drop_duplicates().tolist()
    assert order == [arm for arm in ("y", "base", "x") if arm in order]
    result = in_order(result.assign(**{c: result[c].astype(str) for c in LABELS if c in result}))
    plain = [c for c in expected if c not in LABELS or expected[c].notna().all()]
    same(result[plain], expected[plain].astype({c: str for c in LABELS if c in plain}))


@pytest.mark.parametrize("name", CALLS)
def test_an_option_that_is_not_there_is_a_type_error(name):
    with pytest.raises(TypeError, match="unexpected keyword argument 'clusters'"):
        CALLS[name].run(runs(), clusters=True)


FILLED = [n for n in calls("zeros") if CALLS[n].value == "score" and takes(n, "missing")]


@pytest.mark.parametrize("name", FILLED)
@pytest.mark.parametrize("missing", ["zero", "drop"])
def test_missing_values_leave_a_trace_whatever_becomes_of_them(name, missing):
    frame = runs().astype({"score": float})
    frame.loc[frame.index[[0, 5]], "score"] = float("nan")
    found = CALLS[name].run(frame, missing=missing)
    said = "missing counted as 0" if missing == "zero" else "missing left out|dropped"
    counts = found.get("n_missing", found.get("n_dropped", found["note"].str.len() * 0))
    assert found["note"].str.contains(said).any() or (counts.fillna(0) > 0).any()
