"""Running the application: one process or several on one socket, until told to stop."""

import ipaddress
import os
import socket
import tempfile
from contextlib import suppress
from pathlib import Path

import uvicorn
from uvicorn.supervisors import Multiprocess

from umpteen.app.server.config import Config
from umpteen.app.server.factory import application
from umpteen.app.server.shelf import opened
from umpteen.app.tables import show
from umpteen.core.errors import UmpteenError
from umpteen.kernels.threads import cores

_THREADS = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_SHARED = "PROMETHEUS_MULTIPROC_DIR"  # where workers count together


def run(config: Config, *, host: str, port: int, workers: int) -> None:
    """Serve; on a request to end, take no more and finish what was accepted."""
    config.begin_log()
    with _listening(host, port) as listener:
        where = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"
        if workers == 1:
            server = uvicorn.Server(_options(application(config), config))
            show(f"Serving {', '.join(config.models)} at {where} (Ctrl-C ends it).")
            with suppress(KeyboardInterrupt):  # sent on when the last request is answered
                server.run(sockets=[listener])
            return
        for id, folder in config.models.items():
            opened(id, Path(folder), language=config.language)  # what is wrong is said once, not by every worker
        show(f"Serving {', '.join(config.models)} at {where} with {workers} workers (Ctrl-C ends it).")
        with tempfile.TemporaryDirectory(prefix="umpteen-") as place, suppress(KeyboardInterrupt):
            _run_workers(config, workers, listener, place)


def _run_workers(config: Config, workers: int, listener: socket.socket, place: str) -> None:
    os.environ[_SHARED] = place
    for name in _THREADS:
        os.environ.setdefault(name, str(max(1, cores() // workers)))
    config.hand_over()
    options = _options("umpteen.app.server.factory:worker", config, factory=True, workers=workers)
    Multiprocess(options, sockets=[listener]).run()


def _options(app: object, config: Config, *, factory: bool = False, workers: int = 1) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        factory=factory,
        workers=workers,
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=int(config.timeout) + 5,
        timeout_worker_healthcheck=60,  # a worker that computes is not dead
    )


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        raise UmpteenError(
            f"The server cannot listen at {host}, port {port}: {error}. Choose others with --host and --port."
        ) from error


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
