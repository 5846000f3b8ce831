"""DeepClassifier: a Classifier around a network. A model file gives only settings and a network."""

from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.classifier import Classifier, Size
from umpteen.contract.explanation import Explanation, Kind
from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking
from umpteen.core.run import LOG
from umpteen.core.store import Folder, NewFolder
from umpteen.networks.network import Network
from umpteen.text.vectors import aligned
from umpteen.text.vocabulary import Tokens, Vocabulary
from umpteen.train.batches import Source
from umpteen.train.device import device_of
from umpteen.train.engine import trained
from umpteen.train.ranked import ranked
from umpteen.train.reasons import explained
from umpteen.train.settings import DeepSettings

_HELD_OUT = 2000  # documents kept to choose the best weights by, at most
_TAGGED = 64  # documents tagged at a time


class DeepClassifier(Classifier):
    """Reads the words of a text in their order."""

    params: DeepSettings
    reads_features = False
    exact = False
    resumable = True
    reasons: ClassVar[tuple[Kind, ...]] = ("leaning",)

    def network(self, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> Network:
        """A fresh network for word vectors (words, width), of which the first is padding and the second unknown.

        `shares` says of each label which share of the documents has it.
        """
        raise NotImplementedError

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        if not corpus.is_text:
            raise DataError(
                f"{type(self).__name__} reads text, and {corpus.name} holds ready features: choose plt or ovr."
            )
        p = self.params
        self._known = np.flatnonzero(np.diff(Y.tocsc().indptr)).astype(np.int32)  # labels that occur
        self._vocabulary = Vocabulary.fit(corpus.texts(), most=p.vocabulary, min_df=p.min_df, size=corpus.size)
        device = device_of(p.device)
        documents = self._tokens(corpus)
        targets = Y[:, self._known]
        if valid is not None:
            source, kept = Source(documents, targets, device), Source(self._read(valid), self._truth(valid), device)
        else:
            source, kept = _parted(documents, targets, p.held_out, p.seed, device)
        with torch.random.fork_rng(range(torch.cuda.device_count())):
            torch.manual_seed(p.seed)
            self._network = self.network(self._vectors(), np.asarray(targets.mean(axis=0), np.float32)).to(device)
        self._score = trained(self._network, source, kept, p, self._run)
        self._log = self._run.log() if self._run is not None else ""

    def _truth(self, valid: Corpus) -> sparse.csr_array:
        """Labels of validation documents; those that training documents never have stand behind the others."""
        truth = self.truth(valid)
        others = np.setdiff1d(np.arange(truth.shape[1]), self._known)
        return truth[:, np.concatenate([self._known, others])]

    def _tokens(self, corpus: Corpus) -> Tokens:
        return self._vocabulary.tokens(corpus.texts(), most=self.params.length * self.params.pieces)

    def _vectors(self) -> NDArray[np.float32]:
        """The word vectors to begin with: padding, unknown, then the words."""
        p, words = self.params, self._vocabulary.words
        if p.vectors == "none":
            found = np.random.default_rng(p.seed).normal(0, 0.3, (len(words), p.width)).astype(np.float32)
        else:
            found, _ = aligned(words, p.vectors, seed=p.seed)
        return np.concatenate([np.zeros((2, found.shape[1]), np.float32), found])

    def _rank(self, corpus: Corpus, k: int) -> Ranking:
        source = Source(self._read(corpus), None, next(self._network.parameters()).device)
        found = ranked(self._network, source, k, batch=_TAGGED, tokens=self.params.tokens)
        return Ranking(np.where(found.labels < 0, found.labels, self._known[found.labels]), found.scores)

    def _read(self, corpus: Corpus) -> Tokens:
        if not corpus.is_text:
            raise DataError(f"The model was trained on text, and {corpus.name} holds ready features.")
        return self._tokens(corpus)

    def _explain(self, corpus: Corpus, label: int, by: Kind) -> Explanation:
        text, place = next(corpus.texts()), np.searchsorted(self._known, label)
        if place == len(self._known) or self._known[place] != label:
            raise DataError(f"No training document has the label {self.labels_.name(label)!r}: nothing speaks for it.")
        source = Source(self._read(corpus), None, next(self._network.parameters()).device)
        spans = self._vocabulary.spans(text)[: int(source.tokens.lengths[0])]
        batch = source.batch(np.zeros(1, np.int64))
        return explained(
            self._network,
            batch,
            int(place),
            text,
            spans,
            by=by,
            key=self.labels_.keys[label],
            name=self.labels_.name(label),
        )

    def _memory(self, size: Size) -> int:
        words = min(self.params.vocabulary, 1000 + size.characters // 100)  # new words grow rarer and rarer
        weights = 4 * (words * 300 + size.labels * 1024)
        return super()._memory(size) + 8 * weights + size.characters + (1 << 30)  # 1 GiB for torch and a batch

    def _save(self, folder: NewFolder) -> None:
        self._vocabulary.save(folder)
        folder.array("known", self._known)
        folder.facts["score"] = self._score
        weights = self._network.state_dict()
        folder.facts["network"] = list(weights)
        for name, tensor in weights.items():
            folder.array(f"network.{name}", tensor.cpu().numpy())
        (folder.path / LOG).write_text(self._log, encoding="utf-8")

    def _load(self, folder: Folder) -> None:
        self._vocabulary = Vocabulary.load(folder)
        self._known = folder.array("known")
        self._score, self._log = folder.facts["score"], (folder.path / LOG).read_text(encoding="utf-8")
        weights: dict[str, Any] = {n: torch.from_numpy(folder.array(f"network.{n}")) for n in folder.facts["network"]}
        with torch.device("meta"):
            vectors = np.zeros(weights["words.table.weight"].shape, np.float32)
            self._network = self.network(vectors, np.full(len(self._known), 0.5, np.float32))
        self._network.load_state_dict(weights, assign=True)
        self._network.to(device_of(self.params.device)).eval()


def _parted(
    documents: Tokens, Y: sparse.csr_array, share: float, seed: int, device: torch.device
) -> tuple[Source, Source]:
    """Documents to learn from and others to choose the best weights by; of very few documents, the same."""
    count = min(_HELD_OUT, int(share * len(documents)))
    if not count:
        return Source(documents, Y, device), Source(documents, Y, device)
    order = np.random.default_rng(seed).permutation(len(documents))
    kept, rest = np.sort(order[:count]), np.sort(order[count:])
    return Source(documents.take(rest), Y[rest], device), Source(documents.take(kept), Y[kept], device)
