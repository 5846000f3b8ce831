"""A trained linear model: its features and the label trees with their classifiers, as a model folder keeps them."""

from dataclasses import dataclass
from itertools import count, takewhile

from umpteen.contract.explanation import Explanation
from umpteen.core.corpus import Corpus
from umpteen.core.ranking import Ranking
from umpteen.core.space import LabelSpace
from umpteen.core.store import Folder, NewFolder
from umpteen.labels.tree import Tree
from umpteen.linear.layers import LinearSettings, ranked
from umpteen.linear.reasons import explained
from umpteen.linear.weights import Weights
from umpteen.text.features import Features


@dataclass(frozen=True)
class Forest:
    """What ranks and explains."""

    features: Features
    trees: list[tuple[Tree, Weights]]

    def rank(self, corpus: Corpus, k: int, settings: LinearSettings, *, beam: int) -> Ranking:
        """The k best labels of each document."""
        X = self.features.rows(corpus)
        return ranked(X, self.trees, power=settings.chance_power, beam=beam, k=k, jobs=settings.jobs)

    def explain(self, corpus: Corpus, label: int, settings: LinearSettings, space: LabelSpace) -> Explanation:
        """Why the only document of `corpus` gets a label."""
        x, text = self.features.transform(corpus), next(corpus.texts())
        power = settings.chance_power
        return explained(x, text, label, self.trees, features=self.features, space=space, power=power)

    def save(self, folder: NewFolder) -> None:
        """Write all that `load` needs."""
        self.features.save(folder)
        for number, (tree, weights) in enumerate(self.trees):
            weights.save(folder, f"tree{number}")
            tree.save(folder, f"tree{number}")

    @classmethod
    def load(cls, folder: Folder, settings: LinearSettings) -> "Forest":
        """The same as was saved."""
        names = takewhile(lambda name: folder.has(f"{name}_order.npy"), (f"tree{number}" for number in count()))
        return cls(
            Features.load(folder, settings), [(Tree.load(folder, name), Weights.load(folder, name)) for name in names]
        )
