"""Every error that evalframe raises about its input.

All of them are ValueErrors, as the specification asks, so ``except ValueError`` catches every one.
None derives from KeyError, which prints its message quoted and with line breaks escaped.
"""


class EvalFrameError(ValueError):
    """Something about the input is not as evalframe needs it; the message says what to type."""


class RoleError(EvalFrameError):
    """A column is missing, named twice, or plays a part it cannot play."""


class FrameError(EvalFrameError):
    """The values of a column are not what its role needs."""


class DesignError(EvalFrameError):
    """The evaluation has too few items or arms, or its arms are not paired."""


class RecordError(EvalFrameError):
    """A file cannot be read as records; the message names the file and the line."""
