from collections.abc import Callable, Iterator
from dataclasses import fields

import numpy as np
import pytest

from toy import SMALL
from umpteen.contract.classifier import Classifier
from umpteen.core.ranking import Ranking
from umpteen.models import entries


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every model is tried; for scikit-learn's tools one of each way to fit, since they see no more of a model."""
    if "cls" in metafunc.fixturenames:
        names = sorted(entries())
        if metafunc.module.__name__.endswith("test_sklearn"):
            names = [*{_way(name): name for name in reversed(names)}.values()][::-1]
        metafunc.parametrize("cls", names, indirect=True, scope="module")


def _way(name: str) -> object:
    try:
        return entries()[name].load()._fit
    except ImportError:
        return name


@pytest.fixture(scope="module")
def cls(request: pytest.FixtureRequest) -> Iterator[type[Classifier]]:
    """Every model there is, one after the other; those whose libraries are missing are skipped."""
    try:
        found = entries()[request.param].load()
    except ImportError as missing:
        pytest.skip(f"{request.param}: {missing}")
    names = {field.name for field in fields(found.Params)}
    small = {name: value for name, value in SMALL.items() if name in names} if "epochs" in names else {}
    if {"members", "how"} <= names:  # a model of models
        small = {"members": ("plt", "neighbours")}
    made = found.__init__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(found, "__init__", lambda self, **settings: made(self, **{**small, **settings}))
        yield found


@pytest.fixture(scope="module")
def same(cls: type[Classifier]) -> Callable[[Ranking, Ranking], bool]:
    """Whether two rankings are equal: to the last bit, or nearly, with near ties in any order, if that is promised."""

    def exactly(one: Ranking, other: Ranking) -> bool:
        return np.array_equal(one.labels, other.labels) and one.scores.tobytes() == other.scores.tobytes()

    def nearly(one: Ranking, other: Ranking) -> bool:
        apart = (one.labels != other.labels) & (one.labels >= 0)
        near = np.abs(one.scores - other.scores) < 1e-4
        return one.labels.shape == other.labels.shape and bool(near.all()) and apart.mean() < 0.02

    return exactly if cls.exact else nearly
