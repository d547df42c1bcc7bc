"""Move notation of Eight-Minute Empire: from codes to words and back, and why a move is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fogbound.core.contract import State
from fogbound.core.errors import IllegalMove
from fogbound.games.empire import rules
from fogbound.games.empire.board import MOST_COINS, Board
from fogbound.games.empire.cards import Card
from fogbound.games.empire.rules import DEEDS, KIND_SHIFT, LOW, SEALED, X_SHIFT

PRICES = (0, 1, 1, 2, 2, 3)
WORDS = ("card", "use", "done", "move", "army", "city", "destroy", "neutral", "bid", "start")
EXAMPLES = "“card 1”, “use move”, “move A B”, “sail A B”, “army A”, “city A”, “destroy blue A” or “done”"


class Notation:
    """The words for the moves on one board."""

    def __init__(self, board: Board, cards: Sequence[Card], seat_names: Sequence[str], colour_names: Sequence[str]) -> None:
        self.board = board
        self.cards = cards
        self.seat_names = seat_names
        self.colour_names = colour_names
        self.names = board.names
        self.index = {name.lower(): i for i, name in enumerate(self.names)}

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
            raise IllegalMove(f"“{text}” is not a move; a move is, for example, {EXAMPLES}.")
        kind = rules.STEP if words[0] == "sail" else WORDS.index(words[0])
        needed = {rules.STEP: 2, rules.KILL: 2, rules.DONE: 0}.get(kind, 1)
        if len(words) != needed + 1:
            things = {0: "no more words", 1: "one more word", 2: "two more words"}[needed]
            raise IllegalMove(f"“{text}” is not a move: “{words[0]}” needs {things}; a move is, for example, {EXAMPLES}.")
        code = kind << KIND_SHIFT
        if kind == rules.TAKE:
            return code | self._number(words[1], 1, rules.PLACES, "a place in the row") - 1
        if kind == rules.USE:
            return code | self._one_of(words[1], DEEDS, "action")
        if kind == rules.STEP:
            return code | self._region(words[1]) << X_SHIFT | self._region(words[2])
        if kind == rules.KILL:
            colour = self._one_of(words[1], [name.lower() for name in self.colour_names], "colour")
            return code | self._region(words[2]) << X_SHIFT | colour
        if kind == rules.BID:
            return code | self._number(words[1], 0, MOST_COINS, "a number of coins")
        if kind == rules.START:
            return code | self._one_of(words[1], [name.lower() for name in self.seat_names], "player")
        return code if kind == rules.DONE else code | self._region(words[1])

    def _region(self, name: str) -> int:
        if name not in self.index:
            raise IllegalMove(f"There is no region “{name}”; the regions are {', '.join(self.names)}.")
        return self.index[name]

    def _number(self, text: str, low: int, high: int, what: str) -> int:
        if not (text.isdecimal() and text.isascii() and low <= int(text[:9]) <= high):
            raise IllegalMove(f"“{text}” is not {what}; give {low} to {high}.")
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
            return f"“{words}” cannot be played now: {self._now(state)}."
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
            return f"the card costs {PRICES[y]} coins, but {who} has only {coins}."
        if kind == rules.BID:
            return f"{who} has only {coins} coins."
        if kind == rules.USE:
            if DEEDS[y] not in dict(self.cards[state["card"]].actions):
                return f"the card has no such action; it has {self.cards[state['card']].action_text}."
            return "there is nothing to do with this action now."
        return self._no_deed(state, kind, x, y, seat)

    def _no_deed(self, state: State, kind: int, x: int, y: int, seat: int) -> str:
        who, left = self.seat_names[seat], state["left"]
        deed = {rules.PLACE: rules.ARMIES, rules.BUILD: rules.CITY, rules.KILL: rules.DESTROY}.get(kind)
        if left[deed] <= 0 if deed is not None else left[rules.MOVE] <= 0 and left[rules.SAIL] <= 0:
            return f"the card does not allow this now; {self._now(state)}."
        if kind == rules.PLACE and state["reserve"][seat] > 0:
            return f"new armies must be placed in {self.board.start} or in a region where {who} has a city."
        if kind == rules.PLACE:
            return f"all {rules.ARMIES_EACH} armies of {who} are on the board."
        if kind == rules.BUILD and state["cities_left"][seat] <= 0:
            return f"all {rules.CITIES_EACH} cities of {who} are on the board."
        if kind == rules.KILL and y == seat:
            return "a player cannot destroy an army of their own."
        if kind == rules.KILL:
            return f"{self.colour_names[y]} has no army in {self.names[x]}."
        region = self.names[x if kind == rules.STEP else y]
        if kind == rules.BUILD or state["armies"][x][seat] <= 0:
            return f"{who} has no army in {region}."
        if self.names[y] in self.board.regions[x].sea:
            return f"{region} and {self.names[y]} are joined by sea only, and this card does not sail."
        return f"{region} and {self.names[y]} are not connected."

    def expected(self, state: State) -> str:
        """What the player to move has to do now."""
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

    def _now(self, state: State) -> str:
        return f"{self.seat_names[int(state['turn'])]} has to {self.expected(state)}"
