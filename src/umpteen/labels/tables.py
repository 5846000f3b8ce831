"""Label tables: `id<TAB>name[<TAB>parent or other name]`, and Annif's vocabularies as TSV and CSV."""

import csv
import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import NamedTuple

from umpteen.core.errors import DataError, shown
from umpteen.core.files import lines
from umpteen.core.space import Label

CSV_HEADER = r"\"?uri\"?,|([\w\"]+,)+\"?uri\b"
OTHER = "other"  # the language of a second name, which a table without a header does not tell
HEADS = (("id", "key", "uri"), ("name", "label", "title"))


class Row(NamedTuple):
    """One line of a table."""

    number: int
    key: str
    name: str
    third: str


def tsv_labels(file: Path) -> dict[str, Label]:
    """Labels of a table; its third column holds parents where most of it are ids from the first."""
    rows = {row.key: row for row in _rows(file)}
    thirds = [row.third for row in rows.values() if row.third]
    above = sum(all(part in rows for part in _several(third, rows)) for third in thirds) * 2 > len(thirds)
    labels: dict[str, Label] = {}
    for key, row in rows.items():
        parents = _several(row.third, rows) if above else ()
        unknown = next((parent for parent in parents if parent not in rows), None)
        if unknown is not None:
            problem = f"Expected the id of another label as parent, got {shown(unknown)}."
            raise DataError(problem, file=file, line=row.number)
        labels[key] = Label(key, row.name, parents, {OTHER: row.third} if row.third and not above else {})
    return labels


def _rows(file: Path) -> Iterator[Row]:
    seen: set[str] = set()
    for number, line in lines(file):
        if not line.strip():
            continue
        key, tab, rest = line.partition("\t")
        name, _, third = rest.partition("\t")
        if number == 1 and key.lower() in HEADS[0] and name.lower() in HEADS[1]:
            continue
        if not tab or not key.strip():
            raise DataError(f"Expected an id, a tab and a name, got {shown(line)}.", file=file, line=number)
        third = third.partition("\t")[0].strip()
        if match := re.fullmatch(r"\s*<([^<>]+)>\s*", key):  # Annif's, whose third column is a notation
            key, third = match[1], ""
        if key in seen:
            raise DataError(f"Expected each id once, got {shown(key)} again.", file=file, line=number)
        seen.add(key)
        yield Row(number, key, name.strip(), third)


def _several(third: str, ids: Container[str]) -> tuple[str, ...]:
    """The ids in a field, with bars or spaces between them where it is not an id as a whole."""
    if third in ids:
        return (third,)
    parts = third.split("|") if "|" in third else third.split()
    return tuple(part.strip() for part in parts if part.strip())


def csv_labels(file: Path) -> dict[str, Label]:
    """Annif's CSV: `uri`, a name per language in `label_xx`, perhaps `notation`."""
    reader = csv.reader((f"{line}\n" for _, line in lines(file)), strict=True)
    labels: dict[str, Label] = {}
    try:
        columns = [column.strip() for column in next(reader)]
        languages = [column.removeprefix("label_") for column in columns if column.startswith("label_")]
        if not languages or "uri" not in columns:
            raise DataError(f"Expected columns uri and label_xx, got {shown(','.join(columns))}.", file=file, line=1)
        for fields in filter(None, reader):
            if len(fields) != len(columns):
                problem = f"Expected {len(columns)} fields, got {len(fields)}."
                raise DataError(problem, file=file, line=reader.line_num)
            row = dict(zip(columns, fields, strict=True))
            key = row["uri"].strip().removeprefix("<").removesuffix(">")
            if not key or key in labels:
                raise DataError(f"Expected a new uri, got {shown(key)}.", file=file, line=reader.line_num)
            names = {language: name for language in languages if (name := row[f"label_{language}"].strip())}
            labels[key] = Label(key, next(iter(names.values()), ""), names=names)
    except csv.Error as error:
        raise DataError(f"Expected quoted CSV, got {error}.", file=file, line=reader.line_num) from None
    return labels
