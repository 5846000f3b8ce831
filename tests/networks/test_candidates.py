"""Candidates of a label tree against loops over documents and nodes."""

from itertools import pairwise

import numpy as np
import pytest
import torch

from umpteen.labels.tree import Tree
from umpteen.networks.candidates import Beam, Candidates, below, everything, random
from umpteen.networks.nodes import Nodes, Truth

LABELS, DOCUMENTS = 23, 6
LEVELS = ([0, 23], [0, 9, 23], [0, 4, 9, 10, 17, 23])


@pytest.fixture
def tree() -> Tree:
    order = np.random.default_rng(0).permutation(LABELS).astype(np.int32)
    return Tree(order, tuple(map(np.array, LEVELS)))


@pytest.fixture
def positives() -> torch.Tensor:
    draw = np.random.default_rng(1)
    rows = [(d, int(label)) for d in range(DOCUMENTS) for label in draw.choice(LABELS, d, replace=False)]
    return torch.tensor(rows)  # the first document has no labels, the last has five


def spans(level: int) -> list[range]:
    """Places below each node of a level."""
    bounds = [*LEVELS, [*range(LABELS + 1)]][level + 1]
    return [range(a, b) for a, b in pairwise(bounds)]


def true_nodes(tree: Tree, positives: torch.Tensor, level: int) -> list[set[int]]:
    found: list[set[int]] = [set() for _ in range(DOCUMENTS)]
    for document, label in positives.tolist():
        place = tree.order.tolist().index(label)
        found[document] |= {n for n, span in enumerate(spans(level)) if place in span}
    return found


def kept(candidates: Candidates) -> list[list[int]]:
    return [row[there].tolist() for row, there in zip(candidates.nodes, candidates.there, strict=True)]


def test_nodes_know_what_stands_above_and_below(tree: Tree) -> None:
    nodes = Nodes(tree)
    assert nodes.sizes == [2, 5, 23]
    assert (nodes.widest, nodes.narrowest) == ([3, 7], [2, 1])
    places = torch.arange(LABELS)
    assert nodes.labels(nodes.places(places)).tolist() == [*range(LABELS)]
    assert nodes.labels(places).tolist() == tree.order.tolist()
    for level in range(3):
        own = spans(level)
        assert [place in own[node] for place, node in enumerate(nodes.above(places, level))] == [True] * LABELS
    for level in (0, 1):
        children, there = nodes.beneath(torch.arange(nodes.sizes[level])[None], level)
        for node, span in enumerate(spans(level)):
            expected = [n for n, inner in enumerate(spans(level + 1)) if inner[0] in span]
            found = children[0, node][there[0, node]]
            assert found.tolist() == expected
            assert set(nodes.parents(found, level + 1).tolist()) == {node}
    assert nodes.state_dict() == {}


def test_truths_are_the_nodes_of_the_labels(tree: Tree, positives: torch.Tensor) -> None:
    for level, truth in enumerate(Nodes(tree).truths(positives, DOCUMENTS)):
        expected = true_nodes(tree, positives, level)
        assert [set(row.nonzero()[:, 0].tolist()) for row in truth.dense()] == expected
        own, there = truth.padded()
        assert [row[is_].tolist() for row, is_ in zip(own, there, strict=True)] == [sorted(e) for e in expected]
        nodes = torch.arange(truth.size).expand(DOCUMENTS, -1)
        assert torch.equal(truth.holds(nodes), truth.dense() > 0)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_candidates_below_a_beam(tree: Tree, positives: torch.Tensor, most: int) -> None:
    nodes, draw = Nodes(tree), torch.Generator().manual_seed(0)
    truths = nodes.truths(positives, DOCUMENTS)
    logits = torch.randn(DOCUMENTS, 5, generator=draw)
    above = torch.rand(DOCUMENTS, 5, generator=draw).log()
    level = Candidates(torch.arange(5).expand(DOCUMENTS, 5), torch.ones(DOCUMENTS, 5, dtype=torch.bool), above)
    for truth in (None, truths[1]):
        beam = level.best(logits, most, truth)
        found = below(nodes, 2, beam, truths[2] if truth is not None else None)
        mine, labels = true_nodes(tree, positives, 1), true_nodes(tree, positives, 2)
        for document in range(DOCUMENTS):
            chance = {n: float(above[document, n].exp() * torch.sigmoid(logits[document, n])) for n in range(5)}
            forced = mine[document] if truth is not None else set()
            best = sorted(range(5), key=lambda n: (n not in forced, -chance[n]))[:most]
            if forced and len(forced) > most:
                best = beam.nodes[document].tolist()  # of equals any
                assert set(best) <= forced
            expected = [place for n in best for place in spans(1)[n]]
            extra = sorted(labels[document] - set(expected)) if truth is not None else []
            got = kept(found)[document]
            assert sorted(got) == sorted(expected + extra)
            assert len(set(got)) == len(got)
            for place, there, up in zip(
                found.nodes[document], found.there[document], found.above[document], strict=True
            ):
                if there and int(place) in expected:
                    parent = next(n for n in range(5) if int(place) in spans(1)[n])
                    assert float(up.exp()) == pytest.approx(chance[parent], abs=1e-6)


def test_missing_nodes_of_a_beam_have_no_children(tree: Tree) -> None:
    beam = Beam(torch.tensor([[1, 0]]), torch.tensor([[-0.5, -torch.inf]]))
    assert kept(below(Nodes(tree), 2, beam)) == [[*spans(1)[1]]]
    all_of = everything(2, 5, torch.device("cpu"))
    assert kept(all_of) == [[0, 1, 2, 3, 4]] * 2


def test_random_candidates_are_the_true_ones_and_others_once(tree: Tree, positives: torch.Tensor) -> None:
    truth: Truth = Nodes(tree).truths(positives, DOCUMENTS)[2]
    torch.manual_seed(0)
    found = random(40, truth)
    for row, own in zip(kept(found), true_nodes(tree, positives, 2), strict=True):
        assert own <= set(row)
        assert len(set(row)) == len(row) > 15
    assert (torch.cat([random(4, truth).nodes[:, :4] for _ in range(300)]).unique() == torch.arange(LABELS)).all()
