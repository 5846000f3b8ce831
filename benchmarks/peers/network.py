"""What a deep system in the comparison is: trained on texts, loaded, asked for labels; sizes and a clock for all.

Each runs in its own environment, so nothing but the standard library and numpy is imported before it is used.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

TOP = 5  # labels asked for


@dataclass(frozen=True)
class Sizes:
    """What is the same for all systems."""

    hidden: int = 256  # of the LSTM, per direction
    length: int = 500  # words read of a document
    batch: int = 40
    epochs: int = 1
    limit: float = 1200  # seconds after which training stops where it is
    patience: int = 0  # epochs without a better score after which it stops; 0: never
    threads: int = 2


@dataclass
class Clock:
    """What training has done so far; told on to `show` now and then."""

    limit: float
    show: Callable[[dict[str, float]], None] = lambda _: None
    seen: float = 0  # documents
    steps_s: float = 0  # spent on them
    valid_s: float = 0  # spent on validation
    began: float = field(default_factory=time.perf_counter)
    shown: float = 0

    def saw(self, documents: float, seconds: float) -> None:
        """Count documents trained on."""
        self.seen += documents
        self.steps_s += seconds
        if time.perf_counter() - self.shown > 2:
            self.shown = time.perf_counter()
            self.show(self.figures())

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return time.perf_counter() - self.began

    def figures(self) -> dict[str, float]:
        """All that is known."""
        return {"seen": self.seen, "train_s": self.spent, "steps_s": self.steps_s, "valid_s": self.valid_s}


class Network:
    """One way from texts to labels."""

    installs: ClassVar[tuple[str, ...]] = ()  # arguments of pip, a call each; none: the environment that runs this

    def __init__(self, data: Path, sizes: Sizes) -> None:
        self.data, self.sizes = data, sizes
        self.labels: int = json.loads((data / "labels.json").read_text())

    def read(self) -> None:
        """Import what is needed and take texts in; this is not timed."""
        import torch

        torch.set_num_threads(self.sizes.threads)
        self.train, self.valid = part(self.data, "train"), part(self.data, "valid")

    def fit(self, folder: Path, clock: Clock) -> None:
        """Everything from texts to a model in a folder."""
        raise NotImplementedError

    def load(self, folder: Path) -> None:
        """Become ready to answer."""
        raise NotImplementedError

    def tag(self, texts: list[str]) -> NDArray[np.int32]:
        """The TOP best labels of each text."""
        raise NotImplementedError


def part(folder: Path, name: str) -> list[dict[str, Any]]:
    """The documents of a part of the data, each with `text` and `labels`."""
    with (folder / f"{name}.jsonl").open() as lines:
        return [json.loads(line) for line in lines]
