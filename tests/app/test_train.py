import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import umpteen as library
from umpteen.app.config import Config, read_config
from umpteen.core import memory
from umpteen.core.run import Run

Command = Callable[..., Any]


def test_train_says_what_it_did_and_what_is_next(umpteen: Command, data: Path, tmp_path: Path) -> None:
    done = umpteen("train", data / "train.jsonl", "--out", tmp_path / "m")
    assert done.code == 0
    assert "18 documents, 4 labels, 12 words" in done.out
    assert f"Saved in {tmp_path / 'm'}" in done.out
    assert f"umpteen tag {tmp_path / 'm'} --text" in done.out
    assert library.load(tmp_path / "m").suggest(["an apple and a pear"], k=1)[0][0][0] in ("fruit", "thing")


def test_networks_say_that_few_documents_are_read_more_often(umpteen: Command, data: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    given = ("--model", "mlp", "--preset", "quick", "--set", "epochs=2", "--set", "min_df=1", "--set", "precision=fp32")
    done = umpteen("train", data, "--out", tmp_path / "m", *given, "--set", "least_steps=5")
    assert "So few are read more than 2 times, until there are 5 steps (least_steps)." in done.out
    done = umpteen("train", data, "--out", tmp_path / "n", *given, "--set", "least_steps=0")
    assert "least_steps" not in done.out


def test_command_line_wins_over_the_config_file(umpteen: Command, data: Path, tmp_path: Path) -> None:
    config = tmp_path / "c.toml"
    config.write_text('model = "popular"\ntrain = "toy"\nout = "m"\n[settings]\nneighbours = 3\nmin_df = 2\n')
    done = umpteen("train", "--config", config, "--model", "neighbours", "--set", "neighbours=4", "--seed", 5)
    assert done.code == 0, done.err
    facts = json.loads((tmp_path / "m" / "model.json").read_text())
    assert facts["model"] == "neighbours"
    assert [facts["settings"][name] for name in ("neighbours", "min_df", "seed")] == [4, 2, 5]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("modle = 'popular'", "has no use for 'modle'. Did you mean 'model'?"),
        ("neighbours = 3", "has no use for 'neighbours'"),
        ("model = 3", "'model' must be a text, not 3"),
        ("model = ", "is not TOML"),
        ("[settings]\nngram = 2", "has no setting 'ngram'. Did you mean 'ngrams'?"),
    ],
)
def test_config_mistakes(umpteen: Command, data: Path, tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "c.toml").write_text(text)
    done = umpteen("train", data, "--out", tmp_path / "m", "--config", tmp_path / "c.toml")
    assert done.code == 1
    assert sentence in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("extra", "sentence"),
    [
        (["--model", "neighbors"], "There is no model 'neighbors'. Did you mean 'neighbours'?"),
        (["--set", "treees=3"], "has no setting 'treees'. Did you mean 'trees'?"),
        (["--set", "neighbours"], "--set takes name=value, not 'neighbours'."),
        (["--set", "trees=x"], "Setting 'trees' takes a whole number, not 'x'."),
        (["--set", "trees=0"], "must be 1 or more"),
        (["--preset", "quick"], "has no preset 'quick'."),
        (["--format", "jsnol"], "There is no format 'jsnol'. Did you mean 'jsonl'?"),
        (["--labels", "nowhere.tsv"], "There is no file nowhere.tsv."),
        (["--config", "nowhere.toml"], "There is no file nowhere.toml."),
        (["--valid", "nowhere.tsv"], "There is no file nowhere.tsv."),
        (["--seed", "-1"], "Setting 'seed' must be 0 to 4e+09, not -1."),
    ],
)
def test_mistakes_get_one_sentence(
    umpteen: Command, data: Path, tmp_path: Path, extra: list[str], sentence: str
) -> None:
    done = umpteen("train", data, "--out", tmp_path / "m", *extra)
    assert done.code == 1
    assert sentence in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "m").exists()


def test_data_and_place_are_needed(umpteen: Command, data: Path, tmp_path: Path) -> None:
    assert umpteen("train", "--out", tmp_path / "m").code == 2
    assert umpteen("train", data).code == 2


def test_missing_data_get_the_near_match(umpteen: Command, data: Path, tmp_path: Path) -> None:
    done = umpteen("train", data / "trian.jsonl", "--out", tmp_path / "m")
    assert done.code == 1
    assert "Did you mean 'train.jsonl'?" in done.err


def test_a_folder_that_is_no_model_is_never_written_over(umpteen: Command, data: Path) -> None:
    done = umpteen("train", data / "no-such-file", "--out", data)
    assert done.code == 1
    assert "holds other files, not an Umpteen model" in done.err  # said before the data are looked at
    assert sorted(file.name for file in data.iterdir()) == ["labels.tsv", "test.jsonl", "train.jsonl"]


def test_too_little_memory_is_an_error_unless_wanted(
    umpteen: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "free", lambda: 10)
    refused = umpteen("train", data, "--out", tmp_path / "m")
    assert refused.code == 1
    assert "of memory" in refused.err
    assert "--anyway" in refused.err
    done = umpteen("train", data, "--out", tmp_path / "m", "--anyway")
    assert done.code == 0
    assert "Note: " in done.err


def test_bad_lines_are_an_error_or_counted(umpteen: Command, data: Path, tmp_path: Path) -> None:
    with (data / "train.jsonl").open("a") as file:
        file.write("{broken\n")
    failed = umpteen("train", data, "--out", tmp_path / "m")
    assert failed.code == 1
    assert "train.jsonl line 19: " in failed.err
    done = umpteen("train", data, "--out", tmp_path / "m", "--skip-bad")
    assert done.code == 0
    assert "1 malformed lines" in done.err


def test_documents_without_labels_are_counted(umpteen: Command, data: Path, tmp_path: Path) -> None:
    with (data / "train.jsonl").open("a") as file:
        file.write('{"text": "apple", "labels": []}\n' * 3)
    done = umpteen("train", data, "--out", tmp_path / "m")
    assert "Left out: 3 documents without labels." in done.err
    assert "18 documents" in done.out


def test_names_in_a_language(umpteen: Command, data: Path, tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("uri,label_en,label_de\nfruit,Fruit,Obst\nthing,Thing,Ding\n")
    names = ("--labels", tmp_path / "names.csv")
    assert umpteen("train", data, "--out", tmp_path / "m", *names, "--language", "de").code == 0
    assert "Obst" in umpteen("tag", tmp_path / "m", "--text", "apple").out
    assert umpteen("stats", data, *names, "--language", "de").code == 0
    for command in (("train", data, "--out", tmp_path / "m"), ("stats", data)):
        done = umpteen(*command, *names, "--language", "fr")
        assert done.code == 1
        assert "No label has a name in 'fr'. There are: de, en." in done.err
    done = umpteen("stats", data / "train.jsonl", "--language", "de")
    assert "Name one with --labels FILE" in done.err


def test_ctrl_c_keeps_the_old_model(umpteen: Command, data: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (model / "model.json").read_bytes()

    def stopped(*_: object, **__: object) -> None:
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()  # as compiled code does

    monkeypatch.setattr("umpteen.models.sparse.plt.PLT._fit", stopped)
    done = umpteen("train", data, "--out", model)
    assert done.code == 130
    assert f"The model that was in {model} is unchanged." in done.err
    assert (model / "model.json").read_bytes() == before


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_real_ctrl_c_ends_cleanly(data: Path, tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; import umpteen.models.sparse.plt as n; from umpteen.app.cli import main\n"
        "n.PLT._fit = lambda *_: os.kill(os.getpid(), signal.SIGINT)\n"
        f"sys.argv = ['umpteen', 'train', {str(data)!r}, '--out', {str(tmp_path / 'm')!r}]; main()"
    )
    signal.signal(signal.SIGINT, signal.default_int_handler)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 130
    assert done.stderr == "umpteen: Stopped. No model was saved.\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["toy"]


def test_going_on_keeps_settings_and_counts_what_is_new(umpteen: Command, data: Path, tmp_path: Path) -> None:
    assert umpteen("train", data, "--out", tmp_path / "old", "--set", "trees=2").code == 0
    done = umpteen("train", data, "--from", tmp_path / "old", "--out", tmp_path / "new")
    assert done.code == 0
    assert "left out" not in done.err
    assert "36 documents" in done.out
    facts = json.loads((tmp_path / "new" / "model.json").read_text())
    assert facts["settings"]["trees"] == 2
    assert umpteen("tag", tmp_path / "new", "--text", "apple plum").code == 0


def test_a_label_file_for_other_labels_is_noticed(umpteen: Command, data: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.tsv"
    names.write_text("x1\tOne\nx2\tTwo\n")
    done = umpteen("train", data / "train.jsonl", "--labels", names, "--out", tmp_path / "m2")
    assert "None of the 4 labels stands in the label file" in done.err


def test_calibrated_by_documents_kept_aside(umpteen: Command, data: Path, tmp_path: Path) -> None:
    lines = (data / "train.jsonl").read_text() * 4
    (tmp_path / "many.jsonl").write_text(lines)
    done = umpteen("train", tmp_path / "many.jsonl", "--out", tmp_path / "c", "--model", "neighbours", "--calibrate")
    assert done.code == 0
    assert "Calibrated (isotonic) on 7 documents." in done.out
    made = library.load(tmp_path / "c")
    assert made.documents_ == 72  # trained again on all
    assert len(made.tuning_.policies.labels) == len(made.labels_)
    plain = umpteen("train", tmp_path / "many.jsonl", "--out", tmp_path / "p", "--model", "neighbours")
    assert "Calibrated" not in plain.out


def test_named_documents_calibrate_for_free(umpteen: Command, data: Path, tmp_path: Path) -> None:
    arguments = ("train", data, "--valid", data / "test.jsonl", "--model", "neighbours", "--out")
    assert "Calibrated (isotonic) on 6 documents." in umpteen(*arguments, tmp_path / "c").out
    assert "Calibrated" not in umpteen(*arguments, tmp_path / "p", "--no-calibrate").out


def test_validation_documents_of_a_folder(umpteen: Command, data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "train.jsonl").write_bytes((data / "train.jsonl").read_bytes())
    (folder / "valid.jsonl").write_bytes((data / "test.jsonl").read_bytes())
    done = umpteen("train", folder, "--valid", folder, "--out", tmp_path / "m")
    assert done.code == 0, done.err
    assert "on 6 documents" in done.out


def test_what_calibration_would_refuse_is_said_before_training(
    umpteen: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("umpteen.PLT._fit", lambda *_: pytest.fail("was trained"))
    one = tmp_path / "one.jsonl"
    one.write_text('{"text": "iron", "labels": ["metal"]}\n{"text": "none", "labels": []}\n')
    done = umpteen("train", data, "--valid", one, "--out", tmp_path / "m")
    assert done.code == 1 and "two at least" in done.err
    done = umpteen("train", data, "--calibrate", "--set", "favour=0.5", "--out", tmp_path / "m")
    assert done.code == 1 and "set 'favour' to 0" in done.err


def test_a_file_of_vectors_is_found_again_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("vectors.txt", "glove", "none"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    kept = Config().over(settings={"vectors": "vectors.txt", "batch": 2}).settings
    assert kept == {"vectors": str(tmp_path / "vectors.txt"), "batch": 2}
    for name in ("glove", "none", "nothing.txt"):
        assert Config().over(settings={"vectors": name}).settings == {"vectors": name}
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "vectors.txt").touch()
    (tmp_path / "conf" / "c.toml").write_text('[settings]\nvectors = "vectors.txt"\n')
    read = read_config(tmp_path / "conf" / "c.toml", onto=Config())
    assert read.settings == {"vectors": str(tmp_path / "conf" / "vectors.txt")}


def test_a_file_lies_over_what_a_stopped_training_was_begun_with(tmp_path: Path) -> None:
    begun = Config(model="xmlrnn", train=Path("t.jsonl"), settings={"batch": 2, "rate": 0.1})
    (tmp_path / "c.toml").write_text("[settings]\nrate = 0.2\n")
    read = read_config(tmp_path / "c.toml", onto=begun)
    assert (read.model, read.train, read.settings) == ("xmlrnn", Path("t.jsonl"), {"batch": 2, "rate": 0.2})


@pytest.mark.parametrize("text", ['{"settings": 5}', '{"bogus": 1}', '{"train": 5}', '{"model": ["x"]}', "[]", "{"])
def test_a_damaged_run_is_named(umpteen: Command, tmp_path: Path, text: str) -> None:
    Run(tmp_path / "m.run")
    (tmp_path / "m.run" / "run.json").write_text(text)
    done = umpteen("train", "--out", tmp_path / "m", "--resume")
    assert done.code == 1
    assert f"{tmp_path / 'm.run' / 'run.json'} is damaged. Delete {tmp_path / 'm.run'}" in done.err


def test_a_training_that_goes_on_elsewhere_is_not_called_stopped(umpteen: Command, data: Path, tmp_path: Path) -> None:
    run = Run(tmp_path / "m.run")
    with run.checkpoint():
        pass
    with run.held():
        done = umpteen("train", data, "--out", tmp_path / "m")
    assert done.code == 1 and "is in use by another training. Wait for its end." in done.err
    assert "holds a training that was stopped" in umpteen("train", data, "--out", tmp_path / "m").err


@pytest.mark.parametrize("place", [".", ".."])
def test_a_model_needs_a_folder_of_its_own(
    umpteen: Command, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for more in ([data], ["--resume"]):
        done = umpteen("train", *more, "--out", place)
        assert done.code == 1 and "A model's folder needs a name of its own" in done.err


def test_a_model_is_kept_where_documents_named_to_calibrate_by_do_not_fit(
    umpteen: Command, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "other.jsonl").write_text('{"text": "iron", "labels": ["unheard"]}\n' * 3)
    done = umpteen("train", data, "--valid", tmp_path / "other.jsonl", "--out", tmp_path / "m")
    assert done.code == 0 and "Not calibrated: The model knows none of the labels" in done.err
    assert library.load(tmp_path / "m").tuning_ is None
