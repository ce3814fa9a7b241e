"""Scores of arms on the same items, with what makes an item hard in all of them."""

import numpy as np
import pandas as pd


def runs(draw, n=30, arms=("base", "x", "y"), clusters=None):
    """Return scores of arms on the same items."""
    frame = pd.DataFrame(
        {
            "item_id": np.tile(np.arange(n), len(arms)),
            "arm": np.repeat(arms, n),
            "score": draw.normal(size=n * len(arms)) + np.tile(draw.normal(size=n), len(arms)),
        }
    )
    if clusters is not None:
        frame["cluster_id"] = frame["item_id"] % clusters
    return frame
