"""How alike in style are an arm's texts and an author's? Distances placed on a scale."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd

from evalframe import results
from evalframe.errors import DesignError
from evalframe.methods.arguments import by_columns, check_choice, check_count
from evalframe.methods.style.author import Ints, Sides, read_sides
from evalframe.methods.style.likeness_rows import Labels, replicate_rows, voice_rows
from evalframe.methods.style.metric_choice import Metric, columns_read, measure, resolve
from evalframe.methods.style.subsets import Settings
from evalframe.methods.style.tails import Calibration, outcome
from evalframe.methods.style.textpairs import Pairs, Texts, all_pairs, by_group, training_rows
from evalframe.progress import progress_bar
from evalframe.rng import draw_seed
from evalframe.stats.floor import critical

INTERVALS = ("jackknife", "jackknife_se")
TIES = ("strict", "mid")
MISSING_PAIRS = ("raise", "drop")


def voice(
    frame: pd.DataFrame,
    reference: object,
    *,
    metrics: str
    | Mapping[str, Callable[[str], float]]
    | Sequence[str | Mapping[str, Callable[[str], float]]]
    | None = None,
    by: str | Sequence[str] | None = None,
    level: float | Sequence[float] = 0.90,
    interval: str | None = "jackknife",
    floor: float = 1e-3,
    n_calibration: int = 1_000,
    rng: int | np.random.Generator | None = 0,
    size: int | None = None,
    n_subsets: int = 1_000,
    ties: str = "strict",
    missing: str = "raise",
    replicates: bool = False,
) -> pd.DataFrame:
    r"""Likeness in style of each arm's texts to an author's, above 0 and up to 1.

    Arms and author answered the same items, so a difference between their texts is one of style.
    Each metric of style turns texts into numbers; the Wasserstein distance between an arm's and
    the author's is placed among distances of the author to himself, drawn from his training texts
    at the same number of texts. A metric's *tail* is the share of those that exceed it. Tails are
    averaged in each group of metrics, and the score is the geometric mean of the groups.

    Parameters
    ----------
    frame : DataFrame
        Tidy runs: ``item_id``, ``arm``, ``output``, and ``seed`` where an item was run repeatedly.
    reference : label or DataFrame
        The arm that is the author, or his texts as a frame of their own (with the columns of `by`).
        His rows with ``split`` "train" calibrate and those with "eval" are paired; without a
        ``split`` column, the items that no arm answered calibrate. Rows of an arm with ``split``
        "train" are not scored.
    metrics : str, mapping, or sequence of them, optional
        Groups or metrics by name, columns of the frame, or own functions of a text as
        ``{"group.name": function}``. Default: the 69 default metrics. See `style`.
    by : str or sequence of str, optional
        Columns whose groups are scored apart, each with its own training texts.
    level : float or sequence of float, default 0.9
        Level of the limits; a sequence gives one block of rows for each.
    interval : {"jackknife", "jackknife_se"} or None
        "jackknife" shows how far any one pair moves a tail: quantiles of the tails with each pair
        left out. As a confidence interval it is far too narrow. "jackknife_se" is one: a normal
        interval for the tail's logit with the jackknife standard error. None leaves limits NaN and
        saves most of the time.
    floor : float, default 0.001
        What a group's tail counts for at least in the score.
    n_calibration : int, default 1_000
        Distances of the author to himself.
    rng : int, Generator or None, default 0
        Where draws come from. None takes a fresh seed and records it in ``attrs``.
    size : int, optional
        Average tails over random subsets of so many pairs, calibrated at that size. Scores at one
        size compare whatever the number of items; without it, a score falls as items are added.
    n_subsets : int, default 1_000
        Subsets for `size`.
    ties : {"strict", "mid"}
        Whether a self-distance equal to the one found (within 1e-12 of the metric's range) counts
        as none or as half. "mid" suits metrics that are 0 in most texts.
    missing : {"raise", "drop"}
        Whether items (or runs of them) without a partner are refused, or left out and counted. A
        missing text is always left out and counted.
    replicates : bool, default False
        Return the tails with each item left out, in place of the result: one row an arm, scope and
        ``item_id`` with the ``tail`` without that item.

    Returns
    -------
    DataFrame
        For each arm (and group of `by`) one row of scope "overall", one a group, one a metric:

        - distance : of a metric, in its units; mean over runs and subsets
        - tail : share of self-distances that exceed it; of the overall row, the score
        - conf_low, conf_high : limits, as `interval` says
        - self_tail, self_low, self_high : mean, 5% and 95% quantile of the tail of 200 fresh pairs
          of subsets of the author's own training texts: a perfect imitator scores about
          self_tail, not 1
        - n_items, n_dropped : items compared; completions and references left out
        - n_train, n_calibration, size, level, interval, note

    Raises
    ------
    RoleError, FrameError
        If a column is missing, or its values or keys are not what its role needs.
    DesignError
        If the author is not there, items are unpaired or their ``prompt_hash`` differs, or there
        are too few training texts for two disjoint subsets.
    ValueError
        If an argument is not one of its choices.

    Notes
    -----
    With several runs of an item (``seed``), a metric's tail is the mean over runs of the run's
    tail, and the jackknife leaves out an item. A metric that is the same for all texts is left out
    of its group, a group without metrics of the score; their notes say so. A value that a metric
    does not have (NaN) drops that pair for that metric alone, which is then calibrated at its own
    number of pairs. Draws are shared by all metrics and arms; texts are sorted before they are
    drawn, or where no metric reads a text, by the metrics' values.

    The score places a distance on a scale; it decides nothing, and no value of it is a boundary.
    For the same imperfect imitator it falls as items are added, because the author's distances to
    himself shrink; `size` holds it still. As an interval for the mean score of repeated studies of
    the same size, "jackknife" at 90% covered 7 to 27% of the time, "jackknife_se" 89 to 99%. With
    `size`, the chance of the subsets drawn and the score's jackknife bias are taken out of it.

    References
    ----------
    .. [1] Ramdas, Garcia Trillos and Cuturi (2017), On Wasserstein two-sample testing and related
           families of nonparametric tests, Entropy 19(2): 47. The distance.
    .. [2] Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 11. The jackknife.

    Examples
    --------
    The author wrote 60 texts; two models answered the first 20 items, one just like him.

    >>> author = pd.DataFrame({"item_id": range(60), "arm": "author"})
    >>> author["output"] = ["Oh! " * (i % 3) + "Yes, it is. " * (i % 4 + 1) for i in range(60)]
    >>> alike = author[:20].assign(arm="alike", output=author["output"][:20])
    >>> terse = author[:20].assign(arm="terse", output="Yes. Oh!")
    >>> frame = pd.concat([author, alike, terse], ignore_index=True)
    >>> result = voice(frame, "author", metrics=["text_length.log_words", "word_length.mean"])
    >>> result.loc[result["scope"] != "metric", ["arm", "scope", "group", "tail"]]
         arm    scope        group   tail
    0  alike  overall               1.000
    1  alike    group  text_length  1.000
    2  alike    group  word_length  1.000
    5  terse  overall               0.001
    6  terse    group  text_length  0.000
    7  terse    group  word_length  0.000
    """
    levels = _levels(level)
    _check(interval, floor, n_calibration, n_subsets, size, ties, missing, replicates)
    groups = by_columns(by, "voice")
    chosen = resolve(metrics, frame)
    sides = read_sides(frame, reference, groups, columns_read(chosen))
    texts = _texts(sides, chosen)
    pairs = all_pairs(sides, texts, missing)
    labels = Labels([metric.group for metric in chosen], [metric.name for metric in chosen])
    settings = Settings(
        group=labels.codes(),
        n_groups=len(labels.groups),
        n_calibration=int(n_calibration),
        n_subsets=int(n_subsets),
        seed=draw_seed(rng),
        size=None if size is None else int(size),
        ties=ties,
        floor=float(floor),
        jackknife=interval is not None,
    )
    train = [training_rows(sides, texts, rows) for _, rows in by_group(sides)]
    _refuse_few(sides, pairs, train, settings.size)
    calibrations = [Calibration(texts.values[rows], settings) for rows in train]
    outcomes = [outcome(pair, calibrations[pair.group], settings) for pair in pairs]
    provenance = {
        "metrics": labels.metrics,
        "by": groups,
        "reference": results.plain(sides.reference),
        "level": levels,
        "interval": interval,
        "floor": settings.floor,
        "n_calibration": settings.n_calibration,
        "rng": settings.seed,
        "size": settings.size,
        "n_subsets": settings.n_subsets,
        "ties": ties,
        "missing": missing,
    }
    if replicates:
        return replicate_rows(sides, pairs, outcomes, labels, provenance)
    return voice_rows(sides, pairs, outcomes, labels, settings, provenance)


def _levels(level: float | Sequence[float]) -> list[float]:
    """Return the levels asked for, each checked."""
    levels = list(level) if isinstance(level, Sequence | np.ndarray | pd.Series) else [level]
    levels = [level] if isinstance(level, str) else levels
    if not levels:
        raise ValueError("level must name at least one confidence level, for example level=0.90")
    for one in levels:
        critical(one)
    return [float(one) for one in levels]


def _check(
    interval: str | None,
    floor: float,
    n_calibration: int,
    n_subsets: int,
    size: int | None,
    ties: str,
    missing: str,
    replicates: bool,
) -> None:
    """Raise ValueError for an argument that is not one of its choices."""
    if interval is not None:
        check_choice("interval", interval, INTERVALS)
    check_choice("ties", ties, TIES)
    check_choice("missing", missing, MISSING_PAIRS)
    check_count("n_calibration", n_calibration, 1)
    check_count("n_subsets", n_subsets, 2)
    if size is not None:
        check_count("size", size, 1)
    if not isinstance(floor, int | float | np.number) or not 0 < floor < 1:
        raise ValueError(f"floor must lie between 0 and 1, not {floor!r}; for example floor=1e-3")
    if not isinstance(replicates, bool):
        raise ValueError(f"replicates must be True or False, not {replicates!r}")
    if replicates and interval is None:
        raise ValueError(
            "replicates=True returns the tails with each item left out, which interval=None skips; "
            f"choose one of {', '.join(map(repr, INTERVALS))}"
        )


def _texts(sides: Sides, chosen: Sequence[Metric]) -> Texts:
    """Measure every text, and say where there is none."""
    with progress_bar(len(sides.rows), "texts") as advance:
        values = measure(sides.rows, chosen, progress=advance)
    if "output" not in columns_read(chosen):
        n = len(values)
        return Texts(values, np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.int64))
    texts = sides.rows["output"].astype(object)
    known = texts.notna().to_numpy()
    # Sorted as Python text, so that the order does not depend on how the column is stored.
    rank = pd.factorize(texts.where(known, None).to_numpy(), sort=True)[0]
    return Texts(values, known, rank.astype(np.int64))


def _refuse_few(
    sides: Sides, pairs: Sequence[Pairs], train: Sequence[Ints], size: int | None
) -> None:
    """Raise where two disjoint subsets cannot be drawn, or no subset of pairs."""
    for pair in pairs:
        n_train, n = len(train[pair.group]), pair.n_most
        arm = f"arm {sides.arms[pair.arm]!r}{_group_text(sides, pair.group)}"
        if size is not None and n < size:
            raise DesignError(
                f"size={size:,} averages over subsets of {size:,} pairs, found {n:,} pairs for "
                f"{arm}; lower it, for example: size={max(n // 2, 1)}"
            )
        wanted = n if size is None else size
        if n_train < 2 * wanted:
            few = f"size={n_train // 2}" if n_train > 1 else 'more texts with split "train"'
            raise DesignError(
                f"calibration draws two disjoint subsets of {wanted:,} from the training texts of "
                f"{sides.reference!r}, which takes {2 * wanted:,}, found {n_train:,} for {arm}; "
                + (f"compare smaller subsets, with {few} or less" if n_train > 1 else f"add {few}")
            )


def _group_text(sides: Sides, group: int) -> str:
    """Say which group of `by` it is."""
    labels = sides.by.iloc[group]
    return "".join(f", {name}={results.plain(label)!r}" for name, label in labels.items())
