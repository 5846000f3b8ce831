"""Rank-AE: features and labels meet in one space, out of which a decoder ranks the labels.

Wang et al. (2019). Preset `paper` is the paper's: L_h + lambda L_ae, the margin ranking loss, one layer from the pooled
features to the common space. What goes beyond it are settings, named as such.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor, nn
from torch.nn import functional as F

from umpteen.contract.classifier import Size
from umpteen.contract.explanation import Explanation, Kind
from umpteen.core.corpus import Corpus
from umpteen.core.errors import SettingError, UmpteenWarning
from umpteen.core.ranking import Ranking
from umpteen.core.settings import Value, setting
from umpteen.core.store import Folder, NewFolder
from umpteen.networks.dropping import dropped
from umpteen.networks.excitation import Excitation
from umpteen.networks.layers import finish
from umpteen.networks.network import Documents, Network
from umpteen.networks.outputs import Outputs, best_of
from umpteen.networks.recurrent import Recurrent
from umpteen.networks.words import MANY, Words
from umpteen.text.readers import Bag, Ordered, Reader
from umpteen.text.titles import Titles
from umpteen.text.vectors import begun
from umpteen.text.voters import Rule, Voters
from umpteen.train.batches import Source
from umpteen.train.deep import DeepClassifier
from umpteen.train.laid import laid
from umpteen.train.ranked import ranked
from umpteen.train.settings import Refitted
from umpteen.train.votes import LISTED, Votes, clusters_of
from umpteen.train.voting import chosen_beside

_LENGTH = 500  # words that the LSTM reads
_SPREAD = 0.03  # deviation of the random vectors that features begin as
_THROUGH = 300.0, 3000.0  # weight of the cross-entropy of decoded documents with many labels, and with few, at most
_LABELS = 1000  # that are many
_JUDGED = 2000  # documents kept aside that votes are chosen by, at most


class RankAE(DeepClassifier):
    """Suits features or texts whose labels go together, and labels with noise."""

    @dataclass(frozen=True, kw_only=True)
    class Params(Refitted):
        """The network's shape and its losses."""

        presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {
            "paper": {
                "vectors": "glove",
                "attention": True,
                "unit": False,
                "pooling": "mean",
                "activate": False,
                "width": 100,
                "hidden": 100,
                "code": 256,
                "balance": 1.0,
                "epochs": 20,
                "rate": 0.005,
                "decay": 0.01,
                "through": 0.0,
                "members": 1,
                "votes": False,
                "feature_dropout": 0.0,
                "average_from": 1.0,
            },
        }

        vectors: str = setting("none", "Vectors features begin as: none, wordllama, glove, or a file of them.")
        width: int = setting(512, "Numbers in a feature's vector where `vectors` is none.", least=1)
        encoder: str = setting(
            "values", "Vectors times feature values, or states of a BiLSTM over the words.", choices=("values", "lstm")
        )
        unit: bool = setting(True, "Scale a document's ready feature values to unit length.")
        attention: bool = setting(False, "Weigh each number of each feature's vector (channel attention).")
        reduction: int = setting(4, "How many times narrower the attention's inner layer is.", least=1)
        pooling: str = setting("sum", "How features become one vector.", choices=("sum", "mean"))
        activate: bool = setting(True, "Beyond the paper: normalise the pooled vector, with ReLU and dropout.")
        dropout: float = setting(0.5, "Share of its numbers left out in a step, where it is.", least=0, most=0.9)
        hidden: int = setting(0, "Width of the common space; beyond the paper, 0: pooled features are in it.", least=0)
        code: int = setting(
            0,
            "Width of the inner layer of the labels' encoder and decoder; beyond the paper, 0: there is none.",
            least=0,
        )
        decoder: str = setting("linear", "What follows the decoder's inner layer.", choices=("linear", "relu"))
        loss: str = setting(
            "ranking",
            "What the autoencoder learns by: margin ranking, cross-entropy (BCE-AE), or C2AE's pairs.",
            choices=("ranking", "bce", "exponential"),
        )
        bounded: bool = setting(False, "Label scores between 0 and 1; not with cross-entropy, so only with through=0.")
        margin: float = setting(1.0, "How far labels that are there should be above the others.", least=0)
        balance: float = setting(10.0, "Weight of the autoencoder's loss (lambda).", least=0)
        through: float | None = setting(
            None,
            "Beyond the paper: weight of the cross-entropy of labels decoded from features; none: 300, with fewer than "
            "1,000 labels 300,000 / their number, at most 3,000.",
            least=0,
        )
        members: int = setting(
            3, "Beyond the paper: networks trained side by side, whose scores are averaged.", least=1
        )
        votes: bool = setting(
            True,
            "Beyond the paper: training documents nearest in the common space vote too, where documents kept aside are "
            "ranked better with their votes.",
        )

        def __post_init__(self) -> None:
            super().__post_init__()
            if self.bounded and (self.loss == "bce" or self.through != 0):
                raise SettingError(
                    "Cross-entropy takes unbounded scores: set bounded=false, or through=0 and another loss than bce."
                )

    params: Params
    _votes: Votes | None
    reads_features = True
    reasons: ClassVar[tuple[Kind, ...]] = ("attention", "leaning")

    def _reasons(self) -> tuple[Kind, ...]:
        return self.reasons if self.params.attention else ("leaning",)

    def reader(self) -> Reader:
        p = self.params
        if p.encoder == "lstm":
            return Ordered(words=p.max_features, min_df=p.min_df, length=_LENGTH, owner="RankAE with encoder=lstm")
        return Bag(p, unit=p.unit)

    def vectors(self, words: list[str]) -> NDArray[np.float32]:
        p, source = self.params, self.params.vectors
        if source != "none" and isinstance(self._reader, Bag) and not self._reader.named:
            warnings.warn(
                f"The features have no names, so {source} has no vectors for them: they begin with random ones.",
                UmpteenWarning,
                stacklevel=2,
            )
            source = "none"
        return begun(words, source, width=p.width, seed=p.seed, spread=_SPREAD)

    def network(self, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> Network:
        p = self.params
        if p.through is None:  # it is summed over labels, unlike what draws documents to where their labels lie
            least, most = _THROUGH
            p = replace(p, through=min(max(least, least * _LABELS / len(shares)), most))
        members = [Autoencoder(p, vectors, shares) for _ in range(p.members)]
        if p.vectors == "none":  # members that begin alike stay alike
            for member in members[1:]:
                member.words.redraw(_SPREAD)
        return Members(members)

    # Votes ----------------------------------------------------------------------------------------------------------

    def conclude(self, source: Source, kept: Source | None) -> dict[str, Any]:
        """How the nearest documents should vote, if they should."""
        p = self.params
        if not p.votes or kept is None:
            return {}
        judged = kept.take(np.arange(0, len(kept), -(-len(kept) // _JUDGED)))
        assert source.Y is not None and judged.Y is not None
        voters = Voters.of(self._laid(source), source.Y, clusters=1, seed=p.seed, jobs=p.jobs)
        own = ranked(self._network, judged, LISTED, batch=p.batch, tokens=p.tokens)
        rule = chosen_beside(voters, self._laid(judged), judged.Y, own, jobs=p.jobs)
        return asdict(rule) if rule is not None else {}

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        p, titles = self.params, Titles()
        noted, self._votes = titles.noting(corpus) if p.votes else corpus, None
        super()._fit(noted, Y, valid)
        if self._chosen:  # documents kept aside vote too
            vectors, clusters = self._laid(self._source(noted)), clusters_of(Y.shape[0])
            voters = Voters.of(vectors, Y, clusters=clusters, seed=p.seed, jobs=p.jobs)
            self._votes = Votes(Rule(**self._chosen), voters, titles)

    def _laid(self, source: Source) -> NDArray[np.float32]:
        assert isinstance(self._network, Members)
        return laid(self._network, source, tokens=self.params.tokens)

    def _best(self, source: Source, k: int) -> Ranking:
        if self._votes is None:
            return super()._best(source, k)
        own = super()._best(source, max(k, LISTED))
        return self._votes.beside(own, self._laid(source), k, jobs=self.params.jobs)

    def _explain(self, corpus: Corpus, label: int, by: Kind) -> Explanation:
        """Of the decoder; with the documents that vote, and the score that both make."""
        explanation = super()._explain(corpus, label, by)
        if self._votes is None:
            return explanation
        vectors = self._laid(self._source(corpus))
        return self._votes.explained(explanation, label, vectors, self.labels_, jobs=self.params.jobs)

    def _memory(self, size: Size) -> int:
        vectors = 4 * self.params.members * (self.params.hidden or self.params.width) * size.documents
        return super()._memory(size) + (3 * vectors if self.params.votes else 0)

    def _save(self, folder: NewFolder) -> None:
        super()._save(folder)
        if self._votes is not None:
            self._votes.save(folder)

    def _load(self, folder: Folder) -> None:
        super()._load(folder)
        chosen, labels = folder.facts.get("chosen"), len(self.labels_)
        assert isinstance(self._network, Members)
        self._votes = Votes.load(folder, chosen, labels=labels, width=self._network.width) if chosen else None


class Autoencoder(Network):
    """Features to the common space, labels to it, and from it to labels' scores."""

    def __init__(self, p: RankAE.Params, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> None:
        super().__init__()
        self.p, self.labels = p, len(shares)
        self.words = Words(vectors, sparse=len(vectors) > MANY)
        width = self.words.width
        self.states = Recurrent(width, max(1, width // 2), length=_LENGTH, dropout=0.0) if p.encoder == "lstm" else None
        width = self.states.width if self.states is not None else width
        self.excite = Excitation(width, reduction=p.reduction) if p.attention else None
        self.activate = nn.Sequential(*finish(width, dropout=p.dropout) if p.activate else ())
        self.common = nn.Linear(width, p.hidden) if p.hidden else nn.Identity()
        hidden, code = p.hidden or width, p.code or p.hidden or width
        self.width = hidden  # of the common space
        self.label_code = nn.EmbeddingBag(len(shares), code, mode="sum")
        self.label_common = nn.Sequential(nn.ReLU(), nn.Linear(code, hidden)) if p.code else nn.Identity()
        self.decode = nn.Linear(hidden, code) if p.code else nn.Identity()
        self.outputs = Outputs(code, self.labels, bounded=p.bounded)
        nn.init.normal_(self.label_code.weight, std=code**-0.5)

    def embedded(self, batch: Documents) -> Tensor:
        """Documents in the common space, F(x)."""
        if self.excite is None and self.states is None:
            pooled = self.words.summed(batch.tokens, self._values(batch))
        else:
            seen, documents = self._seen(batch), batch.mask.nonzero()[:, 0]
            seen = seen if self.excite is None else seen * self.excite(seen)
            pooled = seen.new_zeros(len(batch.tokens), seen.shape[1]).index_add(0, documents, seen)
        if self.p.pooling == "mean":
            pooled = pooled / batch.mask.sum(dim=1, keepdim=True)
        return self.common(self.activate(pooled))  # type: ignore[no-any-return]

    def _values(self, batch: Documents) -> Tensor:
        assert batch.values is not None
        return dropped(batch.values, self.p.feature_dropout, self.training)

    def _seen(self, batch: Documents) -> Tensor:
        """What attention looks at, all documents' words in a row, (words, width): vectors times values, or states."""
        if self.states is not None:
            return self.states(self.words(batch.tokens), batch.mask)[batch.mask]  # type: ignore[no-any-return]
        return self.words(batch.tokens[batch.mask]) * self._values(batch)[batch.mask].unsqueeze(1)  # type: ignore[no-any-return]

    def encoded(self, batch: Documents) -> Tensor:
        """Labels in the common space, E(y), without a row of all labels."""
        counts = torch.bincount(batch.positives[:, 0], minlength=len(batch.tokens))
        code = self.label_code(batch.positives[:, 1], F.pad(counts.cumsum(0)[:-1], (1, 0)))
        return self.label_common(code)  # type: ignore[no-any-return]

    def decoded(self, common: Tensor) -> Tensor:
        """The decoder's inner layer."""
        inner = self.decode(common)
        return F.relu(inner) if self.p.decoder == "relu" else inner

    def forward(self, batch: Documents) -> Tensor:
        return self.outputs(self.decoded(self.embedded(batch)))  # type: ignore[no-any-return]

    def loss(self, batch: Documents) -> Tensor:
        """Sums over dimensions and labels, means over documents."""
        p, x, y = self.p, self.embedded(batch), self.encoded(batch)
        total = (x - y).square().sum(dim=1) + p.balance * self._reconstruction(self.decoded(y), batch)
        if p.through:
            total = total + p.through * self.outputs.cross_entropy(self.decoded(x), batch.positives, batch.worth)
        return total.mean()

    def _reconstruction(self, inner: Tensor, batch: Documents) -> Tensor:
        if self.p.loss == "ranking":
            return self.outputs.ranking(inner, batch.positives, self.p.margin, batch.worth)
        if self.p.loss == "bce":
            return self.outputs.cross_entropy(inner, batch.positives, batch.worth)
        return self.outputs.exponential(inner, batch.positives)

    def attention(self, batch: Documents, label: int) -> Tensor:
        """Each word's share of all attention, summed over the numbers of its vector; the same for all labels."""
        assert self.excite is not None
        given = torch.zeros(batch.tokens.shape, device=batch.tokens.device)
        given[batch.mask] = self.excite(self._seen(batch)).sum(dim=1)
        return given / given.sum(dim=1, keepdim=True)


class Members(Network):
    """Networks side by side; a label's score is the mean of theirs."""

    def __init__(self, members: Sequence[Autoencoder]) -> None:
        super().__init__()
        self.members = nn.ModuleList(members)
        self.labels, self.bounded = members[0].labels, members[0].outputs.bounded
        self.width = len(members) * members[0].width  # of where documents lie

    def parts(self) -> Sequence[Autoencoder]:
        return cast(list[Autoencoder], [*self.members])

    def forward(self, batch: Documents) -> Tensor:
        return torch.stack([part(batch) for part in self.parts()]).mean(dim=0)

    def embedded(self, batch: Documents) -> Tensor:
        """Documents in all members' common spaces, behind each other, of unit length."""
        found = [F.normalize(part.embedded(batch), dim=1) for part in self.parts()]
        return torch.cat(found, dim=1).div(len(found) ** 0.5)

    def loss(self, batch: Documents) -> Tensor:
        return torch.stack([part.loss(batch) for part in self.parts()]).sum()

    def best(self, batch: Documents, k: int) -> tuple[Tensor, Tensor]:
        hidden = [part.decoded(part.embedded(batch)) for part in self.parts()]
        labels, scores = best_of([part.outputs for part in self.parts()], hidden, k)
        return labels, self.chances(scores)

    def score(self, batch: Documents, label: int) -> Tensor:
        return self.chances(self(batch))[:, label]

    def chances(self, logits: Tensor) -> Tensor:
        return logits if self.bounded else torch.sigmoid(logits)

    def attention(self, batch: Documents, label: int) -> Tensor:
        return torch.stack([part.attention(batch, label) for part in self.parts()]).mean(dim=0)
