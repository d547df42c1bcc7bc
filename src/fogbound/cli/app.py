"""The command `fogbound`: its groups, and how errors are told."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from typer.core import TyperCommand

from fogbound.core.errors import FogboundError

Function = TypeVar("Function", bound=Callable[..., Any])


class Command(TyperCommand):
    """A command that says so when it has to compile; a command that is only asked for its help loads no compiler."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        from fogbound.core.compiled import on_first_compile

        on_first_compile(lambda: err.print("[dim]Compiling the rules (only this once, about half a minute) ...[/dim]"))
        return super().invoke(ctx)


class Shell(typer.Typer):
    """All commands. Their modules import at their top what `--help` needs, and in their functions what they work with."""

    def command(self, *args: Any, **settings: Any) -> Callable[[Function], Function]:
        return super().command(*args, **{"cls": Command, **settings})


app = Shell(
    help="Strategy board games where you cannot see everything: play them, pit agents, design boards.",
    epilog="Start with: fogbound play · fogbound games · fogbound run scotland-yard/plan1 --agents heuristic,random",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
PLAY, RESEARCH, DESIGN, LOOK = "Play", "Pit and measure agents", "Design boards", "Look around"


def game_names(begun: str) -> list[str]:
    """Games and their shipped boards for the shell to complete; only names of files are read."""
    from importlib import resources

    from fogbound.core.places import families

    names = list(families)
    for family, place in families.items():
        boards = resources.files(place.rpartition(".")[0]).joinpath("boards")
        names += [f"{family}/{file.name.removesuffix('.json')}" for file in boards.iterdir() if file.name.endswith(".json")]
    return [name for name in sorted(names) if name.startswith(begun)]


out = Console()
err = Console(stderr=True)

FAILED, WRONG_USAGE = 1, 2
# Each adds its commands; those about one game only stand in a module of its name.
MODULES = ("bench", "bot", "lab", "look", "new_game", "play", "run", "serve", "solve", "train", "risk", "scotland_yard")


def _tell_version(wanted: bool) -> None:
    if wanted:
        import fogbound

        print(f"fogbound {fogbound.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_tell_version, is_eager=True)
    ] = False,
) -> None:
    """Options before any command; the help above is the app's."""


def main() -> None:
    """Run the command line; an error that is the user's to mend is one sentence, not a traceback."""
    for module in MODULES:
        import_module(f"fogbound.cli.{module}")
    try:
        app()
    except FogboundError as error:
        err.print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
        sys.exit(WRONG_USAGE)
    except KeyboardInterrupt:
        err.print("Interrupted.")
        sys.exit(FAILED)
