"""The command itself: start, several workers, an end that answers all, and what it says when it cannot."""

import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import requests

import umpteen as library
from app.server.conftest import BREAD

Live = Callable[..., Any]
Run = Callable[..., Any]


def suggest(url: str, project: str = "tree") -> requests.Response:
    return requests.post(f"{url}/v1/projects/{project}/suggest", data={"text": BREAD}, timeout=20)


def test_the_end_answers_what_was_accepted(live: Live, models: dict[str, Path]) -> None:
    server, answers = live(models["tree"]), list[int]()
    documents = {"documents": [{"text": f"{BREAD} " * 2000}] * 32}  # a moment's work

    def ask() -> None:
        answers.append(requests.post(f"{server.url}/v1/projects/tree/suggest-batch", json=documents).status_code)

    def is_at_work() -> bool:
        return "umpteen_waiting_documents 32.0" in requests.get(f"{server.url}/metrics", timeout=60).text

    for _ in range(20):
        thread = threading.Thread(target=ask)
        thread.start()
        while thread.is_alive() and not (busy := is_at_work()):
            pass
        if busy:
            break
        thread.join()
    assert busy and server.stop() == 0
    thread.join()
    assert answers and set(answers) == {200}
    assert server.log.read_text() == ""
    with pytest.raises(requests.ConnectionError):
        suggest(server.url)


def test_ctrl_c_ends_it_quietly(live: Live, models: dict[str, Path]) -> None:
    server = live(models["tree"])
    assert server.stop(signal.SIGINT) == 0 and server.log.read_text() == ""


def test_workers_share_the_work(live: Live, models: dict[str, Path], tmp_path: Path) -> None:
    library.load(models["near"]).save(tmp_path / "m")
    server = live(f"tree={models['tree']}", tmp_path / "m", "--workers", "2", "--allow-learn")
    for _ in range(30):  # each on a connection of its own
        assert suggest(server.url).json()["results"][0]["uri"] == "baking"
    lines = requests.get(f"{server.url}/metrics", timeout=10).text.splitlines()
    [count] = [line for line in lines if "requests_total" in line and 'suggest"' in line]
    assert float(count.rpartition(" ")[2]) == 30  # whichever worker is asked
    lesson = [{"text": "violin anchor rook", "subjects": [{"uri": "unicorns"}]}]
    assert requests.post(f"{server.url}/v1/projects/m/learn", json=lesson, timeout=60).status_code == 204
    for _ in range(100):
        data = {"text": "violin anchor rook", "limit": 1}
        rows = [requests.post(f"{server.url}/v1/projects/m/suggest", data=data, timeout=10).json() for _ in range(8)]
        if {row["results"][0]["uri"] for row in rows} == {"unicorns"}:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("not every worker read the new model")
    assert server.stop() == 0


def test_workers_end_with_their_parent(live: Live, models: dict[str, Path]) -> None:
    server = live(models["tree"], "--workers", "2")
    assert suggest(server.url).status_code == 200
    server.stop(signal.SIGKILL)
    for _ in range(300):
        try:
            requests.get(f"{server.url}/health", timeout=5)
        except requests.ConnectionError:
            return
        time.sleep(0.1)
    raise AssertionError("a worker is left over")


def test_a_full_queue_sends_away_and_recovers(live: Live, models: dict[str, Path]) -> None:
    server, answers = live(models["tree"], "--queue", "2"), list[requests.Response]()
    text = f"{BREAD} " * 5000

    def ask() -> None:
        answers.append(requests.post(f"{server.url}/v1/projects/tree/suggest", data={"text": text}, timeout=60))

    threads = [threading.Thread(target=ask) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    refused = [one for one in answers if one.status_code != 200]
    assert 0 < len(refused) < len(answers)
    assert {(one.status_code, one.headers["Retry-After"]) for one in refused} == {(503, "1")}
    assert "busy" in refused[0].json()["detail"]
    assert suggest(server.url).status_code == 200


def test_a_large_body_is_refused_on_the_wire(live: Live, models: dict[str, Path]) -> None:
    server = live(models["tree"], "--max-body", "1")
    session = requests.Session()
    answer = session.post(f"{server.url}/v1/projects/tree/suggest", data={"text": "a" * (8 << 20)}, timeout=20)
    assert answer.status_code == 413
    assert session.post(f"{server.url}/v1/projects/tree/suggest", data={"text": BREAD}, timeout=20).status_code == 200


def test_who_sends_too_slowly_is_told_so(live: Live, models: dict[str, Path]) -> None:
    server = live(models["tree"], "--timeout", "1")
    host, _, port = server.url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        head = "POST /v1/projects/tree/suggest HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n"
        connection.sendall(f"{head}Content-Type: application/x-www-form-urlencoded\r\n\r\ntext=".encode())
        assert connection.recv(1000).startswith(b"HTTP/1.1 408")


def test_says_that_the_port_is_taken(umpteen: Run, models: dict[str, Path], tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = umpteen("serve", models["tree"], "--port", port, "--no-feedback")
    assert said.code == 1 and "--port" in said.err and str(port) in said.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nowhere"], "There is no model folder"),
        (["nowhere", "--workers", "2"], "There is no model folder"),
        (["m", "--feedback", "no/such/folder/f.sqlite"], "--no-feedback"),
        (["m", "--origin", "example"], "--origin"),
        (["a/m", "b/m"], "Two models"),
    ],
)
def test_says_what_is_wrong(
    umpteen: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    said = umpteen("serve", *arguments, "--port", "0")
    assert said.code == 1 and problem in said.err


def test_a_model_of_features_is_not_served(umpteen: Run, tmp_path: Path) -> None:
    library.Neighbours().fit(np.eye(2), [["a"], ["b"]]).save(tmp_path / "m")
    said = umpteen("serve", tmp_path / "m", "--port", "0", "--no-feedback")
    assert said.code == 1 and "the server tags texts" in said.err
