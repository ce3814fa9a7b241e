"""Write small logs as two tools write them: logs/lm_eval and logs/inspect.

No language model was run: the answers of two made-up models are drawn at random. README.md beside
this file says how, and tests hold the files against what the tools themselves wrote.

Usage: python make_logs.py [FOLDER], where FOLDER is this file's own folder unless given.
"""

import hashlib
import json
import re
import sys
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SEED = 20261201
N_STORIES, N_EPOCHS = 16, 2
TIME, STAMP = "2026-11-30T09:00:00+00:00", "2026-11-30T09-00-00"
ABOUT = "simulated by data/make_logs.py: no model was run"
NAMES = ("Ada", "Ben", "Cleo", "Dov", "Edda", "Finn", "Gita", "Hugo")

Json = dict[str, Any]


class Model(NamedTuple):
    """A made-up model: its log-odds of a right answer, and how often it marks its answer."""

    name: str
    ease: float
    marks: float


MODELS = (Model("toy/base", 0.2, 0.75), Model("toy/edit", 1.2, 0.95))


class Question(NamedTuple):
    """A question on a story; the questions of one story resemble each other."""

    name: str
    story: str
    text: str
    answer: int


def crates(rng: np.random.Generator, number: int) -> list[tuple[str, int]]:
    """Return the questions on a story about crates."""
    n, size = (int(rng.integers(low, high)) for low, high in ((6, 20), (11, 40)))
    given = int(rng.integers(2, n * size // 2))
    who = NAMES[number % len(NAMES)]
    story = f"{who} packs {n} crates of {size} plums and gives {given} plums away. "
    return [
        (f"{story}How many plums did {who} pack?", n * size),
        (f"{story}How many plums are left?", n * size - given),
        (f"{story}How many plums would {n + 2} such crates hold?", (n + 2) * size),
    ]


def fares(rng: np.random.Generator, number: int) -> list[tuple[str, int]]:
    """Return the questions on a story about fares."""
    price, n = (int(rng.integers(low, high)) for low, high in ((3, 19), (4, 17)))
    paid = price * n + int(rng.integers(1, 60))
    who = NAMES[-1 - number % len(NAMES)]
    story = f"A ticket costs {price} coins. {who} buys {n} tickets and pays with {paid} coins. "
    return [
        (f"{story}What do the tickets cost?", price * n),
        (f"{story}How many coins does {who} get back?", paid - price * n),
        (f"{story}What would {n + 3} tickets cost?", price * (n + 3)),
    ]


def questions(rng: np.random.Generator, letter: str) -> list[Question]:
    """Return three questions on each story."""
    write = {"c": crates, "f": fares}[letter]
    return [
        Question(f"{letter}{story + 1:02}-{place + 1}", f"{letter}{story + 1:02}", text, answer)
        for story in range(N_STORIES)
        for place, (text, answer) in enumerate(write(rng, story))
    ]


def answers(
    rng: np.random.Generator, found: list[Question], model: Model, ease: NDArray[np.float64]
) -> list[str]:
    """Draw a model's answers, some wrong and some without the mark that was asked for."""
    right = rng.random(len(found)) < 1 / (1 + np.exp(-(model.ease + ease)))
    marked = rng.random(len(found)) < model.marks
    off = rng.choice([-10, -2, -1, 1, 2, 10], len(found))
    given = [
        q.answer if ok else q.answer + int(by) for q, ok, by in zip(found, right, off, strict=True)
    ]
    return [
        f"It is {a}. #### {a}" if mark else f"It is {a}."
        for a, mark in zip(given, marked, strict=True)
    ]


def sha(text: str) -> str:
    """Return the hash that the harness takes of texts."""
    return hashlib.sha256(text.encode()).hexdigest()


def short(text: str) -> str:
    """Return an id of 22 letters and digits, as Inspect has them."""
    return sha(text)[:22]


def error(values: list[float]) -> float:
    """Return the standard error of a mean, as both tools print it."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def extract(answer: str, strict: bool) -> str:
    """Return the number that a filter of the harness finds in an answer."""
    found = re.findall(r"#### (-?\d+)" if strict else r"(-?\d+)", answer)
    return found[-1] if found else "[invalid]"


def lm_eval_line(number: int, question: Question, answer: str, name: str) -> Json:
    """Return a line of a samples file."""
    doc = question._asdict()
    doc = {"qid": doc["name"], "story": doc["story"], "question": doc["text"]}
    doc["answer"] = str(question.answer)
    prompt = f"Q: {question.text}\nA:"
    found = extract(answer, name == "strict-match")
    return {
        "doc_id": number,
        "doc": doc,
        "target": doc["answer"],
        "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {"until": ["\n"]}}},
        "resps": [[answer]],
        "filtered_resps": [found],
        "filter": name,
        "metrics": ["exact_match"],
        "doc_hash": sha(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": sha(prompt),
        "target_hash": sha(doc["answer"]),
        "exact_match": float(found == doc["answer"]),
    }


def write_lm_eval(folder: Path, model: Model, found: list[Question], given: list[str]) -> None:
    """Write a model's samples and results as lm-evaluation-harness 0.4.13 lays them out."""
    lines, means = [], {}
    for name in ("strict-match", "flexible-extract"):
        part = [lm_eval_line(n, *row, name) for n, row in enumerate(zip(found, given, strict=True))]
        scores = [line["exact_match"] for line in part]
        means[f"exact_match,{name}"] = float(np.mean(scores))
        means[f"exact_match_stderr,{name}"] = error(scores)
        lines += part
    size = len(found)
    results = {
        "results": {"crates": {"alias": "crates", "sample_len": size, **means}},
        "group_subtasks": {"crates": []},
        "configs": {"crates": {"task": "crates", "output_type": "generate_until", "repeats": 1}},
        "versions": {"crates": 1.0},
        "n-shot": {"crates": 0},
        "higher_is_better": {"crates": {"exact_match": True}},
        "n-samples": {"crates": {"original": size, "effective": size}},
        "config": {"model": "simulated", "model_args": None, "limit": None},
        "pretty_env_info": ABOUT,
        "model_source": "simulated",
        "model_name": model.name,
        "model_name_sanitized": model.name.replace("/", "__"),
    }
    folder = folder / model.name.replace("/", "__")
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / f"samples_crates_{STAMP}.000000.jsonl").write_bytes(text.encode())
    whole = json.dumps(results, indent=2) + "\n"
    (folder / f"results_{STAMP}.000000.json").write_bytes(whole.encode())


def inspect_sample(question: Question, epoch: int, answer: str, model: Model) -> Json:
    """Return a sample; one of the base model's calls failed."""
    key = f"{model.name} {question.name} {epoch}"
    usage = {"input_tokens": len(question.text) // 4, "output_tokens": 4 + len(answer) // 4}
    usage["total_tokens"] = sum(usage.values())
    message = {"id": short(key), "content": answer, "source": "generate", "role": "assistant"}
    asked = {"id": short(question.name), "content": question.text, "role": "user"}
    right = extract(answer, strict=False) == str(question.answer)
    match = {"value": "C" if right else "I", "answer": answer, "explanation": answer}
    sample: Json = {
        "id": question.name,
        "epoch": epoch,
        "input": question.text,
        "target": str(question.answer),
        "messages": [asked, message],
        "output": {
            "model": model.name,
            "choices": [{"message": message, "stop_reason": "stop"}],
            "completion": answer,
            "usage": usage,
        },
        "scores": {"match": match},
        "metadata": {"story": question.story},
        "store": {},
        "events": [],
        "model_usage": {model.name: usage},
        "started_at": TIME,
        "completed_at": TIME,
        "total_time": 1.0,
        "working_time": 1.0,
        "uuid": short(f"sample {key}"),
        "attachments": {},
    }
    if (model.name, question.name, epoch) == ("toy/base", "f05-2", 2):
        about = "TimeoutError: no answer in 60 s"
        sample["error"] = {"message": about, "traceback": about, "traceback_ansi": about}
        sample |= {"output": {"model": model.name, "choices": []}, "messages": [asked]}
        del sample["scores"], sample["model_usage"]
    return sample


def inspect_header(model: Model, samples: list[Json]) -> Json:
    """Return the header of a log, with the mean and error over items of their mean over epochs."""
    by_item: dict[str, list[float]] = {}
    for one in samples:
        if "scores" in one:
            score = float(one["scores"]["match"]["value"] == "C")
            by_item.setdefault(one["id"], []).append(score)
    means = [float(np.mean(scores)) for scores in by_item.values()]
    metrics = {
        name: {"name": name, "value": value, "params": {}}
        for name, value in (("accuracy", float(np.mean(means))), ("stderr", error(means)))
    }
    score = {"name": "match", "scorer": "match", "reducer": "mean", "metrics": metrics}
    score |= {"scored_samples": len(means), "unscored_samples": 0, "params": {}}
    run = {
        "eval_id": short(f"eval {model.name}"),
        "run_id": short(f"run {model.name}"),
        "created": TIME,
        "task": "fares",
        "task_id": short(f"task {model.name}"),
        "dataset": {"name": "fares", "samples": len(by_item), "sample_ids": list(by_item)},
        "model": model.name,
        "config": {"epochs": N_EPOCHS, "epochs_reducer": ["mean"], "fail_on_error": False},
        "metadata": {"about": ABOUT},
    }
    n_scored = sum("scores" in one for one in samples)
    results = {"total_samples": len(samples), "completed_samples": n_scored, "scores": [score]}
    stats = {"started_at": TIME, "completed_at": TIME}
    head = {"version": 2, "status": "success", "eval": run, "results": results, "stats": stats}
    return head | {"plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}]}}


def write_inspect(folder: Path, model: Model, samples: list[Json]) -> None:
    """Write a log as Inspect AI does, deflated as it was before Zstandard."""
    left_out = ("messages", "output", "store", "events", "attachments")
    summaries = [{k: v for k, v in one.items() if k not in left_out} for one in samples]
    for one in summaries:
        one["completed"] = True
        if "error" in one:
            one["error"] = one["error"]["message"]
    members: dict[str, Any] = {
        f"samples/{one['id']}_epoch_{one['epoch']}.json": one for one in samples
    }
    members |= {"summaries.json": summaries, "header.json": inspect_header(model, samples)}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{STAMP}-00-00_fares_{short(f'task {model.name}')}.eval"
    with zipfile.ZipFile(path, "w") as archive:
        for name, value in members.items():
            # Without the time of writing, the same members give the same archive.
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, json.dumps(value, ensure_ascii=False))


def main(folder: Path) -> None:
    """Write a log of each tool for each model; both models answer the same questions."""
    for tool, letter in enumerate("cf"):
        rng = np.random.default_rng([SEED, tool])
        found = questions(rng, letter)
        ease = np.repeat(rng.normal(0, 0.7, N_STORIES), 3) + rng.normal(0, 0.9, len(found))
        for model in MODELS:
            own = ease + np.repeat(rng.normal(0, 0.3, N_STORIES), 3)
            if letter == "c":
                given = answers(rng, found, model, own)
                write_lm_eval(folder / "logs" / "lm_eval", model, found, given)
                continue
            samples = [
                inspect_sample(question, epoch, answer, model)
                for epoch in range(1, N_EPOCHS + 1)
                for question, answer in zip(found, answers(rng, found, model, own), strict=True)
            ]
            write_inspect(folder / "logs" / "inspect", model, samples)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
