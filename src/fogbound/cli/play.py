"""Playing and looking at games: on the page, or in the terminal."""

from __future__ import annotations

from pathlib import Path
from secrets import randbelow
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fogbound.cli.app import PLAY, app, game_names, out
from fogbound.cli.serve import FIRST_PORT, free_port, run_server
from fogbound.core.errors import FogboundError

if TYPE_CHECKING:
    from fogbound.core.agent import Agent
    from fogbound.core.contract import Game
    from fogbound.core.match import Match
    from fogbound.core.record import Record
    from fogbound.core.registry import Family
    from fogbound.core.view import View
    from fogbound.server.app import Prepare
    from fogbound.server.lobby import Lobby

HERE = "127.0.0.1"


@app.command(rich_help_panel=PLAY)
def play(
    game: Annotated[
        str | None, typer.Argument(help="What to play; you are asked if you leave it out.", autocompletion=game_names)
    ] = None,
    seat: Annotated[str | None, typer.Option("--as", help="Your seat or side: mr-x, detectives, ...")] = None,
    against: Annotated[str, typer.Option(help="The level or agent that plays all other seats.")] = "heuristic",
    seed: Annotated[int | None, typer.Option(help="Start the same game again.")] = None,
    save: Annotated[Path | None, typer.Option(help="With --terminal: save the game here when it ends.")] = None,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play in this terminal.")] = False,
    port: Annotated[int, typer.Option(help="Where the page is served; the next free port if it is taken.")] = FIRST_PORT,
) -> None:
    """Play against an agent: in the browser, or with --terminal in this terminal. Without a game: the front page.

    Example: fogbound play scotland-yard/plan1 --as detectives --against heuristic
    """
    if terminal:
        _in_the_terminal(game, seat, against, seed, save)
        return
    if save:
        raise FogboundError("Games on the page are saved there (Download); give --terminal to use --save.")
    run_server(HERE, free_port(HERE, port), None, None if game is None else _ready(game, seat, against, seed), browser=True)


def _ready(spec: str, seat: str | None, against: str, seed: int | None) -> Prepare:
    """A table to sit down at, on any board and against any agent; mistakes are told before the server starts."""
    from fogbound.core import registry
    from fogbound.server.levels import agent_spec

    game = registry.game(spec)
    side = 0 if seat is None else game.side(seat)
    agent = agent_spec(game, against)
    registry.agent(agent, game, side=(side + 1) % game.sides)

    async def prepare(lobby: Lobby) -> dict[str, Any]:
        table, token = await lobby.create_own(game, side, agent, seed)
        return {"table": table.id, "token": token}

    return prepare


def _in_the_terminal(game: str | None, seat: str | None, against: str, seed: int | None, save: Path | None) -> None:
    from fogbound.agents.person import Quit
    from fogbound.core import registry
    from fogbound.core.record import Record
    from fogbound.server.levels import agent_spec

    played = registry.game(game or _ask_game())
    side = played.side(seat) if seat is not None else _ask_side(played)
    chosen = randbelow(1_000_000) if seed is None else seed
    against = agent_spec(played, against)
    seated = [
        registry.agent("person" if number == side else against, played, chosen, number) for number in range(played.sides)
    ]
    match = played.new(chosen)
    out.print(f"[dim]{played.spec}, seed {chosen}. You are {played.side_names[side]}. Type ? for help.[/dim]")
    try:
        _play_through(match, seated, side)
    except (Quit, KeyboardInterrupt):
        out.print("\nYou left the game.")
    else:
        out.print(f"\n[bold]{played.outcome(match.state)}.[/bold]")
        out.print(played.table_of_moves(match), highlight=False, markup=False)
    if save:
        Record.of(match, ["person" if number == side else against for number in range(played.sides)]).save(save)
        out.print(f"Saved to {save}.")


def _play_through(match: Match, seated: list[Agent], side: int) -> None:
    """Play to the end; moves of the other sides are told as the person's side sees them."""
    game = match.game
    watching = game.side_of.index(side)
    while not match.over:
        seat = match.to_move
        match.play(seated[game.side_of[seat]].choose(match.view(seat)).action)
        if game.side_of[seat] != side:
            seen = match.view(watching).history[-1]
            out.print(f"{game.seat_names[seat]}: [bold]{game.describe(seen.code)}[/bold]")


def _ask_game() -> str:
    from fogbound.core import registry

    out.print("[bold]What would you like to play?[/bold]")
    offered = [spec for name in registry.families() for spec in _first_games(registry.family(name))]
    for number, spec in enumerate(offered, 1):
        family, _, board = spec.partition("/")
        out.print(f"  {number}  {spec}: {registry.family(family).boards().get(board, spec)}", highlight=False)
    answer = _answer(f"A number, or any game's name [1 to {len(offered)}, Enter for 1]: ")
    if answer.isdecimal():
        if not 1 <= int(answer) <= len(offered):
            raise FogboundError(f"There is no game number {answer}; the numbers are 1 to {len(offered)}.")
        return offered[int(answer) - 1]
    return answer or offered[0]


def _first_games(family: Family) -> tuple[str, ...]:
    return family.first_games or (f"{family.name}/{family.default_board}",)


def _ask_side(game: Game) -> int:
    names = ", ".join(f"{number} {name}" for number, name in enumerate(game.side_names, 1))
    answer = _answer(f"Who are you? {names} [Enter for 1]: ")
    if answer.isdecimal() and 1 <= int(answer) <= game.sides:
        return int(answer) - 1
    return game.side(answer) if answer else 0


def _answer(question: str) -> str:
    try:
        return out.input(question, markup=False).strip()
    except EOFError:
        return ""


@app.command(rich_help_panel=PLAY)
def replay(
    file: Annotated[Path, typer.Argument(help="A saved game.")],
    seat: Annotated[str | None, typer.Option("--as", help="Whose eyes to see it with; all revealed by default.")] = None,
    terminal: Annotated[bool, typer.Option("--terminal", help="Show it in this terminal.")] = False,
    steps: Annotated[bool, typer.Option("--steps/--log", help="Show every position, or only the log of moves.")] = False,
) -> None:
    """Show a saved game: in the browser, or with --terminal in this terminal.

    Example: fogbound replay game.json --terminal --steps --as detective-1
    """
    from fogbound.core.contract import SPECTATOR
    from fogbound.core.record import load

    record = load(file)
    game = record.game
    if not terminal and not steps and seat is None:

        async def prepare(_lobby: Lobby) -> dict[str, Any]:
            return {"record": record.to_json()}

        run_server(HERE, free_port(HERE), None, prepare, browser=True)
        return
    viewer = None if seat is None else SPECTATOR if seat == "spectator" else game.seat(seat)
    if not steps and viewer is not None:
        raise FogboundError("The log of moves shows everything; give --steps to see a game with one seat's eyes.")
    out.print(f"[bold]{game.spec}[/bold] [dim]seed {record.seed}, game {record.number}[/dim]")
    out.print(f"[dim]{_players(record)}[/dim]")
    if steps:
        _show_steps(record, viewer)
    match = record.replay()
    if viewer is None:
        out.print(game.table_of_moves(match), highlight=False, markup=False)
    out.print(f"[bold]{game.outcome(match.state)}.[/bold]" if match.over else "The game was not finished.")


def _players(record: Record) -> str:
    return ", ".join(f"{name}: {agent}" for name, agent in zip(record.game.side_names, record.agents, strict=False))


def _show_steps(record: Record, viewer: int | None) -> None:
    """Every position, with a stop after each when someone is watching."""
    match = record.replay(0)
    game = record.game
    for number, move in enumerate(record.moves, 1):
        out.print(game.picture(_eyes(match, viewer)))
        match.play(move.code, chance=move.chance)
        seen = match.last_seen(viewer)
        assert seen is not None
        out.print(f"Move {number}, {game.seat_names[move.seat]}: [bold]{game.describe(seen.code)}[/bold]")
        if out.is_terminal and _answer("Enter for the next move, q to stop: ").startswith("q"):
            return


def _eyes(match: Match, viewer: int | None) -> View:
    return match.revealed() if viewer is None else match.view(viewer)
