"""What safe re-solving is worth, and how long re-solving takes.

python benchmarks/resolve.py safety      # safe and unsafe re-solving on a board of six stations, all positions
python benchmarks/resolve.py speed       # processor time and iterations a move on grid5, by budget
python benchmarks/resolve.py match scotland-yard/london:detectives=4 resolve:iterations=20 policy --games 200   # both sides
python benchmarks/resolve.py strength FOLDER scotland-yard/plan1 heuristic --budgets iterations=1 iterations=10 seconds=0.1
python benchmarks/resolve.py respond RESPONSES.json scotland-yard/plan1 policy resolve:iterations=4 --games 40 --playouts 8
python benchmarks/resolve.py curve CELLS.json --picture docs/images/resolve-curve   # from cells of exploit.py
python benchmarks/resolve.py leaves      # the guide's values on plan1 in round 11 beside exact ones
python benchmarks/resolve.py values scotland-yard/london:detectives=4   # those of leaves beside games of policy from there
python benchmarks/resolve.py growth scotland-yard/london:detectives=4 --budgets 16 48 150   # how far lookaheads see
python benchmarks/resolve.py card FILE "GAME;GAME" AGENT --made "python ..." SECONDS MACHINE   # 200 games a side each

`strength` plays both sides by one budget after another, and says how much more than `policy` each makes of its side, from
the same starts. What is in the folder counts: an interrupted run goes on, and a later one can add budgets and games.
`respond` plays one side against an agent whose program it has in hand: it tries every move by playouts against that very
program, itself going on as `policy` or another player (`--going`), and makes the best. Mr X (`--side mr-x`, the default)
knows everything that counts; the detectives keep worlds in which that program did what was seen of it. What the response
wins more than `policy` does is the least that the agent can be exploited by. On large boards it tries only the likeliest
moves (`--moves`) and cuts playouts (`--rounds`). Each game is written when it is done, and an interrupted run goes on.
What `resolve` gives up on grid5 is measured by benchmarks/exploit.py, as for every agent.
"""

from __future__ import annotations

import argparse
import json
import re
from itertools import permutations
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import exploit
import numpy as np
from cells import gain

import fogbound as fb
from fogbound.agents import nets
from fogbound.agents.scotland_yard import policy
from fogbound.agents.scotland_yard.resolve import WHOLE, Resolve, Resolver
from fogbound.agents.scotland_yard.resolve_guide import GuidedSearch, guide_of
from fogbound.agents.scotland_yard.resolve_leaves import PlayoutLeaves
from fogbound.agents.scotland_yard.resolve_search import MR_X, Lookahead, Search
from fogbound.core import registry
from fogbound.core.compiled import program
from fogbound.core.executor import Local
from fogbound.core.rng import stream
from fogbound.core.statistics import wilson
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import DETECTIVES, apply, conceal
from fogbound.lab import plots
from fogbound.lab.sets import SetResult, grow_sets
from fogbound.solve.play import next_move_reveals
from fogbound.solve.roots import public_root
from fogbound.solve.subgame import HORIZON_NODE, REVEAL_NODE

WALK = {1: [2, 4], 2: [1, 3, 5], 3: [2, 6], 4: [1, 5], 5: [2, 4, 6], 6: [3, 5]}
TRAM = {1: [6], 6: [1], 2: [4], 4: [2]}
SAFETIES = (0, 0.5, 1)
FIRST_SEED = 1000  # of the games of a match
LATE = 10_000  # of moves that win as often, Mr X makes the one that ends latest, a detective the one that ends soonest
WORLDS = 64  # in which the detectives' response takes Mr X to be somewhere
IMAGINED = 500_000  # added to a game's seed for the players of playouts
HOW = ("moves", "floor", "rounds", "pull")  # options of a response that its games are kept under
ASKED = 4  # how often Mr X's program is asked for its move in each of them
SIDES = ("mr-x", "detectives")


def position(mr_x: int, detective: int, rounds: int) -> fb.Game:
    """Two rows of three stations with two tram lines; Mr X is seen once, and then never again."""
    links = [("taxi", WALK), ("tram", TRAM)]
    stations = [{"station": s, "links": {name: ends[s] for name, ends in links if s in ends}} for s in range(1, 7)]
    rules = {"detectives": 1, "rounds": rounds, "reveals": "none", "show_start": True}
    board = {"game": "scotland-yard", "name": "six", "stations": stations, "rules": rules}
    starts = {"mr_x": [mr_x], "detectives": [detective]}
    return registry.rebuild("scotland-yard", {**board, "transports": [{"name": n} for n, _ in links], "starts": starts})


def safety(options: argparse.Namespace) -> None:
    print("| Mr X seen at | detective at | rounds | value | " + " | ".join(f"safety {each}" for each in SAFETIES) + " |")
    for mr_x, detective in permutations(range(1, 7), 2):
        for rounds in (3, 4):
            game = position(mr_x, detective, rounds)
            value = fb.solve(game, tolerance=1e-5, cache=False).value
            if not 0.02 < value < 0.98:
                continue
            agents = [f"resolve:iterations={options.iterations},safety={each},values=exact" for each in SAFETIES]
            given_up = [value - fb.solve.exploit(game, agent, "detectives", workers=1).value for agent in agents]
            row = [mr_x, detective, rounds, *(f"{each:.4f}" for each in (value, *given_up))]
            print("| " + " | ".join(map(str, row)) + " |", flush=True)


def speed(options: argparse.Namespace) -> None:
    for budget in options.budgets:
        median, most, iterations = _speed(budget)
        print(
            f"{budget}: median {median:.4f} s, most {most:.4f} s, "
            f"at least {min(iterations)} iterations, median {sorted(iterations)[len(iterations) // 2]}"
        )


def _speed(budget: str) -> tuple[float, float, list[int]]:
    """Processor time a move on grid5 over 6 rounds, the median and the most; how many iterations each lookahead had."""
    game = fb.game("scotland-yard/grid5:rounds=6")
    fb.play(game, ["resolve:iterations=2"])  # loads the compiled code
    times, iterations = [], []
    for number in range(2):
        agents = [fb.agent(f"resolve:{budget}", game, side=side) for side in (0, 1)]
        match = game.new(seed=number)
        while not match.over and len(match.moves) < 14:
            agent = agents[game.side_of[match.to_move]]
            assert isinstance(agent, Resolve)
            began = process_time()
            decision = agent.choose(match.view(match.to_move))
            times.append(process_time() - began)
            iterations += [each.iterations for each in agent.resolver.lookaheads()]
            match.play(decision.action)
    return sorted(times)[len(times) // 2], max(times), iterations


def match(options: argparse.Namespace) -> list[dict[str, Any]]:
    """One agent against another on both sides, from the same starts: wins of the first with 95% intervals."""
    figures = []
    for side, agents in enumerate(([options.agent, options.other], [options.other, options.agent])):
        won = 0.0
        for number in range(options.first, options.first + options.games):
            scores = fb.play(options.game, agents, seed=FIRST_SEED + number).scores
            assert scores is not None
            won += scores[side]
        low, high = wilson(won, options.games)
        about = {"game": options.game, "agents": agents, "side": side, "games": options.games}
        figures.append({**about, "rate": won / options.games, "low": low, "high": high})
        name = ("Mr X", "detectives")[side]
        rate = f"{won:g} of {options.games}, {won / options.games:.3f} ({low:.3f} to {high:.3f})"
        print(f"{options.agent} as {name} against {options.other}: {rate}", flush=True)
    return figures


def strength(options: argparse.Namespace) -> None:
    """How strength grows with the budget, beside the base without search."""
    agents = [options.base, *(f"resolve:{budget}" for budget in options.budgets)]
    print(f"{options.game} against {options.other}: wins, more than {options.base}, milliseconds a move")
    print("| agent | as Mr X | more | ms | as detectives | more | ms |\n|---|---|---|---|---|---|---|", flush=True)
    base: list[SetResult] = []
    for agent in agents:
        found = [
            grow_sets(options.folder, [(options.game, pair)], options.games, FIRST_SEED, Local(options.workers))[0]
            for pair in ((agent, options.other), (options.other, agent))
        ]
        base = base or found
        cells = [cell for side, each in enumerate(found) for cell in _strength(each, base[side], side)]
        print(f"| `{agent}` | {' | '.join(cells)} |", flush=True)


def _strength(found: SetResult, base: SetResult, side: int) -> tuple[str, str, str]:
    rate, low, high = (100 * each for each in found.share(side))
    won, other = found.in_order(side).tolist(), base.in_order(side).tolist()
    both = min(len(won), len(other))
    more, least, most = gain(won[:both], other[:both])
    time = 1000 * found.side_seconds[side] / max(1, found.side_moves[side])
    return f"{rate:.1f} ({low:.1f} to {high:.1f})", f"{more:+.1f} ({least:+.1f} to {most:+.1f})", f"{time:.1f}"


def respond(options: argparse.Namespace) -> None:
    """An approximate best response to agents, beside games of the player that it goes on as, from the same starts."""
    done: dict[str, list[float]] = json.loads(options.file.read_text()) if options.file.exists() else {}
    began = monotonic()
    for agent in options.agents:
        responding = Responding(options, agent)
        pair = [done.setdefault(f"{options.game} {options.side} {agent} {how}", []) for how in responding.names]
        while len(pair[1]) < options.games and monotonic() - began < 60 * options.minutes:
            for scores, playouts in zip(pair, (0, options.playouts), strict=True):
                if len(scores) == len(pair[1]):
                    scores.append(responding.score(options.first + len(scores), playouts))
                    options.file.write_text(json.dumps(done))
        _tell_response(options, agent, [each[: len(pair[1])] for each in pair])


def _tell_response(options: argparse.Namespace, agent: str, found: list[list[float]]) -> None:
    if not found[1]:
        return
    rates = [f"{sum(each) / len(each):.3f} ({low:.3f} to {high:.3f})" for each in found for low, high in [_wilson(each)]]
    more, least, most = gain(found[1], found[0])
    print(f"As {options.side} against {agent}, {len(found[1])} games: {options.going} {rates[0]}, ", end="")
    print(f"response {rates[1]}, {more:+.1f} points ({least:+.1f} to {most:+.1f})", flush=True)


def _wilson(scores: list[float]) -> tuple[float, float]:
    return wilson(sum(scores), len(scores))


class Responding:
    """A player of one side who has the other's program in hand, and tries it by playouts."""

    def __init__(self, options: argparse.Namespace, agent: str) -> None:
        game = fb.game(options.game)
        assert isinstance(game, ScotlandYard)
        self.game, self.side, self.options = game, SIDES.index(options.side), options
        self.specs = (options.going, agent) if self.side == MR_X else (agent, options.going)
        self.guide = guide_of(game, nets.load("resolve", game.board.name)) if options.rounds else None
        named = [options.playouts, *(f"{name}={getattr(options, name)}" for name in HOW if getattr(options, name))]
        alike = [options.going] if options.going != "policy" else []
        alike += [f"first={options.first}"] if options.first else []
        self.names = " ".join(["0", *alike]), " ".join([*map(str, named), *alike])

    def score(self, number: int, playouts: int) -> float:
        """What it scores in one game; without playouts it is the player that it goes on as.

        The players of its playouts are others than the one it meets: it knows the program, and not what that will draw.
        """
        seed = FIRST_SEED + number
        players, self.imagined = (self._players(each) for each in (seed, seed + IMAGINED))
        match, rng = self.game.new(seed=seed), np.random.default_rng(seed)
        worlds = _worlds(match, self.side)
        while not match.over:
            side, decision = self.game.side_of[match.to_move], None
            if side != self.side or not (playouts and worlds and len(match.legal()) > 1):
                decision = players[side].choose(match.view(match.to_move)).action
            match.play(self._best(match, worlds, playouts, rng) if decision is None else decision)
            if playouts and not match.over:
                worlds = [match] if self.side == MR_X else _followed(worlds, match, self.imagined[MR_X], rng)
        return float(match.scores()[self.side])

    def _players(self, seed: int) -> list[fb.Agent]:
        return [fb.agent(spec, self.game, seed, side) for side, spec in enumerate(self.specs)]

    def _best(self, match: fb.Match, worlds: list[fb.Match], playouts: int, rng: np.random.Generator) -> int:
        """The move that wins most playouts, all from the same worlds; with a pull, less where it is unlikely."""
        chances = self._chances(match)
        drawn = [worlds[k] for k in rng.permutation(np.arange(playouts) % len(worlds))]
        pull = playouts * self.options.pull

        def worth(move: int) -> float:
            return sum(self._play_out(world, move) for world in drawn) + pull * float(np.log(chances[move] + 1e-9))

        return max(chances, key=worth) if len(chances) > 1 else next(iter(chances))

    def _chances(self, match: fb.Match) -> dict[int, float]:
        """The moves to be tried, and how likely the player that it goes on as finds them."""
        codes = [action.code for action in match.legal()]
        if not (self.options.moves or self.options.floor or self.options.pull):
            return dict.fromkeys(codes, 1.0)
        said = self.imagined[self.side].choose(match.view(match.to_move)).chances
        likeliest = sorted(codes, key=lambda code: -said.get(code, 0.0))[: self.options.moves or None]
        least = min(self.options.floor, said.get(likeliest[0], 0.0))
        return {code: said.get(code, 0.0) for code in likeliest if said.get(code, 0.0) >= least}

    def _play_out(self, world: fb.Match, move: int) -> float:
        """To the end, or so many rounds on; there the guide says how it will end."""
        ahead = world.copy()
        ahead.play(move)
        last = int(ahead.state["round"]) + self.options.rounds
        while not ahead.over and (self.guide is None or ahead.state["round"] < last):
            seat = ahead.to_move
            ahead.play(self.imagined[self.game.side_of[seat]].choose(ahead.view(seat)).action)
        if self.guide is not None and not ahead.over:
            caught = float(self.guide.values(np.array([ahead.state]))[0])
            return 1 - caught if self.side == MR_X else caught
        return float(ahead.scores()[self.side]) + (1 if self.side == MR_X else -1) * len(ahead.moves) / LATE


def _worlds(match: fb.Match, side: int) -> list[fb.Match]:
    """What the response takes to be possible at the start."""
    if side == MR_X:
        return [match]
    worlds, view = [match.copy() for _ in range(WORLDS)], match.view(1)
    for world in worlds:
        world.state = view.imagine().state
    return worlds


def _followed(worlds: list[fb.Match], match: fb.Match, mr_x: fb.Agent, rng: np.random.Generator) -> list[fb.Match]:
    """The worlds after the last move of the match: those in which everything that the detectives saw is as it was.

    Mr X's program is asked in each of them what it does there, several times, so that likely worlds become many. Where he
    is in sight there is one world; if none is left, the response has to wait for that.
    """
    if match.state["shown"]:
        return [match.copy()]
    last, found = match.moves[-1], []
    for world in worlds:
        for _ in range(ASKED if last.seat == 0 else 1):
            ahead = world.copy()
            ahead.play(mr_x.choose(ahead.view(0)).action if last.seat == 0 else last.code)
            if ahead.last_seen(1) == match.last_seen(1) and ahead.to_move == match.to_move:
                found.append(ahead)
    return [found[k] for k in rng.permutation(len(found))[:WORLDS]]


def curve(options: argparse.Namespace) -> None:
    """What resolve gives up by iterations, and by the processor time that they take in the slowest move."""
    cells = [each for each in exploit.read(options.cells) if re.fullmatch(r"resolve:iterations=\d+", each["agent"])]
    budgets = sorted({int(each["agent"].partition("=")[2]) for each in cells})
    seconds = {budget: _speed(f"iterations={budget}")[1] for budget in budgets}
    figure, axes = plots.canvas(9, 3.6, 2)
    print("| iterations | ms, slowest move | as Mr X gives up | as detectives gives up |\n|---|---|---|---|")
    found = {(int(each["agent"].partition("=")[2]), each["side"]): exploit.given_up(each)[1] for each in cells}
    for budget in budgets:
        told = [f"{found[budget, side]:.5f}" if (budget, side) in found else "" for side in SIDES]
        print(f"| {budget:,} | {1000 * seconds[budget]:.2f} | {' | '.join(told)} |")
    for axis, label in zip(axes, ("iterations", "seconds, slowest move"), strict=True):
        for number, side in enumerate(SIDES):
            at = [budget for budget in budgets if (budget, side) in found]
            places = at if label == "iterations" else [seconds[budget] for budget in at]
            name = ("as Mr X", "as detectives")[number]
            axis.loglog(places, [found[budget, side] for budget in at], "o-", color=plots.COLOURS[number], label=name)
        axis.set_xlabel(label)
        axis.set_ylabel("given up")
        axis.legend()
    figure.savefig(options.picture.with_suffix(".png"))


def leaves(options: argparse.Namespace) -> None:
    """How far the guide's values are off where Mr X stays hidden to the end, so that the rest can be solved at once."""
    game = fb.game("scotland-yard/plan1")
    guided = fb.agent(f"resolve:iterations=8,values={options.values}", game)
    assert isinstance(game, ScotlandYard) and isinstance(guided, Resolve)
    solving = Search(game, PlayoutLeaves(game, 1), WHOLE, 64, 0.0)  # its trees have no leaves but the ends of the game
    found = []
    for number in range(options.games):
        match = game.new(seed=FIRST_SEED + number)
        players = [fb.agent(spec, game, FIRST_SEED + number, side) for side, spec in enumerate(("policy", "heuristic"))]
        while not match.over and (match.state["round"] < 11 or match.to_move > 0):
            match.play(players[game.side_of[match.to_move]].choose(match.view(match.to_move)).action)
        if not match.over:
            at = guided.resolver.lookahead(public_root(match.view(0)), MR_X).belief_at(0)
            worth = solving.solve(at, MR_X, [300]).belief_at(0).values
            states = np.repeat(np.array([at.state]), at.stations.size)
            states["station"][:, 0] = at.stations
            says = guided.resolver.leaves.values(states)
            found.append((at.belief @ worth, at.belief @ says, at.belief @ _played_on(game, states, options.playouts)))
    exact_mean, guide_mean, played_mean = np.mean(found, axis=0)
    off = np.abs(np.array(found)[:, 1] - np.array(found)[:, 0])
    print(f"{len(found)} positions: exact {exact_mean:.3f}, games of policy from there {played_mean:.3f}")
    print(f"the guide says {guide_mean:.3f}; off by {off.mean():.3f}, at most {off.max():.3f}")


def values(options: argparse.Namespace) -> None:
    """How far the guide's values of the leaves of lookaheads are from what detectives win when `policy` plays on."""
    game = fb.game(options.game)
    guided = fb.agent(f"resolve:iterations=16,values={options.values}", game)
    assert isinstance(game, ScotlandYard) and isinstance(guided, Resolve)
    rng, leaves = np.random.default_rng(FIRST_SEED), list[Any]()
    while len(leaves) < options.positions:
        match = _somewhere(game, rng)
        if match is not None:
            side = min(match.to_move, 1)
            leaves += _leaf(guided.resolver.lookahead(public_root(match.view(match.to_move)), side), rng)
    states = np.array(leaves)
    says, won = guided.resolver.leaves.values(states), _played_on(game, states, options.playouts)
    noise = won * (1 - won) / (options.playouts - 1)  # of the playouts; it is no fault of the guide
    off = np.sqrt(max(0.0, float(np.mean((says - won) ** 2 - noise))))
    spread = np.sqrt(max(0.0, float(np.var(won) - np.mean(noise))))
    print(
        f"{options.game}, {states.size} leaves: detectives win {won.mean():.3f}, the guide says {says.mean():.3f}; ", end=""
    )
    print(f"it is off by {off:.3f} (root mean square), where the values spread by {spread:.3f}")


def growth(options: argparse.Namespace) -> None:
    """How large lookaheads with a guide grow, how far ahead they see, and how far their moves are from those of the last."""
    game, rng = fb.game(options.game), np.random.default_rng(FIRST_SEED)
    agent = fb.agent("resolve:iterations=48", game)
    assert isinstance(game, ScotlandYard) and isinstance(agent, Resolve)
    found: list[list[tuple[float, ...]]] = []
    while len(found) < options.positions:
        match = _somewhere(game, rng)
        if match is not None:
            found.append(_grown(agent.resolver, match, options.budgets))
    print("| iterations | ms | public states | stations | rounds ahead | leaves at a reveal | other moves | worse by |")
    print("|---|---|---|---|---|---|---|---|")
    for budget, figures in zip(options.budgets, np.mean(found, axis=0), strict=True):
        print("| {} | {:.1f} | {:.0f} | {:.0f} | {:.2f} | {:.0%} | {:.1%} | {:.4f} |".format(budget, *figures))


def _grown(resolver: Resolver, match: fb.Match, budgets: list[int]) -> list[tuple[float, ...]]:
    """The figures of one position, by budgets; all lookaheads are from the same belief."""
    search, side = resolver.search, min(match.to_move, 1)
    assert isinstance(search, GuidedSearch)
    at = resolver.lookahead(public_root(match.view(match.to_move)), side).belief_at(0)
    figures, lookaheads = [], []
    for budget in budgets:
        began = process_time()
        lookaheads.append(search.solve(at, side, [budget]))
        figures.append((1000 * (process_time() - began), *_size(search)))
    return [(*each, *_apart(one, lookaheads[-1], side)) for each, one in zip(figures, lookaheads, strict=True)]


def _size(search: GuidedSearch) -> tuple[float, ...]:
    tree = search.tree
    nodes, members = tree.counts[:2].tolist()
    reached = np.add.reduceat(tree.reach[:members], tree.first[:nodes]) * tree.node_reach[:nodes]
    share = reached * (tree.opened[:nodes] == 0)  # how often each leaf is reached
    ahead = tree.states["round"][:nodes] - tree.states["round"][0]
    shown = tree.kind[:nodes] == REVEAL_NODE
    return nodes, members, float(share @ ahead / share.sum()), float(share @ shown / share.sum())


def _apart(one: Lookahead, last: Lookahead, side: int) -> tuple[float, float]:
    """How often one makes another move than the last would, and how much worse the last finds that."""
    shares = last.belief_at(0).belief if side == MR_X else np.ones(1)
    often = worse = 0.0
    for share, mine, other, worth in zip(shares, one.chances, last.chances, last.worth, strict=True):
        often += share * float(np.abs(mine - other).sum()) / 2
        worse += share * float((mine - other) @ worth) * (1 if side == MR_X else -1)
    return often, worse


def _somewhere(game: ScotlandYard, rng: np.random.Generator) -> fb.Match | None:
    """A game of `policy` on one side or both, after some rounds; None where it was over before, or Mr X is in sight next."""
    seed = int(rng.integers(1 << 32))
    match = game.new(seed=seed)
    specs = (("policy", "policy"), ("policy", "heuristic"), ("heuristic", "policy"))[rng.integers(3)]
    players = [fb.agent(spec, game, seed, side) for side, spec in enumerate(specs)]
    last = int(rng.integers(game.seats * game.table.rounds))
    while not match.over and len(match.moves) < last:
        match.play(players[game.side_of[match.to_move]].choose(match.view(match.to_move)).action)
    return None if match.over or next_move_reveals(game.table, match.state) else match


def _leaf(lookahead: Lookahead, rng: np.random.Generator) -> list[Any]:
    """The state at one of the leaves of a lookahead, as likely as Mr X comes to it."""
    nodes = np.repeat(np.arange(lookahead.kind.size), np.diff(lookahead.first))
    reach = lookahead.reach * (lookahead.kind[nodes] == HORIZON_NODE)
    if reach.sum() == 0:
        return []
    member = int(rng.choice(reach.size, p=reach / reach.sum()))
    state = lookahead.states[nodes[member]].copy()
    state["station"][0] = lookahead.station[member]
    return [state]


def _played_on(game: ScotlandYard, states: Any, playouts: int) -> Any:
    """How often the detectives win when `policy` plays all seats on from states with a known Mr X."""
    won, out = np.empty(states.size), np.zeros(game.most_actions, np.int64)
    params = policy.params(game, nets.load("policy", game.board.name))
    play_out(game.table, params, states, playouts, out, stream(FIRST_SEED, "playouts"), won)
    return won


@program
def play_out(table, params, states, playouts, out, rng, won):
    play = np.zeros(2, states.dtype)
    for k in range(states.size):
        wins = 0
        for _ in range(playouts):
            play[0] = states[k]
            while play[0].turn >= 0:
                play[1] = play[0]
                conceal(table, play[1], play[0].turn)
                apply(table, play[0], policy.choose(table, params, play[1], play[0].turn, out, rng), 0)
            wins += play[0].winner == DETECTIVES
        won[k] = wins / playouts


def card(options: argparse.Namespace) -> None:
    """How a net was made, and what resolve wins with it against the heuristic."""
    command, seconds, machine = options.made
    about = nets.load(str(options.file)).about
    seed = int(command.partition("--seed ")[2].split()[0])
    data = f"{int(about['states']):,} public states of self-play" if "states" in about else "positions of the solved game"
    made = {"machine": machine, "seconds": round(float(seconds))}
    boards = options.game.split(";")
    figures = [figure for game in boards for figure in match(argparse.Namespace(**{**vars(options), "game": game}))]
    whole = {"command": command, "seed": seed, "data": data, "made": made, "figures": figures}
    options.file.with_suffix(".json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="what", required=True)
    commands.add_parser("safety").add_argument("--iterations", type=int, default=100)
    measuring = commands.add_parser("speed")
    measuring.add_argument("--budgets", nargs="+", default=["iterations=30", "iterations=300", "seconds=1"])
    growing = commands.add_parser("strength")
    for name in ("folder", "game", "other"):
        growing.add_argument(name)
    growing.add_argument("--budgets", nargs="+", required=True)
    growing.add_argument("--base", default="policy")
    growing.add_argument("--games", type=int, default=200)
    growing.add_argument("--workers", type=int, default=1)
    responding = commands.add_parser("respond")
    responding.add_argument("file", type=Path)
    responding.add_argument("game")
    responding.add_argument("agents", nargs="+")
    responding.add_argument("--games", type=int, default=40)
    responding.add_argument("--playouts", type=int, default=8, help="of each move")
    responding.add_argument("--moves", type=int, default=0, help="try only so many, the likeliest; 0: all")
    responding.add_argument("--floor", type=float, default=0.0, help="and none less likely than this")
    responding.add_argument("--rounds", type=int, default=0, help="cut playouts after so many, by the guide; 0: never")
    responding.add_argument("--pull", type=float, default=0.0, help="the price of unlikely moves, as in resolve")
    responding.add_argument("--going", default="policy", help="the player that the response goes on as in its playouts")
    responding.add_argument("--first", type=int, default=0, help="number of the first game")
    responding.add_argument("--minutes", type=float, default=1e9, help="begin no other game after this long")
    responding.add_argument("--side", choices=SIDES, default=SIDES[0], help="which side the response plays")
    drawing = commands.add_parser("curve")
    drawing.add_argument("cells", type=Path)
    drawing.add_argument("--picture", type=Path, required=True)
    leaving = commands.add_parser("leaves")
    leaving.add_argument("--games", type=int, default=100)
    valuing = commands.add_parser("values")
    valuing.add_argument("game")
    valuing.add_argument("--positions", type=int, default=200)
    for parts in (leaving, valuing):
        parts.add_argument("--playouts", type=int, default=50)
        parts.add_argument("--values", default="auto", help="the guide, if it is not that of the board")
    looking = commands.add_parser("growth")
    looking.add_argument("game")
    looking.add_argument("--budgets", type=int, nargs="+", default=[16, 48, 150])
    looking.add_argument("--positions", type=int, default=30)
    matching = commands.add_parser("match")
    making = commands.add_parser("card")
    making.add_argument("file", type=Path)
    making.add_argument("--made", nargs=3, required=True, metavar=("COMMAND", "SECONDS", "MACHINE"))
    for parts in (matching, making):
        for name in ("game", "agent"):
            parts.add_argument(name)
        parts.add_argument("other", nargs="?", default="heuristic")
        parts.add_argument("--games", type=int, default=200)
        parts.add_argument("--first", type=int, default=0, help="number of the first game, to play a match in portions")
    options = parser.parse_args()
    commands_by_name = {
        "safety": safety,
        "speed": speed,
        "strength": strength,
        "respond": respond,
        "curve": curve,
        "leaves": leaves,
        "values": values,
        "growth": growth,
        "match": match,
        "card": card,
    }
    commands_by_name[options.what](options)


if __name__ == "__main__":
    main()
