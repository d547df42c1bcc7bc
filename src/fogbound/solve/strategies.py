"""What a pair of strategies leads to in a subgame: Mr X's reach, and the expected value of each of his stations."""

from __future__ import annotations

from fogbound.core.compiled import program
from fogbound.solve.cfr import mr_x_best_response, mr_x_reach
from fogbound.solve.subgame import FIRST_MEMBER, MR_X_NODE, REVEAL_NODE


@program
def reach(subgame, cfr, prior, strategies):
    """The reach of Mr X's strategy at each member, into cfr.reach."""
    mr_x_reach(subgame, cfr, prior, strategies[0], 0.0)


@program
def expected_values(subgame, cfr, strategies):
    """The expected value of each member when both sides keep to their strategies, into cfr.value."""
    cfr.value[0] = 0.0
    cfr.value[1] = 1.0
    for node in range(subgame.counts[0] - 1, -1, -1):
        for m in range(subgame.first[node], subgame.first[node + 1]):
            begin, end = subgame.edge_first[m], subgame.edge_first[m + 1]
            total = 0.0
            if subgame.kind[node] >= REVEAL_NODE:
                total = 0.5 * (subgame.lower[m] + subgame.upper[m])
            elif subgame.kind[node] == MR_X_NODE:
                for e in range(begin, end):
                    total += strategies[0][e] * cfr.value[subgame.target[e]]
            else:
                a = subgame.action_first[node]
                for e in range(begin, end):
                    total += strategies[1][a] * cfr.value[subgame.target[e]]
                    a += 1
            cfr.value[FIRST_MEMBER + m] = total


@program
def respond(subgame, value, strategy):
    """What a strategy of the detectives wins against Mr X's best response, by member."""
    mr_x_best_response(subgame, value, strategy)
