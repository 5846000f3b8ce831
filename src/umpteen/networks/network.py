"""Network: what every deep model's network can be asked. One that scores all labels at once only writes `forward`."""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

import torch
from scipy import sparse
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.networks.words import Words


class Documents(Protocol):
    """The part of a batch that networks read."""

    @property
    def tokens(self) -> Tensor: ...

    @property
    def positives(self) -> Tensor: ...

    @property
    def values(self) -> Tensor | None: ...

    @property
    def worth(self) -> Tensor | None: ...

    @property
    def mask(self) -> Tensor: ...

    def targets(self, labels: int) -> Tensor: ...


class Felt(nn.Identity):
    """Lets through how much each place of a text counts, (documents, longest), for explanations to differentiate by."""


class Network(nn.Module):
    """Documents to scores of labels."""

    words: Words  # vectors of tokens, which explanations differentiate by
    labels: int
    led: Sequence[Tensor] = ()  # weights that know something before they learn
    slow: Sequence[Tensor] = ()  # weights that learn at `pace` of the rate
    pace: float = 1.0
    divisible: bool = False  # whether the loss is the mean of the documents' own, so that a batch can come in parts

    def forward(self, batch: Documents) -> Tensor:
        """Logits of all labels, (documents, labels)."""
        raise NotImplementedError

    def loss(self, batch: Documents) -> Tensor:
        """What training makes small: here the mean binary cross-entropy over documents and labels.

        Where the batch says what labels are worth, the losses of true ones weigh as much.
        """
        return F.binary_cross_entropy_with_logits(self(batch), batch.targets(self.labels), pos_weight=batch.worth)

    def best(self, batch: Documents, k: int) -> tuple[Tensor, Tensor]:
        """The k best labels of each document and their scores, in any order."""
        scores, labels = self.chances(self(batch)).topk(min(k, self.labels), dim=1)
        return labels, scores

    def chances(self, logits: Tensor) -> Tensor:
        """Logits as scores between 0 and 1."""
        return torch.sigmoid(logits)

    def score(self, batch: Documents, label: int) -> Tensor:
        """Scores of one label, (documents,)."""
        return torch.sigmoid(self.logit(batch, label))

    def logit(self, batch: Documents, label: int) -> Tensor:
        """Logits of one label, (documents,)."""
        return self(batch)[:, label]  # type: ignore[no-any-return]

    def lead(self, documents: Callable[[], Iterable[Tensor]], Y: sparse.csr_array) -> None:
        """Let labels begin where their documents lie; most networks have nothing that could.

        `documents` are batches of tokens, in the order of Y's rows.
        """

    def parts(self) -> Sequence["Network"]:
        """The networks whose mean this one is; most are one."""
        return [self]

    def attention(self, batch: Documents, label: int) -> Tensor:
        """How much a label looks at each token, (documents, longest), in networks that have such weights."""
        raise NotImplementedError
