"""An independent way to the value of a small game: its whole extensive form, solved as one linear programme.

The tree is walked through `Match`, move by move. Nothing is taken from the solver: no subgames, no
symmetries, no public tree; information sets are what a seat's view holds. The programme is the
sequence form: the detectives choose a realisation plan that is best against Mr X's best answer.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import lil_matrix

import fogbound as fb

ROOT = ((), -1)  # the empty sequence: an information set and an action


class Tree:
    """Sequences of both sides, and the detectives' expected wins for each pair of them."""

    def __init__(self, game: fb.Game) -> None:
        self.game = game
        self.wins: dict[tuple, float] = defaultdict(float)
        self.sets: list[dict] = [{}, {}]  # for each side: information set -> (sequence that leads there, actions)
        starts = list(game.starts())
        for start, chance in zip(starts, chances(game, starts), strict=True):
            match = game.new(start=start)
            opening = (tuple(int(x) for x in match.view(1).state["station"][1:]), int(match.view(1).state["station"][0]))
            self.walk(match, opening, ROOT, ROOT, chance)

    def walk(self, match: fb.Match, opening: tuple, mr_x: tuple, detectives: tuple, chance: float) -> None:
        if match.over:
            self.wins[mr_x, detectives] += chance * match.scores()[1]
            return
        seat = match.to_move
        side = 0 if seat == 0 else 1
        if side == 0:  # Mr X knows his start and all that happened
            known = (tuple(match.start), tuple(move.code for move in match.moves))
        else:
            known = (opening, tuple((seen.seat, seen.code) for seen in match.view(1).history))
        here = mr_x if side == 0 else detectives
        moves = [move.code for move in match.legal()]
        before = self.sets[side].setdefault(known, (here, moves))
        assert before == (here, moves), "perfect recall: the same knowledge always has the same past and moves"
        for code in moves:
            match.play(code)
            taken = (known, code)
            self.walk(match, opening, taken if side == 0 else mr_x, taken if side == 1 else detectives, chance)
            match.undo()

    def value(self) -> float:
        """Maximise over the detectives' plans what Mr X's best answer leaves them."""
        theirs = {ROOT: 0}
        for known, (_, moves) in self.sets[1].items():
            for code in moves:
                theirs[known, code] = len(theirs)
        his = {ROOT: 0}
        for known, (_, moves) in self.sets[0].items():
            for code in moves:
                his[known, code] = len(his)
        his_sets = {known: i for i, known in enumerate(self.sets[0], start=1)}
        columns = len(theirs) + 1 + len(his_sets)  # their plan, then a value for each of his information sets
        at = len(theirs)
        # For each sequence of his: the value of the set it ends in, at most the sets after it plus what it wins.
        bound = lil_matrix((len(his), columns))
        bound[0, at] = 1
        for known, (_, moves) in self.sets[0].items():
            for code in moves:
                bound[his[known, code], at + his_sets[known]] = 1
        for known, (before, _) in self.sets[0].items():
            bound[his[before], at + his_sets[known]] -= 1
        for (mr_x, detectives), won in self.wins.items():
            bound[his[mr_x], theirs[detectives]] -= won
        flow = lil_matrix((1 + len(self.sets[1]), columns))
        flow[0, 0] = 1
        for row, (known, (before, moves)) in enumerate(self.sets[1].items(), start=1):
            flow[row, theirs[before]] = -1
            for code in moves:
                flow[row, theirs[known, code]] = 1
        right = np.zeros(flow.shape[0])
        right[0] = 1
        aim = np.zeros(columns)
        aim[at] = -1
        limits = [(0, None)] * len(theirs) + [(None, None)] * (columns - len(theirs))
        done = linprog(aim, bound.tocsr(), np.zeros(len(his)), flow.tocsr(), right, limits, method="highs")
        assert done.success, done.message
        return float(-done.fun)


def chances(game: fb.Game, starts: list[tuple[int, ...]]) -> list[float]:
    """How likely each start is: its draws are even at every step, given those before."""
    counts: dict[tuple[int, ...], set[int]] = defaultdict(set)
    for start in starts:
        for k in range(len(start)):
            counts[start[:k]].add(start[k])
    return [float(np.prod([1 / len(counts[start[:k]]) for k in range(len(start))])) for start in starts]


def value(game: fb.Game) -> float:
    return Tree(game).value()


def best_response(game: fb.Game, agent: str, side: int) -> float:
    """What the detectives win when one side is an agent and the other its best response, by walking every line of play.

    The responder keeps all lines that it cannot tell apart together, each with its probability.
    """
    player = fb.agent(agent, game, side=side)
    starts = list(game.starts())
    lines = [(game.new(start=start), chance) for start, chance in zip(starts, chances(game, starts), strict=True)]
    return _respond(game, player, side, lines)


def _respond(game: fb.Game, player: fb.Agent, side: int, lines: list) -> float:
    """The responder's best from lines of play that may differ in what it knows."""
    won = sum(chance * match.scores()[1] for match, chance in lines if match.over)
    known: dict = defaultdict(list)
    for match, chance in lines:
        if not match.over:
            known[_knowledge(match, 1 - side)].append((match, chance))
    return won + sum(_go_on(game, player, side, together) for together in known.values())


def _go_on(game: fb.Game, player: fb.Agent, side: int, lines: list) -> float:
    if (0 if lines[0][0].to_move == 0 else 1) == side:
        after = [
            (_after(match, code), chance * share)
            for match, chance in lines
            for code, share in _shares(player, match).items()
        ]
        return _respond(game, player, side, after)
    values = [
        _respond(game, player, side, [(_after(match, move.code), chance) for match, chance in lines])
        for move in lines[0][0].legal()
    ]
    return min(values) if side == 1 else max(values)


def _knowledge(match: fb.Match, side: int) -> tuple:
    view = match.view(side)
    first = match.state_at(0)
    start = match.start if side == 0 else tuple(first["station"][1:].tolist())
    return match.to_move, start, view.state.tobytes(), tuple((seen.seat, seen.code) for seen in view.history)


def _shares(player: fb.Agent, match: fb.Match) -> dict[int, float]:
    """How often the agent plays each move: the random player all of them alike, others as they say, or always the same."""
    moves = [move.code for move in match.legal()]
    if player.name == "random":
        return {code: 1 / len(moves) for code in moves}
    decision = player.choose(match.view(match.to_move))
    return dict(decision.chances) or {decision.action: 1.0}


def _after(match: fb.Match, code: int) -> fb.Match:
    twin = match.copy()
    twin.play(code)
    return twin
