"""`df.evals`: no state, the functions' own signatures and docstrings, quiet when loaded again."""

import gc
import importlib.resources
import inspect
import re
import subprocess
import sys
import textwrap
import weakref

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import evalframe
from evalframe import Evals

NAMES = sorted(name for name in vars(Evals) if not name.startswith("_"))
CORE = ["compare", "mcnemar", "score", "tidy"]
ARGUMENTS = {"compare": ("base",), "mcnemar": ("base",), "score": (), "tidy": ()}


def runs():
    return pd.DataFrame(
        {
            "item_id": ["q1", "q2", "q3"] * 2,
            "arm": ["base"] * 3 + ["edit"] * 3,
            "score": [1.0, 0.0, 1.0, 1.0, 1.0, 0.0],
        }
    )


def call(frame, name, **options):
    return getattr(frame.evals, name)(*ARGUMENTS[name], **options)


def python(code):
    """Run code in a fresh interpreter with warnings as errors, and return what it printed."""
    code = "import pandas as pd\n" + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_core_methods_are_there():
    assert set(CORE) <= set(NAMES)


def test_the_docstring_is_a_table_of_contents_that_names_every_method():
    assert set(NAMES) == set(re.findall(r"`(\w+)`", Evals.__doc__)) - {"evalframe"}


@pytest.mark.parametrize("name", CORE)
def test_a_method_is_the_function_of_the_same_name(name):
    result = call(runs(), name)
    function = getattr(evalframe, name)(runs(), *ARGUMENTS[name])
    assert_frame_equal(result, function, check_exact=True)
    assert result.attrs == function.attrs


@pytest.mark.parametrize("name", CORE)
def test_evals_of_a_frame_is_the_accessor_u075(name):
    typed = getattr(Evals(runs()), name)(*ARGUMENTS[name])
    assert_frame_equal(typed, call(runs(), name), check_exact=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_method_keeps_the_signature_of_its_function_u075(name):
    function = inspect.signature(getattr(evalframe, name))
    method = inspect.signature(getattr(runs().evals, name))
    assert list(method.parameters.values()) == list(function.parameters.values())[1:]
    assert method.return_annotation == function.return_annotation
    assert "frame" not in method.parameters


@pytest.mark.parametrize("name", NAMES)
def test_a_method_keeps_the_docstring_and_the_name_of_its_function_u075(name):
    method, function = getattr(runs().evals, name), getattr(evalframe, name)
    assert inspect.getdoc(method) == inspect.getdoc(function)
    assert method.__name__ == function.__name__ == name
    assert name in dir(runs().evals)


@pytest.mark.parametrize("name", NAMES)
def test_every_method_is_annotated_u075(name):
    signature = inspect.signature(getattr(evalframe, name))
    kinds = [parameter.annotation for parameter in signature.parameters.values()]
    assert inspect.Parameter.empty not in [*kinds, signature.return_annotation]


def test_the_package_says_that_it_is_typed_u075():
    assert importlib.resources.files("evalframe").joinpath("py.typed").is_file()
    assert "Evals" in evalframe.__all__


@pytest.mark.parametrize("name", NAMES)
def test_options_are_keyword_only_and_none_is_swallowed_u052(name):
    _, *options = inspect.signature(getattr(evalframe, name)).parameters.values()
    kinds = {option.name: option.kind for option in options}
    assert inspect.Parameter.VAR_KEYWORD not in kinds.values()
    assert inspect.Parameter.VAR_POSITIONAL not in kinds.values()
    free = {name for name, kind in kinds.items() if kind is not inspect.Parameter.KEYWORD_ONLY}
    assert free <= {"baseline", "reference", "reference_mean"}


@pytest.mark.parametrize("name", CORE)
@pytest.mark.parametrize("option", ["clusters", "cluster_id", "seed", "alpha", "levels", "ci"])
def test_a_misspelt_option_is_a_type_error_u052(name, option):
    if option in inspect.signature(getattr(evalframe, name)).parameters:
        option += "s"
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{option}'"):
        call(runs(), name, **{option: "passage"})


@pytest.mark.parametrize("name", CORE)
def test_a_missing_or_a_positional_argument_is_a_type_error(name):
    with pytest.raises(TypeError, match="positional argument"):
        getattr(runs().evals, name)(*ARGUMENTS[name], "score")
    if ARGUMENTS[name]:
        with pytest.raises(TypeError, match="baseline"):
            getattr(runs().evals, name)()


def test_the_accessor_holds_the_frame_and_nothing_else():
    frame = runs()
    accessor = frame.evals
    for name in CORE:
        getattr(accessor, name)(*ARGUMENTS[name])
    assert list(vars(accessor)) == ["_frame"]
    assert accessor._frame is frame


def test_making_an_accessor_looks_at_nothing():
    class Untouchable:
        def __getattribute__(self, name):
            raise AssertionError(f"{name} was read")

    Evals(Untouchable())


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(),
        pd.DataFrame([[1, 2]], columns=["score", "score"]),
        pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")])),
        pd.DataFrame({"item_id": [[1]], "score": ["C"]}),
    ],
    ids=["no columns", "two of one name", "two levels", "no scores"],
)
def test_access_never_fails_and_an_unknown_method_is_an_attribute_error(frame):
    assert isinstance(frame.evals, Evals)
    assert not hasattr(frame.evals, "scores")
    with pytest.raises(AttributeError, match="scores"):
        _ = frame.evals.scores


def test_an_accessor_taken_before_a_change_sees_the_change_u069():
    frame = runs()
    accessor = frame.evals
    assert accessor.score()["n_items"].tolist() == [3, 3]
    frame.loc[len(frame)] = ["q4", "base", 0.0]
    assert accessor.score()["n_items"].tolist() == [4, 3]
    assert frame.evals.score()["estimate"].tolist() == [0.5, pytest.approx(2 / 3)]
    frame["score"] = 1.0
    assert accessor.score()["estimate"].tolist() == [1.0, 1.0]


def test_the_accessor_of_a_filtered_frame_is_of_the_filtered_frame_u012():
    frame = runs().assign(doc_topic=["x", "y", "x"] * 2)
    _ = frame.evals.score()
    part = frame[frame["doc_topic"] == "x"]
    assert part.evals.score()["n_items"].tolist() == [2, 2]
    assert part.evals.score()["estimate"].tolist() == [1.0, 0.5]
    assert frame.evals.score()["n_items"].tolist() == [3, 3]


def test_a_frame_is_freed_although_its_accessor_was_used_u070():
    frame = runs()
    for name in CORE:
        call(frame, name)
    alive = weakref.ref(frame)
    gc.collect()
    gc.disable()
    try:
        del frame
        if int(pd.__version__.split(".")[0]) < 3:
            # pandas 2 keeps the accessor on the frame, and so a cycle.
            gc.collect()
        assert alive() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("name", CORE)
def test_a_result_does_not_keep_the_frame_alive_u070(name):
    frame = runs()
    result = call(frame, name)
    alive = weakref.ref(frame)
    del frame
    gc.collect()
    assert alive() is None
    assert len(result) > 0


def test_loading_again_does_not_warn_u072():
    printed = python("""
        import importlib
        import evalframe, evalframe.accessor
        importlib.reload(evalframe.accessor)
        importlib.reload(evalframe.accessor)
        importlib.reload(evalframe)
        frame = pd.DataFrame({"item_id": ["q"], "score": [1.0]})
        print(frame.evals.score()["estimate"][0])
    """)
    assert printed == "1.0"


def test_loading_from_scratch_again_does_not_warn_u072():
    printed = python("""
        import sys
        import evalframe
        for name in [name for name in sys.modules if name.split(".")[0] == "evalframe"]:
            del sys.modules[name]
        import evalframe
        frame = pd.DataFrame({"item_id": ["q"], "score": [1.0]})
        print(frame.evals.score()["estimate"][0])
    """)
    assert printed == "1.0"


def test_the_accessor_of_another_package_is_not_replaced_in_silence_u072():
    printed = python("""
        import warnings
        @pd.api.extensions.register_dataframe_accessor("evals")
        class Other:
            def __init__(self, frame):
                pass
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import evalframe
        print(sum("evals" in str(one.message) for one in caught))
    """)
    assert printed == "1"


def test_importing_the_package_registers_the_accessor_once():
    printed = python("""
        print(hasattr(pd.DataFrame, "evals"))
        import evalframe
        print(pd.DataFrame.evals is evalframe.Evals, hasattr(pd.Series, "evals"))
    """)
    assert printed.split() == ["False", "True", "False"]


@pytest.mark.parametrize("values", [range(6), ["x"] * 6, [None] * 6])
@pytest.mark.parametrize("name", CORE)
def test_a_column_named_evals_is_still_there(name, values):
    frame = runs().assign(evals=values)
    assert frame["evals"].tolist() == list(values)
    assert isinstance(frame.evals, Evals)
    expected = call(runs(), name)
    assert_frame_equal(call(frame, name)[expected.columns], expected, check_exact=True)


def test_a_column_named_evals_can_be_grouped_by_and_scored():
    frame = runs().assign(evals=[1, 2, 3] * 2)
    assert frame.evals.score(by="evals")["evals"].tolist() == [1, 1, 2, 2, 3, 3]
    assert frame.evals.score(value="evals")["estimate"].tolist() == [2, 2]
