"""MLP: features, hidden layers, all labels with cross-entropy; the plain yardstick of models that read features."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from umpteen.core.errors import SettingError
from umpteen.core.settings import Value, setting
from umpteen.networks.dropping import dropped
from umpteen.networks.layers import Layers, finish
from umpteen.networks.network import Documents, Network
from umpteen.networks.outputs import Outputs
from umpteen.networks.words import MANY, Words
from umpteen.text.readers import Bag, Reader
from umpteen.text.vectors import begun
from umpteen.train.deep import DeepClassifier
from umpteen.train.settings import Refitted


class Mlp(DeepClassifier):
    """Suits ready features and short texts with up to tens of thousands of labels; quick to train."""

    @dataclass(frozen=True, kw_only=True)
    class Params(Refitted):
        """The network's shape."""

        presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {"quick": {"layers": (128,), "epochs": 8}}

        layers: tuple[int, ...] = setting((512,), "Widths of the hidden layers.", least=1)
        dropout: float = setting(0.5, "Share of a layer's numbers left out in a step.", least=0, most=0.9)

        def __post_init__(self) -> None:
            super().__post_init__()
            if not self.layers:
                raise SettingError("Setting 'layers' names no layer. Write layers=512 or the like.")

    params: Params
    reads_features = True

    def reader(self) -> Reader:
        return Bag(self.params)

    def vectors(self, words: list[str]) -> NDArray[np.float32]:
        return begun(words, "none", width=self.params.layers[0], seed=self.params.seed, spread=0.03)

    def network(self, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> Network:
        return Layered(self.params, vectors, shares)


class Layered(Network):
    """The first layer is a sum of the features' vectors, so that only features that are there cost anything."""

    def __init__(self, p: Mlp.Params, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> None:
        super().__init__()
        self.labels, self.feature_dropout = len(shares), p.feature_dropout
        self.words = Words(vectors, sparse=len(vectors) > MANY)
        self.first = nn.Sequential(*finish(self.words.width, dropout=p.dropout))
        self.layers = Layers(p.layers, dropout=p.dropout)
        self.outputs = Outputs(self.layers.width, self.labels)

    def hidden(self, batch: Documents) -> Tensor:
        assert batch.values is not None
        values = dropped(batch.values, self.feature_dropout, self.training)
        return self.layers(self.first(self.words.summed(batch.tokens, values)))  # type: ignore[no-any-return]

    def forward(self, batch: Documents) -> Tensor:
        return self.outputs(self.hidden(batch))  # type: ignore[no-any-return]

    def loss(self, batch: Documents) -> Tensor:
        return self.outputs.cross_entropy(self.hidden(batch), batch.positives, batch.worth).mean()

    def best(self, batch: Documents, k: int) -> tuple[Tensor, Tensor]:
        labels, logits = self.outputs.best(self.hidden(batch), k)
        return labels, self.chances(logits)
