"""Sources: where a study's data are, and the training, validation and test documents of one run."""

import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

from umpteen.core.cache import cache_folder
from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import DataError, did_you_mean
from umpteen.core.space import Label
from umpteen.data.datasets import names as fetchable
from umpteen.data.folder import TEST, TRAIN, corpus_at, has, label_file, member
from umpteen.data.noise import noisy
from umpteen.data.split import split, splits
from umpteen.labels.files import read_labels
from umpteen.study.plan import Data, Split

_CHUNK = 2**20


@dataclass(frozen=True)
class Source:
    """Data that were found."""

    data: Data
    train: Path
    test: Path | None  # none where there is one file alone
    labels: Path | None
    is_text: bool

    @property
    def split(self) -> Split | None:
        """The random splits: those asked for, or one where the data have no test documents of their own."""
        return self.data.split or (Split() if self.test is None else None)

    @property
    def files(self) -> dict[str, str]:
        """The files, by their parts."""
        parts = {"train": self.train, "test": self.test, "labels": self.labels}
        return {part: str(path.absolute()) for part, path in parts.items() if path is not None}


def found(data: Data) -> Source:
    """The data, looked for and looked into."""
    path = _located(data)
    test = member(path, TEST) if has(path, TEST) else None
    train = (member(path, TRAIN) if data.format is None else None) or path
    labels = Path(data.labels) if data.labels else label_file(path)
    if labels is not None and not labels.is_file():
        raise DataError(f"There is no file {labels} of label names for {data.name!r}.")
    corpus = corpus_at(train, format=data.format)
    if next(iter(corpus), None) is None:
        raise DataError("There is no document in it.", file=train)
    _check_where(data, corpus)
    return Source(data, train, test, labels, corpus.is_text)


def _is_there(place: Path) -> bool:
    try:
        return place.exists()
    except OSError:  # a folder that may not be looked into
        return False


def _located(data: Data) -> Path:
    name = Path(data.path).expanduser()
    kept = os.environ.get("UMPTEEN_DATA")
    places = [name, *([Path(kept).expanduser() / name] if kept else [])]
    if len(name.parts) == 1:
        places += [*(folder / name for folder in sorted(Path().iterdir())), cache_folder() / name]
    for place in places:
        if _is_there(place):
            return place
    looked = f"in {kept} (UMPTEEN_DATA)" if kept else "in UMPTEEN_DATA, which is not set"
    known = {path.name for root in (Path(kept or "."), name.parent) if root.is_dir() for path in root.iterdir()}
    hint = did_you_mean(name.name, known)
    raise DataError(
        f"There are no data {data.path!r}: looked here, in the folders here and {looked}. "
        + (f"{hint} " if hint.startswith("Did you") else "")
        + _fetched(name.name)
        + "Name their path with --data PATH, or set UMPTEEN_DATA to the folder that holds them."
    )


def _fetched(name: str) -> str:
    """How to come by data that can be fetched."""
    return f"Fetch them with: umpteen get {name}. " if name in fetchable() else ""


def _check_where(data: Data, corpus: Corpus) -> None:
    if not data.where or next(iter(_kept(corpus, data.where)), None) is not None:
        return
    seen = {key for document in islice(corpus, 1000) for key in document.metadata}
    wanted = ", ".join(f"{key} = {' or '.join(map(repr, values))}" for key, values in data.where.items())
    beside = f"Beside their text they have: {', '.join(sorted(seen))}." if seen else "They have text and labels alone."
    raise DataError(f"No document has {wanted}. {beside}", file=corpus.name)


def _kept(corpus: Corpus, where: Mapping[str, Any]) -> Corpus:
    def fits(document: Document) -> bool:
        return all(document.metadata.get(key) in values for key, values in where.items())

    return corpus.where(fits) if where else corpus


def marks(source: Source) -> dict[str, str]:
    """A mark of each file that any change to it changes."""
    return {part: mark(Path(path)) for part, path in source.files.items()}


def mark(path: Path) -> str:
    """A mark of a file, or of all files of a folder."""
    total, size = 0, 0
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            with file.open("rb") as stream:
                while chunk := stream.read(_CHUNK):
                    total, size = zlib.crc32(chunk, total), size + len(chunk)
    return f"{size}-{total:08x}"


@dataclass(frozen=True)
class Parts:
    """The documents of one run."""

    clean: Corpus  # training documents before noise
    train: Corpus
    valid: Corpus | None
    test: Corpus
    labels: Mapping[str, Label] | None


def corpora(source: Source) -> tuple[Corpus, Corpus | None]:
    """All training and test documents; where they are split at random, all together and none."""
    data = source.data
    train, *tests = _read(source.files, data.where, data.format)
    if source.split is not None:
        return _joined(train, *tests), None
    return train, tests[0]


def parts(files: Mapping[str, str], wanted: Mapping[str, Any]) -> Parts:
    """Split, filtered, and with noise in the training labels, as a run's definition wants them.

    A run of a search is judged by the validation documents and never sees the test documents, and may learn from a
    share of the others.
    """
    number = wanted["split"]
    train, *tests = _read(files, wanted["where"], wanted["format"])
    test = tests[0] if tests else None
    if number is not None:
        train, test = _drawn(_joined(train, *tests), number["number"], number["test"])
    valid = _read({"train": files["valid"]}, wanted["where"], wanted["format"])[0] if "valid" in files else None
    if wanted["valid"]:
        shares = {"train": 1 - wanted["valid"], "valid": wanted["valid"]}
        divided = split(train, shares, seed=wanted["seed"])
        train, valid = divided["train"], divided["valid"]
    if (share := wanted.get("share")) is not None:
        train, valid, test = _sample(train, share, seed=wanted["seed"]), None, valid
    assert test is not None
    clean = train
    if wanted["noise"] is not None:
        train = noisy(train, wanted["noise"]["rate"], kind=wanted["noise"]["kind"], seed=wanted["seed"])
    return Parts(clean, train, valid, test, read_labels(Path(files["labels"])) if "labels" in files else None)


def _read(files: Mapping[str, str], where: Mapping[str, Any], format: str | None) -> list[Corpus]:
    there = [Path(files[part]) for part in ("train", "test") if part in files]
    return [_kept(corpus_at(path, format=format), where) for path in there]


def _sample(corpus: Corpus, share: float, *, seed: int) -> Corpus:
    """A share of the documents; a larger one has all of a smaller."""
    return split(corpus, {"taken": share, "left": 1 - share}, seed=seed + 1)["taken"] if share < 1 else corpus


def _joined(*corpora: Corpus) -> Corpus:
    sizes = [corpus.size for corpus in corpora]
    known = None if None in sizes else sum(size or 0 for size in sizes)

    def documents() -> Iterator[Document]:
        return chain.from_iterable(corpora)

    return corpora[0].changed(documents, size=known) if len(corpora) > 1 else corpora[0]


def _drawn(corpus: Corpus, number: int, test: float) -> tuple[Corpus, Corpus]:
    return next(islice(splits(corpus, number + 1, test=test), number, None))
