"""A sheet: one table ready to be shown, as Markdown, CSV, LaTeX or HTML."""

import csv
import io
from dataclasses import dataclass
from html import escape

from umpteen.study.figures import Figure

_LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "±": r"$\pm$",
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)


@dataclass(frozen=True)
class Entry:
    """One cell of a table."""

    text: str
    best: bool = False
    figure: Figure | None = None

    @property
    def deviation(self) -> float | None:
        """Of the figure, where there is one."""
        return self.figure.deviation if self.figure is not None else None


@dataclass(frozen=True)
class Sheet:
    """Rows below their headings."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    labels: int  # columns that say what a row is; the others are figures
    note: str = ""  # that stands below

    def markdown(self) -> str:
        """As Markdown, the best bold."""
        rule = ["---"] * self.labels + ["---:"] * (len(self.heads) - self.labels)
        rows = ([f"**{_escaped(e.text)}**" if e.best else _escaped(e.text) for e in row] for row in self.rows)
        lines = [[*map(_escaped, self.heads)], rule, *rows]
        told = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"{told}\n\n{self.note}" if self.note else told

    def csv(self) -> str:
        """As CSV; deviations have columns of their own, where there are any."""
        several = [any(row[place].deviation is not None for row in self.rows) for place in self._places]
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        heads = [name for n, more in zip(self._places, several, strict=True) for name in _doubled(self.heads[n], more)]
        writer.writerow([*self.heads[: self.labels], *heads])
        for row in self.rows:
            cells = [cell for n, more in zip(self._places, several, strict=True) for cell in _numbers(row[n], more)]
            writer.writerow([*(entry.text for entry in row[: self.labels]), *cells])
        return text.getvalue()

    def latex(self) -> str:
        """As a LaTeX table of the package booktabs, the best bold."""
        columns = "l" * self.labels + "r" * (len(self.heads) - self.labels)
        rows = [[_bold(_tex(e.text)) if e.best else _tex(e.text) for e in row] for row in self.rows]
        body = [" & ".join(row) + r" \\" for row in rows]
        note = [rf"\par\smallskip\footnotesize {_tex(self.note)}"] if self.note else []
        return "\n".join(
            [
                r"\begin{table}",
                rf"\caption{{{_tex(self.title)}}}",
                r"\centering",
                rf"\begin{{tabular}}{{{columns}}}",
                r"\toprule",
                " & ".join(map(_tex, self.heads)) + r" \\",
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                *note,
                r"\end{table}",
                "",
            ]
        )

    def html(self) -> str:
        """As an HTML table, the best bold; a label that repeats the one above is written once."""
        heads = "".join(f"<th{_side(n < self.labels)}>{escape(head)}</th>" for n, head in enumerate(self.heads))
        lines, before = list[str](), ("",) * self.labels
        for row in self.rows:
            labels = tuple(entry.text for entry in row[: self.labels])
            cells = [
                f"<td{_side(n < self.labels)}>{'' if self._repeats(n, labels, before) else _cell(entry)}</td>"
                for n, entry in enumerate(row)
            ]
            first = labels[:1] != before[:1] and self.labels > 1 and lines
            lines.append(f"<tr{' class=next' if first else ''}>{''.join(cells)}</tr>")
            before = labels
        note = f"<p class=note>{escape(self.note)}</p>" if self.note else ""
        table = f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
        return f"<div class=wide>{table}</div>{note}"

    def _repeats(self, place: int, labels: tuple[str, ...], before: tuple[str, ...]) -> bool:
        return place < self.labels - 1 and labels[: place + 1] == before[: place + 1]

    @property
    def _places(self) -> range:
        return range(self.labels, len(self.heads))


def _doubled(head: str, more: bool) -> list[str]:
    return [head, f"{head} deviation"] if more else [head]


def _numbers(entry: Entry, more: bool) -> list[str]:
    if entry.figure is None:
        return ["" if entry.text == "-" else entry.text] + [""] * more
    deviation = entry.figure.deviation
    return [f"{entry.figure.mean:.4f}"] + ([f"{deviation:.4f}" if deviation is not None else ""] if more else [])


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def _tex(text: str) -> str:
    return text.translate(_LATEX)


def _bold(text: str) -> str:
    return rf"\textbf{{{text}}}"


def _side(left: bool) -> str:
    return "" if left else " class=n"


def _cell(entry: Entry) -> str:
    return f"<b>{escape(entry.text)}</b>" if entry.best else escape(entry.text)
