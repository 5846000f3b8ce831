"""The server on a cluster: Ray Serve keeps replicas of it on its machines and hands requests to whichever is free."""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from umpteen.app.border import note
from umpteen.app.cluster.folders import packed, unpacked
from umpteen.app.cluster.machines import Cluster
from umpteen.app.tables import show
from umpteen.core.errors import SettingError
from umpteen.core.extras import need

if TYPE_CHECKING:
    from umpteen.app.server.config import Config

_NAME = "umpteen"


def run(cluster: Cluster, config: "Config", *, host: str, port: int, replicas: int) -> None:
    """Serve until told to stop; replicas end then, however far they came."""
    if config.allow_learn:
        raise SettingError("Replicas cannot learn: each would come to know something else. Leave out --allow-learn.")
    try:
        begin(cluster, config, host=host, port=port, replicas=replicas)
        show(f"Serving {', '.join(config.models)} with {replicas} replicas at http://{host}:{port} (Ctrl-C ends it).")
        while True:
            time.sleep(1)
    except KeyboardInterrupt:
        pass
    finally:
        end()


def begin(cluster: Cluster, config: "Config", *, host: str, port: int, replicas: int) -> None:
    """Start the replicas; models travel to their machines."""
    serve: Any = need("ray.serve", extra="cluster", what="Serving on a cluster")
    if config.feedback:
        note("Replicas take no corrections: each would keep its own.")
    logging.getLogger("ray.serve").setLevel(logging.ERROR)
    serve.start(http_options={"host": host, "port": port}, logging_config={"log_level": "ERROR"})
    alone = replace(config, feedback="", models={})
    held = {id: cluster.ray.put(packed(Path(folder))) for id, folder in config.models.items()}
    made = serve.ingress(_builder(alone, held))()
    deployed = serve.deployment(num_replicas=replicas, ray_actor_options={"num_cpus": 1})(made)
    serve.run(deployed.bind(), name=_NAME, route_prefix="/")


def end() -> None:
    """Stop all replicas."""
    serve: Any = need("ray.serve", extra="cluster", what="Serving on a cluster")
    serve.shutdown()


def _builder(config: "Config", held: dict[str, Any]) -> Callable[[], Any]:
    def build() -> Any:
        """The application, made on the machine that a replica runs on."""
        import ray

        from umpteen.app.server.factory import application

        models = {id: str(unpacked(*ray.get(reference))) for id, reference in held.items()}
        return application(replace(config, models=models))

    return build
