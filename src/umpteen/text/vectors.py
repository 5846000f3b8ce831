"""Word vectors trained elsewhere, in the order of a vocabulary: GloVe, wordllama or a file."""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from tokenizers import Tokenizer

from umpteen.core.cache import cache_folder, is_whole
from umpteen.core.errors import DataError, UmpteenWarning
from umpteen.core.extras import folder_of, need
from umpteen.core.files import missing
from umpteen.core.progress import track
from umpteen.text.vectorfile import VectorFile

T = TypeVar("T")

_LLAMA = ("weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json")  # in the package

_FEW = 0.5  # share of words with a vector below which something may be wrong
_SPREAD = 0.3  # deviation of random vectors, about that of trained ones

Found = tuple[NDArray[np.float32], NDArray[np.bool_]]  # (words, width) vectors, and which words have one


def aligned(words: Sequence[str], source: str, *, seed: int) -> Found:
    """A vector for each word, and which were found; the others get random numbers of the same spread.

    `source` is glove, wordllama or a file of vectors. A word in capitals there stands for one in small letters that is
    not there.
    """
    vectors, found = SOURCES[source](words) if source in SOURCES else _file(words, source)
    if not found.any():
        raise DataError(f"The vectors of {source} have none of the {len(words)} words. Choose others, or none.")
    if found.mean() < _FEW:
        warnings.warn(
            f"Only {np.count_nonzero(found):,} of {len(words):,} words have a vector in {source}; the others begin "
            "anywhere. Are these vectors of the same language, and in small letters?",
            UmpteenWarning,
            stacklevel=2,
        )
    size = np.count_nonzero(found) * vectors.shape[1]
    variance = np.vdot(vectors, vectors) / size - (vectors.sum(dtype=np.float64) / size) ** 2  # others are 0
    deviation = np.sqrt(max(0.0, float(variance)))
    drawn = np.random.default_rng(seed).random((len(words) - np.count_nonzero(found), vectors.shape[1]), np.float32)
    drawn -= np.float32(0.5)
    drawn *= np.float32(deviation * 12**0.5)  # numbers drawn from a range of 1 deviate by the root of a twelfth
    vectors[~found] = drawn
    return vectors, found


def begun(words: Sequence[str], source: str, *, width: int, seed: int, spread: float = _SPREAD) -> NDArray[np.float32]:
    """Vectors for a network to begin with: padding, the unknown word, then the words.

    Where `source` is none, they are `width` random numbers each, which deviate by `spread`.
    """
    if source == "none":
        found = np.random.default_rng(seed).normal(0, spread, (len(words), width)).astype(np.float32)
    else:
        found, _ = aligned(words, source, seed=seed)
    return np.concatenate([np.zeros((2, found.shape[1]), np.float32), found])


def _glove(words: Sequence[str]) -> Found:
    folder = cache_folder() / "glove"
    if not (folder / "vectors.npy").is_file() or not (folder / "words.txt").is_file():
        raise DataError(f"There are no GloVe vectors in {folder}. Fetch them with: umpteen get glove")
    if not is_whole(folder):
        raise DataError(f"The GloVe vectors in {folder} are damaged. Fetch them again with: umpteen get glove")
    vectors = np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False)
    known = (folder / "words.txt").read_bytes().split(b"\n")[:-1]
    places = dict(_matches(words, zip(known, range(len(known)), strict=True)))
    made, found = _nothing(len(words), vectors.shape[1])
    made[[*places]], found[[*places]] = vectors[[*places.values()]], True
    return made, found


def _wordllama(words: Sequence[str]) -> Found:
    """The mean of the vectors of each word's pieces, capitalised where that takes fewer of them ("musik", "Musik")."""
    what = "vectors=wordllama"
    folder = folder_of("wordllama", extra="deep", what=what)
    weights, pieces_file = (folder / name for name in _LLAMA)
    if not weights.is_file() or not pieces_file.is_file():
        raise DataError(f"The wordllama in {folder} has no {' or no '.join(_LLAMA)}. Install its version 0.4.")
    arrays = need("safetensors.numpy", extra="deep", what=what).load_file(weights)
    table = arrays["embedding.weight"].astype(np.float32)  # (pieces, 256)
    tokenizer = Tokenizer.from_file(str(pieces_file))
    pieces = [_pieces(tokenizer, word) for word in track(words, "Reading vectors", len(words))]
    lengths = np.array([len(ids) for ids in pieces], np.int64)
    shares = np.repeat(1 / np.maximum(lengths, 1).astype(np.float32), lengths)
    ids = np.fromiter(chain.from_iterable(pieces), np.int64)
    bounds = np.concatenate([[0], lengths.cumsum()])
    return sparse.csr_array((shares, ids, bounds), (len(words), len(table))) @ table, lengths > 0


def _pieces(tokenizer: Tokenizer, word: str) -> list[int]:
    small, capital = (tokenizer.encode(spelt, add_special_tokens=False).ids for spelt in (word, word.capitalize()))
    return capital if len(capital) < len(small) else small


def _file(words: Sequence[str], source: str) -> Found:
    path = Path(source)
    if not path.is_file():
        raise DataError(f"Word vectors are {', '.join(SOURCES)}, none or a file. {missing(path)}")
    file = VectorFile.open(path)
    made, found = _nothing(len(words), file.width)
    entries = track(file.entries(), "Reading vectors", file.promised)
    for place, entry in _matches(words, ((entry[1], entry) for entry in entries)):
        made[place], found[place] = file.vector(entry), True
    return made, found


def _nothing(words: int, width: int) -> Found:
    return np.zeros((words, width), np.float32), np.zeros(words, np.bool_)


def _matches(words: Iterable[str], entries: Iterable[tuple[bytes, T]]) -> Iterator[tuple[int, T]]:
    """Places among `words` with the entries found for them; a second one of a place is the better one."""
    places = {word.encode(): place for place, word in enumerate(words)}
    near, exact = bytearray(len(places)), bytearray(len(places))
    for spelling, entry in entries:
        place = places.get(spelling)
        if place is not None:
            if not exact[place]:
                exact[place] = True
                yield place, entry
            continue
        place = places.get(spelling.decode(errors="replace").lower().encode())
        if place is not None and not near[place] and not exact[place]:
            near[place] = True
            yield place, entry


SOURCES: dict[str, Callable[[Sequence[str]], Found]] = {"glove": _glove, "wordllama": _wordllama}
NAMED = (*SOURCES, "none")  # no files, even where there is one of that name
