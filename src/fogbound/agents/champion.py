"""The champion: the strongest player that there is for a game and a side, within its time.

It plays nothing itself. The game's family says who the strongest is, and that agent is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from fogbound.core import registry
from fogbound.core.agent import Agent, Budget, Decision
from fogbound.core.compiled import Piece
from fogbound.core.view import View

SECONDS = 1.0


class Champion(Agent[Budget]):
    name = "champion"
    about = f"the strongest player that there is for the game and the side, within its time ({SECONDS:g} s unless you say)"
    options_model = Budget

    def prepare(self) -> None:
        self._players: dict[int, Agent] = {}

    def decide(self, view: View) -> Decision:
        return self.player(self.game.side_of[view.seat]).decide(view)

    def pieces(self, seat: int) -> Sequence[Piece]:
        return self.player(self.game.side_of[seat]).pieces(seat)

    def player(self, side: int) -> Agent:
        """Who plays a side; it draws from this agent's random streams."""
        if side not in self._players:
            spec = registry.champion(self.game, side, self._budget())
            self._players[side] = registry.agent_with_streams(spec, self.game, self.rng, self.imagination)
        return self._players[side]

    def _budget(self) -> str:
        if self.options.iterations is not None:
            return f"iterations={self.options.iterations}"
        return f"seconds={self.options.seconds or SECONDS:g}"
