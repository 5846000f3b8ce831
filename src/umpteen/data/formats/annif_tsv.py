"""Annif's TSV: text, a tab, and the labels as `<uri> <uri> ...`."""

import re

from umpteen.core.corpus import Document
from umpteen.core.errors import DataError, shown
from umpteen.data.format import Head, LineFormat
from umpteen.data.output import Output

LABEL = re.compile(r"<([^<>]*)>|(\S+)")


class AnnifTsv(LineFormat):
    """Text first, labels in angle brackets, which may be missing where labels have no spaces."""

    names = ("*.tsv",)

    def detect(self, head: Head) -> bool:
        """Two columns, the second of labels in brackets or of addresses, or shorter than the first."""
        columns = [line.split("\t") for line in head.filled]
        if not columns or any(len(parts) != 2 for parts in columns):
            return False
        return labels_behind(columns) or longer_first(columns)

    def parse(self, line: str) -> Document | None:
        """What stands behind the last tab are labels."""
        if not line:
            return None
        text, tab, field = line.rpartition("\t")
        if not tab:
            raise DataError(f"Expected text, a tab and labels, got no tab in {shown(line)}.")
        return Document(text, bracketed(field))

    def compose(self, document: Document, output: Output) -> str:
        """Brackets around every label."""
        output.no_place(document)
        return f"{output.one_line(document.text, tabs=False)}\t{in_brackets(document, output)}"


def labels_behind(columns: list[list[str]]) -> bool:
    """Whether the second of two columns holds labels in brackets, or addresses."""
    labels = [parts[1].strip() for parts in columns if len(parts) == 2]
    return any(labels) and all(re.match(r"<[^<>]+>|\w+://|$", part) for part in labels)


def longer_first(columns: list[list[str]]) -> bool:
    """Whether the first of two columns holds more text than the second, which tells text from labels."""
    return sum(len(parts[0]) for parts in columns) > sum(len(parts[-1]) for parts in columns)


def bracketed(field: str) -> tuple[str, ...]:
    """The labels in a field of `<label> <label>`, or of labels with spaces between."""
    return tuple(match[1] if match[1] is not None else match[2] for match in LABEL.finditer(field))


def in_brackets(document: Document, output: Output) -> str:
    """The field that `bracketed` reads."""
    for label in document.labels:
        if not label or re.search(r"[<>\t\r\n]", label):
            raise output.cannot(f"has the label {label!r}, which cannot stand between < and >")
    return " ".join(f"<{label}>" for label in document.labels)
