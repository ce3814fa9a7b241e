"""evalframe: evaluation records in, numbers one can stand behind out.

Importing it registers ``df.evals`` on pandas DataFrames. Each of its methods is also a function
here: ``df.evals.score()`` is ``evalframe.score(df)``.
"""

from evalframe import plot
from evalframe.accessor import Evals
from evalframe.errors import DesignError, EvalFrameError, FrameError, RecordError, RoleError
from evalframe.floor import exceeds_floor
from evalframe.io.hashing import prompt_hash
from evalframe.io.inspect_ai import read_inspect
from evalframe.io.jsonl import read_jsonl, write_jsonl
from evalframe.io.lm_eval import read_lm_eval
from evalframe.io.parquet import read_parquet, write_parquet
from evalframe.methods.comparisons import compare
from evalframe.methods.components import variance
from evalframe.methods.contrasting import contrasts
from evalframe.methods.controls import adjusted
from evalframe.methods.discordance import mcnemar
from evalframe.methods.faults import check
from evalframe.methods.intraclass import icc
from evalframe.methods.inventory import overview
from evalframe.methods.likeness import voice
from evalframe.methods.passes import pass_at_k, pass_hat_k
from evalframe.methods.permutations import permutation
from evalframe.methods.planning import mde, power, sample_size
from evalframe.methods.pooling import pooled
from evalframe.methods.resampling import bootstrap
from evalframe.methods.scores import score
from evalframe.methods.styles import metrics, style
from evalframe.methods.trust import coverage
from evalframe.report import format_report
from evalframe.tidy import tidy

__all__ = [
    "DesignError",
    "EvalFrameError",
    "Evals",
    "FrameError",
    "RecordError",
    "RoleError",
    "adjusted",
    "bootstrap",
    "check",
    "compare",
    "contrasts",
    "coverage",
    "exceeds_floor",
    "format_report",
    "icc",
    "mcnemar",
    "mde",
    "metrics",
    "overview",
    "pass_at_k",
    "pass_hat_k",
    "permutation",
    "plot",
    "pooled",
    "power",
    "prompt_hash",
    "read_inspect",
    "read_jsonl",
    "read_lm_eval",
    "read_parquet",
    "sample_size",
    "score",
    "style",
    "tidy",
    "variance",
    "voice",
    "write_jsonl",
    "write_parquet",
]
