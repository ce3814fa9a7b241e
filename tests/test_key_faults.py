"""Keys that repeat, clusters that are missing or vary, prompts that differ."""

import re

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from evalframe import DesignError, FrameError, compare, mcnemar, score, tidy

# Other methods read keys as these do: test_misuse.py.
METHODS = {"compare": lambda frame: compare(frame, "base"), "score": score, "tidy": tidy}
SEED_ADVICE = "df.assign(seed=df.groupby(['item_id', 'arm']).cumcount())"


def runs(**columns):
    """Return 4 items by 2 arms."""
    return pd.DataFrame(
        {
            "item_id": ["q1", "q2", "q3", "q4"] * 2,
            "arm": ["base"] * 4 + ["edit"] * 4,
            "score": [1, 0, 0, 1, 1, 1, 0, 1],
        }
    ).assign(**columns)


def twice(column, values=("strict", "flexible"), **columns):
    """Return the runs two times over, with a column that tells the two apart."""
    both = [runs(**columns, **{column: [value] * 8}) for value in values]
    return pd.concat(both, ignore_index=True)


@pytest.mark.parametrize("method", METHODS)
def test_a_repeated_key_is_refused_with_its_count_and_rows(method):
    frame = pd.concat([runs(), runs().iloc[[1, 6]]])
    first = re.escape(
        "found 4 rows that share theirs with another; first: item_id='q2', arm='base'"
    )
    with pytest.raises(FrameError, match=rf"\(item_id, arm\) must be unique, {first}.*: 1, 8\)"):
        METHODS[method](frame)


@pytest.mark.parametrize("kind", [object, "category", "string[pyarrow]"])
@pytest.mark.parametrize("method", METHODS)
def test_repeated_runs_can_be_numbered_as_the_error_says(method, kind):
    df = pd.concat([runs(), runs(score=[1, 0, 0, 1, 1, 1, 0, 1][::-1])])
    df = df.astype({"item_id": kind, "arm": kind})
    with pytest.raises(FrameError, match=re.escape(SEED_ADVICE)):
        METHODS[method](df)
    numbered = df.assign(seed=df.groupby(["item_id", "arm"], observed=True).cumcount())
    assert score(numbered)["n_responses"].tolist() == [8, 8]


@pytest.mark.parametrize("column", ["filter", "metric", "task", "grader"])
@pytest.mark.parametrize("values", [("strict", "flexible"), (0, 1), (0.1, 0.2), (True, False)])
@pytest.mark.parametrize("method", METHODS)
def test_a_column_that_would_make_keys_unique_is_named(method, column, values):
    df = twice(column, values)
    advice = f"df[df[{column!r}] == {values[0]!r}]"
    with pytest.raises(FrameError, match=f"the column '{column}' would.*{re.escape(advice)}"):
        METHODS[method](df)
    alone = METHODS[method](runs())
    assert_frame_equal(METHODS[method](eval(advice))[alone.columns], alone, check_exact=True)


@pytest.mark.parametrize("column", ["filter", "metric", "note", "level"])
@pytest.mark.parametrize("method", ["score", "compare"])
def test_by_is_advised_only_where_it_is_accepted(method, column):
    frame = twice(column)
    arguments = {"score": ()}.get(method, ("base",))
    with pytest.raises(FrameError, match=f"the column '{column}' would make it unique") as caught:
        METHODS[method](frame)
    if f"by={column!r}" in str(caught.value):
        assert len(getattr(frame.evals, method)(*arguments, by=column)) > 0


@pytest.mark.parametrize("method", METHODS)
def test_copies_with_a_seed_are_dropped_as_the_error_says(method):
    df = pd.concat([runs(seed=0)] * 2)
    with pytest.raises(
        FrameError, match=r"\(item_id, arm, seed\) must be.*df\.drop_duplicates\(\)"
    ):
        METHODS[method](df)
    assert len(METHODS[method](df.drop_duplicates())) > 0


@pytest.mark.parametrize("method", METHODS)
def test_no_advice_is_to_drop_copies_that_are_none(method):
    """With two scores for one key, drop_duplicates() would change nothing."""
    frame = pd.concat([runs(seed=0), runs(seed=0, score=[0, 1] * 4)])
    with pytest.raises(FrameError, match="must be unique") as caught:
        METHODS[method](frame)
    assert "drop_duplicates()" not in str(caught.value)


@pytest.mark.parametrize("values", [([1], [2]), ({"a": 1}, {"b": 1}), ((1,), (2,))])
def test_a_column_of_lists_is_no_way_to_make_keys_unique(values):
    with pytest.raises(FrameError, match=re.escape(SEED_ADVICE)) as caught:
        score(twice("resps", values))
    assert "resps" not in str(caught.value)


def test_a_column_with_gaps_is_no_way_to_make_keys_unique():
    with pytest.raises(FrameError, match=re.escape(SEED_ADVICE)):
        score(twice("note", (None, "second")))


@pytest.mark.parametrize("method", METHODS)
def test_many_possible_keys_are_checked_as_few_are(method):
    items = [f"q{i}" for i in range(1500)]
    frame = pd.DataFrame(
        {"item_id": items * 2, "arm": ["base"] * 1500 + ["edit"] * 1500, "score": 1.0}
    ).assign(seed=np.arange(3000) % 1500)
    assert len(METHODS[method](frame)) > 0
    with pytest.raises(FrameError, match=r"must be unique.*item_id='q7', arm='base', seed=7"):
        METHODS[method](pd.concat([frame, frame.iloc[[7]]]))


def test_repeated_rows_are_no_weights():
    """Three copies of each row, numbered as seeds, change no number but the count of responses."""
    once = runs(seed=0)
    thrice = pd.concat([once.assign(seed=seed) for seed in range(3)])
    for method in ("score", "compare"):
        columns = METHODS[method](once).columns.drop("n_responses", errors="ignore")
        assert_frame_equal(METHODS[method](thrice)[columns], METHODS[method](once)[columns])


CLUSTERS = ["a", "a", "b", "c"] * 2


@pytest.mark.parametrize("rows", [[3], [7], [3, 7], [4, 5, 6, 7]])
@pytest.mark.parametrize("gap", [None, np.nan, pd.NA])
@pytest.mark.parametrize("method", METHODS)
def test_a_cluster_missing_in_some_rows_is_refused(method, rows, gap):
    clusters = [gap if row in rows else name for row, name in enumerate(CLUSTERS)]
    found = f"none in {len(rows)} row.*: {', '.join(map(str, rows))}"
    with pytest.raises(FrameError, match=rf"'cluster_id' must have.*{found}\).*dropna\(subset="):
        METHODS[method](runs(cluster_id=clusters))


@pytest.mark.parametrize("kind", [object, "category", "string[pyarrow]", int])
@pytest.mark.parametrize("method", METHODS)
def test_a_cluster_that_differs_between_arms_is_refused(method, kind):
    clusters = pd.Series([0, 0, 1, 2, 0, 1, 1, 2]).astype(kind)
    first = re.escape("item_id='q2' in 2 rows (counted from 0: 1, 5)")
    with pytest.raises(FrameError, match=f"'cluster_id' must be the same.*1 item.*{first}.*seeds"):
        METHODS[method](runs(cluster_id=clusters))


def test_a_cluster_that_differs_between_seeds_is_refused():
    frame = pd.concat([runs(seed=0, cluster_id="a"), runs(seed=1, cluster_id="b")])
    with pytest.raises(FrameError, match=r"'cluster_id' must be the same.*4 item.*item_id='q1'"):
        score(frame)


@pytest.mark.parametrize("method", ["score", "compare"])
@pytest.mark.parametrize("clusters", [[None] * 4 + ["a"] * 4, ["a"] * 4 + ["b"] * 4, CLUSTERS])
def test_cluster_false_does_not_look_at_the_clusters(method, clusters):
    arguments = {"score": ()}.get(method, ("base",))
    frame = runs(cluster_id=clusters)
    result = getattr(frame.evals, method)(*arguments, cluster=False)
    assert_frame_equal(result, METHODS[method](runs()), check_exact=True)
    assert not result["clustered"].any()


@pytest.mark.parametrize("interval", ["t", "normal"])
@pytest.mark.parametrize("method", ["score", "compare"])
def test_one_cluster_has_no_standard_error(method, interval):
    arguments = {"score": ()}.get(method, ("base",))
    frame = runs(cluster_id="p", n_output_tokens=range(8))
    result = getattr(frame.evals, method)(*arguments, interval=interval)
    unknown = ["se", "conf_low", "conf_high", *(["mde"] if method == "compare" else [])]
    assert result[unknown].isna().all(axis=None)
    assert result[["n_clusters", "clustered"]].values.tolist() == [[1, True]] * len(result)
    assert result["note"].str.contains("1 cluster: no standard error").all()
    if method == "compare":
        assert not result["significant"].any()
        assert result["small_n"].all()


@pytest.mark.parametrize("method", ["score", "compare"])
def test_one_cluster_in_one_group_leaves_the_other_group_alone(method):
    arguments = {"score": ()}.get(method, ("base",))
    frame = pd.concat([runs(task="one", cluster_id="p"), runs(task="two", cluster_id=CLUSTERS)])
    result = getattr(frame.evals, method)(*arguments, by="task")
    assert result["se"].isna().tolist() == (result["task"] == "one").tolist()
    assert (result["note"].str.contains("1 cluster") == (result["task"] == "one")).all()


def test_mcnemar_says_that_it_ignores_clusters():
    frame = runs(cluster_id=CLUSTERS)
    assert "ignore" in mcnemar(frame, "base")["note"][0]
    assert "ignores clustering" in compare(frame, "base")["note"][0]
    for method in (mcnemar, compare):
        assert "ignore" not in method(runs(), "base")["note"][0]


PROMPTS = ["h1", "h2", "h3", "h4"]


@pytest.mark.parametrize("missing", ["raise", "drop", "zero"])
@pytest.mark.parametrize("kind", [object, "category", "string[pyarrow]"])
@pytest.mark.parametrize("function", [compare, mcnemar])
def test_another_prompt_is_refused_whatever_missing_is(function, kind, missing):
    hashes = pd.Series([*PROMPTS, "h1", "x", "h3", "y"], dtype=kind)
    frame = runs(prompt_hash=hashes, seed=3)
    found = re.escape("prompt_hash in 2 (item, seed) key(s); first: item_id='q2', seed=3")
    with pytest.raises(
        DesignError, match=f"{found}.*'base' and 'edit'.*drop.columns='prompt_hash'"
    ):
        function(frame, "base", missing=missing)


@pytest.mark.parametrize("function", [compare, mcnemar])
def test_the_prompt_may_differ_between_seeds(function):
    """It is compared for each (item, seed): a seed may shuffle the shots of a prompt."""
    frame = pd.concat(
        [runs(seed=seed, prompt_hash=[f"{h}-{seed}" for h in PROMPTS] * 2) for seed in (0, 1)]
    )
    assert len(function(frame, "base")) == 1
    frame.loc[(frame["seed"] == 1) & (frame["arm"] == "edit"), "prompt_hash"] = "h1-0"
    with pytest.raises(DesignError, match=r"4 \(item, seed\) key.*item_id='q1', seed=1"):
        function(frame, "base")


@pytest.mark.parametrize("function", [compare, mcnemar])
@pytest.mark.parametrize("hashes", [[None] * 8, [*PROMPTS, None, "h2", None, "h4"], PROMPTS * 2])
def test_an_unknown_prompt_is_not_another_prompt(function, hashes):
    assert_frame_equal(function(runs(prompt_hash=hashes), "base"), function(runs(), "base"))


@pytest.mark.parametrize("function", [compare, mcnemar])
def test_a_third_arm_with_another_prompt_is_named(function):
    third = runs().iloc[:4].assign(arm="third", prompt_hash=["h1", "h2", "h3", "x"])
    frame = pd.concat([runs(prompt_hash=PROMPTS * 2), third])
    with pytest.raises(DesignError, match=r"1 \(item, seed\) key.*item_id='q4'.*'third'"):
        function(frame, "base")


@pytest.mark.parametrize("method", ["score", "tidy"])
def test_prompts_are_no_matter_where_arms_are_not_compared(method):
    frame = runs(prompt_hash=list("abcdefgh"))
    assert len(METHODS[method](frame)) == (2 if method == "score" else 8)
