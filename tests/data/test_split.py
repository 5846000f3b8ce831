import numpy as np
import pytest

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import SettingError
from umpteen.data.split import split, splits


def numbered(size, labels=lambda n: ()):
    return [Document(f"text {n}", labels(n), id=str(n)) for n in range(size)]


def ids(corpus):
    return [int(document.id) for document in corpus]


def test_sizes_are_exact_and_parts_disjoint():
    parts = split(Corpus(numbered(103)), {"train": 0.8, "valid": 0.1, "test": 0.1}, seed=3)
    assert {name: part.size for name, part in parts.items()} == {"train": 82, "valid": 11, "test": 10}
    assert sorted(n for part in parts.values() for n in ids(part)) == list(range(103))
    assert all(ids(part) == sorted(ids(part)) and len(ids(part)) == part.size for part in parts.values())


def test_parts_are_the_same_each_time_and_differ_by_seed():
    corpus, streamed = Corpus(numbered(50)), Corpus(lambda: iter(numbered(50)))
    half = {"train": 0.5, "test": 0.5}
    first = split(corpus, half, seed=1)["train"]
    assert ids(first) == ids(first) == ids(split(streamed, half, seed=1)["train"])
    assert ids(first) != ids(split(corpus, half, seed=2)["train"])


def test_cover_brings_every_repeated_label_into_training():
    rng = np.random.default_rng(0)
    documents = numbered(400, lambda n: tuple(f"l{v}" for v in rng.zipf(1.3, 3) % 300))
    counts = {}
    for document in documents:
        for label in set(document.labels):
            counts[label] = counts.get(label, 0) + 1
    parts = split(Corpus(documents), {"train": 0.5, "test": 0.5}, cover=True)
    seen = {label for labels in parts["train"].labels() for label in labels}
    assert seen >= {label for label, count in counts.items() if count > 1}
    plain = split(Corpus(documents), {"train": 0.5, "test": 0.5})
    assert not {label for labels in plain["train"].labels() for label in labels} >= seen
    assert parts["train"].size == 200 and parts["test"].size == 200


def test_many_splits_are_independent_and_repeatable():
    corpus = Corpus(lambda: iter(numbered(60)))
    tests = [ids(test) for _, test in splits(corpus, 10, test=0.25, seed=7)]
    assert len({tuple(t) for t in tests}) == 10 and {len(t) for t in tests} == {15}
    assert tests == [ids(test) for _, test in splits(corpus, 10, test=0.25, seed=7)]
    assert all(set(ids(train)).isdisjoint(ids(test)) for train, test in splits(corpus, 3))


@pytest.mark.parametrize("fractions", [{}, {"train": 0.5}, {"train": 1.5, "test": -0.5}])
def test_fractions_must_add_up(fractions):
    with pytest.raises(SettingError, match="add up to 1"):
        split(Corpus(numbered(5)), fractions)
    with pytest.raises(SettingError, match="between 0 and 1"):
        next(splits(Corpus(numbered(5)), 2, test=1))


def test_an_empty_corpus_has_empty_parts():
    parts = split(Corpus([]), {"train": 0.8, "test": 0.2}, cover=True)
    assert [list(part) for part in parts.values()] == [[], []]
