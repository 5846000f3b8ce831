"""Report: all there is to say of a ranking beside the truth, in percent as the papers print it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from umpteen.core.errors import DataError, SettingError, check_choice
from umpteen.core.ranking import Ranking
from umpteen.metrics.bootstrap import intervals
from umpteen.metrics.calibration import Reliability
from umpteen.metrics.groups import Group, Ties, frequency_groups
from umpteen.metrics.ranking import Judged, Ratio, Truth, coverage, inverse_propensity, true_labels
from umpteen.metrics.sets import Counts

HALF = 0.5  # from which score on a label counts as given where nothing else is said
AT_K = {"P": Judged.precision, "R": Judged.recall, "nDCG": Judged.ndcg, "PSP": Judged.psp, "PSnDCG": Judged.psndcg}


@dataclass(frozen=True, kw_only=True)
class Report:
    """Metrics under the field's names, with the size of what they were measured on."""

    scores: dict[str, float]  # "P@1", "nDCG@5", "macro-F1", ...
    intervals: dict[str, tuple[float, float]]  # 95%, by bootstrap; only of what is a sum over documents
    groups: tuple[Group, ...]  # tail, torso, head
    documents: int
    labels: int  # that the model knows
    documents_without_labels: int  # each counts as 0
    labels_never_seen: int  # in the truth, but on no training document
    given: str  # which labels count as given in F1, in words
    ties: Ties  # how the groups' areas were taken

    def __getitem__(self, metric: str) -> float:
        return self.scores[metric]

    def to_json(self) -> dict[str, Any]:
        """One flat object: the metrics by name, then the rest; what has no value is null."""
        return {
            **{name: _rounded(value) for name, value in self.scores.items()},
            "intervals": {name: [_rounded(low), _rounded(high)] for name, (low, high) in self.intervals.items()},
            "groups": [{name: _rounded(value) for name, value in asdict(group).items()} for group in self.groups],
            "documents": self.documents,
            "labels": self.labels,
            "documents_without_labels": self.documents_without_labels,
            "labels_never_seen": self.labels_never_seen,
            "given": self.given,
            "ties": self.ties,
        }


def evaluate(
    ranking: Ranking,
    Y: Truth,
    *,
    counts: NDArray[np.integer],
    documents: int,
    at: Sequence[int] = (1, 3, 5),
    chosen: tuple[Ranking, str] | None = None,
    a: float = 0.55,
    b: float = 1.5,
    least: int = 5,
    group_by: Literal["test", "train"] = "test",
    ties: Ties = "half",
    resamples: int = 1000,
    seed: int = 0,
) -> Report:
    """Everything about a ranking beside the truth; `counts` (of the model's labels) and `documents` are of training.

    Columns of the truth beyond the model's labels are labels it never saw: never right, but missed. `chosen` are the
    labels that documents are given, for F1, and how they are chosen in words; without it, those that score 0.5 or more.
    """
    check_choice("group_by", group_by, ("test", "train"))
    if not at or min(at) < 1:
        raise SettingError(f"'at' takes one k or more, each at least 1, not {at!r}.")
    Y = true_labels(ranking, Y)
    if not len(ranking):
        raise DataError("There are no documents to evaluate on.")
    if len(counts) > Y.shape[1]:
        raise DataError(f"The truth has {Y.shape[1]} labels, fewer than the {len(counts)} that the model knows.")
    seen = np.pad(counts, (0, Y.shape[1] - len(counts)))
    judged = Judged.of(ranking, Y, k=max(at), weights=inverse_propensity(seen, documents, a=a, b=b))
    ratios = {f"{name}@{k}": metric(judged, k) for name, metric in AT_K.items() for k in at}
    given, words = chosen or (ranking.above(HALF), f"score {HALF:g} or more")
    per_document = Counts.per_document(given, Y)
    ratios |= _set_ratios(per_document)
    scores = {name: ratio.value for name, ratio in ratios.items()} | _label_scores(ranking, given, Y, at)
    spread = intervals(ratios, resamples=resamples, seed=seed)
    return Report(
        scores={name: 100 * value for name, value in scores.items()},
        intervals={name: (100 * low, 100 * high) for name, (low, high) in spread.items()},
        groups=frequency_groups(ranking, Y, frequency=seen if group_by == "train" else None, least=least, ties=ties),
        documents=len(ranking),
        labels=len(counts),
        documents_without_labels=int((per_document.true == 0).sum()),
        labels_never_seen=int((seen[np.unique(Y.indices)] == 0).sum()),
        given=words,
        ties=ties,
    )


def is_error(metric: str) -> bool:
    """Whether less of a metric is better."""
    return metric.startswith("ECE")


def _set_ratios(counts: Counts) -> dict[str, Ratio]:
    """Micro and per-document averages, both sums over documents."""
    right, predicted, true = (part.astype(np.float64) for part in (counts.right, counts.predicted, counts.true))
    return {
        "micro-P": Ratio(right, predicted),
        "micro-R": Ratio(right, true),
        "micro-F1": Ratio(2 * right, predicted + true),
        "document-P": Ratio.mean(counts.precision()),
        "document-R": Ratio.mean(counts.recall()),
        "document-F1": Ratio.mean(counts.f1()),
    }


def _label_scores(ranking: Ranking, chosen: Ranking, Y: Truth, at: Sequence[int]) -> dict[str, float]:
    """Macro averages, coverage and calibration: what is not a sum over documents."""
    scores = {f"macro-{name}": value for name, value in Counts.per_label(chosen, Y).averages().items()}
    at_k = {k: Counts.per_label(ranking.top(k), Y).averages() for k in at}
    scores |= {f"macro-{name}@{k}": at_k[k][name] for name in ("P", "R", "F1") for k in at}
    scores |= {f"coverage@{k}": coverage(ranking, Y, k=k) for k in at}
    return scores | {f"ECE@{k}": Reliability.at(ranking, Y, k=k).error for k in at}


def _rounded(value: Any) -> Any:
    """Numbers as people read them: percent to four places, null for what is not defined."""
    if not isinstance(value, float):
        return value
    return round(value, 4) if isfinite(value) else None
