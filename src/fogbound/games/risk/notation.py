"""Move notation of Risk: from codes to sentences and back, and why a move is refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fogbound.core.contract import State
from fogbound.core.errors import IllegalMove
from fogbound.games.risk.board import Board
from fogbound.games.risk.table import (
    A_SHIFT,
    ATTACK,
    ATTACK_MOVE,
    B_SHIFT,
    BATTLE,
    CLAIM,
    CLAIM_MOVE,
    COUNT_MASK,
    DRAFT,
    END_ATTACK,
    END_TURN,
    EXCHANGE,
    FORTIFY,
    FORTIFY_MOVE,
    KIND_SHIFT,
    MOVE,
    MUST_EXCHANGE,
    NEUTRAL,
    NEUTRAL_SETUP,
    OCCUPY,
    PLACE,
    PLACE_MASK,
    SETUP,
    STAY,
    STEPS,
)

PHASES = ("claim", "set-up", "neutral set-up", "draft", "attack", "occupy", "fortify")
KINDS = ("claim", "exchange", "place", "attack", "battle", "move", "stay", "end attack", "fortify", "end turn")
EXPECTED = {  # what can be done in each phase, as the end of a sentence
    CLAIM: "a free territory must be claimed",
    SETUP: "one army must be placed on a territory of your own",
    NEUTRAL_SETUP: "one neutral army must be placed",
    DRAFT: "armies must be placed",
    ATTACK: "it is time to attack, or to end the attack or the turn",
    OCCUPY: "armies can follow into the conquered territory, or stay",
    FORTIFY: "it is time to fortify, or to end the turn",
}
PLAYABLE = {  # the kinds of moves of each phase
    CLAIM: (CLAIM_MOVE,),
    SETUP: (PLACE,),
    NEUTRAL_SETUP: (PLACE,),
    DRAFT: (EXCHANGE, PLACE),
    ATTACK: (ATTACK_MOVE, BATTLE, END_ATTACK, END_TURN),
    OCCUPY: (MOVE, STAY),
    FORTIFY: (FORTIFY_MOVE, END_TURN),
}
EXAMPLES = (
    "“claim A”, “place 3 on A”, “exchange A + B + C”, “attack A > B with 3”, “battle A > B down to 1”, "
    "“move 2”, “stay”, “end attack”, “fortify 4 A > B”, “end turn”"
)
PATTERNS = (
    (re.compile(r"claim (?P<b>.+)", re.IGNORECASE), CLAIM_MOVE),
    (re.compile(r"exchange (?P<cards>.+?)(?:, 2 on (?P<chosen>[^,]+))?", re.IGNORECASE), EXCHANGE),
    (re.compile(r"place (?P<count>\d+) on (?P<b>.+)", re.IGNORECASE), PLACE),
    (re.compile(r"attack (?P<a>[^>]+) > (?P<b>[^>]+) with (?P<count>\d+)", re.IGNORECASE), ATTACK_MOVE),
    (re.compile(r"battle (?P<a>[^>]+) > (?P<b>[^>]+) down to (?P<count>\d+)", re.IGNORECASE), BATTLE),
    (re.compile(r"move (?P<count>\d+)", re.IGNORECASE), MOVE),
    (re.compile(r"stay", re.IGNORECASE), STAY),
    (re.compile(r"end attack", re.IGNORECASE), END_ATTACK),
    (re.compile(r"fortify (?P<count>\d+) (?P<a>[^>]+) > (?P<b>[^>]+)", re.IGNORECASE), FORTIFY_MOVE),
    (re.compile(r"end turn", re.IGNORECASE), END_TURN),
)


def encode(kind: int, a: int = 0, b: int = 0, count: int = 0) -> int:
    return kind << KIND_SHIFT | a << A_SHIFT | b << B_SHIFT | count


def parts_of(action: int) -> tuple[int, int, int, int]:
    """Kind, a, b and count of a code."""
    return action >> KIND_SHIFT, action >> A_SHIFT & PLACE_MASK, action >> B_SHIFT & PLACE_MASK, action & COUNT_MASK


class Notation:
    """The words for one map's moves."""

    def __init__(self, board: Board, seat_names: Sequence[str]) -> None:
        self.board = board
        self.seat_names = seat_names
        self.territories = _safe_names(board)
        self.cards = [*self.territories, "wild 1", "wild 2"]
        self._index = {name.lower(): i for i, name in enumerate(self.cards)}
        for i, territory in enumerate(board.territories):
            self._index.setdefault(territory.id, i)
            self._index.setdefault(territory.name.lower(), i)

    def details(self, action: int) -> dict[str, Any]:
        """A move as JSON; territories and cards by their short names."""
        kind, a, b, count = parts_of(action)
        parts: dict[str, Any] = {"kind": KINDS[kind]}
        if kind == EXCHANGE:
            cards = (a, b, count >> 2)
            parts["cards"] = [self.card_id(card) for card in cards]
            parts["armies_on"] = self._id(cards[(count & 3) - 1]) if count & 3 else None
        if kind in (ATTACK_MOVE, BATTLE, FORTIFY_MOVE):
            parts["from"], parts["to"] = self._id(a), self._id(b)
        if kind in (CLAIM_MOVE, PLACE):
            parts["to"] = self._id(b)
        if kind in (PLACE, MOVE, FORTIFY_MOVE):
            parts["armies"] = count
        if kind == ATTACK_MOVE:
            parts["dice"] = count
        if kind == BATTLE:
            parts["down_to"] = count
        return parts

    def card_id(self, card: int) -> str:
        return self._id(card) if card < self.board.size else f"wild {card - self.board.size + 1}"

    def _id(self, territory: int) -> str:
        return self.board.territories[territory].id

    def describe(self, action: int) -> str:
        kind, a, b, count = parts_of(action)
        if kind == EXCHANGE:
            cards = (a, b, count >> 2)
            bonus = f", 2 on {self.cards[cards[(count & 3) - 1]]}" if count & 3 else ""
            return "exchange " + " + ".join(self.cards[card] for card in cards) + bonus
        if kind == CLAIM_MOVE:
            return f"claim {self.territories[b]}"
        if kind == PLACE:
            return f"place {count} on {self.territories[b]}"
        if kind == MOVE:
            return f"move {count}"
        if kind in (STAY, END_ATTACK, END_TURN):
            return KINDS[kind]
        way = f"{self.territories[a]} > {self.territories[b]}"
        if kind == ATTACK_MOVE:
            return f"attack {way} with {count}"
        if kind == BATTLE:
            return f"battle {way} down to {count}"
        return f"fortify {count} {way}"

    def parse(self, text: str) -> int:
        words = " ".join(text.strip().split())
        for pattern, kind in PATTERNS:
            found = pattern.fullmatch(words)
            if found:
                return self._coded(kind, found.groupdict())
        raise IllegalMove(f"“{text}” is not a move; moves are {EXAMPLES}.")

    def _coded(self, kind: int, parts: dict[str, str | None]) -> int:
        if kind == EXCHANGE:
            return self._exchange(parts["cards"] or "", parts["chosen"])
        count = int(parts.get("count") or 0) or int(kind == CLAIM_MOVE)
        if count > COUNT_MASK:
            raise IllegalMove(f"{count} is more armies than there can ever be.")
        return encode(kind, self._territory(parts.get("a")), self._territory(parts.get("b")), count)

    def _territory(self, name: str | None) -> int:
        if name is None:
            return 0
        index = self._index.get(name.strip().lower())
        if index is None or index >= self.board.size:
            raise IllegalMove(f"There is no territory “{name.strip()}” on this map.")
        return index

    def _exchange(self, cards: str, chosen: str | None) -> int:
        names = [name.strip() for name in cards.split("+")]
        for name in names:
            if name.lower() not in self._index:
                raise IllegalMove(f"There is no card “{name}”; cards are territories, “wild 1” and “wild 2”.")
        given = sorted(self._index[name.lower()] for name in names)
        if len(set(given)) != 3:
            raise IllegalMove("A set is three different cards, as in “exchange A + B + C”.")
        place = 0
        if chosen is not None:
            index = self._territory(chosen)
            if index not in given:
                raise IllegalMove(f"The two armies go to the territory of one of the three cards, not to {chosen.strip()}.")
            place = given.index(index) + 1
        return encode(EXCHANGE, given[0], given[1], given[2] << 2 | place)

    def why_illegal(self, state: State, action: int, moves: Sequence[int]) -> str:
        """One sentence: why this move cannot be played now."""
        try:
            words = self.describe(action)
            self.details(action)
            if self.parse(words) != action:
                raise IndexError
        except (IndexError, IllegalMove):
            return f"There is no move with code {action}."
        seat, phase = int(state["turn"]), int(state["phase"])
        kind, a, b, count = parts_of(action)
        who = self.seat_names[seat]
        must_exchange = phase == DRAFT and state["cards"][seat] >= MUST_EXCHANGE
        if kind not in PLAYABLE[phase] or (must_exchange and kind == PLACE):
            return f"“{words}” cannot be played now: {self.expected(state)}."
        if kind == EXCHANGE:
            return self._why_no_exchange(state, words, (a, b, count >> 2), moves)
        if kind == CLAIM_MOVE:
            return f"“{words}”: {self.territories[b]} is already taken."
        if kind in (ATTACK_MOVE, BATTLE, FORTIFY_MOVE) and state["owner"][a] != seat:
            return f"“{words}”: {self.territories[a]} is not {who}'s."
        if kind in (ATTACK_MOVE, BATTLE):
            return f"“{words}”: {self._why_no_attack(state, a, b, count, kind)}"
        if kind == FORTIFY_MOVE:
            return f"“{words}”: {self._why_no_fortifying(state, a, b, moves)}"
        owner = NEUTRAL if phase == NEUTRAL_SETUP else seat
        if kind == PLACE and state["owner"][b] != owner:
            return f"“{words}”: {self.territories[b]} is not {'neutral' if owner == NEUTRAL else who + chr(39) + 's'}."
        return f"“{words}”: {_how_many(moves, kind, b if kind == PLACE else 0)}"

    def expected(self, state: State) -> str:
        """What is to be done now, as the end of a sentence."""
        seat, phase = int(state["turn"]), int(state["phase"])
        if phase == DRAFT and state["cards"][seat] >= MUST_EXCHANGE:
            return f"{self.seat_names[seat]} has {state['cards'][seat]} cards and must turn in a set first"
        if phase == DRAFT:
            return f"{self.seat_names[seat]} has {state['pool']} armies to place"
        if phase == FORTIFY and state["source"] >= 0 and not self.board.rules.free_fortify:
            return "more armies can be moved the same way, or the turn ends"
        return EXPECTED[phase]

    def _why_no_exchange(self, state: State, words: str, cards: tuple[int, int, int], moves: Sequence[int]) -> str:
        hand = hand_of(state, int(state["turn"]))
        for card in cards:
            if card not in hand:
                return f"“{words}”: {self.cards[card]} is not in your hand."
        if state["in_attack"] and state["cards"][state["turn"]] < MUST_EXCHANGE:
            return f"“{words}”: captured cards are turned in only until four or fewer are left."
        base = encode(EXCHANGE, cards[0], cards[1], cards[2] << 2)
        choices = [self.cards[cards[(code & 3) - 1]] for code in moves if code >> 2 == base >> 2 and code & 3]
        if choices:
            return f"“{words}”: two armies go on {' or '.join(choices)}; add “, 2 on {choices[0]}”."
        if any(code >> 2 == base >> 2 for code in moves):
            return f"“{words}”: two armies for a card's territory are not due now."
        return f"“{words}”: a set is three of one symbol, one of each, or any two with a wild card."

    def _why_no_attack(self, state: State, a: int, b: int, count: int, kind: int) -> str:
        here, there, armies = self.territories[a], self.territories[b], int(state["armies"][a])
        if b not in self.board.neighbours[a]:
            return f"{there} is not next to {here}."
        if state["owner"][b] == state["turn"]:
            return f"{there} already belongs to {self.seat_names[state['turn']]}."
        if armies < 2:
            return f"{here} has only one army, which must stay there."
        if kind == BATTLE:
            return f"a battle can go down to {', '.join(str(stop) for stop in STEPS if stop < armies)} armies."
        return f"with {armies} armies you can roll 1 to {min(3, armies - 1)} dice."

    def _why_no_fortifying(self, state: State, a: int, b: int, moves: Sequence[int]) -> str:
        here, there = self.territories[a], self.territories[b]
        way = encode(FORTIFY_MOVE, a, b)
        if any(code & ~COUNT_MASK == way for code in moves):
            return _how_many(moves, FORTIFY_MOVE, b, a)
        if state["source"] >= 0 and not self.board.rules.free_fortify:
            return "armies have already been moved between two other territories this turn."
        if state["armies"][a] < 2:
            return f"{here} has only one army, which must stay there."
        if int(state["received"][a >> 6]) >> (a & 63) & 1:
            return f"armies have come to {here} this turn, and no army moves twice."
        if state["owner"][b] != state["turn"] or a == b:
            return f"{there} is not another territory of {self.seat_names[state['turn']]}."
        if (limit := self.board.rules.army_limit) and state["armies"][b] >= limit:
            return f"{there} already has {limit} armies."
        return f"{here} and {there} are not connected through territories of {self.seat_names[state['turn']]}."


def _how_many(moves: Sequence[int], kind: int, b: int, a: int = 0) -> str:
    """The numbers of armies that can be given in one go."""
    counts = [code & COUNT_MASK for code in moves if code & ~COUNT_MASK == encode(kind, a, b)]
    if not counts:
        return "there is no room for more armies."
    return f"one move can take {', '.join(map(str, counts))} armies; make other numbers with several moves."


def hand_of(state: State, seat: int) -> list[int]:
    """A seat's cards, as far as they are known."""
    bits = int(state["hand"][seat][0]) | int(state["hand"][seat][1]) << 64
    return [card for card in range(128) if bits >> card & 1]


def _safe_names(board: Board) -> list[str]:
    """Territories by name; by short name where the name would be mistaken for something else."""
    names = [
        t.id if re.search(r"[>+,]", t.name) or t.name.lower().startswith("wild ") else t.name for t in board.territories
    ]
    names = [" ".join(name.split()) for name in names]
    unique = len({name.lower() for name in names}) == len(names)
    return names if unique else [t.id for t in board.territories]
