"""Faults: a process killed, a full disk, a place that cannot be written, files that are damaged."""

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scenes import Done, Scene, ended, run, start

_WATCHED = {"open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate", "shutil.rmtree", "os.link"}
DAMAGES = ("flip", "truncate", "delete", "empty", "grow", "link", "folder")


def counted(folder: Path, scene: Scene) -> tuple[int, float, Done]:
    """How often a command touches files of the folder, how long it takes, and how it ends undisturbed."""
    reader, writer = os.pipe()
    began = time.monotonic()

    def before() -> None:
        _watch(folder, lambda: os.write(writer, b"."))

    process = start(folder, scene.command, before)
    os.close(writer)
    touched = 0
    while chunk := os.read(reader, 4096):
        touched += len(chunk)
    os.close(reader)
    _, status = os.waitpid(process, 0)
    return touched, time.monotonic() - began, ended(folder, process, status)


def killed_at_touch(folder: Path, scene: Scene, number: int) -> Done:
    """The command killed right before it touches a file for the `number`th time."""

    def before() -> None:
        left = [number]

        def touch() -> None:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        _watch(folder, touch)

    return run(folder, scene.command, before)


def killed_at_time(folder: Path, scene: Scene, seconds: float) -> Done:
    """The command killed after some time."""
    process = start(folder, scene.command)
    time.sleep(seconds)
    os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    time.sleep(0.3 if scene.name == "study" else 0)  # its children end with it
    return ended(folder, process, status)


def without_room(folder: Path, scene: Scene, most: int) -> Done:
    """The command where no file may become larger than this."""
    return run(folder, scene.command, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))


def on_full_disk(folder: Path, scene: Scene, free: int) -> Done:
    """The command on a disk that is full but for some bytes; the folder lies on a disk of its own."""
    filler = folder.parent / "filler"
    room = os.statvfs(folder.parent)
    with filler.open("wb") as stream:
        os.posix_fallocate(stream.fileno(), 0, max(room.f_bavail * room.f_frsize - free, 1))
    try:
        return run(folder, scene.command)
    finally:
        filler.unlink()


def forbidden(folder: Path, scene: Scene) -> Done:
    """The command in a folder that cannot be written: by its mode, or for the superuser by a mount."""
    if os.geteuid():
        folder.chmod(0o555)
        try:
            return run(folder, scene.command)
        finally:
            folder.chmod(0o755)
    mount(folder, "--bind", str(folder))
    try:
        mount(folder, "-o", "remount,bind,ro")
        return run(folder, scene.command)
    finally:
        unmount(folder)


def mount(place: Path, *options: str) -> None:
    """Mount something at a place; only in a world of one's own."""
    subprocess.run(["mount", *options, str(place)], check=True, capture_output=True)


def unmount(place: Path) -> None:
    """Take away what was mounted last at a place, though a process that is ending may still look at it."""
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def damage(chance: random.Random, file: Path, kind: str) -> None:
    """Do harm to a file."""
    data = file.read_bytes()
    if kind == "flip" and data:
        place = chance.randrange(len(data))
        file.write_bytes(data[:place] + bytes([data[place] ^ (1 << chance.randrange(8))]) + data[place + 1 :])
    elif kind == "truncate":
        file.write_bytes(data[: chance.randrange(len(data) or 1)])
    elif kind in ("empty", "flip"):
        file.write_bytes(b"")
    elif kind == "grow":
        file.write_bytes(data + chance.randbytes(chance.randrange(1, 100)))
    else:
        file.unlink()
    if kind == "link":
        file.symlink_to("/etc/hostname")
    elif kind == "folder":
        file.mkdir()


def _watch(folder: Path, touch: Callable[[], object]) -> None:
    """Call `touch` before each file of the folder is opened, moved, made or removed."""
    inside = str(folder)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _WATCHED and arguments and isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.path.abspath(os.fsdecode(arguments[0]))  # noqa: PTH100
            if path.startswith(inside):
                touch()

    sys.addaudithook(hook)
