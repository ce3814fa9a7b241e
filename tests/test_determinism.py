"""Numbers depend on values alone: not on row order, labels, types, neighbours or block size."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from evalframe import bootstrap, compare, mcnemar, permutation, score
from evalframe.rng import draw_seed
from evalframe.stats import draws
from evalframe.stats.resample import bootstrap_interval

# Numbers whose sums depend on the order of adding.
VALUES = np.array([0.1, 1 / 3, 0.7, 0.2, 1e8 + 0.1, -0.3, 0.0, 1.0])
ARMS = ("a", "base", "c", "rerun")
DESIGNS = st.fixed_dictionaries(
    {
        "draw": st.integers(0, 2**32),
        "n_items": st.integers(1, 8),
        # numpy adds from 8 numbers on in pairs.
        "n_seeds": st.sampled_from([1, 2, 9, 17]),
        "n_tasks": st.integers(1, 3),
        # A task may have its own items, or each item may be in every task.
        "shared": st.booleans(),
        "far_seeds": st.booleans(),
        "holes": st.booleans(),
        "missing": st.booleans(),
        "cluster": st.sampled_from([None, "few", "own", "one"]),
    }
)
METHODS = {
    "score": lambda frame, **given: score(frame, value=["score", "tokens"], **given),
    "zero": lambda frame, **given: score(frame, missing="zero", cluster=False, **given),
    "compare": lambda frame, base="base", **given: compare(
        frame, base, missing="drop", n_boot=30, rng=3, **given
    ),
    "floor": lambda frame, base="base", rerun="rerun", **given: compare(
        frame, base, missing="drop", floor=rerun, interval="t", n_boot=20, level=0.9, **given
    ),
    "mcnemar": lambda frame, base="base", **given: mcnemar(
        frame, base, value=["passed", "part"], missing="drop", adjust="holm", **given
    ),
    "bootstrap": lambda frame, **given: bootstrap(
        frame,
        value=["score", "tokens"],
        statistic=("trimmed", 0.2),
        method="bca",
        missing="drop",
        n_boot=20,
        rng=3,
        **given,
    ),
    "differences": lambda frame, base="base", **given: bootstrap(
        frame,
        base,
        value=["score", "tokens"],
        unit="hierarchical",
        missing="drop",
        n_boot=20,
        **given,
    ),
    "permutation": lambda frame, base="base", **given: permutation(
        frame, base, value=["score", "tokens"], missing="drop", n_perm=20, **given
    ),
}
law = settings(max_examples=8)


def make(design):
    """Return runs of four arms that share the first seed of each item."""
    rng = np.random.default_rng(design["draw"])
    seeds = np.arange(design["n_seeds"])
    if design["far_seeds"]:
        seeds = np.sort(rng.choice(10**15, len(seeds)))
    index = pd.MultiIndex.from_product(
        [range(design["n_tasks"]), range(design["n_items"]), ARMS, seeds],
        names=["task", "item_id", "arm", "seed"],
    )
    frame = index.to_frame(index=False)
    if not design["shared"]:
        frame["item_id"] += 100 * frame["task"]
    # Right or wrong over all seeds, as McNemar needs it; and only in part.
    pairs = frame.groupby(["task", "item_id", "arm"]).ngroup()
    frame["passed"] = rng.integers(0, 2, pairs.max() + 1)[pairs]
    frame["part"] = np.where(frame["task"] == 0, frame["passed"], 0.5)
    frame["score"] = rng.choice(VALUES, len(frame))
    frame["hit_cap"] = rng.random(len(frame)) < 0.3
    frame["n_output_tokens"] = rng.integers(1, 500, len(frame)) / rng.choice([1, 3, 10])
    if design["cluster"]:
        size = {"few": 3, "own": 1_000, "one": 1}[design["cluster"]]
        frame["cluster_id"] = frame["item_id"] % size
    if design["missing"]:
        frame.loc[rng.random(len(frame)) < 0.3, "score"] = np.nan
    if design["holes"]:
        frame = frame[(frame["seed"] == seeds[0]) | (rng.random(len(frame)) < 0.7)]
    return frame.reset_index(drop=True)


def numbers(name, result):
    """Return a result without what is said of the other rows: how many tests there were."""
    return result.drop(columns=["note", "p_adjusted"]) if name == "mcnemar" else result


def equal(result, expected):
    assert_frame_equal(result.reset_index(drop=True), expected, check_exact=True)


@given(DESIGNS, st.integers(0, 99))
@law
def test_row_order_columns_and_index_change_nothing(design, draw):
    frame = make(design)
    other = frame.sample(frac=1, random_state=draw).iloc[:, ::-1]
    other = other.assign(junk=[{}] * len(frame), output=None).set_axis([7] * len(frame))
    for method in METHODS.values():
        equal(method(other, by="task"), method(frame, by="task"))


@given(DESIGNS, st.integers(0, 99))
@law
def test_names_of_items_and_clusters_change_nothing(design, draw):
    frame = make(design)
    rng = np.random.default_rng(draw)
    other = frame.copy()
    for column in {"item_id", "cluster_id"} & set(frame):
        labels = frame[column].unique()
        other[column] = frame[column].map(
            dict(zip(labels, rng.permutation(len(labels)), strict=True))
        )
    text = other.assign(
        **{
            column: "x" + other[column].map(str)
            for column in {"item_id", "cluster_id"} & set(other)
        }
    )
    for method in METHODS.values():
        expected = method(frame, by="task")
        equal(method(other, by="task"), expected)
        equal(method(text, by="task"), expected)


@given(DESIGNS, st.sampled_from(["text", "category", "float", "Int64", "large_string"]))
@law
def test_types_of_ids_change_nothing(design, kind):
    frame = make(design)
    other = frame.copy()
    for column in {"task", "item_id", "cluster_id", "seed"} & set(frame):
        # Text of equal length sorts as the numbers do.
        text = frame[column].map("{:016d}".format)
        other[column] = {
            "text": lambda text=text, **_: text.astype(object),
            "category": lambda text=text, **_: text.astype("category"),
            "float": lambda ids=frame[column], **_: ids.astype(float),
            "Int64": lambda ids=frame[column], **_: ids.astype("Int64"),
            "large_string": lambda text=text, **_: text.astype("string[pyarrow]"),
        }[kind]()
    for method in METHODS.values():
        result = method(other, by="task")
        expected = method(frame, by="task")
        assert result.pop("task").map(int).tolist() == expected.pop("task").tolist()
        equal(result, expected)


@given(
    DESIGNS, st.sampled_from(list(METHODS)), st.permutations(["p", "q", "r", "s"]), st.booleans()
)
@law
def test_names_of_arms_change_nothing_but_the_order_of_rows(design, name, names, numbered):
    frame = make(design)
    labels = [ord(label) for label in names] if numbered else names
    new = dict(zip(ARMS, labels, strict=True))
    old = dict(zip(labels, ARMS, strict=True))
    given = {} if name in ("score", "zero", "bootstrap") else {"base": new["base"]}
    if name == "floor":
        given["rerun"] = new["rerun"]
    result = METHODS[name](frame.assign(arm=frame["arm"].map(new)), by="task", **given)
    arms = result["arm"].drop_duplicates().tolist()
    assert arms == sorted(arms)
    for column in {"arm", "baseline"} & set(result):
        result[column] = result[column].map(old)
    expected = METHODS[name](frame, by="task")
    metrics = {metric: place for place, metric in enumerate(expected["metric"].unique())}
    result["place"] = result["metric"].map(metrics)
    result = result.sort_values(["task", "arm", "place"]).drop(columns="place")
    equal(result, expected)


@given(DESIGNS)
@law
def test_a_by_run_is_the_split_runs_one_after_the_other(design):
    frame = make(design)
    for name, method in METHODS.items():
        if name == "mcnemar" and design["n_tasks"] > 1:
            # A frame whose item means are all partial is refused; elsewhere it is a row with NaN.
            frame = frame.assign(part=frame["passed"])
        together = numbers(name, method(frame, by="task"))
        parts = [numbers(name, method(part)) for _, part in frame.groupby("task")]
        tasks = together.pop("task")
        assert tasks.is_monotonic_increasing
        equal(together, pd.concat(parts, ignore_index=True))


@given(DESIGNS)
@law
def test_an_item_has_alone_the_numbers_it_has_among_others(design):
    frame = make(design | {"shared": False, "n_items": 1 + design["n_items"] % 3})
    together = score(frame, by="item_id")
    parts = [score(part) for _, part in frame.groupby(["item_id", "arm"])]
    equal(together.drop(columns="item_id"), pd.concat(parts, ignore_index=True))


@given(DESIGNS)
@law
def test_an_arm_has_alone_the_numbers_it_has_among_others(design):
    frame = make(design)
    scores = score(frame, by="task")
    pairs = compare(frame, "base", by="task", missing="drop", n_boot=20)
    for arm in ("a", "c"):
        alone = frame[frame["arm"] == arm]
        equal(scores[scores["arm"] == arm], score(alone, by="task"))
        two = frame[frame["arm"].isin(["base", arm])]
        pair = compare(two, "base", by="task", missing="drop", n_boot=20)
        equal(pairs[pairs["arm"] == arm], pair)


@given(DESIGNS)
@law
def test_arms_with_identical_rows_have_identical_results(design):
    frame = make(design)
    twin = frame[frame["arm"] == "a"].assign(arm="twin")
    both = pd.concat([twin, frame], ignore_index=True)
    for method in METHODS.values():
        result = method(both, by="task")
        one, other = (
            result[result["arm"] == arm].drop(columns="arm").reset_index(drop=True)
            for arm in ("a", "twin")
        )
        equal(other, one)


@given(DESIGNS, st.booleans())
@law
def test_complete_arms_have_the_same_numbers_whatever_missing_ones_do(design, missing):
    frame = make(design | {"holes": False, "missing": missing})
    given = {"by": "task", "n_boot": 20}
    zero = compare(frame, "base", missing="zero", **given).drop(columns="note")
    filled = frame.fillna({"score": 0})
    for choice in ("drop", "raise"):
        expected = compare(filled, "base", missing=choice, **given).drop(columns="note")
        equal(zero, expected)


@given(DESIGNS, st.sampled_from([2, 3, 5]))
@law
def test_the_threads_of_the_bootstrap_change_nothing(design, threads):
    frame = make(design)
    with pytest.MonkeyPatch.context() as patch:
        # Blocks of a few resamples, so that there are many for the threads to take.
        patch.setattr(draws, "_HELD", 16)
        patch.setattr(draws, "_REPEATS", 2)
        for name in ("compare", "bootstrap", "differences"):
            patch.setitem(bootstrap_interval.__kwdefaults__, "threads", 1)
            expected = METHODS[name](frame, by="task")
            patch.setitem(bootstrap_interval.__kwdefaults__, "threads", threads)
            equal(METHODS[name](frame, by="task"), expected)


@given(DESIGNS, st.integers(0, 2**40))
@law
def test_a_generator_gives_what_the_integer_drawn_from_it_gives(design, draw):
    frame = make(design)
    given = {"by": "task", "missing": "drop", "n_boot": 20}
    drawn = compare(frame, "base", rng=np.random.default_rng(draw), **given)
    seed = draw_seed(np.random.default_rng(draw))
    result = compare(frame, "base", rng=seed, **given)
    equal(result, drawn)
    assert result.attrs == drawn.attrs


@given(DESIGNS)
@law
def test_seeds_that_are_far_apart_are_added_as_those_that_are_near(design):
    frame = make(design)
    other = frame.assign(seed=frame["seed"].rank(method="dense").astype(int) * 10**14 - 7)
    for method in METHODS.values():
        equal(method(other, by="task"), method(frame, by="task"))


def test_a_group_beside_one_of_too_many_seeds_for_a_table_has_its_own_numbers():
    design = {"draw": 1, "n_items": 5, "n_seeds": 17, "n_tasks": 2, "shared": True}
    design |= {"far_seeds": True, "holes": True, "missing": True, "cluster": "few"}
    frame = make(design).assign(part=0)
    n = 1_200
    rows = [frame.iloc[[0] * n].assign(task=9, item_id=np.arange(n), seed=np.arange(n) * 10**12)]
    rows = [rows[0].assign(arm=arm, cluster_id=rows[0]["item_id"] % 7) for arm in ARMS]
    both = pd.concat([*rows, frame], ignore_index=True)
    for name, method in METHODS.items():
        result = numbers(name, method(both, by="task"))
        equal(result[result["task"] < 9], numbers(name, method(frame, by="task")))


def test_seventy_thousand_clusters_of_one_item_are_items():
    # Codes of up to 65,536 clusters are sorted as 16-bit integers.
    n = 70_000
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"item_id": np.arange(n), "cluster_id": rng.permutation(n)})
    frame["task"] = frame["item_id"] % 2
    frame["score"] = rng.choice(VALUES, n)
    same = ["estimate", "se", "conf_low", "conf_high", "n_items", "df"]
    result = score(frame, by="task")
    equal(result[same], score(frame, by="task", cluster=False)[same])
    assert result["n_clusters"].tolist() == [n // 2] * 2
    shuffled = frame.sample(frac=1, random_state=1)
    equal(score(shuffled), score(frame))
    assert score(frame)["n_clusters"].item() == n


def test_seventy_thousand_clusters_of_two_items_do_not_depend_on_row_order():
    n = 140_000
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"item_id": np.arange(n), "cluster_id": np.arange(n) // 2})
    frame["score"] = rng.choice(VALUES, n)
    result = score(frame)
    equal(score(frame.sample(frac=1, random_state=1)), result)
    sums = (frame["score"] - frame["score"].mean()).groupby(frame["cluster_id"]).sum()
    expected = np.sqrt(70_000 / 69_999 * (sums**2).sum()) / n
    assert result["se"].item() == pytest.approx(expected, rel=1e-9)


@given(DESIGNS)
@law
def test_the_input_is_never_changed(design):
    frame = make(design)
    frame.attrs["mine"] = {"a": [1]}
    before = frame.copy(deep=True)
    for method in METHODS.values():
        method(frame, by="task")
        assert_frame_equal(frame, before, check_exact=True)
        assert frame.attrs == {"mine": {"a": [1]}}
