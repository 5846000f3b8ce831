"""One run of a study, in a process of its own: its peak memory is its own, and so is its end should it crash.

    python -m umpteen.study.worker JOB.json

It reports its progress on stdout, a JSON line each, and ends when its stdin does, so that it never outlives its study.
"""

import json
import os
import shutil
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from umpteen.contract.classifier import Classifier
from umpteen.contract.judgement import judge
from umpteen.core.errors import DataError, UmpteenError
from umpteen.core.memory import MemoryWarning
from umpteen.core.progress import bar, show_on
from umpteen.core.run import Run
from umpteen.core.store import Folder
from umpteen.metrics.evaluation import Evaluation
from umpteen.metrics.report import evaluate
from umpteen.models import model
from umpteen.study import measures
from umpteen.study.circumstances import facts, peak
from umpteen.study.history import histories
from umpteen.study.results import EVALUATION, LOG, TRAINING, Result
from umpteen.study.sources import Parts, parts
from umpteen.study.telling import Reporter

_DEPTH = 100  # labels ranked for each document
_WARM = 16  # documents tagged before the clock starts
_KEPT = 5  # labels of each document in an evaluation
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
    costs = {"train-seconds": earlier + time.perf_counter() - began, "memory": peak() / _MIB}
    if run is not None:
        costs |= _rate(run)
    with bar("Saving"):
        costs["size"] = _saved(made, place / "model", keep=job["keep"])
    found = _judged(made, documents, job, costs)
    if run is not None:
        for log in _logs(run.path):
            name = TRAINING if log.parent == run.path else f"{log.parent.name}-{TRAINING}"
            if log.stat().st_size:
                shutil.copyfile(log, place / name)
        run.remove()
    return found


def _run(place: Path, mark: str) -> tuple[Run, float]:
    """The run to go on with, and the seconds that it took so far; or a fresh one."""
    if (place / "run.json").is_file():
        stopped = Run(place, resume=True)
        with suppress(UmpteenError):  # damaged, so it begins anew
            if stopped.wanted.get("mark") == mark and (stopped.latest() is not None or stopped.started):
                return stopped, _seconds(place)
    elif place.exists():
        shutil.rmtree(place)
    return Run(place, {"mark": mark}), 0.0


def _seconds(place: Path) -> float:
    """The time that a stopped run took, with those of its members; 0 where logs do not say."""
    total = 0.0
    for log in _logs(place):
        with suppress(UmpteenError):
            total += histories([log.parent])[0].seconds
    return total


def _logs(run: Path) -> list[Path]:
    """A run's log, or those of its members."""
    return [log for log in (run / TRAINING, *sorted(run.glob(f"*/{TRAINING}"))) if log.is_file()]


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


def _saved(made: Classifier, place: Path, *, keep: bool) -> float:
    made.save(place)
    size = Folder(place, verify=False).size / _MIB
    if not keep:
        shutil.rmtree(place)
    return size


def _judged(made: Classifier, documents: Parts, job: Mapping[str, Any], costs: dict[str, float]) -> Result:
    places = job["wanted"]["at"]
    if (first := next(documents.test.batches(_WARM), None)) is None:
        raise DataError(f"{documents.test.name} has no documents to judge by: there are too few.")
    made.rank(first, 1)  # what is compiled at first does not count
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
    return Result(job["mark"], scores, facts=facts(job) | learnt)


def _counts(made: Classifier, documents: Parts) -> NDArray[np.integer]:
    """How frequent labels are in training; noise in it must not change how much a rare label is worth."""
    if documents.clean is documents.train:
        return made.labels_.counts
    return np.bincount(made.labels_.encode(documents.clean.labels()).indices, minlength=len(made.labels_))


def _end_with_parent() -> None:
    sys.stdin.read()  # until the other end is closed
    os._exit(1)


def main() -> None:
    """Do the job of a file and leave its result."""
    job = json.loads(Path(sys.argv[1]).read_bytes())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    show_on(Reporter())
    folder = Path(job["folder"])
    try:
        found = done(job)
    except UmpteenError as error:
        found = Result(job["mark"], error=str(error), facts=facts(job))
    except MemoryError:
        found = Result(job["mark"], error="There is not enough memory.", facts=facts(job))
    except Exception as error:
        traceback.print_exc()
        problem = f"Something unexpected went wrong ({type(error).__name__}: {error}). {folder / LOG} has more."
        found = Result(job["mark"], error=problem, facts=facts(job))
    found.save(folder)


if __name__ == "__main__":
    main()
