"""Evolving the five nets of Risk: as Vašátko (2018) did, with a genetic algorithm, or with an evolution strategy.

Evolutions follow one another, each against the best of the one before. How fit nets are is told by
games in compiled code on all cores; all candidates of a generation play the same maps, seats and dice.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from fogbound.agents import nets
from fogbound.agents.risk import net as net_risk
from fogbound.agents.risk.net import Minds
from fogbound.core import registry
from fogbound.core.agent import PolicyAgent
from fogbound.core.compiled import Kernel
from fogbound.core.errors import FogboundError
from fogbound.core.rng import root, spread
from fogbound.games.risk.features import lands
from fogbound.games.risk.game import Risk
from fogbound.train.method import Arrays, Learner, Options, rng_state, set_rng_state
from fogbound.train.risk.contests import contest

Genes = NDArray[np.float32]
Fitness = NDArray[np.float64]

FIRST_MAP = 1_000  # seeds of the maps that nets are evolved on; others are for trials
BLENDED = 0.5  # share of crossovers that mix all genes; the others cut both and swap an end
SLOWEST = 0.8  # by how much the steps of the mean are shorter in the end
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # of Adam


class EvolveOptions(Options):
    strategy: Literal["genetic", "es"] = Field("genetic", description="a genetic algorithm, or an evolution strategy")
    topology: Literal["simple", "complex"] = Field("simple", description="1,146 numbers, or 1,944 in more layers")
    inputs: Literal["numbers", "logarithms"] = Field("numbers", description="how nets are told numbers of armies and lands")
    attack: Literal["rolls", "battles"] = Field(
        "rolls", description="roll after roll, pair after pair of territories; or whole battles, the one liked best first"
    )
    generations: list[int] = Field(default=[50, 60, 80, 100], description="generations of the successive evolutions")
    population: int = Field(100, ge=4, description="candidates of a generation")
    games: int = Field(200, ge=1, description="games that tell how fit a candidate is")
    rounds: int = Field(100, ge=5, description="a game of more rounds is nobody's")
    start: str = Field("", description="weights to begin with, shipped or a file; none begins with untrained ones")
    first: str = Field("untrained", description="whom the first evolution meets: untrained nets, or an agent")
    opponents: list[str] = Field(
        default=["before"],
        description="whom candidates meet, games shared evenly: before (the best of the evolution before)",
    )
    maps: int = Field(1, ge=1, description="maps to play on; 1 is the game's own, more are made from seeds of their own")
    maps_a_generation: int = Field(1, ge=1, description="how many of the maps a generation plays on, drawn anew each time")
    lowest: float = Field(0.0, le=0, ge=-1, description="genetic: numbers begin between this and 1")
    crossover: float = Field(0.5, ge=0, le=1, description="genetic: the share of pairs that have two children")
    mutation: float = Field(0.01, ge=0, le=1, description="genetic: the share of candidates that have a changed copy")
    changed: float = Field(0.0, ge=0, le=1, description="genetic: share of numbers that a mutation changes; 0 for just one")
    sigma: float = Field(0.1, gt=0, description="es: how far candidates stray from the mean")
    rate: float = Field(0.03, gt=0, description="es: the step of the mean (Adam)")
    decay: float = Field(0.001, ge=0, lt=1, description="es: how much the mean shrinks each generation")
    shaping: float = Field(0.0, ge=0, description="what a mean share of all land counts, beside 1 for a win")
    workers: int = Field(0, ge=0, description="threads; 0 for all cores")

    @model_validator(mode="after")
    def _fit_together(self) -> EvolveOptions:
        if not self.generations or min(self.generations) < 1:
            raise ValueError("generations is a list of numbers from 1 on")
        if self.maps_a_generation > self.maps:
            raise ValueError("maps_a_generation is at most maps")
        return self


class _Opponent(NamedTuple):
    policy: Kernel
    params: Any  # by map, or None for nets that are made anew for every thread
    minds: Minds | None


class Evolve(Learner):
    name = "evolve"
    about = "evolves five small nets in games against the best of the evolution before"
    unit = "generations"
    families = ("risk",)
    options_model = EvolveOptions
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "vasatko": {},
        "vasatko-complex": {"topology": "complex"},
        "es": {
            "strategy": "es",
            "inputs": "logarithms",
            "attack": "battles",
            "generations": [50] * 14,
            "population": 192,
            "games": 96,
            "rounds": 60,
            "opponents": ["before", "heuristic"],
            "maps": 64,
            "maps_a_generation": 2,
            "shaping": 0.3,
        },
    }

    def prepare(self) -> None:
        assert isinstance(self.game, Risk) and isinstance(self.options, EvolveOptions)
        self.how = self.options
        self.generator = np.random.default_rng(self.how.seed)
        self.size = net_risk.genes_of(self.how.topology)
        self.maps = [self._map(number) for number in range(self.how.maps)]
        self.lands = [lands(game, self.how.inputs == "logarithms") for game in self.maps]
        self.before = self._start()
        self.ancestors: list[Genes] = []  # the best of each evolution that is over
        self._check(self.how.first)
        for each in self.how.opponents:
            self._check(each)
        self._pool = ThreadPoolExecutor(self.how.workers or os.cpu_count() or 1)
        self._begin()

    def _start(self) -> Genes:
        how = self.how
        if not how.start:
            return untrained(how.topology, how.seed, how.strategy, how.lowest)
        found = net_risk.read(how.start)
        if found[1:] != self._minds(found.genes)[1:]:
            raise FogboundError(f"“start={how.start}” cannot be: its topology, inputs or way to attack are others.")
        return found.genes

    def _map(self, number: int) -> Risk:
        """The game on one of the maps, with the limit of rounds."""
        name, text = registry.split_options(self.game.spec.partition("/")[2])
        options = registry.parse_options(text, self.game.spec)
        options["round_limit"] = str(self.how.rounds)
        if self.how.maps > 1:
            if name != "random":
                raise FogboundError(f"{self.game.spec} has one map; several are made of risk/random only.")
            options["seed"] = str(FIRST_MAP + number)
        made = registry.game(f"risk/{name}:" + ",".join(f"{key}={value}" for key, value in options.items()))
        assert isinstance(made, Risk)
        return made

    def _check(self, name: str) -> None:
        if name not in ("before", "untrained") and not isinstance(registry.agent(name, self.game), PolicyAgent):
            raise FogboundError(f"“{name}” cannot be met in an evolution: it is no compiled policy.")

    def _begin(self) -> None:
        how = self.how
        if how.strategy == "es":
            self.population = self.before[None].copy()
            self.moments = np.zeros((2, self.size))
        else:
            self.population = self.generator.uniform(how.lowest, 1.0, (how.population, self.size)).astype(np.float32)
            if how.start:
                self.population[0] = self.before
        self.fitness = np.full(len(self.population), np.nan)

    @property
    def total(self) -> int:
        return sum(self.how.generations)

    @property
    def stage(self) -> int:
        """Which of the successive evolutions is going on, from 0."""
        ends = np.cumsum(self.how.generations)
        return int(np.searchsorted(ends, self.done, side="right"))

    def advance(self) -> Mapping[str, float]:
        stage = self.stage
        figures = self._strategy() if self.how.strategy == "es" else self._epoch()
        self.done += 1
        if self.stage != stage:
            self.before = self.best().copy()
            self.ancestors.append(self.before)
            self.fitness[:] = np.nan  # they meet others now
        return {**figures, "evolution": stage + 1}

    def best(self) -> Genes:
        best: Genes = self.population[0]
        return best

    # The genetic algorithm, as its library does it.

    def _epoch(self) -> Mapping[str, float]:
        """Children and changed copies join; the fittest of all stay, the fittest first."""
        how = self.how
        parents = self.population
        others = [*self._children(parents), *self._mutants(parents)]
        everyone = np.concatenate([parents, np.array(others, np.float32).reshape(-1, self.size)])
        known = np.concatenate([self.fitness, np.full(len(others), np.nan)])
        if how.maps > 1:
            known[:] = np.nan  # on other maps it was worth something else
        ask = np.isnan(known)
        known[ask] = self._fit(everyone[ask])
        order = np.argsort(-known, kind="stable")[: how.population]
        self.population, self.fitness = everyone[order], known[order]
        return {"best fitness": float(known[order[0]]), "mean fitness": float(known[order].mean())}

    def _children(self, parents: Genes) -> list[Genes]:
        """Of each two neighbours in the ranking, with the crossover's probability."""
        made: list[Genes] = []
        for i in range(1, len(parents), 2):
            if self.generator.random() < self.how.crossover:
                made += _crossed(parents[i - 1], parents[i], self.generator)
        return made

    def _mutants(self, parents: Genes) -> list[Genes]:
        chosen = np.flatnonzero(self.generator.random(len(parents)) < self.how.mutation)
        return [_mutated(parents[i], self.how.changed, self.generator) for i in chosen]

    # The evolution strategy.

    def _strategy(self) -> Mapping[str, float]:
        """Candidates on both sides of the mean; ranks tell where to go."""
        how = self.how
        pairs = how.population // 2
        steps = self.generator.standard_normal((pairs, self.size)).astype(np.float32)
        mean = self.population[0]
        fitness = self._fit(np.concatenate([mean + how.sigma * steps, mean - how.sigma * steps]))
        ranks = fitness.argsort(kind="stable").argsort(kind="stable") / (2 * pairs - 1) - 0.5
        slope = (ranks[:pairs] - ranks[pairs:]) @ steps / (2 * pairs * how.sigma)
        self.population[0] = mean * (1 - how.decay) + self._adam(slope)
        return {"best fitness": float(fitness.max()), "mean fitness": float(fitness.mean())}

    def _adam(self, slope: NDArray[Any]) -> Genes:
        first, second = self.moments
        first += (1 - BETA1) * (slope - first)
        second += (1 - BETA2) * (slope**2 - second)
        age = self.done + 1
        step = (first / (1 - BETA1**age)) / (np.sqrt(second / (1 - BETA2**age)) + EPSILON)
        slowing = 1 - SLOWEST * self.done / self.total
        moved: Genes = (self.how.rate * slowing * step).astype(np.float32)
        return moved

    # How fit candidates are.

    def _fit(self, candidates: Genes) -> Fitness:
        how = self.how
        drawn = self.generator.choice(how.maps, how.maps_a_generation, replace=False)
        meetings = [(int(m), opponent) for m in drawn for opponent in self._opponents()]
        games = max(1, how.games // len(meetings))
        streams = [int(self.generator.integers(1 << 62)) for _ in meetings]
        fitness = np.zeros(len(candidates))

        def play(number: int) -> None:
            for (m, opponent), stream in zip(meetings, streams, strict=True):
                fitness[number] += self._meet(candidates[number], m, opponent, stream, games)

        list(self._pool.map(play, range(len(candidates))))
        return fitness / len(meetings)

    def _opponents(self) -> list[_Opponent]:
        first = self.stage == 0 and self.how.first != "untrained"
        names = [self.how.first if first and each == "before" else each for each in self.how.opponents]
        return [self._opponent(name) for name in names]

    def _opponent(self, name: str) -> _Opponent:
        if name in ("before", "untrained"):
            return _Opponent(net_risk.choose, None, self._minds(self.before))
        agents = [registry.agent(name, game) for game in self.maps]
        found = [agent for agent in agents if isinstance(agent, PolicyAgent)]
        return _Opponent(found[0].policy, [agent.policy_params for agent in found], None)

    def _minds(self, genes: Genes) -> Minds:
        how = self.how
        return Minds(genes, how.topology, how.inputs == "logarithms", how.attack == "battles")

    def _params(self, minds: Minds, number: int) -> net_risk.Params:
        return net_risk.Params(net_risk.make_nets(minds), self.lands[number], int(minds.battles), self.how.rounds + 1)

    def _meet(self, genes: Genes, number: int, opponent: _Opponent, stream: int, games: int) -> float:
        """The mean result of one candidate's games on a map against opponents of one kind."""
        game = self.maps[number]
        theirs = self._params(opponent.minds, number) if opponent.minds else opponent.params[number]
        chance, rng = (spread(root(stream, purpose), 0, games) for purpose in ("game", "players"))
        wins, shares = np.zeros(games), np.zeros(games)
        compete = contest(opponent.policy)
        mine = self._params(self._minds(genes), number)
        compete(game.table, mine, theirs, chance, rng, stream % game.seats, game.most_actions, wins, shares)
        return float(wins.mean() + self.how.shaping * shares.mean())

    # What is kept.

    def snapshot(self) -> Arrays:
        kept = {"population": self.population, "fitness": self.fitness, "before": self.before}
        kept["ancestors"] = np.array(self.ancestors, np.float32).reshape(-1, self.size)
        if self.how.strategy == "es":
            kept["moments"] = self.moments
        return {**kept, "words": rng_state(self.generator)}

    def restore(self, arrays: Arrays) -> None:
        self.population, self.fitness = arrays["population"].copy(), arrays["fitness"].copy()
        self.before, self.ancestors = arrays["before"].copy(), list(arrays["ancestors"].copy())
        if self.how.strategy == "es":
            self.moments = arrays["moments"].copy()
        set_rng_state(self.generator, arrays["words"])

    def weights(self) -> tuple[Arrays, dict[str, str]]:
        return net_risk.tensors(self._minds(self.best()))

    def seats(self, learned: str, opponent: str) -> list[str]:
        return [f"net:weights={learned}", *[opponent] * (self.game.seats - 1)]


def untrained(topology: str, seed: int, strategy: str = "genetic", lowest: float = 0.0) -> Genes:
    """Nets that have learned nothing yet; those of the genetic algorithm begin with numbers between `lowest` and 1."""
    generator = np.random.default_rng((seed, 0))
    size = net_risk.genes_of(topology)
    if strategy == "genetic":
        return generator.uniform(lowest, 1.0, size).astype(np.float32)
    spreading = 1.0 / np.sqrt(net_risk.fan_in(topology))
    return (generator.standard_normal(size) * spreading).astype(np.float32)


def write_untrained(topology: str, seed: int, file: str) -> None:
    """Keep untrained nets of the genetic algorithm, to compare others with."""
    nets.save(Path(file), *net_risk.tensors(Minds(untrained(topology, seed), topology, logarithms=False, battles=False)))


def _crossed(one: Genes, other: Genes, generator: np.random.Generator) -> Sequence[Genes]:
    """Two children: the ends swapped behind a cut, or all genes moved towards each other or apart."""
    if generator.random() >= BLENDED:
        cut = int(generator.integers(1, one.size))
        return np.concatenate([one[:cut], other[cut:]]), np.concatenate([other[:cut], one[cut:]])
    part = (one - other) * np.float32(generator.uniform(-1.0, 1.0))
    return one - part, other + part


def _mutated(genes: Genes, share: float, generator: np.random.Generator) -> Genes:
    """One number, or a share of them, multiplied by a number below 1 or increased by one."""
    made = genes.copy()
    if share > 0:
        places = np.flatnonzero(generator.random(genes.size) < share)
        made[places] += generator.standard_normal(places.size).astype(np.float32)
        return made
    place = int(generator.integers(genes.size))
    if generator.random() < 0.5:
        made[place] *= np.float32(generator.random())
    else:
        made[place] += np.float32(generator.random())
    return made
