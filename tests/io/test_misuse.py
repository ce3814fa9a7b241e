"""Every public loader crossed with every kind of awkward or damaged file that can reach it.

A file is clean under another dress, and gives the clean file's frame; or it holds values that are
read exactly; or it is refused by name, and by line where the format has lines. What cannot be made
in a format has its reason in the row of the kind.
"""

import gzip
import inspect

import bad_files as bad
import numpy as np
import pyarrow as pa
import pytest
from bad_files import EMPTY, OTHER, SAME, Kind, Refused, Rows
from every_loader import JSON, LOADERS, NAMES, write
from pandas.testing import assert_frame_equal

import evalframe as ef

SAMPLE = ("samples", "samples.gz")
GZ = ("lines.gz", "samples.gz")
PARQUET, ARCHIVE = ("parquet",), ("archive",)
LOGS = ("log", "archive")
STRICT = "read_jsonl, strict"
COMMAND = tuple(f"command, {kind}" for kind in NAMES)
SCAN = ("scan", "scan, jsonl", "scan, gzip")
NO_TEXT = "Parquet has no text of its own"
ONE_TYPE = "a column of Parquet has one type, and pyarrow refuses to write two"
NO_GZ = "only lines are compressed as a whole"
OF_PARQUET = "it is a matter of Parquet's own types and layout"
OF_ARCHIVE = "it is a matter of the members of an archive"
Q, ONE = ["q1", "q2", "q3"], [1.0, 1.0]
BIG = 1344800117571260417
TEXTS = ["001", "18_19", "1e5", "nan", "2024-01-02"]
SCORES = [1.0, 0.0, 0.5]


def each(names, answer):
    return dict.fromkeys(names, answer)


NO_PARQUET = Refused("must be (whole )?Parquet")
NO_GZIP = Refused("must be whole gzip data")
NO_FILE = Refused("no samples_|no log|must hold logs", error=FileNotFoundError)
# What each format's reader says of a file that is not of it.
NOT_IT = Refused(
    "line 1: |must be whole gzip data|must be (whole )?Parquet|not JSON|not UTF-8|no header|"
    "must hold evaluation records|must be Parquet or JSON Lines|must say its task|"
    "results files alone"
)
COLUMN = bad.as_parquet
MIXED = Rows([7, "7"], ONE, "column 'item_id'")
NOT_BOTH = Refused("ids? must be all text or all integers.*found 7 in .* and '(7|x)' in ")
NO_MIX = {STRICT: Refused("'item_id' is the int 7", 1), **each((*SAMPLE, *LOGS), NOT_BOTH)}

KINDS = {
    # What stands in a run.
    "ids like numbers and dates": Kind(
        bad.runs(*({"item": item} for item in TEXTS)), Rows(TEXTS, [1.0] * 5)
    ),
    "an id beyond 2**53": Kind(
        bad.runs({"item": BIG}, {"item": 7}), Rows([BIG, 7], ONE), but={STRICT: Refused("int", 1)}
    ),
    "an id that is an integer, then text": Kind(
        bad.runs({"item": 7}, {"item": "x"}),
        Rows([7, "x"], ONE, "column 'item_id'"),
        JSON, ONE_TYPE, NO_MIX | each(SCAN, Refused("column 'item_id'")),
    ),
    "ids 7 and true": Kind(
        bad.runs({"item": 7}, {"item": True}), Rows([7, True], ONE, "'item_id'"), JSON, ONE_TYPE,
        {STRICT: Refused("'item_id' is the int 7", 1)} | each(SCAN, Refused("column 'item_id'"))
        | each((*SAMPLE, *LOGS), Refused("an integer, found (an id that is )?the bool True", 2)),
    ),
    'ids 7 and "7" in one file': Kind(
        bad.runs({"item": 7}, {"item": "7"}),
        MIXED,
        JSON, ONE_TYPE, NO_MIX | each(SCAN, Refused("column 'item_id'")),
    ),
    'ids 7 and "7" in two files': Kind(
        bad.two_files,
        MIXED,
        # A word each on the command line, as two runs: the frame of both is refused.
        but=NO_MIX
        | each(("command, log", "command, archive"), MIXED)
        | each(SCAN, Refused(r"in all files, found integer \(7 in .* and string \('7' in ")),
    ),
    "true after 1": Kind(
        bad.runs({"score": 1}, {"item": "q2", "score": True}),
        Rows(Q[:2], ONE), JSON, ONE_TYPE, {STRICT: Refused("'score' is the bool True", 2)},
    ),
    "a score that is NaN": Kind(
        bad.runs({"score": float("nan")}, {"item": "q2"}),
        Rows(Q[:2], [None, 1.0]), but={STRICT: Refused("nan, not finite", 1)},
    ),
    "a score that is null": Kind(
        bad.runs({"score": None}, {"item": "q2"}),
        Rows(Q[:2], [None, 1.0]), but={STRICT: Refused("'score' is null", 1)},
    ),
    "a score that is Infinity": Kind(
        bad.runs({"score": np.inf}, {"item": "q2"}),
        Rows(Q[:2], [np.inf, 1.0], "'score' must hold finite numbers"),
        but={STRICT: Refused("inf, not finite", 1)} | each(SCAN, Refused("must hold finite")),
    ),
    "a run that stands twice": Kind(
        bad.runs({}, {}),
        Rows(["q1", "q1"], ONE, "must be unique"),
        but=each(SAMPLE, Refused("must be unique.*line 1 and .*, line 2; lm_eval appends"))
        | each(LOGS, Refused("1 samples that stand twice"))
        | each(SCAN, Refused("must be unique")),
    ),
    "nested objects": Kind(
        bad.runs(*({"item": q, "more": {"a": [{"b": None}]}} for q in Q)),
        Rows(Q, [1.0] * 3),
        but={STRICT: Refused("'more' is not one of a record", 1)},
    ),
    "3 MiB in a line": Kind(
        bad.runs({"output": "é" * (3 * 2**19)}, {"item": "q2"}), Rows(Q[:2], ONE)
    ),
    # How the text is written.
    "keys in another order": Kind(bad.reversed_keys, SAME),
    "a byte order mark": Kind(bad.text(lambda t: b"\xef\xbb\xbf" + t), SAME, JSON, NO_TEXT),
    "Windows line ends": Kind(bad.text(lambda t: t.replace(b"\n", b"\r\n")), SAME, JSON, NO_TEXT),
    "blank lines": Kind(bad.text(lambda t: t.replace(b"\n", b"\n\n \t\r\n")), SAME, JSON, NO_TEXT),
    "a key twice": Kind(
        bad.text(bad.twice),
        Refused("twice in one object", 2),
        # As Inspect's own reader does; what it writes has no key twice.
        JSON, NO_TEXT, each(LOGS, SAME),
    ),
    "a line that is no object": Kind(
        bad.text(bad.no_object),
        Refused("must be one JSON object, found a list", 2),
        JSON, NO_TEXT, each(LOGS, Refused("a sample must have an id")),
    ),
    "a cut end": Kind(
        bad.text(lambda t: t[: t.rindex(b'"q3"') + 4]),
        Refused("must be one JSON object.*may be cut off", 3),
        JSON, NO_TEXT, each(LOGS, Refused(r"not JSON: .* at line \d+")),
    ),
    "not UTF-8": Kind(bad.swapped(b"q2", b"q\xff"), Refused("not UTF-8", 2), JSON, NO_TEXT),
    "half a surrogate pair": Kind(
        bad.swapped(b"q2", rb"\ud83d"), Refused("surrogate", 2), JSON, NO_TEXT
    ),
    "deep nesting": Kind(
        bad.swapped(b'"q2"', b"[" * 100_000), Refused("nested too deeply", 2), JSON, NO_TEXT
    ),
    "5,000 digits": Kind(
        bad.swapped(b'"q2"', b"9" * 5000), Refused("integer string|digits", 2), JSON, NO_TEXT
    ),
    "NUL": Kind(bad.swapped(b"q2", rb"\u0000"), Rows(["q1", "\0", "q3"], SCORES), JSON, NO_TEXT),
    # What the file is.
    "gzip that is cut": Kind(bad.raw(lambda data: data[:-9]), NO_GZIP, GZ, NO_GZ),
    "no gzip under its name": Kind(bad.raw(gzip.decompress), NO_GZIP, GZ, NO_GZ),
    "gzip under another name": Kind(
        bad.raw(gzip.compress), NOT_IT,
        but=each(("lines", "samples"), Refused("give the file a name that ends in .gz", 1)),
    ),
    "an empty file": Kind(
        bad.bytes_of(b""), EMPTY,
        but=each((*LOGS, *PARQUET, *GZ), NOT_IT)
        | each(SCAN, Refused("no column 'score'|must be whole gzip data"))
        | each(COMMAND, Refused("must hold records|must be whole gzip data")),
    ),
    "bytes at random": Kind(bad.bytes_of(bytes(range(256)) * 9), NOT_IT),
    "UTF-16": Kind(bad.text(lambda t: t.decode().encode("utf-16")), NOT_IT, JSON, NO_TEXT),
    "a name that is not UTF-8": Kind(bad.odd_name, Rows(Q, SCORES)),
    "no file": Kind(
        lambda kind, folder: folder / NAMES[kind], Refused("no file", error=FileNotFoundError)
    ),
    "a pattern that matches nothing": Kind(
        lambda kind, at: at / f"*{NAMES[kind]}", Refused("no file", error=FileNotFoundError)
    ),
    "a folder": Kind(
        lambda kind, folder: write(kind, folder / NAMES[kind] / "in", name="y").parent,
        Refused("is a folder", error=IsADirectoryError),
        but=each(SAMPLE, NO_FILE) | each(LOGS, NO_FILE) | each(COMMAND, NO_FILE),
    ),
    # Parquet.
    "dictionary columns": Kind(
        COLUMN(lambda t: bad.with_column("item_id", t["item_id"].dictionary_encode())(t)),
        Rows(Q, SCORES), PARQUET, OF_PARQUET,
    ),
    "large_string": Kind(
        COLUMN(lambda t: bad.with_column("item_id", t["item_id"].cast(pa.large_string()))(t)),
        SAME, PARQUET, OF_PARQUET,
    ),
    "a column of nulls": Kind(
        COLUMN(bad.with_column("more", pa.nulls(3))), Rows(Q, SCORES), PARQUET, OF_PARQUET
    ),
    "scores that are all null": Kind(
        COLUMN(bad.with_column("score", pa.nulls(3))), Rows(Q, [None] * 3), PARQUET, OF_PARQUET
    ),
    "a column of lists": Kind(
        COLUMN(bad.with_column("more", pa.array([[1], None, []]))),
        Rows(Q, SCORES), PARQUET, OF_PARQUET,
    ),
    "no metadata of pandas": Kind(COLUMN(lambda t: t), SAME, PARQUET, OF_PARQUET),
    "one row a group": Kind(COLUMN(lambda t: t, row_group_size=1), SAME, PARQUET, OF_PARQUET),
    "no row group": Kind(
        bad.without_groups, EMPTY, PARQUET, OF_PARQUET,
        {"command, parquet": Refused("must hold records")},
    ),
    "Parquet that is cut": Kind(bad.raw(lambda data: data[:-20]), NO_PARQUET, PARQUET, OF_PARQUET),
    "damaged metadata of pandas": Kind(bad.metadata("{"), NO_PARQUET, PARQUET, OF_PARQUET),
    "columns named twice": Kind(
        COLUMN(lambda t: t.append_column("score", t["score"])),
        Refused("columns named twice: 'score'"), PARQUET, OF_PARQUET,
    ),
    # Archives.
    "an archive that is cut": Kind(
        bad.raw(lambda data: data[:-30]),
        Refused("must be a whole zip archive"), ARCHIVE, OF_ARCHIVE,
    ),
    "no header": Kind(
        bad.archive(bad.MEMBERS), Refused("no header.json"), ARCHIVE, OF_ARCHIVE
    ),
    "no summaries": Kind(
        bad.archive([*bad.MEMBERS, bad.HEADER]), Rows(Q, SCORES), ARCHIVE, OF_ARCHIVE
    ),
    "a member that is damaged": Kind(
        bad.archive([("summaries.json", b"[]" * 9), bad.HEADER], claims={"summaries.json": 9}),
        Refused("member 'summaries.json': .*damaged"), ARCHIVE, OF_ARCHIVE,
    ),
    "a member that fills the memory": Kind(
        bad.archive([("summaries.json", bytes(2**26 + 1)), bad.HEADER]),
        Refused("member 'summaries.json'.*zip bomb"), ARCHIVE, OF_ARCHIVE,
    ),
    # The file of another format, or of none.
    "lines under the loader's name": Kind(
        bad.given("lines"), NOT_IT,
        but=each(("read_jsonl", STRICT, *SCAN), SAME) | each(COMMAND, Rows(Q, SCORES, of="lines"))
        | each(("scan, gzip", "command, lines.gz", "command, samples.gz"), NOT_IT),
    ),
    "samples under the loader's name": Kind(
        bad.given("samples"), NOT_IT,
        # Lines of any keys are rows; without its name a file does not say of which task it is.
        but=each(("read_jsonl",), OTHER) | each(("read_lm_eval", "command, samples"), SAME),
    ),
    "a log under the loader's name": Kind(
        bad.given("log"), NOT_IT,
        but=each(LOGS, Rows(Q, SCORES)) | each(COMMAND, Rows(Q, SCORES, of="log")),
    ),
    "an archive under the loader's name": Kind(
        bad.given("archive"), NOT_IT,
        but=each(LOGS, Rows(Q, SCORES)) | each(COMMAND, Rows(Q, SCORES, of="archive"))
        | {"read_inspect, text": Refused("0 of 3 samples whole, of the others the summary alone")},
    ),
    "Parquet under the loader's name": Kind(
        bad.given("parquet"), NOT_IT,
        but=each(("read_parquet", *SCAN), SAME) | each(COMMAND, Rows(Q, SCORES, of="parquet")),
    ),
    "results of lm-evaluation-harness": Kind(bad.bytes_of(bad.RESULTS), NOT_IT),
    "a table of commas": Kind(bad.bytes_of(b"item_id,score\n1,1\n"), NOT_IT),
}  # fmt: skip


def answer_of(name, kind):
    """Return what a loader has to answer to a kind of file."""
    known = (name, LOADERS[name].format)
    return next((kind.but[one] for one in known if one in kind.but), kind.answer)


CELLS = [(n, k) for n in LOADERS for k in KINDS if LOADERS[n].format in KINDS[k].formats]


@pytest.mark.parametrize(("name", "kind"), CELLS)
def test_a_file_is_read_exactly_or_refused_by_name(name, kind, tmp_path):
    loader, wanted = LOADERS[name], answer_of(name, KINDS[kind])
    # Folders of one name, as it is the arm of samples that stand alone.
    path = KINDS[kind].make(loader.format, tmp_path / "odd" / "m")
    if isinstance(wanted, Refused):
        bad.assert_refused(loader, path, wanted)
        return
    found = loader.read(path)
    if wanted is EMPTY:
        assert len(found) == 0
    elif wanted is SAME:
        clean = loader.read(write(loader.format, tmp_path / "clean" / "m"))
        assert_frame_equal(found, clean)
    elif wanted is OTHER:
        with pytest.raises(ef.EvalFrameError, match="no column 'item_id'"):
            ef.score(found)
    else:
        bad.assert_rows(found, wanted, wanted.of or loader.format)


def test_every_public_loader_is_here():
    functions = {name: getattr(ef, name) for name in ef.__all__ if name.islower()}
    functions = {name: found for name, found in functions.items() if callable(found)}
    first = {n: next(iter(inspect.signature(f).parameters), "") for n, f in functions.items()}
    public = {name for name, parameter in first.items() if parameter in ("path", "paths")}
    assert {name.partition(",")[0] for name in LOADERS} == public | {"command"}


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_made_in_a_format_has_its_reason(kind):
    assert set(KINDS[kind].formats) == set(NAMES) or KINDS[kind].otherwise
    assert set(KINDS[kind].but) <= {*LOADERS, *NAMES}
