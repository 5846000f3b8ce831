"""Consensus: the formulas, members old and new, their settings, stopping and resuming, votes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import umpteen
from toy import NAMES, toy
from umpteen import PLT, Consensus, Neighbours, PopularLabels
from umpteen.contract.classifier import Classifier
from umpteen.core.errors import DataError, FolderError, SettingError
from umpteen.core.ranking import Ranking
from umpteen.core.run import Run
from umpteen.explain.html import page
from umpteen.explain.terminal import lines
from umpteen.metrics.ranking import Judged
from umpteen.models.fusion.votes import joined, learn

TEXTS, LABELS = toy()
TEST, TRUTH = toy(60, seed=1)
ONE = Ranking(np.array([[3, 1, -1], [2, 0, 1]], np.int32), np.array([[0.9, 0.5, 0], [0.6, 0.4, 0.2]], np.float32))
OTHER = Ranking(np.array([[1, 2], [2, 4]], np.int32), np.array([[0.8, 0.3], [0.5, 0.1]], np.float32))
EVEN = np.ones(2)


def literal(how: str, row: int, label: int, weights: np.ndarray) -> float:
    """The formula for one document and label, by hand."""
    scores, places = [], []
    for ranking in (ONE, OTHER):
        at = np.flatnonzero(ranking.labels[row] == label)
        scores.append(float(ranking.scores[row, at[0]]) if len(at) else 0.0)
        places.append(1 / (60 + at[0] + 1) if len(at) else 0.0)
    if how == "either":
        return float(1 - np.prod((1 - np.array(scores)) ** weights))
    return float(weights @ (scores if how == "mean" else np.array(places) * 61) / weights.sum())


@pytest.mark.parametrize("how", ["either", "mean", "ranks"])
@pytest.mark.parametrize("weights", [EVEN, np.array([2.0, 0.5])])
def test_formulas(how: Any, weights: np.ndarray) -> None:
    found = joined([ONE, OTHER], 5, how=how, weights=weights, offset=60)
    for row, expected in enumerate(({1, 2, 3}, {0, 1, 2, 4})):
        given = {int(label): float(score) for label, score in zip(found.labels[row], found.scores[row], strict=True)}
        del given[-1]
        assert given.keys() == expected
        assert given == {label: pytest.approx(literal(how, row, label, weights), abs=1e-6) for label in expected}
        assert (np.diff(found.scores[row]) <= 0).all()


def test_sure_members_stay_sure() -> None:
    sure = Ranking(np.array([[0, 1]], np.int32), np.array([[1.0, 0.0]], np.float32))
    found = joined([sure, sure], 2, how="either", weights=EVEN, offset=60)
    assert found.scores.tolist() == [[1.0, 0.0]]


def test_what_is_next_to_certain_is_told_apart() -> None:
    sure = Ranking(np.array([[3, 7]], np.int32), np.array([[1.0, 1.0]], np.float32))
    other = Ranking(np.array([[7, 3]], np.int32), np.array([[0.99, 0.01]], np.float32))
    found = joined([sure, other], 2, how="either", weights=EVEN, offset=60)
    assert found.labels.tolist() == [[7, 3]]
    assert 1.0 >= found.scores[0, 0] > found.scores[0, 1] > 0.99999  # equal scores would stand in the order of ids


def test_learnt_weights_believe_the_member_that_knows() -> None:
    random = np.random.default_rng(0)
    truth = random.random((800, 6)) < 0.3
    knows = np.where(truth, 0.6, 0.4) + random.uniform(-0.3, 0.3, truth.shape)
    guesses = random.random(truth.shape)
    rankings = [Ranking.from_dense(guesses, 6), Ranking.from_dense(knows, 6)]
    Y = sparse.csr_array(truth.astype(np.float32))
    weights = learn(rankings, Y)
    assert weights[0] <= 0.2
    assert weights[1] == 1

    def worth(given: np.ndarray) -> float:
        return Judged.of(joined(rankings, 5, how="either", weights=given), Y, k=5).ndcg(5).value

    assert worth(weights) >= max(worth(EVEN), worth(np.array([0.0, 1.0]))) > worth(np.array([1.0, 0.0]))


@pytest.fixture(scope="module")
def members() -> dict[str, Classifier]:
    return {"tree": PLT().fit(TEXTS, LABELS), "near": Neighbours().fit(TEXTS, LABELS)}


def test_fitted_models_are_joined(members: dict[str, Classifier], tmp_path: Path) -> None:
    model = Consensus.of(members, how="mean")
    assert model.score(TEST, TRUTH) > 0.95
    model.save(tmp_path / "m")
    back = umpteen.load(tmp_path / "m")
    assert np.array_equal(back.rank(TEST, 6).scores, model.rank(TEST, 6).scores)
    assert sorted(path.name for path in (tmp_path / "m").iterdir() if path.is_dir()) == ["near", "tree"]
    assert np.array_equal(umpteen.load(tmp_path / "m" / "tree").rank(TEST).scores, members["tree"].rank(TEST).scores)
    assert [*Consensus.of([*members.values(), members["tree"]])._names] == ["plt", "neighbours", "plt-2"]
    with pytest.raises(DataError, match="give some as `valid`"):
        Consensus.of(members, how="learnt")
    learnt = Consensus.of(members, how="learnt", valid=(TEST, TRUTH))
    assert learnt.score(TEST, TRUTH) > 0.95
    assert all(member.tuning_ is not None for member in learnt._members)
    assert all(member.tuning_ is None for member in members.values())  # what was given stays as it is
    learnt.save(tmp_path / "learnt")
    assert np.array_equal(umpteen.load(tmp_path / "learnt").rank(TEST).scores, learnt.rank(TEST).scores)


def test_members_may_know_different_labels(members: dict[str, Classifier]) -> None:
    other = PLT().fit(["a whale in the sea", "a shark in the sea"], [["whales"], ["sharks", "music"]])
    model = Consensus.of({"toy": members["tree"], "sea": other})
    assert {*model.labels_.keys} == {*NAMES, "whales", "sharks"}
    assert model.suggest(["a whale in the sea", TEST[0]], k=1)[0][0][0] == "whales"
    assert model.suggest([TEST[0]], k=1)[0][0][0] in TRUTH[0]
    vote, without = model.explain("a whale in the sea", "whales").votes[::-1]
    assert vote.place == 1
    assert (without.place, without.score, without.reasons) == (None, 0.0, None)


def test_saved_and_fresh_members_and_their_settings(members: dict[str, Classifier], tmp_path: Path) -> None:
    members["tree"].save(tmp_path / "saved")
    names = (str(tmp_path / "saved"), "plt:fast", "plt", "plt", "popular")
    model = Consensus(members=names, seed=3, **{"plt:fast.eps": 0.25, "plt.eps": 0.4, "plt__trees": 2}).fit(
        TEXTS, LABELS
    )
    assert model._names == ["saved", "plt-fast", "plt", "plt-2", "popular"]
    trees = [member.params for member in model._members[1:4]]
    assert [(p.trees, p.eps, p.seed) for p in trees] == [(2, 0.25, 3), (2, 0.4, 3), (2, 0.4, 4)]
    assert model.params.options == ("plt:fast.eps=0.25", "plt.eps=0.4", "plt.trees=2")
    changed = Consensus(members=("plt", "neighbours"), plt__trees=1, neighbours__ngrams=2)
    changed.set_params(plt__trees=3)
    assert changed.params.options == ("plt.trees=3", "neighbours.ngrams=2")
    with pytest.raises(SettingError, match="No member is called 'plttt'"):
        Consensus(plttt__trees=1).fit(TEXTS, LABELS)
    model.save(tmp_path / "m")
    assert umpteen.load(tmp_path / "m").params == model.params


def test_saved_members_may_know_all_documents(members: dict[str, Classifier], tmp_path: Path) -> None:
    members["tree"].save(tmp_path / "saved")
    model = Consensus(members=(str(tmp_path / "saved"), "neighbours"), how="learnt")
    assert model.begun and not Consensus(members=("plt",)).begun
    with pytest.raises(DataError, match="name others with --valid"):
        model.fit(TEXTS, LABELS)
    assert model.fit(TEXTS, LABELS, valid=umpteen.Corpus.from_texts(TEST, TRUTH)).score(TEST, TRUTH) > 0.95


def test_saved_members_must_read_such_documents(members: dict[str, Classifier], tmp_path: Path) -> None:
    members["tree"].save(tmp_path / "saved")
    model = Consensus(members=("plt", str(tmp_path / "saved")))
    with pytest.raises(DataError, match="saved cannot be joined for these documents"):
        model.fit(sparse.csr_array(np.eye(4, dtype=np.float32)), [["a"], ["b"], ["a"], ["b"]])


@pytest.mark.parametrize("name", ["../evil", "/abs", "", "b/../x", "model.json", ".."])
def test_names_of_members_are_names_of_folders(members: dict[str, Classifier], name: str) -> None:
    with pytest.raises(SettingError, match="name is that of its folder"):
        Consensus.of({"tree": members["tree"], name: members["near"]})


def test_what_is_inside_a_model_is_not_replaced(members: dict[str, Classifier], tmp_path: Path) -> None:
    Consensus.of(members).save(tmp_path / "m")
    tree = umpteen.load(tmp_path / "m" / "tree")
    for place in ("tree", "new"):
        with pytest.raises(FolderError, match="is inside the model"):
            tree.save(tmp_path / "m" / place)
    assert umpteen.load(tmp_path / "m").rank(TEST, 1).labels.shape == (len(TEST), 1)


def test_depth_and_not_what_is_asked_for_decides(members: dict[str, Classifier]) -> None:
    model = Consensus.of(members, depth=2)
    few, many = model.rank(TEST, 2), model.rank(TEST, 6)
    assert np.array_equal(few.labels, many.labels[:, :2]) and np.array_equal(few.scores, many.scores[:, :2])


def test_very_few_documents_are_all_learnt_from() -> None:
    model = Consensus(members=("plt", "neighbours"), how="learnt", held_out=0.1).fit(TEXTS[:12], LABELS[:12])
    assert model._learnt is not None


def test_members_that_read_text_say_so_before_any_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(PLT, "_fit", lambda *_: pytest.fail("was trained"))
    model = Consensus(members=("plt", "fasttext"))
    assert not model.takes_features() and Consensus(members=("plt", "mlp")).takes_features()
    with pytest.raises(DataError, match="which fasttext cannot read"):
        model.fit(sparse.csr_array(np.eye(4, dtype=np.float32)), [["a"], ["b"], ["a"], ["b"]])


def test_tables_of_a_configuration_file_are_members_settings() -> None:
    made = Consensus.Params.made({"members": ["plt"], "plt": {"trees": 1, "balance": False}}, owner="consensus")
    assert made.options == ("plt.trees=1", "plt.balance=false")
    assert Consensus.Params.made(json.loads(json.dumps(vars(made))), owner="consensus") == made


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"members": ("pltt",)}, r"no model 'pltt' to join.* Did you mean 'plt'"),
        ({"members": ("plt:parabell",)}, "no preset 'parabell'"),
        ({"members": ()}, "names no model"),
        ({"members": ("plt", "ovr"), "weights": (1.0,)}, "a weight for each of the 2 members, not 1"),
        ({"members": ("plt", "ovr"), "weights": (0.0, 0.0)}, "above 0 for one member at least"),
        ({"members": ("plt", "ovr"), "weights": (1.0, 2.0), "how": "learnt"}, "how=learnt learns that"),
        ({"members": "plt,ovr"}, "takes texts, not 'plt,ovr'"),
        ({"members": ("plt",), "how": "vote"}, "'how' cannot be 'vote'"),
    ],
)
def test_wrong_settings(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Consensus(**given).fit(TEXTS, LABELS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ovr.eps": "1"}, "No member is called 'ovr'"),
        ({"plt.tree": "1"}, r"no setting 'tree'\. Did you mean 'trees'"),
        ({"plt.trees": "many"}, r"plt\.trees: Setting 'trees' takes a whole number"),
        ({"options": ["plt=3"]}, r"written member\.setting=value"),
    ],
)
def test_wrong_settings_of_members(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Consensus.Params.made({"members": "plt,neighbours", **options}, owner="consensus")


def test_learnt_weights_come_from_documents_kept_aside() -> None:
    model = Consensus(members=("popular", "plt"), how="learnt").fit(TEXTS, LABELS)
    assert model._members[1].documents_ == 108
    assert model.documents_ == 120
    assert model.score(TEST, TRUTH) > 0.95


def test_a_finished_member_is_not_trained_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = Consensus(members=("plt", "neighbours"))
    expected = Consensus(members=("plt", "neighbours")).fit(TEXTS, LABELS).rank(TEST)

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Neighbours, "_fit", stopped)
        wanted.fit(TEXTS, LABELS, run=Run(tmp_path / "run"))
    run = Run(tmp_path / "run", resume=True)
    assert run.started
    with monkeypatch.context() as patch:
        patch.setattr(PLT, "_fit", stopped)
        wanted.fit(TEXTS, LABELS, run=run)
        assert np.array_equal(wanted.rank(TEST).scores, expected.scores)
        with pytest.raises(FolderError, match="other settings or documents"):
            Consensus(members=("plt", "neighbours"), seed=1).fit(TEXTS, LABELS, run=run)


def test_votes_are_told(members: dict[str, Classifier]) -> None:
    model = Consensus.of({**members, "all": PopularLabels().fit(TEXTS, LABELS)}, weights=(1.0, 2.0, 1.0))
    found = model.explain(TEST[0])
    assert [vote.member for vote in found.votes] == ["tree", "near", "all"]
    assert found.votes[0].reasons is not None
    assert found.votes[0].reasons.features
    assert found.votes[1].reasons is not None
    assert found.votes[1].reasons.neighbours
    assert found.score == pytest.approx(model.rank([TEST[0]], 1).scores[0, 0])
    shown = "\n".join(line.plain for line in lines(found))
    assert "its vote counts 2" in shown
    assert "Why tree said so" in shown
    html = page([found], title="t")
    assert "<caption>Votes</caption>" in html
    assert "Why near said so" in html
    assert json.loads(json.dumps(found.to_json()))["votes"][0]["member"] == "tree"


def test_trees_of_members_are_shown(members: dict[str, Classifier]) -> None:
    assert len(Consensus.of(members).trees()) == 1
