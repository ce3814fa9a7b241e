"""Runs of arms of which each is better than the one before: something to draw."""

import numpy as np
import pandas as pd


def runs(arms=("base", "edit", "other"), n=20, **columns):
    """Return n items by each arm; later arms are better."""
    rows = [
        (i, arm, float((i * 7 + 3 * place) % 10 < 3 + 2 * place))
        for place, arm in enumerate(arms)
        for i in range(n)
    ]
    frame = pd.DataFrame(rows, columns=["item_id", "arm", "score"])
    return frame.assign(task=np.where(frame["item_id"] % 2, "odd", "even"), **columns)
