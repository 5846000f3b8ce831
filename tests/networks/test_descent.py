"""Descents of a label tree against the formulas: scores as products along paths, losses over the candidates."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from umpteen.labels.tree import Tree
from umpteen.networks.descent import Descent, Frozen
from umpteen.networks.generator import Attending, Discriminator, Pooled
from umpteen.networks.nodes import Nodes
from umpteen.networks.recurrent import Recurrent
from umpteen.networks.whole import Whole
from umpteen.networks.words import Words

LABELS, DOCUMENTS, WIDTH, HIDDEN = 23, 5, 6, 4
BOUNDS = ([0, 23], [0, 9, 23], [0, 4, 9, 10, 17, 23])


@dataclass(frozen=True)
class Batch:
    """Documents as networks read them."""

    tokens: Tensor
    positives: Tensor
    values: Tensor | None = None
    worth: Tensor | None = None

    @property
    def mask(self) -> Tensor:
        return self.tokens != 0

    def targets(self, labels: int) -> Tensor:
        raise AssertionError("too large with many labels")


@pytest.fixture
def batch() -> Batch:
    draw = np.random.default_rng(2)
    tokens = torch.from_numpy(draw.integers(1, 40, (DOCUMENTS, 8)) * (np.arange(8) < [[8], [3], [5], [1], [7]]))
    pairs = [(d, int(label)) for d in range(DOCUMENTS) for label in draw.choice(LABELS, d + 1, replace=False)]
    return Batch(tokens, torch.tensor(pairs))


def tree(height: int) -> Tree:
    levels = BOUNDS if height == 2 else (BOUNDS[0], BOUNDS[2])
    return Tree(np.random.default_rng(0).permutation(LABELS).astype(np.int32), tuple(map(np.array, levels)))


def made(
    tree: Tree, *, top: Any = None, pooled: bool = True, levels: int | None = None, beam: int = 2, **settings: Any
) -> Descent:
    """A network with weights by chance, all of them."""
    nodes = Nodes(tree)
    words = Words(np.random.default_rng(1).normal(size=(40, WIDTH)).astype(np.float32), learn=True, dropout=0.0)
    encoder = Recurrent(WIDTH, HIDDEN, length=20, dropout=0.0)
    whole = Whole(2 * HIDDEN, words, WIDTH, dropout=0.0)
    shares = [np.full(size, 0.2, np.float32) for size in nodes.sizes]
    dense = settings.get("sampling") == "all"
    under = [
        Discriminator(2 * HIDDEN, whole.width, (5, 4), own, meet=3, dense=dense)
        for own in shares[1 if levels is None else -levels :]
    ]
    generator = Pooled(whole.width, shares[0]) if pooled else Attending(2 * HIDDEN, (5, 4), shares[0])
    network = Descent(words, encoder, nodes, top or generator, under, whole=whole, beam=beam, **settings)
    torch.manual_seed(3)
    with torch.no_grad():
        for module in (*network.below, network.top):
            for weight in module.parameters():
                weight.normal_(0, 0.7)
    return network.eval()


def chances(network: Descent, batch: Batch) -> list[Tensor]:
    """The chance of every node given its parent, level by level, (documents, nodes)."""
    reading = network._read(batch)
    found = (
        chances(network.top.network, batch)
        if isinstance(network.top, Frozen)
        else [torch.sigmoid(network.top(reading))]
    )
    for below in network.below:
        size = below.attend.queries.num_embeddings
        found.append(torch.sigmoid(below(reading, torch.arange(size).expand(DOCUMENTS, size))))
    return found


def products(tree: Tree, by_level: list[Tensor], power: float = 1.0) -> list[np.ndarray]:
    """The chance of every node's path, from the printed formula; or with the path above to a power."""
    bounds = [*(level.tolist() for level in tree.levels[1:]), [*range(LABELS + 1)]]
    found = [by_level[0].numpy(force=True)]
    for (up, own), chance in zip(pairwise(bounds), by_level[1:], strict=True):
        parent = [next(n for n, (a, b) in enumerate(pairwise(up)) if a <= start < b) for start in own[:-1]]
        found.append(chance.numpy(force=True) * found[-1][:, parent] ** power)
    return found


@pytest.mark.parametrize("pooled", [True, False])
@pytest.mark.parametrize("height", [1, 2])
@pytest.mark.parametrize("power", [1.0, 0.5, 0.0])
def test_scores_are_products_along_the_path(batch: Batch, height: int, pooled: bool, power: float) -> None:
    network = made(tree(height), pooled=pooled, beam=20, sampling="dynamic", power=power)
    labels, scores = network.best(batch, LABELS)
    expected = products(tree(height), chances(network, batch), power)[-1]
    for row, own, right in zip(labels.tolist(), scores.tolist(), expected, strict=True):
        assert sorted(row) == [*range(LABELS)]
        assert own == sorted(own, reverse=True)
        assert all(0 <= score <= 1 for score in own)
        by_label = dict(zip(tree(height).order.tolist(), right.tolist(), strict=True))
        assert own == pytest.approx([by_label[label] for label in row], rel=1e-4)
    label = int(labels[0, 0])
    assert network.score(batch, label)[0].item() == pytest.approx(scores[0, 0].item(), rel=1e-4)
    if power == 1:
        assert torch.stack(network.path(batch, label)).sum(dim=0)[0].exp().item() == pytest.approx(scores[0, 0].item())


def test_a_narrow_beam_sees_what_stands_below_the_best_groups(batch: Batch) -> None:
    network = made(tree(1), sampling="dynamic", beam=2)
    by_level = chances(network, batch)
    labels, _ = network.best(batch, 2)
    order, bounds = tree(1).order, tree(1).levels[1]
    for row, groups, product in zip(labels, by_level[0], products(tree(1), by_level)[1], strict=True):
        places = [p for g in groups.topk(2).indices.tolist() for p in range(bounds[g], bounds[g + 1])]
        best = sorted(places, key=lambda p: -product[p])[:2]
        assert row.tolist() == order[best].tolist()
    assert (network.best(batch, 10)[0] >= 0).all()  # more groups where two do not hold as many


def literal(network: Descent, batch: Batch, tree: Tree) -> Tensor:
    """The loss by loops: true nodes first and then the best groups, what stands below them, and all true labels."""
    bounds = [*(level.tolist() for level in tree.levels[1:]), [*range(LABELS + 1)]]
    by_level = chances(network, batch)
    paths = products(tree, by_level)
    place = {int(label): n for n, label in enumerate(tree.order)}
    total, count = torch.zeros(()), 0

    def worth(first: int, last: int, mine: list[int]) -> float:
        """Of a node: that of the document's label below it that is worth most."""
        own = [] if batch.worth is None else [float(batch.worth[tree.order[p]]) for p in mine if first <= p < last]
        return max(own, default=1.0)

    for document in range(DOCUMENTS):
        mine = [place[label] for d, label in batch.positives.tolist() if d == document]
        true = [{next(n for n, (a, b) in enumerate(pairwise(own)) if a <= p < b) for p in mine} for own in bounds]
        told = [*range(len(bounds[0]) - 1)]
        for level, own in enumerate(bounds):
            if level or not isinstance(network.top, Frozen):
                right = torch.tensor([float(n in true[level]) for n in told])
                weights = torch.tensor([worth(own[n], own[n + 1], mine) for n in told])
                found = by_level[level][document, told]
                total = total + F.binary_cross_entropy(found, right, weights, reduction="sum")
            if level == len(bounds) - 1:
                count += len(told)
                break
            ranked = sorted(told, key=lambda n: (n not in true[level], -paths[level][document, n]))
            inside = [(own[n], own[n + 1]) for n in ranked[: network.beam]]
            lower = bounds[level + 1]
            told = [n for n in range(len(lower) - 1) if any(a <= lower[n] < b for a, b in inside)]
            told = sorted({*told} | true[level + 1])
    return total / count


@pytest.mark.parametrize("height", [1, 2])
def test_dynamic_loss_is_the_formula(batch: Batch, height: int) -> None:
    few = Batch(batch.tokens, batch.positives[batch.positives[:, 0] < 4])  # one without labels, others with up to four
    weighed = Batch(batch.tokens, batch.positives, worth=1 + torch.arange(LABELS) / 4)
    for documents in (batch, few, weighed):
        beam = 4 if documents is few else 6  # at least as many as true groups: which of more are left out is open
        network = made(tree(height), sampling="dynamic", beam=beam)
        assert network.loss(documents).item() == pytest.approx(
            literal(network, documents, tree(height)).item(), rel=1e-4
        )


def test_true_labels_of_more_groups_than_the_beam_all_count(batch: Batch) -> None:
    network = made(tree(1), sampling="dynamic", beam=1)
    network.loss(batch).backward()
    touched = set(network.below[0].attend.queries.weight.grad.coalesce().indices()[0].tolist())
    place = {int(label): n for n, label in enumerate(tree(1).order)}
    assert {place[label] for _, label in batch.positives.tolist()} <= touched


def test_static_learns_below_what_a_frozen_network_picks(batch: Batch) -> None:
    upper = made(tree(1).above(1), sampling="static")
    assert not len(upper.below)
    network = made(tree(1), top=Frozen(upper), levels=1, sampling="static", beam=5)
    before = {name: weight.clone() for name, weight in upper.state_dict().items()}
    network.train()
    assert not upper.training
    loss = network.loss(batch)
    assert loss.item() == pytest.approx(literal(network, batch, tree(1)).item(), rel=1e-4)
    loss.backward()
    assert all(weight.grad is None for weight in upper.parameters())
    assert all(torch.equal(weight, before[name]) for name, weight in upper.state_dict().items())
    labels, scores = network.eval().best(batch, LABELS)
    expected = products(tree(1), chances(network, batch))[-1]
    assert scores[0].tolist() == pytest.approx(sorted(expected[0].tolist(), reverse=True), rel=1e-4)
    assert network.score(batch, int(labels[2, 0]))[2].item() == pytest.approx(scores[2, 0].item(), rel=1e-4)


def test_all_tells_every_node_apart(batch: Batch) -> None:
    network = made(tree(2), sampling="all")
    nodes, total = network.nodes, torch.zeros(())
    for truth, chance in zip(nodes.truths(batch.positives, DOCUMENTS), chances(network, batch), strict=True):
        total = total + F.binary_cross_entropy(chance, truth.dense(), reduction="sum")
    assert network.loss(batch).item() == pytest.approx(total.item() / (DOCUMENTS * LABELS), rel=1e-4)


def test_random_learns_from_true_labels_and_some_others(batch: Batch) -> None:
    network = made(tree(1), sampling="random", beam=1)
    torch.manual_seed(0)
    losses = [network.loss(batch).item() for _ in range(3)]
    assert len({*losses}) == 3
    assert all(np.isfinite(losses))


@pytest.mark.parametrize("pooled", [True, False])
def test_a_deeper_network_begins_with_the_upper_one(batch: Batch, pooled: bool) -> None:
    upper = made(tree(2).above(2), pooled=pooled, sampling="dynamic", beam=9)
    deeper = made(tree(2), pooled=pooled, sampling="dynamic", beam=9)
    fresh = deeper.below[1].attend.queries.weight.clone()
    with torch.no_grad():
        for weight in deeper.parameters():
            weight += 0.1
    deeper.inherit(upper)
    for one, other in zip(chances(upper, batch), chances(deeper, batch), strict=False):
        assert torch.equal(one, other)
    assert torch.equal(deeper.below[1].attend.queries.weight, fresh + 0.1)
    theirs = upper.below[0].attend.scorer.state_dict()
    assert all(torch.equal(w, theirs[n]) for n, w in deeper.below[1].attend.scorer.state_dict().items())
    upper = made(tree(1).above(1), pooled=pooled, sampling="static")
    lower = made(
        tree(1), top=Frozen(made(tree(1).above(1), pooled=pooled, sampling="static")), levels=1, sampling="static"
    )
    lower.inherit(upper)
    assert lower.top.network is upper
    assert torch.equal(lower.encoder.lstm.weight_ih_l0, upper.encoder.lstm.weight_ih_l0)
    assert lower.encoder is not upper.encoder
