"""One run of a study, done within the test, and what the parent makes of a child that breaks."""

import io
import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from study.plans import NOISY, PLAIN, toy_folder, written
from umpteen.core import memory
from umpteen.core.progress import show_on
from umpteen.core.run import Run
from umpteen.metrics.evaluation import Evaluation
from umpteen.models import model
from umpteen.study import worker
from umpteen.study.cells import cells
from umpteen.study.reading import read_study
from umpteen.study.results import Result, Results
from umpteen.study.runner import Runner, _why
from umpteen.study.sources import found, parts


def job(root: Path, text: str = PLAIN, *, number: int = 0, **runner: Any) -> dict[str, Any]:
    """The job of a cell, as a child reads it."""
    if not (root / "toy").exists():
        toy_folder(root)
    study = read_study(written(root, text))
    results = Results(root / "out", cells(study, [found(data) for data in study.data]))
    cell = results.cells[number]
    file = Runner(results, **runner)._prepared(cell, results.folder(cell))
    found_job: dict[str, Any] = json.loads(file.read_text())
    return found_job


def test_a_run_leaves_measures_settings_versions_and_an_evaluation(tmp_path: Path) -> None:
    wanted = job(tmp_path)
    result = worker.done(wanted)
    assert result.measures["P@1"] > 90
    assert {"nDCG@5", "PSP@3", "train-seconds", "tag-seconds", "documents/s", "memory", "size"} <= {*result.measures}
    assert 10 < result.measures["memory"] < 100_000  # MiB
    assert (result.facts["documents"], result.facts["test"]) == (54, 20)
    assert result.facts["wanted"]["settings"]["min_df"] == 1
    assert "umpteen" in result.facts["versions"]
    folder = Path(wanted["folder"])
    saved = Evaluation.load(folder / "evaluation.json")
    assert (saved.name, saved.data, saved.documents[0]) == ("kNN, seed 0", "toy", "test0")
    assert not (folder / "model").exists()
    result.save(folder)
    assert Result.load(folder) == result


def test_the_size_of_a_model_counts_the_models_inside_it(tmp_path: Path) -> None:
    alone = worker.done(job(tmp_path)).measures["size"]
    text = PLAIN.replace(
        'model = "neighbours"', 'model = "consensus"\nsettings = { members = ["neighbours", "neighbours"] }', 1
    )
    assert "consensus" in text
    assert worker.done(job(tmp_path, text)).measures["size"] > 1.5 * alone


def test_models_are_kept_if_wanted(tmp_path: Path) -> None:
    wanted = job(tmp_path, keep=True)
    worker.done(wanted)
    assert (Path(wanted["folder"]) / "model" / "model.json").is_file()


def test_noise_does_not_change_what_rare_labels_are_worth(tmp_path: Path) -> None:
    wanted = job(tmp_path, NOISY, number=3)
    documents = parts(wanted["files"], wanted["wanted"])
    made = model("popular")().fit(documents.train)
    true = Counter(label for labels in documents.clean.labels() for label in labels)
    counts = worker._counts(made, documents)
    assert dict(zip(made.labels_.keys, counts.tolist(), strict=True)) == true
    assert made.labels_.counts.sum() < counts.sum()


def test_too_little_memory_is_an_error_unless_wanted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free", lambda: 10)
    with pytest.raises(Exception, match="To train nevertheless, add --anyway"):
        worker.done(job(tmp_path))
    with pytest.warns(memory.MemoryWarning):
        worker.done(job(tmp_path, anyway=True))


def ended(job: dict[str, Any], root: Path, monkeypatch: pytest.MonkeyPatch) -> Result | None:
    """What the child's main program leaves."""
    (root / "job.json").write_text(json.dumps(job))
    monkeypatch.setattr(sys, "argv", ["worker", str(root / "job.json")])
    monkeypatch.setattr(worker, "_end_with_parent", lambda: None)
    try:
        worker.main()
    finally:
        show_on(None)
    return Result.load(Path(job["folder"]))


def test_errors_become_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    all_lost = NOISY.replace('"0,0.5"', "[1]").replace('"missing", "balanced"', '"missing"')
    result = ended(job(tmp_path, all_lost), tmp_path, monkeypatch)
    assert result is not None and result.error is not None
    assert "no labelled document to learn from" in result.error
    monkeypatch.setattr(worker, "judge", lambda *_, **__: 1 / 0)
    result = ended(job(tmp_path), tmp_path, monkeypatch)
    assert result is not None and result.error is not None
    assert "Something unexpected went wrong (ZeroDivisionError: division by zero)" in result.error
    assert "Traceback" in capsys.readouterr().err


def test_progress_is_reported_line_by_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr("sys.stdout", out)
    assert ended(job(tmp_path), tmp_path, monkeypatch) is not None
    told = [json.loads(line) for line in out.getvalue().splitlines()]
    assert {"Reading", "Training", "Saving", "Ranking test.jsonl", "Measuring"} <= {line["what"] for line in told}


def test_a_stopped_training_goes_on_if_it_is_the_same(tmp_path: Path) -> None:
    place = tmp_path / "run"
    run, earlier = worker._run(place, "a")
    assert earlier == 0
    run.record({"step": 1, "epoch": 1.0, "loss": 1.0, "ndcg@5": 0.5, "best": 1, "documents/s": 9.0, "seconds": 7.0})
    with run.checkpoint() as folder:
        folder.json("x", 1)
    again, earlier = worker._run(place, "a")
    assert again.latest() is not None and earlier == 7
    other, earlier = worker._run(place, "b")
    assert other.latest() is None and earlier == 0
    place.joinpath("run.json").unlink()
    assert isinstance(worker._run(place, "b")[0], Run)


def test_a_network_stopped_in_the_middle_ends_as_if_it_was_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    quick = 'epochs = 2, least_steps = 0, batch = 16, every = 2, vectors = "none", width = 8, min_df = 1'
    deep = PLAIN.replace('"neighbours"', f'"fasttext"\nsettings = {{ {quick}, precision = "fp32" }}')
    undisturbed = worker.done(job(tmp_path, deep))
    record, calls = Run.record, list[int]()

    def stopped(self: Run, row: Mapping[str, Any]) -> None:
        record(self, row)
        calls.append(row["step"])
        if len(calls) == 2:
            raise KeyboardInterrupt  # the first look has left a checkpoint

    monkeypatch.setattr(Run, "record", stopped)
    with pytest.raises(KeyboardInterrupt):
        worker.done(job(tmp_path, deep))
    result = worker.done(job(tmp_path, deep))
    assert calls[:3] == [2, 4, 4]  # went on from step 2, whose checkpoint there was
    assert result.measures["nDCG@5"] == undisturbed.measures["nDCG@5"]
    assert result.measures["train-documents/s"] > 0
    assert not [*(tmp_path / "out" / "runs").glob("*/run")]


def test_why_a_child_ended(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text("Traceback\n  bad thing\n\n")
    assert _why(-9, tmp_path) == "The run was ended by SIGKILL, perhaps since memory did not suffice."
    assert _why(-15, tmp_path) == "The run was ended by SIGTERM."
    assert _why(3, tmp_path) == "The run ended with code 3:   bad thing"


def test_the_time_of_a_stopped_consensus_is_that_of_its_members(tmp_path: Path) -> None:
    run = Run(tmp_path / "run")
    row = {"step": 25, "epoch": 0.5, "loss": 0.3, "ndcg@5": 0.41, "best": 1, "documents/s": 100.0}
    for member, seconds in (("attentionxml", 3600.0), ("fasttext", 60.0)):
        part = run.part(member)
        part.record({**row, "seconds": seconds})
        part.done.mkdir(parents=True)
        (part.done / "log.tsv").write_text((part.path / "log.tsv").read_text())  # of the model that it became
    assert worker._seconds(run.path) == 3660
    assert [log.parent.name for log in worker._logs(run.path)] == ["attentionxml", "fasttext"]
