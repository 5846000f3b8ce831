"""Documents as JSON records: one record per line, checked piece by piece."""

import json
from collections.abc import Mapping
from typing import Any

from umpteen.core.corpus import Document
from umpteen.core.errors import DataError, shown
from umpteen.data.format import Head
from umpteen.data.output import Output


def record(line: str) -> dict[str, Any]:
    """The JSON object of a line."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"Expected a JSON object, got {shown(line)} ({error}).") from None
    if not isinstance(found, dict):
        raise DataError(f"Expected a JSON object, got {shown(line)}.")
    if "\\ud" in line or "\\uD" in line:
        _check_whole(found)
    return found


def text_of(found: Mapping[str, Any], name: str = "text") -> str:
    """The text under a name that must be there."""
    if name not in found:
        raise DataError(f"Expected {name!r}, got a record with {shown(', '.join(found))}.")
    if not isinstance(found[name], str):
        raise DataError(f"Expected text as {name!r}, got {shown(str(found[name]))}.")
    return found[name]  # type: ignore[no-any-return]


def list_of(found: Mapping[str, Any], name: str) -> list[Any]:
    """The list under a name; none is an empty one."""
    values = found.get(name)
    if values is None:
        return []
    if not isinstance(values, list):
        raise DataError(f"Expected a list as {name!r}, got {shown(str(values))}.")
    return values


def key_of(value: object, what: str) -> str:
    """A label or id, which may be a number."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise DataError(f"Expected text as {what}, got {shown(str(value))}.")


def first_record(head: Head) -> dict[str, Any]:
    """The first line's record; empty where it is none."""
    try:
        return record(head.filled[0]) if head.filled else {}
    except DataError:
        return {}


def record_line(found: Mapping[str, Any], output: Output) -> str:
    """The line of a record."""
    try:
        return json.dumps(found, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise output.cannot(f"has metadata that JSON cannot hold ({error})", other=None) from None


def annif_document(found: Mapping[str, Any]) -> Document:
    """The document of Annif's record {document_id, text, metadata, subjects}."""
    labels = []
    for subject in list_of(found, "subjects"):
        if not isinstance(subject, dict) or not (subject.get("uri") or subject.get("label")):
            raise DataError(f"Expected subjects with a uri or a label, got {shown(str(subject))}.")
        labels.append(key_of(subject.get("uri") or subject["label"], "subject"))
    metadata = found.get("metadata") or {}
    if not isinstance(metadata, dict):
        raise DataError(f"Expected an object as 'metadata', got {shown(str(metadata))}.")
    id = found.get("document_id")
    return Document(text_of(found), tuple(labels), "" if id is None else key_of(id, "document_id"), metadata=metadata)


def annif_record(document: Document) -> dict[str, Any]:
    """The record that `annif_document` reads; keys that look like URIs are uris, others labels."""
    subjects = [{"uri" if "://" in label else "label": label} for label in document.labels]
    found: dict[str, Any] = {"document_id": document.id} if document.id else {}
    found |= {"text": document.text, "subjects": subjects}
    return found | ({"metadata": dict(document.metadata)} if document.metadata else {})


def _check_whole(found: Mapping[str, Any]) -> None:
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise DataError("Expected whole characters, got half of a surrogate pair.") from None
