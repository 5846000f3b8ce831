"""Weights of a tree's classifiers, packed by feature for the beam search: what a model folder holds, mapped to memory.

Each weight is its child, in one byte where nodes have at most 256, and a code of one or two bytes into a table of
values per layer. A feature's nodes stand as a list or, where that is shorter, as a bitmap. `kernels/beam.py` reads all
this as it lies on disk.
"""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from umpteen.core.store import Folder, NewFolder
from umpteen.kernels import pack as kernel

Triples = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]  # feature, child, weight
Bounds = NDArray[np.int64]

_SAMPLE = 1_000_000  # weights that a table of values is made from


@dataclass(frozen=True)
class Weights:
    """Flat arrays over all layers, in the order the kernel takes them."""

    firsts: NDArray[np.uint32]  # (layers, features + 2): a feature's first row; features have the bias as their last
    kinds: NDArray[np.int32]  # (layers, features + 1): where its bitmap begins, or -1 - where its list does
    words: NDArray[np.uint64]  # bitmaps over nodes
    ranks: NDArray[Any]  # rows of the feature before each word of a bitmap
    lists: NDArray[Any]  # nodes
    bases: NDArray[np.uint32]  # first entry of each run of rows
    rests: NDArray[np.uint16]  # a row's first entry within its run
    lanes: NDArray[Any]  # an entry's child, counted from its node's first
    codes: NDArray[Any]  # an entry's value, as a place in its layer's table
    table: NDArray[np.float32]
    layers: NDArray[np.int64]  # (layers, 4): nodes, start in `table`, start in `starts`, most children
    shift: NDArray[np.int64]  # rows of a run, as a power of two
    starts: NDArray[np.int64]  # for each layer and node its first child, and one more

    def parts(self) -> tuple[Any, ...]:
        """What the kernel takes."""
        return tuple(getattr(self, item.name) for item in fields(self))

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(part.nbytes for part in self.parts())

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
    lanes: NDArray[np.int32]
    codes: NDArray[Any]
    table: NDArray[np.float32]
    starts: Bounds

    def kinds(self, words: int, lists: int) -> Bounds:
        """Where each feature's nodes stand, behind the words and lists of other layers."""
        counts = np.diff(self.firsts)
        bitmap = words + (np.cumsum(self.mapped) - 1) * self.words.shape[1]
        listed = np.where(self.mapped, 0, counts)
        return np.where(self.mapped, bitmap, -1 - (lists + np.cumsum(listed) - listed))


def packed(layers: list[tuple[Triples, Bounds]], *, width: int, bits: int) -> Weights:
    """Pack each layer's triples, with which come the first children of its nodes, and one more."""
    most = max(int(np.diff(starts).max()) for _, starts in layers)
    node_type = _smallest(max(len(starts) for _, starts in layers))
    made = [_layer(triples, starts, width, bits, 8 * node_type.itemsize) for triples, starts in layers]
    before = {
        name: _before([getattr(layer, name).size for layer in made])
        for name in ("words", "lists", "begins", "lanes", "table", "starts")
    }
    begins = np.concatenate(
        [*(la.begins + n for la, n in zip(made, before["lanes"], strict=False)), before["lanes"][-1:]]
    )
    shift = max(0, 16 - most.bit_length() - 1)
    bases = begins[:: 1 << shift]
    return Weights(
        firsts=np.stack([la.firsts + n for la, n in zip(made, before["begins"], strict=False)]).astype(np.uint32),
        kinds=np.stack(
            [la.kinds(w, n) for la, w, n in zip(made, before["words"], before["lists"], strict=False)]
        ).astype(np.int32),
        words=np.concatenate([la.words.ravel() for la in made]),
        ranks=np.concatenate([la.ranks.ravel() for la in made]).astype(node_type),
        lists=np.concatenate([la.lists for la in made]).astype(node_type),
        bases=bases.astype(np.uint32),
        rests=(begins - bases[np.arange(len(begins)) >> shift]).astype(np.uint16),
        lanes=np.concatenate([la.lanes for la in made]).astype(_smallest(most)),
        codes=np.concatenate([la.codes for la in made]),
        table=np.concatenate([la.table for la in made]),
        layers=np.array(
            [
                (len(la.starts) - 1, table, start, np.diff(la.starts).max())
                for la, table, start in zip(made, before["table"], before["starts"], strict=False)
            ],
            np.int64,
        ),
        shift=np.array([shift]),
        starts=np.concatenate([la.starts for la in made]),
    )


def _layer(triples: Triples, starts: Bounds, width: int, bits: int, node_bits: int) -> _Layer:
    features, children, weights = kernel.sort(*triples, width + 1, int(starts[-1]))
    begins, nodes, firsts, lanes = kernel.rows(features, children, starts, width + 1)
    size = (len(starts) + 62) // 64  # words of a bitmap
    mapped = np.diff(firsts) * node_bits > size * (64 + node_bits)
    words, ranks, lists = kernel.bitmaps(firsts, nodes, mapped, size)
    table, codes = _coded(weights, bits)
    return _Layer(firsts, mapped, words, ranks, lists, begins, lanes, codes, table, starts)


def _coded(weights: NDArray[np.float32], bits: int) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """A table of values and the nearest of them for each weight; values stand closer where more weights do."""
    size = 1 << bits
    sample = np.sort(weights[:: 1 + len(weights) // _SAMPLE]).astype(np.float64)
    sample[[0, -1]] = weights.min(), weights.max()
    table = np.unique((sample if len(sample) <= size else _spread(sample, size)).astype(np.float32))
    codes = np.searchsorted((table[1:] + table[:-1]) / 2, weights)
    return np.pad(table, (0, size - len(table))), codes.astype(np.uint8 if bits == 8 else np.uint16)


def _spread(values: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """`size` values whose density follows the cube root of that of `values`, which makes the squared error least."""
    edges = np.linspace(values[0], values[-1], 4097)
    density = np.histogram(values, edges)[0] ** (1 / 3)
    reach = np.concatenate([[0.0], np.cumsum(density)])
    return np.interp(np.linspace(0, reach[-1], size), reach, edges)


def _before(sizes: list[int]) -> Bounds:
    return np.concatenate([[0], np.cumsum(sizes)])


def _smallest(count: int) -> np.dtype[Any]:
    """The smallest type for numbers below `count`."""
    return np.dtype(np.uint8 if count <= 2**8 else np.uint16 if count <= 2**16 else np.uint32)
