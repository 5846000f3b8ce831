"""LibMultiLabel's lines: `[id<TAB>]label label<TAB>text`."""

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import DataError, shown
from umpteen.data.format import Head, LineFormat
from umpteen.data.formats.annif_tsv import labels_behind, longer_first
from umpteen.data.output import Output


class LibMultiLabel(LineFormat):
    """Labels first, with spaces between them."""

    def detect(self, head: Head) -> bool:
        """Two or three columns throughout, the last of them the longest, and no labels in brackets behind."""
        columns = [line.split("\t") for line in head.filled]
        if not columns or any(len(parts) != len(columns[0]) for parts in columns) or len(columns[0]) not in (2, 3):
            return False
        return not labels_behind(columns) and not longer_first([parts[-2:] for parts in columns])

    def parse(self, line: str) -> Document | None:
        """Three columns begin with an id."""
        if not line:
            return None
        parts = line.split("\t")
        if len(parts) not in (2, 3):
            raise DataError(f"Expected [id<TAB>]labels<TAB>text, got {len(parts) - 1} tabs in {shown(line)}.")
        return Document(parts[-1], tuple(parts[-2].split()), parts[0] if len(parts) == 3 else "")

    def write(self, corpus: Corpus, output: Output) -> None:
        """All lines have an id, or none has."""
        output.with_ids = any(document.id for document in corpus)
        super().write(corpus, output)

    def compose(self, document: Document, output: Output) -> str:
        """Tabs only between the columns."""
        output.no_place(document, id=False)
        parts = [output.one_line(document.id, tabs=False)] if output.with_ids else []
        return "\t".join([*parts, " ".join(output.words(document.labels)), output.one_line(document.text, tabs=False)])
