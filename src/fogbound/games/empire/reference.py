"""Eight-Minute Empire once more in plain Python, written from docs/rules/empire.md.

It shares nothing with the compiled rules but the board and the facts of the cards. Slow and
obvious on purpose: tests play it in lock-step with the kernels, the benchmark beside them.
Moves are tuples such as ("move", "A1", "A2"); chance is a function that gives 0 to n - 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations_with_replacement
from random import Random
from typing import Any

from fogbound.games.empire.board import Board, Region
from fogbound.games.empire.cards import Card, all_cards

Move = tuple[str | int, ...]
COLOURS = ["Red", "Blue", "Green", "Yellow", "Violet"]
GOODS = ["food", "wood", "coal", "gems", "iron"]
NEEDED = {
    "food": {3: 1, 5: 2, 7: 3, 8: 5},
    "wood": {2: 1, 4: 2, 5: 3, 6: 5},
    "coal": {2: 1, 3: 2, 4: 3, 5: 5},
    "gems": {1: 1, 2: 2, 3: 3, 4: 5},
    "iron": {2: 1, 4: 2, 6: 3, 7: 5},
}
PRICES = [0, 1, 1, 2, 2, 3]


class Player:
    def __init__(self, colour: str, coins: int) -> None:
        self.colour = colour
        self.coins = coins
        self.cards: list[Card] = []
        self.bid: int | None = None


class Reference:
    """One game in progress."""

    def __init__(self, board: Board, draw: Callable[[int], int]) -> None:
        self.board, self.rules, self.draw = board, board.rules, draw
        count = self.rules.players
        coins = self.rules.coins or {2: 14, 3: 11, 4: 9, 5: 8}[count]
        self.rounds = self.rules.turns or {2: 13, 3: 10, 4: 8, 5: 7}[count]
        self.players = [Player(colour, coins) for colour in COLOURS[:count]]
        self.colours = COLOURS[:count] + (["Neutral"] if self.rules.neutral else [])
        self.armies: dict[str, list[str]] = {
            name: COLOURS[:count] * 3 if name == board.start else [] for name in board.names
        }
        self.cities: dict[str, list[str]] = {name: [] for name in board.names}
        self.undrawn = [card for card in all_cards(self.rules.print == "other") if card.players <= count]
        self.row: list[Card] = []
        for _ in range(6):
            self.open_card()
        self.tokens: dict[str, list[str]] = {name: [] for name in board.names}
        if self.rules.tokens:
            self.lay_tokens()
        self.turns_played = 0
        self.starter: int | None = None
        self.card: Card | None = None
        self.left: dict[str, int] = {}
        self.to_move = 0
        self.phase = "bid"
        if not self.rules.bidding:
            self.started_by(draw(count))

    def open_card(self) -> None:
        if self.undrawn:
            self.row.append(self.undrawn.pop(self.draw(len(self.undrawn))))

    def lay_tokens(self) -> None:
        spaces = self.board.token_spaces
        slots = [spaces[i % len(spaces)] for i in range(10)]
        for good in GOODS:
            for _ in range(2):
                self.tokens[slots.pop(self.draw(len(slots)))].append(good)

    def started_by(self, seat: int) -> None:
        self.starter = self.to_move = seat
        self.phase = "neutral" if self.rules.neutral else "card"

    # What can be played.

    @property
    def me(self) -> Player:
        return self.players[self.to_move]

    def legal(self) -> list[Move]:
        if self.phase == "bid":
            return [("bid", coins) for coins in range(self.me.coins + 1)]
        if self.phase == "start":
            return [("start", player.colour.lower()) for player in self.players]
        if self.phase == "neutral":
            return [("neutral", name) for name in self.board.names]
        if self.phase == "card":
            return [("card", place + 1) for place in range(len(self.row)) if PRICES[place] <= self.me.coins]
        if self.phase == "choice":
            assert self.card is not None
            return [("use", action) for action, _ in self.card.actions if list(self.uses(action))] + [("done",)]
        if self.phase == "action":
            return [("done",), *self.all_uses()]
        return []

    def all_uses(self) -> list[Move]:
        return [move for action, count in self.left.items() if count for move in self.uses(action)]

    def uses(self, action: str) -> Iterator[Move]:
        mine = self.me.colour
        for region in self.board.regions:
            name = region.region
            if action == "armies" and self.on_board(mine) < 14 and (name == self.board.start or mine in self.cities[name]):
                yield ("army", name)
            if action == "city" and self.built(mine) < 3 and mine in self.armies[name]:
                yield ("city", name)
            if action == "destroy":
                yield from [("destroy", c.lower(), name) for c in self.colours if c != mine and c in self.armies[name]]
            if action in ("move", "sail") and mine in self.armies[name]:
                yield from self.steps(region, action)

    def steps(self, region: Region, action: str) -> Iterator[Move]:
        yield from [("move", region.region, end) for end in region.land]
        if action == "sail":
            yield from [("sail", region.region, end) for end in region.sea]

    def on_board(self, colour: str) -> int:
        return sum(armies.count(colour) for armies in self.armies.values())

    def built(self, colour: str) -> int:
        return sum(cities.count(colour) for cities in self.cities.values())

    # Playing.

    def play(self, move: Move) -> None:
        kind = move[0]
        if kind == "bid":
            self.bid(int(move[1]))
        elif kind == "start":
            self.started_by([player.colour.lower() for player in self.players].index(str(move[1])))
        elif kind == "neutral":
            self.armies[str(move[1])].append("Neutral")
            self.to_move = 1 - self.to_move
            if self.on_board("Neutral") == 10:
                assert self.starter is not None
                self.to_move, self.phase = self.starter, "card"
        elif kind == "card":
            self.take(int(move[1]) - 1)
        elif kind == "use":
            assert self.card is not None
            self.left, self.phase = {str(move[1]): dict(self.card.actions)[str(move[1])]}, "action"
        elif kind == "done":
            self.end_turn()
        else:
            self.use(move)

    def bid(self, coins: int) -> None:
        self.me.bid = coins
        if self.to_move < len(self.players) - 1:
            self.to_move += 1
            return
        highest = max(player.bid or 0 for player in self.players)
        best = [seat for seat, player in enumerate(self.players) if player.bid == highest]
        self.to_move = best[self.draw(len(best))] if len(best) > 1 else best[0]
        self.me.coins -= highest
        self.phase = "start"

    def take(self, place: int) -> None:
        self.me.coins -= PRICES[place]
        self.card = self.row.pop(place)
        self.me.cards.append(self.card)
        self.open_card()
        if self.card.join == "or":
            self.phase = "choice"
            if not any(list(self.uses(action)) for action, _ in self.card.actions):
                self.end_turn()
            return
        self.phase = "action"
        self.left = dict(self.card.actions)
        if not self.all_uses():
            self.end_turn()

    def use(self, move: Move) -> None:
        mine = self.me.colour
        if move[0] in ("move", "sail"):
            self.armies[str(move[1])].remove(mine)
            self.armies[str(move[2])].append(mine)
            self.left["sail" if "sail" in self.left else "move"] -= 1
        if move[0] == "army":
            self.armies[str(move[1])].append(mine)
            self.left["armies"] -= 1
        if move[0] == "city":
            self.cities[str(move[1])].append(mine)
            self.left["city"] -= 1
        if move[0] == "destroy":
            self.armies[str(move[2])].remove(str(move[1]).capitalize())
            self.left["destroy"] -= 1
        if not self.all_uses():
            self.end_turn()

    def end_turn(self) -> None:
        self.card, self.left = None, {}
        self.turns_played += 1
        self.to_move = (self.to_move + 1) % len(self.players)
        self.phase = "card"
        if self.turns_played == self.rounds * len(self.players):
            self.to_move, self.phase = -1, "over"

    # Counting.

    def controls(self, name: str) -> str | None:
        return _single_most(Counter(self.armies[name] + self.cities[name]))

    def controls_continent(self, continent: str) -> str | None:
        inside = [region.region for region in self.board.regions if region.continent == continent]
        if self.rules.continents == "regions":
            return _single_most(Counter(holder for holder in map(self.controls, inside) if holder))
        return _single_most(Counter(colour for name in inside for colour in self.armies[name] + self.cities[name]))

    def goods(self, player: Player) -> dict[str, int]:
        goods = dict.fromkeys([*GOODS, "wild"], 0)
        for card in player.cards:
            goods[card.good] += card.goods
        for name, tokens in self.tokens.items():
            if self.controls(name) == player.colour:
                for good in tokens:
                    goods[good] += 1
        return goods

    def goods_points(self, player: Player) -> int:
        goods = self.goods(player)
        choices = [good for good in GOODS if self.rules.wild == "any" or goods[good] > 0]
        if not choices:
            return 0
        return max(
            sum(_worth(good, goods[good] + wild.count(good)) for good in GOODS)
            for wild in combinations_with_replacement(choices, goods["wild"])
        )

    def points(self, player: Player) -> dict[str, int]:
        regions = [self.controls(name) for name in self.board.names].count(player.colour)
        continents = [self.controls_continent(name) for name in self.board.continents].count(player.colour)
        goods = self.goods_points(player)
        return {"regions": regions, "continents": continents, "goods": goods, "total": regions + continents + goods}

    def scores(self) -> tuple[float, ...]:
        ranks = []
        for player in self.players:
            points, armies = self.points(player), self.on_board(player.colour)
            breaks = [points["regions"], armies] if self.rules.ties == "seed" else [armies, points["regions"]]
            ranks.append([points["total"], player.coins, *breaks])
        winners = [rank == max(ranks) for rank in ranks]
        return tuple(won / sum(winners) for won in winners)

    def public(self, seat: int | None = None) -> dict[str, Any]:
        """The game as a seat sees it (None: all of it), in the shape that the compiled game gives."""
        return {
            "phase": self.phase,
            "to_move": self.to_move,
            "starter": self.starter,
            "turns_played": self.turns_played,
            "turns": self.rounds * len(self.players),
            "row": [{"price": PRICES[place], **_card_json(card)} for place, card in enumerate(self.row)],
            "undrawn": [card.number for card in self.undrawn],
            "card": self.card.number if self.card else None,
            "left": {action: count for action, count in self.left.items() if count},
            "regions": {name: self.region_json(name) for name in self.board.names},
            "continents": {name: self.controls_continent(name) for name in self.board.continents},
            "neutral_left": 10 - self.on_board("Neutral") if self.rules.neutral else 0,
            "players": [self.player_json(player, seat) for player in self.players],
        }

    def region_json(self, name: str) -> dict[str, Any]:
        return {
            "armies": dict(Counter(self.armies[name])),
            "cities": dict(Counter(self.cities[name])),
            "tokens": self.tokens[name],
            "controlled_by": self.controls(name),
        }

    def player_json(self, player: Player, seat: int | None) -> dict[str, Any]:
        bid: int | str | None = player.bid
        if self.phase == "bid" and bid is not None and seat is not None and player is not self.players[seat]:
            bid = "sealed"
        return {
            "name": player.colour,
            "coins": player.coins,
            "bid": bid,
            "armies_left": 14 - self.on_board(player.colour),
            "cities_left": 3 - self.built(player.colour),
            "cards": sorted(card.number for card in player.cards),
            "goods": self.goods(player),
            "points": self.points(player),
        }


def _single_most(counts: Counter[str]) -> str | None:
    """Who has most; a tie is nobody's."""
    most = [colour for colour, count in counts.items() if count == max(counts.values())]
    return most[0] if len(most) == 1 else None


def _worth(good: str, count: int) -> int:
    return max((points for needed, points in NEEDED[good].items() if count >= needed), default=0)


def _card_json(card: Card) -> dict[str, Any]:
    actions = [{"action": name, "count": count} for name, count in card.actions]
    return {"card": card.number, "good": card.good, "goods": card.goods, "join": card.join, "actions": actions}


def play_random(board: Board, random: Random) -> int:
    """One random game to its end: how many moves it took."""
    game = Reference(board, random.randrange)
    moves = 0
    while game.phase != "over":
        game.play(random.choice(game.legal()))
        moves += 1
    return moves
