"""DeepClassifier: a Classifier around a network. A model file gives only settings and a network."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.classifier import Classifier, Size
from umpteen.contract.explanation import Explanation, Kind
from umpteen.core import code, heap
from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking
from umpteen.core.run import LOG
from umpteen.core.sound import check_places
from umpteen.core.store import Folder, NewFolder
from umpteen.networks.bag import WordBag
from umpteen.networks.network import Network
from umpteen.text.descriptions import rarity
from umpteen.text.readers import Ordered, Places, Reader
from umpteen.text.vectors import begun
from umpteen.train.batches import Source, parted
from umpteen.train.chance import Undrawn, chance_of
from umpteen.train.device import device_of
from umpteen.train.engine import begun_otherwise, reached, threads_of, trained
from umpteen.train.ranked import ranked
from umpteen.train.reasons import explained
from umpteen.train.settings import AdvisedSettings, DeepSettings, Learning, Refitted, WholeSettings
from umpteen.train.stages import Stage

_EVER = 1 << 30  # looks: none ends the training
_TAGGED = 64  # documents tagged at a time
_COPIES = 3  # of weights whose gradients are sparse: themselves and two moments; their mean and the best lie aside


class DeepClassifier(Classifier):
    """Trains a network on what its reader makes of documents; without another, words in their order."""

    params: Learning
    reads_features = False
    exact = False
    resumable = True
    watches = True
    reasons: ClassVar[tuple[Kind, ...]] = ("leaning",)

    # What a model gives ---------------------------------------------------------------------------------------------

    def network(self, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> Network:
        """A fresh network for word vectors (words, width), of which the first is padding and the second unknown.

        `shares` says of each label which share of the documents has it.
        """
        raise NotImplementedError

    def reader(self) -> Reader:
        """A reader that has not learnt yet."""
        p = self.params
        assert isinstance(p, DeepSettings)
        return Ordered(words=p.vocabulary, min_df=p.min_df, length=p.length * p.pieces, owner=type(self).__name__)

    def vectors(self, words: list[str]) -> NDArray[np.float32]:
        """What padding, the unknown and each of the reader's words begin as."""
        p = self.params
        assert isinstance(p, DeepSettings)
        return begun(words, p.vectors, width=p.width, seed=p.seed)

    def survey(self, corpus: Corpus, Y: sparse.csr_array) -> None:
        """What must be known of documents and the matrix of their labels before there is a network; mostly nothing."""

    def accompany(self, source: Source, kept: Source, corpus: Corpus, valid: Corpus | None) -> tuple[Source, Source]:
        """Documents of `corpus` to learn from, and those kept aside of it or of `valid`, with what goes with each.

        Mostly nothing does.
        """
        return source, kept

    def stages(self, vectors: NDArray[np.float32], shares: NDArray[np.float32]) -> Iterator[Stage]:
        """The networks to train, one after the other, the last being the model's; mostly that one alone."""
        yield Stage(self.network(vectors, shares), self.params)

    def prepare(self, network: Network, source: Source) -> None:
        """What a fresh network takes from its documents: how rare words are, and where those of each label lie."""
        for part in network.modules():
            if isinstance(part, WordBag):
                part.weigh(rarity(source.tokens, len(part.table)))
        if isinstance(self.params, WholeSettings) and self.params.means:
            assert source.Y is not None
            network.lead(source.texts, source.Y)

    def ranker(self, source: Source) -> Callable[[Source, int], Ranking] | None:
        """How documents are ranked while the network learns from `source`; None: by the network alone."""
        return None

    def conclude(self, source: Source, kept: Source | None) -> dict[str, Any]:
        """What is left to choose when the network has learnt, on documents kept aside if any were; mostly nothing."""
        return {}

    # What all share -------------------------------------------------------------------------------------------------

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        p = self.params
        self._known = np.flatnonzero(np.diff(Y.tocsc().indptr)).astype(np.int32)  # labels that occur
        self._reader = self.reader()
        device = device_of(p.device)
        documents, targets, names = self._reader.fit(corpus), Y[:, self._known], self._names()
        if any(names) and isinstance(self._reader, Ordered):
            self._reader.learn_words(names)
            documents = self._reader.read(corpus)
        self.survey(corpus, targets)
        worth = p.worth(self.labels_, self.documents_)
        whole = Source(documents, targets, device, worth=worth[self._known] if worth is not None else None)
        if valid is not None:
            truth = self._truth(valid)
            source, kept = whole, Source(self._reader.read(valid), truth, device)
            if not len(kept):
                raise DataError("There are no documents to choose the best weights by. Leave them out, or give some.")
            if not truth[:, : len(self._known)].nnz:
                raise DataError(
                    "The best weights cannot be chosen by documents that have none of the labels that others are "
                    "learnt from. Give others, or leave them out."
                )
        else:
            source, kept = parted(whole, p.held_out, p.seed)
        apart = kept is not source
        source, kept = self.accompany(self._with_names(source, names), kept, corpus, valid)
        vectors, shares = self.vectors(self._reader.words), np.asarray(targets.mean(axis=0), np.float32)
        stages, (begun_with, found) = self.stages(vectors, shares), reached(self._run)
        for number in count():
            with chance_of(p.seed), threads_of(p.jobs):
                if (stage := next(stages, None)) is None:
                    break
                self._network = stage.network.to(device)
                seen, judged = stage.seen(source), stage.seen(kept)
                if number >= begun_with:
                    self.prepare(self._network, seen)
            if number >= begun_with:
                found = trained(stage, number, seen, judged, self._run, self.ranker(seen), found)
        if number > begun_with:  # else a run goes on that has chosen already
            with threads_of(p.jobs):
                found = replace(found, chosen=self.conclude(source, kept if apart else None))
        refits = isinstance(p, Refitted) and p.refit and valid is None and len(source) < len(documents)
        if self._run is not None and begun_with >= number + refits:
            raise begun_otherwise(self._run, "settings")
        if refits:
            with chance_of(p.seed), threads_of(p.jobs):
                self._network = self.network(vectors, shares).to(device)
                self.prepare(self._network, whole)
            again = Stage(self._network, replace(p, patience=_EVER), until=found.epoch)
            trained(again, number, whole, kept, self._run, before=found)
        self._score, self._apart, self._chosen = found.score, apart, dict(found.chosen)
        self._log = self._run.log() if self._run is not None else ""

    def _names(self) -> list[str]:
        """What labels that occur are called, where such models read it."""
        if not isinstance(self.params, AdvisedSettings) or not self.params.label_text:
            return []
        return [self.labels_.label(self.labels_.keys[label]).called for label in self._known.tolist()]

    def _with_names(self, source: Source, names: list[str]) -> Source:
        """Documents to learn from, and the names of labels as one more each; a label without a name has none."""
        there = np.flatnonzero([bool(name) for name in names])
        if not len(there):
            return source
        read = self._reader.read(Corpus.from_texts([names[place] for place in there]))
        return source.with_more(read, sparse.csr_array(sparse.eye_array(len(names), format="csr")[there]))

    def _truth(self, valid: Corpus) -> sparse.csr_array:
        """Labels of validation documents; those that training documents never have stand behind the others."""
        truth = self.truth(valid)
        others = np.setdiff1d(np.arange(truth.shape[1]), self._known)
        return truth[:, np.concatenate([self._known, others])]

    def _source(self, corpus: Corpus) -> Source:
        """Documents to tag."""
        return Source(self._reader.read(corpus), None, next(self._network.parameters()).device)

    def _rank(self, corpus: Corpus, k: int) -> Ranking:
        return self._best(self._source(corpus), k)

    def _best(self, source: Source, k: int) -> Ranking:
        """The k best labels of documents that were read."""
        found = ranked(self._network, source, k, batch=_TAGGED, tokens=self.params.tokens)
        return Ranking(np.where(found.labels < 0, found.labels, self._known[found.labels]), found.scores)

    def _explain(self, corpus: Corpus, label: int, by: Kind) -> Explanation:
        place = np.searchsorted(self._known, label)
        if place == len(self._known) or self._known[place] != label:
            raise DataError(f"No training document has the label {self.labels_.name(label)!r}: nothing speaks for it.")
        text, source = next(corpus.texts()) if corpus.is_text else "", self._source(corpus)
        places = self._reader.places(text, source.tokens)
        unread = self._reader.unread(text, source.tokens) if isinstance(self._reader, Ordered) else 0
        found = explained(
            self._network,
            source.batch(np.zeros(1, np.int64)),
            int(place),
            text,
            places,
            by=by,
            key=self.labels_.keys[label],
            name=self.labels_.name(label),
            words=self._called(source.tokens.ids, text, places),
        )
        if text and not len(places):  # what is read in the place of a text without words stands nowhere in it
            found = replace(found, spans=(), features=())
        return replace(found, unread=unread)

    def _called(self, ids: NDArray[np.int32], text: str, places: Places) -> list[str]:
        """What a document's ids stand for; an unknown word is called as the text does."""
        names = ("", "(unknown)", *self._reader.words)
        called = [names[id] for id in ids.tolist()]
        for start, end, number in places.tolist():
            if ids[number] == 1:
                called[number] = f"{text[start:end].lower()} (unknown)"
        return called

    @property
    def _copies(self) -> int:
        """How often weights whose gradients are sparse are in memory."""
        return 1 if self.params.row_moments and self.params.optimiser == "adam" else _COPIES

    def _memory(self, size: Size) -> int:
        words = 1000 + size.characters // 100 + size.features // 100  # new words grow rarer and rarer
        if isinstance(self.params, DeepSettings):
            words = min(words, self.params.vocabulary)
        bag = self.params.bag if isinstance(self.params, WholeSettings) else 0
        weights = 4 * (words * 300 + size.labels * 1024)
        table = self._copies * 4 * words * bag
        return super()._memory(size) + 8 * weights + table + size.characters + (1 << 30)  # 1 GiB for torch and a batch

    def _save(self, folder: NewFolder) -> None:
        self._reader.save(folder)
        folder.array("known", self._known)
        folder.facts |= {"score": self._score, "apart": self._apart}
        weights = self._network.state_dict()
        folder.facts["network"] = list(weights)
        for name, tensor in weights.items():
            folder.array(f"network.{name}", tensor.cpu().numpy())
        folder.text(LOG, self._log)

    def _load(self, folder: Folder) -> None:
        heap.keep_few_kernels()
        code.let_go()  # what importing torch needed, and at the end what loading compiled code did
        self._reader = self.reader()
        self._reader.load(folder)
        self._known = folder.array("known")
        check_places(self._known, len(self.labels_))
        self._score, self._log = folder.facts["score"], folder.text(LOG)
        self._apart = folder.facts.get("apart", True)  # whether documents that the score is of were kept aside
        weights: dict[str, Any] = {n: torch.from_numpy(folder.array(f"network.{n}")) for n in folder.facts["network"]}
        with torch.device("meta"), Undrawn():
            table = next(tensor for name, tensor in weights.items() if name.endswith("words.table.weight"))
            vectors = np.zeros(table.shape, np.float32)
            self._network = self.network(vectors, np.full(len(self._known), 0.5, np.float32))
        self._network.load_state_dict(weights, assign=True)
        self._network.to(device_of(self.params.device)).eval()
        code.let_go()
