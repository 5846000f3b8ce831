"""A data folder: train, test and label files that go together, or a single corpus file."""

from pathlib import Path
from typing import TYPE_CHECKING

from umpteen.core.errors import DataError
from umpteen.core.files import ENDINGS, plain_name

if TYPE_CHECKING:
    from umpteen.core.corpus import Corpus

TRAIN, VALID, TEST = ("train", "trn"), ("valid", "dev"), ("test", "tst", "dev", "valid")
LABELS = ("labels.tsv", "vocabulary.txt", "labels.ttl", "labels.rdf")


def corpus_at(
    path: Path,
    *,
    part: tuple[str, ...] = TRAIN,
    format: str | None = None,
    base: int | None = None,
    skip_bad: bool = False,
) -> "Corpus":
    """The corpus at `path`; of a folder with train and test files, the one that belongs to `part`."""
    from umpteen.data.read import read

    place = path if format is not None else member(path, part) or path
    return read(place, format=format, base=base, skip_bad=skip_bad)


def member(path: Path, part: tuple[str, ...]) -> Path | None:
    """The data file in a folder that is named for `part`, or the only one; None where the path is no such folder."""
    if not path.is_dir() or is_corpus(path):
        return None
    files = [file for file in sorted(path.iterdir()) if file.is_file() and not file.name.startswith(".")]
    for name in part:
        named = [file for file in files if file.name.partition(".")[0] == name]
        if len(named) > 1:
            raise DataError(f"Both {named[0].name} and {named[1].name} are there. Name the one to read.", file=path)
        if named:
            return named[0]
    data = [file for file in files if part == TRAIN and is_corpus(file)]
    if len(data) != 1:
        raise DataError(f"There is no {part[0]} file in this folder. Name the file to read.", file=path)
    return data[0]


def has(path: Path, part: tuple[str, ...]) -> bool:
    """Whether the folder has a file named for `part`."""
    return path.is_dir() and any(file.name.partition(".")[0] in part for file in path.iterdir() if file.is_file())


def label_file(path: Path) -> Path | None:
    """The file in a data folder that names its labels."""
    beside = (path / f"{name}{ending}" for name in LABELS for ending in ("", *ENDINGS))
    return next((file for file in beside if file.is_file()), None)


def is_corpus(path: Path) -> bool:
    """Whether a format knows the file or folder as its own."""
    from umpteen.data.format import Head
    from umpteen.data.formats import formats

    head = Head(path)
    return any(kind.detect(head) for kind in formats().values())


def spoken_name(path: str | Path) -> str:
    """A short name for data: its folder and file, without the ending."""
    place = Path(path).absolute()
    return f"{place.parent.name}/{plain_name(place).partition('.')[0]}" if place.parent.name else place.name
