"""Scotland Yard in the terminal: the board in text, tickets, the travel log, and the log table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from fogbound.core.match import Match
from fogbound.core.view import View

if TYPE_CHECKING:
    from fogbound.games.scotland_yard.game import ScotlandYard

DETECTIVE_STYLES = (
    "bold white on blue",
    "bold black on green",
    "bold white on magenta",
    "bold black on cyan",
    "bold black on yellow",
)
MR_X_STYLE = "bold white on red"
POSSIBLE_STYLE = "bold red"
MOST_COLUMNS, MOST_LINES = 116, 30


def picture(game: ScotlandYard, view: View) -> RenderableType:
    """The board and all that the seat knows about the game."""
    return Group(
        Panel(_BoardText(game, view), title=_title(game, view), subtitle=_legend()),
        _pieces(game, view),
        _log(game, view),
        _possible(game, view),
    )


def _title(game: ScotlandYard, view: View) -> str:
    if view.over:
        return game.outcome(view.state)
    turn = game.seat_names[view.to_move]
    rounds = game.board.rules.rounds
    return f"Round {min(int(view.state['round']), rounds)} of {rounds} · {turn} to move"


def _legend() -> Text:
    return Text.assemble(
        (" X ", MR_X_STYLE),
        " Mr X  ",
        (" 1 ", DETECTIVE_STYLES[0]),
        " detective 1  ",
        ("13", POSSIBLE_STYLE),
        " Mr X can be here",
    )


class _BoardText:
    """Station numbers at their places, as wide as the terminal allows; pieces and possible stations in colour."""

    def __init__(self, game: ScotlandYard, view: View) -> None:
        self.game = game
        self.styles = _styles(game, view)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        widest = max(len(str(number)) for number in self.game.numbers)
        for row in _grid(self.game, options.max_width - widest):
            yield self._line(row)

    def _line(self, row: list[tuple[int, int]]) -> Text:
        text, column = Text(no_wrap=True), 0
        for at, number in row:
            text.append(" " * (at - column))
            text.append(str(number), style=self.styles.get(number, "dim"))
            column = at + len(str(number))
        return text


def _grid(game: ScotlandYard, width: int) -> list[list[tuple[int, int]]]:
    """For each text line the stations on it: column and number, none overlapping."""
    xs, ys = zip(*game.places, strict=True)
    span_x, span_y = max(xs) - min(xs) or 1.0, max(ys) - min(ys) or 1.0
    widest = max(len(str(number)) for number in game.numbers) + 1
    fitting = 1 + round(3 * len(game.numbers) ** 0.5)
    lines = max(1, min(MOST_LINES, round(MOST_COLUMNS * span_y / span_x / 2), fitting))
    columns = min(width - widest, MOST_COLUMNS, max(8, round(lines * 2.2 * span_x / span_y)))
    rows: dict[int, list[tuple[int, int]]] = {}
    for number, (x, y) in sorted(zip(game.numbers, game.places, strict=True), key=lambda each: each[1][0]):
        line = round((y - min(ys)) / span_y * (lines - 1))
        at = round((x - min(xs)) / span_x * columns)
        line = min(range(line - 2, line + 3), key=lambda k: (_shift(rows.get(k, []), at, widest), abs(k - line)))
        row = rows.setdefault(line, [])
        row.append((at + _shift(row, at, widest), number))
    return [sorted(rows.get(line, [])) for line in range(min(rows), max(rows) + 1)]


def _shift(row: list[tuple[int, int]], at: int, widest: int) -> int:
    """How far right a label must go to stay clear of the last one in its row."""
    return max(0, row[-1][0] + widest - at) if row else 0


def _styles(game: ScotlandYard, view: View) -> dict[int, str]:
    styles = dict.fromkeys(game.possible(view.state), POSSIBLE_STYLE)
    stations = game.public(view.state)["stations"]
    for seat in range(1, game.seats):
        styles[stations[seat]] = DETECTIVE_STYLES[seat - 1]
    if stations[0] is not None:
        styles[stations[0]] = MR_X_STYLE
    return styles


def _pieces(game: ScotlandYard, view: View) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    table.add_column("station", justify="right")
    names = sorted({name for seat in range(game.seats) for name in game.tickets(view.state, seat)}, key=_ticket_order(game))
    for name in names:
        table.add_column(name, justify="right")
    for seat in range(game.seats):
        place = int(view.state["station"][seat])
        tickets = game.tickets(view.state, seat)
        counts = ["∞" if name in tickets and tickets[name] is None else str(tickets.get(name, "")) for name in names]
        style = MR_X_STYLE if seat == 0 else DETECTIVE_STYLES[seat - 1]
        station = "hidden" if place < 0 else str(game.numbers[place])
        table.add_row(Text(f" {game.seat_names[seat]} ", style=style), station, *counts)
    return table


def _ticket_order(game: ScotlandYard) -> Callable[[str], int]:
    order = [*game.ticket_names, "black", "double"]
    return order.index


def _log(game: ScotlandYard, view: View) -> Text:
    """Mr X's travel log as this seat saw it; a star marks the slots that reveal him."""
    reveals = set(game.board.reveals())
    text = Text("Travel log: ", style="bold")
    slot = 0
    for seen in view.history:
        if seen.seat != 0:
            continue
        slot += 1
        parts = game.details(seen.code)
        known = "" if parts["station"] is None else f" → {parts['station']}"
        mark = "*" if slot in reveals else ""
        text.append(f" {slot}{mark} {parts['ticket']}{known} ", style="red" if known else "")
    upcoming = [str(reveal) for reveal in sorted(reveals) if reveal > slot]
    text.append(f"  (next reveals: {', '.join(upcoming)})" if upcoming else "", style="dim")
    return text


def _possible(game: ScotlandYard, view: View) -> Text:
    stations = game.possible(view.state)
    text = Text(f"Mr X can be at {len(stations)} stations: ", style="bold")
    return text.append(" ".join(map(str, stations)), style=POSSIBLE_STYLE)


def table_of_moves(game: ScotlandYard, match: Match) -> str:
    """A row a turn: each piece's station and the ticket it left by; tickets left at the end on top."""
    cells = _cells(game, match)
    tickets = [
        " ".join(f"{count if count is not None else '∞'} {name}" for name, count in game.tickets(match.state, seat).items())
        for seat in range(game.seats)
    ]
    rows = [list(game.seat_names), tickets, *cells]
    widths = [max(len(row[column]) for row in rows) for column in range(game.seats)]
    first = ["turn", "left", *(str(i) for i in range(1, len(cells))), "end"]
    lines = []
    for name, row in zip(first, rows, strict=True):
        lines.append(
            (f"{name:>4}  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))).rstrip()
        )
    return "\n".join(lines)


def _cells(game: ScotlandYard, match: Match) -> list[list[str]]:
    """Station and ticket of every piece in every turn; the last row is where they stood at the end."""
    rows: list[list[str]] = [[""] * game.seats]
    for index, move in enumerate(match.moves):
        before = match.state_at(index)
        if rows[-1][move.seat]:
            rows.append([""] * game.seats)
        ticket = game.details(move.code)["ticket"]
        rows[-1][move.seat] = f"{game.numbers[before['station'][move.seat]]} {ticket}"
    rows.append([str(game.numbers[match.state["station"][seat]]) for seat in range(game.seats)])
    return rows
