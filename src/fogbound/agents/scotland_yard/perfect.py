"""The perfect player of small hidden-movement games: it plays the solved game's equilibrium, for either side."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from fogbound.core.agent import Decision, MixedAgent, Options
from fogbound.core.view import View
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.solve.api import solve
from fogbound.solve.play import Adviser

_advisers: dict[tuple[str, float], Adviser] = {}


class PerfectOptions(Options):
    tolerance: float = Field(1e-3, ge=1e-9, le=1, description="how far from perfect it may be, in probability of winning")


class Perfect(MixedAgent[PerfectOptions, ScotlandYard]):
    name = "perfect"
    about = "plays the solved game's equilibrium (on boards small enough to be solved)"
    options_model = PerfectOptions

    def prepare(self) -> None:
        self.adviser = adviser(self.game, self.options.tolerance)

    def decide(self, view: View) -> Decision:
        advice = self.adviser.advise(view)
        numbers = self.adviser.game.numbers
        return Decision(
            self.draw(advice.chances),
            values={code: 1 - value if view.seat == 0 else value for code, value in advice.values.items()},
            belief={str(numbers[station]): chance for station, chance in advice.belief.items()},
            chances=advice.chances,
        )

    def strategy(self, view: View) -> Mapping[int, float]:
        return self.adviser.advise(view).chances


def adviser(game: ScotlandYard, tolerance: float) -> Adviser:
    """The perfect play of a game, which is solved once per process."""
    key = (str(game.definition()), tolerance)
    if key not in _advisers:
        _advisers[key] = Adviser(solve(game, tolerance))
    return _advisers[key]
