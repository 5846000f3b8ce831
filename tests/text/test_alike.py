"""Documents with like features: votes against the literal formula, more documents, folders and damaged ones."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from umpteen.core.errors import DataError
from umpteen.core.store import Folder, new_folder
from umpteen.text.alike import Alike, Ballot, scaled, without

RANDOM = np.random.default_rng(0)


def rows(count: int) -> sparse.csr_array:
    return scaled(sparse.random_array((count, 30), density=0.2, format="csr", dtype=np.float32, rng=RANDOM), ONES).csr()


ONES = np.ones(30, np.float32)
X, QUERIES = rows(40), rows(7)
Y = sparse.csr_array((RANDOM.random((40, 9)) < 0.3).astype(np.float32))


def literal(ballot: Ballot) -> np.ndarray:
    """Shares of the votes of the nearest, where features count by rarity."""
    weights = (np.log(41 / (1 + (X.toarray() > 0).sum(axis=0))) + 1) ** ballot.rare
    known, asked = (part.toarray() * weights for part in (X, QUERIES))
    known, asked = (part / np.linalg.norm(part, axis=1, keepdims=True) for part in (known, asked))
    cosines = asked @ known.T
    shares = []
    for row in cosines:
        near = np.argsort(-row)[: ballot.neighbours]
        votes = np.maximum(row[near], 0) ** ballot.power * (row[near] > 0)
        shares.append(votes @ Y.toarray()[near] / votes.sum())
    return np.array(shares)


@pytest.mark.parametrize("ballot", [Ballot(5, 1.0), Ballot(12, 4.0, 0.5), Ballot(3, 2.0, 1.5)])
def test_votes_are_those_of_the_formula(ballot: Ballot) -> None:
    found = Alike.of(X, Y, rare=ballot.rare).rank(QUERIES, 9, ballot, jobs=1)
    np.testing.assert_allclose(found.csr(9).toarray(), literal(ballot), atol=1e-5)


def test_a_document_is_left_out_and_others_move_up() -> None:
    alike, own = Alike.of(X, Y), np.arange(10)
    found, cosines = alike.nearest(X[own], 6)
    assert (found[:, 0] == own).all()
    others, near = without((found, cosines), own)
    np.testing.assert_array_equal(others[:, :5], found[:, 1:])
    np.testing.assert_array_equal(near[:, :5], cosines[:, 1:])
    assert (others[:, 5] == -1).all() and not near[:, 5].any()


def test_more_documents_stand_behind_the_others_and_rarity_stays() -> None:
    whole = Alike.of(X, Y, rare=0.5)
    parts = Alike.of(X, Y, rare=0.5).with_more(QUERIES, Y[:7])
    assert len(parts) == 47
    assert (parts.nearest(QUERIES, 1)[0][:, 0] >= 40).all()
    before, after = whole.nearest(QUERIES, 3), without(parts.nearest(QUERIES, 10), np.arange(40, 47))
    for query in range(7):
        older = [number for number in after[0][query].tolist() if 0 <= number < 40][:2]
        assert older == before[0][query, : len(older)].tolist()


def test_it_comes_back_from_a_folder_and_damage_is_told(tmp_path: Path) -> None:
    for name, rare in (("plain", 0.0), ("rare", 0.5)):
        alike = Alike.of(X, Y, rare=rare)
        with new_folder(tmp_path / name) as new:
            alike.save(new)
        loaded = Alike.load(Folder(tmp_path / name), features=30, labels=9)
        for mine, theirs in zip(alike.nearest(QUERIES, 5), loaded.nearest(QUERIES, 5), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    for wrong in ({"features": 29, "labels": 9}, {"features": 30, "labels": 8}):
        with pytest.raises(DataError):
            Alike.load(Folder(tmp_path / "plain"), **wrong)
    with new_folder(tmp_path / "short") as new:
        alike.save(new)
        new.array("index_scale", np.ones(3, np.float32))
    with pytest.raises(DataError, match="not whole"):
        Alike.load(Folder(tmp_path / "short"), features=30, labels=9)


@pytest.mark.parametrize(
    "told", [{}, {"neighbours": 2.5, "power": 1}, {"neighbours": 0, "power": 1}, {"neighbours": 5, "power": -1}]
)
def test_rules_out_of_a_folder_are_checked(told: dict[str, float]) -> None:
    with pytest.raises(DataError):
        Ballot.checked(told)


def test_older_folders_know_no_rarity() -> None:
    assert Ballot.checked({"neighbours": 5, "power": 2.0}) == Ballot(5, 2.0, 0.0)
