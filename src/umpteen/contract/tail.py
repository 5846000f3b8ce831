"""Tail: rare labels count more in training, or come first more often in tagging, by how likely they are to be missing.

Jain et al. (2016), PfastreXML: a label that few documents have was forgotten on more of the documents that should have
it, so each time that it was not forgotten stands for several. In training, a label's own documents weigh more; in
tagging, scores are multiplied, which is how to rank for PSP.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from umpteen.core.ranking import Ranking
from umpteen.core.settings import Settings, setting
from umpteen.core.space import LabelSpace
from umpteen.metrics.ranking import inverse_propensity

_DEEPER = 50  # labels looked at besides those asked for


@dataclass(frozen=True, kw_only=True)
class Tail(Settings):
    """For models whose errors can weigh more on some labels than on others."""

    tail: float = setting(
        0.0,
        "How much more rare labels count in training: a true label weighs its inverse propensity to this power.",
        least=0,
        most=3,
    )
    favour: float = setting(
        0.0,
        "How much sooner rare labels are given: scores are multiplied by inverse propensities to this power.",
        least=0,
        most=3,
    )

    def worth(self, space: LabelSpace, documents: int) -> NDArray[np.float32] | None:
        """What a document counts to each label that it has, 1 or more; None where all count alike."""
        return _weights(space, documents, self.tail) if self.tail else None

    def favoured(self, rank: Callable[[int], Ranking], k: int, space: LabelSpace, documents: int) -> Ranking:
        """The k best labels that `rank` finds once rare ones are favoured; the rarest keeps its score, others lose."""
        if not self.favour:
            return rank(k)
        found, weights = rank(min(k + max(k, _DEEPER), len(space))), _weights(space, documents, self.favour)
        return Ranking.best(found.labels, found.scores * (weights / weights.max())[found.labels], k)


def _weights(space: LabelSpace, documents: int, power: float) -> NDArray[np.float32]:
    inverse = inverse_propensity(np.maximum(space.counts, 1), documents)
    return np.maximum(inverse**power, 1).astype(np.float32)
