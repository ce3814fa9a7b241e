"""Yardsticks: what the same work costs in plain pandas, with no check of anything."""

import json
import zipfile
from pathlib import Path

import pandas as pd


def groupby_mean(frame: pd.DataFrame) -> pd.Series:
    """Return the bare pandas reduction to item x arm."""
    return frame.groupby(["item_id", "arm"])["score"].mean()


def json_loop(path: Path) -> pd.DataFrame:
    """Return the bare scores of an Inspect log, every sample opened and decoded."""
    rows = []
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.startswith("samples/"):
                sample = json.loads(archive.read(name))
                for scorer, score in sample["scores"].items():
                    rows.append((sample["id"], sample["epoch"], scorer, score["value"]))
    return pd.DataFrame(rows, columns=["item_id", "seed", "metric", "score"])
