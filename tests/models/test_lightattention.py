"""LightAttention on the toy corpus: its ways to sample, its levels, its tree and the paths that explain."""

from functools import reduce
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import umpteen
from toy import NAMES, TOPICS, toy
from umpteen.contract.classifier import Classifier, Size
from umpteen.core.errors import SettingError
from umpteen.core.run import Run
from umpteen.models import model
from umpteen.networks.descent import Descent, Frozen
from umpteen.train.deep import DeepClassifier
from umpteen.train.loop import Loop
from umpteen.train.team import Found

TEXTS, LABELS = toy()
TEST, TRUTH = toy(60, seed=1)
SMALL: dict[str, Any] = {"vectors": "none", "width": 32, "min_df": 1, "batch": 16, "rate": 0.02, "epochs": 12}
SMALL |= {"least_steps": 100, "every": 20, "average_from": 1.0, "precision": "fp32", "jobs": 1}
SMALL |= {"hidden": 32, "layers": (16,), "dropout": 0.1, "leaf": 2, "meet": 8}
DEEP: dict[str, Any] = {"leaf": 1, "branch": 2, "height": 2, "beam": 3}  # 8 groups of at most one, in 4 of at most two


def made(**settings: Any) -> Classifier:
    return model("lightattention")(**{**SMALL, **settings})


@pytest.fixture(scope="module")
def fitted() -> Classifier:
    return made(meet=0, means=False, least_steps=200).fit(TEXTS, LABELS)  # attention alone must find the words


@pytest.mark.parametrize(
    "settings",
    [
        {"beam": 2},
        {"sampling": "static"},
        {"sampling": "all"},
        {"sampling": "random"},
        {"generator": "attention", "meet": 0, "bag": 0, "layers": (16, 16, 16)},
        DEEP,
        {"leaf": 64},  # all labels in one group
    ],
    ids=str,
)
def test_all_ways_learn_an_obvious_corpus(settings: dict[str, Any], tmp_path: Path) -> None:
    fitted = made(**settings).fit(TEXTS, LABELS)
    assert fitted.score(TEST, TRUTH) > 0.9
    ranking = fitted.rank(TEST, k=6)
    assert (ranking.labels >= 0).all()  # more groups than the beam where these do not hold so many labels
    assert ((ranking.scores >= 0) & (ranking.scores <= 1)).all()
    fitted.save(tmp_path / "m")
    again = umpteen.load(tmp_path / "m").rank(TEST, k=6)
    assert np.array_equal(again.labels, ranking.labels)


def test_levels_are_trained_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    trained = list[tuple[int, int]]()
    steps = Loop.steps

    def watched(self: Loop) -> Any:
        trained.append((self.network.labels, self.source.Y.shape[1]))
        return steps(self)

    monkeypatch.setattr(Loop, "steps", watched)
    quick = {"epochs": 1, "least_steps": 0, **DEEP}
    made(**quick).fit(TEXTS, LABELS)
    assert trained == [(6, 6), (6, 6)]  # the lowest groups, of one label each, and then the labels
    trained.clear()
    frozen = made(**quick, sampling="static").fit(TEXTS, LABELS)
    assert trained == [(4, 4), (6, 6), (6, 6)]
    network, depth = frozen._network, 0
    while isinstance(network.top, Frozen):
        assert not network.top.training
        network, depth = network.top.network, depth + 1
    assert depth == 2


@pytest.mark.parametrize("sampling", ["dynamic", "static"])
@pytest.mark.parametrize("stop", [4, 17, 24])
def test_a_stopped_training_of_levels_goes_on(
    sampling: str, stop: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {**DEEP, "sampling": sampling, "epochs": 2, "least_steps": 0, "every": 5, "average_from": 0.3}
    whole = made(**settings).fit(TEXTS, LABELS, run=(run := Run(tmp_path / "w", seconds=0)))
    update, done = Loop._update, [0]
    log = [line.split("\t") for line in run.log().splitlines()]

    def dies(self: Loop, *rest: Any) -> float:
        done[0] += 1
        if done[0] == stop:
            raise KeyboardInterrupt
        return update(self, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Loop, "_update", dies)
        with pytest.raises(KeyboardInterrupt):
            made(**settings).fit(TEXTS, LABELS, run=Run(tmp_path / "r", seconds=0))
    again = made(**settings).fit(TEXTS, LABELS, run=(run := Run(tmp_path / "r", resume=True, seconds=0)))
    mine, theirs = again._network.state_dict(), whole._network.state_dict()
    assert all(mine[name].numpy().tobytes() == theirs[name].numpy().tobytes() for name in theirs)
    resumed = [line.split("\t") for line in run.log().splitlines()]
    assert [row[:4] for row in resumed] == [row[:4] for row in log]
    steps = [int(row[0]) for row in log[1:]]
    assert steps == sorted(set(steps))


def test_the_tree_is_that_of_the_label_profiles(fitted: Classifier) -> None:
    (tree,) = fitted.trees()
    assert sorted(tree.order.tolist()) == [*range(6)]
    assert [len(level) - 1 for level in tree.levels] == [1, 4]
    assert np.diff(tree.levels[-1]).max() <= 2


def test_few_levels_where_there_are_few_groups() -> None:
    from scipy import sparse

    for labels, groups in ((5, [1, 1]), (1000, [1, 64]), (150_000, [1, 1024, 16384])):
        own = made(leaf=16, branch=16)
        own.grow(sparse.csr_array((labels, 1), dtype=np.float32))
        assert [len(level) - 1 for level in own._tree.levels] == groups


def test_explanations_have_attention_and_a_path(fitted: Classifier) -> None:
    text, looked = "The BOAT, its anchor and the pawn: checkmate!", {"own": 0.0, "others": 0.0}
    for label, other in permutations(TOPICS, 2):  # states know their neighbours, so not every text looks right
        found = fitted.explain(" ".join(TOPICS[label].split()[:3] + TOPICS[other].split()[:3]), label)
        for feature in found.features:
            looked["own" if feature.name in TOPICS[label].split() else "others"] += feature.weight
    assert looked["own"] > looked["others"]
    for label in ("chess", "sailing"):
        found = fitted.explain(text, label)
        assert found.kind == "attention"
        assert sum(span.weight for span in found.spans) == pytest.approx(1, abs=1e-4)
        (path,) = found.paths
        power = fitted.params.path
        score = reduce(lambda above, own: above**power * own, (step.chance for step in path))
        assert score == pytest.approx(found.score, rel=1e-3)
        assert path[-1].name == label
        assert [step.size for step in path][-1] == 1
        assert label in path[0].name
    best = fitted.rank([text], 1)
    found = fitted.explain(text, fitted.labels_.keys[int(best.labels[0, 0])], by="leaning")
    assert found.score == pytest.approx(float(best.scores[0, 0]), abs=1e-5)
    assert found.kind == "leaning"


def test_labels_that_no_document_has_stand_in_no_tree() -> None:
    Y = np.pad(np.array([[name in row for name in NAMES] for row in LABELS], int), ((0, 0), (1, 1)))
    fitted = made().fit(TEXTS, Y)
    assert sorted(fitted.trees()[0].order.tolist()) == [*range(1, 7)]
    assert not {0, 7} & {*fitted.rank(TEST, k=8).labels.ravel().tolist()}
    assert [step.name for step in fitted.explain(TEXTS[0], "3").paths[0]][-1] == "3"


def test_memory_is_foreseen_for_a_million_labels() -> None:
    size = Size(documents=400_000, characters=400_000 * 600, values=0, labels=1_000_000, occurrences=2_000_000)
    assert 10 * 2**30 < model("lightattention")()._memory(size) < 16 * 2**30


def test_wrong_shapes_of_trees_are_named() -> None:
    with pytest.raises(SettingError, match="'branch' must be a power of two, not 12"):
        made(branch=12)


def test_network_is_a_descent(fitted: Classifier) -> None:
    assert isinstance(fitted._network, Descent)
    assert fitted._network.nodes.sizes == [4, 6]


def test_what_begins_at_means_is_known_on_every_level(monkeypatch: pytest.MonkeyPatch) -> None:
    led = list[set[str]]()
    prepare = DeepClassifier.prepare

    def noted(self: DeepClassifier, network: Any, source: Any) -> None:
        prepare(self, network, source)
        names = {id(parameter): name for name, parameter in network.named_parameters()}
        led.append({names[id(parameter)] for parameter in network.led})

    monkeypatch.setattr(DeepClassifier, "prepare", noted)
    fitted = made(**{**DEEP, "epochs": 1, "meet": 4, "bag": 8}).fit(TEXTS, LABELS)
    top, below = {"top.scorer.layers.0.weight", "top.scorer.layers.0.bias"}, {"met.weight", "usual.weight"}
    first, second = ({f"below.{level}.{name}" for name in below} for level in (0, 1))
    assert led == [top | first, top | first | second]
    middle, lowest = fitted._network.below
    assert middle.attend is None and lowest.attend is not None
    explanation = fitted.explain("A pawn and a boat", "chess")
    assert sum(span.weight for span in explanation.spans) == pytest.approx(1, abs=1e-4)
    assert len(explanation.paths[0]) == 3


@pytest.mark.parametrize("name", ["attentionxml", "lightattention", "treaderxml"])
def test_before_the_first_step_labels_are_where_their_documents_lie(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("umpteen.train.deep.trained", lambda *_: Found(0.0, 0.0))
    found = {}
    for means in (True, False):
        kind = model(name)
        small = {"vectors": "none", "width": 32, "min_df": 1, "means": means, "votes": False, "beam": 100}
        there = {key: value for key, value in small.items() if key in kind.Params.__dataclass_fields__}
        fitted = kind(**there).fit(TEXTS, LABELS)
        fitted._network.eval()
        first = [fitted.labels_.keys[label] for label in fitted.rank(TEST, 1).labels[:, 0]]
        found[means] = np.mean([key in own for key, own in zip(first, TRUTH, strict=True)])
    assert found[True] > 0.9 > found[False]


@pytest.mark.parametrize("settings", [{"meet": 0}, {"sampling": "static"}])
def test_leaning_where_the_bag_has_no_part(settings: dict[str, Any]) -> None:
    fitted = made(generator="attention", **settings).fit(TEXTS, LABELS)
    found = fitted.explain(TEST[0], by="leaning")
    assert found.features
