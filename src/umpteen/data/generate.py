"""Generated corpora: readable catalogue texts whose labels follow a power law, at any scale in constant memory.

A document tells of one or more products. Its labels are their categories and those above, so the words give them
away, but not always: hints are withheld, synonyms take the place of names, and other products are named in passing.
"""

import math
import re
from collections.abc import Iterator
from random import Random
from typing import TypeVar

from umpteen.core.corpus import Corpus, Document
from umpteen.core.errors import SettingError
from umpteen.data.catalogue import Catalogue, Category, departments, lines, phrase, vocabulary

T = TypeVar("T")

_LABELS = (2, 3, 3, 4, 4, 4, 5, 5, 6)  # of a document, each number as likely as it stands here
_VOWEL = re.compile(" a (?=[aeio]|umb|upl)")  # where it should be "an"
_PRODUCTS = 4  # told of in a document at most


def generate(
    *,
    documents: int = 5_000,
    labels: int = 300,
    seed: int = 0,
    world: int = 0,
    words: int = 40,
    power: float = 0.9,
    noise: float = 0.3,
) -> Corpus:
    """`documents` texts of about `words` words; the same settings give the same bytes every time.

    Other documents of the same labels, for testing: another `seed`. Other labels: another `world`. The product of
    rank r is drawn about in proportion to r ** -`power`. `noise` is the chance that a hint at a label is withheld.
    Names and parents of the labels come from `Catalogue(labels, world=world)`.
    """
    if not 0 <= noise <= 1 or power < 0 or documents < 0 or words < 1:
        raise SettingError(f"Nothing can be generated with {documents=}, {words=}, {power=}, {noise=}.")
    catalogue = Catalogue(labels, world=world)

    def stream() -> Iterator[Document]:
        writer = Writer(catalogue, Random(f"documents {seed}"), words=words, power=power, noise=noise)
        return (writer.document(number) for number in range(documents))

    return Corpus(stream, name=f"catalogue of {documents} documents", size=documents)


class Writer:
    """Writes one document after the other from one stream of random numbers."""

    def __init__(self, catalogue: Catalogue, random: Random, *, words: int, power: float, noise: float) -> None:
        self.catalogue = catalogue
        self.draw = random.random
        self.words = words
        self.power = power
        self.noise = noise
        self._strays = tuple(product for products in departments().values() for product in products)
        self._templates = {kind: lines(kind) for kind in ("titles", "seconds", "details", "series", "fillers")}
        self._colours, self._qualities = vocabulary("colours"), vocabulary("qualities")

    def document(self, number: int) -> Document:
        """The next document."""
        wanted = self._one(_LABELS)
        products, labels = list[Category](), dict[int, None]()
        while len(labels) < wanted and len(products) < _PRODUCTS:
            products.append(self.catalogue.category(self._label(products)))
            labels.update(dict.fromkeys(products[-1].path))
        keys = tuple(self.catalogue.category(label).key for label in [*labels][:wanted])
        return Document(self._text(products), keys, id=f"{number + 1}")

    def _label(self, before: list[Category]) -> int:
        """A label below the departments, by the power law; or, half of the time, the usual company of the first."""
        first = self.catalogue.departments
        below = self.catalogue.size - first
        if below < 1:
            return int(self.draw() * first)
        if before and self.draw() < 0.5:
            return first + self._rank(self.catalogue.scattered(before[0].path[0], 2**32) / 2**32, below)
        return first + self._rank(self.draw(), below)

    def _rank(self, u: float, count: int) -> int:
        """The rank, from 0, at which the power law's distribution over `count` ranks reaches `u`."""
        slope = 1 - self.power
        if abs(slope) < 1e-9:
            return min(int(math.exp(u * math.log(count + 1))) - 1, count - 1)
        return min(int((u * ((count + 1) ** slope - 1) + 1) ** (1 / slope)) - 1, count - 1)

    def _text(self, products: list[Category]) -> str:
        sentences = list[str]()
        for product in products:
            sentences.append(self._sentence("seconds" if sentences else "titles", product=self._phrase(product)))
            if product.hints and self._said():
                place = int(self.draw() * len(product.hints))
                word, other = product.hints[place], product.hints[place - 1]
                sentences.append(self._sentence("details", word=word, other=other))
            if product.series and self._said():
                sentences.append(self._sentence("series", series=product.series))
        missing = int(self.words * (0.5 + self.draw())) - sum(sentence.count(" ") + 1 for sentence in sentences)
        while missing > 0:
            sentences.append(self._sentence("fillers", stray=self._one(self._strays)))
            missing -= sentences[-1].count(" ") + 1
        return _VOWEL.sub(" an ", " ".join(sentences))

    def _phrase(self, product: Category) -> str:
        """What the text calls a product, each part of it left out now and then."""
        noun = self._one(product.nouns) if self._said() or not product.hints else self._one(product.hints)
        return phrase(noun, tuple(word if self._said() else "" for word in product.modifiers))

    def _sentence(self, kind: str, **slots: str) -> str:
        sentence = self._one(self._templates[kind]).format(
            colour=self._one(self._colours),
            hue=self._one(self._colours),
            quality=self._one(self._qualities),
            number=int(self.draw() * 40) + 2,
            **slots,
        )
        return sentence[0].upper() + sentence[1:]

    def _said(self) -> bool:
        return self.draw() >= self.noise

    def _one(self, options: tuple[T, ...]) -> T:
        return options[int(self.draw() * len(options))]
