"""umpteen learn: a new label is found after a handful of examples, and nothing is lost when it cannot learn."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]
WORDS = ["apple iron heron", "iron heron pear", "heron plum zinc", "cherry raven iron"]  # a mixture never seen


@pytest.fixture
def new(tmp_path: Path) -> Path:
    lines = [{"id": f"n{n}", "text": text, "labels": ["mixed", "thing"]} for n, text in enumerate(WORDS)]
    lines.append({"id": "none", "text": "nothing", "labels": []})
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path / "new.jsonl"


def test_a_label_never_seen_is_found(umpteen: Command, model: Path, new: Path, tmp_path: Path) -> None:
    (tmp_path / "names.tsv").write_text("thing\tThings\nmixed\tMixtures\tthing\n")
    done = umpteen("learn", model, new, "--labels", tmp_path / "names.tsv")
    assert done.code == 0
    assert done.out.startswith("Learnt 4 documents and 1 new label in ")
    assert "now 22 documents, 5 labels." in done.out
    assert "\nNew: Things > Mixtures.\n" in done.out or "\nNew: Mixtures.\n" in done.out
    assert f'Next: umpteen tag {model} --text "..."' in done.out
    assert "Left out: 1 document without labels." in done.err
    assert "Things > Mixtures" in umpteen("tag", model, "--text", "heron iron apple").out
    assert umpteen("tag", model, "--text", "apple pear plum", "-k", 1).out.rstrip().endswith("(fruit)")
    explained = umpteen("explain", model, "--text", "heron iron apple", "--label", "mixed").out
    assert "n0: apple iron heron  Mixtures, Things" in explained.replace("Things, Mixtures", "Mixtures, Things")


def test_the_old_model_stays_where_another_place_is_named(
    umpteen: Command, model: Path, new: Path, tmp_path: Path
) -> None:
    before = (model / "model.json").read_bytes()
    assert umpteen("learn", model, new, "--out", tmp_path / "larger").code == 0
    assert (model / "model.json").read_bytes() == before
    assert "mixed" in umpteen("tag", tmp_path / "larger", "--text", "heron iron apple").out


def test_models_that_cannot_say_so(umpteen: Command, data: Path, new: Path, tmp_path: Path) -> None:
    assert umpteen("train", data, "--out", tmp_path / "p", "--model", "plt").code == 0
    before = (tmp_path / "p" / "model.json").read_bytes()
    done = umpteen("learn", tmp_path / "p", new)
    assert done.code == 1
    assert "PLT cannot learn more documents on top of what it knows" in done.err
    assert (tmp_path / "p" / "model.json").read_bytes() == before
