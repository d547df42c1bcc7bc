"""What given plans lead to: how likely Mr X is where, and what each of his stations is worth."""

from __future__ import annotations

from fogbound.core.compiled import program
from fogbound.solve.regret import spread_mr_x
from fogbound.solve.subgame import FIRST_MEMBER, MR_X_NODE, SHOWN_NODE


@program
def reaches(stretch, work, prior, plans):
    """How likely Mr X's plan brings him to each member, into work.reach."""
    spread_mr_x(stretch, work, prior, plans[0], 0.0)


@program
def member_values(stretch, work, plans):
    """What each member is worth when both sides keep to their plans, into work.value."""
    work.value[0] = 0.0
    work.value[1] = 1.0
    for node in range(stretch.counts[0] - 1, -1, -1):
        for m in range(stretch.first[node], stretch.first[node + 1]):
            begin, end = stretch.edge_first[m], stretch.edge_first[m + 1]
            total = 0.0
            if stretch.kind[node] == SHOWN_NODE:
                total = 0.5 * (stretch.lower[m] + stretch.upper[m])
            elif stretch.kind[node] == MR_X_NODE:
                for e in range(begin, end):
                    total += plans[0][e] * work.value[stretch.target[e]]
            else:
                a = stretch.action_first[node]
                for e in range(begin, end):
                    total += plans[1][a] * work.value[stretch.target[e]]
                    a += 1
            work.value[FIRST_MEMBER + m] = total
