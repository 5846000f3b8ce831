"""LibSVM, multi-label: `label,label feature:value ...` without a header, features numbered from 0 or 1 (say which)."""

import re
from collections.abc import Iterator
from functools import partial

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import DataError
from umpteen.data.format import Format, Head, Source
from umpteen.data.formats.xc import joined
from umpteen.data.output import Output
from umpteen.data.pairs import PAIR, careful_pairs, rows

ROW = re.compile(r"[^\s:]*(\s+\d+:[-+.\deE]+)+\s*|\d+:[-+.\deE]+(\s+\d+:[-+.\deE]+)*\s*")


class LibSvm(Format):
    """Sparse features, labels as they stand."""

    names = ("*.svm", "*.libsvm")
    holds_text = False
    holds_features = True

    def detect(self, head: Head) -> bool:
        """Nothing but rows of pairs."""
        return bool(head.filled) and all(map(ROW.fullmatch, head.filled))

    def read(self, source: Source) -> Corpus:
        """A first pass finds how features are numbered and how many there are."""
        least, most, size = 1, -1, 0
        for document in _documents(source, 0):
            size += 1
            if document.features is not None and len(document.features[0]):
                least = min(least, int(document.features[0].min()))
                most = max(most, int(document.features[0].max()))
        if least == 0 and source.base == 1:
            raise DataError("Feature 0 occurs, so features are numbered from 0. Use --base 0.", file=source.path)
        if least > 0 and most >= 0 and source.base is None:
            raise DataError(
                f"Features run from {least} to {most}, so they may be numbered from 0 or from 1. "
                "Say which with --base 0 or --base 1.",
                file=source.path,
            )
        base = source.base or 0
        return source.corpus(
            lambda: _documents(source, base), width=max(most + 1 - base, 0), size=None if source.skip_bad else size
        )

    def write(self, corpus: Corpus, output: Output) -> None:
        """Features are numbered from 1 unless the base says otherwise, as LibSVM's own tools want them."""
        base = 1 if output.base is None else output.base
        stream = output.open()
        for document in output.counted(corpus):
            output.no_place(document)
            field = ",".join(output.words(document.labels, never=","))
            if PAIR.fullmatch(field) or re.match(r"-?\d*:", field):
                raise output.cannot(f"has the label {field!r}, which LibSVM takes for a feature", other="arff")
            if document.features is not None:
                document = Document(features=(document.features[0] + base, document.features[1]))
            stream.write(output.encoded(joined(field, document)))
        if corpus.feature_names is not None:
            output.summary.dropped["feature names"] = len(corpus.feature_names)


def _documents(source: Source, base: int) -> Iterator[Document]:
    for _, blank, field, features in rows(source, source.path, partial(careful_pairs, base=base), base=base):
        if features is not None and not blank:
            yield Document(labels=tuple(field.split(",")) if field else (), features=features)
