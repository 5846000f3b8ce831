"""Annif's own server with its omikuji backend, on the same documents."""

import os
import subprocess
from pathlib import Path

import umpteen
from peers.environments import MissingError

INSTALLS = ("annif[omikuji]==1.4.3",)
_PROJECT = """[omikuji]
name=omikuji
language=en
backend=omikuji
analyzer=snowball(english)
vocab=labels
limit=100
"""
_PUNKT = ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab")


def prepare(python: str, corpus: Path, folder: Path) -> None:
    """Write the documents as Annif reads them, and train, once."""
    if (folder / "trained").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "projects.cfg").write_text(_PROJECT)
    sentences = folder / "nltk_data" / "tokenizers" / "punkt_tab" / "english"
    sentences.mkdir(parents=True, exist_ok=True)
    for name in _PUNKT:  # an empty model of sentences, where there is no network to fetch one from; words stay the same
        (sentences / name).touch()
    labels = set[str]()
    with (folder / "train.tsv").open("w") as stream:
        for document in umpteen.read(corpus):
            labels |= {*document.labels}
            uris = " ".join(f"<{uri(key)}>" for key in document.labels)
            stream.write(f"{' '.join(document.text.split())}\t{uris}\n")
    (folder / "labels.tsv").write_text("".join(f"<{uri(key)}>\t{key}\n" for key in sorted(labels)))
    for command in (["load-vocab", "--language", "en", "labels", "labels.tsv"], ["train", "omikuji", "train.tsv"]):
        _annif(python, command, folder)
    (folder / "trained").touch()


def _annif(python: str, command: list[str], folder: Path) -> None:
    told = [str(Path(python).with_name("annif")), *command]
    done = subprocess.run(told, cwd=folder, env=_env(folder), capture_output=True, text=True)
    if done.returncode:
        raise MissingError(f"annif {command[0]} failed: {done.stderr.strip().splitlines()[-1]}")


def uri(key: str) -> str:
    """A label's key as a URI."""
    return f"http://example.org/{key.replace(' ', '_')}"


def start(python: str, folder: Path, port: int, workers: int) -> subprocess.Popen[bytes]:
    """The server as Annif's own documentation runs it in production."""
    command = [str(Path(python).with_name("gunicorn")), "annif:create_app()", "--bind", f"127.0.0.1:{port}"]
    options = ["--worker-class", "uvicorn.workers.UvicornWorker", "--workers", str(workers), "--timeout", "600"]
    with (folder / "server.log").open("wb") as log:
        return subprocess.Popen([*command, *options], cwd=folder, env=_env(folder), stdout=log, stderr=log)


def _env(folder: Path) -> dict[str, str]:
    return os.environ | {"NLTK_DATA": str(folder.absolute() / "nltk_data"), "ANNIF_PROJECTS": "projects.cfg"}
