"""Cross-validation of our own: every form of y, a Corpus, and features."""

import numpy as np
import pytest
from scipy import sparse

import umpteen
from toy import NAMES, indicator, numeric, toy
from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError
from umpteen.metrics.ranking import Judged

TEXTS, LABELS = toy(60)


def test_every_form_gives_the_same() -> None:
    model = umpteen.Neighbours(neighbours=5, power=1.0)
    expected = umpteen.cross_validate(model, TEXTS, LABELS, folds=3)
    assert [*expected] == [f"{name}@{k}" for name in ("P", "nDCG", "PSP") for k in (1, 3, 5)]
    assert all(values.shape == (3,) and (values >= 0).all() and (values <= 1).all() for values in expected.values())
    dense = indicator(LABELS)
    forms = [(TEXTS, [[NAMES.index(n) for n in row] for row in LABELS]), (Corpus.from_texts(TEXTS, LABELS), None)]
    forms += [(TEXTS, dense), (TEXTS, sparse.csr_array(dense))]
    for X, y in forms:
        found = umpteen.cross_validate(model, X, y, folds=3)
        assert np.allclose(found["P@1"], expected["P@1"], atol=0.1)  # equal votes fall by the order of label ids
    assert umpteen.cross_validate(model, numeric(TEXTS), dense, folds=3)["P@1"].mean() > 0.9
    assert not hasattr(model, "labels_")


def test_each_fold_is_judged_by_a_model_of_the_others() -> None:
    labelled = [[f"label {n}"] for n in range(6)]  # each label in one fold only: never to be found
    found = umpteen.cross_validate(umpteen.PopularLabels(), TEXTS[:6], labelled, folds=3, at=(2,))
    assert not any(values.any() for values in found.values())


def test_two_folds_by_hand() -> None:
    found = umpteen.cross_validate(umpteen.PopularLabels(), TEXTS, LABELS, folds=2, seed=1, at=(3,))
    first = np.sort(np.random.default_rng(1).permutation(60)[:30])
    rest = np.setdiff1d(np.arange(60), first)
    model = umpteen.PopularLabels().fit([TEXTS[n] for n in rest], [LABELS[n] for n in rest])
    test = Corpus.from_texts([TEXTS[n] for n in first], [LABELS[n] for n in first])
    judged = Judged.of(model.rank(test, 3), model.truth(test), k=3)
    assert found["P@3"][0] == judged.precision(3).value
    assert found["nDCG@3"][0] == judged.ndcg(3).value


def test_same_seed_same_folds() -> None:
    model = umpteen.PopularLabels()
    one, same, other = (umpteen.cross_validate(model, TEXTS, LABELS, seed=seed)["P@1"] for seed in (2, 2, 3))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_says_what_is_wrong() -> None:
    model = umpteen.PopularLabels()
    for wrong in ({"folds": 1}, {"at": ()}, {"at": (0,)}):
        with pytest.raises(DataError, match="2 folds or more and k of 1 or more"):
            umpteen.cross_validate(model, TEXTS, LABELS, **wrong)
    with pytest.raises(DataError, match=r"5 folds need as many labelled documents, and .* has 2"):
        umpteen.cross_validate(model, ["a", "b", "c"], [["x"], [], ["y"]])
