"""Heads taught again: they learn the new documents' labels, keep the older ones, and what was kept comes back."""

import numpy as np
import torch
from scipy import sparse

from umpteen.networks.embedder import Embedder, Member
from umpteen.train.heads import teach_heads

WIDTH, LABELS, NEW = 6, 3, 30


def network() -> Embedder:
    torch.manual_seed(0)
    how = {"width": WIDTH, "relu": True, "normed": False, "dropouts": (0.0, 0.0, 0.0), "head": True, "sparse": False}
    made = [Member(np.zeros((8, 4), np.float32), np.full(LABELS, 0.3, np.float32), **how) for _ in range(2)]
    found = Embedder(made, LABELS, unit=True, head=1.0)
    found.begin(np.eye(LABELS, WIDTH, dtype=np.float32))
    return found


def documents() -> tuple[np.ndarray, sparse.csr_array]:
    """Each label lies in a direction of its own; the last label's documents all came last."""
    labels = np.concatenate([np.arange(60) % 2, np.full(NEW, 2)])
    lie = np.eye(LABELS, WIDTH, k=3, dtype=np.float32)[labels]
    return np.hstack([lie, lie]) / 2**0.5, sparse.csr_array(np.eye(LABELS, dtype=np.float32)[labels])


def loss(found: Embedder, rows: slice) -> float:
    vectors, Y = documents()
    pairs = torch.from_numpy(np.stack(Y[rows].nonzero(), axis=1).astype(np.int64))
    return found.head_loss(torch.from_numpy(vectors[rows]), pairs).item()


def test_new_labels_are_learnt_and_older_ones_not_forgotten() -> None:
    found, (vectors, Y) = network(), documents()
    before = loss(found, slice(0, 60)), loss(found, slice(60, None))
    teach_heads(found, vectors, Y, new=NEW, epochs=200, seed=0)
    assert loss(found, slice(60, None)) < before[1] * 0.8
    assert loss(found, slice(0, 60)) < before[0]


def test_only_heads_change_and_what_was_kept_comes_back() -> None:
    found, (vectors, Y) = network(), documents()
    before = {name: value.clone() for name, value in found.state_dict().items()}
    kept = found.kept()
    teach_heads(found, vectors, Y, new=NEW, epochs=2, seed=0)
    changed = {name for name, value in found.state_dict().items() if not torch.equal(value, before[name])}
    assert changed and all(".outputs." in name for name in changed)
    found.restore(kept)
    assert all(torch.equal(value, before[name]) for name, value in found.state_dict().items())


def test_no_lessons_change_nothing() -> None:
    found, (vectors, Y) = network(), documents()
    before = loss(found, slice(None))
    teach_heads(found, vectors, Y, new=NEW, epochs=0, seed=0)
    assert loss(found, slice(None)) == before
