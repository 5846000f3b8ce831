"""Label trees: shape, likeness, determinism, growth."""

from itertools import pairwise

import numpy as np
from scipy import sparse

from umpteen.labels.tree import Tree, balanced, profiles, unbalanced


def themes(count: int = 240, themes: int = 8, seed: int = 0):
    """Label vectors around a few directions, and which direction each belongs to."""
    random = np.random.default_rng(seed)
    of = random.integers(themes, size=count)
    V = np.zeros((count, 10 * themes), np.float32)
    for label, theme in enumerate(of):
        V[label, theme * 10 + random.choice(10, 4, replace=False)] = 1
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    return sparse.csr_array(V), of


def is_nested(tree: Tree, labels: int) -> bool:
    inside = all(set(up) <= set(down) for up, down in zip(tree.levels, tree.levels[1:], strict=False))
    return inside and sorted(tree.order) == list(range(labels)) and all(level[-1] == labels for level in tree.levels)


def test_profiles_are_normalised_sums_of_documents() -> None:
    random = np.random.default_rng(0)
    X = sparse.random_array((50, 30), density=0.3, rng=random, dtype=np.float32, format="csr")
    T = sparse.csr_array((sparse.random_array((12, 50), density=0.2, rng=random, format="csr") != 0).astype(np.float32))
    expected = (T @ X).toarray()
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(profiles(X, T).toarray(), expected, atol=1e-6)
    above = (T @ X).toarray() - T.sum(axis=1)[:, None] * X.toarray().mean(axis=0)
    cut = np.where(above >= np.sort(above, axis=1)[:, -3:-2], expected, 0)  # the three that stand out most
    cut /= np.linalg.norm(cut, axis=1, keepdims=True)
    np.testing.assert_allclose(profiles(X, T, most=3).toarray(), cut, atol=1e-6)


def test_a_balanced_tree_has_equal_groups_of_like_labels() -> None:
    V, of = themes()
    tree = balanced(V, branch=4, leaf=30)
    assert is_nested(tree, 240)
    assert [len(level) - 1 for level in tree.levels] == [1, 2, 8]
    assert all(np.ptp(np.diff(level)) <= 1 for level in tree.levels)
    halves = [
        np.bincount(of[tree.order[s:e]], minlength=8) for s, e in zip(tree.levels[1], tree.levels[1][1:], strict=False)
    ]
    purity = np.maximum(*halves).sum() / 240
    assert purity > 0.85


def compressed(tree: Tree, c: int, height: int) -> list[list[tuple[int, int]]]:
    """Algorithm 1 of LightAttention on a tree of halvings, node by node: who is left below the root, level by level."""
    levels = [[*pairwise(level.tolist())] for level in tree.levels]
    parent = {(n, node): next(up for up in levels[n - 1] if up[0] <= node[0] and node[1] <= up[1])
              for n in range(1, len(levels)) for node in levels[n]}  # fmt: skip
    kept = [{(len(levels) - 1, node) for node in levels[-1]}]
    for level in range(1, height + 1):
        above = set()
        for n, node in kept[-1]:
            for _ in range(c if level < height else n):
                if n:
                    n, node = n - 1, parent[n, node]
            above.add((n, node))
        kept.append(above)
    return [sorted(node for _, node in nodes) for nodes in kept[::-1] if {n for n, _ in nodes} != {0}]


def test_a_shallow_tree_is_the_compressed_one() -> None:
    V, _ = themes(400)
    deep = balanced(V, branch=2, leaf=5)
    assert len(deep.levels) == 8
    for c, height in ((1, 2), (2, 1), (2, 3), (3, 2), (3, 3), (4, 4)):
        tree = balanced(V, branch=2**c, leaf=5, height=height)
        np.testing.assert_array_equal(tree.order, deep.order)
        assert [[*pairwise(level.tolist())] for level in tree.levels[1:]] == compressed(deep, c, height)
        assert tree.levels[0].tolist() == [0, 400]


def test_the_upper_part_of_a_tree_has_groups_for_labels() -> None:
    levels = (np.array([0, 6]), np.array([0, 2, 6]), np.array([0, 1, 2, 5, 6]))
    tree = Tree(np.array([4, 2, 0, 5, 3, 1], np.int32), levels)
    upper = tree.above(2)
    assert upper.order.tolist() == [0, 1, 2, 3]
    assert [level.tolist() for level in upper.levels] == [[0, 4], [0, 2, 4]]
    assert tree.groups(2).tolist() == [2, 3, 1, 2, 0, 2]
    assert tree.groups(1).tolist() == [1, 1, 0, 1, 0, 1]


def test_an_unbalanced_tree_finds_the_themes() -> None:
    V, of = themes()
    tree = unbalanced(V, branch=16, leaf=30, depth=2)
    assert is_nested(tree, 240)
    groups = [of[tree.order[s:e]] for s, e in zip(tree.levels[-1], tree.levels[-1][1:], strict=False)]
    assert sum(np.bincount(g).max() for g in groups) / 240 > 0.85


def test_unbalanced_groups_are_those_of_plain_k_means() -> None:
    V, _ = themes()
    own, count = V.toarray(), 20
    centres = own[np.random.default_rng((7, 0, 240)).choice(240, count, replace=False)]
    before = -np.inf
    while (likeness := own @ centres.T).max(axis=1).mean() - before >= 1e-4:
        before, nearest = likeness.max(axis=1).mean(), likeness.argmax(axis=1)
        sums = np.stack([own[nearest == part].sum(axis=0) for part in range(count)])
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    nearest = likeness.argmax(axis=1)
    tree = unbalanced(V, branch=count, leaf=30, depth=1, seed=7)
    expected = [np.flatnonzero(nearest == part).tolist() for part in range(count)]
    groups = [tree.order[s:e].tolist() for s, e in zip(tree.levels[1], tree.levels[1][1:], strict=False)]
    assert groups == [group for group in expected if group]


def test_trees_are_the_same_on_any_number_of_threads() -> None:
    V, _ = themes(400)
    one, two = balanced(V, branch=2, leaf=10, jobs=1), balanced(V, branch=2, leaf=10, jobs=3)
    np.testing.assert_array_equal(one.order, two.order)
    one, two = (unbalanced(V, branch=40, leaf=5, depth=3, jobs=jobs) for jobs in (1, 3))
    np.testing.assert_array_equal(one.order, two.order)
    assert all(np.array_equal(*pair) for pair in zip(one.levels, two.levels, strict=True))


def test_few_labels_make_a_tree_without_groups() -> None:
    V, _ = themes(5)
    assert [level.tolist() for level in balanced(V, branch=16, leaf=100).levels] == [[0, 5]]


def test_new_labels_stand_behind_their_neighbours() -> None:
    tree = Tree(np.array([4, 2, 0, 3, 1], np.int32), (np.array([0, 5]), np.array([0, 2, 5])))
    grown, places = tree.grown(np.array([5, 6, 7], np.int32), np.array([1, 4, 1]))
    assert grown.order.tolist() == [4, 2, 5, 7, 0, 3, 1, 6]
    assert [level.tolist() for level in grown.levels] == [[0, 8], [0, 4, 8]]
    assert grown.order[places].tolist() == tree.order.tolist()
