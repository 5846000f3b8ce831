"""Networks trained by the machines of a cluster together: Ray Train starts a process on each, torch averages gradients.

The process that the user started keeps the log and the checkpoints, as if it trained by itself. When a machine dies,
those that are left go on from the last checkpoint.
"""

import math
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import copy_context
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from umpteen.app.cluster.keeper import Keeper, restored, saved
from umpteen.app.cluster.machines import Cluster
from umpteen.core.errors import UmpteenError
from umpteen.core.progress import bar
from umpteen.core.run import Run

if TYPE_CHECKING:
    from umpteen.core.store import NewFolder
    from umpteen.train.team import Found, Lesson

_LOOK = 0.5  # seconds between two looks at how far the team is
_TRIES = 20  # machines that may die in one training


class RayTeam:
    """One process for each machine of a cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def train(self, lesson: "Lesson", run: Run | None) -> "tuple[Mapping[str, NDArray[Any]], Found]":
        """Train a stage's network on all machines, again on those left when one dies."""
        ray = self._cluster.ray
        given = ray.put([lesson])  # a list: Ray hands it on as it is
        with tempfile.TemporaryDirectory() as place:
            own = run if run is not None else Run(Path(place) / "run")
            for _ in range(_TRIES):
                keeper = self._keeper(own)
                with _following(ray, keeper, own, lesson):
                    failed = self._tried(given, keeper, own.seconds)
                if failed is None:
                    weights, found = ray.get(keeper.answer.remote())
                    return weights, found
                _reraise(failed)
        raise UmpteenError(f"Machines of the cluster died {_TRIES} times. Go on with --resume when they are sound.")

    def _keeper(self, run: Run) -> Any:
        """An actor on this machine that holds what the training has come to."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        ray = self._cluster.ray
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
        made = ray.remote(Keeper).options(num_cpus=0, scheduling_strategy=here)
        return made.remote(saved(run))

    def _tried(self, given: Any, keeper: Any, seconds: float) -> Exception | None:
        """Train to the end; the error, if there is one."""
        from ray.train import RunConfig, ScalingConfig, TrainingFailedError
        from ray.train.torch import TorchConfig, TorchTrainer

        nodes = self._cluster.nodes()
        cores = min(int(node["Resources"]["CPU"]) for node in nodes)
        with tempfile.TemporaryDirectory() as place:
            trainer = TorchTrainer(
                _share,
                train_loop_config={"lesson": given, "keeper": keeper, "seconds": seconds},
                torch_config=TorchConfig(backend="gloo"),
                scaling_config=ScalingConfig(
                    num_workers=len(nodes), resources_per_worker={"CPU": cores}, placement_strategy="SPREAD"
                ),
                run_config=RunConfig(storage_path=place),
            )
            try:
                trainer.fit()
            except TrainingFailedError as error:
                return error
        return None


def _share(config: Mapping[str, Any]) -> None:
    """What each process does: learn its share of every batch; the first tells the keeper."""
    import ray

    from umpteen.train.engine import learn
    from umpteen.train.parallel import place
    from umpteen.train.weights import copied

    (lesson,), keeper, first = ray.get(config["lesson"]), config["keeper"], place()[0] == 0
    with tempfile.TemporaryDirectory() as folder:
        seconds = config["seconds"] if first else math.inf  # nobody reads what the others keep
        run = _Relayed(Path(folder) / "run", keeper, first=first, seconds=seconds)
        restored(ray.get(keeper.latest.remote()), run)
        found = learn(lesson, run)
        if first:
            weights = {name: tensor.cpu().numpy() for name, tensor in copied(lesson.stage.network).items()}
            ray.get(keeper.finish.remote(weights, found, saved(run)))


class _Relayed(Run):
    """A run on another machine, whose checkpoints and log go to the keeper."""

    def __init__(self, path: Path, keeper: Any, *, first: bool, seconds: float) -> None:
        super().__init__(path, seconds=seconds)
        self._keeper, self._first = keeper, first

    @contextmanager
    def checkpoint(self) -> "Iterator[NewFolder]":
        """Write a checkpoint and send it."""
        with super().checkpoint() as folder:
            yield folder
        if self._first:
            self._keeper.keep.remote(saved(self))

    def record(self, row: Mapping[str, Any]) -> None:
        """Add a line to the log, and tell how far the training is."""
        super().record(row)
        if self._first:
            self._keeper.tell.remote(dict(row))


@contextmanager
def _following(ray: Any, keeper: Any, run: Run, lesson: "Lesson") -> Iterator[None]:
    """Meanwhile, put checkpoints and log where the user wants them, and show the progress."""
    end = Event()

    def follow() -> None:
        known, shown = 0, 0.0
        with bar("Learning", lesson.stage.settings.epochs) as line:
            while True:
                last = end.is_set()
                try:
                    number, state, row = ray.get(keeper.news.remote(known))
                except ray.exceptions.RayError:  # the keeper is gone with its machine: what is here counts
                    return
                if state is not None:
                    known = number
                    restored(state, run)
                if row:
                    line.advance(row["epoch"] - shown)
                    shown = row["epoch"]
                    line.note(f"loss {row['loss']:.4f}  nDCG@5 {100 * row['ndcg@5']:.1f}")
                if last:
                    return
                end.wait(_LOOK)

    thread = Thread(target=copy_context().run, args=(follow,), daemon=True)
    with run.held():
        thread.start()
        try:
            yield
        finally:
            end.set()
            thread.join()


def _reraise(error: Exception) -> None:
    """Raise a mistake that would happen again; a machine that died is no mistake."""
    import ray

    reasons = list(getattr(error, "worker_failures", {}).values()) or [error]
    for reason in reasons:
        cause = getattr(reason, "_base_exc", None) or getattr(reason, "cause", None) or reason
        if isinstance(cause, UmpteenError):
            raise cause from None
    died = (ray.exceptions.RayActorError, ray.exceptions.NodeDiedError, ray.exceptions.WorkerCrashedError)
    lost = [reason for reason in reasons if isinstance(getattr(reason, "health_check_failure", reason), died)]
    if not lost:
        raise UmpteenError(f"The cluster could not train: {str(error).strip().splitlines()[-1]}") from error
    time.sleep(_LOOK)
