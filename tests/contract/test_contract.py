"""What every model must do, whichever it is: learn, repeat itself, come back from disk, answer well-formed rankings."""

from collections.abc import Callable
from copy import copy
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import umpteen
from toy import NAMES, indicator, numeric, toy
from umpteen.contract.classifier import Classifier, model_name
from umpteen.core.corpus import Corpus
from umpteen.core.ranking import Ranking
from umpteen.core.space import Label
from umpteen.models import entries

TEXTS, LABELS = toy()
TEST, TRUTH = toy(60, seed=1)
ODD = ["", " \n\t", "zzz qqq", "?!", "\ud800 \x00", "bread " * 5000, "ab", "\U0001f600 \u4f60\u597d \u00df\u0130\u03a3"]


@pytest.fixture(scope="module")
def fitted(cls: type[Classifier]) -> Classifier:
    return cls().fit(TEXTS, LABELS)


Same = Callable[[Ranking, Ranking], bool]


def needs_features(cls: type[Classifier]) -> None:
    if not cls.reads_features:
        pytest.skip("reads text only")


def check(ranking: Ranking, *, documents: int, k: int, labels: int) -> None:
    """Well-formed: distinct labels, scores that fall and are between 0 and 1, ties by id, padding at the end."""
    assert ranking.labels.shape == ranking.scores.shape == (documents, k)
    assert ranking.labels.dtype == np.int32
    assert ranking.scores.dtype == np.float32
    assert ranking.labels.min(initial=0) >= -1
    assert ranking.labels.max(initial=-1) < labels
    assert np.isfinite(ranking.scores).all()
    assert ((ranking.scores >= 0) & (ranking.scores <= 1)).all()
    for ids, scores in zip(ranking.labels.tolist(), ranking.scores.tolist(), strict=True):
        given = [label for label in ids if label >= 0]
        assert len(set(given)) == len(given)
        assert ids == given + [-1] * (k - len(given))
        assert not any(scores[len(given) :])
        order = [(-score, label) for score, label in zip(scores, given, strict=False)]
        assert order == sorted(order)


def right(model: Classifier, X: object) -> float:
    """The share of documents whose best label is right."""
    best = model.rank(X, k=1).labels[:, 0]
    return float(np.mean([model.labels_.keys[b] in truth for b, truth in zip(best, TRUTH, strict=True)]))


def test_learns_an_obvious_corpus(fitted: Classifier) -> None:
    yardstick = right(umpteen.PopularLabels().fit(TEXTS, LABELS), TEST)
    assert right(fitted, TEST) >= (0.95 if fitted.reads else yardstick)
    assert fitted.score(TEST, TRUTH) > (0.95 if fitted.reads else 0.3)


def test_learns_features(cls: type[Classifier], same: Same) -> None:
    needs_features(cls)
    model = cls().fit(numeric(TEXTS), LABELS)
    assert right(model, numeric(TEST)) >= (0.95 if model.reads else 0)
    assert same(model.rank(numeric(TEST)), model.rank(numeric(TEST).toarray()))


def test_answers_the_same_for_the_same_seed(cls: type[Classifier], fitted: Classifier, same: Same) -> None:
    assert same(cls().fit(TEXTS, LABELS).rank(TEST, k=6), fitted.rank(TEST, k=6))
    again = cls(seed=7).fit(TEXTS, LABELS)
    assert same(again.rank(TEST, k=6), again.fit(TEXTS, LABELS).rank(TEST, k=6))


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_answers_the_same_on_any_number_of_threads(
    cls: type[Classifier], fitted: Classifier, jobs: int, same: Same
) -> None:
    if not cls.exact:
        pytest.skip("trains to the same weights only with the same threads")
    model = cls(jobs=jobs).fit(TEXTS, LABELS)
    assert same(model.rank(TEST * 40, k=6), fitted.rank(TEST * 40, k=6))


def test_answers_the_same_for_every_form_of_documents(fitted: Classifier, same: Same) -> None:
    expected = fitted.rank(TEST)
    forms = (tuple(TEST), np.array(TEST), np.array(TEST, object)[:, None], Corpus.from_texts(TEST), iter(TEST))
    for form in forms:
        assert same(fitted.rank(form), expected)
    assert same(Ranking.joined([fitted.rank([text]) for text in TEST], 5), expected)


def test_comes_back_from_disk_unchanged(cls: type[Classifier], tmp_path: Path, same: Same) -> None:
    names = {key: Label(key, key.title(), ("all",)) for key in NAMES} | {"all": Label("all", "Everything")}
    model = cls(seed=3).fit(TEXTS, LABELS, labels=names)
    model.save(tmp_path / "m")
    for back in (umpteen.load(tmp_path / "m"), cls.load(str(tmp_path / "m"))):
        assert type(back) is cls
        assert back.params == model.params
        assert back.labels_.to_json() == model.labels_.to_json()
        assert (back.documents_, back.y_form_) == (model.documents_, model.y_form_)
        assert same(back.rank(TEST + ODD, k=6), model.rank(TEST + ODD, k=6))
        assert back.suggest(TEST[:2]) == model.suggest(TEST[:2])
    assert back.labels_.path(0)[0] == "Everything"
    back.save(tmp_path / "again")  # as a loaded model lies in its folder
    assert same(umpteen.load(tmp_path / "again").rank(TEST), model.rank(TEST))
    back.save(tmp_path / "m")  # and over itself
    assert same(umpteen.load(tmp_path / "m").rank(TEST), model.rank(TEST))


@pytest.mark.parametrize("form", ["names", "numbers", "sparse", "dense"])
def test_form_of_answers_comes_back_from_disk(cls: type[Classifier], tmp_path: Path, form: str) -> None:
    needs_features(cls)
    matrix = indicator(LABELS)
    numbers = [[NAMES.index(name) for name in row] for row in LABELS]
    y = {"names": LABELS, "numbers": numbers, "sparse": sparse.csr_array(matrix), "dense": matrix}[form]
    model = cls().fit(numeric(TEXTS), y)
    model.save(tmp_path / "m")
    back = umpteen.load(tmp_path / "m")
    assert back.y_form_ == form
    one, other = model.predict(numeric(TEST)), back.predict(numeric(TEST))
    assert (one != other).nnz == 0 if form == "sparse" else np.array_equal(one, other)


@pytest.mark.parametrize("k", [1, 3, 6, 50])
def test_rankings_are_well_formed(fitted: Classifier, k: int) -> None:
    check(fitted.rank(TEST + ODD, k=k), documents=len(TEST) + len(ODD), k=k, labels=len(NAMES))
    check(fitted.rank([], k=k), documents=0, k=k, labels=len(NAMES))


def test_depth_does_not_change_the_first(fitted: Classifier, same: Same) -> None:
    assert same(fitted.rank(TEST, k=6).top(2), fitted.rank(TEST, k=2))


def test_calibrates(fitted: Classifier, tmp_path: Path, same: Same) -> None:
    before, model = fitted.rank(TEST, k=6), copy(fitted).calibrate(TEST, TRUTH)
    check(model.rank(TEST + ODD, k=6), documents=len(TEST) + len(ODD), k=6, labels=len(NAMES))
    assert fitted.tuning_ is None
    assert same(fitted.rank(TEST, k=6), before)
    assert all(1 <= len(row) <= len(NAMES) for row in model.predict(TEST))
    if model.reads:
        assert np.mean([set(row) == set(truth) for row, truth in zip(model.predict(TEST), TRUTH, strict=True)]) > 0.8
    model.save(tmp_path / "m")
    assert same(umpteen.load(tmp_path / "m").rank(TEST), model.rank(TEST))


def test_survives_odd_documents_in_training(cls: type[Classifier]) -> None:
    model = cls().fit(TEXTS + ODD, LABELS + [["odd"]] * len(ODD))
    assert right(model, TEST) >= (0.9 if model.reads else 0)
    check(model.rank(ODD, k=7), documents=len(ODD), k=7, labels=7)


@pytest.mark.parametrize("documents", [1, 2, 40])
def test_survives_a_single_label(cls: type[Classifier], documents: int) -> None:
    model = cls().fit(TEXTS[:documents], [["only"]] * documents)
    ranking = model.rank(TEXTS[:documents], k=3)
    check(ranking, documents=documents, k=3, labels=1)
    assert (ranking.labels[:, 0] == 0).all()
    check(model.rank(ODD, k=3), documents=len(ODD), k=3, labels=1)


def test_survives_labels_all_different(cls: type[Classifier]) -> None:
    model = cls().fit(TEXTS, [[f"label {n}"] for n in range(len(TEXTS))])
    check(model.rank(TEST, k=5), documents=len(TEST), k=5, labels=len(TEXTS))


def test_leaves_documents_without_labels_out(cls: type[Classifier], fitted: Classifier, same: Same) -> None:
    texts, labels = ["unlabelled bread", *TEXTS, "more of it", ""], [[], *LABELS, [], []]
    model = cls().fit(texts, labels)
    assert model.documents_ == len(TEXTS)
    assert same(model.rank(TEST), fitted.rank(TEST))


def test_counts_a_repeated_label_once(cls: type[Classifier], fitted: Classifier, same: Same) -> None:
    model = cls().fit(TEXTS, [[*labels, labels[0]] for labels in LABELS])
    assert model.labels_.to_json() == fitted.labels_.to_json()
    assert same(model.rank(TEST), fitted.rank(TEST))


def test_never_gives_a_label_that_no_document_had(cls: type[Classifier]) -> None:
    Y = np.pad(indicator(LABELS), ((0, 0), (2, 1)))  # columns 0, 1 and 8 are empty
    model = cls().fit(TEXTS, Y)
    assert not {0, 1, 8} & set(model.rank(TEST, k=9).labels.ravel().tolist())
    assert model.predict(TEST).shape == (len(TEST), 9)


def test_leaves_what_it_is_given_alone(cls: type[Classifier]) -> None:
    needs_features(cls)
    X, Y = numeric(TEXTS), indicator(LABELS)
    stored, target = X.copy(), Y.copy()
    cls().fit(X, Y).rank(X)
    assert X.data.tobytes() == stored.data.tobytes()
    assert X.indices.tobytes() == stored.indices.tobytes()
    assert np.array_equal(Y, target)


def test_is_found_by_name(cls: type[Classifier]) -> None:
    name = model_name(cls)
    assert umpteen.model(name) is cls
    assert getattr(umpteen, entries()[name].class_name) is cls
    assert entries()[name].meaning.endswith(".")
    assert all(row.meaning.endswith(".") for row in cls.Params.rows())
    for preset in cls.Params.presets:
        assert cls.preset(preset).params is not None
