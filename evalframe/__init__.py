"""evalframe: evaluation records in, numbers one can stand behind out.

Importing it registers ``df.evals`` on pandas DataFrames. Each of its methods is also a function
here: ``df.evals.score()`` is ``evalframe.score(df)``.
"""

from evalframe.accessor import Evals
from evalframe.errors import DesignError, EvalFrameError, FrameError, RecordError, RoleError
from evalframe.methods.comparisons import compare
from evalframe.methods.discordance import mcnemar
from evalframe.methods.scores import score
from evalframe.tidy import tidy

__all__ = [
    "DesignError",
    "EvalFrameError",
    "Evals",
    "FrameError",
    "RecordError",
    "RoleError",
    "compare",
    "mcnemar",
    "score",
    "tidy",
]
