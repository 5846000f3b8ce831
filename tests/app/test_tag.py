import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    def put(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    return put


def test_a_text(umpteen: Command, model: Path) -> None:
    done = umpteen("tag", model, "--text", "an apple and a pear", "-k", 2)
    assert done.code == 0
    first, second, *_ = done.out.splitlines()
    assert first.endswith("Things > Fruit to eat  (fruit)")
    assert second.endswith("Things  (thing)")
    assert first.startswith("  1.00 ██████████ ")


def test_a_corpus_as_json_lines(umpteen: Command, model: Path, data: Path) -> None:
    lines = umpteen("tag", model, data / "test.jsonl", "--json", "-k", 2).out.splitlines()
    assert len(lines) == 6
    first = json.loads(lines[0])
    assert first["id"] == "fruit0"
    assert {label["id"]: label["name"] for label in first["labels"]} == {"thing": "Things", "fruit": "Fruit to eat"}
    assert all(0 <= label["score"] <= 1 for label in first["labels"])


def test_a_corpus_as_tsv(umpteen: Command, model: Path, data: Path) -> None:
    rows = [line.split("\t") for line in umpteen("tag", model, data, "--tsv", "-k", 2).out.splitlines()]
    assert len(rows) == 12
    assert rows[0] == ["fruit0", "1", "fruit", "Fruit to eat", "1.0000"]


def test_a_threshold_alone_is_all_that_decides(umpteen: Command, tmp_path: Path) -> None:
    rows = [{"text": f"word{n} and all", "labels": [f"l{n}"]} for n in range(12)]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert umpteen("train", tmp_path / "t.jsonl", "--model", "popular", "--out", tmp_path / "p").code == 0
    found = json.loads(umpteen("tag", tmp_path / "p", "--text", "all", "--threshold", 0.01, "--json").out)["labels"]
    assert len(found) == 12


def test_threshold_leaves_labels_out(umpteen: Command, model: Path) -> None:
    def labels(threshold: float) -> list[dict[str, Any]]:
        found = umpteen("tag", model, "--text", "apple heron iron", "--threshold", threshold, "--json").out
        return list(json.loads(found)["labels"])

    assert all(label["score"] >= 0.5 for label in labels(0.5))
    assert len(labels(1)) < len(labels(0))


def test_a_plain_file_is_one_document(umpteen: Command, model: Path, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("A heron.\nThen a finch.\n")
    assert len(umpteen("tag", model, tmp_path / "note.txt", "--tsv").out.splitlines()) == 2
    lines = umpteen("tag", model, tmp_path / "note.txt", "--lines", "--json").out.splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["1", "2"]


def test_what_is_piped_in(umpteen: Command, model: Path, pipe: Callable[[bytes], None]) -> None:
    pipe(b'\n{"id": "a", "text": "iron"}\n{"text": "heron"}\n')
    assert [json.loads(line)["id"] for line in umpteen("tag", model, "-", "--json").out.splitlines()] == ["a", "2"]
    pipe(b"iron and\ncopper")
    assert len(umpteen("tag", model, "-", "--json").out.splitlines()) == 1
    pipe(b"iron\n\ncopper\n")
    assert [json.loads(x)["id"] for x in umpteen("tag", model, "-", "--lines", "--json").out.splitlines()] == ["1", "3"]
    pipe(b"__label__metal iron\n")
    assert len(umpteen("tag", model, "-", "--format", "fasttext", "--json").out.splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "extra", "sentence"),
    [
        (b"", [], "There is no text to tag."),
        (b" \n ", [], "There is no text to tag."),
        (b'{"text": "a"}\n{broken', [], "the input line 2: "),
        (b"\xff\xfe", [], "Expected text in UTF-8, got byte 0xff at place 1."),
        (b"ok\n\xff\n", ["--lines"], "line 2: Expected UTF-8"),
        (b"1 2 3", ["--format", "xc"], "xc cannot be read from a pipe"),
    ],
)
def test_piped_mistakes(
    umpteen: Command, model: Path, pipe: Callable[[bytes], None], content: bytes, extra: list[str], sentence: str
) -> None:
    pipe(content)
    done = umpteen("tag", model, "-", *extra)
    assert done.code == 1
    assert sentence in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--text", "a", "-k", "0"], 1, "at least 1, not 0"),
        (["--text", "a", "--threshold", "1.5"], 1, "--threshold is a score between 0 and 1, not 1.5."),
        (["--text", "a", "--threshold", "nan"], 1, "--threshold is a score between 0 and 1, not nan."),
        (["--text", " "], 1, "The text to tag is empty."),
        (["nowhere.txt"], 1, "There is no file nowhere.txt."),
        ([], 2, "Name a FILE, - for what is piped in, or --text."),
        (["x", "--text", "y"], 2, "not both"),
        (["--text", "y", "--json", "--tsv"], 2, "Choose one of --json and --tsv."),
    ],
)
def test_mistakes(umpteen: Command, model: Path, arguments: list[str], code: int, sentence: str) -> None:
    done = umpteen("tag", model, *arguments)
    assert done.code == code
    assert sentence in done.err
    assert not done.out


def test_folders_that_are_no_sound_model(umpteen: Command, model: Path, data: Path) -> None:
    assert "There is no model folder nowhere." in umpteen("tag", "nowhere", "--text", "a").err
    assert "is not an Umpteen model" in umpteen("tag", data, "--text", "a").err
    (model / "labels.json").write_text("{}")
    done = umpteen("tag", model, "--text", "a")
    assert done.code == 1
    assert "is damaged: labels.json is not what was saved." in done.err


def test_text_for_a_model_of_features(umpteen: Command, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("2 3 2\n0 0:1 1:1\n1 2:1\n")
    assert umpteen("train", tmp_path / "t.txt", "--out", tmp_path / "m").code == 0
    done = umpteen("tag", tmp_path / "m", "--text", "a")
    assert done.code == 1
    assert "trained on ready features, and --text holds text" in done.err
    assert (
        umpteen("tag", tmp_path / "m", tmp_path / "t.txt", "-k", 1, "--tsv").out.splitlines()[1].split("\t")[2] == "1"
    )


def test_signs_that_steer_a_terminal_are_not_passed_on(umpteen: Command, model: Path, tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text(json.dumps({"id": "a\x1b[31m", "text": "iron \x1b[2J"}) + "\n")
    assert "\x1b" not in umpteen("tag", model, tmp_path / "x.jsonl").out
