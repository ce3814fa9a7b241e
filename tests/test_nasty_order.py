"""Numbers do not depend on row order, labels, other columns or what stands beside them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from evalframe import compare, mcnemar, score

N_BOOT = 300
MEASURES = {
    "score": lambda frame, _base, **o: score(frame, value=["score", "tokens"], **o),
    "compare": lambda frame, base, **o: compare(frame, base, n_boot=N_BOOT, adjust="holm", **o),
    "mcnemar": lambda frame, base, **o: mcnemar(frame, base, value="hit_cap", adjust="bh", **o),
}


def runs(seed=0, n_items=11, n_seeds=2, clusters=True):
    """Return 3 arms on items of 2 tasks and unequal clusters; the values do not add up exactly."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        [(item, arm, run) for item in range(n_items) for arm in "abc" for run in range(n_seeds)],
        columns=["item_id", "arm", "seed"],
    )
    frame["task"] = np.where(frame["item_id"] < 5, "code", "math")
    if clusters:
        frame["cluster_id"] = [0, 0, 0, 1, 2, 3, 3, 4, 4, 5, 6] @ (
            np.arange(n_items)[:, None] == frame["item_id"].to_numpy()
        )
    right = frame.groupby(["item_id", "arm"])["seed"].transform(lambda _: rng.integers(0, 2))
    return frame.assign(
        score=rng.random(len(frame)) / 3,
        n_output_tokens=rng.integers(1, 1000, len(frame)) / 7,
        hit_cap=right.astype(bool),
    )


def same(method, frame, other, base="a", other_base="a", **options):
    """Compare two frames' results bit for bit, labels of arms aside."""
    labels = ["arm", "baseline"] if base != other_base else []
    one = MEASURES[method](frame, base, **options).drop(columns=labels, errors="ignore")
    two = MEASURES[method](other, other_base, **options).drop(columns=labels, errors="ignore")
    assert_frame_equal(one, two, check_exact=True)


@pytest.mark.parametrize("method", MEASURES)
@pytest.mark.parametrize("clusters", [True, False])
@pytest.mark.parametrize("by", [None, "task"])
@pytest.mark.parametrize("shuffle", range(3))
def test_shuffled_rows_change_nothing(method, clusters, by, shuffle):
    frame = runs(clusters=clusters)
    same(method, frame, frame.sample(frac=1, random_state=shuffle), by=by)


@given(st.permutations(list(range(12))), st.sampled_from(list(MEASURES)))
def test_any_order_of_rows_is_the_same_frame(order, method):
    frame = runs(n_items=2, clusters=False).assign(cluster_id=lambda frame: frame["item_id"])
    same(method, frame, frame.iloc[order])


@pytest.mark.parametrize("method", MEASURES)
@pytest.mark.parametrize("clusters", [True, False])
@pytest.mark.parametrize("by", [None, "task"])
@pytest.mark.parametrize("role", ["item_id", "cluster_id"])
@pytest.mark.parametrize("kind", [int, "str", "category"])
def test_renamed_items_and_clusters_change_nothing(method, clusters, by, role, kind):
    frame = runs(clusters=clusters)
    if role in frame:
        names = np.random.default_rng(9).permutation(50)
        same(method, frame, frame.assign(**{role: names[frame[role]].astype(str)}), by=by)
        same(
            method, frame, frame.assign(**{role: pd.Series(names[frame[role]]).astype(kind)}), by=by
        )


@pytest.mark.parametrize("method", MEASURES)
@pytest.mark.parametrize(
    "names", ["xyz", ["A", "B", "b"], ["1", "2", "3"], [1, 2, 3], ["", " ", "  "]]
)
def test_renamed_arms_change_nothing(method, names):
    frame = runs()
    other = frame.assign(arm=frame["arm"].map(dict(zip("abc", names, strict=True))))
    same(method, frame, other, other_base=names[0])


@pytest.mark.parametrize("method", MEASURES)
def test_arms_renamed_into_another_order_keep_their_numbers(method):
    frame = runs()
    other = frame.assign(arm=frame["arm"].map({"a": "z", "b": "y", "c": "x"}))
    one, two = MEASURES[method](frame, "a"), MEASURES[method](other, "z")
    one["arm"] = one["arm"].map({"a": "z", "b": "y", "c": "x"})
    labels = ["arm", "metric"]
    assert_frame_equal(
        one.drop(columns="baseline", errors="ignore").sort_values(labels, ignore_index=True),
        two.drop(columns="baseline", errors="ignore").sort_values(labels, ignore_index=True),
        check_exact=True,
    )


@pytest.mark.parametrize("method", MEASURES)
def test_extra_columns_and_rows_of_gaps_in_them_change_nothing(method):
    frame = runs()
    extra = frame.assign(note=np.nan, output=None, split="eval", judge="m", latency_s=np.inf)
    same(method, frame, extra[extra.columns[::-1]])


@pytest.mark.parametrize("method", MEASURES)
def test_two_arms_with_identical_rows_have_identical_results(method):
    frame = runs()
    frame = pd.concat([frame[frame["arm"] != "c"], frame[frame["arm"] == "b"].assign(arm="c")])
    result = MEASURES[method](frame, "a").drop(columns="baseline", errors="ignore")
    one, two = (result[result["arm"] == arm].drop(columns="arm") for arm in "bc")
    assert_frame_equal(one.reset_index(drop=True), two.reset_index(drop=True), check_exact=True)


@pytest.mark.parametrize("method", ["score", "compare", "mcnemar"])
def test_a_run_by_group_is_a_run_of_each_group(method):
    frame = runs()
    grouped = MEASURES[method](frame, "a", by="task")
    for task in ("code", "math"):
        alone = MEASURES[method](frame[frame["task"] == task], "a")
        group = grouped[grouped["task"] == task].drop(columns="task").reset_index(drop=True)
        # Adjusted p-values are of a family, which is larger here.
        family = ["mcnemar_p", "p_adjusted", "note"]
        assert_frame_equal(
            group.drop(columns=family, errors="ignore"),
            alone.drop(columns=family, errors="ignore"),
            check_exact=True,
        )


@pytest.mark.parametrize("method", ["compare", "mcnemar"])
def test_a_third_arm_changes_nothing_for_the_other_two(method):
    frame = runs()
    three = MEASURES[method](frame, "a")
    two = MEASURES[method](frame[frame["arm"] != "c"], "a")
    family = ["mcnemar_p", "p_adjusted", "note"]
    assert_frame_equal(
        three[three["arm"] == "b"].drop(columns=family, errors="ignore").reset_index(drop=True),
        two.drop(columns=family, errors="ignore"),
        check_exact=True,
    )


@pytest.mark.parametrize("method", MEASURES)
def test_one_value_at_a_time_is_all_values_at_once(method):
    frame = runs().assign(score=lambda frame: frame["hit_cap"])
    arguments = () if method == "score" else ("a",)
    values = ["score", "hit_cap", *(["tokens"] if method != "mcnemar" else [])]
    function = {"score": score, "compare": compare, "mcnemar": mcnemar}[method]
    together = function(frame, *arguments, value=values)
    for value in values:
        alone = function(frame, *arguments, value=value)
        rows = together[together["metric"] == value].reset_index(drop=True)
        columns = alone.columns.drop("note")
        assert_frame_equal(rows[columns], alone[columns], check_exact=True)


def test_the_same_rng_gives_the_same_numbers_and_another_gives_others():
    frame = runs(clusters=False)
    first, again = (compare(frame, "a", n_boot=N_BOOT, rng=5) for _ in range(2))
    assert_frame_equal(first, again, check_exact=True)
    assert first.attrs == again.attrs
    other = compare(frame, "a", n_boot=N_BOOT, rng=6)
    assert not first["conf_low"].equals(other["conf_low"])


def test_a_fresh_seed_is_recorded_and_makes_the_result_again():
    frame = runs()
    fresh = compare(frame, "a", n_boot=N_BOOT, rng=None)
    again = compare(frame, "a", n_boot=N_BOOT, rng=fresh.attrs["evalframe"]["rng"])
    assert_frame_equal(fresh, again, check_exact=True)


def test_a_generator_moves_on_and_its_draw_is_recorded():
    frame = runs()
    rng = np.random.default_rng(1)
    first, second = (compare(frame, "a", n_boot=N_BOOT, rng=rng) for _ in range(2))
    assert first.attrs["evalframe"]["rng"] != second.attrs["evalframe"]["rng"]
    again = compare(frame, "a", n_boot=N_BOOT, rng=first.attrs["evalframe"]["rng"])
    assert_frame_equal(first, again, check_exact=True)
