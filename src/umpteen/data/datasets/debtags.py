"""Debtags: descriptions of Debian's packages with their tags, from this system's package index."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import FetchError
from umpteen.core.progress import bar
from umpteen.core.space import Label
from umpteen.data.convert import convert
from umpteen.data.fetch import output
from umpteen.data.labels import write_labels

LEAST = 1_000  # packages with tags; an index with fewer is not Debian's
_AT_ONCE = 20_000  # names on one command line
_ADVICE = "This data set needs a Debian or Ubuntu system whose package index is there: apt-get update"
_SKIPPED = re.compile(r"special::|.*::TODO$")  # about the tagging itself, not about the package
_EMPTY = re.compile(r"\b(transitional|dummy|metapackage)\b", re.IGNORECASE)

README = """Debian packages and their tags, from this system's package index (apt-cache)

train.jsonl.gz {train:,}, valid.jsonl.gz {valid:,}, test.jsonl.gz {test:,}: 8, 1 and 1 in 10 source packages, by a
checksum of the source's name, so packages built from one source stay together and a package never changes its part.
A text is the short description and, where the index has it, the long one ({long:,} packages; for all of them:
apt-get -o Acquire::Languages=en update). Transitional packages, and packages that only repeat another's description
but for numbers, are left out ({repeated:,}).
labels.tsv: {labels:,} labels below their facets. Tags about the tagging itself (special::, TODO) are left out.
"""


def write(folder: Path) -> Mapping[str, Any]:
    """Read the index and write the three parts, the labels and a note."""
    with bar("Reading the package index"):
        names = [record["Package"] for record in _records(output("apt-cache", "dumpavail", advice=_ADVICE))]
        if len(names) < LEAST:
            raise FetchError(f"The package index has {len(names):,} packages with tags. {_ADVICE}")
        records = [
            record for start in range(0, len(names), _AT_ONCE) for record in _shown(names[start : start + _AT_ONCE])
        ]
    chosen = _distinct(records)
    parts: dict[str, list[Document]] = {"train": [], "valid": [], "test": []}
    for record in chosen:
        if labels := _tags(record):
            parts[_part(record)].append(Document(_text(record), labels, record["Package"]))
    for part, documents in parts.items():
        convert(Corpus(documents), folder / f"{part}.jsonl.gz")
    used = {label for documents in parts.values() for document in documents for label in document.labels}
    facts = {
        **{part: len(documents) for part, documents in parts.items()},
        "labels": write_labels(_labels(used), folder / "labels.tsv"),
        "long": sum("\n" in _text(record) for record in chosen),
        "repeated": len(records) - len(chosen),
    }
    (folder / "README.txt").write_text(README.format(**facts), encoding="utf-8")
    return facts


def _shown(names: list[str]) -> Iterator[Mapping[str, str]]:
    """The newest record of each package, with its long description, which the bare index lacks."""
    return _records(output("apt-cache", "show", "--no-all-versions", *names, advice=_ADVICE))


def _records(index: str) -> Iterator[Mapping[str, str]]:
    """The packages that have tags, field by field."""
    for block in index.split("\n\n"):
        if "\nTag:" not in block:
            continue
        fields: dict[str, str] = {}
        for part in re.split(r"\n(?! )", block.strip("\n")):  # a line that begins with a space goes on with its field
            name, _, value = part.partition(":")
            fields[name] = value.strip()
        yield fields


def _text(record: Mapping[str, str]) -> str:
    description = record.get("Description-en") or record.get("Description", "")
    lines = (line.strip() for line in description.splitlines())
    return "\n".join("" if line == "." else line for line in lines)


def _tags(record: Mapping[str, str]) -> tuple[str, ...]:
    tags = (tag.strip() for tag in record.get("Tag", "").split(","))
    return tuple(tag for tag in tags if tag and not _SKIPPED.match(tag))


def _distinct(records: list[Mapping[str, str]]) -> list[Mapping[str, str]]:
    """One package for each description, numbers and signs aside; those without contents are left out."""
    seen: dict[str, Mapping[str, str]] = {}
    for record in sorted(records, key=lambda record: record["Package"]):
        text = _text(record)
        if text and not _EMPTY.search(text.partition("\n")[0]):
            seen.setdefault(" ".join(re.findall(r"[^\W\d_]+", text.lower())), record)
    return list(seen.values())


def _part(record: Mapping[str, str]) -> str:
    source = (record.get("Source") or record["Package"]).partition(" ")[0]
    place = int.from_bytes(hashlib.sha256(source.encode()).digest()[:8], "big") % 10
    return "test" if place == 0 else "valid" if place == 1 else "train"


def _labels(used: set[str]) -> list[Label]:
    facets = sorted({label.partition("::")[0] for label in used})
    above = [Label(facet, facet.replace("-", " ")) for facet in facets]
    return above + [
        Label(tag, tag.partition("::")[2].replace("-", " "), (tag.partition("::")[0],)) for tag in sorted(used)
    ]
