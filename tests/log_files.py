"""Files as other tools write them: logs of Inspect AI, and lines of lm-evaluation-harness.

Archives are written by hand, with deflated or Zstandard members: zipfile cannot write method 93
before Python 3.14.
"""

import json
import struct
import zipfile
import zlib

import pyarrow as pa

STORED, DEFLATED, ZSTANDARD = 0, 8, 93


def compress(data, method, frames=1):
    """Return the raw bytes of a member; Zstandard in as many frames as asked for."""
    if method == STORED:
        return data
    if method == DEFLATED:
        work = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        return work.compress(data) + work.flush()
    size = max(-(-len(data) // frames), 1)
    codec = pa.Codec("zstd")
    parts = [data[start : start + size] for start in range(0, len(data), size)] or [b""]
    return b"".join(codec.compress(part, asbytes=True) for part in parts)


def member(name, raw, method, size, crc, flags=0):
    """Return a member's local record, and its entry in the directory but for the offset."""
    encoded = name.encode()
    common = struct.pack(
        "<HHHHHLLLHH", 20, flags, method, 0, 33, crc, len(raw), size, len(encoded), 0
    )
    local = b"PK\x03\x04" + common + encoded + raw
    entry = b"PK\x01\x02" + struct.pack("<H", 20) + common + struct.pack("<HHHL", 0, 0, 0, 0)
    return local, entry, encoded


def write_zip(path, members, method=ZSTANDARD, frames=1, claims=None, flags=0):
    """Write an archive by hand.

    `claims` gives the size that a member declares, where that is not its own.
    """
    body, directory = b"", b""
    for name, data in members:
        size = (claims or {}).get(name, len(data))
        raw = compress(data, method, frames)
        local, entry, encoded = member(name, raw, method, size, zlib.crc32(data), flags)
        directory += entry + struct.pack("<L", len(body)) + encoded
        body += local
    end = struct.pack(
        "<4sHHHHLLH", b"PK\x05\x06", 0, 0, len(members), len(members), len(directory), len(body), 0
    )
    path.write_bytes(body + directory + end)
    return path


def header(task="quiz", model="maker/model", status="success", **run):
    """Return a header."""
    return {
        "version": 2,
        "status": status,
        "eval": {"task": task, "model": model, "task_args": {}, **run},
    }


def one(item, epoch=1, scores=None, **more):
    """Return a sample as its own member holds it."""
    return {
        "id": item,
        "epoch": epoch,
        "input": "2 + 2?",
        "metadata": {"passage": "A"},
        "scores": {name: {"value": value} for name, value in (scores or {}).items()},
        "output": {
            "choices": [{"message": {"content": "four"}, "stop_reason": "stop"}],
            "completion": "four",
        },
        "model_usage": {"maker/model": {"input_tokens": 9, "output_tokens": 3}},
        **more,
    }


def summary(sample):
    """Return a sample's summary: no output, the error and the limit as text."""
    kept = {name: cell for name, cell in sample.items() if name not in ("output", "messages")}
    error, limit = sample.get("error"), sample.get("limit")
    kept |= {"error": error["message"]} if error else {}
    return kept | ({"limit": limit["type"]} if limit else {})


def dump(value):
    """Return a value as Inspect writes it: NaN as a bare token."""
    return json.dumps(value, ensure_ascii=False).encode()


def write_eval(path, head, samples, summaries=None, **options):
    """Write an archive of a log."""
    members = [(f"samples/{n}_epoch_1.json", dump(sample)) for n, sample in enumerate(samples)]
    short = [summary(sample) for sample in samples] if summaries is None else summaries
    members += [("summaries.json", dump(short)), ("header.json", dump(head))]
    return write_zip(path, members, **options)


def write_json(path, head, samples):
    """Write a log as one JSON object."""
    path.write_bytes(dump({**head, "samples": samples}))
    return path


def write_deflated(path, members):
    """Write an archive with the standard library."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return path


def line(doc_id=0, **more):
    """Return one line of a samples file of lm-evaluation-harness."""
    return {
        "doc_id": doc_id,
        "doc": {"passage": "A", "meta": {"family": 7}},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": "Q", "arg_1": {"until": ["\n"]}}},
        "resps": [["four", "5"]],
        "filtered_resps": ["4"],
        "filter": "none",
        "metrics": ["acc"],
        "doc_hash": f"hash of {doc_id}",
        "prompt_hash": "ab",
        "target_hash": "cd",
        "acc": 1.0,
        **more,
    }


# A results file of lm-evaluation-harness.
RESULTS = {
    "results": {"quiz": {"acc,none": 1.0}},
    "model_name": "maker/model",
    "model_source": "hf",
    "config": {"model_args": {"temperature": 0.5}},
}
