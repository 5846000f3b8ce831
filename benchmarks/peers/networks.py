"""The deep systems compared."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from peers.libml import LibMultiLabel
from peers.network import TOP, Clock, Network


class Umpteen(Network):
    """This project's AttentionXML as it is. Validation counts as training here."""

    settings: ClassVar[dict[str, Any]] = {}

    def read(self) -> None:
        super().read()
        import umpteen
        from umpteen.core.progress import show_on
        from umpteen.models import model

        self.api, self.made, self.show_on = umpteen, model("attentionxml"), show_on

    def fit(self, folder: Path, clock: Clock) -> None:
        sizes = self.sizes
        self.model = self.made(
            hidden=sizes.hidden,
            layers=(256,),
            vectors=str(self.data / "vectors.txt"),
            learn_vectors=False,
            batch=sizes.batch,
            tokens=sizes.batch * sizes.length,  # so that all batches are full
            length=sizes.length,
            pieces=1,
            epochs=sizes.epochs,
            least_steps=0,
            every=math.ceil(len(self.train) / sizes.batch),  # one look at validation documents an epoch
            patience=sizes.patience or sizes.epochs,
            jobs=sizes.threads,
            **self.settings,
        )
        self.show_on(Watch(clock))
        space = self.api.LabelSpace(map(str, range(self.labels)))
        self.model.fit(self._corpus(self.train), labels=space, valid=self._corpus(self.valid))
        self.model.save(folder)

    def load(self, folder: Path) -> None:
        import umpteen

        self.model = umpteen.load(folder)

    def tag(self, texts: list[str]) -> NDArray[np.int32]:
        return np.asarray(self.model.rank(texts, TOP).labels)

    def _corpus(self, documents: list[dict[str, Any]]) -> Any:
        return self.api.Corpus.from_texts(
            [d["text"] for d in documents], [[str(label) for label in d["labels"]] for d in documents]
        )


class UmpteenFlat(Umpteen):
    """The same with every label attending, however many there are."""

    settings: ClassVar[dict[str, Any]] = {"shortlist": 0}


class Watch:
    """Shows no progress, but tells the clock of it."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.since = clock, 0.0

    @contextmanager
    def bar(self, what: str, total: float | None) -> Iterator[Any]:
        self.learns, self.since = what == "Learning", time.perf_counter()
        yield self

    def advance(self, amount: float = 1) -> None:
        if self.learns:
            now = time.perf_counter()
            self.clock.saw(amount, now - self.since)
            self.since = now

    def note(self, text: str) -> None:
        pass


NETWORKS: dict[str, type[Network]] = {
    "umpteen": Umpteen,
    "umpteen-flat": UmpteenFlat,
    "libmultilabel": LibMultiLabel,
}
