"""What a model costs in time, memory and network as documents, words and labels grow, on generated texts.

    python benchmarks/growth.py [--model plt] [--set trees=1] [--documents 20000,40000] [--labels 3000] [--words 40]

One of the three grows while the others stay at their first value. Each row is a process of its own. What travels is
counted, not measured. Of shared work these are the arrays that a machine of a cluster gets once, and all answers;
of networks the gradients of all steps, out and back; other models are trained on one machine.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from umpteen.app.config import assignments
from umpteen.contract.classifier import Classifier
from umpteen.core.corpus import Corpus
from umpteen.data.generate import generate
from umpteen.kernels.spread import Shared, fixed, working_on
from umpteen.kernels.threads import each
from umpteen.models import model

_TAGGED = 2000  # documents
_HEAD = (
    "documents", "words each", "labels", "labels that occur", "training, s", "core s", "most memory, MB", "model, MB",
    "to a machine, MB", "back, MB", "tagged/s",
)  # fmt: skip

Row = dict[str, float]


class Counted:
    """Stands where a cluster would, and counts what would travel."""

    def __init__(self, jobs: int) -> None:
        self.out, self.back, self._jobs, self._kept = 0, 0, jobs, dict[int, Any]()

    def each(self, work: Callable[[Shared, Any], Any], shared: Shared, blocks: Iterable[Any]) -> Iterator[Any]:
        """The work, done here."""
        for part in shared:
            if isinstance(part, np.ndarray) and id(part) not in self._kept:
                self.out += part.nbytes
                self._kept[id(part)] = part
        for answer in each(partial(work, tuple(map(fixed, shared))), blocks, jobs=self._jobs):
            parts = answer if isinstance(answer, tuple) else (answer,)
            self.back += sum(part.nbytes for part in parts)
            yield answer


@contextmanager
def gradients() -> Iterator[list[int]]:
    """Bytes of the gradients of each step that any network takes meanwhile."""
    if "umpteen.train.loop" not in sys.modules:  # no network is trained
        yield []
        return
    from umpteen.train.loop import Loop

    sizes, update = list[int](), Loop._update

    def counted(loop: Loop, rows: Any, done: float) -> float:
        sizes.append(4 * sum(p.numel() for p in loop.network.parameters() if p.requires_grad))
        return update(loop, rows, done)

    with patch.object(Loop, "_update", counted):
        yield sizes


def travelled(made: Classifier, texts: Corpus, sizes: list[int]) -> tuple[float, float]:
    """Bytes to a machine, and back, in a training on several."""
    if sizes:
        return sum(sizes), sum(sizes)
    counted = Counted(made.params.jobs)
    with working_on(counted):
        type(made)(**vars(made.params)).fit(texts)
    return counted.out, counted.back


def measured(case: dict[str, Any]) -> Row:
    """Train and tag in this process."""
    settings = assignments(case["set"])
    kind = model(case["model"])
    made = kind(**vars(kind.Params.made({"jobs": case["jobs"], **settings}, owner=case["model"])))
    size = {"labels": case["labels"], "words": case["words"], "power": case["power"]}
    kind(**vars(made.params)).fit(generate(documents=300, labels=50))  # compiles what must be
    texts = generate(documents=case["documents"], **size)
    with tempfile.TemporaryDirectory() as place, gradients() as sizes:
        began, used = time.perf_counter(), time.process_time()
        made.fit(texts)
        seconds, used = time.perf_counter() - began, time.process_time() - used
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        made.save(Path(place) / "m")
        stored = sum(file.stat().st_size for file in (Path(place) / "m").iterdir())
        out, back = travelled(made, texts, sizes)
    some = [document.text for document in generate(documents=_TAGGED, seed=1, **size)]
    made.set_params(jobs=1).rank(some[:10])
    tagging = time.process_time()
    made.rank(some)
    tagging = time.process_time() - tagging
    occurring = int((made.labels_.counts > 0).sum())
    return dict(
        zip(_HEAD, (case["documents"], case["words"], case["labels"], occurring, seconds, used, peak / 1e6,
                    stored / 1e6, out / 1e6, back / 1e6, _TAGGED / tagging), strict=True)
    )  # fmt: skip


def cases(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The first values, then one of the three larger and larger."""
    grown = {name: [int(n) for n in getattr(options, name).split(",")] for name in ("documents", "words", "labels")}
    first = {name: sizes[0] for name, sizes in grown.items()}
    rest = {"model": options.model, "set": options.set or [], "jobs": options.jobs, "power": options.power}
    yield {**rest, **first}
    for name, sizes in grown.items():
        for size in sizes[1:]:
            yield {**rest, **first, name: size}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", default="plt", help="(%(default)s)")
    parser.add_argument("--set", action="append", metavar="NAME=VALUE", help="a setting of the model")
    parser.add_argument("--documents", default="20000,40000,80000", help="(%(default)s)")
    parser.add_argument("--words", default="40,80,160", help="words of a document (%(default)s)")
    parser.add_argument("--labels", default="3000,12000,48000", help="(%(default)s)")
    parser.add_argument("--power", type=float, default=0.5, help="how steeply label frequency falls (%(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="threads (%(default)s)")
    parser.add_argument("--case", help=argparse.SUPPRESS)  # a row, in a process of its own
    options = parser.parse_args()
    if options.case:
        print(json.dumps(measured(json.loads(options.case))))
        return
    print("| " + " | ".join(_HEAD) + " |\n" + "|---" * len(_HEAD) + "|")
    for case in cases(options):
        command = [sys.executable, str(Path(__file__)), "--case", json.dumps(case)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr.strip().splitlines()[-1])
        row = json.loads(done.stdout.splitlines()[-1])
        print("| " + " | ".join(f"{value:,.0f}" if value >= 10 else f"{value:.1f}" for value in row.values()) + " |",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
