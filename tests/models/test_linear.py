"""What label trees and one-vs-rest do beyond the contract."""

from pathlib import Path

import numpy as np
import pytest

import umpteen
from toy import NAMES, TOPICS, toy
from umpteen import PLT, OneVsRest
from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import DataError, UmpteenError
from umpteen.core.space import Label

TEXTS, LABELS = toy(200)


@pytest.mark.parametrize("preset", [*PLT.Params.presets, "dismec"])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_every_preset_and_loss_learns(preset: str, loss: str) -> None:
    kind = OneVsRest if preset == "dismec" else PLT
    cost = 1.0 if loss == "hinge" else 10.0
    model = kind.preset(preset, loss=loss, cost=cost).fit(TEXTS, LABELS)
    assert model.score(*toy(60, seed=5)) > 0.95


@pytest.mark.parametrize(
    "settings",
    [{"leaf": 2, "branch": 2}, {"leaf": 1, "branch": 2}, {"leaf": 2, "balance": False, "branch": 3}, {"bits": 16}],
)
def test_deep_trees_learn_and_give_the_same_on_any_number_of_threads(settings: dict[str, object]) -> None:
    one = PLT(**settings, jobs=1).fit(TEXTS, LABELS)
    many = PLT(**settings, jobs=3).fit(TEXTS, LABELS)
    fresh, truth = toy(60, seed=5)
    assert one.score(fresh, truth) > 0.9
    np.testing.assert_array_equal(one.rank(fresh).scores, many.rank(fresh).scores)
    np.testing.assert_array_equal(one.rank(fresh).labels, many.rank(fresh).labels)


def test_scores_lie_between_nothing_and_certainty() -> None:
    scores = PLT().fit(TEXTS, LABELS).rank(TEXTS, 6).scores
    assert ((scores >= 0) & (scores <= 1)).all()
    assert (np.diff(scores, axis=1) <= 0).all()


def test_a_labels_name_speaks_for_it() -> None:
    labels = {name: Label(name, f"{name} zither") for name in NAMES[:1]}
    texts, given = toy(40)
    texts.append("zither notes")  # the word must occur in documents to count
    given.append([NAMES[1]])
    with_name = PLT(trees=1).fit(texts, given, labels=labels).predict_proba(["zither"], k=6)
    without = PLT(trees=1, label_text=False).fit(texts, given, labels=labels).predict_proba(["zither"], k=6)
    column = with_name.shape[1] and umpteen.PLT().fit(texts, given).labels_.id(NAMES[0])
    assert with_name[0, column] > without[0, column]


@pytest.mark.parametrize("leaf", [2, 100])
def test_going_on_keeps_old_labels_and_finds_new_ones(leaf: int) -> None:
    new_words = ["volcano", "lava", "crater", "magma", "eruption", "basalt", "ash", "geyser"]
    random = np.random.default_rng(0)
    more = [" ".join(random.choice(new_words, 5, replace=False)) for _ in range(6)]
    old = PLT(leaf=leaf, branch=2).fit([*TEXTS, " ".join(new_words)], [*LABELS, [NAMES[0]]])
    grown = PLT(leaf=leaf, branch=2).fit([*more, *TEXTS[:20]], [["geology"]] * 6 + LABELS[:20], start=old)
    assert grown.labels_.keys[: len(old.labels_)] == old.labels_.keys
    assert grown.labels_.keys[-1] == "geology"
    assert grown.suggest(["lava and basalt of a crater"], 1)[0][0][0] == "geology"
    assert grown.score(*toy(60, seed=5)) > 0.9


def test_going_on_is_saved_like_any_other(tmp_path: Path) -> None:
    old = PLT().fit(TEXTS, LABELS)
    grown = PLT().fit([*TEXTS[:10], "lava"], [*LABELS[:10], ["geology"]], start=old)
    grown.save(tmp_path / "m")
    again = umpteen.load(tmp_path / "m")
    np.testing.assert_array_equal(again.rank(TEXTS).scores, grown.rank(TEXTS).scores)


def test_a_beam_wider_than_the_rows_looked_at_in_one_go_ends() -> None:
    texts = [f"word{number % 900} thing{number % 7} other" for number in range(1800)]
    labels = [[f"label{number % 900}"] for number in range(1800)]
    model = PLT(leaf=2, branch=2, trees=1, beam=300).fit(texts, labels)
    assert model.suggest(texts[:1], 900)[0][0][0] == "label0"  # so many answers that no node stays closed


def test_what_cannot_go_on_says_so() -> None:
    other = umpteen.Neighbours().fit(TEXTS, LABELS)
    with pytest.raises(DataError, match="same model"):
        PLT().fit(TEXTS, LABELS, start=other)
    with pytest.raises(UmpteenError, match="without --from"):
        umpteen.Neighbours().fit(TEXTS, LABELS, start=other)


def test_labels_that_never_occur_are_never_given() -> None:
    space = umpteen.LabelSpace(["ghost", *NAMES])
    corpus = Corpus([Document(t, tuple(row)) for t, row in zip(TEXTS, LABELS, strict=True)], space=space)
    model = PLT().fit(corpus)
    assert 0 not in model.rank(TEXTS, 7).labels


def test_the_strongest_word_explains_its_topic() -> None:
    for model in (PLT().fit(TEXTS, LABELS), OneVsRest().fit(TEXTS, LABELS)):
        text = "The old telescope, a star and a loaf."
        why = model.explain(text, "astronomy")
        best = max(why.spans, key=lambda span: span.weight)
        assert text[best.start : best.end] in TOPICS["astronomy"].split()
        assert why.paths[0][-1].name == "astronomy"


@pytest.mark.parametrize(("settings", "said"), [({"bits": 12}, "8 or 16"), ({"branch": 3}, "power of two")])
def test_settings_take_what_they_say(settings: dict[str, int], said: str) -> None:
    with pytest.raises(UmpteenError, match=said):
        PLT(**settings)


@pytest.mark.parametrize("settings", [{"trees": 1}, {"ngrams": 2}, {"leaf": 20}])
def test_what_an_older_model_is_made_of_stays(settings: dict[str, int]) -> None:
    old = PLT().fit(TEXTS, LABELS)
    with pytest.raises(UmpteenError, match=f"keeps that: it cannot become {next(iter(settings.values()))}"):
        PLT(**settings).fit(TEXTS, LABELS, start=old)


def test_counts_of_old_and_new_documents_add_up() -> None:
    old = PLT().fit(TEXTS, LABELS)
    grown = PLT().fit(TEXTS[:20], LABELS[:20], start=old)
    assert grown.documents_ == 220
    assert grown.labels_.counts.sum() == sum(map(len, LABELS)) + sum(map(len, LABELS[:20]))
