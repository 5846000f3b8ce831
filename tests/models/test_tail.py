"""Settings for rare labels: what they weigh in training, and how they are favoured in tagging."""

import numpy as np
import pytest

from toy import toy
from umpteen import PLT, OneVsRest, model
from umpteen.contract.tail import Tail
from umpteen.core.ranking import Ranking
from umpteen.core.space import LabelSpace
from umpteen.metrics.ranking import inverse_propensity

TEXTS, LABELS = toy(120)
SMALL = {"vectors": "none", "width": 16, "hidden": 16, "layers": (16,), "epochs": 2, "least_steps": 0, "min_df": 1}


def space(*counts: int) -> LabelSpace:
    made = LabelSpace([f"l{number}" for number in range(len(counts))])
    made.counts = np.array(counts)
    return made


def test_weights_are_inverse_propensities_to_a_power() -> None:
    known = space(1, 10, 100)
    assert Tail().worth(known, 1000) is None
    expected = inverse_propensity(np.array([1, 10, 100]), 1000)
    np.testing.assert_allclose(Tail(tail=1).worth(known, 1000), expected, rtol=1e-6)
    np.testing.assert_allclose(Tail(tail=0.5).worth(known, 1000), expected**0.5, rtol=1e-6)
    assert (Tail(tail=1).worth(space(3, 1), 2) == 1).all()  # of very few documents all count alike


def test_favour_ranks_by_score_times_weight() -> None:
    known, asked = space(100, 10, 1), []
    scores = np.array([[0.9, 0.5, 0.3]], np.float32)

    def rank(k: int) -> Ranking:
        asked.append(k)
        return Ranking.from_dense(scores, k)

    plain = Tail().favoured(rank, 2, known, 1000)
    assert plain.labels.tolist() == [[0, 1]]
    found = Tail(favour=1).favoured(rank, 2, known, 1000)
    assert asked == [2, 3]  # deeper than asked for, since others may come first
    weights = inverse_propensity(known.counts, 1000)
    assert found.labels.tolist() == np.argsort(-scores * weights)[:, :2].tolist() == [[2, 1]]
    assert found.scores[0, 0] == pytest.approx(0.3)  # the rarest keeps its score
    assert (found.scores <= 1).all()


@pytest.mark.parametrize("kind", [PLT, OneVsRest])
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_linear_models_give_a_rare_label_sooner(kind: type[PLT], loss: str) -> None:
    texts = ["apple pie"] * 40 + ["apple tart"] * 40 + ["apple wine"] * 2 + ["apple wine"] * 4
    labels = [["pie"]] * 40 + [["tart"]] * 40 + [["wine"]] * 2 + [["pie"]] * 4  # mostly forgotten
    settings = {"loss": loss, "threshold": 0.0, "bits": 16, "min_df": 1}
    scores = []
    for tail in (0.0, 1.0, 2.0):
        made = kind(**settings, tail=tail).fit(texts, labels)
        scores.append(made.predict_proba(["apple wine"], 3)[0, made.labels_.id("wine")])
    assert scores == sorted(scores)
    assert scores[2] > scores[0]


@pytest.mark.parametrize("name", ["mlp", "rankae", "fasttext", "xmlcnn", "attentionxml", "dxml"])
def test_networks_learn_with_weights(name: str) -> None:
    pytest.importorskip("torch")
    known = set(model(name).Params.__dataclass_fields__)
    settings = {key: value for key, value in {**SMALL, "votes": False}.items() if key in known}  # votes are shares
    fitted = [model(name)(**settings, tail=tail, precision="fp32").fit(TEXTS, LABELS) for tail in (0.0, 2.0)]
    plain, weighed = (made.rank(TEXTS[:20], 6).scores for made in fitted)
    assert (plain != weighed).any()
    assert weighed.sum() > plain.sum() or name == "dxml"  # true labels weigh more than others
