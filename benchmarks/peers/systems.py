"""The systems compared: what each needs installed, and how it is trained, saved, loaded and asked for labels.

Each runs in its own environment, so nothing but the standard library, numpy and scipy is imported before it is used.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

THREADS = 2
TOP = 5  # labels asked for
BEAM = 10


class System:
    """One way from matrices to labels. Only `train`, `batch` and `one` are timed."""

    installs: ClassVar[tuple[str, ...]] = ()  # arguments of pip, a call each; none: the environment that runs this
    reads_text: ClassVar[bool] = False  # trains from a file in the XC repository's form, not from matrices
    model: Any

    def seed(self, seed: int) -> None:
        """Draw by this, where a system can be told."""

    def read(self, data: Path) -> None:
        """Take the training data in, in the form the system wants."""
        self.X, self.Y = matrix(data, "X"), matrix(data, "Y")

    def warm_up(self) -> None:
        """Do once what happens once only, such as compiling."""

    def train(self, folder: Path) -> None:
        """Everything from features to a model."""
        raise NotImplementedError

    def save(self, folder: Path) -> None:
        """Write the model."""
        raise NotImplementedError

    def load(self, folder: Path) -> None:
        """Become ready to answer."""
        raise NotImplementedError

    def asked(self, X: sparse.csr_matrix) -> Any:
        """Documents in the form that `batch` and `one` take."""
        return X

    def batch(self, documents: Any) -> Any:
        """The best labels of many documents, on all threads."""
        raise NotImplementedError

    def on_one_thread(self) -> None:
        """Become ready for single documents, where threads only cost."""

    def one(self, documents: Any) -> Any:
        """The best labels of a single document."""
        return self.batch(documents)

    def labels(self, answers: Any) -> NDArray[np.int32]:
        """What `batch` answered as (documents, TOP) labels, best first, padded with -1."""
        return padded([[label for label, _ in row] for row in answers])


class Umpteen(System):
    """This project's label tree, as it is or by one of its presets."""

    def __init__(self, preset: str | None = None) -> None:
        import umpteen

        self.model = umpteen.PLT.preset(preset, jobs=THREADS) if preset else umpteen.PLT(jobs=THREADS)

    def seed(self, seed: int) -> None:
        self.model.set_params(seed=seed)

    def warm_up(self) -> None:
        few = self.X[:100]
        deep = {"leaf": 4, "flat": False}  # so that a hundred documents make a tree of several levels
        trial = type(self.model)(**self.model.get_params() | deep).fit(few, self.Y[:100])
        trial.rank(few, TOP)
        trial.rank(few[:1], TOP)

    def train(self, folder: Path) -> None:
        self.model.fit(self.X, self.Y)

    def save(self, folder: Path) -> None:
        self.model.save(folder)

    def load(self, folder: Path) -> None:
        import umpteen

        self.model = umpteen.load(folder)

    def batch(self, documents: Any) -> Any:
        return self.model.rank(documents, TOP)

    def labels(self, answers: Any) -> NDArray[np.int32]:
        return np.asarray(answers.labels)


class Omikuji(System):
    """Three trees. Reading its text file is not timed; documents are asked one by one, a batch on two threads."""

    installs = ("omikuji==0.5.2 numpy scipy",)
    reads_text = True

    def __init__(self, **settings: Any) -> None:
        import omikuji

        self.api = omikuji
        self.settings = omikuji.Model.default_hyper_param()
        for name, value in settings.items():
            setattr(self.settings, name, value)

    def read(self, data: Path) -> None:
        self.pool = self.api._ThreadPoolHandle(THREADS)
        self.data = self.api.lib.load_omikuji_data_set(str(data / "train.txt").encode(), self.pool.ptr)

    def train(self, folder: Path) -> None:
        self.model = self.api.Model(self.api.lib.train_omikuji_model(self.data, self.settings, self.pool.ptr))

    def save(self, folder: Path) -> None:
        self.model.save(str(folder))

    def load(self, folder: Path) -> None:
        self.model = self.api.Model.load(str(folder))
        self.model.init_prediction_thread_pool(THREADS)
        self.model.densify_weights(n_threads=THREADS)  # its fastest form, and what its own test command does
        self.threads = ThreadPoolExecutor(THREADS)

    def asked(self, X: sparse.csr_matrix) -> Any:
        rows = zip(X.indptr[:-1].tolist(), X.indptr[1:].tolist(), strict=True)
        return [list(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True)) for a, b in rows]

    def batch(self, documents: Any) -> Any:
        return list(self.threads.map(lambda pairs: self.model.predict(pairs, BEAM, TOP), documents))

    def on_one_thread(self) -> None:
        self.model.init_prediction_thread_pool(1)

    def one(self, documents: Any) -> Any:
        return self.model.predict(documents[0], BEAM, TOP)


class Pecos(System):
    """XR-Linear with the settings of its command, answering from hash-chunked weights."""

    installs = ("--no-deps libpecos==1.2.8", "numpy<2 scipy<1.14 scikit-learn psutil")  # torch is for other models

    def train(self, folder: Path) -> None:
        from pecos.xmc import Indexer, LabelEmbeddingFactory
        from pecos.xmc.xlinear.model import XLinearModel

        profiles = LabelEmbeddingFactory.create(self.Y, self.X, method="pifa")
        tree = Indexer.gen(profiles, nr_splits=16, max_leaf_size=100, seed=0, threads=THREADS)
        self.model = XLinearModel.train(
            self.X, self.Y, C=tree, threads=THREADS, threshold=0.1, Cp=1, Cn=1, bias=1.0, beam_size=BEAM, only_topk=TOP
        )

    def warm_up(self) -> None:
        import pecos.xmc.xlinear.model  # noqa: F401  (what it imports is not training)

    def save(self, folder: Path) -> None:
        self.model.save(str(folder))

    def load(self, folder: Path) -> None:
        from pecos.xmc.xlinear.model import XLinearModel

        self.model = XLinearModel.load(str(folder), is_predict_only=True, weight_matrix_type="HASH_CHUNKED")

    def batch(self, documents: Any) -> Any:
        return self.model.predict(documents, beam_size=BEAM, only_topk=TOP, threads=THREADS)

    def one(self, documents: Any) -> Any:
        return self.model.predict(documents, beam_size=BEAM, only_topk=TOP, threads=1)

    def labels(self, answers: Any) -> NDArray[np.int32]:
        scores = answers.tocsr()
        rows = (slice(a, b) for a, b in zip(scores.indptr[:-1], scores.indptr[1:], strict=True))
        return padded([scores.indices[row][np.argsort(-scores.data[row], kind="stable")].tolist() for row in rows])


class NapkinXC(System):
    """A probabilistic label tree as it is; it writes its model while it trains."""

    installs = ("napkinxc==0.7.2",)

    def _made(self, folder: Path) -> Any:
        from napkinxc.models import PLT

        return PLT(str(folder), threads=THREADS, seed=0)

    def warm_up(self) -> None:
        import napkinxc.models  # noqa: F401

    def train(self, folder: Path) -> None:
        self.model = self._made(folder)
        self.model.fit(self.X, self.Y)

    def save(self, folder: Path) -> None:
        pass

    def load(self, folder: Path) -> None:
        self.model = self._made(folder)
        self.model.load()

    def batch(self, documents: Any) -> Any:
        return self.model.predict_proba(documents, top_k=TOP)

    def on_one_thread(self) -> None:
        self.model.set_params(threads=1)


SYSTEMS: dict[str, tuple[type[System], dict[str, Any]]] = {
    "umpteen": (Umpteen, {}),
    "umpteen-fast": (Umpteen, {"preset": "fast"}),
    "umpteen-parabel": (Umpteen, {"preset": "parabel"}),
    "umpteen-bonsai": (Umpteen, {"preset": "bonsai"}),
    "omikuji-parabel": (Omikuji, {}),
    "omikuji-bonsai": (Omikuji, {"cluster_balanced": False, "cluster_k": 100, "max_depth": 3}),
    "pecos": (Pecos, {}),
    "napkinxc": (NapkinXC, {}),
}


def kind(name: str) -> type[System]:
    """The class of a system."""
    return SYSTEMS[name][0]


def is_peer(name: str) -> bool:
    """Whether a system is another project's."""
    return bool(kind(name).installs)


def matrix(data: Path, name: str) -> sparse.csr_matrix:
    """A matrix of a data folder."""
    return sparse.csr_matrix(sparse.load_npz(data / f"{name}.npz"))


def padded(rows: list[list[int]]) -> NDArray[np.int32]:
    """Rows of at most TOP labels as one array."""
    return np.array([[*row[:TOP], *[-1] * (TOP - len(row))] for row in rows], np.int32).reshape(len(rows), TOP)
