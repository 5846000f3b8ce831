"""Training within a limit of memory gives the same model, to the last byte."""

from pathlib import Path

import numpy as np
import pytest

import umpteen
from toy import numeric, toy
from umpteen.core import memory
from umpteen.core.errors import UmpteenError
from umpteen.core.space import Label
from umpteen.core.spill import Spill, limited
from umpteen.linear import weights
from umpteen.models import load


@pytest.fixture
def piecemeal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pack a few weights at a time."""
    monkeypatch.setattr(weights, "_LEAST", 20)
    monkeypatch.setattr(weights, "_ROOM", 1 << 60)
    monkeypatch.setattr(weights, "_PIECE", 7)


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.mark.usefixtures("piecemeal")
@pytest.mark.parametrize("kind", [umpteen.PLT, umpteen.OneVsRest])
@pytest.mark.parametrize("ready", [False, True])
def test_the_same_bytes(kind: type, ready: bool, tmp_path: Path) -> None:
    texts, labels = toy(150)
    X = numeric(texts) if ready else texts
    names = {label: Label(label, name=f"{label} and the like") for row in labels for label in row}
    settings = {"trees": 2, "branch": 2, "leaf": 2, "bits": 16} if kind is umpteen.PLT else {"max_features": 30}
    kind(**settings).fit(X, labels, labels=names).save(tmp_path / "here")
    held = memory.resident() or 0  # by the tests before this one
    with limited(held + (1 << 30), tmp_path) as limit:
        kind(**settings).fit(X, labels, labels=names).save(tmp_path / "there")
    assert files(tmp_path / "here") == files(tmp_path / "there")
    assert limit.written
    assert load(tmp_path / "there").suggest(X[:1]) == load(tmp_path / "here").suggest(X[:1])


def test_other_models_say_that_they_cannot() -> None:
    with limited(1 << 30), pytest.raises(UmpteenError, match="cannot keep to a limit"):
        umpteen.PopularLabels().fit(*toy(20))


def test_too_little_for_one_group_of_classifiers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Spill, "left", lambda self: 1 << 20)
    with limited(1 << 30), pytest.raises(UmpteenError, match=r"leaves 1 MiB, .*Raise --memory"):
        umpteen.PLT().fit(*toy(20))


def test_threads_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for one group of classifiers at a time: one thread, and the same answer."""
    from umpteen.linear.room import threads

    X, T = numeric(toy(20)[0]), np.array([0, 10, 20])
    work = [np.array([[0, 2, 0, 2]])]
    with limited(1 << 30) as limit:
        for left, expected in ((70 << 20, 1), (150 << 20, 2), (1 << 30, 8)):
            monkeypatch.setattr(limit, "left", lambda left=left: left)
            assert threads(X, T, work, 8, weighed=False) == expected
