"""How a loader refuses: by file and line, what was wanted, what was found, and what to type."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from evalframe.errors import EvalFrameError, RecordError, RoleError

# What helps where another program's file is damaged.
AGAIN = "it is damaged, or no log: copy or write it again"

# How the remedy of a fault of a frame names columns, and how a scan does.
TIDY, SCAN = "df.evals.tidy(", "evalframe.scan(PATHS, "


def refusal(where: object, wanted: str, found: str, remedy: str) -> RecordError:
    """Return the error of a file that cannot be read.

    Parameters
    ----------
    where : Path or str
        The file, with the line or member where there is one.
    wanted, found, remedy : str
        As `EvalFrameError.of` takes them.
    """
    return RecordError.of(f"{where}: {wanted}", found, remedy, column="")


def placed(error: EvalFrameError, where: object, call: str = TIDY) -> EvalFrameError:
    """Return an error about rows as one of the file that they come from.

    Parameters
    ----------
    error : EvalFrameError
    where : Path or str
        The file, or several.
    call : str
        Where the columns are named that the message names in a call of `tidy`.
    """
    return type(error)(f"{where}: {str(error).replace(TIDY, call)}").of_parts(
        error.column,
        error.fault,
        error.remedy.replace(TIDY, call),
        count=error.count,
        first=error.first,
    )


@contextmanager
def naming(paths: Sequence[Path], call: str = TIDY) -> Iterator[None]:
    """Put the files in front of an error that names none of them.

    Faults of a frame, such as a cluster that changes inside an item, show when all files are read.

    Parameters
    ----------
    paths : sequence of Path
        All that were read.
    call : str
        As in `placed`.
    """
    try:
        yield
    except EvalFrameError as error:
        if any(str(path) in str(error) for path in paths):
            raise
        more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
        raise placed(error, f"{paths[0]}{more}", call) from error


def refuse_named_twice(names: Sequence[object], path: Path | None = None) -> None:
    """Refuse columns of one name, which no column of a file can be told by."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise RoleError.of(
            f"{'' if path is None else f'{path}: '}each column must have a name of its own",
            f"columns named twice: {', '.join(map(repr, twice))}",
            "rename one of each",
            column=str(twice[0]),
            count=len(twice),
        )
