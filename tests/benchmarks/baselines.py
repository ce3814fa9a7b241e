"""Yardsticks: what the same work costs in plain pandas, with no check of anything."""

import json
import re
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

WORD = re.compile(r"[\w'’-]+")


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


def count_words(texts: list[str]) -> list[Counter[str]]:
    """Return the words of each text with their counts: the least a metric of one text pays."""
    return [Counter(WORD.findall(text.lower())) for text in texts]


def blocked_bootstrap(
    values: np.ndarray, n_boot: int, rng: int, block: int = 1 << 22
) -> np.ndarray:
    """Return percentile limits of the mean from index draws in blocks of bounded memory."""
    generator = np.random.default_rng(rng)
    size = len(values)
    rows = max(1, block // size)
    means = np.empty(n_boot)
    for start in range(0, n_boot, rows):
        stop = min(start + rows, n_boot)
        drawn = generator.integers(0, size, (stop - start, size))
        means[start:stop] = values[drawn].mean(axis=1)
    return np.quantile(means, [0.025, 0.975])


def all_pairs(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return differences and standard errors of all pairs of arms from an item x arm matrix."""
    covariance = np.cov(matrix, rowvar=False) / len(matrix)
    mean = matrix.mean(axis=0)
    variance = np.diag(covariance)
    se = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 0))
    return mean[:, None] - mean[None, :], se
