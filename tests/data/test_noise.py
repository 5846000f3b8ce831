from time import perf_counter

import numpy as np
import pytest
from scipy import sparse

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import SettingError, UmpteenWarning
from umpteen.core.space import LabelSpace
from umpteen.data.noise import KINDS, noisy, noisy_matrix

LABELS = 40
SPACE = LabelSpace([f"l{n}" for n in range(LABELS)])
RNG = np.random.default_rng(5)
CLEAN = sparse.csr_array((RNG.random((3000, LABELS)) < 0.1).astype(np.float32))


def corpus(Y=CLEAN, space=SPACE):
    rows = [Y.indices[Y.indptr[n] : Y.indptr[n + 1]] for n in range(Y.shape[0])]
    return Corpus([Document("x", tuple(space.keys[i] for i in row)) for row in rows], space=space)


@pytest.mark.parametrize("kind", KINDS)
def test_a_corpus_and_its_matrix_get_the_same_noise_each_time(kind):
    changed = noisy(corpus(), 0.3, kind=kind, seed=4)
    first = SPACE.encode(changed.labels())
    assert (first != SPACE.encode(changed.labels())).nnz == 0
    assert (first != noisy_matrix(CLEAN, 0.3, kind=kind, seed=4)).nnz == 0
    assert (first != noisy_matrix(CLEAN, 0.3, kind=kind, seed=5)).nnz > 0
    assert changed.size == CLEAN.shape[0]


@pytest.mark.parametrize("kind", KINDS)
def test_rates(kind):
    clean = CLEAN.toarray() > 0
    changed = noisy_matrix(CLEAN, 0.4, kind=kind).toarray()
    assert set(np.unique(changed)) == {0, 1}
    lost = (clean & (changed == 0)).sum() / clean.sum()
    added = (~clean & (changed == 1)).sum()
    assert lost == pytest.approx(0.4, abs=0.02)
    if kind == "missing":
        assert added == 0
    elif kind == "symmetric":  # every entry flips with the rate, each label alike
        np.testing.assert_allclose((changed != clean).mean(axis=0), 0.4, atol=0.05)
    else:
        assert (changed.sum(axis=1) == clean.sum(axis=1)).all()
        np.testing.assert_allclose((~clean & (changed == 1)).mean(axis=0), added / clean.size, atol=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_the_ends_of_the_rate(kind):
    assert (noisy_matrix(CLEAN, 0.0, kind=kind) != CLEAN).nnz == 0
    if kind == "symmetric":
        with pytest.warns(UmpteenWarning, match="inverts"):
            changed = noisy_matrix(CLEAN, 1.0, kind=kind)
        assert ((changed.toarray() > 0) == (CLEAN.toarray() == 0)).all()
    else:
        assert noisy_matrix(CLEAN, 1.0, kind=kind).multiply(CLEAN).nnz == 0


def test_documents_that_lose_every_label_stay():
    changed = list(noisy(Corpus([Document("kept", ("a", "b"), id="7")]), 1.0))
    assert [(d.text, d.id, d.labels) for d in changed] == [("kept", "7", ())]


def test_labels_come_from_those_seen_where_the_source_names_none():
    changed = noisy(Corpus([Document("x", ("a", "b")), Document("y", ("c",))]), 1.0, kind="balanced")
    assert [set(labels) <= {"a", "b", "c"} for labels in changed.labels()] == [True, True]
    assert next(iter(changed.labels())) == ("c",)  # only one wrong label was left to draw


def test_symmetric_noise_over_a_million_labels_does_not_walk_through_them():
    Y = sparse.csr_array((np.ones(400), np.arange(400), np.arange(401)), shape=(400, 1_000_000))
    begin = perf_counter()
    changed = noisy_matrix(Y, 1e-5, kind="symmetric")
    assert perf_counter() - begin < 2
    assert 8 < changed.nnz / 400 < 14


def test_bad_requests():
    with pytest.raises(SettingError, match="Did you mean 'balanced'"):
        noisy(corpus(), 0.1, kind="balance")
    with pytest.raises(SettingError, match="0 to 1"):
        noisy(corpus(), 1.1)
