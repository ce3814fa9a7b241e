"""Which files a reader reads, what their arms are called, and how a file is written whole."""

import difflib
import glob
import os
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

from evalframe.errors import RecordError

OnePath: TypeAlias = str | os.PathLike[str]
Paths: TypeAlias = OnePath | Iterable[OnePath] | Mapping[str, OnePath | Iterable[OnePath]]
Inside: TypeAlias = Callable[[str], list[Path]]

# Only these are cut off a file's name: in "model-v1.5" the end is part of the name.
SUFFIXES = (".jsonl", ".ndjson", ".json", ".parquet", ".pq")


@dataclass(frozen=True, slots=True)
class Source:
    """One file to read.

    Attributes
    ----------
    path : Path
        The file.
    label : str or None
        The arm that the caller gave to the whole file; it replaces what the file says.
    stem : str
        The arm of a file that has no arm column.
    """

    path: Path
    label: str | None
    stem: str

    def arm(self, has_column: bool) -> str | None:
        """Return the label to give to every row, or None where the file's own column stands."""
        if self.label is None and not has_column:
            return self.stem
        return self.label


def sources(paths: Paths, inside: Inside | None = None) -> list[Source]:
    """Return the files that `paths` names, in the order given.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of arm to either
        A path is a str or a PathLike and may be a pattern (``runs/*.jsonl``, ``runs/**/*.jsonl``):
        its files come sorted by path, folders among the matches are passed over. A path that exists
        as it is written is never taken for a pattern. A mapping gives each arm its file or files.
    inside : function of a folder's name, optional
        Returns the files that the folder stands for, in order; a pattern may then match folders
        too. By default a folder is refused.

    Returns
    -------
    list of Source
        Stems differ between files: where names are equal, the shortest distinct end of the path.

    Raises
    ------
    FileNotFoundError
        If a path does not exist or a pattern matches no file.
    IsADirectoryError
        If a path is a folder and `inside` is not given.
    RecordError
        If no path is given, or one file twice under the same label.
    TypeError
        If `paths` holds something else than paths, or a label that is not text.
    """
    given: list[tuple[str | None, OnePath | Iterable[OnePath]]]
    if isinstance(paths, Mapping):
        for label in paths:
            if not isinstance(label, str) or not label:
                raise TypeError(f"the arm of a file must be a non-empty str, not {label!r}")
        given = list(paths.items())
    else:
        given = [(None, paths)]
    found = [(file, label) for label, path in given for file in _files(path, inside)]
    if not found:
        raise RecordError.of(
            "paths must name a file", "no path", 'give one, such as "runs/base.jsonl"', column=""
        )
    _refuse_twice(found)
    names = stems([file for file, _ in found])
    return [Source(file, label, stem) for (file, label), stem in zip(found, names, strict=True)]


def _files(paths: OnePath | Iterable[OnePath], inside: Inside | None) -> list[Path]:
    """Return the files of one path or several, patterns expanded."""
    if isinstance(paths, str | os.PathLike):
        return _expand(paths, inside)
    if isinstance(paths, bytes | Mapping | set | frozenset) or not isinstance(paths, Iterable):
        raise TypeError(
            "a path must be a str or a PathLike, several paths a list of them, "
            f"not {type(paths).__name__}"
        )
    files = []
    for path in paths:
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"each path must be a str or a PathLike, not {path!r}")
        files += _expand(path, inside)
    return files


def _expand(path: OnePath, inside: Inside | None) -> list[Path]:
    """Return the file at `path`, or the files that it matches as a pattern or stands for."""
    name = os.path.expanduser(os.fspath(path))
    if not isinstance(name, str):
        raise TypeError(f"a path must be text, not bytes: {name!r}")
    if os.path.isdir(name):
        if inside is not None:
            return inside(name)
        raise IsADirectoryError(
            f"{name!r} is a folder; name its files, for example {pattern_in(name)!r}"
        )
    if os.path.exists(name):
        return [Path(name)]
    matches = glob.glob(name, recursive=True) if glob.has_magic(name) else []
    files: list[Path] = []
    for match in sorted(matches):
        if not os.path.isdir(match):
            files.append(Path(match))
        elif inside is not None:
            files += inside(match)
    if not files:
        raise FileNotFoundError(_not_found(name))
    # A recursive pattern matches a folder and the files inside it.
    return files if inside is None else list(dict.fromkeys(files))


def _not_found(name: str) -> str:
    """Say that there is no such file, and which name beside it is near."""
    if glob.has_magic(name):
        return f"no file matches {name!r} (in {os.getcwd()})"
    folder = Path(name).absolute().parent
    if not folder.is_dir():
        return f"no file {name!r}: there is no folder {str(folder)!r}"
    near = difflib.get_close_matches(Path(name).name, sorted(os.listdir(folder)), n=1)
    return f"no file {name!r} in {str(folder)!r}" + (f"; did you mean {near[0]!r}?" if near else "")


def _refuse_twice(found: list[tuple[Path, str | None]]) -> None:
    """Refuse a file that would add its rows twice to one arm."""
    counts = Counter((os.path.abspath(file), label) for file, label in found)
    twice = [file for (file, _), count in counts.items() if count > 1]
    if twice:
        raise RecordError.of(
            "each file must be given once",
            f"{len(twice):,} of the files given twice, first {twice[0]!r}",
            "give it once, or under a label for each run: {'LABEL': PATH}",
            column="",
            count=len(twice),
        )


def as_text(name: str) -> str:
    """Return a name that any column can hold: bytes of it that are no UTF-8 as escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _stem(name: str) -> str:
    """Return a file's name without .gz and without the suffix of its format."""
    stem = name[:-3] if name.lower().endswith(".gz") else name
    for suffix in SUFFIXES:
        if stem.lower().endswith(suffix):
            stem = stem[: -len(suffix)]
            break
    return stem or name


def stems(files: list[Path]) -> list[str]:
    """Name each file (or folder) by its stem, and files of one stem by the shortest distinct path.

    The same file under two labels keeps its stem, which its labels stand in for.
    """
    parts = [Path(as_text(os.path.abspath(file))).parts for file in files]
    groups: dict[str, list[int]] = {}
    for position, (*_, name) in enumerate(parts):
        groups.setdefault(_stem(name), []).append(position)
    stems = [_stem(name) for *_, name in parts]
    for group in groups.values():
        if len({parts[position] for position in group}) == 1:
            continue
        for position, label in zip(group, _distinct([parts[i] for i in group]), strict=True):
            stems[position] = label
    return stems


def _distinct(paths: list[tuple[str, ...]]) -> list[str]:
    """Return the shortest ends of paths, of one depth, that tell them apart.

    Names that differ only in the suffix ("a.json", "a.jsonl") keep it.
    """
    ends = (
        ["/".join((*path[-depth:-1], cut(path[-1]))) for path in paths]
        for cut in (_stem, str)
        for depth in range(1, max(map(len, paths)) + 1)
    )
    return next(end for end in ends if len(set(end)) == len(set(paths)))


def pattern_in(folder: str) -> str:
    """Return the pattern of a folder's files, by the suffix of the first."""
    first = min((name for name in os.listdir(folder) if "." in name[1:]), default="runs.jsonl")
    suffix = "".join(Path(first).suffixes[-2:]) if first.endswith(".gz") else Path(first).suffix
    return os.path.join(folder, f"*{suffix}")


@contextmanager
def replacing(path: OnePath) -> Iterator[BinaryIO]:
    """Open a file to write that takes the place of `path` only when all is written.

    The bytes go to a temporary file beside it, so that an error leaves the old file as it was. A
    link keeps pointing to its file, an existing file keeps its mode. What is not a regular file
    (``/dev/stdout``) is written to directly.

    Parameters
    ----------
    path : str or PathLike
        Where the file will be. Its folder must exist.

    Yields
    ------
    binary file

    Raises
    ------
    FileNotFoundError
        If the folder does not exist.
    IsADirectoryError
        If `path` is a folder.
    TypeError
        If `path` is not a path.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be a str or a PathLike, not {type(path).__name__}")
    name = os.path.expanduser(os.fspath(path))
    if os.path.isdir(name):
        raise IsADirectoryError(f"{name!r} is a folder; add a file name")
    if os.path.exists(name) and not os.path.isfile(name):
        with open(name, "wb") as file:
            yield file
        return
    target = Path(os.path.realpath(name))
    if not target.parent.is_dir():
        raise FileNotFoundError(f"no folder {str(target.parent)!r} to write {target.name!r} in")
    temporary = target.with_name(f".evalframe-{secrets.token_hex(6)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
