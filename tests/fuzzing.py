"""Damage to files: of single bytes, and of what the bytes mean, after which it is a file again.

JSON is changed as text that parses: values of other types, keys that go, come twice or are those of
others, nesting, numbers that no float and no integer of 64 bits holds, half surrogate pairs.
"""

import json
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from log_files import DEFLATED, STORED, ZSTANDARD, write_zip

TOKENS = [
    b"null", b"NaN", b"-Infinity", b"1e999", b"1" + b"0" * 400, b"true", b"[]", b"{}", b'""',
    b'"\\ud800"', b'"\\u0000"', b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b"\x00", b"\x0c",
    b"[" * 3000, b'{"a":' * 3000, b'"item_id"', b'"score"', b'"arm"', b"0", b"-1", b"9" * 19,
    b"PK\x03\x04", b"PK\x05\x06", b"PAR1", b"\xff" * 8, b"\x00" * 8, b'"id"', b'"scores"', b"\\",
    b'"doc_id"', b'"filter"', b'"metrics"', b",", b":", b"}", b"]", b"2024-01-02", b'"1"', b"Inf",
]  # fmt: skip
ODD = [
    "null", "true", "false", "0", "1", "-1", "-0", "-0.0", "1.0", "0.1", "1e2", "1e308", "1e999",
    "NaN", "Infinity", "-Infinity", "9007199254740993", "1344800117571260417", "9" * 19, "9" * 30,
    "1" + "0" * 400, "9" * 5000, '""', '" "', '"x"', '"1"', '"001"', '"18_19"', '"1e5"', '"nan"',
    '"2024-01-02"', '"C"', '"yes"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\u0000"', '"\\u2028"',
    '"é"', "[]", "{}", "[[1]]", "[null]", '{"a": 1}', '{"a": 1, "a": 2}', '{"": null}',
    "[" * 90 + "]" * 90, '{"a": ' * 9000 + "1" + "}" * 9000,
]  # fmt: skip
KEYS = [
    "item_id", "arm", "seed", "score", "cluster_id", "n_output_tokens", "hit_cap", "output", "id",
    "prompt_hash", "epoch", "scores", "value", "metadata", "model", "task", "eval", "doc_id", "acc",
    "metrics", "filter", "doc", "", "a", "é", "doc_hash", "samples", "error", "limit", "new",
]  # fmt: skip


class Raw(str):
    """A value as it stands in the text, valid or not."""

    __slots__ = ()


class Pairs(list):
    """An object as its pairs, so that a key can stand twice."""


def parsed(text):
    """Return JSON with the keys of its objects in their order, or None."""
    try:
        return json.loads(text, object_pairs_hook=lambda pairs: Pairs(map(list, pairs)))
    except (ValueError, RecursionError):
        return None


def dumped(value):
    """Return the text of what `parsed` gives, and of what stands in it since."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Pairs):
        inside = ", ".join(f"{json.dumps(key)}: {dumped(part)}" for key, part in value)
        return "{" + inside + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(dumped, value)) + "]"
    return json.dumps(value)


def one_of(rng, choices):
    """Return one of several."""
    return choices[int(rng.integers(len(choices)))]


def places(value, found=None):
    """Return every container inside a value with the places that it has."""
    found = [] if found is None else found
    inside = [part[1] for part in value] if isinstance(value, Pairs) else value
    found += [(value, place) for place in range(len(value))]
    for part in inside:
        if isinstance(part, list):
            places(part, found)
    return found


def change(value, rng):
    """Change a value of `parsed` at one place, whatever stands there."""
    found = places(value)
    if not found:
        return Raw(one_of(rng, ODD))
    holder, at = one_of(rng, found)
    keyed = isinstance(holder, Pairs)
    here = holder[at][1] if keyed else holder[at]
    other_holder, other_at = one_of(rng, found)
    other = other_holder[other_at][1] if isinstance(other_holder, Pairs) else other_holder[other_at]
    kind = rng.integers(0, 8)
    if kind == 0:
        del holder[at]
        return value
    if kind == 1:
        again = here if rng.random() < 0.5 else Raw(one_of(rng, ODD))
        holder.insert(int(rng.integers(len(holder) + 1)), [holder[at][0], again] if keyed else here)
        return value
    if kind == 2:
        rng.shuffle(holder)
        return value
    if kind == 3 and keyed:
        holder[at][0] = one_of(rng, KEYS)
        return value
    if kind == 4:
        new = [here] if rng.random() < 0.5 else Pairs([[one_of(rng, KEYS), here]])
    elif kind == 5:
        # As text, as a part of a value cannot stand inside itself.
        new = Raw(dumped(other))
    else:
        new = Raw(one_of(rng, ODD))
    if keyed:
        holder[at][1] = new
    else:
        holder[at] = new
    return value


def changed_json(data, rng):
    """Return a JSON document with one to three changes, the document itself if it is none."""
    value = parsed(data.decode("utf-8", "replace"))
    if not isinstance(value, list):
        return one_of(rng, ODD).encode()
    for _ in range(rng.integers(1, 4)):
        value = change(value, rng)
        if not isinstance(value, list):
            break
    return dumped(value).encode("utf-8", "surrogatepass")


def changed_lines(data, other, rng):
    """Return lines of JSON of which some were changed, moved, repeated, joined or left out."""
    lines = data.split(b"\n")
    for _ in range(rng.integers(1, 4)):
        at, kind = int(rng.integers(len(lines))), rng.integers(0, 12)
        if kind < 6:
            lines[at] = changed_json(lines[at], rng)
        elif kind == 6:
            lines.insert(int(rng.integers(len(lines) + 1)), lines[at])
        elif kind == 7 and len(lines) > 1:
            del lines[at]
        elif kind == 8:
            lines.insert(at, one_of(rng, [b"", b"  \t", b"\r", b"\xef\xbb\xbf", b"null"]))
        elif kind == 9:
            lines[at : at + 2] = [b"".join(lines[at : at + 2])]
        elif kind == 10:
            lines.insert(at, one_of(rng, other.split(b"\n")))
        else:
            lines[at] += b"\r"
    bom = b"\xef\xbb\xbf" if rng.random() < 0.05 else b""
    return bom + b"\n".join(lines)


def damaged(good, other, rng):
    """Return a file with one to four changes of its bytes."""
    data = bytearray(good)
    for _ in range(rng.integers(1, 5)):
        at, size = int(rng.integers(0, len(data) + 1)), int(rng.integers(1, 60))
        kind = rng.integers(0, 6)
        if kind == 0:
            data[at : at + 1] = bytes([int(rng.integers(0, 256))])
        elif kind == 1:
            del data[at : at + size]
        elif kind == 2:
            data[at:at] = one_of(rng, TOKENS)
        elif kind == 3:
            data[at : at + size] = one_of(rng, TOKENS)
        elif kind == 4:
            start = int(rng.integers(0, max(len(other), 1)))
            data[at:at] = other[start : start + int(rng.integers(1, 2000))]
        else:
            del data[int(rng.integers(0, len(data) + 1)) :]
    return bytes(data)


def records():
    """Return runs of two arms with every column of a record."""
    return pd.DataFrame(
        {
            "item_id": np.repeat([f"q{i}" for i in range(8)], 4),
            "arm": ["a", "a", "b", "b"] * 8,
            "seed": [0, 1] * 16,
            "prompt_hash": np.repeat([f"hash of q{i}" for i in range(8)], 4),
            "score": [1.0, 0.0, 0.5, 1.0] * 8,
            "cluster_id": np.repeat(list("wxyz"), 8),
            "n_output_tokens": range(32),
            "hit_cap": [True, False] * 16,
            "output": ["one two", "", "three", "four"] * 8,
        }
    )


def odd_column(column, rng):
    """Return a column of a table in another type, or with other values."""
    n, gone = len(column), rng.random(len(column)) < 0.2
    text = [str(cell) for cell in column.to_pylist()]
    made = [
        lambda: pa.nulls(n),
        lambda: pa.array(text).dictionary_encode(),
        lambda: pa.array(text, pa.large_string(), mask=gone),
        lambda: pa.array(text, pa.binary()),
        lambda: pa.array([[1, 2]] * n),
        lambda: pa.array([{"a": 1}] * n),
        lambda: pa.array(range(n), one_of(rng, [pa.int8(), pa.uint64(), pa.int64()]), mask=gone),
        lambda: pa.array([2**63 - 1] * n, mask=gone),
        lambda: pa.array([2**64 - 1] * n, pa.uint64()),
        lambda: pa.array(rng.random(n), one_of(rng, [pa.float32(), pa.float64()]), mask=gone),
        lambda: pa.array([one_of(rng, [np.nan, np.inf, 0.5])] * n, mask=gone),
        lambda: pa.array(rng.random(n) < 0.5, mask=gone),
        lambda: pa.array(range(n), one_of(rng, [pa.timestamp("ns", "UTC"), pa.timestamp("s")])),
        lambda: pa.array(range(n)).cast(pa.decimal128(25, 2)),
        lambda: pa.array(range(n), pa.int32()).cast(pa.date32()),
        lambda: column.take(pa.array(rng.permutation(n))),
    ]
    return one_of(rng, made)()


def odd_parquet(path, rng):
    """Write a whole Parquet file with columns and metadata that are not as they should be."""
    frame = records().head(int(one_of(rng, [0, 1, 9, 32])))
    if rng.random() < 0.3:
        frame = frame.set_index(one_of(rng, ["item_id", "seed", "output"]))
    table = pa.Table.from_pandas(frame)
    names = list(table.column_names)
    columns = dict(zip(names, table.columns, strict=True))
    for _ in range(rng.integers(0, 3)):
        name = one_of(rng, names)
        columns[name] = odd_column(columns[name], rng)
    if rng.random() < 0.3:
        column = columns.pop(one_of(rng, names))
        columns[one_of(rng, KEYS)] = column
    metadata = dict(table.schema.metadata)
    if rng.random() < 0.5:
        metadata = {b"pandas": changed_json(metadata[b"pandas"], rng)}
    fields = [(name, column.type) for name, column in columns.items()]
    schema = pa.schema(fields, metadata=metadata if rng.random() < 0.8 else None)
    whole = pa.Table.from_arrays(list(columns.values()), schema=schema)
    pq.write_table(
        whole,
        path,
        row_group_size=int(one_of(rng, [1, 7, 1000])),
        compression=one_of(rng, ["none", "snappy", "zstd"]),
        use_dictionary=bool(rng.random() < 0.5),
        write_page_checksum=bool(rng.random() < 0.5),
        store_schema=bool(rng.random() < 0.7),
    )


def odd_members(members, rng):
    """Return the members of an archive with one to three changes."""
    members = [list(one) for one in members]
    for _ in range(rng.integers(1, 4)):
        at, kind = int(rng.integers(len(members))), rng.integers(0, 9)
        if kind < 6:
            members[at][1] = changed_json(members[at][1], rng)
        elif kind == 6 and len(members) > 1:
            del members[at]
        elif kind == 7:
            members.append([re.sub(r"\d", "7", members[at][0]), members[at][1]])
        else:
            members[at][0] = one_of(rng, ["_journal/start.json", "_journal/summaries/1.json", "é"])
    return members


def write_archive(path, members, rng):
    """Write members by any of the methods, some with a size that is not their own."""
    claims = {one_of(rng, members)[0]: int(rng.integers(0, 5000))} if rng.random() < 0.05 else None
    method = one_of(rng, [STORED, DEFLATED, ZSTANDARD])
    write_zip(path, members, method, frames=int(rng.integers(1, 4)), claims=claims)
    return method if claims is None else None
