"""Every option of every method, given what it cannot be: refused in words that name it."""

import inspect

import numpy as np
import pandas as pd
import pytest
from every_method import CALLS, runs

import evalframe as ef

WRONG = {
    "None": None,
    "text": "no such",
    "a negative": -1,
    "a fraction": 1.5,
    "no list": [],
    "a dict": {"a": 1},
    "NaN": float("nan"),
    "infinity": np.inf,
    "True": True,
    "an object": object(),
    "a list of both": ["a", 1],
}


def options(name):
    """Return the options of a method, the name of a call may follow its own after a comma."""
    parameters = inspect.signature(getattr(ef, name)).parameters.values()
    return [one for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY]


# A variant has the options of its method.
METHODS = {name: CALLS[name].run for name in CALLS if "," not in name}
METHODS |= {"tidy": ef.tidy, "style": ef.style}
CROSSED = [(name, option.name) for name in METHODS for option in options(name)]


@pytest.mark.parametrize(("name", "option"), CROSSED)
def test_an_option_is_taken_or_refused_by_its_name(name, option):
    for kind, value in WRONG.items():
        try:
            result = METHODS[name](runs(), **{option: value})
        except ValueError as error:
            said = str(error)
            assert option in said or (option == "value" and "column" in said), kind
            assert "ambiguous" not in said, kind
        else:
            assert isinstance(result, pd.DataFrame), kind
