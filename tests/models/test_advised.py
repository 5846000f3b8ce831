"""Documents with like words, and names of labels, that vote: alone (neighbours) and beside networks."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import umpteen
from toy import NAMES, SMALL, TOPICS, indicator, toy
from umpteen import Neighbours
from umpteen.core.space import Label
from umpteen.models import model

TEXTS, LABELS = toy()
TEST, TRUTH = toy(60, seed=1)
CALLED = {name: Label(name, f"{words.split()[0]} {words.split()[1]} lore") for name, words in TOPICS.items()}
WEAK = {"hidden": 4, "layers": (4,), "bag": 0, "epochs": 1, "least_steps": 0, "rate": 1e-5, "held_out": 0.2}


def advised(name: str, **settings: Any) -> Any:
    pytest.importorskip("torch")
    known = set(model(name).Params.__dataclass_fields__)
    return model(name)(**{key: value for key, value in SMALL.items() if key in known} | {"jobs": 1} | settings)


def best(fitted: Any, text: str) -> str:
    return fitted.labels_.keys[fitted.rank([text], 1).labels[0, 0]]


@pytest.mark.parametrize("name", ["attentionxml", "lightattention"])
def test_votes_help_a_network_that_knows_little(name: str, tmp_path: Path) -> None:
    alone = advised(name, **WEAK, votes=False).fit(TEXTS, LABELS)
    both = advised(name, **WEAK).fit(TEXTS, LABELS)
    assert both.score(TEST, TRUTH) > max(0.8, alone.score(TEST, TRUTH) + 0.1)
    ranking = both.rank(TEST, k=6)
    both.save(tmp_path / "m")
    again = umpteen.load(tmp_path / "m").rank(TEST, k=6)
    np.testing.assert_array_equal(again.labels, ranking.labels)
    np.testing.assert_allclose(again.scores, ranking.scores, atol=1e-6)
    found = both.explain(TEST[0])
    assert found.neighbours and found.spans and found.mixed is not None
    own, votes, share = found.mixed.network, found.mixed.voted, found.mixed.share
    assert found.score == pytest.approx((1 - share) * own + share * votes) and share == both._share
    assert found.score == pytest.approx(float(ranking.scores[0, 0]), abs=1e-4)


def test_votes_counted_in_blocks_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = advised("attentionxml", **WEAK).fit(TEXTS, LABELS)
    assert fitted._alike is not None
    whole = fitted.rank(TEST, 6)
    monkeypatch.setattr("umpteen.train.advised._TOGETHER", 7)  # 60 documents: the last block is smaller
    parts = fitted.rank(TEST, 6)
    np.testing.assert_array_equal(parts.labels, whole.labels)
    np.testing.assert_allclose(parts.scores, whole.scores, atol=1e-6)


@pytest.mark.parametrize("called", [{}, CALLED])
def test_without_documents_kept_aside_nobody_votes(called: dict[str, Label]) -> None:
    """A training document that finds itself would make any votes look right."""
    fitted = advised("attentionxml", **{**WEAK, "held_out": 0.0}).fit(TEXTS, LABELS, labels=called)
    assert fitted._alike is None and not fitted.explain(TEST[0]).neighbours


def test_names_and_labels_that_never_occur(tmp_path: Path) -> None:
    """Votes are for labels by their places in the whole space, and names vote like documents."""
    columns = np.pad(indicator(LABELS), ((0, 0), (1, 0)))  # nobody has the first
    called = {str(n): Label(str(n), CALLED[name].name) for n, name in enumerate(NAMES, 1)} | {
        "0": Label("0", "nothing")
    }
    fitted = advised("attentionxml", **WEAK).fit(TEXTS, columns, labels=called)
    assert fitted._alike is not None and fitted.labels_.keys[0] == "0" and 0 not in fitted._known
    assert len(fitted._alike) == len(TEXTS) + len(TOPICS)
    sailing = str(1 + NAMES.index("sailing"))
    found = fitted.explain("boat harbour", sailing)
    assert "the name of boat harbour lore" in {near.document for near in found.neighbours}
    assert best(fitted, "boat harbour mast anchor sail") == sailing
    fitted.save(tmp_path / "m")
    assert umpteen.load(tmp_path / "m").explain("boat harbour", sailing).neighbours == found.neighbours


def test_documents_of_nothing_or_of_unknown_words_get_labels() -> None:
    fitted = advised("attentionxml", **WEAK).fit(TEXTS, LABELS, valid=(TEST, TRUTH))
    assert fitted._alike is not None
    assert (fitted.rank(["", "xyzzy plugh"], 3).labels >= 0).all()


def test_names_vote_for_their_labels(tmp_path: Path) -> None:
    labels = [[*row, "rarity"] if number == 0 else row for number, row in enumerate(LABELS)]
    called = {**CALLED, "rarity": Label("rarity", "quetzal plumage")}
    texts = [*TEXTS[:-2], "quetzal", "plumage"]  # known as words, but in no document of the label
    text = "quetzal plumage in the harbour"
    fitted = Neighbours(neighbours=1, power=2.0, rare=0.0).fit(texts, labels, labels=called)
    alone = Neighbours(neighbours=1, power=2.0, rare=0.0, label_text=False).fit(texts, labels, labels=called)
    assert best(fitted, text) == "rarity" != best(alone, text)
    found = fitted.explain(text, "rarity")
    assert found.neighbours[0].document == "the name of quetzal plumage"
    fitted.save(tmp_path / "m")
    assert umpteen.load(tmp_path / "m").explain(text, "rarity") == found


def test_names_of_labels_learnt_later_vote_too() -> None:
    fitted = Neighbours(neighbours=3, power=2.0, rare=0.5).fit([*TEXTS, "quetzal"], [*LABELS, ["music"]], labels=CALLED)
    before = len(fitted._alike)
    fitted.partial_fit(["boat anchor"], [["birds"]], labels={"birds": Label("birds", "quetzal plumage")})
    assert len(fitted._alike) == before + 2  # the document, and the name of the one label that is new
    assert best(fitted, "quetzal plumage") == "music"  # the document that is just that word is nearer than the name
    assert "the name of quetzal plumage" in {near.document for near in fitted.explain("quetzal", "birds").neighbours}


def test_learning_that_fails_leaves_the_model_as_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fitted = Neighbours().fit(TEXTS, LABELS)
    before = fitted.rank(TEST, 3)

    def broken(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr("umpteen.text.alike.Alike.with_more", broken)
    with pytest.raises(MemoryError):
        fitted.partial_fit(TEST[:5], TRUTH[:5])
    fitted.save(tmp_path / "m")
    np.testing.assert_array_equal(umpteen.load(tmp_path / "m").rank(TEST, 3).labels, before.labels)


def test_a_loaded_model_goes_on_learning(tmp_path: Path) -> None:
    Neighbours(rare=0.5).fit(TEXTS, LABELS).save(tmp_path / "m")
    loaded = umpteen.load(tmp_path / "m")
    loaded.partial_fit(TEST, TRUTH)
    assert loaded.score(TEST, TRUTH) > 0.9 and len(loaded._alike) == len(TEXTS) + len(TEST)
