"""The chase with everything seen, slow and plain: distances by breadth, moves left by going back from the catches."""

from __future__ import annotations

from itertools import permutations
from typing import Any

Position = tuple[int, ...]  # the seat to move, Mr X, each detective


class PlainChase:
    def __init__(self, game: Any) -> None:
        index = {station.station: i for i, station in enumerate(game.board.stations)}
        self.ends = [{index[end] for ends in s.links.values() for end in ends} for s in game.board.stations]

    def distances(self, start: int) -> dict[int, int]:
        found, edge = {start: 0}, [start]
        while edge:
            edge = [end for here in edge for end in sorted(self.ends[here])]
            edge = [end for end in dict.fromkeys(edge) if end not in found]
            found |= dict.fromkeys(edge, max(found.values()) + 1)
        return found

    def best_by_distance(self, seat: int, mr_x: int, detectives: list[int]) -> set[int]:
        """Mr X: far from the nearest detective, then many ways out. A detective (the first of the list): near to Mr X."""
        if seat == 0:
            ways = {
                end: (min(self.distances(d)[end] for d in detectives), len(self.ends[end]))
                for end in self.ends[mr_x] - set(detectives)
            }
            return {end for end in ways if ways[end] == max(ways.values())}
        near = {end: self.distances(end)[mr_x] for end in self.ends[detectives[0]] - set(detectives)}
        return {end for end in near if near[end] == min(near.values())}

    def solve(self, detectives: int) -> dict[Position, int | None]:
        """Mr X's moves left in every position; None where he is never caught."""
        places = permutations(range(len(self.ends)), detectives + 1)
        left: dict[Position, int | None] = {(seat, *p): None for p in places for seat in range(detectives + 1)}
        while True:
            after = {position: self._look(position, left) for position in left}
            if after == left:
                return left
            left = after

    def _look(self, position: Position, left: dict[Position, int | None]) -> int | None:
        seat, *pieces = position
        others = {piece for place, piece in enumerate(pieces) if place not in (0, seat)}
        ends = self.ends[pieces[seat]] - others
        if seat > 0 and pieces[0] in ends:
            return 0
        following = (seat + 1) % len(pieces)
        after = [left[(following, *(end if i == seat else p for i, p in enumerate(pieces)))] for end in sorted(ends)]
        if seat == 0:
            return None if None in after else 1 + max((x for x in after if x is not None), default=0)
        known = [x for x in after if x is not None]
        if not ends:
            return left[(following, *pieces)]
        return min(known, default=None)
