"""AttentionXML: a BiLSTM whose states every label attends to in its own way.

You et al. (2018), first version: flat, one network. Preset `paper` is the paper's; what it leaves out (dropout of word
vectors, weight averaging, clipping, a falling rate) and the shortlist for many labels are settings.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor
from torch.nn import functional as F

from umpteen.contract.explanation import Kind
from umpteen.core.settings import Value, setting
from umpteen.networks.attention import LabelAttention
from umpteen.networks.network import Documents, Network
from umpteen.networks.pooling import largest_of
from umpteen.networks.recurrent import Recurrent
from umpteen.networks.scorer import Scorer
from umpteen.networks.whole import Whole
from umpteen.networks.words import Words
from umpteen.train.advised import AdvisedClassifier
from umpteen.train.settings import PAPER, AdvisedSettings


class AttentionXML(AdvisedClassifier):
    """Suits texts of some length where different words speak for different labels; shows which."""

    @dataclass(frozen=True, kw_only=True)
    class Params(AdvisedSettings):
        """The network's shape."""

        presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {
            "paper": {
                **PAPER,
                "label_text": False,
                "votes": False,
                "shortlist": 0,
                "bag": 0,
                "hidden": 256,
                "layers": (256,),
                "epochs": 50,
            },
            "paper-large": {
                **PAPER,
                "label_text": False,
                "votes": False,
                "shortlist": 0,
                "bag": 0,
                "hidden": 512,
                "layers": (512, 256),
                "epochs": 10,
            },
            "quick": {"hidden": 64, "layers": (64,), "epochs": 6},
        }

        hidden: int = setting(128, "Units of the LSTM in each direction.", least=1)
        layers: tuple[int, ...] = setting(
            (128,), "Widths of the fully connected layers that all labels share.", least=1
        )
        dropout: float = setting(0.5, "Share of the states' numbers left out in a step.", least=0, most=0.9)
        row_moments: bool = setting(
            True,
            "Of vectors of words, and those labels attend with, Adam keeps a number for each vector, not two for each "
            "of its numbers: a third of the memory, and as good.",
        )
        shortlist: int = setting(
            100,
            "Labels that attend to a document, the best of a first guess, in tagging with votes at least 100; 0: all, "
            "without a guess.",
            least=0,
        )

    params: Params
    reasons: ClassVar[tuple[Kind, ...]] = ("attention", "leaning")

    def network(self, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> Network:
        p = self.params
        words = Words(vectors, learn=p.learn_vectors, dropout=p.word_dropout)
        encoder = Recurrent(words.width, p.hidden, length=p.length, dropout=p.dropout)
        if not p.shortlist:
            return Flat(words, encoder, LabelAttention(encoder.width, p.layers, shares))
        attend = LabelAttention(encoder.width, p.layers, shares, sparse=True)
        whole = Whole(encoder.width, words, p.bag, dropout=p.dropout)
        guess = Scorer(whole.width, (), shares)
        return Shortlisted(words, encoder, whole, attend, guess, most=min(p.shortlist, len(shares)))


class Flat(Network):
    """Every label attends to every document: the paper's."""

    divisible = True

    def __init__(self, words: Words, encoder: Recurrent, attend: LabelAttention) -> None:
        super().__init__()
        self.words, self.encoder, self.attend = words, encoder, attend
        self.labels = attend.queries.num_embeddings

    def states(self, batch: Documents) -> Tensor:
        return self.encoder.read(self.words, batch.tokens)

    def forward(self, batch: Documents) -> Tensor:
        return self.attend(self.states(batch), batch.mask)  # type: ignore[no-any-return]

    def loss(self, batch: Documents) -> Tensor:
        return self.attend.loss(self.states(batch), batch.mask, batch.targets(self.labels), batch.worth)

    def logit(self, batch: Documents, label: int) -> Tensor:
        wanted = torch.full((len(batch.tokens), 1), label, device=batch.tokens.device)
        return self.attend.among(self.states(batch), batch.mask, wanted)[:, 0]

    def attention(self, batch: Documents, label: int) -> Tensor:
        return self.attend.weights(self.states(batch), batch.mask, label)


class Shortlisted(Network):
    """A first guess from the pooled states picks the labels that attend; both learn together.

    The guess is trained on all labels, the attention on the guess's favourites and the true ones. A label's logit is
    the mean of both.
    """

    divisible = True

    def __init__(
        self, words: Words, encoder: Recurrent, whole: Whole, attend: LabelAttention, guess: Scorer, *, most: int
    ) -> None:
        super().__init__()
        self.words, self.encoder, self.whole, self.attend, self.guess = words, encoder, whole, attend, guess
        self.labels, self.most = attend.queries.num_embeddings, most

    def lead(self, documents: Callable[[], Iterable[Tensor]], Y: sparse.csr_array) -> None:
        if self.whole.bag is not None:
            self.whole.lying(documents(), Y).into(self.guess.last)
            self.led = [self.guess.last.weight, self.guess.last.bias]

    def _read(self, batch: Documents) -> tuple[Tensor, Tensor]:
        states = self.encoder.read(self.words, batch.tokens)
        return states, self.guess(self.whole(largest_of(states, batch.mask), batch.tokens))

    def loss(self, batch: Documents) -> Tensor:
        states, guess = self._read(batch)
        targets = batch.targets(self.labels)
        chosen = guess.detach().masked_fill(targets > 0, torch.inf).topk(self.most, dim=1).indices
        seen = self.attend.among(states, batch.mask, chosen)
        worth = batch.worth
        own = None if worth is None else worth[chosen]
        wide = F.binary_cross_entropy_with_logits(guess, targets, reduction="sum", pos_weight=worth)
        near = F.binary_cross_entropy_with_logits(seen, targets.gather(1, chosen), reduction="sum", pos_weight=own)
        return (wide + near) / chosen.numel()

    def best(self, batch: Documents, k: int) -> tuple[Tensor, Tensor]:
        states, guess = self._read(batch)
        logits, chosen = guess.topk(min(max(k, self.most), self.labels), dim=1)
        seen = self.attend.among(states, batch.mask, chosen)
        scores, order = torch.sigmoid((seen + logits) / 2).topk(k, dim=1)
        return chosen.gather(1, order), scores

    def logit(self, batch: Documents, label: int) -> Tensor:
        states, guess = self._read(batch)
        wanted = torch.full((len(batch.tokens), 1), label, device=batch.tokens.device)
        seen = self.attend.among(states, batch.mask, wanted)
        return (seen[:, 0] + guess[:, label]) / 2

    def attention(self, batch: Documents, label: int) -> Tensor:
        return self.attend.weights(self._read(batch)[0], batch.mask, label)
