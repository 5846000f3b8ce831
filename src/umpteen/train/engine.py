"""The engine: runs the loop with its log, checkpoints and progress bar, and ends with the best weights."""

import math
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from functools import partial

import numpy as np
import torch

from umpteen.core import code, heap
from umpteen.core.errors import FolderError
from umpteen.core.progress import bar
from umpteen.core.ranking import Ranking
from umpteen.core.run import Run
from umpteen.core.store import Folder
from umpteen.metrics.ranking import Judged
from umpteen.networks.network import Network
from umpteen.train.batches import Source
from umpteen.train.device import autocast_of, precision_of
from umpteen.train.ending import Ending
from umpteen.train.loop import Loop, Step, astray
from umpteen.train.optimiser import parted_by_gradient
from umpteen.train.parallel import mean, place, share, weight
from umpteen.train.ranked import ranked
from umpteen.train.settings import Learning
from umpteen.train.stages import Stage
from umpteen.train.team import Found, Lesson, team
from umpteen.train.weights import learning, put

_MAY_CHANGE = ("jobs", "device", "precision", "compile")  # between a run and its resumption
_SPARED = 20  # times as long as a checkpoint takes there is none
_TIDY = 8  # steps after which memory that is free is given back


def reached(run: Run | None) -> tuple[int, Found]:
    """The stage of a run's last checkpoint, and what the one before had found."""
    latest = run.latest() if run is not None else None
    if latest is None:
        return 0, Found(-1.0, 0.0)
    before = latest.facts["before"]
    return int(latest.facts["stage"]), Found(**before) if before is not None else Found(-1.0, 0.0)


def begun_otherwise(run: Run, what: str, how: str = "") -> FolderError:
    """What to say where a run cannot go on, since its settings or data are others."""
    return FolderError(
        f"The run in {run.path} was begun with other {what}{how}. Use the same, or delete "
        f"{run.path} and train from the start."
    )


def trained(
    stage: Stage,
    number: int,
    source: Source,
    valid: Source,
    run: Run | None,
    rank: Callable[[Source, int], Ranking] | None = None,
    before: Found | None = None,
) -> Found:
    """Train a stage's network in place; what is known of the weights it ends with.

    `rank` says which labels the network as it stands gives, where that is more than the network's own answer. The log
    is of the last stage that scores labels of documents kept aside. `before` is what is known of the stage before.
    """
    lesson, others = Lesson(stage, number, source, valid, rank, before), team()
    if others is None:
        return learn(lesson, run)
    weights, found = others.train(lesson, run)
    put(stage.network, {name: torch.tensor(values) for name, values in weights.items()})
    stage.network.eval()
    return found


def learn(lesson: Lesson, run: Run | None) -> Found:
    """Train a stage's network in this process, with others if it belongs to a group of them."""
    stage, number, source, valid, before = lesson.stage, lesson.number, lesson.source, lesson.valid, lesson.before
    network, settings = stage.network, stage.settings
    rows = np.arange(len(valid))
    kept = valid.take(share(rows)) if place()[1] > 1 else valid

    def judge() -> float:
        if stage.until is not None:
            return 0.0  # of equals the last is best
        assert kept.Y is not None
        own = partial(ranked, network, batch=2 * settings.batch, tokens=settings.tokens)
        ranking = (lesson.rank or own)(kept, 5)
        if np.isnan(ranking.scores).any():
            raise astray(loop.counts["number"], "scores are")
        return mean(weight(rows) * Judged.of(ranking, kept.Y, k=5).ndcg(5).value)

    devices = range(torch.cuda.device_count())
    with (
        torch.random.fork_rng(devices),
        threads_of(settings.jobs),
        heap.kept() if _is_heavy(network) else nullcontext(),
        run.held() if run is not None else nullcontext(),
    ):
        heap.keep_few_kernels()
        device = next(network.parameters()).device
        latest = run.latest() if run is not None else None
        precision = _precision(settings, device, latest)
        loop = Loop(
            network,
            source,
            settings,
            judge,
            autocast_of(precision, device),
            math.inf if stage.until is None else stage.until,
        )
        marks: dict[str, object] = {"settings": _lasting(settings), "data": [_mark(source), _mark(valid)]}
        if run is not None and latest is not None and latest.facts["stage"] == number:
            _resume(loop, latest, marks, run)
        if run is not None and stage.until is None:
            run.rewind(int(loop.counts["looks"]) if stage.groups is None else 0)
        code.let_go()
        found = asdict(before) if before is not None else None
        facts = {**marks, "stage": number, "before": found, "precision": precision}
        _watched(loop, stage, run, facts)
    loop.best.give(learning(network))
    network.eval()
    return Found(loop.counts["score"], loop.counts["best"])


def _precision(settings: Learning, device: torch.device, latest: Folder | None) -> str:
    """What to compute with; where that was found out by a trial, a run goes on with what it began with."""
    wanted = settings.precision
    if wanted == "auto" and latest is not None:
        wanted = str(latest.facts.get("precision", wanted))
    return precision_of(wanted, device)


def _is_heavy(network: Network) -> bool:
    """Whether some gradient is so large that the C library would ask the system for its memory in every step."""
    dense, _ = parted_by_gradient(network)
    return any(weights.nbytes > heap.LARGE and weights.device.type == "cpu" for weights in dense)


def _watched(loop: Loop, stage: Stage, run: Run | None, marks: dict[str, object]) -> None:
    """Go through the steps; log, checkpoint and show each."""
    logged = stage.groups is None and stage.until is None
    measure = "nDCG@5" if stage.groups is None else "nDCG@5 of groups"
    began, spent = time.monotonic(), loop.counts["seconds"]
    score = loop.counts["score"]
    with bar("Learning", loop.epochs * len(loop.source)) as line, Ending() if run is not None else nullcontext() as end:
        line.advance(loop.done * len(loop.source))
        for step in loop.steps():
            if step.number % _TIDY == 0:
                heap.tidy()
            line.advance(step.documents)
            score = score if step.score is None else step.score
            line.note(f"loss {step.loss:.4f}" + (f"  {measure} {100 * score:.1f}" if score >= 0 else ""))
            if run is None:
                continue
            now, looked = time.monotonic(), step.score is not None
            loop.counts["seconds"] = spent + now - began
            if looked and logged:
                run.record(_row(step, loop.counts))
            asked = end is not None and end.asked
            if now >= run.due or (looked and not run.started) or asked:
                _checkpoint(loop, run, marks)
            if end is not None and asked:
                end.heed()


def _row(step: Step, counts: Mapping[str, float]) -> dict[str, float | None]:
    return {
        "step": step.number,
        "epoch": step.epoch,
        "loss": step.loss,
        "ndcg@5": step.score,
        "best": int(step.best),
        "documents/s": counts["documents"] / counts["seconds"],
        "seconds": counts["seconds"],
    }


def _checkpoint(loop: Loop, run: Run, marks: dict[str, object]) -> None:
    """Keep all that the loop needs to go on from here, and say when to do so again."""
    began = time.monotonic()
    with run.checkpoint() as folder:
        names = []
        for number, (name, tensor) in enumerate(loop.state()):
            folder.array(f"tensor{number}", tensor.cpu().numpy())
            names.append(name)
        folder.facts |= {"tensors": names, "counts": loop.counts, **marks}
    now = time.monotonic()
    run.due = now + max(run.seconds, _SPARED * (now - began))


def _resume(loop: Loop, latest: Folder, marks: dict[str, object], run: Run) -> None:
    for mark, known in marks.items():
        if latest.facts[mark] != known:
            raise begun_otherwise(run, mark, _others(latest.facts[mark], known))
    device = next(loop.network.parameters()).device
    tensors = {
        n: torch.from_numpy(latest.array(f"tensor{i}")).to(device) for i, n in enumerate(latest.facts["tensors"])
    }
    fresh = {name: tensor.shape for name, tensor in loop.network.state_dict().items()}
    if fresh != {n.removeprefix("now/"): tensor.shape for n, tensor in tensors.items() if n.startswith("now/")}:
        raise begun_otherwise(run, "word vectors")  # all else that shapes a network is in the marks
    loop.restore(tensors, latest.facts["counts"])


def _others(before: object, now: object) -> str:
    """Which settings differ, where settings do."""
    if not isinstance(before, dict) or not isinstance(now, dict):
        return ""
    told = [f"{name} {before.get(name)}, not {now[name]}" for name in now if before.get(name) != now[name]]
    return f" ({'; '.join(told)})" if told else ""


def _lasting(settings: Learning) -> dict[str, object]:
    return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(settings).items() if k not in _MAY_CHANGE}


def _mark(source: Source) -> int:
    """A number that other documents or labels would change."""
    assert source.Y is not None
    read = source.tokens
    total = 0
    for part in (read.ids, read.bounds, read.values, source.Y.indices, source.Y.indptr):
        total = zlib.crc32(part.tobytes(), total) if part is not None else total
    return total


@contextmanager
def threads_of(jobs: int) -> Iterator[None]:
    """Compute with as many threads, or as many as there were for 0."""
    threads = torch.get_num_threads()
    try:
        if jobs:
            torch.set_num_threads(jobs)
        yield
    finally:
        torch.set_num_threads(threads)
