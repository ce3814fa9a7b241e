import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from pandas.testing import assert_frame_equal

from evalframe import bootstrap, compare, mcnemar, permutation, score
from evalframe.results import DTYPE, FLOOR, TABLES, also, notes, plain, table, version

# The tables of the documentation, in order, with the kind of each column.
DOCUMENTED = {
    "score": "arm, metric(s), estimate, se, conf_low, conf_high, n_items(i), n_responses(i), "
    "n_missing(i), n_items_missing(i), n_clusters(I), design_effect, df, level, interval(s), "
    "clustered(b), note(s)",
    "compare": "arm, baseline, metric(s), baseline_mean, arm_mean, diff, diff_rel, se, conf_low, "
    "conf_high, mde, mcnemar_p, baseline_only(I), arm_only(I), n_items(i), n_dropped(i), "
    "n_clusters(I), df, level, interval(s), clustered(b), significant(b), small_n(b), note(s)",
    "overview": "arm, n_items(i), n_responses(i), seeds_min(i), seeds_max(i), n_clusters(I), "
    "n_missing(i), n_items_absent(i), mean",
    "check": "severity(s), column(s), fault(s), count(i), first(s), remedy(s)",
    "bootstrap": "arm, baseline, metric(s), statistic(s), estimate, bias, se, conf_low, conf_high, "
    "n_units(i), n_failed(i), n_boot(I), unit(s), method(s), level, note(s)",
    "permutation": "arm, baseline, metric(s), diff, p_value, n_units(i), n_dropped(i), n_perm(I), "
    "unit(s), method(s), alternative(s), note(s)",
    "exceeds_floor": "arm, baseline, metric(s), diff, floor_diff, floor_se, threshold, exceeds(b)",
    "mcnemar": "arm, baseline, metric(s), both_right(i), baseline_only(i), arm_only(i), "
    "both_wrong(i), odds_ratio, statistic, p_value, p_adjusted, n_items(i), n_dropped(i), "
    "method(s), note(s)",
}
KINDS = {"i": "int", "I": "count", "s": "str", "b": "bool"}
VALUES = {"float": 0.5, "int": 3, "count": 3, "str": "text", "bool": True}


def keys_of(name, n=2):
    labels = [column for column, kind in TABLES[name].items() if kind == "label"]
    return pd.DataFrame({"task": [1, 2], **{label: ["a", "b"] for label in labels}}).head(n)


def made(name="score", n=2, keys=None, **columns):
    keys = keys_of(name, n) if keys is None else keys
    values = {c: [VALUES[kind]] * n for c, kind in TABLES[name].items() if kind != "label"}
    return table(name, keys, values | columns, {"level": 0.95})


@pytest.mark.parametrize("name", DOCUMENTED)
def test_columns_order_and_dtypes_are_those_documented(name):
    expected = {}
    for column in DOCUMENTED[name].split(", "):
        bare, _, kind = column.rstrip(")").partition("(")
        expected[bare] = KINDS.get(kind, "label" if bare in ("arm", "baseline") else "float")
    assert list(TABLES[name].items()) == list(expected.items())


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("n", [2, 0])
def test_a_result_has_the_columns_and_dtypes_of_its_table(name, n):
    result = made(name, n)
    assert list(result.columns) == ["task", *TABLES[name]]
    assert isinstance(result.index, pd.RangeIndex)
    assert len(result) == n
    assert result["task"].dtype == np.int64
    for column, kind in TABLES[name].items():
        if kind == "str":
            assert result[column].dtype == pd.Series(["a"], dtype=str).dtype
        elif kind != "label":
            assert result[column].dtype == DTYPE[kind], column


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series([7, 8]),
        pd.Series([True, False]),
        pd.Series([0.5, 0.7]),
        pd.Series(pd.to_datetime(["2024-01-02", "2024-01-03"])),
        pd.Series(["x", "y"], dtype=pd.CategoricalDtype(["y", "x"], ordered=True)),
    ],
    ids=lambda labels: str(labels.dtype),
)
def test_labels_keep_their_dtype(labels):
    result = made(keys=pd.DataFrame({"task": labels, "arm": labels}))
    assert result["task"].dtype == result["arm"].dtype == labels.dtype
    assert result["arm"].tolist() == labels.tolist()


def test_floor_columns_stand_before_the_note():
    values = {column: [VALUES[kind]] * 2 for column, kind in FLOOR.items()}
    result = made("compare", **values)
    assert list(result.columns) == ["task", *list(TABLES["compare"])[:-1], *FLOOR, "note"]
    assert result["exceeds"].dtype == np.bool_
    assert "floor_diff" not in made("compare")


def test_the_order_of_the_tables_is_not_changed_by_making_results():
    before = json.dumps(TABLES)
    made("compare", **{column: [VALUES[kind]] * 2 for column, kind in FLOOR.items()})
    assert json.dumps(TABLES) == before


def test_a_count_that_does_not_exist_is_missing_and_a_scalar_stands_for_all_rows():
    result = made(n_clusters=np.nan, level=0.9, clustered=False)
    assert result["n_clusters"].isna().all()
    assert result["level"].tolist() == [0.9, 0.9]
    assert result["clustered"].tolist() == [False, False]


def test_the_index_of_the_keys_does_not_matter():
    assert_frame_equal(made(keys=keys_of("score").set_axis([5, 5])), made())


def test_provenance_is_json_plain_and_says_which_table_and_version():
    attrs = made().attrs
    assert attrs == {"evalframe": {"table": "score", "version": version(), "level": 0.95}}
    assert json.loads(json.dumps(attrs)) == attrs


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("n", [2, 0])
def test_a_result_survives_parquet(name, n, tmp_path):
    result = made(name, n)
    result.to_parquet(tmp_path / "result.parquet")
    back = pd.read_parquet(tmp_path / "result.parquet")
    assert_frame_equal(back, result, check_exact=True)
    assert back.attrs == result.attrs


def test_notes_join_what_is_said_of_each_row():
    some = np.array([True, False, True])
    all_rows = np.ones(3, dtype=bool)
    said = [(some, "few"), (all_rows, ["one", "", "three"]), (~some, "other")]
    assert notes(3, said) == ["few; one", "other", "few; three"]
    assert notes(2, []) == ["", ""]
    assert notes(0, [(np.zeros(0, dtype=bool), "few")]) == []


def test_more_is_said_of_all_rows_or_of_some():
    assert also(["few", ""], "more") == ["few; more", "more"]
    assert also(["few", ""], "more", np.array([False, True])) == ["few", "more"]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (np.int64(7), 7),
        (np.float64(0.5), 0.5),
        (np.bool_(True), True),
        ("a", "a"),
        (None, None),
        (pd.Timestamp("2024-01-02"), "2024-01-02 00:00:00"),
        (np.str_("a"), "a"),
    ],
)
def test_labels_become_plain_json_values(label, expected):
    assert plain(label) == expected
    assert type(plain(label)) is type(expected)
    assert_array_equal(json.loads(json.dumps(plain(label))), expected)


# Runs of four arms in two tasks: seeds, clusters, a missing score, a grade that is right or wrong
# over all seeds of an item.
RUNS = pd.MultiIndex.from_product([range(2), range(6), range(4), range(2)])
RUNS = RUNS.to_frame(index=False, name=["task", "item_id", "arm", "seed"]).assign(
    score=lambda f: (f["item_id"] * f["arm"] + f["task"] + f["seed"]) % 5 / 7,
    n_output_tokens=lambda f: 10 * f["item_id"] + f["arm"] ** 2,
    hit_cap=lambda f: (f["item_id"] + f["arm"]) % 3 == 0,
    cluster_id=lambda f: f["item_id"] // 2,
)
RUNS.loc[5, "score"] = np.nan
LABELS = {
    "text": list("abcd"),
    "int": [4, 5, 6, 7],
    "bool": [False, True],
    "datetime": pd.date_range("2024-01-01", periods=4),
    "category": pd.Categorical(list("dacb"), categories=list("dxacb")),
    "ordered": pd.Categorical(list("dacb"), categories=list("dxacb"), ordered=True),
}
METHODS = {
    "score": lambda frame, _: score(frame, value=["score", "tokens"], by="task"),
    "compare": lambda frame, arms: compare(frame, arms[1], by="task", missing="drop", n_boot=20),
    "floor": lambda frame, arms: compare(
        frame, arms[1], by="task", missing="drop", floor=arms[0], rng=None, n_boot=20
    ),
    "bootstrap": lambda frame, _: bootstrap(
        frame, value=["score", "tokens"], by="task", missing="drop", n_boot=20
    ),
    "permutation": lambda frame, arms: permutation(
        frame, arms[1], by="task", missing="drop", n_perm=20
    ),
    "mcnemar": lambda frame, arms: mcnemar(frame, arms[1], value="hit_cap", by="task"),
}
MADE = [(name, kind) for name in METHODS for kind in LABELS if (name, kind) != ("floor", "bool")]


def labelled(kind):
    """Return the runs with arms and tasks of a type, and the labels."""
    labels = pd.Series(LABELS[kind])
    frame = RUNS[RUNS["arm"] < len(labels)]
    return frame.assign(
        arm=labels.take(frame["arm"]).array, task=labels.take(frame["task"]).array
    ), labels


@pytest.mark.parametrize(("name", "kind"), MADE)
@pytest.mark.parametrize("rows", ["all", "none"])
def test_the_result_of_a_method_equals_itself_after_parquet(name, kind, rows, tmp_path):
    frame, labels = labelled(kind)
    result = METHODS[name](frame if rows == "all" else frame.head(0), labels)
    assert (len(result) > 0) == (rows == "all")
    result.to_parquet(tmp_path / "result.parquet")
    back = pd.read_parquet(tmp_path / "result.parquet")
    assert_frame_equal(back, result, check_exact=True)
    assert back.attrs == result.attrs
    assert json.loads(json.dumps(result.attrs)) == result.attrs


@pytest.mark.parametrize(("name", "kind"), MADE)
@pytest.mark.parametrize("rows", ["all", "none"])
def test_the_result_of_a_method_has_the_columns_and_dtypes_of_its_table(name, kind, rows):
    frame, labels = labelled(kind)
    result = METHODS[name](frame if rows == "all" else frame.head(0), labels)
    kinds = dict(TABLES["compare" if name == "floor" else name])
    if name == "floor":
        kinds = {k: v for k, v in kinds.items() if k != "note"} | FLOOR | {"note": "str"}
    assert list(result.columns) == ["task", *kinds]
    assert isinstance(result.index, pd.RangeIndex)
    for column, kind_of in kinds.items():
        if kind_of == "str":
            assert result[column].dtype == pd.Series(["a"], dtype=str).dtype
        elif kind_of != "label":
            assert result[column].dtype == DTYPE[kind_of], column


def test_fractions_in_by_stay_numbers(tmp_path):
    result = score(RUNS.assign(task=RUNS["task"] / 10), by="task")
    assert result["task"].unique().tolist() == [0, 0.1]
    result.to_parquet(tmp_path / "result.parquet")
    assert_frame_equal(pd.read_parquet(tmp_path / "result.parquet"), result, check_exact=True)


def test_arguments_of_numpy_types_leave_provenance_plain(tmp_path):
    result = compare(
        RUNS,
        np.int64(1),
        by=("task",),
        level=np.float32(0.75),
        n_boot=np.int32(10),
        rng=np.int64(2),
        missing="drop",
    )
    assert json.loads(json.dumps(result.attrs)) == result.attrs
    result.to_parquet(tmp_path / "result.parquet")
    assert pd.read_parquet(tmp_path / "result.parquet").attrs == result.attrs
