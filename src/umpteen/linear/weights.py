"""Weights of a tree's classifiers, packed by feature for the beam search: what a model folder holds, mapped to memory.

Each weight is its child, in one byte where nodes have at most 256, and a code of one or two bytes into a table of
values per layer. A feature's nodes stand as a list or, where that is shorter, as a bitmap. `kernels/beam.py` reads all
this as it lies on disk.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from umpteen.core.store import Folder, NewFolder
from umpteen.kernels import pack as kernel

Triples = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]  # feature, child, weight
Bounds = NDArray[np.int64]

_FULL = 0.4  # a row of sixteen children with this share of them gets an entry for each


@dataclass(frozen=True)
class Weights:
    """Flat arrays over all layers, in the order the kernel takes them."""

    features: NDArray[
        np.int32
    ]  # (features + 2, layers, 2): a feature's first row; where its bitmap begins, or -1 - its list
    words: NDArray[
        np.uint64
    ]  # (words, 2): bitmaps over nodes, with how many rows of the feature stand before each word
    lists: NDArray[Any]  # nodes
    bases: NDArray[np.uint32]  # first entry of each run of rows
    rests: NDArray[np.uint16]  # a row's first entry within its run
    entries: NDArray[Any]  # a child, counted from its node's first, and in the lower bits a code
    scales: NDArray[np.float32]  # (layers, 2): a weight is the first times its code plus the second
    layers: NDArray[np.int64]  # (layers, 3): nodes, start in `starts`, most children
    packing: NDArray[np.int64]  # rows of a run, as a power of two; bits of a code
    starts: NDArray[np.int64]  # for each layer and node its first child, and one more

    @cached_property
    def parts(self) -> tuple[Any, ...]:
        """What the kernel takes."""
        return tuple(getattr(self, item.name) for item in fields(self))

    def layer(self, number: int) -> Triples:
        """A layer's (feature, child, weight) triples."""
        return kernel.unpack(self.parts, number)  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(part.nbytes for part in self.parts)

    def save(self, folder: NewFolder, name: str) -> None:
        """Write all arrays."""
        for item in fields(self):
            folder.array(f"{name}_{item.name}", getattr(self, item.name))

    @classmethod
    def load(cls, folder: Folder, name: str) -> "Weights":
        """Map what was saved."""
        return cls(**{item.name: folder.array(f"{name}_{item.name}") for item in fields(cls)})


@dataclass(frozen=True)
class _Layer:
    """One layer packed, counted from its own beginnings."""

    firsts: Bounds
    mapped: NDArray[np.bool_]  # features with a bitmap
    words: NDArray[np.uint64]
    ranks: NDArray[np.int32]
    lists: NDArray[np.int32]
    begins: Bounds
    entries: NDArray[Any]
    scale: NDArray[np.float32]
    starts: Bounds

    def places(self, rows: int, words: int, lists: int) -> NDArray[np.int32]:
        """Each feature's first row and where its nodes stand, behind those of other layers."""
        counts = np.diff(self.firsts)
        bitmap = words + (np.cumsum(self.mapped) - 1) * self.words.shape[1]
        listed = np.where(self.mapped, 0, counts)
        kinds = np.where(self.mapped, bitmap, -1 - (lists + np.cumsum(listed) - listed))
        return np.stack([self.firsts + rows, np.append(kinds, 0)], axis=1).astype(np.int32)


def packed(layers: Iterable[Triples], starts: list[Bounds], *, width: int, bits: int) -> Weights:
    """Pack each layer's triples as they come; `starts` has the first children of its nodes, and one more."""
    most = max(int(np.diff(own).max()) for own in starts)
    node_type = _smallest(max(map(len, starts)))
    kind = _smallest(most << bits)
    made = [
        _layer(triples, own, width, bits, kind, 8 * node_type.itemsize)
        for triples, own in zip(layers, starts, strict=True)
    ]
    before = {
        name: _before([getattr(layer, name).size for layer in made])
        for name in ("words", "lists", "begins", "entries", "starts")
    }
    begins = np.concatenate(
        [*(la.begins + n for la, n in zip(made, before["entries"], strict=False)), before["entries"][-1:]]
    )
    placed = zip(*(before[name][:-1].tolist() for name in ("begins", "words", "lists")), strict=True)
    shift = max(0, 16 - most.bit_length() - 1)
    bases = begins[:: 1 << shift]
    return Weights(
        features=np.stack([la.places(*at) for la, at in zip(made, placed, strict=True)], axis=1),
        words=np.concatenate([np.stack([la.words.ravel(), la.ranks.ravel().astype(np.uint64)], axis=1) for la in made]),
        lists=np.concatenate([la.lists for la in made]).astype(node_type),
        bases=bases.astype(np.uint32),
        rests=(begins - bases[np.arange(len(begins)) >> shift]).astype(np.uint16),
        entries=np.concatenate([la.entries for la in made]),
        scales=np.stack([la.scale for la in made]),
        layers=np.array(
            [(len(la.starts) - 1, at, np.diff(la.starts).max()) for la, at in zip(made, before["starts"], strict=False)]
        ),
        packing=np.array([shift, bits]),
        starts=np.concatenate([la.starts for la in made]),
    )


def _layer(triples: Triples, starts: Bounds, width: int, bits: int, kind: np.dtype[Any], node_bits: int) -> _Layer:
    features, children, weights = kernel.fill(*kernel.sort(*triples, width + 1, int(starts[-1])), starts, _FULL)
    begins, nodes, firsts, lanes = kernel.rows(features, children, starts, width + 1)
    size = (len(starts) + 62) // 64  # words of a bitmap
    mapped = np.diff(firsts) * node_bits > size * (64 + node_bits)
    words, ranks, lists = kernel.bitmaps(firsts, nodes, mapped, size)
    scale, codes = _coded(weights, bits)
    codes |= lanes << bits
    return _Layer(firsts, mapped, words, ranks, lists, begins, codes.astype(kind), scale, starts)


def _coded(weights: NDArray[np.float32], bits: int) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Weights as evenly spaced codes, of which one is exactly 0; with the scale to read them by."""
    low, high = min(0.0, float(weights.min(initial=0))), max(0.0, float(weights.max(initial=0)))
    step = (high - low) / ((1 << bits) - 2) or 1.0
    zero = np.ceil(-low / step)
    return np.array([step, -zero * step], np.float32), np.rint(weights / step + zero).astype(np.int32)


def _before(sizes: list[int]) -> Bounds:
    return np.concatenate([[0], np.cumsum(sizes)])


def _smallest(count: int) -> np.dtype[Any]:
    """The smallest type for numbers below `count`."""
    return np.dtype(np.uint8 if count <= 2**8 else np.uint16 if count <= 2**16 else np.uint32)
