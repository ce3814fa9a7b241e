"""What an error says to type, as options."""

import pytest

from evalframe.wording import as_options


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (
            "column 'x', found by='x'; take them apart with by='task', or missing=\"drop\"",
            "column 'x', found by='x'; take them apart with --by task, or --missing drop",
        ),
        ("needed:\n  - item: no\nThe frame has: a.\nName them once, for example: "
         'df.evals.tidy(item="my id", arm="b").',
         "needed: - item: no; The frame has: a. Name them once, --item 'my id' --arm b."),
        ("text; say what each is worth: df.evals.tidy(value_map={'C': 1, 'maybe': ...})",
         "text; say what each is worth: --grade C=1 --grade maybe=..."),
        ("text; df.evals.tidy(value_map={})", "text; --grade LABEL=NUMBER"),
        ("many; for example metric='acc'\nmany; filter='x'",
         "many; for example --metric acc; many; --filter x"),
        ("bad; level=0.95", "bad; --level 0.95"),
        ("1 cluster; cluster=False takes items as independent",
         "1 cluster; cluster=False takes items as independent"),
        ("twice; choose one value, df[df['metric'] == 'acc'], or by='metric'",
         "twice; choose one value, --metric acc, or --by metric"),
        ("two types; make them text, for example: df.assign(a=df['a'].map(str))",
         "two types; make them text, for example, in Python: df.assign(a=df['a'].map(str))"),
        ("another; leave the check out: df.drop(columns='a')",
         "another; leave the check out, in Python: df.drop(columns='a')"),
        ("no file 'by=\"x\"'", "no file 'by=\"x\"'"),
    ],
)  # fmt: skip
def test_remedies_alone_are_said_as_options_in_one_line(message, line):
    assert as_options(message) == line
