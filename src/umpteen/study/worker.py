"""One run of a study, in a process of its own: its peak memory is its own, and so is its end should it crash.

    python -m umpteen.study.worker JOB.json

It reports its progress on stdout, a JSON line each, and ends when its stdin does, so that it never outlives its study.
"""

import json
import os
import platform
import shutil
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from umpteen import __version__
from umpteen.contract.classifier import Classifier
from umpteen.contract.judgement import judge
from umpteen.core.errors import UmpteenError
from umpteen.core.memory import MemoryWarning
from umpteen.core.progress import Bar, bar, show_on
from umpteen.core.run import Run
from umpteen.metrics.evaluation import Evaluation
from umpteen.metrics.report import evaluate
from umpteen.models import model
from umpteen.study import measures
from umpteen.study.history import histories
from umpteen.study.results import EVALUATION, LOG, Result
from umpteen.study.sources import Parts, parts

_DEPTH = 100  # labels ranked for each document
_KEPT = 5  # labels of each document in an evaluation
_EVERY = 0.5  # seconds between two reports
_MIB = 2**20


def done(job: Mapping[str, Any]) -> Result:
    """Train, tag and judge as a job wants it."""
    wanted, place = job["wanted"], Path(job["folder"])
    with bar("Reading"):
        documents = parts(job["files"], wanted)
    kind = model(wanted["model"])
    settings = kind.Params.made({**wanted["settings"], "jobs": job["threads"]}, owner=wanted["model"])
    made = kind(**vars(settings))
    run, earlier = _run(place / "run", job["mark"]) if kind.resumable else (None, 0.0)
    began = time.perf_counter()
    with _memory(anyway=job["anyway"]), bar("Training"):
        made.fit(documents.train, labels=documents.labels, valid=documents.valid, run=run)
    costs = {"train-seconds": earlier + time.perf_counter() - began, "memory": _peak() / _MIB}
    if run is not None:
        costs |= _rate(run)
    with bar("Saving"):
        costs["size"] = _saved(made, place / "model", keep=job["keep"])
    found = _judged(made, documents, job, costs)
    if run is not None:
        run.remove()
    return found


def _run(place: Path, mark: str) -> tuple[Run, float]:
    """The run to go on with, and the seconds that it took so far; or a fresh one."""
    if (place / "run.json").is_file():
        stopped = Run(place, resume=True)
        with suppress(UmpteenError):  # damaged, so it begins anew
            if stopped.wanted.get("mark") == mark and stopped.latest() is not None:
                return stopped, _seconds(place)
    elif place.exists():
        shutil.rmtree(place)
    return Run(place, {"mark": mark}), 0.0


def _seconds(place: Path) -> float:
    """The time that a stopped run took; 0 where its log does not say."""
    try:
        return histories([place])[0].seconds
    except UmpteenError:
        return 0.0


def _rate(run: Run) -> dict[str, float]:
    return {"train-documents/s": histories([run.path])[0].rate} if run.log().count("\n") > 1 else {}


@contextmanager
def _memory(*, anyway: bool) -> Iterator[None]:
    """Too little memory is an error, unless the user wants to go on."""
    with warnings.catch_warnings():
        if not anyway:
            warnings.simplefilter("error", MemoryWarning)
        try:
            yield
        except MemoryWarning as warning:
            raise UmpteenError(f"{warning} To train nevertheless, add --anyway.") from None


def _peak() -> int:
    """The most memory that this process had so far; of its own, where the system tells it from its parent's."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def _saved(made: Classifier, place: Path, *, keep: bool) -> float:
    made.save(place)
    size = sum(file.stat().st_size for file in place.iterdir()) / _MIB
    if not keep:
        shutil.rmtree(place)
    return size


def _judged(made: Classifier, documents: Parts, job: Mapping[str, Any], costs: dict[str, float]) -> Result:
    places = job["wanted"]["at"]
    found = judge(made, documents.test, depth=max(*places, _KEPT, min(_DEPTH, len(made.labels_))))
    with bar("Measuring"):
        counts = _counts(made, documents)
        report = evaluate(found.ranking, found.truth, counts=counts, documents=made.documents_, at=places)
    ids = found.ids if all(found.ids) else None
    evaluation = Evaluation.of(
        report, found.ranking, found.space, name=job["model"], data=job["data"], documents=ids, k=_KEPT
    )
    evaluation.save(Path(job["folder"]) / EVALUATION)
    costs |= {"tag-seconds": found.seconds, "documents/s": report.documents / max(found.seconds, 1e-9)}
    scores = measures.of_report(evaluation.metrics) | {name: round(value, 4) for name, value in costs.items()}
    learnt = {"documents": made.documents_, "labels": len(made.labels_), "test": report.documents}
    return Result(job["mark"], scores, facts=_facts(job) | learnt)


def _counts(made: Classifier, documents: Parts) -> NDArray[np.integer]:
    """How frequent labels are in training; noise in it must not change how much a rare label is worth."""
    if documents.clean is documents.train:
        return made.labels_.counts
    return np.bincount(made.labels_.encode(documents.clean.labels()).indices, minlength=len(made.labels_))


def _facts(job: Mapping[str, Any]) -> dict[str, Any]:
    libraries = ("numpy", "scipy", "numba", "torch")
    return {
        "name": job["name"],
        "wanted": job["wanted"],
        "files": job["files"],
        "threads": job["threads"],
        "versions": {"umpteen": __version__, "python": platform.python_version(), **_versions(libraries)},
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _versions(libraries: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for name in libraries:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


class _Reporter:
    """Sends what the innermost bar shows to the parent, a few times a second."""

    def __init__(self) -> None:
        self._open: list[_Line] = []
        self._told = 0.0

    @contextmanager
    def bar(self, what: str, total: float | None) -> Iterator[Bar]:
        line = _Line(self, what, total)
        self._open.append(line)
        self.tell(now=True)
        try:
            yield line
        finally:
            self._open.remove(line)

    def line(self, text: str) -> None:
        sys.stderr.write(f"{text}\n")

    def tell(self, *, now: bool = False) -> None:
        if self._open and (now or time.monotonic() - self._told > _EVERY):
            self._told = time.monotonic()
            sys.stdout.write(json.dumps(self._open[-1].state()) + "\n")
            sys.stdout.flush()


class _Line:
    def __init__(self, reporter: _Reporter, what: str, total: float | None) -> None:
        self._reporter, self._what, self._total = reporter, what, total
        self._done, self._note = 0.0, ""

    def advance(self, amount: float = 1) -> None:
        self._done += amount
        self._reporter.tell()

    def note(self, text: str) -> None:
        self._note = text
        self._reporter.tell()

    def state(self) -> dict[str, Any]:
        return {"what": self._what, "done": self._done, "total": self._total, "note": self._note}


def _end_with_parent() -> None:
    sys.stdin.read()  # until the other end is closed
    os._exit(1)


def main() -> None:
    """Do the job of a file and leave its result."""
    job = json.loads(Path(sys.argv[1]).read_bytes())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    show_on(_Reporter())
    folder = Path(job["folder"])
    try:
        found = done(job)
    except UmpteenError as error:
        found = Result(job["mark"], error=str(error), facts=_facts(job))
    except MemoryError:
        found = Result(job["mark"], error="There is not enough memory.", facts=_facts(job))
    except Exception as error:
        traceback.print_exc()
        problem = f"Something unexpected went wrong ({type(error).__name__}: {error}). {folder / LOG} has more."
        found = Result(job["mark"], error=problem, facts=_facts(job))
    found.save(folder)


if __name__ == "__main__":
    main()
