"""The command `umpteen`: its commands in the order a newcomer meets them."""

import gc
import os
import sys
from collections.abc import Callable
from typing import Annotated, NoReturn

import typer

from umpteen import __version__
from umpteen.app.border import end_politely, guarded
from umpteen.app.commands import (
    calibrate,
    compare,
    convert,
    demo,
    evaluate,
    explain,
    feedback,
    generate,
    get,
    learn,
    models,
    noise,
    plot,
    search,
    serve,
    split,
    stats,
    study,
    tag,
    train,
    tree,
)
from umpteen.app.display import terminal
from umpteen.core.progress import show_on

app = typer.Typer(
    name="umpteen",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,  # plain help and usage errors take half the time
)

_MODELS: tuple[Callable[..., None], ...] = (
    train.train,
    learn.learn,
    calibrate.calibrate,
    plot.plot,
    tag.tag,
    explain.explain,
    serve.serve,
    feedback.feedback,
    evaluate.evaluate,
    compare.compare,
    study.study,
    search.search,
    tree.tree,
    models.models,
    demo.demo,
)
_DATA: tuple[Callable[..., None], ...] = (
    get.get,
    stats.stats,
    convert.convert,
    split.split,
    noise.noise,
    generate.generate,
)
for command in (*_MODELS, *_DATA):
    app.command()(command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"umpteen {__version__}")
        raise typer.Exit


@app.callback()
def umpteen(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error came from.")] = False,
) -> None:
    """Tag documents with the right few labels out of umpteen: dozens, thousands or millions.

    umpteen train DATA --out MODEL, then umpteen tag MODEL --text "...".
    """
    if debug:
        os.environ["UMPTEEN_DEBUG"] = "1"


def main() -> NoReturn:
    """Run the command that the user typed."""
    gc.set_threshold(100_000, 50, 100)  # what is made at the start stays: looking for garbage in it takes a third
    _wait_briefly()
    end_politely()
    show_on(terminal())
    code = guarded(app)
    gc.freeze()  # nor look once more at the end
    sys.exit(code)


def _wait_briefly() -> None:
    """Let threads that wait for others sleep soon; as it comes, OpenMP of GNU lets them hold their cores for long.

    On an idle machine this changes nothing. On a busy one, those waited for would wait for these cores.
    """
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", "1000")
