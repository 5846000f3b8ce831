"""Annif's folder: per document a `.txt` with labels in a `.key` or `<uri>`s in a `.tsv` beside it, or a `.json`."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import DataError, shown
from umpteen.core.files import decoded, existing, lines, opened, plain_name, whole
from umpteen.data.format import Format, Head, Source
from umpteen.data.output import BREAKS, Output
from umpteen.data.records import annif_document, annif_record, first_record, record, record_line

SAFE = re.compile(r"\w[\w.-]{0,150}", re.ASCII)


class AnnifDir(Format):
    """A document's id is its file's name."""

    def detect(self, head: Head) -> bool:
        """A folder with texts that have labels beside them, or with Annif's records."""
        return head.is_folder and any(map(_tells, head.path.iterdir()))

    def read(self, source: Source) -> Corpus:
        """In the order of names."""
        if not source.path.is_dir():
            raise DataError("Expected a folder of documents, got no folder.", file=source.path)
        return source.corpus(lambda: _documents(source))

    def write(self, corpus: Corpus, output: Output) -> None:
        """A text and its labels; as record where there is metadata or an id that cannot be a file's name."""
        folder = output.staging.folder(output.path)
        for number, document in enumerate(output.counted(corpus), start=1):
            stem = document.id or f"{number:08d}"
            file = folder / f"{stem}.txt"
            if document.metadata or _odd(document) or not SAFE.fullmatch(stem) or file.exists():
                line = record_line(annif_record(document), output)
                (folder / f"{number:08d}.json").write_bytes(output.encoded(line))
                continue
            file.write_bytes(output.encoded(document.text)[:-1])
            if document.labels:
                _write_labels(folder / stem, document.labels, output)


def _odd(document: Document) -> bool:
    return any(not label.strip() or label.strip() != label or BREAKS.search(label) for label in document.labels)


def _write_labels(stem: Path, labels: tuple[str, ...], output: Output) -> None:
    uris = all("://" in label and not re.search(r"[<>\s]", label) for label in labels)
    rows = [f"<{label}>\t" if uris else label for label in labels]
    file = stem.with_name(f"{stem.name}.{'tsv' if uris else 'key'}")
    file.write_bytes(b"".join(map(output.encoded, rows)))


def _documents(source: Source) -> Iterator[Document]:
    for name in sorted(file.name for file in source.path.iterdir()):
        file = source.path / name
        if name.startswith(".") or not plain_name(file).endswith((".txt", ".json")):
            continue
        try:
            document = _document(file)
        except DataError as problem:
            source.report(problem, file)
            continue
        yield document


def _document(file: Path) -> Document:
    stem, _, kind = plain_name(file).rpartition(".")
    if kind == "txt":
        return Document(_content(file), _labels(file.with_name(stem)), stem)
    found = annif_document(record(_content(file)))
    return found if found.id else replace(found, id=stem)


def _tells(file: Path) -> bool:
    stem, _, kind = plain_name(file).rpartition(".")
    if kind == "json":
        found = first_record(Head(file))
        return "text" in found and "target_ind" not in found
    return kind in ("key", "tsv") and existing(file.with_name(f"{stem}.txt")) is not None


def _content(file: Path) -> str:
    with opened(file) as stream:
        return decoded(whole(stream, file)).removeprefix("\ufeff")


def _labels(stem: Path) -> tuple[str, ...]:
    if keys := existing(stem.with_name(f"{stem.name}.key")):
        return tuple(line.strip() for _, line in lines(keys) if line.strip())
    table = existing(stem.with_name(f"{stem.name}.tsv"))
    return tuple(_uri(line, table, number) for number, line in lines(table) if line.strip()) if table else ()


def _uri(line: str, file: Path, number: int) -> str:
    match = re.match(r"\s*<([^<>]+)>", line)
    if match is None:
        raise DataError(f"Expected <uri>, a tab and a label, got {shown(line)}.", file=file, line=number)
    return match[1]
