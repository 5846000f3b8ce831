"""XC repository, combined: a header `documents features labels`, then `label,label feature:value ...`, all from 0."""

import re
from collections.abc import Iterator
from functools import partial

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import DataError, shown
from umpteen.core.space import LabelSpace
from umpteen.data.format import Format, Head, Source
from umpteen.data.numbering import FEATURE_LISTS, label_number, names_beside, numbered_space, numbering, write_names
from umpteen.data.output import Output
from umpteen.data.pairs import careful_pairs, header, pair_text, rows

ROW = re.compile(r"[\d,]*(\s+\d+:\S+)*\s*|\d+:\S+(\s+\d+:\S+)*\s*")


class Xc(Format):
    """Sparse features and numbered labels in one file."""

    names = ("*.xc", "*.xc.txt")
    holds_text = False
    holds_features = True
    holds_label_names = True

    def detect(self, head: Head) -> bool:
        """Three numbers, then a row."""
        lines = head.lines
        return bool(lines and re.fullmatch(r"\s*\d+\s+\d+\s+\d+\s*", lines[0]) and all(map(ROW.fullmatch, lines[1:2])))

    def read(self, source: Source) -> Corpus:
        """Counts from the header, names from the lists beside."""
        size, width, labels = header(source.path, ("documents", "features", "labels"))
        space = numbered_space(source.path, labels)
        return source.corpus(
            lambda: _documents(source, size, width, space),
            space=space,
            width=width,
            feature_names=names_beside(source.path, FEATURE_LISTS, width),
            size=None if source.skip_bad else size,
        )

    def write(self, corpus: Corpus, output: Output) -> None:
        """The header needs all counts first, so a corpus that does not know them is gone through twice."""
        labels = numbering(corpus)
        write_names(output, output.path.with_name("labels.txt"), labels.names)
        write_names(output, output.path.with_name("features.txt"), corpus.feature_names)
        stream = output.open()
        stream.write(output.encoded(f"{labels.documents} {corpus.width} {labels.count}"))
        for document in output.counted(corpus):
            output.no_place(document)
            field = ",".join(map(str, labels.of(document, output)))
            stream.write(output.encoded(joined(field, document)))
        labels.check(output)


def joined(field: str, document: Document) -> str:
    """The line of a label field and a document's features."""
    pairs = pair_text(document.features) if document.features is not None else ""
    return f"{field} {pairs}" if pairs or not field else field


def _documents(source: Source, size: int, width: int, space: LabelSpace) -> Iterator[Document]:
    seen = 0
    careful = partial(careful_pairs, width=width)
    for number, _, field, features in rows(source, source.path, careful, width=width, after=1):
        if seen >= size and features is not None and not field and not len(features[0]):
            continue  # blank lines at the end
        seen += 1
        try:
            labels = _labels(field, space)
        except DataError as problem:
            source.report(problem, source.path, number)
            continue
        if features is not None:
            yield Document(labels=labels, features=features)
    if seen != size:
        source.report(f"The header promises {size} documents, got {seen}.", source.path)


def _labels(field: str, space: LabelSpace) -> tuple[str, ...]:
    if not field:
        return ()
    labels = tuple(field.split(","))
    if not all(map(space.__contains__, labels)):
        labels = tuple(label_number(label, len(space)) for label in labels)
    if len(set(labels)) < len(labels):
        raise DataError(f"Expected each label once, got {shown(field)}.")
    return labels
