import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from umpteen.app.commands.models import page
from umpteen.models import entries

Command = Callable[..., Any]


def test_list_and_settings(umpteen: Command) -> None:
    listed = umpteen("models").out
    assert all(name in listed for name in entries())
    shown = umpteen("models", "neighbours").out
    assert "Training documents that vote" in shown
    found = json.loads(umpteen("models", "neighbours", "--json").out)
    assert {row["name"] for row in found["settings"]} >= {"neighbours", "seed", "jobs"}


def test_every_model_can_be_shown(umpteen: Command) -> None:
    for name in entries():
        assert umpteen("models", name).code == 0


def test_unknown_model(umpteen: Command) -> None:
    done = umpteen("models", "neighbors")
    assert done.code == 1
    assert "Did you mean 'neighbours'?" in done.err


def test_docs_page_is_up_to_date(umpteen: Command) -> None:
    kept = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
    assert kept == page(list(entries().values())) + "\n", "docs/models.md is not what the models say: run make docs"
    assert umpteen("models", "--markdown").out == kept
