"""Dropout forward and backward, as networks here have it and as torch does.

python benchmarks/dropping.py [--documents 64] [--words 110] [--width 256] [--threads 1]
"""

import argparse
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from umpteen.networks.dropping import dropped

_SHARE, _ROUNDS = 0.2, 20


def taken(drop: Callable[[Tensor, float, bool], Tensor], given: Tensor) -> float:
    """Milliseconds of a step that does nothing else, the median."""
    slope, found = torch.ones_like(given), []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        drop(given, _SHARE, True).backward(slope)  # type: ignore[no-untyped-call]
        found.append(time.perf_counter() - start)
        given.grad = None
    return 1000 * float(np.median(found[2:]))  # the first ones compile


def main() -> None:
    """Print milliseconds by kind of number, and how many times as fast."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in {"documents": 64, "words": 110, "width": 256, "threads": 1}.items():
        parser.add_argument(f"--{name}", type=int, default=usual)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    print("| numbers | torch ms | umpteen ms | times as fast |\n|---|---|---|---|")
    for kind in (torch.float32, torch.bfloat16):
        given = torch.randn(options.documents, options.words, options.width, dtype=kind, requires_grad=True)
        torchs, ours = taken(F.dropout, given), taken(dropped, given)
        print(f"| {str(kind).removeprefix('torch.')} | {torchs:.1f} | {ours:.1f} | {torchs / ours:.1f} |")


if __name__ == "__main__":
    main()
