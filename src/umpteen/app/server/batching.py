"""One thread that computes for all requests, those that wait together at once.

While it ranks one batch, requests gather for the next: a server at rest answers at once, a busy one in large batches.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from umpteen.app.server.metrics import Metrics
from umpteen.app.server.problem import busy
from umpteen.contract.classifier import Classifier
from umpteen.core.ranking import Ranking

_BATCH = 32  # documents ranked together at most: while these are ranked, the next are read
T = TypeVar("T")


@dataclass(frozen=True, eq=False, slots=True)
class Job:
    """Documents whose labels someone waits for; or, without documents, any other work."""

    future: "asyncio.Future[Any]"
    work: Callable[[], Any] | None = None
    model: Classifier | None = None
    texts: Sequence[str] = ()
    k: int = 0

    @property
    def size(self) -> int:
        """Places it takes in the queue."""
        return len(self.texts) or 1

    def fits(self, other: "Job") -> bool:
        """Whether both can be ranked in one go, with the same answers as one by one."""
        return self.work is None and other.work is None and self.model is other.model and self.k == other.k


class Batcher:
    """A bounded queue of jobs and the thread that does them; used from one event loop."""

    def __init__(self, *, queue: int, timeout: float, metrics: Metrics) -> None:
        self._most, self._timeout, self._metrics = queue, timeout, metrics
        self._waiting = 0  # documents; counted by the event loop alone
        self._inbox: SimpleQueue[Job | None] = SimpleQueue()  # None: no more will come
        self._held: deque[Job | None] = deque()  # taken out of the inbox, not begun
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._work, name="ranking", daemon=True)
        self._thread.start()

    @property
    def is_full(self) -> bool:
        """Whether the next request would be sent away."""
        return self._waiting >= self._most

    @property
    def is_alive(self) -> bool:
        """Whether the thread works."""
        return self._thread.is_alive()

    async def rank(self, model: Classifier, texts: Sequence[str], k: int) -> Ranking:
        """The k best labels of each text."""
        found: Ranking = await self._done(Job(self._loop.create_future(), model=model, texts=texts, k=k))
        return found

    async def call(self, work: Callable[[], T]) -> T:
        """Other work that needs a model."""
        found: T = await self._done(Job(self._loop.create_future(), work=work))
        return found

    async def close(self) -> None:
        """Finish what was accepted."""
        self._inbox.put(None)
        await asyncio.to_thread(self._thread.join)

    async def _done(self, job: Job) -> Any:
        if self._waiting and self._waiting + job.size > self._most:
            self._metrics.refused.inc()
            raise busy(f"The server is busy: {self._waiting} documents are waiting. Try again in a moment.")
        self._waiting += job.size
        self._metrics.waiting.set(self._waiting)
        self._inbox.put(job)
        try:
            async with asyncio.timeout(self._timeout):
                return await job.future
        except TimeoutError:
            self._metrics.expired.inc()
            raise busy(f"The server took longer than {self._timeout:g} seconds. Try again later.", seconds=5) from None

    def _deliver(self, jobs: list[Job], results: list[Any]) -> None:
        for job, result in zip(jobs, results, strict=True):
            self._waiting -= job.size
            if job.future.done():  # nobody waits any more
                continue
            if isinstance(result, Exception):
                job.future.set_exception(result)
            else:
                job.future.set_result(result)
        self._metrics.waiting.set(self._waiting)

    # In the thread ------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while jobs := self._next():
            results = self._results([job for job in jobs if not job.future.done()])
            found = [results.get(job) for job in jobs]
            self._loop.call_soon_threadsafe(self._deliver, jobs, found)

    def _next(self) -> list[Job]:
        """The oldest job with those behind it that fit; none when all is done."""
        if not self._held:
            self._held.append(self._inbox.get())
        while True:
            try:
                self._held.append(self._inbox.get_nowait())
            except Empty:
                break
        first = self._held.popleft()
        if first is None:
            return []
        batch, rest, size = [first], deque[Job | None](), first.size
        for job in self._held:
            if job is not None and size + job.size <= _BATCH and first.fits(job):
                batch.append(job)
                size += job.size
            else:
                rest.append(job)
        self._held = rest
        return batch

    def _results(self, jobs: list[Job]) -> dict[Job, Any]:
        """What came of each job; a document that makes a batch fail fails alone."""
        try:
            return dict(zip(jobs, self._computed(jobs), strict=True)) if jobs else {}
        except Exception as error:
            if len(jobs) == 1:
                return {jobs[0]: error}
            return {job: result for job in jobs for result in self._results([job]).values()}

    def _computed(self, jobs: list[Job]) -> list[Any]:
        first = jobs[0]
        if first.work is not None:
            return [first.work()]
        assert first.model is not None
        texts = [text for job in jobs for text in job.texts]
        self._metrics.batch.observe(len(texts))
        ranking = first.model.rank(texts, first.k)
        parts, start = [], 0
        for job in jobs:
            rows = slice(start, start + len(job.texts))
            parts.append(Ranking(ranking.labels[rows], ranking.scores[rows]))
            start += len(job.texts)
        return parts
