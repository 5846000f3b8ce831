"""What commands say of the files they read: the labels' names beside the data, and lines that were left out."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from umpteen.app.border import note
from umpteen.core.errors import SettingError
from umpteen.data.folder import label_file

if TYPE_CHECKING:
    from umpteen.core.corpus import Corpus
    from umpteen.core.space import Label


def labels_for(path: Path, labels: Path | None, language: str | None = None) -> "Mapping[str, Label] | None":
    """What the label file says; without one, the label file in the data's folder where a folder was named."""
    from umpteen.labels.files import read_labels

    labels = labels or label_file(path)
    if labels is None and language is not None:
        raise SettingError(f"There is no label file to take names in {language!r} from. Name one with --labels FILE.")
    return None if labels is None else read_labels(labels, language=language)


def report_bad(corpus: "Corpus") -> None:
    """Say how many malformed lines were left out, and what was wrong with the first."""
    if corpus.bad.count:
        note(f"{corpus.bad.count:,} malformed lines of {corpus.name} were left out. The first:")
        for problem in corpus.bad.first:
            note(f"  {problem}")
