"""umpteen serve: models on a page and under Annif's REST API."""

import os
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from typer import Argument, Option

from umpteen.app import options
from umpteen.app.border import note
from umpteen.core.errors import SettingError
from umpteen.core.extras import need


def serve(
    models: Annotated[
        list[str],
        Argument(
            metavar="DIR...", help="Folders that `umpteen train` wrote; ID=DIR gives one a name.", show_default=False
        ),
    ],
    host: Annotated[str, Option("--host", help="Address to listen at; 0.0.0.0 for the whole network.")] = "127.0.0.1",
    port: Annotated[int, Option("--port", min=0, max=65535, help="Port to listen at.")] = 8000,
    workers: Annotated[int, Option("--workers", min=1, help="Processes that answer; they share the models.")] = 1,
    token: Annotated[
        str,
        Option(
            "--token",
            envvar="UMPTEEN_TOKEN",
            help="Answer only requests that bear this token. Better given in the environment, where nobody sees it.",
            show_default=False,
        ),
    ] = "",
    origin: Annotated[
        list[str] | None,
        Option(
            "--origin",
            metavar="URL",
            help="A site whose pages may use the API (CORS), or at which people reach it; may be repeated.",
            show_default="none",
        ),
    ] = None,
    allow_learn: Annotated[bool, Option("--allow-learn", help="Let clients teach models that can learn.")] = False,
    feedback: Annotated[Path, Option("--feedback", metavar="FILE", help="Where corrections are kept.")] = Path(
        "feedback.sqlite"
    ),
    no_feedback: Annotated[bool, Option("--no-feedback", help="Take no corrections.")] = False,
    language: Annotated[
        str, Option("--language", metavar="CODE", help="Language of the labels, as clients are told it.")
    ] = "und",
    max_text: Annotated[int, Option("--max-text", min=1, help="Characters of a text at most.")] = 1_000_000,
    max_body: Annotated[int, Option("--max-body", min=1, help="MiB of a request at most.")] = 16,
    queue: Annotated[
        int, Option("--queue", min=1, help="Documents that wait at most; then clients are sent away.")
    ] = 256,
    timeout: Annotated[float, Option("--timeout", min=0.1, help="Seconds that a request may take.")] = 30.0,
    log: Annotated[
        Literal["errors", "requests", "texts"], Option("--log", help="What is logged; `texts` logs texts too.")
    ] = "errors",
    cluster: options.Cluster = None,
) -> None:
    """Serve models: a page to tag texts on, and a REST API that Annif's clients know.

    Example: umpteen serve m
    """
    for library in ("fastapi", "uvicorn", "prometheus_client", "py3langid"):
        need(library, extra="server", what="The server")
    from umpteen.app.server.config import Config, named
    from umpteen.app.server.running import is_loopback, run

    local = is_loopback(host)
    config = Config(
        models={id: str(Path(folder).absolute()) for id, folder in named(models).items()},
        language=language,
        token=token,
        origins=tuple(map(_origin, origin or ())),
        hosts=_hosts(host, origin or []) if local and not token else (),
        allow_learn=allow_learn,
        feedback="" if no_feedback else str(_writable(feedback)),
        text=max_text,
        body=max_body << 20,
        queue=queue,
        timeout=timeout,
        log=log,
    )
    if not local and not token:
        note("Anyone who reaches this machine can use the server: there is no --token.")
    if cluster is None:
        run(config, host=host, port=port, workers=workers)
        return
    from umpteen.app.cluster.machines import cluster_at
    from umpteen.app.cluster.serving import run as run_replicas

    with cluster_at(cluster) as machines:
        run_replicas(machines, config, host=host, port=port, replicas=workers)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingError(f"--origin takes an address such as https://library.example, not {url!r}.")
    return f"{parts.scheme}://{parts.netloc}"


def _hosts(host: str, origins: list[str]) -> tuple[str, ...]:
    """The names that requests may use: else a page elsewhere could point a name of its own at this machine."""
    own = f"[{host}]" if ":" in host else host
    return (own, "localhost", "127.0.0.1", "[::1]", *(str(urlsplit(url).hostname) for url in origins))


def _writable(file: Path) -> Path:
    place = file.absolute()
    if place.is_dir() or not place.parent.is_dir() or not os.access(place if place.exists() else place.parent, os.W_OK):
        raise SettingError(f"{file} cannot be written. Name another file with --feedback, or give --no-feedback.")
    return place
