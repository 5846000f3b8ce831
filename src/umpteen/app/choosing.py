"""Which labels documents get on the command line: as the user says, else as the model's policy, else the usual."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from typer import BadParameter, Option

from umpteen.app.tables import show, table
from umpteen.contract.kinds import DEPTH, POLICIES, Policy
from umpteen.core.errors import DataError, UmpteenError, check_choice

if TYPE_CHECKING:
    from umpteen.contract.classifier import Classifier
    from umpteen.contract.tuning import Tuning
    from umpteen.core.ranking import Ranking

ByPolicy = Annotated[
    str | None,
    Option(
        "--policy",
        metavar="NAME",
        help=f"How a calibrated model chooses: {', '.join(POLICIES)}.",
        show_default="the one in the model",
    ),
]


@dataclass(frozen=True)
class Choice:
    """How labels are taken from rankings."""

    words: str  # for people
    depth: int  # of the rankings
    pick: "Callable[[Ranking], Ranking]"


def choice(
    model: "Classifier",
    *,
    k: int | None,
    threshold: float | None,
    policy: str | None,
    usual: tuple[int, float | None],
) -> Choice:
    """What the options ask for; `usual` is how many labels, and from which score, where nothing is said."""
    if k is not None and k < 1:
        raise DataError(f"-k is how many labels to give, at least 1, not {k}.")
    if threshold is not None and not 0 <= threshold <= 1:
        raise DataError(f"--threshold is a score between 0 and 1, not {threshold:g}.")
    if policy is not None and (k is not None or threshold is not None):
        raise BadParameter("Choose one of --policy and -k or --threshold.")
    if policy is not None or (model.tuning_ is not None and k is None and threshold is None):
        return _by_policy(model, policy)
    least = usual[1] if k is None and threshold is None else threshold
    most = k if k is not None else usual[0] if threshold is None else DEPTH
    words = [*([f"the first {most}"] if k or least is None else []), *([f"score {least:g} or more"] if least else [])]
    return Choice(
        ", ".join(words), most, lambda found: found.top(most) if least is None else found.top(most).above(least)
    )


def _by_policy(model: "Classifier", policy: str | None) -> Choice:
    if model.tuning_ is None:
        raise UmpteenError("The model has no policies yet. Tune them with: umpteen calibrate MODEL VALIDATION")
    policies = model.tuning_.policies
    wanted = policies.chosen if policy is None else checked(policy)
    words = f"{policies.spoken(wanted)} ({wanted}, tuned for {policies.goal} F1)"
    return Choice(words, DEPTH, lambda found: policies(found.top(DEPTH), wanted))


def checked(policy: str) -> Policy:
    """A policy's name, if it is one."""
    check_choice("policy", policy, POLICIES)
    return next(name for name in POLICIES if name == policy)


def show_tuning(tuning: "Tuning") -> None:
    """What calibration did and what documents get from now on."""
    found, policies = tuning.found, tuning.policies
    show(
        f"Calibrated ({tuning.calibration.how}) on {found.documents:,} documents. Their first five labels, learnt from "
        "one half and measured on the other:"
    )
    rows = [("expected calibration error", found.error), ("nDCG@5", found.ndcg)]
    table(["percent", "before", "after"], [(name, 100 * pair[0], 100 * pair[1]) for name, pair in rows])
    show()
    f1 = [
        (f"{name}{' (in use)' if name == policies.chosen else ''}", policies.spoken(name), 100 * value)
        for name, value in found.f1.items()
    ]
    table(["policy", "labels that a document gets", f"{policies.goal} F1"], f1)
