"""The data compared on, as text: the same documents, labels and word vectors for all systems.

Labels are numbers: places in the list of all labels that the training documents used have.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import umpteen
from umpteen.core.corpus import Corpus, Document

VALID = 500  # documents of the training part kept for validation, a tenth of them at most
GENERATED = "generated-small"
SOURCES: dict[str, tuple[str, str | None]] = {  # name: folder, and the language where only one is used
    "debtags": ("debtags", None),
    "movies": ("movies", None),
    "tibkat-en": ("tibkat", "en"),
}
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Cut:
    """How many documents of a set are used; None for all."""

    train: int | None = None
    test: int | None = None


def make(name: str, source: Path, folder: Path, cut: Cut, vectors: str) -> bool:
    """Write train.jsonl, valid.jsonl, test.jsonl, labels.json and vectors.txt; False where there is no such data."""
    parts = (generated(300), generated(100, seed=1)) if name == GENERATED else _parts(name, source)
    if parts is None:
        return False
    known, asked = parts
    known, asked = _some([d for d in known if d.labels], cut.train), _some(asked, cut.test)
    valid = min(VALID, len(known) // 10)
    ids = {n: i for i, n in enumerate(sorted({label for d in known[valid:] for label in d.labels}))}
    folder.mkdir(parents=True)
    for part, documents in (("train", known[valid:]), ("valid", known[:valid]), ("test", asked)):
        lines = ({"text": d.text, "labels": [ids[label] for label in d.labels if label in ids]} for d in documents)
        (folder / f"{part}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "labels.json").write_text(json.dumps(len(ids)))
    write_vectors(folder / "vectors.txt", (d.text for d in known), vectors)
    return True


def _parts(name: str, source: Path) -> tuple[list[Document], list[Document]] | None:
    """Documents to learn from and to be asked about."""
    place, language = SOURCES.get(name, (name, None))
    train = sorted((source / place).glob("train.*"))
    test = sorted((source / place).glob("test.*")) or sorted((source / place).glob("dev.*"))
    if not train or not test:
        return None
    known, asked = umpteen.read(train[0]), umpteen.read(test[0])
    return list(_spoken(known, language)), list(_spoken(asked, language))


def _spoken(corpus: Corpus, language: str | None) -> Iterator[Document]:
    return (d for d in corpus if language is None or d.metadata.get("lang") == language)


def _some(documents: list[Document], number: int | None) -> list[Document]:
    """A random choice, the same every time; all of them where no number is given, shuffled too."""
    order = np.random.default_rng(0).permutation(len(documents))[:number]
    return [documents[place] for place in order.tolist()]


def generated(documents: int, *, labels: int = 20, seed: int = 0) -> list[Document]:
    """Documents that name their labels among other words."""
    rng = np.random.default_rng(seed)
    own = rng.integers(labels, size=(documents, 2))
    other = rng.integers(200, size=(documents, 8))
    return [
        Document(" ".join([*(f"topic{n}" for n in mine), *(f"word{n}" for n in rest)]), tuple({str(n) for n in mine}))
        for mine, rest in zip(own.tolist(), other.tolist(), strict=True)
    ]


def write_vectors(file: Path, texts: Iterable[str], vectors: str) -> None:
    """A file in GloVe's form with the vectors of all words that occur twice, or a link to one that is there."""
    if vectors not in ("wordllama", "random"):
        file.symlink_to(Path(vectors).resolve())
        return
    counts = Counter(word for text in texts for word in _WORD.findall(text.lower()))
    words = [word for word, count in counts.items() if count > 1]
    made = _random(len(words)) if vectors == "random" else _wordllama(words)
    with file.open("w") as out:
        for word, vector in zip(words, made, strict=True):
            out.write(f"{word} {' '.join(f'{value:.4f}' for value in vector.tolist())}\n")


def _random(words: int, width: int = 256) -> NDArray[np.float32]:
    return np.random.default_rng(0).uniform(-1, 1, (words, width)).astype(np.float32)


def _wordllama(words: list[str]) -> NDArray[np.float32]:
    """The mean of the vectors that a word's pieces have in the wordllama wheel."""
    import wordllama
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    place = Path(wordllama.__file__).parent
    (table,) = load_file(place / "weights" / "l2_supercat_256.safetensors").values()
    tokenizer = Tokenizer.from_file(str(place / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    pieces = tokenizer.encode_batch(words, add_special_tokens=False)
    return np.stack([table[word.ids].astype(np.float32).mean(0) for word in pieces])
