"""Stopped trainings on the command line: what is said of them, and that nobody takes another's away."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from umpteen.core.run import Run
from umpteen.train.loop import Loop

Command = Callable[..., Any]


class Training:
    """A small training that Ctrl-C ends before a step."""

    def __init__(self, umpteen: Command, data: Path, patch: pytest.MonkeyPatch) -> None:
        self._umpteen, self._patch, self.out = umpteen, patch, data.parent / "m"
        settings = "vectors=none", "width=8", "min_df=1", "batch=8", "precision=fp32", "least_steps=0", "held_out=0"
        self._begun = data, "--model", "fasttext", *(f"--set={each}" for each in settings)
        self.run = data.parent / "m.run"

    def begin(self, *more: str, stop: int) -> Any:
        return self.stopped(stop, *self._begun, *more)

    def resume(self, *more: str) -> Any:
        return self._umpteen("train", "--out", self.out, "--resume", *more)

    def stopped(self, stop: int, *given: object) -> Any:
        update, steps = Loop._update, iter(range(1000))

        def ends(loop: Loop, rows: object, done: float) -> float:
            if next(steps) == stop:
                raise KeyboardInterrupt
            return update(loop, rows, done)

        with self._patch.context() as patch:
            patch.setattr(Loop, "_update", ends)
            return self._umpteen("train", "--out", self.out, *given)


@pytest.fixture
def training(umpteen: Command, data: Path, monkeypatch: pytest.MonkeyPatch) -> Training:
    return Training(umpteen, data, monkeypatch)


def test_it_says_how_far_the_training_had_come(training: Training) -> None:
    assert training.begin("--set=every=2", stop=5).code == 130
    done = training.resume()
    assert done.code == 0, done.err
    assert "The stopped training had come to step 2." in done.err
    assert training.out.is_dir() and not training.run.exists()


def test_a_training_that_has_ended_is_not_resumed(training: Training) -> None:
    training.begin(stop=5)
    assert training.resume().code == 0
    again = training.resume()
    assert again.code == 1 and "there is nothing to resume" in again.err
    assert training.out.is_dir()


def test_what_cannot_go_on_stays_as_it_is(training: Training) -> None:
    training.begin("--set=every=2", stop=5)
    refused = training.resume("--set=rate=0.5")
    assert refused.code == 1 and "was begun with other settings" in refused.err
    assert training.resume().code == 0


def test_a_training_in_the_making_is_left_alone(training: Training) -> None:
    training.begin("--set=every=1000", stop=3)  # before anything was kept
    with Run(training.run, resume=True).held():
        for refused in (training.resume(), training.begin(stop=0)):
            assert refused.code == 1 and "is in use by another training" in refused.err
            assert "begins anew" not in refused.err
        assert (training.run / "run.json").is_file()
    assert "before it had kept anything: it begins anew" in training.resume().err


def test_settings_changed_before_anything_was_kept_stay_changed(training: Training) -> None:
    training.begin("--set=every=1000", stop=3)
    assert training.stopped(5, "--resume", "--set=every=2").code == 130
    assert training.resume().code == 0
    steps = [line.split("\t")[0] for line in (training.out / "log.tsv").read_text().splitlines()]
    assert steps[1:3] == ["2", "4"]


def test_another_model_is_not_gone_on_with(training: Training) -> None:
    training.begin("--set=every=2", stop=5)
    done = training.resume("--model", "xmlcnn")
    assert done.code == 1 and "is a stopped training of fasttext, not xmlcnn." in done.err
    assert training.resume("--model", "fasttext").code == 0


def test_whose_score_it_is(training: Training) -> None:
    assert "nDCG@5 on the very documents that were learnt from" in training.begin(stop=999).out
