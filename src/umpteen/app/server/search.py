"""Labels whose name begins with or holds some letters, those most used first."""

from functools import lru_cache

import numpy as np

from umpteen.core.space import LabelSpace


def found(space: LabelSpace, query: str, limit: int) -> list[int]:
    """Ids of labels: names that begin with the query, then words that do, then the rest that hold it."""
    wanted = query.casefold().strip()
    hits = [(number, name) for number, name in enumerate(_names(space)) if wanted in name]
    ranks = [(0 if name.startswith(wanted) else 1 if f" {wanted}" in name else 2) for _, name in hits]
    ids = np.array([number for number, _ in hits], np.int64)
    order = np.lexsort((ids, -space.counts[ids], np.array(ranks, np.int64)))
    return [int(number) for number in ids[order[:limit]]]


@lru_cache(maxsize=8)
def _names(space: LabelSpace) -> list[str]:
    """What is searched: names and, behind them, keys that say something else."""
    names = [(space.name(number), key) for number, key in enumerate(space.keys)]
    return [(name if name == key else f"{name} {key}").casefold() for name, key in names]
