"""Advised: a network beside training documents with like words, which vote for their labels; names of labels do too."""

from dataclasses import asdict
from typing import Any

import numpy as np
from scipy import sparse

from umpteen.contract.classifier import Size
from umpteen.contract.explanation import Explanation, Kind
from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking, blended
from umpteen.core.store import Folder, NewFolder
from umpteen.kernels.threads import ranges
from umpteen.kernels.weights import unit_rows
from umpteen.text.alike import Alike, Ballot
from umpteen.text.descriptions import bags
from umpteen.text.names import titles_of
from umpteen.text.titles import Titles
from umpteen.text.tokens import SPECIAL
from umpteen.text.vocabulary import Tokens
from umpteen.train.batches import Source
from umpteen.train.deep import DeepClassifier
from umpteen.train.ranked import ranked
from umpteen.train.settings import AdvisedSettings
from umpteen.train.votes import LISTED, with_voters
from umpteen.train.voting import chosen_ballot

_MOST = 500_000  # documents that may vote: each is looked at for every document that is tagged
_TOGETHER = 512  # documents whose votes are counted at a time: a hundred labels of each are weighed
_JUDGED = 2000  # documents kept aside that votes are chosen by, at most


class AdvisedClassifier(DeepClassifier):
    """What a network says of a document's labels, and what documents with like words have."""

    params: AdvisedSettings
    _alike: Alike | None

    def conclude(self, source: Source, kept: Source | None) -> dict[str, Any]:
        """How documents should vote, if they should."""
        p = self.params
        if not p.votes or kept is None or self.documents_ > _MOST:
            return {}
        judged = kept.take(np.arange(0, len(kept), -(-len(kept) // _JUDGED)))
        assert source.Y is not None and judged.Y is not None
        own = ranked(self._network, judged, LISTED, batch=p.batch, tokens=p.tokens)
        given = self._words(source.tokens), source.Y, self._words(judged.tokens), judged.Y
        ballot, share = chosen_ballot(*given, own, jobs=p.jobs)
        return asdict(ballot) | {"share": share} if share else {}

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        super()._fit(corpus, Y, valid)
        self._decide()
        if self._ballot is not None:  # documents kept aside vote too
            titles = Titles()
            whole = Source(
                self._reader.read(titles.noting(corpus)), Y[:, self._known], next(self._network.parameters()).device
            )
            whole = self._with_names(whole, self._names())
            assert whole.Y is not None
            labels = self._known[whole.Y.indices]
            votes = sparse.csr_array((whole.Y.data, labels, whole.Y.indptr), shape=(len(whole), len(self.labels_)))
            self._alike = Alike.of(self._words(whole.tokens), votes, rare=self._ballot.rare)
            self._titles = titles.with_more(titles_of(votes[len(titles) :], self.labels_))

    def _decide(self) -> None:
        """Take what was chosen."""
        self._ballot = Ballot.checked(self._chosen) if self._chosen else None
        self._share, self._alike = float(self._chosen.get("share", 0.0)), None
        if not 0 <= self._share <= 1:
            raise DataError("Votes cannot count as is told.")

    def _told(self) -> str:
        """How votes count, for people."""
        assert self._ballot is not None
        voters = f"{self._ballot.neighbours} training documents with the most similar words"
        return f"Of a label's score, {self._share:.0%} are votes of the {voters}."

    def _words(self, tokens: Tokens) -> sparse.csr_array:
        """Documents' words by how often they have them, as rows of unit length; unknown words count nothing."""
        X = bags(tokens, len(self._reader.words) + len(SPECIAL))
        X.data = np.where(X.indices < len(SPECIAL), np.float32(0), np.log(X.data) + np.float32(1))
        X.eliminate_zeros()
        unit_rows(X.data, X.indptr)
        return X

    def _best(self, source: Source, k: int) -> Ranking:
        alike, ballot = self._alike, self._ballot
        if alike is None or ballot is None:
            return super()._best(source, k)
        own = super()._best(source, max(k, LISTED))
        near, cosines = alike.nearest(self._words(source.tokens), ballot.neighbours, jobs=self.params.jobs)

        def block(part: tuple[int, int]) -> Ranking:
            rows = slice(*part)
            votes = alike.counted((near[rows], cosines[rows]), own.depth, ballot)
            return blended(Ranking(own.labels[rows], own.scores[rows]), votes, self._share, k)

        return Ranking.joined(map(block, ranges(len(own), _TOGETHER)), k)

    def _explain(self, corpus: Corpus, label: int, by: Kind) -> Explanation:
        """Of the network; with the documents that vote, and the score that both make."""
        explanation = super()._explain(corpus, label, by)
        if self._alike is None or self._ballot is None:
            return explanation
        who = self._alike.voters(self._words(self._source(corpus).tokens), self._ballot)
        name = self._titles.__getitem__
        return with_voters(explanation, label, who, self._alike.Y, self.labels_, name, share=self._share)

    def _memory(self, size: Size) -> int:
        votes = 4 * size.characters if self.params.votes and size.documents <= _MOST else 0  # by row and by column
        return max(super()._memory(size), votes + (1 << 30))  # when votes come, the room that training took is free

    def _save(self, folder: NewFolder) -> None:
        super()._save(folder)
        if self._alike is not None:
            folder.facts |= {"votes": self._chosen, "notes": [self._told()]}
            self._alike.save(folder)
            self._titles.save(folder)

    def _load(self, folder: Folder) -> None:
        super()._load(folder)
        self._chosen = folder.facts.get("votes", {})
        self._decide()
        if self._ballot is not None:
            words = len(self._reader.words) + len(SPECIAL)
            self._alike = Alike.load(folder, features=words, labels=len(self.labels_))
            self._titles = Titles.load(folder, len(self._alike))
