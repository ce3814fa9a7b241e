"""evalframe: evaluation records in, numbers one can stand behind out.

Importing it registers ``df.evals`` on pandas DataFrames. Each of its methods is also a function
here: ``df.evals.score()`` is ``evalframe.score(df)``.
"""

from evalframe.accessor import Evals
from evalframe.errors import DesignError, EvalFrameError, FrameError, RecordError, RoleError
from evalframe.floor import exceeds_floor
from evalframe.io.hashing import prompt_hash
from evalframe.io.inspect_ai import read_inspect
from evalframe.io.jsonl import read_jsonl, write_jsonl
from evalframe.io.lm_eval import read_lm_eval
from evalframe.io.parquet import read_parquet, write_parquet
from evalframe.methods.comparisons import compare
from evalframe.methods.discordance import mcnemar
from evalframe.methods.likeness import voice
from evalframe.methods.scores import score
from evalframe.methods.styles import metrics, style
from evalframe.report import format_report
from evalframe.tidy import tidy

__all__ = [
    "DesignError",
    "EvalFrameError",
    "Evals",
    "FrameError",
    "RecordError",
    "RoleError",
    "compare",
    "exceeds_floor",
    "format_report",
    "mcnemar",
    "metrics",
    "prompt_hash",
    "read_inspect",
    "read_jsonl",
    "read_lm_eval",
    "read_parquet",
    "score",
    "style",
    "tidy",
    "voice",
    "write_jsonl",
    "write_parquet",
]
