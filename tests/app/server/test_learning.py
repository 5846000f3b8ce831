"""Learning over the API: one lesson after the other, and nothing that was acknowledged is lost."""

import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import requests

import umpteen
from app.server.test_annif import is_problem
from umpteen.core.lock import held

TEXTS = ["violin anchor rook", "tulip comet flute", "loaf pawn galaxy"]  # words that never meet in training


@pytest.fixture
def folder(models: dict[str, Path], tmp_path: Path) -> Path:
    umpteen.load(models["near"]).save(tmp_path / "m")
    return tmp_path / "m"


def lesson(number: int) -> list[dict[str, Any]]:
    return [{"text": TEXTS[number], "subjects": [{"uri": f"new{number}", "label": f"New\t{number}"}]}]


def test_lessons_at_once_are_all_kept_by_a_killed_server(live: Callable[..., Any], folder: Path) -> None:
    server, learnt = live(folder, "--allow-learn"), list[int]()

    def teach(number: int) -> None:
        with suppress(requests.ConnectionError):
            answer = requests.post(f"{server.url}/v1/projects/m/learn", json=lesson(number), timeout=120)
            assert answer.status_code == 204
            learnt.append(number)

    threads = [threading.Thread(target=teach, args=(number,), daemon=True) for number in range(3)]
    for thread in threads:
        thread.start()
    while len(learnt) < 2 and any(thread.is_alive() for thread in threads):
        time.sleep(0.01)
    server.stop(signal.SIGKILL)  # in the middle of the third
    with held(folder.with_name(".m.learning"), by="the learner", wait=True):  # which does not die with the server
        kept = umpteen.load(folder)
    assert len(learnt) >= 2
    for number in learnt:
        assert kept.suggest([TEXTS[number]], k=1)[0][0][0] == f"New {number}"


def test_documents_without_text_or_labels_are_passed_over(serving: Callable[..., Any], folder: Path) -> None:
    with serving(models={"m": str(folder)}, allow_learn=True) as client:
        before = folder.stat().st_ino
        nothing = [{"text": " ", "subjects": [{"uri": "a"}]}, {"text": "x"}, {"subjects": [{"uri": "a"}]}, {}]
        assert client.post("/v1/projects/m/learn", json=nothing).status_code == 204
        assert folder.stat().st_ino == before
        is_problem(client.post("/v1/projects/m/learn", json=[{"text": "x", "subjects": [{"uri": ""}]}]), 400)


def test_models_that_cannot_learn_say_so(serving: Callable[..., Any], models: dict[str, Path]) -> None:
    with serving(models={"tree": str(models["tree"])}, allow_learn=True) as client:
        is_problem(client.post("/v1/projects/tree/learn", json=lesson(0)), 403)


def test_a_learner_that_fails_is_told_of(serving: Callable[..., Any], folder: Path) -> None:
    with serving(models={"m": str(folder)}, allow_learn=True) as client:
        folder.rename(folder.with_name("away"))
        detail = is_problem(client.post("/v1/projects/m/learn", json=lesson(0)), 503)
        assert "There is no model folder" in detail
