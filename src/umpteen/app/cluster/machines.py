"""A Ray cluster as machines for work: shared arrays lie in its object store, once for each machine; blocks are tasks.

A task whose machine dies is done again on another. Ray's processes hand each other functions and answers by pickle;
nothing that Umpteen saves or loads is pickled.
"""

import os
import socket
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from umpteen.app.border import note
from umpteen.core.errors import UmpteenError
from umpteen.core.extras import need
from umpteen.kernels.spread import Shared

A = TypeVar("A")
B = TypeVar("B")

_SMALL = 100_000  # bytes; what is smaller travels with each task
_AHEAD = 4  # tasks for each core that wait or are done before the reader has come to them
_PATIENCE = 5  # seconds to wait for an address to answer


class Cluster:
    """A connection to a cluster."""

    def __init__(self, address: str) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        self.ray: Any = need("ray", extra="cluster", what="Work on a cluster")
        self._own = not self.ray.is_initialized()
        if self._own:
            self._connect(address)
        self._known: dict[int, tuple[weakref.ref[np.ndarray[Any, Any]], Any]] = {}
        self._check_versions()
        if self.ray.available_resources().get("CPU", 0) < 1:
            note("All cores of the cluster are taken. The work begins when others are done with them.")

    def _connect(self, address: str) -> None:
        tries = 3 if address.startswith("ray://") else 1  # a busy head may be too slow to start what answers there
        for left in reversed(range(tries)):
            try:
                _knock(address)
                self.ray.init(address=address, log_to_driver=False, logging_level="ERROR")
                return
            except (OSError, ValueError, RuntimeError) as error:
                if left and not isinstance(error, ConnectionRefusedError | ValueError):
                    continue
                reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
                raise UmpteenError(
                    f"There is no Ray cluster at {address!r} ({reason}). Start one with `ray start --head`, join "
                    "machines to it with `ray start --address HOST:6379`, and write --cluster auto."
                ) from None

    def _check_versions(self) -> None:
        """All machines must do the work with the same Umpteen."""
        from umpteen import __version__

        for node in self.nodes():
            found = self._get(_anywhere(self.ray, _version, node=node["NodeID"], cores=0).remote())
            if found != __version__:
                raise UmpteenError(
                    f"The machine {node['NodeManagerAddress']} has Umpteen {found}, and this one {__version__}. "
                    "Install the same version on all machines of the cluster."
                )

    def nodes(self) -> list[dict[str, Any]]:
        """The machines that are up and have cores for tasks."""
        return [node for node in self.ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]

    def each(self, work: Callable[[Shared, A], B], shared: Shared, blocks: Iterable[A]) -> Iterator[B]:
        """`work` on each block as a task, answers in order, so many tasks at a time that all cores are busy."""
        parts, task = [self._put(part) for part in shared], _anywhere(self.ray, _done)
        pending, running = iter(blocks), deque[Any]()
        cores = sum(int(node["Resources"]["CPU"]) for node in self.nodes())
        running.extend(task.remote(work, block, *parts) for block in islice(pending, _AHEAD * max(cores, 1)))
        while running:
            yield self._get(running.popleft())
            running.extend(task.remote(work, block, *parts) for block in islice(pending, 1))

    def _put(self, part: Any) -> Any:
        """An array's place in the object store, for as long as the array lives; smaller things as they are."""
        if not isinstance(part, np.ndarray) or part.nbytes < _SMALL:
            return part
        key = id(part)
        if key not in self._known:
            gone = weakref.ref(part, lambda _: self._known.pop(key, None) and None)
            self._known[key] = gone, self.ray.put(part.view(np.ndarray))
        return self._known[key][1]

    def _get(self, reference: Any) -> Any:
        """A task's answer, or the error it ended with as if it had happened here."""
        try:
            return self.ray.get(reference)
        except self.ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, UmpteenError):
                raise error.cause from None
            raise UmpteenError(
                f"A machine of the cluster could not do its work: {str(error.cause or error).splitlines()[-1]}. "
                "Is the same Umpteen installed on all of them?"
            ) from error

    def close(self) -> None:
        """Leave the cluster."""
        if self._own:
            self.ray.shutdown()


@contextmanager
def cluster_at(address: str) -> Iterator[Cluster]:
    """The cluster at an address: `auto` for the one this machine belongs to, HOST:PORT, or ray://HOST:PORT."""
    made = Cluster(address)
    try:
        yield made
    finally:
        made.close()


def _knock(address: str) -> None:
    """Fail within seconds where nobody answers, as Ray itself does after minutes."""
    if address == "auto":  # Ray keeps the address of the cluster that this machine belongs to
        kept = Path(os.environ.get("RAY_TMPDIR") or tempfile.gettempdir(), "ray", "ray_current_cluster")
        address = os.environ.get("RAY_ADDRESS") or (kept.read_text() if kept.is_file() else address)
    host, colon, port = address.strip().removeprefix("ray://").rpartition(":")
    if address.startswith("ray://") and not colon:
        host, port = port, "10001"
    if host:
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()


def _anywhere(ray: Any, work: Callable[..., Any], *, node: str | None = None, cores: int = 1) -> Any:
    """A function as a task for a core of any machine, or of one machine."""
    options: dict[str, Any] = {"num_cpus": cores, "max_retries": -1}
    if node is not None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(node_id=node, soft=True)
    return ray.remote(**options)(work)


def _done(work: Callable[[Shared, A], B], block: A, *shared: Any) -> B:
    return work(shared, block)


def _version() -> str:
    from umpteen import __version__

    return __version__
