"""A person at the terminal: sees what the seat may know, and picks a move by number or in words."""

from __future__ import annotations

from rich.columns import Columns
from rich.console import Console
from rich.text import Text

from fogbound.core import registry
from fogbound.core.agent import Agent, Decision
from fogbound.core.contract import Action
from fogbound.core.errors import FogboundError
from fogbound.core.view import View

HELP = (
    "Type a move's number or its words; “?” shows the moves again, “board” the board, “hint” a good move and why it is one, "
    "“quit” ends the game."
)
BUDGET = "seconds=1"  # of a hint


class Quit(Exception):
    """The person left the game."""


class Person(Agent):
    name = "person"
    about = "you, at the terminal"
    asks_people = True

    def prepare(self) -> None:
        self.console = Console()

    def decide(self, view: View) -> Decision:
        moves = view.legal()
        self.console.print(self.game.picture(view))
        if len(moves) == 1:
            self.console.print(f"{self.game.seat_names[view.seat]} has one move: {moves[0]}.")
            return Decision(moves[0].code)
        self._show(moves)
        while True:
            action = self._ask(view, moves)
            if action is not None:
                return Decision(action)

    def _show(self, moves: list[Action]) -> None:
        entries = [Text.assemble((f"{i:>3} ", "bold"), move.text) for i, move in enumerate(moves, 1)]
        self.console.print(Columns(entries, padding=(0, 3), column_first=True))

    def _ask(self, view: View, moves: list[Action]) -> int | None:
        """One question; None if the answer was not a move."""
        try:
            answer = self.console.input(f"[bold]{self.game.seat_names[view.seat]}[/bold], your move: ").strip()
        except EOFError:
            raise Quit from None
        if answer in ("?", "help", ""):
            self.console.print(HELP)
            self._show(moves)
        elif answer == "board":
            self.console.print(self.game.picture(view))
        elif answer == "hint":
            self._hint(view)
        elif answer in ("quit", "exit", "q"):
            raise Quit
        elif answer.isdecimal():
            if 1 <= int(answer) <= len(moves):
                return moves[int(answer) - 1].code
            self.console.print(f"There is no move number {answer}; the moves are 1 to {len(moves)}.")
        else:
            return self._parsed(view, moves, answer)
        return None

    def _hint(self, view: View) -> None:
        """A good move, and what speaks for it."""
        side = self.game.side_of[view.seat]
        decision = registry.agent(registry.champion(self.game, side, BUDGET), self.game, side=side).choose(view)
        self.console.print(f"A good move: [bold]{self.game.describe(decision.action)}[/bold]")
        for reason in view.why(decision.action, decision.belief):
            self.console.print(f"  {reason}")

    def _parsed(self, view: View, moves: list[Action], answer: str) -> int | None:
        try:
            code = self.game.parse(answer)
        except FogboundError as error:
            self.console.print(str(error))
            return None
        if code in [move.code for move in moves]:
            return code
        self.console.print(self.game.why_illegal(view.state, code))
        return None
