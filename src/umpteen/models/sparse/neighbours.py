"""The labels of the k most similar training documents, by cosine of tf-idf rows: exact, and quick to train."""

from dataclasses import asdict, dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from umpteen.contract.classifier import Classifier, Size
from umpteen.contract.explanation import Explanation, Kind
from umpteen.contract.votes import by_votes, share_of_votes
from umpteen.core.corpus import Corpus
from umpteen.core.ranking import Ranking
from umpteen.core.settings import setting
from umpteen.core.store import Folder, NewFolder
from umpteen.metrics.ranking import Judged
from umpteen.text.alike import Alike, Ballot, without
from umpteen.text.features import Features
from umpteen.text.names import NONE, titles_of, with_names
from umpteen.text.tfidf import TfidfSettings
from umpteen.text.titles import Titles

_SAMPLE = 2000  # training documents that settings are chosen on
_COUNTS = (5, 10, 20, 50, 100)
_POWERS = (0.0, 1.0, 2.0, 4.0, 8.0)
_RARITIES = (0.0, 0.5)


class Neighbours(Classifier):
    """Suits any number of labels and rare ones; training is reading, tagging slows with the number of documents."""

    @dataclass(frozen=True, kw_only=True)
    class Params(TfidfSettings):
        """Who votes, and how."""

        neighbours: int | None = setting(
            None, "Training documents that vote; none: what ranks training documents best.", least=1
        )
        power: float | None = setting(
            None, "Votes count as similarity to this power; none: what ranks training documents best.", least=0, most=32
        )
        rare: float | None = setting(
            None,
            "Beside idf, features count by how rare they are to this power; none: what ranks training documents best.",
            least=0,
            most=4,
        )
        label_text: bool = setting(True, "A label's name, where a label file gives one, votes for it like a document.")

    params: Params
    learns = True
    exact = False  # of many documents at once, common words are multiplied as matrices

    def _fit(self, corpus: Corpus, Y: sparse.csr_array, valid: Corpus | None) -> None:
        self._features, titles = Features(self.params), Titles()
        voters, votes = self._named(self._features.fit(titles.noting(corpus)), Y)
        self._titles = titles.with_more(titles_of(votes[len(titles) :], self.labels_))
        self._ballot, self._alike = self._choose(voters, votes, len(titles))

    def _named(
        self, X: sparse.csr_array, Y: sparse.csr_array, but: NDArray[np.int32] = NONE
    ) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Documents, and the names of labels as more of them where that is set; labels `but` have theirs already."""
        return with_names(X, Y, self._features, self.labels_, but=but) if self.params.label_text else (X, Y)

    def _extend(self, corpus: Corpus, Y: sparse.csr_array) -> None:
        titles = Titles()
        X = self._features.transform(titles.noting(corpus))
        voters, votes = self._named(X, Y, np.unique(self._alike.Y[1]))
        called = self._titles.with_more(titles).with_more(titles_of(votes[len(titles) :], self.labels_))
        alike = self._alike.with_more(voters, votes)
        self._titles, self._alike = called, alike  # both or none

    def _choose(self, X: sparse.csr_array, Y: sparse.csr_array, documents: int) -> tuple[Ballot, Alike]:
        """How to vote as set, or the best by nDCG@5 on documents, the first rows, which do not see themselves."""
        p = self.params
        counts = _COUNTS if p.neighbours is None else (p.neighbours,)
        powers = _POWERS if p.power is None else (float(p.power),)
        rarities = _RARITIES if p.rare is None else (float(p.rare),)
        if len(counts) * len(powers) * len(rarities) == 1:
            return Ballot(counts[0], powers[0], rarities[0]), Alike.of(X, Y, rare=rarities[0])
        random = np.random.default_rng(p.seed)
        sample = np.sort(random.choice(documents, min(_SAMPLE, documents), replace=False))
        best, chosen = -1.0, None
        for rare in rarities:
            alike = Alike.of(X, Y, rare=rare)
            near = without(alike.nearest(X[sample], max(counts) + 1, jobs=p.jobs), sample)
            for count, power in product(counts, powers):
                ballot = Ballot(count, power, rare)
                score = Judged.of(alike.counted(near, 5, ballot), Y[sample], k=5).ndcg(5).value
                if score > best:
                    best, chosen = score, (ballot, alike)
        assert chosen is not None
        return chosen

    def _rank(self, corpus: Corpus, k: int) -> Ranking:
        return self._alike.rank(self._features.rows(corpus), k, self._ballot, jobs=self.params.jobs)

    def _explain(self, corpus: Corpus, label: int, by: Kind) -> Explanation:
        voters, near, votes = self._alike.voters(self._features.rows(corpus), self._ballot)
        score, Y = share_of_votes(label, voters, votes, self._alike.Y), self._alike.Y
        text, title = next(corpus.texts()), self._titles.__getitem__
        return by_votes(self.labels_, label, score, text, documents=voters, similarities=near, Y=Y, title=title)

    def _memory(self, size: Size) -> int:
        return super()._memory(size) + 3 * 8 * size.features  # by row, and by column twice while one way is chosen

    def _save(self, folder: NewFolder) -> None:
        self._features.save(folder)
        self._titles.save(folder)
        folder.facts["chosen"] = asdict(self._ballot)
        self._alike.save(folder)

    def _load(self, folder: Folder) -> None:
        self._features = Features.load(folder, self.params)
        self._ballot = Ballot.checked(folder.facts["chosen"])
        self._alike = Alike.load(folder, features=self._features.width, labels=len(self.labels_))
        self._titles = Titles.load(folder, len(self._alike))
