"""Rank-AE and the plain network beside it: variants learn, attention shows, many labels stay cheap."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy import sparse

import umpteen
from toy import TOPICS, numeric, toy
from umpteen.contract.classifier import Classifier
from umpteen.core.errors import SettingError
from umpteen.models import model
from umpteen.text.titles import Titles
from umpteen.text.voters import Rule, Voters
from umpteen.train.votes import Votes

TEXTS, LABELS = toy()
TEST, TRUTH = toy(60, seed=1)
SMALL: dict[str, Any] = {"width": 32, "min_df": 1, "batch": 32, "rate": 0.02, "epochs": 12, "least_steps": 150}
SMALL |= {"precision": "fp32", "jobs": 1, "members": 1, "refit": False}
PLAIN: dict[str, Any] = {"activate": False, "through": 0.0, "hidden": 16, "code": 16, "balance": 1.0, "dropout": 0.0}


def fitted(**settings: Any) -> Classifier:
    return model("rankae")(**{**SMALL, **settings}).fit(TEXTS, LABELS)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"members": 2},
        {"encoder": "lstm", "attention": True},
        PLAIN | {"attention": True, "pooling": "mean", "unit": False},
        PLAIN | {"loss": "bce"},
        PLAIN | {"loss": "exponential", "bounded": True},
        PLAIN | {"bounded": True, "margin": 0.5},
        PLAIN | {"decoder": "relu"},
    ],
    ids=["default", "members", "lstm", "printed", "bce", "exponential", "bounded", "relu"],
)
def test_variants_learn(settings: dict[str, Any]) -> None:
    found = fitted(**settings)
    assert found.score(TEST, TRUTH) > 0.9
    scores = found.rank(TEST).scores
    assert ((scores >= 0) & (scores <= 1)).all()


def test_attention_is_the_sum_over_channels() -> None:
    found = fitted(attention=True)
    explanation = found.explain(TEST[0])
    assert explanation.kind == "attention"
    network = found._network.parts()[0]
    batch = found._source(_corpus(TEST[:1])).batch(np.zeros(1, np.int64))
    with torch.no_grad():
        vectors = network.words.table(batch.tokens) * batch.values.unsqueeze(2)
        literal = network.excite(vectors).sum(dim=2)[0]
    assert np.allclose([f.weight for f in explanation.features], sorted((literal / literal.sum()).tolist())[::-1])
    assert explanation.spans


def test_without_attention_words_lean() -> None:
    found = fitted()
    right = 0
    for text, truth in zip(TEST[:20], TRUTH, strict=False):
        explanation = found.explain(text, truth[0])
        assert explanation.kind == "leaning"
        right += explanation.features[0].name in TOPICS[truth[0]].split()
    assert right >= 14
    with pytest.raises(SettingError, match="explains itself in one way only"):
        found.explain(TEST[0], by="attention")


def test_ready_features_are_named_in_explanations() -> None:
    found = model("mlp")(**{k: v for k, v in SMALL.items() if k not in ("width", "members")}, layers=(32,))
    found.fit(numeric(TEXTS), LABELS)
    explanation = found.explain(numeric(TEST[:1]))
    assert explanation.features[0].name.startswith("feature ")
    assert not explanation.spans


def test_refit_learns_from_all_documents() -> None:
    texts, labels = [*TEXTS, "zebra quagga"], [*LABELS, ["stripes"]]  # kept aside by this seed, or not
    for name in ("mlp", "rankae", "dxml"):
        cls = model(name)
        names = {row.name for row in cls.Params.rows()}
        small = {k: v for k, v in SMALL.items() if k in names}
        again = cls(**{**small, "refit": True, "held_out": 0.5, "epochs": 40}).fit(texts * 2, labels * 2)
        assert again.score(texts, labels) > 0.95


def test_labels_in_tens_of_thousands_stay_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tensor of (documents, labels) is made in a step where the room for scores is small."""
    from umpteen.networks import outputs

    labels, documents = 20_000, 64
    monkeypatch.setattr(outputs, "_ROOM", documents * 1000)
    random = np.random.default_rng(0)
    X = sparse.random_array((documents, 300), density=0.1, rng=random, format="csr")
    y = [[str(label) for label in random.choice(labels, 3, replace=False)] for _ in range(documents - 1)]
    y.append([str(label) for label in range(labels)])
    made = model("rankae")(**{**SMALL, **PLAIN, "epochs": 1, "least_steps": 0, "held_out": 0.0}).fit(X, y)
    network = made._network.parts()[0]
    batch = made._source(_corpus(X)).batch(np.arange(documents))
    largest = 0

    def watch(module: Any, given: Any, result: Any) -> None:
        nonlocal largest
        largest = max(largest, result.numel() if isinstance(result, torch.Tensor) else 0)

    handles = [part.register_forward_hook(watch) for part in network.modules()]
    network.loss(batch).backward()
    for handle in handles:
        handle.remove()
    assert 0 < largest < documents * labels


def test_real_features_reach_what_is_known(real: Any) -> None:
    from umpteen.data.read import read

    path: Path = real("bibtex", "train.txt.gz")
    corpus = read(path)
    some = corpus.take(np.arange(4880) < 2000)
    rest = corpus.take((np.arange(4880) >= 2000) & (np.arange(4880) < 3000))
    found = model("rankae")(members=1, refit=False, epochs=8, least_steps=0, jobs=1, precision="fp32").fit(some)
    yardstick = model("popular")().fit(some)
    assert found.score(rest) > 0.35 > yardstick.score(rest)


def _corpus(X: Any) -> Any:
    from umpteen.contract.inputs import corpus_of

    return corpus_of(X)


def test_cross_entropy_and_bounded_scores_exclude_each_other() -> None:
    for wrong in ({"loss": "bce", "through": 0.0}, {"through": 1.0}):
        with pytest.raises(SettingError, match="Cross-entropy takes unbounded scores"):
            model("rankae")(bounded=True, **wrong)


def test_decoded_documents_weigh_more_where_labels_are_few() -> None:
    found = [
        model("rankae")(**given).network(np.zeros((5, 8), np.float32), np.full(labels, 0.1, np.float32)).parts()[0].p
        for given, labels in (({}, 40), ({}, 600), ({}, 5000), ({"through": 7.0}, 40))
    ]
    assert [p.through for p in found] == [3000.0, 500.0, 300.0, 7.0]


def test_features_without_names_begin_at_random() -> None:
    with pytest.warns(UserWarning, match="The features have no names"):
        model("rankae")(**{**SMALL, "vectors": "glove", "epochs": 1, "least_steps": 0}).fit(numeric(TEXTS), LABELS)


def test_votes_in_the_common_space_count_beside_the_decoder(tmp_path: Path) -> None:
    """The joined score is the literal sum of both shares, and stays so in a saved folder."""
    small = {**SMALL, "votes": True, "held_out": 0.3, "epochs": 3, "least_steps": 0}
    fitted = model("rankae")(**small).fit(TEXTS, LABELS)
    voting = umpteen.Corpus.from_texts(TEXTS, LABELS)
    fitted._votes, titles = None, Titles()
    own = fitted.rank(TEST, 6).csr(6).toarray()
    voters = Voters.of(fitted._laid(fitted._source(titles.noting(voting))), fitted.truth(voting), clusters=1, seed=0)
    fitted._votes = Votes(Rule(neighbours=5, sharpness=10.0, balance=0.25), voters, titles)  # whatever was chosen
    mine, others = (fitted._laid(fitted._source(umpteen.Corpus.from_texts(part))) for part in (TEST, TEXTS))
    Y, expected = fitted.truth(voting).toarray(), []
    for row, vector in zip(own, mine, strict=True):
        cosines = others @ vector
        near = np.argsort(-cosines, kind="stable")[:5]
        votes = np.exp(10 * (cosines[near] - cosines[near].max()))
        expected.append(0.25 * row + 0.75 * votes @ Y[near] / votes.sum())
    np.testing.assert_allclose(fitted.rank(TEST, 6).csr(6).toarray(), expected, atol=1e-4)
    explanation = fitted.explain(TEST[0])
    assert explanation.score == pytest.approx(float(fitted.rank(TEST[:1], 1).scores[0, 0]), abs=1e-5)
    assert len(explanation.neighbours) == 5 and explanation.neighbours[0].document.startswith("the ")
    fitted.save(tmp_path / "m")
    again = umpteen.load(tmp_path / "m")
    np.testing.assert_array_equal(again.rank(TEST, 6).labels, fitted.rank(TEST, 6).labels)
    assert again.explain(TEST[0]).neighbours == explanation.neighbours


def test_votes_are_left_out_where_they_do_not_help() -> None:
    fitted = model("rankae")(**{**SMALL, "votes": False}).fit(TEXTS, LABELS)
    assert fitted._votes is None
    few = model("rankae")(**{**SMALL, "held_out": 0.0}).fit(TEXTS, LABELS)  # nothing to choose by
    assert few._votes is None
