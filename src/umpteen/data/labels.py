"""Label files beside a data set: one label a line, its key, its name and the key of the label above it."""

from collections.abc import Iterable
from pathlib import Path

from umpteen.core.files import Staging
from umpteen.core.space import Label


def write_labels(labels: Iterable[Label], path: Path) -> int:
    """Write `key<TAB>name<TAB>parent` lines, streamed; says how many. Of several parents the first is kept."""
    written = 0
    with Staging() as staging:
        stream = staging.open(path)
        for label in labels:
            row = (label.key, label.name or label.key, *label.parents[:1])
            stream.write(("\t".join(" ".join(part.split()) for part in row) + "\n").encode())
            written += 1
    return written
