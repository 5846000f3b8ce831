"""XML-CNN: convolutions over the words, dynamic max pooling, a bottleneck, all labels. Liu et al. (2017)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.core.errors import SettingError
from umpteen.core.settings import Value, setting
from umpteen.networks.dropping import Dropping
from umpteen.networks.network import Documents, Network
from umpteen.networks.pooling import in_parts
from umpteen.networks.scorer import Scorer
from umpteen.networks.words import Words
from umpteen.train.deep import DeepClassifier
from umpteen.train.settings import PAPER, DeepSettings


class XmlCnn(DeepClassifier):
    """Suits short and medium texts; the simplest network here that sees words in their order."""

    @dataclass(frozen=True, kw_only=True)
    class Params(DeepSettings):
        """The network's shape."""

        presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {
            "paper": {
                **PAPER,
                "batch": 256,
                "tokens": 128_000,
                "epochs": 50,
                "pools": 8,
                "dropout": 0.5,
                "normalise": False,
            },
            "quick": {"filters": 32, "bottleneck": 64, "epochs": 6},
        }

        spans: tuple[int, ...] = setting((2, 4, 8), "Words that a filter sees at once.", least=1)
        filters: int = setting(128, "Filters of each span.", least=1)
        pools: int = setting(2, "Stretches of the document whose largest values are kept.", least=1)
        bottleneck: int = setting(512, "Width of the layer before the labels.", least=1)
        dropout: float = setting(0.5, "Share of the bottleneck's numbers left out in a step.", least=0, most=0.9)
        row_moments: bool = setting(
            True, "Of vectors of words, Adam keeps a number for each vector, not two for each of its numbers."
        )
        normalise: bool = setting(
            True,
            "Bring a document's numbers to one mean and spread before and in the bottleneck, so that a step does not "
            "move all of them one way.",
        )

        def __post_init__(self) -> None:
            super().__post_init__()
            if not self.spans:
                raise SettingError("Setting 'spans' names no filter. Write spans=2,4,8 or the like.")

    params: Params

    def network(self, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> Network:
        return Convolved(self.params, vectors, shares)


class Convolved(Network):
    """Filters, stretches, bottleneck, labels."""

    def __init__(self, p: XmlCnn.Params, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> None:
        super().__init__()
        self.labels, self.pools, self.spans = len(shares), p.pools, p.spans
        self.words = Words(vectors, learn=p.learn_vectors, dropout=p.word_dropout)
        self.filters = nn.ModuleList(nn.Conv1d(vectors.shape[1], p.filters, span) for span in p.spans)
        self.bottleneck = nn.Linear(p.filters * len(p.spans) * p.pools, p.bottleneck)
        self.before, self.within = (
            nn.LayerNorm(width) if p.normalise else nn.Identity()
            for width in (self.bottleneck.in_features, p.bottleneck)
        )
        self.dropout = Dropping(p.dropout)
        self.scorer = Scorer(p.bottleneck, (), shares)

    def forward(self, batch: Documents) -> Tensor:
        vectors = self.words(batch.tokens) * batch.mask.unsqueeze(2)  # padding is zero, whatever stands beside it
        vectors = vectors.transpose(1, 2)  # (documents, width, longest)
        lengths = batch.mask.sum(dim=1)
        found = []
        for span, filters in zip(self.spans, self.filters, strict=True):
            seen = filters(F.pad(vectors, ((span - 1) // 2, span // 2))).transpose(1, 2)
            found.append(in_parts(seen, lengths, self.pools).flatten(1))  # (documents, pools * filters)
        seen = self.before(F.relu(torch.cat(found, dim=1)))
        hidden = self.dropout(F.relu(self.within(self.bottleneck(seen))))
        return self.scorer(hidden)  # type: ignore[no-any-return]
