"""Classifier: what every model is. A model adds its settings, `_fit`, `_rank`, `_save` and `_load`; the rest follows.

It keeps scikit-learn's contract (`get_params`, `clone`, `Pipeline`, `GridSearchCV`) by its methods alone, so that
tagging need not load scikit-learn.
"""

from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.explanation import Explanation, Kind
from umpteen.contract.inputs import answer, corpus_of, labels_of
from umpteen.contract.lesson import Size as Size
from umpteen.contract.lesson import lesson_of
from umpteen.contract.tail import Tail
from umpteen.core import memory
from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError, FolderError, NotFittedError, UmpteenError, check_choice
from umpteen.core.ranking import Ranking
from umpteen.core.run import Run
from umpteen.core.settings import Settings
from umpteen.core.space import Label, LabelSpace
from umpteen.core.store import Folder, NewFolder, check_free, new_folder
from umpteen.metrics.ranking import Judged

if TYPE_CHECKING:
    from umpteen.labels.tree import Tree

_BATCH = 4096  # documents ranked at a time


class Classifier:
    """Documents in, ranked labels out."""

    Params: ClassVar[type[Settings]]
    labels_: LabelSpace
    documents_: int  # documents learnt from
    y_form_: str
    reads: ClassVar[bool] = True  # whether answers depend on what is in a document
    reads_features: ClassVar[bool] = True  # whether documents may be ready features
    exact: ClassVar[bool] = True  # to the last bit whatever the threads and the documents tagged together
    learns: ClassVar[bool] = False  # whether `partial_fit` adds documents and labels to what is known
    resumable: ClassVar[bool] = False  # whether training leaves checkpoints in a run
    reasons: ClassVar[tuple[Kind, ...]] = ("sum",)  # how it can explain itself, the usual way first
    _run: Run | None = None  # of the training in progress

    def __init__(self, **settings: Any) -> None:
        self.Params.check_names(settings, owner=type(self).__name__)
        self.params = self.Params(**settings)

    @classmethod
    def preset(cls, name: str, **settings: Any) -> Self:
        """A model with the settings of a preset, and others on top."""
        params = cls.Params.made(settings, owner=cls.__name__, preset=name)
        return cls(**{f.name: getattr(params, f.name) for f in fields(params)})

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

    def _save(self, folder: NewFolder) -> None:
        """Write what `_load` needs."""
        raise NotImplementedError

    def _load(self, folder: Folder) -> None:
        """Become what `_save` wrote."""
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
        known = start.labels_ if start is not None else labels if isinstance(labels, LabelSpace) else None
        lesson = lesson_of(X, y, known=known)
        self.labels_ = lesson.space.described(labels) if isinstance(labels, Mapping) else lesson.space
        self.y_form_ = lesson.form
        if start is not None:
            self.labels_.counts = self.labels_.counts + _padded(start.labels_.counts, len(self.labels_))
        self.documents_ = lesson.size.documents + (start.documents_ if start is not None else 0)
        what = f"Training {type(self).__name__} on {self.documents_:,} documents"
        memory.check(self._memory(replace(lesson.size, documents=self.documents_)), what=what)
        corpus, Y = lesson.corpus, lesson.Y
        self._run = run
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
                "them, or choose a model that can, as dxml or neighbours."
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
        """The k best labels of each document, rare ones favoured where the settings say so."""
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
        if by is not None:
            check_choice("by", by, self._reasons())
        given = corpus_of([X] if isinstance(X, str) else X)
        corpus = next(given.batches(1), None)
        if corpus is None:
            raise DataError(f"There is no document in {given.name} to explain labels of.")
        if label is None:
            best = int(self.rank(corpus, 1).labels[0, 0])
            if best < 0:
                raise DataError("The document gets no label, so there is nothing to explain: name one with --label.")
        return self._explain(corpus, best if label is None else self.labels_.id(label), by or self._reasons()[0])

    def predict(self, X: Any) -> Any:
        """Each document's labels, as many as training documents had on average, in the form of the training `y`."""
        self._check_fitted()
        usual = max(1, round(int(self.labels_.counts.sum()) / self.documents_))
        return answer(self.rank(X, usual), self.labels_, self.y_form_)

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

    def save(self, path: str | Path) -> None:
        """Write the model to a folder, in place of an older model there."""
        self._check_fitted()
        check_free(path)
        with new_folder(path) as folder:
            folder.facts |= {
                "model": model_name(type(self)),
                "settings": asdict(self.params),
                "documents": self.documents_,
                "answers": self.y_form_,
            }
            folder.json("labels", self.labels_.to_json())
            self._save(folder)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The model saved in a folder; `umpteen.load` finds out by itself which model it is."""
        return cls.from_folder(Folder(path))

    @classmethod
    def from_folder(cls, folder: Folder) -> Self:
        """The model in an open folder."""
        if folder.facts.get("model") != model_name(cls):
            raise FolderError(
                f"{folder.path} holds a model {folder.facts.get('model')!r}, not {model_name(cls)!r}. Use umpteen.load."
            )
        with folder.sound():
            made = cls(**cls.Params.made(folder.facts["settings"], owner=cls.__name__).__dict__)
            made.documents_, made.y_form_ = folder.facts["documents"], folder.facts["answers"]
            made.labels_ = LabelSpace.from_json(folder.json("labels"))
            made._load(folder)
        return made

    # scikit-learn's contract --------------------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name."""
        return {f.name: getattr(self.params, f.name) for f in fields(self.params)}

    def set_params(self, **settings: Any) -> Self:
        """Change settings; counts for the next `fit`."""
        self.Params.check_names(settings, owner=type(self).__name__)
        self.params = self.Params(**{**self.get_params(), **settings})
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True, multi_output=True, single_output=False),
            classifier_tags=ClassifierTags(multi_class=False, multi_label=True),
            input_tags=InputTags(sparse=True, string=True, two_d_array=True),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "labels_")

    @property
    def classes_(self) -> np.ndarray[Any, Any]:
        """The labels by column of `predict_proba`."""
        self._check_fitted()
        return np.array(self.labels_.keys, dtype=object)

    def __repr__(self) -> str:
        changed = (f for f in fields(self.params) if getattr(self.params, f.name) != f.default)
        return f"{type(self).__name__}({', '.join(f'{f.name}={getattr(self.params, f.name)!r}' for f in changed)})"

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"{type(self).__name__} has not learnt anything yet: call fit first, or load a saved model."
            )


def model_name(cls: type[Classifier]) -> str:
    """A model's name is its file's."""
    return cls.__module__.rpartition(".")[2]


def _padded(counts: NDArray[np.int64], labels: int) -> NDArray[np.int64]:
    return np.pad(counts, (0, labels - len(counts)))


def _pair(valid: Any) -> tuple[Any, list[list[str]] | None]:
    return (valid[0], labels_of(valid[1])[0]) if isinstance(valid, tuple) else (valid, None)
