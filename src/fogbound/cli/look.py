"""Looking around: which games, boards and agents there are, and whether a board file is sound."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from fogbound.cli.app import DESIGN, FAILED, LOOK, app, err, out
from fogbound.core.errors import BadFile, FogboundError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from fogbound.core.contract import Game

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]


@app.command(rich_help_panel=LOOK)
def games(
    name: Annotated[str | None, typer.Argument(help="One game, or a board; all games by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """The games, and the options that can stand after a game's colon, with what they are if you do not set them.

    The defaults are those of the game's default board, or of the board that you name.

    Examples: fogbound games · fogbound games risk · fogbound games scotland-yard/plan1
    """
    from fogbound.core import registry

    names = [name.partition("/")[0].partition(":")[0]] if name else registry.families()
    families = [(registry.family(each), registry.game(name or each)) for each in names]
    if as_json:
        print(
            json.dumps(
                [
                    {"name": f.name, "title": f.title, "about": f.about, "options": _game_options(f.options, game)}
                    for f, game in families
                ]
            )
        )
        return
    for family, game in families:
        out.print(f"[bold]{family.name}[/bold]: {family.about}")
        options = _game_options(family.options, game)
        if options:
            out.print(_option_table(options))
        out.print(f"[dim]Defaults of {game.spec}. Boards: fogbound boards {family.name}[/dim]\n")


@app.command(rich_help_panel=LOOK)
def boards(
    game: Annotated[str | None, typer.Argument(help="One game; all of them by default.")] = None, as_json: AsJson = False
) -> None:
    """The boards that come with Fogbound.

    Example: fogbound boards scotland-yard
    """
    from fogbound.core import registry

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
    from fogbound.core import registry

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
    from fogbound.core import levels as ladder
    from fogbound.core import registry
    from fogbound.core.judging import judge_of

    played = [registry.game(spec) for spec in ([game] if game else registry.families())]
    if as_json:
        named = [({} if game else {"game": each.spec}) | asdict(level) for each in played for level in ladder.levels(each)]
        print(json.dumps(named))
        return
    for each in played:
        out.print(_level_table(each))
        judges = dict.fromkeys(judge_of(each, side, 1) for side in range(each.sides))
        out.print(f"Reviews and puzzles are judged by {' and '.join(judges)}.", soft_wrap=True)


def _level_table(game: Game) -> Table:
    from fogbound.core import levels as ladder

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
    from fogbound.core import registry

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
        problems = sorted([error, *error.others], key=lambda each: each.line or 0)
        if as_json:
            told = [{"line": each.line, "place": each.place, "problem": each.sentence} for each in problems]
            print(json.dumps({"file": str(file), "sound": False, **told[0], "problems": told}))
        else:
            for each in problems:
                err.print(str(each), style="red", markup=False, highlight=False, soft_wrap=True)
        raise typer.Exit(FAILED) from None
    if as_json:
        print(json.dumps({"file": str(file), "sound": True, **facts}))
        return
    out.print(f"[green]{file} is sound.[/green]", soft_wrap=True)
    for name, value in facts.items():
        out.print(f"  {name}: {value}", highlight=False)


def _check(file: Path) -> dict[str, str]:
    """What there is to say about a sound board file; the file itself says which game it is for."""
    from fogbound.core import jsonfile, registry

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
    if repr(value) == "PydanticUndefined":  # it has to be given
        return None
    return value.model_dump() if hasattr(value, "model_dump") else value


def _game_options(model: type[BaseModel], game: Game) -> list[dict[str, Any]]:
    """A game's options; where a board sets the rules, the default is the board's."""
    rules = getattr(getattr(game, "board", None), "rules", None)
    own = rules.model_dump() if rules is not None else {}
    return [{**option, "default": own.get(option["name"], option["default"])} for option in _options(model)]


def _option_table(options: list[dict[str, Any]]) -> Table:
    table = Table("option", "default", "about", box=None, pad_edge=False, padding=(0, 2))
    table.columns[0].style = "bold"
    for option in options:
        table.add_row(option["name"], _shown(option["default"]), option["about"])
    return table


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(each)}" for key, each in value.items() if each is not None)
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value))
    return "" if value is None else str(value)
