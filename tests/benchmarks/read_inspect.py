"""Time read_inspect on 5,000 samples in one run: against Inspect's own frame, and a plain loop.

The loop opens every sample and decodes its JSON. Where inspect_ai is installed, the log is written
by Inspect itself, and its samples_df, which reads the summaries too, is timed on it.

Run it by hand: python tests/benchmarks/read_inspect.py
"""

import json
import platform
import tempfile
import time
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import baselines
from timing import Row, best, named, peak, show

import evalframe

SAMPLES, EPOCHS, EVENTS = 1_000, 5, 12
TIME = "2026-11-30T09:00:00+00:00"


def sample(number: int, epoch: int) -> dict[str, object]:
    """Return a sample of about 9 kB, as a short run of one question writes it."""
    answer = f"The answer to question {number} is {number * epoch % 97}. " * 3
    message = {"role": "assistant", "content": answer, "source": "generate"}
    noted = {"event": "info", "timestamp": TIME, "working_start": 0.0, "data": answer}
    usage = {"maker/model": {"input_tokens": 40, "output_tokens": 30, "total_tokens": 70}}
    return {
        "id": f"q-{number:05}",
        "epoch": epoch,
        "input": f"What is {number} times {epoch}, modulo 97?",
        "target": str(number * epoch % 97),
        "messages": [{"role": "user", "content": "?"}, message],
        "output": {
            "choices": [{"message": message, "stop_reason": "stop"}],
            "completion": answer,
        },
        "scores": {"match": {"value": "CI"[(number + epoch) % 2], "answer": answer}},
        "metadata": {"passage": f"passage-{number // 10}"},
        "model_usage": usage,
        "events": [{**noted, "source": f"step {n}, {answer}"} for n in range(EVENTS)],
    }


def write(path: Path) -> Path:
    """Write the log, deflated, with its summaries."""
    whole = [sample(n, epoch) for epoch in range(1, EPOCHS + 1) for n in range(SAMPLES)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for one in whole:
            archive.writestr(f"samples/{one['id']}_epoch_{one['epoch']}.json", json.dumps(one))
        left_out = ("output", "messages", "events")
        summaries = [{k: v for k, v in one.items() if k not in left_out} for one in whole]
        archive.writestr("summaries.json", json.dumps(summaries))
        run = {"task": "quiz", "model": "maker/model", "created": TIME, "config": {}, "dataset": {}}
        header = {"version": 2, "status": "success", "eval": run}
        archive.writestr("header.json", json.dumps(header))
    return path


def inspects_own(plain: Path, path: Path) -> Iterator[Row]:
    """Yield the time of Inspect's frame of a log that Inspect wrote, and ours of the same."""
    if find_spec("inspect_ai") is None:
        return
    from inspect_ai.analysis import samples_df
    from inspect_ai.log import read_eval_log, write_eval_log

    write_eval_log(read_eval_log(str(plain)), str(path))
    own, frame = samples_df(str(path), quiet=True), evalframe.read_inspect(path, cluster="passage")
    if not (frame["score"] == own["score_match"].map({"C": 1.0, "I": 0.0}).to_numpy()).all():
        raise AssertionError("read_inspect and samples_df differ in a score")
    # In time of the processor: by the clock, other work slows the threads of Inspect more.
    theirs, ours = best(
        lambda: samples_df(str(path), quiet=True),
        lambda: evalframe.read_inspect(path, cluster="passage"),
        clock=time.process_time,
    )
    yield Row(
        f"read_inspect, {SAMPLES * EPOCHS:,} samples",
        named("inspect_ai", "samples_df"),
        ours,
        theirs,
        "ms",
        target=1 / 20,
        note="processor time; a log that Inspect wrote",
    )


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "x.eval")
        plain, scores, texts = best(
            lambda: baselines.json_loop(path),
            lambda: evalframe.read_inspect(path, cluster="passage"),
            lambda: evalframe.read_inspect(path, cluster="passage", text=True),
            repeats=4,
        )
        loop = f"Python {platform.python_version()} json of every sample"
        held = peak(lambda: evalframe.read_inspect(path, cluster="passage"))
        theirs = peak(lambda: baselines.json_loop(path))
        yield from inspects_own(path, Path(folder) / "own.eval")
    size = f"{SAMPLES * EPOCHS:,} samples"
    yield Row(f"read_inspect, {size}", loop, scores, plain, "ms")
    yield Row(f"read_inspect(text=True), {size}", loop, texts, plain, "ms")
    yield Row(f"read_inspect, {size}, peak memory", loop, held, theirs, "MB")


if __name__ == "__main__":
    show(rows)
