"""Corrections: kept for ever, one by one, whatever happens to the server."""

import json
import signal
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

import umpteen as library
from app.server.conftest import BREAD
from app.server.test_annif import is_problem
from umpteen.app.server.feedback import Correction, add, corrections
from umpteen.core.errors import DataError

Run = Callable[..., Any]


def correct(client: TestClient, **body: Any) -> Any:
    return client.post("/v1/projects/tree/feedback", json={"text": BREAD, "labels": ["baking"], **body})


def test_corrections_are_numbered(client: TestClient) -> None:
    first, second = correct(client, suggested=["music"]), correct(client, labels=[])
    assert first.status_code == 201 and second.json()["number"] == first.json()["number"] + 1
    is_problem(correct(client, text=""), 400)
    is_problem(correct(client, labels=[""]), 400)


def test_a_correction_needs_a_text(client: TestClient) -> None:
    assert "no text" in is_problem(correct(client, text=" \n"), 400)


def test_the_last_correction_of_a_text_counts(tmp_path: Path) -> None:
    file = tmp_path / "f.sqlite"
    for project, text, labels in (("a", "x", ["1"]), ("a", "y", ["2"]), ("b", "x", ["3"]), ("a", "x", ["4", "5"])):
        add(file, Correction(project, text, labels, ["0"]))
    found = [(one.project, one.text, one.labels, one.suggested) for one in corrections(file)]
    assert found == [("a", "y", ["2"], ["0"]), ("b", "x", ["3"], ["0"]), ("a", "x", ["4", "5"], ["0"])]
    assert [one.project for one in corrections(file, project="b")] == ["b"]


@pytest.mark.parametrize("change", ["UPDATE corrections SET text = 'z'", "DELETE FROM corrections"])
def test_nothing_is_changed_or_lost(tmp_path: Path, change: str) -> None:
    add(tmp_path / "f.sqlite", Correction("a", "x", ["1"]))
    store = sqlite3.connect(tmp_path / "f.sqlite")
    with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
        store.execute(change)
    store.close()
    assert len([*corrections(tmp_path / "f.sqlite")]) == 1


def test_export_is_a_corpus_to_learn_from(umpteen: Run, models: dict[str, Path], tmp_path: Path) -> None:
    store, out, model = tmp_path / "f.sqlite", tmp_path / "c.jsonl", tmp_path / "m"
    add(store, Correction("near", "violin anchor\nrook", ["canoeing"], ["sailing"]))
    add(store, Correction("tree", "other", ["music"]))
    library.load(models["near"]).save(model)
    assert umpteen("feedback", store, "--out", out, "--project", "near").out.startswith("Wrote 1 corrected document")
    [line] = map(json.loads, out.read_text().splitlines())
    assert line["text"] == "violin anchor\nrook" and line["labels"] == ["canoeing"] and len(line["id"]) == 64
    assert umpteen("learn", model, out).code == 0
    assert library.load(model).suggest(["violin anchor rook"], k=1)[0][0][0] == "canoeing"


def test_export_says_what_is_wrong(umpteen: Run, tmp_path: Path) -> None:
    missing = umpteen("feedback", tmp_path / "none.sqlite", "--out", tmp_path / "c")
    assert missing.code == 1 and "does not exist" in missing.err
    (tmp_path / "text").write_text("no database, but long enough to be looked at as one " * 100)
    with pytest.raises(DataError, match="not a store of corrections"):
        [*corrections(tmp_path / "text")]


def test_no_feedback(models: dict[str, Path]) -> None:
    from umpteen.app.server.config import Config
    from umpteen.app.server.factory import application

    with TestClient(application(Config(models={"tree": str(models["tree"])}))) as client:
        assert "--no-feedback" in is_problem(correct(client), 403)


def test_a_killed_server_keeps_what_it_acknowledged(
    live: Callable[..., Any], models: dict[str, Path], tmp_path: Path
) -> None:
    import requests

    server, kept = live(models["tree"], "--feedback", tmp_path / "f.sqlite"), list[str]()

    def send(thread: int) -> None:
        for number in range(1000):
            body = {"text": f"{thread} {number}", "labels": ["x"]}
            try:
                if requests.post(f"{server.url}/v1/projects/tree/feedback", json=body, timeout=10).status_code == 201:
                    kept.append(body["text"])
            except requests.ConnectionError:
                return

    threads = [threading.Thread(target=send, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    while len(kept) < 60 and any(thread.is_alive() for thread in threads):
        threads[0].join(0.01)
    server.stop(signal.SIGKILL)
    for thread in threads:
        thread.join()
    found = {one.text for one in corrections(tmp_path / "f.sqlite")}
    assert len(kept) >= 60 and set(kept) <= found
