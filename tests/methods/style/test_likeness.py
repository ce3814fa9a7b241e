import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

import evalframe
from evalframe import voice
from evalframe.errors import FrameError, RoleError
from evalframe.results import DTYPE, TABLES

METRICS = ["a.one", "a.two", "b.three"]
FAST = {"metrics": METRICS, "n_calibration": 50}
NUMBERS = ["distance", "tail", "conf_low", "conf_high", "self_tail", "self_low", "self_high"]


def texts(rng, n, shift=0.0):
    return pd.DataFrame(rng.normal(shift, 1, (n, 3)), columns=METRICS)


def frame(n=12, train=40, shift=(0.3,), runs=1, seed=0):
    """Return an author's texts and one arm a shift, each with its runs."""
    rng = np.random.default_rng(seed)
    parts = [texts(rng, n + train).assign(item_id=range(n + train), arm="author", seed=0)]
    for number, one in enumerate(shift):
        for run in range(runs):
            mine = texts(rng, n, one)
            parts.append(mine.assign(item_id=range(n), arm=f"model-{number}", seed=run))
    return pd.concat(parts, ignore_index=True)


def written(n=6, train=20, seed=0):
    """Return texts to be measured, in place of numbers."""
    rng = np.random.default_rng(seed)

    def text():
        return " ".join("x" * length for length in rng.integers(1, 9, rng.integers(1, 12)))

    return pd.DataFrame(
        {
            "item_id": [*range(n + train), *range(n)],
            "arm": ["author"] * (n + train) + ["model"] * n,
            "output": [text() for _ in range(2 * n + train)],
        }
    )


def overall(result):
    return result[result["scope"] == "overall"].reset_index(drop=True)


def numbers(result):
    return result[[*NUMBERS, "n_items", "n_dropped", "n_train"]]


def test_columns_and_dtypes_are_those_of_the_table():
    result = voice(frame(), "author", **FAST)
    assert list(result.columns) == list(TABLES["voice"])
    for column, kind in TABLES["voice"].items():
        dtype = (
            pd.Series(["model"]).dtype
            if kind == "label"
            else pd.Series([], dtype=DTYPE[kind]).dtype
        )
        assert result[column].dtype == dtype, column
    assert isinstance(result.index, pd.RangeIndex)


def test_rows_are_the_score_then_groups_then_metrics_for_each_arm():
    result = voice(frame(shift=(0, 1)), "author", **FAST)
    assert result["arm"].tolist() == ["model-0"] * 6 + ["model-1"] * 6
    assert result["reference"].unique().tolist() == ["author"]
    assert result["scope"].tolist() == ["overall", "group", "group", *["metric"] * 3] * 2
    assert result["group"].tolist() == ["", "a", "b", "a", "a", "b"] * 2
    assert result["metric"].tolist() == ["", "", "", *METRICS] * 2


def test_parquet_gives_a_result_back(tmp_path):
    for replicates in (False, True):
        result = voice(frame(), "author", replicates=replicates, level=np.float32(0.75), **FAST)
        assert json.loads(json.dumps(result.attrs)) == result.attrs
        result.to_parquet(tmp_path / "result.parquet")
        back = pd.read_parquet(tmp_path / "result.parquet")
        assert_frame_equal(back, result)
        assert back.attrs == result.attrs


def test_no_rows_give_an_empty_result():
    for replicates in (False, True):
        result = voice(frame().iloc[:0], "author", replicates=replicates, **FAST)
        full = voice(frame(), "author", replicates=replicates, **FAST)
        assert len(result) == 0
        assert list(result.columns) == list(full.columns)


def test_the_input_is_unchanged_and_the_accessor_gives_the_same():
    given = frame()
    before = given.copy(deep=True)
    assert_frame_equal(given.evals.voice("author", **FAST), voice(given, "author", **FAST))
    assert_frame_equal(given, before)


@pytest.mark.parametrize("interval", ["jackknife", "jackknife_se"])
@pytest.mark.parametrize("size", [None, 5])
def test_row_order_labels_ids_and_extra_columns_change_no_bit(interval, size):
    given = frame(runs=2)
    options = {"interval": interval, "size": size, "n_subsets": 30, **FAST}
    result = numbers(voice(given, "author", **options))
    shuffled = given.sample(frac=1, random_state=1)
    assert_frame_equal(numbers(voice(shuffled, "author", **options)), result)
    other = given.assign(
        item_id=["q" + str(97 * i % 101) for i in given["item_id"]],
        arm=given["arm"].map({"author": "z", "model-0": "a"}),
        seed=1 - given["seed"],
        output="never read",
        extra=range(len(given)),
    )
    assert_frame_equal(numbers(voice(other, "z", **options)), result)


@pytest.mark.parametrize("size", [None, 5])
def test_identical_arms_get_identical_numbers(size):
    given = frame()
    twice = pd.concat([given, given[given["arm"] == "model-0"].assign(arm="copy")])
    result = voice(twice, "author", size=size, n_subsets=30, **FAST)
    copy, first = (numbers(part).reset_index(drop=True) for _, part in result.groupby("arm"))
    assert_frame_equal(copy, first)


def test_an_arm_is_scored_as_if_it_stood_alone():
    given = frame(shift=(0, 0.5, 1))
    together = voice(given, "author", **FAST)
    alone = voice(given[given["arm"].isin(["author", "model-1"])], "author", **FAST)
    mine = together[together["arm"] == "model-1"].reset_index(drop=True)
    assert_frame_equal(mine, alone)


def test_groups_of_by_are_scored_as_frames_of_their_own():
    given = pd.concat(
        [frame(seed=s).assign(topic=topic, level_=s) for s, topic in enumerate(["sea", "land"])]
    )
    result = voice(given, "author", by=["topic", "level_"], **FAST)
    assert list(result.columns[:3]) == ["topic", "level_", "arm"]
    for topic, part in result.groupby("topic"):
        alone = voice(given[given["topic"] == topic], "author", **FAST)
        assert_frame_equal(part.drop(columns=["topic", "level_"]).reset_index(drop=True), alone)
    author = given[given["arm"] == "author"]
    arms = given[given["arm"] != "author"]
    assert_frame_equal(voice(arms, author, by=["topic", "level_"], **FAST), result)
    with pytest.raises(RoleError, match="topic"):
        voice(arms, author.drop(columns="topic"), by="topic", **FAST)


def test_the_author_may_be_a_frame_of_his_own():
    given = frame()
    author, arms = given[given["arm"] == "author"], given[given["arm"] != "author"]
    wanted = voice(given, "author", **FAST)
    assert_frame_equal(voice(arms, author, **FAST), wanted)
    nameless = author.drop(columns=["arm", "seed"])
    result = voice(arms, nameless, **FAST)
    assert result["reference"].unique().tolist() == ["reference"]
    assert_frame_equal(numbers(result), numbers(wanted))
    one = voice(arms.drop(columns="arm"), author, **FAST)
    assert one["arm"].unique().tolist() == ["all"]


def test_an_author_may_stand_among_the_arms_of_another_frame():
    given = frame()
    author = given[given["arm"] == "author"].assign(split=["eval"] * 12 + ["train"] * 40)
    himself = voice(author.head(12).drop(columns="split"), author, **FAST)
    assert himself["arm"].unique().tolist() == ["author"]
    assert (himself.loc[himself["scope"] == "metric", "distance"] == 0).all()
    assert (himself["tail"] == 1).all()


def test_training_rows_are_those_marked_or_those_no_arm_answered():
    given = frame()
    marked = given.assign(split=np.where(given["item_id"] < 12, "eval", "train"))
    assert_frame_equal(voice(marked, "author", **FAST), voice(given, "author", **FAST))
    split = marked["split"].where(marked["arm"] == "author").astype("category")
    assert_frame_equal(
        voice(marked.assign(split=split), "author", **FAST), voice(given, "author", **FAST)
    )
    fewer = voice(marked[marked["item_id"] < 40], "author", **FAST)
    assert fewer["n_train"].unique().tolist() == [28]


def test_an_arms_rows_marked_as_training_are_not_scored_and_noted():
    given = frame().assign(split="train")
    given.loc[given["item_id"] < 12, "split"] = "eval"
    more = texts(np.random.default_rng(9), 3).assign(item_id=[20, 21, 22], arm="model-0", seed=0)
    result = voice(pd.concat([given, more.assign(split="train")]), "author", **FAST)
    assert_frame_equal(numbers(result), numbers(voice(given, "author", **FAST)))
    assert "3 training rows not scored" in overall(result)["note"][0]


def test_the_same_rng_gives_the_same_numbers_and_none_is_recorded():
    given = frame()
    fresh = voice(given, "author", rng=None, **FAST)
    again = voice(given, "author", rng=fresh.attrs["evalframe"]["rng"], **FAST)
    assert_frame_equal(fresh, again)
    assert not voice(given, "author", rng=1, **FAST)["tail"].equals(fresh["tail"])
    by_generator = voice(given, "author", rng=np.random.default_rng(3), **FAST)
    assert isinstance(by_generator.attrs["evalframe"]["rng"], int)


def test_a_sequence_of_levels_gives_a_block_of_rows_for_each():
    given = frame()
    result = voice(given, "author", level=[0.5, 0.9], **FAST)
    for part, level in ((result.iloc[:6], 0.5), (result.iloc[6:], 0.9)):
        alone = voice(given, "author", level=level, **FAST)
        assert_frame_equal(part.reset_index(drop=True), alone)


def test_without_an_interval_limits_are_nan_and_all_else_is_the_same():
    given = frame()
    plain, full = (voice(given, "author", interval=i, **FAST) for i in (None, "jackknife"))
    assert plain[["conf_low", "conf_high"]].isna().all(axis=None)
    columns = [c for c in full.columns if c not in ("conf_low", "conf_high", "interval", "note")]
    assert_frame_equal(plain[columns], full[columns])
    assert (plain["interval"] == "").all()


def test_replicates_are_the_tails_behind_the_limits():
    given = frame(shift=(0, 1))
    result = voice(given, "author", **FAST)
    left_out = voice(given, "author", replicates=True, **FAST)
    keys = ["arm", "scope", "group", "metric"]
    limits = left_out.groupby(keys, sort=False)["tail"].quantile([0.05, 0.95]).unstack()
    assert_allclose(limits.to_numpy(), result[["conf_low", "conf_high"]], atol=1e-12)
    assert left_out["item_id"].tolist() == [*range(12)] * 12
    assert list(left_out.columns) == list(TABLES["voice_replicates"])


def test_the_default_interval_says_what_it_is_not():
    said = voice(frame(), "author", **FAST)["note"]
    assert said.str.contains("far too narrow").all()
    assert (voice(frame(), "author", interval="jackknife_se", **FAST)["note"] == "").all()


def test_scale_and_offset_of_a_metric_change_no_tail():
    given = frame()
    scaled = given.assign(**{"a.one": 8 * given["a.one"], "b.three": given["b.three"] / 1024})
    one, two = (voice(each, "author", **FAST) for each in (given, scaled))
    assert_frame_equal(one.drop(columns="distance"), two.drop(columns="distance"))


def test_built_in_metrics_columns_and_functions_mix():
    given = written().assign(**{"own.column": range(32)})
    chosen = [
        "text_length",
        {"own.xs": lambda text: text.count("x")},
        "own.column",
        "register.hedges",
    ]
    result = voice(given, "author", metrics=chosen, n_calibration=20)
    groups = result.loc[result["scope"] == "group", "group"]
    assert groups.tolist() == ["text_length", "own", "register"]
    metrics = result.loc[result["scope"] == "metric", "metric"].tolist()
    lengths = ["log_words", "log_sentences", "log_paragraphs"]
    own = ["own.xs", "own.column", "register.hedges"]
    assert metrics == [*(f"text_length.{name}" for name in lengths), *own]


def test_a_function_gives_what_its_column_gives():
    given = written()
    column = given.assign(**{"own.xs": given["output"].str.count("x")})
    by_function = voice(given, "author", metrics={"own.xs": lambda text: text.count("x")})
    by_column = voice(column, "author", metrics="own.xs")
    assert_array_equal(by_function["distance"], by_column["distance"])


def test_the_default_is_the_whole_set_in_twelve_groups():
    scope = voice(written(), "author", n_calibration=20)["scope"]
    assert scope.value_counts().to_dict() == {"metric": 69, "group": 12, "overall": 1}


def test_text_dtypes_give_the_same_numbers():
    given = written()
    wanted = voice(given, "author", metrics="word_length", n_calibration=20)
    for dtype in ("object", "string[python]", "string[pyarrow]", "category"):
        other = given.astype({"output": dtype})
        found = voice(other, "author", metrics="word_length", n_calibration=20)
        assert_frame_equal(found, wanted)


def test_nothing_speaks_of_a_hypothesis_test():
    package = Path(evalframe.__file__).parent
    files = sorted((package / "methods" / "style").glob("*.py"))
    files += [package / "stats" / f"{name}.py" for name in ("likeness", "wasserstein")]
    for file in files:
        assert not re.findall(r"p[-_ ]value|significan|threshold", file.read_text(), re.IGNORECASE)
    result = voice(frame(), "author", **FAST)
    assert not re.findall(
        "p_value|signific|threshold", " ".join([*result.columns, *result["note"]])
    )


@pytest.mark.parametrize(
    ("option", "value", "match"),
    [
        ("interval", "bca", "interval must be one of 'jackknife', 'jackknife_se'"),
        ("ties", "loose", "ties must be one of 'strict', 'mid'"),
        ("missing", "zero", "missing must be one of 'raise', 'drop'"),
        ("level", 90, "level must lie between 0 and 1"),
        ("level", [], "at least one"),
        ("floor", 0, "floor must lie between 0 and 1"),
        ("n_calibration", 0, "n_calibration must be an integer of at least 1"),
        ("n_subsets", 1, "n_subsets must be an integer of at least 2"),
        ("size", 0, "size must be an integer of at least 1"),
        ("rng", -1, "rng must be"),
        ("replicates", "yes", "replicates must be True or False"),
    ],
)
def test_a_wrong_choice_lists_the_choices(option, value, match):
    with pytest.raises(ValueError, match=match):
        voice(frame(), "author", **{**FAST, option: value})


def test_replicates_need_an_interval():
    with pytest.raises(ValueError, match="interval=None"):
        voice(frame(), "author", interval=None, replicates=True, **FAST)


@pytest.mark.parametrize(
    ("metrics", "error", "match"),
    [
        ("a.oen", RoleError, "did you mean 'a.one'"),
        ("word_lenght", RoleError, "did you mean 'word_length'"),
        (["a.one", "a.one"], RoleError, "'a.one' twice"),
        ([], RoleError, "at least one"),
        ({"nodot": len}, RoleError, "'nodot'"),
        ({"word_length.mean": len}, RoleError, "a built-in metric"),
        ({"own.one": 3}, RoleError, "int"),
        ("seed ", RoleError, "metrics must name"),
        ("arm", FrameError, "must hold numbers"),
        ({"own.inf": lambda text: np.inf * len(text)}, FrameError, "finite"),
    ],
)
def test_a_metric_that_is_none_is_refused(metrics, error, match):
    given = frame().assign(output="text")
    with pytest.raises(error, match=match):
        voice(given, "author", metrics=metrics, n_calibration=10)
