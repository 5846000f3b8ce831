"""A toy corpus with obvious answers: six topics with words of their own, texts of one or two topics."""

import unicodedata
from functools import partial

import numpy as np
from scipy import sparse

TOPICS = {
    "baking": "bread flour oven dough yeast crust loaf bakery",
    "sailing": "boat harbour mast anchor sail tide deck rudder",
    "gardening": "soil seeds spade tulip compost hedge lawn pruning",
    "astronomy": "star telescope galaxy orbit comet planet eclipse nebula",
    "music": "violin chord melody opera rhythm concert choir flute",
    "chess": "pawn bishop checkmate knight rook gambit castling opening",
}
NAMES = list(TOPICS)
SHARES = np.array([8, 6, 4, 3, 2, 1]) / 24  # no two topics equally frequent


def toy(documents: int = 120, *, seed: int = 0) -> tuple[list[str], list[list[str]]]:
    """Texts, and the labels of each."""
    random = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(documents):
        topics = [NAMES[n] for n in random.choice(len(NAMES), random.integers(1, 3), replace=False, p=SHARES)]
        words = [word for topic in topics for word in random.choice(TOPICS[topic].split(), 5, replace=False)]
        texts.append(" ".join(["the", *random.permutation(words), "and"]))
        labels.append(topics)
    return texts, labels


def indicator(labels: list[list[str]]) -> np.ndarray:
    """Labels as a dense 0/1 matrix, a column for each topic."""
    return np.array([[int(name in row) for name in NAMES] for row in labels])


def numeric(texts: list[str]) -> sparse.csr_array:
    """Texts as counts of the toy's words: ready features."""
    column = {word: n for n, word in enumerate(word for words in TOPICS.values() for word in words.split())}
    X = np.zeros((len(texts), len(column)), np.float32)
    for row, text in enumerate(texts):
        for word in text.split():
            if word in column:
                X[row, column[word]] += 1
    return sparse.csr_array(X)


SMALL = {  # deep models of a size that suits the toy corpus
    "vectors": "none",
    "width": 32,
    "hidden": 32,
    "layers": (16,),
    "filters": 16,
    "bottleneck": 32,
    "reading": "none",
    "buckets": 1000,
    "batch": 16,
    "rate": 0.02,
    "dropout": 0.1,
    "hidden_dropout": 0.1,
    "members": 1,
    "min_df": 1,
    "epochs": 12,
    "least_steps": 200,
    "average_from": 1.0,
    "every": 20,
    "refit": False,  # tests of the models themselves train twice
    "precision": "fp32",
}


def words_in(text: str, least: int = 1, *, compose: bool = True) -> list[str]:
    """The words of a text by the book: lower-cased letters, digits and underscores, with marks behind the first."""
    found, word = list[str](), ""
    for letter in [*(unicodedata.normalize("NFC", text) if compose else text).lower(), " "]:
        mark = unicodedata.category(letter) in ("Mn", "Mc") and not unicodedata.name(letter, "").startswith("VARIATION")
        if letter.isalnum() or letter == "_" or (word and mark):
            word += letter
            continue
        found += [word] if len(word) >= least else []
        word = ""
    return found


WORDS = {"tokenizer": partial(words_in, least=2), "token_pattern": None, "lowercase": False}  # for scikit-learn
