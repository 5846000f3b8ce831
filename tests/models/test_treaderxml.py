"""TReaderXML on the toy corpus: its configurations, who teaches whom, what is kept beside a run, and its reasons."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import umpteen
from toy import NAMES, TOPICS, toy
from umpteen.core.corpus import Corpus, Document
from umpteen.core.run import Run
from umpteen.core.space import Label
from umpteen.explain.html import page
from umpteen.explain.terminal import lines
from umpteen.models import model
from umpteen.text.teacher import Teacher

torch = pytest.importorskip("torch")
TEXTS, LABELS = toy()
TEST, TRUTH = toy(60, seed=1)
SMALL: dict[str, Any] = {"vectors": "none", "width": 32, "bottleneck": 32, "min_df": 1, "batch": 16, "rate": 0.01}
SMALL |= {"least_steps": 100, "epochs": 6, "every": 25, "average_from": 1.0, "precision": "fp32", "jobs": 1}
ABOVE = {name: Label(name, name, ("indoors" if n % 2 else "outdoors",)) for n, name in enumerate(NAMES)}
BOAT = "a boat with a mast and an anchor"


def reader(preset: str | None = None, **settings: Any) -> Any:
    kind = model("treaderxml")
    return kind.preset(preset, **(SMALL | settings)) if preset else kind(**(SMALL | settings))


@pytest.fixture(scope="module")
def fitted() -> Any:
    ids = [Document(text, tuple(own), id=f"t{n}") for n, (text, own) in enumerate(zip(TEXTS, LABELS, strict=True))]
    return reader().fit(Corpus(ids), labels=ABOVE)


@pytest.mark.parametrize("number", range(7))
def test_configurations_of_the_ablation(number: int) -> None:
    found = reader(f"config-{number}", least_steps=60).fit(TEXTS, LABELS)
    way = ["", "", "MMHSA+R", "MHSA+R", "MHSA+R+MMHSA", "MMHSA+MHSA", "MMHSA+R+MHSA"][number]
    assert len(found._network.student.layers) == way.count("HSA")
    assert (found._network.teacher is not None) == (number > 0)
    assert (found._network.votes is not None) == (number > 0)
    assert found.score(TEST, TRUTH) > 0.8


def test_as_printed_nothing_is_added() -> None:
    found = reader("printed").fit(TEXTS, LABELS)
    assert found._network.votes is None and not found.params.bag
    assert found.score(TEST, TRUTH) > 0.6
    paper = model("treaderxml").preset("paper").params
    assert (paper.rate, paper.schedule, paper.vectors, paper.heads, paper.neighbours) == (
        1e-4,
        "constant",
        "glove",
        4,
        5,
    )


@pytest.mark.parametrize(
    "settings",
    [
        {"pooling": "flatten", "length": 13, "bag": 0},
        {"description": 2, "fill": False, "weighing": "alike"},
        {"rare": True, "duplicates": 0.9, "sharpness": 0.0},
        {"tail": 0.5, "votes": False},
    ],
    ids=str,
)
def test_every_way_learns_the_toy(settings: dict[str, Any]) -> None:
    assert reader(**settings).fit(TEXTS, LABELS).score(TEST, TRUTH) > 0.9


def sets(labels: list[list[str]], above: dict[str, Label] | None) -> list[set[str]]:
    """The names of all that each training document is taught."""
    taught: list[set[str]] = []

    class Watched(model("treaderxml")):  # type: ignore[misc]
        def _taught(self, source: Any, lessons: Any) -> Any:
            if source.Y is not None and not taught:
                for row in range(len(lessons)):
                    nodes = lessons.nodes.indices[lessons.nodes.indptr[row] : lessons.nodes.indptr[row + 1]]
                    taught.append({self._called_node(self._knowledge, int(node)) for node in nodes})
            return super()._taught(source, lessons)

    Watched(**(SMALL | {"least_steps": 1, "epochs": 1, "held_out": 0.0})).fit(TEXTS, labels, labels=above)
    return taught


@pytest.mark.parametrize("above", [ABOVE, None], ids=["given", "tree"])
def test_a_documents_own_labels_have_no_part_in_what_it_is_taught(above: dict[str, Label] | None) -> None:
    before = sets(LABELS, above)
    assert any("baking" in own for own in before) and (above is None or any("indoors" in own for own in before))
    for document in (0, 7):
        changed = [*LABELS]
        changed[document] = [name for name in NAMES if name not in LABELS[document]]
        after = sets(changed, above)
        assert after[document] == before[document]
        assert after != before  # others are taught by it


def test_documents_kept_aside_teach_only_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    pools, asked = list[int](), Teacher.nearest

    def nearest(self: Teacher, *given: Any, **how: Any) -> Any:
        pools.append(len(self.index))
        return asked(self, *given, **how)

    monkeypatch.setattr(Teacher, "nearest", nearest)
    found = reader(held_out=0.25, least_steps=10, epochs=1).fit(TEXTS, LABELS)
    found.rank(TEST)
    assert pools == [90, 90, 120]  # with rare words counting as others do, with rare words counting more, and to tag


def test_how_rare_words_count_is_chosen_or_set(tmp_path: Path) -> None:
    random, colours = np.random.default_rng(0), ["red", "blue", "green", "white"] * 40
    texts = [f"{' '.join(random.choice(['one', 'two', 'three', 'four'], 12))} {colour}" for colour in colours]
    labels = [[colour] for colour in colours]
    few = {"least_steps": 5, "epochs": 1, "width": 8, "neighbours": 3}
    found = reader(**few, vectors="none").fit(texts, labels)
    assert found._knowledge.rare  # what all have hides what tells them apart
    assert not reader(**few, rare=False).fit(texts, labels)._knowledge.rare
    found.save(tmp_path / "m")
    assert umpteen.load(tmp_path / "m")._knowledge.rare


@pytest.mark.parametrize(
    ("labels", "known", "source"),
    [
        (LABELS, ABOVE, "the label file"),
        ([[f"topic::{name}" for name in own] for own in LABELS], None, "facets in the labels' names"),
        (LABELS, None, "a label tree"),
    ],
    ids=["given", "facets", "tree"],
)
def test_it_says_which_hierarchy_it_used(labels: Any, known: Any, source: str, tmp_path: Path) -> None:
    found = reader(least_steps=5, epochs=1).fit(TEXTS, labels, labels=known)
    found.save(tmp_path / "m")
    assert umpteen.core.store.Folder(tmp_path / "m").facts["hierarchy"] == source


def test_label_names_are_words_even_where_no_text_has_them(fitted: Any) -> None:
    assert {"indoors", "outdoors"} <= {*fitted._reader.words}
    described = fitted._knowledge.descriptions
    words = ["", "", *fitted._reader.words]
    assert described.shape == (8, fitted.params.description)
    assert {words[row[0]] for row in described} == {*NAMES, "indoors", "outdoors"}
    chess = described[fitted._known.tolist().index(fitted.labels_.id("chess"))]
    assert {words[id] for id in chess[1:] if id} <= {*TOPICS["chess"].split()}


def test_neighbours_parents_and_words_explain_a_label(fitted: Any, tmp_path: Path) -> None:
    found = fitted.explain(BOAT, "sailing")
    assert found.kind == "attention" and found.above == "the label file"
    assert len(found.neighbours) == fitted.params.neighbours
    number = int(found.neighbours[0].document.partition(":")[0].removeprefix("t"))
    assert found.neighbours[0].document == f"t{number}: {TEXTS[number]}"
    assert "sailing" in found.neighbours[0].labels
    have = [near.labels for near in found.neighbours]
    assert {taught.label for taught in found.brought} == {label for own in have for label in own}
    for taught in found.brought:
        assert taught.parents == ABOVE[taught.label].parents
        assert taught.documents == sum(taught.label in own for own in have)
    assert {BOAT[span.start : span.end] for span in found.spans} >= {"boat"}
    leaning = fitted.explain(BOAT, "sailing", by="leaning")
    assert {BOAT[span.start : span.end] for span in leaning.spans if span.weight > 0} >= {"boat", "mast"}
    fitted.save(tmp_path / "m")
    assert umpteen.load(tmp_path / "m").explain(BOAT, "sailing") == found
    shown = "\n".join(line.plain for line in lines(found))
    for text in (shown, page([found], title="a boat")):
        assert "Taught by training documents" in text and "What they brought" in text and "outdoors" not in NAMES
        assert found.neighbours[0].document in text and found.brought[0].parents[0] in text
    assert found.to_json()["brought"][0]["label"] == found.brought[0].label


def test_leaning_on_words_adds_up_to_a_slope(fitted: Any) -> None:
    found = fitted.explain(BOAT, "sailing", by="leaning")
    assert found.kind == "leaning" and found.features and found.brought


def test_teacher_sets_are_kept_beside_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searches, searched = list[int](), Teacher.nearest_others

    def nearest_others(self: Teacher, k: int, **how: Any) -> Any:
        searches.append(k)
        return searched(self, k, **how)

    monkeypatch.setattr(Teacher, "nearest_others", nearest_others)
    few = {"least_steps": 10, "epochs": 1}
    run = Run(tmp_path / "m.run")
    first = reader(**few).fit(TEXTS, LABELS, run=run)
    assert (run.path / "teacher").is_dir() and searches == [first.params.neighbours]

    def again(texts: list[str] = TEXTS, **settings: Any) -> Any:
        for file in (run.path / "checkpoint").glob("*"):
            file.unlink()
        (run.path / "checkpoint").rmdir()
        return reader(**few, **settings).fit(texts, LABELS, run=Run(run.path, resume=True))

    second = again()
    assert len(searches) == 1
    assert np.array_equal(first.rank(TEST).labels, second.rank(TEST).labels)
    again(neighbours=3)
    again([*TEXTS[:-1], "other words"], neighbours=3)
    assert searches == [first.params.neighbours, 3, 3]
    (run.path / "teacher" / "near.npy").write_bytes(b"damaged")
    again([*TEXTS[:-1], "other words"], neighbours=3)
    assert len(searches) == 4
