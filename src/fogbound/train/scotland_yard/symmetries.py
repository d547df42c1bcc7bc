"""The symmetries of a board: a position turned or mirrored is worth the same, so each teaches as many."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.planes import CELLS, CHANNELS, Coding
from fogbound.games.scotland_yard.rules import Table


def symmetries_of(game: ScotlandYard) -> list[list[int]]:
    """Where each station goes, for every turn and mirror of the drawing that maps the board onto itself."""
    places = np.array(game.places)
    middle = (places.min(0) + places.max(0)) / 2
    found = []
    for flip_x in (1, -1):
        for flip_y in (1, -1):
            for swapped in (False, True):
                moved = (places - middle) * (flip_x, flip_y)
                moved = (moved[:, ::-1] if swapped else moved) + middle
                goes = _matched(places, moved)
                if goes is not None and _keeps(game, goes):
                    found.append(goes)
    return found


def _matched(places: np.ndarray, moved: np.ndarray) -> list[int] | None:
    apart = np.abs(moved[:, None, :] - places[None, :, :]).sum(2)
    goes = apart.argmin(1)
    fits = apart.min(1).max() < 1e-9 and len(set(goes.tolist())) == len(goes)
    return [int(x) for x in goes] if fits else None


def _keeps(game: ScotlandYard, goes: list[int]) -> bool:
    """Whether links and starts stay what they are."""
    table = game.table
    for here in range(table.stations):
        for kind in range(table.transports):
            if {goes[s] for s in _ends(table, here, kind)} != _ends(table, goes[here], kind):
                return False
    starts = (table.mr_x_starts, table.detective_starts)
    return all({goes[s] for s in each} == {int(s) for s in each} for each in starts)


def _ends(table: Table, here: int, kind: int) -> set[int]:
    words = table.reach[1 << kind, here]
    return {s for s in range(table.stations) if int(words[s >> 6]) >> (s & 63) & 1}


class Symmetries:
    """Turns batches of positions and answers."""

    def __init__(self, game: ScotlandYard, code: Coding, device: torch.device) -> None:
        """Both are given station by station (coding=cells, answers=stations), or in planes and directions."""
        seen, answers = [], []
        each = code.answers // game.table.stations
        for goes in symmetries_of(game):
            back = np.argsort(goes)
            seen.append(_places_of_numbers(code, back))
            if each == 0:  # directions
                goes_to = _direction(code, goes)
            else:
                goes_to = (np.array(goes)[:, None] * each + np.arange(each)).ravel()
            answers.append(goes_to)
        self.count = len(seen)
        self.seen = torch.from_numpy(np.array(seen)).to(device)
        self.goes = torch.from_numpy(np.array(answers)).to(device)
        self.back = torch.from_numpy(np.argsort(np.array(answers), axis=1)).to(device)

    def turned(
        self, rng: np.random.Generator, seen: Tensor, answer: Tensor, after: Tensor, legal: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """A batch in one of the symmetries, the same for all of it."""
        which = int(rng.integers(self.count))
        return seen[:, self.seen[which]], self.goes[which][answer], after[:, self.seen[which]], legal[:, self.back[which]]


def _places_of_numbers(code: Coding, back: np.ndarray) -> np.ndarray:
    """From where each number of the turned position comes."""
    stations = back.size
    if code.kind == CELLS:
        cells = (back[:, None] * CHANNELS + np.arange(CHANNELS)).ravel()
        return np.concatenate([cells, np.arange(CHANNELS * stations, code.inputs)])
    return np.concatenate([back, stations + back])


def _direction(code: Coding, goes: list[int]) -> np.ndarray:
    found = np.zeros(code.answers, np.int64)
    for here, there in zip(*np.nonzero(code.first >= 0), strict=True):
        found[code.first[here, there]] = code.first[goes[here], goes[there]]
    return found
