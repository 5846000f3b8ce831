"""A ranking, the truth, and what training knew."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from umpteen.core.ranking import Ranking


@dataclass
class Case:
    ranking: Ranking
    Y: sparse.csr_array
    counts: np.ndarray  # of the labels that the model knows, fewer than the truth's columns
    documents: int

    @property
    def lists(self) -> tuple[list[list[int]], list[list[int]]]:
        """Truth and ranking as plain lists."""
        truth = [np.flatnonzero(row).tolist() for row in self.Y.toarray()]
        return truth, [[int(label) for label in row if label >= 0] for row in self.ranking.labels]
