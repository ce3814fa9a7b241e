"""Options of pandas change no number of any method."""

import pandas as pd
import pytest
from awkward import SAME
from every_method import CALLS, runs
from pandas.testing import assert_frame_equal

import evalframe as ef

NEW = int(pd.__version__.split(".")[0]) >= 3
OPTIONS = [
    ("compute.use_bottleneck", False),
    ("compute.use_numexpr", False),
    ("display.precision", 2),
    ("mode.string_storage", "python"),
    *(
        [("future.distinguish_nan_and_na", True), ("future.python_scalars", True)]
        if NEW
        else [
            ("mode.copy_on_write", True),
            ("mode.chained_assignment", "raise"),
            ("future.infer_string", True),
            ("future.no_silent_downcasting", True),
        ]
    ),
]
# Variants of a method read a frame as the method does.
METHODS = {name: CALLS[name].run for name in CALLS if "," not in name}
METHODS |= {"tidy": ef.tidy, "style": lambda frame: ef.style(frame, metrics="text_length")}


@pytest.mark.parametrize("dress", ["plain", "every column of Arrow"])
@pytest.mark.parametrize("name", METHODS)
def test_options_of_pandas_do_not_matter(name, dress):
    frame = SAME[dress](runs()) if dress in SAME else runs()
    expected = METHODS[name](frame)
    for option, value in OPTIONS:
        with pd.option_context(option, value):
            result = METHODS[name](frame)
        # Text, of names and categories too, is stored as pandas is told to store it.
        assert list(result.columns) == list(expected.columns)
        assert_frame_equal(
            result.set_axis(expected.columns, axis=1),
            expected,
            check_exact=True,
            check_dtype=False,
            check_categorical=False,
        )
