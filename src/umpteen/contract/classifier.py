"""Classifier: what every model is. A model adds its settings, `_fit`, `_rank`, `_save` and `_load`; the rest follows.

`calibrate` makes its scores probabilities and settles how many labels a document gets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.explanation import Explanation, Kind
from umpteen.contract.inputs import answer, corpus_of, labels_of
from umpteen.contract.kinds import DEPTH, Goal, How, Policy
from umpteen.contract.lesson import Size as Size
from umpteen.contract.lesson import lesson_of
from umpteen.contract.saving import Saved
from umpteen.contract.saving import model_name as model_name
from umpteen.contract.tail import Tail
from umpteen.contract.tuning import Tuning
from umpteen.core import memory
from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError, SettingError, UmpteenError, check_choice
from umpteen.core.ranking import Ranking
from umpteen.core.run import Run
from umpteen.core.space import Label, LabelSpace
from umpteen.core.spill import spill
from umpteen.metrics.ranking import Judged

if TYPE_CHECKING:
    from umpteen.labels.tree import Tree

_BATCH = 4096  # documents ranked at a time


class Classifier(Saved):
    """Documents in, ranked labels out."""

    reads: ClassVar[bool] = True  # whether answers depend on what is in a document
    reads_features: ClassVar[bool] = True  # whether documents may be ready features
    exact: ClassVar[bool] = True  # to the last bit whatever the threads and the documents tagged together
    learns: ClassVar[bool] = False  # whether `partial_fit` adds documents and labels to what is known
    resumable: ClassVar[bool] = False  # whether training leaves checkpoints in a run
    spills: ClassVar[bool] = False  # whether training keeps to a limit of memory, with the rest on disk
    reasons: ClassVar[tuple[Kind, ...]] = ("sum",)  # how it can explain itself, the usual way first
    watches: ClassVar[bool] = False  # whether documents kept aside decide when it has learnt enough
    _run: Run | None = None  # of the training in progress

    @classmethod
    def preset(cls, name: str, **settings: Any) -> Self:
        """A model with the settings of a preset, and others on top."""
        params = cls.Params.made(settings, owner=cls.__name__, preset=name)
        return cls(**{f.name: getattr(params, f.name) for f in fields(params)})

    @property
    def begun(self) -> bool:
        """Whether some of it has learnt before `fit`, so that no documents can be kept aside from that."""
        return False

    def takes_features(self) -> bool:
        """Whether documents may be ready features, with these settings."""
        return self.reads_features

    def beneath(self) -> dict[str, Any]:
        """What answers depend on beside the settings, as JSON."""
        return {}

    # What a model gives -------------------------------------------------------------------------------------------

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        """Learn from documents that all have labels, and their label matrix (documents, labels)."""
        raise NotImplementedError

    def _continue(self, older: Any, corpus: Corpus, Y: sparse.csr_array) -> None:
        """Learn from documents as `_fit` does, from where an older model of this class stands."""
        raise UmpteenError(f"{type(self).__name__} cannot go on from an older model: train it anew, without --from.")

    def _extend(self, corpus: Corpus, Y: sparse.csr_array) -> None:
        """Learn more documents, or nothing if that fails; Y has columns for all labels, new ones behind the known."""
        raise NotImplementedError

    def _rank(self, corpus: Corpus, k: int) -> Ranking:
        """The k best labels of each document."""
        raise NotImplementedError

    def _reasons(self) -> tuple[Kind, ...]:
        """Those of `reasons` that this very model has, the usual one first."""
        return self.reasons

    def _explain(self, corpus: Corpus, label: int, by: Kind) -> Explanation:
        """Why the only document of `corpus` gets a label, in one of the ways in `reasons`."""
        raise UmpteenError(f"{type(self).__name__} cannot explain its labels.")

    def trees(self) -> "list[Tree]":
        """The label trees that a fitted model searches; none for a model that looks at every label."""
        return []

    def _memory(self, size: Size) -> int:
        """Bytes that training will take, roughly."""
        return 12 * size.occurrences + 200 * size.labels

    # What everyone uses -------------------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        labels: Mapping[str, Label] | LabelSpace | None = None,
        valid: Corpus | tuple[Any, Any] | None = None,
        start: "Classifier | None" = None,
        run: Run | None = None,
    ) -> Self:
        """Learn from documents and their labels.

        `X` is a Corpus, texts, or a matrix of features; `y` lists of labels or a 0/1 matrix (a Corpus brings its own).
        `labels` names labels and what stands above them; `valid` is for models that watch their progress.
        `start` is an older model of the same kind to go on from: what it knows stays unless documents say otherwise.
        `run` is the folder for a log and checkpoints, with which a model that takes long goes on after a stop.
        """
        if start is not None and type(start) is not type(self):
            raise DataError(
                f"{type(self).__name__} cannot go on from a {type(start).__name__}: both must be the same model."
            )
        if spill() is not None and not self.spills:
            raise UmpteenError(
                f"{type(self).__name__} cannot keep to a limit of memory in training. Train it without, or choose a "
                "model that can, as plt or ovr."
            )
        known = start.labels_ if start is not None else labels if isinstance(labels, LabelSpace) else None
        lesson = lesson_of(X, y, known=known)
        self.labels_ = lesson.space.described(labels) if isinstance(labels, Mapping) else lesson.space
        self.y_form_ = lesson.form
        if start is not None:
            self.labels_.counts = self.labels_.counts + _padded(start.labels_.counts, len(self.labels_))
        self.documents_ = lesson.size.documents + (start.documents_ if start is not None else 0)
        what = f"Training {type(self).__name__} on {self.documents_:,} documents"
        if spill() is None:
            memory.check(self._memory(replace(lesson.size, documents=self.documents_)), what=what)
        corpus, Y = lesson.corpus, lesson.Y
        self._run, self.tuning_ = run, None
        try:
            if start is not None:
                self._continue(start, corpus, Y)
            else:
                self._fit(corpus, Y, corpus_of(*_pair(valid)) if valid is not None else None)
        except BaseException:
            del self.labels_  # half learnt is not learnt
            raise
        finally:
            self._run = None
        return self

    def partial_fit(self, X: Any, y: Any = None, *, labels: Mapping[str, Label] | None = None) -> Self:
        """Learn more documents, with labels old and new, from where the model stands; ids of labels stay.

        Takes what `fit` takes, and is `fit` for a model that has learnt nothing yet. Models that `learns` can do it.
        """
        if not self.learns:
            raise UmpteenError(
                f"{type(self).__name__} cannot learn more documents on top of what it knows: train it anew on all of "
                "them, go on from it with `umpteen train NEW --from OLD` where it is a label tree, or choose a model "
                "that can, as dxml or neighbours."
            )
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y, labels=labels)
        before, documents = self.labels_, self.documents_
        lesson = lesson_of(X, y, known=before)
        self.labels_ = lesson.space.described(labels) if labels is not None else lesson.space
        self.labels_.counts = self.labels_.counts + _padded(before.counts, len(self.labels_))
        self.documents_ = documents + lesson.size.documents
        try:
            self._extend(lesson.corpus, lesson.Y)
        except BaseException:
            self.labels_, self.documents_ = before, documents
            raise
        return self

    def rank(self, X: Any, k: int = 5) -> Ranking:
        """The k best labels of each document, with scores between 0 and 1."""
        self._check_fitted()
        if not isinstance(k, int | np.integer) or k < 1:
            raise DataError(f"k is how many labels to give, a whole number of 1 or more, not {k!r}.")
        corpus = corpus_of(X)
        parts = [corpus] if 0 < (corpus.size or 0) <= _BATCH else corpus.batches(_BATCH)
        return Ranking.joined((self._ranked(part, k) for part in parts), k)

    def _ranked(self, corpus: Corpus, k: int) -> Ranking:
        """The k best labels of each document, by probability where the model is calibrated."""
        if self.tuning_ is None:
            return self._scored(corpus, k)
        return self.tuning_.calibration(self._scored(corpus, max(k, DEPTH)), self.labels_.counts).top(k)

    def _scored(self, corpus: Corpus, k: int) -> Ranking:
        """The k best labels of each document by score, rare ones favoured where the settings say so."""
        if not isinstance(self.params, Tail):
            return self._rank(corpus, k)
        return self.params.favoured(partial(self._rank, corpus), k, self.labels_, self.documents_)

    def suggest(self, X: Any, k: int = 5) -> list[list[tuple[str, float]]]:
        """The k best label names of each document, with their scores."""
        ranking, names = self.rank(X, k), self.labels_.name
        return [
            [(names(label), float(score)) for label, score in zip(*row, strict=True) if label >= 0]
            for row in zip(ranking.labels, ranking.scores, strict=True)
        ]

    def explain(self, X: Any, label: str | None = None, *, by: Kind | None = None) -> Explanation:
        """Why a document, the first of `X`, gets a label, by key or name; without one, its best.

        `by` is one of `reasons`, the ways in which this model can explain itself; without it, the first.
        """
        self._check_fitted()
        ways = self._reasons()
        if by is not None and by not in ways:
            if len(ways) == 1:
                raise SettingError(f"{type(self).__name__} explains itself in one way only: leave 'by' out.")
            check_choice("by", by, ways)
        given = corpus_of([X] if isinstance(X, str) else X)
        corpus = next(given.batches(1), None)
        if corpus is None:
            raise DataError(f"There is no document in {given.name} to explain labels of.")
        if label is None:
            best = int(self.rank(corpus, 1).labels[0, 0])
            if best < 0:
                raise DataError("The document gets no label, so there is nothing to explain: name one with --label.")
        number = best if label is None else self.labels_.id(label)
        found = self._explain(corpus, number, by or ways[0])
        if self.tuning_ is None:
            return found
        return replace(found, score=self._chance(corpus, number, found.score), raw=found.score)

    def _chance(self, corpus: Corpus, label: int, score: float) -> float:
        """The probability of one label of the only document of `corpus`."""
        assert self.tuning_ is not None
        first = self.rank(corpus, DEPTH)
        place = np.flatnonzero(first.labels[0] == label)
        if len(place):
            return float(first.scores[0, place[0]])
        return self.tuning_.calibration.behind(score, int(self.labels_.counts[label]))

    def calibrate(
        self,
        X: Any,
        y: Any = None,
        *,
        how: How = "isotonic",
        goal: Goal = "document",
        policy: Policy | None = None,
    ) -> Self:
        """Make scores probabilities, by labelled documents that the model has not learnt from.

        `goal` is the F1 that policies (how many labels a document gets) are tuned for: the mean over documents, over
        all pairs (micro), or the mean over labels (macro). Without a `policy`, the one that does best is kept.
        `tuning_.found` says what came of it.
        """
        self._check_fitted()
        self.check_tunable()
        given = corpus_of(X, labels_of(y)[0] if y is not None else None)
        labelled = given.take(np.array([len(labels) > 0 for labels in given.labels()], bool))
        ranking = Ranking.joined((self._scored(part, DEPTH) for part in labelled.batches(_BATCH)), DEPTH)
        counts = self.labels_.counts
        self.tuning_ = Tuning.learn(ranking, self.truth(labelled), counts, how=how, goal=goal, policy=policy)
        return self

    def check_tunable(self) -> None:
        """Raise where the settings do not go with calibration."""
        if isinstance(self.params, Tail) and self.params.favour:
            raise UmpteenError("Labels are in the order of probabilities once calibrated: set 'favour' to 0 for that.")

    def choose(self, X: Any, policy: Policy | None = None) -> Ranking:
        """The labels that each document gets: by a policy, if calibrated, else as many as training documents had."""
        self._check_fitted()
        ranking = self.rank(X, DEPTH if self.tuning_ is not None else self._usual)
        return Ranking.best(np.where(self.given(ranking, policy), ranking.labels, -1), ranking.scores, ranking.depth)

    def given(self, ranking: Ranking, policy: Policy | None = None) -> NDArray[np.bool_]:
        """Which places of this model's ranking, DEPTH deep or deeper, documents get as labels, (documents, k)."""
        if self.tuning_ is not None:
            first = self.tuning_.policies.given(ranking.top(DEPTH), policy)
            return np.pad(first, ((0, 0), (0, ranking.depth - first.shape[1])))
        if policy is not None:
            raise UmpteenError("The model has no policies yet. Tune them with: umpteen calibrate MODEL VALIDATION")
        return (ranking.labels >= 0) & (np.arange(ranking.depth) < self._usual)

    @property
    def _usual(self) -> int:
        """Labels of a training document on average."""
        return max(1, round(int(self.labels_.counts.sum()) / self.documents_))

    def predict(self, X: Any) -> Any:
        """The labels that each document gets, as `choose` says, in the form of the training `y`."""
        return answer(self.choose(X), self.labels_, self.y_form_)

    def predict_proba(self, X: Any, k: int = 100) -> sparse.csr_array:
        """Scores of the k best labels as a sparse matrix (documents, labels)."""
        self._check_fitted()
        return self.rank(X, min(k, len(self.labels_))).csr(len(self.labels_))

    def score(self, X: Any, y: Any = None) -> float:
        """Mean nDCG@5 on labelled documents, between 0 and 1."""
        self._check_fitted()
        corpus = corpus_of(X, labels_of(y)[0] if y is not None else None)
        return Judged.of(self.rank(corpus, 5), self.truth(corpus), k=5).ndcg(5).value

    def truth(self, corpus: Corpus) -> sparse.csr_array:
        """The label matrix of a corpus; labels this model never saw stand in columns behind its own."""
        self._check_fitted()
        lists = [*corpus.labels()]
        return self.labels_.extended(key for labels in lists for key in labels).encode(lists)


def _padded(counts: NDArray[np.int64], labels: int) -> NDArray[np.int64]:
    return np.pad(counts, (0, labels - len(counts)))


def _pair(valid: Any) -> tuple[Any, Sequence[Sequence[str]] | None]:
    return (valid[0], labels_of(valid[1])[0]) if isinstance(valid, tuple) else (valid, None)
