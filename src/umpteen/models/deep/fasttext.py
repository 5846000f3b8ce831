"""FastText: the mean of word and n-gram vectors, then all labels. Joulin et al. (2017)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.core.settings import Value, setting
from umpteen.networks.network import Documents, Felt, Network
from umpteen.networks.scorer import Scorer
from umpteen.networks.words import Words
from umpteen.train.deep import DeepClassifier
from umpteen.train.settings import DeepSettings

_STEP, _OTHER = 0x9E3779B97F4A7C15 - (1 << 64), 0x2545F4914F6CDD1D  # mix the ids of an n-gram's words


class FastText(DeepClassifier):
    """Suits large corpora and small machines: the quickest deep model to train."""

    @dataclass(frozen=True, kw_only=True)
    class Params(DeepSettings):
        """What is averaged, and the loss."""

        presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {
            "paper": {
                "vectors": "none",
                "width": 100,
                "loss": "softmax",
                "ngrams": 2,
                "buckets": 2_000_000,
                "optimiser": "sgd",
                "momentum": 0.0,
                "batch": 16,
                "rate": 8.0,  # of a mean over 16 documents: as steps of 0.5 for each
                "schedule": "linear",
                "epochs": 5,
                "least_steps": 0,
                "word_dropout": 0.0,
                "clip": 0.0,
                "average_from": 1.0,
            },
            "quick": {"buckets": 10_000, "epochs": 10},
        }

        batch: int = setting(64, "Documents in a step.", least=1)
        rate: float = setting(0.003, "Learning rate of Adam.", least=0)
        ngrams: int = setting(2, "Longest run of words that has a vector.", least=1, most=8)
        buckets: int = setting(100_000, "Vectors that n-grams share by hash.", least=1)
        loss: str = setting("ova", "One-vs-all, or softmax over the labels.", choices=("ova", "softmax"))

    params: Params

    def network(self, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> Network:
        return Averaged(self.params, vectors, shares)


class Averaged(Network):
    """Mean of vectors, labels."""

    def __init__(self, p: FastText.Params, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> None:
        super().__init__()
        self.labels, self.ngrams, self.softmax = len(shares), p.ngrams, p.loss == "softmax"
        self.words = Words(vectors, learn=p.learn_vectors, dropout=p.word_dropout)
        self.runs = nn.EmbeddingBag(p.buckets if p.ngrams > 1 else 1, vectors.shape[1], mode="sum", sparse=True)
        nn.init.zeros_(self.runs.weight)
        self.felt = Felt()
        self.scorer = Scorer(vectors.shape[1], (), shares)

    def forward(self, batch: Documents) -> Tensor:
        mask = batch.mask
        total = (self.words(batch.tokens) * mask.unsqueeze(2)).sum(dim=1)  # (documents, width)
        count = mask.sum(dim=1)
        run, felt = batch.tokens, self._felt(mask)
        for length in range(2, min(self.ngrams, mask.shape[1]) + 1):
            run = (run[:, :-1] + batch.tokens[:, length - 1 :] * _OTHER) * _STEP
            run = run ^ (run >> 32)
            there = mask[:, length - 1 :]
            buckets = run % self.runs.num_embeddings
            offsets = torch.cat([there.new_zeros(1, dtype=torch.int64), there.sum(dim=1).cumsum(0)[:-1]])
            counts = None if felt is None else felt.unfold(1, length, 1).mean(dim=2)[there]
            total = total + self.runs(buckets[there], offsets, counts)
            count = count + there.sum(dim=1)
        return self.scorer(total / count.clamp(min=1).unsqueeze(1))  # type: ignore[no-any-return]

    def _felt(self, mask: Tensor) -> Tensor | None:
        """For explanations, how much each word counts in the runs that it is part of, an equal part each."""
        if self.ngrams == 1 or self.training or not torch.is_grad_enabled():
            return None
        return self.felt(mask.to(self.runs.weight.dtype))  # type: ignore[no-any-return]

    def loss(self, batch: Documents) -> Tensor:
        if not self.softmax:
            return super().loss(batch)
        chances = F.log_softmax(self(batch), dim=1)
        targets = batch.targets(self.labels)
        targets = targets if batch.worth is None else targets * batch.worth
        return -(chances * targets / targets.sum(dim=1, keepdim=True).clamp(min=1)).sum(dim=1).mean()

    def score(self, batch: Documents, label: int) -> Tensor:
        return self.chances(self(batch))[:, label]

    def chances(self, logits: Tensor) -> Tensor:
        return logits.softmax(dim=1) if self.softmax else torch.sigmoid(logits)
