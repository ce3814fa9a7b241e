"""evalframe: evaluation records in, numbers one can stand behind out.

Importing it registers ``df.evals`` on pandas DataFrames. Each of its methods is also a function
here: ``df.evals.score()`` is ``evalframe.score(df)``.
"""

from evalframe import plot
from evalframe.accessor import Evals
from evalframe.display import style_table
from evalframe.errors import DesignError, EvalFrameError, FrameError, RecordError, RoleError
from evalframe.floor import exceeds_floor
from evalframe.io.hashing import prompt_hash
from evalframe.io.inspect_ai import read_inspect
from evalframe.io.jsonl import read_jsonl, write_jsonl
from evalframe.io.lm_eval import read_lm_eval
from evalframe.io.parquet import read_parquet, write_parquet
from evalframe.io.scanning import scan
from evalframe.methods.bootstrapping.resampling import bootstrap
from evalframe.methods.comparing.comparisons import compare
from evalframe.methods.comparing.contrasting import contrasts
from evalframe.methods.comparing.discordance import mcnemar
from evalframe.methods.comparing.permutations import permutation
from evalframe.methods.comparing.pooling import pooled
from evalframe.methods.faults import check
from evalframe.methods.games.strengths import bradley_terry
from evalframe.methods.inventory import overview
from evalframe.methods.judging.debiasing import debias
from evalframe.methods.judging.judge_orders import judge_bias
from evalframe.methods.judging.judges import agreement
from evalframe.methods.judging.label_plans import label_plan
from evalframe.methods.judging.raters import krippendorff
from evalframe.methods.noise.components import variance
from evalframe.methods.noise.intraclass import icc
from evalframe.methods.ranking.every_pair import pairs
from evalframe.methods.ranking.leaderboards import rank
from evalframe.methods.scoring.controls import adjusted
from evalframe.methods.scoring.passes import pass_at_k, pass_hat_k
from evalframe.methods.scoring.scores import score
from evalframe.methods.scoring.trust import coverage
from evalframe.methods.sizing.planning import mde, power, sample_size
from evalframe.methods.style.likeness import voice
from evalframe.methods.style.styles import metrics, style
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
    "agreement",
    "bootstrap",
    "bradley_terry",
    "check",
    "compare",
    "contrasts",
    "coverage",
    "debias",
    "exceeds_floor",
    "format_report",
    "icc",
    "judge_bias",
    "krippendorff",
    "label_plan",
    "mcnemar",
    "mde",
    "metrics",
    "overview",
    "pairs",
    "pass_at_k",
    "pass_hat_k",
    "permutation",
    "plot",
    "pooled",
    "power",
    "prompt_hash",
    "rank",
    "read_inspect",
    "read_jsonl",
    "read_lm_eval",
    "read_parquet",
    "sample_size",
    "scan",
    "score",
    "style",
    "style_table",
    "tidy",
    "variance",
    "voice",
    "write_jsonl",
    "write_parquet",
]


def __dir__() -> list[str]:
    """Return what is public, without the files it is made of: what an editor offers."""
    return __all__
