"""Results as tables to read: what each cell says, and that nothing in it is code."""

import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import evalframe
from evalframe import FrameError, compare, contrasts, score, style_table
from evalframe.results import FLOOR, MARGIN, TABLES, table

HOSTILE = "<script>alert('x')</script><td>&amp; $x$ {{ y }}\"'"


class Reader(HTMLParser):
    """The cells of a table's head and body as text, and the tags it holds."""

    def __init__(self):
        super().__init__()
        self.rows, self.caption, self.tags = [], "", set()
        self.inside = None

    def handle_starttag(self, tag, _attrs):
        self.tags.add(tag)
        self.inside = tag if tag != "wbr" else self.inside
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.inside = None if tag == self.inside else self.inside

    def handle_data(self, data):
        if self.inside in ("td", "th"):
            self.rows[-1][-1] += data
        if self.inside == "caption":
            self.caption += data


def read(styler):
    reader = Reader()
    reader.feed(styler.to_html())
    return reader


def shown(frame):
    """Return the table as a frame of text."""
    head, *body = read(style_table(frame)).rows
    return pd.DataFrame(body, columns=head)


def bold_rows(frame):
    """Return the rows whose cells have CSS of their own that makes them bold."""
    context = style_table(frame)._compute().ctx
    return sorted({row for (row, _), props in context.items() if ("font-weight", "bold") in props})


def runs(arms=("base", "edit", "other"), n=40):
    rng = np.random.default_rng(5)
    keys = pd.MultiIndex.from_product([arms, range(n)], names=["arm", "item_id"])
    frame = keys.to_frame(index=False)
    shift = frame["arm"].map({arm: 0.25 * place for place, arm in enumerate(arms)})
    frame["score"] = (rng.random(len(frame)) < 0.3 + shift).astype(float)
    return frame.assign(n_output_tokens=rng.integers(50, 400, len(frame)))


def example(name, n_rows=2):
    """Return a result of some kind, its first row known and the second not."""
    values = {
        "float": [0.123456789, np.nan],
        "int": [1234, 0],
        "count": [1234, np.nan],
        "str": ["text", ""],
        "bool": [True, False],
    }
    extra = {**MARGIN, **FLOOR} if name == "compare" else {}
    kinds = {**TABLES[name], **extra}
    columns = {key: values[kind][:n_rows] for key, kind in kinds.items() if kind != "label"}
    labels = {key: [HOSTILE, "b"][:n_rows] for key, kind in kinds.items() if kind == "label"}
    return table(name, pd.DataFrame({"task": ["x", "y"][:n_rows], **labels}), columns, {})


@pytest.mark.parametrize("name", TABLES)
def test_every_result_shows_all_its_columns_and_rows(name):
    result = example(name)
    found = shown(result)
    assert list(found.columns) == list(result.columns)
    assert len(found) == len(result)
    assert (found["task"] == ["x", "y"]).all()


@pytest.mark.parametrize("name", TABLES)
def test_what_is_unknown_is_na_and_no_number_is_longer_than_its_decimals(name):
    found = shown(example(name))
    for column, kind in TABLES[name].items():
        first, second = found[column].str.strip("[],")
        if kind == "float":
            assert first in ("0.123", "0.1235")
            assert second == "n/a"
        elif kind in ("int", "count"):
            assert (first, second) == ("1,234", "0" if kind == "int" else "n/a")
        elif kind == "bool":
            assert (first, second) == ("yes", "no")


@pytest.mark.parametrize("name", TABLES)
def test_a_result_without_rows_has_a_head(name):
    result = example(name, 0)
    assert read(style_table(result)).rows == [list(result.columns)]


@pytest.mark.parametrize("name", TABLES)
def test_labels_are_text_and_never_tags(name):
    found = read(style_table(example(name)))
    assert found.tags <= {"style", "table", "thead", "tbody", "tr", "th", "td", "caption", "wbr"}
    for at, column in enumerate(example(name).columns):
        if TABLES[name].get(column) == "label":
            assert found.rows[1][at] == HOSTILE


def test_names_of_columns_and_cells_of_any_type_are_text():
    frame = score(runs()).assign(**{"<b>x</b>": [["<i>"], {"k": "<script>"}, None]})
    found = read(style_table(frame.rename_axis(index="<u>")))
    assert not found.tags & {"b", "i", "u", "script"}
    assert found.rows[0][0] == "<u>"
    assert "<b>x</b>" in found.rows[0]
    assert "['<i>']" in found.rows[1]
    assert "n/a" in found.rows[3]


def test_dollar_signs_are_no_formulas_in_a_notebook():
    html = style_table(score(runs(("$a$", "b")))).to_html()
    assert 'class="tex2jax_ignore mathjax_ignore"' in html


def test_the_ends_of_an_interval_are_in_brackets_side_by_side():
    result = score(runs())
    found = shown(result)
    expected = result[["conf_low", "conf_high"]].map("{:.4f}".format)
    assert (found["conf_low"] == "[" + expected["conf_low"] + ",").all()
    assert (found["conf_high"] == expected["conf_high"] + "]").all()
    alone = shown(result[["arm", "conf_low", "estimate", "conf_high"]])
    assert (alone["conf_low"] == expected["conf_low"]).all()
    wide = shown(contrasts(runs(), "base"))
    assert wide["sim_low"].str.startswith("[").all()
    assert wide["sim_high"].str.endswith("]").all()


def test_metrics_have_decimals_of_their_own():
    result = compare(runs(), "base")
    found = shown(result)
    n_decimals = found["diff"].str.partition(".")[2].str.len().groupby(found["metric"]).unique()
    assert {metric: list(n) for metric, n in n_decimals.items()} == {"score": [4], "tokens": [1]}
    assert (found["diff"].astype(float) - result["diff"]).abs().max() <= 0.05


def test_p_values_have_three_digits():
    result = contrasts(runs(), "base").assign(p_value=[0.0123456, 1.23456e-12], p_adjusted=1.0)
    assert shown(result)["p_value"].tolist() == ["0.0123", "1.23e-12"]
    assert shown(result)["p_adjusted"].tolist() == ["1", "1"]


def test_zero_has_no_sign():
    result = score(runs()).assign(estimate=-1e-9)
    assert set(shown(result)["estimate"]) == {"0.0000"}


def test_levels_and_degrees_of_freedom_have_no_needless_zeros():
    found = shown(score(runs()))
    assert set(found["level"]) == {"0.95"}
    assert set(found["df"]) == {"39"}


def test_years_and_other_labels_are_not_rounded_or_grouped():
    frame = runs(("base", "edit")).assign(year=lambda f: 2024 + f["item_id"] % 2, t=0.7)
    found = shown(score(frame, by=["year", "t"]))
    assert set(found["year"]) == {"2024", "2025"}
    assert set(found["t"]) == {"0.7"}


def test_the_note_is_last_and_an_empty_one_is_empty():
    result = score(runs())[["note", "arm", "estimate"]]
    found = shown(result)
    assert list(found.columns) == ["arm", "estimate", "note"]
    assert set(found["note"]) == {""}
    assert set(shown(result.assign(note=np.nan))["note"]) == {""}


def test_long_texts_are_broken_and_numbers_are_not():
    html = style_table(score(runs()).assign(note="a long note, of many words, " * 5)).to_html()
    rules = {line.split(" {")[0].split(" ", 1)[1]: line for line in _rules(html)}
    columns = list(score(runs()).columns)
    note, estimate = (rules[f"td.col{columns.index(name)}"] for name in ("note", "estimate"))
    assert "white-space: normal" in note
    assert "max-width" in note
    assert "white-space: nowrap" in estimate
    assert "text-align: right" in estimate


def _rules(html):
    """Return the CSS rules, one a line."""
    css = html.split("<style")[1].split("</style>")[0].split(">", 1)[1]
    return [" ".join(rule.split()) + " }" for rule in css.split("}") if "{" in rule]


def test_rows_that_exceed_the_floor_are_bold_or_else_the_significant_ones():
    result = compare(runs(("base", "rerun", "edit", "other"), 200), "base", floor="rerun")
    assert 0 < result["exceeds"].sum() < result["significant"].sum() + 1
    assert bold_rows(result) == np.flatnonzero(result["exceeds"]).tolist()
    assert read(style_table(result)).caption.startswith("Bold: exceeds the noise floor")
    plain = result.drop(columns=list(FLOOR))
    assert bold_rows(plain) == np.flatnonzero(plain["significant"]).tolist()
    assert read(style_table(plain)).caption == "Bold: the interval is without 0."
    assert not any(word in style_table(plain).to_html() for word in ("color", "background"))


def test_without_a_row_that_stands_out_there_is_no_caption():
    result = compare(runs(), "base").assign(significant=False)
    assert bold_rows(result) == []
    assert read(style_table(result)).caption == ""


def test_the_index_is_hidden_unless_it_has_a_name():
    result = score(runs())
    best_first = result.sort_values("estimate", ascending=False)
    assert shown(best_first)["arm"].tolist() == best_first["arm"].tolist()
    assert list(shown(result).columns) == list(result.columns)
    assert shown(result.set_index("arm"))["arm"].tolist() == ["base", "edit", "other"]


def test_rows_chosen_from_a_result_are_shown_as_they_are():
    result = pd.concat([score(runs()), score(runs())])
    assert len(shown(result)) == 6


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_result_that_was_saved_looks_the_same(tmp_path, suffix):
    result = compare(runs(("base", "rerun", "edit")), "base", floor="rerun", value="score")
    path = tmp_path / f"x.{suffix}"
    if suffix == "csv":
        result.to_csv(path, index=False)
        back = pd.read_csv(path)
    else:
        evalframe.write_parquet(result, path)
        back = evalframe.read_parquet(path)
    pd.testing.assert_frame_equal(shown(back), shown(result))


def test_the_result_is_unchanged():
    result = compare(runs(), "base", floor="other")
    before = result.copy(deep=True)
    style_table(result).to_html()
    pd.testing.assert_frame_equal(result, before)
    assert result.attrs == before.attrs


def test_the_numbers_behind_the_table_are_not_rounded():
    result = score(runs())
    pd.testing.assert_frame_equal(style_table(result).data, result)


def test_what_is_no_result_is_refused():
    with pytest.raises(FrameError, match=r"columns arm, item_id, score, .*df\.evals\.score\(\)"):
        style_table(runs())
    twice = score(runs())
    with pytest.raises(FrameError, match="each column once"):
        style_table(pd.concat([twice, twice[["se"]]], axis=1))


def test_without_jinja2_the_error_names_the_extra():
    code = (
        "import sys; sys.modules['jinja2'] = None; import evalframe as ef\n"
        "try: ef.style_table(ef.score([1, 0]))\n"
        "except ImportError as error: print(error)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert out == 'style_table needs jinja2: pip install "evalframe[notebook]"\n'
