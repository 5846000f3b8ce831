"""Annif's CSV: a header with `text` and `subject_uris` (or `labels`), perhaps `document_id`; more is metadata."""

import csv
import json
from collections.abc import Iterator
from io import StringIO

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import DataError, shown
from umpteen.core.files import LINE_LIMIT, decoded, lines, raw_lines
from umpteen.data.format import Format, Head, Source
from umpteen.data.formats.annif_tsv import bracketed, in_brackets
from umpteen.data.output import Output

SUBJECTS = ("subject_uris", "labels")
OWN = ("text", "document_id", *SUBJECTS)


class AnnifCsv(Format):
    """Quoted fields may run over lines, so texts stay whole."""

    names = ("*.csv",)

    def detect(self, head: Head) -> bool:
        """A header that names the text, and the labels unless the file's name says CSV."""
        columns = _columns("".join(head.filled[:1]))
        return "text" in columns and (any(name in columns for name in SUBJECTS) or self.named(head.path))

    def read(self, source: Source) -> Corpus:
        """The header says which column is what."""
        _, first = next(lines(source.path), (1, ""))
        columns = _columns(first)
        if "text" not in columns or len(set(columns)) < len(columns):
            problem = f"Expected a header of different names, 'text' among them, got {shown(first)}."
            raise DataError(problem, file=source.path, line=1)
        return source.corpus(lambda: _documents(source, columns))

    def write(self, corpus: Corpus, output: Output) -> None:
        """A first pass finds the columns that metadata needs."""
        names: dict[str, None] = {}
        has_id = False
        for document in corpus:
            names.update(dict.fromkeys(name for name in document.metadata if name not in OWN))
            has_id = has_id or bool(document.id)
        stream = output.open()
        columns = ["text", "subject_uris", *(["document_id"] if has_id else []), *names]
        stream.write(output.encoded(_row(columns)))
        for document in output.counted(corpus):
            output.no_place(document, id=False, held=names)
            fields = [document.text, in_brackets(document, output), *([document.id] if has_id else [])]
            fields += [_cell(document.metadata.get(name, ""), output) for name in names]
            stream.write(output.encoded(_row(fields)))


def _columns(line: str) -> list[str]:
    """The names in a header; none where it is not CSV."""
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        return []


def _row(fields: list[str]) -> str:
    line = StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(fields)  # the signs in its end are those that get quotes
    return line.getvalue().removesuffix("\r\n")


def _cell(value: object, output: Output) -> str:
    if isinstance(value, str):
        return value
    output.summary.changed["metadata that is not text became JSON"] += 1
    return json.dumps(value, ensure_ascii=False)


def _documents(source: Source, columns: list[str]) -> Iterator[Document]:
    csv.field_size_limit(LINE_LIMIT)
    spoiled: list[DataError] = []
    reader = csv.reader(_text(source, spoiled), strict=True)
    next(reader)
    while True:
        begin = reader.line_num + 1
        try:
            fields = next(reader)
            if spoiled:
                raise spoiled[0]
            document = _document(fields, columns) if fields else None
        except StopIteration:
            return
        except csv.Error as error:
            source.report(f"Expected quoted CSV, got a row that ends wrongly ({error}).", source.path, begin)
            continue
        except DataError as problem:
            spoiled.clear()
            source.report(problem, source.path, begin)
            continue
        if document is not None:
            yield document


def _text(source: Source, spoiled: list[DataError]) -> Iterator[str]:
    """The lines with their ends; what is wrong with one is kept for the row that it belongs to."""
    for number, raw in enumerate(raw_lines(source.path, ends=True), start=1):
        try:
            line = decoded(raw)
        except DataError as problem:
            spoiled.append(DataError(str(problem), file=source.path, line=number))
            line = raw.decode(errors="replace")
        yield line


def _document(fields: list[str], columns: list[str]) -> Document:
    if len(fields) != len(columns):
        raise DataError(f"Expected {len(columns)} fields ({', '.join(columns)}), got {len(fields)}.")
    row = dict(zip(columns, fields, strict=True))
    labels = next((bracketed(row[name]) for name in SUBJECTS if name in row), ())
    metadata = {name: value for name, value in row.items() if value and name not in OWN}
    return Document(row["text"], labels, row.get("document_id", ""), metadata=metadata)
