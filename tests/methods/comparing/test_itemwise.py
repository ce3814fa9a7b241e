"""Two arms item by item: which items, in what order, with what means."""

import numpy as np
import pandas as pd
import pytest

from evalframe import DesignError, FrameError, RoleError, mcnemar
from evalframe.methods.comparing.itemwise import item_pairs


def runs(scores, items=None, **columns):
    """Return a row an item of each arm, from lists of scores by arm."""
    n = len(next(iter(scores.values())))
    parts = [
        pd.DataFrame({"item_id": items or range(n), "arm": arm, "score": found})
        for arm, found in scores.items()
    ]
    frame = pd.concat(parts, ignore_index=True)
    return frame.assign(**{name: list(cells) * len(scores) for name, cells in columns.items()})


def pairs(frame, baseline="base", arm=None, value="score", by=None, missing="raise"):
    return item_pairs(frame, baseline, arm=arm, value=value, by=by, missing=missing)


def test_items_come_in_the_order_of_their_ids_whatever_the_order_of_rows():
    frame = runs({"base": [0, 1, 1], "edit": [1, 1, 0]}, ["c", "a", "b"])
    found = pairs(frame.sample(frac=1, random_state=1))
    assert found.labels["item_id"].tolist() == ["a", "b", "c"]
    assert found.baseline.tolist() == [1, 1, 0]
    assert found.arm.tolist() == [1, 0, 1]
    assert found.side.tolist() == [0, -1, 1]
    assert found.binary


def test_groups_come_first_and_clusters_are_kept():
    frame = runs({"base": [0, 1], "edit": [1, 1]}, task=["z", "a"], cluster_id=["p", "q"])
    labels = pairs(frame, by="task").labels
    assert labels.to_dict("list") == {
        "task": ["a", "z"],
        "item_id": [1, 0],
        "cluster_id": ["q", "p"],
    }


def test_an_item_of_two_groups_is_two():
    frame = runs({"base": [0, 1], "edit": [1, 1]}, items=["a", "a"], task=["x", "y"], seed=[0, 1])
    assert len(pairs(frame, by="task").labels) == 2
    whole = pairs(frame)
    assert len(whole.labels) == 1
    assert not whole.binary


def test_means_of_the_same_values_in_another_order_are_equal():
    values = [0.1, 0.2, 0.3]
    assert sum(values) != sum(reversed(values))
    frame = runs({"base": values, "edit": values[::-1]}, items=["a"] * 3, seed=[0, 1, 2])
    assert pairs(frame).side.tolist() == [0]


def test_counts_are_those_of_mcnemar():
    rng = np.random.default_rng(3)
    frame = runs({arm: rng.integers(0, 2, 200) for arm in ("base", "edit", "other")})
    for arm in ("edit", "other"):
        found = pairs(frame, arm=arm)
        row = mcnemar(frame, "base").set_index("arm").loc[arm]
        assert (found.side == 1).sum() == row["arm_only"]
        assert (found.side == -1).sum() == row["baseline_only"]


def test_what_other_arms_lack_does_not_matter():
    two = runs({"base": [0, 1, 1], "edit": [1, 1, 0]})
    third = pd.DataFrame({"item_id": [0, 9], "arm": "other", "score": [np.nan, 1.0]})
    found = pairs(pd.concat([two, third], ignore_index=True), arm="edit")
    pd.testing.assert_frame_equal(found.labels, pairs(two).labels)
    assert found.arm.tolist() == [1, 1, 0]


def test_what_is_missing_is_refused_dropped_or_counted_as_0():
    frame = runs({"base": [0, 1, None], "edit": [1, 1, 0]})
    with pytest.raises(FrameError, match='missing="drop"'):
        pairs(frame)
    dropped = pairs(frame, missing="drop")
    assert (len(dropped.arm), dropped.n_dropped, dropped.n_zeros) == (2, 1, 0)
    zeros = pairs(frame, missing="zero")
    assert (zeros.baseline.tolist(), zeros.n_dropped, zeros.n_zeros) == ([0, 1, 0], 0, 1)
    with pytest.raises(DesignError, match=r"arm 'base' lacks 1 key\(s\): item_id=2"):
        pairs(frame.drop(index=2))


def test_labels_of_other_types_give_the_same_numbers():
    frame = runs({"base": [0, 1, 1], "edit": [1, 1, 0]})
    for dtype in ("str", "category", "Int64"):
        found = pairs(frame.astype({"item_id": dtype}))
        assert found.side.tolist() == [1, 0, -1]


def test_a_choice_among_arms_is_the_users():
    frame = runs({"base": [0, 1], "edit": [1, 1], "other": [0, 0]})
    with pytest.raises(
        DesignError, match=r"two arms, found 2 beside 'base': 'edit', 'other'.*arm='edit'"
    ):
        pairs(frame)
    with pytest.raises(DesignError, match=r"arm must be the label of an arm, found 'edt'.*'edit'"):
        pairs(frame, arm="edt")
    with pytest.raises(DesignError, match=r"baseline must be the label of an arm, found 'bse'"):
        pairs(frame, "bse", arm="edit")
    with pytest.raises(DesignError, match=r"another arm than the baseline, found 'base' for both"):
        pairs(frame, arm="base")
    with pytest.raises(DesignError, match="needs an arm beside the baseline"):
        pairs(frame[frame["arm"] == "base"])


def test_what_cannot_be_paired_is_refused():
    frame = runs({"base": [0, 1], "edit": [1, 1]})
    with pytest.raises(FrameError, match="found 0 rows"):
        pairs(frame.head(0))
    with pytest.raises(ValueError, match=r"value must name one column, found \['a', 'b'\]"):
        pairs(frame.assign(a=1, b=2), value=["a", "b"])
    with pytest.raises(ValueError, match="missing must be one of 'raise', 'drop', 'zero'"):
        pairs(frame, missing="skip")
    with pytest.raises(RoleError, match="no column 'item_id'"):
        pairs(frame.drop(columns="item_id"))
    with pytest.raises(DesignError, match="none shared"):
        pairs(frame.assign(item_id=[0, 1, 2, 3]), missing="drop")
    with pytest.raises(DesignError, match="the same prompt"):
        pairs(frame.assign(prompt_hash=list("aabb")))


def test_the_frame_is_unchanged():
    frame = runs({"base": [0, 1], "edit": [1, 1], "other": [0, 0]}, task=["a", "b"])
    before = frame.copy(deep=True)
    pairs(frame, arm="edit", by="task")
    pd.testing.assert_frame_equal(frame, before)
