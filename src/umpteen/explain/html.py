"""Explanations as one HTML page that needs nothing beside it: no script, no style or picture from elsewhere."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from umpteen.contract.explanation import Brought, Explanation, Feature, Kind, Neighbour, Step
from umpteen.explain.reading import (
    Piece,
    Side,
    amount,
    balance,
    ballot,
    calibrated,
    chance,
    colours_from,
    is_voted,
    labels_of,
    lesson,
    mixture,
    noun_of,
    pieces,
    share_of,
    sides,
    trails,
    voters,
)

_ROWS = 12  # features on each side before the rest folds away
_CLASS: dict[Side, str] = {"for": "for", "against": "against", "attended to": "attended"}

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1917; --paper: #fff; --soft: #6b6560; --line: #dedad6;
  --for: 37 99 235; --against: 217 100 6; --attended: 124 58 237; --depth: .5 }
@media (prefers-color-scheme: dark) { :root { --ink: #ece8e4; --paper: #191716; --soft: #a8a29e; --line: #3b3835;
  --for: 70 130 255; --against: 240 130 30; --attended: 150 110 250; --depth: .6 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif }
main { max-width: 52rem; margin: auto; padding: 1.5rem 1rem 4rem }
h1 { font-size: 1.1rem; margin: 0 0 1rem; color: var(--soft); font-weight: 500 }
h2 { font-size: 1.5rem; line-height: 1.25; margin: 0; overflow-wrap: anywhere }
h3 { font-size: 1rem; margin: 1.75rem 0 .5rem } h3 .soft { font-weight: 400 }
section { border-top: 1px solid var(--line); padding: 1.5rem 0 }
nav ul { list-style: none; margin: 0 0 1.5rem; padding: 0 }
nav a { color: inherit }
p { margin: .5rem 0 }
.soft, .key { color: var(--soft); font-size: .9rem; overflow-wrap: anywhere }
.score { display: flex; align-items: center; gap: .6rem; font-variant-numeric: tabular-nums }
.bar { display: block; flex: none; width: 8rem; height: .5rem; border-radius: .25rem; overflow: hidden;
  background: var(--line) }
.bar i { display: block; height: 100%; width: calc(var(--w) * 100%); background: rgb(var(--for)) }
.against .bar i { background: rgb(var(--against)) }
.attended { max-width: 25rem }
.attended .bar i { background: rgb(var(--attended)) }
.text { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.9; margin: 1rem 0 }
mark { color: var(--ink); border-radius: .2em; padding: .1em 0; print-color-adjust: exact;
  background: rgb(var(--c) / calc(var(--w) * var(--depth))); box-shadow: 0 2px 0 rgb(var(--c) / calc(.05 + var(--w))) }
mark.for { --c: var(--for) }
mark.attended { --c: var(--attended) }
mark.against { --c: var(--against); box-shadow: none; text-underline-offset: .3em;
  text-decoration: underline dashed rgb(var(--c) / calc(.05 + var(--w))) 2px }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); gap: .5rem 2.5rem }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: 600; padding: .5rem 0 }
th { text-align: left; font-weight: 400; overflow-wrap: anywhere }
thead th { color: var(--soft); font-size: .9rem }
th, td { padding: .15rem .75rem .15rem 0; border-bottom: 1px solid var(--line); vertical-align: middle }
td { width: 1% } td .bar { width: 5rem } td.words { width: auto }
.number { text-align: right; white-space: nowrap; padding-right: 0 }
summary { cursor: pointer; color: var(--soft); padding: .4rem 0 }
.path, .path ol { list-style: none; margin: 0; padding-left: 0 }
.path ol { padding-left: .75rem; margin-left: .4rem; border-left: 2px solid var(--line) }
.path .row { display: flex; gap: .75rem; padding: .25rem 0; overflow-wrap: anywhere }
.path b { flex: none; font-weight: 600; font-variant-numeric: tabular-nums }
.near { list-style: none; margin: 0; padding: 0 }
.near li { display: grid; grid-template-columns: minmax(0, 1fr) auto auto; align-items: center; gap: 0 1rem;
  padding: .4rem 0; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums }
.near .bar { width: 5rem }
.near .soft { grid-column: 1 / -1 }
.near .soft strong { color: var(--ink) }
.near .document, .near .soft { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
  line-clamp: 2; overflow: hidden; overflow-wrap: anywhere }
@media (max-width: 40rem) { .near .bar { display: none } .near li { grid-template-columns: minmax(0, 1fr) auto } }
@media print { .near .document, .near .soft { display: block } }
"""


def page(explanations: Sequence[Explanation], *, title: str) -> str:
    """The whole page; `title` says of which document."""
    links = "".join(
        f'<li><a href="#label{n}">{escape(e.name)}</a> <span class="soft">{escape(chance(e.score))}</span></li>'
        for n, e in enumerate(explanations, start=1)
    )
    contents = f'<nav aria-label="Labels"><ul>{links}</ul></nav>' if len(explanations) > 1 else ""
    body = "".join(_section(e, n) for n, e in enumerate(explanations, start=1))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(title)}</h1>\n{contents}{body}</main>\n</body>\n</html>\n"
    )


def _section(explanation: Explanation, number: int) -> str:
    """One label of the document."""
    key = "" if explanation.label == explanation.name else f'<p class="key">{escape(explanation.label)}</p>'
    told = chance(explanation.score) + calibrated(explanation)
    score = f'<p class="score">{_bar(explanation.score)}<span>score {escape(told)}</span></p>'
    if parts := mixture(explanation):
        score += f'<p class="soft">{escape(parts)}</p>'
    body = _votes(explanation) if explanation.votes else _reasons(explanation)
    return (
        f'<section id="label{number}" aria-labelledby="name{number}">\n'
        f'<h2 id="name{number}">{escape(explanation.name)}</h2>{key}{score}\n{"".join(body)}</section>\n'
    )


def _reasons(explanation: Explanation) -> Iterable[str]:
    voted = is_voted(explanation)
    if voted:
        yield _neighbours(explanation)
        yield "<h3>What the network saw</h3>\n"
    yield _text(explanation)
    yield _sides(explanation)
    yield from _paths(explanation)
    if not voted:
        yield _neighbours(explanation)
    yield _brought(explanation)


def _votes(explanation: Explanation) -> Iterable[str]:
    """What each member said, and then each one's own reasons."""
    rows = "".join(
        f'<tr><th scope="row">{escape(vote.member)}</th><td>{_bar(vote.score)}</td>'
        f'<td class="words">{escape(ballot(vote))}</td></tr>'
        for vote in explanation.votes
    )
    yield f"<table><caption>Votes</caption>{rows}</table>\n"
    for vote in explanation.votes:
        if vote.reasons is not None:
            yield f"<h3>Why {escape(vote.member)} said so</h3>\n"
            yield from _reasons(vote.reasons)


def _text(explanation: Explanation) -> str:
    if not explanation.text:
        return ""
    marked = "".join(_piece(piece, explanation.kind) for piece in pieces(explanation))
    how = f'<p class="soft">{_legend(explanation)}</p>\n' if explanation.spans else ""
    return f'<p class="text" dir="auto" lang="">{marked}</p>\n{how}'


def _legend(explanation: Explanation) -> str:
    if explanation.kind == "attention":
        least = share_of(max(colours_from(explanation), min(span.weight for span in explanation.spans)))
        most = share_of(max(span.weight for span in explanation.spans))
        colour = '<mark class="attended" style="--w:1">colour</mark>'
        return f"The deeper the {colour}, the more attention a word gets, from {least} to {most}."
    against = any(span.weight < 0 for span in explanation.spans)
    legend = '<mark class="for" style="--w:1">for</mark> the label' + (
        ', <mark class="against" style="--w:1">against</mark> it' if against else ""
    )
    return f"Coloured words speak {legend}; the deeper the colour, the more."


def _piece(piece: Piece, kind: Kind) -> str:
    text = escape(piece.text, quote=False)
    if not piece.weight:
        return text
    how = f'style="--w:{abs(piece.share):.2f}" title="{_amount(piece.weight, kind)}"'
    return f'<mark class="{_CLASS[piece.side]}" {how}>{text}</mark>'


def _sides(explanation: Explanation) -> str:
    if not explanation.features and (explanation.spans or explanation.neighbours):
        return ""
    tables = [_side(explanation, side, features) for side, features in sides(explanation).items() if features]
    return f'<div class="sides">{"".join(tables)}</div>\n<p class="soft">{_minus(balance(explanation))}</p>\n'


def _side(explanation: Explanation, side: Side, features: Sequence[Feature]) -> str:
    """The strongest features of one side as a table, the others below it on demand."""
    caption = f"{noun_of(explanation).capitalize()} {side}"
    first, rest = _rows(explanation, features[:_ROWS]), _rows(explanation, features[_ROWS:])
    table = f"<table><caption>{caption}</caption>{first}</table>"
    more = f"<details><summary>{len(features) - _ROWS:,} more</summary><table>{rest}</table></details>" if rest else ""
    return f'<div class="{_CLASS[side]}">{table}{more}</div>'


def _rows(explanation: Explanation, features: Iterable[Feature]) -> str:
    strongest = abs(explanation.features[0].weight)
    return "".join(
        f'<tr><th scope="row" dir="auto">{escape(f.name)}</th><td>{_bar(abs(f.weight) / strongest)}</td>'
        f'<td class="number">{_amount(f.weight, explanation.kind)}</td></tr>'
        for f in features
    )


def _paths(explanation: Explanation) -> Iterable[str]:
    for heading, whole, path in trails(explanation):
        yield f'<h3>{heading} <span class="soft">{escape(chance(whole))} in all</span></h3>\n'
        yield f'<ol class="path">{_steps(path)}</ol>\n'


def _steps(path: tuple[Step, ...]) -> str:
    """A step, and the steps below it inside."""
    step, *below = path
    size = f' <span class="soft">{step.size:,} labels</span>' if step.size > 1 else ""
    inner = f"<ol>{_steps(tuple(below))}</ol>" if below else ""
    row = f"<b>{escape(chance(step.chance))}</b><span>{escape(step.name)}{size}</span>"
    return f'<li><div class="row">{row}</div>{inner}</li>'


def _neighbours(explanation: Explanation) -> str:
    if not explanation.neighbours:
        return ""
    summary, found = voters(explanation)
    rest = _near(explanation, found[_ROWS:])
    more = f"<details><summary>{len(found) - _ROWS:,} more</summary>{rest}</details>\n" if rest else ""
    heading = "Taught by training documents" if explanation.brought else "Nearest training documents"
    return f'<h3>{heading} <span class="soft">{summary}</span></h3>\n{_near(explanation, found[:_ROWS])}\n{more}'


def _near(explanation: Explanation, neighbours: Sequence[Neighbour]) -> str:
    """Training documents, how similar they are, and their labels, of long lists the beginning."""
    items = "".join(
        f'<li><span class="document" dir="auto">{escape(near.document)}</span>'
        f'{_bar(near.similarity)}<span class="number">similarity {near.similarity:.2f}</span>'
        f'<span class="soft" title="{escape(", ".join(near.labels))}">'
        f"{', '.join(_named(explanation, label) for label in labels_of(near, explanation))}</span></li>"
        for near in neighbours
    )
    return f'<ol class="near">{items}</ol>' if items else ""


def _named(explanation: Explanation, label: str) -> str:
    """The name of a label, in bold where it is the one that is explained."""
    return f"<strong>{escape(label)}</strong>" if label == explanation.name else escape(label)


def _brought(explanation: Explanation) -> str:
    """What a teacher brought, as a table."""
    if not explanation.brought:
        return ""
    summary, found = lesson(explanation)
    head = '<tr><th scope="col">label</th><th scope="col">below</th><th scope="col">documents</th>'
    head += '<th scope="col" colspan="2">votes</th></tr>'
    table = f"<table><thead>{head}</thead><tbody>{_lessons(explanation, found[:_ROWS])}</tbody></table>\n"
    rest = _lessons(explanation, found[_ROWS:])
    more = f"<details><summary>{len(found) - _ROWS:,} more</summary><table>{rest}</table></details>\n" if rest else ""
    return f'<h3>What they brought <span class="soft">{escape(summary)}</span></h3>\n{table}{more}'


def _lessons(explanation: Explanation, brought: Iterable[Brought]) -> str:
    return "".join(
        f'<tr><th scope="row" dir="auto">{_named(explanation, taught.label)}</th>'
        f'<td class="words">{escape(", ".join(taught.parents))}</td><td class="number">{taught.documents:,}</td>'
        f'<td>{_bar(taught.share)}</td><td class="number">{escape(share_of(taught.share))}</td></tr>'
        for taught in brought
    )


def _bar(share: float) -> str:
    return f'<span class="bar" aria-hidden="true"><i style="--w:{share:.3f}"></i></span>'


def _amount(weight: float, kind: Kind) -> str:
    return escape(_minus(amount(weight, kind)))


def _minus(numbers: str) -> str:
    return re.sub(r"-(?=\d)", "\N{MINUS SIGN}", numbers)
