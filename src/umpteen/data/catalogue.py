"""Catalogue: a made-up world of product categories at any scale, each worked out from its number when asked for.

Labels are numbered level by level, each level eight times as wide as the one above, and dealt out in turn to the
labels above. Each level adds a word to the name: department, product, material, use, feature, style, and from there
on invented names: "Lighting" > "Ceiling lamps" > "Brass ceiling lamps" > "Brass ceiling lamps for hotels" > ...
Nothing is held but a bounded number of labels used last, so a million labels cost no more memory than a hundred.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from umpteen.core.errors import SettingError
from umpteen.core.space import Label

CHILDREN = 8  # labels right below a label
_HELD = 2**15  # labels kept ready
_KINDS = ("materials", "uses", "features", "styles")
_SYLLABLES = [start + vowel for start in ["br", "tr", *"bdfgklmnprstvz"] for vowel in "aeio"]


class Category(NamedTuple):
    """One label and the words that speak of it."""

    key: str
    name: str
    path: tuple[int, ...]  # label numbers from this one up to its department
    nouns: tuple[str, ...]  # products: one, or all of a department
    hints: tuple[str, ...] = ()  # words that go with the product
    modifiers: tuple[str, ...] = ()  # material, use, feature, style, invented names, as deep as this label lies
    series: str = ""  # an invented name that is this label's own


class Catalogue:
    """`labels` categories; another `world` has others."""

    def __init__(self, labels: int, *, world: int = 0) -> None:
        if labels < 1:
            raise SettingError(f"A catalogue needs at least one label, not {labels}.")
        self.size = labels
        self.world = world
        self.departments = min(len(departments()), max(1, labels // 25))
        self.category = lru_cache(_HELD)(self._category)

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Label]:
        """The rows of the label file."""
        return map(self.label, range(self.size))

    def label(self, number: int) -> Label:
        """A label with its name and the one above it."""
        category = self.category(number)
        above = tuple(self.category(parent).key for parent in category.path[1:2])
        return Label(category.key, category.name, above)

    def scattered(self, number: int, below: int) -> int:
        """A number below `below` that looks random but is always the same for `number` in this world."""
        mixed = (number + 1) * 0x9E3779B97F4A7C15 + self.world * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
        return ((mixed ^ mixed >> 29) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF) * below >> 64

    def _category(self, number: int) -> Category:
        if number < self.departments:
            name = [*departments()][(number + self.world) % len(departments())]
            return Category(name.lower(), name, (number,), tuple(departments()[name]))
        above, child = self._above(number)
        parent = self.category(above)
        path = (number, *parent.path)
        if len(path) == 2:
            noun = parent.nouns[(child + self.scattered(above, CHILDREN)) % CHILDREN]
            return _named(parent._replace(path=path, nouns=(noun,), hints=departments()[parent.name][noun]))
        series = self._invented(number)
        kinds = len(parent.modifiers)
        word = self._modifier(_KINDS[kinds], above, child) if kinds < len(_KINDS) else series
        return _named(parent._replace(path=path, modifiers=(*parent.modifiers, word), series=series))

    def _modifier(self, kind: str, above: int, child: int) -> str:
        choices = vocabulary(kind)
        return choices[(self.scattered(above, len(choices)) + 7 * child) % len(choices)]  # siblings differ

    def _above(self, number: int) -> tuple[int, int]:
        """The label right above this one, and this one's place among the labels below that."""
        first, width = 0, self.departments
        while number - first - width >= width * CHILDREN:
            first, width = first + width, width * CHILDREN
        child, place = divmod(number - first - width, width)
        return first + place, child

    def _invented(self, number: int) -> str:
        """A name no other label has: its number, scrambled one to one, spelt in syllables."""
        count = max(3, -(-self.size.bit_length() // 6))
        code = (number * 0x2545F4914F6CDD1D + self.world) % 64**count  # odd factor: one to one
        return "".join(_SYLLABLES[code >> 6 * place & 63] for place in range(count)).capitalize()


def phrase(noun: str, modifiers: tuple[str, ...]) -> str:
    """Product and modifiers as people say it; empty modifiers are left out."""
    material, use, feature, style, *series = (*modifiers, "", "", "", "")[: max(4, len(modifiers))]
    front = " ".join(filter(None, (*series, style, material, noun)))
    return front + (f" with {feature}" if feature else "") + (f" for {use}" if use else "")


def _named(category: Category) -> Category:
    name = phrase(category.nouns[0] + "s", category.modifiers)
    return category._replace(name=name[0].upper() + name[1:], key=name.lower().replace(" ", "-"))


@cache
def lines(section: str) -> tuple[str, ...]:
    """The lines of one section of the word file."""
    text = files("umpteen.data").joinpath("catalogue.txt").read_text(encoding="utf-8")
    return tuple(filter(None, text.partition(f"[{section}]\n")[2].partition("\n[")[0].splitlines()))


@cache
def vocabulary(section: str) -> tuple[str, ...]:
    """The words of one section of the word file."""
    return tuple(" ".join(lines(section)).split())


@cache
def departments() -> dict[str, dict[str, tuple[str, ...]]]:
    """Department -> product -> words that go with it."""
    found = {}
    for line in lines("departments"):
        name, _, rest = line.partition(": ")
        products = (product.partition(" = ") for product in rest.split(" | "))
        found[name] = {product: tuple(hints.split()) for product, _, hints in products}
    return found
