import json
import os
import subprocess
import sys
import threading
import time

import pytest

from umpteen.core.beside import beside
from umpteen.core.errors import FetchError
from umpteen.data.cache import MANIFEST, is_whole, kept


def writer(calls, text="hello"):
    def write(folder):
        calls.append(folder)
        (folder / "data.txt").write_text(text)
        return {"name": "it"}

    return write


def test_written_once_and_kept(tmp_path):
    calls = []
    folder = kept(tmp_path / "deep" / "it", writer(calls))
    assert kept(folder, writer(calls)) == folder and len(calls) == 1
    manifest = json.loads((folder / MANIFEST).read_text())
    assert manifest["name"] == "it" and manifest["files"]["data.txt"]["bytes"] == 5
    assert [p.name for p in folder.parent.iterdir()] == ["it"]


@pytest.mark.parametrize("damage", ["size", "content", "missing", "manifest"])
def test_damage_is_noticed_and_mended(tmp_path, damage):
    calls = []
    folder = kept(tmp_path / "it", writer(calls))
    if damage == "missing":
        (folder / "data.txt").unlink()
    elif damage == "manifest":
        (folder / MANIFEST).write_text("[1")
    else:
        (folder / "data.txt").write_text("hell" if damage == "size" else "jello")
    assert not is_whole(folder)
    kept(folder, writer(calls))
    assert is_whole(folder) and len(calls) == 2
    assert [p.name for p in tmp_path.iterdir()] == ["it"]


def test_a_failure_leaves_nothing_behind(tmp_path):
    def write(folder):
        (folder / "half").write_text("x")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept(tmp_path / "it", write)
    assert list(tmp_path.iterdir()) == []


def test_leftovers_of_the_dead_go_and_those_of_the_living_stay(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    host = beside(tmp_path / "it").name.split("~")[1]
    names = {"dead": f".it~{host}~{dead.pid}~aa", "living": f".it~{host}~{os.getpid()}~bb", "afar": ".it~other~1~cc"}
    for name in names.values():
        (tmp_path / name).mkdir()
        (tmp_path / name / "half").write_text("x")
    kept(tmp_path / "it", writer([]))
    assert {p.name for p in tmp_path.iterdir()} == {"it", names["living"], names["afar"]}
    os.utime(tmp_path / names["afar"], (time.time() - 90_000,) * 2)
    kept(tmp_path / "it", writer([]), again=True)
    assert not (tmp_path / names["afar"]).exists()


def test_two_at_once_do_not_break_each_other(tmp_path):
    both = threading.Barrier(2)
    done = []

    def slow(folder):
        both.wait(5)
        return writer([])(folder)

    threads = [threading.Thread(target=lambda: done.append(kept(tmp_path / "it", slow))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 2 and is_whole(tmp_path / "it")
    assert [p.name for p in tmp_path.iterdir()] == ["it"]


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FetchError, match="UMPTEEN_CACHE"):
        kept(tmp_path / "file" / "it", writer([]))
