"""No file can make Umpteen run code or read elsewhere: the source has no way to, and one test tries."""

import ast
import io
import json
import os
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from toy import toy
from umpteen import load
from umpteen.core.errors import FolderError, UmpteenError
from umpteen.core.store import MANIFEST, Folder, _state
from umpteen.models import model

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "src" / "umpteen").rglob("*.py"))
NEVER = {"eval", "exec", "compile", "__import__", "breakpoint", "input"}  # called by their bare names
MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "yaml", "imp", "runpy", "code"}
METHODS = {
    ("os", "system"),
    ("os", "popen"),
    ("torch", "load"),
    ("torch", "save"),
    ("yaml", "load"),
    ("yaml", "full_load"),
}


def calls(file: Path) -> Iterator[ast.Call]:
    """All calls in a file."""
    return (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))


def owner(call: ast.Call) -> tuple[str, str]:
    """`a.b(...)` as its two names; empty where it is something else."""
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return function.value.id, function.attr
    return "", ""


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_the_source_has_no_way_to_run_what_it_reads(file: Path) -> None:
    for call in calls(file):
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        assert not (isinstance(call.func, ast.Name) and call.func.id in NEVER), ast.unparse(call)
        assert owner(call) not in METHODS, ast.unparse(call)
        if owner(call)[1] in ("load", "save") and owner(call)[0] in ("np", "numpy"):
            safe = named.get("allow_pickle")
            writes = owner(call)[1] == "save"
            assert writes or (isinstance(safe, ast.Constant) and safe.value is False), ast.unparse(call)
        shell = named.get("shell")
        assert shell is None or (isinstance(shell, ast.Constant) and shell.value is False), ast.unparse(call)
    for node in ast.walk(ast.parse(file.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not MODULES & {name.split(".")[0] for name in names}, names


class Evil:
    """Leaves a mark when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[str, int]]:
        return os.mkdir, (str(self.mark), 0o700)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    model("neighbours")(jobs=1).fit(*toy(30)).save(tmp_path / "m")
    return tmp_path / "m"


def resealed(folder: Path, **facts: object) -> None:
    """Whoever can write a folder can make its checksums right."""
    known = json.loads((folder / MANIFEST).read_bytes()) | facts
    known.pop("crc32", None)
    known["files"] = {file.name: _state(file) for file in folder.iterdir() if file.name != MANIFEST}
    (folder / MANIFEST).write_text(json.dumps(known))


def test_pickles_in_a_folder_are_never_opened(saved: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    held = io.BytesIO()
    np.save(held, np.array([Evil(mark)] * 3, object), allow_pickle=True)
    kept = {file.name: file.read_bytes() for file in saved.iterdir()}
    for name in kept:
        for evil in (held.getvalue(), pickle.dumps(Evil(mark)), kept[name][:64] + pickle.dumps(Evil(mark))):
            (saved / name).write_bytes(evil)
            if name != MANIFEST:
                resealed(saved)
            try:
                found = load(saved)
                found.rank(["bread"])
                found.explain("bread and flour")
            except UmpteenError:
                pass
            for other, content in kept.items():
                (saved / other).write_bytes(content)
    assert not mark.exists()
    pickle.loads(pickle.dumps(Evil(mark)))
    assert mark.exists()  # it would have done its work


@pytest.mark.parametrize("name", ["os", "umpteen.app.cli", "../evil", "", 3, None, ["plt"]])
def test_a_folder_names_no_code(saved: Path, name: object) -> None:
    resealed(saved, model=name)
    with pytest.raises(FolderError, match="which this version does not know"):
        load(saved)


def test_files_are_those_of_the_folder(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text(json.dumps({"keys": ["secret"], "counts": [1], "labels": {}}))
    (saved / "labels.json").unlink()
    (saved / "labels.json").symlink_to(tmp_path / "secret.json")
    resealed(saved)
    with pytest.raises(FolderError, match="not a plain file"):
        load(saved)
    known = json.loads((saved / MANIFEST).read_bytes())
    known["files"]["../secret.json"] = _state(tmp_path / "secret.json")
    (saved / MANIFEST).write_text(json.dumps(known))
    with pytest.raises(FolderError, match="not a plain file"):
        load(saved)


def test_a_log_that_leads_elsewhere_is_not_read(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (saved / "log.tsv").symlink_to(tmp_path / "secret")
    with pytest.raises(FolderError, match=r"has no file log\.tsv"):
        Folder(saved).text("log.tsv")


def test_the_lock_names_files_by_their_hashes() -> None:
    lines = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if not line.startswith("#")]
    assert len(lines) > 20
    assert all(re.fullmatch(r"[a-z0-9.-]+==\S+ --hash=sha256:[0-9a-f]{64}", line) for line in lines)
    locked = dict(line.split(" ")[0].split("==") for line in lines)
    pinned = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line and line[0] != "#"]
    for name, version in (line.split("==") for line in pinned):
        name = name.lower().replace("_", "-")
        assert locked.get(name, version) == version, f"{name}: run make lock"
