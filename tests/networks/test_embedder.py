"""The embedder against the paper's formulas: where documents lie and should lie, the loss, heads, new labels."""

import numpy as np
import pytest
import torch
from scipy import sparse

from umpteen.networks.embedder import Embedder, Member
from umpteen.text.vocabulary import Tokens
from umpteen.train.batches import Source

RANDOM = np.random.default_rng(0)
X = sparse.random_array((10, 14), density=0.3, format="csr", dtype=np.float32, rng=RANDOM)
Y = (RANDOM.random((10, 5)) < 0.4).astype(np.float32)
Y[:, 0] = 1
LABELS = RANDOM.normal(size=(5, 4)).astype(np.float32)


def batch() -> object:
    tokens = Tokens(X.indices.astype(np.int32) + 2, X.indptr.astype(np.int64), X.data)
    return Source(tokens, sparse.csr_array(Y), torch.device("cpu")).batch(np.arange(10))


def network(*, members: int = 1, relu: bool = True, unit: bool = False, head: float = 0.0) -> Embedder:
    torch.manual_seed(0)
    made = [
        Member(
            np.zeros((16, 8), np.float32),
            Y.mean(axis=0),
            width=4,
            relu=relu,
            normed=False,
            dropouts=(0.0, 0.0, 0.0),
            head=head > 0,
            sparse=False,
        )
        for _ in range(members)
    ]
    found = Embedder(made, 5, unit=unit, head=head)
    found.begin(LABELS)
    return found.eval()


def literal(member: Member, relu: bool) -> np.ndarray:
    """f_x: two layers, ReLU between them, L2 norm."""
    table, last = member.words.table.weight.numpy(force=True)[2:], member.last
    inner = X.toarray() @ table
    outer = (np.maximum(inner, 0) if relu else inner) @ last.weight.numpy(force=True).T + last.bias.numpy(force=True)
    return outer / np.linalg.norm(outer, axis=1, keepdims=True)


@pytest.mark.parametrize("relu", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_loss_is_smooth_l1_summed_over_dimensions(relu: bool, unit: bool) -> None:
    net = network(relu=relu, unit=unit)
    wanted = Y @ LABELS / Y.sum(axis=1, keepdims=True)
    wanted = wanted / np.linalg.norm(wanted, axis=1, keepdims=True) if unit else wanted
    apart = np.abs(literal(net.each()[0], relu) - wanted)
    expected = np.where(apart <= 1, 0.5 * apart**2, apart - 0.5).sum(axis=1).mean()
    assert float(net.loss(batch()).detach()) == pytest.approx(expected, rel=1e-4)


def test_documents_lie_between_where_members_lay_them() -> None:
    net = network(members=3)
    found = net.embedded(batch()).numpy(force=True)
    total = np.sum([literal(member, True) for member in net.each()], axis=0)
    assert np.allclose(found, total / np.linalg.norm(total, axis=1, keepdims=True), atol=1e-5)
    assert np.allclose(network().embedded(batch()).numpy(force=True), literal(network().each()[0], True), atol=1e-5)


def test_heads_are_the_mean_of_the_members_logits() -> None:
    net = network(members=2, head=0.5)
    for member in net.each():  # as if they had learnt
        assert member.outputs is not None
        torch.nn.init.normal_(member.outputs.layer.weight)
    found = net.embedded(batch())
    weights, biases = net.heads()
    logits = found.numpy(force=True) @ weights.T + biases
    own = [member.outputs(member.scale * found).numpy(force=True) for member in net.each() if member.outputs]
    assert len(own) == 2 and not np.allclose(own[0], own[1], atol=1e-3)
    assert np.allclose(logits, np.mean(own, axis=0), atol=1e-4)
    plain = sum(float(member.loss(batch(), net.wanted(batch()), 0.0).detach()) for member in net.each())
    assert float(net.loss(batch()).detach()) > plain
    assert not len(network().heads()[0])


def test_new_labels_point_to_where_their_documents_lie() -> None:
    net = network(members=2, head=0.5)
    before, old = net.heads()
    lengths = [(m.scale * m.outputs.layer.weight.norm(dim=1).mean()).item() for m in net.each() if m.outputs]
    lie = RANDOM.normal(size=(2, 4)).astype(np.float32)
    net.grow(np.array([0, 5]), np.ones((2, 4), np.float32), lie)
    weights, biases = net.heads()
    assert weights.shape == (7, 4) and net.labels == 7 and len(net.label_vectors) == 7
    assert np.allclose(weights[1:6], before) and np.allclose(biases[1:6], old)
    assert np.allclose(biases[[0, 6]], old.mean())
    for row, wanted in ((0, lie[0]), (6, lie[1])):
        assert weights[row] @ wanted / np.linalg.norm(weights[row]) / np.linalg.norm(wanted) == pytest.approx(
            1, abs=1e-5
        )
        assert np.linalg.norm(weights[row]) == pytest.approx(np.mean(lengths), rel=1e-4)
