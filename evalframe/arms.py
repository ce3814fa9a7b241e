"""Which arm of a comparison is the baseline, and which are compared with it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from evalframe.errors import DesignError, short


@dataclass(frozen=True, slots=True)
class Arms:
    """Which arm is the baseline and which are compared with it.

    Attributes
    ----------
    baseline : int
        Code of the baseline.
    others : list of int
        Codes of the K other arms, in order.
    floor : int or None
        Code of the baseline's rerun, which is not among the others.
    """

    baseline: int
    others: list[int]
    floor: int | None


def select_arms(labels: pd.Index, baseline: object, floor: object = None) -> Arms:
    """Find the arms of a comparison among A labels.

    Raises
    ------
    DesignError
        If a label is not among them, or none is left to compare.
    """
    if len(labels) == 0:
        return Arms(0, [], None if floor is None else 0)
    base = arm_code(labels, baseline, "baseline")
    rerun = None if floor is None else arm_code(labels, floor, "floor")
    if rerun == base:
        raise DesignError(
            f"floor must name another run of the baseline, found the baseline {baseline!r} itself; "
            'give its rerun a label of its own, for example "base-rerun"'
        )
    others = [code for code in range(len(labels)) if code not in (base, rerun)]
    if not others:
        raise DesignError(
            f"a comparison needs an arm beside the baseline {baseline!r}"
            f"{'' if rerun is None else f' and its rerun {floor!r}'}, found {_arms_text(labels)}; "
            "put all runs in one frame, for example: "
            "pd.concat([base, edit], ignore_index=True)"
        )
    return Arms(base, others, rerun)


def arm_code(labels: pd.Index, label: object, argument: str) -> int:
    """Return the code of an arm's label.

    Raises
    ------
    DesignError
        If no arm has that label; the message names the argument and lists the arms.
    """
    label = label.item() if isinstance(label, np.generic) else label
    for code, known in enumerate(labels.tolist()):
        # Of one type, so that True is not 1; and a list or frame is never compared with a label.
        if type(known) is type(label) and known == label:
            return code
    raise DesignError(
        f"{argument} must be the label of an arm, found {short(label)}; the frame has "
        f"{_arms_text(labels)}"
    )


def _arms_text(labels: pd.Index) -> str:
    shown = ", ".join(repr(label) for label in labels[:20].tolist())
    return f"{len(labels):,} arm(s): {shown}{', ...' if len(labels) > 20 else ''}"
