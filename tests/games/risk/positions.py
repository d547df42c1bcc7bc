"""Positions of Risk made for tests."""

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.errors import IllegalMove
from fogbound.games.risk.notation import PHASES, hand_of
from fogbound.games.risk.table import ATTACK, DRAFT

RED, BLUE, GREEN = 0, 1, 2
AUSTRALIA = ["indonesia", "new_guinea", "western_australia", "eastern_australia"]


def dice(*faces):
    """What chance draws when the dice fall so: the attacker's, then the defender's."""
    return [sum((face - 1) * 6**i for i, face in enumerate(faces))]


class Position:
    """A match in a position of our choice: every territory one army of Blue's, unless it is said otherwise."""

    def __init__(self, options="", board="classic"):
        self.game = fb.game(f"risk/{board}" + (f":{options}" if options else ""))
        self.ids = [territory.id for territory in self.game.board.territories]
        self.match = self.game.new(seed=1)
        state = self.state = self.match.state
        size = self.game.board.size
        for field in ("hand", "discard", "old", "received", "cards", "old_cards", "stock", "ruled_out"):
            state[field] = 0
        state["owner"][:size] = BLUE
        state["armies"][:size] = 1
        state["source"] = state["target"] = -1
        state["round"], state["turn"], state["phase"], state["pool"], state["first"] = 1, RED, ATTACK, 0, RED
        self._fill_land()

    def _fill_land(self):
        self.state["land"] = 0
        for i in range(self.game.board.size):
            self.state["land"][self.state["owner"][i]][i >> 6] |= np.uint64(1 << (i & 63))

    def give(self, seat, *names, armies=1):
        for name in names:
            self.state["owner"][self.ids.index(name)] = seat
            self.state["armies"][self.ids.index(name)] = armies
        self._fill_land()
        return self

    def hand(self, seat, *names):
        for name in names:
            card = len(self.ids) + int(name[-1]) - 1 if name.startswith("wild") else self.ids.index(name)
            self.state["hand"][seat][card >> 6] |= np.uint64(1 << (card & 63))
        self.state["cards"][seat] = len(hand_of(self.state, seat))
        return self

    def draft(self, armies):
        self.state["phase"], self.state["pool"] = DRAFT, armies
        return self

    def armies(self, name):
        return int(self.match.state["armies"][self.ids.index(name)])

    def owner(self, name):
        return int(self.match.state["owner"][self.ids.index(name)])

    @property
    def phase(self):
        return PHASES[self.match.state["phase"]]

    def play(self, *moves, chance=None):
        for move in moves:
            self.match.play(move, chance=chance)
        return self

    def moves(self, kind=""):
        return [str(move) for move in self.match.legal() if str(move).startswith(kind)]

    def why_not(self, move):
        before = self.match.state.tobytes()
        with pytest.raises(IllegalMove) as refused:
            self.match.play(move)
        assert self.match.state.tobytes() == before
        return str(refused.value)


def attack_on_brazil(attackers, defenders, options=""):
    return Position(options).give(RED, "peru", armies=attackers).give(BLUE, "brazil", armies=defenders)


def with_mission(words, options="", seat=RED):
    """Red to move; one player's mission by its words, the others' are impossible for now."""
    position = Position(f"goal=missions{options}")
    names = position.game.mission_names
    left = [name for name in ("destroy Red", "destroy Blue", "destroy Green") if name != words]
    for other, colour in enumerate(("Red", "Blue", "Green")):
        mission = words if other == seat else next(name for name in left if name != f"destroy {colour}")
        left = [name for name in left if name != mission]
        position.state["mission"][other] = names.index(mission)
    return position
