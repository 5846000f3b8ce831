"""The report as one HTML page that needs nothing beside it: tables, and plots drawn in it, in light and dark."""

import re
from collections.abc import Mapping
from html import escape

from umpteen.study.report import Report
from umpteen.study.style import INK, LINE, SOFT

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1917; --paper: #fff; --soft: #6b6560; --line: #e7e3df; --row: #f6f4f2 }
@media (prefers-color-scheme: dark) { :root { --ink: #ece8e4; --paper: #191716; --soft: #a8a29e; --line: #3b3835;
  --row: #22201e } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif }
main { max-width: 76rem; margin: auto; padding: 2rem 1.25rem 4rem }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0 0 1rem; text-wrap: balance }
h2 { font-size: 1.15rem; margin: 2.75rem 0 .75rem }
p { margin: .5rem 0; max-width: 48rem }
nav { margin: 1.5rem 0; columns: 18rem; column-gap: 2rem; font-size: .95rem }
nav a { display: block; color: inherit; padding: .1rem 0; break-inside: avoid }
.soft, .note, li { color: var(--soft); font-size: .92rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .95rem }
th { font-weight: 600; text-align: left; vertical-align: bottom; border-bottom: 2px solid var(--line) }
th, td { padding: .25rem .9rem .25rem 0; white-space: nowrap }
th:first-child, td:first-child { padding-left: .4rem }
.n { text-align: right }
tr.next td { border-top: 1px solid var(--line) }
tbody tr:hover { background: var(--row) }
figure { margin: 0; overflow-x: auto }
figure svg { max-width: 100%; height: auto }
@media print { main { max-width: none } nav { display: none } }
"""
_THEME = {INK: "--ink", SOFT: "--soft", LINE: "--line", "#ffffff": "--paper"}  # colours that follow the page's


def html_page(made: Report, plots: Mapping[str, str]) -> str:
    """The whole page; `plots` are SVG, by name."""
    study, parts = made.study, list[tuple[str, str]]()
    parts += [(sheet.title, sheet.html()) for sheet in made.sheets]
    parts += [(plot.title, f"<figure>{inlined(plots[plot.name], plot.name)}</figure>") for plot in study.plots]
    parts += [("Sources", _listed(made.sources))] if made.sources else []
    parts += [("Runs that failed", _listed(made.failures))] if made.failures else []
    links = "".join(f'<a href="#p{n}">{escape(title)}</a>' for n, (title, _) in enumerate(parts))
    body = "".join(
        f'<section id="p{n}"><h2>{escape(title)}</h2>{text}</section>' for n, (title, text) in enumerate(parts)
    )
    about = "".join(f"<p>{escape(text)}</p>" for text in re.split(r"\n\s*\n", study.about.strip()) if text)
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(study.title)}</title><style>{_STYLE}</style></head><body><main>"
        f"<h1>{escape(study.title)}</h1>{about}"
        f'<p class="soft">{escape(" ".join(made.remarks))}</p><nav aria-label="Contents">{links}</nav>{body}'
        "</main></body></html>\n"
    )


def inlined(svg: str, name: str) -> str:
    """A picture as part of a page: its ink, lines and paper are the page's, and its ids are its own."""
    picture = svg[svg.index("<svg") :]
    picture = re.sub(r"<metadata>.*?</metadata>", "", picture, flags=re.DOTALL)
    for colour, variable in _THEME.items():
        picture = picture.replace(colour, f"var({variable})")
    own = re.sub(r"\W", "-", name)
    picture = re.sub(r'\bid="', f'id="{own}-', picture)
    picture = re.sub(r'((?:xlink:)?href="#|url\(#)', rf"\g<1>{own}-", picture)
    return picture.strip()


def _listed(texts: tuple[str, ...]) -> str:
    return f"<ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>"
