"""How strong is each arm in games against the others? Bradley-Terry and Elo."""

from collections.abc import Sequence

import pandas as pd

from evalframe.arms import select_arms
from evalframe.errors import DesignError, RoleError, short
from evalframe.methods.arguments import (
    MISSING,
    by_columns,
    check_choice,
    check_flag,
    is_finite,
    value_columns,
)
from evalframe.methods.games.matches import Matches, read_games
from evalframe.methods.games.score_games import read_scores
from evalframe.methods.games.strength_fits import ERRORS, PENALTIES, TIE_RULES, Settings
from evalframe.methods.games.strength_rows import rated
from evalframe.roles import GAMES
from evalframe.stats.floor import critical

_COLUMNS = ("arm_a", "arm_b", "winner")


def bradley_terry(
    frame: pd.DataFrame,
    baseline: object = None,
    *,
    arm_a: str | None = None,
    arm_b: str | None = None,
    winner: str | None = None,
    value: str | None = None,
    by: str | Sequence[str] | None = None,
    ties: str = "half",
    side: bool = False,
    penalty: str | None = None,
    errors: str = "robust",
    cluster: bool = True,
    level: float = 0.95,
    anchor: float = 1000.0,
    missing: str = "drop",
) -> pd.DataFrame:
    r"""Bradley-Terry strengths and Elo ratings of arms, from games or from scores of one item.

    Arms that won or lost everything and arms that no game joins have no finite strength: they are
    named. Errors are those of a strength from the mean of all arms; for the error of a difference
    between two arms name one of them as the baseline, errors of two strengths do not add up.

    Parameters
    ----------
    frame : DataFrame
        Rows that are a game each, with two arms and a winner; or tidy runs, where the higher score
        of two arms for the same item and seed wins. Runs are read where `value` is given, or where
        the columns of a game are neither there nor named.
    baseline : label, optional
        The arm that differences are from.
    arm_a, arm_b, winner : str, optional
        Columns of the two arms and of the winner, by default of these names. The winner is, in one
        way in all rows, the label of one of the row's arms; or a side: "a", "b", or the name of
        the arm's column; or the result of `arm_a`: 1, 0.5 or 0. Ties are "tie", "tie (bothbad)",
        "both_bad", "draw". Where two ways fit and disagree, it raises.
    value : str, optional
        The column of scores of tidy runs, by default ``score``.
    by : str or sequence of str, optional
        Columns whose groups are rated apart.
    ties : {"half", "davidson", "drop"}
        A tie is half a win for both; or an end of its own, in Davidson's model; or is left out.
    side : bool, default False
        Estimate what standing first (in `arm_a`) is worth.
    penalty : {"jeffreys"}, optional
        Jeffreys' prior (Firth's correction): strengths are drawn to the mean, by less the more
        games there are, and finite where arms are joined. Standard errors are those of the
        information there, slightly smaller than without; of an arm that won everything they are a
        rough guide.
    errors : {"robust", "model"}
        Sandwich errors over clusters, which also hold for ties as half wins and where strengths
        alone do not explain who wins; or those of the model, for independent games.
    cluster : bool, default True
        Whether to use ``cluster_id`` where the frame has it. Otherwise the games of an
        ``item_id`` are a cluster; without one each game is by itself.
    level : float, default 0.95
        Confidence level.
    anchor : float, default 1000
        The mean Elo rating.
    missing : {"drop", "raise", "zero"}
        Leave out and count games without a winner (of runs, without a score), or refuse them. Of
        runs "raise" also refuses items that one arm lacks, and "zero" counts a missing score as 0.

    Returns
    -------
    DataFrame
        One row an arm (and group):

        - strength, se, conf_low, conf_high : log odds scale, mean 0 over arms
        - elo, elo_low, elo_high : anchor + 400 / ln 10 times the strength
        - diff, diff_se, diff_low, diff_high, p_value : strength less the baseline's, and the test
          that it is 0; NaN without a baseline
        - win_rate : (wins + ties / 2) / n_games
        - side, side_se, side_low, side_high : log odds for standing first; NaN if not asked for
        - tie, tie_se, tie_low, tie_high : log of Davidson's nu; two equal arms tie with chance
          nu / (2 + nu). NaN in other models
        - wins, ties, losses, n_games : games that count, on either side
        - n_missing, n_self : games of the arm without a winner, and against itself: left out
        - n_clusters : that the arm plays in; <NA> where each game is one
        - df : of t, units (clusters or games) of the arm less 1; inf with errors of the model
        - level, unit, errors, tie_rule, penalty, note

    Raises
    ------
    DesignError
        If no arm has a strength (the message says why), or arms answered different prompts.
    RoleError, FrameError, ValueError
        As in `compare`; or if a winner cannot be read.

    See Also
    --------
    pairs : Differences of scores, of every two arms.
    judge_bias : Whether the judge of these games prefers the answer it saw first.

    Notes
    -----
    .. math:: \log \frac{P(i \text{ beats } j)}{P(j \text{ beats } i)} = \beta_i - \beta_j + \delta

    with the side effect :math:`\delta` for the arm that stands first [1]_. The sandwich is
    :math:`G/(G-1) \, I^{-1} (\sum_g u_g u_g^\top) I^{-1}` over G clusters; where arms are separated
    and a penalty makes them finite it would be far too small, and the model's errors are given.
    Games are reduced to an arm x arm table once; the fit costs the same for any number of them.

    References
    ----------
    .. [1] Bradley and Terry (1952), Rank analysis of incomplete block designs: I. The method of
       paired comparisons, Biometrika 39(3/4), 324-345, doi:10.2307/2334029.
    .. [2] Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired
       comparison experiments, J. American Statistical Association 65(329), 317-328,
       doi:10.1080/01621459.1970.10481082.
    .. [3] Chiang et al. (2024), Chatbot Arena: an open platform for evaluating LLMs by human
       preference, arXiv:2403.04132.

    Examples
    --------
    >>> games = pd.DataFrame({
    ...     "model_a": ["x", "x", "y", "z", "z", "x", "y", "z"],
    ...     "model_b": ["y", "y", "x", "x", "y", "z", "z", "y"],
    ...     "winner": ["x", "x", "y", "x", "y", "z", "z", "tie"],
    ... })
    >>> found = bradley_terry(games, "z", arm_a="model_a", arm_b="model_b")
    >>> found[["arm", "strength", "se", "elo", "diff", "diff_se", "wins", "losses"]].round(2)
      arm  strength    se      elo  diff  diff_se  wins  losses
    0   x      0.26  0.65  1044.82  0.29     1.13     3       2
    1   y     -0.23  0.53   960.83 -0.19     0.92     2       3
    2   z     -0.03  0.60   994.35   NaN      NaN     2       2
    """
    critical(level)
    check_choice("ties", ties, TIE_RULES)
    check_choice("errors", errors, ERRORS)
    check_flag("side", side)
    check_flag("cluster", cluster)
    check_choice("missing", missing, MISSING)
    _check_numbers(penalty, anchor)
    groups = by_columns(by, "bradley_terry")
    named = {"arm_a": arm_a, "arm_b": arm_b, "winner": winner}
    names = _game_columns(frame, named, value)
    if names is not None and missing == "zero":
        raise ValueError('missing="zero" is for scores: a game without a winner has none')
    if names is None:
        if side:
            raise ValueError("side=True needs rows that are games: scores of an item have no sides")
        column = _one_column(value, frame)
        matches = read_scores(frame, column, groups, cluster=cluster, missing=missing)
    else:
        matches = read_games(frame, names, groups, cluster=cluster, missing=missing)
    settings = Settings(ties, side, penalty, errors)
    base = None if baseline is None else select_arms(matches.arms, baseline).baseline
    _check_games(matches)
    provenance = {
        "rows": "scores" if names is None else "games",
        "columns": [column] if names is None else list(names),
        "by": groups,
        "baseline": baseline,
        "ties": ties,
        "side": side,
        "penalty": penalty,
        "errors": errors,
        "cluster": cluster,
        "level": level,
        "anchor": float(anchor),
        "missing": missing,
    }
    return rated(matches, settings, base, provenance)


def _one_column(value: str | None, frame: pd.DataFrame) -> str:
    """Return the column of scores."""
    columns = value_columns("score" if value is None else value, frame)
    if len(columns) > 1:
        raise RoleError(f"value must name one column, found {columns!r}")
    return columns[0]


def _check_numbers(penalty: str | None, anchor: float) -> None:
    if penalty is not None:
        check_choice("penalty", penalty, PENALTIES)
    if not is_finite(anchor):
        raise ValueError(f"anchor must be a finite number, not {short(anchor)}")


def _game_columns(
    frame: pd.DataFrame, named: dict[str, str | None], value: str | None
) -> tuple[str, str, str] | None:
    """Return the columns of a game, or None where rows are runs."""
    given = [name for name, column in named.items() if column is not None]
    if value is not None:
        if given:
            raise ValueError(
                f"value is for tidy runs and {', '.join(given)} for rows that are games; give one"
            )
        return None
    for name in given:
        if not isinstance(named[name], str):
            raise RoleError(f"{name} must be the name of a column, found {named[name]!r}")
    there = set(getattr(frame, "columns", []))
    runs = {"arm", "item_id"} <= there or not any(set(pair) & there for pair in (_COLUMNS, *GAMES))
    if not given and runs and not set(_COLUMNS) <= there:
        return None
    arm_a, arm_b, winner = (named[name] or name for name in _COLUMNS)
    return arm_a, arm_b, winner


def _check_games(matches: Matches) -> None:
    """Refuse rows in which no two arms met."""
    played = matches.first != matches.second
    if len(played) + len(matches.lone) and not (played & (matches.outcome >= 0)).any():
        n_self, n = int((~played).sum()), len(played)
        raise DesignError(
            "strengths need games between two arms with a winner, found none: "
            f"{n:,} game(s), {n_self:,} of an arm with itself, "
            f"{int((played & (matches.outcome < 0)).sum()):,} without a winner, and "
            f"{len(matches.lone):,} score(s) of an item that no other arm has; put all arms in one "
            "frame, and name the columns: df.evals.bradley_terry(arm_a=..., arm_b=..., winner=...)"
        )
