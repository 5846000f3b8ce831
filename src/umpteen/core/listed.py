"""Lists whose line number is the label's or feature's number: plain names, or JSON lines of the XC repository."""

import json
from itertools import islice
from pathlib import Path

from umpteen.core.errors import DataError, shown
from umpteen.core.files import lines
from umpteen.core.space import Label


def listed_names(path: Path, *, most: int | None = None) -> list[str]:
    """The names in a plain list, one per line; at most `most` of them are read."""
    return [name for _, name in islice(lines(path), most)]


def listed_labels(path: Path) -> list[Label]:
    """The labels in JSON lines {"uid", "title"}; keys are the uids, or line numbers where these do not tell apart."""
    found: list[tuple[str, str, str]] = []
    for number, line in lines(path):
        try:
            record = json.loads(line)
            found.append((str(record.get("uid", "")), str(record.get("title") or ""), str(record.get("content") or "")))
        except (ValueError, AttributeError, RecursionError):
            problem = f'Expected a label as {{"uid": ..., "title": ...}}, got {shown(line)}.'
            raise DataError(problem, file=path, line=number) from None
    uids = [uid for uid, _, _ in found]
    keys = uids if all(uids) and len(set(uids)) == len(uids) else [str(number) for number in range(len(uids))]
    return [Label(key, title, description=content) for key, (_, title, content) in zip(keys, found, strict=True)]
