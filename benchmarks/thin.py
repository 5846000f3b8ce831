"""A step of a large table of word vectors, as networks here take it and as torch does: sums, gradient, Adam.

python benchmarks/thin.py [--rows 100000] [--width 512] [--documents 256] [--features 150] [--threads 1]
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.networks.thin import coalesced, summed
from umpteen.train.adam import ThinAdam

PARTS = ("sums", "gradient", "each row once", "Adam", "together")


def torchs(table: Tensor, rows: Tensor, starts: Tensor, values: Tensor) -> Tensor:
    """The sums as torch has them."""
    return F.embedding_bag(rows, table, starts, mode="sum", sparse=True, per_sample_weights=values)


def ours(table: Tensor, rows: Tensor, starts: Tensor, values: Tensor) -> Tensor:
    """The sums as networks here have them."""
    return summed(table, rows, starts, values, sparse=True)


def step(
    table: nn.Embedding,
    optimiser: ThinAdam | torch.optim.Optimizer,
    sums: Callable[..., Tensor],
    once: Callable[[Tensor], Tensor],
    given: tuple[Tensor, ...],
) -> list[float]:
    """Seconds that the parts of a step take."""
    marks = [time.perf_counter()]
    made = sums(table.weight, *given)
    marks.append(time.perf_counter())
    made.square().sum().backward()  # type: ignore[no-untyped-call]
    marks.append(time.perf_counter())
    assert table.weight.grad is not None
    table.weight.grad = once(table.weight.grad)
    marks.append(time.perf_counter())
    optimiser.step()
    optimiser.zero_grad()
    marks.append(time.perf_counter())
    return [*np.diff(marks), marks[-1] - marks[0]]


def main() -> None:
    """Print milliseconds by part, and how many times as fast."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in {"rows": 100_000, "width": 512, "documents": 256, "features": 150, "threads": 1}.items():
        parser.add_argument(f"--{name}", type=int, default=usual)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    count = options.documents * options.features
    drawn = (np.random.default_rng(0).random(count) ** 3 * options.rows).astype(np.int64)  # some words are frequent
    given = torch.from_numpy(drawn), torch.arange(0, count, options.features), torch.rand(count)
    ways = {
        "torch": (torchs, torch.optim.SparseAdam, Tensor.coalesce),
        "umpteen": (ours, ThinAdam, coalesced),
    }
    found = {}
    for name, (sums, optimiser, once) in ways.items():
        table = nn.Embedding(options.rows, options.width, sparse=True)
        steps = optimiser([{"params": [table.weight]}], lr=0.01)
        taken = [step(table, steps, sums, once, given) for _ in range(7)]
        found[name] = 1000 * np.median(taken[2:], axis=0)  # the first ones compile and lay out
    print("| ms | " + " | ".join(PARTS) + " |\n|---|" + "---|" * len(PARTS))
    for name, taken_ms in found.items():
        print(f"| {name} | " + " | ".join(f"{ms:.1f}" for ms in taken_ms) + " |")
    print("| times as fast | " + " | ".join(f"{ratio:.1f}" for ratio in found["torch"] / found["umpteen"]) + " |")


if __name__ == "__main__":
    main()
