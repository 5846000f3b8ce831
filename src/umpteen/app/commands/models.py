"""umpteen models: which models there are, and what each can be told."""

import json as json_text
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from umpteen.app import options
from umpteen.app.config import DEFAULT_MODEL
from umpteen.app.tables import show, table

if TYPE_CHECKING:
    from umpteen.models import Entry


def models(
    name: Annotated[
        str | None, Argument(metavar="NAME", help="A model whose settings to show.", show_default=False)
    ] = None,
    json: options.Json = False,
    markdown: Annotated[bool, Option("--markdown", help="Print the page docs/models.md.")] = False,
) -> None:
    """List the models, or the settings of one.

    Example: umpteen models neighbours
    """
    from umpteen.models import entries, model

    if name is not None:
        model(name)  # says what is wrong with the name
    chosen = [entries()[name]] if name is not None else list(entries().values())
    if json:
        listed = [_described(entry, settings=name is not None) for entry in chosen]
        show(json_text.dumps(listed[0] if name is not None else listed, ensure_ascii=False, indent=1))
    elif markdown:
        show(page(chosen))
    elif name is not None:
        _show_settings(chosen[0])
    else:
        table(["model", "family", "what it does"], [(e.name, e.family, e.meaning) for e in chosen])
        show(f"\nThe default is {DEFAULT_MODEL}. Settings of a model: umpteen models NAME")


def page(entries: "list[Entry]") -> str:
    """The models and their settings as a Markdown page."""
    lines = ["# Models", "", "Made by `make docs` from the models' own files; change it there.", ""]
    lines += ["| model | family | what it does |", "|---|---|---|"]
    lines += [f"| [`{e.name}`](#{e.name}) | {e.family} | {_cell(e.meaning)} |" for e in entries]
    for entry in entries:
        lines += [
            "",
            f"## {entry.name}",
            "",
            entry.meaning,
            "",
            _suits(entry),
            "",
            f"In Python: `umpteen.{entry.load().__name__}`.",
            "",
            "| setting | default | takes | meaning |",
            "|---|---|---|---|",
        ]
        lines += [f"| `{row[0]}` | {_cell(row[1])} | {_cell(row[2])} | {_cell(row[3])} |" for row in _rows(entry)]
        lines += [f"\nPreset `{preset}`: {text}." for preset, text in _presets(entry)]
    return "\n".join(lines)


def _show_settings(entry: "Entry") -> None:
    show(f"{entry.name} ({entry.family}): {entry.meaning}")
    show(_suits(entry))
    show(f"In Python: umpteen.{entry.load().__name__}")
    show()
    table(["setting", "default", "takes", "meaning"], _rows(entry))
    presets = _presets(entry)
    if presets:
        show()
        table(["preset", "sets"], presets)
    show(f"\nExample: umpteen train DATA --model {entry.name} --out DIR --set {_rows(entry)[0][0]}=...")


def _suits(entry: "Entry") -> str:
    return (entry.load().__doc__ or "").partition("\n")[0]


def _rows(entry: "Entry") -> list[tuple[str, str, str, str]]:
    """The settings, the model's own first, those of every model last."""
    from umpteen.core.settings import Settings

    shared = [row.name for row in Settings.rows()]
    rows = sorted(entry.load().Params.rows(), key=lambda row: row.name in shared)
    return [(r.name, _value(r.default), f"{r.type}, {r.limits}" if r.limits else r.type, r.meaning) for r in rows]


def _presets(entry: "Entry") -> list[tuple[str, str]]:
    presets = entry.load().Params.presets
    return [
        (name, ", ".join(f"{key}={_value(value)}" for key, value in values.items())) for name, values in presets.items()
    ]


def _described(entry: "Entry", *, settings: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"name": entry.name, "family": entry.family, "meaning": entry.meaning}
    if settings:
        params = entry.load().Params
        found["settings"] = [vars(row) for row in params.rows()]
        found["presets"] = {name: dict(values) for name, values in params.presets.items()}
    return found


def _value(value: object) -> str:
    """A default as `--set` would take it."""
    if isinstance(value, tuple):
        return ",".join(map(_value, value)) or "empty"
    return (
        str(value).lower()
        if value is None or isinstance(value, bool)
        else f"{value:,}".replace(",", "")
        if isinstance(value, int)
        else str(value)
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
