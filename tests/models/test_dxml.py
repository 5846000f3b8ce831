"""DXML on the toy corpus: its targets and presets, what it chooses, whom it points at, and what it learns later."""

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import umpteen
from toy import NAMES, TOPICS, numeric, toy
from umpteen.core.errors import DataError, SettingError, UmpteenError, UmpteenWarning
from umpteen.core.space import Label
from umpteen.core.store import MANIFEST
from umpteen.models import model
from umpteen.text.index import Index
from umpteen.text.voters import Voters

torch = pytest.importorskip("torch")
TEXTS, LABELS = toy()
TEST, TRUTH = toy(60, seed=1)
SMALL: dict[str, Any] = {"width": 16, "hidden": 32, "min_df": 1, "batch": 16, "rate": 0.02, "epochs": 8, "every": 40}
SMALL |= {"least_steps": 120, "average_from": 1.0, "precision": "fp32", "members": 1, "hidden_dropout": 0.1, "jobs": 1}


def dxml(**settings: Any) -> Any:
    return model("dxml")(**(SMALL | settings))


@pytest.fixture(scope="module")
def fitted() -> Any:
    ids = [
        umpteen.Document(text, tuple(labels), id=f"t{n}")
        for n, (text, labels) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    return dxml().fit(umpteen.Corpus(ids))


@pytest.mark.parametrize(
    "settings",
    [
        {"targets": "walks", "walks": 40},
        {"targets": "walks", "walks": 40, "graph": "counts", "window": 3},
        {"targets": "information"},
        {"relu": False},
        {"head": 0.0, "unit": False, "unit_targets": False},
        {"members": 3},
        {"clusters": 4, "probes": 1},
    ],
    ids=str,
)
def test_every_way_learns_the_toy(settings: dict[str, Any]) -> None:
    assert dxml(**settings).fit(TEXTS, LABELS).score(TEST, TRUTH) > 0.9


def test_a_folder_with_votes_of_a_head_that_is_not_there_is_refused(tmp_path: Path) -> None:
    dxml(epochs=1, least_steps=0, refit=False, head=0.0).fit(TEXTS, LABELS).save(tmp_path / "m")
    facts = json.loads((tmp_path / "m" / MANIFEST).read_text())
    facts["chosen"]["balance"] = 0.5
    del facts["crc32"]
    (tmp_path / "m" / MANIFEST).write_text(json.dumps(facts))
    with pytest.raises(UmpteenError, match="no head"):
        umpteen.load(tmp_path / "m")


def test_a_hierarchy_can_be_walked_instead() -> None:
    above = {name: Label(name, name, ("indoors" if n % 2 else "outdoors",)) for n, name in enumerate(NAMES)}
    found = dxml(targets="walks", graph="hierarchy", walks=40).fit(TEXTS, LABELS, labels=above)
    assert found._network.label_vectors.shape == (6, 16)
    assert found.score(TEST, TRUTH) > 0.9


def test_the_paper_is_a_preset() -> None:
    paper = model("dxml").preset("paper", **{k: SMALL[k] for k in ("min_df", "precision", "jobs", "batch")}, epochs=60)
    found = paper.fit(TEXTS, LABELS)
    assert (found._panel.rule.sharpness, found._panel.rule.balance, found.params.optimiser) == (0.0, 0.0, "sgd")
    assert found._network.heads()[0].size == 0
    assert found.score(TEST, TRUTH) > 0.7


def test_what_is_set_is_not_chosen(fitted: Any) -> None:
    assert set(vars(fitted._panel.rule)) == {"neighbours", "sharpness", "balance"}
    found = dxml(neighbours=7, sharpness=3.0, balance=0.4, clusters=2).fit(TEXTS, LABELS)
    assert vars(found._panel.rule) == {"neighbours": 7, "sharpness": 3.0, "balance": 0.4}
    assert len(found._panel.voters.index.centres) == found._panel.told()["clusters"] == 2


def test_regression_counts_beside_votes_and_stays_in_the_folder(tmp_path: Path) -> None:
    found = dxml(regression=0.5).fit(TEXTS, LABELS)
    assert found._panel.weight.share == 0.5 and found._panel.regression.X.shape[0] == len(TEXTS)
    assert found.score(TEST, TRUTH) > 0.9
    ranking = found.rank(TEST, 3)
    whole = found._panel
    found._panel = replace(whole, regression=None)
    assert not np.allclose(found.rank(TEST, 3).scores, ranking.scores)
    found._panel = whole
    found.save(tmp_path / "m")
    again = umpteen.load(tmp_path / "m").rank(TEST, 3)
    assert np.array_equal(again.labels, ranking.labels) and np.array_equal(again.scores, ranking.scores)


def test_rare_labels_can_be_lifted(tmp_path: Path) -> None:
    often = TEXTS + [text for text, labels in zip(TEXTS, LABELS, strict=True) if NAMES[0] in labels] * 4
    labels = LABELS + [labels for labels in LABELS if NAMES[0] in labels] * 4
    plain, lifted = (dxml(regression=0.5, lift=lift).fit(often, labels) for lift in (0.0, 1.0))
    assert lifted._panel.weight.lift == 1 and plain._panel.odds is None
    before, after = (found.rank(TEST, 6).csr(6).toarray() for found in (plain, lifted))
    first = plain.labels_.keys.index(NAMES[0])
    assert after[:, first].mean() < before[:, first].mean() and after.max() <= 1
    lifted.save(tmp_path / "m")
    assert np.array_equal(umpteen.load(tmp_path / "m").rank(TEST, 3).scores, lifted.rank(TEST, 3).scores)


def test_of_nothing_that_is_known_nothing_follows() -> None:
    found = dxml(epochs=1, least_steps=0).fit(TEXTS, LABELS)
    assert found.suggest(["zzz qqq"], k=3) == [[]]
    with pytest.warns(UmpteenWarning, match="Of 3 documents to learn 1 without a word or feature that the model knows"):
        found.partial_fit(["zzz qqq", TEXTS[0], TEXTS[1]], [["nowhere"], ["stones"], ["stones"]])
    given = {name for answers in found.suggest([*TEXTS, "zzz qqq"], k=8) for name, _ in answers}
    assert "stones" in given and "nowhere" not in given
    with pytest.warns(UmpteenWarning, match="Of 1 document to learn 1 without"):
        found.partial_fit(["zzz qqq"], [["nothing"]])
    assert found.suggest([TEXTS[0]], k=1) and "nothing" in found.labels_.keys


def test_a_lift_without_regression_is_told() -> None:
    with pytest.raises(SettingError, match="only lifted where regression counts"):
        dxml(regression=0.0, lift=0.2)
    assert "lift" not in dxml(held_out=0.0, lift=0.2).fit(TEXTS, LABELS)._chosen


def test_members_lie_in_one_space_and_older_folders_still_answer(tmp_path: Path) -> None:
    found = dxml(members=3).fit(TEXTS, LABELS)
    assert found._panel.voters.index.folds == 3 and found.score(TEST, TRUTH) > 0.9
    found.partial_fit(["quartz and basalt in the quarry"] * 4, [["stones"]] * 4)
    found.save(tmp_path / "m")
    again = umpteen.load(tmp_path / "m")
    assert np.array_equal(again.rank(TEST, 3).scores, found.rank(TEST, 3).scores)
    assert again.explain(TEST[0]).neighbours
    alike = Index.of(found._panel.voters.index.vectors, clusters=2, seed=0)
    found._panel = replace(found._panel, voters=Voters(alike, *found._panel.voters.Y))
    found.save(tmp_path / "older")  # vectors as they stand behind each other were near or far
    assert umpteen.load(tmp_path / "older").score(TEST, TRUTH) > 0.9
    found._panel.voters.index.centres = found._panel.voters.index.centres[:, :9]
    found.save(tmp_path / "forged")
    with pytest.raises(UmpteenError, match="another space"):
        umpteen.load(tmp_path / "forged")


def test_regression_learns_more_documents_until_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    found = dxml(regression=0.5).fit(TEXTS, LABELS)
    fresh = "quartz and basalt in the quarry"
    found.partial_fit([fresh] * 4, [["stones"]] * 4)
    assert found._panel.regression.X.shape[0] == len(TEXTS) + 4
    assert found.suggest([fresh], k=1)[0][0][0] == "stones"
    monkeypatch.setattr("umpteen.text.regression.DOCUMENTS", len(TEXTS) + 5)
    with pytest.warns(UmpteenWarning, match="too many for regression"):
        found.partial_fit(["granite in the quarry"] * 4, [["stones"]] * 4)
    assert found._panel.regression is None and found._panel.weight.share == 0
    assert found.suggest([fresh], k=1)[0][0][0] == "stones"


def test_too_many_documents_for_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("umpteen.text.regression.DOCUMENTS", len(TEXTS) - 1)
    with pytest.raises(DataError, match="too many for regression: set regression=0"):
        dxml(regression=0.5).fit(TEXTS, LABELS)
    assert dxml().fit(TEXTS, LABELS)._panel.regression is None


def test_a_lesson_that_ends_in_between_changes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = dxml(regression=0.5).fit(TEXTS, LABELS)
    before = found.rank(TEST, 3)

    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("umpteen.text.regression.Regression.with_more", stopped)
    with pytest.raises(KeyboardInterrupt):
        found.partial_fit(["quartz and basalt"], [["stones"]])
    assert np.array_equal(found.rank(TEST, 3).scores, before.scores)
    found.save(tmp_path / "m")
    assert np.array_equal(umpteen.load(tmp_path / "m").rank(TEST, 3).labels, before.labels)


def test_parts_on_threads_of_their_own_answer_as_documents_alone() -> None:
    many, _ = toy(200, seed=2)
    found = dxml(regression=0.5, members=2, jobs=2).fit(TEXTS, LABELS)
    alone = [found.rank([text], 6).csr(6).toarray()[0] for text in many]
    assert np.allclose(found.rank(many, 6).csr(6).toarray(), alone, atol=1e-5)
    again = copy.deepcopy(found)
    assert np.array_equal(again.rank(many, 3).scores, found.rank(many, 3).scores)


def test_all_training_documents_vote(fitted: Any) -> None:
    assert len(fitted._panel.voters.index) == fitted.documents_ == len(TEXTS)
    assert np.allclose(np.linalg.norm(fitted._panel.voters.index.vectors, axis=1), 1, atol=1e-5)


def test_neighbours_explain_a_label(fitted: Any, tmp_path: Path) -> None:
    found = fitted.explain("a boat with a mast and an anchor", "sailing")
    ranking = fitted.rank(["a boat with a mast and an anchor"], 6)
    assert found.score == pytest.approx(float(ranking.scores[0][ranking.labels[0] == fitted.labels_.id("sailing")][0]))
    assert 0 < len(found.neighbours) <= fitted._panel.rule.neighbours
    assert [near.similarity for near in found.neighbours] == sorted(
        (n.similarity for n in found.neighbours), reverse=True
    )
    nearest = found.neighbours[0]
    assert "sailing" in nearest.labels
    number = int(nearest.document.partition(":")[0].removeprefix("t"))
    assert nearest.document == f"t{number}: {TEXTS[number]}"
    assert set(nearest.labels) == set(LABELS[number])
    fitted.save(tmp_path / "m")
    assert umpteen.load(tmp_path / "m").explain("a boat with a mast and an anchor", "sailing") == found
    with pytest.raises(SettingError, match="DXML explains itself in one way only: leave 'by' out"):
        fitted.explain("a boat with a mast", "sailing", by="attention")


def test_new_labels_get_vectors_beside_the_labels_they_meet() -> None:
    found = dxml().fit(TEXTS, LABELS)
    before = found._network.label_vectors.clone()
    words = TOPICS["chess"].split()[:3] + TOPICS["music"].split()[:3]
    texts = [" ".join(np.random.default_rng(n).permutation(words)) for n in range(6)]
    found.partial_fit(texts, [["opera of chess", "chess"]] * 3 + [["alone"]] * 3)
    vectors, known = found._network.label_vectors, found._known.tolist()
    assert torch.equal(vectors[:6], before)
    chess, fresh = known.index(found.labels_.id("chess")), known.index(found.labels_.id("opera of chess"))
    assert torch.allclose(vectors[fresh], torch.nn.functional.normalize(vectors[chess], dim=0), atol=1e-5)
    assert np.isfinite(vectors.numpy()).all() and float(vectors[known.index(found.labels_.id("alone"))].norm()) > 0.9


def test_a_label_that_had_no_documents_is_learnt_later() -> None:
    Y = np.zeros((len(TEXTS), 8), int)
    Y[:, 1:7] = [[name in row for name in NAMES] for row in LABELS]  # labels 0 and 7 have no documents
    found = dxml().fit(numeric(TEXTS), Y)
    more = np.zeros((4, 8), int)
    more[:, 0] = 1
    mixture = numeric(["violin chord star galaxy"] * 4)
    found.partial_fit(mixture, more)
    assert found._known.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert found.rank(mixture[:1], 1).labels[0, 0] == 0


def test_a_graph_that_nobody_walks_is_refused() -> None:
    with pytest.raises(SettingError, match="targets=walks"):
        dxml(graph="counts")
    with pytest.raises(DataError, match="above it"):
        dxml(graph="hierarchy", targets="walks").fit(TEXTS, LABELS)
