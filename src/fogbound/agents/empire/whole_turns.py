"""What searches over whole turns of Eight-Minute Empire share: a turn that was planned is played to its end."""

from __future__ import annotations

from abc import abstractmethod

from fogbound.agents.empire import heuristic as scripted
from fogbound.core.agent import Agent, Decision, OptionsT
from fogbound.core.view import View
from fogbound.games.empire.game import Empire
from fogbound.games.empire.rules import ACTING, CHOOSING, TAKING


class WholeTurns(Agent[OptionsT, Empire]):
    """Searches once a turn and then keeps to its line; what comes before the first turn is left to the scripted player."""

    def prepare(self) -> None:
        self._script = scripted.Heuristic(self.game, scripted.HeuristicOptions(), self.rng, self.imagination)
        self._line: tuple[int, ...] = ()
        self._line_at = 0  # the history's length when the line's first move is due

    def decide(self, view: View) -> Decision:
        moves = self.game.legal(view.state)
        if len(moves) == 1:
            return Decision(moves[0], line=(moves[0],))
        due = len(view.history) - self._line_at
        if 0 < due < len(self._line) and self._line[due] in moves:
            return Decision(self._line[due], line=self._line[due:])
        if view.state["phase"] not in (TAKING, CHOOSING, ACTING):
            return self._script.decide(view)
        decision = self.search(view)
        self._line, self._line_at = decision.line, len(view.history)
        return decision

    @abstractmethod
    def search(self, view: View) -> Decision:
        """The best turn from here: its first move, and all of it as the line."""
