"""Votes beside a network: training documents nearest to where it lays a document vote for their labels too."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from umpteen.contract.explanation import Explanation, Mixed
from umpteen.contract.votes import Labelled, by_votes, share_of_votes
from umpteen.core.ranking import Ranking
from umpteen.core.space import LabelSpace
from umpteen.core.store import Folder, NewFolder
from umpteen.text.index import Vectors
from umpteen.text.titles import Titles
from umpteen.text.voters import Rule, Voters

LISTED = 100  # labels that have scores of the network's, and of the votes, at least
_FEW = 20_000  # documents that are all compared
_CLUSTER = 2000  # of more, documents in a cluster, on the average
_PROBES = 8  # clusters that are looked into


def clusters_of(documents: int) -> int:
    """How many clusters so many documents should be in, so that looking for the nearest stays cheap."""
    return documents // _CLUSTER if documents > _FEW else 1


def with_voters(
    explanation: Explanation,
    label: int,
    voters: tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.floating]],
    Y: Labelled,
    space: LabelSpace,
    name: Callable[[int], str],
    *,
    share: float,
) -> Explanation:
    """A network's explanation with documents that vote, their cosines and votes, and the score that both make."""
    documents, cosines, votes = voters
    mixed = Mixed(explanation.score, share_of_votes(label, documents, votes, Y), share)
    score = (1 - share) * mixed.network + share * mixed.voted
    voted = by_votes(space, label, score, explanation.text, documents=documents, similarities=cosines, Y=Y, title=name)
    return replace(explanation, score=score, neighbours=voted.neighbours, mixed=mixed)


@dataclass(frozen=True)
class Votes:
    """Who votes, how votes count, and what voters are called."""

    rule: Rule
    voters: Voters
    titles: Titles

    def beside(self, own: Ranking, vectors: Vectors, k: int, *, jobs: int) -> Ranking:
        """The k best labels by both; a label that `own` or the votes do not list counts nothing there."""
        return self.voters.beside(vectors, own, k, self.rule, probes=_PROBES, jobs=jobs)

    def explained(
        self, explanation: Explanation, label: int, vectors: Vectors, space: LabelSpace, *, jobs: int
    ) -> Explanation:
        """An explanation of the network's with the documents that vote, and the score that both make."""
        found, cosines, votes = self.voters.nearest(vectors, self.rule, probes=_PROBES, jobs=jobs)
        there, name = found[0] >= 0, self.titles.__getitem__
        who = found[0][there], cosines[0][there], votes[0][there]
        return with_voters(explanation, label, who, self.voters.Y, space, name, share=1 - self.rule.balance)

    def save(self, folder: NewFolder) -> None:
        """Write all that `load` needs."""
        folder.facts["chosen"] = asdict(self.rule)
        self.voters.save(folder)
        self.titles.save(folder)

    @classmethod
    def load(cls, folder: Folder, chosen: Mapping[str, Any], *, labels: int, width: int) -> "Votes":
        """The same as was saved."""
        voters = Voters.load(folder, labels=labels, width=width)
        return cls(Rule.checked(chosen), voters, Titles.load(folder, len(voters.index)))
