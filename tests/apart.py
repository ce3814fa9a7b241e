"""The claims that calls of `every_method.py` are not held to, each with the reason."""

from every_method import CALLS

# What is no call of a method on a frame of runs, and where its claims are tested.
ELSEWHERE = {
    "check": "it reports what others refuse: test_misuse.py",
    "tidy": "its rows are the frame's: test_rowwise.py",
    "style": "its rows are the frame's: test_rowwise.py",
    "metrics": "it reads nothing: methods/style/test_styles.py",
    "prompt_hash": "it reads a text: io/test_hashing.py",
    **dict.fromkeys(
        ["read_inspect", "read_jsonl", "read_lm_eval", "read_parquet", "scan"], "files: io/"
    ),
    **dict.fromkeys(["write_jsonl", "write_parquet"], "files: io/ and test_takers.py"),
    **dict.fromkeys(
        ["exceeds_floor", "format_report", "style_table", "plot"], "results: test_takers.py"
    ),
}

NO_ARM = "no arm has a row of its own"
# The calls, or all calls of a method, that a claim does not hold for, and why.
APART = {
    "arms in rows": {
        "pairs": "its rows are two arms in the order of names: ranking/test_every_pair.py",
        **dict.fromkeys(["agreement", "krippendorff", "judge_bias"], NO_ARM),
        "bradley_terry, games": "its arms are those of the games",
    },
    "arms alike": {"compare, floor": "with x as floor, only y has a row"},
    "arms alone": {
        **dict.fromkeys(["rank", "bradley_terry"], "its numbers are of an arm among the others"),
        "contrasts": "its limits and p are those of all rows together",
        "compare, floor": "with x as floor, only y has a row",
    },
    "several values": {"bradley_terry": "a game has one winner, by one value"},
    "rows in other words": {"voice, replicates": "its rows name the items that are left out"},
    "errors": {
        "overview": "it counts and has no error",
        "voice, replicates": "its rows have no error and no note: those of voice have",
        "voice, levels": "it asks for no limits",
        "voice, size": "it takes two items, and says so of one: style/test_likeness_edges.py",
        "bradley_terry, games": "it takes games as independent, of whatever items they are",
    },
    "clusters": {
        **dict.fromkeys(["mcnemar", "overview", "voice"], "it reads no clusters"),
        "permutation, items": "it reads no clusters",
    },
    "groups alone": {
        "contrasts": "its limits and p are those of all rows together",
        "pairs": "its limits and p are those of all rows together",
        "pooled": "by is what it pools over",
        "adjusted": "it takes one reference mean, which holds of one group",
    },
    "no clusters": {
        "icc": "without clusters there is none",
        "compare, unpaired": "arms that share a cluster of one item are not independent",
        "contrasts, unpaired": "as compare, unpaired",
        "debias, unpaired": "as compare, unpaired",
        "bootstrap, hierarchical": "it draws clusters and then their items: other draws",
    },
    "spread": {
        "bradley_terry, games": "it reads no score",
        "permutation": "it has no error, and where all are alike p is 1",
        **dict.fromkeys(["judge_bias", "voice"], "it reads no score"),
        "overview": "it has no error",
        "adjusted": "a reference of which all items are alike is refused",
    },
    "missing": dict.fromkeys(["judge_bias", "voice", "bradley_terry, games"], "it reads no score"),
    "units": {
        **dict.fromkeys(["judge_bias", "voice", "bradley_terry, games"], "it reads no score"),
        **dict.fromkeys(
            ["mcnemar", "pass_at_k", "pass_hat_k"], "it takes right or wrong: 0 and 1 alone"
        ),
        **dict.fromkeys(["bradley_terry", "agreement", "krippendorff"], "it has no unit"),
        **dict.fromkeys(
            ["coverage", "rank, bootstrap", "bootstrap, median", "bootstrap, hierarchical"],
            "its draws take items in an order that the scores decide",
        ),
        "bootstrap, ratio": "a score over tokens: test_resampling.py",
    },
    "places": {
        "overview": "it has no column metric",
        "bootstrap": "its draws take clusters in the order of their sums",
    },
    "constant differences": {
        "pooled, shared": "an inverse variance needs spread: NaN, and the note says so",
    },
    "zeros": dict.fromkeys(["debias", "label_plan"], "of a judge's scores none is counted as 0"),
}


# Variants that read other columns, or other rows, than the method called plainly does. How a frame
# is stored, and what is wrong with it, is nothing to the rest of a method: its other variants are
# not crossed with that.
READ_OTHERWISE = [
    "compare, unpaired",
    "bootstrap, ratio",
    "bootstrap, hierarchical",
    "bootstrap, paired",
    "pooled, paired",
    "icc, paired",
    "bradley_terry, games",
    "debias, paired",
    "label_plan, paired",
    "voice, columns",
]
READERS = [name for name in CALLS if "," not in name or name in READ_OTHERWISE]


def calls(*claims: str) -> list[str]:
    """Return the names of the calls that a claim is about."""
    apart = {name for claim in claims for name in APART[claim]}
    return [name for name in CALLS if not {name, name.partition(",")[0]} & apart]


NO_ITEM = "a game is its own unit where no item is named"
ITS_ARMS = "it reads the two arms of a game, from columns of their own"
TWICE = "two arms may meet twice on an item"
# What a method does not refuse, and why.
TAKEN = {
    **{
        (method, row): reason
        for method in ("judge_bias", "bradley_terry, games")
        for row, reason in {
            "no item column": NO_ITEM,
            "a missing arm": ITS_ARMS,
            "a key twice": TWICE,
            "a key twice, of two filters": TWICE,
        }.items()
    },
    ("adjusted", "runs that an arm lacks"): "it needs each item of both arms, by any of its runs",
    ("bradley_terry, games", "a missing seed"): "it reads no seed",
    **{
        (method, row): "it reads no clusters"
        for method in ("voice", "permutation, items")
        for row in ("a cluster that changes inside an item", "a cluster in some rows only")
    },
}


def taken(name: str, row: str) -> bool:
    """Tell whether a call takes what others refuse."""
    return bool({(name, row), (name.partition(",")[0], row)} & set(TAKEN))
