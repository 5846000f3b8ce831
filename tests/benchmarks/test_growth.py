"""The benchmarks of growth and of streams: what they count and how; nothing here is about time."""

import io
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _benchmarks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")


def test_what_would_travel_is_counted_once() -> None:
    from growth import Counted

    array, counted = np.arange(100), Counted(1)
    for _ in range(2):
        assert [*counted.each(lambda shared, block: shared[0][:block], (array, 3), [2, 5])][1].tolist() == [
            0,
            1,
            2,
            3,
            4,
        ]
    assert counted.out == array.nbytes
    assert counted.back == 2 * 7 * array.itemsize


@pytest.mark.parametrize(("model", "travels"), [("plt", True), ("mlp", True), ("neighbours", False)])
def test_a_row_has_all_columns(model: str, travels: bool) -> None:
    from growth import _HEAD, measured

    settings = {"plt": ["trees=1"], "mlp": ["epochs=1", "least_steps=0"]}.get(model, [])
    case = {"model": model, "set": settings, "jobs": 1, "power": 0.5, "documents": 100, "words": 20, "labels": 20}
    row = measured(case)
    assert tuple(row) == _HEAD
    assert row["documents"] == 100
    assert (row["to a machine, MB"] > 0) == travels


def test_answers_are_counted_by_document() -> None:
    from stream import answered

    lines = b"1\t1\ta\ta\t0.9\n1\t2\tb\tb\t0.5\n2\t1\ta\ta\t0.8\n"
    assert [*answered(io.BytesIO(lines))] == [2]
