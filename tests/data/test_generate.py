import hashlib
import re
import tracemalloc
from collections import Counter
from itertools import islice

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from umpteen.core.errors import SettingError
from umpteen.core.space import LabelSpace
from umpteen.data.catalogue import Catalogue, vocabulary
from umpteen.data.generate import generate


def digest(corpus):
    return hashlib.sha256("".join(f"{d.id}{d.text}{d.labels}" for d in corpus).encode()).hexdigest()


def test_same_call_same_bytes():
    corpus = generate(documents=200)
    assert digest(corpus) == digest(corpus) == digest(generate(documents=200))
    assert digest(corpus) != digest(generate(documents=200, seed=1))
    assert digest(corpus) != digest(generate(documents=200, world=1))
    longer = generate(documents=300)
    assert [d.text for d in corpus] == [d.text for d in islice(longer, 200)]


def test_labels_form_a_named_tree():
    labels = {label.key: label for label in Catalogue(20_000)}
    assert len(labels) == 20_000 and len({label.name for label in labels.values()}) == 20_000
    space = LabelSpace(labels, labels=labels)
    path = space.path(19_999)
    assert len(path) == 5 and path[0][0].isupper()
    assert all(len(label.parents) == 1 and label.parents[0] in labels for label in list(labels.values())[12:])
    below = Counter(label.parents for label in labels.values())
    assert max(count for parents, count in below.items() if parents) == 8
    assert all(re.fullmatch(r"[a-z-]+", key) for key in labels)


def test_names_stay_distinct_at_every_depth():
    catalogue = Catalogue(1_000_000, world=3)
    keys = [catalogue.category(number).key for number in range(0, 1_000_000, 37)]
    assert len(set(keys)) == len(keys)
    assert catalogue.label(999_999).parents == (catalogue.category(catalogue.category(999_999).path[1]).key,)
    assert {len(vocabulary(kind)) for kind in ("materials", "uses", "features", "styles")} == {64}


def test_documents_carry_known_labels_in_the_numbers_promised():
    corpus = generate(documents=2_000, labels=300, words=60)
    known = {label.key for label in Catalogue(300)}
    counts = Counter(label for labels in corpus.labels() for label in labels)
    assert set(counts) <= known and len(counts) > 280
    assert 3 < counts.total() / 2_000 < 5
    assert 50 < np.mean([len(text.split()) for text in corpus.texts()]) < 72
    assert all(len(set(labels)) == len(labels) > 0 for labels in corpus.labels())


@pytest.mark.parametrize("power", [0.0, 0.7, 1.0, 1.4])
def test_the_power_law_is_the_one_asked_for(power):
    catalogue = Catalogue(300)
    ranks = range(catalogue.departments, 300)
    first = Counter(labels[0] for labels in generate(documents=6_000, labels=300, power=power).labels())
    seen = np.array([first[catalogue.category(number).key] for number in ranks]) / 6_000
    edges = np.arange(1, len(ranks) + 2, dtype=float)  # the law is continuous: rank r holds what lies from r to r + 1
    mass = np.diff(np.log(edges) if power == 1 else edges ** (1 - power) / (1 - power))
    np.testing.assert_allclose(seen, mass / mass.sum(), atol=0.02)


@pytest.mark.parametrize("labels", [1, 2, 7, 30, 108])
def test_small_worlds(labels):
    corpus = generate(documents=50, labels=labels)
    assert {label for row in corpus.labels() for label in row} <= {label.key for label in Catalogue(labels)}


def test_a_million_labels_take_no_memory_of_their_own():
    tracemalloc.start()
    for document in generate(documents=3_000, labels=1_000_000):
        assert document.labels
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30 * 2**20


def test_words_give_labels_away_but_not_always():
    train, test = generate(documents=3_000, labels=300), generate(documents=400, labels=300, seed=1)
    space, Y = LabelSpace.learn(train.labels())
    truth = space.encode(test.labels()).toarray()
    tfidf = TfidfVectorizer(sublinear_tf=True)
    X = tfidf.fit_transform(train.texts())
    near = (tfidf.transform(test.texts()) @ X.T).toarray()
    near[near < np.sort(near, axis=1)[:, -10:-9]] = 0  # ten neighbours
    best = (near @ Y).argmax(axis=1)
    assert 0.7 < truth[np.arange(400), best].mean() < 0.95


def test_bad_requests():
    with pytest.raises(SettingError, match="at least one label"):
        generate(labels=0)
    with pytest.raises(SettingError, match="noise=2"):
        generate(noise=2)
