"""Who teaches a document what, against plain loops; a training document never teaches itself."""

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("faiss")

from umpteen.text.descriptions import described
from umpteen.text.teacher import Near, Teacher, unit_rows

RANDOM = np.random.default_rng(0)
PLACES = unit_rows(RANDOM.normal(size=(30, 6)))
Y = sparse.csr_array((RANDOM.random((30, 5)) < 0.3).astype(np.float32))
REACH = np.eye(5, 7, dtype=np.float32)  # labels, and two nodes above some of them
REACH[[0, 1], 5] = REACH[2, 6] = 1
REACH = sparse.csr_array(REACH)


def test_nearest_others_are_those_of_a_plain_search() -> None:
    near = Teacher.of(PLACES, Y, REACH).nearest_others(4)
    cosines = PLACES @ PLACES.T
    np.fill_diagonal(cosines, -2)
    assert (near.documents == np.argsort(-cosines, axis=1)[:, :4]).all()
    assert np.allclose(near.cosines, -np.sort(-cosines, axis=1)[:, :4], atol=1e-5)


def test_a_document_and_its_doubles_are_told_apart() -> None:
    doubled = np.concatenate([PLACES, PLACES])
    both = Teacher.of(doubled, sparse.vstack([Y, Y], format="csr"), REACH)
    near = both.nearest_others(3)
    assert not (near.documents == np.arange(60)[:, None]).any()
    assert (near.documents[:, 0] == (np.arange(60) + 30) % 60).all()
    without = both.nearest_others(3, duplicates=0.999)
    assert (without.cosines < 0.9999).all()
    assert (without.documents % 30 != np.arange(60)[:, None] % 30).all()


def test_lessons_are_shares_of_votes_and_their_parents() -> None:
    teacher = Teacher.of(PLACES, Y, REACH)
    near = teacher.nearest(unit_rows(RANDOM.normal(size=(8, 6))), 3)
    lessons = teacher.lessons(near, 5.0)
    for row in range(8):
        weights = np.exp(5 * near.cosines[row])
        wanted = (weights / weights.sum()) @ Y.toarray()[near.documents[row]]
        assert np.allclose(lessons.labels.toarray()[row], wanted, atol=1e-6)
        assert np.allclose(lessons.nodes.toarray()[row], np.minimum(wanted @ REACH.toarray(), 1), atol=1e-6)


def test_what_has_no_known_word_is_near_to_nothing() -> None:
    blank = np.concatenate([PLACES[:4], np.zeros((2, 6), np.float32)])
    teacher = Teacher.of(blank, Y[:6], REACH)
    assert (teacher.nearest_others(5).documents[4:] == -1).all()
    assert (teacher.nearest_others(5).documents[:4] < 4).all()
    assert (teacher.nearest(np.zeros((1, 6), np.float32), 3).documents == -1).all()


def test_votes_of_opposite_documents_are_not_lost() -> None:
    near = Near(np.array([[3, 5, -1]], np.int32), np.array([[-0.5, -0.9, 0.0]], np.float32))
    assert near.votes(1000.0).tolist() == [[1, 0, 0]]


def test_fewer_documents_than_neighbours() -> None:
    teacher = Teacher.of(PLACES[:2], Y[:2], REACH)
    near = teacher.nearest_others(4)
    assert near.documents.tolist() == [[1, -1, -1, -1], [0, -1, -1, -1]]
    alone = Teacher.of(PLACES[:1], Y[:1], REACH).nearest_others(2)
    assert alone.documents.tolist() == [[-1, -1]]
    assert alone.votes(10).tolist() == [[0, 0]]
    assert teacher.lessons(Near(np.full((1, 2), -1, np.int32), np.zeros((1, 2), np.float32)), 1.0).nodes.nnz == 0


def test_descriptions_are_filled_up() -> None:
    own, spare = [np.array([5, 1, 5, 7]), np.array([1])], [np.array([7, 9, 8]), np.array([], int)]
    assert described(own, spare, 3).tolist() == [[5, 7, 9], [0, 0, 0]]
