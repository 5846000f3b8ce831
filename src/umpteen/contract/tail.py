"""Tail: rare labels count more in training, by how likely they are to be missing where they belong.

Jain et al. (2016), PfastreXML: a label that few documents have was forgotten on more of the documents that should have
it, so each time that it was not forgotten stands for several. What weighs more are a label's own documents; all that a
model learns from the others stays.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from umpteen.core.settings import Settings, setting
from umpteen.core.space import LabelSpace
from umpteen.metrics.ranking import inverse_propensity


@dataclass(frozen=True, kw_only=True)
class Tail(Settings):
    """For models whose errors can weigh more on some labels than on others."""

    tail: float = setting(
        0.0,
        "How much more rare labels count: a true label weighs its inverse propensity to this power. 0: all alike.",
        least=0,
        most=3,
    )

    def worth(self, space: LabelSpace, documents: int) -> NDArray[np.float32] | None:
        """What a document counts to each label that it has, 1 or more; None where all count alike."""
        if not self.tail:
            return None
        weights: NDArray[np.float32] = (inverse_propensity(space.counts, documents) ** self.tail).astype(np.float32)
        return np.maximum(weights, 1)
