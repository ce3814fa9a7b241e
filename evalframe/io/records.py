"""The record of the specification: what one line must hold to be read strictly."""

import math
from typing import Any

import pandas as pd

# Each key with the types its value may have. The types are exact: a bool is not an int here.
RECORD: dict[str, tuple[type, ...]] = {
    "item_id": (str,),
    "seed": (int,),
    "arm": (str,),
    "prompt_hash": (str,),
    "output": (str,),
    "score": (int, float),
    "n_output_tokens": (int,),
    "hit_cap": (bool,),
}
OPTIONAL: dict[str, tuple[type, ...]] = {"cluster_id": (str,)}

JSON_NAME = {type(None): "null", dict: "an object", list: "a list"}


def json_name(value: object) -> str:
    """Return how a message names a JSON value."""
    return JSON_NAME.get(type(value), f"the {type(value).__name__} {value!r:.60}")


def check_record(record: dict[str, Any]) -> None:
    """Refuse an object that is not a record of the specification.

    Parameters
    ----------
    record : dict
        One JSON object.

    Raises
    ------
    ValueError
        If a key is missing or unknown, a value has another type, or the score is not finite. The
        message names every fault.
    """
    faults = [f"the key {name!r} is missing" for name in RECORD if name not in record]
    for name, value in record.items():
        types = RECORD.get(name) or OPTIONAL.get(name)
        if types is None:
            faults.append(f"the key {name!r} is not one of a record")
        elif type(value) not in types:
            wanted = " or ".join(kind.__name__ for kind in types)
            faults.append(f"the value of {name!r} is {json_name(value)}, not {wanted}")
        elif type(value) is float and not math.isfinite(value):
            faults.append(f"the value of {name!r} is {value}, not finite")
    if faults:
        raise ValueError("must be a record, found " + ", ".join(faults))


def no_records() -> pd.DataFrame:
    """Return the frame of a file without records: every needed column, no rows."""
    return pd.DataFrame({name: pd.Series([], dtype=types[-1]) for name, types in RECORD.items()})
