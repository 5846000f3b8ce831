"""Labels by number, as the XC repository's files have them, with the names that lie beside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import DataError, shown
from umpteen.core.files import existing
from umpteen.core.listed import listed_names
from umpteen.core.space import Label, LabelSpace
from umpteen.data.output import BREAKS, Output

UNPROVEN = 5_000_000  # so much is believed from a header alone; more must be in keeping with the file's size
LABEL_LISTS = ("labels.txt", "Y.txt")
FEATURE_LISTS = ("features.txt", "Xf.txt")


def numbered_space(path: Path, count: int) -> LabelSpace:
    """Labels "0", "1", ... as many as a header promises, named by the list beside the file."""
    bear_out(path, count, "labels", 10)
    keys = [str(number) for number in range(count)]
    names = names_beside(path, LABEL_LISTS, count) or []
    return LabelSpace(keys, labels={key: Label(key, name) for key, name in zip(keys, names, strict=False)})


def bear_out(path: Path, count: int, what: str, per_byte: int) -> None:
    """Raise where a header promises more than a file of this size can have."""
    size = path.stat().st_size
    if count > max(UNPROVEN, per_byte * size):
        problem = f"The header promises {count:,} {what}, which a file of {size:,} bytes does not bear out."
        raise DataError(problem, file=path, line=1)


def names_beside(path: Path, lists: Sequence[str], count: int) -> list[str] | None:
    """The list of names beside the file; None unless it has as many as there should be."""
    found = next((p for name in lists if (p := existing(path.with_name(name))) is not None and p != path), None)
    names = listed_names(found, most=count + 1) if found is not None else []
    return names if len(names) == count and count else None


def label_number(text: str, count: int) -> str:
    """The key of a label written as a number, which may be wrong."""
    if not (text.isascii() and text.isdigit()):
        raise DataError(f"Expected labels numbered from 0 to {count - 1}, as the header promises, got {shown(text)}.")
    number = text.lstrip("0") or "0"
    if int(number[:18]) >= count:
        raise DataError(f"Expected labels from 0 to {count - 1}, as the header promises, got {shown(text)}.")
    return number


@dataclass(frozen=True)
class Numbering:
    """The numbers that a corpus's labels get in a file, in how many documents."""

    numbers: Mapping[str, int]
    count: int
    names: Sequence[str] | None  # where the numbers do not say it all
    documents: int

    def of(self, document: Document, output: Output) -> list[int]:
        """The numbers of a document's labels."""
        try:
            return [self.numbers[label] for label in document.labels]
        except KeyError as unknown:
            raise output.cannot(f"has the label {unknown}, which the corpus's list of labels lacks") from None

    def check(self, output: Output) -> None:
        """Raise where other documents came than were announced."""
        if output.summary.documents != self.documents:
            raise DataError(
                f"{self.documents} documents were announced, {output.summary.documents} came. Did the source change?"
            )


def numbering(corpus: Corpus) -> Numbering:
    """Numbers for the labels of a corpus, by a pass over it where it does not know them."""
    if corpus.space is not None:
        size = sum(1 for _ in corpus) if corpus.size is None else corpus.size
        space = corpus.space
        names: list[str] | None = space.keys
        if all(key == str(number) for number, key in enumerate(space.keys)):
            names = [space.name(number) for number in range(len(space))]
            names = None if names == space.keys else names
        return Numbering({key: number for number, key in enumerate(space.keys)}, len(space), names, size)
    numbers: dict[str, int] = {}
    size = 0
    for document in corpus:
        size += 1
        for label in document.labels:
            numbers.setdefault(label, len(numbers))
    if all(len(key) < 19 and key.isascii() and key.isdigit() and key == str(int(key)) for key in numbers):
        most = max(map(int, numbers), default=-1) + 1
        if most <= max(UNPROVEN, 10 * len(numbers)):
            return Numbering({key: int(key) for key in numbers}, most, None, size)
    return Numbering(numbers, len(numbers), list(numbers), size)


def write_names(output: Output, path: Path, names: Sequence[str] | None) -> None:
    """The list of names beside a file, where there are names."""
    if names is None:
        return
    broken = next((name for name in names if BREAKS.search(name)), None)
    if broken is not None:
        raise DataError(f"The name {shown(broken)} has a line break, which {path.name} cannot hold.")
    output.companion(path, names)


def relevance(document: Document, output: Output) -> list[float]:
    """How much each label holds, one number each; ones unless the document knows better."""
    worth = document.metadata.get("target_rel")
    if worth is None:
        return [1.0] * len(document.labels)
    if not isinstance(worth, list) or len(worth) != len(document.labels):
        raise output.cannot(f"has {len(document.labels)} labels, but as target_rel {str(worth)[:60]}")
    try:
        return [float(value) for value in worth]
    except (TypeError, ValueError, OverflowError):
        raise output.cannot(f"has as target_rel {str(worth)[:60]}, which are not all numbers") from None
