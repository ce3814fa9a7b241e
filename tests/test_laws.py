"""What holds for every method and every result: `every_method.py` has the calls."""

import inspect
import json

import pandas as pd
import pytest
from every_method import CALLS, OTHERS, runs
from pandas.testing import assert_frame_equal

import evalframe as ef
from evalframe.results import DTYPE, FLOOR, MARGIN, TABLES

PUBLIC = sorted(name for name in vars(ef.Evals) if not name.startswith("_"))
LABELS = ["arm", "baseline", "reference"]
BY = [name for name, call in CALLS.items() if call.by]
# A row of pairs has two arms, and their order is that of names: its own tests hold these laws.
ONE_ROW_AN_ARM = [n for n, call in CALLS.items() if "arm" in TABLES[call.table] and n != "pairs"]
# Their p, limits and numbers of tests are those of all rows together, by design.
FAMILIES = ("p_adjusted", "note")


def same(one, other, without=()):
    left, right = (f.drop(columns=[c for c in without if c in f]) for f in (one, other))
    assert_frame_equal(left.reset_index(drop=True), right.reset_index(drop=True), check_exact=True)


def kinds_of(name):
    """Return the columns of a result and the kind of each, those that an option adds included."""
    kinds = dict(TABLES[CALLS[name].table])
    for option, added in (("margin", MARGIN), ("floor", FLOOR)):
        if name == f"compare, {option}":
            note = kinds.pop("note")
            kinds |= {**added, "note": note}
    return kinds


def test_every_public_method_is_called():
    assert {name.partition(",")[0] for name in CALLS} | OTHERS >= set(PUBLIC)


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
    result, kinds = CALLS[name].run(runs()), kinds_of(name)
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
    result = CALLS[name].run(runs())
    json.dumps(result.attrs["evalframe"], allow_nan=False)
    result.to_parquet(tmp_path / "result.parquet")
    ef.write_parquet(result, tmp_path / "written.parquet")
    for file in ("result", "written"):
        back = pd.read_parquet(tmp_path / f"{file}.parquet")
        assert_frame_equal(back, result, check_exact=True)
        assert back.attrs == result.attrs


@pytest.mark.parametrize("name", CALLS)
def test_neither_row_order_nor_names_nor_other_columns_matter(name):
    frame = runs()
    result = CALLS[name].run(frame)
    other = frame.sample(frac=1, random_state=2).assign(extra="?", item_id=lambda f: -f["item_id"])
    same(CALLS[name].run(other[other.columns[::-1]]), result)
    texts = frame.assign(cluster_id=frame["cluster_id"].map("c{}".format))
    same(CALLS[name].run(texts), result)


@pytest.mark.parametrize("name", ONE_ROW_AN_ARM)
def test_arms_of_other_names_have_the_same_numbers(name):
    frame = runs()
    result = CALLS[name].run(frame)
    other = frame.replace({"arm": {"x": "y", "y": "x"}})
    if name == "compare, floor":
        other = other.replace({"arm": {"x": "y", "y": "x"}})
    swapped = CALLS[name].run(other).replace({"arm": {"x": "y", "y": "x"}})
    if name == "compare, floor":
        swapped = swapped.replace({"arm": {"x": "y", "y": "x"}})
    swapped["place"] = swapped.groupby("arm").cumcount()
    swapped = swapped.sort_values(["arm", "place"]).drop(columns="place")
    same(swapped, result)


@pytest.mark.parametrize("name", CALLS)
def test_the_input_is_not_changed(name):
    frame = runs()
    frame.attrs["mine"] = 1
    before = frame.copy(deep=True)
    CALLS[name].run(frame)
    assert_frame_equal(frame, before, check_exact=True)
    assert frame.attrs == before.attrs


@pytest.mark.parametrize("name", BY)
def test_a_group_alone_is_that_group_among_others(name):
    frame = runs()
    whole = CALLS[name].run(frame, by="task")
    assert whole["task"].drop_duplicates().tolist() == ["even", "odd"]
    for task, part in whole.groupby("task"):
        alone = CALLS[name].run(frame[frame["task"] == task])
        same(part.drop(columns="task"), alone, FAMILIES if name == "mcnemar" else ())


@pytest.mark.parametrize("name", CALLS)
def test_no_rows_give_no_rows_of_the_same_dtypes(name):
    frame = runs()
    empty, full = CALLS[name].run(frame.iloc[:0]), CALLS[name].run(frame)
    assert len(empty) == 0
    assert list(empty.columns) == list(full.columns)
    kinds = [column for column in full.columns if column not in LABELS]
    assert empty[kinds].dtypes.equals(full[kinds].dtypes)


SPREAD = ["se", "conf_low", "conf_high", "mde", "icc", "sim_low"]


@pytest.mark.parametrize("name", [name for name in CALLS if name != "overview"])
@pytest.mark.parametrize("case", ["one item", "one cluster"])
def test_one_item_and_one_cluster_have_no_error_and_say_so(name, case):
    frame = runs(n_clusters=1)
    if case == "one item":
        frame = frame[frame["item_id"] == 0]
        frame = frame if CALLS[name].table == "icc" else frame.drop(columns="cluster_id")
    if case == "one cluster" and "cluster_id" not in CALLS[name].reads:
        frame = frame[frame["item_id"] == 0]
    result = CALLS[name].run(frame)
    assert len(result) > 0
    unknown = [column for column in SPREAD if column in result.columns]
    if CALLS[name].table == "coverage":
        # It is asked of a design, and draws one item as well.
        unknown = []
    if name == "power":
        unknown = ["se", "power"]
    if name.endswith("auto"):
        # An exact interval of one item right or wrong is wide, and known.
        unknown = ["se"]
    shown = result if "metric" not in result else result[result["metric"] != "tokens"]
    assert shown[unknown].isna().all(axis=None)
    assert (result["note"] != "").all()


@pytest.mark.parametrize("name", [name for name in ONE_ROW_AN_ARM if name != "compare, floor"])
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
@pytest.mark.parametrize("name", CALLS)
def test_ids_of_other_types_have_the_same_numbers(name, kind):
    frame = runs()
    ids = ["item_id", "seed", "cluster_id"]
    other = frame.assign(**{column: OTHER_TYPES[kind](frame[column]) for column in ids})
    same(CALLS[name].run(other), CALLS[name].run(frame))


@pytest.mark.parametrize("name", ONE_ROW_AN_ARM)
def test_arms_as_categories_have_the_same_numbers(name):
    arms = runs()["arm"].astype(pd.CategoricalDtype(["unused", "y", "base", "x"]))
    result = CALLS[name].run(runs().assign(arm=arms))
    order = result["arm"].astype(str).drop_duplicates().tolist()
    assert order == [arm for arm in ("y", "base", "x") if arm in order]
    result = result.assign(**{c: result[c].astype(str) for c in LABELS if c in result})
    result["place"] = result.groupby("arm").cumcount()
    result = result.sort_values(["arm", "place"]).drop(columns="place")
    expected = CALLS[name].run(runs())
    plain = [c for c in expected if c not in LABELS or expected[c].notna().all()]
    same(result[plain], expected[plain].astype({c: str for c in LABELS if c in plain}))


@pytest.mark.parametrize("name", CALLS)
def test_an_option_that_is_not_there_is_a_type_error(name):
    with pytest.raises(TypeError, match="unexpected keyword argument 'clusters'"):
        CALLS[name].run(runs(), clusters=True)


# Of a judge's scores none is counted as 0: debias and label_plan have no such choice.
FILLED = [
    name
    for name, call in CALLS.items()
    if call.value == "score"
    and "missing" in inspect.signature(getattr(ef, name.partition(",")[0])).parameters
    and call.table not in ("debias", "label_plan")
]


@pytest.mark.parametrize("name", FILLED)
@pytest.mark.parametrize("missing", ["zero", "drop"])
def test_missing_values_leave_a_trace_whatever_becomes_of_them(name, missing):
    frame = runs().astype({"score": float})
    frame.loc[frame.index[[0, 5]], "score"] = float("nan")
    found = CALLS[name].run(frame, missing=missing)
    said = "missing counted as 0" if missing == "zero" else "missing left out|dropped"
    counts = found.get("n_missing", found.get("n_dropped", found["note"].str.len() * 0))
    assert found["note"].str.contains(said).any() or (counts.fillna(0) > 0).any()
