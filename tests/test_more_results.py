"""What holds for every result of variance, planning and further comparisons."""

import json

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import evalframe as ef
from evalframe.results import DTYPE, MARGIN, TABLES

FULL = {
    "icc": ("icc", lambda f, **o: ef.icc(f, **o)),
    "icc_paired": ("icc", lambda f, **o: ef.icc(f, "base", **o)),
    "variance": ("variance", lambda f, **o: ef.variance(f, **o)),
    "sample_size": ("plan", lambda f, **o: ef.sample_size(f, "base", effect=0.1, **o)),
    "power": ("plan", lambda f, **o: ef.power(f, "base", effect=0.1, paired=False, **o)),
    "mde": ("plan", lambda f, **o: ef.mde(f, "base", seeds=3, **o)),
    "contrasts": ("contrasts", lambda f, **o: ef.contrasts(f, "base", n_draws=200, **o)),
    "unpaired_contrasts": (
        "contrasts",
        lambda f, **o: ef.contrasts(f, "base", paired=False, n_draws=200, **o),
    ),
    "pooled": ("pooled", lambda f, **o: ef.pooled(f, **{"by": "task", **o})),
    "pooled_gaps": ("pooled", lambda f, **o: ef.pooled(f, "base", **{"by": "task", **o})),
    "adjusted": ("adjusted", lambda f, **o: ef.adjusted(f, "base", 0.5, **o)),
    "pass_at_k": ("passes", lambda f, **o: ef.pass_at_k(f, k=[1, 2], **o)),
    "pass_hat_k": ("passes", lambda f, **o: ef.pass_hat_k(f, k=2, **o)),
    "coverage": ("coverage", lambda f, **o: ef.coverage(f, n_sim=30, **o)),
    "compare_unpaired": ("compare", lambda f, **o: ef.compare(f, "base", paired=False, **o)),
    "compare_margin": ("compare", lambda f, **o: ef.compare(f, "base", margin=0.1, **o)),
}
NAMES = sorted(FULL)
POOLS = [name for name in NAMES if name.startswith("pooled")]
# Those that give each group rows of its own.
BY = [name for name in NAMES if name not in (*POOLS, "adjusted")]


def runs(n_items=12, n_clusters=5):
    """Return runs of three arms, two seeds an item, in two tasks."""
    draw = np.random.default_rng(3)
    index = pd.MultiIndex.from_product(
        [range(n_items), ["base", "x", "y"], [0, 1]], names=["item_id", "arm", "seed"]
    )
    frame = index.to_frame(index=False)
    frame["cluster_id"] = frame["item_id"] % n_clusters
    frame["task"] = np.where(frame["item_id"] % 2, "odd", "even")
    frame["score"] = (draw.random(len(frame)) < 0.6).astype(float)
    return frame


def call(name, frame, **options):
    return FULL[name][1](frame, **options)


@pytest.mark.parametrize("name", NAMES)
def test_columns_and_dtypes_are_those_of_the_table(name):
    table, result = FULL[name][0], call(name, runs())
    kinds = dict(TABLES[table])
    if name == "compare_margin":
        note = kinds.pop("note")
        kinds |= {**MARGIN, "note": note}
    assert list(result.columns) == list(kinds)
    for column, kind in kinds.items():
        if kind != "label":
            assert result[column].dtype == pd.Series([], dtype=DTYPE[kind]).dtype
    assert result.attrs["evalframe"]["table"] == table
    assert isinstance(result.index, pd.RangeIndex)
    assert result["note"].map(type).eq(str).all()


@pytest.mark.parametrize("name", NAMES)
def test_parquet_gives_it_back(name, tmp_path):
    result = call(name, runs())
    json.dumps(result.attrs["evalframe"], allow_nan=False)
    result.to_parquet(tmp_path / "result.parquet")
    back = pd.read_parquet(tmp_path / "result.parquet")
    assert_frame_equal(back, result, check_exact=True)
    assert back.attrs == result.attrs


@pytest.mark.parametrize("name", NAMES)
def test_neither_row_order_nor_names_nor_other_columns_matter(name):
    frame = runs()
    result = call(name, frame)
    other = frame.sample(frac=1, random_state=2).assign(extra="?", item_id=lambda f: -f["item_id"])
    assert_frame_equal(call(name, other), result, check_exact=True)
    texts = frame.assign(cluster_id=frame["cluster_id"].map("c{}".format))
    assert_frame_equal(call(name, texts), result, check_exact=True)


@pytest.mark.parametrize("name", NAMES)
def test_the_input_is_not_changed(name):
    frame = runs()
    frame.attrs["mine"] = 1
    before = frame.copy(deep=True)
    call(name, frame)
    assert_frame_equal(frame, before, check_exact=True)
    assert frame.attrs == before.attrs


@pytest.mark.parametrize("name", [name for name in BY if "contrasts" not in name])
def test_a_group_alone_is_that_group_among_others(name):
    frame = runs()
    whole = call(name, frame, by="task")
    assert whole["task"].drop_duplicates().tolist() == ["even", "odd"]
    for task, part in whole.groupby("task"):
        alone = call(name, frame[frame["task"] == task])
        assert_frame_equal(
            part.drop(columns="task").reset_index(drop=True), alone, check_exact=True
        )


@pytest.mark.parametrize("name", NAMES)
def test_no_rows_give_no_rows_of_the_same_dtypes(name):
    frame = runs()
    empty, full = call(name, frame.iloc[:0]), call(name, frame)
    assert len(empty) == 0
    assert list(empty.columns) == list(full.columns)
    labels = ("arm", "baseline", "reference")
    kinds = [column for column in full.columns if column not in labels]
    assert empty[kinds].dtypes.equals(full[kinds].dtypes)


SPREAD = ["se", "conf_low", "mde", "icc", "sim_low"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", ["one item", "one cluster"])
def test_one_item_and_one_cluster_have_no_error_and_say_so(name, case):
    frame = runs(n_clusters=1)
    if case == "one item":
        frame = frame[frame["item_id"] == 0].drop(columns="cluster_id")
        if FULL[name][0] == "icc":
            frame["cluster_id"] = 0
    result = call(name, frame)
    assert len(result) > 0
    unknown = [column for column in SPREAD if column in result.columns]
    if name == "coverage":
        unknown = []
    if name == "power":
        unknown = ["se", "power"]
    assert result[unknown].isna().all(axis=None)
    assert (result["note"] != "").all()


@pytest.mark.parametrize("name", NAMES)
def test_two_arms_alike_have_the_same_numbers(name):
    frame = runs()
    frame.loc[frame["arm"] == "y", "score"] = frame.loc[frame["arm"] == "x", "score"].to_numpy()
    result = call(name, frame)
    x, y = (result[result["arm"] == arm].drop(columns="arm").reset_index(drop=True) for arm in "xy")
    assert_frame_equal(x, y, check_exact=True)


@pytest.mark.parametrize("name", NAMES)
def test_ids_and_scores_of_other_dtypes_give_the_same_numbers(name):
    frame = runs()
    other = frame.assign(
        item_id=frame["item_id"].map("q{:02}".format).astype("string[pyarrow]"),
        arm=frame["arm"].astype("category"),
        score=frame["score"].astype("boolean"),
    )
    one, two = call(name, frame), call(name, other)
    for column in one.columns:
        if column not in ("arm", "baseline", "reference"):
            assert_frame_equal(one[[column]], two[[column]], check_exact=True)


@pytest.mark.parametrize("name", NAMES)
def test_an_option_that_is_not_there_is_a_type_error(name):
    with pytest.raises(TypeError, match="unexpected keyword argument 'clusters'"):
        call(name, runs(), clusters=True)
