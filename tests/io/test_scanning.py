"""`scan`: the numbers of the frame in memory bit for bit, and its refusals, however it is cut."""

import contextlib
import json
import os
import tempfile
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import evalframe
from evalframe.errors import EvalFrameError, FrameError, RoleError
from evalframe.io import batches, blocks, buckets

# Sums of these depend on the order of their terms.
GRADES = st.sampled_from([0.0, 1.0, 0.1, 0.7, 1 / 3, 1e8 + 0.1, -0.2, 1e-9, None])


@st.composite
def frames(draw, grades=GRADES, missing=True):
    """Draw runs of several items, arms and seeds, in any order, some of them absent."""
    n_items, n_arms, n_seeds = (draw(st.integers(1, most)) for most in (9, 3, 4))
    keys = [(i, a, s) for i in range(n_items) for a in range(n_arms) for s in range(n_seeds)]
    absent = draw(st.sets(st.sampled_from(keys), max_size=2)) if missing else set()
    keys = draw(st.permutations([key for key in keys if key not in absent] or keys))
    frame = pd.DataFrame(keys, columns=["item_id", "arm", "seed"])
    score = draw(st.lists(grades, min_size=len(keys), max_size=len(keys)))
    tokens = draw(st.lists(st.integers(0, 99), min_size=len(keys), max_size=len(keys)))
    frame["score"] = pd.Series(score, dtype=float)
    frame["n_output_tokens"] = tokens
    frame["hit_cap"] = [count > 90 for count in tokens]
    frame["task"] = np.where(frame["item_id"] % 2 == 0, "even", "odd")
    frame["cluster_id"] = "passage-" + (frame["item_id"] // 2).astype(str)
    # A prompt for each item, or for each of its seeds; some hashes are not known.
    by_seed = draw(st.booleans())
    prompt = "prompt-" + frame["item_id"].astype(str)
    frame["prompt_hash"] = prompt + ("-" + frame["seed"].astype(str) if by_seed else "")
    unknown = draw(st.sets(st.integers(0, len(keys) - 1), max_size=2))
    frame.loc[list(unknown), "prompt_hash"] = None
    if draw(st.booleans()):
        frame["item_id"] = "item-" + frame["item_id"].astype(str)
    frame["arm"] = frame["arm"].map({0: "base", 1: "edit", 2: "more"})
    if draw(st.booleans()):
        frame["seed"] = frame["seed"].map("seed {}".format)
    dropped = draw(st.sets(st.sampled_from(["cluster_id", "prompt_hash", "n_output_tokens"])))
    return frame.drop(columns=list(dropped)).reset_index(drop=True)


few = settings(max_examples=15)
CUTS = st.fixed_dictionaries(
    {
        "files": st.integers(1, 3),
        "group": st.integers(1, 20),
        "batch": st.integers(1, 20),
        "bucket": st.integers(1, 20),
        "block": st.integers(50, 2_000),
        "lines": st.booleans(),
    }
)


def scanned(frame, cut, **options):
    """Scan a frame that was cut into files, row groups, batches and buckets."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "ROWS", cut["batch"])
        patch.setattr(blocks, "BLOCK", cut["block"])
        patch.setattr(buckets, "ROWS", cut["bucket"])
        paths = []
        ends = np.linspace(0, len(frame), cut["files"] + 1).astype(int)
        for place, (start, end) in enumerate(pairwise(ends)):
            if start == end and place:
                continue
            part = frame.iloc[start:end]
            # The name says nothing: the content does.
            path = os.path.join(folder, f"{place}.records")
            if cut["lines"]:
                evalframe.write_jsonl(part, path)
            else:
                part.to_parquet(path, row_group_size=cut["group"], index=False)
            paths.append(path)
        return evalframe.scan(paths, **options)


def outcome(call):
    """Return a result, or the class of what was refused."""
    try:
        return call()
    except EvalFrameError as error:
        return type(error)


def assert_same(found, expected):
    if isinstance(expected, pd.DataFrame):
        assert isinstance(found, pd.DataFrame), found
        assert_frame_equal(found, expected, check_exact=True)
    else:
        assert found is expected


@few
@given(frames(), CUTS, st.sampled_from(["drop", "zero", "raise"]), st.booleans())
def test_score_is_that_of_the_runs_bit_for_bit(frame, cut, missing, grouped):
    by = "task" if grouped else None
    table = scanned(frame, cut, by=by)
    values = [name for name in ("score", "n_output_tokens", "hit_cap") if name in frame]
    for value in values:
        options = {"value": value, "by": by, "missing": missing, "interval": "auto"}
        assert_same(
            outcome(lambda o=options: table.evals.score(**o)),
            outcome(lambda o=options: frame.evals.score(**o)),
        )


@few
@given(frames(), CUTS, st.sampled_from(["zero", "raise"]), st.booleans())
def test_compare_is_that_of_the_runs_bit_for_bit_or_the_same_refusal(frame, cut, missing, grouped):
    by = "task" if grouped else None
    table = scanned(frame, cut, by=by)
    options = {"by": by, "missing": missing, "n_boot": 20}
    assert_same(
        outcome(lambda: table.evals.compare("base", **options)),
        outcome(lambda: frame.evals.compare("base", **options)),
    )


@few
@given(frames(grades=st.sampled_from([0.0, 1.0]), missing=False), CUTS)
def test_mcnemar_is_that_of_the_runs(frame, cut):
    table = scanned(frame, cut)
    assert_same(
        outcome(lambda: table.evals.mcnemar("base")), outcome(lambda: frame.evals.mcnemar("base"))
    )


class CannotPair(Exception):
    """The single runs alone tell which of them two arms share."""


def outcome_or_cannot(table, name):
    try:
        return getattr(table.evals, name)("base", missing="drop")
    except EvalFrameError as error:
        if "must know which runs two arms share" in str(error):
            raise CannotPair from error
        return type(error)


@few
@given(frames(), CUTS)
def test_dropping_gives_the_numbers_of_the_runs_or_says_that_it_cannot(frame, cut):
    table = scanned(frame, cut)
    for name in ("compare", "mcnemar"):
        expected = outcome(lambda n=name: getattr(frame.evals, n)("base", missing="drop"))
        with contextlib.suppress(CannotPair):
            assert_same(outcome_or_cannot(table, name), expected)
            continue
        # Only where an item of an arm lacks a run, or the value of one.
        keys = frame.groupby(["item_id", "arm"])["score"].agg(["count", "size"])
        whole = (keys["count"] == keys["size"]).all() and keys["size"].nunique() == 1
        assert not whole


@few
@given(frames(), CUTS)
def test_the_table_does_not_depend_on_how_the_rows_are_cut_or_ordered(frame, cut):
    one = {"files": 1, "group": 1_000, "batch": 1_000, "bucket": 1_000, "block": 2**20}
    whole = scanned(frame.sort_values(["seed", "item_id"]), {**one, "lines": cut["lines"]})
    assert_frame_equal(scanned(frame, cut), whole, check_exact=True)


@few
@given(frames(), CUTS)
def test_overview_counts_the_runs(frame, cut):
    assert_same(scanned(frame, cut).evals.overview(), frame.evals.overview())


WHOLE = {"files": 1, "group": 7, "batch": 5, "bucket": 6, "block": 300, "lines": False}
LINES = {**WHOLE, "lines": True}


def runs(**columns):
    frame = pd.DataFrame(
        [(f"q{i}", arm, seed) for i in range(8) for arm in ("base", "edit") for seed in range(3)],
        columns=["item_id", "arm", "seed"],
    )
    frame["score"] = np.random.default_rng(0).random(len(frame))
    return frame.assign(**columns)


def test_columns_are_named_as_tidy_names_them():
    raw = runs().rename(
        columns={"item_id": "question", "arm": "model", "seed": "epoch", "score": "grade"}
    )
    raw["grade"] = np.where(raw["grade"] > 0.5, "C", "I")
    raw["passage"] = raw["question"].str[1].astype(int) // 2
    names = {"item": "question", "arm": "model", "seed": "epoch", "cluster": "passage"}
    options = names | {"score": "grade", "value_map": {"C": 1, "I": 0}}
    for cut in (WHOLE, LINES):
        found = scanned(raw, cut, **options).evals.compare("base")
        assert_frame_equal(found, raw.evals.tidy(**options).evals.compare("base"))


def test_other_columns_of_numbers_are_reduced_on_request():
    frame = runs(latency_s=lambda f: f["score"] * 3)
    frame.loc[[0, 1, 2, 9], "latency_s"] = np.nan
    table = scanned(frame, WHOLE, value=["latency_s"])
    assert "score" not in table
    for missing in ("drop", "zero"):
        assert_same(
            table.evals.score(value="latency_s", missing=missing),
            frame.evals.score(value="latency_s", missing=missing),
        )


def test_the_result_reads_as_the_documentation_says():
    frame = runs(n_output_tokens=5).iloc[::-1]
    frame.loc[frame.index[0], "score"] = None
    table = scanned(frame, WHOLE)
    assert table.columns.tolist() == [
        *("item_id", "arm", "seeds", "score", "n_output_tokens", "n_responses", "n_missing"),
        "score_sum",
    ]
    last = table.iloc[-1]
    assert (last["item_id"], last["arm"], last["seeds"]) == ("q7", "edit", "0..2")
    assert (last["n_responses"], last["n_missing"]) == (2, 1)
    assert table["n_responses"].sum() == 47


def test_it_survives_parquet_and_further_filters(tmp_path):
    frame = runs()
    table = scanned(frame, WHOLE)
    evalframe.write_parquet(table, tmp_path / "table.parquet")
    again = evalframe.read_parquet(tmp_path / "table.parquet")
    assert_frame_equal(again, table)
    some = again[again["item_id"] < "q5"]
    assert_same(some.evals.compare("base"), frame[frame["item_id"] < "q5"].evals.compare("base"))


def test_more_seeds_than_can_be_written_out_are_told_apart_by_their_digest():
    items = [(i, arm, s * s) for i in range(3) for arm in "ab" for s in range(40)]
    frame = pd.DataFrame(items, columns=["item_id", "arm", "seed"])
    frame["score"] = np.random.default_rng(1).random(len(frame))
    frame.loc[(frame["item_id"] == 2) & (frame["seed"] == 0) & (frame["arm"] == "b"), "seed"] = -1
    table = scanned(frame, WHOLE)
    assert table["seeds"].nunique() == 2
    assert table["seeds"].str.startswith("40 seeds, SHA-256 ").all()
    with pytest.raises(evalframe.DesignError, match=r"lacks 1 key.*item_id=2, seeds="):
        table.evals.compare("a")


@pytest.mark.parametrize("cut", [WHOLE, LINES], ids=["parquet", "lines"])
def test_another_prompt_for_one_seed_is_refused_by_compare_alone(cut):
    frame = runs(prompt_hash=lambda f: f["item_id"] + f["seed"].astype(str))
    assert_same(scanned(frame, cut).evals.compare("base"), frame.evals.compare("base"))
    frame.loc[4, "prompt_hash"] = "other"
    table = scanned(frame, cut)
    assert_same(table.evals.score(), frame.evals.score())
    with pytest.raises(evalframe.DesignError, match="same prompt"):
        frame.evals.compare("base")
    with pytest.raises(evalframe.DesignError, match=r"same prompt.*item_id='q0'"):
        table.evals.compare("base")


def test_categories_keep_their_order_and_so_do_seeds():
    arms = pd.CategoricalDtype(["edit", "base", "never"])
    # Seeds are added in the order of their categories.
    seeds = pd.CategoricalDtype(["2", "0", "1"], ordered=True)
    frame = runs(score=lambda f: f["score"] * 10.0 ** (f["seed"] * 5))
    frame = frame.astype({"seed": str}).astype({"arm": arms, "seed": seeds})
    for cut in (WHOLE, {**WHOLE, "files": 3}):
        assert_same(scanned(frame, cut).evals.score(), frame.evals.score())


@pytest.mark.parametrize("cut", [WHOLE, LINES], ids=["parquet", "lines"])
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda f: pd.concat([f, f.iloc[[5]]]),
            r"\(item, arm, seed\) must be unique.*item_id='q0'",
        ),
        (lambda f: f.assign(item_id=[*f["item_id"][:-1], None]), "'item_id' must have a label"),
        (lambda f: f.assign(seed=[None, *f["seed"][1:]]), "'seed' must have a label"),
        (lambda f: f.assign(cluster_id=range(len(f))), "'cluster_id' must be the same"),
        (lambda f: f.assign(cluster_id=["c"] * 24 + [None] * 24), "'cluster_id' must have a label"),
        (lambda f: f.assign(score="C"), r"evalframe.scan\(PATHS, value_map=\{'C': 1\}"),
        (lambda f: f.assign(score=np.inf), "finite"),
        (lambda f: f.drop(columns="score"), "no column 'score'"),
        (lambda f: f.drop(columns="item_id"), r"no column 'item_id'"),
        (lambda f: f.assign(item_id=f["score"]), "labels of one type"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_the_faults_that_tidy_refuses_are_refused(cut, spoil, message):
    with pytest.raises(EvalFrameError, match=message):
        scanned(spoil(runs()), cut)


def test_whole_floats_are_the_integers_they_equal():
    frame = runs(task=lambda f: f["seed"] * 0 + 0.5, item_id=lambda f: f["item_id"].str[1])
    frame["item_id"] = frame["item_id"].astype(float)
    frame.loc[frame["item_id"] < 4, "task"] = 1
    assert_same(
        scanned(frame, WHOLE, by="task").evals.score(by="task"), frame.evals.score(by="task")
    )


def test_a_file_without_an_arm_is_one_arm(tmp_path):
    frame = runs()
    for arm, rows in frame.groupby("arm"):
        rows.drop(columns="arm").to_parquet(tmp_path / f"{arm}.parquet")
    found = evalframe.scan(str(tmp_path / "*.parquet"))
    assert_same(found.evals.compare("base"), frame.evals.compare("base"))
    named = evalframe.scan({"x": tmp_path / "base.parquet", "y": tmp_path / "edit.parquet"})
    assert named["arm"].unique().tolist() == ["x", "y"]
    with pytest.raises(RoleError, match="no column 'model'"):
        evalframe.scan(tmp_path / "base.parquet", arm="model")


def test_lines_that_lack_a_key_lack_its_value(tmp_path):
    rows = [{"item_id": i, "arm": "a", "score": i % 2} for i in range(60)]
    for row in rows[30:]:
        row["n_output_tokens"] = 5
        del row["score"]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", 200)
        table = evalframe.scan(path)
    frame = evalframe.read_jsonl(path)
    for value in ("score", "n_output_tokens"):
        assert_same(table.evals.score(value=value), frame.evals.score(value=value))


@pytest.mark.parametrize("cut", [WHOLE, LINES], ids=["parquet", "lines"])
def test_an_arm_that_comes_late_is_refused(tmp_path, cut):
    rows = [{"item_id": i, "score": i % 2} for i in range(60)] + [
        {"item_id": 99, "score": 1, "arm": "a"}
    ]
    if cut["lines"]:
        path = tmp_path / "x.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        path = tmp_path / "x.parquet"
        pd.DataFrame(rows).to_parquet(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK", 200)
        with pytest.raises(FrameError, match="'arm' must have a label"):
            evalframe.scan(path)


def test_a_file_without_rows_gives_the_columns(tmp_path):
    runs().iloc[:0].to_parquet(tmp_path / "x.parquet")
    table = evalframe.scan(tmp_path / "x.parquet")
    assert len(table) == 0
    assert {"item_id", "arm", "score", "n_responses", "n_missing"} <= set(table)
    assert len(table.evals.score()) == 0


def test_nothing_is_left_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    runs().to_parquet(tmp_path / "x.parquet")
    evalframe.scan(tmp_path / "x.parquet")
    with pytest.raises(EvalFrameError):
        evalframe.scan(tmp_path / "x.parquet", value="nothing")
    assert os.listdir(tmp_path) == ["x.parquet"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("contrasts", {"baseline": "base"}),
        ("permutation", {"baseline": "base"}),
        ("pooled", {"by": "task"}),
        ("pooled", {"by": "task", "baseline": "base"}),
        ("bootstrap", {}),
        ("bootstrap", {"baseline": "base", "statistic": "median"}),
        ("compare", {"baseline": "base", "paired": False, "missing": "drop"}),
    ],
)
def test_methods_of_item_means_give_the_numbers_of_the_runs(name, arguments):
    frame = runs(task=lambda f: f["item_id"].isin(["q1", "q2", "q5"]))
    if name == "compare":
        frame.loc[[3, 7], "score"] = None
    table = scanned(frame, WHOLE, by="task")
    assert_same(getattr(table.evals, name)(**arguments), getattr(frame.evals, name)(**arguments))


def test_check_finds_the_faults_of_the_runs():
    frame = runs(hit_cap=lambda f: f["seed"] == 0)
    assert set(scanned(frame, WHOLE).evals.check()["severity"]) == {"warning"}
    frame.loc[3, "score"] = None
    found = scanned(frame.drop(index=10), WHOLE).evals.check()["fault"]
    assert found.str.contains("lacks 1 key").any()
    assert found.str.contains("runs without one behind 1 row").any()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("variance", {}),
        ("pass_at_k", {}),
        ("pass_hat_k", {}),
        ("icc", {}),
        ("coverage", {}),
        ("sample_size", {"baseline": "base", "effect": 0.1}),
        ("voice", {"reference": "base"}),
        ("bootstrap", {"unit": "hierarchical"}),
        ("bootstrap", {"statistic": ("ratio", "score")}),
    ],
)
def test_methods_that_need_single_runs_say_so(name, arguments):
    table = scanned(runs(cluster_id=lambda f: f["item_id"]), WHOLE).assign(output="It is.")
    with pytest.raises(FrameError, match="needs the single runs, found the column 'n_responses'"):
        getattr(table.evals, name)(**arguments)


def test_a_file_whose_ids_are_all_missing_is_refused_as_a_frame_is(tmp_path):
    frame = pd.DataFrame({"item_id": pd.Series([None, None], dtype="str"), "score": [1.0, 0.0]})
    frame.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(FrameError, match="column 'item_id'"):
        evalframe.scan(tmp_path / "x.parquet")


def test_blank_lines_that_fill_a_block_are_skipped(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK", 50)
    path = tmp_path / "x.jsonl"
    path.write_text("\n" * 300 + json.dumps({"item_id": "q1", "arm": "a", "score": 1}) + "\n" * 300)
    assert evalframe.scan(path)["score"].tolist() == [1.0]
