"""Who will win a game of Risk: a small net that judges every player at the beginning of a turn.

The same net judges each player by its figures and the others' (standing.py); the chances of all who
are still in the game add up to one. train/risk/value.py learns it from the results of games.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents import nets
from fogbound.agents.nets import Dense, dense, forward
from fogbound.agents.risk.standing import FIGURES, GLOBALS, INPUTS, stand, tell
from fogbound.core.compiled import part
from fogbound.core.errors import FogboundError
from fogbound.games.risk.rules import score
from fogbound.games.risk.table import SEATS, alive

KIND = "risk-value"
SHIPPED = "risk-value"


class Value(NamedTuple):
    """The net, and room to work it out."""

    net: Dense
    figures: NDArray[np.float32]
    game: NDArray[np.float32]
    chances: NDArray[np.float64]  # [seat]: filled by `judge`


def read(name: str) -> Value:
    """The value net of a file; an error says why a file does not hold one."""
    weights = nets.load(name)
    layers = weights.layers()
    if weights.about.get("kind") != KIND or not layers:
        raise FogboundError(f"The weights “{weights.name}” are not a value net for Risk.")
    if layers[0][0].shape[1] != INPUTS or layers[-1][0].shape[0] != 1:
        raise FogboundError(f"The weights “{weights.name}” do not have the {INPUTS} inputs and the output of a value net.")
    return made_of([(np.asarray(weight), np.asarray(bias)) for weight, bias in layers])


def made_of(layers: list[tuple[NDArray[Any], NDArray[Any]]]) -> Value:
    room = np.zeros((SEATS, FIGURES), np.float32), np.zeros(GLOBALS, np.float32), np.zeros(SEATS)
    return Value(dense(layers), *room)


def blank() -> Value:
    """For players that judge without a net."""
    return made_of([(np.zeros((1, INPUTS), np.float32), np.zeros(1, np.float32))])


@part
def judge(table, land, value, state):
    """Fill value.chances with every seat's chance to win; of a game that is over, with the result."""
    chances = value.chances
    chances[:] = 0.0
    if state.turn < 0:
        score(table, state, chances)
        return
    stand(table, land, state, value.figures, value.game)
    highest = -1e9
    for seat in range(table.players):
        if alive(state, seat):
            tell(table, state, seat, value.figures, value.game, value.net.inputs)
            forward(value.net)
            chances[seat] = value.net.outputs[0]
            highest = max(highest, chances[seat])
    total = 0.0
    for seat in range(table.players):
        if alive(state, seat):
            chances[seat] = np.exp(chances[seat] - highest)
            total += chances[seat]
    for seat in range(table.players):
        chances[seat] /= total
