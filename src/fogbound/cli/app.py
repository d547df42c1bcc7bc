"""The command `fogbound`: its groups, and how errors are told."""

from __future__ import annotations

import sys
from importlib import import_module

import typer
from rich.console import Console

from fogbound.core.compiled import on_first_compile
from fogbound.core.errors import FogboundError

app = typer.Typer(
    help="Strategy board games where you cannot see everything: play them, pit agents, design boards.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
PLAY, RESEARCH, DESIGN, LOOK = "Play", "Pit and measure agents", "Design boards", "Look around"

out = Console()
err = Console(stderr=True)

FAILED, WRONG_USAGE = 1, 2
# Each adds its commands; those about one game only stand in a module of its name.
MODULES = ("bench", "lab", "look", "play", "puzzles", "run", "serve", "solve", "train", "risk", "scotland_yard", "watch")


def main() -> None:
    """Run the command line; an error that is the user's to mend is one sentence, not a traceback."""
    for module in MODULES:
        import_module(f"fogbound.cli.{module}")
    on_first_compile(lambda: err.print("[dim]Compiling the rules (only this once, about half a minute) ...[/dim]"))
    try:
        app()
    except FogboundError as error:
        err.print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(WRONG_USAGE)
    except KeyboardInterrupt:
        err.print("Interrupted.")
        sys.exit(FAILED)
