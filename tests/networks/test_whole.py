"""Where documents of each label lie, against the literal means; and networks whose labels begin there."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from scipy import sparse
from torch import Tensor, nn

from umpteen.labels.tree import Tree
from umpteen.networks.descent import Descent
from umpteen.networks.generator import Discriminator, Pooled
from umpteen.networks.nodes import Nodes
from umpteen.networks.recurrent import Recurrent
from umpteen.networks.whole import Whole
from umpteen.networks.words import Words

DOCUMENTS, LABELS, WORDS, BAG = 40, 9, 50, 12
DRAW = np.random.default_rng(0)
TOKENS = torch.from_numpy(DRAW.integers(1, WORDS, (DOCUMENTS, 7)))
Y = sparse.csr_array((DRAW.random((DOCUMENTS, LABELS)) < 0.3).astype(np.float32))
ORDER = np.random.default_rng(3).permutation(LABELS).astype(np.int32)
TREE = Tree(ORDER, (np.array([0, 9]), np.array([0, 4, 6, 9])))


def documents() -> Iterator[Tensor]:
    """Some at a time, not all of one size."""
    return iter(TOKENS.split(15))


@pytest.fixture
def words() -> Words:
    torch.manual_seed(0)
    return Words(DRAW.normal(size=(WORDS, 6)).astype(np.float32), learn=True, dropout=0.5)


@pytest.fixture
def whole(words: Words) -> Whole:
    return Whole(8, words, BAG, dropout=0.5)


def literal(whole: Whole, Y: sparse.csr_array, onto: Tensor | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Directions and the middle, label by label."""
    assert whole.bag is not None
    with torch.no_grad():
        bags = whole.bag.eval()(TOKENS)
    bags = (bags if onto is None else bags @ onto.T).numpy()
    middle = bags.mean(axis=0)
    away = [bags[Y.toarray()[:, label] > 0].mean(axis=0) - middle for label in range(Y.shape[1])]
    return np.array([way / np.linalg.norm(way) for way in away]), middle


def test_directions_are_from_the_middle_to_the_labels_documents(whole: Whole) -> None:
    found = whole.lying(documents(), Y)
    directions, middle = literal(whole, Y)
    assert found.directions.numpy() == pytest.approx(directions, abs=1e-4)
    assert found.middle.numpy() == pytest.approx(middle, abs=1e-5)
    axes = found.axes(4)
    assert (axes @ axes.T).numpy() == pytest.approx(np.eye(4), abs=1e-5)
    seen = np.linalg.norm(directions @ axes.numpy().T, axis=1)
    assert (seen**2).sum() == pytest.approx((np.linalg.svd(directions)[1][:4] ** 2).sum(), rel=1e-3)
    along = whole.lying(documents(), Y, axes)
    directions, middle = literal(whole, Y, axes)
    assert along.directions.numpy() == pytest.approx(directions, abs=1e-4)
    assert along.middle.numpy() == pytest.approx(middle, abs=1e-5)


def test_a_label_of_no_document_or_of_all_begins_with_nothing(whole: Whole) -> None:
    none_and_all = sparse.csr_array(np.repeat(np.array([[0, 1]], np.float32), DOCUMENTS, axis=0))
    found = whole.lying(documents(), none_and_all)
    assert not found.directions.any()
    assert (found.axes(3) @ found.axes(3).T).numpy() == pytest.approx(np.eye(3), abs=1e-5)


def test_a_layer_begins_with_the_documents_nearness_to_those_of_its_label(whole: Whole) -> None:
    layer = nn.Linear(whole.width, LABELS)
    before = layer.weight.detach().clone(), layer.bias.detach().clone()
    whole.lying(documents(), Y).into(layer)
    assert torch.equal(layer.weight[:, :-BAG], before[0][:, :-BAG])
    directions, middle = literal(whole, Y)
    bag = torch.randn(3, BAG)
    rows = torch.cat([torch.zeros(3, whole.width - BAG), bag], dim=1)
    expected = (bag.numpy() - middle) @ directions.T + before[1].numpy()
    assert layer(rows).numpy(force=True) == pytest.approx(expected, abs=1e-4)


def test_nodes_know_whose_documents_are_theirs_and_leave_the_labels_as_they_were() -> None:
    nodes, bounds = Nodes(TREE), Y.indptr.copy()
    for level, groups in ((0, [ORDER[:4], ORDER[4:6], ORDER[6:]]), (1, [[label] for label in ORDER])):
        expected = np.stack([Y.toarray()[:, group].max(axis=1) for group in groups], axis=1)
        assert np.array_equal(nodes.having(Y, level).toarray(), expected)
    assert np.array_equal(Y.indptr, bounds)


@pytest.mark.parametrize("inherits", [False, True])
def test_a_descent_begins_with_what_is_fresh(words: Words, whole: Whole, inherits: bool) -> None:
    nodes, encoder = Nodes(TREE), Recurrent(words.width, 4, length=20, dropout=0.0)
    shares = [np.full(size, 0.3, np.float32) for size in nodes.sizes]
    top, lowest = Pooled(whole.width, shares[0]), Discriminator(8, whole.width, (5,), shares[1], meet=6, dense=False)
    network = Descent(words, encoder, nodes, top, [lowest], whole=whole, beam=2, sampling="dynamic")
    before = top.scorer.last.weight.detach().clone()
    if inherits:
        network.inherit(Descent(words, encoder, nodes, top, [], whole=whole, beam=2, sampling="dynamic"))
    network.lead(documents, Y)
    directions, _ = literal(whole, nodes.having(Y, 0))
    led = top.scorer.last.weight[:, -BAG:].numpy(force=True)
    assert led == pytest.approx(before[:, -BAG:].numpy() if inherits else directions, abs=1e-4)
    own = whole.lying(documents(), nodes.having(Y, 1))
    axes = own.axes(6)
    directions, _ = literal(whole, nodes.having(Y, 1), axes)
    assert lowest.met is not None and lowest.view is not None
    met = lowest.met.weight @ lowest.view(torch.cat([torch.zeros(1, 8), own.middle[None] + axes[:1]], dim=1)).T
    assert met[:, 0].numpy(force=True) == pytest.approx(directions[:, 0], abs=1e-4)


def test_some_documents_of_a_step_have_no_bag(words: Words) -> None:
    torch.manual_seed(0)
    made, tokens = Whole(3, words, BAG, dropout=0.0, skip=0.3), torch.randint(1, WORDS, (1000, 30))
    states = torch.ones(len(tokens), 3)
    without = (made.train()(states, tokens)[:, 3:] == 0).all(dim=1)
    assert 0.25 < without.float().mean() < 0.35
    assert (made(states, tokens)[:, :3] == 1).all()
    assert (made.eval()(states, tokens)[:, 3:] != 0).any(dim=1).all()
