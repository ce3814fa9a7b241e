import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from pandas.testing import assert_frame_equal

from evalframe import voice
from evalframe.errors import DesignError, FrameError, RoleError

METRICS = ["a.one", "a.two", "b.three"]
FAST = {"metrics": METRICS, "n_calibration": 50}


def texts(rng, n, shift=0.0):
    return pd.DataFrame(rng.normal(shift, 1, (n, 3)), columns=METRICS)


def frame(n=12, train=40, runs=1, seed=0, shift=0.3):
    rng = np.random.default_rng(seed)
    parts = [texts(rng, n + train).assign(item_id=range(n + train), arm="author", seed=0)]
    for run in range(runs):
        parts.append(texts(rng, n, shift).assign(item_id=range(n), arm="model", seed=run))
    return pd.concat(parts, ignore_index=True)


def rows(result):
    """Return a result by metric, group or "" for the score."""
    names = result["metric"].where(result["scope"] == "metric", result["group"])
    return result.set_index(names.to_numpy())


def is_arm(given, *items):
    return (given["arm"] == "model") & given["item_id"].isin(items)


def test_too_few_training_texts_name_both_numbers_and_offer_a_size():
    given = frame(n=12, train=23)
    with pytest.raises(DesignError, match=r"takes 24, found 23 .*size=11"):
        voice(given, "author", **FAST)
    assert rows(voice(given, "author", size=11, **FAST)).loc["", "size"] == 11
    assert not voice(frame(n=12, train=24), "author", **FAST)["tail"].isna().any()
    with pytest.raises(DesignError, match=r"takes 24, found 0"):
        voice(frame(n=12, train=0), "author", **FAST)


def test_a_size_above_the_number_of_pairs_is_refused():
    with pytest.raises(DesignError, match=r"size=13 .*found 12 pairs"):
        voice(frame(), "author", size=13, **FAST)


@pytest.mark.parametrize("interval", ["jackknife", "jackknife_se"])
def test_a_size_of_all_pairs_is_the_plain_score(interval):
    plain = voice(frame(), "author", interval=interval, **FAST)
    sized = voice(frame(), "author", interval=interval, size=12, **FAST)
    assert_frame_equal(plain.drop(columns="size"), sized.drop(columns="size"))


def test_a_pair_in_every_subset_leaves_limits_unknown_with_a_note():
    result = rows(voice(frame(), "author", size=11, n_subsets=2, **FAST))
    assert not result["tail"].isna().any()
    assert result["conf_low"].isna().all()
    assert result["note"].str.contains("raise n_subsets").all()


def test_items_without_a_partner_are_an_error_that_names_them():
    given = frame()
    marked = given.assign(split=np.where(given["item_id"] < 12, "eval", "train"))
    with pytest.raises(DesignError, match=r"arm 'model' lacks 2 item\(s\): 3, 5"):
        voice(marked[~is_arm(marked, 3, 5)], "author", **FAST)
    more = texts(np.random.default_rng(1), 1).assign(item_id=999, arm="model", seed=0)
    with pytest.raises(DesignError, match=r"no reference for 1 item\(s\): 999 of arm 'model'"):
        voice(pd.concat([given, more]), "author", **FAST)
    answered = texts(np.random.default_rng(1), 1).assign(item_id=20, arm="model", seed=0)
    split = given.assign(split=np.where(given["item_id"] < 12, "eval", "train"))
    with pytest.raises(DesignError, match=r"training texts"):
        voice(pd.concat([split, answered]), "author", **FAST)


def test_items_without_a_partner_are_dropped_on_request_and_counted():
    given = frame().assign(split="train")
    given.loc[given["item_id"] < 12, "split"] = "eval"
    fewer = given[~is_arm(given, 3, 5)]
    more = texts(np.random.default_rng(1), 1).assign(item_id=999, arm="model", seed=0)
    result = rows(voice(pd.concat([fewer, more]), "author", missing="drop", **FAST))
    paired = fewer[~fewer["item_id"].isin([3, 5])]
    wanted = rows(voice(paired, "author", **FAST))
    assert_array_equal(result["tail"], wanted["tail"])
    assert (result["n_items"] == 10).all()
    assert (result["n_dropped"] == 3).all()
    assert (wanted["n_dropped"] == 0).all()


def test_an_item_that_another_arm_answered_does_not_train():
    given = frame()
    other = given[given["arm"] == "model"].assign(arm="other")
    both = pd.concat([given[~is_arm(given, 3)], other])
    with pytest.raises(DesignError, match=r"arm 'model' lacks 1 item\(s\): 3"):
        voice(both, "author", **FAST)
    assert (voice(both, "author", missing="drop", **FAST)["n_train"] == 40).all()


def test_no_pair_at_all_has_no_score_and_a_note():
    given = frame()
    given.loc[given["arm"] == "model", "item_id"] += 1_000
    result = rows(voice(given, "author", missing="drop", **FAST))
    assert result["tail"].isna().all()
    assert result.loc["", "note"].startswith("no pair")
    assert (result["n_items"] == 0).all()


def written():
    given = frame(n=4, train=10)
    return given.assign(output=[f"{'word ' * (i % 5)}." for i in range(len(given))])


OWN = {"metrics": {"own.length": len}, "n_calibration": 20}


def test_a_missing_text_drops_its_pair_and_an_empty_one_counts():
    given = written()
    for missing in (None, np.nan, pd.NA):
        output = given["output"].astype(object)
        output[is_arm(given, 2)] = missing
        result = rows(voice(given.assign(output=output), "author", **OWN))
        assert (result["n_items"] == 3).all()
        assert (result["n_dropped"] == 1).all()
        output = given["output"].astype(object)
        output[(given["arm"] == "author") & given["item_id"].isin([1, 13])] = missing
        result = rows(voice(given.assign(output=output), "author", **OWN))
        assert (result["n_dropped"] == 1).all()
        assert (result["n_train"] == 9).all()
    given.loc[is_arm(given, 2), "output"] = ""
    assert (voice(given, "author", **OWN)["n_items"] == 4).all()


def test_outputs_that_are_no_text_are_refused():
    with pytest.raises(FrameError, match=r"'output' must hold text, found int"):
        voice(written().assign(output=7), "author", **OWN)
    with pytest.raises(RoleError, match=r'tidy\(text="YOUR_COLUMN"\)'):
        voice(written().drop(columns="output"), "author", **OWN)


def test_a_value_that_is_not_known_drops_the_pair_for_its_metric_alone():
    given = frame()
    given.loc[is_arm(given, 2, 3), "a.one"] = np.nan
    given.loc[(given["arm"] == "author") & given["item_id"].isin([3, 4, 30]), "a.one"] = np.nan
    result = rows(voice(given, "author", **FAST))
    assert result.loc["a.one", ["n_items", "n_dropped", "n_train"]].tolist() == [9, 3, 39]
    assert result.loc["a.two", ["n_items", "n_dropped", "n_train"]].tolist() == [12, 0, 40]
    # The metric by itself, on the pairs and training texts that it knows: the same number.
    known = given.dropna(subset="a.one")
    paired = known[
        (known["item_id"] >= 12) | (known.groupby("item_id")["arm"].transform("size") > 1)
    ]
    alone = rows(voice(paired, "author", metrics="a.one", n_calibration=2_000))
    holes = rows(voice(given, "author", metrics="a.one", n_calibration=2_000))
    assert alone.loc["a.one", "distance"] == holes.loc["a.one", "distance"]
    assert alone.loc["a.one", "tail"] == pytest.approx(holes.loc["a.one", "tail"], abs=0.06)


def test_a_value_that_is_not_known_changes_no_other_metric():
    rng = np.random.default_rng(0)
    given = frame().assign(output=["x" * n + "y" * m for n, m in rng.integers(1, 50, (64, 2))])

    def shorter(text):
        return len(text) if len(text) % 9 else np.nan

    holes, full = (
        rows(voice(given, "author", metrics={"a.len": one, "b.x": lambda text: text.count("x")}))
        for one in (shorter, len)
    )
    assert holes.loc["a.len", "n_items"] < 12
    assert_frame_equal(holes.loc[["b", "b.x"]], full.loc[["b", "b.x"]])


def test_a_metric_known_of_too_few_training_texts_is_left_out_and_noted():
    given = frame()
    given.loc[given["item_id"].between(15, 40), "a.one"] = np.nan
    result = rows(voice(given, "author", **FAST))
    assert np.isnan(result.loc["a.one", "tail"])
    assert "known of 14 training texts, fewer than 2 x 12" in result.loc["a.one", "note"]
    assert "1 of 2 metrics left out" in result.loc["a", "note"]
    assert result.loc["a", "tail"] == result.loc["a.two", "tail"]


def test_a_metric_without_any_value_is_left_out_and_noted():
    given = frame()
    given.loc[given["arm"] == "model", "a.one"] = np.nan
    result = rows(voice(given, "author", **FAST))
    assert "known of no pair" in result.loc["a.one", "note"]
    assert result.loc["a", "tail"] == result.loc["a.two", "tail"]


def test_a_constant_metric_says_nothing_and_an_empty_group_leaves_the_score():
    given = frame().assign(**{"a.one": 0.0, "b.three": 5.0})
    result = rows(voice(given, "author", **FAST))
    assert result.loc[["a.one", "b.three", "b"], "tail"].isna().all()
    assert result.loc[["a.one", "b.three", "b"], ["conf_low", "self_tail"]].isna().all(axis=None)
    assert "the same for all texts" in result.loc["a.one", "note"]
    assert "left out of the score" in result.loc["b", "note"]
    assert "groups left out: b" in result.loc["", "note"]
    assert result.loc["", "tail"] == pytest.approx(result.loc["a.two", "tail"], abs=1e-12)
    nothing = rows(voice(given.assign(**{"a.two": 1.0}), "author", **FAST))
    assert nothing["tail"].isna().all()
    assert "no metric says anything" in nothing.loc["", "note"]


@pytest.mark.parametrize("ties", ["strict", "mid"])
def test_a_metric_constant_but_in_completions_has_tail_0(ties):
    given = frame()
    given["a.one"] = np.where(is_arm(given, 7), 1.0, 0.0)
    assert rows(voice(given, "author", ties=ties, **FAST)).loc["a.one", "tail"] == 0
    # Without that completion all distances are equal, and half of the equal ones count as above.
    left_out = rows(voice(given, "author", ties=ties, replicates=True, **FAST)).loc["a.one"]
    wanted = np.where(left_out["item_id"] == 7, 0.5 if ties == "mid" else 0.0, 0.0)
    assert_array_equal(left_out["tail"], wanted)


def test_a_group_without_likeness_counts_as_the_floor():
    given = frame()
    given.loc[given["arm"] == "model", "b.three"] += 100
    result = rows(voice(given, "author", **FAST, floor=0.01))
    assert result.loc["b", "tail"] == 0
    assert "counts as 0.01" in result.loc["b", "note"]
    assert result.loc["", "tail"] == pytest.approx(np.sqrt(0.01 * result.loc["a", "tail"]))


@pytest.mark.parametrize("interval", ["jackknife", "jackknife_se"])
def test_one_item_has_a_score_without_limits(interval):
    result = voice(frame(n=1), "author", interval=interval, **FAST)
    assert not result["tail"].isna().any()
    assert result["conf_low"].isna().all()
    assert (result["note"] == "1 item: no limits").all()


def test_equal_replicates_have_no_standard_error_and_a_note():
    given = frame()
    given.loc[given["arm"] == "model", METRICS] += 100
    result = voice(given, "author", interval="jackknife_se", **FAST)
    assert (result.loc[result["scope"] == "metric", "tail"] == 0).all()
    assert result[["conf_low", "conf_high"]].isna().all(axis=None)
    assert result["note"].str.contains("all tails with an item left out are equal").all()


def test_the_tail_is_the_mean_over_runs_of_the_runs_tail():
    given = frame(runs=3)
    together = rows(voice(given, "author", **FAST))
    single = [
        rows(voice(given[(given["arm"] == "author") | (given["seed"] == run)], "author", **FAST))
        for run in range(3)
    ]
    for name in [*METRICS, "a", "b"]:
        for column in ("tail", "distance"):
            wanted = np.mean([one.loc[name, column] for one in single])
            assert_allclose(together.loc[name, column], wanted, atol=1e-12)
    assert (together["n_items"] == 12).all()


@pytest.mark.parametrize("interval", ["jackknife", "jackknife_se"])
def test_a_repeated_run_changes_nothing(interval):
    once = frame()
    again = pd.concat([once, once[once["arm"] == "model"].assign(seed=1)])
    one, two = (voice(each, "author", interval=interval, **FAST) for each in (once, again))
    columns = ["tail", "conf_low", "conf_high", "self_tail", "n_items"]
    assert_allclose(one[columns].to_numpy(float), two[columns].to_numpy(float), atol=1e-12)


def test_a_run_that_lacks_an_item_is_an_error_unless_dropped():
    given = frame(runs=2)
    fewer = given[~(is_arm(given, 4) & (given["seed"] == 1))]
    with pytest.raises(DesignError, match=r"lacks 1 item\(s\): 4"):
        voice(fewer, "author", **FAST)
    result = voice(fewer, "author", missing="drop", **FAST)
    assert (result["n_items"] == 12).all()
    assert (result["n_dropped"] == 1).all()


@pytest.mark.parametrize(
    ("change", "match"),
    [
        (
            lambda f: f.assign(split=np.where(f["item_id"] < 12, "test", "train")),
            r"'test'.*replace",
        ),
        (lambda f: f.assign(split=None), "'split' must be 'train' or 'eval'"),
        (lambda f: pd.concat([f, f[f["arm"] == "author"].head(1)]), "must be unique"),
        (lambda f: f.assign(item_id=f["item_id"].where(f["item_id"] != 3)), "item_id"),
        (lambda f: f.assign(**{"a.one": "text"}), "must hold numbers"),
        (lambda f: f.assign(**{"a.one": np.inf}), "finite"),
    ],
)
def test_wrong_values_name_their_column(change, match):
    with pytest.raises(FrameError, match=match):
        voice(change(frame()), "author", **FAST)


def test_an_item_with_two_references_is_refused():
    given = frame()
    again = given[(given["arm"] == "author") & (given["item_id"] == 4)].assign(seed=1)
    with pytest.raises(DesignError, match=r"several for 1 item\(s\); first: item_id=4"):
        voice(pd.concat([given, again]), "author", **FAST)
    training = given[(given["arm"] == "author") & (given["item_id"] == 40)].assign(seed=1)
    assert (voice(pd.concat([given, training]), "author", **FAST)["n_train"] == 41).all()


def test_an_author_who_is_not_there_or_alone_is_refused():
    given = frame()
    with pytest.raises(DesignError, match=r"found 'writer'; the frame has 2 arm\(s\): 'author'"):
        voice(given, "writer", **FAST)
    with pytest.raises(DesignError, match="'author' alone"):
        voice(given[given["arm"] == "author"], "author", **FAST)
    with pytest.raises(DesignError, match="one author, found 2 arms"):
        voice(given, given, **FAST)
    author = given[given["arm"] == "author"].drop(columns="a.one")
    with pytest.raises(RoleError, match=r"no column 'a\.one'"):
        voice(given[given["arm"] == "model"], author, **FAST)


def test_ids_of_two_types_across_frames_are_refused():
    given = frame()
    author = given[given["arm"] == "author"]
    author = author.assign(item_id=author["item_id"].astype(str))
    with pytest.raises(FrameError, match="item_id"):
        voice(given[given["arm"] == "model"], author, **FAST)


@pytest.mark.parametrize("dtype", ["object", "string", "category"])
def test_an_arm_without_any_text_has_no_score_whatever_the_dtypes(dtype):
    given = written().astype({"output": dtype})
    arms = given[given["arm"] == "model"].assign(output=None)
    result = rows(voice(arms, given[given["arm"] == "author"], **OWN))
    assert result["tail"].isna().all()
    assert (result["n_dropped"] == 4).all()


@pytest.mark.parametrize("dtype", ["Int64", "int64[pyarrow]", "float64", "category"])
def test_ids_of_one_kind_match_across_frames_whatever_their_storage(dtype):
    given = frame()
    author, arms = given[given["arm"] == "author"], given[given["arm"] == "model"]
    found = voice(arms.astype({"item_id": dtype}), author, **FAST)
    assert_frame_equal(found, voice(given, "author", **FAST))


def test_a_metric_that_rounding_alone_moves_says_nothing():
    given = frame()
    given["a.one"] = np.where(given.index % 2, 0.1 + 0.2, 0.3)
    assert "the same for all texts" in rows(voice(given, "author", **FAST)).loc["a.one", "note"]


def test_odd_row_indexes_are_ignored():
    given = frame()
    wanted = voice(given, "author", **FAST)
    for index in ([5] * len(given), pd.MultiIndex.from_arrays([given.index, given.index])):
        assert_frame_equal(voice(given.set_index(pd.Index(index)), "author", **FAST), wanted)
