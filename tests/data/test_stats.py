import gzip
import json

import numpy as np
import pytest
from scipy import sparse

from umpteen.core.corpus import Corpus, Document
from umpteen.core.space import Label, LabelSpace
from umpteen.data.stats import Bucket, statistics

TEXTS = ["Alpha beta, BETA!", "Größe 12 alpha", "", "one"]
LABELS = [["a", "b", "a"], ["a"], ["c"], []]


def test_text():
    found = statistics(Corpus.from_texts(TEXTS, LABELS))
    assert (found.documents, found.features, found.labels, found.unlabelled, found.longest) == (4, 5, 3, 1, 3)
    assert found.labels_per_document == 1 and found.documents_per_label == pytest.approx(4 / 3)
    assert found.words_per_document == 7 / 4
    assert found.promised is None and found.depth is None
    assert found.histogram == (Bucket(1, 1, 2, 0.5), Bucket(2, 2, 1, 0.5))


def test_histogram_buckets_are_powers_of_two():
    counts = [1, 2, 3, 4, 5, 8, 9]
    labels = [[f"l{n}" for n, count in enumerate(counts) if d < count] for d in range(9)]
    found = statistics(Corpus.from_texts([""] * 9, labels)).histogram
    assert [(b.least, b.most, b.labels) for b in found] == [(1, 1, 1), (2, 2, 1), (3, 4, 2), (5, 8, 2), (9, 16, 1)]
    assert [b.share for b in found] == pytest.approx([1 / 32, 2 / 32, 7 / 32, 13 / 32, 9 / 32])


def test_features_and_hierarchy():
    X = sparse.csr_array(np.array([[1, 0, 2], [0, 0, 0]], np.float32))
    labels = {"c": Label("c", parents=("b",)), "b": Label("b", parents=("a",)), "a": Label("a")}
    corpus = Corpus.from_matrix(X, [["c"], ["a"]], space=LabelSpace("abcd", labels=labels))
    found = statistics(corpus)
    assert (found.features, found.words_per_document, found.longest, found.promised, found.depth) == (3, 1, 2, 4, 3)
    assert dict(found.rows())["features per document"] == 1


def test_a_test_part_beside_it():
    found = statistics(Corpus.from_texts(TEXTS, LABELS), Corpus.from_texts(["x y"], [["a", "z", "q"]]))
    assert found.unseen == 2 and found.test is not None and found.test.labels_per_document == 3
    rows = dict(found.rows())
    assert rows["documents in training"] == 4 and rows["documents in test"] == 1
    assert rows["words per test document"] == 2 and rows["test labels never seen in training"] == 2
    assert json.loads(json.dumps(found.to_json()))["test"]["documents"] == 1


def test_nothing():
    found = statistics(Corpus([]))
    assert (found.documents, found.labels_per_document, found.histogram) == (0, 0, ())


def test_real_table(real):
    path = real("debtags", "train.jsonl.gz")

    def documents():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield Document(row["text"], tuple(row["labels"]))

    found = statistics(Corpus(documents))
    assert found.documents == 24_663 and 550 < found.labels < 650
