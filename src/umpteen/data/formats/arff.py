"""ARFF of MEKA (`-C n` in the relation's name) and Mulan (labels named in an XML file beside), dense or sparse rows."""

import re
from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from umpteen.core.corpus import Active, Corpus, Document
from umpteen.core.errors import DataError, shown
from umpteen.core.files import plain_name
from umpteen.data.attributes import VALUE, Layout, quoted, unquoted
from umpteen.data.format import Format, Head, Source
from umpteen.data.numbering import numbering
from umpteen.data.output import Output
from umpteen.data.pairs import number, once, rows

SIGNS = bytes.maketrans(b"}, :", b"  :x")  # `{3 1,7 1}` becomes `{ 3:1 7:1`, a row with `{` as its label field
COMMENT = "%"


class Arff(Format):
    """Labels are attributes, known by their names; a single string attribute is the text."""

    names = ("*.arff",)
    holds_features = True
    holds_label_names = True

    def detect(self, head: Head) -> bool:
        """By its ending, or its first word."""
        lines = (line.strip().lower() for line in head.filled if not line.lstrip().startswith(COMMENT))
        return bool(head.lines) and (self.named(head.path) or next(lines, "").startswith("@relation"))

    def read(self, source: Source) -> Corpus:
        """Text where there is a string attribute, else features."""
        layout = Layout(source.path)
        if layout.text is not None:
            return source.corpus(lambda: _texts(source, layout), space=layout.space)
        return source.corpus(
            lambda: _documents(source, layout),
            space=layout.space,
            width=len(layout.features),
            feature_names=[layout.attributes[column].name for column in layout.features],
        )

    def write(self, corpus: Corpus, output: Output) -> None:
        """MEKA's style: labels first, sparse rows."""
        labels = numbering(corpus)
        names = labels.names or [str(place) for place in range(labels.count)]
        if len(set(names)) < len(names):
            output.summary.dropped["label names"] = len(
                names
            )  # two are the same, so that they cannot tell labels apart
            names = [str(place) for place in range(labels.count)]
        features = corpus.feature_names or [f"f{place}" for place in range(corpus.width or 0)]
        stream = output.open()
        relation = f"{plain_name(output.path).removesuffix('.arff')}: -C {labels.count}"
        stream.write(output.encoded(f"@relation {quoted(relation)}\n"))
        stream.writelines(output.encoded(f"@attribute {quoted(name)} {{0,1}}") for name in names)
        stream.writelines(output.encoded(f"@attribute {quoted(name)} numeric") for name in features)
        if corpus.is_text:
            stream.write(output.encoded("@attribute text string"))
        stream.write(output.encoded("\n@data"))
        for document in output.counted(corpus):
            output.no_place(document)
            stream.write(output.encoded(_row(document, sorted(labels.of(document, output)), labels.count)))


def _row(document: Document, labels: list[int], count: int) -> str:
    parts = [f"{label} 1" for label in labels]
    if document.features is not None:
        indices, values = document.features
        order = np.argsort(indices)
        pairs = zip((indices[order] + count).tolist(), values[order], strict=True)
        parts += [f"{column} {str(value).removesuffix('.0')}" for column, value in pairs]
    else:
        parts.append(f"{count} {quoted(document.text)}")
    return f"{{{','.join(parts)}}}"


def _documents(source: Source, layout: Layout) -> Iterator[Document]:
    careful = partial(_careful, layout=layout)
    prepare = _odd if layout.flipped else _prepared
    found = rows(source, source.path, careful, width=len(layout.attributes), after=layout.after, prepare=prepare)
    for line, blank, field, active in found:
        if active is None or blank or field.startswith(COMMENT):
            continue
        try:
            if field != "{":
                got = shown(field) if field else "neither"
                raise DataError(f"Expected {len(layout.attributes)} values, or a sparse row in braces, got {got}.")
            document = _document(active, layout)
        except DataError as problem:
            source.report(problem, source.path, line)
            continue
        yield document


def _prepared(block: bytes) -> bytes:
    if block.count(b"{") != block.count(b"}"):
        return _odd(block)
    return block.replace(b", ", b",").translate(SIGNS).replace(b"{", b"{ ")


def _odd(block: bytes) -> bytes:
    """Lines that the fast path leaves to the careful one."""
    return b":\n" * (block.count(b"\n") + (not block.endswith(b"\n")))


def _document(active: Active, layout: Layout) -> Document:
    columns, values = active
    mask = layout.is_label[columns]
    held = values[mask]
    if not ((held == 0) | (held == 1)).all():
        wrong = int(np.flatnonzero((held != 0) & (held != 1))[0])
        name = layout.attributes[columns[mask][wrong]].name
        raise DataError(f"Expected 0 or 1 for label {name!r}, got {held[wrong]:g}.")
    labels = tuple(layout.attributes[column].name for column in columns[mask][held == 1].tolist())
    return Document(labels=labels, features=(layout.feature_of[columns[~mask]], values[~mask]))


def _careful(line: str, layout: Layout) -> tuple[str, Active]:
    """A row that is dense, unusual or wrong; a comment comes back as its sign."""
    if not line.strip() or line.lstrip().startswith(COMMENT):
        return COMMENT, (np.empty(0, np.int32), np.empty(0, np.float32))
    values = _dense(line, len(layout.attributes))
    if values is None:
        cells = _cells(line, layout)
        columns = np.array([column for column, _ in cells], np.int32)
        found = [number(unquoted(value), layout.attributes[column].name) for column, value in cells]
        values = np.array(found, np.float32)
        if not line.lstrip().startswith("{"):
            columns, values = columns[values != 0], values[values != 0]
    else:
        columns = np.flatnonzero(values).astype(np.int32)
        values = values[columns]
    return "{", (columns, values)


def _dense(line: str, width: int) -> NDArray[np.float32] | None:
    """All values of a plain dense row; None where it is anything else."""
    parts = line.split(",")
    if len(parts) != width:
        return None
    try:
        values = np.array(parts, np.float64)
    except ValueError:
        return None
    with np.errstate(over="ignore"):
        short = values.astype(np.float32)
    return short if np.isfinite(short).all() else None


def _cells(line: str, layout: Layout) -> list[tuple[int, str]]:
    """The columns of a row and what stands in them."""
    body, width = line.strip(), len(layout.attributes)
    if not body.startswith("{"):
        parts = VALUE.findall(body)
        if len(parts) != width:
            raise DataError(f"Expected {width} values, got {len(parts)}.")
        return list(enumerate(parts))
    if not body.endswith("}"):
        raise DataError(f"Expected }} at the end of a sparse row, got {shown(body[-20:])}.")
    if layout.flipped:
        name = layout.attributes[layout.flipped[0]].name
        raise DataError(f"Expected {{0,1}} for attribute {name!r} in a file with sparse rows, got {{1,0}}.")
    found = [re.fullmatch(r"\s*(\d{1,9})\s+(.*?)\s*", part, re.DOTALL) for part in VALUE.findall(body[1:-1].strip())]
    cells = [(int(match[1]), match[2]) for match in found if match]
    if len(cells) < len(found):
        raise DataError(f"Expected `column value` between commas, got {shown(body)}.")
    over = [column for column, _ in cells if column >= width]
    if over:
        raise DataError(f"Expected columns from 0 to {width - 1}, got {over[0]}.")
    once(np.array([column for column, _ in cells], np.int32), what="column")
    return cells


def _texts(source: Source, layout: Layout) -> Iterator[Document]:
    seen = 0

    def parse(line: str) -> Document | None:
        nonlocal seen
        seen += 1
        if seen <= layout.after or not line.strip() or line.lstrip().startswith(COMMENT):
            return None
        text, kept, labels = "", dict[str, float](), list[str]()
        for column, value in _cells(line, layout):
            name = layout.attributes[column].name
            if column == layout.text:
                text = unquoted(value)
            elif not layout.is_label[column]:
                kept[name] = float(number(unquoted(value), name))
            elif number(unquoted(value), name) != 0:
                labels.append(name)
        return Document(text, tuple(labels), metadata=kept)

    return source.parsed(source.path, parse)
