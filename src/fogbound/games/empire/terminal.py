"""Eight-Minute Empire in the terminal: the board in text, the row of cards, the players, and the log table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from fogbound.core.contract import State
from fogbound.core.match import Match
from fogbound.core.view import View
from fogbound.games.empire import rules

if TYPE_CHECKING:
    from fogbound.games.empire.game import Empire

STYLES = ("bold red", "bold blue", "bold green", "bold yellow", "bold magenta")
NEUTRAL_STYLE = "bold white"
WATER_STYLE = "blue dim"
CELL = 15
COLUMNS = 84  # width of a region board


def picture(game: Empire, view: View) -> RenderableType:
    """The board and all that the seat knows about the game."""
    parts: list[RenderableType] = [
        Panel(_board(game, view.state), title=_title(game, view), subtitle=_legend(game), expand=False),
        _continents(game, view.state),
        *([] if game.board.tiles else [_sea_routes(game)]),
        _row(game, view.state),
        _players(game, view.state),
    ]
    if not view.over:
        parts.append(Text(f"{game.seat_names[view.to_move]} is to {game.expected(view.state)}.", style="bold"))
    return Group(*parts)


def _title(game: Empire, view: View) -> str:
    if view.over:
        return game.outcome(view.state)
    played, seats = int(view.state["played"]), game.seats
    return f"Turn {played // seats + 1} of {game.table.turns // seats} · {game.seat_names[view.to_move]} to move"


def _legend(game: Empire) -> Text:
    text = Text()
    for colour, name in enumerate(game.colour_names):
        text.append(f" {name} ", style=style(game, colour))
    return text.append(f"{game.seat_names[0][0]}3 three armies  ■ city  ★ start  ◆ goods token", style="dim")


def style(game: Empire, colour: int) -> str:
    return STYLES[colour] if colour < game.seats else NEUTRAL_STYLE


def _region(game: Empire, state: State, region: int) -> Text:
    """A region's name in the colour of whoever controls it, then armies and cities of each colour."""
    holder = game.holder(state, region)
    name = game.names[region] + ("★" if region == game.table.start else "")
    text = Text(name, style=f"{style(game, holder)} reverse" if holder >= 0 else "dim")
    for colour in range(len(game.colour_names)):
        armies, cities = int(state["armies"][region][colour]), int(state["cities"][region][colour])
        if armies or cities:
            initial = game.colour_names[colour][0]
            text.append(f" {initial}{armies or ''}{'■' * cities}", style=style(game, colour))
    tokens = [rules.GOODS[i // 2][0] for i, place in enumerate(state["token"]) if place == region]
    return text.append(f" ◆{''.join(tokens)}" if tokens else "")


def _board(game: Empire, state: State) -> RenderableType:
    return _tile_board(game, state) if game.board.tiles else _region_board(game, state)


def _tile_board(game: Empire, state: State) -> Table:
    grid = Table(show_header=False, show_lines=True, pad_edge=False, padding=(0, 0))
    for _ in game.board.tiles[0]:
        grid.add_column(min_width=8, max_width=CELL)
    places = {(int(region.y or 0), int(region.x or 0)): i for i, region in enumerate(game.board.regions)}
    for y, row in enumerate(game.board.tiles):
        cells = [_region(game, state, places[y, x]) if (y, x) in places else Text("~", WATER_STYLE) for x in range(len(row))]
        grid.add_row(*cells)
    return grid


def _region_board(game: Empire, state: State) -> RenderableType:
    """Regions at their places, none overlapping; without places, a list by continents."""
    if game.board.regions[0].x is None:
        return _region_list(game, state)
    labels = [_region(game, state, i) for i in range(len(game.names))]
    lines = _lines(game, labels)
    text = Text()
    for line in range(min(lines), max(lines) + 1):
        column = 0
        for at, region in sorted(lines.get(line, [])):
            text.append(" " * (at - column)).append_text(labels[region])
            column = at + len(labels[region])
        text.append("\n")
    text.rstrip()
    return text


def _lines(game: Empire, labels: list[Text]) -> dict[int, list[tuple[int, int]]]:
    """For each text line the regions on it: column and region."""
    xs = [float(region.x or 0) for region in game.board.regions]
    ys = [float(region.y or 0) for region in game.board.regions]
    span_x, span_y = max(xs) - min(xs) or 1.0, max(ys) - min(ys) or 1.0
    height = max(10, len(labels) * 4 // 5)
    lines: dict[int, list[tuple[int, int]]] = {}
    free: dict[int, int] = {}
    for region in sorted(range(len(labels)), key=lambda i: xs[i]):
        line, at = round((ys[region] - min(ys)) / span_y * height), round((xs[region] - min(xs)) / span_x * COLUMNS)
        near = range(max(0, line - 2), line + 3)
        line = min(near, key=lambda k: (max(0, free.get(k, 0) - at), abs(k - line)))
        at = max(at, free.get(line, 0))
        lines.setdefault(line, []).append((at, region))
        free[line] = at + len(labels[region]) + 2
    return lines


def _region_list(game: Empire, state: State) -> Text:
    text = Text()
    for continent in game.board.continents:
        text.append(f"{continent}: ", style="bold")
        for i, region in enumerate(game.board.regions):
            if region.continent == continent:
                text.append_text(_region(game, state, i)).append("  ")
        text.append("\n")
    text.rstrip()
    return text


def _continents(game: Empire, state: State) -> Text:
    text = Text("Continents: ", style="bold")
    for number, name in enumerate(game.board.continents):
        holder = game.continent_holder(state, number)
        regions = [region.region for region in game.board.regions if region.continent == name]
        first = regions[0] if len(regions) == 1 else f"{regions[0]}–{regions[-1]}"
        text.append(f" {name} ({first}) ", style=f"{style(game, holder)} reverse" if holder >= 0 else "dim")
        text.append(" ")
    return text


def _sea_routes(game: Empire) -> Text:
    routes = [
        f"{region.region}–{end}"
        for i, region in enumerate(game.board.regions)
        for end in region.sea
        if end in game.names[i:]
    ]
    return Text("Sea routes: ", style="bold").append("  ".join(routes) or "none", style="not bold")


def _row(game: Empire, state: State) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for header in ("card", "price", "goods", "action"):
        table.add_column(header)
    for place, card in enumerate(state["row"]):
        if card >= 0:
            facts = game.cards[card]
            price = int(game.table.price[place])
            table.add_row(str(place + 1), f"{price} coin{'' if price == 1 else 's'}", facts.goods_text, facts.action_text)
    return table


def _players(game: Empire, state: State) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for header in ("", "coins", *rules.GOODS, "armies left", "cities left", "points", ""):
        table.add_column(header, justify="right" if header else "left")
    for seat, name in enumerate(game.seat_names):
        goods, points = game.goods(state, seat), game.points(state, seat)
        counts = [str(goods[good] or "·") for good in rules.GOODS]
        left = [str(int(state[field][seat])) for field in ("reserve", "cities_left")]
        sources = f"regions {points['regions']}, continents {points['continents']}, goods {points['goods']}"
        bid = int(state["bid"][seat])
        shown = {rules.NOT_YET: "", rules.HIDDEN: "; sealed bid"}.get(bid, f"; bid {bid}")
        coins = str(int(state["coins"][seat]))
        table.add_row(Text(name, style(game, seat)), coins, *counts, *left, str(points["total"]), sources + shown)
    return table


def table_of_moves(game: Empire, match: Match) -> str:
    """A line a turn: who, the card taken and its price, what was done with it; the points at the end."""
    lines: list[str] = []
    for index, move in enumerate(match.moves):
        before, words = match.state_at(index), game.describe(move.code)
        if before["phase"] == rules.TAKING:
            place = move.code & rules.LOW
            number = int(before["played"]) + 1
            card, price = game.cards[before["row"][place]], game.table.price[place]
            lines.append(f"{number:>3}  {game.seat_names[move.seat]:<7}{price} for {card}")
        elif before["phase"] in (rules.CHOOSING, rules.ACTING):
            lines[-1] += f" | {words}"
        else:
            lines.append(f"  -  {game.seat_names[move.seat]:<7}{words}")
    for seat, name in enumerate(game.seat_names):
        points, coins = game.points(match.state, seat), int(match.state["coins"][seat])
        lines.append(
            f"end  {name:<7}{points['total']} points (regions {points['regions']}, continents {points['continents']}, "
            f"goods {points['goods']}), {coins} coins left"
        )
    return "\n".join(lines)
