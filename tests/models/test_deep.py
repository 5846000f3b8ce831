"""Deep models on the toy corpus: what their settings do, what they explain, what they say to wrong ones."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import umpteen
from toy import NAMES, TOPICS, toy
from umpteen.contract.classifier import Classifier, Size
from umpteen.core.errors import DataError, SettingError, UmpteenError, UmpteenWarning
from umpteen.core.space import Label
from umpteen.metrics.ranking import Judged
from umpteen.models import model
from umpteen.train import device

TEXTS, LABELS = toy()
TEST, TRUTH = toy(60, seed=1)
SMALL: dict[str, Any] = {"vectors": "none", "width": 32, "min_df": 1, "batch": 16, "rate": 0.02, "epochs": 12}
SMALL |= {"least_steps": 200, "every": 20, "average_from": 1.0, "precision": "fp32", "jobs": 1}
RECURRENT: dict[str, Any] = {**SMALL, "hidden": 32, "layers": (16,), "dropout": 0.1}


@pytest.fixture(scope="module")
def attention() -> Classifier:
    return model("attentionxml")(**RECURRENT).fit(TEXTS, LABELS)


def test_shortlist_finds_what_all_labels_find() -> None:
    fitted = model("attentionxml")(**RECURRENT, shortlist=3).fit(TEXTS, LABELS)
    assert type(fitted._network).__name__ == "Shortlisted"
    assert fitted.score(TEST, TRUTH) > 0.95
    ranking = fitted.rank(TEST, k=6)  # more than the shortlist
    assert (ranking.labels >= 0).all()
    explanation = fitted.explain(TEST[0])
    assert explanation.score == pytest.approx(float(ranking.scores[0, 0]), abs=1e-5)


def test_softmax_scores_add_up_to_one() -> None:
    fitted = model("fasttext")(**SMALL, buckets=500, loss="softmax").fit(TEXTS, LABELS)
    assert np.allclose(fitted.rank(TEST, k=6).scores.sum(axis=1), 1, atol=1e-5)
    assert fitted.score(TEST, TRUTH) > 0.95


def test_ngrams_tell_orders_apart() -> None:
    texts = ["red house blue car", "blue house red car"] * 40
    labels = [["one"], ["other"]] * 40
    bags = model("fasttext")(**SMALL, buckets=500, ngrams=1).fit(texts, labels)
    pairs = model("fasttext")(**SMALL, buckets=500, ngrams=2).fit(texts, labels)
    for fitted, sees in ((bags, False), (pairs, True)):
        best = fitted.rank(texts[:2], 1).labels[:, 0]
        assert (best[0] != best[1]) == sees


def test_attention_looks_at_the_words_of_the_topic(attention: Classifier) -> None:
    text = "The BOAT, its anchor and the pawn: checkmate!"
    found = attention.explain(text, "chess")
    assert found.kind == "attention"
    assert sum(span.weight for span in found.spans) == pytest.approx(1, abs=1e-4)
    words = {text[span.start : span.end] for span in found.spans}
    assert words <= {"The", "BOAT", "its", "anchor", "and", "the", "pawn", "checkmate"}
    share = {side: sum(s.weight for s in found.spans if text[s.start : s.end].lower() in side.split())
             for side in (TOPICS["chess"], TOPICS["sailing"])}  # fmt: skip
    assert share[TOPICS["chess"]] > share[TOPICS["sailing"]]


@pytest.mark.parametrize("name", ["xmlrnn", "xmlcnn", "fasttext"])
def test_leaning_points_at_the_words_of_the_topic(name: str) -> None:
    cls = model(name)
    names = {row.name for row in cls.Params.rows()}
    fitted = cls(**{k: v for k, v in (RECURRENT | {"filters": 16, "bottleneck": 32}).items() if k in names})
    fitted.fit(TEXTS, LABELS)
    right = 0
    for text, truth in zip(TEST[:20], TRUTH, strict=False):
        found = fitted.explain(text, truth[0])
        assert found.kind == "leaning"
        right += max(found.features, key=lambda feature: feature.weight).name in TOPICS[truth[0]].split()
    assert right >= 16


def test_attention_models_can_lean_too(attention: Classifier) -> None:
    shares = []
    for text, truth in zip(TEST[:20], TRUTH, strict=False):
        found = attention.explain(text, truth[0], by="leaning")
        assert found.kind == "leaning"
        own = sum(f.weight for f in found.features if f.name in TOPICS[truth[0]].split())
        shares.append(own / sum(abs(f.weight) for f in found.features))
    assert np.mean(shares) > 0.3  # the words of the topic speak for it, on the whole
    with pytest.raises(SettingError, match="'by' cannot be 'sum'"):
        attention.explain(TEST[0], by="sum")


def test_explanations_count_the_words_that_are_not_read(attention: Classifier) -> None:
    most = attention.params.length * attention.params.pieces  # type: ignore[attr-defined]
    assert attention.explain("!!!").unread == 0
    assert attention.explain("star " * most).unread == 0
    assert attention.explain("star " * (most + 7)).unread == 7


def test_label_without_documents_has_no_reasons(attention: Classifier) -> None:
    Y = np.pad(np.array([[name in row for name in NAMES] for row in LABELS], int), ((0, 0), (0, 1)))
    fitted = model("fasttext")(**SMALL, buckets=500).fit(TEXTS, Y)
    with pytest.raises(DataError, match="No training document has the label"):
        fitted.explain(TEXTS[0], "6")


def test_long_documents_are_read_in_pieces_or_cut() -> None:
    filler = "the and " * 10
    texts, labels = [filler + text for text in TEXTS], LABELS
    test = [filler + text for text in TEST]
    settings = RECURRENT | {"least_steps": 400}
    whole = model("attentionxml")(**settings, length=16, pieces=3).fit(texts, labels)
    with pytest.warns(UmpteenWarning, match="120 documents of 120 have 16 words or more, and no more are read of each"):
        cut = model("attentionxml")(**settings, length=16, pieces=1).fit(texts, labels)
    assert whole.score(test, TRUTH) > 0.9 > cut.score(test, TRUTH)


def test_vectors_stay_or_learn() -> None:
    for learn in (False, True):
        fitted = model("fasttext")(**SMALL, buckets=500, learn_vectors=learn).fit(TEXTS, LABELS)
        same = np.array_equal(
            fitted._network.words.table.weight.numpy(force=True), fitted.vectors(fitted._reader.words)
        )
        assert same != learn


def test_vectors_of_a_file_are_used(tmp_path: Path) -> None:
    words = [word for line in TOPICS.values() for word in line.split()]
    lines = [
        f"{w} {' '.join(str(float(n == t)) for n in range(6))}"
        for t, line in enumerate(TOPICS.values())
        for w in line.split()
    ]
    (tmp_path / "v.txt").write_text("\n".join(lines))
    fitted = model("fasttext")(**(SMALL | {"vectors": str(tmp_path / "v.txt"), "learn_vectors": False})).fit(
        TEXTS, LABELS
    )
    assert fitted._network.words.width == 6
    assert fitted.score([words[0]], [[NAMES[0]]]) > 0.9


def test_scores_do_not_depend_on_what_is_tagged_together(attention: Classifier) -> None:
    together = attention.rank([*TEST, "bread " * 300], k=6)
    alone = attention.rank(TEST[:1], k=6)
    assert np.allclose(together.scores[0], alone.scores[0], atol=1e-5)


def test_validation_documents_of_ones_own() -> None:
    fitted = model("fasttext")(**SMALL, buckets=500).fit(
        TEXTS, LABELS, valid=(TEST, [[*t, "never seen"] for t in TRUTH])
    )
    judged = Judged.of(fitted.rank(TEST, 5), fitted.truth(umpteen.Corpus.from_texts(TEST, TRUTH)), k=5)
    assert judged.ndcg(5).value > 0.9 > fitted._score  # the label never seen counts as missed


@pytest.mark.parametrize("labels", [["never seen"], []])
def test_validation_documents_without_known_labels_are_refused_before_training(
    labels: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("umpteen.train.deep.trained", lambda *_: pytest.fail("was trained"))
    with pytest.raises(DataError, match="none of the labels that others are learnt from"):
        model("fasttext")(**SMALL).fit(TEXTS, LABELS, valid=(TEST, [labels] * len(TEST)))


def test_a_model_trained_on_a_gpu_is_loaded_without_one(tmp_path: Path) -> None:
    fitted = model("fasttext")(**SMALL, buckets=500).fit(TEXTS, LABELS)
    fitted.params = replace(fitted.params, device="cuda")
    fitted.save(tmp_path / "m")
    assert umpteen.load(tmp_path / "m").params.device == "auto"


def test_wrong_devices_and_precisions_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingError, match="There is no device 'gpu' here"):
        model("fasttext")(**SMALL, device="gpu").fit(TEXTS, LABELS)
    monkeypatch.setattr(device, "half_gain", lambda: 0.0)
    with pytest.raises(SettingError, match="cannot compute with bf16"):
        model("fasttext")(**(SMALL | {"precision": "bf16"})).fit(TEXTS, LABELS)


def test_a_trial_that_dies_counts_as_no_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_TRIAL", "import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    assert device.half_gain.__wrapped__() == 0.0
    monkeypatch.setattr(device, "_TRIAL", "print(1.5)")
    assert device.half_gain.__wrapped__() == 1.5


def test_runs_of_words_count_in_explanations() -> None:
    fitted = model("fasttext")(**SMALL, buckets=500, ngrams=3).fit(TEXTS, LABELS)
    network, number = fitted._network, 0
    found = fitted.explain(TEST[0], fitted.labels_.keys[number])
    batch = fitted._source(umpteen.Corpus.from_texts(TEST[:1])).batch(np.arange(1))
    place = fitted._known.tolist().index(number)
    whole = network.logit(batch, place).item() - network.scorer.last.bias[place].item()
    assert sum(feature.weight for feature in found.features) == pytest.approx(whole, abs=1e-4)  # it is linear


@pytest.mark.parametrize(("name", "settings"), [("mlp", {"layers": ()}), ("xmlcnn", {"spans": ()})])
def test_networks_of_nothing_are_refused(name: str, settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="names no"):
        model(name)(**settings)


def test_a_training_that_goes_astray_is_not_saved() -> None:
    with pytest.raises(UmpteenError, match="the loss is no longer a number"):
        model("mlp")(min_df=1, rate=1e6, epochs=2, clip=0.0, jobs=1).fit(TEXTS, LABELS)
    once = {"epochs": 1, "least_steps": 0, "batch": 1000, "tokens": 10**6}  # nothing comes after the last step
    with pytest.raises(UmpteenError, match="scores are no longer a number"):
        model("xmlcnn")(**SMALL | once | {"rate": 1e12, "clip": 0.0, "normalise": False}).fit(TEXTS, LABELS)


def test_zero_keeps_all_words() -> None:
    fitted = model("rankae")(encoder="lstm", max_features=0, min_df=1, epochs=1, least_steps=0, jobs=1, members=1)
    assert len(fitted.fit(TEXTS, LABELS)._reader.words) > 20


@pytest.mark.parametrize("name", ["attentionxml", "lightattention"])
def test_names_of_labels_are_read(name: str) -> None:
    """A word that only a label's name has speaks for it; without names it is not even known."""
    labels = {topic: Label(topic, f"Zither {topic}" if topic == "chess" else topic.upper()) for topic in NAMES}
    fitted = {
        reads: model(name)(**RECURRENT, bag=32, label_text=reads).fit(TEXTS, LABELS, labels=labels)
        for reads in (True, False)
    }
    assert "zither" in fitted[True]._reader.words and "zither" not in fitted[False]._reader.words
    best = fitted[True].rank(["zither zither"], 1).labels[0, 0]
    assert fitted[True].labels_.keys[best] == "chess"
    assert fitted[True].score(TEST, TRUTH) > 0.95


def test_the_plan_of_memory_knows_what_adam_keeps() -> None:
    size = Size(documents=1000, characters=10**8, values=0, labels=10, occurrences=1000)
    planned = [
        model("attentionxml")(**settings)._memory(size)
        for settings in ({}, {"row_moments": False}, {"optimiser": "sgd"})
    ]
    assert planned[0] < planned[1] == planned[2]


def test_a_text_shorter_than_a_run_of_words_is_explained() -> None:
    fitted = model("fasttext")(**SMALL, buckets=500, ngrams=3).fit(TEXTS, LABELS)
    word = next(iter(TOPICS.values())).split()[0]
    for text in (word, "!!!"):
        assert fitted.explain(text).score == pytest.approx(float(fitted.rank([text], 1).scores[0, 0]), abs=1e-5)


@pytest.mark.parametrize("name", ["fasttext", "attentionxml"])
def test_a_text_without_words_has_no_reasons(name: str) -> None:
    shape = {"hidden": 8, "layers": (8,)} if name == "attentionxml" else {"buckets": 500}
    found = model(name)(**SMALL | {"epochs": 1, "least_steps": 0}, **shape).fit(TEXTS, LABELS).explain("\U0001f3b5 !!!")
    assert (found.spans, found.features) == ((), ())


@pytest.mark.parametrize("name", ["xmlrnn", "xmlcnn"])
def test_reasons_are_told_apart_from_what_others_ask(name: str) -> None:
    """Several threads that ask one model do not see each other's texts."""
    shape = {"hidden": 32, "layers": (16,)} if name == "xmlrnn" else {}
    fitted = model(name)(**SMALL | {"epochs": 2, "least_steps": 0}, **shape).fit(TEXTS, LABELS)
    expected = [fitted.explain(text, "chess").features for text in TEST[:8]]

    def ask(turn: int) -> bool:
        if turn % 2:
            return len(fitted.rank(TEST, 3).labels) == len(TEST)
        found = fitted.explain(TEST[turn % 8], "chess").features
        return [f.weight for f in found] == pytest.approx([f.weight for f in expected[turn % 8]], abs=1e-5)

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(ask, range(200)))
