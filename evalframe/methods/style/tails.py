"""Where one arm's distances lie among an author's distances to himself."""

from dataclasses import dataclass

import numpy as np

from evalframe.methods.style.subsets import Run, Settings, add_subsets, standard_error
from evalframe.methods.style.textpairs import Floats, Pairs
from evalframe.progress import progress_bar
from evalframe.stats.likeness import (
    exceeding,
    scopes,
)
from evalframe.stats.segments import Ints
from evalframe.stats.wasserstein import (
    Bools,
    distance,
    leave_one_out,
    self_distances,
)

# Fresh pairs of the author's own texts that show how like himself he is.
SELF_PAIRS = 200


class Calibration:
    """An author's distances to himself, worked out once for each metric and size.

    Parameters
    ----------
    train : (N, M) float64
        Metrics of his training texts, in an order that only the texts decide.
    settings : Settings
    """

    def __init__(self, train: Floats, settings: Settings) -> None:
        self.train = train
        self.n_known: Ints = (~np.isnan(train)).sum(axis=0)
        self._settings = settings
        self._own: dict[int, Floats] = {}
        self._fresh: dict[int, Floats] = {}

    def at(self, size: Ints) -> tuple[Floats, Floats]:
        """Return each metric's self-distances at its own size.

        Parameters
        ----------
        size : (M,) int64

        Returns
        -------
        own : (n_calibration, M) float64
            Each column sorted; NaN where fewer than twice `size` texts are known.
        fresh : (200, M) float64
            Those of fresh pairs.
        """
        own = np.full((self._settings.n_calibration, len(size)), np.nan)
        fresh = np.full((SELF_PAIRS, len(size)), np.nan)
        for n in np.unique(size[size > 0]).tolist():
            wanted = size == n
            self._need(n, wanted)
            own[:, wanted] = self._own[n][:, wanted]
            fresh[:, wanted] = self._fresh[n][:, wanted]
        return own, fresh

    def _need(self, n: int, wanted: Bools) -> None:
        """Work out what is not there yet at one size."""
        shape = (self._settings.n_calibration, len(wanted))
        own = self._own.setdefault(n, np.full(shape, np.nan))
        fresh = self._fresh.setdefault(n, np.full((SELF_PAIRS, len(wanted)), np.nan))
        new = np.flatnonzero(wanted & np.isnan(own[0]) & (self.n_known >= 2 * n))
        if len(new):
            of_own, of_fresh, _ = self._settings.streams()
            sizes, train = np.full(len(new), n), self.train[:, new]
            with progress_bar(len(own), "calibration draws") as advance:
                found = self_distances(train, sizes, len(own), of_own, progress=advance)
            own[:, new] = np.sort(found, axis=0)
            fresh[:, new] = self_distances(train, sizes, SELF_PAIRS, of_fresh)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Likeness of one arm in one group. K counts the score, the groups and the metrics.

    Attributes
    ----------
    tail : (K,) float64
    replicates : (U, K) float64 or None
        Tails with each pair left out.
    se : (K,) float64
        Jackknife standard error of each tail's logit.
    own : (200, K) float64
        Tails of the author's fresh pairs.
    distance : (M,) float64
        Mean over runs (and subsets).
    n_items, n_pairs, n_train : (M,) int64
        Items, pairs of all runs and training texts that each metric knows.
    n_most : (M,) int64
        Pairs that each metric knows in the run where it knows most.
    n_training : int
        Training texts.
    constant : (M,) bool
        Metrics that are the same for all texts.
    """

    tail: Floats
    replicates: Floats | None
    se: Floats
    own: Floats
    distance: Floats
    n_items: Ints
    n_pairs: Ints
    n_train: Ints
    n_most: Ints
    n_training: int
    constant: Bools


def outcome(pairs: Pairs, calibration: Calibration, settings: Settings) -> Outcome:
    """Score one arm in one group."""
    everything = np.concatenate([calibration.train, pairs.y, *pairs.x])
    low = np.where(np.isnan(everything), np.inf, everything).min(axis=0, initial=np.inf)
    high = np.where(np.isnan(everything), -np.inf, everything).max(axis=0, initial=-np.inf)
    # Decided once, on all texts: a replicate never changes which metrics count.
    spread = _range(low, high)
    known = ~np.isnan(pairs.x) & ~np.isnan(pairs.y)
    n_known = known.sum(axis=1)
    sizes = np.where(spread > 0, _sizes(n_known, settings.size), 0)
    runs = [
        _one_run(x, pairs.y, size, spread, calibration, settings)
        for x, size in zip(pairs.x, sizes, strict=True)
    ]
    total = settings.n_calibration
    tails = _over_runs(np.stack([run.count for run in runs])[:, None]) / total
    tail = _scopes(tails, settings)[0]
    replicates, se = None, np.full(len(tail), np.nan)
    if settings.jackknife:
        without = _over_runs(np.stack([run.without for run in runs])) / total
        replicates = _scopes(without, settings)
        se = standard_error(replicates, runs, tail, settings)
    most = sizes.max(axis=0, initial=0)
    own, fresh = calibration.at(np.where(np.isnan(tails[0]), 0, most))
    self_tails = [
        exceeding(own[:, m], fresh[:, m], spread[m], settings.ties) for m in range(len(most))
    ]
    return Outcome(
        tail=tail,
        replicates=replicates,
        se=se,
        own=_scopes(np.stack(self_tails, axis=1) / total, settings),
        distance=_over_runs(np.sort([run.distance for run in runs], axis=0)[:, None])[0],
        n_items=known.any(axis=0).sum(axis=0),
        n_pairs=n_known.sum(axis=0),
        n_train=calibration.n_known,
        n_most=n_known.max(axis=0),
        n_training=len(calibration.train),
        constant=spread == 0,
    )


def _range(low: Floats, high: Floats) -> Floats:
    """Return how far each metric's values lie apart, 0 where rounding alone parts them."""
    spread = high - low
    same = spread <= 4 * np.finfo(np.float64).eps * np.maximum(np.abs(low), np.abs(high))
    return np.where(same & np.isfinite(spread), 0.0, spread)


def _scopes(tails: Floats, settings: Settings) -> Floats:
    return scopes(tails, settings.group, settings.n_groups, settings.floor)


def _sizes(n_known: Ints, size: int | None) -> Ints:
    """Return the size at which each metric of each run is compared; 0 where it cannot be."""
    return n_known if size is None else np.where(n_known >= size, size, 0)


def _over_runs(values: Floats) -> Floats:
    """Return the mean over the first axis, NaN left out; NaN where nothing is known."""
    known = ~np.isnan(values)
    n = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def _one_run(
    x: Floats, y: Floats, size: Ints, spread: Floats, calibration: Calibration, settings: Settings
) -> Run:
    """Place the distances of one run, whole and with each pair left out."""
    own, _ = calibration.at(size)
    n, n_metrics = x.shape
    run = Run(
        np.full(n_metrics, np.nan), np.full(n_metrics, np.nan), np.full((n, n_metrics), np.nan), []
    )
    usable = ~np.isnan(own[0])
    known = ~np.isnan(x) & ~np.isnan(y)
    whole = known.sum(axis=0) == size
    for m in np.flatnonzero(usable & whole):
        mine = known[:, m]
        run.distance[m] = distance(x[mine, m], y[mine, m])
        run.count[m] = exceeding(own[:, m], run.distance[[m]], spread[m], settings.ties)[0]
        if settings.jackknife:
            without = leave_one_out(x[mine, m], y[mine, m])
            run.without[:, m] = run.count[m]
            run.without[mine, m] = exceeding(own[:, m], without, spread[m], settings.ties)
    part = np.flatnonzero(usable & ~whole)
    if len(part):
        add_subsets(run, x, y, part, own, spread, settings)
    return run
