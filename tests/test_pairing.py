import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from evalframe.errors import DesignError, FrameError
from evalframe.pairing import check_prompts, paired_means, refuse_missing
from evalframe.runs import select

ROWS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.integers(0, 2),
        st.integers(0, 9),
        st.sampled_from([0.1, 0.7, 1 / 3, 0.0, 1.0, None]),
    ),
    min_size=1,
    max_size=50,
    unique_by=lambda row: row[:3],
)


def frame_of(rows, **columns):
    names = ["item_id", "arm", "seed", "score"]
    return pd.DataFrame(rows, columns=names).astype({"score": float}).assign(**columns)


def paired(frame, missing="raise", baseline=0, others=(1,)):
    """Return the paired means as frames of items by other arms."""
    runs = select(frame, ["score"], prompts=True)
    found = paired_means(runs, "score", baseline, list(others), missing)
    item = np.zeros(runs.n_units, dtype=object)
    item[runs.unit] = frame["item_id"]
    names = ("baseline", "arm", "n_dropped", "n_zeros", "present")
    return {name: pd.DataFrame(getattr(found, name), index=item).sort_index() for name in names}


def test_paired_arms_keep_their_means():
    found = paired(frame_of([(0, 0, 0, 1), (0, 0, 1, 0), (0, 1, 0, 1), (0, 1, 1, 1)]))
    assert found["baseline"].to_numpy().tolist() == [[0.5]]
    assert found["arm"].to_numpy().tolist() == [[1]]
    assert found["n_dropped"].to_numpy().tolist() == [[0]]


@given(ROWS)
@settings(max_examples=50)
def test_dropping_pairs_on_the_keys_that_both_arms_have(rows):
    frame = frame_of(rows)
    if not {0, 1, 2} <= set(frame["arm"]):
        return
    found = paired(frame, "drop", others=(1, 2))
    wide = frame.pivot(index=["item_id", "seed"], columns="arm", values="score")
    there = frame.assign(there=1).pivot(index=["item_id", "seed"], columns="arm", values="there")
    for place, other in enumerate((1, 2)):
        both = wide[[0, other]].dropna()
        means = both.groupby("item_id").mean().reindex(found["arm"].index)
        assert_allclose(found["baseline"][place], means[0], rtol=1e-14)
        assert_allclose(found["arm"][place], means[other], rtol=1e-14)
        # A key that either arm has is shared or counted.
        keys = there[[0, other]].notna().any(axis=1).groupby("item_id").sum()
        kept = both.groupby("item_id").size()
        expected = keys.sub(kept, fill_value=0).reindex(found["arm"].index, fill_value=0)
        assert_array_equal(found["n_dropped"][place], expected)
        present = frame.loc[frame["arm"] == other, "item_id"]
        assert_array_equal(found["present"][place], found["arm"].index.isin(present))


@given(ROWS)
@settings(max_examples=50)
def test_dropping_pairs_two_complete_arms_as_raising_does(rows):
    frame = frame_of(rows).dropna().query("arm == 0")
    both = pd.concat([frame, frame.assign(arm=1, score=frame["score"] / 3)])
    if len(frame):
        raised, dropped = paired(both), paired(both, "drop")
        for name, part in raised.items():
            pd.testing.assert_frame_equal(part, dropped[name], check_exact=True)


def test_each_arm_is_paired_on_its_own_keys():
    frame = frame_of([(0, 0, 0, 1), (1, 0, 0, 0), (0, 1, 0, 1), (1, 2, 0, 1)])
    found = paired(frame, "drop", others=(1, 2))
    assert_array_equal(found["baseline"], [[1, np.nan], [np.nan, 0]])
    assert_array_equal(found["arm"], [[1, np.nan], [np.nan, 1]])
    assert_array_equal(found["n_dropped"], [[0, 1], [1, 0]])


def test_a_missing_value_counts_as_0_on_request():
    frame = frame_of([(0, 0, 0, 1), (0, 0, 1, None), (0, 1, 0, 1), (0, 1, 1, 1)])
    found = paired(frame, "zero")
    assert found["baseline"].to_numpy().tolist() == [[0.5]]
    assert found["n_zeros"].to_numpy().tolist() == [[1]]


def test_a_missing_value_is_refused_with_its_key_and_the_remedies():
    frame = frame_of([(0, 0, 0, 1), (5, 0, 1, None), (0, 1, 0, 1), (5, 1, 1, None)])
    with pytest.raises(FrameError, match=r"'score' .* 2 rows \(counted from 0: 1, 3\)") as caught:
        paired(frame)
    assert "first: item_id=5, arm=0, seed=1; " in str(caught.value)
    assert 'missing="drop"' in str(caught.value)
    assert 'missing="zero"' in str(caught.value)


def test_complete_values_are_not_refused():
    refuse_missing(select(frame_of([(0, 0, 0, 1)]), ["score"]), "score", "")


@pytest.mark.parametrize("missing", ["raise", "zero"])
def test_keys_that_one_arm_lacks_are_refused_on_both_sides(missing):
    rows = [(i, 0, 0, 1) for i in range(8)] + [(9, 1, 0, 1), (0, 1, 0, 1)]
    with pytest.raises(DesignError, match="keys as the baseline 'base'") as caught:
        paired(frame_of(rows).replace({"arm": {0: "base", 1: "edit"}}), missing)
    message = str(caught.value)
    assert "arm 'edit' lacks 7 key(s): item_id=1, seed=0; item_id=2, seed=0; " in message
    assert "item_id=5, seed=0; ..., arm 'base'" in message
    assert "arm 'base' lacks 1 key(s): item_id=9, seed=0" in message
    assert 'with missing="drop", which reports n_dropped' in message


def test_another_number_of_seeds_is_another_key():
    with pytest.raises(DesignError, match=r"arm 'edit' lacks 1 key\(s\): item_id=3, seed=1"):
        paired(frame_of([(3, "base", 0, 1), (3, "base", 1, 1), (3, "edit", 0, 1)]))


@pytest.mark.parametrize("arms", [(1, 2), (False, True)], ids=str)
def test_arms_that_are_not_text_are_shown_plainly(arms):
    base, other = arms
    frame = frame_of([(0, base, 0, 1), (1, base, 0, 1), (0, other, 0, 1)])
    with pytest.raises(DesignError, match=rf"(?s)baseline {base}, .*arm {other} lacks"):
        paired(frame)
    prompts = frame[::2].assign(prompt_hash=["u", "v"])
    with pytest.raises(DesignError, match=rf"arms ({base} and {other}|{other} and {base}) "):
        check_prompts(select(prompts, ["score"], prompts=True))


def test_keys_are_looked_up_in_sparse_seeds_too():
    n = 3_000
    frame = pd.DataFrame({"item_id": np.arange(n), "seed": np.arange(n) * 10**12, "score": 1.0})
    both = pd.concat([frame.assign(arm="a"), frame.assign(arm="b")], ignore_index=True)
    assert paired(both)["arm"][0].eq(1).all()
    found = paired(both.drop(index=[5, n + 7]), "drop")
    assert found["n_dropped"][0].sum() == 2
    assert found["arm"][0].notna().sum() == n - 2
    with pytest.raises(DesignError, match=r"'a' lacks 1 .* item_id=5, seed=5000000000000"):
        paired(both.drop(index=5))


PROMPTS = frame_of(
    [(0, "a", 0, 1), (0, "a", 1, 1), (0, "b", 0, 1), (0, "b", 1, 1)],
    prompt_hash=["u", "v", "u", "v"],
)


def test_prompts_may_differ_between_seeds_but_not_between_arms():
    check_prompts(select(PROMPTS, ["score"], prompts=True))
    frame = PROMPTS.assign(prompt_hash=["u", "v", "v", "u"])
    with pytest.raises(DesignError, match=r"prompt_hash in 2 \(item, seed\) key") as caught:
        check_prompts(select(frame, ["score"], prompts=True))
    message = str(caught.value)
    assert "first: item_id=0, seed=0, arms " in message
    assert "'a'" in message
    assert "'b'" in message
    assert "df.drop(columns='prompt_hash')" in message


def test_a_missing_prompt_is_not_another_prompt():
    check_prompts(select(PROMPTS.assign(prompt_hash=["u", "v", None, "v"]), [], prompts=True))
    check_prompts(select(PROMPTS.assign(prompt_hash=None), [], prompts=True))


def test_without_prompts_there_is_nothing_to_check():
    check_prompts(select(PROMPTS.drop(columns="prompt_hash"), ["score"], prompts=True))


def test_no_rows_are_paired_to_nothing():
    runs = select(PROMPTS.head(0), ["score"], prompts=True)
    check_prompts(runs)
    for missing in ("raise", "drop", "zero"):
        assert paired_means(runs, "score", 0, [], missing).arm.shape == (0, 0)
