import numpy as np
import pandas as pd
import pytest

from evalframe.errors import FrameError
from evalframe.keys import check_unique, dense, key_columns, key_text

FRAME = pd.DataFrame(
    {"item_id": ["q1", "q2", "q1"], "arm": ["a", "a", "a"], "score": [1, 0, 1], "task": [1, 1, 2]}
)


def refused(frame, key, by=(), size=None):
    size = max(key) + 1 if size is None else size
    with pytest.raises(FrameError) as caught:
        check_unique(frame, by, np.array(key), size)
    return str(caught.value)


def test_the_key_is_the_by_columns_and_item_arm_and_seed_where_they_are():
    assert key_columns(FRAME) == ["item_id", "arm"]
    assert key_columns(FRAME.assign(seed=0), ["task"]) == ["task", "item_id", "arm", "seed"]
    assert key_columns(FRAME, ["item_id"]) == ["item_id", "arm"]


def test_a_key_is_shown_with_plain_values():
    frame = FRAME.assign(seed=np.int64(3), item_id=[7, 8, 7])
    assert key_text(frame, 1, ["item_id", "arm", "seed"]) == "item_id=8, arm='a', seed=3"


def test_an_index_that_repeats_does_not_confuse_the_rows():
    assert key_text(FRAME.set_axis([0, 0, 0]), 1, ["item_id"]) == "item_id='q2'"


@pytest.mark.parametrize("size", [3, 10**9])
def test_different_keys_pass_whether_they_are_dense_or_not(size):
    check_unique(FRAME, (), np.array([0, 2, 1]), size)


@pytest.mark.parametrize("size", [2, 10**12])
def test_a_repeated_key_is_refused_whether_they_are_dense_or_not(size):
    message = refused(FRAME.drop(columns="task"), [0, 1, 0], size=size)
    assert message.startswith("(item_id, arm) must be unique, found 2 rows that share theirs")
    assert "first: item_id='q1', arm='a', in 2 rows (counted from 0: 0, 2)" in message


def test_no_rows_have_no_repeated_key():
    check_unique(FRAME.head(0), (), np.zeros(0, dtype=np.int64), 0)


def test_the_remedy_for_rows_that_differ_numbers_repeated_runs():
    frame = FRAME.drop(columns="task").assign(score=[1, 0, 0])
    number = "df.assign(seed=df.groupby(['item_id', 'arm']).cumcount())"
    assert number in refused(frame, [0, 1, 0])
    assert number in refused(frame.assign(seed=0), [0, 1, 0])


def test_the_remedy_for_equal_rows_drops_the_copies():
    frame = FRAME.drop(columns="task").assign(seed=0)
    assert refused(frame, [0, 1, 0]).endswith("df.drop_duplicates()")


def test_the_remedy_names_a_column_that_would_make_the_key_unique():
    message = refused(FRAME, [0, 1, 0])
    assert "the column 'task' would make it unique" in message
    assert "df[df['task'] == 1]" in message
    assert "by='task'" in message


def test_a_grade_is_no_column_to_tell_rows_apart():
    frame = FRAME.drop(columns="task").assign(score=[0, 1, 2])
    assert "would make it unique" not in refused(frame, [0, 1, 0])


def test_few_possible_keys_are_dense_and_very_many_are_not():
    assert dense(1_000_000, 0)
    assert dense(5_000_000, 1_000_000)
    assert not dense(10**9, 1_000)
