"""Descriptions as rows of word ids: the words that something is described by, then others to fill up."""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.text.alike import rarity as idf
from umpteen.text.tokens import SPECIAL
from umpteen.text.vocabulary import Tokens

Ids = NDArray[np.integer]


def described(words: Iterable[Ids], spare: Iterable[Ids], length: int) -> NDArray[np.int32]:
    """Up to `length` different known words for each row, its own before spare ones, and zeros behind them."""
    rows = []
    for own, more in zip(words, spare, strict=True):
        chosen = [id for id in dict.fromkeys([*own.tolist(), *more.tolist()]) if id >= len(SPECIAL)][:length]
        rows.append(chosen + [0] * (length - len(chosen)))
    return np.array(rows, np.int32).reshape(-1, length)


def parts(tokens: Tokens) -> Iterator[Ids]:
    """The ids of each text."""
    for start, end in zip(tokens.bounds[:-1].tolist(), tokens.bounds[1:].tolist(), strict=True):
        yield tokens.ids[start:end]


def strongest(profiles: sparse.csr_array) -> Iterator[Ids]:
    """Columns of each row, the largest value first."""
    for start, end in zip(profiles.indptr[:-1].tolist(), profiles.indptr[1:].tolist(), strict=True):
        yield profiles.indices[start:end][np.argsort(-profiles.data[start:end], kind="stable")]


def rarity(tokens: Tokens, words: int) -> NDArray[np.float32]:
    """What each of `words` ids weighs by how few documents have it (idf); padding and the unknown word nothing."""
    weights = idf(bags(tokens, words))
    weights[: len(SPECIAL)] = 0
    return weights


def bags(tokens: Tokens, words: int) -> sparse.csr_array:
    """How often each document has each id, (documents, words)."""
    ones = np.ones(len(tokens.ids), np.float32)
    made = sparse.csr_array((ones, tokens.ids, tokens.bounds), shape=(len(tokens), words), copy=True)
    made.sum_duplicates()
    return made
