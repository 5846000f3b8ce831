"""Batches: documents of about the same length together, so that little of a batch is padding."""

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse
from torch import Tensor

from umpteen.text.vocabulary import Tokens

Rows = NDArray[np.int64]
_HELD_OUT = 2000  # documents kept to choose the best weights by, at most
_READ = 256  # documents whose tokens are looked through at a time
_POOL = 50  # batches whose documents are sorted by length together
_AT_ONCE = 1000  # words that a processor learns from at once: more take more memory, and hardly less time each
_READ_AT_ONCE = 3000  # the same in tagging, where nothing is kept for gradients


@dataclass(frozen=True)
class Batch:
    """Documents as a network sees them."""

    tokens: Tensor  # (documents, longest), 0 is padding
    positives: Tensor  # (pairs, 2): document in this batch, label
    values: Tensor | None = None  # (documents, longest) of features; words in their order have none
    worth: Tensor | None = None  # (labels,) what a label counts where it is true; none: 1

    @property
    def mask(self) -> Tensor:
        """Where there are words, (documents, longest)."""
        return self.tokens != 0

    @property
    def size(self) -> int:
        """How many documents there are."""
        return len(self.tokens)

    def targets(self, labels: int) -> Tensor:
        """The documents' labels as ones among zeros, (documents, labels)."""
        made = torch.zeros(self.size, labels, device=self.tokens.device)
        made[self.positives[:, 0], self.positives[:, 1]] = 1
        return made


class Source:
    """Documents to take batches from."""

    def __init__(
        self,
        tokens: Tokens,
        Y: sparse.csr_array | None,
        device: torch.device,
        *,
        worth: NDArray[np.float32] | None = None,
    ) -> None:
        self.tokens, self.Y, self.device = tokens, Y, device
        self.numbers = np.arange(len(tokens))  # its documents among all that were read
        self.worth = None if worth is None else torch.from_numpy(worth).to(device)

    def __len__(self) -> int:
        return len(self.tokens)

    def take(self, rows: Rows) -> "Source":
        """The documents at these places as a source of their own."""
        taken = copy(self)
        taken.tokens, taken.Y = self.tokens.take(rows), None if self.Y is None else self.Y[rows]
        taken.numbers = self.numbers[rows]
        return taken

    def with_more(self, tokens: Tokens, Y: sparse.csr_array) -> "Source":
        """These documents and others behind them, which were not read with them."""
        assert self.Y is not None
        more = copy(self)
        more.tokens, more.Y = self.tokens.with_more(tokens), sparse.csr_array(sparse.vstack([self.Y, Y]))
        more.numbers = np.concatenate([self.numbers, np.full(len(tokens), -1)])
        return more

    def texts(self) -> Iterator[Tensor]:
        """All documents' tokens, in their order, some at a time."""
        for start in range(0, len(self), _READ):
            ids, _ = self.tokens.padded(np.arange(start, min(start + _READ, len(self))))
            yield torch.from_numpy(ids).to(self.device)

    def batch(self, rows: Rows, *, step: int = 1) -> Batch:
        """The documents at these places, as long as the longest, to the next multiple of `step`."""
        pairs = np.empty((0, 2), np.int64)
        if self.Y is not None:
            part = self.Y[rows]
            pairs = np.stack([np.repeat(np.arange(len(rows)), np.diff(part.indptr)), part.indices], axis=1)
        ids, values = self.tokens.padded(rows, step=step)
        return Batch(
            torch.from_numpy(ids).to(self.device),
            torch.from_numpy(pairs.astype(np.int64)).to(self.device),
            None if values is None else torch.from_numpy(values).to(self.device),
            self.worth,
        )


def parted(whole: Source, share: float, seed: int) -> tuple[Source, Source]:
    """Documents to learn from and others to choose the best weights by; of very few documents, the same."""
    count = min(_HELD_OUT, int(share * len(whole)))
    if not count:
        return whole, whole
    order = np.random.default_rng(seed).permutation(len(whole))
    return whole.take(np.sort(order[count:])), whole.take(np.sort(order[:count]))


def shuffled(lengths: NDArray[np.int64], *, batch: int, tokens: int, seed: int) -> list[Rows]:
    """All documents once, in batches in random order: `batch` documents of about one length, fewer where they are long.

    A batch has at most `tokens` tokens, padding counted.
    """
    random = np.random.default_rng(seed)
    order = random.permutation(len(lengths))
    found: list[Rows] = []
    for start in range(0, len(order), batch * _POOL):
        pool = order[start : start + batch * _POOL]
        found.extend(cut(pool, lengths, batch=batch, tokens=tokens))
    return [found[n] for n in random.permutation(len(found))]


def mixed(lengths: NDArray[np.int64], *, batch: int, tokens: int, seed: int) -> list[Rows]:
    """The same with documents of all lengths side by side, for networks that normalise over the batch.

    Only what is there counts as a token: networks that read features compute nothing for padding. A batch that has
    more of them than `tokens` becomes equal parts.
    """
    order = np.random.default_rng(seed).permutation(len(lengths))
    found: list[Rows] = []
    for start in range(0, len(order), batch):
        rows = order[start : start + batch]
        found.extend(np.array_split(rows, min(len(rows), -(-int(lengths[rows].sum()) // tokens))))
    return found


def cut(rows: Rows, lengths: NDArray[np.int64], *, batch: int, tokens: int) -> Iterator[Rows]:
    """Rows sorted by length and cut into batches."""
    order = rows[np.argsort(lengths[rows], kind="stable")]
    start = 0
    while start < len(order):
        end = min(start + batch, len(order))
        while end - start > 1 and (end - start) * lengths[order[end - 1]] > tokens:
            end -= 1
        yield order[start:end]
        start = end


def fit_for(device: torch.device, tokens: int, *, learning: bool = True) -> int:
    """How many of so many tokens a device should compute with at once."""
    return min(tokens, _AT_ONCE if learning else _READ_AT_ONCE) if device.type == "cpu" else tokens


def parts(rows: Rows, lengths: NDArray[np.int64], tokens: int) -> list[Rows]:
    """A batch as equal parts of at most so many tokens, padding counted, where that can be."""
    return np.array_split(rows, min(len(rows), -(-len(rows) * int(lengths[rows].max()) // tokens)))
