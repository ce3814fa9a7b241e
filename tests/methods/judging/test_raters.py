"""Krippendorff's alpha: the published example, other software, laws, edges and errors."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from pandas.testing import assert_frame_equal

import evalframe as ef
from evalframe.errors import FrameError, RoleError
from evalframe.results import DTYPE, TABLES

FOLDER = Path(__file__).parents[2] / "reference"
REFERENCE = json.loads((FOLDER / "agreement.json").read_text())["raters"]
SCALES = ["nominal", "ordinal", "interval", "ratio"]
# Krippendorff (2011), Computing Krippendorff's alpha-reliability: four observers, twelve units.
PUBLISHED = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""


def rated(rows, **columns):
    """Return a frame with a column a rater: r0, r1, ..."""
    names = [f"r{i}" for i in range(len(rows))]
    frame = pd.DataFrame(dict(zip(names, rows, strict=True)))
    return frame.assign(item_id=range(len(frame)), **columns), names


def published():
    lines = PUBLISHED.strip().splitlines()
    return rated([[np.nan if x == "." else float(x) for x in line.split()] for line in lines])


@pytest.mark.parametrize(
    ("scale", "alpha"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_the_published_example(scale, alpha):
    frame, raters = published()
    found = frame.evals.krippendorff(raters=raters, scale=scale).iloc[0]
    assert_allclose(found["estimate"], alpha, atol=5e-4)
    assert found[["n_raters", "n_categories", "n_items", "n_ratings"]].tolist() == [4, 5, 11, 40]
    assert found[["n_unpaired", "n_missing"]].tolist() == [1, 0]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("case", range(len(REFERENCE)))
def test_the_package_krippendorff(case, scale):
    frame, raters = rated(REFERENCE[case]["ratings"])
    found = frame.astype(dict.fromkeys(raters, float)).evals.krippendorff(
        raters=raters, scale=scale
    )
    assert_allclose(found["estimate"], REFERENCE[case]["alpha"][scale], rtol=1e-10)


@pytest.mark.parametrize("case", [case for case in REFERENCE if "fleiss" in case], ids=lambda _: "")
def test_without_missing_ratings_it_is_fleiss_kappa_less_a_small_correction(case):
    frame, raters = rated(case["ratings"])
    found = frame.evals.krippendorff(raters=raters).iloc[0]
    kappa = case["fleiss"]
    assert_allclose(found["estimate"], kappa + (1 - kappa) / found["n_ratings"], rtol=1e-10)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("clustered", [False, True])
def test_errors_are_near_those_of_leaving_units_out(scale, clustered):
    draw = np.random.default_rng(7)
    n, per = 600, 4 if clustered else 1
    truth = np.repeat(draw.integers(1, 6, n // per), per) if clustered else draw.integers(1, 6, n)
    noise = np.clip(truth + draw.integers(-1, 2, (3, n)), 1, 5).astype(float)
    noise[draw.random((3, n)) < 0.2] = np.nan
    frame, raters = rated(noise, cluster_id=np.arange(n) // per)
    groups = n // per
    left = pd.concat(frame[frame["cluster_id"] != k].assign(task=k) for k in range(groups))
    left["item_id"] += n * left["task"]
    parts = ef.krippendorff(left, raters=raters, scale=scale, by="task")["estimate"]
    jackknife = np.sqrt((groups - 1) / groups * ((parts - parts.mean()) ** 2).sum())
    found = ef.krippendorff(frame, raters=raters, scale=scale).iloc[0]
    assert_allclose(found["se"], jackknife, rtol=0.03)
    assert found["clustered"] == clustered


ROWS = st.lists(
    st.lists(st.one_of(st.none(), st.integers(0, 3)), min_size=3, max_size=3),
    min_size=2,
    max_size=25,
)


@given(ROWS, st.sampled_from(SCALES))
def test_neither_the_order_of_raters_nor_that_of_rows_matters(rows, scale):
    columns = [[np.nan if x is None else float(x) for x in one] for one in zip(*rows, strict=True)]
    frame, raters = rated(columns)
    one = ef.krippendorff(frame, raters=raters, scale=scale)
    numbers = ["estimate", "se", "conf_low", "conf_high"]
    other = ef.krippendorff(frame, raters=raters[::-1], scale=scale)
    assert_allclose(other[numbers], one[numbers], rtol=1e-9, atol=1e-12)
    shuffled = frame.sample(frac=1, random_state=1).assign(item_id=lambda f: -f["item_id"])
    again = ef.krippendorff(shuffled, raters=raters, scale=scale)
    assert_frame_equal(again, one, check_exact=True)
    missing = one[numbers].isna().any(axis=1)
    assert (one.loc[missing, "note"] != "").all()


@given(ROWS)
def test_units_of_the_numbers_and_names_of_the_labels_do_not_matter(rows):
    columns = [[np.nan if x is None else float(x) for x in one] for one in zip(*rows, strict=True)]
    frame, raters = rated(columns)
    names = {0.0: "z", 1.0: "b", 2.0: "y", 3.0: "a"}
    words = frame.assign(**{r: frame[r].map(names) for r in raters})
    numbers = ["estimate", "se", "conf_low", "conf_high"]
    one = ef.krippendorff(frame, raters=raters)
    assert_allclose(
        ef.krippendorff(words, raters=raters)[numbers], one[numbers], rtol=1e-9, atol=1e-12
    )
    listed = ef.krippendorff(words, raters=raters, scale="ordinal", categories=list(names.values()))
    ordinal = ef.krippendorff(frame, raters=raters, scale="ordinal")
    assert_allclose(listed[numbers], ordinal[numbers], rtol=1e-9, atol=1e-12)
    for scale, moved in (("interval", frame[raters] * 10 - 7), ("ratio", frame[raters] * 10)):
        plain = ef.krippendorff(frame, raters=raters, scale=scale)
        other = ef.krippendorff(frame.assign(**moved), raters=raters, scale=scale)
        assert_allclose(other[numbers], plain[numbers], rtol=1e-7, atol=1e-9)


def test_a_group_alone_is_that_group_among_others_and_parquet_gives_it_back(tmp_path):
    frame, raters = published()
    frame = pd.concat([frame, frame[::-1].assign(item_id=range(50, 62))])
    frame["task"] = frame["item_id"] % 2
    whole = ef.krippendorff(frame, raters=raters, scale="ordinal", by="task")
    assert list(whole.columns) == ["task", *TABLES["krippendorff"]]
    for column, kind in TABLES["krippendorff"].items():
        assert whole[column].dtype == pd.Series([], dtype=DTYPE[kind]).dtype
    for task in (0, 1):
        alone = ef.krippendorff(frame[frame["task"] == task], raters=raters, scale="ordinal")
        part = whole[whole["task"] == task].drop(columns="task").reset_index(drop=True)
        assert_frame_equal(part, alone, check_exact=True)
    whole.to_parquet(tmp_path / "result.parquet")
    back = pd.read_parquet(tmp_path / "result.parquet")
    assert_frame_equal(back, whole, check_exact=True)
    assert back.attrs == whole.attrs
    assert len(ef.krippendorff(frame.head(0), raters=raters)) == 0


def test_edges_have_a_note():
    none, raters = rated([[1.0, np.nan], [np.nan, 2.0]])
    found = ef.krippendorff(none, raters=raters).iloc[0]
    assert found["note"] == "no row has two ratings"
    assert (found["n_unpaired"], found["n_items"]) == (2, 0)
    alike, raters = rated([[1, 1, 1], [1, 1, 1]])
    found = ef.krippendorff(alike, raters=raters).iloc[0]
    assert np.isnan(found["estimate"])
    assert found["note"] == "all ratings are alike: alpha is not defined"
    perfect, raters = rated([[1, 2, 1], [1, 2, 1]])
    found = ef.krippendorff(perfect, raters=raters).iloc[0]
    assert (found["estimate"], found["se"]) == (1, 0)
    assert np.isnan(found["conf_low"])
    one, raters = rated([[1, 2, 1], [1, 2, 2]], cluster_id=[5, 5, 5])
    assert "1 cluster: no standard error" in ef.krippendorff(one, raters=raters)["note"][0]


def test_errors_say_what_to_type():
    frame, raters = published()
    with pytest.raises(RoleError, match="two or more different columns"):
        ef.krippendorff(frame, raters=["r0"])
    with pytest.raises(RoleError, match="did you mean 'r3'"):
        ef.krippendorff(frame, raters=["r0", "r33"])
    with pytest.raises(ValueError, match="scale must be one of 'nominal', 'ordinal'"):
        ef.krippendorff(frame, raters=raters, scale="metric")
    with pytest.raises(FrameError, match='use scale="interval"'):
        ef.krippendorff(frame.assign(r0=-1), raters=raters, scale="ratio")
    words = frame.assign(r0="a", r1="b")
    with pytest.raises(FrameError, match=r"go from low to high.*categories=\[...\]"):
        ef.krippendorff(words, raters=["r0", "r1"], scale="ordinal")
    with pytest.raises(FrameError, match='scale="interval" needs numbers'):
        ef.krippendorff(words, raters=["r0", "r1"], scale="interval")
