"""XC repository, split: features in `trn_X_Xf.txt`, labels in `trn_X_Y.txt`, each with a header `rows columns`."""

import re
from collections.abc import Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path

import numpy as np

from umpteen.core.corpus import Active, Corpus, Document
from umpteen.core.errors import DataError, shown
from umpteen.core.files import existing, plain_name
from umpteen.data.format import Format, Head, Source
from umpteen.data.numbering import FEATURE_LISTS, names_beside, numbered_space, numbering, relevance, write_names
from umpteen.data.output import Output
from umpteen.data.pairs import careful_pairs, header, pair_text, rows

PART = re.compile(r"(.*)_X_(Xf|Y)\.txt", re.DOTALL)


class XcSplit(Format):
    """Sparse features and numbered labels in two files."""

    names = ("*_X_Xf.txt", "*_X_Y.txt")
    holds_text = False
    holds_features = True
    holds_label_names = True

    def detect(self, head: Head) -> bool:
        """By name: either file, the part before `_X_`, or a folder."""
        return len(_prefixes(head.path)) > 0

    def read(self, source: Source) -> Corpus:
        """Rows of the two files side by side."""
        features, labels = _files(source.path)
        size, width = header(features, ("rows", "columns"))
        rows_of_labels, count = header(labels, ("rows", "columns"))
        if size != rows_of_labels:
            raise DataError(f"Expected {size} rows as in {features.name}, got {rows_of_labels}.", file=labels, line=1)
        return source.corpus(
            lambda: _documents(source, features, labels, size, width, count),
            space=numbered_space(labels, count),
            width=width,
            feature_names=names_beside(features, FEATURE_LISTS, width),
            size=None if source.skip_bad else size,
        )

    def write(self, corpus: Corpus, output: Output) -> None:
        """Both files at once, names as Y.txt and Xf.txt."""
        labels = numbering(corpus)
        prefix, ending = _target(output.path)
        write_names(output, prefix.with_name("Y.txt"), labels.names)
        write_names(output, prefix.with_name("Xf.txt"), corpus.feature_names)
        left = output.open(prefix.with_name(f"{prefix.name}_X_Xf.txt{ending}"))
        right = output.open(prefix.with_name(f"{prefix.name}_X_Y.txt{ending}"))
        left.write(output.encoded(f"{labels.documents} {corpus.width}"))
        right.write(output.encoded(f"{labels.documents} {labels.count}"))
        for document in output.counted(corpus):
            output.no_place(document, held=("target_rel",))
            numbers = labels.of(document, output)
            worth = np.array(relevance(document, output), np.float32)
            left.write(output.encoded(pair_text(document.features) if document.features is not None else ""))
            right.write(output.encoded(pair_text((np.array(numbers, np.int32), worth))))
        labels.check(output)


def _prefixes(path: Path) -> list[Path]:
    if match := PART.fullmatch(plain_name(path)):
        return [path.with_name(match[1])]
    if path.is_dir():
        found = (PART.fullmatch(plain_name(inside)) for inside in path.iterdir())
        return sorted({path / match[1] for match in found if match})
    return [path] if existing(path.with_name(f"{path.name}_X_Xf.txt")) and not path.exists() else []


def _files(path: Path) -> tuple[Path, Path]:
    prefixes = _prefixes(path)
    if len(prefixes) != 1:
        found = ", ".join(str(prefix) for prefix in prefixes) or "none"
        raise DataError(
            f"Expected one pair of files as trn_X_Xf.txt and trn_X_Y.txt, got: {found}. Name one.", file=path
        )
    wanted = [prefixes[0].with_name(f"{prefixes[0].name}_X_{part}.txt") for part in ("Xf", "Y")]
    files = [existing(file) for file in wanted]
    for file, found_file in zip(wanted, files, strict=True):
        if found_file is None:
            raise DataError(f"There is no file {file}, which the split format needs beside the other.")
    return files[0], files[1]  # type: ignore[return-value]


def _target(path: Path) -> tuple[Path, str]:
    if match := PART.fullmatch(plain_name(path)):
        return path.with_name(match[1]), path.name.removeprefix(plain_name(path))
    return (path / "trn" if path.is_dir() else path), ""


def _documents(source: Source, features: Path, labels: Path, size: int, width: int, count: int) -> Iterator[Document]:
    left, right = _matrix(source, features, width, size), _matrix(source, labels, count, size)
    for x, y in zip_longest(left, right):
        if x is None or y is None:
            continue  # one of the two is bad, which was reported
        held = y[1] != 0
        worth = y[1][held]
        metadata = {} if (worth == 1).all() else {"target_rel": worth.tolist()}
        yield Document(labels=tuple(map(str, y[0][held].tolist())), features=x, metadata=metadata)


def _matrix(source: Source, path: Path, width: int, size: int) -> Iterator[Active | None]:
    """Row by row; None for a bad one, so that the rows of both files stay side by side."""
    seen = 0
    careful = partial(careful_pairs, width=width)
    for number, _, field, active in rows(source, path, careful, width=width, after=1):
        if seen >= size and active is not None and not field and not len(active[0]):
            continue  # blank lines at the end
        seen += 1
        if field:
            source.report(f"Expected column:value, got {shown(field)}.", path, number)
        yield None if field else active
    if seen != size:
        source.report(f"The header promises {size} rows, got {seen}.", path)
