"""What all routes share: the models, the thread that ranks, the learner, the limits."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from umpteen.app.server.answers import MOST, Answers
from umpteen.app.server.batching import Batcher
from umpteen.app.server.config import Config
from umpteen.app.server.learning import Learner
from umpteen.app.server.limits import check_lengths
from umpteen.app.server.metrics import Metrics
from umpteen.app.server.shelf import Served, Shelf, opened
from umpteen.contract.kinds import DEPTH

texts_log = logging.getLogger("umpteen.texts")


class Serving:
    """One worker's share of the server."""

    batcher: Batcher
    shelf: Shelf

    def __init__(self, config: Config) -> None:
        self.config = config
        self.metrics = Metrics()
        self.learner = Learner()
        self._models = [opened(id, Path(folder), language=config.language) for id, folder in config.models.items()]

    async def begin(self) -> None:
        """Be ready for requests."""
        self.shelf = Shelf(self._models, self.metrics)
        self.batcher = Batcher(queue=self.config.queue, timeout=self.config.timeout, metrics=self.metrics)
        self._watching = asyncio.create_task(self.shelf.watch(self.batcher))

    async def end(self) -> None:
        """Finish what was accepted."""
        self._watching.cancel()
        with suppress(asyncio.CancelledError):
            await self._watching
        await self.batcher.close()

    def check(self, texts: Sequence[str]) -> None:
        """Refuse texts that are too long; log them where that was asked for."""
        check_lengths(texts, self.config.text)
        if self.config.log == "texts":
            for text in texts:
                texts_log.info("%s", text)

    async def results(
        self,
        served: Served,
        texts: Sequence[str],
        *,
        limit: int,
        threshold: float,
        language: str = "",
        paths: bool = False,
        chosen: bool = False,
    ) -> list[str]:
        """For each text a JSON array of its labels; blank texts have none."""
        self.check(texts)
        answers: Answers = served.answers(language)
        k = min(limit, len(served.model.labels_), MOST)
        told = [text for text in texts if text and not text.isspace()]
        if not told or not k:
            return ["[]"] * len(texts)
        deep = chosen and served.model.tuning_ is not None  # policies look so far
        ranking = await self.batcher.rank(served.model, told, max(k, DEPTH) if deep else k)
        given = served.model.given(ranking)[:, :k] if chosen else None
        written = iter(answers.results(ranking.top(k), threshold=threshold, paths=paths, given=given))
        return [next(written) if text and not text.isspace() else "[]" for text in texts]
