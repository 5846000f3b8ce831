"""Paired files: texts in `*_texts.txt` (or `*_raw_texts.txt`), labels with spaces between in `*_labels.txt`."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import DataError
from umpteen.core.files import decoded, existing, plain_name, raw_lines
from umpteen.data.format import Format, Head, Source
from umpteen.data.output import Output

PART = re.compile(r"(.*?)_((?:raw_)?texts|labels)\.txt", re.DOTALL)


class Paired(Format):
    """Two files side by side, as AttentionXML and LightXML have them."""

    names = ("*_texts.txt", "*_labels.txt")

    def detect(self, head: Head) -> bool:
        """By name: either file with the other beside it, or the part before `_texts`."""
        return None not in _files(head.path)

    def read(self, source: Source) -> Corpus:
        """Line by line."""
        texts, labels = _files(source.path)
        if texts is None or labels is None:
            problem = "Expected two files beside each other, named as train_texts.txt and train_labels.txt, got "
            raise DataError(f"{problem}{texts or labels or 'neither'}.", file=source.path)
        return source.corpus(lambda: _documents(source, texts, labels))

    def write(self, corpus: Corpus, output: Output) -> None:
        """Both files at once."""
        path = output.path
        match = PART.fullmatch(plain_name(path))
        ending = path.name.removeprefix(plain_name(path)) if match else ""
        prefix, kind = (match[1], match[2]) if match else (path.name, "texts")
        texts = output.open(path.with_name(f"{prefix}_{kind if kind != 'labels' else 'texts'}.txt{ending}"))
        labels = output.open(path.with_name(f"{prefix}_labels.txt{ending}"))
        for document in output.counted(corpus):
            output.no_place(document)
            texts.write(output.encoded(output.one_line(document.text)))
            labels.write(output.encoded(" ".join(output.words(document.labels))))


def _files(path: Path) -> tuple[Path | None, Path | None]:
    match = PART.fullmatch(plain_name(path))
    if match is None and path.exists():
        return None, None
    prefix, kind = (match[1], match[2]) if match else (path.name, "labels")
    kinds = ("texts", "raw_texts") if kind == "labels" else (kind,)
    texts = (existing(path.with_name(f"{prefix}_{kind}.txt")) for kind in kinds)
    return next((found for found in texts if found), None), existing(path.with_name(f"{prefix}_labels.txt"))


def _documents(source: Source, texts: Path, labels: Path) -> Iterator[Document]:
    for number, (text, field) in enumerate(zip_longest(raw_lines(texts), raw_lines(labels)), start=1):
        if text is None or field is None:
            long, short = (labels, texts) if text is None else (texts, labels)
            source.report(f"Expected as many lines as in {short.name}, which ends at line {number - 1}.", long, number)
            return
        file = texts
        try:
            content = decoded(text)
            file = labels
            found = tuple(decoded(field).split())
        except DataError as problem:
            source.report(problem, file, number)
            continue
        yield Document(content, found)
