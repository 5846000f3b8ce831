"""Stages: networks trained one after the other, each of which may begin with what the one before has learnt."""

from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from umpteen.labels.tree import grouped
from umpteen.networks.network import Network
from umpteen.train.batches import Source
from umpteen.train.settings import Learning


@dataclass(frozen=True)
class Stage:
    """A network and how it learns. The last stage's is the model; those before may score groups of labels instead."""

    network: Network
    settings: Learning
    groups: NDArray[np.int64] | None = None  # of each label; without them it scores the labels themselves
    until: float | None = (
        None  # the epoch to end with, with the weights it then has; no documents are kept aside for it
    )

    def seen(self, source: Source) -> Source:
        """Documents with what they are in this stage: their labels, or the groups of these, which all count alike."""
        seen = copy(source)
        if self.groups is not None and source.Y is not None:
            seen.Y, seen.worth = grouped(source.Y, self.groups), None
        return seen
