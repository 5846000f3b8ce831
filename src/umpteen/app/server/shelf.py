"""The models being served, each read from its folder again when another takes its place there."""

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from umpteen.app.server.answers import Answers
from umpteen.app.server.batching import Batcher
from umpteen.app.server.metrics import Metrics
from umpteen.app.server.problem import Problem
from umpteen.app.server.search import Search
from umpteen.contract.classifier import Classifier, model_name
from umpteen.core.errors import DataError, UmpteenError
from umpteen.core.store import MANIFEST
from umpteen.models import entries, load

_EVERY = 1.0  # seconds between two looks at the folders
_SAMPLE = "A first text, so that the first request does not wait for what is made once."
Mark = tuple[int, int, int]  # what changes when another folder takes a folder's place
log = logging.getLogger("umpteen.server")


@dataclass(frozen=True)
class Served:
    """A model under its project id, as it was read from its folder."""

    id: str
    path: Path
    model: Classifier
    mark: Mark | None
    language: str  # as its server was told
    languages: list[str]  # that label names are known in
    _ways: dict[str, Answers] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Of the model."""
        return model_name(type(self.model))

    @property
    def changed(self) -> str:
        """When the folder was written."""
        seconds = (self.mark[1] if self.mark else 0) / 1e9
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def answers(self, language: str = "") -> Answers:
        """How labels are written, by name in a language."""
        wanted = language or (self.language if self.language in self.languages else self.languages[0])
        if wanted not in self.languages:
            raise Problem(400, f'language "{wanted}" not supported by vocabulary')
        if wanted not in self._ways:
            self._ways[wanted] = Answers(self.model.labels_, wanted)
        return self._ways[wanted]

    @cached_property
    def search(self) -> Search:
        """Over the labels; made when first asked for."""
        return Search(self.model.labels_)

    def vocabulary(self) -> dict[str, Any]:
        """The labels as Annif's clients know vocabularies."""
        size = len(self.model.labels_)
        return {"vocab_id": self.id, "languages": self.languages, "size": size, "loaded": True}

    def project(self) -> dict[str, Any]:
        """The model as Annif's clients know projects."""
        return {
            "project_id": self.id,
            "name": self.id,
            "language": self.language,
            "backend": {"backend_id": self.name},
            "vocab": self.vocabulary(),
            "vocab_language": self.answers().language,
            "is_trained": True,
            "modification_time": self.changed,
        }

    @property
    def meaning(self) -> str:
        """What kind of model it is, in a line."""
        return entries()[self.name].meaning


def opened(id: str, path: Path, *, language: str) -> Served:
    """The model in a folder, made ready for its first request."""
    mark, model = mark_of(path), load(path)
    try:
        model.rank([_SAMPLE], 10)
    except DataError as error:
        raise DataError(f"{path} cannot be served: the server tags texts. {error}") from error
    space = model.labels_
    languages = dict.fromkeys(code for key in space.keys for code in space.label(key).names)
    return Served(id, path, model, mark, language, [*languages] or [language])


def mark_of(path: Path) -> Mark | None:
    """None while there is no model."""
    try:
        found = (path / MANIFEST).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


class Shelf:
    """Models by project id; a request keeps the model it began with."""

    def __init__(self, served: Iterable[Served], metrics: Metrics) -> None:
        self._served = {one.id: one for one in served}
        self._metrics = metrics
        self._failed: dict[str, Mark | None] = {}  # folders that could not be read, until they change again
        self._reading = asyncio.Lock()
        for one in self._served.values():
            self._metrics.labels.labels(one.id).set(len(one.model.labels_))

    def __getitem__(self, id: str) -> Served:
        try:
            return self._served[id]
        except KeyError:
            raise Problem(404, f"Project '{id}' not found", title="Project not found") from None

    def all(self) -> list[Served]:
        """In the order they were named."""
        return [*self._served.values()]

    async def watch(self, batcher: Batcher) -> None:
        """Look for replaced folders, for ever."""
        while True:
            await asyncio.sleep(_EVERY)
            for id in [*self._served]:
                await self.refresh(id, batcher)

    async def refresh(self, id: str, batcher: Batcher) -> None:
        """Read a folder again if another took its place; until that is done, and if it fails, the old model answers."""
        async with self._reading:
            old, mark = self._served[id], mark_of(self._served[id].path)
            if mark is None or mark in (old.mark, self._failed.get(id)):
                return
            try:
                self._served[id] = await asyncio.to_thread(_reopened(old))
            except (UmpteenError, OSError) as error:
                if mark_of(old.path) == mark:  # else it was replaced once more meanwhile
                    self._failed[id] = mark
                    self._metrics.failed_reloads.labels(id).inc()
                    log.error("%s: the new model is not served, the old one goes on. %s", id, error)
                return
        self._metrics.reloads.labels(id).inc()
        self._metrics.labels.labels(id).set(len(self._served[id].model.labels_))
        log.info("%s: serving the model of %s", id, self._served[id].changed)


def _reopened(old: Served) -> Callable[[], Served]:
    return lambda: opened(old.id, old.path, language=old.language)
