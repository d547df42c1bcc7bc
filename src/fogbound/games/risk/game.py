"""Risk as a game of the platform: the compiled tables of a map, and what programs and people see of a state."""

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
from fogbound.games.risk import encoding as encodings
from fogbound.games.risk import odds, terminal, why
from fogbound.games.risk.board import BOARDS, NAME, SYMBOLS, Board, SpecOptions
from fogbound.games.risk.notation import PHASES, Notation, hand_of
from fogbound.games.risk.rules import RULES
from fogbound.games.risk.table import (
    CAPPED,
    CONTINENTS,
    DESTROY,
    DRAFT,
    END_ATTACK,
    FIRMLY,
    FIXED,
    FORTIFY_MOVE,
    GROWING,
    KIND_SHIFT,
    MANY,
    MOVE,
    MUST_EXCHANGE,
    NEUTRAL,
    NO_LIMIT,
    PLACE,
    SEATS,
    SLOW,
    STAY,
    STEPS,
    WILD,
    Table,
)
from fogbound.games.tables import read_only

COLOURS = ("Red", "Blue", "Green", "Yellow", "Black", "Pink")
CARD_VALUES = {"growing": GROWING, "slow": SLOW, "fixed": FIXED, "capped": CAPPED}
ORDERS = (  # what is expected in each phase
    "claim a free territory",
    "place one army on a territory of yours",
    "place one neutral army",
    "place {}",
    "attack, or end the attack",
    "choose how many armies follow into the conquered territory",
    "fortify, or end your turn",
)
LARGEST_HAND = 11  # five cards, and six captured


class Risk(Game):
    """Two to six players, each for himself, on any map."""

    family = NAME
    rules = RULES
    table: Table

    def __init__(self, board: Board, spec: str, shipped: bool) -> None:
        self.board = board
        self.spec = spec
        self.shipped = shipped
        self.seat_names = COLOURS[: board.rules.players]
        self.side_names = self.seat_names
        self.side_of = tuple(range(board.rules.players))
        self.notation = Notation(board, self.seat_names)
        self.mission_names = _mission_names(board)
        self.table = make_table(board)
        self.most_actions = _most_actions(board)

    @cached_property
    def encoding(self) -> Encoding:
        return encodings.encoding(self.table)

    def links(self) -> dict[Any, list[Any]]:
        """The neighbours of each territory, by their ids."""
        ids = [territory.id for territory in self.board.territories]
        return {ids[i]: [ids[b] for b in sorted(near)] for i, near in enumerate(self.board.neighbours)}

    def definition(self) -> dict[str, Any]:
        return self.board.definition()

    def describe(self, action: int) -> str:
        return self.notation.describe(action)

    def details(self, action: int) -> dict[str, Any]:
        return self.notation.details(action)

    def parse(self, text: str) -> int:
        return self.notation.parse(text)

    def why_illegal(self, state: State, action: int) -> str:
        return self.notation.why_illegal(state, action, self.legal(state))

    def public(self, state: State) -> dict[str, Any]:
        ids = [territory.id for territory in self.board.territories]
        owners = [int(owner) for owner in state["owner"][: len(ids)]]
        fought = state["source"] >= 0
        return {
            "round": int(state["round"]),
            "rounds": self.board.rules.round_limit or None,
            "to_move": int(state["turn"]),
            "phase": PHASES[state["phase"]] if state["turn"] >= 0 else "over",
            "first": int(state["first"]),
            "owners": ["neutral" if owner == NEUTRAL else owner if owner >= 0 else None for owner in owners],
            "armies": [int(armies) for armies in state["armies"][: len(ids)]],
            "to_place": int(state["pool"]),
            "sets_turned_in": int(state["sets"]),
            "players": [self._player(state, seat) for seat in range(self.seats)],
            "turned_in": self._cards([c for c in range(len(ids) + 2) if int(state["discard"][c >> 6]) >> (c & 63) & 1]),
            "from": ids[state["source"]] if fought else None,
            "to": ids[state["target"]] if fought else None,
            "dice": [[int(d) for d in dice if d] for dice in (state["dice"][:3], state["dice"][3:])],
            "losses": [int(lost) for lost in state["losses"]],
            "conquered": bool(state["conquered"]),
            "winners": [name for seat, name in enumerate(self.seat_names) if int(state["winners"]) >> seat & 1],
        }

    def _player(self, state: State, seat: int) -> dict[str, Any]:
        mine = state["owner"][: self.board.size] == seat
        hand, mission = hand_of(state, seat), int(state["mission"][seat])
        known = len(hand) == state["cards"][seat]
        destroyer = int(state["destroyer"][seat])
        return {
            "territories": int(mine.sum()),
            "armies": int(state["armies"][: self.board.size][mine].sum()),
            "to_set_up": int(state["stock"][seat]),
            "cards": int(state["cards"][seat]),
            "hand": self._cards(hand) if known else None,
            "mission": self.mission_names[mission] if mission >= 0 else None,
            "destroyed_by": destroyer if destroyer >= 0 else None,
        }

    def _cards(self, cards: list[int]) -> list[dict[str, str]]:
        return [{"card": self.notation.card_id(card), "symbol": self.symbol(card)} for card in cards]

    def symbol(self, card: int) -> str:
        symbol = int(self.table.symbol[card])
        return "wild" if symbol == WILD else SYMBOLS[symbol]

    def outcome(self, state: State) -> str:
        winners = [seat for seat in range(self.seats) if int(state["winners"]) >> seat & 1]
        names = " and ".join(self.seat_names[seat] for seat in winners)
        if self.board.rules.round_limit and state["round"] > self.board.rules.round_limit:
            verb = "share the win" if len(winners) > 1 else "wins"
            return f"{names} {verb}: {int((state['owner'] == winners[0]).sum())} territories after the last round"
        alone = all(state["destroyer"][seat] >= 0 for seat in range(self.seats) if seat not in winners)
        if self.table.missions and not alone:
            return f"{names} wins by the mission: {self.mission_names[state['mission'][winners[0]]]}"
        return f"{names} wins: everyone else is destroyed"

    def drawing(self) -> dict[str, Any]:
        from fogbound.games.risk.drawing import drawing  # with SciPy: only where boards are drawn

        return drawing(self.board)

    def expected(self, state: State) -> str:
        to_do = ORDERS[state["phase"]]
        if state["phase"] == DRAFT:
            forced = int(state["cards"][state["turn"]]) >= MUST_EXCHANGE and not state["pool"]
            armies = int(state["pool"])
            return "turn in a set of cards" if forced else to_do.format(f"{armies} {'army' if armies == 1 else 'armies'}")
        return to_do

    def reversible(self, state: State, action: int) -> bool:
        """Placing and marching roll nothing and show nothing that was hidden."""
        return action >> KIND_SHIFT in (PLACE, MOVE, STAY, END_ATTACK, FORTIFY_MOVE)

    def reasons(self, view: View, action: int, belief: Mapping[str, float]) -> list[Reason]:
        return why.reasons(self, view, action, belief)

    def picture(self, view: View) -> RenderableType:
        return terminal.picture(self, view)

    def table_of_moves(self, match: Match) -> str:
        return terminal.table_of_moves(self, match)


def _most_actions(board: Board) -> int:
    """Room for the longest list of moves: of the draft, of the attack, or of fortifying."""
    counts = len(STEPS) + 1
    triples = LARGEST_HAND * (LARGEST_HAND - 1) * (LARGEST_HAND - 2) // 6
    draft = 3 * triples + board.size * counts
    links = sum(len(near) for near in board.neighbours)
    attack = links * (3 + len(STEPS)) + 2
    fortify = board.size * (board.size - 1) * counts + 1
    return max(draft, attack, fortify)


def _mission_names(board: Board) -> list[str]:
    names = [f"destroy {colour}" for colour in COLOURS]
    for mission in board.missions:
        held = [board.continents[c].name for c in mission.continents]
        held += ["a third of your choice"] if mission.any_third else []
        names.append("hold " + ", ".join(held[:-1]) + (" and " if held[:-1] else "") + held[-1])
    names.append(f"hold {board.hold_many} territories")
    names.append(f"hold {board.hold_firmly} territories with two armies each at least")
    return names


def make_table(board: Board) -> Table:
    """A map's arrays for the kernels."""
    options = board.rules
    kinds = [DESTROY] * SEATS + [CONTINENTS] * len(board.missions) + [MANY, FIRMLY]
    needed = [len(mission.continents) + int(mission.any_third) for mission in board.missions]
    listed = np.full((len(kinds), 5), -1, np.int16)
    for i, mission in enumerate(board.missions):
        listed[SEATS + i, : len(mission.continents)] = mission.continents
    table = Table(
        territories=board.size,
        players=options.players,
        neutral=int(board.neutral),
        deal=int(options.deal),
        free_fortify=int(options.free_fortify),
        army_limit=options.army_limit or NO_LIMIT,
        round_limit=options.round_limit,
        starting_armies=board.starting_armies,
        card_values=CARD_VALUES[options.cards],
        missions=len(kinds) if options.goal == "missions" else 0,
        strict_missions=int(options.strict_missions),
        hold_many=board.hold_many,
        hold_firmly=board.hold_firmly,
        link_start=np.cumsum([0, *(len(near) for near in board.neighbours)]).astype(np.int16),
        links=np.array([b for near in board.neighbours for b in sorted(near)], np.int16),
        near=np.array([_set(near) for near in board.neighbours], np.uint64),
        members=np.array([_set(continent.members) for continent in board.continents], np.uint64),
        bonus=np.array([continent.bonus for continent in board.continents], np.int32),
        symbol=np.array([*board.symbols, WILD, WILD], np.int8),
        deck=np.array(_set(range(board.size + 2)), np.uint64),
        mission_kind=np.array(kinds, np.int8),
        mission_target=np.array([*range(SEATS), *needed, 0, 0], np.int8),
        mission_continents=listed,
        battles=odds.tables(),
    )
    return read_only(table)


def _set(members: Any) -> list[int]:
    """A set as two words."""
    bits = sum(1 << member for member in members)
    return [bits & (1 << 64) - 1, bits >> 64]


FAMILY = Family(
    name=NAME,
    title="Risk",
    about="Conquer the world with dice and cards, or fulfil a secret mission.",
    default_board="classic",
    boards=BOARDS.shipped,
    options=SpecOptions,
    schema=BOARDS.schema,
    board=BOARDS.load,
    board_again=BOARDS.rebuild,
    game=Risk,
    agents={
        "random": "fogbound.agents.risk.random:RandomRisk",
        "heuristic": "fogbound.agents.risk.heuristic:Heuristic",
        "careless": "fogbound.agents.risk.careless:Careless",
        "mcts": "fogbound.agents.risk.mcts:RiskMcts",
        "turns": "fogbound.agents.risk.turns:Turns",
        "planner": "fogbound.agents.risk.planner:Planner",
        "turntree": "fogbound.agents.risk.turntree:TurnTree",
        "stranger": "fogbound.agents.risk.stranger:Stranger",
        "net": "fogbound.agents.risk.net:Net",
        "policy": "fogbound.agents.risk.policy:Policy",
        "rollout": "fogbound.agents.risk.rollout:Rollout",
    },
    levels="fogbound.games.risk.levels:levels",
    champion="fogbound.games.risk.levels:champion",
    judge="fogbound.games.risk.levels:judge",
    quick_start=QuickStart(
        "risk/classic:players=3,deal=true,starting_armies=20", 0, "Three armies, one world. Your army is red."
    ),
    count=CountOption("players", "Players", 2, 6),
    page="/js/games/risk.js",
    bench="risk/classic:round_limit=15",  # random Risk needs an end
    reference="fogbound.games.risk.reference:play_random",
    tasks="fogbound.games.risk.tasks:find",
    queries={"odds": "fogbound.games.risk.odds:told"},
)
