"""A training that was stopped goes on to the very same weights as one that was not."""

import json
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from toy import toy
from umpteen.core.errors import FolderError
from umpteen.core.run import Run
from umpteen.models import model
from umpteen.train import device, engine
from umpteen.train.loop import Loop

TEXTS, LABELS = toy()
SETTINGS = {
    "vectors": "none", "width": 12, "hidden": 8, "layers": (8,), "batch": 16, "epochs": 4, "least_steps": 0,
    "every": 5, "average_from": 0.3, "precision": "fp32", "min_df": 1, "jobs": 1,
}  # fmt: skip


class KilledError(Exception):
    pass


def weights(trained: object) -> dict[str, np.ndarray]:
    return {name: tensor.numpy() for name, tensor in trained._network.state_dict().items()}


def equal(one: object, other: object) -> bool:
    mine, theirs = weights(one), weights(other)
    return mine.keys() == theirs.keys() and all(mine[k].tobytes() == theirs[k].tobytes() for k in mine)


@pytest.fixture(scope="module", params=["attentionxml", "fasttext", "rankae", "dxml", "treaderxml"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


def made(kind: str, **settings: object) -> object:
    cls = model(kind)
    names = {row.name for row in cls.Params.rows()}
    return cls(**{k: v for k, v in {**SETTINGS, **settings}.items() if k in names})


@pytest.fixture(scope="module")
def undisturbed(kind: str, tmp_path_factory: pytest.TempPathFactory) -> object:
    return made(kind).fit(TEXTS, LABELS, run=Run(tmp_path_factory.mktemp("undisturbed") / "r"))


@pytest.fixture(autouse=True)
def ever_a_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """After each step, however long it takes, where a run wants one after no seconds."""
    monkeypatch.setattr(engine, "_SPARED", 0)


@pytest.mark.parametrize("stop", [3, 5, 6, 14, 20, 35])
def test_resumed_is_as_undisturbed(
    kind: str, undisturbed: object, stop: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update, updates = Loop._update, iter(range(1000))

    def dies(self: Loop, rows: object, done: float) -> float:
        if next(updates) == stop:
            raise KilledError
        return update(self, rows, done)

    with monkeypatch.context() as patch:
        patch.setattr(Loop, "_update", dies)
        with (
            pytest.raises(KilledError) if stop < 28 or getattr(made(kind).params, "refit", False) else nullcontext()
        ):  # a second training
            made(kind).fit(TEXTS, LABELS, run=Run(tmp_path / "r", seconds=0))
    resumed = made(kind).fit(TEXTS, LABELS, run=(run := Run(tmp_path / "r", resume=True)))
    assert equal(resumed, undisturbed)
    assert resumed._chosen == undisturbed._chosen
    assert np.array_equal(resumed.rank(TEXTS, 3).scores, undisturbed.rank(TEXTS, 3).scores)
    rows, whole = ([line.split("\t") for line in text.splitlines()[1:]] for text in (run.log(), undisturbed._log))
    assert [row[:5] for row in rows] == [row[:5] for row in whole]  # all but documents/s and seconds
    seconds = [float(row[-1]) for row in rows]
    assert seconds == sorted(seconds)  # those before the stop count too
    steps = [int(row[0]) for row in rows]
    assert steps[:-1] == [*range(5, 5 * len(steps), 5)]


@pytest.mark.parametrize("stop", range(20, 26))
def test_patience_ends_a_resumed_training_where_it_would_have(
    stop: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores are no better for long, and the least steps are done between two looks: the next look is the last."""
    settings = {"every": 5, "least_steps": 22, "patience": 2, "rate": 0.0, "epochs": 40}
    whole = made("fasttext", **settings).fit(TEXTS, LABELS, run=Run(tmp_path / "w"))
    with monkeypatch.context() as patch:
        patch.setattr(engine, "_checkpoint", stopping(engine._checkpoint, stop))
        with pytest.raises(KilledError):
            made("fasttext", **settings).fit(TEXTS, LABELS, run=Run(tmp_path / "r", seconds=0))
    resumed = made("fasttext", **settings).fit(TEXTS, LABELS, run=(run := Run(tmp_path / "r", resume=True)))
    assert equal(resumed, whole)
    assert [row.split("\t")[0] for row in run.log().splitlines()[1:]] == ["5", "10", "15", "20", "25"]


def stopping(checkpoint: object, stop: int) -> object:
    def dies(loop: Loop, run: Run, marks: dict[str, object]) -> None:
        checkpoint(loop, run, marks)
        if loop.counts["number"] == stop:
            raise KilledError

    return dies


def test_the_closing_look_is_logged_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checkpoint is of the last step, before the look at it, and the training dies after that."""
    last = len(made("fasttext").fit(TEXTS, LABELS, run=(run := Run(tmp_path / "w")))._log.splitlines()) - 1
    steps, checkpoint = int(run.log().splitlines()[-1].split("\t")[0]), engine._checkpoint
    assert steps % SETTINGS["every"]

    def only_then(loop: Loop, run: Run, marks: dict[str, object]) -> None:
        if loop.counts["number"] == steps:
            if loop.counts["ended"]:
                raise KilledError
            checkpoint(loop, run, marks)

    with monkeypatch.context() as patch:
        patch.setattr(engine, "_checkpoint", only_then)
        with pytest.raises(KilledError):
            made("fasttext").fit(TEXTS, LABELS, run=Run(tmp_path / "r", seconds=0))
    again = Run(tmp_path / "r", resume=True)
    assert len(again.log().splitlines()) == 1 + last
    made("fasttext").fit(TEXTS, LABELS, run=again)
    rows = [line.split("\t") for line in again.log().splitlines()[1:]]
    assert [row[:5] for row in rows] == [line.split("\t")[:5] for line in run.log().splitlines()[1:]]
    assert float(rows[-1][5]) > 0  # documents/s are of the whole training


def test_another_run_cannot_be_resumed(tmp_path: Path) -> None:
    made("fasttext").fit(TEXTS, LABELS, run=Run(tmp_path / "r", seconds=0))
    again = Run(tmp_path / "r", resume=True)
    with pytest.raises(FolderError, match="begun with other settings"):
        made("fasttext", rate=0.5).fit(TEXTS, LABELS, run=again)
    with pytest.raises(FolderError, match=r"other settings \(epochs 4, not 5; rate 0.003, not 0.5\)\. Use the same"):
        made("fasttext", rate=0.5, epochs=5).fit(TEXTS, LABELS, run=again)
    with pytest.raises(FolderError, match="begun with other data"):
        made("fasttext").fit(TEXTS[::-1], LABELS[::-1], run=again)
    with pytest.raises(FolderError, match="There is no run in"):
        Run(tmp_path / "nothing", resume=True)
    made("fasttext", held_out=0).fit(TEXTS, LABELS, run=Run(tmp_path / "all", seconds=0))
    with pytest.raises(FolderError, match="begun with other data"):
        made("fasttext", held_out=0).fit(TEXTS[::-1], LABELS[::-1], run=Run(tmp_path / "all", resume=True))


def test_vectors_of_another_width_are_not_gone_on_with(tmp_path: Path) -> None:
    file = tmp_path / "v.txt"
    words = sorted({word for text in TEXTS for word in text.lower().split()})
    file.write_text("".join(f"{word} 0.1 0.2 0.3\n" for word in words))
    given = {"vectors": str(file), "hidden": 8}
    made("xmlrnn", **given).fit(TEXTS, LABELS, run=Run(tmp_path / "r", seconds=0))
    file.write_text("".join(f"{word} 0.1 0.2\n" for word in words))
    with pytest.raises(FolderError, match="begun with other word vectors"):
        made("xmlrnn", **given).fit(TEXTS, LABELS, run=Run(tmp_path / "r", resume=True))


def test_a_checkpoint_is_found_after_a_stop_between_two_renames(tmp_path: Path) -> None:
    run = Run(tmp_path / "r")
    with run.checkpoint():
        pass
    (run.path / "checkpoint").rename(run.path / ".checkpoint.old")
    assert Run(tmp_path / "r", resume=True).started


def test_sgd_without_clipping_goes_on_as_undisturbed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = {"optimiser": "sgd", "clip": 0.0}
    update, updates = Loop._update, iter(range(1000))

    def dies(self: Loop, rows: object, done: float) -> float:
        if next(updates) == 12:
            raise KilledError
        return update(self, rows, done)

    with monkeypatch.context() as patch, pytest.raises(KilledError):
        patch.setattr(Loop, "_update", dies)
        made("fasttext", **plain).fit(TEXTS, LABELS, run=Run(tmp_path / "r", seconds=0))
    resumed = made("fasttext", **plain).fit(TEXTS, LABELS, run=Run(tmp_path / "r", resume=True, seconds=0))
    assert equal(resumed, made("fasttext", **plain).fit(TEXTS, LABELS))


def test_a_second_training_takes_as_many_steps_as_were_best(monkeypatch: pytest.MonkeyPatch) -> None:
    update, taken = Loop._update, []

    def counted(self: Loop, rows: object, done: float) -> float:
        taken.append(self)
        return update(self, rows, done)

    monkeypatch.setattr(Loop, "_update", counted)
    trained = made("mlp", every=1, epochs=2, refit=True).fit(TEXTS, LABELS)
    first, second = dict.fromkeys(taken)
    epoch = sum(loop is second for loop in taken) / len(second._order(0))
    assert epoch == pytest.approx(first.counts["best"], abs=1 / len(second._order(0)))
    assert trained._network is not None


def test_a_run_in_use_is_left_alone(tmp_path: Path) -> None:
    run = Run(tmp_path / "r")
    with run.held():
        with pytest.raises(FolderError, match="in use by another training"):
            made("fasttext").fit(TEXTS, LABELS, run=Run(tmp_path / "r", resume=True))
        with pytest.raises(FolderError, match="in use by another training"):
            Run(tmp_path / "r")
    assert Run(tmp_path / "r").latest() is None


def test_damaged_checkpoint_is_named(tmp_path: Path) -> None:
    made("fasttext").fit(TEXTS, LABELS, run=Run(tmp_path / "r", seconds=0))
    file = max((tmp_path / "r" / "checkpoint").glob("*.npy"), key=lambda f: f.stat().st_size)
    data = bytearray(file.read_bytes())
    data[-3] ^= 1
    file.write_bytes(data)
    with pytest.raises(FolderError, match=f"{file.name} is not what was saved"):
        made("fasttext").fit(TEXTS, LABELS, run=Run(tmp_path / "r", resume=True))


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is of Unix")
def test_kill_9_on_the_command_line(tmp_path: Path) -> None:
    data = tmp_path / "d.jsonl"
    lines = [json.dumps({"text": t, "labels": names}) for t, names in zip(*toy(400), strict=True)]
    data.write_text("\n".join(lines))
    given = {**SETTINGS, "layers": 8, "epochs": 40, "patience": 1000}
    begun = [str(data), "--model", "xmlrnn", *(f"--set={name}={value}" for name, value in given.items())]

    def command(out: str, *more: str) -> list[str]:
        return [sys.executable, "-m", "umpteen", "train", "--out", str(tmp_path / out), *more]

    subprocess.run(command("whole", *begun), check=True, capture_output=True)
    process = subprocess.Popen(command("part", *begun), stderr=subprocess.DEVNULL)
    limit = time.monotonic() + 120
    while not (tmp_path / "part.run" / "checkpoint").is_dir() and time.monotonic() < limit:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "part").exists()
    stopped = subprocess.run(command("part", *begun), capture_output=True, text=True)
    assert "holds a training that was stopped. Go on with it by --resume" in stopped.stderr
    subprocess.run(command("part", "--resume"), check=True, capture_output=True)
    assert not (tmp_path / "part.run").exists()
    for file in sorted((tmp_path / "whole").glob("network.*.npy")):
        assert file.read_bytes() == (tmp_path / "part" / file.name).read_bytes(), file.name


def test_a_second_training_cannot_be_left_out_by_resuming(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the network of the second training, which had hardly begun, would be the model."""
    update, seen = Loop._update, set[int]()

    def dies(self: Loop, rows: object, done: float) -> float:
        seen.add(id(self))
        if len(seen) > 1 and done > 1:
            raise KilledError
        return update(self, rows, done)

    with monkeypatch.context() as patch:
        patch.setattr(Loop, "_update", dies)
        with pytest.raises(KilledError):
            made("mlp", refit=True).fit(TEXTS, LABELS, run=Run(tmp_path / "r", seconds=0))
    with pytest.raises(FolderError, match="begun with other settings"):
        made("mlp", refit=False).fit(TEXTS, LABELS, run=Run(tmp_path / "r", resume=True, seconds=0))


def test_a_run_goes_on_with_the_precision_it_began_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trial that is repeated may end otherwise."""
    asked: list[str] = []
    monkeypatch.setattr(engine, "autocast_of", lambda precision, _: asked.append(precision) or nullcontext)
    monkeypatch.setattr(device, "_half_is_better", lambda _: not asked)
    monkeypatch.setattr(device, "half_gain", lambda: 2.0)
    made("fasttext", precision="auto").fit(TEXTS, LABELS, run=Run(tmp_path / "r", seconds=0))
    made("fasttext", precision="auto").fit(TEXTS, LABELS)
    made("fasttext", precision="auto").fit(TEXTS, LABELS, run=Run(tmp_path / "r", resume=True, seconds=0))
    assert asked == ["bf16", "fp32", "bf16"]


def test_a_polite_stop_costs_no_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of a step ends the training behind it, with a checkpoint; a second one ends it at once."""
    update, whole = Loop._update, made("fasttext").fit(TEXTS, LABELS)

    def fit(place: str, times: int) -> Run:
        steps = iter(range(1000))

        def interrupted(self: Loop, rows: object, done: float) -> float:
            if next(steps) == 12:
                for _ in range(times):
                    signal.raise_signal(signal.SIGINT)
            return update(self, rows, done)

        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(Loop, "_update", interrupted)
            made("fasttext").fit(TEXTS, LABELS, run=Run(tmp_path / place))
        return Run(tmp_path / place, resume=True)

    before = signal.getsignal(signal.SIGINT)
    assert "come to step 13" in (run := fit("once", 1)).reached
    assert equal(made("fasttext").fit(TEXTS, LABELS, run=run), whole)
    assert "come to step 5" in fit("twice", 2).reached  # the first look's
    assert signal.getsignal(signal.SIGINT) is before
