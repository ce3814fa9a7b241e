"""Syllables of English words: groups of vowels, corrected where spelling and speech part.

The rules were tuned on half of the words of a pronouncing dictionary, and are tested on the other.
"""

import unicodedata

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalframe.text.arrays import Bools, Ints, segment_sums

_VOWELS = "[aeiouy]+"

# An e at the end that is written but not said: time, whole, tongue, named, times, calls.
_SILENT_END = "|".join(
    (
        r"(?:[^aeiouylr']|[aeiouyr]r|[aeiouyrlw]l|[gq]u)e(?:'d|'ll|'ve|'re)?$",
        r"(?:[^aeiouycgszxhl']|[aeiouyrlw]l|[^cs]h|[gq]u)e(?:s|s'|'s)$",
        r"(?:[^aeiouytdl']|[aeiouyrlw]l|[gq]u)ed$",
        # The e of they're, the a of basically.
        r"'re$|ically$",
    )
)

# An e that is silent inside, before an ending or at the seam of a compound: lonely, someone.
_SILENT_INSIDE = "|".join(
    (
        r"[^aeiouyl]e(?:less|ness|ful|some)",
        r"[^aeiouy]el(?:y|iness)$",
        r"(?:[cgstvzk]|[^e]n|[iau]r|dg)ements?$",
        r"edge[mw]",
        r"(?:saf|nin)ety",
        r"[^aeiouy]e(?:body|thing|where|time|man|men|work|house|made|like|wise|land|ware|ever)s?$",
    )
)
_SILENT_SEAM = "|".join(
    (
        r"^(?:every|lone|more|some[^r']|there[^'s]|where[^'s]|here[^st']|fore[^nisv]|fores[eti])",
        r"^(?:wide[^nr]|states?[mw]|horse[^s']|house[^s'd]|trade[^rs']|life[^r']|fire[^d'])",
        r"^(?:safe[^r']|case[wl]|type[^dsr']|false[^r]|home[^rs']|name[^rd']|time[^dr'])",
        r"^(?:make[^r']|take[^rn']|space[^dr']|base[^drs']|note[^drs']|care[^dst']|use[^drsu'])",
        r"^(?:whole[^r]|one[^sir']|gate[wk]|side[^rds']|white[^rnsd']|scare[^d']|shake[sp])",
        r"^(?:like[nlw][^i]|live[lns][^e]|sales[^$']|ware[^s']|wine[^rdso']|stone[^drs'])",
        r"^(?:blue[bpf]|grave[^lnr])",
    )
)

# Neighbouring vowels that are two syllables (idea, being, poet), and those that no vowel shows.
_TWO = "|".join(
    (
        r"[^cstgxlv]i(?:a|o|um|us)|vi(?:a|o(?:[^ru]|us)|u)|lia(?:b|is)|ellio|[lt]ium",
        r"[stcgx]i(?:ate|ation|ety)|iet|eit[yi]|glia",
        r"[^aeiou]i(?:re[sd]?$|rely$|ring)",
        r"[^aeioucdv]i(?:er|est)s?$|dier$|viest$|fier",
        r"[dlpb]ien|[ac]rien|orien|[^n]scien|[^s]cien[^t]|[nv]ien[ct]",
        r"[^gq]u(?:al|at|ous|id|ity|ities|ition|in$|ins$|en[ct]|ar[iy]|able)|ruin|druid|uol",
        r"[aeouy]ing|[aeou]ying",
        r"[aeo]y(?:[aou]|er|ee)|[^aeiou]y[aiou]|hyen",
        r"ee[ai]|[dlrtvn]eo|meo[lr]|geo[^nr]|eous|crea[^mks]|idea|reas?$|theat",
        r"poe[mt]|oe[il]|oic[^e]|ois[mt]|ao|[^r]aist|aism|ai[ck]$|aic",
        r"[sz]ms?$|thms?$|[^aeiouyl'rn]n't$|[dtbmn]'(?:ll|ve|d)$",
    )
)

_TWO_FIRST = "|".join(
    (
        r"^re(?:ac[^hk]|al[it]|ap[^ie]|ass|ad[jm]|i[nt]|o|u|en|el)|^pre(?:e|a[ms])",
        r"^co(?:in[ch]|o[pr][de]|e[dfqrx])|^mc[^aeiou]|^zool|^scien|^i(?:a|o)|^li[ao]",
    )
)

# Letters that are said one by one: tv, http.
_SPELLED = r"^[b-df-hj-np-tv-xz]{2,5}$"

_EXCEPTIONS = {
    word: syllables
    for syllables, words in (
        (1, "ache aches brr friend friends hmm mm nth pfft priest priests psst pst shh st tsk"),
        (2, "argue argued argues business colonel colonels crooked dr hatred hundred jr kindred"),
        (2, "learned lion mr mrs naive naked ok people ragged rugged sacred soldier soldiers"),
        (2, "someone sr wednesday wicked wretched"),
        (3, "anyone area areas beloved w"),
    )
    for word in words.split()
}

# What an accent says of a vowel: é is said, and a diaeresis parts it from the one before.
_ACCENTS = {ord("é"): "_e_"} | {ord(c): f"_{v}" for c, v in zip("äëïöüÿ", "aeiouy", strict=True)}
_MARKS = dict.fromkeys(range(0x300, 0x370))


def count_syllables(words: pa.Array) -> Ints:
    """Return the syllables of each word.

    Parameters
    ----------
    words : pyarrow.Array of n large_string
        In lower case.

    Returns
    -------
    (n,) int64
        At least 1.

    Examples
    --------
    >>> count_syllables(pa.array(["the", "idea", "didn't", "well-known"], pa.large_string()))
    array([1, 3, 2, 2])
    """
    count = _count(_plain(words))
    # The parts of a compound are read one by one.
    joined = _any(words, "[-_]")
    if joined.any():
        parts = pc.split_pattern_regex(words.filter(pa.array(joined)), "[-_]+")
        each = np.where(_filled(parts.flatten()), _count(_plain(parts.flatten())), 0)
        offsets = np.asarray(parts.offsets, dtype=np.int64)
        count[joined] = segment_sums(each, offsets - offsets[0])
    return np.maximum(count, 1)


def _filled(words: pa.Array) -> Bools:
    return np.asarray(pc.binary_length(words), dtype=np.int64) > 0


def _plain(words: pa.Array) -> pa.Array:
    """Return words without accents."""
    beyond = pc.invert(pc.string_is_ascii(words))
    # No word holds a line end, so that all can be changed as one text.
    joined = "\n".join(words.filter(beyond).to_pylist())
    if not joined:
        return words
    bare = unicodedata.normalize("NFD", joined.translate(_ACCENTS)).translate(_MARKS)
    return pc.replace_with_mask(words, beyond, pa.array(bare.split("\n"), type=words.type))


def _count(words: pa.Array) -> Ints:
    """Return the syllables of words without accents and hyphens."""
    count = _matches(words, _VOWELS) - _matches(words, _SILENT_END)
    # Arrow goes on counting as if the rest were a text of its own, where ^ would match again: what
    # begins a word is asked for apart. A compound's seam may be found by both patterns.
    count += _matches(words, _TWO) + _any(words, _TWO_FIRST)
    count -= np.maximum(_matches(words, _SILENT_INSIDE), _any(words, _SILENT_SEAM))
    spelled = _any(words, _SPELLED)
    count = np.where(spelled, np.asarray(pc.binary_length(words), dtype=np.int64), count)
    known = pa.array(list(_EXCEPTIONS), type=words.type)
    at = np.asarray(pc.index_in(words, value_set=known).fill_null(-1), dtype=np.int64)
    said = np.array(list(_EXCEPTIONS.values()))
    return np.maximum(np.where(at >= 0, said[at], count), 1)


def _matches(words: pa.Array, pattern: str) -> Ints:
    return np.asarray(pc.count_substring_regex(words, pattern), dtype=np.int64)


def _any(words: pa.Array, pattern: str) -> Bools:
    return np.asarray(pc.match_substring_regex(words, pattern), dtype=np.bool_)
