"""What a step of training and a document's tags cost at 4 thousand to a million labels, and how much memory.

    python benchmarks/scale.py [--labels 4000,1000000] [--try lightattention] [--try attentionxml:shortlist=0]

Documents and labels are drawn at random: this is about cost. Each row is a process of its own, that trains some steps
with the engine (optimiser, averaged weights, the best weights so far and a look at validation documents, which counts
for memory and not for a step), then tags documents one by one and many at once. Label trees are given, not grown:
tree.py measures that.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

_VOCABULARY, _SINGLE, _LABELS = 50_000, 200, 5  # words; documents tagged one by one; labels of a document

Row = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One row of the table."""

    model: str
    settings: str
    labels: int
    words: int
    steps: int
    threads: int

    @property
    def name(self) -> str:
        """What the table calls it."""
        return self.model + (f" {self.settings}" if self.settings else "")


def cases(options: argparse.Namespace) -> Iterator[Case]:
    """All rows: each variant at each number of labels."""
    for wanted in options.tries:
        model, _, settings = wanted.partition(":")
        for labels in options.labels.split(","):
            yield Case(model, settings, int(labels), options.words, options.steps, options.threads)


def measured(case: Case) -> Row:
    """Train and tag in this process."""
    import torch
    from scipy import sparse

    from umpteen.models import model
    from umpteen.train.batches import Source
    from umpteen.train.device import autocast_of, precision_of
    from umpteen.train.loop import Loop
    from umpteen.train.ranked import ranked

    torch.set_num_threads(case.threads)
    device = torch.device("cpu")
    cls = model(case.model)
    settings = dict(part.split("=", 1) for part in case.settings.split(";") if part)
    made = cls(**cls.Params.made({"width": 256, "average_from": 0.0, **settings}, owner=case.model).__dict__)
    p = made.params
    random = np.random.default_rng(0)
    source = drawn(random, max(p.batch * case.steps, _SINGLE), case, device)
    if hasattr(made, "grow"):
        made.grow(sparse.csr_array((case.labels, 1), dtype=np.float32))  # profiles of nothing are quick to halve
    vectors = random.normal(0, 0.3, (_VOCABULARY, 256)).astype(np.float32)
    network = made.network(vectors, np.full(case.labels, _LABELS / case.labels, np.float32))

    def judge() -> float:
        rows = np.arange(2 * p.batch)
        few = Source(source.tokens.take(rows), None, device)
        return float(ranked(network, few, 5, batch=p.batch, tokens=p.tokens).scores.mean())

    loop = Loop(network, source, p, judge, autocast_of(precision_of(p.precision, device), device))
    loop.every, times, began = case.steps // 2, list[float](), time.perf_counter()
    for step in loop.steps():
        if step.score is None:
            times.append(time.perf_counter() - began)
            seen = step.documents  # fewer than a batch where they are long
        began = time.perf_counter()
        if step.number == case.steps:
            break
    alone = [_tagged(network, source, np.array([n])) for n in range(_SINGLE)]
    many = np.arange(64)
    together = min(_tagged(network, source, many) for _ in range(3))
    return {
        "step_ms": 1000 * statistics.median(times[2:]),
        "documents": seen,
        "documents_s": seen / statistics.median(times[2:]),
        "p50_ms": 1000 * float(np.percentile(alone[5:], 50)),
        "p99_ms": 1000 * float(np.percentile(alone[5:], 99)),
        "tagged_s": len(many) / together,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }


def drawn(random: np.random.Generator, documents: int, case: Case, device: Any) -> Any:
    """Documents of words and labels by chance, frequent ones more often."""
    from scipy import sparse

    from umpteen.text.vocabulary import Tokens
    from umpteen.train.batches import Source

    ids = 2 + ((_VOCABULARY - 2) * random.random(documents * case.words) ** 3).astype(np.int32)
    labels = (case.labels * random.random((documents, _LABELS)) ** 2).astype(np.int32)
    rows = np.repeat(np.arange(documents), _LABELS)
    ones = np.ones(labels.size, np.float32)
    Y = sparse.csr_array((ones, (rows, labels.ravel())), shape=(documents, case.labels))
    return Source(Tokens(ids, np.arange(documents + 1) * case.words), Y, device)


def _tagged(network: Any, source: Any, rows: Any) -> float:
    """Seconds that tags of some documents take."""
    import torch

    batch = source.batch(rows)
    network.eval()
    began = time.perf_counter()
    with torch.inference_mode():
        network.best(batch, 5)
    return time.perf_counter() - began


def report(rows: list[Row]) -> str:
    """All rows as a Markdown table; ratios are to the first row of the same variant."""
    head = (
        "variant", "labels", "documents", "step, ms", "ratio", "documents/s", "tag one: p50, ms", "p99, ms",
        "tag, documents/s", "peak, GB",
    )  # fmt: skip
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    first: dict[str, Row] = {}
    for row in rows:
        base = first.setdefault(row["name"], row)
        cells = (
            row["name"], f"{row['labels']:,}", str(row["documents"]), f"{row['step_ms']:.0f}",
            f"{row['step_ms'] / base['step_ms']:.2f}", f"{row['documents_s']:.1f}", f"{row['p50_ms']:.1f}",
            f"{row['p99_ms']:.1f}", f"{row['tagged_s']:.0f}", f"{row['peak_gb']:.2f}",
        )  # fmt: skip
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def parsed(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--labels", default="4000,30000,300000,1000000", help="(%(default)s)")
    parser.add_argument("--try", dest="tries", action="append", metavar="MODEL[:NAME=VALUE;...]", help="a model")
    parser.add_argument("--words", type=int, default=100, help="words of a document (%(default)s)")
    parser.add_argument("--steps", type=int, default=20, help="steps to train (%(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="(%(default)s)")
    parser.add_argument("--case", help=argparse.SUPPRESS)  # a row, in a process of its own
    options = parser.parse_args(arguments)
    options.tries = options.tries or ["lightattention"]
    return options


def main() -> None:
    """Measure and print."""
    options = parsed()
    if options.case:
        print(json.dumps(measured(Case(**json.loads(options.case)))))
        return
    rows = list[Row]()
    for case in cases(options):
        command = [sys.executable, str(Path(__file__)), "--case", json.dumps(vars(case))]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(f"{case.name}, {case.labels:,} labels: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
            continue
        rows.append({"name": case.name, "labels": case.labels, **json.loads(done.stdout.splitlines()[-1])})
        print(f"{case.name}, {case.labels:,} labels: {rows[-1]['step_ms']:.0f} ms a step", file=sys.stderr)
    print(report(rows) if rows else "Nothing was measured.")


if __name__ == "__main__":
    main()
