"""A trained linear model: its features and the label trees with their classifiers, as a model folder keeps them."""

from dataclasses import dataclass
from itertools import count, takewhile

from umpteen.contract.explanation import Explanation
from umpteen.core.corpus import Corpus
from umpteen.core.errors import DataError
from umpteen.core.ranking import Ranking
from umpteen.core.sound import check_places
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
    def load(cls, folder: Folder, settings: LinearSettings, *, labels: int) -> "Forest":
        """The same as was saved, of so many labels."""
        names = takewhile(lambda name: folder.has(f"{name}_order.npy"), (f"tree{number}" for number in count()))
        made = cls(Features.load(folder, settings), [])
        for name in names:
            tree = Tree.load(folder, name)
            check_places(tree.order, labels)
            made.trees.append((tree, Weights.load(folder, name, labels=len(tree.order))))
            if len(made.trees[-1][1].features) != made.features.width + 2:
                raise DataError("The weights are of other features.")
        if not made.trees:
            raise DataError("There is no tree.")
        return made
