"""Label files: what labels are called and what stands above them, from tables, lists, SKOS or Debian's vocabulary."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from os import PathLike
from pathlib import Path

from umpteen.core.errors import DataError, did_you_mean
from umpteen.core.files import lines, plain_name
from umpteen.core.listed import listed_labels, listed_names
from umpteen.core.space import Label
from umpteen.labels.debian import debian_labels
from umpteen.labels.skos import skos_labels
from umpteen.labels.tables import CSV_HEADER, csv_labels, tsv_labels

Labels = dict[str, Label]
RDF_ENDINGS = (".ttl", ".rdf", ".xml", ".nt", ".n3", ".skos")


def read_labels(path: str | PathLike[str], *, language: str | None = None) -> Labels:
    """The labels a file tells of, by key; names in `language` where they have one.

    Read are tables `id<TAB>name[<TAB>parent or other name]`, Annif's TSV and CSV vocabularies, plain lists (the line
    number, from 0, is the key), the XC repository's `lbl.json.gz`, Debian's vocabulary, and SKOS as RDF.
    """
    file = Path(path)
    head = [line for _, line in islice(lines(file), 50) if line.strip()] if not _is_rdf(file) else [""]
    if not head:
        raise DataError("Expected labels, got an empty file.", file=file)
    labels = _reader(file, head)(file)
    _check_cycles(labels, file)
    return labels if language is None else _in_language(labels, language, file)


def _is_rdf(file: Path) -> bool:
    return plain_name(file).lower().endswith(RDF_ENDINGS)


def _reader(file: Path, head: list[str]) -> Callable[[Path], Labels]:
    first = head[0].lstrip()
    if _is_rdf(file) or re.match(r"@prefix|@base|PREFIX\s|<\?xml|<rdf|<[^>]*>\s+<[^>]*>\s", first):
        return skos_labels
    if re.match(r"(Facet|Tag):", first):
        return debian_labels
    if first.startswith("{"):
        return lambda path: {label.key: label for label in listed_labels(path)}
    if re.match(CSV_HEADER, first):
        return csv_labels
    return tsv_labels if any("\t" in line for line in head) else _listed


def _listed(file: Path) -> Labels:
    return {str(number): Label(str(number), name) for number, name in enumerate(listed_names(file))}


def _in_language(labels: Labels, language: str, file: Path) -> Labels:
    known = {name for label in labels.values() for name in label.names}
    if language not in known:
        problem = f"No label has a name in {language!r}. "
        raise DataError(
            problem + (did_you_mean(language, known) if known else "The file tells no languages."), file=file
        )
    return {key: replace(label, name=label.names.get(language, label.name)) for key, label in labels.items()}


def _check_cycles(labels: Mapping[str, Label], file: Path) -> None:
    """Raise where a label stands above itself."""
    done: set[str] = set()
    for start in labels:
        path: dict[str, None] = {}  # labels on the way up from here, in order
        stack = [(start, False)]
        while stack:
            key, is_left = stack.pop()
            if is_left:
                path.pop(key)
                done.add(key)
            elif key in path:
                ring = [*list(path)[list(path).index(key) :], key]
                raise DataError(f"Labels stand above each other in a ring: {' -> '.join(ring)}.", file=file)
            elif key not in done:
                path[key] = None
                stack.append((key, True))
                stack += [(parent, False) for parent in labels[key].parents if parent in labels]
