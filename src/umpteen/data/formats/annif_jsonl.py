"""Annif's JSON lines: {"document_id", "text", "metadata": {...}, "subjects": [{"uri" or "label"}]}."""

from umpteen.core.corpus import Document
from umpteen.data.format import Head, LineFormat
from umpteen.data.output import Output
from umpteen.data.records import annif_document, annif_record, first_record, record, record_line


class AnnifJsonl(LineFormat):
    """Subjects are known by URI, else by label."""

    def detect(self, head: Head) -> bool:
        """A record with Annif's names and not with those of plain JSON lines."""
        found = first_record(head)
        return "text" in found and "labels" not in found and ("subjects" in found or "document_id" in found)

    def parse(self, line: str) -> Document | None:
        """A record is a document."""
        return annif_document(record(line)) if line.strip() else None

    def compose(self, document: Document, output: Output) -> str:
        """All has its place."""
        return record_line(annif_record(document), output)
