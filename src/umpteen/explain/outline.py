"""The label tree as an outline: nested groups called by their most frequent labels, then the labels themselves."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from umpteen.core.legible import number_of, one_line
from umpteen.core.space import LabelSpace
from umpteen.labels.tree import Tree
from umpteen.linear.reasons import group_name


@dataclass(frozen=True)
class Group:
    """Some labels of a tree, and what they fall into: smaller groups, or labels, or nothing where the outline ends."""

    name: str
    size: int  # labels in it
    count: int  # how often training documents have them, all together
    children: tuple["Group", ...] = ()
    labels: tuple[int, ...] = ()  # ids, most frequent first


def outline(tree: Tree, space: LabelSpace, *, depth: int | None = None) -> Group:
    """The tree down to its labels, or to `depth` levels of groups."""

    def group(level: int, start: int, end: int, left: int | None) -> Group:
        members = tree.order[start:end]
        parts, level = _parts(tree, level, start, end)
        below = None if left is None else left - 1
        children = tuple(group(level, a, b, below) for a, b in parts) if left != 0 and len(parts) > 1 else ()
        ends = left == 0 or len(parts) > 1
        ordered = () if ends else tuple(members[np.lexsort((members, -space.counts[members]))].tolist())
        return Group(group_name(members, space), len(members), int(space.counts[members].sum()), children, ordered)

    return group(0, 0, len(tree.order), depth)


def _parts(tree: Tree, level: int, start: int, end: int) -> tuple[list[tuple[int, int]], int]:
    """The groups right below one, passing over levels that leave it whole, and their level; none below the last."""
    for lower in range(level + 1, len(tree.levels)):
        bounds = tree.levels[lower]
        first, last = np.searchsorted(bounds, (start, end))
        if last - first > 1:
            edges = bounds[first : last + 1].tolist()
            return [*pairwise(edges)], lower
    return [], level


def text(root: Group, space: LabelSpace, *, levels: Sequence[int] = (), most: int | None = None) -> Iterator[str]:
    """Lines indented by level; of each list the first `most`. Labels of one name are told apart by their keys.

    `levels` is how many groups there are on each level of the tree.
    """
    named = Counter(map(space.name, range(len(space))))
    shared = {name for name, times in named.items() if times > 1}
    groups = f", in {' > '.join(f'{count:,}' for count in levels)} groups" if levels else ""
    yield f"{number_of(root.size, 'label')}{groups}, given {number_of(root.count, 'time')} in training"
    yield from _below(root, space, shared, 1, most)


def _below(group: Group, space: LabelSpace, shared: set[str], level: int, most: int | None) -> Iterator[str]:
    margin = "  " * level
    for child in group.children[:most]:
        labels = f"{child.size:,} label{'s' if child.size > 1 else ''}"
        yield f"{margin}{one_line(child.name)}: {labels}, {child.count:,} times"
        yield from _below(child, space, shared, level + 1, most)
    shown = group.labels[:most]
    width = max((len(f"{space.counts[label]:,}") for label in shown), default=0)
    for label in shown:
        key = f"  ({one_line(space.keys[label])})" if space.name(label) in shared else ""
        yield f"{margin}{space.counts[label]:>{width},} {one_line(space.name(label))}{key}"
    if left := len(group.children) + len(group.labels) - (len(group.children[:most]) + len(shown)):
        yield f"{margin}… {left:,} more {'groups' if group.children else 'labels'}"


def nested(group: Group, space: LabelSpace) -> dict[str, Any]:
    """The outline as plain values for JSON."""
    made: dict[str, Any] = {"name": group.name, "size": group.size, "count": group.count}
    if group.children:
        made["children"] = [nested(child, space) for child in group.children]
    if group.labels:
        made["labels"] = [
            {"id": space.keys[n], "name": space.name(n), "count": int(space.counts[n])} for n in group.labels
        ]
    return made
