"""JSON lines: {"id", "text", "labels": [...]}, anything else is metadata."""

from umpteen.core.corpus import Document
from umpteen.data.format import Head, LineFormat
from umpteen.data.output import Output, beside
from umpteen.data.records import first_record, key_of, list_of, record, record_line, text_of

OWN = ("id", "text", "labels")
FOREIGN = ("subjects", "document_id", "target_ind")  # names that tell other formats


class Jsonl(LineFormat):
    """Holds all that a text document can have."""

    names = ("*.jsonl", "*.ndjson")

    def detect(self, head: Head) -> bool:
        """A record with a text, and no other format's names."""
        found = first_record(head)
        return "text" in found and ("labels" in found or not any(name in found for name in FOREIGN))

    def parse(self, line: str) -> Document | None:
        """A record is a document."""
        if not line.strip():
            return None
        found = record(line)
        labels = list_of(found, "labels")
        if not all(isinstance(label, str) for label in labels):
            labels = [key_of(label, "label") for label in labels]
        id = found.get("id")
        return Document(
            text_of(found),
            tuple(labels),
            id if isinstance(id, str) else "" if id is None else key_of(id, "id"),
            metadata={name: value for name, value in found.items() if name not in OWN},
        )

    def compose(self, document: Document, output: Output) -> str:
        """An id is left out where there is none."""
        found = {"id": document.id} if document.id else {}
        free = beside(document, OWN, output)
        return record_line({**found, "text": document.text, "labels": list(document.labels), **free}, output)
