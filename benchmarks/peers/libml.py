"""LibMultiLabel's AttentionXML, flat and with its tree, called as its own command calls it."""

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
        from libmultilabel.nn import attentionxml, data_utils, model, nn_utils

        warnings.simplefilter("ignore")
        logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
        self.frame, self.plt, self.texts, self.made, self.nn = (
            pandas.DataFrame,
            attentionxml,
            data_utils,
            model,
            nn_utils,
        )
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
        self._learn(sets, words, vectors, folder, clock)

    def _learn(self, sets: Any, words: dict[str, int], vectors: Any, folder: Path, clock: Clock) -> None:
        model = self.nn.init_model(
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
        trainer = self._trainer(folder, clock, clock.limit)
        train = self._loader(sets["train"], words, shuffle=True)
        trainer.fit(model, train, self._loader(sets["val"], words))

    def load(self, folder: Path) -> None:
        self.words = json.loads((folder / "words.json").read_text())
        path = folder / "best_model.ckpt"
        self.model = self.made.Model.load_from_checkpoint(path, weights_only=False)
        self.trainer = self.nn.init_trainer(folder, silent=True, use_cpu=True)

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

    def _trainer(self, folder: Path, clock: Clock, limit: float) -> Any:
        trainer = self.nn.init_trainer(
            folder,
            epochs=self.sizes.epochs,
            patience=self.sizes.epochs,
            early_stopping_metric=self.metric,
            val_metric=self.metric,
            silent=True,
            use_cpu=True,
        )
        trainer.callbacks.append(_watch(clock, limit))
        return trainer


class LibMultiLabelTree(LibMultiLabel):
    """LibMultiLabel's AttentionXML as it calls it: a model of label clusters, then one of the labels in the best."""

    beam: ClassVar[int] = 64

    def _config(self, folder: Path) -> Any:
        from libmultilabel.common_utils import AttributeDict

        sizes = self.sizes
        return AttributeDict(
            multiclass=False,
            cluster_size=8,
            beam_width=self.beam,
            max_seq_length=sizes.length,
            network_config=self._network(),
            loss_function="binary_cross_entropy_with_logits",
            optimizer="adam",
            learning_rate=0.001,
            momentum=0.9,
            weight_decay=0,
            lr_scheduler=None,
            scheduler_config=None,
            cpu=True,
            epochs=sizes.epochs,
            limit_train_batches=1.0,
            limit_val_batches=1.0,
            limit_test_batches=1.0,
            silent=True,
            early_stopping_metric=self.metric,
            patience=sizes.epochs,
            val_metric=self.metric,
            checkpoint_dir=str(folder),
            monitor_metrics=[self.metric],
            metric_threshold=0.5,
            shuffle=True,
            batch_size=sizes.batch,
            eval_batch_size=sizes.batch,
            data_workers=0,
            save_k_predictions=TOP,
            log_path=None,
            predict_out_path=None,
        )

    def _learn(self, sets: Any, words: dict[str, int], vectors: Any, folder: Path, clock: Clock) -> None:
        limits = iter((clock.limit / 2, clock.limit))

        def watched(*arguments: Any, **settings: Any) -> Any:
            trainer = self.nn.init_trainer(*arguments, **settings)
            trainer.callbacks.append(_watch(clock, next(limits), share=0.5))
            return trainer

        self.plt.init_trainer = watched
        self.plt.PLTTrainer(self._config(folder), self.names, vectors, words).fit(sets)

    def load(self, folder: Path) -> None:
        words = json.loads((folder / "words.json").read_text())
        self.tree = self.plt.PLTTrainer(self._config(folder), self.names, None, words)
        best = self.tree.get_best_model_path
        self.first = self.made.Model.load_from_checkpoint(best(0), weights_only=False)
        self.second = self.plt.PLTModel.load_from_checkpoint(best(1), weights_only=False)
        self.clusters = np.load(self.tree.get_cluster_path(), allow_pickle=True)
        self.trainer = self.nn.init_trainer(folder, silent=True, use_cpu=True)

    def tag(self, texts: list[str]) -> NDArray[np.int32]:
        X = self.tree.reformat_text(self._asked(texts))
        near = self.trainer.predict(self.first, self.tree.eval_dataloader(self.plt.PlainDataset(X)))
        chances = self.plt.expit(np.vstack([batch["top_k_pred_scores"] for batch in near]))
        chosen = np.vstack([batch["top_k_pred"] for batch in near])
        labels, scores = self.tree.cluster2label(self.clusters, chosen, chances)
        documents = self.plt.PLTDataset(
            X,
            num_classes=self.labels,
            num_labels_selected=self.beam * max(map(len, self.clusters)),
            labels_selected=labels,
            label_scores=scores,
        )
        answers = self.trainer.predict(self.second, self.tree.eval_dataloader(documents))
        return np.vstack([batch["top_k_pred"] for batch in answers]).astype(np.int32)


def _watch(clock: Clock, limit: float, *, share: float = 1.0) -> Any:
    """A callback that counts documents (each as `share` of one), times validation and stops training in time."""
    from lightning.pytorch.callbacks import Callback

    class Watch(Callback):
        since = 0.0

        def on_train_epoch_start(self, *_: Any) -> None:
            self.since = time.perf_counter()

        def on_train_batch_end(self, trainer: Any, model: Any, outputs: Any, batch: Any, number: int) -> None:
            now = time.perf_counter()
            clock.saw(share * len(batch["text"]), now - self.since)  # with the loading of the batch
            self.since = now
            if clock.spent > limit:
                trainer.should_stop = True

        def on_validation_start(self, *_: Any) -> None:
            self.asked = time.perf_counter()

        def on_validation_end(self, *_: Any) -> None:
            clock.valid_s += time.perf_counter() - self.asked

    return Watch()
