"""What an explanation says, against the classifiers' weights multiplied out."""

import re
from typing import Any

import numpy as np
import pytest

import umpteen
from toy import NAMES, numeric, toy
from umpteen.kernels import beam

TEXT = "The star, the BREAD and the galaxy: a telescope & an oven; bread!"


def dense(model: Any, tree: int, layer: int, node: int, child: int) -> np.ndarray:
    """All weights of one classifier, the bias last."""
    columns = np.arange(model._forest.features.width + 1, dtype=np.int32)
    return beam.weights_of(model._forest.trees[tree][1].parts, layer, node, child, columns).astype(np.float64)


@pytest.fixture(scope="module")
def plt() -> Any:
    return umpteen.PLT(trees=2, branch=2, leaf=2, ngrams=2, threshold=0.01).fit(*toy())


@pytest.mark.parametrize("label", NAMES)
def test_contributions_and_bias_are_what_the_classifiers_say(plt: Any, label: str) -> None:
    explanation = plt.explain(TEXT, label)
    x = np.append(plt._forest.features.transform(umpteen.Corpus.from_texts([TEXT])).toarray()[0], 1.0)
    said, score = 0.0, 0.0
    for number, tree in enumerate(plt.trees()):
        place = tree.order.tolist().index(plt.labels_.id(label))
        chance = 1.0
        for layer, (groups, below) in enumerate(tree.layers()):
            node = max(n for n, start in enumerate(groups[:-1]) if start <= place)
            inside = [n for n, start in enumerate(below[:-1]) if groups[node] <= start < groups[node + 1]]
            if len(inside) == 1:
                continue
            child = max(n for n in inside if below[n] <= place)
            output = float(x @ dense(plt, number, layer, node, child - inside[0]))
            said += output / 2
            chance *= np.exp(-(max(0.0, 1 - output) ** plt.params.hinge_power))
        score += chance / 2
    assert sum(f.weight for f in explanation.features) + explanation.bias == pytest.approx(said, abs=1e-4)
    assert explanation.score == pytest.approx(score, abs=1e-4)


@pytest.mark.parametrize("kind", [umpteen.PLT, umpteen.OneVsRest])
def test_the_score_is_what_ranking_gives(kind: Any) -> None:
    model = kind().fit(*toy())
    ranking = model.rank([TEXT], 3)
    for label, score in zip(ranking.labels[0], ranking.scores[0], strict=True):
        assert model.explain(TEXT, model.labels_.keys[label]).score == pytest.approx(score, abs=1e-4)


def test_spans_stand_where_their_words_do() -> None:
    model = umpteen.PLT().fit(*toy())
    found = model.explain(TEXT, "astronomy").to_json()
    weight = {feature["name"]: feature["weight"] for feature in found["features"]}
    words = [found["text"][span["start"] : span["end"]] for span in found["spans"]]
    assert {"star", "BREAD", "bread", "galaxy", "telescope", "oven"} <= {*words}
    for span, word in zip(found["spans"], words, strict=True):
        assert span["weight"] == pytest.approx(weight[word.lower()])
    assert weight["star"] > 0 and weight["telescope"] > 0 and weight.get("bread", -1) < 0
    assert words == [word for word in re.findall(r"\w+", TEXT) if word in words]


def test_ready_features() -> None:
    texts, labels = toy()
    model = umpteen.PLT().fit(numeric(texts), labels)
    found = model.explain(numeric(["star galaxy", "oven"]), "astronomy")  # the first document
    assert found.text == "" and found.spans == ()
    assert {f.name for f in found.features if f.weight > 0} == {"feature 24", "feature 26"}


def test_labels_that_cannot_be_explained(plt: Any) -> None:
    with pytest.raises(umpteen.UmpteenError, match="Did you mean 'astronomy'"):
        plt.explain(TEXT, "Astronomie")
    with pytest.raises(umpteen.UmpteenError, match="There is no document"):
        plt.explain([], "astronomy")
    texts, labels = toy()
    space = umpteen.LabelSpace([*NAMES, "never"])
    with pytest.raises(umpteen.UmpteenError, match="No training document has the label 'never'"):
        umpteen.PLT().fit(texts, labels, labels=space).explain(TEXT, "never")
