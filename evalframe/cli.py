"""The command line: files in, report out, the result table on request."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

import pandas as pd

from evalframe import write_jsonl, write_parquet
from evalframe.commands import check_files, compare_files, convert_files, score_files, voice_files
from evalframe.io.labelled import PARQUET
from evalframe.io.paths import replacing
from evalframe.results import version
from evalframe.wording import as_options

Run = Callable[[argparse.Namespace], tuple[pd.DataFrame, str]]

OUT = (*PARQUET, ".jsonl", ".jsonl.gz", ".csv")

_PATHS = """\
A PATH is a file of records (JSON Lines or Parquet, a row each run of an item by an arm), a samples
file or output folder of lm-evaluation-harness, or a log or log folder of Inspect AI. What it is, is
told by its content. Files of one arm each keep the label inside, or are called after their name.
"""

_EXAMPLES = {
    "score": "evalframe score base.jsonl edit.jsonl --by task\n"
    "  evalframe score logs/ --scorer match --cluster passage",
    "compare": "evalframe compare base.jsonl edit.jsonl --floor base.jsonl rerun.jsonl\n"
    "  evalframe compare logs/ --baseline base --floor base base-rerun\n"
    "  evalframe compare out/base out/edit --metric exact_match --filter strict-match",
    "check": "evalframe check runs.parquet --item question --score grade --grade C=1 --grade I=0",
    "voice": "evalframe voice author.jsonl edit.jsonl --reference author --size 100",
    "convert": "evalframe convert logs/ --outputs --out runs.parquet",
}


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
        print(f"evalframe: {as_options(str(error))}", file=sys.stderr)
        return 2
    return int(options.run is check_files and (result["severity"] == "error").any())


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="evalframe", description="Score and compare evaluation records.")
    parser.add_argument("--version", action="version", version=f"evalframe {version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    one, two, three, four, five = (
        _command(commands, name, about, run)
        for name, about, run in (
            ("score", "how good is each arm?", score_files),
            ("compare", "is an arm better than the baseline?", compare_files),
            ("check", "what is wrong with the records?", check_files),
            ("voice", "how alike in style are arms to an author?", voice_files),
            ("convert", "write records of any format as one table", convert_files),
        )
    )
    _add_arms(two)
    four.add_argument("--reference", required=True, metavar="NAME", help="the author's arm")
    four.add_argument("--size", type=int, metavar="N", help="compare subsets of N items")
    five.add_argument(
        "--outputs", action="store_true", help="read what arms wrote out of Inspect logs (slower)"
    )
    _add_options(one, two, four)
    for command in (one, two, three, four, five):
        command.add_argument(
            "--out",
            type=_out,
            metavar="FILE",
            required=command is five,
            help=f"the table, as {', '.join(OUT)}",
        )
        _add_reading(command)
    return parser


def _command(
    commands: "argparse._SubParsersAction[_Parser]", name: str, about: str, run: Run
) -> argparse.ArgumentParser:
    """Add a command that takes paths."""
    command = commands.add_parser(
        name,
        help=about,
        description=f"{about[0].upper()}{about[1:]}\n\n{_PATHS}",
        epilog=f"for example:\n  {_EXAMPLES[name]}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    paths = "the baseline, then the others" if name == "compare" else "records"
    command.add_argument("paths", nargs="+", metavar="PATH", help=paths)
    command.set_defaults(run=run)
    return command


def _add_arms(two: argparse.ArgumentParser) -> None:
    """Add what compare alone takes: which arm is the baseline, and when a difference counts."""
    two.add_argument(
        "--baseline", metavar="NAME", help="the baseline's label; default the arm of the first PATH"
    )
    two.add_argument(
        "--floor",
        nargs=2,
        metavar=("A", "B"),
        help="two runs of one arm, as paths or labels: the noise floor",
    )
    two.add_argument(
        "--margin", type=float, metavar="M", help="smallest difference in score that matters"
    )


def _add_options(
    one: argparse.ArgumentParser, two: argparse.ArgumentParser, four: argparse.ArgumentParser
) -> None:
    """Add the options of the estimates that score, compare and voice share."""
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
    for command, usual in ((one, "t"), (two, "normal")):
        command.add_argument(
            "--interval", default=usual, metavar="NAME", help=f"such as auto; default {usual}"
        )
    four.add_argument(
        "--interval",
        choices=("jackknife", "jackknife_se"),
        default="jackknife",
        help="how far one item moves a tail, or confidence limits; default jackknife",
    )


def _add_reading(command: argparse.ArgumentParser) -> None:
    """Add the options that say how files are read."""
    tables = command.add_argument_group("columns of JSON Lines and Parquet, where named otherwise")
    for role, usual in (
        ("item", "item_id"),
        ("seed", "seed"),
        ("score", "score"),
        ("tokens", "n_output_tokens"),
        ("text", "output"),
    ):
        tables.add_argument(f"--{role}", metavar="COL", help=f"default {usual}")
    logs = command.add_argument_group(
        "which scores of a log, or of a table with columns metric and filter"
    )
    logs.add_argument("--metric", action="append", metavar="NAME", help="of lm_eval: exact_match")
    logs.add_argument("--filter", action="append", metavar="NAME", help="of lm_eval: strict-match")
    logs.add_argument("--scorer", action="append", metavar="NAME", help="of Inspect: match")
    both = command.add_argument_group("columns of a table, or dotted keys in a log")
    both.add_argument("--arm", metavar="COL", help="the arm's label (config.model_args)")
    both.add_argument(
        "--cluster", metavar="COL", help="what dependent items share; in a log a key of the item"
    )
    both.add_argument(
        "--grade",
        action="append",
        type=_grade,
        metavar="LABEL=NUMBER",
        help="what a label of the score is worth; once for each label",
    )


def _grade(text: str) -> tuple[str, float]:
    """Read LABEL=NUMBER."""
    label, _, number = text.rpartition("=")
    try:
        return label, float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"must be LABEL=NUMBER such as C=1, not {text!r}"
        ) from None


def _refuse_own_input(options: argparse.Namespace) -> None:
    """Refuse to write the result over the records it is made of."""
    paths = [*options.paths, *(getattr(options, "floor", None) or [])]
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
