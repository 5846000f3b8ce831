"""LabelSpace: which labels there are, what they are called, how often they occur, what stands above them.

Ids are places in the list. Labels are only ever added at its end, so an id means the same label for ever.
"""

import warnings
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.core.errors import DataError, UmpteenWarning

_REMEMBERED = 1 << 16  # labels of a model folder that are kept once made
_FEW = 5  # keys that are named in a message


@dataclass(frozen=True, slots=True)
class Label:
    """What a label file tells of one label."""

    key: str  # what documents say: an id, a URI, or the name itself
    name: str = ""
    parents: tuple[str, ...] = ()  # keys of the labels right above
    names: Mapping[str, str] = field(default_factory=dict)  # language -> name
    description: str = ""

    @property
    def called(self) -> str:
        """All that it is called besides its key, each name once; nothing where a key is all that is known."""
        names = dict.fromkeys((self.name, *self.names.values()))
        return " ".join(name for name in names if name and name != self.key)


class LabelSpace:
    """Label id <-> key and name, with counts from training and parents."""

    def __init__(
        self,
        keys: Iterable[str] = (),
        *,
        labels: Mapping[str, Label] | None = None,
        counts: NDArray[np.int64] | None = None,
    ) -> None:
        self._ids = {key: number for number, key in enumerate(dict.fromkeys(keys))}
        self.keys = list(self._ids)
        self._labels: Mapping[str, Label] = labels or {}
        self.counts = np.zeros(len(self.keys), np.int64) if counts is None else counts  # documents in training
        if self.counts.shape != (len(self.keys),):
            raise DataError(f"There are {len(self.keys)} labels but {len(self.counts)} label counts.")

    def __len__(self) -> int:
        return len(self.keys)

    def __contains__(self, key: object) -> bool:
        return key in self._ids

    def id(self, key: str) -> int:
        """The id of a label, by key or by name."""
        if not isinstance(key, str):
            raise DataError(f"A label is named by its key or name, a text, not {key!r}; `labels_.keys` has the keys.")
        if key in self._ids:
            return self._ids[key]
        named = [self._ids[k] for k in self.keys if key and self.label(k).name == key]
        if len(named) > 1:
            several = ", ".join(self.keys[n] for n in named[:_FEW]) + (", ..." if len(named) > _FEW else "")
            raise DataError(f"{len(named):,} labels are called {key!r}: {several}. Name one by its key.")
        if named:
            return named[0]
        raise DataError(f"There is no label {key!r} among the {len(self):,} labels known.{self._near(key)}")

    def label(self, key: str) -> Label:
        """All that is known of a label; just its key where there is no more."""
        return self._labels.get(key) or Label(key)

    def name(self, number: int) -> str:
        """What people call the label with this id."""
        key = self.keys[number]
        return self.label(key).name or key

    def parents(self, number: int) -> tuple[str, ...]:
        """Keys of the labels right above this one."""
        return self.label(self.keys[number]).parents

    def path(self, number: int) -> list[str]:
        """Names from the top of the hierarchy down to this label, by first parents."""
        key, seen = self.keys[number], set[str]()
        names: list[str] = []
        while key not in seen:
            seen.add(key)
            names.append(self.label(key).name or key)
            key = next(iter(self.label(key).parents), key)
        return names[::-1]

    @property
    def has_parents(self) -> bool:
        """Whether any label has another above it."""
        return any(label.parents for label in self._labels.values())

    def described(self, labels: Mapping[str, Label]) -> Self:
        """The same labels with names and parents from a label file, which wins over what was known."""
        if self.keys and labels and not any(key in labels for key in self.keys):
            warnings.warn(
                f"None of the {len(self):,} labels stands in the label file, which has {next(iter(labels))!r} and the "
                f"like; documents have {self.keys[0]!r}. Is it the right one?",
                UmpteenWarning,
                stacklevel=2,
            )
        wanted = dict(self._labels)
        pending = list(self.keys)
        while pending:  # a label and all that stand above it
            key = pending.pop()
            if key in labels and wanted.get(key) != labels[key]:
                wanted[key] = labels[key]
                pending.extend(labels[key].parents)
        return type(self)(self.keys, labels=wanted, counts=self.counts)

    def extended(self, keys: Iterable[str]) -> Self:
        """The same labels, with those of `keys` that are new behind them in the order they come."""
        grown = type(self)(self.keys, labels=self._labels)
        for key in keys:
            grown._add(key)
        grown.counts = np.pad(self.counts, (0, len(grown) - len(self)))
        return grown

    def counted(self, Y: sparse.csr_array) -> Self:
        """The same labels with the counts of a label matrix."""
        return type(self)(
            self.keys, labels=self._labels, counts=np.bincount(Y.indices, minlength=len(self)).astype(np.int64)
        )

    def encode(self, label_lists: Iterable[Sequence[str]]) -> sparse.csr_array:
        """Labels as a 0/1 matrix (documents, labels), duplicates counted once; labels not known here are left out."""
        ids, starts = [], [0]
        known = self._ids
        for labels in label_lists:
            row = sorted({known[key] for key in labels if key in known})
            ids.extend(row)
            starts.append(len(ids))
        return sparse.csr_array(
            (np.ones(len(ids), np.float32), np.array(ids, np.int32), np.array(starts, np.int64)),
            shape=(len(starts) - 1, len(self)),
        )

    @classmethod
    def learn(
        cls, label_lists: Iterable[Sequence[str]], *, known: "LabelSpace | None" = None
    ) -> "tuple[LabelSpace, sparse.csr_array]":
        """The label space of training data, and its label matrix; labels of `known` come first."""
        space = cls(known.keys, labels=known._labels) if known is not None else cls()
        ids, starts = array("i"), array("q", [0])  # a few bytes for a document, however many there are
        for labels in label_lists:
            ids.extend(sorted({space._add(key) for key in labels}))
            starts.append(len(ids))
        Y = sparse.csr_array(
            (np.ones(len(ids), np.float32), np.array(ids, np.int32), np.array(starts, np.int64)),
            shape=(len(starts) - 1, len(space)),
        )
        return space.counted(Y), Y

    def to_json(self) -> dict[str, Any]:
        """What a model folder keeps; `from_json` reads it."""
        labels = {
            key: {
                part: value
                for part, value in (
                    ("name", label.name),
                    ("parents", list(label.parents)),
                    ("names", dict(label.names)),
                    ("description", label.description),
                )
                if value
            }
            for key, label in self._labels.items()
        }
        return {
            "keys": self.keys,
            "counts": self.counts.tolist(),
            "labels": {key: known for key, known in labels.items() if known},
        }

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Self:
        """The label space that `to_json` wrote."""
        return cls(saved["keys"], labels=_Saved(saved["labels"]), counts=np.array(saved["counts"], np.int64))

    def _near(self, wanted: str) -> str:
        """The hint behind an unknown label: the key or name most like it, in capitals or not."""
        spellings = {text.casefold(): text for key in self.keys for text in (key, self.label(key).name) if text}
        found = get_close_matches(wanted.casefold(), spellings, n=1)
        return f" Did you mean {spellings[found[0]]!r}?" if found else ""

    def _add(self, key: str) -> int:
        if key not in self._ids:
            self._ids[key] = len(self.keys)
            self.keys.append(key)
        return self._ids[key]


class _Saved(Mapping[str, Label]):
    """Labels out of a model folder, made when asked for: tagging asks for a few of many, for these often."""

    def __init__(self, saved: Mapping[str, Mapping[str, Any]]) -> None:
        self._saved = saved
        self._made: dict[str, Label] = {}

    def __getitem__(self, key: str) -> Label:
        label = self._made.get(key)
        if label is None:
            known = self._saved[key]
            label = Label(key, **{**known, "parents": tuple(known.get("parents", ()))})
            if len(self._made) >= _REMEMBERED:
                self._made.clear()
            self._made[key] = label
        return label

    def __iter__(self) -> Iterator[str]:
        return iter(self._saved)

    def __len__(self) -> int:
        return len(self._saved)
