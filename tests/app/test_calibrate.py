import json
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import pytest

import umpteen as library

Command = Callable[..., Any]


@pytest.fixture
def calibrated(umpteen: Command, model: Path, data: Path) -> Path:
    done = umpteen("calibrate", model, data / "test.jsonl")
    assert done.code == 0
    assert "Calibrated (isotonic) on 6 documents." in done.out
    assert "(in use)" in done.out
    return model


def test_tag_follows_the_policy_unless_told_otherwise(umpteen: Command, calibrated: Path) -> None:
    def labels(*options: object) -> list[str]:
        return [
            row["id"]
            for row in json.loads(umpteen("tag", calibrated, "--text", "iron", "--json", *options).out)["labels"]
        ]

    assert sorted(labels()) == ["metal", "thing"]
    assert sorted(labels("--policy", "top")) == ["metal", "thing"]
    assert len(labels("-k", 1)) == 1
    assert len(labels("-k", 3)) >= 2
    assert len(labels("--threshold", 1)) < len(labels("--threshold", 0))


def test_evaluate_reports_the_policy_and_the_error(umpteen: Command, calibrated: Path, data: Path) -> None:
    found = json.loads(umpteen("evaluate", calibrated, data, "--json").out)
    assert found["document-F1"] == 100
    assert found["given"].endswith("tuned for document F1)")
    assert found["ECE@1"] < 25
    first = json.loads(umpteen("evaluate", calibrated, data, "--json", "-k", 1).out)
    assert (first["given"], first["document-P"], first["document-R"]) == ("the first 1", 100, 50)
    assert json.loads(umpteen("evaluate", calibrated, data, "--json", "--threshold", 1).out)["document-F1"] < 100


def test_options_are_kept_in_the_folder(umpteen: Command, model: Path, data: Path, tmp_path: Path) -> None:
    options = ("--how", "platt", "--goal", "macro", "--policy", "labels", "--out", tmp_path / "c", "--json")
    found = json.loads(umpteen("calibrate", model, data / "test.jsonl", *options).out)
    assert (found["policy"], found["goal"], found["documents"]) == ("labels", "macro", 6)
    assert library.load(model).tuning_ is None
    tuning = library.load(tmp_path / "c").tuning_
    assert (tuning.calibration.how, tuning.policies.chosen, tuning.policies.goal) == ("platt", "labels", "macro")


def test_pictures(umpteen: Command, model: Path, data: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert umpteen("calibrate", model, data / "test.jsonl", "--plot", tmp_path / "a.png").code == 0
    assert umpteen("evaluate", model, data, "--plot", tmp_path / "b.svg").code == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "expected calibration error" in (tmp_path / "b.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["tag", "MODEL", "--text", "a", "--policy", "top"], 1, "no policies yet. Tune them with: umpteen calibrate"),
        (["tag", "MODEL", "--text", "a", "--policy", "top", "-k", 1], 2, "Choose one of --policy and -k"),
        (
            ["calibrate", "MODEL", "DATA/test.jsonl", "--policy", "tip"],
            1,
            "'policy' cannot be 'tip'. Did you mean 'top'?",
        ),
        (["calibrate", "MODEL", "DATA/test.jsonl", "--plot", "x.gif"], 1, "ends in .png, .svg, .pdf"),
        (["calibrate", "MODEL", "DATA"], 1, "There is no valid file in this folder."),
        (["calibrate", "MODEL", "OTHER"], 1, "The model knows none of the labels of these documents"),
    ],
)
def test_mistakes(umpteen: Command, model: Path, data: Path, arguments: list[Any], code: int, sentence: str) -> None:
    other = data.with_name("other.jsonl")
    other.write_text('{"text": "gold", "labels": ["unheard"]}\n' * 3)
    places = {"MODEL": model, "DATA": data, "OTHER": other}
    done = umpteen(*(reduce(lambda a, name: a.replace(name, str(places[name])), places, str(a)) for a in arguments))
    assert done.code == code
    assert sentence in done.err
    assert library.load(model).tuning_ is None
