"""Labels whose name begins with or holds some letters, those most used first."""

import numpy as np

from umpteen.core.space import LabelSpace


class Search:
    """Over the names of labels and, where they say something else, their keys."""

    def __init__(self, space: LabelSpace) -> None:
        names = ((space.name(number), key) for number, key in enumerate(space.keys))
        self._names = [(name if name == key else f"{name} {key}").casefold() for name, key in names]
        self._counts = space.counts

    def find(self, query: str, limit: int) -> list[int]:
        """Ids of labels: names that begin with the query, then those with a word that does, then the rest."""
        wanted = query.casefold().strip()
        hits = [(number, name) for number, name in enumerate(self._names) if wanted in name]
        ranks = [0 if name.startswith(wanted) else 1 if f" {wanted}" in name else 2 for _, name in hits]
        ids = np.array([number for number, _ in hits], np.int64)
        order = np.lexsort((ids, -self._counts[ids], np.array(ranks, np.int64)))
        return [int(number) for number in ids[order[:limit]]]
