"""Eight-Minute Empire as a game of the platform: the compiled tables of a board, and the words for its moves."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.console import RenderableType

from fogbound.core.contract import Game, State
from fogbound.core.errors import IllegalMove
from fogbound.core.match import Match
from fogbound.core.registry import CountOption, Family, QuickStart
from fogbound.core.view import View
from fogbound.games.empire import drawing as drawings
from fogbound.games.empire import rules, terminal
from fogbound.games.empire.board import BOARDS, MOST_COINS, NAME, Board, SpecOptions
from fogbound.games.empire.cards import Card, all_cards
from fogbound.games.empire.rules import DEEDS, GOODS, KIND_SHIFT, LOW, RULES, SEALED, X_SHIFT, Table

COLOURS = ("Red", "Blue", "Green", "Yellow", "Violet")
NEUTRAL = "Neutral"
NEUTRAL_ARMIES = 10
PRICES = (0, 1, 1, 2, 2, 3)
# How many of a good make 1, 2, 3 and 5 points.
STEPS = {"food": (3, 5, 7, 8), "wood": (2, 4, 5, 6), "coal": (2, 3, 4, 5), "gems": (1, 2, 3, 4), "iron": (2, 4, 6, 7)}
SOURCES = (rules.regions_held, rules.continents_held, rules.goods_points)
PHASES = ("bid", "start", "neutral", "card", "choice", "action", "over")
WORDS = ("card", "use", "done", "move", "army", "city", "destroy", "neutral", "bid", "start")
EXAMPLES = "“card 1”, “use move”, “move A B”, “sail A B”, “army A”, “city A”, “destroy blue A” or “done”"


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
        self.names = board.names
        self.index = {name.lower(): i for i, name in enumerate(self.names)}
        self.cards = all_cards(board.rules.print == "other")
        self.table = make_table(board)
        regions, colours = len(self.names), len(self.colour_names)
        deeds = 1 + len(self.table.sail) + regions * (1 + 1 + colours)
        self.most_actions = max(deeds, board.coins + 1, 64)

    def definition(self) -> dict[str, Any]:
        return self.board.definition()

    def describe(self, action: int) -> str:
        parts = self.details(action)
        kind = parts["kind"]
        if kind in ("move", "sail"):
            return f"{kind} {parts['from']} {parts['to']}"
        if kind == "bid":
            return f"bid {'?' if parts['coins'] is None else parts['coins']}"
        words = [kind, parts.get("place"), parts.get("action"), parts.get("colour"), parts.get("region")]
        return " ".join(str(word) for word in words if word is not None)

    def details(self, action: int) -> dict[str, Any]:
        kind, x, y = action >> KIND_SHIFT, (action >> X_SHIFT) & LOW, action & LOW
        name = WORDS[kind]
        if kind == rules.STEP:
            by_sea = self.names[y] in self.board.regions[x].sea
            return {"kind": "sail" if by_sea else name, "from": self.names[x], "to": self.names[y]}
        if kind == rules.TAKE:
            return {"kind": name, "place": y + 1, "price": PRICES[y]}
        if kind == rules.USE:
            return {"kind": name, "action": DEEDS[y]}
        if kind == rules.KILL:
            return {"kind": name, "colour": self.colour_names[y].lower(), "region": self.names[x]}
        if kind == rules.BID:
            coins = action & SEALED
            return {"kind": name, "coins": None if coins == SEALED else coins}
        if kind == rules.START:
            return {"kind": name, "colour": self.seat_names[y].lower()}
        return {"kind": name} if kind == rules.DONE else {"kind": name, "region": self.names[y]}

    def parse(self, text: str) -> int:
        words = text.lower().replace("->", " ").replace("→", " ").split()
        if not words or words[0] not in (*WORDS, "sail"):
            raise IllegalMove(f"“{text}” is not a move; moves are such as {EXAMPLES}.")
        kind = rules.STEP if words[0] == "sail" else WORDS.index(words[0])
        needed = {rules.STEP: 2, rules.KILL: 2, rules.DONE: 0}.get(kind, 1)
        if len(words) != needed + 1:
            things = {0: "no more words", 1: "one more word", 2: "two more words"}[needed]
            raise IllegalMove(f"“{text}” is not a move: “{words[0]}” needs {things}; moves are such as {EXAMPLES}.")
        code = kind << KIND_SHIFT
        if kind == rules.TAKE:
            return code | self._number(words[1], 1, rules.PLACES, "place in the row") - 1
        if kind == rules.USE:
            return code | self._one_of(words[1], DEEDS, "action")
        if kind == rules.STEP:
            return code | self._region(words[1]) << X_SHIFT | self._region(words[2])
        if kind == rules.KILL:
            colour = self._one_of(words[1], [name.lower() for name in self.colour_names], "colour")
            return code | self._region(words[2]) << X_SHIFT | colour
        if kind == rules.BID:
            return code | self._number(words[1], 0, MOST_COINS, "number of coins")
        if kind == rules.START:
            return code | self._one_of(words[1], [name.lower() for name in self.seat_names], "player")
        return code if kind == rules.DONE else code | self._region(words[1])

    def _region(self, name: str) -> int:
        if name not in self.index:
            raise IllegalMove(f"There is no region “{name}”; the regions are {', '.join(self.names)}.")
        return self.index[name]

    def _number(self, text: str, low: int, high: int, what: str) -> int:
        if not (text.isdecimal() and text.isascii() and low <= int(text[:9]) <= high):
            raise IllegalMove(f"“{text}” is no {what}: give {low} to {high}.")
        return int(text)

    def _one_of(self, name: str, known: Any, what: str) -> int:
        if name not in known:
            raise IllegalMove(f"There is no {what} “{name}”; give {', '.join(known)}.")
        return list(known).index(name)

    def why_illegal(self, state: State, action: int) -> str:
        try:
            words = self.describe(action)
        except (IndexError, KeyError):
            return f"There is no move with code {action}."
        if action < 0 or self._canonical(words) != action:
            return f"There is no move with code {action}."
        kind = action >> KIND_SHIFT
        expected = {
            rules.BIDDING: (rules.BID,),
            rules.STARTING: (rules.START,),
            rules.SETTING: (rules.SET_NEUTRAL,),
            rules.TAKING: (rules.TAKE,),
            rules.CHOOSING: (rules.USE, rules.DONE),
            rules.ACTING: (rules.DONE, rules.STEP, rules.PLACE, rules.BUILD, rules.KILL),
        }[int(state["phase"])]
        if kind not in expected:
            return f"“{words}”: now {self._now(state)}."
        return f"“{words}”: {self._reason(state, action)}"

    def _canonical(self, words: str) -> int | None:
        try:
            return self.parse(words)
        except IllegalMove:
            return None

    def _reason(self, state: State, action: int) -> str:
        """Why an action of the right kind cannot be played."""
        kind, x, y = action >> KIND_SHIFT, (action >> X_SHIFT) & LOW, action & LOW
        seat = int(state["turn"])
        who, coins = self.seat_names[seat], int(state["coins"][seat])
        if kind == rules.TAKE:
            if state["row"][y] < 0:
                return f"there is no card at place {y + 1}."
            return f"the card costs {PRICES[y]} coins and {who} has {coins}."
        if kind == rules.BID:
            return f"{who} has only {coins} coins."
        if kind == rules.USE:
            if not self.table.amount[state["card"], y]:
                return f"the card has no such action; it has {self.cards[state['card']].action_text}."
            return "there is nothing that this action could do now."
        return self._no_deed(state, kind, x, y, seat)

    def _no_deed(self, state: State, kind: int, x: int, y: int, seat: int) -> str:
        who, left = self.seat_names[seat], state["left"]
        deed = {rules.PLACE: rules.ARMIES, rules.BUILD: rules.CITY, rules.KILL: rules.DESTROY}.get(kind)
        if left[deed] <= 0 if deed is not None else left[rules.MOVE] <= 0 and left[rules.SAIL] <= 0:
            return f"the card does not allow this now; {self._now(state)}."
        if kind == rules.PLACE and state["reserve"][seat] > 0:
            return f"new armies come to {self.board.start} or to a region with a city of {who}."
        if kind == rules.PLACE:
            return f"all {rules.ARMIES_EACH} armies of {who} are on the board."
        if kind == rules.BUILD and state["cities_left"][seat] <= 0:
            return f"all {rules.CITIES_EACH} cities of {who} are on the board."
        if kind == rules.KILL and y == seat:
            return "one cannot destroy one's own army."
        if kind == rules.KILL:
            return f"{self.colour_names[y]} has no army in {self.names[x]}."
        region = self.names[x if kind == rules.STEP else y]
        if kind == rules.BUILD or state["armies"][x][seat] <= 0:
            return f"{who} has no army in {region}."
        if self.names[y] in self.board.regions[x].sea:
            return f"{region} and {self.names[y]} are joined by sea, and this card does not sail."
        return f"no way leads from {region} to {self.names[y]}."

    def expected(self, state: State) -> str:
        phase = int(state["phase"])
        if phase == rules.CHOOSING:
            return f"choose one action of the card ({self.cards[state['card']].action_text}), or be done"
        if phase == rules.ACTING:
            left = [f"{DEEDS[deed]} {n}" for deed, n in enumerate(state["left"]) if n]
            return f"use the card (left: {', '.join(left)}), or be done"
        return {
            rules.BIDDING: "make a sealed bid",
            rules.STARTING: "choose who starts",
            rules.SETTING: "place a neutral army",
            rules.TAKING: "take a card",
        }[phase]

    def reversible(self, state: State, action: int) -> bool:
        """What is done within a turn reveals nothing; taking a card does, for the row is filled up."""
        own = (rules.USE, rules.DONE, rules.STEP, rules.PLACE, rules.BUILD, rules.KILL)
        return action >> KIND_SHIFT in own

    def drawing(self) -> dict[str, Any]:
        return drawings.drawing(self.board, self.cards, STEPS)

    def _now(self, state: State) -> str:
        """What the player to move has to do now, as a sentence."""
        who = self.seat_names[int(state["turn"])]
        phase = int(state["phase"])
        if phase == rules.CHOOSING:
            return f"{who} chooses an action of the card ({self.cards[state['card']].action_text}), or is done"
        if phase == rules.ACTING:
            left = [f"{DEEDS[deed]} {n}" for deed, n in enumerate(state["left"]) if n]
            return f"{who} uses the card (left: {', '.join(left)}), or is done"
        return {
            rules.BIDDING: f"{who} makes a sealed bid",
            rules.STARTING: f"{who} chooses who starts",
            rules.SETTING: f"{who} places a neutral army",
            rules.TAKING: f"{who} takes a card",
        }[phase]

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
        worth=np.array([[_worth(STEPS[good], n) for n in range(64)] for good in GOODS[: rules.WILD]], np.int8),
        land_start=_offsets(land),
        land=np.array([end for ends in land for end in ends], np.int16),
        sail_start=_offsets(sail),
        sail=np.array([end for ends in sail for end in ends], np.int16),
        continents=len(members),
        continent=np.array(continent, np.int16),
        member_start=_offsets(members),
        member=np.array([i for each in members for i in each], np.int16),
        token_spaces=np.array([index[name] for name in board.token_spaces], np.int16),
    )
    for array in table:
        if isinstance(array, np.ndarray):
            array.setflags(write=False)
    return table


def _worth(steps: tuple[int, ...], count: int) -> int:
    return (0, 1, 2, 3, 5)[sum(count >= step for step in steps)]


def _offsets(lists: list[list[int]]) -> Any:
    return np.cumsum([0, *(len(each) for each in lists)]).astype(np.int32)


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
        "flat": "fogbound.agents.empire.flat:FlatEmpire",
        "turns": "fogbound.agents.empire.turns:Turns",
    },
    quick_start=QuickStart("empire/side-a:players=2", 0, "Thirteen cards to build an empire in."),
    count=CountOption("players", "Players", 2, 5),
    page="/js/games/empire.js",
    reference="fogbound.games.empire.reference:play_random",
)
