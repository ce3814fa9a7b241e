"""Which column plays which part in an evaluation.

A role has one canonical column. Frames that name it otherwise are renamed once, with
``df.evals.tidy(item="question_id")``, and every method then reads the canonical names.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from evalframe.errors import RoleError


@dataclass(frozen=True, slots=True)
class Role:
    """One part that a column can play.

    Attributes
    ----------
    name : str
        The name of the role, which is also the argument of ``tidy`` that sets it.
    column : str
        The canonical column.
    meaning : str
        What the column holds, as error messages say it.
    """

    name: str
    column: str
    meaning: str


ROLES = (
    Role("item", "item_id", "one question; the unit that was sampled"),
    Role("arm", "arm", "the system under test: a model, a prompt or a setting"),
    Role("seed", "seed", "a repeated run of an item by an arm"),
    Role("score", "score", "the grade, higher is better; 0 or 1 for McNemar"),
    Role("cluster", "cluster_id", "what dependent items share: a passage, a task family"),
    Role("tokens", "n_output_tokens", "the length of the output"),
    Role("hit_cap", "hit_cap", "whether the output stopped at the length cap"),
    Role("prompt_hash", "prompt_hash", "SHA-256 hex digest of the UTF-8 prompt"),
    Role("text", "output", "what the arm wrote"),
    Role("split", "split", '"train" or "eval" rows of the reference author'),
)

COLUMN = {role.name: role.column for role in ROLES}
METRIC = {role.column: role.name for role in ROLES}

# The columns of a reduced frame, in which a row is the mean over an item's runs by an arm: how many
# of the runs have a score and how many have none, and which runs they are.
RUNS = "n_responses"
MISSING_RUNS = "n_missing"
SEEDS = "seeds"


# The columns that together tell a frame of Inspect's samples_df() from any other.
SAMPLES_DF = ("sample_id", "eval_id", "id", "epoch", "model_usage")

# The two arms of a game, as tables of games name them.
GAMES = (("arm_a", "arm_b"), ("model_a", "model_b"), ("left", "right"), ("player_a", "player_b"))


def has_arms(columns: Iterable[str]) -> bool:
    """Say whether rows name their arm, or the two arms of a game."""
    names = set(columns)
    return "arm" in names or any(names.issuperset(pair) for pair in GAMES[:2])


def missing_column(column: str) -> str:
    """Return the column of a reduced frame that counts the runs without a value of another."""
    return MISSING_RUNS if column == COLUMN["score"] else f"{MISSING_RUNS}_{metric_name(column)}"


def sum_column(column: str) -> str:
    """Return the column of a reduced frame that holds the sum of another over the runs."""
    return f"{metric_name(column)}_sum"


def metric_name(column: str) -> str:
    """Return the name of a column in results: its role's name where it plays one."""
    return METRIC.get(column, column)


def check_names(frame: pd.DataFrame) -> None:
    """Refuse column labels under which a column could not be told from another."""
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"wanted a DataFrame of evaluation records, found {type(frame).__name__}")
    if isinstance(frame.columns, pd.MultiIndex):
        first = f" (first column: {frame.columns[0]!r})" if len(frame.columns) else ""
        raise RoleError.of(
            "column names must be plain",
            f"{frame.columns.nlevels} levels{first}",
            "flatten them first, for example: "
            "df.columns = ['_'.join(map(str, name)) for name in df.columns]",
            column="",
            count=len(frame.columns),
        )
    if not frame.columns.is_unique:
        twice = sorted({str(name) for name in frame.columns[frame.columns.duplicated()]})
        raise RoleError.of(
            "column names must be unique",
            f"more than one of: {', '.join(map(repr, twice))}",
            "rename or drop the others, for example: df.loc[:, ~df.columns.duplicated()]",
            column=twice[0],
            count=len(twice),
        )


def rename(frame: pd.DataFrame, named: Mapping[str, str | None]) -> pd.DataFrame:
    """Return the frame with the named columns under their roles' canonical names.

    Parameters
    ----------
    frame : DataFrame
        Not changed.
    named : mapping of role to column or None
        None leaves the role to its canonical column.

    Raises
    ------
    RoleError
        If a named column is missing, plays two roles, or would hide a column that already has the
        canonical name.
    """
    check_names(frame)
    chosen = {role: column for role, column in named.items() if column is not None}
    for role, column in chosen.items():
        if not isinstance(column, str):
            raise RoleError(
                f"{role} must be the name of a column, found {column!r}; for example "
                f'df.evals.tidy({role}="YOUR_COLUMN")'
            )
    need(frame, chosen, call="tidy")
    by_column: dict[str, str] = {}
    for role, column in chosen.items():
        if column in by_column:
            raise RoleError(
                f"one column cannot play two roles: {column!r} is named as {by_column[column]} "
                f"and as {role}; copy it first, for example: "
                f"df.assign({COLUMN[role]}=df[{column!r}])"
            )
        by_column[column] = role
        taken = COLUMN[role]
        if column != taken and taken in frame.columns and taken not in chosen.values():
            raise RoleError(
                f"{role}={column!r} would become the column {taken!r}, which the frame already "
                f"has; drop or rename that one first, for example: df.drop(columns={taken!r})"
            )
    return frame.rename(columns={column: COLUMN[role] for role, column in chosen.items()})


def need(frame: pd.DataFrame, wanted: Mapping[str, str], *, call: str = "method") -> None:
    """Raise one RoleError that names every wanted column which the frame does not have.

    Parameters
    ----------
    frame : DataFrame
    wanted : mapping of role (or argument) to column
    call : {"method", "tidy"}
        Where the columns were named, so that the remedy fits.
    """
    for role, column in wanted.items():
        if not isinstance(column, str):
            raise RoleError(f"{role} must be the name of a column, found {column!r}")
    missing = {role: column for role, column in wanted.items() if column not in frame.columns}
    if not missing:
        return
    names = [str(column) for column in frame.columns]
    close = {role: _closest(role, column, names) for role, column in missing.items()}
    lines = []
    for role, column in missing.items():
        meaning = next((f" ({r.meaning})" for r in ROLES if r.name == role), "")
        hint = f"; did you mean {close[role]!r}?" if close[role] else ""
        lines.append(f"no column {column!r}{meaning}{hint}")
    has = f"The frame has: {', '.join(names) if names else 'no columns'}."
    remedy = _remedy(missing, close, call, names)
    if "item" in missing and "evalframe" in frame.attrs:
        made = frame.attrs["evalframe"].get("table", "a method")
        remedy = f"This is a result of {made}, not the runs that it was made from: give it those."
    title = f"{len(missing)} needed column{'s' if len(missing) > 1 else ''} not found:"
    listed = [f"  - {role}: {line}" for role, line in zip(missing, lines, strict=True)]
    raise RoleError("\n".join([title, *listed, has, remedy])).of_parts(
        next(iter(missing.values())), "; ".join(lines), remedy, count=len(missing)
    )


def _closest(role: str, column: str, names: Iterable[str]) -> str | None:
    """Return the frame's column that was probably meant."""
    pool = list(names)
    for wanted in (column, role):
        found = difflib.get_close_matches(wanted, pool, n=1, cutoff=0.7)
        if found:
            return found[0]
    return next((name for name in pool if role in name.lower().split("_")), None)


def samples_df_call(columns: Iterable[str]) -> str:
    """Return how a frame of Inspect's samples_df() is made tidy."""
    scores = [name for name in columns if name.startswith("score_")]
    score = scores[0] if len(scores) == 1 else "score_..."
    return (
        f'df.evals.tidy(item="id", seed="epoch", arm="eval_id", score="{score}", '
        'value_map={"C": 1, "I": 0})'
    )


def _remedy(
    missing: Mapping[str, str], close: Mapping[str, str | None], call: str, names: Sequence[str]
) -> str:
    """Say what to type."""
    if call == "tidy":
        return "Give each role the name of a column the frame has."
    roles = [role for role in missing if role in COLUMN]
    if not roles:
        return "Name a column the frame has."
    if "item" in roles and set(SAMPLES_DF) <= set(names):
        return f"This is a frame of Inspect's samples_df(): {samples_df_call(names)}."
    named = ", ".join(f'{role}="{close[role] or "YOUR_COLUMN"}"' for role in roles)
    text = f"Name them once, for example: df.evals.tidy({named})."
    if "item" in roles and close["item"] is None:
        text += ' If each row is an item of its own: df.reset_index(names="item_id").'
    return text
