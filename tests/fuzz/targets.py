"""Fuzz targets: bytes in, nothing out; whatever is not an error meant for the user is a mistake in Umpteen.

A target takes any bytes for the content of some file. `seeds.py` has a few good ones to begin with.
"""

import json
import os
import shutil
import warnings
from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from seeds import PART

from umpteen.core.corpus import Corpus
from umpteen.core.errors import UmpteenError

Target = Callable[[bytes], None]

PLACE = Path(os.environ.get("FUZZ_PLACE", "fuzz-place"))  # where files are put
_NAMES = {
    "paired": ("a_texts.txt", "a_labels.txt"),
    "xc_split": ("trn_X_Xf.txt", "trn_X_Y.txt"),
    "xc": ("a.txt", "labels.txt", "features.txt"),
    "xc_raw": ("a.json", "lbl.json"),
    "arff": ("a.arff", "a.xml"),
    "annif_dir": ("d/1.txt", "d/1.key", "d/2.json", "d/3.txt", "d/3.tsv"),
    "annif_csv": ("a.csv",),
    "annif_tsv": ("a.tsv",),
}
_WORDS = ["bread", "flour", "boat", "star", "the"]


def put(name: str, data: bytes) -> Path:
    """A file of some content."""
    file = PLACE / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def quietly(work: Callable[[], object]) -> None:
    """Do something that may fail as long as it says so to the user."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            work()
        except UmpteenError as error:
            assert str(error), "an error without words"


def reader(format: str | None) -> Target:
    """A corpus in a format, or in whichever it seems to be; read, with bad lines and without, and written again."""
    names = _NAMES.get(format or "", ("a",))

    def target(data: bytes) -> None:
        shutil.rmtree(PLACE / "r", ignore_errors=True)
        for name, part in zip(names, data.split(PART), strict=False):
            put(f"r/{name}", part)
        place = PLACE / "r" / names[0]
        place = place.parent if format == "annif_dir" else place
        for skip in (False, True):
            quietly(lambda skip=skip: _read(place, format, skip))  # type: ignore[misc]

    return target


def _read(place: Path, format: str | None, skip: bool) -> None:
    from umpteen.data.convert import convert
    from umpteen.data.read import read

    corpus = read(place, format=format, skip_bad=skip, base=1 if format == "libsvm" else None)
    for document in islice(corpus, 500):
        if document.features is not None:
            indices, values = document.features
            assert np.isfinite(values).all() and (indices >= 0).all() and (indices < (corpus.width or 0)).all()
            assert len({*indices.tolist()}) == len(indices)
        else:
            document.text.encode()
    target = PLACE / "r" / "again.jsonl" if corpus.is_text else PLACE / "r" / "again.arff"
    if corpus.space is None or len(corpus.space) < 10_000:
        convert(corpus, target)


def packed(data: bytes) -> None:
    """A compressed file that may be damaged."""
    from umpteen.core.files import blocks, lines, raw_lines

    file = put("packed", data)
    for walk in (raw_lines, lines, blocks):
        quietly(lambda walk=walk: [*islice(walk(file), 1000)])  # type: ignore[misc,operator]


def label_file(data: bytes) -> None:
    """A label file of the kind that the first byte chooses."""
    from umpteen.labels.files import read_labels

    endings = (".tsv", ".tsv", ".tsv", ".csv", ".json", ".txt", ".ttl", ".rdf")
    file = put(f"labels{endings[data[0] % len(endings)] if data else '.tsv'}", data[1:])
    quietly(lambda: read_labels(file))
    quietly(lambda: read_labels(file, language="en"))
    file.unlink()


def vectors(data: bytes) -> None:
    """A file of word vectors."""
    from umpteen.text.vectors import aligned

    file = put("vectors", data)
    quietly(lambda: aligned(_WORDS, str(file), seed=0))


def settings(data: bytes) -> None:
    """Lines of name=value for the model that the first byte chooses."""
    from umpteen.app.config import assignments
    from umpteen.models import entries, model

    names = sorted(entries())
    kind = model(names[data[0] % len(names)]) if data else model(names[0])
    text = data[1:].decode("utf-8", "replace")
    quietly(lambda: kind.Params.made(assignments(text.split("\n")), owner="it"))
    for line in text.split("\n"):
        quietly(lambda line=line: kind.Params.made(assignments([line]), owner="it"))  # type: ignore[misc]


def config(data: bytes) -> None:
    """A training's configuration, and its settings for a model."""
    from umpteen.app.config import Config, read_config
    from umpteen.models import model

    file = put("config.toml", data)

    def work() -> None:
        found = read_config(file, onto=Config())
        model("plt").Params.made(found.settings, owner="plt", preset=found.preset)

    quietly(work)


def study(data: bytes) -> None:
    """A study's file."""
    from umpteen.study.ranges import numbers
    from umpteen.study.reading import read_study

    file = put("study.toml", data)
    quietly(lambda: read_study(file))
    quietly(lambda: numbers(data.decode("utf-8", "replace"), what="--seeds"))


def history(data: bytes) -> None:
    """The log and the wishes of a run, and a result of a study."""
    from umpteen.core.run import Run
    from umpteen.study.history import histories
    from umpteen.study.results import Result

    for name in ("x.run/run.json", "x.run/log.tsv", "x.run/result.json"):
        put(name, data)
    quietly(lambda: histories([PLACE / "x"]))
    quietly(lambda: Run(PLACE / "x.run", resume=True).wanted)
    quietly(lambda: Run(PLACE / "x.run", resume=True).rewind(5))
    quietly(lambda: Result.load(PLACE / "x.run"))


def manifest(data: bytes) -> None:
    """A model folder with this for its manifest."""
    from umpteen.models import load

    folder = _model("popular")
    (folder / "model.json").write_bytes(data)
    quietly(lambda: load(folder).rank(["bread"]))


def folder(name: str) -> Target:
    """A model folder in which files have other contents, all checksums being right.

    The input is a number of edits: which file, where, and what stands there instead; see `edited`.
    """

    def target(data: bytes) -> None:
        place = _model(name)
        files = sorted(file for file in place.iterdir() if file.name != "model.json")
        for edit in islice(_edits(data), 4):
            file = files[edit[0] % len(files)]
            file.write_bytes(edited(file.read_bytes(), *edit[1:]))
        resealed(place)
        quietly(lambda: _used(place))

    return target


def facts(name: str) -> Target:
    """A model folder whose manifest says other things of the model, its checksums being right."""

    def target(data: bytes) -> None:
        place = _model(name)
        known = json.loads((place / "model.json").read_bytes())
        del known["crc32"]
        try:
            changed = json.loads(data)
        except (ValueError, RecursionError):
            return
        if isinstance(changed, dict):
            (place / "model.json").write_text(json.dumps({**known, **changed}))
            quietly(lambda: _used(place))

    return target


def _used(place: Path) -> None:
    from umpteen.models import load

    try:
        loaded = load(place)
        found = loaded.rank(["bread and flour", "a boat \ud800 in the harbour", ""], 3)
        assert (found.labels < len(loaded.labels_)).all()
        loaded.suggest(["bread"])
        if loaded.reasons and type(loaded).__name__ != "PopularLabels":
            loaded.explain("bread and flour")
    except MemoryError:
        pass  # a number out of all bounds, of which the user is told


def _edits(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    while len(data) >= 5:
        size = 1 + data[4] % 9
        yield data[0], int.from_bytes(data[1:4], "little"), data[5 : 5 + size]
        data = data[5 + size :]


def edited(content: bytes, place: int, new: bytes) -> bytes:
    """The content with other bytes somewhere; of an array often in its numbers, not in its head."""
    start = place % (len(content) or 1)
    return content[:start] + new + content[start + len(new) :]


def resealed(place: Path) -> None:
    """Make the manifest right for what the files hold now."""
    from umpteen.core.store import MANIFEST, _state

    known = json.loads((place / MANIFEST).read_bytes())
    known.pop("crc32", None)
    known["files"] = {file.name: _state(file) for file in place.iterdir() if file.name != MANIFEST}
    (place / MANIFEST).write_text(json.dumps(known))


_SAVED: dict[str, Path] = {}


def _model(name: str) -> Path:
    """A fresh copy of a small model's folder."""
    if name not in _SAVED:
        from toy import SMALL, toy
        from umpteen.models import model

        _SAVED[name], made = PLACE / f"{name}.saved", model(name)
        small = {**SMALL, "epochs": 1, "least_steps": 0, "trees": 2, "leaf": 3, "jobs": 1}
        names = {field.name for field in fields(made.Params)}
        made(**{name: value for name, value in small.items() if name in names}).fit(*toy(40)).save(_SAVED[name])
    copy = PLACE / name
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(_SAVED[name], copy)
    return copy


def texts(data: bytes) -> None:
    """Any text as a document to tag."""
    from umpteen.models import load

    if "texts" not in _LOADED:
        _LOADED["texts"] = load(_model("plt"))
    loaded = _LOADED["texts"]
    text = data.decode("utf-8", "surrogateescape")
    quietly(lambda: loaded.rank(Corpus.from_texts([text, text[::-1]]), 3))
    quietly(lambda: loaded.explain(text))


_LOADED: dict[str, Any] = {}
_ROUTES = ("suggest", "suggest-batch", "learn", "explain", "feedback", "labels", "../../detect-language")
_KINDS = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain")


def http(data: bytes) -> None:
    """The body of a request; the first byte chooses where it goes, the second what it claims to be."""
    if "http" not in _LOADED:
        from fastapi.testclient import TestClient

        from umpteen.app.server.config import Config
        from umpteen.app.server.factory import application

        config = Config(models={"t": str(_model("neighbours"))}, feedback=str(PLACE / "feedback.sqlite"))
        _LOADED["http"] = TestClient(application(config), raise_server_exceptions=True).__enter__()
    route, kind = (data[0] % len(_ROUTES), data[1] % len(_KINDS)) if len(data) > 1 else (0, 0)
    answer = _LOADED["http"].post(
        f"/v1/projects/t/{_ROUTES[route]}", content=data[2:], headers={"content-type": _KINDS[kind]}
    )
    assert answer.status_code < 500, f"{answer.status_code}: {answer.text}"
    assert "Traceback" not in answer.text


TARGETS: dict[str, Target] = {
    **{f"read {name}": reader(name) for name in (
        "annif_csv", "annif_dir", "annif_jsonl", "annif_tsv", "arff", "fasttext", "jsonl", "libmultilabel", "libsvm",
        "paired", "xc", "xc_raw", "xc_split",
    )},
    "read anything": reader(None),
    "packed": packed,
    "labels": label_file,
    "vectors": vectors,
    "settings": settings,
    "config": config,
    "study": study,
    "history": history,
    "manifest": manifest,
    "texts": texts,
    "http": http,
    **{f"folder {name}": folder(name) for name in (
        "attentionxml", "dxml", "fasttext", "lightattention", "mlp", "neighbours", "ovr", "plt", "popular", "rankae",
        "treaderxml", "xmlcnn", "xmlrnn",
    )},
    **{f"facts {name}": facts(name) for name in ("neighbours", "plt")},
}  # fmt: skip
