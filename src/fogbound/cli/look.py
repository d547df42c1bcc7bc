"""Looking around: which games, boards and agents there are, and whether a board file is sound."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from rich.table import Table

from fogbound.cli.app import DESIGN, FAILED, LOOK, app, err, out
from fogbound.core import jsonfile, registry
from fogbound.core import levels as ladder
from fogbound.core.contract import Game
from fogbound.core.errors import BadFile, FogboundError

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]


@app.command(rich_help_panel=LOOK)
def games(as_json: AsJson = False) -> None:
    """The games, and the options that can stand after a game's colon.

    Example: fogbound games
    """
    families = [registry.family(name) for name in registry.families()]
    if as_json:
        print(
            json.dumps(
                [{"name": f.name, "title": f.title, "about": f.about, "options": _options(f.options)} for f in families]
            )
        )
        return
    for family in families:
        out.print(f"[bold]{family.name}[/bold]: {family.about}")
        if family.options.model_fields:
            out.print(_option_table(family.options))
        out.print(f"[dim]Example: {family.name}/{family.default_board}. Boards: fogbound boards {family.name}[/dim]\n")


@app.command(rich_help_panel=LOOK)
def boards(
    game: Annotated[str | None, typer.Argument(help="One game; all of them by default.")] = None, as_json: AsJson = False
) -> None:
    """The boards that come with Fogbound.

    Example: fogbound boards scotland-yard
    """
    names = [registry.family(game).name] if game else registry.families()
    listed = {name: dict(registry.family(name).boards()) for name in names}
    if as_json:
        print(json.dumps(listed))
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("game", style="bold", no_wrap=True)
    table.add_column("about")
    for name, shipped in listed.items():
        for board, about in shipped.items():
            table.add_row(f"{name}/{board}", about)
    out.print(table)


@app.command(rich_help_panel=LOOK)
def agents(
    game: Annotated[str | None, typer.Argument(help="Agents that can play this game; all by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """The agents and their options.

    Example: fogbound agents scotland-yard
    """
    specs = [game] if game else registry.families()
    listed: list[dict[str, Any]] = []
    for spec in specs:
        played = registry.game(spec)
        for name in registry.agents(played):
            found = registry.agent_class(name, played)
            listed.append(
                {"game": played.family, "name": name, "about": found.about, "options": _options(found.options_model)}
            )
    if as_json:
        print(json.dumps(listed))
        return
    for entry in listed:
        out.print(f"[bold]{entry['name']}[/bold] [dim]({entry['game']})[/dim]: {entry['about']}")
        for option in entry["options"]:
            out.print(f"    {option['name']}={option['default']}  [dim]{option['about']}[/dim]")


@app.command(rich_help_panel=LOOK)
def levels(
    game: Annotated[str | None, typer.Argument(help="A game with its board and options; every game by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """The levels of the computer players, weakest first, with their thinking time and rating.

    Ratings are Elo; the scripted player has 1500 on every board. Example: fogbound levels scotland-yard/london:detectives=3
    """
    played = [registry.game(spec) for spec in ([game] if game else registry.families())]
    if as_json:
        named = [({} if game else {"game": each.spec}) | asdict(level) for each in played for level in ladder.levels(each)]
        print(json.dumps(named))
        return
    for each in played:
        out.print(_level_table(each))


def _level_table(game: Game) -> Table:
    table = Table("level", "rating", "seconds", "about", "agent", title=game.spec, title_justify="left", box=None)
    for level in ladder.levels(game):
        rating = "" if level.rating is None else str(level.rating)
        table.add_row(level.name, rating, f"{level.seconds:g}", level.about, level.agent)
    return table


@app.command("check-board", rich_help_panel=DESIGN)
def check_board(
    file: Annotated[Path | None, typer.Argument(help="A board file (JSON).")] = None,
    schema: Annotated[str | None, typer.Option(help="Print the JSON Schema of a game's board files instead.")] = None,
    as_json: AsJson = False,
) -> None:
    """Check a board file: every mistake is told with its line and place.

    Examples: fogbound check-board my-board.json · fogbound check-board --schema scotland-yard
    """
    if schema:
        print(json.dumps(registry.family(schema).schema(), indent=1))
        return
    if file is None:
        raise FogboundError("Give a board file to check, or --schema GAME.")
    if not file.exists():
        raise FogboundError(f"There is no file “{file}”.")
    try:
        facts = _check(file)
    except BadFile as error:
        if as_json:
            problem = {"line": error.line, "place": error.place, "problem": error.sentence}
            print(json.dumps({"file": str(file), "sound": False, **problem}))
        else:
            err.print(str(error), style="red", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(FAILED) from None
    if as_json:
        print(json.dumps({"file": str(file), "sound": True, **facts}))
        return
    out.print(f"[green]{file} is sound.[/green]")
    for name, value in facts.items():
        out.print(f"  {name}: {value}", highlight=False)


def _check(file: Path) -> dict[str, str]:
    """What there is to say about a sound board file; the file itself says which game it is for."""
    read = jsonfile.read(file)
    game = read.data.get("game") if isinstance(read.data, dict) else None
    if game not in registry.families():
        known = ", ".join(f"“{name}”" for name in registry.families())
        raise read.problem(["game"], f'a board file says which game it is for: "game" must be one of {known}.')
    return registry.family(game).load(str(file), {}).facts()


def _options(model: type[BaseModel]) -> list[dict[str, Any]]:
    return [
        {"name": name, "default": _default(field), "about": field.description or ""}
        for name, field in model.model_fields.items()
    ]


def _default(field: Any) -> Any:
    value = field.get_default(call_default_factory=True)
    return value.model_dump() if isinstance(value, BaseModel) else value


def _option_table(model: type[BaseModel]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    for column in ("option", "about"):
        table.add_column(column, style="bold" if column == "option" else "")
    for option in _options(model):
        table.add_row(option["name"], option["about"])
    return table
