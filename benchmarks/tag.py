"""How long a saved model takes to tag documents: all in one go, on one core and on all, and one by one.

    python benchmarks/tag.py MODEL DATA [--calls 9] [--alone 200]

The first call reads compiled code as well and stands by itself. The others are of a warm process; documents are read
before, words are told apart in the calls. MODEL is not changed; members of a consensus keep their number of threads.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

os.environ.setdefault("GOMP_SPINCOUNT", "1000")  # as the command does, before anything loads OpenMP

import umpteen
from umpteen.kernels.threads import cores


def seconds_of(work: Callable[[], Any]) -> float:
    """How long it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def main() -> None:
    """Load, tag, print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("data")
    parser.add_argument("--calls", type=int, default=9, help="that the median is of (%(default)s)")
    parser.add_argument("--alone", type=int, default=200, help="documents tagged one by one, at most (%(default)s)")
    options = parser.parse_args()
    model, corpus = umpteen.load(options.model), umpteen.read(options.data)
    documents = corpus.matrix() if not corpus.is_text else list(corpus.texts())
    count = documents.shape[0] if not corpus.is_text else len(documents)
    print(f"{count:,} documents; first call {seconds_of(lambda: model.rank(documents, 5)):.3f} s\n")
    print("| threads | s | documents/s | one document: p50, ms | p99, ms |\n|---|---|---|---|---|")
    for jobs in sorted({1, cores()}):
        model.params = replace(model.params, jobs=jobs)
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(jobs)
        whole = statistics.median(seconds_of(lambda: model.rank(documents, 5)) for _ in range(options.calls))
        singles = [documents[n : n + 1] for n in range(min(options.alone, count))]
        alone = [1000 * seconds_of(lambda one=one: model.rank(one, 5)) for one in singles]
        p50, p99 = np.percentile(alone, (50, 99))
        print(f"| {jobs} | {whole:.3f} | {count / whole:,.0f} | {p50:.2f} | {p99:.2f} |")


if __name__ == "__main__":
    main()
