"""Several models as one: their rankings are joined, so that one is right where another is wrong.

The joint answer of AttentionXML and Parabel is of You et al. (2018).
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.classifier import Classifier, Size, model_name
from umpteen.contract.explanation import Explanation, Kind, Vote
from umpteen.contract.inputs import corpus_of, labels_of
from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError, FolderError, SettingError, UmpteenError
from umpteen.core.ranking import Ranking
from umpteen.core.settings import PASSING, Settings, Value, setting
from umpteen.core.space import LabelSpace
from umpteen.core.store import Folder, NewFolder, is_plain
from umpteen.labels.tree import Tree
from umpteen.models import from_folder, load
from umpteen.models.fusion.members import Member, check, folded, members_of
from umpteen.models.fusion.votes import How, joined, learn

_BATCH = 1024  # documents looked at together when weights are learnt


class Consensus(Classifier):
    """Suits whoever wants the best answer and can wait for several models; most where they differ in kind."""

    @dataclass(frozen=True, kw_only=True)
    class Params(Settings):
        """Which models are joined, and how."""

        presets: ClassVar[Mapping[str, Mapping[str, Value]]] = {
            "paper": {"members": ("attentionxml:paper", "plt:parabel"), "how": "either"},
        }

        jobs: int = setting(0, "Threads to use; 0 takes every core. Members say what it changes.", least=0, most=4096)

        members: tuple[str, ...] = setting(
            ("attentionxml", "plt"),
            "Models to join: names, names with presets as plt:parabel, folders of saved models.",
        )
        how: str = setting(
            "either",
            "How scores are joined: the chance that one is right, their mean, that of places, or learnt.",
            choices=("either", "mean", "ranks", "learnt"),
        )
        weights: tuple[float, ...] = setting((), "What each member's vote counts; empty: all the same.", least=0)
        depth: int = setting(100, "Labels that each member lists.", least=1)
        offset: float = setting(60.0, "With ranks, place p counts 1 / (offset + p).", least=0)
        held_out: float = setting(
            0.1, "Share of the documents kept to learn weights by, where none are named.", least=0.01, most=0.5
        )
        options: tuple[str, ...] = setting((), "Settings of members, as attentionxml.epochs=3.")

        def __post_init__(self) -> None:
            super().__post_init__()
            if not self.members:
                raise SettingError("Setting 'members' names no model. Write members=plt,neighbours or the like.")
            if self.weights and self.how == "learnt":
                raise SettingError(
                    "Setting 'weights' says what votes count, and how=learnt learns that: set one of both."
                )
            if self.weights and len(self.weights) != len(self.members):
                raise SettingError(
                    f"Setting 'weights' takes a weight for each of the {len(self.members)} members, not "
                    f"{len(self.weights)}."
                )
            if self.weights and not sum(self.weights):
                raise SettingError("Setting 'weights' must be above 0 for one member at least.")

        @classmethod
        def made(cls, values: Mapping[str, object] | None = None, *, owner: str, preset: str | None = None) -> Self:
            found = super().made(folded(values or {}), owner=owner, preset=preset)
            check(found.members, found.options)
            return found

    params: Params
    resumable = True
    watches = True
    exact = False
    reasons: ClassVar[tuple[Kind, ...]] = ("sum", "attention", "leaning")
    _wanted: list[tuple[Member, Classifier]]  # of the training in progress
    _learnt: NDArray[np.float64] | None

    def __init__(self, **settings: Any) -> None:
        super().__init__(**folded(settings))

    def set_params(self, **settings: Any) -> Self:
        """Change settings, those of members as `plt__trees` too; counts for the next `fit`."""
        return super().set_params(**folded(settings, self.params.options))

    @classmethod
    def of(cls, models: Sequence[Classifier] | Mapping[str, Classifier], *, valid: Any = None, **settings: Any) -> Self:
        """Fitted models joined, by name or in order; `valid`, a Corpus or documents and labels, is to learn weights."""
        named = dict(models) if isinstance(models, Mapping) else _named(models)
        if odd := [name for name in named if not is_plain(name)]:
            raise SettingError(f"A member's name is that of its folder, and {odd[0]!r} cannot be one.")
        made = cls(**settings, members=tuple(named))
        for member in named.values():
            member._check_fitted()
        made._take([*named], [*named.values()], None)
        made.documents_ = max(member.documents_ for member in named.values())
        made.y_form_ = next(iter(named.values())).y_form_
        if made.params.how == "learnt":
            if valid is None:
                raise DataError("Weights are learnt from labelled documents: give some as `valid`.")
            made._weigh(corpus_of(*((valid[0], labels_of(valid[1])[0]) if isinstance(valid, tuple) else (valid,))))
        return made

    def fit(self, X: Any, y: Any = None, **given: Any) -> Self:
        """Learn from documents and their labels: every member that is not a saved model, then what joins them."""
        self._wanted = self._asked()
        return super().fit(X, y, **given)

    def _asked(self) -> list[tuple[Member, Classifier]]:
        """The members that the settings name, none of which has learnt yet."""
        check(self.params.members, self.params.options)
        return [(member, self._made(n, member)) for n, member in enumerate(members_of(self.params.members))]

    def _made(self, number: int, member: Member) -> Classifier:
        before = self.params.members[:number].count(member.text)
        return member.made(self.params, self.params.options, before)

    @property
    def begun(self) -> bool:
        return any(member.saved for member in members_of(self.params.members))

    def takes_features(self) -> bool:
        return all(model.takes_features() for _, model in self._asked())

    def beneath(self) -> dict[str, Any]:
        return {
            m.name: m.mark if m.saved else _lasting(self._made(n, m))
            for n, m in enumerate(members_of(self.params.members))
        }

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        if not corpus.is_text and (deaf := [m.name for m, model in self._wanted if not model.takes_features()]):
            raise DataError(f"{corpus.name} holds ready features without text, which {deaf[0]} cannot read.")
        for member, model in self._wanted:
            if member.saved:
                _check_reads(member.name, model, corpus)
        if self.params.how == "learnt" and valid is None:
            if self.begun:
                raise DataError(
                    "Weights are learnt from documents that no member knows, and saved members may know all of these: "
                    "name others with --valid, or as valid=."
                )
            corpus, valid = self._parted(corpus, Y.shape[0])
        found = [
            model if member.saved else self._trained(member.name, model, corpus, valid)
            for member, model in self._wanted
        ]
        self._take([member.name for member, _ in self._wanted], found, self.labels_)
        if self.params.how == "learnt":
            assert valid is not None
            self._weigh(valid)

    def _trained(self, name: str, model: Classifier, corpus: Corpus, valid: Corpus | None) -> Classifier:
        """A member that has learnt; one that a stopped training had finished is not trained again."""
        if self._run is None:
            return model.fit(corpus, labels=self.labels_, valid=valid)
        part = self._run.part(name)
        if part.done.is_dir():
            found = load(part.done)
            if _lasting(found) != _lasting(model) or found.labels_.keys != self.labels_.keys:
                raise FolderError(
                    f"The run in {self._run.path} was begun with other settings or documents. Use the same, or delete "
                    f"{self._run.path} and train from the start."
                )
            return found
        model.fit(corpus, labels=self.labels_, valid=valid, run=part if model.resumable else None)
        model.save(part.done)
        return model

    def _parted(self, corpus: Corpus, documents: int) -> tuple[Corpus, Corpus]:
        """Documents for the members to learn from, and others to learn weights by; of very few documents, the same."""
        order = np.random.default_rng(self.params.seed).permutation(documents)
        count = int(self.params.held_out * documents)
        return (corpus.take(order[count:]), corpus.take(order[:count])) if count > 1 else (corpus, corpus)

    def _take(self, names: list[str], members: list[Classifier], space: LabelSpace | None) -> None:
        """Become these members; their labels get ids of their own behind those of `space`."""
        self._names, self._members, self._learnt = names, members, None
        self.labels_ = _united([*([space] if space is not None else []), *(member.labels_ for member in members)])
        self._number()

    def _number(self) -> None:
        """Note which of all labels each member's are."""
        ids = {key: number for number, key in enumerate(self.labels_.keys)}
        self._ids = [np.array([*(ids[key] for key in m.labels_.keys), -1], np.int32) for m in self._members]

    def _weigh(self, valid: Corpus) -> None:
        """Learn what members' scores mean and their votes are worth, by documents that they have not learnt from."""
        self._members = [_calibrated(member, valid) for member in self._members]
        parts = [self._listed(part, self.params.depth) for part in valid.batches(_BATCH)]
        rankings = [Ranking.joined(column, self.params.depth) for column in zip(*parts, strict=True)]
        self._learnt = learn(rankings, self.truth(valid))

    def _listed(self, corpus: Corpus, depth: int) -> list[Ranking]:
        """What each member says, by our ids."""
        found = (member.rank(corpus, depth) for member in self._members)
        return [Ranking(ids[ranking.labels], ranking.scores) for ranking, ids in zip(found, self._ids, strict=True)]

    @property
    def _weights(self) -> NDArray[np.float64]:
        if self._learnt is not None:
            return self._learnt
        return np.array(self.params.weights or [1.0] * len(self._members))

    def _rank(self, corpus: Corpus, k: int) -> Ranking:
        return self._joined(self._listed(corpus, self.params.depth), k)

    def _joined(self, rankings: list[Ranking], k: int) -> Ranking:
        how = cast(How, "either" if self.params.how == "learnt" else self.params.how)
        return joined(rankings, k, how=how, weights=self._weights, offset=self.params.offset)

    @property
    def members(self) -> dict[str, Classifier]:
        """The models that are joined, by name."""
        self._check_fitted()
        return dict(zip(self._names, self._members, strict=True))

    def _reasons(self) -> tuple[Kind, ...]:
        return tuple(dict.fromkeys(kind for member in self._members for kind in member._reasons()))

    def _explain(self, corpus: Corpus, label: int, by: Kind) -> Explanation:
        """Each member's vote, with its own reasons."""
        rankings, key = self._listed(corpus, self.params.depth), self.labels_.keys[label]
        all_in_all = self._joined(rankings, len(self._members) * self.params.depth)
        votes = []
        parts = zip(self._names, self._members, rankings, self._weights.tolist(), strict=True)
        for name, member, ranking, weight in parts:
            place = np.flatnonzero(ranking.labels[0] == label)
            score = float(ranking.scores[0, place[0]]) if len(place) else 0.0
            votes.append(
                Vote(name, int(place[0]) + 1 if len(place) else None, score, weight, _why(member, corpus, key, by))
            )
        at = np.flatnonzero(all_in_all.labels[0] == label)
        score = float(all_in_all.scores[0, at[0]]) if len(at) else 0.0
        text = next(corpus.texts()) if corpus.is_text else ""
        return Explanation(key, self.labels_.name(label), score, text, votes=tuple(votes))

    def trees(self) -> list[Tree]:
        same = [member for member in self._members if member.labels_.keys == self.labels_.keys]
        return [tree for member in same for tree in member.trees()]

    def _memory(self, size: Size) -> int:
        return max([super()._memory(size), *(model._memory(size) for m, model in self._asked() if not m.saved)])

    def _save(self, folder: NewFolder) -> None:
        folder.facts["members"] = self._names
        for name, member in zip(self._names, self._members, strict=True):
            with folder.inner(name) as inner:
                member.write(inner)
        if self._learnt is not None:
            folder.array("learnt", self._learnt)
            counts = ", ".join(f"{name} {weight:g}" for name, weight in zip(self._names, self._learnt, strict=True))
            folder.facts["notes"] = [f"Learnt what each member's vote counts: {counts}."]

    def _load(self, folder: Folder) -> None:
        self._names = [*folder.facts["members"]]
        self._members = [from_folder(folder.inner(name)) for name in self._names]
        self._learnt = folder.array("learnt") if folder.has("learnt.npy") else None
        self._number()


def _named(models: Sequence[Classifier]) -> dict[str, Classifier]:
    """Models by their names, equal ones numbered."""
    kinds = [model_name(type(model)) for model in models]
    return {
        kind if (turn := kinds[:place].count(kind)) == 0 else f"{kind}-{turn + 1}": model
        for place, (kind, model) in enumerate(zip(kinds, models, strict=True))
    }


def _check_reads(name: str, member: Classifier, corpus: Corpus) -> None:
    """Raise where a saved member cannot read such documents as these."""
    if (first := next(corpus.batches(1), None)) is not None:
        try:
            member.rank(first, 1)
        except DataError as error:
            raise DataError(f"{name} cannot be joined for these documents. {error}") from error


def _united(spaces: list[LabelSpace]) -> LabelSpace:
    """All labels, those of the first space first, each counted where it is counted most."""
    whole = spaces[0].extended(key for space in spaces[1:] for key in space.keys)
    if len(whole) > len(spaces[0]):
        known = {key: space.label(key) for space in reversed(spaces) for key in space.keys if space.label(key).name}
        whole = whole.described(known)
    ids = {key: number for number, key in enumerate(whole.keys)}
    for space in spaces[1:]:
        own = [ids[key] for key in space.keys]
        whole.counts[own] = np.maximum(whole.counts[own], space.counts)
    return whole


def _calibrated(member: Classifier, valid: Corpus) -> Classifier:
    """A member whose scores are probabilities, if they can be; the one that was given stays as it is."""
    able = member.tuning_ is None and not getattr(member.params, "favour", 0)
    return copy(member).calibrate(valid) if able else member


def _why(member: Classifier, corpus: Corpus, key: str, by: Kind) -> Explanation | None:
    """A member's own reasons, if it has any."""
    try:
        return member.explain(corpus, key, by=by if by in member._reasons() else None)
    except UmpteenError:
        return None


def _lasting(model: Classifier) -> dict[str, Any]:
    """What decides a member's answers."""
    return {name: value for name, value in asdict(model.params).items() if name not in PASSING}
