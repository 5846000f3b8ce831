import numpy as np

from umpteen.core.space import Label, LabelSpace
from umpteen.explain.outline import nested, outline, text
from umpteen.labels.tree import Tree

SPACE = LabelSpace(
    ["a", "b", "c", "d", "e"],
    labels={"d": Label("d", "Dandelion\x1b")},
    counts=np.array([5, 1, 1200, 7, 2]),
)
# a level that leaves the first group whole, then one that splits it
TREE = Tree(
    np.array([0, 4, 1, 3, 2], np.int32),
    (np.array([0, 5]), np.array([0, 3, 5]), np.array([0, 3, 4, 5])),
)


def test_groups_then_labels() -> None:
    assert [*text(outline(TREE, SPACE), SPACE)] == [
        "5 labels, given 1,215 times in training",
        "  a, e, b: 3 labels, 8 times",
        "    5 a",
        "    2 e",
        "    1 b",
        "  c, Dandelion: 2 labels, 1,207 times",
        "    Dandelion: 1 label, 7 times",
        "      7 Dandelion",
        "    c: 1 label, 1,200 times",
        "      1,200 c",
    ]


def test_depth_and_short_lists() -> None:
    assert [*text(outline(TREE, SPACE, depth=1), SPACE)][1:] == [
        "  a, e, b: 3 labels, 8 times",
        "  c, Dandelion: 2 labels, 1,207 times",
    ]
    assert [*text(outline(TREE, SPACE), SPACE, most=1)][1:] == [
        "  a, e, b: 3 labels, 8 times",
        "    5 a",
        "    … 2 more labels",
        "  … 1 more groups",
    ]


def test_json_has_every_label_once() -> None:
    made = nested(outline(TREE, SPACE), SPACE)
    assert (made["size"], made["count"]) == (5, 1215)
    first, second = made["children"]
    assert first["labels"][0] == {"id": "a", "name": "a", "count": 5}
    assert "children" not in first
    assert [child["size"] for child in second["children"]] == [1, 1]
    assert nested(outline(TREE, SPACE, depth=1), SPACE)["children"][0] == {"name": "a, e, b", "size": 3, "count": 8}


def test_labels_of_one_name_are_told_apart() -> None:
    space = LabelSpace(["k1", "k2"], labels={"k1": Label("k1", "Same"), "k2": Label("k2", "Same")})
    tree = Tree(np.arange(2, dtype=np.int32), (np.array([0, 2]),))
    assert [*text(outline(tree, space), space)][1:] == ["  0 Same  (k1)", "  0 Same  (k2)"]


def test_a_tree_without_groups() -> None:
    flat = Tree(np.arange(5, dtype=np.int32), (np.array([0, 5]),))
    assert outline(flat, SPACE).labels == (2, 3, 0, 4, 1)


def test_groups_of_each_level_are_counted() -> None:
    first = next(text(outline(TREE, SPACE), SPACE, levels=[2, 3]))
    assert first == "5 labels, in 2 > 3 groups, given 1,215 times in training"
