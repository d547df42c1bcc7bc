"""Fogbound's games as OpenSpiel games, so that its algorithms run on them; its bots as agents here, and ours as its bots.

Players are sides: the detectives of Scotland Yard are one player. Chance is explicit: each draw is a chance node. A
draw out of very many, such as that of a whole battle in Risk, is made byte by byte: seven chance nodes. An information
state remembers everything that its side has seen so far (perfect recall).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from fogbound.core import chance as chances
from fogbound.core import encoding, registry
from fogbound.core.agent import Agent, AgentLike, Decision, Options, agent_streams
from fogbound.core.contract import SPECTATOR, Game, State
from fogbound.core.env import utilities
from fogbound.core.recall import KEY_BITS, remember
from fogbound.core.rng import Rng, stream
from fogbound.core.view import Seen, View
from fogbound.core.world import position_text

NAME, DEFAULT = "fogbound", "scotland-yard/grid5"
ESCAPES = {",": ";", "=": "~"}  # OpenSpiel reads these in the parameters of a game
MOST_MOVES = 100_000
BYTE = 8
MOST_OUTCOMES = WIDE = 1 << 13  # a draw out of more than that is made byte by byte
NOTHING, SET_UP = -2, -1  # what chance is still drawing for, if it is no move


def game(spec: Game | str) -> SpielGame:
    """The OpenSpiel game that a spec names."""
    text = spec.spec if isinstance(spec, Game) else spec
    return SpielGame({"spec": _escaped(text)}, spec if isinstance(spec, Game) else None)


def bot(agent: AgentLike, of: SpielGame, player: int = 0, seed: int = 0) -> AgentBot:
    """One of our agents as an OpenSpiel bot; it is given views, never a state."""
    return AgentBot(registry.agent(agent, of.fogbound, seed, player))


def agent(bot: Any, of: SpielGame | Game | str, seed: int = 0, side: int = 0) -> BotAgent:
    """An OpenSpiel bot as an agent here. It is given an imagined world in which its side has seen what it has seen."""
    spiel = of if isinstance(of, SpielGame) else game(of)
    made = BotAgent(spiel.fogbound, Options(), *agent_streams(seed, side))
    made.spiel, made.bot, made.spec = spiel, bot, f"open-spiel-{type(bot).__name__}"
    return made


def _escaped(spec: str) -> str:
    for plain, escaped in ESCAPES.items():
        spec = spec.replace(plain, escaped)
    return spec


def _plain(spec: str) -> str:
    for plain, escaped in ESCAPES.items():
        spec = spec.replace(escaped, plain)
    return spec


def _game_type(of: Game | None) -> pyspiel.GameType:
    kinds = pyspiel.GameType
    perfect = of is not None and of.perfect_information
    return kinds(
        short_name=NAME,
        long_name="Fogbound" if of is None else f"Fogbound {of.spec}",
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.PERFECT_INFORMATION if perfect else kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=10 if of is None else of.sides,
        min_num_players=2 if of is None else of.sides,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"spec": DEFAULT},
    )


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game of ours as OpenSpiel knows it; `fogbound` is the game itself."""

    def __init__(self, params: Mapping[str, Any] | None = None, built: Game | None = None) -> None:
        given = {"spec": DEFAULT, **(params or {})}
        given["spec"] = _escaped(given["spec"])
        played = built or registry.game(_plain(given["spec"]))
        info = pyspiel.GameInfo(
            num_distinct_actions=played.action_size,
            max_chance_outcomes=_most_outcomes(played),
            num_players=played.sides,
            min_utility=-1.0 / (played.sides - 1),
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=MOST_MOVES,
        )
        super().__init__(_game_type(played), info, given)
        self.fogbound = played
        self.first_seats = [played.side_of.index(side) for side in range(played.sides)]
        self.tape = chances.taped(stream(0, "open spiel"))  # what is drawn from it is made up, and thrown away

    def new_initial_state(self) -> SpielState:
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        return Observer(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)

    def state_of(self, view: View, rng: Rng | None = None) -> SpielState:
        """A state that may be the true one, for all that a view knows: the world is imagined."""
        return _placed(self, view.imagine(rng).state, view)

    def bot(self, agent: AgentLike, player: int = 0, seed: int = 0) -> AgentBot:
        """One of our agents as a bot of this game."""
        return bot(agent, self, player, seed)

    def agent(self, bot: Any, seed: int = 0, side: int = 0) -> BotAgent:
        """A bot of this game as one of our agents."""
        return agent(bot, self, seed, side)


def _most_outcomes(played: Game) -> int:
    tape = chances.taped(stream(0, "open spiel"))
    played.rules.reset(played.table, played.blank(), tape)
    return max(MOST_OUTCOMES, *(int(size) for size in tape.sizes[: tape.cursor[0]] if size < chances.UNIT_STEPS), 1)


class Situation:
    """Where a game stands, without the game: small, quick to copy, and fit to be pickled."""

    __slots__ = ("digits", "draws", "memory", "moves", "pending", "start", "state")

    def __init__(self, state: State, sides: int) -> None:
        self.state = self.start = state
        self.pending = SET_UP
        self.draws: tuple[int, ...] = ()  # what chance has drawn for what is pending
        self.digits: tuple[int, ...] = ()  # the bytes so far of a draw that is made byte by byte
        self.moves: list[tuple[int, tuple[int, ...]]] = []  # the seat that moved, and what each seat saw of it
        self.memory = [b""] * sides  # a digest of all that a side has seen

    def __deepcopy__(self, memo: Any) -> Situation:
        twin = object.__new__(Situation)
        twin.state, twin.start, twin.pending = self.state, self.start, self.pending
        twin.draws, twin.digits = self.draws, self.digits
        twin.moves, twin.memory = self.moves.copy(), self.memory.copy()
        return twin

    def __getstate__(self) -> tuple[Any, ...]:
        state, start = (memoryview(part).tobytes() for part in (self.state, self.start))  # type: ignore[arg-type]
        return state, start, self.pending, self.draws, self.digits, self.moves, self.memory

    def __setstate__(self, parts: tuple[Any, ...]) -> None:
        self.state, self.start, self.pending, self.draws, self.digits, self.moves, self.memory = parts


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position, or a draw of chance on the way to the next one."""

    def __init__(self, of: SpielGame) -> None:
        super().__init__(of)
        self.at = Situation(of.fogbound.blank(), of.fogbound.sides)

    # What OpenSpiel asks.

    def current_player(self) -> int:
        if self._here().pending != NOTHING:
            return int(pyspiel.PlayerId.CHANCE)
        played = self.get_game().fogbound
        seat = int(played.rules.to_move(self.at.state))
        return played.side_of[seat] if seat >= 0 else int(pyspiel.PlayerId.TERMINAL)

    def is_terminal(self) -> bool:
        at = self._here()
        return at.pending == NOTHING and int(self.get_game().fogbound.rules.to_move(at.state)) < 0

    def _legal_actions(self, player: int) -> list[int]:
        found: list[int] = encoding.numbers(self.get_game().fogbound, self._here().state)[1].tolist()
        return found

    def chance_outcomes(self) -> list[tuple[int, float]]:
        size = self._outcomes(self.get_game())
        return [(outcome, 1 / size) for outcome in range(size)]

    def _apply_action(self, action: int) -> None:
        of, at = self.get_game(), self._here()
        if at.pending != NOTHING:
            self._draw(of, int(action))
        else:
            codes, numbers = encoding.numbers(of.fogbound, at.state)
            at.pending = int(codes[np.searchsorted(numbers, action)])
        self._go_on(of)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"draw {action}"
        played = self.get_game().fogbound
        codes, numbers = encoding.numbers(played, self._here().state)
        place = int(np.searchsorted(numbers, action))
        found = place < len(numbers) and numbers[place] == action
        return played.describe(int(codes[place])) if found else f"move {action}"

    def returns(self) -> list[float]:
        of = self.get_game()
        if not self.is_terminal():
            return [0.0] * of.fogbound.sides
        gained = utilities(of.fogbound, of.fogbound.scores(self.at.state))
        return [gained[seat] for seat in of.first_seats]

    def __str__(self) -> str:
        at = self._here()
        drawing = f" drawing {at.pending} {list(at.draws)} {list(at.digits)}" if at.pending != NOTHING else ""
        return position_text(at.state) + drawing

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> SpielState:
        """Another state that this player cannot tell from this one: what is hidden from it is drawn anew."""
        words = [int(sampler() * 2**53) for _ in range(4)]
        made: SpielState = self.get_game().state_of(self.view(player), np.array([words[0] | 1, *words[1:]], np.uint64))
        made.at.memory[player] = self.key(player)
        return made

    # What we ask of it.

    def view(self, player: int) -> View:
        """What a side may know: as the seat to move sees it, if it is its turn."""
        of, at = self.get_game(), self._here()
        played, seat = of.fogbound, of.first_seats[player]
        mover = int(played.rules.to_move(at.state)) if at.pending == NOTHING else -1
        if mover >= 0 and played.side_of[mover] == player:
            seat = mover
        history = tuple(Seen(moved, seen[seat]) for moved, seen in at.moves)
        return View(played, seat, played.concealed(at.state, seat), history, played.concealed(at.start, seat))

    def key(self, player: int) -> bytes:
        """Sixteen bytes for all that a side has seen so far."""
        return self._here().memory[player]

    def _here(self) -> Situation:
        """Where it stands; what was unpickled learns its type again."""
        at: Situation = self.at
        if isinstance(at.state, bytes):
            dtype = self.get_game().fogbound.rules.state
            at.state, at.start = (np.frombuffer(part, dtype)[0].copy() for part in (at.state, at.start))
        return at

    def _next_draw(self, of: SpielGame) -> int:
        """Out of how many the next result of chance is drawn."""
        self._run(of, self._here())
        return int(of.tape.sizes[len(self.at.draws)])

    def _outcomes(self, of: SpielGame) -> int:
        """How many outcomes this chance node has: those of the draw, or of its next byte."""
        size = self._next_draw(of)
        return size if size <= WIDE else 1 << (_bits(size)[len(self.at.digits)])

    def _draw(self, of: SpielGame, outcome: int) -> None:
        at, size = self.at, self._next_draw(of)
        if size <= WIDE:
            at.draws = (*at.draws, outcome)
            return
        at.digits = (*at.digits, outcome)
        if len(at.digits) == len(_bits(size)):
            whole = 0
            for digit, bits in zip(at.digits, _bits(size), strict=True):
                whole = whole << bits | digit
            at.draws, at.digits = (*at.draws, whole), ()

    def _run(self, of: SpielGame, at: Situation) -> State:
        """The state after what is pending; draws that are not there yet are made up."""
        played, after = of.fogbound, at.state.copy()
        chances.rewind(of.tape, at.draws)
        if at.pending == SET_UP:
            played.rules.reset(played.table, after, of.tape)
        else:
            played.rules.apply(played.table, after, at.pending, of.tape)
        return after

    def _go_on(self, of: SpielGame) -> None:
        """Finish what is pending, as far as the draws are there; one with a single outcome is no draw."""
        at = self.at
        while True:
            after = self._run(of, at)
            drawn = len(at.draws)
            if of.tape.cursor[0] <= drawn:
                self._finish(of, after)
                return
            if of.tape.sizes[drawn] != 1:
                return
            at.draws = (*at.draws, 0)

    def _finish(self, of: SpielGame, after: State) -> None:
        at, played = self.at, of.fogbound
        mover, seen = -1, (0,) * played.seats
        if at.pending == SET_UP:
            at.start = after
        else:
            mover = int(played.rules.to_move(at.state))
            seen = tuple(int(played.rules.observe(played.table, at.state, at.pending, seat)) for seat in range(played.seats))
            at.moves.append((mover, seen))
        at.state, at.pending, at.draws = after, NOTHING, ()
        for side, seat in enumerate(of.first_seats):
            at.memory[side] = remember(at.memory[side], mover, seen[seat], played.concealed(after, seat))


def _bits(size: int) -> list[int]:
    """The bits of each byte of a draw out of a power of two, the odd ones first."""
    whole, odd = divmod(size.bit_length() - 1, BYTE)
    return [odd] * (odd > 0) + [BYTE] * whole


def _placed(of: SpielGame, world: State, view: View) -> SpielState:
    """A state with an imagined world. Everybody's past is what the view saw of it: nothing else is known."""
    made, played = of.new_initial_state(), of.fogbound
    at = made.at
    at.state, at.start, at.pending, at.draws = world, view.start, NOTHING, ()
    at.moves = [(seen.seat, (seen.code,) * played.seats) for seen in view.history]
    own = played.side_of[view.seat]
    for side, seat in enumerate(of.first_seats):
        at.memory[side] = view_key(view, of) if side == own else remember(b"", side, 0, played.concealed(world, seat))
    return made


def view_key(view: View, of: SpielGame) -> bytes:
    """The key of a view, the same for all seats of its side."""
    return View(of.fogbound, of.first_seats[of.fogbound.side_of[view.seat]], view.state, view.history, view.start).key()


class Observer:
    """What a player sees, as OpenSpiel asks for it: with or without the past, public or private things."""

    def __init__(self, of: SpielGame, kind: Any, params: Any) -> None:
        if params:
            raise ValueError(f"Fogbound's observers take no parameters; passed {params}")
        self.of, self.kind = of, kind
        size = of.fogbound.observation_size
        self.tensor = np.zeros(size + (KEY_BITS if kind.perfect_recall else 0), np.float32)
        self.dict = {"observation": self.tensor[:size]}
        if kind.perfect_recall:
            self.dict["key"] = self.tensor[size:]

    def set_from(self, state: SpielState, player: int) -> None:
        self.dict["observation"][:] = self._observation(state, player)
        if self.kind.perfect_recall:
            bits = np.unpackbits(np.frombuffer(state.key(player) or bytes(KEY_BITS // 8), np.uint8))
            self.dict["key"][:] = bits

    def _observation(self, state: SpielState, player: int) -> NDArray[np.float32]:
        played, everybody = self.of.fogbound, np.zeros(self.of.fogbound.observation_size, np.float32)
        if state.key(player) == b"":  # nobody has seen anything yet
            return everybody
        whole = state.view(player).array()
        seen = encoding.observation(played, played.concealed(state.at.state, SPECTATOR), SPECTATOR)
        if self._private and self.kind.public_info:
            return whole
        return whole - seen if self._private else seen if self.kind.public_info else everybody

    @property
    def _private(self) -> bool:
        return bool(self.kind.private_info != pyspiel.PrivateInfoType.NONE)

    def string_from(self, state: SpielState, player: int) -> str:
        played = self.of.fogbound
        if state.key(player) == b"":
            return ""
        if self.kind.perfect_recall and self._private:
            return f"{played.side_names[player]} after {len(state.at.moves)} moves #{state.key(player).hex()}"
        if self._private and self.kind.public_info:
            return json.dumps(played.public(state.view(player).state))
        everybody = played.concealed(state.at.state, SPECTATOR)
        if self.kind.public_info:
            return json.dumps(played.public(everybody))
        return _difference(state.view(player).state, everybody) if self._private else ""


def _difference(known: State, public: State) -> str:
    """The fields of a state that a seat knows more of than everybody does."""
    told = set(position_text(public).split())
    return " ".join(field for field in position_text(known).split() if field not in told)


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """One of our agents as an OpenSpiel bot."""

    def __init__(self, agent: Agent) -> None:
        super().__init__()
        self.agent = agent

    def step(self, state: SpielState) -> int:
        view = state.view(state.current_player())
        return view.number(self.agent.choose(view).action)

    def restart(self) -> None:
        return

    def restart_at(self, state: SpielState) -> None:
        return

    def provides_force_action(self) -> bool:
        return True

    def force_action(self, state: SpielState, action: int) -> None:
        return

    def inform_action(self, state: SpielState, player: int, action: int) -> None:
        return


class BotAgent(Agent):
    """An OpenSpiel bot as one of our agents."""

    name = "open-spiel-bot"
    about = "a bot of OpenSpiel"
    spiel: SpielGame
    bot: Any

    def decide(self, view: View) -> Decision:
        state = self.spiel.state_of(view, self.imagination)
        return Decision(view.move(int(self.bot.step(state))).code)


pyspiel.register_game(_game_type(None), SpielGame)
