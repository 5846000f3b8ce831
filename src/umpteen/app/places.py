"""Where work is done: within a limit of memory, on the machines of a cluster, or simply here."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

from umpteen.app.tables import show

if TYPE_CHECKING:
    from umpteen.app.cluster.machines import Cluster


@contextmanager
def spread_over(address: str | None) -> Iterator["Cluster | None"]:
    """Have the cluster at an address do what can be spread, if one was named."""
    if address is None:
        yield None
        return
    from umpteen.app.cluster.machines import cluster_at
    from umpteen.kernels.spread import working_on

    with cluster_at(address) as cluster, working_on(cluster), _taught_by(cluster):
        yield cluster


def _taught_by(cluster: "Cluster") -> AbstractContextManager[None]:
    """Have the cluster train networks too, where torch is there to have any."""
    from importlib.util import find_spec

    if find_spec("torch") is None:
        return nullcontext()
    from umpteen.app.cluster.learning import RayTeam
    from umpteen.train.team import taught_by

    return taught_by(RayTeam(cluster))


@contextmanager
def within(limit: str | None) -> Iterator[None]:
    """Keep to a limit of memory, if there is one, and say at the end how much was taken."""
    from umpteen.core.memory import bytes_of, peak, spoken
    from umpteen.core.spill import limited

    if limit is None:
        yield
        return
    with limited(bytes_of(limit)) as made:
        yield
    most = peak()
    taken = f"At most {spoken(most)} of memory were taken" if most is not None else "Memory was kept"
    show(f"{taken}, with a limit of {spoken(made.limit)}; {spoken(made.written)} went to disk on the way.")
