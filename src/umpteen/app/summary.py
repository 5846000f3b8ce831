"""What is said of a training when its model is saved."""

import math
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from umpteen.app.choosing import show_tuning
from umpteen.app.tables import show, spoken_seconds
from umpteen.core.legible import number_of

if TYPE_CHECKING:
    from umpteen.contract.classifier import Classifier
    from umpteen.core.store import Folder


def summed_up(trained: "Classifier", out: Path, seconds: float, *, replaced: bool) -> None:
    """Say what was learnt, how well, and where it is."""
    from umpteen.core.memory import spoken
    from umpteen.core.store import Folder

    folder = Folder(out, verify=False)
    facts = folder.facts
    features = facts.get("features", {})
    width = f", {features['width']:,} {_kind(facts)}" if features else ""
    show(
        f"Trained {facts['model']} in {spoken_seconds(seconds)}: "
        f"{number_of(trained.documents_, 'document')}, {number_of(len(trained.labels_), 'label')}{width}."
    )
    settings = facts["settings"]
    if _epochs(folder) > settings.get("epochs", math.inf):
        often, steps = number_of(settings["epochs"], "time"), settings["least_steps"]
        show(f"So few are read more than {often}, until there are {steps} steps (least_steps).")
    if chosen := facts.get("chosen"):
        show("Chosen for these documents: " + ", ".join(f"{name} {value:g}" for name, value in chosen.items()) + ".")
    for line in facts.get("notes", ()):
        show(line)
    if (score := facts.get("score")) is not None:
        whose = "documents that the best weights were chosen by, somewhat more than on others"
        if not facts.get("apart", True):
            whose = "the very documents that were learnt from, since none were kept aside"
        show(f"nDCG@5 on {whose}: {100 * score:.1f}.")
    if trained.tuning_ is not None:
        show_tuning(trained.tuning_)
        show()
    show(f"Saved in {out} ({spoken(folder.size)}){', in place of the model that was there' if replaced else ''}.")
    reads_text = not features or features["text"]
    show(
        f'Next: umpteen tag {quote(str(out))} --text "..."'
        if reads_text
        else f"Next: umpteen tag {quote(str(out))} FILE"
    )
    show(f"      umpteen evaluate {quote(str(out))} TEST")


def _kind(facts: dict[str, Any]) -> str:
    """What the features of a model are."""
    settings = facts["settings"]
    if not facts["features"]["text"] or settings.get("characters"):
        return "features"
    longest = facts.get("ngrams", settings.get("ngrams", 1))
    return {1: "words", 2: "words and pairs of words"}.get(longest, "words and runs of words")


def _epochs(folder: "Folder") -> float:
    """How often a network's training read the documents, by its log."""
    from umpteen.core.run import LOG

    rows = folder.text(LOG).splitlines() if folder.has(LOG) else []
    return float(rows[-1].split("\t")[1]) if len(rows) > 1 else 0.0
