"""One system trained, or asked, in a process of its own, on two cores.

python -m peers.measure (compile|train|tag) SYSTEM DATA MODEL ANSWER SEED

DATA holds X, Y, Xt and Yt as .npz. ANSWER gets the figures as JSON, and, next to it, the labels given as .npy.
"""

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from peers.systems import SYSTEMS, THREADS, System, matrix

_SINGLE = 500  # documents asked one at a time
_ROUNDS = 3
_LONG = 60  # seconds of batch tagging after which there is no further round

Figures = dict[str, float]


def train(system: System, data: Path, model: Path) -> Figures:
    """Seconds of training, most memory, size of the model."""
    system.read(data)
    system.warm_up()
    before, cpu = peak(), time.process_time()
    seconds, _ = timed(system.train, model)
    cpu = time.process_time() - cpu
    system.save(model)
    size = sum(file.stat().st_size for file in model.rglob("*") if file.is_file())
    return {"train_s": seconds, "cpu_s": cpu, "peak_mb": peak(), "before_mb": before, "size_mb": size / 1e6}


def compiled(system: System, data: Path, model: Path) -> Figures:
    """Seconds of what happens once only."""
    system.read(data)
    return {"compile_s": timed(system.warm_up)[0]}


def tag(system: System, data: Path, model: Path, answer: Path) -> Figures:
    """Documents a second, milliseconds of a single one; the labels given to all."""
    X = matrix(data, "Xt")
    before = peak()
    load, _ = timed(system.load, model)
    documents = system.asked(X)
    singles = [system.asked(X[row]) for row in range(min(_SINGLE, X.shape[0]))]
    system.batch(system.asked(X[:200]))  # a warm process
    best, answers = fastest(system.batch, documents, long=_LONG)
    np.save(answer.with_suffix(".npy"), system.labels(answers))
    system.on_one_thread()
    for single in singles[:50]:
        system.one(single)
    times = [1000 * timed(system.one, single)[0] for single in singles]
    p50, p99 = np.percentile(times, [50, 99]).tolist()
    return {"load_s": load, "docs_s": X.shape[0] / best, "p50_ms": p50, "p99_ms": p99, "tag_mb": peak() - before}


def fastest(work: Callable[..., Any], documents: Any, *, long: float) -> tuple[float, Any]:
    """The least seconds of a few rounds, fewer once they took `long` together, and what `work` gives."""
    best, spent = float("inf"), 0.0
    for _ in range(_ROUNDS):
        seconds, answers = timed(work, documents)
        best, spent = min(best, seconds), spent + seconds
        if spent > long:
            break
    return best, answers


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Seconds that `work` takes, and what it gives."""
    began = time.perf_counter()
    answer = work(*arguments)
    return time.perf_counter() - began, answer


def peak() -> float:
    """The most memory this process has held so far, in MB (ru_maxrss; in Linux without what was before exec)."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1000
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def main() -> None:
    """Run one step as the arguments say."""
    step, name, *paths, seed = sys.argv[1:]
    data, model, answer = map(Path, paths)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
    made, settings = SYSTEMS[name]
    system = made(**settings)
    system.seed(int(seed))
    figures = (
        tag(system, data, model, answer)
        if step == "tag"
        else {"train": train, "compile": compiled}[step](system, data, model)
    )
    answer.write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
