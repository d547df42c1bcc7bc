"""Players: an agent is given a view and answers with a decision and its reasons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, ClassVar, Generic, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import TypeVar  # for defaults: an agent without type parameters is one of any game

from fogbound.core.compiled import Kernel, Piece
from fogbound.core.contract import Action, Game
from fogbound.core.rng import Rng, stream, unit
from fogbound.core.view import View


class Options(BaseModel):
    """An agent's options; each has a line of description that `fogbound agents` shows."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    older: ClassVar[Mapping[str, str]] = {}  # names that options had before, which are still understood


class Budget(Options):
    """Options of an agent that thinks for as long as it is allowed to."""

    iterations: int | None = Field(None, ge=1, description="how many iterations to think")
    seconds: float | None = Field(None, gt=0, description="how many seconds to think")

    @model_validator(mode="after")
    def _one_of_them(self) -> Budget:
        if self.iterations is not None and self.seconds is not None:
            raise ValueError("give iterations or seconds, not both")
        return self

    def chunks(self, default: int, chunk: int = 1) -> Iterator[int]:
        """Iterations to do next, a chunk at a time, until the budget is spent (always at least one)."""
        if self.seconds is None:
            left = self.iterations or default
            while left > 0:
                yield min(chunk, left)
                left -= chunk
            return
        end = perf_counter() + self.seconds
        yield chunk
        while perf_counter() < end:
            yield chunk


# Covariant: an agent with options and a game of its own can stand wherever any agent is asked for.
OptionsT = TypeVar("OptionsT", bound=Options, default=Options, covariant=True)
GameT = TypeVar("GameT", bound=Game, default=Game, covariant=True)


@dataclass(frozen=True)
class Decision:
    """The move that an agent plays, and its analysis if it has one."""

    action: int
    values: Mapping[int, float] = field(default_factory=dict)
    """Expected result of each move for the side to move, in [0, 1] or the agent's own scale."""
    visits: Mapping[int, int] = field(default_factory=dict)
    """How often a search tried each move."""
    belief: Mapping[str, float] = field(default_factory=dict)
    """Probability of each hidden thing, as the agent sees it."""
    line: tuple[int, ...] = ()
    """The principal variation: the moves it expects, its own first."""
    seconds: float = 0.0
    """How long it thought."""
    chances: Mapping[int, float] = field(default_factory=dict)
    """How likely a player who mixes its moves plays each of them."""

    def __repr__(self) -> str:
        told = {"values": len(self.values), "visits": len(self.visits), "belief": len(self.belief)}
        parts = [f"action={self.action}", *(f"{name} of {count}" for name, count in told.items() if count)]
        parts += [f"line={self.line}"] if self.line else []
        return f"Decision({', '.join([*parts, f'seconds={self.seconds:.3g}'])})"


class Agent(ABC, Generic[OptionsT, GameT]):
    """A player of one side in one match. It draws only from its own random streams.

    The type parameters say what `self.options` and `self.game` are: `class Greedy(Agent[GreedyOptions, ScotlandYard])`.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    options_model: ClassVar[type[Options]] = Options
    source: ClassVar[str] = ""
    """Where it comes from, if it was published elsewhere first: one line."""
    asks_people: ClassVar[bool] = False
    """Whether it needs someone at the keyboard."""
    safe: ClassVar[bool] = True
    """Whether a visitor of a server may seat it: it runs no programs and reads no files that he names."""
    spec: str = ""
    """The spec that it was made from, if it was."""

    def __init__(self, game: GameT, options: OptionsT, rng: Rng, imagination: Rng) -> None:
        self.game = game
        self.options = options
        self.rng = rng
        self.imagination = imagination
        self.prepare()

    def prepare(self) -> None:
        """Called once before the first move; tables that belong to the game can be made here."""

    @classmethod
    def names(cls, game: Game) -> Mapping[str, Sequence[str]]:
        """For options that are names of something: those that this game knows, such as trained nets."""
        return {}

    @abstractmethod
    def decide(self, view: View) -> Decision:
        """The decision for this view; the seat of the view is to move."""

    def pieces(self, seat: int) -> Sequence[Piece]:
        """Large kernels of a first decision, with arguments: compiled while another process still compiles the rules."""
        return ()

    def choose(self, view: View) -> Decision:
        """The decision, with the time it took; a forced move needs no thought."""
        began = perf_counter()
        decision = self.decide(view)
        return Decision(**{**vars(decision), "seconds": perf_counter() - began})

    def __repr__(self) -> str:
        return f"<Agent {self.spec or type(self).__name__} for {self.game.spec}>"

    def action(self, code: int) -> Action:
        return Action(code, self.game.describe(code))


class FunctionAgent(Agent):
    """An agent made of a function: it is given a view, and answers with a move, its code or words, or a decision."""

    function: ClassVar[tuple[Callable[[View], Any]]]

    @classmethod
    def made_of(cls, function: Callable[[View], Any]) -> type[Agent]:
        about = (function.__doc__ or "a function of your own").strip().splitlines()[0]
        return type(function.__name__, (cls,), {"function": (function,), "name": function.__name__, "about": about})

    @staticmethod
    def function_of(agent: type[Agent]) -> Callable[[View], Any] | None:
        return agent.function[0] if issubclass(agent, FunctionAgent) else None

    def decide(self, view: View) -> Decision:
        answer = self.function[0](view)
        return answer if isinstance(answer, Decision) else Decision(self.game.code(answer))


AgentLike = str | Agent | type[Agent] | Callable[[View], Any]
"""Whatever can be seated: a spec, an agent, its class, or a function from views to moves."""


class MixedAgent(Agent[OptionsT, GameT]):
    """An agent that can say its strategy, and plays by drawing from it."""

    @abstractmethod
    def strategy(self, view: View) -> Mapping[int, float]:
        """The probability of each move; it depends on the view alone, not on the rng."""

    def strategies(self, views: Sequence[View]) -> Sequence[Mapping[int, float]]:
        """The strategies for several views, if that is quicker than one by one."""
        return [self.strategy(view) for view in views]

    def draw(self, chances: Mapping[int, float]) -> int:
        """A move drawn from a strategy; one that is all but certain is played without a draw."""
        best = max(chances, key=lambda code: chances[code])
        if chances[best] > 1 - 1e-9:
            return best
        left = float(unit(self.rng)) * sum(chances.values())
        for code, chance in chances.items():
            left -= chance
            if left < 0:
                return code
        return best


class PolicyAgent(Agent[OptionsT, GameT]):
    """An agent that is one compiled function, so that whole batches of games run without Python.

    policy(table, params, view, seat, out, rng) -> action, where `view` is a concealed
    state that may be overwritten, and `out` has room for the legal actions.
    """

    @abstractmethod
    def compiled(self) -> Kernel:
        """The policy for this agent's game; the same object every time."""

    def mixture(self) -> Kernel | None:
        """The probabilities that the policy draws its moves by, if it can say them.

        mixture(table, params, view, seat, out, chances, first): the legal actions into `out`, in order, and the
        probability of each into `chances`, beginning at the place `first`.
        """
        return None

    def params(self) -> NamedTuple:
        """The arrays that the policy needs besides the game's tables."""
        return NoParams(0)

    def params_without_memory(self) -> NamedTuple:
        """The same, for a player who is asked about one move and keeps nothing for the next."""
        return self.policy_params

    def prepare(self) -> None:
        self.policy = self.compiled()
        self.policy_params = self.params()
        self._out = np.empty(self.game.most_actions, np.int64)

    def decide(self, view: View) -> Decision:
        state = view.state.copy()
        return Decision(int(self.policy(self.game.table, self.policy_params, state, view.seat, self._out, self.rng)))


class NoParams(NamedTuple):
    nothing: int


def separate(value: Any) -> Any:
    """A copy of what kernels are given for another thread: arrays that they may write to are its own."""
    if isinstance(value, np.ndarray):
        return value.copy() if value.flags.writeable else value
    if isinstance(value, tuple):
        return type(value)(*(separate(part) for part in value)) if hasattr(value, "_fields") else value
    return value


def agent_streams(seed: int, side: int, number: int = 0) -> tuple[Rng, Rng]:
    """The streams of a side's agent: for its choices, and for what it imagines."""
    return stream(seed, choices_of(side), number), stream(seed, f"imagination {side}", number)


def choices_of(side: int) -> str:
    """The purpose that names the stream of a side's choices."""
    return f"agent {side}"


def options_text(options: BaseModel) -> dict[str, Any]:
    """The options that differ from the defaults."""
    return {key: value for key, value in options.model_dump().items() if value != type(options).model_fields[key].default}
