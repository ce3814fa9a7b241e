"""Imports point down, files stay short, and what the house bans is not there."""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "evalframe"
FILES = sorted(PACKAGE.rglob("*.py"))

# What each layer may import from evalframe, by the first part of the module's name. A layer may
# always import its own folder.
IDS = ("errors", "labels", "numbers", "roles", "counts", "keys", "runs")
FRAMES = (*IDS, "arms", "matrix", "pairing", "results", "rng", "tidy")
ALLOWED = {
    "errors": (),
    "rng": (),
    "progress": (),
    "tables": (),
    "results": ("tables",),
    "stats": (),
    "text": (),
    "roles": ("errors",),
    "labels": ("errors",),
    "numbers": ("errors", "labels"),
    "keys": ("errors", "results", "roles"),
    "counts": ("errors", "numbers", "roles"),
    "runs": ("errors", "labels", "numbers", "roles", "counts", "keys"),
    "samples_df": ("errors", "roles"),
    "tidy": (*IDS, "samples_df"),
    "matrix": ("errors", "keys", "runs", "stats"),
    "arms": ("errors",),
    "pairing": (*IDS, "arms", "matrix"),
    "reduced": (*IDS, "matrix"),
    "io": (*IDS, "reduced", "results", "tidy", "progress"),
    "methods": (*FRAMES, "progress", "stats", "text"),
    "floor": ("errors", "results", "stats"),
    "report": ("errors", "results", "stats", "floor"),
    "decimals": (),
    "display": ("decimals", "errors", "results", "tables"),
    # A picture of items needs the items, which no result has: it is of a frame.
    "pictures": ("errors", "methods", "results", "stats"),
    "plot": ("errors", "floor", "pictures", "results", "stats"),
    "accessor": ("methods", "tidy"),
    "__init__": (
        *("accessor", "display", "errors", "floor", "io", "methods", "plot", "report", "tidy"),
    ),
    "wording": (),
    "commands": ("__init__", "io", "results", "wording"),
    "cli": ("__init__", "commands", "io", "results", "wording"),
    "__main__": ("cli",),
}


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOT))


def layer(file: Path) -> str:
    parts = file.relative_to(PACKAGE).parts
    return parts[0].removesuffix(".py")


def imported(file: Path) -> set[str]:
    """Return the modules that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            if node.module == "evalframe" and layer(file) not in ("cli", "commands"):
                found |= {f"evalframe.{alias.name}" for alias in node.names}
            else:
                found.add(str(node.module))
    return found


def test_imports_point_down():
    for file in FILES:
        own = layer(file)
        inside = [name.split(".") for name in imported(file) if name.split(".")[0] == "evalframe"]
        layers = {parts[1] if len(parts) > 1 else "__init__" for parts in inside}
        assert layers - {own} <= set(ALLOWED[own]), name_of(file)


BELOW_FRAMES = {"stats": {"pandas", "pyarrow"}, "text": {"pandas"}}


def test_estimators_know_no_frames():
    for file in FILES:
        if layer(file) in BELOW_FRAMES:
            loaded = {name.split(".")[0] for name in imported(file)}
            assert not loaded & BELOW_FRAMES[layer(file)], name_of(file)
            assert "scipy.stats" not in imported(file), name_of(file)


def test_a_file_has_300_lines_at_most():
    assert not [name_of(file) for file in FILES if len(file.read_text().splitlines()) > 300]


def functions(file: Path) -> list[ast.FunctionDef]:
    """Return the functions of a file, wherever they stand in it."""
    found = ast.walk(ast.parse(file.read_text()))
    return [node for node in found if isinstance(node, ast.FunctionDef)]


def test_a_function_has_40_lines_of_code_at_most():
    for file in FILES:
        for node in functions(file):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = body[-1].end_lineno - body[0].lineno + 1 if body else 0
            assert lines <= 40, f"{name_of(file)}: {node.name} has {lines}"


def test_random_numbers_come_from_generators_alone():
    for file in FILES:
        drawn = re.findall(r"np\.random\.(\w+)", file.read_text())
        allowed = {"Generator", "default_rng"} if file.name == "rng.py" else {"Generator"}
        assert set(drawn) <= allowed, name_of(file)
        assert "random" not in imported(file), name_of(file)


def test_no_public_function_swallows_keywords():
    for file in FILES:
        for node in functions(file):
            if node.args.kwarg is not None:
                assert (file.name, node.name) == ("accessor.py", "method")


def test_no_module_is_named_after_what_it_does_for_everyone():
    banned = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert not {file.stem for file in FILES} & banned


def test_the_top_level_is_the_agreed_one():
    out = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    top = {line.split("/")[0] for line in out.splitlines()}
    agreed = {"pyproject.toml", "README.md", "evalframe", "tests", "notebooks", "data"}
    assert {name for name in top if not name.startswith(".")} <= agreed


def test_importing_evalframe_leaves_slow_and_optional_modules_out():
    code = "import sys, evalframe; print(*sorted(sys.modules))"
    out = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(out.stdout.split())
    assert not loaded & {"scipy.stats", "scipy.special", "matplotlib", "tqdm", "jinja2"}
