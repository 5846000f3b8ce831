"""The thread that ranks: joined batches, a bounded queue, time-outs, an end that finishes what was accepted."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pytest

from umpteen.app.server.batching import Batcher
from umpteen.app.server.metrics import Metrics
from umpteen.app.server.problem import Problem
from umpteen.core.ranking import Ranking


class Slow:
    """Says of a text how long it is; waits until it may."""

    def __init__(self) -> None:
        self.may = threading.Event()
        self.batches: list[list[str]] = []

    def rank(self, texts: list[str], k: int) -> Ranking:
        self.may.wait(10)
        self.batches.append(texts)
        if "bad" in texts:
            raise ValueError("bad")
        labels = np.tile(np.arange(k, dtype=np.int32), (len(texts), 1))
        return Ranking(labels, np.array([[len(text)] * k for text in texts], np.float32))


def run(work: Callable[[Batcher, Any], Awaitable[None]], *, queue: int = 256, timeout: float = 10.0) -> Slow:
    """Do something with a batcher whose model does not answer before it is let."""
    model = Slow()

    async def inside() -> None:
        batcher = Batcher(queue=queue, timeout=timeout, metrics=Metrics())
        await work(batcher, model)
        model.may.set()
        await batcher.close()
        assert not batcher.is_alive

    asyncio.run(inside())
    return model


async def started(*waiting: Awaitable[Any]) -> list["asyncio.Future[Any]"]:
    tasks = [asyncio.ensure_future(one) for one in waiting]
    await asyncio.sleep(0.1)
    return tasks


def test_those_who_wait_are_ranked_together() -> None:
    async def work(batcher: Batcher, model: Any) -> None:
        first = await started(batcher.rank(model, ["a"], 2))
        others = await started(*(batcher.rank(model, ["b" * n, "c" * n], 2) for n in range(1, 11)))
        deeper = await started(batcher.rank(model, ["other"], 3))
        model.may.set()
        answers = await asyncio.gather(*first, *others, *deeper)
        assert [int(one.scores[-1, 0]) for one in answers] == [1, *range(1, 11), 5]
        assert [one.labels.shape for one in answers] == [(1, 2), *[(2, 2)] * 10, (1, 3)]

    assert [len(batch) for batch in run(work).batches] == [1, 20, 1]


def test_batches_are_bounded() -> None:
    async def work(batcher: Batcher, model: Any) -> None:
        tasks = await started(*(batcher.rank(model, ["x"], 1) for _ in range(200)))
        model.may.set()
        await asyncio.gather(*tasks)

    assert max(len(batch) for batch in run(work).batches) == 32


def test_a_full_queue_sends_away() -> None:
    async def work(batcher: Batcher, model: Any) -> None:
        tasks = await started(*(batcher.rank(model, ["x"], 1) for _ in range(4)))
        assert batcher.is_full
        with pytest.raises(Problem, match="busy") as refused:
            await batcher.rank(model, ["y"], 1)
        assert refused.value.status_code == 503 and refused.value.headers == {"Retry-After": "1"}
        model.may.set()
        await asyncio.gather(*tasks)
        assert not batcher.is_full
        assert len((await batcher.rank(model, ["y"] * 9, 1)).labels) == 9  # one at a time may be as large as it likes

    run(work, queue=4)


def test_who_waits_too_long_is_told_so() -> None:
    async def work(batcher: Batcher, model: Any) -> None:
        began = time.monotonic()
        tasks = await started(batcher.rank(model, ["x"], 1), batcher.rank(model, ["given up"], 2))
        for task in tasks:
            with pytest.raises(Problem, match=r"longer than 0\.3 seconds"):
                await task
        assert time.monotonic() - began < 5

    assert run(work, timeout=0.3).batches == [["x"]]  # nobody waits for the other any more


def test_a_bad_document_fails_alone() -> None:
    async def work(batcher: Batcher, model: Any) -> None:
        first = await started(batcher.rank(model, ["a"], 1))
        others = await started(*(batcher.rank(model, [text], 1) for text in ("b", "bad", "c")))
        model.may.set()
        answers = await asyncio.gather(*first, *others, return_exceptions=True)
        assert [isinstance(one, Ranking) for one in answers] == [True, True, False, True]

    run(work)


def test_other_work_and_its_errors() -> None:
    async def work(batcher: Batcher, model: Any) -> None:
        assert await batcher.call(lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            await batcher.call(lambda: 1 // 0)

    run(work)


def test_the_end_finishes_what_was_accepted() -> None:
    async def inside() -> None:
        model = Slow()
        batcher = Batcher(queue=9, timeout=10, metrics=Metrics())
        tasks = await started(*(batcher.rank(model, ["x"], k) for k in (1, 2, 3)))
        ending = asyncio.ensure_future(batcher.close())
        model.may.set()
        await ending
        assert [one.depth for one in await asyncio.gather(*tasks)] == [1, 2, 3]

    asyncio.run(inside())
