"""`fogbound run`: a set of games from the command line or a TOML file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fogbound.cli.app import FAILED, RESEARCH, app, game_names

if TYPE_CHECKING:
    from fogbound.cli.set_run import RunSettings


@app.command(rich_help_panel=RESEARCH)
def run(
    game: Annotated[
        str, typer.Argument(help="What is played, or a TOML file with all settings.", autocompletion=game_names)
    ],
    agents: Annotated[str | None, typer.Option(help="An agent a side, separated by commas, or one for all.")] = None,
    games: Annotated[int | None, typer.Option(help="How many games.  (default: 100)", show_default=False)] = None,
    seed: Annotated[int | None, typer.Option(help="The set's seed.  (default: 0)", show_default=False)] = None,
    all_starts: Annotated[bool, typer.Option("--all-starts", help="One game from every possible start.")] = False,
    log: Annotated[
        str | None, typer.Option(help="none, set or game: how much is told.  (default: set)", show_default=False)
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for logs and records; an interrupted set goes on there.")] = None,
    workers: Annotated[int | None, typer.Option(help="Cores to use; all by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Play a set of games.

    Examples: fogbound run scotland-yard/plan1 --agents heuristic,random --games 1000 · fogbound run my-set.toml
    """
    from fogbound.cli.set_run import SetRun
    from fogbound.core import registry

    given: dict[str, Any] = {
        "agents": registry.split_specs(agents) if agents is not None else None,
        "games": games,
        "seed": seed,
        "all_starts": all_starts or None,
        "log": log,
        "out": str(out) if out else None,
        "workers": workers,
    }
    settings = _settings(game, {key: value for key, value in given.items() if value is not None})
    summary = SetRun(settings).play(quiet=as_json or settings.log == "none")
    if as_json:
        print(json.dumps(summary))
    if summary["interrupted"]:
        raise typer.Exit(FAILED)


def _settings(game: str, given: dict[str, Any]) -> RunSettings:
    from fogbound.cli.set_run import RunSettings
    from fogbound.core import registry, tomlfile

    if game.endswith(".toml"):
        data, source = tomlfile.read(game)
        return tomlfile.checked(RunSettings, {**data, **given}, source)
    settings: RunSettings = registry.checked(RunSettings, {"game": game, **given}, "a set")
    return settings
