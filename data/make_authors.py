"""Write authors.parquet: passages of three authors as a frame that `df.evals.voice` takes.

Usage: python make_authors.py [FOLDER [TEXTS]]. FOLDER is this file's own folder unless given. TEXTS
is a Parquet file with a passage a row and the columns author, source and text; unless given, the
passages are read back from authors.parquet beside this file, which holds them unchanged.
"""

import hashlib
import sys
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
N_EVAL = 100


def passages(path: Path) -> pd.DataFrame:
    """Return arm, output and source of each passage, in the order of the file."""
    names = {"author": "arm", "text": "output"}
    return pd.read_parquet(path).rename(columns=names)[["arm", "output", "source"]]


def ready(frame: pd.DataFrame) -> pd.DataFrame:
    """Give each passage its split and its item.

    Of each author the 100 passages whose texts have the smallest SHA-256 are to be compared, the
    others are for training: a draw that nobody chose and everybody can repeat. The first of them
    in the order of the file is item e001 whoever wrote it, the second e002; no two training
    passages share an item.
    """
    digest = frame["output"].map(lambda text: hashlib.sha256(text.encode()).hexdigest())
    compared = digest.groupby(frame["arm"]).rank() <= N_EVAL
    number = frame.groupby(["arm", compared]).cumcount() + 1
    eval_items = number.map("e{:03d}".format)
    train_items = (~compared).cumsum().map("t{:04d}".format)
    return pd.DataFrame(
        {
            "item_id": eval_items.where(compared, train_items),
            "arm": frame["arm"],
            "split": compared.map({True: "eval", False: "train"}),
            "output": frame["output"],
            "source": frame["source"],
        }
    )


def main(folder: Path, texts: Path) -> None:
    """Write the file."""
    frame = ready(passages(texts))
    frame.to_parquet(
        folder / "authors.parquet", index=False, compression="zstd", compression_level=19
    )


if __name__ == "__main__":
    main(
        Path(sys.argv[1]) if len(sys.argv) > 1 else HERE,
        Path(sys.argv[2]) if len(sys.argv) > 2 else HERE / "authors.parquet",
    )
