"""How long a label tree takes to grow, and how much memory: profiles are generated, a million by default.

    python benchmarks/tree.py [--labels 1000000] [--features 100000] [--entries 100] [--jobs 2]

A label's profile is drawn from the features of its theme, from those of the field that its theme belongs to, and from
all, the frequent ones more often, a third each. The table says how alike the labels of a lowest group are, so that one
sees that they were grouped and not only cut.
"""

import argparse
import resource
import time

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy import sparse

from umpteen.labels.tree import Tree, balanced

_BLOCK = 20_000  # profiles drawn at a time


def generated(labels: int, features: int, entries: int, *, seed: int = 0) -> sparse.csr_array:
    """Profiles of length one, (labels, features)."""
    random = np.random.default_rng(seed)
    themes, fields = (random.integers(features, size=(n, entries), dtype=np.int32) for n in (max(2, labels // 500), 50))
    third = entries // 3
    columns, values, sizes = list[NDArray[np.int32]](), list[NDArray[np.float32]](), [np.zeros(1, np.int64)]
    for start in range(0, labels, _BLOCK):
        count = min(_BLOCK, labels - start)
        theme = random.integers(len(themes), size=(count, 1))
        own = themes[theme, random.integers(entries, size=(count, third))]
        near = fields[theme % len(fields), random.integers(entries, size=(count, third))]
        other = (features * random.random((count, entries - 2 * third)) ** 3).astype(np.int32)
        drawn = np.sort(np.concatenate([own, near, other], axis=1), axis=1)
        first = np.ones(drawn.shape, bool)  # of equal ones
        first[:, 1:] = drawn[:, 1:] != drawn[:, :-1]
        weight = np.where(first, random.random(drawn.shape, np.float32) + np.float32(0.1), np.float32(0))
        weight /= np.linalg.norm(weight, axis=1, keepdims=True)
        columns.append(drawn[first])
        values.append(weight[first])
        sizes.append(first.sum(axis=1))
    bounds = np.concatenate(sizes).cumsum()
    return sparse.csr_array((np.concatenate(values), np.concatenate(columns), bounds), shape=(labels, features))


def likeness(vectors: sparse.csr_array, tree: Tree, *, groups: int = 500) -> tuple[float, float]:
    """The mean likeness of neighbours in the tree and of labels by chance, in some of the lowest groups."""
    starts = np.random.default_rng(0).choice(tree.levels[-1][:-1], groups)
    pairs = [tree.order[starts], tree.order[np.minimum(starts + 1, len(tree.order) - 1)]]
    others = tree.order[np.random.default_rng(1).integers(len(tree.order), size=groups)]
    near, far = (vectors[pairs[0]].multiply(vectors[chosen]).sum(axis=1).mean() for chosen in (pairs[1], others))
    return float(near), float(far)


def peak() -> float:
    """The most memory so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def main() -> None:
    """Generate, grow, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--labels", type=int, default=1_000_000, help="(%(default)s)")
    parser.add_argument("--features", type=int, default=100_000, help="(%(default)s)")
    parser.add_argument("--entries", type=int, default=100, help="features of a profile (%(default)s)")
    parser.add_argument("--leaf", type=int, default=16, help="labels of a lowest group at most (%(default)s)")
    parser.add_argument("--branch", type=int, default=16, help="groups in a group (%(default)s)")
    parser.add_argument("--height", type=int, default=2, help="levels of groups (%(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="threads (%(default)s)")
    options = parser.parse_args()
    balanced(generated(1000, 500, 20), branch=2, leaf=10)  # compiles what must be
    vectors = generated(options.labels, options.features, options.entries)
    before, began = peak(), time.perf_counter()
    shape = {"branch": options.branch, "leaf": options.leaf, "height": options.height}
    tree = balanced(vectors, **shape, jobs=options.jobs)
    seconds = time.perf_counter() - began
    near, far = likeness(vectors, tree)
    table = Table(
        "labels", "entries", "groups by level", "seconds", "GB before", "GB at most", "alike: near, by chance"
    )
    levels = ", ".join(f"{len(level) - 1:,}" for level in tree.levels[1:])
    figures = (f"{seconds:.0f}", f"{before:.2f}", f"{peak():.2f}", f"{near:.2f}, {far:.2f}")
    table.add_row(f"{options.labels:,}", f"{vectors.nnz:,}", levels, *figures)
    Console().print(table)


if __name__ == "__main__":
    main()
