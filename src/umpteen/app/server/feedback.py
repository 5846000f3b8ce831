"""Corrections that people send, kept in an SQLite file to which rows are only ever added.

A correction is acknowledged when it is on the disk: write-ahead log, flushed with every commit.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from umpteen.core.errors import DataError

_BUSY = 10.0  # seconds to wait for another process that writes
_TABLE = """
CREATE TABLE IF NOT EXISTS corrections (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL, project TEXT NOT NULL, sha256 TEXT NOT NULL, text TEXT NOT NULL,
    suggested TEXT NOT NULL, labels TEXT NOT NULL
);
CREATE TRIGGER IF NOT EXISTS no_change BEFORE UPDATE ON corrections
BEGIN SELECT RAISE(ABORT, 'corrections are only ever added'); END;
CREATE TRIGGER IF NOT EXISTS no_loss BEFORE DELETE ON corrections
BEGIN SELECT RAISE(ABORT, 'corrections are only ever added'); END;
"""
_ADD = "INSERT INTO corrections (time, project, sha256, text, suggested, labels) VALUES (?, ?, ?, ?, ?, ?)"
_LAST = """
SELECT time, project, sha256, text, suggested, labels FROM corrections
WHERE number IN (SELECT max(number) FROM corrections WHERE :project IN ('', project) GROUP BY project, sha256)
ORDER BY number
"""


@dataclass(frozen=True)
class Correction:
    """The labels that someone found right for a text, beside those that were suggested."""

    project: str
    text: str
    labels: Sequence[str]  # keys
    suggested: Sequence[str] = ()
    time: str = ""

    @property
    def hash(self) -> str:
        """Of the text, by which corrections of one text are found."""
        return sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


def add(file: Path, correction: Correction) -> int:
    """Put a correction on the disk and return its number."""
    with closing(_opened(file)) as store, store:
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        lists = json.dumps([*correction.suggested]), json.dumps([*correction.labels])
        added = store.execute(_ADD, (time, correction.project, correction.hash, correction.text, *lists))
        return added.lastrowid or 0


def corrections(file: Path, *, project: str = "") -> Iterator[Correction]:
    """The last correction of each text, of one project or of all."""
    if not file.is_file():
        raise DataError("There are no corrections: the file does not exist.", file=file)
    try:
        with closing(_opened(file)) as store:
            for time, of, _, text, suggested, labels in store.execute(_LAST, {"project": project}):
                yield Correction(of, text, json.loads(labels), json.loads(suggested), time)
    except sqlite3.DatabaseError as error:
        raise DataError(f"This is not a store of corrections ({error}).", file=file) from error


def _opened(file: Path) -> sqlite3.Connection:
    store = sqlite3.connect(file, timeout=_BUSY)
    store.execute("PRAGMA journal_mode = WAL")
    store.execute("PRAGMA synchronous = FULL")
    store.executescript(_TABLE)
    return store
