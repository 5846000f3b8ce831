"""fastText's lines: `__label__x __label__y text`."""

import re

from umpteen.core.corpus import Document
from umpteen.data.format import Head, LineFormat
from umpteen.data.output import Output

MARK = "__label__"
LABEL = re.compile(rf"{MARK}(\S+)\s?")


class FastText(LineFormat):
    """Labels carry a mark and stand before the text."""

    names = ("*.ft", "*.fasttext")

    def detect(self, head: Head) -> bool:
        """The mark tells."""
        return any(line.startswith(MARK) for line in head.filled)

    def parse(self, line: str) -> Document | None:
        """Marked words up to the first that is not."""
        if not line:
            return None
        labels, at = [], 0
        while match := LABEL.match(line, at):
            labels.append(match[1])
            at = match.end()
        return Document("" if line.isspace() else line[at:], tuple(labels))

    def compose(self, document: Document, output: Output) -> str:
        """A space stands for a document without anything."""
        output.no_place(document)
        if LABEL.match(document.text):
            raise output.cannot(f"begins with {MARK}, which fastText takes for a label")
        marked = "".join(f"{MARK}{label} " for label in output.words(document.labels))
        return f"{marked}{output.one_line(document.text)}" or " "
