import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]


@pytest.fixture
def saved(umpteen: Command, model: Path, data: Path, tmp_path: Path) -> list[Path]:
    umpteen("train", data, "--model", "popular", "--out", tmp_path / "p")
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    for folder, file in zip((model, tmp_path / "p"), files, strict=True):
        umpteen("evaluate", folder, data, "--save", file)
    return files


def test_evaluations_side_by_side(umpteen: Command, saved: list[Path]) -> None:
    done = umpteen("compare", *saved)
    assert done.code == 0
    assert "66.67*" in done.out
    assert "average rank" in done.out
    assert "neighbours and popular on toy/test" in done.out


def test_json(umpteen: Command, saved: list[Path]) -> None:
    found = json.loads(umpteen("compare", *saved, "--json", "--metric", "P@k", "--against", "popular").out)
    (comparison,) = found["comparisons"]
    assert comparison["against"] == "popular"
    assert {row["metric"] for row in comparison["rows"]} == {"P@1", "P@3", "P@5"}
    assert len(found["overlaps"][0]["percent"]) == 5


def test_two_of_one_name_are_told_apart_by_their_files(umpteen: Command, saved: list[Path], tmp_path: Path) -> None:
    (tmp_path / "again.json").write_bytes(saved[0].read_bytes())
    done = umpteen("compare", saved[0], tmp_path / "again.json")
    assert "neighbours (one)" in done.out
    assert "neighbours (again)" in done.out


def test_published_results_one_comparison_per_paper(umpteen: Command, tmp_path: Path) -> None:
    rows = [
        "A,news,x,P@1,90",
        "A,news,y,P@1,80",
        "A,wiki,x,P@1,70",
        "A,wiki,y,P@1,60",
        "B,news,z,P@1,50",
        "B,news,x,P@1,40",
    ]
    (tmp_path / "r.csv").write_text("paper,dataset,method,metric,value\n" + "\n".join(rows) + "\n")
    done = umpteen("compare", tmp_path / "r.csv")
    assert "p-value against x  y" in done.out
    assert "p-value against z  x" in done.out
    found = json.loads(umpteen("compare", tmp_path / "r.csv", "--json").out)["comparisons"]
    assert [c["paper"] for c in found] == ["A", "B"]
    assert found[0]["p_values"]["P@k"] == {"y": 0.5}


def test_mistakes(umpteen: Command, saved: list[Path], data: Path, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("dataset,method\n")
    cases: dict[str, list[object]] = {
        "There is no file nowhere.json.": ["nowhere.json"],
        "is a folder": [data],
        "not a saved evaluation": [data / "train.jsonl"],
        "lacks the columns metric, value": [tmp_path / "x.csv"],
        "There is no metric 'P@2'": [*saved, "--metric", "P@2"],
        "There is no method 'populr' to compare with. Did you mean 'popular'?": [*saved, "--against", "populr"],
    }
    for sentence, arguments in cases.items():
        done = umpteen("compare", *arguments)
        assert done.code == 1
        assert sentence in done.err
