import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from umpteen.core import store
from umpteen.core.arrays import mapped_array, save_array
from umpteen.core.errors import FolderError
from umpteen.core.store import Folder, check_free, new_folder


def write(path: Path, value: int = 1) -> Path:
    with new_folder(path) as folder:
        folder.facts["model"] = f"model {value}"
        folder.array("numbers", np.arange(1000) * value)
        folder.array("empty", np.empty((0, 3), np.float32))
        folder.json("names", {"ß": [value]})
    return path


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return write(tmp_path / "deep" / "m")


def manifest(path: Path, **changes: object) -> None:
    facts = json.loads((path / "model.json").read_text()) | changes
    del facts["crc32"]
    (path / "model.json").write_text(json.dumps(facts))


def refused(path: Path, message: str) -> None:
    with pytest.raises(FolderError, match=message):
        Folder(path)


def test_comes_back(saved: Path) -> None:
    folder = Folder(saved)
    assert isinstance(folder.array("numbers").base, np.memmap)
    assert folder.array("numbers").tolist() == [*range(1000)]
    assert folder.array("empty").shape == (0, 3)
    assert folder.json("names") == {"ß": [1]}
    assert folder.facts["model"] == "model 1"
    assert {file.name for file in saved.iterdir()} == {"model.json", "numbers.npy", "empty.npy", "names.json"}
    assert [*saved.parent.iterdir()] == [saved]


def test_changes_to_an_array_never_reach_the_disk(saved: Path) -> None:
    numbers = Folder(saved).array("numbers")
    numbers[:] = 7
    assert Folder(saved).array("numbers")[5] == 5


def test_missing_foreign_and_older(tmp_path: Path, saved: Path) -> None:
    refused(tmp_path / "none", "no model folder .*none. Train one with: umpteen train")
    (tmp_path / "begun.run").mkdir()
    refused(tmp_path / "begun", "Its training was stopped. Go on with: umpteen train --out .*begun --resume")
    (tmp_path / "other").mkdir()
    refused(tmp_path / "other", "not an Umpteen model: it has no model.json")
    (tmp_path / "other" / "model.json").write_text('{"hello": 1}')
    refused(tmp_path / "other", "does not say so")
    (tmp_path / "other" / "model.json").write_text("[1, 2]")
    refused(tmp_path / "other", "does not say so")
    (tmp_path / "other" / "model.json").write_text("{broken")
    refused(tmp_path / "other", "model.json is not JSON")
    manifest(saved, umpteen=99)
    refused(saved, "has format 99, and this version reads format 1")


def test_every_flipped_byte_is_noticed(saved: Path) -> None:
    for name in ("numbers.npy", "names.json", "empty.npy"):
        data = (saved / name).read_bytes()
        for place in (0, len(data) // 2, len(data) - 1):
            changed = bytearray(data)
            changed[place] ^= 1
            (saved / name).write_bytes(changed)
            refused(saved, f"{name} is not what was saved")
        (saved / name).write_bytes(data)
    Folder(saved)


def test_no_flipped_byte_of_the_manifest_changes_what_it_says(saved: Path) -> None:
    data, facts = (saved / "model.json").read_bytes(), Folder(saved).facts
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 1
        (saved / "model.json").write_bytes(changed)
        try:
            found = Folder(saved).facts
        except FolderError:
            continue
        assert {key: found.get(key) for key in facts} == facts  # white space, or the name of the checksum


def test_cut_off_longer_missing_and_linked(saved: Path) -> None:
    data = (saved / "numbers.npy").read_bytes()
    for wrong in (data[:-1], b"", data + b"x"):
        (saved / "numbers.npy").write_bytes(wrong)
        refused(saved, "numbers.npy is not what was saved")
    (saved / "numbers.npy").unlink()
    refused(saved, "'numbers.npy' is missing or not a plain file")
    (saved.parent / "elsewhere.npy").write_bytes(data)
    (saved / "numbers.npy").symlink_to(saved.parent / "elsewhere.npy")
    refused(saved, "'numbers.npy' is missing or not a plain file")
    (saved / "numbers.npy").unlink()
    (saved / "numbers.npy").mkdir()
    refused(saved, "'numbers.npy' is missing or not a plain file")


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "a/b", "..", ""])
def test_manifest_cannot_lead_out_of_the_folder(saved: Path, name: str) -> None:
    (saved.parent / "secret").write_text("x")
    manifest(saved, files={name: {"bytes": 1, "crc32": 0}})
    refused(saved, "is missing or not a plain file")


@pytest.mark.parametrize("files", [{"numbers.npy": 3}, {"numbers.npy": {}}, {"numbers.npy": {"bytes": "x"}}])
def test_manifest_of_other_shapes(saved: Path, files: object) -> None:
    manifest(saved, files=files)
    refused(saved, "is damaged")


def test_files_that_are_not_what_their_name_says(saved: Path) -> None:
    (saved / "numbers.npy").write_bytes(b"no array at all" * 100)
    (saved / "names.json").write_text("{")
    folder = Folder(saved, verify=False)
    with pytest.raises(FolderError, match=r"numbers\.npy: This is not an array"):
        folder.array("numbers")
    with pytest.raises(FolderError, match=r"names\.json is not JSON"):
        folder.json("names")
    with pytest.raises(FolderError, match=r"has no file other\.npy, which this model needs"):
        folder.array("other")


def test_arrays_of_objects_are_never_read(saved: Path) -> None:
    np.save(saved / "numbers.npy", np.array([{"a": 1}] * 100, object), allow_pickle=True)
    with pytest.raises(FolderError, match="not an array"):
        Folder(saved, verify=False).array("numbers")


@pytest.mark.parametrize("swap", [True, False])
def test_replaces_an_older_model(saved: Path, monkeypatch: pytest.MonkeyPatch, swap: bool) -> None:
    if not swap:
        monkeypatch.setattr(store, "_exchanged", lambda one, other: False)
    older = Folder(saved).array("numbers")
    write(saved, 2)
    assert Folder(saved).array("numbers")[5] == 10
    assert older[5] == 5  # still mapped, though its folder is gone
    assert [*saved.parent.iterdir()] == [saved]


def test_failure_while_writing_keeps_the_old(saved: Path) -> None:
    for error in (RuntimeError, KeyboardInterrupt):
        with pytest.raises(error), new_folder(saved) as folder:
            folder.array("numbers", np.zeros(3))
            raise error
    with pytest.raises(FolderError, match=r"could not be written: No space left .* unchanged"), new_folder(saved):
        raise OSError(28, "No space left on device")
    assert Folder(saved).facts["model"] == "model 1"
    assert [*saved.parent.iterdir()] == [saved]


def test_stop_between_the_two_renames_is_put_right(saved: Path) -> None:
    saved.rename(saved.with_name(".m.old"))
    assert Folder(saved).facts["model"] == "model 1"


def test_places_that_are_not_free(tmp_path: Path, saved: Path) -> None:
    check_free(saved)
    check_free(tmp_path / "new" / "deeper")
    (tmp_path / "empty").mkdir()
    check_free(tmp_path / "empty")
    write(tmp_path / "empty")
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to(saved)
    for place in ("file", "link"):
        with pytest.raises(FolderError, match="is not a folder"):
            check_free(tmp_path / place)
    with pytest.raises(FolderError, match="holds other files, not an Umpteen model"):
        check_free(tmp_path)
    with pytest.raises(FolderError, match="is not a folder"), new_folder(tmp_path / "file"):
        pass
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="nothing is forbidden to the superuser")
def test_place_without_permission(tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / "shut").chmod(0o500)
    with pytest.raises(FolderError, match="no permission"):
        check_free(tmp_path / "shut" / "m")


def test_folders_inside_are_kept_and_checked(tmp_path: Path) -> None:
    with new_folder(tmp_path / "m") as folder:
        folder.json("outer", 1)
        with folder.inner("part") as inner:
            inner.facts["model"] = "inner"
            inner.array("numbers", np.arange(5))
    back = Folder(tmp_path / "m")
    assert back.inner("part").facts["model"] == "inner"
    assert back.inner("part").array("numbers").tolist() == [*range(5)]
    assert back.size == sum(f.stat().st_size for f in (tmp_path / "m").rglob("*.*"))
    with pytest.raises(FolderError, match="no folder other"):
        back.inner("other")
    (tmp_path / "m" / "part" / "numbers.npy").write_bytes(b"x")
    refused(tmp_path / "m", "part is damaged: numbers.npy")
    (tmp_path / "m" / "part" / "model.json").write_text("{}")
    refused(tmp_path / "m", "the folder 'part' is missing or not what was saved")


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such limit")
def test_arrays_are_written_whole_or_it_is_said(tmp_path: Path) -> None:
    code = (
        "import resource, sys, numpy as np; from umpteen.core.store import new_folder\n"
        "with new_folder(sys.argv[1]) as folder:\n"
        "    folder.json('small', 1)\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))\n"
        "    folder.array('numbers', np.arange(150))\n"  # fits into a buffer, so that only its end can fail
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "m")], capture_output=True, text=True)
    assert "FolderError" in done.stderr and "could not be written: File too large" in done.stderr
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("shape", [(), (0, 3), (1,), (2, 3)], ids=str)
def test_arrays_keep_their_shape(tmp_path: Path, shape: tuple[int, ...]) -> None:
    values = np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)
    save_array(tmp_path / "a.npy", values)
    found = mapped_array(tmp_path / "a.npy")
    assert found.shape == shape and np.array_equal(found, values)


def test_what_else_lies_in_a_model_folder_is_not_lost(saved: Path) -> None:
    (saved / ".hidden").touch()
    check_free(saved)
    (saved / "notes.txt").write_text("precious")
    with pytest.raises(FolderError, match=r"holds more than its model, which would be lost: notes\.txt\. Move"):
        write(saved, 2)
    assert (saved / "notes.txt").read_text() == "precious"


def test_no_model_goes_into_another_however_deep(saved: Path) -> None:
    with pytest.raises(FolderError, match="is inside the model"):
        check_free(saved / "below" / "m")
