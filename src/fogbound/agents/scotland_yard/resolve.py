"""Continual re-solving on public belief states, for either side of Scotland Yard.

Before each of its moves the agent solves a lookahead from the public belief state that the game is in. That state comes
from the lookahead of its move before, and so on back to where Mr X was last in sight, where the belief is certain. The
chain is a function of what is public, whoever made the moves, so that an agent that takes over a game, or is asked again
after moves were taken back, comes to the same strategy. Lookaheads are kept, so that as a rule only one is solved a move.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents import nets
from fogbound.agents.scotland_yard.policy import Beside, Care, Caution, Room
from fogbound.agents.scotland_yard.resolve_guide import Guide, GuidedSearch, guide_of, is_guide
from fogbound.agents.scotland_yard.resolve_leaves import ExactLeaves, Leaves, PlayoutLeaves, possible
from fogbound.agents.scotland_yard.resolve_net import NetLeaves
from fogbound.agents.scotland_yard.resolve_search import (
    DETECTIVES,
    MR_X,
    OUTSIDE,
    Lookahead,
    PublicBelief,
    Search,
    list_next,
    moved,
)
from fogbound.core.agent import Budget, Decision, MixedAgent
from fogbound.core.compiled import Piece
from fogbound.core.errors import FogboundError
from fogbound.core.view import View
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import DETECTIVES as DETECTIVES_WIN
from fogbound.solve import estimate
from fogbound.solve.api import solve
from fogbound.solve.play import Advice, next_move_reveals
from fogbound.solve.roots import PublicRoot, public_root

DEFAULT_ITERATIONS = 200
CHUNK, GUIDED_CHUNK = 10, 2  # iterations between two looks at the clock
SOLVED_SECONDS = 10.0  # a game that takes longer to solve, by the estimate, is not solved for its values
SOLVED_BYTES = 1e9
SIZE, GUIDED_SIZE = 3000, 200_000
WHOLE = 1 << 30  # no limit: a lookahead goes on to the next reveal
KEPT_MEMBERS = 4_000_000  # of the lookaheads that are kept

NAME = "resolve"
GENERAL_GUIDE = "scotland-yard-guide"  # for boards without one of their own


class ResolveOptions(Budget):
    values: str = Field(
        "auto",
        description="what the leaves of a lookahead are worth: exact (from the solved game), playouts, a net (its name or "
        "its .safetensors file), or auto: exact where the game is solved in seconds, the guide of the board where there is "
        "one, elsewhere that for any board",
    )
    size: int | None = Field(
        None,
        ge=1,
        description="how large a lookahead grows: Mr X's possible stations over all its public states, about; 3000 unless "
        "you say, 200000 with a guide; with exact values it is as large as it needs to be",
    )
    pull: float = Field(
        0.05,
        gt=0,
        description="with a guide: how strongly both sides are drawn to its moves; a move that it finds e times less likely "
        "must win by so much more",
    )
    depth: int = Field(64, ge=1, description="how many moves deep a lookahead goes at most")
    playouts: int = Field(16, ge=1, description="playouts a leaf, with values=playouts")
    safety: float = Field(
        0.5,
        ge=0,
        le=1,
        description="how much the detectives' re-solving keeps to what each station of Mr X was worth before; 0 trusts the "
        "belief alone, which is unsafe",
    )
    caution: Caution = 0.0
    beside: Beside = 0.0
    room: Room = 0.0


class Resolve(MixedAgent[ResolveOptions, ScotlandYard]):
    name = NAME
    about = "re-solves a lookahead from the public belief state at every move (continual re-solving by CFR)"
    options_model = ResolveOptions

    def prepare(self) -> None:
        self.resolver = resolver(self.game, self.options)

    def pieces(self, seat: int) -> Sequence[Piece]:
        search = self.resolver.search
        return search.pieces() if isinstance(search, GuidedSearch) else ()

    def strategy(self, view: View) -> Mapping[int, float]:
        return self.resolver.think(view).chances

    def strategies(self, views: Sequence[View]) -> Sequence[Mapping[int, float]]:
        if all(next_move_reveals(self.game.table, view.state) for view in views):
            return [advice.chances for advice in self.resolver.in_sight(views)]
        return super().strategies(views)

    def decide(self, view: View) -> Decision:
        advice = self.resolver.think(view)
        return Decision(
            self.draw(advice.chances),
            values={code: 1 - value if view.seat == 0 else value for code, value in advice.values.items()},
            belief={str(self.game.numbers[station]): chance for station, chance in advice.belief.items()},
            chances=advice.chances,
        )


class Resolver:
    """Continual re-solving in one game with one set of options; what it solved is kept by public history."""

    def __init__(self, game: ScotlandYard, options: ResolveOptions) -> None:
        self.game, self.options = game, options
        self.leaves = leaves(game, options)
        self._own = threading.local()
        self._kept: dict[tuple[Any, ...], Lookahead] = {}
        self._members = 0  # of all that are kept
        self._lock = threading.Lock()

    @property
    def search(self) -> Search | GuidedSearch:
        """This thread's room to search in."""
        if not hasattr(self._own, "search"):
            self._own.search = self._room()
        search: Search | GuidedSearch = self._own.search
        return search

    def _room(self) -> Search | GuidedSearch:
        leaves, options = self.leaves, self.options
        if isinstance(leaves, Guide):
            return GuidedSearch(leaves, options.size or GUIDED_SIZE, options.pull, options.safety)
        size = WHOLE if isinstance(leaves, ExactLeaves) else options.size or SIZE
        return Search(self.game, leaves, size, options.depth, options.safety)

    def think(self, view: View) -> Advice:
        """What the seat to move does, and why."""
        if next_move_reveals(self.game.table, view.state):
            return self.in_sight([view])[0]
        side = MR_X if view.seat == 0 else DETECTIVES
        return self._advice(self.lookahead(public_root(view), side), view)

    def _advice(self, lookahead: Lookahead, view: View) -> Advice:
        here = lookahead.belief_at(0)
        row = int(np.flatnonzero(here.stations == view.state["station"][0])[0]) if view.seat == 0 else 0
        codes, chances, worth = lookahead.codes[row].tolist(), lookahead.chances[row], lookahead.worth[row]
        return Advice(
            dict(zip(codes, chances.tolist(), strict=True)),
            dict(zip(codes, worth.tolist(), strict=True)),
            {int(station): float(share) for station, share in zip(here.stations, here.belief, strict=True) if share > 0},
            float(chances @ worth),
        )

    def in_sight(self, views: Sequence[View]) -> list[Advice]:
        """Mr X's next move shows him, or ends the game: nothing is left to hide, and he takes the best."""
        if isinstance(self.leaves, Guide):
            return [self._advice(self._before_a_reveal(view.state), view) for view in views]
        states, most = np.zeros(len(views), self.game.rules.state), self.game.most_actions
        for place, view in enumerate(views):
            states[place] = view.state
        after: NDArray[Any] = np.zeros((len(views), most), states.dtype)
        codes, counts = np.zeros((len(views), most), np.int64), np.zeros(len(views), np.int64)
        list_next(self.game.table, states, after, codes, counts)
        made = np.arange(most) < counts[:, None]
        going = made & (after["turn"] >= 0)
        values = np.where(made, after["winner"] == DETECTIVES_WIN, 2.0)
        values[going] = self.leaves.values(after[going])
        return [self._best(*each) for each in zip(states, codes, values, counts.tolist(), strict=True)]

    def _before_a_reveal(self, state: Any) -> Lookahead:
        """A lookahead from where only Mr X's own station counts: his next move shows where he goes."""
        stations = np.flatnonzero(possible(np.array([state]), self.game.table.stations)[0]).astype(np.int16)
        at = PublicBelief(state, stations, (stations == state["station"][0]).astype(float), None)
        return self._solved((MR_X, state.tobytes(), ()), at, MR_X)

    def _best(self, state: Any, codes: Any, values: Any, count: int) -> Advice:
        strategy = (np.arange(count) == values.argmin()).astype(float)
        chances, worth = (
            dict(zip(codes[:count].tolist(), each.tolist(), strict=True)) for each in (strategy, values[:count])
        )
        return Advice(chances, worth, {int(state["station"][0]): 1.0}, float(strategy @ values[:count]))

    def lookaheads(self) -> list[Lookahead]:
        """All lookaheads that are kept, the oldest first."""
        return list(self._kept.values())

    def lookahead(self, root: PublicRoot, side: int) -> Lookahead:
        """The lookahead at the end of a public history. Each one begins from the belief that the one before led to."""
        stations = np.flatnonzero(root.weights > 0).astype(np.int16)
        belief = root.weights[stations] / root.weights.sum()
        about = (side, root.state.tobytes())
        at = PublicBelief(root.state, stations, belief, None)
        current, node = self._solved((*about, ()), at, side), 0
        for length, observed in enumerate(root.path, 1):
            node = current.child(node, observed) if node != OUTSIDE else OUTSIDE
            at = current.belief_at(node) if node != OUTSIDE else moved(self.game, at, observed)
            unseen = node == OUTSIDE or current.ends_at(node)
            if _acts(at, side) or (unseen and at.state["turn"] == 0):  # the detectives' moves need no strategy to follow
                current, node = self._solved((*about, root.path[:length]), at, side), 0
        return current

    def _solved(self, key: tuple[Any, ...], at: PublicBelief, side: int) -> Lookahead:
        """A lookahead that is kept, or a new one; the oldest make room."""
        found = self._kept.get(key)
        if found is not None:
            return found
        chunk = GUIDED_CHUNK if isinstance(self.leaves, Guide) else CHUNK
        found = self.search.solve(at, side, self.options.chunks(DEFAULT_ITERATIONS, chunk))
        with self._lock:
            if key not in self._kept:
                self._kept[key] = found
                self._members += found.station.size
            while self._members > KEPT_MEMBERS and len(self._kept) > 1:
                self._members -= self._kept.pop(next(iter(self._kept))).station.size
        return found


def _acts(at: PublicBelief, side: int) -> bool:
    return bool((at.state["turn"] > 0) == (side == DETECTIVES))


def leaves(game: ScotlandYard, options: ResolveOptions) -> Leaves:
    """The values that the options ask for."""
    care = Care(options.caution, options.beside, options.room)
    if options.values == "exact" or (options.values == "auto" and _is_small(game)):
        return ExactLeaves(solve(game))
    if options.values == "playouts":
        return PlayoutLeaves(game, options.playouts)
    if options.values == "auto":
        return _own_guide(game, care) or guide_of(game, nets.load(GENERAL_GUIDE), care)
    weights = nets.load(options.values, game.board.name)
    return guide_of(game, weights, care) if is_guide(weights) else NetLeaves(game, weights)


def _own_guide(game: ScotlandYard, care: Care) -> Guide | None:
    """The guide of the board, if there is one and it fits the rules."""
    if nets.find(f"{NAME}-{game.board.name}") is None:
        return None
    try:
        return guide_of(game, nets.load(NAME, game.board.name), care)
    except FogboundError:
        return None


def _is_small(game: ScotlandYard) -> bool:
    size = estimate.estimate(game, 1 << 12)
    return size.seconds <= SOLVED_SECONDS and size.bytes <= SOLVED_BYTES


_resolvers: dict[tuple[str, str], Resolver] = {}


def resolver(game: ScotlandYard, options: ResolveOptions) -> Resolver:
    """The resolver of a game, one a process and set of options."""
    key = (str(game.definition()), options.model_dump_json())
    if key not in _resolvers:
        _resolvers[key] = Resolver(game, options)
    return _resolvers[key]


__all__ = ["Resolve", "ResolveOptions", "Resolver", "resolver"]
