"""What a net of Scotland Yard is given: the pieces of a position as numbers, written straight into arrays.

docs/guide/features.md lists what is at which index.
"""

from __future__ import annotations

from fogbound.core.compiled import kernel

# Placements: every piece on a station that is known or assumed, for the supervised nets.

LONG, MIDDLE, SHORT, TURN = range(4)
CODINGS = ("long", "middle", "short", "turn")


def placement_size(coding: int, stations: int, detectives: int) -> int:
    """How many numbers a placement takes."""
    return placement_blocks(coding, detectives) * stations + (detectives if coding == TURN else 0)


def placement_blocks(coding: int, detectives: int) -> int:
    """Blocks of one number a station: each piece its own, three, or two."""
    return 3 if coding == MIDDLE else 2 if coding == SHORT else 1 + detectives


@kernel
def write_placement(inputs, coding, stations, detectives, station, seat, mr_x):
    """Code the detectives' stations and an assumed Mr X as the seat to move sees them."""
    inputs[:] = 0.0
    inputs[mr_x] = 1.0
    blocks = 3 if coding == MIDDLE else 2 if coding == SHORT else 1 + detectives
    first = 1 if coding == TURN else max(seat, 1)  # whom the first block after Mr X's stands for
    inputs[stations + station[first]] = 1.0
    block = 2
    for other in range(1, detectives + 1):
        if other != first:
            inputs[min(block, blocks - 1) * stations + station[other]] = 1.0
            block += 1
    if coding == TURN and seat > 0:
        inputs[blocks * stations + seat - 1] = 1.0
