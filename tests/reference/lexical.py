"""Make lexical.json: measures of vocabulary by lexicalrichness, on the same words.

Run by hand with lexicalrichness installed: python tests/reference/lexical.py
"""

import json
import re
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from lexicalrichness import LexicalRichness

HERE = Path(__file__).parent


def case(words: list[str]) -> dict[str, object]:
    found = LexicalRichness(words, preprocessor=None, tokenizer=None)
    return {
        "words": " ".join(words),
        "values": {
            "vocabulary.mattr50": found.mattr(50),
            "vocabulary.mtld": found.mtld(0.72),
            "vocabulary.hdd42": found.hdd(42),
            "vocabulary.yule_k": found.yulek,
            "vocabulary.herdan_c": found.Herdan,
            "vocabulary.maas_a2": found.Maas,
            "vocabulary.ttr": found.ttr,
            "vocabulary.guiraud_r": found.rttr,
        },
    }


def main() -> None:
    texts = pd.read_parquet(HERE.parents[1] / "data" / "authors.parquet")["output"]
    words = [re.findall("[a-z]+", text.lower()) for text in texts[::60]]
    # The last is long, and one holds the same few words over and over.
    words = [one for one in words if len(one) >= 50]
    words += [words[0][:7] * 30, [word for one in words for word in one]]
    made_by = f"lexicalrichness {version('lexicalrichness')} on the words as given; lexical.py"
    cases = {"made_by": made_by, "cases": [case(one) for one in words]}
    (HERE / "lexical.json").write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main()
