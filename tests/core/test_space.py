import json

import numpy as np
import pytest

from umpteen.core.errors import DataError, UmpteenWarning
from umpteen.core.space import Label, LabelSpace

LISTS = [["b", "a"], [], ["a", "a", "c"]]
TREE = {
    "a": Label("a", "Apple", ("fruit",)),
    "fruit": Label("fruit", "Fruit", ("food",), {"de": "Obst"}, "What grows."),
    "food": Label("food", "Food", ("fruit",)),  # a ring
    "unused": Label("unused", "Unused"),
}


def test_learning_numbers_labels_in_the_order_they_come() -> None:
    space, Y = LabelSpace.learn(LISTS)
    assert space.keys == ["b", "a", "c"]
    assert space.counts.tolist() == [1, 2, 1]
    assert Y.toarray().tolist() == [[1, 1, 0], [0, 0, 0], [0, 1, 1]]
    assert Y.dtype == np.float32


def test_ids_stay_when_labels_are_added() -> None:
    space, _ = LabelSpace.learn(LISTS)
    grown = space.extended(["c", "z", "y", "z"])
    assert grown.keys == ["b", "a", "c", "z", "y"]
    assert grown.counts.tolist() == [1, 2, 1, 0, 0]
    assert len(space) == 3
    learnt, Y = LabelSpace.learn([["new", "c"]], known=space)
    assert learnt.keys == ["b", "a", "c", "new"]
    assert Y.toarray().tolist() == [[0, 0, 1, 1]]
    assert learnt.counts.tolist() == [0, 0, 1, 1]


def test_unknown_labels_are_left_out_of_the_matrix() -> None:
    space, _ = LabelSpace.learn(LISTS)
    assert space.encode([["c", "nope"], ["nope"]]).toarray().tolist() == [[0, 0, 1], [0, 0, 0]]
    assert "a" in space
    assert "nope" not in space


def test_names_parents_and_paths() -> None:
    space = LabelSpace.learn(LISTS)[0].described(TREE)
    assert [space.name(n) for n in range(3)] == ["b", "Apple", "c"]
    assert space.id("a") == space.id("Apple") == 1
    assert space.parents(1) == ("fruit",)
    assert space.path(1) == ["Food", "Fruit", "Apple"]  # a ring does not hang it
    assert space.path(0) == ["b"]
    assert space.has_parents
    assert space.label("unused") == Label("unused")  # what no label leads to is not kept
    with pytest.raises(DataError, match=r"no label 'bb' among the 3 labels known\. Did you mean 'b'"):
        space.id("bb")


def test_comes_back_from_json() -> None:
    space = LabelSpace.learn(LISTS)[0].described(TREE)
    back = LabelSpace.from_json(json.loads(json.dumps(space.to_json())))
    assert back.to_json() == space.to_json()
    assert back.label("fruit") == TREE["fruit"]
    assert back.counts.tolist() == space.counts.tolist()


def test_counts_must_fit() -> None:
    with pytest.raises(DataError, match="1 labels but 2 label counts"):
        LabelSpace(["a"], counts=np.array([1, 2]))


def test_a_near_match_for_an_unknown_label() -> None:
    space = LabelSpace(["a", "fruit", "g:1"], labels={**TREE, "g:1": Label("g:1", "Übung")})
    for wanted, near in (("APPLES", "Apple"), ("fruits", "Fruit"), ("übungen", "Übung")):
        with pytest.raises(DataError, match=f"Did you mean '{near}'"):
            space.id(wanted)
    with pytest.raises(DataError, match=r"among the 3 labels known\.$"):
        space.id("zzz")


def test_a_name_that_several_labels_have_names_none() -> None:
    labels = {key: Label(key, "horse") for key in ("t1", "t2", "t3", "t4", "t5", "t6")} | {"t7": Label("t7", "dog")}
    space = LabelSpace([*labels], labels=labels)
    assert space.id("dog") == 6 and space.id("t2") == 1
    with pytest.raises(
        DataError, match=r"6 labels are called 'horse': t1, t2, t3, t4, t5, \.\.\.\. Name one by its key"
    ):
        space.id("horse")


def test_a_label_file_of_other_labels_is_told() -> None:
    space = LabelSpace(["t1", "t2"])
    with pytest.warns(UmpteenWarning, match="None of the 2 labels stands in the label file, which has 'a'"):
        assert space.described(TREE).name(0) == "t1"


def test_a_label_is_not_named_by_its_number() -> None:
    with pytest.raises(DataError, match=r"a text, not 1; `labels_\.keys` has the keys"):
        LabelSpace(["a", "b"]).id(1)  # type: ignore[arg-type]
