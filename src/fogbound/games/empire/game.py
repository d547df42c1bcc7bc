"""Eight-Minute Empire as a game of the platform: the tables of a board, and what programs and people see of a state."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from rich.console import RenderableType

from fogbound.core.contract import Game, Reason, State
from fogbound.core.encoding import Encoding
from fogbound.core.match import Match
from fogbound.core.registry import CountOption, Family, QuickStart
from fogbound.core.view import View
from fogbound.games.empire import encoding as encodings
from fogbound.games.empire import rules, terminal, why
from fogbound.games.empire.board import BOARDS, NAME, Board, SpecOptions
from fogbound.games.empire.cards import Card, all_cards
from fogbound.games.empire.notation import PRICES, Notation
from fogbound.games.empire.rules import DEEDS, GOODS, KIND_SHIFT, RULES, Table
from fogbound.games.tables import offsets, read_only

COLOURS = ("Red", "Blue", "Green", "Yellow", "Violet")
NEUTRAL = "Neutral"
NEUTRAL_ARMIES = 10
# How many of a good make 1, 2, 3 and 5 points.
STEPS = {"food": (3, 5, 7, 8), "wood": (2, 4, 5, 6), "coal": (2, 3, 4, 5), "gems": (1, 2, 3, 4), "iron": (2, 4, 6, 7)}
SOURCES = (rules.regions_held, rules.continents_held, rules.goods_points)
PHASES = ("bid", "start", "neutral", "card", "choice", "action", "over")


class Empire(Game):
    """Two to five players, each for itself."""

    family = NAME
    rules = RULES
    table: Table

    def __init__(self, board: Board, spec: str, shipped: bool) -> None:
        self.board = board
        self.spec = spec
        self.shipped = shipped
        players = board.rules.players
        self.seat_names = COLOURS[:players]
        self.side_names = self.seat_names
        self.side_of = tuple(range(players))
        self.colour_names = (*self.seat_names, NEUTRAL) if board.rules.neutral else self.seat_names
        self.cards = all_cards(board.rules.print == "other")
        self.notation = Notation(board, self.cards, self.seat_names, self.colour_names)
        self.names, self.index = self.notation.names, self.notation.index
        self.table = make_table(board)
        regions, colours = len(self.names), len(self.colour_names)
        deeds = 1 + len(self.table.sail) + regions * (1 + 1 + colours)
        self.most_actions = max(deeds, board.coins + 1, 64)

    @property
    def perfect_information(self) -> bool:
        """Only bids are ever hidden."""
        return not self.board.rules.bidding

    @cached_property
    def encoding(self) -> Encoding:
        return encodings.encoding(self.table)

    def links(self) -> dict[Any, list[Any]]:
        """The regions that an army can go to from each region, by land or sea."""
        return {region.region: sorted({*region.land, *region.sea}) for region in self.board.regions}

    def definition(self) -> dict[str, Any]:
        return self.board.definition()

    def describe(self, action: int) -> str:
        return self.notation.describe(action)

    def details(self, action: int) -> dict[str, Any]:
        return self.notation.details(action)

    def parse(self, text: str) -> int:
        return self.notation.parse(text)

    def why_illegal(self, state: State, action: int) -> str:
        return self.notation.why_illegal(state, action)

    def expected(self, state: State) -> str:
        return self.notation.expected(state)

    def reversible(self, state: State, action: int) -> bool:
        """What is done within a turn reveals nothing; taking a card does, for the row is filled up."""
        own = (rules.USE, rules.DONE, rules.STEP, rules.PLACE, rules.BUILD, rules.KILL)
        return action >> KIND_SHIFT in own

    def drawing(self) -> dict[str, Any]:
        from fogbound.games.empire.drawing import drawing  # with SciPy: only where boards are drawn

        return drawing(self.board, self.cards, STEPS)

    def public(self, state: State) -> dict[str, Any]:
        phase, seat = int(state["phase"]), int(state["turn"])
        return {
            "phase": PHASES[phase],
            "to_move": seat,
            "starter": int(state["starter"]) if state["starter"] >= 0 else None,
            "turns_played": int(state["played"]),
            "turns": self.table.turns,
            "row": [self._card_json(card, PRICES[i]) for i, card in enumerate(state["row"]) if card >= 0],
            "undrawn": [card.number for i, card in enumerate(self.cards) if int(state["deck"]) >> i & 1],
            "card": self.cards[state["card"]].number if state["card"] >= 0 else None,
            "left": {DEEDS[deed]: int(n) for deed, n in enumerate(state["left"]) if n},
            "regions": {name: self._region_json(state, i) for i, name in enumerate(self.names)},
            "continents": {
                name: self._colour(self.continent_holder(state, i)) for i, name in enumerate(self.board.continents)
            },
            "neutral_left": int(state["reserve"][self.table.players]) if self.table.neutral else 0,
            "players": [self._player_json(state, other) for other in range(self.seats)],
        }

    def _card_json(self, number: int, price: int) -> dict[str, Any]:
        card = self.cards[number]
        actions = [{"action": name, "count": n} for name, n in card.actions]
        facts = {"card": card.number, "good": card.good, "goods": card.goods, "join": card.join, "actions": actions}
        return {"price": price, **facts}

    def _region_json(self, state: State, region: int) -> dict[str, Any]:
        def counts(field: str) -> dict[str, int]:
            return {name: int(n) for name, n in zip(self.colour_names, state[field][region], strict=False) if n}

        tokens = [GOODS[i // 2] for i, place in enumerate(state["token"]) if place == region]
        pieces = {"armies": counts("armies"), "cities": counts("cities")}
        return {**pieces, "tokens": tokens, "controlled_by": self._colour(self.holder(state, region))}

    def _colour(self, colour: int) -> str | None:
        return self.colour_names[colour] if colour >= 0 else None

    def _player_json(self, state: State, seat: int) -> dict[str, Any]:
        bid = int(state["bid"][seat])
        return {
            "name": self.seat_names[seat],
            "coins": int(state["coins"][seat]),
            "bid": bid if bid >= 0 else {rules.NOT_YET: None, rules.HIDDEN: "sealed"}[bid],
            "armies_left": int(state["reserve"][seat]),
            "cities_left": int(state["cities_left"][seat]),
            "cards": [card.number for card in self.hand(state, seat)],
            "goods": self.goods(state, seat),
            "points": self.points(state, seat),
        }

    def hand(self, state: State, seat: int) -> list[Card]:
        """The cards that a player has taken; they lie open."""
        return [card for i, card in enumerate(self.cards) if int(state["taken"][seat]) >> i & 1]

    def goods(self, state: State, seat: int) -> dict[str, int]:
        """A player's goods from cards, and from the tokens of regions that are controlled now."""
        own = {name: int(state["goods"][seat][i]) for i, name in enumerate(GOODS)}
        for i, place in enumerate(state["token"]):
            if place >= 0 and self.holder(state, int(place)) == seat:
                own[GOODS[i // 2]] += 1
        return own

    def holder(self, state: State, region: int) -> int:
        return int(rules.holder(self.table, state, region))

    def continent_holder(self, state: State, continent: int) -> int:
        return int(rules.continent_holder(self.table, state, continent))

    def points(self, state: State, seat: int) -> dict[str, int]:
        """A player's points if the game ended now."""
        regions, continents, goods = (int(count(self.table, state, seat)) for count in SOURCES)
        return {"regions": regions, "continents": continents, "goods": goods, "total": regions + continents + goods}

    def outcome(self, state: State) -> str:
        scores = self.scores(state)
        totals = [self.points(state, seat)["total"] for seat in range(self.seats)]
        winners = [name for name, score in zip(self.seat_names, scores, strict=True) if score > 0]
        table = ", ".join(f"{name} {total}" for name, total in zip(self.seat_names, totals, strict=True))
        verb = "wins" if len(winners) == 1 else "share the win"
        decided = totals.count(max(totals)) > 1 and len(winners) < totals.count(max(totals))
        return f"{' and '.join(winners)} {verb}{' by the tie-breaks' if decided else ''}: {table}"

    def reasons(self, view: View, action: int, belief: Mapping[str, float]) -> list[Reason]:
        return why.reasons(self, view, action, belief)

    def picture(self, view: View) -> RenderableType:
        return terminal.picture(self, view)

    def table_of_moves(self, match: Match) -> str:
        return terminal.table_of_moves(self, match)


def make_table(board: Board) -> Table:
    """A board's arrays for the kernels, with the cards and the rules."""
    options = board.rules
    index = {name: i for i, name in enumerate(board.names)}
    land = [sorted(index[end] for end in region.land) for region in board.regions]
    sail = [sorted(index[end] for end in [*region.land, *region.sea]) for region in board.regions]
    continent = [board.continents.index(region.continent) for region in board.regions]
    members = [[i for i, c in enumerate(continent) if c == number] for number in range(len(board.continents))]
    cards = all_cards(options.print == "other")
    table = Table(
        players=options.players,
        colours=options.players + int(options.neutral),
        regions=len(index),
        start=index[board.start],
        coins=board.coins,
        turns=board.turns * options.players,
        bidding=int(options.bidding),
        neutral=NEUTRAL_ARMIES if options.neutral else 0,
        with_tokens=int(options.tokens),
        by_regions=int(options.continents == "regions"),
        wild_owned=int(options.wild == "owned"),
        armies_before_regions=int(options.ties == "printed"),
        deck=sum(1 << i for i, card in enumerate(cards) if card.players <= options.players),
        price=np.array(PRICES, np.int8),
        good=np.array([GOODS.index(card.good) for card in cards], np.int8),
        goods=np.array([card.goods for card in cards], np.int8),
        join=np.array([("single", "or", "and").index(card.join) for card in cards], np.int8),
        amount=np.array([[dict(card.actions).get(deed, 0) for deed in DEEDS] for card in cards], np.int8),
        points=np.array([[_points(STEPS[good], n) for n in range(64)] for good in GOODS[: rules.WILD]], np.int8),
        land_start=offsets(land),
        land=np.array([end for ends in land for end in ends], np.int16),
        sail_start=offsets(sail),
        sail=np.array([end for ends in sail for end in ends], np.int16),
        continents=len(members),
        continent=np.array(continent, np.int16),
        member_start=offsets(members),
        member=np.array([i for each in members for i in each], np.int16),
        token_spaces=np.array([index[name] for name in board.token_spaces], np.int16),
    )
    return read_only(table)


def _points(steps: tuple[int, ...], count: int) -> int:
    return (0, 1, 2, 3, 5)[sum(count >= step for step in steps)]


FAMILY = Family(
    name=NAME,
    title="Eight-Minute Empire",
    about="Take cards for their goods and actions, spread armies, control regions and continents.",
    default_board="seed",
    boards=BOARDS.shipped,
    options=SpecOptions,
    schema=BOARDS.schema,
    board=BOARDS.load,
    board_again=BOARDS.rebuild,
    game=Empire,
    agents={
        "heuristic": "fogbound.agents.empire.heuristic:Heuristic",
        "careless": "fogbound.agents.empire.careless:Careless",
        "flat": "fogbound.agents.empire.flat:FlatEmpire",
        "turns": "fogbound.agents.empire.turns:Turns",
        "net": "fogbound.agents.empire.net:Net",
        "maxn": "fogbound.agents.empire.maxn:Maxn",
        "stranger": "fogbound.agents.empire.stranger:Stranger",
    },
    levels="fogbound.games.empire.levels:levels",
    champion="fogbound.games.empire.levels:champion",
    judge="fogbound.games.empire.levels:judge",
    quick_start=QuickStart("empire/side-a:players=2", 0, "Thirteen cards to build an empire in."),
    count=CountOption("players", "Players", 2, 5),
    page="/js/games/empire.js",
    reference="fogbound.games.empire.reference:play_random",
)
