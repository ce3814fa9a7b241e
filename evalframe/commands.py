"""What each command does: read what it is given, call the function of its name, say the result."""

import argparse
import os
from collections.abc import Sequence

import pandas as pd

from evalframe import (
    DesignError,
    RoleError,
    check,
    compare,
    exceeds_floor,
    format_report,
    score,
    voice,
)
from evalframe.io.labelled import Given, Reading, arm_labels, read_arms
from evalframe.results import FLOOR
from evalframe.wording import remedy_as_options

Done = tuple[pd.DataFrame, str]

NO_TEST = (
    "This is no test, and no score is a boundary: self_low to self_high is where the author's own\n"
    "texts land. Scores at different n_items do not compare; --size N makes them comparable."
)


def reading(options: argparse.Namespace, *, outputs: bool = False) -> Reading:
    """Return how files are read, as the options say."""
    names = ("item", "arm", "seed", "score", "cluster", "tokens", "text")
    given = {name: getattr(options, name) for name in names}
    return Reading(
        roles={name: column for name, column in given.items() if column is not None},
        value_map=None if options.grade is None else dict(options.grade),
        metric=options.metric,
        filter=options.filter,
        scorer=options.scorer,
        outputs=outputs,
    )


def convert_files(options: argparse.Namespace) -> Done:
    """Read files of any format as one table."""
    runs = _runs(read_arms(options.paths, reading(options, outputs=options.outputs)))
    labels = arm_labels(runs)
    shown = _listed(labels)
    return runs, f"{len(runs):,} rows of {len(labels):,} arm(s) ({shown}) in {options.out}"


def score_files(options: argparse.Namespace) -> Done:
    """Score each arm."""
    runs = _of_one_metric(_runs(read_arms(options.paths, reading(options))))
    result = score(
        runs,
        by=options.by,
        level=options.level,
        interval=options.interval,
        missing=options.missing,
    )
    return result, format_report(result)


def check_files(options: argparse.Namespace) -> Done:
    """List every fault."""
    frame = _runs(read_arms(options.paths, reading(options)))
    result = check(frame)
    lines = []
    for fault in result.to_dict("records"):
        column = f"{fault['column']}: " if fault["column"] else ""
        said = " ".join(fault["fault"].split())
        first = "" if fault["first"] in said else f" (first: {fault['first']})"
        lines.append(f"{fault['severity']}: {column}{said}{first}")
        remedy = remedy_as_options(" ".join(fault["remedy"].split()))
        lines.append(f"  what to do: {remedy}")
    found = [
        f"{count} {name}{'' if count == 1 else 's'}"
        for name in ("error", "warning")
        for count in [int((result["severity"] == name).sum())]
    ]
    return result, "\n".join([*lines, f"{len(frame):,} rows: {', '.join(found)}"])


def compare_files(options: argparse.Namespace) -> Done:
    """Compare arms with the baseline, and with the noise floor where there is one."""
    given = read_arms(options.paths, reading(options))
    runs = _of_one_metric(_runs(given))
    baseline = _baseline(given, options)
    floor = None
    if options.floor is not None:
        floor, runs = _noise_floor(runs, options)
    result = _compared(runs, baseline, options, margin=options.margin)
    if floor is None:
        return result, format_report(result)
    report = format_report(result, floor)
    above = exceeds_floor(result, floor)
    for name in FLOOR:
        result.insert(len(result.columns) - 1, name, above[name])
    return result, report


def _noise_floor(
    runs: pd.DataFrame, options: argparse.Namespace
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return how two runs of one arm differ, and the records without the rerun among them."""
    labels = sorted({str(label) for label in arm_labels(runs)})
    named = [name for name in options.floor if name in labels and not os.path.exists(name)]
    if len(set(options.floor)) == 1:
        raise DesignError(
            f"--floor needs two runs of one arm, found {options.floor[0]!r} twice; name the rerun"
        )
    if len(named) == 2:
        floor = _compared(_of_arms(runs, named), named[0], options)
        return floor, runs[runs["arm"] != _label(runs, named[1])]
    if named:
        raise DesignError(
            "--floor needs two files, or the labels of two arms among the PATHs, found "
            f"{' and '.join(map(repr, options.floor))}, of which {named[0]!r} alone is such a "
            f"label; the arms are {_listed(labels)}"
        )
    pair = read_arms(options.floor, reading(options))
    return _compared(_of_one_metric(_runs(pair)), _baseline(pair, None), options), runs


def voice_files(options: argparse.Namespace) -> Done:
    """Hold arms against an author."""
    runs = _of_one_metric(_runs(read_arms(options.paths, reading(options, outputs=True))))
    result = voice(
        runs,
        _label(runs, options.reference),
        by=options.by,
        level=options.level,
        interval=options.interval,
        size=options.size,
        missing=options.missing,
    )
    return result, _voice_text(result, options)


def _runs(given: Sequence[Given]) -> pd.DataFrame:
    """Put what was read below one another."""
    return pd.concat([one.frame for one in given], ignore_index=True)


def _of_one_metric(runs: pd.DataFrame) -> pd.DataFrame:
    """Refuse logs of several scorers, of which each sample has a row."""
    if "log_status" in runs and runs["metric"].nunique() > 1:
        names = list(dict.fromkeys(runs["metric"].dropna()))
        raise RoleError(
            f"one score a sample is needed, found {len(names):,} scorers in the logs: "
            f"{', '.join(names)}; choose one, for example --scorer {names[0]}"
        )
    return runs


def _baseline(given: Sequence[Given], options: argparse.Namespace | None) -> object:
    """Return the baseline's label: as named, or the one arm of the first file."""
    if options is not None and options.baseline is not None:
        return _label(_runs(given), options.baseline)
    first, labels = given[0], arm_labels(given[0].frame)
    if len(labels) != 1:
        raise DesignError(
            f"{first.name} must hold the records of one arm to be the baseline, found "
            f"{len(labels):,}: {', '.join(map(repr, labels[:5]))}; name the baseline, for example "
            f"--baseline {labels[0] if labels else 'NAME'}"
        )
    if len(given) == 1:
        raise DesignError(
            f"a comparison needs two arms, found {labels[0]!r} alone in {first.name}; give the "
            "records of the other arm too: evalframe compare BASE EDIT"
        )
    return labels[0]


def _listed(labels: Sequence[object]) -> str:
    """Return the first labels, and whether there are more."""
    return ", ".join(map(str, labels[:5])) + (", ..." if len(labels) > 5 else "")


def _label(runs: pd.DataFrame, spelled: str) -> object:
    """Return an arm's label, which may be a number that the command line can only spell."""
    return {str(label): label for label in arm_labels(runs)}.get(spelled, spelled)


def _of_arms(runs: pd.DataFrame, spelled: Sequence[str]) -> pd.DataFrame:
    """Return the runs of some arms."""
    return runs[runs["arm"].isin([_label(runs, name) for name in spelled])]


def _compared(
    runs: pd.DataFrame,
    baseline: object,
    options: argparse.Namespace,
    *,
    margin: float | None = None,
) -> pd.DataFrame:
    return compare(
        runs,
        _label(runs, baseline) if isinstance(baseline, str) else baseline,
        by=options.by,
        level=options.level,
        interval=options.interval,
        missing=options.missing,
        margin=margin,
    )


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
    text.append("\n".join([*notes, NO_TEST]))
    return "\n\n".join(text)
