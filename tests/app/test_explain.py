import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
TEXT = "An apple and a heron"


@pytest.fixture
def plt(umpteen: Command, data: Path, tmp_path: Path) -> Path:
    assert umpteen("train", data, "--out", tmp_path / "p", "--model", "plt").code == 0
    return tmp_path / "p"


@pytest.fixture
def neighbours(umpteen: Command, data: Path, tmp_path: Path) -> Path:
    assert umpteen("train", data, "--out", tmp_path / "n", "--model", "neighbours").code == 0
    return tmp_path / "n"


def test_calibrated_scores_say_so(umpteen: Command, plt: Path, data: Path, tmp_path: Path) -> None:
    assert "calibrated" not in umpteen("explain", plt, "--text", TEXT).out
    assert umpteen("calibrate", plt, data / "test.jsonl").code == 0
    page = tmp_path / "e.html"
    told = umpteen("explain", plt, "--text", TEXT, "--html", page).out
    assert re.search(r"\(calibrated, from [01]\.\d\d\)", umpteen("explain", plt, "--text", TEXT).out), told
    assert "(calibrated, from " in page.read_text()
    found = json.loads(umpteen("explain", plt, "--text", TEXT, "--json").out)
    assert 0 <= (found[0] if isinstance(found, list) else found)["raw"] <= 1


@pytest.fixture
def features(umpteen: Command, tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "t.txt").write_text("4 3 2\n0 0:1 1:1\n1 2:1\n0 0:1\n1 2:2\n")
    assert umpteen("train", tmp_path / "t.txt", "--out", tmp_path / "f", "--model", "plt").code == 0
    return tmp_path / "f", tmp_path / "t.txt"


def test_the_best_label_on_a_terminal(umpteen: Command, plt: Path) -> None:
    done = umpteen("explain", plt, "--text", "apple pear", "--label", "fruit")
    assert done.code == 0
    assert "Fruit to eat  (fruit)" in done.out.splitlines()[0]
    assert "\x1b" not in done.out
    assert any("+" in line and line.endswith("apple") for line in done.out.splitlines())
    best = umpteen("explain", plt, "--text", TEXT, "-k", 2).out
    assert len([line for line in best.splitlines() if line.endswith(")")]) == 2


def test_json_has_a_line_for_each_label(umpteen: Command, plt: Path) -> None:
    lines = umpteen("explain", plt, "-t", TEXT, "--json", "-l", "Birds", "-l", "fruit").out.splitlines()
    bird, fruit = map(json.loads, lines)
    assert (bird["label"], fruit["name"]) == ("bird", "Fruit to eat")
    assert {bird["text"][s["start"] : s["end"]] for s in bird["spans"] if s["weight"] > 0} == {"heron"}


def test_a_page_is_written_and_named(umpteen: Command, plt: Path, tmp_path: Path) -> None:
    page = tmp_path / "why.html"
    done = umpteen("explain", plt, "-t", f"{TEXT} <script>", "--html", page, "-k", 2)
    assert done.out == f"The page is {page}.\n"
    source = page.read_text(encoding="utf-8")
    assert source.count("<section") == 2 and "<script" not in source
    assert "Labels of “An apple and a heron &lt;script&gt;”" in source
    done = umpteen("explain", plt, "-t", TEXT, "--html", page, "--json")
    assert json.loads(done.out)["text"] == TEXT
    assert f"The page is {page}." in done.err
    assert [file.name for file in tmp_path.iterdir() if "why" in file.name] == ["why.html"]


def test_the_first_document_of_a_file(umpteen: Command, plt: Path, data: Path, monkeypatch: Any) -> None:
    assert json.loads(umpteen("explain", plt, data / "test.jsonl", "--json").out)["text"].startswith("apple")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a heron")))
    assert json.loads(umpteen("explain", plt, "-", "--json").out)["text"] == "a heron"


def test_features(umpteen: Command, features: tuple[Path, Path]) -> None:
    done = umpteen("explain", *features)
    assert done.code == 0
    assert "feature 0" in done.out and "All features for" in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--text", "a", "-k", "0"], 1, "at least 1, not 0"),
        (["--text", "a", "--label", "frut"], 1, "no label 'frut' among the 4 labels known. Did you mean 'fruit'?"),
        (["--text", "a", "--label", "metalls"], 1, "Did you mean 'Metals'?"),
        (["--text", "a", "--label", "xyz"], 1, "no label 'xyz' among the 4 labels known."),
        (["--text", "a", "--html", "nowhere/x.html"], 1, "There is no folder nowhere to write x.html into."),
        ([], 2, "Name a FILE, - for what is piped in, or --text."),
    ],
)
def test_mistakes(umpteen: Command, plt: Path, arguments: list[str], code: int, sentence: str) -> None:
    done = umpteen("explain", plt, *arguments)
    assert (done.code, done.out) == (code, "")
    assert sentence in done.err


def test_neighbours_that_voted(umpteen: Command, neighbours: Path, tmp_path: Path) -> None:
    shown = umpteen("explain", neighbours, "-t", "apple", "-l", "fruit").out
    assert "that vote have the label\n" in shown
    assert re.search(r"^  0\.\d\d fruit\d: apple pear plum cherry ", shown, re.MULTILINE)
    found = json.loads(umpteen("explain", neighbours, "-t", "apple", "-l", "fruit", "--json").out)
    assert {"Fruit to eat", "Things"} == set(found["neighbours"][0]["labels"])
    assert umpteen("explain", neighbours, "-t", "apple", "--html", tmp_path / "page.html").code == 0
    assert "Nearest training documents" in (tmp_path / "page.html").read_text()


def test_what_cannot_be_explained(umpteen: Command, data: Path, plt: Path, tmp_path: Path) -> None:
    assert umpteen("train", data, "--out", tmp_path / "p", "--model", "popular").code == 0
    assert (
        umpteen("explain", tmp_path / "p", "-t", "apple").err == "umpteen: PopularLabels cannot explain its labels.\n"
    )
    (tmp_path / "empty.jsonl").write_text("\n")
    done = umpteen("explain", plt, tmp_path / "empty.jsonl", "--format", "jsonl")
    assert "There is no document in " in done.err


def test_the_tree_with_names(umpteen: Command, plt: Path, tmp_path: Path) -> None:
    lines = umpteen("tree", plt).out.splitlines()
    assert lines[0] == "4 labels, given 36 times in training"
    assert [line.split() for line in lines[1:]] == [
        ["18", "Things"], ["6", "Fruit", "to", "eat"], ["6", "Metals"], ["6", "Birds"]
    ]  # fmt: skip
    found = json.loads(umpteen("tree", plt, "--json").out)
    assert found["labels"][0] == {"id": "thing", "name": "Things", "count": 18}
    for name in ("tree.json", "tree.txt"):
        assert f"The tree of 4 labels is in {tmp_path / name}." in umpteen("tree", plt, "--out", tmp_path / name).out
    assert json.loads((tmp_path / "tree.json").read_text()) == found
    assert (tmp_path / "tree.txt").read_text().splitlines() == lines


def test_groups_of_the_tree(umpteen: Command, data: Path, tmp_path: Path) -> None:
    settings = ("--set", "leaf=2", "--set", "branch=2", "--set", "trees=2", "--set", "flat=false")
    assert umpteen("train", data, "--out", tmp_path / "p", "--model", "plt", *settings).code == 0
    shown = umpteen("tree", tmp_path / "p", "--tree", 2, "--depth", 1).out.splitlines()
    assert len(shown) == 3 and all(line.endswith("times") for line in shown[1:])
    done = umpteen("tree", tmp_path / "p", "--tree", 3)
    assert (done.code, done.err) == (1, "umpteen: There is no tree 3: this model has trees 1 to 2.\n")
    assert "at least 1, not 0" in umpteen("tree", tmp_path / "p", "--depth", 0).err


def test_long_lists_are_shortened_on_a_terminal(umpteen: Command, tmp_path: Path, monkeypatch: Any) -> None:
    rows = [{"text": f"word{n} word", "labels": [f"l{n}"]} for n in range(12)] * 2
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    umpteen("train", tmp_path / "t.jsonl", "--out", tmp_path / "p", "--model", "plt")
    assert len(umpteen("tree", tmp_path / "p").out.splitlines()) == 13
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert umpteen("tree", tmp_path / "p").out.splitlines()[-1] == "  … 4 more labels"
    assert len(umpteen("tree", tmp_path / "p", "--all").out.splitlines()) == 13


def test_models_without_a_tree(umpteen: Command, neighbours: Path) -> None:
    done = umpteen("tree", neighbours)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("umpteen: neighbours has no label tree: ")
