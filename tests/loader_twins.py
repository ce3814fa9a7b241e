"""What files hold, told slowly and by other means than the loaders use, to hold these against.

A loader of lines has to agree with `objects` on which line is the first bad one; what any loader
returns has to be what stands in the file, cell by cell and of the same type.
"""

import gzip
import json
import math
import zipfile
import zlib

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

WORTH = {"C": 1, "P": 0.5, "I": 0, "N": 0, "yes": 1, "true": 1, "no": 0, "false": 0}
RECORD = {
    "item_id": [str], "seed": [int], "arm": [str], "prompt_hash": [str], "output": [str],
    "score": [int, float], "n_output_tokens": [int], "hit_cap": [bool], "cluster_id": [str],
}  # fmt: skip
OF_A_SAMPLE = ["doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter"]
OF_A_SAMPLE += ["metrics", "doc_hash", "prompt_hash", "target_hash"]


def once(pairs):
    """Return an object, and refuse a key that stands twice."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("twice")
    return dict(pairs)


def refuse_halves(value):
    """Refuse half a surrogate pair anywhere in a value."""
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, str):
            one.encode()
        elif isinstance(one, dict):
            stack += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            stack += one


def content(path):
    """Return the bytes of a file, unpacked by its name, or None where they cannot be."""
    data = path.read_bytes()
    if path.suffix != ".gz":
        return data
    try:
        return gzip.decompress(data) if data else None
    except (OSError, EOFError, zlib.error):
        return None


def objects(data, fits=None):
    """Return the objects of lines, or the number of the first line that is none (that fits)."""
    found = []
    for number, line in enumerate(data.split(b"\n"), 1):
        text = (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line).strip(b" \t\r")
        if not text:
            continue
        try:
            value = json.loads(text.decode(), object_pairs_hook=once)
            refuse_halves(value)
        except (ValueError, RecursionError):
            return number
        if type(value) is not dict or (fits is not None and not fits(value)):
            return number
        found.append(value)
    return found


def is_record(value):
    """Tell whether an object is a record of the specification."""
    needed = RECORD.keys() - {"cluster_id"}
    return (
        needed <= value.keys() <= RECORD.keys()
        and all(type(cell) in RECORD[name] for name, cell in value.items())
        and math.isfinite(value["score"] if type(value["score"]) is float else 0)
    )


def is_missing(cell):
    """Tell whether a cell is missing."""
    return cell is None or cell is pd.NA or cell is pd.NaT or (type(cell) is float and cell != cell)


def same(cell, value):
    """Tell whether a cell of a frame is a value of a file: exact, and of its type."""
    if is_missing(value):
        return is_missing(cell)
    if type(cell) is float and type(value) is int:
        return cell == value
    if type(cell) is not type(value):
        return False
    # Objects and lists may hold NaN, which differs from itself.
    return json.dumps(cell) == json.dumps(value) if type(value) in (dict, list) else cell == value


def assert_cells(column, values, name):
    """Fail where a column is not of the values."""
    cells = column.tolist()
    assert len(cells) == len(values), name
    for row, (cell, value) in enumerate(zip(cells, values, strict=True)):
        assert same(cell, value), (name, row, cell, value)


def assert_objects(frame, found, stem):
    """Fail where a frame is not of the objects of a file."""
    keys = list(dict.fromkeys(key for one in found for key in one))
    assert list(frame.columns) == (keys if "arm" in keys else [*keys, "arm"])
    for key in keys:
        assert_cells(frame[key], [one.get(key) for one in found], key)
    if "arm" not in keys:
        assert frame["arm"].tolist() == [stem] * len(found)


def parquet_cells(path):
    """Return the rows and plain columns of a Parquet file, or None if Arrow refuses it."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            table = file.read()
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError):
        return None
    columns = {}
    for field, cells in zip(table.schema, table.columns, strict=True):
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        whole = pa.types.is_integer(kind) or pa.types.is_boolean(kind) or kind == pa.float64()
        if whole or pa.types.is_string(kind) or pa.types.is_large_string(kind):
            columns[field.name] = cells.to_pylist()
    return table.num_rows, columns


def assert_parquet(frame, path):
    """Fail where a frame is not of the cells of a Parquet file."""
    found = parquet_cells(path)
    assert found is not None, "read, though Arrow refuses it"
    n_rows, columns = found
    assert len(frame) == n_rows
    # pandas lets two levels of an index have one name: which of a file's columns is it then?
    named = [name for name in frame.index.names if name is not None and name not in frame]
    levels = [name for name in named if named.count(name) == 1]
    whole = frame.reset_index(levels) if levels else frame
    for name, values in columns.items():
        if name in whole:
            assert_cells(whole[name], values, name)


def members(path):
    """Return what the standard library reads of an archive, by name; None where it cannot."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {one.filename: archive.read(one) for one in archive.infolist()}
    except Exception:
        # zipfile raises what it likes for damaged bytes; the loader's answer is then held to less.
        return None


def log_samples(path, text):
    """Return the samples of a log, or of the summaries that stand for them; None if unknown."""
    if path.suffix == ".json":
        return json.loads(path.read_bytes().decode("utf-8-sig"))["samples"]
    found = members(path)
    if found is None:
        return None
    parts = [d for n, d in found.items() if n.startswith("samples/") and n.endswith(".json")]
    journal = "_journal/summaries/1.json"
    name = journal if journal in found and "summaries.json" not in found else "summaries.json"
    summaries = json.loads(found.get(name, b"[]").decode("utf-8-sig"))
    if text or len(parts) > len(summaries):
        return [json.loads(data.decode("utf-8-sig")) for data in parts]
    return summaries


def worth(value):
    """Return the number that Inspect's own map gives a grade, NaN if there is none."""
    if value is None or type(value) in (bool, int, float):
        return math.nan if value is None else float(value)
    low = value.lower()
    return float(WORTH[value if value in WORTH else low] if value in WORTH or low in WORTH else low)


def assert_log(frame, samples):
    """Fail where a frame is not of the samples of a log, once for each metric."""
    metrics = list(frame["metric"].unique())
    assert len(frame) == len(samples) * max(len(metrics), 1)
    for place, metric in enumerate(metrics):
        rows = frame.iloc[place :: len(metrics)]
        assert (rows["metric"] == metric).all()
        assert_cells(rows["item_id"], [one["id"] for one in samples], "id")
        assert_cells(rows["seed"], [one.get("epoch", 1) for one in samples], "epoch")
        for score, one in zip(rows["score"].tolist(), samples, strict=True):
            scores = one.get("scores") or {}
            scorer, _, key = (metric, "", "") if metric in scores else metric.rpartition(".")
            value = scores.get(scorer, {}).get("value")
            value = value.get(key) if type(value) is dict else value
            wanted = worth(value)
            assert score == wanted or (score != score and wanted != wanted), (metric, score, value)


def assert_samples(frame, found, task):
    """Fail where a frame is not of the lines of lm-evaluation-harness, under its metrics."""
    metrics = list(frame["metric"].unique())
    rows = []
    for one in found:
        listed = one.get("metrics", [name for name in one if name not in OF_A_SAMPLE])
        for name in dict.fromkeys(listed):
            metric = f"{name},{one.get('filter', 'none')}"
            if metric in metrics:
                value = one.get(name)
                score = math.nan if value is None else float(value)
                rows.append((f"{task}/{one['doc_id']}", metric, score))
    names = ["item_id", "metric", "score"]
    for name, values in zip(names, zip(*rows, strict=True), strict=True) if rows else ():
        assert_cells(frame[name], list(values), name)
    assert len(frame) == len(rows)
