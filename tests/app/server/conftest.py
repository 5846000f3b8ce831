import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from toy import NAMES, toy
from umpteen.core.space import Label

pytest.importorskip("fastapi", reason="the extra `server` is not installed")
from fastapi.testclient import TestClient

import umpteen
from umpteen.app.server.config import Config
from umpteen.app.server.factory import application

BREAD = "The oven was hot, the dough had risen with yeast, and the bakery sold every loaf of bread with its crust."
NAMED = {"craft": Label("craft", "Crafts")} | {
    name: Label(name, name.title(), ("craft",), {"en": name.title(), "de": f"{name.title()} (deutsch)"})
    for name in NAMES
}


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Saved models of the toy corpus: a label tree, and one that learns."""
    place, (texts, labels) = tmp_path_factory.mktemp("models"), toy()
    for name, model in (("tree", umpteen.PLT(trees=1)), ("near", umpteen.Neighbours())):
        model.fit(texts, labels, labels=NAMED).save(place / name)
    return {name: place / name for name in ("tree", "near")}


@pytest.fixture
def serving(models: dict[str, Path], tmp_path: Path) -> Callable[..., Any]:
    """Makes clients of applications; options are those of the configuration."""

    @contextmanager
    def serve(**options: Any) -> Iterator[TestClient]:
        folders = options.pop("models", {name: str(path) for name, path in models.items()})
        config = Config(models=folders, feedback=str(tmp_path / "feedback.sqlite"), **options)
        with TestClient(application(config)) as client:
            yield client

    return serve


@pytest.fixture(scope="module")
def client(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of both models with the usual configuration."""
    folders = {name: str(path) for name, path in models.items()}
    config = Config(models=folders, feedback=str(tmp_path_factory.mktemp("store") / "feedback.sqlite"))
    with TestClient(application(config)) as client:
        yield client


class Live:
    """A server in a process of its own."""

    def __init__(self, *arguments: object, cwd: Path, port: int = 0) -> None:
        command = [sys.executable, "-m", "umpteen", "serve", *map(str, arguments), "--port", str(port)]
        self.log = cwd / "stderr.txt"
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=self.log.open("w"),
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1", "OMP_NUM_THREADS": "1"},
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        found = re.search(r"http://\S+", said)
        assert found, said + self.log.read_text()
        self.url = found[0]
        try:
            self._wait()
        except BaseException:
            self.stop(signal.SIGKILL)
            raise

    def _wait(self) -> None:
        import requests

        for _ in range(300):
            try:
                if requests.get(f"{self.url}/ready", timeout=60).ok:
                    return
            except requests.ConnectionError:
                time.sleep(0.1)
        raise AssertionError(self.log.read_text())

    def stop(self, by: int = signal.SIGTERM) -> int:
        """Ask it to end, or make it."""
        if self.process.poll() is None:
            self.process.send_signal(by)
        try:
            return self.process.wait(30)
        finally:
            self.process.kill()
            assert self.process.stdout is not None
            self.process.stdout.close()


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Callable[..., Live]]:
    """Starts servers that end with the test."""
    started = list[Live]()

    def start(*arguments: object, port: int = 0) -> Live:
        started.append(Live(*arguments, cwd=tmp_path, port=port))
        return started[-1]

    yield start
    for one in started:
        one.stop(signal.SIGKILL)
