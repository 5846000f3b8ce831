"""umpteen stats: what a corpus looks like in numbers."""

import json as json_text
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument

from umpteen.app import options
from umpteen.app.inputs import labels_for, report_bad
from umpteen.app.tables import show, table
from umpteen.core.legible import meter
from umpteen.data.folder import TEST, corpus_at, has, is_corpus

if TYPE_CHECKING:
    from umpteen.data.stats import Bucket


def stats(
    data: options.Data,
    test: Annotated[
        Path | None, Argument(metavar="TEST", help="A test part, counted beside.", show_default=False)
    ] = None,
    labels: options.Labels = None,
    language: options.Language = None,
    json: options.Json = False,
    format: options.Format = None,
    base: options.Base = None,
    skip_bad: options.SkipBad = False,
) -> None:
    """Count documents, words and labels, and how often labels occur.

    Example: umpteen stats train.jsonl.gz test.jsonl.gz
    """
    from umpteen.core.space import LabelSpace
    from umpteen.data.stats import statistics

    corpus = corpus_at(data, format=format, base=base, skip_bad=skip_bad)
    if test is None and has(data, TEST) and not is_corpus(data):
        test = data
    other = corpus_at(test, part=TEST, format=format, base=base, skip_bad=skip_bad) if test is not None else None
    known = labels_for(data, labels, language)
    if known is not None:
        corpus.space = corpus.space.described(known) if corpus.space is not None else LabelSpace(known, labels=known)
    found = statistics(corpus, other)
    if json:
        show(json_text.dumps(found.to_json(), ensure_ascii=False))
    else:
        show(found.name if other is None else f"{found.name}, test: {other.name}")
        show()
        table(["", ""], found.rows())
        show()
        _show_histogram(found.histogram)
    for part in (corpus, other):
        if part is not None:
            report_bad(part)


def _show_histogram(buckets: "tuple[Bucket, ...]") -> None:
    most = max((bucket.labels for bucket in buckets), default=1)
    first = next((place for place, bucket in enumerate(buckets) if bucket.labels), 0)
    rows = [
        (_range(bucket), bucket.labels, meter(bucket.labels / most, 20), f"{100 * bucket.share:5.1f}%")
        for bucket in buckets[first:]
    ]
    table(["documents with the label", "labels", "", "of all occurrences"], rows)


def _range(bucket: "Bucket") -> str:
    return f"{bucket.least:,}" if bucket.least == bucket.most else f"{bucket.least:,} to {bucket.most:,}"
