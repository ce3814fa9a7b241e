"""Time read_inspect on 5,000 samples against a plain loop over their JSON, in one run.

Run it by hand: python tests/benchmarks/read_inspect.py
"""

import json
import platform
import tempfile
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import baselines
import pandas as pd

import evalframe

SAMPLES, EPOCHS, EVENTS = 1_000, 5, 12


def sample(number: int, epoch: int) -> dict[str, object]:
    """Return a sample of about 9 kB, as a short run of one question writes it."""
    answer = f"The answer to question {number} is {number * epoch % 97}. " * 3
    message = {"role": "assistant", "content": answer, "source": "generate"}
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
        "events": [
            {"event": "model", "n": n, "output": message, "note": answer} for n in range(EVENTS)
        ],
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
        header = {"status": "success", "eval": {"task": "quiz", "model": "maker/model"}}
        archive.writestr("header.json", json.dumps(header))
    return path


def best(function: Callable[[], object], repeats: int = 5) -> float:
    """Return the shortest of several runs in milliseconds, after one to warm up."""
    function()
    took = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        took.append(time.perf_counter() - start)
    return 1e3 * min(took)


def peak(function: Callable[[], object]) -> float:
    """Return the most memory that a call holds at once, in MB."""
    tracemalloc.start()
    function()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "x.eval")
        plain = best(lambda: baselines.json_loop(path))
        scores = best(lambda: evalframe.read_inspect(path, cluster="passage"))
        texts = best(lambda: evalframe.read_inspect(path, cluster="passage", text=True))
        held = peak(lambda: evalframe.read_inspect(path, cluster="passage"))
        size = path.stat().st_size / 1e6
    print(f"pandas {pd.__version__}, Python {platform.python_version()}")
    print(f"{SAMPLES * EPOCHS:,} samples, {size:.1f} MB deflated")
    print(f"plain json loop             {plain:8.1f} ms  1.00")
    print(f"read_inspect                {scores:8.1f} ms  {scores / plain:.2f} x the loop")
    print(f"read_inspect, text=True     {texts:8.1f} ms  {texts / plain:.2f} x the loop")
    print(f"read_inspect, peak memory   {held:8.1f} MB")


if __name__ == "__main__":
    main()
