"""Why a move of Risk is good: exact odds, continents won and broken, what stands at the border, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from fogbound.core.contract import Reason, State
from fogbound.core.view import View
from fogbound.games.risk.cards import set_value
from fogbound.games.risk.notation import parts_of
from fogbound.games.risk.odds import MOST_ARMIES, MOST_DICE, TABLE_SIZE, battle, tables
from fogbound.games.risk.table import (
    ATTACK_MOVE,
    BATTLE,
    CLAIM_MOVE,
    END_ATTACK,
    END_TURN,
    EXCHANGE,
    FORTIFY_MOVE,
    MOVE,
    NEUTRAL,
    PLACE,
    STAY,
)

if TYPE_CHECKING:
    from fogbound.games.risk.game import Risk

WORTH_A_WORD = 0.01  # from which difference on a chance is told


def reasons(game: Risk, view: View, action: int, belief: Mapping[str, float]) -> list[Reason]:
    kind, a, b, count = parts_of(action)
    position = _Position(game, view.state)
    if kind in (ATTACK_MOVE, BATTLE):
        return position.of_attack(a, b, count - 1 if kind == BATTLE else 0)
    if kind in (PLACE, CLAIM_MOVE):
        return position.of_armies(b, count)
    if kind in (MOVE, STAY):
        return position.of_march(int(view.state["source"]), int(view.state["target"]), count)
    if kind == FORTIFY_MOVE:
        return position.of_march(a, b, count)
    if kind == EXCHANGE:
        worth = int(set_value(game.table, int(view.state["sets"]), a, b, count >> 2))
        return [Reason("set", f"The set is worth {_armies(worth)}.", {"n": worth})]
    return position.of_ending() if kind in (END_ATTACK, END_TURN) else []


class _Position:
    """A position of the player to move, and what is to be said about it; everything here lies open."""

    def __init__(self, game: Risk, state: State) -> None:
        self.board, self.state, self.seat = game.board, state, int(state["turn"])
        self.names = [territory.name for territory in game.board.territories]
        self.ids = [territory.id for territory in game.board.territories]
        self.owner = [int(owner) for owner in state["owner"][: game.board.size]]
        self.armies = [int(armies) for armies in state["armies"][: game.board.size]]
        self.players = game.seat_names

    def whose(self, owner: int) -> str:
        return "the neutral army" if owner == NEUTRAL else self.players[owner]

    def of_attack(self, a: int, b: int, stop: int) -> list[Reason]:
        attackers, defenders = self.armies[a] - 1, self.armies[b]
        chance = _conquest(attackers, defenders, stop)
        found = [
            Reason(
                "conquers",
                f"{attackers} against {defenders}: fought to the end, {self.names[b]} falls with {chance:.0%}.",
                {"attackers": attackers, "defenders": defenders, "to": self.ids[b], "share": chance},
            )
        ]
        found += self.of_gain(b)
        if not self.state["conquered"]:
            found.append(Reason("card", "The first conquest of a turn brings a card.", {}))
        return found

    def of_gain(self, b: int) -> list[Reason]:
        """What it means when a territory changes hands."""
        found = []
        loser = self.owner[b]
        if loser != NEUTRAL and self.owner.count(loser) == 1:
            cards = int(self.state["cards"][loser])
            text = f"{self.names[b]} is the last territory of {self.whose(loser)}; cards that come with it: {cards}."
            found.append(Reason("destroys", text, {"to": self.ids[b], "seat": self.whose(loser), "cards": cards}))
        for continent in self.board.continents:
            others = [self.owner[member] for member in continent.members if member != b]
            if b not in continent.members or not others:
                continue
            facts = {"to": self.ids[b], "continent": continent.name, "n": continent.bonus}
            if all(owner == self.seat for owner in others):
                text = f"{self.names[b]} completes {continent.name}: {_armies(continent.bonus)} more each turn."
                found.append(Reason("completes", text, facts))
            elif loser != NEUTRAL and all(owner == loser for owner in others):
                less = f"{_armies(continent.bonus)} a turn less"
                text = f"Without {self.names[b]}, {self.whose(loser)} has no {continent.name}: {less}."
                found.append(Reason("breaks", text, {**facts, "seat": self.whose(loser)}))
        return found

    def of_armies(self, b: int, count: int) -> list[Reason]:
        """New armies: what they can attack, and what they hold."""
        if self.owner[b] != self.seat:
            return self.of_share(b)
        there = self.armies[b] + count
        return [*self.of_target(b, there), *self.of_border(b, self.armies[b], there)]

    def of_target(self, b: int, there: int) -> list[Reason]:
        """The best attack from a territory with so many armies."""
        targets = [near for near in self.board.neighbours[b] if self.owner[near] not in (self.seat, -1)]
        if there < 2 or not targets:
            return []
        best = max(targets, key=lambda near: (_conquest(there - 1, self.armies[near], 0), -near))
        chance, before = (_conquest(max(0, n - 1), self.armies[best], 0) for n in (there, self.armies[b]))
        if chance - before < WORTH_A_WORD:
            return []
        text = f"From there {self.names[best]} falls with {chance:.0%}, before it was {before:.0%}."
        found = [Reason("reaches", text, {"to": self.ids[best], "share": chance, "before": before})]
        return found + [reason for reason in self.of_gain(best) if reason.name != "destroys"]

    def of_border(self, b: int, before: int, after: int) -> list[Reason]:
        """How much harder the strongest neighbour finds it."""
        rivals = [near for near in self.board.neighbours[b] if self.owner[near] not in (self.seat, NEUTRAL, -1)]
        if not rivals:
            return []
        strongest = max(rivals, key=lambda near: (self.armies[near], -near))
        old, new = (_conquest(self.armies[strongest] - 1, mine, 0) for mine in (before, after))
        if old - new < WORTH_A_WORD:
            return []
        who = self.whose(self.owner[strongest])
        text = f"{who} would take it from {self.names[strongest]} with {new:.0%}, before it was {old:.0%}."
        facts = {"seat": who, "from": self.ids[strongest], "share": new, "before": old}
        return [Reason("holds", text, facts)]

    def of_share(self, b: int) -> list[Reason]:
        """How much of its continent a player has with a territory."""
        for continent in self.board.continents:
            if b in continent.members:
                have = sum(self.owner[member] == self.seat for member in continent.members if member != b) + 1
                whole = len(continent.members)
                text = f"With it, {have} of the {whole} territories of {continent.name} are yours."
                return [Reason("share", text, {"n": have, "whole": whole, "continent": continent.name})]
        return []

    def of_march(self, a: int, b: int, count: int) -> list[Reason]:
        """Armies that go from one territory to another: what stands at which border afterwards."""
        facts: dict[str, Any] = {}
        for place, territory, armies in (("from", a, self.armies[a] - count), ("to", b, self.armies[b] + count)):
            rivals = [near for near in self.board.neighbours[territory] if self.owner[near] not in (self.seat, NEUTRAL)]
            facts |= {place: self.ids[territory], f"{place}_armies": armies}
            facts[f"{place}_rivals"] = sum(self.armies[near] for near in rivals)
        text = (
            f"Then {_armies(facts['to_armies'])} in {self.names[b]} face {facts['to_rivals']} of others next door, "
            f"and {facts['from_armies']} in {self.names[a]} face {facts['from_rivals']}."
        )
        return [Reason("border", text, facts)]

    def of_ending(self) -> list[Reason]:
        """Peace: the best attack that is left."""
        fronts = [
            (_conquest(self.armies[a] - 1, self.armies[b], 0), -a, -b)
            for a in range(self.board.size)
            for b in self.board.neighbours[a]
            if self.owner[a] == self.seat and self.owner[b] != self.seat and self.armies[a] > 1
        ]
        if not fronts:
            return [Reason("nothing", "No army is left that could attack.", {})]
        chance, _, b = max(fronts)
        text = f"The best attack that is left, on {self.names[-b]}, succeeds with {chance:.0%}."
        found = [Reason("peace", text, {"to": self.ids[-b], "share": chance})]
        return [Reason("card-won", "This turn's card is won already.", {}), *found] if self.state["conquered"] else found


@cache
def _conquest(attackers: int, defenders: int, stop: int) -> float:
    """The chance to conquer; armies beyond what is worked out are left aside on both sides."""
    if stop < attackers <= TABLE_SIZE and 0 < defenders <= TABLE_SIZE:
        return float(tables().conquest[min(stop, MOST_DICE), attackers - stop, defenders])
    too_many = max(0, attackers - MOST_ARMIES, defenders - MOST_ARMIES)
    return battle(max(0, attackers - too_many), max(0, defenders - too_many), stop).conquered


def _armies(n: int) -> str:
    return "1 army" if n == 1 else f"{n} armies"
