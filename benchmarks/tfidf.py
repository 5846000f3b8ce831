"""How many times as fast as scikit-learn's TfidfVectorizer the same tf-idf is made here.

    python benchmarks/tfidf.py [CORPUS]

Both run in one process on one thread, after a warm-up that compiles; the numbers are checked to be equal. Names of
features, which scikit-learn makes on the way, are made here when they are first asked for.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

import umpteen
from umpteen.text.tfidf import Tfidf, TfidfSettings

CASES = {"words": 1, "words, bigrams": 2}


def main() -> None:
    """Time both and print one table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("corpus", nargs="?", type=Path, help="any file that umpteen reads; generated if left out")
    parser.add_argument("--documents", type=int, default=20_000, help="documents to generate (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="the best of this many counts (%(default)s)")
    options = parser.parse_args()
    corpus = umpteen.read(options.corpus) if options.corpus else umpteen.generate(documents=options.documents)
    texts = [*corpus.texts()]
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) / 1e6
    table = Table("features", "step", "scikit-learn", "umpteen", "ratio", title=f"{len(texts):,} texts, {size:.1f} MB")
    for name, ngrams in CASES.items():
        measured(texts[:200], ngrams, 1)
        for step, theirs, ours in measured(texts, ngrams, options.rounds):
            table.add_row(name, step, f"{theirs:.2f} s", f"{ours:.2f} s", f"{theirs / ours:.1f}")
    Console().print(table)


def measured(texts: list[str], ngrams: int, rounds: int) -> list[tuple[str, float, float]]:
    """(step, seconds of scikit-learn, seconds here) with the same options."""
    theirs = TfidfVectorizer(ngram_range=(1, ngrams), sublinear_tf=True, dtype=np.float32)
    ours = Tfidf(TfidfSettings(ngrams=ngrams, max_features=0, jobs=1))
    learnt, expected = best(lambda: theirs.fit_transform(texts), rounds)
    fit, X = best(lambda: ours.fit(texts), rounds)
    named, names = best(ours.names, 1)
    order = np.array([theirs.vocabulary_[name] for name in names])
    check(X, expected[:, order])
    made, expected = best(lambda: theirs.transform(texts), rounds)
    turned, X = best(lambda: ours.transform(texts), rounds)
    check(X, expected[:, order])
    return [("fit_transform", learnt, fit), ("with names", learnt, fit + named), ("transform", made, turned)]


def check(X: sparse.csr_array, expected: sparse.csr_matrix) -> None:
    """Stop unless both are the same."""
    difference = abs(sparse.csr_array(expected) - X)
    assert X.shape == expected.shape, "the features differ"
    assert X.nnz == expected.nnz, "the features differ"
    assert not difference.nnz or difference.max() < 1e-6, "the numbers differ"


def best(work: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """The least seconds of some rounds, and the answer."""
    least, answer = float("inf"), None
    for _ in range(rounds):
        answer = None
        began = time.perf_counter()
        answer = work()
        least = min(least, time.perf_counter() - began)
    return least, answer


if __name__ == "__main__":
    main()
