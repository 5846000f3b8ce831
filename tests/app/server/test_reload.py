"""A model folder that another takes the place of, under fire."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import umpteen
from app.server.test_annif import suggest
from toy import toy

Serving = Callable[..., Any]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("umpteen.app.server.shelf._EVERY", 0.05)


def trained(label: str) -> umpteen.Classifier:
    texts, labels = toy(40)
    return umpteen.Neighbours().fit([*texts, "unicorn stable"], [*labels, [label]])


def best(client: Any) -> str:
    answer = suggest(client, "m", text="unicorn stable", limit=1)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["results"][0]["uri"])


def until(done: Callable[[], bool]) -> None:
    for _ in range(200):
        if done():
            return
        time.sleep(0.05)
    raise AssertionError("it did not happen in ten seconds")


def test_a_new_model_takes_over_without_a_failed_request(serving: Serving, tmp_path: Path) -> None:
    trained("first").save(tmp_path / "m")
    with serving(models={"m": str(tmp_path / "m")}) as client:
        seen, ended = list[str](), threading.Event()

        def ask() -> None:
            while not ended.is_set():
                seen.append(best(client))

        asking = [threading.Thread(target=ask) for _ in range(3)]
        for thread in asking:
            thread.start()
        for label in ("second", "third", "fourth"):
            trained(label).save(tmp_path / "m")
            until(lambda label=label: seen[-1:] == [label])
        ended.set()
        for thread in asking:
            thread.join()
        assert set(seen) == {"first", "second", "third", "fourth"}
        assert 'umpteen_reloads_total{project="m"} 3.0' in client.get("/metrics").text


def test_a_damaged_model_does_not_take_over(serving: Serving, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    trained("old").save(tmp_path / "m")
    with serving(models={"m": str(tmp_path / "m")}) as client:
        (tmp_path / "m" / "model.json").write_text("{}")
        until(lambda: "failed_reloads_total{" in client.get("/metrics").text)
        assert best(client) == "old" and "the old one goes on" in caplog.text
        trained("new").save(tmp_path / "m")
        until(lambda: best(client) == "new")


def test_a_model_that_is_gone_goes_on(serving: Serving, tmp_path: Path) -> None:
    trained("old").save(tmp_path / "m")
    with serving(models={"m": str(tmp_path / "m")}) as client:
        (tmp_path / "m").rename(tmp_path / "away")
        time.sleep(0.2)
        assert best(client) == "old"
