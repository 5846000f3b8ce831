"""What a server is told when it starts, in a form that its worker processes can be handed."""

import json
import logging
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Self

from umpteen.core.errors import SettingError

_VARIABLE = "UMPTEEN_SERVER"  # of the environment, from the first process to its workers
Log = Literal["errors", "requests", "texts"]


@dataclass(frozen=True, kw_only=True)
class Config:
    """Which models, for whom, and how much of them at once."""

    models: dict[str, str]  # folders by project id
    language: str = "und"  # of label names where labels do not say: undetermined
    token: str = ""  # that requests must bear; none if empty
    origins: tuple[str, ...] = ()  # of pages elsewhere that may use the API
    hosts: tuple[str, ...] = ()  # names that requests may call the server by; any if empty
    allow_learn: bool = False
    feedback: str = ""  # file that corrections go to; none are taken if empty
    text: int = 1_000_000  # characters of a text at most
    body: int = 16 << 20  # bytes of a request at most
    queue: int = 256  # documents waiting at most
    timeout: float = 30.0  # seconds that a request may take
    log: Log = "errors"

    def begin_log(self) -> None:
        """Log to stderr from here on."""
        logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s", stream=sys.stderr)
        logging.getLogger("umpteen").setLevel(logging.INFO)

    def hand_over(self) -> None:
        """Leave a copy to processes started from here on."""
        os.environ[_VARIABLE] = json.dumps(asdict(self))

    @classmethod
    def handed_over(cls) -> Self:
        """The copy that the first process left."""
        saved: dict[str, Any] = json.loads(os.environ[_VARIABLE])
        lists = {name: tuple(saved[name]) for name in ("origins", "hosts")}
        return cls(**saved | lists)


def named(folders: list[str]) -> dict[str, str]:
    """Project ids of model folders given as DIR or ID=DIR: a folder's own name where no other is given."""
    found = dict[str, str]()
    for given in folders:
        before, is_named, after = given.partition("=")
        id, folder = (before, after) if is_named and "/" not in before else ("", given)
        id = id or Path(folder).absolute().name
        if not id or not folder:
            raise SettingError(f"A model is named by its folder, as DIR or ID=DIR, not {given!r}.")
        if id in found:
            raise SettingError(
                f"Two models would be called {id!r}: {found[id]} and {folder}. Name one differently: OTHER={folder}"
            )
        found[id] = folder
    return found
