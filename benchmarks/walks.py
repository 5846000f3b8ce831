"""How long random walks on a large label graph take, and how much memory.

    python benchmarks/walks.py [--labels 100000] [--edges 10000000] [--rounds 80] [--length 40] [--jobs 2] [--weighted]

Labels meet by chance, the frequent ones more often. Walks are counted, not kept, as where vectors learn from them.
"""

import argparse
import resource
import time

import numpy as np
from scipy import sparse

from umpteen.labels.graph import Graph


def generated(labels: int, edges: int, *, weighted: bool, seed: int = 0) -> Graph:
    """So many edges between labels that are drawn by how frequent they are."""
    random = np.random.default_rng(seed)
    met = sparse.csr_array((labels, labels), dtype=np.float32)
    while met.nnz < 2 * edges:
        missing = edges - met.nnz // 2
        ends = (random.random((2, missing + missing // 8)) ** 1.5 * labels).astype(np.int32)
        ends = ends[:, ends[0] != ends[1]][:, :missing]
        both = np.concatenate([ends, ends[::-1]], axis=1)
        met = met + sparse.csr_array((np.ones(both.shape[1], np.float32), tuple(both)), shape=met.shape)
    return Graph(met.indptr.astype(np.int64), met.indices.astype(np.int32), met.data if weighted else met.data[:0])


def main() -> None:
    """Print what was walked, the seconds and the memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usual = {"labels": 100_000, "edges": 10_000_000, "rounds": 80, "length": 40, "jobs": 2}
    for name, value in usual.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--weighted", action="store_true")
    options = parser.parse_args()
    graph = generated(options.labels, options.edges, weighted=options.weighted)
    next(graph.walks(rounds=1, length=2, seed=0, jobs=1))  # compiles
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began, steps = time.perf_counter(), 0
    for block in graph.walks(rounds=options.rounds, length=options.length, seed=0, jobs=options.jobs):
        steps += block.size
    taken = time.perf_counter() - began
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{options.labels:,} labels, {len(graph.neighbours) // 2:,} edges: {steps:,} steps in {taken:.1f} s")
    print(f"{1e9 * taken / steps:.0f} ns a step; {more / 1024:.0f} MB beside the graph")


if __name__ == "__main__":
    main()
