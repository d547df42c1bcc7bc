"""Risk in the terminal: the map by continents, the players, one's own hand and mission, and the log table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from fogbound.core.contract import State
from fogbound.core.match import Match
from fogbound.core.view import View
from fogbound.games.risk.notation import hand_of
from fogbound.games.risk.table import BATTLE, KIND_SHIFT, NEUTRAL

if TYPE_CHECKING:
    from fogbound.games.risk.game import Risk

STYLES = (
    "bold white on red",
    "bold white on blue",
    "bold black on green",
    "bold black on yellow",
    "bold white on grey23",
    "bold black on magenta",
)
NEUTRAL_STYLE = "black on grey70"
INITIALS = "RBGYKPN"  # of the colours (K is Black) and the neutral army, for terminals without colour


def picture(game: Risk, view: View) -> RenderableType:
    """The map and all that the seat knows about the game."""
    parts: list[RenderableType] = [Panel(_map(game, view), title=_title(game, view), expand=False), _players(game, view)]
    if view.seat >= 0:
        parts.append(_own(game, view))
    parts.append(_now(game, view))
    return Group(*parts)


def _title(game: Risk, view: View) -> str:
    if view.over:
        return game.outcome(view.state)
    turn = game.seat_names[view.to_move]
    number = int(view.state["round"])
    return f"Round {number} · {turn} to move" if number else f"Set-up · {turn} to move"


def _map(game: Risk, view: View) -> Table:
    """A column a continent: its territories with owner and armies."""
    table = Table.grid(padding=(0, 2))
    columns = 4
    blocks = [_continent(game, view.state, c) for c in range(len(game.board.continents))]
    for first in range(0, len(blocks), columns):
        table.add_row(*blocks[first : first + columns])
    return table


def _continent(game: Risk, state: State, number: int) -> Text:
    continent = game.board.continents[number]
    text = Text(f"{continent.name} (+{continent.bonus})\n", style="bold underline")
    for member in continent.members:
        owner = int(state["owner"][member])
        mark = INITIALS[owner] if owner >= 0 else " "
        text.append(f" {mark}{int(state['armies'][member]):>3} ", style=_style(owner))
        text.append(f" {game.notation.territories[member]}\n", style="default not bold not underline")
    return text


def _style(owner: int) -> str:
    return "dim" if owner < 0 else NEUTRAL_STYLE if owner == NEUTRAL else STYLES[owner]


def _players(game: Risk, view: View) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    for name in ("territories", "armies", "cards"):
        table.add_column(name, justify="right")
    table.add_column("")
    for seat, player in enumerate(game.public(view.state)["players"]):
        gone = player["destroyed_by"]
        note = f"destroyed by {game.seat_names[gone]}" if gone is not None else ""
        armies = player["armies"] + player["to_set_up"]
        label = Text(f" {INITIALS[seat]} {game.seat_names[seat]} ", style=STYLES[seat])
        table.add_row(label, str(player["territories"]), str(armies), str(player["cards"]), note)
    return table


def _own(game: Risk, view: View) -> Text:
    text = Text("Your cards: ", style="bold")
    cards = [f"{game.notation.cards[card]} ({game.symbol(card)})" for card in hand_of(view.state, view.seat)]
    text.append(", ".join(cards) or "none", style="not bold")
    mission = int(view.state["mission"][view.seat])
    if mission >= 0:
        text.append(f"\nYour mission: {game.mission_names[mission]}")
    return text


def _now(game: Risk, view: View) -> Text:
    """The last dice, and what is expected now."""
    text = Text()
    now = game.public(view.state)
    if now["dice"][0]:
        text.append(f"Dice: {_dice(now['dice'])}\n")
    elif any(now["losses"]):
        text.append(f"Battle: attacker lost {now['losses'][0]}, defender lost {now['losses'][1]}\n")
    if not view.over:
        sentence = game.notation.expected(view.state)
        text.append(f"{sentence[:1].upper()}{sentence[1:]}.", style="italic")
    return text


def _dice(dice: list[list[int]]) -> str:
    return " against ".join(" ".join(map(str, each)) for each in dice)


def table_of_moves(game: Risk, match: Match) -> str:
    """A line a move: number, round, who, what, and what the dice or the battle did; everything revealed."""
    lines = []
    for index, move in enumerate(match.moves):
        before, after = match.state_at(index), match.state_at(index + 1)
        result = _result(game, before, after, move.code)
        number, name = int(before["round"]), game.seat_names[move.seat]
        lines.append(f"{index + 1:>5}  {number:>4}  {name:<6}  {game.describe(move.code)}{result}")
    if match.over:
        lines.append(game.outcome(match.state))
    return "\n".join(["move  round  player  move, and what came of it", *lines])


def _result(game: Risk, before: State, after: State, code: int) -> str:
    seat = int(before["turn"])
    kind = game.details(code)["kind"]
    if kind in ("attack", "battle"):
        lost, beaten = (int(x) for x in after["losses"])
        dice = f" dice {_dice(game.public(after)['dice'])}," if code >> KIND_SHIFT != BATTLE else ""
        taken = ", conquered" if after["owner"][after["target"]] == seat else ""
        return f":{dice} attacker lost {lost}, defender {beaten}{taken}"
    drawn = set(hand_of(after, seat)) - set(hand_of(before, seat))
    if kind == "end turn" and drawn:
        return f": drew {game.notation.cards[drawn.pop()]}"
    return ""
