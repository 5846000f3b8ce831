"""Debian's vocabulary of tags: stanzas of facets and of `facet::tag`s, which stand below their facets."""

from collections.abc import Iterator
from pathlib import Path

from umpteen.core.errors import DataError, shown
from umpteen.core.files import lines
from umpteen.core.space import Label


def debian_labels(file: Path) -> dict[str, Label]:
    """Facets and tags; the first line of a description is the name."""
    labels: dict[str, Label] = {}
    for number, stanza in _stanzas(file):
        key = stanza.get("Tag") or stanza.get("Facet")
        if not key:
            raise DataError(f"Expected Facet: or Tag:, got a stanza of {', '.join(stanza)}.", file=file, line=number)
        if key in labels:
            raise DataError(f"Expected each label once, got {shown(key)} again.", file=file, line=number)
        facet, _, _ = key.partition("::")
        name, _, text = stanza.get("Description", "").partition("\n")
        labels[key] = Label(key, name, (facet,) if "Tag" in stanza and facet != key else (), description=text)
    for facet in sorted({parent for label in labels.values() for parent in label.parents} - labels.keys()):
        labels[facet] = Label(facet)
    return labels


def _stanzas(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Fields by name, and the line where each stanza begins."""
    begin, fields, last = 1, dict[str, str](), ""
    for number, line in lines(file):
        if not line.strip():
            if fields:
                yield begin, fields
            begin, fields, last = number + 1, {}, ""
        elif line[0].isspace():
            if not last:
                raise DataError(f"Expected `Name: value`, got {shown(line)}.", file=file, line=number)
            fields[last] += "\n" + ("" if line.strip() == "." else line[1:].rstrip())
        else:
            last, colon, value = line.partition(":")
            if not colon:
                raise DataError(f"Expected `Name: value`, got {shown(line)}.", file=file, line=number)
            fields[last] = value.strip()
    if fields:
        yield begin, fields
