"""Every public function is documented whole: arguments, defaults, result, errors, an example."""

import inspect
import re

import pytest

import evalframe as ef
from evalframe.results import TABLES

FUNCTIONS = {
    **{name: one for name in ef.__all__ if inspect.isfunction(one := getattr(ef, name))},
    **{f"plot.{name}": getattr(ef.plot, name) for name in ef.plot.__all__},
}
# Functions that estimate something, by the table of their result where it has another name.
TABLE_OF = {
    "pass_at_k": "passes",
    "pass_hat_k": "passes",
    **dict.fromkeys(["sample_size", "power", "mde"], "plan"),
}
NUMBERS = {"se", "p_value", "coverage", "icc", "tail"}
ESTIMATORS = [name for name in FUNCTIONS if NUMBERS & set(TABLES.get(TABLE_OF.get(name, name), ()))]
# Why a section is not there.
WITHOUT = {
    ("metrics", "Parameters"): "it takes nothing",
    ("metrics", "Raises"): "nothing can go wrong",
    ("write_jsonl", "Returns"): "it writes",
    ("write_parquet", "Returns"): "it writes",
}


def sections(name: str) -> dict[str, str]:
    """Return the text of each section of a docstring."""
    parts = re.split(r"^(\w[\w ]+)\n-{3,}$", inspect.getdoc(FUNCTIONS[name]), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_begins_with_one_sentence(name):
    doc = inspect.getdoc(FUNCTIONS[name])
    assert re.match(r"[A-Z`][^\n]*\.(\n|$)", doc)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_section_is_there_and_in_order(name):
    wanted = ["Parameters", "Returns", "Raises", "Examples"]
    found = [one for one in sections(name) if one in wanted]
    assert found == [one for one in wanted if (name, one) not in WITHOUT]
    assert ">>>" in sections(name)["Examples"]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimator_tells_its_formula_and_where_it_is_from(name):
    assert {"Notes", "References"} <= set(sections(name))


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "metrics"])
def test_every_parameter_is_documented_with_its_default(name):
    text = sections(name)["Parameters"]
    listed = re.findall(r"^(\w[\w, ]*) : (.*)$", text, flags=re.MULTILINE)
    documented = [parameter for names, _ in listed for parameter in names.split(", ")]
    parameters = inspect.signature(FUNCTIONS[name]).parameters.values()
    assert documented == [parameter.name for parameter in parameters]
    about = re.split(r"^\w[\w, ]* : ", text, flags=re.MULTILINE)[1:]
    said = dict(
        pair
        for (names, _), one in zip(listed, about, strict=True)
        for pair in [(parameter, one) for parameter in names.split(", ")]
    )
    for parameter in parameters:
        if parameter.default not in (parameter.empty, None):
            assert spelled(parameter.default) & set(re.findall(r"[\w.,-]+", said[parameter.name]))


def spelled(default: object) -> set[str]:
    """Return the words, any of which says a default."""
    if isinstance(default, tuple):
        return {word for one in default for word in spelled(one)}
    if isinstance(default, int | float) and not isinstance(default, bool):
        forms = (f"{default:,}", f"{default:_}", f"{default:g}")
        return {word for form in forms for word in (form, f"{form}.", f"{form},")}
    return {str(default), f"{default}.", f"{default},"}
