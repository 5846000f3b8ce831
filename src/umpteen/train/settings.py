"""What deep models can be told: how they learn, and how they read words in their order or bags of features."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from umpteen.contract.tail import Tail
from umpteen.core.settings import Space, Value, setting, times
from umpteen.text.tfidf import TfidfSettings

PAPER: Mapping[str, Value] = {  # learning as papers of the time did: Adam and early stopping, nothing else
    "vectors": "glove",
    "pieces": 1,
    "word_dropout": 0.0,
    "batch": 40,
    "tokens": 20_000,
    "rate": 0.001,
    "schedule": "constant",
    "clip": 0.0,
    "row_moments": False,
    "average_from": 1.0,
    "least_steps": 0,
}


@dataclass(frozen=True, kw_only=True)
class Learning(Tail):
    """How a network learns, and what it runs on."""

    jobs: int = setting(
        0, "Threads to use; 0 takes every core. Other numbers may change the last digits.", least=0, most=4096
    )

    space: ClassVar[Space] = {
        "rate": times(0.3, 0.6, 1.0, 1.6, 3.0),
        "batch": times(0.5, 1, 2),
        "dropout": (0.2, 0.35, 0.5, 0.65),
        "hidden": times(0.5, 1, 2),
    }

    epochs: int = setting(10, "Times that training reads all documents, at most, but at least `least_steps`.", least=1)
    least_steps: int = setting(500, "Steps at least, so that few documents are read more often.", least=0)
    batch: int = setting(40, "Documents in a step.", least=1)
    tokens: int = setting(8000, "Words in a step, padding counted; where documents are long, it has fewer.", least=1)
    optimiser: str = setting("adam", "Adam, or plain steps with momentum (sgd).", choices=("adam", "sgd"))
    rate: float = setting(0.002, "Learning rate.", least=0)
    row_moments: bool = setting(
        False,
        "Of tables of which a step sees few rows, such as vectors of words, Adam keeps a number for each row, not two "
        "for each of its numbers: a third of the memory.",
    )
    momentum: float = setting(0.9, "How much of the last step sgd goes on with.", least=0, most=0.999)
    schedule: str = setting("linear", "The learning rate falls to zero, or stays.", choices=("linear", "constant"))
    decay: float = setting(
        0.0, "Weight decay, but for tables of which a step sees few rows, such as vectors of words.", least=0
    )
    clip: float = setting(5.0, "Longest gradient; longer ones are shortened. 0 for none.", least=0)
    average_from: float = setting(
        0.5, "Share of the training after which weights are averaged (SWA); 1 for never.", least=0, most=1
    )
    held_out: float = setting(
        0.1, "Share of the documents, at most 2,000, kept to choose the best weights by.", least=0, most=0.5
    )
    every: int = setting(0, "Steps between two looks at these; 0: twice an epoch, at least 25.", least=0)
    patience: int = setting(6, "Looks without a better score before training stops.", least=1)

    device: str = setting("auto", "Where to compute; auto takes a GPU where there is one.")
    precision: str = setting(
        "auto", "Numbers of 32 or 16 bits; auto tries what is faster here.", choices=("auto", "fp32", "bf16")
    )
    compile: bool = setting(False, "Compile the network with torch.compile.")


@dataclass(frozen=True, kw_only=True)
class DeepSettings(Learning):
    """For models that read words in their order."""

    space: ClassVar[Space] = {"word_dropout": (0.0, 0.1, 0.2, 0.35)}

    vectors: str = setting("wordllama", "Word vectors to begin with: wordllama, glove, none, or a file of them.")
    width: int = setting(256, "Numbers in a word vector where `vectors` is none.", least=1)
    learn_vectors: bool = setting(True, "Change the word vectors in training; else they stay as they were.")
    word_dropout: float = setting(0.2, "Share of the word vectors' numbers left out in a step.", least=0, most=0.9)
    vocabulary: int = setting(200_000, "Words known, those of most documents first.", least=1)
    min_df: int = setting(2, "A word must occur in this many documents.", least=1)
    length: int = setting(500, "Words read at once.", least=1)
    pieces: int = setting(4, "Pieces of `length` words read of a long document; 1 cuts it after the first.", least=1)


@dataclass(frozen=True, kw_only=True)
class WholeSettings(DeepSettings):
    """For those whose labels also see a document as a whole."""

    bag: int = setting(
        1024, "Width of the bag of words that labels see beside what was read in order; 0: none.", least=0
    )
    means: bool = setting(True, "Labels begin at the mean of their documents' bags, instead of anywhere.")
    calm: float = setting(
        1e-4, "Weights that begin there are hardly moved by gradients below this (Adam's epsilon).", least=1e-12
    )


@dataclass(frozen=True, kw_only=True)
class AdvisedSettings(WholeSettings):
    """For those that read what labels are called, and listen to documents with like words."""

    label_text: bool = setting(True, "A label's name, where a label file gives one, is one more training document.")
    votes: bool = setting(
        True,
        "Up to 500,000 training documents, those with like words, vote too, where documents kept aside are ranked "
        "better with their votes.",
    )


@dataclass(frozen=True, kw_only=True)
class BagSettings(Learning, TfidfSettings):
    """For models that read features with values: tf-idf of text, or ready ones."""

    jobs: int = setting(
        0, "Threads to use; 0 takes every core. Other numbers may change the last digits.", least=0, most=4096
    )
    space: ClassVar[Space] = {
        "feature_dropout": (0.0, 0.2, 0.35, 0.5),
        "decay": (0.0, 0.003, 0.01, 0.03),
    }

    min_df: int = setting(2, "A feature must occur in this many documents.", least=1)
    max_features: int = setting(100_000, "Keep the features that occur in most documents; 0 keeps all.", least=0)
    feature_dropout: float = setting(0.2, "Share of a document's features left out in a step.", least=0, most=0.9)
    epochs: int = setting(25, "Times that training reads all documents, at most, but at least `least_steps`.", least=1)
    patience: int = setting(30, "Looks without a better score before training stops.", least=1)
    batch: int = setting(256, "Documents in a step.", least=1)
    rate: float = setting(0.005, "Learning rate.", least=0)
    decay: float = setting(0.01, "Weight decay.", least=0)
    clip: float = setting(0.0, "Longest gradient; longer ones are shortened. 0 for none.", least=0)
    tokens: int = setting(64_000, "Features in a step, padding counted; of long documents it has fewer.", least=1)


@dataclass(frozen=True, kw_only=True)
class Refitted(BagSettings):
    """For networks that are cheap enough to be trained twice."""

    refit: bool = setting(True, "Then train again on all documents, those kept too, for as many epochs as were best.")
