"""The command line: files in, report out, the result table on request."""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import pandas as pd

from evalframe import (
    DesignError,
    check,
    compare,
    exceeds_floor,
    format_report,
    score,
    voice,
    write_jsonl,
    write_parquet,
)
from evalframe.io.labelled import PARQUET, arm_labels, read_arms
from evalframe.io.paths import replacing
from evalframe.results import FLOOR, version

OUT = (*PARQUET, ".jsonl", ".jsonl.gz", ".csv")

_NO_TEST = (
    "This is no test, and no score is a boundary: self_low to self_high is where the author's own\n"
    "texts land. Scores at different n_items do not compare; --size N makes them comparable."
)


class _Parser(argparse.ArgumentParser):
    """Answers a wrong command line as every other fault: in one line, with status 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after the program's name. Default: those of the process.

    Returns
    -------
    int
        Exit status: 0; 1 when `check` finds errors; 2 when the input is not as it should be, with
        one line on stderr.
    """
    options = _parser().parse_args(arguments)
    try:
        _refuse_own_input(options)
        result, report = options.run(options)
        if options.out is not None:
            _write(result, options.out)
        print(report, flush=True)
    except BrokenPipeError:
        # The reader of a pipe (head, less) has gone; the interpreter's last flush must not fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError) as error:
        print(f"evalframe: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    return int(options.run is _check and (result["severity"] == "error").any())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="evalframe", description="Score and compare evaluation records.")
    parser.add_argument("--version", action="version", version=f"evalframe {version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    one = commands.add_parser("score", help="how good is each arm?")
    one.add_argument("files", nargs="+", metavar="FILE", help="records, JSON Lines or Parquet")
    one.set_defaults(run=_score)

    two = commands.add_parser("compare", help="is an arm better than the baseline?")
    two.add_argument("base", metavar="BASE", help="records of the baseline")
    two.add_argument("edits", nargs="+", metavar="EDIT", help="records of the arm(s) to compare")
    two.add_argument(
        "--floor", nargs=2, metavar=("A", "B"), help="two runs of one arm: the noise floor"
    )
    two.set_defaults(run=_compare)
    for command, usual in ((one, "t"), (two, "normal")):
        command.add_argument(
            "--interval", default=usual, metavar="NAME", help=f"such as auto; default {usual}"
        )

    three = commands.add_parser("check", help="what is wrong with the records?")
    three.add_argument("files", nargs="+", metavar="FILE", help="records, JSON Lines or Parquet")
    three.set_defaults(run=_check)

    four = commands.add_parser("voice", help="how alike in style are arms to an author?")
    four.add_argument("files", nargs="+", metavar="FILE", help="records of the arms and the author")
    four.add_argument("--reference", required=True, metavar="NAME", help="the author's arm")
    four.add_argument("--size", type=int, metavar="N", help="compare subsets of N items")
    four.add_argument(
        "--interval",
        choices=("jackknife", "jackknife_se"),
        default="jackknife",
        help="how far one item moves a tail, or confidence limits; default jackknife",
    )
    four.set_defaults(run=_voice)
    _add_options(one, two, three, four)
    return parser


def _add_options(
    one: argparse.ArgumentParser,
    two: argparse.ArgumentParser,
    three: argparse.ArgumentParser,
    four: argparse.ArgumentParser,
) -> None:
    """Add the options that score, compare, check and voice share."""
    for command, level, choices, missing in (
        (one, 0.95, ("raise", "drop", "zero"), "drop"),
        (two, 0.95, ("raise", "drop", "zero"), "raise"),
        (four, 0.90, ("raise", "drop"), "raise"),
    ):
        command.add_argument("--by", action="append", metavar="COL", help="take groups apart")
        command.add_argument(
            "--level", type=float, default=level, metavar="L", help=f"default {level:.2f}"
        )
        what = "items without a partner" if command is four else "missing scores"
        command.add_argument(
            "--missing",
            choices=choices,
            default=missing,
            help=f"what {what} do; default {missing}",
        )
    for command in (one, two, three, four):
        command.add_argument(
            "--out", type=_out, metavar="FILE", help=f"the table, as {', '.join(OUT)}"
        )


def _score(options: argparse.Namespace) -> tuple[pd.DataFrame, str]:
    runs = pd.concat(read_arms(options.files), ignore_index=True)
    result = score(
        runs,
        by=options.by,
        level=options.level,
        interval=options.interval,
        missing=options.missing,
    )
    return result, format_report(result)


def _check(options: argparse.Namespace) -> tuple[pd.DataFrame, str]:
    frame = pd.concat(read_arms(options.files), ignore_index=True)
    result = check(frame)
    lines = []
    for fault in result.to_dict("records"):
        column = f"{fault['column']}: " if fault["column"] else ""
        first = f" (first: {fault['first']})" if fault["first"] else ""
        lines.append(f"{fault['severity']}: {column}{' '.join(fault['fault'].split())}{first}")
        lines.append(f"  what to do: {' '.join(fault['remedy'].split())}")
    found = [
        f"{count} {name}{'' if count == 1 else 's'}"
        for name in ("error", "warning")
        for count in [int((result["severity"] == name).sum())]
    ]
    return result, "\n".join([*lines, f"{len(frame):,} rows: {', '.join(found)}"])


def _compare(options: argparse.Namespace) -> tuple[pd.DataFrame, str]:
    result = _compare_files([options.base, *options.edits], options)
    if options.floor is None:
        return result, format_report(result)
    floor = _compare_files(options.floor, options)
    report = format_report(result, floor)
    above = exceeds_floor(result, floor)
    for name in FLOOR:
        result.insert(len(result.columns) - 1, name, above[name])
    return result, report


def _voice(options: argparse.Namespace) -> tuple[pd.DataFrame, str]:
    runs = pd.concat(read_arms(options.files), ignore_index=True)
    # A label may be a number, which the command line can only spell.
    spelled = {str(label): label for label in arm_labels(runs)}
    result = voice(
        runs,
        spelled.get(options.reference, options.reference),
        by=options.by,
        level=options.level,
        interval=options.interval,
        size=options.size,
        missing=options.missing,
    )
    return result, _voice_text(result, options)


def _voice_text(result: pd.DataFrame, options: argparse.Namespace) -> str:
    """Return the scores of all arms, then their groups, and what the numbers are not."""
    text = [f"likeness in style to {options.reference}"]
    names = [*(options.by or []), "arm"]
    numbers = ["tail", "conf_low", "conf_high", "self_low", "self_high"]
    counts = ["n_items", "n_dropped", "n_train"]
    for scope, shown in (
        ("overall", [*names, *numbers, *counts]),
        ("group", [*names, "group", *numbers]),
    ):
        rows = result.loc[result["scope"] == scope, shown]
        # An arm's score is the tail of its overall row.
        rows = rows.rename(columns={"tail": "score"} if scope == "overall" else {})
        table = rows.to_string(index=False, float_format="{:.3f}".format, na_rep="n/a")
        text.append(table if len(rows) else f"no {scope} rows")
    noted = result[(result["scope"] == "overall") & (result["note"] != "")]
    arms = noted.groupby("note", sort=False)["arm"].unique()
    notes = [f"{', '.join(map(str, names))}: {note}" for note, names in arms.items()]
    text.append("\n".join([*notes, _NO_TEST]))
    return "\n\n".join(text)


def _compare_files(paths: Sequence[str], options: argparse.Namespace) -> pd.DataFrame:
    """Compare files of one arm each with the first of them."""
    frames = read_arms(paths)
    for path, frame in zip(paths, frames, strict=True):
        arms = frame["arm"].unique().tolist()
        if len(arms) != 1:
            raise DesignError(
                f"{path} must hold the records of one arm, found {len(arms):,}: "
                f"{', '.join(map(repr, arms[:5]))}; write each arm to a file of its own, or "
                "compare them in Python: evalframe.read_jsonl(PATH).evals.compare(BASELINE)"
            )
    return compare(
        pd.concat(frames, ignore_index=True),
        frames[0]["arm"].iloc[0],
        by=options.by,
        level=options.level,
        interval=options.interval,
        missing=options.missing,
    )


def _refuse_own_input(options: argparse.Namespace) -> None:
    """Refuse to write the result over the records it is made of."""
    read = [getattr(options, name, None) or [] for name in ("files", "edits", "floor")]
    paths = [path for group in read for path in group] + [getattr(options, "base", "")]
    if options.out and os.path.realpath(options.out) in map(os.path.realpath, paths):
        raise ValueError(f"--out must be another file than those read, found {options.out!r}")


def _out(path: str) -> str:
    """Refuse a name that tells no format before any work is done."""
    if not path.lower().endswith(OUT):
        raise argparse.ArgumentTypeError(f"must end in one of {', '.join(OUT)}, not {path!r}")
    return path


def _write(result: pd.DataFrame, path: str) -> None:
    """Write a result in the format that the file's name ends in."""
    name = path.lower()
    if name.endswith(PARQUET):
        write_parquet(result, path)
    elif name.endswith(".csv"):
        with replacing(path) as file:
            file.write(result.to_csv(index=False).encode())
    else:
        write_jsonl(result, path)
