"""Every metric of a text, one text and one word at a time: slow, and near to its formula.

Nothing here is shared with the package but the word lists and the syllables of a word.
"""

import json
import math
import re
import unicodedata
import zlib
from collections import Counter
from itertools import pairwise
from pathlib import Path

import evalframe.text

LISTS = json.loads((Path(evalframe.text.__file__).parent / "words.json").read_text())
NAN = math.nan

# One word a character: Han, Kana, Thai, Lao, Myanmar and Khmer, by blocks.
ONE_EACH = [
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1780, 0x17FF),
    (0x19E0, 0x19FF),
    (0x2E80, 0x2FDF),
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3038, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x3FFFF),
]
CLOSERS = "\"'”’»›)]}」』）】》〉］｝〕"
ENDS = ".!?…"
FULL_ENDS = "。！？"
STARTERS = {"the", "he", "she", "it", "we", "they", "i", "this", "but", "and"}
TITLES = set(LISTS["abbreviations_never_ending"])
OTHERS = set(LISTS["abbreviations_may_end"])
EMOJI = [
    (0x231A, 0x231B),
    (0x23E9, 0x23FA),
    (0x2600, 0x27BF),
    (0x2B1B, 0x2B1C),
    (0x2B50, 0x2B50),
    (0x2B55, 0x2B55),
    (0x1F000, 0x1F1E5),
    (0x1F200, 0x1F3FA),
    (0x1F400, 0x1FAFF),
]
FLAG_LETTERS = [(0x1F1E6, 0x1F1FF)]

FENCE = re.compile(
    r"(?ms)^[ \t]*```[^`\n]*$.*?(?:^[ \t]*```+[ \t]*$|\Z)"
    r"|^[ \t]*~~~[^\n]*$.*?(?:^[ \t]*~~~+[ \t]*$|\Z)"
)
ADDRESS = re.compile(
    r"(?a)\b(?:[Hh][Tt][Tt][Pp][Ss]?://|[Ff][Tt][Pp]://|www\.)[A-Za-z0-9]"
    r"(?:[^\x00-\x20<>\"“”]*[^\x00-\x20<>\"“”'’.,;:!?…)\]}])?"
    r"|[A-Za-z0-9._%+-]*[A-Za-z0-9_%+-]@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}"
)
LIST_ITEM = re.compile(r"\s*(?:[-*+]|[0-9]+[.)])[ \t]")
HEADING = re.compile(r"#{1,6} ")


def within(c, blocks):
    return any(first <= ord(c) <= last for first, last in blocks)


def is_letter(c):
    return unicodedata.category(c)[0] == "L"


def is_word_character(c):
    return (unicodedata.category(c)[0] in "LMN" or c == "_") and not within(c, ONE_EACH)


def clean(text):
    text = unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
    return text.replace("\0", "\1")


def prose_of(text):
    return ADDRESS.sub(" ", FENCE.sub("", text))


def word_spans(text):
    """Return the (start, end) of every word."""
    spans, i = [], 0
    while i < len(text):
        if within(text[i], ONE_EACH):
            j = i + 1
            if is_letter(text[i]):
                while (
                    j < len(text)
                    and within(text[j], ONE_EACH)
                    and unicodedata.category(text[j])[0] == "M"
                ):
                    j += 1
                spans.append((i, j))
            i = j
        elif is_word_character(text[i]):
            j = i + 1
            while j < len(text) and (
                is_word_character(text[j])
                or (text[j] in "'’-" and j + 1 < len(text) and is_word_character(text[j + 1]))
            ):
                j += 1
            if any(is_letter(c) for c in text[i:j]):
                spans.append((i, j))
            i = j
        else:
            i += 1
    return spans


def ends_sentence(text, start, end, spans):
    """Say whether the run of marks text[start:end] ends a sentence; return where, or None."""
    if any(c in FULL_ENDS for c in text[start:end]):
        return True
    after = end
    while after < len(text) and after < end + 3 and text[after] in CLOSERS:
        after += 1
    if after < len(text) and not text[after].isspace():
        return False
    rest = text[after:].lstrip()
    if rest and unicodedata.category(rest[0]) == "Ll":
        return False
    if text[start:end] != ".":
        return True
    before = [span for span in spans if span[1] <= start]
    if not before or before[-1][1] != start:
        return True
    first, last = before[-1]
    word = text[first:last].lower()
    if word in TITLES:
        return False
    dotted = len(before) > 1 and before[-2][1] == first - 1 and text[first - 1] == "."
    previous = text[before[-2][0] : before[-2][1]].lower() if dotted else ""
    single = last - first == 1 and unicodedata.category(text[first]) == "Lu" and word != "i"
    initials = dotted and len(word) == 1 and len(previous) == 1
    if not (word in OTHERS or single or initials or f"{previous}.{word}" in OTHERS):
        return True
    following = [span for span in spans if span[0] >= end]
    if not following:
        return True
    first, last = following[0]
    return text[first:last].lower() in STARTERS and unicodedata.category(text[first]) == "Lu"


def line_kind(line):
    if not line.strip():
        return "blank"
    if LIST_ITEM.match(line):
        return "list"
    if HEADING.match(line):
        return "heading"
    return {">": "quote", "|": "table"}.get(line.lstrip()[0], "text")


def cuts_of(text, spans):
    cuts = {0, len(text)}
    for run in re.finditer(r"[.!?…。！？]+", text):
        if ends_sentence(text, run.start(), run.end(), spans):
            cuts.add(run.end())
    at = 0
    for line in text.split("\n"):
        kind = line_kind(line)
        if kind != "text":
            cuts.add(at)
        at += len(line) + 1
    return sorted(cuts)


class Parsed:
    """The words and sentences of a text."""

    def __init__(self, text):
        self.text = clean(text)
        self.prose = prose_of(self.text)
        prose = self.prose
        spans = word_spans(prose)
        self.tokens = [prose[a:b] for a, b in spans]
        self.words = [t.lower().replace("’", "'") for t in self.tokens]
        cuts = cuts_of(prose, spans)
        self.sentences, self.questions, self.openers = [], [], []
        for a, b in pairwise(cuts):
            inside = [i for i, span in enumerate(spans) if a <= span[0] < b]
            if inside:
                self.sentences.append([self.words[i] for i in inside])
                marks = [c for c in prose[spans[inside[-1]][1] : b] if c in ENDS + FULL_ENDS]
                self.questions.append(bool(marks) and marks[-1] in "?？")
        self.paragraphs = 1 + len(re.findall(r"\n{2,}", self.text))


def length(word):
    return sum(c not in "'-" for c in word)


def share(flags):
    flags = list(flags)
    return sum(flags) / len(flags)


def text_length(p):
    n = len(p.words)
    return {
        "log_words": math.log1p(n),
        "log_sentences": math.log1p(len(p.sentences)),
        "log_paragraphs": math.log1p(p.paragraphs) if n else 0.0,
    }


def sd(values, ddof):
    mean = sum(values) / len(values)
    return math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - ddof))


def word_length(p, syllables):
    lengths = [length(w) for w in p.words]
    counts = [syllables(w) for w in p.words]
    return {
        "mean": sum(lengths) / len(lengths),
        "sd": sd(lengths, 0),
        "short": share(x <= 3 for x in lengths),
        "long": share(x >= 7 for x in lengths),
        "syllables": sum(counts) / len(counts),
        "polysyllables": share(x >= 3 for x in counts),
    }


def sentence_rhythm(p):
    sizes = [len(s) for s in p.sentences]
    n, s = len(p.words), len(sizes)
    mean = n / s
    marks = sum(c in ",;:.!?—–…，、；：！？。" for c in p.prose)
    return {
        "mean": mean,
        "cv": sd(sizes, 1) / mean if s > 1 else 0.0,
        "successive": (
            sum(abs(a - b) for a, b in pairwise(sizes)) / (s - 1) / mean if s > 1 else 0.0
        ),
        "short": share(x <= 6 for x in sizes),
        "long": share(x >= 25 for x in sizes),
        "clause": n / max(1, marks),
    }


def mattr(words, window):
    w = min(window, len(words))
    shares = [len(set(words[i : i + w])) / w for i in range(len(words) - w + 1)]
    return sum(shares) / len(shares)


def mtld_one_way(words):
    factors, types, n = 0.0, set(), 0
    for word in words:
        types.add(word)
        n += 1
        if len(types) / n <= 0.72:
            factors, types, n = factors + 1, set(), 0
    if n:
        factors += (1 - len(types) / n) / (1 - 0.72)
    return len(words) / factors if factors else float(len(words))


def hdd(words):
    n = len(words)
    s = min(42, n)
    total = 0.0
    for f in Counter(words).values():
        total += (1 - math.comb(n - f, s) / math.comb(n, s)) / s
    return total


def vocabulary(p):
    words, n = p.words, len(p.words)
    counts = Counter(words)
    v = len(counts)
    v1 = sum(f == 1 for f in counts.values())
    v2 = sum(f == 2 for f in counts.values())
    entropy = -sum(f / n * math.log2(f / n) for f in counts.values()) + 0.0
    return {
        "mattr50": mattr(words, 50),
        "mtld": (mtld_one_way(words) + mtld_one_way(words[::-1])) / 2,
        "hdd42": hdd(words),
        "yule_k": 1e4 * (sum(f * f for f in counts.values()) - n) / n**2,
        "sichel_s": v2 / v,
        "ttr": v / n,
        "guiraud_r": v / math.sqrt(n),
        "herdan_c": math.log(v) / math.log(n) if n > 1 else 1.0,
        "maas_a2": (math.log(n) - math.log(v)) / math.log(n) ** 2 if n > 1 else 0.0,
        "simpson_d": sum(f * (f - 1) for f in counts.values()) / (n * (n - 1)) if n > 1 else 0.0,
        "honore_r": 100 * math.log(n) / (1 - v1 / v) if v1 < v else NAN,
        "hapax": v1 / v,
        "entropy": entropy,
        "evenness": entropy / math.log2(n) if n > 1 else 1.0,
    }


def in_lists(p, names):
    return {name: share(w in LISTS[key] for w in p.words) for name, key in names.items()}


def function_words(p):
    names = (
        "articles",
        "prepositions",
        "coordinators",
        "subordinators",
        "auxiliaries",
        "modals",
        "negation",
        "wh",
        "quantifiers",
    )
    return in_lists(p, {"all": "function_words"} | {name: name for name in names})


PRONOUNS = ("first_singular", "first_plural", "second", "third", "it", "demonstrative")


def pronouns(p):
    return in_lists(p, {name: name for name in PRONOUNS})


def is_contraction(word):
    return word in LISTS["s_contractions"] or any(
        word.endswith(e) for e in LISTS["contraction_endings"]
    )


def register(p):
    return in_lists(p, {name: name for name in ("hedges", "boosters", "interjections")}) | {
        "contractions": share(is_contraction(w) for w in p.words),
        "nominalisations": share(
            bool(re.fullmatch(r"(?s).{4,}(?:tion|ment|ness|ity|ance|ence)s?", w)) for w in p.words
        ),
    }


def count_any(text, characters):
    return sum(c in characters for c in text)


def punctuation(p):
    t = p.prose
    counts = {
        "comma": count_any(t, ",，、"),
        "semicolon": count_any(t, ";；"),
        "colon": count_any(t, ":："),
        "question": count_any(t, "?？"),
        "exclamation": count_any(t, "!！"),
        "dash": count_any(t, "—–")
        + len(re.findall(r"-{2,}", t))
        + len(re.findall(r"(?<= )-(?= )", t)),
        "parenthesis": count_any(t, "(（"),
        "quote": count_any(t, '"“”„‟«»〝〞〟＂') / 2,
        "hyphen": sum(token.count("-") for token in p.tokens),
        "ellipsis": len(re.findall(r"\.{3,}", t)) + t.count("…"),
    }
    return {name: 100 * count / len(p.words) for name, count in counts.items()}


def symbol(c):
    if c.isascii() and c.isalpha():
        return c.lower()
    if c.isspace():
        return " "
    return "0" if unicodedata.category(c) == "Nd" else "."


def entropy_of(counts):
    n = sum(counts.values())
    return -sum(f / n * math.log2(f / n) for f in counts.values()) + 0.0


def orthography(p):
    t = p.prose
    upper = sum(unicodedata.category(c) == "Lu" for c in t)
    cased = sum(unicodedata.category(c) in ("Lu", "Ll") for c in t)
    symbols = [symbol(c) for c in t]
    single = Counter(symbols)
    pairs = Counter(pairwise(symbols))
    plain = entropy_of(single)
    first = Counter(symbols[:-1])
    data = p.text.encode()
    emoji = sum(within(c, EMOJI) for c in t) + sum(within(c, FLAG_LETTERS) for c in t) / 2
    return {
        "upper": upper / cased if cased else 0.0,
        "allcaps": share(
            all(unicodedata.category(c) == "Lu" for c in w if is_letter(c)) and len(w) > 1
            for w in p.tokens
        ),
        "digit": sum(unicodedata.category(c) == "Nd" for c in t) / len(t),
        "non_ascii": sum(not c.isascii() for c in t) / len(t),
        "char_entropy": plain + (len(single) - 1) / (2 * len(t) * math.log(2)),
        "emoji": 100 * emoji / len(p.words),
        "capitalised": share(unicodedata.category(w[0]) == "Lu" for w in p.tokens),
        "char_entropy_plain": plain,
        "char_bigram_entropy": entropy_of(pairs) - entropy_of(first) if len(t) > 1 else 0.0,
        "compression": len(zlib.compress(data, 6)) / len(data),
    }


def grams(words, n):
    found = list(zip(*(words[i:] for i in range(n)), strict=False))
    return 1 - len(set(found)) / len(found) if found else 0.0


def jaccard(a, b):
    return len(a & b) / len(a | b) if a | b else 0.0


def repetition(p):
    words, s = p.words, len(p.sentences)
    pairs = list(pairwise(words))
    seen = sum(pair in pairs[max(0, j - 50) : j] for j, pair in enumerate(pairs))
    content = [set(x) - set(LISTS["function_words"]) for x in p.sentences]
    first = [x[0] for x in p.sentences]
    neighbours = list(zip(range(s), range(1, s), strict=False))
    return {
        "bigram50": seen / len(pairs) if pairs else 0.0,
        "opener": share(first[a] == first[b] for a, b in neighbours) if s > 1 else 0.0,
        "overlap": sum(jaccard(content[a], content[b]) for a, b in neighbours) / (s - 1)
        if s > 1
        else 0.0,
        "bigram": grams(words, 2),
        "trigram": grams(words, 3),
        "top10": sum(f for _, f in Counter(words).most_common(10)) / len(words),
        "distinct_openers": len(set(first)) / s,
    }


def layout(p):
    t, n = p.text, len(p.words)
    lines = t.split("\n")
    counts = {
        "newline": t.count("\n"),
        "list": sum(bool(LIST_ITEM.match(line)) for line in lines),
        "heading": sum(bool(HEADING.match(line)) for line in lines),
        "bold": t.count("**") / 2,
        "code": t.count("`") / 2,
    }
    return {name: 100 * count / n for name, count in counts.items()} | {
        "paragraph": math.log1p(n / p.paragraphs)
    }


def openings(p):
    first = [x[0] for x in p.sentences]
    return {
        "coordinator": share(w in LISTS["coordinators"] for w in first),
        "article": share(w in LISTS["articles"] for w in first),
        "pronoun": share(any(w in LISTS[k] for k in PRONOUNS) for w in first),
        "connective": share(w in LISTS["connectives"] for w in first),
        "question": share(p.questions),
    }


def readability(p, syllables):
    n, s = len(p.words), len(p.sentences)
    lengths = [length(w) for w in p.words]
    counts = [syllables(w) for w in p.words]
    letters = sum(lengths)
    return {
        "flesch": 206.835 - 1.015 * n / s - 84.6 * sum(counts) / n,
        "kincaid": 0.39 * n / s + 11.8 * sum(counts) / n - 15.59,
        "fog": 0.4 * (n / s + 100 * share(x >= 3 for x in counts)),
        "coleman_liau": 5.88 * letters / n - 29.6 * s / n - 15.8,
        "ari": 4.71 * letters / n + 0.5 * n / s - 21.43,
        "lix": n / s + 100 * share(x >= 7 for x in lengths),
    }


GROUPS = (
    text_length,
    word_length,
    sentence_rhythm,
    vocabulary,
    function_words,
    pronouns,
    punctuation,
    orthography,
    repetition,
    layout,
    openings,
    register,
    readability,
)
WORDLESS = {"log_words": 0.0, "log_sentences": 0.0, "log_paragraphs": 0.0}


def measure(text, syllables):
    """Return every metric of a text by its full name; `syllables` counts those of a word."""
    if text is None:
        return None
    parsed = Parsed(text)
    if not parsed.words:
        return {f"text_length.{name}": value for name, value in WORDLESS.items()}
    found = {}
    for group in GROUPS:
        counted = group in (word_length, readability)
        values = group(parsed, syllables) if counted else group(parsed)
        found |= {f"{group.__name__}.{name}": value for name, value in values.items()}
    return found
