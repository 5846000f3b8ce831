"""The dual cooperative network: what is taught, votes in loss and ranking, padding, against plain formulas."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from umpteen.networks import outputs
from umpteen.networks.teaching import POOLINGS, Cooperating, Shape
from umpteen.networks.words import Words
from umpteen.train.lessons import TaughtBatch

SHAPE = Shape(
    reading="MMHSA+R+MHSA",
    heads=2,
    pooling="mean+max",
    bottleneck=6,
    votes=True,
    bag=0,
    skip=0.0,
    relu=False,
    pace=1.0,
    dropout=0.0,
    length=5,
)
DESCRIPTIONS = np.array([[2, 3, 0], [4, 0, 0], [5, 6, 7], [3, 3, 0]], np.int32)  # three labels, a parent
SHARES = np.array([0.5, 0.2, 0.1], np.float32)
LABELS = len(SHARES)


def network(**changes: object) -> Cooperating:
    torch.manual_seed(1)
    vectors = np.random.default_rng(0).normal(size=(9, 8)).astype(np.float32)
    vectors[0] = 0
    made = Cooperating(Words(vectors), DESCRIPTIONS, SHARES, replace(SHAPE, **changes)).double().eval()  # type: ignore[arg-type]
    torch.nn.init.normal_(made.outputs.layer.weight)  # as if it had learnt something
    return made


def batch() -> TaughtBatch:
    """Three documents: taught by several labels, by one, and by none."""
    double = {"dtype": torch.float64}
    return TaughtBatch(
        torch.tensor([[2, 3, 4, 5], [6, 7, 0, 0], [1, 0, 0, 0]]),
        torch.tensor([[0, 0], [0, 2], [1, 1]]),
        nodes=torch.tensor([[0, 2, 3], [1, -1, -1], [-1, -1, -1]]),
        weights=torch.tensor([[0.5, 0.25, 0.25], [1, 0, 0], [0, 0, 0]], **double),
        voted=torch.tensor([[0, 1], [1, -1], [-1, -1]]),
        shares=torch.tensor([[0.75, 0.25], [1, 0], [0, 0]], **double),
    )


def test_taught_is_the_weighted_mean_of_descriptions() -> None:
    made = network()
    said, there = made.said(batch())
    table = made.words.table.weight
    wanted = torch.zeros(3, 3, 8, dtype=torch.float64)
    for document, (nodes, weights) in enumerate(zip(batch().nodes, batch().weights, strict=True)):
        for node, weight in zip(nodes.tolist(), weights, strict=True):
            for place, word in enumerate(DESCRIPTIONS[node].tolist() if node >= 0 else []):
                wanted[document, place] += weight * table[word]
    assert torch.allclose(said, wanted)
    assert there.tolist() == [[True, True, True], [True, False, False], [False, False, False]]


def literal_logits(made: Cooperating, given: TaughtBatch, document: int) -> Tensor:
    """One document without padding, layer by layer."""
    words = given.tokens[document][given.mask[document]]
    said, there = (part[document] for part in made.said(given))
    text, taught = made.words.table.weight[words][None], said[there][None]
    assert made.teacher is not None and made.votes is not None
    read = [
        branch.layers[1](x + branch.layers[0](x, ones), ones)
        for branch, x in ((made.teacher, taught), (made.student, text))
        for ones in (torch.ones(x.shape[:2], dtype=torch.bool),)
        if x.shape[1]
    ]
    joined = torch.cat(read, dim=1)
    states = made.together(joined, torch.ones(joined.shape[:2], dtype=torch.bool))[0]
    hidden = made.bottleneck.weight @ torch.cat([states.mean(dim=0), states.max(dim=0).values])
    logits = made.outputs.layer.weight @ hidden + made.outputs.layer.bias
    for label, share in zip(given.voted[document].tolist(), given.shares[document], strict=True):
        if label >= 0:
            raised = F.softplus(made.votes.height) * torch.log1p(share * made.votes.bend.exp())
            logits = logits + raised * F.one_hot(torch.tensor(label), LABELS)
    return logits


def test_logits_are_those_of_each_document_alone() -> None:
    made, given = network(), batch()
    found = made(given)
    for document in range(3):
        assert torch.allclose(found[document], literal_logits(made, given, document))
    for label in range(LABELS):
        assert torch.allclose(made.logit(given, label), found[:, label])


@pytest.mark.parametrize("worth", [None, torch.tensor([1.0, 3.0, 2.0], dtype=torch.float64)], ids=["alike", "weighed"])
@pytest.mark.parametrize("room", [1 << 22, 3], ids=["at once", "in chunks"])
def test_loss_and_gradient_are_those_of_the_logits(
    worth: Tensor | None, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "_ROOM", room)
    made, given = network().train(), replace(batch(), worth=worth)
    targets = given.targets(LABELS).double()
    plain = F.binary_cross_entropy_with_logits(made(given), targets, reduction="sum", pos_weight=worth) / 3
    weights = [made.bottleneck.weight, made.outputs.layer.weight, made.votes.height, made.votes.bend]  # type: ignore[union-attr]
    wanted = torch.autograd.grad(plain, weights)
    loss = made.loss(given)
    assert torch.allclose(loss, plain)
    for found, right in zip(torch.autograd.grad(loss, weights), wanted, strict=True):
        assert torch.allclose(found, right)


@pytest.mark.parametrize("k", [1, 2, 3, 9])
def test_best_are_the_best_of_all_logits(k: int) -> None:
    made, given = network(), batch()
    labels, scores = made.best(given, k)
    wanted, order = torch.sigmoid(made(given)).topk(min(k, LABELS), dim=1)
    assert torch.allclose(scores, wanted)
    assert labels.tolist() == order.tolist()


def test_before_it_has_learnt_anything_votes_raise_what_is_usual() -> None:
    torch.manual_seed(1)
    made = Cooperating(Words(np.ones((9, 8), np.float32)), DESCRIPTIONS, SHARES, SHAPE).eval()
    given = replace(batch(), voted=torch.tensor([[0, 1], [2, -1], [1, 2]]), weights=batch().weights.float())
    given = replace(given, shares=torch.tensor([[0.3, 0.7], [1.0, 0.0], [0.4, 0.6]]))
    votes = torch.tensor([[0.3, 0.7, 0.0], [0.0, 0.0, 1.0], [0.0, 0.4, 0.6]])
    raised = made(given) - torch.logit(torch.from_numpy(SHARES))
    assert torch.allclose(raised, 0.5 * torch.log1p(np.e**3 * votes), atol=1e-4)


def test_what_reads_in_order_learns_at_its_own_pace() -> None:
    made = network(bag=4, pace=0.25)
    slow, names = {id(weight) for weight in made.slow}, dict(made.named_parameters())
    apart = ("outputs.", "whole.", "votes.", "level.")
    assert made.pace == 0.25
    assert {name for name, weight in names.items() if id(weight) not in slow} == {
        name for name in names if name.startswith(apart)
    }


@pytest.mark.parametrize("pooling", POOLINGS)
def test_padding_changes_no_answer(pooling: str) -> None:
    made, given = network(pooling=pooling), batch()
    wider = replace(
        given,
        tokens=F.pad(given.tokens, (0, 1)),
        nodes=F.pad(given.nodes, (0, 2), value=-1),
        weights=F.pad(given.weights, (0, 2)),
        voted=F.pad(given.voted, (0, 1), value=-1),
        shares=F.pad(given.shares, (0, 1)),
    )
    assert torch.allclose(made(wider), made(given))


def test_nobody_may_be_taught_anything() -> None:
    none = {name: getattr(batch(), name)[:, :0] for name in ("nodes", "weights", "voted", "shares")}
    made, nothing = network(), replace(batch(), **none)
    assert torch.isfinite(made.loss(nothing))
    assert torch.allclose(made(nothing)[2], made(batch())[2])
    assert made.best(nothing, 2)[0].shape == (3, 2)


def test_without_a_teacher_nothing_taught_is_read() -> None:
    torch.manual_seed(1)
    alone = Cooperating(Words(np.ones((9, 8), np.float32)), None, SHARES, SHAPE).double().eval()
    changed = replace(batch(), nodes=batch().nodes.flip(0), shares=batch().shares * 0)
    assert torch.equal(alone(batch()), alone(changed))
    assert alone.teacher is None and alone.votes is None


def test_attention_goes_to_words_and_to_the_teacher() -> None:
    shares = network().attention(batch(), 0)
    assert shares.shape == (3, 4)
    assert (shares >= 0).all() and (shares.sum(dim=1) <= 1 + 1e-9).all()
    assert not shares[~batch().mask].any()
