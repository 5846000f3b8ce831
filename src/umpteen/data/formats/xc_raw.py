"""XC repository, raw: JSON lines {"uid", "title", "content", "target_ind", "target_rel"}, labels in `lbl.json.gz`."""

import json
from collections.abc import Sequence

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import DataError, shown
from umpteen.core.files import existing, plain_name
from umpteen.core.listed import listed_labels
from umpteen.core.space import LabelSpace
from umpteen.data.format import Format, Head, Source
from umpteen.data.numbering import numbering, relevance
from umpteen.data.output import Output, beside
from umpteen.data.records import first_record, key_of, list_of, record, record_line, text_of

OWN = ("uid", "content", "target_ind")


class XcRaw(Format):
    """Text is the title, a line break and the content; the title stays in the metadata to be told apart again."""

    names = ("*.json",)
    holds_label_names = True

    def detect(self, head: Head) -> bool:
        """Label numbers under the repository's name for them."""
        return "target_ind" in first_record(head)

    def read(self, source: Source) -> Corpus:
        """Labels are known by the uids of the list beside, by their numbers where there is no such list."""
        file = existing(source.path.with_name("lbl.json"))
        labels = listed_labels(file) if file is not None else None
        keys = [label.key for label in labels] if labels is not None else None
        space = LabelSpace(keys, labels={label.key: label for label in labels}) if labels and keys else None
        return source.corpus(lambda: source.parsed(source.path, lambda line: _document(line, keys)), space=space)

    def write(self, corpus: Corpus, output: Output) -> None:
        """Labels get numbers; the list beside says what they stand for."""
        labels = numbering(corpus)
        if labels.names is not None:
            _write_labels(corpus, list(labels.numbers), output)
        stream = output.open()
        for document in output.counted(corpus):
            title, content = _parts(document)
            rest = beside(document, OWN if title else (*OWN, "title"), output)
            found = {"uid": document.id, "title": title, "content": content, "target_ind": labels.of(document, output)}
            line = {**rest, **found, "target_rel": relevance(document, output)}
            stream.write(output.encoded(record_line(line, output)))


def _document(line: str, keys: Sequence[str] | None) -> Document | None:
    if not line.strip():
        return None
    found = record(line)
    if "title" not in found and "content" not in found:
        raise DataError(f"Expected 'title' or 'content', got a record with {shown(', '.join(found))}.")
    title, content = (text_of(found, name) if found.get(name) else "" for name in ("title", "content"))
    numbers = list_of(found, "target_ind")
    metadata = {name: value for name, value in found.items() if name not in (*OWN, "title", "target_rel")}
    if title:
        metadata["title"] = title
    worth = list_of(found, "target_rel")
    if worth and len(worth) != len(numbers):
        raise DataError(f"Expected a target_rel for each of {len(numbers)} labels, got {len(worth)}.")
    if any(value != 1 for value in worth):
        metadata["target_rel"] = worth
    text = f"{title}\n{content}" if title and content else title or content
    labels = tuple(_label(number, keys) for number in numbers)
    return Document(text, labels, key_of(found.get("uid", ""), "uid"), metadata=metadata)


def _label(number: object, keys: Sequence[str] | None) -> str:
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise DataError(f"Expected label numbers from 0 in target_ind, got {shown(str(number))}.")
    if keys is None:
        return str(number)
    if number >= len(keys):
        raise DataError(f"Expected labels from 0 to {len(keys) - 1}, as lbl.json lists them, got {number}.")
    return keys[number]


def _parts(document: Document) -> tuple[str, str]:
    title = document.metadata.get("title")
    if isinstance(title, str) and document.text == title:
        return title, ""
    if isinstance(title, str) and title and document.text.startswith(f"{title}\n") and document.text != f"{title}\n":
        return title, document.text[len(title) + 1 :]
    return "", document.text


def _write_labels(corpus: Corpus, keys: Sequence[str], output: Output) -> None:
    ending = output.path.name.removeprefix(plain_name(output.path))
    known = corpus.space or LabelSpace(keys)
    rows = ({"uid": key, "title": known.label(key).name, "content": known.label(key).description} for key in keys)
    lines = [json.dumps({k: v for k, v in row.items() if v or k != "content"}, ensure_ascii=False) for row in rows]
    output.companion(output.path.with_name(f"lbl.json{ending}"), lines)
