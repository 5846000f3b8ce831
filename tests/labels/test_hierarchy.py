"""Parents of labels: given, out of names, or of a label tree; and what a label brings along."""

import numpy as np

from umpteen.core.space import Label, LabelSpace
from umpteen.labels.hierarchy import FACETS, FILE, TREE, Hierarchy, hierarchy_of


def never() -> np.ndarray:
    raise AssertionError("vectors are for a tree alone")


def test_a_given_hierarchy_wins() -> None:
    labels = {"a::x": Label("a::x", "ex", ("top", "b")), "b": Label("b", "bee", ("top",)), "top": Label("top", "Top")}
    found = hierarchy_of(LabelSpace(["c", "a::x", "b"], labels=labels), np.array([1, 2]), never)
    assert (found.source, found.names, found.labels, found.nodes) == (FILE, ("Top",), 2, 3)
    assert [found.above(0), found.above(1)] == [[1, 2], [2]]  # of places among the labels known: b is the second


def test_facets_in_names() -> None:
    space = LabelSpace(["role::program", "role::shared-lib", "use::editing", "odd"])
    found = hierarchy_of(space, np.arange(4), never)
    assert (found.source, found.names) == (FACETS, ("role", "use"))
    assert [found.above(n) for n in range(4)] == [[4], [4], [5], []]


def test_a_label_tree_where_there_is_nothing_else() -> None:
    vectors = np.repeat(np.eye(4, dtype=np.float32), 8, axis=0)
    found = hierarchy_of(LabelSpace(str(n) for n in range(32)), np.arange(32), lambda: vectors)
    assert found.source == TREE
    assert found.names == ("", "")
    assert all(len({*map(tuple, (found.above(n) for n in range(8 * g, 8 * g + 8)))}) == 1 for g in range(4))


def test_what_a_label_brings_along() -> None:
    found = Hierarchy(FILE, ("top",), np.array([0, 1, 1, 2]), np.array([3, 0], np.int32))
    assert found.reach().toarray().tolist() == [[1, 0, 0, 1], [0, 1, 0, 0], [1, 0, 1, 0]]
    assert found.reach(orphans=False).toarray().tolist() == [[1, 0, 0, 1], [0, 0, 0, 0], [1, 0, 1, 0]]
