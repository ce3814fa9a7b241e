"""Files larger than the memory, reduced to a row an item and arm."""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evalframe import roles
from evalframe.errors import FrameError, RoleError
from evalframe.io.batches import batches, most_rows
from evalframe.io.buckets import Buckets, bucket_of
from evalframe.io.paths import Paths, sources
from evalframe.io.refusals import SCAN, naming
from evalframe.io.row_reader import RowReader
from evalframe.reduced import reduced
from evalframe.roles import COLUMN, MISSING_RUNS


def scan(
    paths: Paths,
    *,
    item: str | None = None,
    arm: str | None = None,
    seed: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    tokens: str | None = None,
    hit_cap: str | None = None,
    prompt_hash: str | None = None,
    value: str | Sequence[str] | None = None,
    by: str | Sequence[str] | None = None,
    value_map: Mapping[Hashable, float] | None = None,
) -> pd.DataFrame:
    """Reduce files of any size to a tidy frame of one row an item and arm, in bounded memory.

    Its means are those of the runs bit for bit, whatever the order of rows and the size of files:
    `score`, `compare`, `mcnemar`, `pairs` and `rank` of the result are those of the frame that
    `read_parquet` or `read_jsonl` would return. Methods that need the single runs (`variance`,
    `pass_at_k`, `icc`, `bradley_terry`, `voice`) refuse it.

    Parameters
    ----------
    paths : path, iterable of paths, or mapping of arm to either
        Parquet or JSON Lines, told by the content; patterns such as ``runs/*.parquet``. A mapping
        (``{"base": "a.parquet"}``) sets the arm of a whole file; otherwise a file without an arm
        column is one arm, named by its stem.
    item, arm, seed, score, cluster, tokens, hit_cap, prompt_hash : str, optional
        The column that plays each role, as in `tidy`.
    value : str or sequence of str, optional
        The columns of numbers to reduce. Default: ``score``, and ``n_output_tokens`` and
        ``hit_cap`` where a file has them.
    by : str or sequence of str, optional
        Columns to keep, as part of the key (tasks, subjects): an item of two groups has a row in
        each.
    value_map : mapping, optional
        What each label of the score column is worth, as in `tidy`.

    Returns
    -------
    DataFrame
        Sorted by `by`, item and arm:

        - the `by` columns, item_id, arm, and cluster_id where there is one
        - seeds : which runs the row is made of ("0..4"), where there are seeds; pairs are compared
          on them
        - prompt_hash : where there is one; a digest where an item's runs have several prompts
        - score and other values : means over the runs (of hit_cap a share), NaN where none has one
        - n_responses, n_missing : runs with and without a score; without a score column, runs and 0
        - n_missing_tokens, n_missing_hit_cap, ... : runs without these, where any lacks one
        - score_sum, tokens_sum, ... : where an item lacks the value in some runs alone, the sum
          over its other runs; NaN elsewhere

    Raises
    ------
    RoleError, FrameError
        As `tidy`: a column is missing, ids are missing or of mixed types, a key (item, arm, seed)
        repeats, a cluster changes inside an item, a grade is text or infinite.
    RecordError
        If a file is neither format, or damaged.
    FileNotFoundError, IsADirectoryError
        If a path is no file.

    Notes
    -----
    Rows are sorted on disk into parts of whole items, and each part is reduced as a frame in memory
    is. That takes a temporary folder (``TMPDIR``) with room for the columns above, some 20 to 100
    bytes a row, and memory for the result, one batch and one part: about 65,000 rows, more in
    files of over 16 million rows, or the runs of one item where these are more.

    ``missing="drop"`` of a comparison pairs single runs. On a scanned frame it leaves out whole
    items, and refuses those of which some runs lack a score or a seed in one arm. Further columns
    of the files are not read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from evalframe import write_parquet
    >>> runs = pd.DataFrame({"item_id": [1, 1, 2, 2], "seed": [0, 1] * 2, "score": [1, 0, 1, 1]})
    >>> with TemporaryDirectory() as folder:
    ...     write_parquet(runs, f"{folder}/base.parquet")
    ...     found = scan(f"{folder}/base.parquet")
    >>> found
       item_id   arm seeds  score  n_responses  n_missing
    0        1  base  0, 1    0.5            2          0
    1        2  base  0, 1    1.0            2          0
    """
    named = {
        "item": item,
        "arm": arm,
        "seed": seed,
        "score": score,
        "cluster": cluster,
        "tokens": tokens,
        "hit_cap": hit_cap,
        "prompt_hash": prompt_hash,
    }
    groups = _names(by)
    reader = RowReader(named, None if value is None else _names(value), groups, value_map)
    found = sources(paths)
    with (
        naming([source.path for source in found], SCAN),
        Buckets(sum(map(most_rows, found))) as buckets,
    ):
        for source in found:
            for batch in batches(source, reader.wanted):
                rows, items = reader.read(batch)
                if len(rows):
                    # A missing id has code -1: the place added last. It is refused with its rows.
                    place = np.append(bucket_of(items.labels, buckets.size), 0)
                    buckets.add(rows, place[items.codes])
        values = reader.values()
        parts = [_reduced(reader.frame(table), values, groups) for table in buckets.tables()]
        # Of files without rows: the columns alone.
        parts = parts or [_reduced(reader.frame(reader.empty), values, groups)]
    return _joined(parts, values, groups)


def _names(names: str | Sequence[str] | None) -> list[str]:
    """Return the columns of an argument as a list; a role's name stands for its column."""
    if names is None:
        return []
    listed = [names] if isinstance(names, str) else list(names)
    wrong = [name for name in listed if not isinstance(name, str)]
    if wrong or len(set(listed)) < len(listed):
        raise RoleError.of(
            "columns must be different names", f"{listed!r}", "name each once", column=""
        )
    return [COLUMN.get(name, name) for name in listed]


def _reduced(frame: pd.DataFrame, values: list[str], by: list[str]) -> pd.DataFrame:
    """Reduce the rows of one bucket; rows have no numbers there that a message could name."""
    try:
        table = reduced(frame, values, by)
        idle = [name for name in _counts(values) if not table[name].fillna(0).any()]
        return table.drop(columns=idle)
    except FrameError as error:
        if error.column == "cluster_id":
            wanted = "column 'cluster_id' must be the same in all rows of an item"
            remedy = "give an item one cluster across arms and seeds"
            found = f"more than one in {error.count:,} item(s) or more"
        else:
            wanted = "(item, arm, seed) must be unique in all files"
            found = f"{error.count:,} rows or more that share theirs with another"
            remedy = (
                "name the column that sets them apart: seed= of repeated runs, by= of tasks, "
                "metrics or filters; or scan each file once"
            )
        raise FrameError.of(
            wanted,
            f"{found}; first: {error.first}",
            remedy,
            column=error.column,
            count=error.count,
            first=error.first,
        ) from error


def _counts(values: list[str]) -> dict[str, float]:
    """Return the columns that are left out where they say nothing, and what that is."""
    counts: dict[str, float] = {roles.missing_column(column): 0 for column in values}
    counts.pop(MISSING_RUNS, None)
    return counts | {roles.sum_column(column): float("nan") for column in values}


def _joined(parts: list[pd.DataFrame], values: list[str], by: list[str]) -> pd.DataFrame:
    """Put the parts together, sorted by their keys."""
    pa.default_memory_pool().release_unused()
    order = _order(parts, [*by, "item_id", "arm"])
    idle = _counts(values)
    names = [str(name) for name in parts[0] if name not in idle]
    names += [name for name in idle if any(name in part for part in parts)]
    columns = {}
    # Column by column, as all of them at once would stand in memory twice.
    for name in names:
        pieces = [
            part.pop(name) if name in part else pd.Series(idle[name], index=part.index)
            for part in parts
        ]
        whole = pd.concat(pieces, ignore_index=True)
        del pieces
        columns[name] = whole.take(order).reset_index(drop=True)
        del whole
    return pd.DataFrame(columns)


def _order(parts: list[pd.DataFrame], keys: list[str]) -> NDArray[np.int64]:
    """Return the order that sorts the rows of all parts; Arrow finds it with little memory."""
    columns = {}
    for name in keys:
        column = pd.concat([part[name] for part in parts], ignore_index=True)
        ordered = isinstance(column.dtype, pd.CategoricalDtype)
        columns[name] = pa.array(column.cat.codes if ordered else column)
    sort_keys = [(name, "ascending") for name in keys]
    order = pc.sort_indices(pa.table(columns), sort_keys).to_numpy()
    return np.asarray(order, dtype=np.int64)
