"""Tabular Q-learning for the two detectives of Scotland Yard, after Tulušák 2020, whose table did not learn.

Games are played and learned from in compiled code, against a Mr X with a fixed policy. The three
proposals of that document are options: symmetry, shared, and reward = reveal-distance.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from pydantic import Field

from fogbound.agents.scotland_yard import alphabeta_lines
from fogbound.agents.scotland_yard.alphabeta import AlphaBeta
from fogbound.agents.scotland_yard.qtable import KIND, UNKNOWN, Layout, count_positions, find, last_seen, layout, stepped
from fogbound.core import registry
from fogbound.core.agent import PolicyAgent
from fogbound.core.chance import Chance
from fogbound.core.compiled import Kernel, kernel, program
from fogbound.core.errors import FogboundError
from fogbound.core.rng import below, stream, unit
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import DETECTIVES, HIDDEN, apply, legal, reset
from fogbound.train.method import Arrays, Learner, Options

MOST_ENTRIES = 100_000_000
NOTHING = -1  # in place of a position: no move to learn from yet


class QTableOptions(Options):
    field: list[str] = Field(
        default=["alphabeta:evaluation=v4", "random", "heuristic"],
        description="agents that the learner plays in trials",
    )
    trials: int = Field(10, ge=1, description="how many trials in all, evenly spread")
    games: int = Field(1_000_000, ge=1, description="games to learn from")
    opponent: str = Field(
        "alphabeta:evaluation=v4",
        description="the Mr X to learn against: alphabeta or a compiled agent such as heuristic",
    )
    slips: float = Field(
        0.0, ge=0, le=1, description="how often the Mr X to learn against makes a random move instead of his own"
    )
    symmetry: bool = Field(False, description="positions that are equal by a symmetry of the board share an entry")
    shared: bool = Field(False, description="detectives choose one after the other from one table, not jointly")
    reward: Literal["end", "reveal-distance"] = Field(
        "end", description="reward the end of the game only, or also every reveal by how near the detectives are"
    )
    reveal_weight: float = Field(0.3, ge=0, description="the penalty at a reveal for detectives at the far end of the board")
    win: float = Field(1.0, description="the reward of a catch")
    loss: float = Field(-1.0, description="the reward of a lost game")
    gamma: float = Field(0.9, gt=0, le=1, description="discount for each turn")
    alpha: float = Field(0.5, gt=0, le=1, description="learning rate in the first game")
    last_alpha: float = Field(0.02, gt=0, le=1, description="learning rate in the last game; it falls linearly")
    epsilon: float = Field(1.0, ge=0, le=1, description="share of random moves in the first game")
    last_epsilon: float = Field(0.02, ge=0, le=1, description="share of random moves in the last game; it falls linearly")
    explore_below: float = Field(
        0.0,
        ge=0,
        description="random moves where the values of all moves of a position sum to less than this; 0 for none",
    )
    piece: int = Field(10_000, ge=1, description="games in one chunk of work, between two points of the curves")


class Setting(NamedTuple):
    """What the compiled games need to know besides the table of values."""

    plan: Layout
    hops: Any
    far: int
    reveal_weight: float
    win: float
    loss: float
    gamma: float
    alpha: float
    epsilon: float
    slips: float
    explore_below: float


class QTable(Learner):
    name = "qtable"
    about = "a table of values for two detectives, learned against a Mr X with a fixed policy"
    unit = "games"
    families = ("scotland-yard",)
    options_model = QTableOptions
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "tulusak": {},
        "symmetry": {"symmetry": True},
        "shared": {"shared": True},
        "reveal": {"reward": "reveal-distance"},
        "all": {"symmetry": True, "shared": True, "reward": "reveal-distance"},
        "robust": {"symmetry": True, "shared": True, "reward": "reveal-distance", "slips": 0.5, "gamma": 0.97},
    }

    game: ScotlandYard
    options: QTableOptions

    def prepare(self) -> None:
        options = self.options
        self.plan = layout(self.game, options.symmetry, options.shared)
        moves = self.plan.degree if options.shared else self.plan.degree**2
        if count_positions(self.plan) * moves > MOST_ENTRIES:
            raise FogboundError(f"{self.game.spec} has too many positions for a table.")
        self.values = np.zeros((count_positions(self.plan), moves), np.float32)
        self.met = np.zeros(count_positions(self.plan), np.uint8)
        policy, self.opponent = self._opponent()
        self.play = trainer(policy)
        self.chance_rng = stream(options.seed, "q-table game")
        self.rng = stream(options.seed, "q-table choices")
        self.opponent_rng = stream(options.seed, "q-table opponent")

    def _opponent(self) -> tuple[Kernel, NamedTuple]:
        agent = registry.agent(self.options.opponent, self.game, self.options.seed)
        if isinstance(agent, PolicyAgent):
            return agent.policy, agent.policy_params
        if isinstance(agent, AlphaBeta):
            return alphabeta_lines.policy, alphabeta_lines.mr_x_moves(self.game, agent)
        raise FogboundError(
            f"A Q-table cannot learn against “{self.options.opponent}”: use alphabeta or a compiled agent such as heuristic."
        )

    @property
    def total(self) -> int:
        return self.options.games

    def advance(self) -> Mapping[str, float]:
        options, game = self.options, self.game
        games = min(options.piece, self.total - self.done)
        share = self.done / self.total
        far = int(game.paths.hops.max())
        weight = options.reveal_weight if options.reward == "reveal-distance" else 0.0
        alpha = options.alpha + share * (options.last_alpha - options.alpha)
        epsilon = options.epsilon + share * (options.last_epsilon - options.epsilon)
        rewards = (options.win, options.loss, options.gamma, alpha, epsilon, options.slips, options.explore_below)
        setting = Setting(self.plan, game.paths.hops, far, weight, *rewards)
        rng = (self.chance_rng, self.rng, self.opponent_rng)
        work = np.zeros(2, game.rules.state)
        won, turns, learned = self.play(
            game.table, self.opponent, setting, self.values, self.met, rng, work, games, game.most_actions
        )
        self.done += games
        return {
            "wins while learning": won / games,
            "turns a game": turns / games,
            "learned moves a game": learned / games,
            "positions met": float(self.met.sum()),
            "exploring": epsilon,
        }

    def snapshot(self) -> Arrays:
        rng = {"chance": self.chance_rng, "choices": self.rng, "opponent": self.opponent_rng}
        return {"values": self.values, "met": self.met, **rng}

    def restore(self, arrays: Arrays) -> None:
        self.values, self.met = arrays["values"].copy(), arrays["met"].copy()
        self.chance_rng, self.rng = arrays["chance"].copy(), arrays["choices"].copy()
        self.opponent_rng = arrays["opponent"].copy()

    def weights(self) -> tuple[Arrays, dict[str, str]]:
        moves = np.full(len(self.values), UNKNOWN, np.uint8)
        _best_moves(self.plan, self.values, self.met, moves)
        about = {"kind": KIND, "family": "scotland-yard", "board": self.game.board.name}
        yes = {"symmetry": self.options.symmetry, "shared": self.options.shared}
        return {"moves": moves}, about | {name: "yes" if value else "no" for name, value in yes.items()}

    def seats(self, learned: str, opponent: str) -> list[str]:
        return [opponent, f"{self.agent}:weights={learned}"]

    def side(self) -> int:
        return 1

    @property
    def agent(self) -> str:
        return KIND


@kernel
def is_step(plan, first, other, code):
    """Whether a move (of one, or of both detectives) can be made from these stations."""
    if plan.shared:
        end = plan.near[first, code]
        return end >= 0 and end != other
    end = plan.near[first, code // plan.degree]
    following = plan.near[other, code % plan.degree]
    return end >= 0 and following >= 0 and end != other and following != end


@kernel
def _best(plan, values, position, first, other):
    """The best move of a (turned) position, and its value."""
    best, pick = np.float32(-1e30), 0
    for code in range(values.shape[1]):
        if values[position, code] > best and is_step(plan, first, other, code):
            best, pick = values[position, code], code
    return pick, best


@program
def _best_moves(plan, values, met, moves):
    for position in range(met.size):
        if met[position]:
            other = position % plan.stations
            first = position // plan.stations % plan.stations
            moves[position] = _best(plan, values, position, first, other)[0]


@kernel
def _any(plan, values, first, other, rng):
    """A random move that can be made."""
    while True:
        code = below(rng, values.shape[1])
        if is_step(plan, first, other, code):
            return code


@kernel
def _explores(setting, values, position, first, other, rng):
    """Whether the next move is a random one: by epsilon, or as long as too little is known of the position."""
    explores = unit(rng) < setting.epsilon
    if setting.explore_below > 0:
        total = 0.0
        for code in range(values.shape[1]):
            if is_step(setting.plan, first, other, code):
                total += values[position, code]
        explores = explores or total < setting.explore_below
    return explores


@kernel
def _learn(values, position, code, alpha, target):
    values[position, code] += np.float32(alpha) * (np.float32(target) - values[position, code])


@kernel
def _distance_reward(setting, state):
    """The detectives' penalty at a reveal: by the distance of the nearer one, and half that of the farther."""
    near = np.int64(setting.hops[state.station[1], state.station[0]])
    far = np.int64(setting.hops[state.station[2], state.station[0]])
    return -setting.reveal_weight * (min(near, far) + 0.5 * max(near, far)) / (1.5 * setting.far)


@kernel
def _go(table, state, end, out, chance):
    """Move the detective whose turn it is."""
    count = legal(table, state, out)
    for i in range(count):
        if out[i] & HIDDEN == end:
            apply(table, state, out[i], chance)
            return


@cache
def trainer(policy: Kernel) -> Kernel:
    """A compiled function that plays games against a policy as Mr X, and learns from every move."""

    @program
    def play(table, params, setting, values, met, rng, work, games, most_actions):
        plan = setting.plan
        out = np.empty(most_actions, np.int64)
        no_tape = np.zeros(0, np.int64)
        chance = Chance(rng[0], no_tape, no_tape, np.zeros(3, np.int64))
        won = turns = learned = 0
        state = work[0]
        for _ in range(games):
            reset(table, state, chance)
            before, made, reward = NOTHING, 0, 0.0
            while state.turn >= 0:
                seat = np.int64(state.turn)
                if seat == 0:
                    work[1] = state
                    move = policy(table, params, work[1], 0, out, rng[2])
                    if setting.slips > 0 and unit(rng[2]) < setting.slips:
                        move = out[below(rng[2], legal(table, state, out))]
                    apply(table, state, move, chance)
                    if state.shown and state.turn >= 0:
                        reward += _distance_reward(setting, state)
                    continue
                turns += seat == 1
                first, other = np.int64(state.station[seat]), np.int64(state.station[3 - seat])
                wait = np.int64(state.slot - state.seen_slot)
                position, turn = find(plan, first, other, last_seen(plan, state), wait, seat - 1)
                a, b = np.int64(plan.turned[turn, first]), np.int64(plan.turned[turn, other])
                pick, value = _best(plan, values, position, a, b)
                met[position] = 1
                if before != NOTHING:
                    discount = setting.gamma if seat == 1 else 1.0  # both detectives move in one turn
                    _learn(values, before, made, setting.alpha, reward + discount * value)
                if _explores(setting, values, position, a, b, rng[1]):
                    pick = _any(plan, values, a, b, rng[1])
                else:
                    learned += 1
                before, made, reward = position, pick, 0.0
                if plan.shared:
                    _go(table, state, stepped(plan, turn, first, pick), out, chance)
                else:
                    following = stepped(plan, turn, other, pick % plan.degree)
                    _go(table, state, stepped(plan, turn, first, pick // plan.degree), out, chance)
                    if state.turn == 2:
                        _go(table, state, following, out, chance)
            caught = state.winner == DETECTIVES
            won += caught
            if before != NOTHING:
                _learn(values, before, made, setting.alpha, reward + (setting.win if caught else setting.loss))
        return won, turns, learned

    return play
