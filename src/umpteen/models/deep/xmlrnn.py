"""XML-RNN: AttentionXML without attention, the largest of the BiLSTM's states for all labels alike.

The yardstick of You et al. (2018): what AttentionXML gains over it, attention earns.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from umpteen.core.settings import Value, setting
from umpteen.networks.network import Documents, Network
from umpteen.networks.pooling import largest_of
from umpteen.networks.recurrent import Recurrent
from umpteen.networks.scorer import Scorer
from umpteen.networks.words import Words
from umpteen.train.deep import DeepClassifier
from umpteen.train.settings import PAPER, DeepSettings


class XmlRnn(DeepClassifier):
    """Suits texts whose meaning depends on the order of words; cheaper than AttentionXML."""

    @dataclass(frozen=True, kw_only=True)
    class Params(DeepSettings):
        """The network's shape."""

        presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {
            "paper": {**PAPER, "hidden": 256, "layers": (256,), "epochs": 50},
            "paper-large": {**PAPER, "hidden": 512, "layers": (512, 256), "epochs": 10},
            "quick": {"hidden": 64, "layers": (64,), "epochs": 6},
        }

        hidden: int = setting(128, "Units of the LSTM in each direction.", least=1)
        layers: tuple[int, ...] = setting((512,), "Widths of the fully connected layers before the labels.", least=1)
        dropout: float = setting(0.5, "Share of the states' numbers left out in a step.", least=0, most=0.9)

    params: Params

    def network(self, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> Network:
        return Pooled(self.params, vectors, shares)


class Pooled(Network):
    """States, their largest, layers, labels."""

    def __init__(self, p: XmlRnn.Params, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> None:
        super().__init__()
        self.labels = len(shares)
        self.words = Words(vectors, learn=p.learn_vectors, dropout=p.word_dropout)
        self.encoder = Recurrent(vectors.shape[1], p.hidden, length=p.length, dropout=p.dropout)
        self.scorer = Scorer(self.encoder.width, p.layers, shares)

    def forward(self, batch: Documents) -> Tensor:
        states = self.encoder.read(self.words, batch.tokens)  # (documents, longest, 2 * hidden)
        return self.scorer(largest_of(states, batch.mask))  # type: ignore[no-any-return]
