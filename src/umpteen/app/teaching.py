"""A training with its calibration: documents are kept aside for it where none were named."""

from itertools import islice
from typing import TYPE_CHECKING, Any

from umpteen.app.border import note
from umpteen.core.errors import DataError

if TYPE_CHECKING:
    from umpteen.contract.classifier import Classifier
    from umpteen.core.corpus import Corpus

_ASIDE, _MOST = 0.1, 5_000  # share of the documents kept aside, and how many at most
_LEAST = 2  # documents with labels, for calibration


def taught(
    model: "Classifier",
    corpus: "Corpus",
    valid: "Corpus | None",
    *,
    calibrate: bool | None,
    **given: Any,
) -> None:
    """Fit a model and calibrate it, if that is wanted: by `valid`, or by documents of its own that are kept aside.

    A model that watches such documents anyway is trained once, and calibrated by them. Any other is trained on the
    rest, calibrated, and trained again on all: what scores mean is known from the first, what it knows is from all.
    """
    if calibrate is None:
        calibrate = valid is not None and not getattr(model.params, "favour", 0)
        if valid is not None and not calibrate:
            note("Not calibrated: with 'favour', labels are not in the order of probabilities.")
    if calibrate:
        model.check_tunable()
        if valid is not None:
            _check_enough(valid)
        elif model.begun:
            raise DataError(
                "Probabilities are learnt from documents that the model does not know, and its saved members may know "
                "all of these: name others with --valid."
            )
    if not calibrate or valid is not None:
        model.fit(corpus, valid=valid, **given)
        if calibrate:
            try:
                model.calibrate(valid)
            except DataError as problem:  # what was learnt is not lost for it
                note(f"Not calibrated: {problem}")
        return
    rest, aside = _parted(corpus, model.params.seed)
    if not _enough(aside):
        raise DataError(
            f"A tenth of the {corpus.size:,} documents would be kept aside for calibration, which is too few: name "
            "others with --valid."
        )
    model.fit(rest, valid=aside if model.watches else None, **given)
    model.calibrate(aside)
    if not model.watches:
        tuning, space = model.tuning_, model.labels_
        model.fit(corpus, **given)
        model.tuning_ = tuning.moved(space, model.labels_) if tuning is not None else None


def _check_enough(valid: "Corpus") -> None:
    """Raise where calibration could not work, before a long training shows it."""
    if not _enough(valid):
        raise DataError(
            f"Calibration needs labelled documents, two at least, and {valid.name} has fewer. "
            "Name others, or leave calibration out with --no-calibrate."
        )


def _enough(documents: "Corpus") -> bool:
    return len(list(islice((labels for labels in documents.labels() if labels), _LEAST))) == _LEAST


def _parted(corpus: "Corpus", seed: int) -> "tuple[Corpus, Corpus]":
    from umpteen.data.split import split

    corpus.size = corpus.size if corpus.size is not None else sum(1 for _ in corpus)
    share = min(_ASIDE, _MOST / max(1, corpus.size))
    return tuple(split(corpus, {"rest": 1 - share, "aside": share}, seed=seed).values())  # type: ignore[return-value]
