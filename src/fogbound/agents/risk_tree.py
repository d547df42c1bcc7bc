"""Tree search for Risk, move by move: playouts are cut off and judged by the land and armies held.

A random game of Risk may never end, so a playout is only a look some moves ahead.
"""

from __future__ import annotations

from pydantic import Field

from fogbound.agents.mcts import Mcts, MctsOptions
from fogbound.agents.tree import Pieces
from fogbound.core.compiled import kernel
from fogbound.games.risk.rules import imagine, legal, score

TERRITORY = 2.0  # what a territory counts, in armies


class RiskMctsOptions(MctsOptions):
    depth: int = Field(100, ge=0, description="a playout is cut off after this many moves, and judged by land and armies")


class RiskMcts(Mcts):
    options_model = RiskMctsOptions

    def pieces(self) -> Pieces:
        return PIECES


@kernel
def imagine_it(table, extra, state, seat, words):
    imagine(table, state, seat, words)


@kernel
def all_moves(table, extra, state, out):
    return legal(table, state, out)


@kernel
def reward(table, extra, state, side_of, side_score, result):
    """The result of a finished game, or each player's share of the land and armies."""
    if state.turn < 0:
        score(table, state, result)
        return
    result[:] = 0.0
    total = 0.0
    for territory in range(table.territories):
        owner = state.owner[territory]
        if owner >= 0 and owner < table.players:
            worth = TERRITORY + state.armies[territory]
            result[owner] += worth
            total += worth
    for seat in range(result.size):
        result[seat] = result[seat] / total if total > 0.0 else 1.0 / result.size


PIECES = Pieces(imagine_it, all_moves, reward)
