"""LibMultiLabel's AttentionXML without its tree, called as its own command calls it."""

import json
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from peers.network import TOP, Clock, Network

SEED = 1337  # as in its examples


class LibMultiLabel(Network):
    """LibMultiLabel's AttentionXML without its tree: every label attends. Settings are those of its own examples."""

    installs = ("libmultilabel[nn]==0.10.0 torch==2.13.0 setuptools<81",)  # its torchmetrics wants pkg_resources
    metric: ClassVar[str] = "nDCG@5"

    def read(self) -> None:
        super().read()
        import logging
        import warnings

        import pandas
        from libmultilabel.nn import data_utils, nn_utils

        warnings.simplefilter("ignore")
        logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
        self.frame, self.texts, self.nn = pandas.DataFrame, data_utils, nn_utils
        self.device = nn_utils.init_device(use_cpu=True)

    @property
    def names(self) -> list[str]:
        """Labels as text whose order is that of their numbers."""
        return [f"{number:07d}" for number in range(self.labels)]

    def fit(self, folder: Path, clock: Clock) -> None:
        self.nn.set_seed(SEED)
        sets = self.texts.load_datasets(training_data=self._table(self.train), val_data=self._table(self.valid))
        words, vectors = self.texts.load_or_build_text_dict(
            sets["train"], embed_file=str(self.data / "vectors.txt"), silent=True
        )
        folder.mkdir(parents=True)
        (folder / "words.json").write_text(json.dumps(words))
        model = self._model(vectors)
        train = self._loader(sets["train"], words, shuffle=True)
        self._trainer(folder, clock).fit(model, train, self._loader(sets["val"], words))
        if not list(folder.glob("*.npy")):  # stopped before validation
            _write(model, folder)

    def load(self, folder: Path) -> None:
        import torch

        self.words = json.loads((folder / "words.json").read_text())
        weights = {file.stem: torch.from_numpy(np.load(file, allow_pickle=False)) for file in folder.glob("*.npy")}
        self.model = self._model(next(w for name, w in weights.items() if "embed" in name))
        self.model.load_state_dict(weights)
        self.trainer = self.nn.init_trainer(folder, silent=True, use_cpu=True)

    def _model(self, vectors: Any) -> Any:
        return self.nn.init_model(
            "AttentionXML_0",
            self._network(),
            self.names,
            embed_vecs=vectors,
            init_weight="xavier_uniform",
            learning_rate=0.001,
            val_metric=self.metric,
            monitor_metrics=[self.metric],
            silent=True,
            save_k_predictions=TOP,
        )

    def tag(self, texts: list[str]) -> NDArray[np.int32]:
        answers = self.trainer.predict(self.model, self._loader(self._asked(texts), self.words))
        return np.vstack([batch["top_k_pred"] for batch in answers]).astype(np.int32)

    def _table(self, documents: list[dict[str, Any]]) -> Any:
        return self.frame(
            {"label": [" ".join(f"{n:07d}" for n in d["labels"]) for d in documents]}
            | {"text": [d["text"] for d in documents]}
        )

    def _asked(self, texts: list[str]) -> Any:
        return self.texts.load_datasets(
            test_data=self._table([{"text": text, "labels": []} for text in texts]), val_size=0
        )["test"]

    def _network(self) -> dict[str, Any]:
        return {
            "embed_dropout": 0.2,
            "post_encoder_dropout": 0.5,
            "rnn_dim": 2 * self.sizes.hidden,
            "rnn_layers": 1,
            "linear_size": [256],
            "freeze_embed_training": True,
        }

    def _loader(self, documents: Any, words: dict[str, int], *, shuffle: bool = False) -> Any:
        return self.texts.get_dataset_loader(
            documents,
            self.names,
            self.device,
            max_seq_length=self.sizes.length,
            batch_size=self.sizes.batch,
            shuffle=shuffle,
            data_workers=0,  # all work in the process whose threads and memory are counted
            word_dict=words,
        )

    def _trainer(self, folder: Path, clock: Clock) -> Any:
        trainer = self.nn.init_trainer(
            folder,
            epochs=self.sizes.epochs,
            patience=self.sizes.patience or self.sizes.epochs,
            early_stopping_metric=self.metric,
            val_metric=self.metric,
            silent=True,
            use_cpu=True,
        )
        trainer.callbacks.append(_watch(clock, folder, self.metric))
        return trainer


def _write(model: Any, folder: Path) -> None:
    """Keep the weights as plain arrays; its own files are pickles."""
    for name, tensor in model.state_dict().items():
        np.save(folder / f"{name}.npy", tensor.numpy(), allow_pickle=False)


def _watch(clock: Clock, folder: Path, metric: str) -> Any:
    """A callback that counts documents, times validation, keeps the best weights and stops training in time."""
    from lightning.pytorch.callbacks import Callback

    class Watch(Callback):
        since = 0.0
        best = 0.0

        def on_train_epoch_start(self, *_: Any) -> None:
            self.since = time.perf_counter()

        def on_train_batch_end(self, trainer: Any, model: Any, outputs: Any, batch: Any, number: int) -> None:
            now = time.perf_counter()
            clock.saw(len(batch["text"]), now - self.since)  # with the loading of the batch
            self.since = now
            if clock.spent > clock.limit:
                trainer.should_stop = True

        def on_validation_start(self, *_: Any) -> None:
            self.asked = time.perf_counter()

        def on_validation_end(self, trainer: Any, model: Any) -> None:
            if not trainer.sanity_checking and float(trainer.callback_metrics[metric]) > self.best:
                self.best = float(trainer.callback_metrics[metric])
                _write(model, folder)
            clock.valid_s += time.perf_counter() - self.asked

    return Watch()
