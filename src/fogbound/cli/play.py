"""Playing and looking at games in the terminal."""

from __future__ import annotations

from pathlib import Path
from secrets import randbelow
from typing import Annotated

import typer

from fogbound.agents.person import Quit
from fogbound.cli.app import PLAY, app, out
from fogbound.core import registry
from fogbound.core.agent import Agent
from fogbound.core.contract import SPECTATOR, Game
from fogbound.core.errors import FogboundError
from fogbound.core.match import Match
from fogbound.core.record import Record, load
from fogbound.core.view import View

FIRST_GAMES = ("scotland-yard/plan1", "scotland-yard/london", "risk/classic", "empire/seed")


@app.command(rich_help_panel=PLAY)
def play(
    game: Annotated[str | None, typer.Argument(help="What to play; you are asked if you leave it out.")] = None,
    seat: Annotated[str | None, typer.Option("--as", help="Your seat or side: mr-x, detectives, ...")] = None,
    against: Annotated[str, typer.Option(help="The agent that plays all other seats.")] = "heuristic",
    seed: Annotated[int | None, typer.Option(help="Start the same game again.")] = None,
    save: Annotated[Path | None, typer.Option(help="Save the game here when it ends.")] = None,
    terminal: Annotated[bool, typer.Option("--terminal", help="Play in this terminal.")] = True,
) -> None:
    """Play against an agent.

    Example: fogbound play scotland-yard/plan1 --as detectives --against heuristic
    """
    played = registry.game(game or _ask_game())
    side = played.side(seat) if seat is not None else _ask_side(played)
    chosen = randbelow(1_000_000) if seed is None else seed
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
    out.print("[bold]What would you like to play?[/bold]")
    for number, spec in enumerate(FIRST_GAMES, 1):
        family, _, board = spec.partition("/")
        out.print(
            f"  {number}  {spec}: {registry.family(family).boards().get(board, registry.game(spec).spec)}", highlight=False
        )
    answer = _answer(f"A number, or any game's name [1 to {len(FIRST_GAMES)}, Enter for 1]: ")
    if answer.isdecimal():
        if not 1 <= int(answer) <= len(FIRST_GAMES):
            raise FogboundError(f"There is no game number {answer}; the numbers are 1 to {len(FIRST_GAMES)}.")
        return FIRST_GAMES[int(answer) - 1]
    return answer or FIRST_GAMES[0]


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
    terminal: Annotated[bool, typer.Option("--terminal", help="Show it in this terminal.")] = True,
    steps: Annotated[bool, typer.Option("--steps/--log", help="Show every position, or only the log of moves.")] = False,
) -> None:
    """Show a saved game.

    Example: fogbound replay game.json --steps --as detective-1
    """
    record = load(file)
    game = record.game
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
        seen = _eyes(match, viewer).history[-1]
        out.print(f"Move {number}, {game.seat_names[move.seat]}: [bold]{game.describe(seen.code)}[/bold]")
        if out.is_terminal and _answer("Enter for the next move, q to stop: ").startswith("q"):
            return


def _eyes(match: Match, viewer: int | None) -> View:
    return match.revealed() if viewer is None else match.view(viewer)
