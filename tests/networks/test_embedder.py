"""The embedder against the paper's formulas: where documents lie and should lie, the loss, heads, new labels."""

import numpy as np
import pytest
import torch
from scipy import sparse

from umpteen.networks.embedder import Embedder, Member
from umpteen.networks.words import Strung
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


def test_members_stand_behind_each_other() -> None:
    net = network(members=3)
    found = net.embedded(batch()).numpy(force=True)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert np.allclose(found * 3**0.5, np.hstack([literal(m, True) for m in net.each()]), atol=1e-5)
    assert not np.allclose(found[:, :4], found[:, 4:8])


def test_heads_are_the_members_logits() -> None:
    net = network(members=2, head=0.5)
    found, strung = net.embedded(batch()), Strung.of(batch().tokens)
    weights, biases = net.heads()
    for number, member in enumerate(net.each()):
        part = slice(4 * number, 4 * number + 4)
        logits = found.numpy(force=True)[:, part] @ weights[:, part].T + biases[:, number]
        assert member.outputs is not None
        literal = member.outputs(member.scale * member(batch(), strung))
        assert np.allclose(logits, literal.numpy(force=True), atol=1e-4)
    plain = sum(float(member.loss(batch(), strung, net.wanted(batch()), 0.0).detach()) for member in net.each())
    assert float(net.loss(batch()).detach()) > plain
    assert not len(network().heads()[0])


def test_new_labels_point_to_where_their_documents_lie() -> None:
    net = network(members=2, head=0.5)
    before, old = net.heads()
    lie = RANDOM.normal(size=(2, 8)).astype(np.float32)
    net.grow(np.array([0, 5]), np.ones((2, 4), np.float32), lie)
    weights, biases = net.heads()
    assert weights.shape == (7, 8) and net.labels == 7 and len(net.label_vectors) == 7
    assert np.array_equal(weights[1:6], before) and np.array_equal(biases[1:6], old)
    assert np.allclose(biases[[0, 6]], old.mean(axis=0))
    for row, wanted in ((0, lie[0]), (6, lie[1])):
        for part in (slice(0, 4), slice(4, 8)):
            cosine = (
                weights[row, part] @ wanted[part] / np.linalg.norm(weights[row, part]) / np.linalg.norm(wanted[part])
            )
            assert cosine == pytest.approx(1, abs=1e-5)
            assert np.linalg.norm(weights[row, part]) == pytest.approx(
                np.linalg.norm(before[:, part], axis=1).mean(), rel=1e-4
            )
