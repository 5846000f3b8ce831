import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import umpteen as library
from umpteen.metrics.report import evaluate

Command = Callable[..., Any]


def test_json_is_one_object_with_the_papers_names(umpteen: Command, model: Path, data: Path) -> None:
    done = umpteen("evaluate", model, data / "test.jsonl", "--json")
    assert done.code == 0
    found = json.loads(done.out)
    assert {f"{m}@{k}" for m in ("P", "R", "nDCG", "PSP", "PSnDCG") for k in (1, 3, 5)} <= found.keys()
    assert found["P@1"] == 100
    assert found["P@3"] == pytest.approx(66.6667)
    assert (found["documents"], found["labels"]) == (6, 4)
    assert found["seconds"] >= 0


def test_figures_are_those_of_the_library(umpteen: Command, data: Path, tmp_path: Path) -> None:
    umpteen("train", data, "--model", "popular", "--out", tmp_path / "p")
    found = json.loads(umpteen("evaluate", tmp_path / "p", data, "--json", "--at", "2,1", "--a", 0.5, "--b", 0.4).out)
    model, corpus = library.load(tmp_path / "p"), library.read(data / "test.jsonl")
    truth = model.truth(corpus)
    counts = model.labels_.counts
    report = evaluate(model.rank(corpus, 5), truth, counts=counts, documents=model.documents_, at=(1, 2), a=0.5, b=0.4)
    assert {name: found[name] for name in report.scores} == {
        n: pytest.approx(v, abs=1e-4) for n, v in report.scores.items()
    }


def test_people_see_intervals_and_what_is_special(umpteen: Command, model: Path, data: Path, tmp_path: Path) -> None:
    extra = '{"text": "apple", "labels": []}\n{"text": "iron", "labels": ["ore"]}\n'
    (tmp_path / "t.jsonl").write_text((data / "test.jsonl").read_text() + extra)
    done = umpteen("evaluate", model, tmp_path / "t.jsonl")
    assert "1 labels of these documents were never seen in training" in done.out
    assert "Without any label: 1 document;" in done.out
    assert "75.00 (" in done.out  # 6 of 8 right at first place
    assert not done.err


def test_files_for_later(umpteen: Command, model: Path, data: Path, tmp_path: Path) -> None:
    rows, saved = tmp_path / "rows.tsv", tmp_path / "e.json"
    assert umpteen("evaluate", model, data, "--per-label", rows, "--save", saved, "--name", "mine").code == 0
    header, first, *_ = [line.split("\t") for line in rows.read_text().splitlines()]
    assert dict(zip(header, first, strict=True))["key"] == "fruit"
    kept = json.loads(saved.read_text())
    assert (kept["name"], kept["data"]) == ("mine", "toy/test")
    assert len(kept["rankings"]["documents"]) == 6
    assert sorted(path.name for path in tmp_path.iterdir()) == ["e.json", "m", "rows.tsv", "toy"]


def test_a_failure_keeps_the_older_files(
    umpteen: Command, model: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, saved = tmp_path / "rows.tsv", tmp_path / "e.json"
    umpteen("evaluate", model, data, "--per-label", rows, "--save", saved)
    before = rows.read_bytes(), saved.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("umpteen.core.files._settled", full)
    for place in (("--per-label", rows), ("--save", saved)):
        done = umpteen("evaluate", model, data, *place)
        assert done.code == 1
        assert "No space left on device" in done.err
        assert "bootstrap intervals" in done.out  # the figures are shown all the same
    assert (rows.read_bytes(), saved.read_bytes()) == before


def test_unknown_choices(umpteen: Command, model: Path, data: Path) -> None:
    done = umpteen("evaluate", model, data, "--ties", "halve")
    assert done.code == 2
    assert "'halve' is not one of 'half', 'strict'" in done.err


def test_a_place_that_cannot_be_written_is_told_before_work(umpteen: Command, data: Path) -> None:
    done = umpteen("evaluate", "no-model", data, "--save", "no/such/folder.json")
    assert "There is no folder no/such" in done.err


def test_bad_places(umpteen: Command, model: Path, data: Path) -> None:
    assert (
        "--depth is how many labels to rank, at least 1, not 0." in umpteen("evaluate", model, data, "--depth", 0).err
    )
    for at in ("0", "a", ""):
        done = umpteen("evaluate", model, data, "--at", at)
        assert done.code == 1
        assert "such as 1,3,5" in done.err
