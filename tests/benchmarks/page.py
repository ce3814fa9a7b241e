"""One page of numbers: run every benchmark, keep what it measured, write the README's tables.

python tests/benchmarks/page.py              all, about six minutes
python tests/benchmarks/page.py scan pairs   these, beside what is kept of the others
python tests/benchmarks/page.py --tables     the tables alone, from the files in data/

Each file runs in a process of its own. The comparison with Inspect's own frame needs inspect_ai,
which is not among evalframe's dependencies: pip install inspect_ai.
"""

import json
import os
import platform
import re
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
KEPT, COVERAGE = ROOT / "data" / "benchmarks.parquet", ROOT / "data" / "coverage.parquet"
README = ROOT / "README.md"
PACKAGES = ("pandas", "numpy", "scipy", "pyarrow")

# What the README shows: file, how the case starts, how the baseline starts.
SHOWN = (
    ("main_path", "score, 1,000,000 rows", "pandas"),
    ("main_path", "compare, 1,000,000 rows", "pandas"),
    ("main_path", "score by 5,000 groups", "evalframe"),
    ("bootstrap", "bootstrap, percentile, 10,000 continuous", "scipy"),
    ("read_jsonl", "read_jsonl, 200 MB", "pyarrow"),
    ("read_inspect", "read_inspect, 5,000 samples", "inspect_ai"),
    ("scan", "scan and compare, 5,000,000 rows, peak memory", "pandas"),
    ("text_metrics", "style, ", "Python"),
    ("voice_score", "calibration", "scipy"),
    ("pairs", "pairs, 20 arms", "pandas"),
    ("bradley_terry", "bradley_terry, 1,000,000 games of 20 arms, prompts as clusters", "pandas"),
)

# What is measured, what "auto" takes there, the families of data/coverage.parquet that are such
# evaluations, the default interval and another common one.
INTERVALS = (
    (
        "one arm, right or wrong, one run each",
        '`"mid-p"` (Clopper-Pearson with mid-p tails)',
        ("one_arm_binary",),
        ("t", "wilson"),
    ),
    (
        "... with clusters",
        '`"beta-binomial"` (hierarchical, uniform on mean and ICC)',
        ("one_arm_binary_clusters", "one_arm_binary_real_sizes"),
        ("t", "cr2"),
    ),
    (
        "one arm, other scores on a scale, means over runs",
        '`"logit"`: t on the logit scale; `"wilson"` where all are alike',
        ("one_arm_seeds",),
        ("t", "wilson"),
    ),
    (
        "... with clusters",
        '`"logit"` with CR2 and Satterthwaite df; `"wilson"` on the clusters where all agree',
        (),
        (),
    ),
    (
        "one arm, no scale",
        '`"t"`; with clusters `"cr2"` with Satterthwaite df',
        ("unbounded",),
        ("t", "normal"),
    ),
    ("paired, right or wrong", '`"tango"`', ("paired_binary",), ("normal", "newcombe")),
    (
        "... with clusters",
        '`"tango"` on the effective number of items',
        ("paired_binary_clusters",),
        ("normal", "cr2"),
    ),
    ("paired, other", '`"t"`; with clusters `"cr2"`', (), ()),
)


def benchmarks() -> list[str]:
    """Return the names of the files that have rows, sorted."""
    return sorted(p.stem for p in HERE.glob("*.py") if "\ndef rows() ->" in p.read_text())


def measured(name: str) -> pd.DataFrame:
    """Run one file, and return its rows with what they were measured on."""
    words = [sys.executable, str(HERE / f"{name}.py"), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name}.py failed:\n{done.stderr}")
    rows = pd.DataFrame([json.loads(line) for line in done.stdout.splitlines()])
    rows.insert(0, "benchmark", name)
    # Without a limit or a note in any row, a column of None has no type of its own.
    rows = rows.astype({"target": float, "note": "str"})
    return rows.assign(
        python=platform.python_version(),
        **{package: version(package) for package in PACKAGES},
        cores=len(os.sched_getaffinity(0)),
        date=datetime.now(UTC).date().isoformat(),
    )


def run(names: list[str]) -> None:
    """Run files and keep their rows in place of older ones; rows of files that are gone go."""
    known = benchmarks()
    if unknown := set(names) - set(known):
        raise SystemExit(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    kept = dict(iter(pd.read_parquet(KEPT).groupby("benchmark"))) if KEPT.exists() else {}
    for name in names or known:
        began = time.perf_counter()
        kept[name] = measured(name)
        print(f"{name:<16}{time.perf_counter() - began:6.0f} s", flush=True)
        found = [kept[one] for one in known if one in kept]
        pd.concat(found, ignore_index=True).to_parquet(KEPT, index=False)


def share(ratio: float) -> str:
    """Return a ratio as text: a small one as a fraction of two digits."""
    return f"{ratio:.2f}" if ratio >= 0.1 else f"1/{float(f'{1 / ratio:.2g}'):,.0f}"


def amount(value: float) -> str:
    """Return a time or a size to three digits."""
    return f"{float(f'{value:.3g}'):,g}" if value < 1000 else f"{float(f'{value:.3g}'):,.0f}"


def of_benchmarks(kept: pd.DataFrame) -> list[str]:
    """Return the lines of the table of measurements, below what they were measured on."""
    lines = ["| | ours | theirs | ours / theirs | theirs is |", "|---|---|---|---|---|"]
    for name, case, baseline in SHOWN:
        of_it = kept[
            (kept["benchmark"] == name)
            & kept["case"].str.startswith(case)
            & kept["baseline"].str.startswith(baseline)
        ]
        # A comparison is left out where the package that it needs was not there.
        for row in of_it.head(1).itertuples():
            limit = "" if pd.isna(row.target) else f" (limit {share(row.target)})"
            ours, theirs = f"{amount(row.ours)} {row.unit}", f"{amount(row.theirs)} {row.unit}"
            marked = " *" * ("multiplied" in row.note)
            lines.append(
                f"| {row.case} | {ours} | {theirs}{marked} | {share(row.ratio)}{limit} "
                f"| {row.baseline} |"
            )
    on = " and ".join(
        f"Python {first.python}, {', '.join(f'{p} {getattr(first, p)}' for p in PACKAGES)}, "
        f"{first.cores} cores"
        for first in kept.drop_duplicates(["python", *PACKAGES, "cores"]).itertuples()
    )
    dates = " to ".join(sorted({kept["date"].min(), kept["date"].max()}))
    return [
        f"`python tests/benchmarks/page.py` measured this and more (`data/benchmarks.parquet`), "
        f"each in one run, on {dates} with {on}. * is multiplied up from fewer draws.",
        "",
        *lines,
    ]


def of_coverage(grid: pd.DataFrame) -> list[str]:
    """Return the lines of the table of intervals, with lowest and mean coverage of the cells."""
    lines = ['| what is measured | "auto" is | cells | "auto" covers | the default | another |']
    lines.append("|---|---|---|---|---|---|")
    for words, auto, families, others in INTERVALS:
        cells = grid[grid["family"].isin(families)]
        covered = cells.groupby("interval")["coverage"].agg(["min", "mean"])
        said = ["" if families else "not simulated", "", ""]
        for place, name in enumerate(["auto", *others] if families else []):
            low, mean = covered.loc[name]
            said[place] = f"{name} {low:.3f}, {mean:.3f}" if place else f"{low:.3f}, {mean:.3f}"
        count = len(cells[["family", "cell"]].drop_duplicates()) or ""
        lines.append(f"| {' | '.join([words, auto, str(count), *said])} |")
    return lines


def written(text: str, tables: dict[str, list[str]]) -> str:
    """Return a README with tables between the marks of their names."""
    for name, lines in tables.items():
        between = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", flags=re.DOTALL)
        if len(between.findall(text)) != 1:
            raise ValueError(f"the README must have <!-- {name} --> and <!-- /{name} --> once")
        body = "\n".join(lines)
        text = between.sub(lambda found, body=body: f"{found[1]}{body}\n{found[2]}", text)
    return text


def tables() -> dict[str, list[str]]:
    """Return the lines of both tables, from the files in data/."""
    return {
        "benchmarks": of_benchmarks(pd.read_parquet(KEPT)),
        "coverage": of_coverage(pd.read_parquet(COVERAGE)),
    }


def main() -> None:
    if "--tables" not in sys.argv:
        run(sys.argv[1:])
    README.write_text(written(README.read_text(), tables()))


if __name__ == "__main__":
    main()
