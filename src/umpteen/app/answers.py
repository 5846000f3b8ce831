"""How labels of a document are printed: for people, as TSV, or as JSON lines."""

import json
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from umpteen.core.legible import meter, one_line

if TYPE_CHECKING:
    from umpteen.core.corpus import Document
    from umpteen.core.space import LabelSpace

Answer = list[tuple[int, float]]  # label ids and scores, best first
Writer = Callable[["Document", str, Answer, "LabelSpace"], Iterator[str]]


def for_people(document: "Document", id: str, answer: Answer, space: "LabelSpace") -> Iterator[str]:
    """A line that tells which document this is, unless it is the only one, and a line for each label."""
    if id:
        title = one_line(document.text.partition("\n")[0], 80)
        yield _dim(f"{one_line(id)}  {title}".rstrip())
    for label, score in answer:
        yield f"  {score:.2f} {meter(score)} {label_text(space, label)}"
    if not answer:
        yield "  no label"
    yield ""


def as_tsv(document: "Document", id: str, answer: Answer, space: "LabelSpace") -> Iterator[str]:
    """Document, rank, label, name, score."""
    called = " ".join(id.split()) or "1"
    for rank, (label, score) in enumerate(answer, start=1):
        yield f"{called}\t{rank}\t{_cell(space.keys[label])}\t{_cell(space.name(label))}\t{score:.4f}"


@lru_cache(maxsize=1 << 16)
def _cell(text: str) -> str:
    """Text without tabs and line ends; the same labels come again and again."""
    return " ".join(text.split())


def as_json(document: "Document", id: str, answer: Answer, space: "LabelSpace") -> Iterator[str]:
    """An object with the document's id and its labels."""
    labels = [{"id": space.keys[n], "name": space.name(n), "score": round(score, 6)} for n, score in answer]
    yield json.dumps({"id": id or "1", "labels": labels}, ensure_ascii=False)


def label_text(space: "LabelSpace", label: int) -> str:
    """A label as people read it: its name below those above it, and its key where that says something else."""
    path = " > ".join(map(one_line, space.path(label)))
    key = space.keys[label]
    return path if key == space.name(label) else f"{path}  {_dim(f'({one_line(key)})')}"


def _dim(text: str) -> str:
    return f"\x1b[2m{text}\x1b[0m" if sys.stdout.isatty() else text
