"""Batches of positions in one of the board's symmetries: a position and its mirror image have the same value."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.planes import CELLS, CHANNELS, Coding
from fogbound.games.scotland_yard.symmetry import keeping_starts, symmetries


def symmetries_of(game: ScotlandYard) -> list[list[int]]:
    """The symmetries that keep the starts and turn or mirror the drawing, as directions on a grid require.

    Their order is that of the turns and mirrors: a learner draws one by its number.
    """
    places = np.array(game.places)
    middle = (places.min(0) + places.max(0)) / 2
    maps = keeping_starts(symmetries(game.table), game.table)
    found = []
    for flip_x in (1, -1):
        for flip_y in (1, -1):
            for swapped in (False, True):
                moved = (places - middle) * (flip_x, flip_y)
                moved = (moved[:, ::-1] if swapped else moved) + middle
                found += [goes.tolist() for goes in maps if np.abs(places[goes] - moved).sum(1).max() < 1e-9]
    return found


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
