"""One deep system tried, trained, or asked, in a process of its own, on as many cores as it has threads.

python -m peers.learn (warm|train|tag) SYSTEM DATA MODEL ANSWER

To warm is to learn from a few documents, so that what a system compiles once for all is there. DATA is what texts.py
wrote, with sizes.json. ANSWER gets the figures as JSON, while training those so far, and, next to it, the labels given
as .npy.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np

from peers.measure import fastest, peak
from peers.network import Clock, Network, Sizes, part
from peers.networks import NETWORKS

_FEW, _SHORT = 80, 30  # documents that a system is tried on, and seconds
_LONG = 30  # seconds of tagging after which there is no further round

Figures = dict[str, float]


def warm(system: Network, model: Path, answer: Path) -> Figures:
    """Learn from a few documents, of which there is nothing to tell."""
    system.read()
    system.train, system.valid = system.train[:_FEW], system.valid[:_FEW]
    system.fit(model, Clock(min(_SHORT, system.sizes.limit)))
    return {}


def train(system: Network, model: Path, answer: Path) -> Figures:
    """Documents trained on and the seconds that took; most memory."""
    system.read()
    before = peak()
    clock = Clock(system.sizes.limit, lambda figures: _write(answer, figures | {"peak_mb": peak()}))
    system.fit(model, clock)
    return clock.figures() | {"peak_mb": peak(), "before_mb": before, "documents": len(system.train)}


def tag(system: Network, model: Path, answer: Path) -> Figures:
    """Documents a second from text to labels; the labels given to all."""
    system.read()
    texts = [document["text"] for document in part(system.data, "test")]
    before = peak()
    system.load(model)
    system.tag(texts[: system.sizes.batch])  # a warm process
    best, labels = fastest(system.tag, texts, long=_LONG)
    np.save(answer.with_suffix(".npy"), labels)
    return {"docs_s": len(texts) / best, "tagged": len(texts), "tag_mb": peak(), "tag_before_mb": before}


def _write(answer: Path, figures: Figures) -> None:
    fresh = answer.with_name(answer.name + ".new")
    fresh.write_text(json.dumps(figures))
    fresh.replace(answer)


STEPS = {"warm": warm, "train": train, "tag": tag}


def main() -> None:
    """Run one step as the arguments say."""
    step, name, *paths = sys.argv[1:]
    data, model, answer = map(Path, paths)
    sizes = Sizes(**json.loads((data / "sizes.json").read_text()))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: sizes.threads])
    system = NETWORKS[name](data, sizes)
    _write(answer, STEPS[step](system, model, answer))


if __name__ == "__main__":
    main()
