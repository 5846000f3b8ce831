"""The head of an ARFF file: its attributes, and which of them are labels."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from umpteen.core.errors import DataError, did_you_mean, shown
from umpteen.core.files import existing, lines, opened, plain_name
from umpteen.core.space import Label, LabelSpace

QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s'\"{{]\S*)\s*(.+)", re.IGNORECASE | re.DOTALL)
VALUE = re.compile(rf"(?:{QUOTED}|\\.|[^,'\"\\]+)+", re.DOTALL)  # up to a comma that is not quoted
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True)
class Attribute:
    """One column."""

    name: str
    kind: str  # numeric, binary, flipped ({1,0}, whose default in sparse rows is 1) or string


class Layout:
    """All columns, and what each is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        relation, self.attributes, self.after = _head(path)
        names = [attribute.name for attribute in self.attributes]
        labels, parents = _label_columns(path, relation, names)
        keys = [names[column] for column in labels]
        self.space = LabelSpace(keys, labels={key: Label(key, key, parents.get(key, ())) for key in keys})
        if len(self.space) < len(keys):
            raise DataError("Expected labels of different names, got one of them twice.", file=path)
        strings = [n for n, attribute in enumerate(self.attributes) if attribute.kind == "string"]
        if len(strings) > 1:
            raise DataError(f"Expected at most one string attribute, the text, got {len(strings)}.", file=path)
        self.text = strings[0] if strings else None
        self.is_label = np.zeros(len(names), np.bool_)
        self.is_label[labels] = True
        self.features = [n for n in range(len(names)) if not self.is_label[n] and n != self.text]
        self.feature_of = np.full(len(names), -1, np.int32)
        self.feature_of[self.features] = np.arange(len(self.features))
        self.flipped = [n for n, attribute in enumerate(self.attributes) if attribute.kind == "flipped"]


def unquoted(text: str) -> str:
    """A name or value as it is meant."""
    text = text.strip()
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        text = text[1:-1]
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), text) if "\\" in text else text


def quoted(text: str) -> str:
    """The text so that `unquoted` gives it back."""
    inner = re.sub(r"[\\'\"%]", r"\\\g<0>", text).replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f"'{inner}'"


def _head(path: Path) -> tuple[str, list[Attribute], int]:
    relation, attributes = "", list[Attribute]()
    for number, line in _filled(path):
        word = line.split(None, 1)[0].lower()
        if word == "@relation":
            relation = unquoted(line[len(word) :])
        elif word == "@attribute":
            attributes.append(_attribute(line, path, number))
        elif word == "@data" and attributes:
            return relation, attributes, number
        else:
            raise DataError(f"Expected @relation, @attribute or @data, got {shown(line)}.", file=path, line=number)
    raise DataError("Expected a line @data, got none.", file=path)


def _filled(path: Path) -> Iterator[tuple[int, str]]:
    return (
        (number, line.strip()) for number, line in lines(path) if line.strip() and not line.lstrip().startswith("%")
    )


def _attribute(line: str, path: Path, number: int) -> Attribute:
    match = ATTRIBUTE.fullmatch(line)
    if match is None:
        raise DataError(f"Expected @attribute name type, got {shown(line)}.", file=path, line=number)
    name, kind = unquoted(match[1]), match[2].strip()
    if kind.lower() in ("numeric", "real", "integer"):
        return Attribute(name, "numeric")
    if kind.lower() == "string":
        return Attribute(name, "string")
    values = [unquoted(value) for value in VALUE.findall(kind.strip("{}"))] if kind.startswith("{") else []
    if values and set(values) <= {"0", "1"}:
        return Attribute(name, "flipped" if values[0] == "1" else "binary")
    problem = f"Expected attribute {name!r} as numeric, string or {{0,1}}, got {shown(kind)}."
    raise DataError(problem, file=path, line=number)


def _label_columns(path: Path, relation: str, names: list[str]) -> tuple[list[int], dict[str, tuple[str, ...]]]:
    if match := re.search(r"-[cC]\s+(-?[0-9]{1,9})(?![0-9])", relation):
        count = int(match[1])
        if abs(count) > len(names):
            raise DataError(
                f"Expected at most {len(names)} labels, got {match[0]!r} in the relation's name.", file=path
            )
        return list(range(count) if count >= 0 else range(len(names) + count, len(names))), {}
    parents = _mulan_labels(path)
    places = {name: column for column, name in enumerate(names)}
    for name in parents:
        if name not in places:
            raise DataError(
                f"The XML names the label {name!r}, but no attribute. {did_you_mean(name, names)}", file=path
            )
    return sorted(places[name] for name in parents), parents


def _mulan_labels(path: Path) -> dict[str, tuple[str, ...]]:
    beside = list(path.parent.glob("*.xml"))
    file = existing(path.with_name(Path(plain_name(path)).stem + ".xml")) or (beside[0] if len(beside) == 1 else None)
    if file is None:
        problem = "Which attributes are labels is not said: expected `-C n` in the relation's name, or an XML file that"
        raise DataError(f"{problem} names them beside this one.", file=path)
    found: dict[str, tuple[str, ...]] = {}
    try:
        with opened(file) as stream:
            pending = [(ElementTree.parse(stream).getroot(), "")]
    except ElementTree.ParseError as error:
        raise DataError(f"Expected XML, got {error}.", file=file) from None
    while pending:
        element, parent = pending.pop()
        name = element.get("name", "") if element.tag.rpartition("}")[2] == "label" else ""
        if name:
            found[name] = (parent,) if parent else ()
        pending += [(child, name or parent) for child in element]
    return found
