"""Files of one evaluation read as frames whose arms have different labels."""

from collections import Counter
from collections.abc import Hashable, Sequence

import pandas as pd
from pandas.api.types import is_hashable

from evalframe.errors import DesignError, RecordError
from evalframe.io.jsonl import read_jsonl
from evalframe.io.parquet import read_parquet
from evalframe.io.paths import Source, sources

PARQUET = (".parquet", ".pq")


def read_arms(paths: Sequence[str]) -> list[pd.DataFrame]:
    """Read files whose arms have different labels: a label that two files carry becomes a name.

    A rerun of an arm carries its label. It is another arm here, called after its file.
    """
    found = sources(paths)
    frames = [_read(source) for source in found]
    for source, frame in zip(found, frames, strict=True):
        if len(frame) == 0:
            raise RecordError(f"{source.path} must hold records, found none; leave it out")
    carried = Counter(label for frame in frames for label in arm_labels(frame))
    for place, (source, frame) in enumerate(zip(found, frames, strict=True)):
        labels = arm_labels(frame)
        shared = [label for label in labels if carried[label] > 1]
        if shared and len(labels) > 1:
            raise DesignError(
                f"{source.path} holds {len(labels):,} arms, of which {shared[0]!r} is in another "
                "file too; leave one of the two out"
            )
        if shared:
            frames[place] = frame.assign(arm=source.stem)
    return frames


def arm_labels(frame: pd.DataFrame) -> list[Hashable]:
    """Return the labels of a file's arms; what no label can be is left to the methods."""
    return list(dict.fromkeys(filter(is_hashable, frame["arm"].tolist())))


def _read(source: Source) -> pd.DataFrame:
    if source.path.suffix.lower() in PARQUET:
        return read_parquet(source.path)
    return read_jsonl(source.path)
