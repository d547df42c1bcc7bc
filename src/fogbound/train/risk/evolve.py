"""Evolving the five nets of Risk: with a genetic algorithm, as in Vašátko (2018), or with an evolution strategy.

Evolutions follow one another, each against the best of the one before. Fitness comes from games in
compiled code on all cores; all candidates of a generation play the same maps, seats and dice.
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
from fogbound.agents.risk.net import Genome
from fogbound.core import registry
from fogbound.core.agent import PolicyAgent, separate
from fogbound.core.compiled import Kernel
from fogbound.core.errors import FogboundError
from fogbound.core.rng import root, spread
from fogbound.games.risk.features import lands
from fogbound.games.risk.game import Risk
from fogbound.train.method import Arrays, Learner, Options, rng_state, set_rng_state
from fogbound.train.risk.contests import contest

Genes = NDArray[np.float32]
Fitness = NDArray[np.float64]

FIRST_MAP = 1_000  # the first seed of the maps that nets are evolved on; lower ones are a holdout
BLENDED = 0.5  # share of crossovers that blend all genes; the others cut both and swap an end
SLOWEST = 0.8  # by how much the steps of the mean get shorter until the end
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8  # of Adam


# As the thesis reads: a map of its own for every game, fitness that is kept, each pair of territories asked about once.
AS_WRITTEN: Mapping[str, Any] = {
    "attack": "list",
    "precision": "double",
    "maps": 400,
    "maps_a_generation": 200,
    "keep": True,
}


class EvolveOptions(Options):
    strategy: Literal["genetic", "es"] = Field("genetic", description="a genetic algorithm, or an evolution strategy")
    topology: Literal["simple", "complex"] = Field("simple", description="1,146 weights, or 1,944 in more layers")
    inputs: Literal["numbers", "logarithms"] = Field("numbers", description="the scale of the nets' inputs")
    attack: Literal["rolls", "battles", "pass", "list"] = Field(
        "rolls",
        description="attack roll by roll, pair by pair of territories, until all are refused, or each pair once (pass), "
        "or only from territories held before the attack (list); or in whole battles, the best one first",
    )
    precision: net_risk.Precision = Field("single", description="of the nets' numbers when they are worked out")
    generations: list[int] = Field(default=[50, 60, 80, 100], description="generations of the successive evolutions")
    population: int = Field(100, ge=4, description="candidates in a generation")
    games: int = Field(200, ge=1, description="games that give the fitness of a candidate")
    rounds: int = Field(100, ge=5, description="round limit: a longer game counts for nobody")
    start: str = Field("", description="weights to start from, shipped or a file; empty: untrained ones")
    first: str = Field("untrained", description="the opponent of the first evolution: untrained nets, or an agent")
    opponents: list[str] = Field(
        default=["before"],
        description="opponents of the candidates, with equal shares of the games: agents, or before (the best of the "
        "evolution before)",
    )
    maps: int = Field(1, ge=1, description="maps to play on; 1: the game's own, more are generated from seeds")
    maps_a_generation: int = Field(1, ge=1, description="maps that each generation plays on, drawn at random")
    keep: bool = Field(False, description="genetic: fitness is measured once in a life, even where the maps change")
    lowest: float = Field(0.0, le=0, ge=-1, description="genetic: initial weights lie between this and 1")
    crossover: float = Field(0.5, ge=0, le=1, description="genetic: share of pairs that have two children")
    mutation: float = Field(0.01, ge=0, le=1, description="genetic: share of candidates that get a mutated copy")
    changed: float = Field(0.0, ge=0, le=1, description="genetic: share of weights that a mutation changes; 0: just one")
    sigma: float = Field(0.1, gt=0, description="es: standard deviation of the candidates around the mean")
    rate: float = Field(0.03, gt=0, description="es: learning rate of the mean (Adam)")
    decay: float = Field(0.001, ge=0, lt=1, description="es: weight decay of the mean in each generation")
    shaping: float = Field(0.0, ge=0, description="fitness for the mean share of territories, beside 1 for a win")
    workers: int = Field(0, ge=0, description="threads; 0: one a core")

    @model_validator(mode="after")
    def _fit_together(self) -> EvolveOptions:
        if not self.generations or min(self.generations) < 1:
            raise ValueError("generations must be a list of numbers that are at least 1")
        if self.maps_a_generation > self.maps:
            raise ValueError("maps_a_generation must not be greater than maps")
        return self


class _Opponent(NamedTuple):
    policy: Kernel
    params: Any  # by map; None for nets, which are made anew for every thread
    genome: Genome | None


class Evolve(Learner):
    name = "evolve"
    about = "evolves five small nets in games against the best of the evolution before"
    unit = "generations"
    families = ("risk",)
    options_model = EvolveOptions
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "vasatko": {},
        "vasatko-complex": {"topology": "complex"},
        "vasatko-maps": AS_WRITTEN,
        "vasatko-maps-complex": {**AS_WRITTEN, "topology": "complex"},
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

    game: Risk
    options: EvolveOptions

    def prepare(self) -> None:
        self.generator = np.random.default_rng(self.options.seed)
        self.size = net_risk.genes_of(self.options.topology)
        self.maps = [self._map(number) for number in range(self.options.maps)]
        self.lands = [lands(game, self.options.inputs == "logarithms") for game in self.maps]
        self.before = self._start()
        self.ancestors: list[Genes] = []  # the best of each evolution that is over
        self._check(self.options.first)
        for each in self.options.opponents:
            self._check(each)
        self._pool = ThreadPoolExecutor(self.options.workers or os.cpu_count() or 1)
        self._begin()

    def _start(self) -> Genes:
        options = self.options
        if not options.start:
            return untrained(options.topology, options.seed, options.strategy, options.lowest)
        found = net_risk.read(options.start)
        if found[1:] != self._genome(found.genes)[1:]:
            raise FogboundError(f"The weights “{options.start}” do not fit the options: topology, inputs or attack differ.")
        return found.genes

    def _map(self, number: int) -> Risk:
        """The game on one of the maps, with the limit of rounds."""
        name, text = registry.split_options(self.game.spec.partition("/")[2])
        settings = registry.parse_options(text, self.game.spec)
        settings["round_limit"] = str(self.options.rounds)
        if self.options.maps > 1:
            if name != "random":
                raise FogboundError(f"{self.game.spec} has one map; several maps need risk/random.")
            settings["seed"] = str(FIRST_MAP + number)
        made = registry.game(f"risk/{name}:" + ",".join(f"{key}={value}" for key, value in settings.items()))
        assert isinstance(made, Risk)
        return made

    def _check(self, name: str) -> None:
        if name not in ("before", "untrained") and not isinstance(registry.agent(name, self.game), PolicyAgent):
            raise FogboundError(f"“{name}” cannot be an opponent of an evolution, because it is not a compiled policy.")

    def _begin(self) -> None:
        options = self.options
        if options.strategy == "es":
            self.population = self.before[None].copy()
            self.moments = np.zeros((2, self.size))
        else:
            self.population = self.generator.uniform(options.lowest, 1.0, (options.population, self.size)).astype(np.float32)
            if options.start:
                self.population[0] = self.before
        self.fitness = np.full(len(self.population), np.nan)

    @property
    def total(self) -> int:
        return sum(self.options.generations)

    @property
    def stage(self) -> int:
        """Which of the successive evolutions is going on, from 0."""
        ends = np.cumsum(self.options.generations)
        return int(np.searchsorted(ends, self.done, side="right"))

    def advance(self) -> Mapping[str, float]:
        stage = self.stage
        figures = self._strategy() if self.options.strategy == "es" else self._genetic()
        self.done += 1
        if self.stage != stage:
            self.before = self.best().copy()
            self.ancestors.append(self.before)
            self.fitness[:] = np.nan  # the opponents are others now
        return {**figures, "evolution": stage + 1}

    def best(self) -> Genes:
        best: Genes = self.population[0]
        return best

    # The genetic algorithm, as its library does it.

    def _genetic(self) -> Mapping[str, float]:
        """Children and mutants join; the fittest of all survive, sorted by fitness."""
        options = self.options
        parents = self.population
        others = [*self._children(parents), *self._mutants(parents)]
        everyone = np.concatenate([parents, np.array(others, np.float32).reshape(-1, self.size)])
        known = np.concatenate([self.fitness, np.full(len(others), np.nan)])
        if options.maps > 1 and not options.keep:
            known[:] = np.nan  # fitness on other maps does not compare
        ask = np.isnan(known)
        known[ask] = self._fit(everyone[ask])
        order = np.argsort(-known, kind="stable")[: options.population]
        self.population, self.fitness = everyone[order], known[order]
        return {"best fitness": float(known[order[0]]), "mean fitness": float(known[order].mean())}

    def _children(self, parents: Genes) -> list[Genes]:
        """Of each two neighbours in the ranking, with the crossover's probability."""
        made: list[Genes] = []
        for i in range(1, len(parents), 2):
            if self.generator.random() < self.options.crossover:
                made += _crossed(parents[i - 1], parents[i], self.generator)
        return made

    def _mutants(self, parents: Genes) -> list[Genes]:
        chosen = np.flatnonzero(self.generator.random(len(parents)) < self.options.mutation)
        return [_mutated(parents[i], self.options.changed, self.generator) for i in chosen]

    # The evolution strategy.

    def _strategy(self) -> Mapping[str, float]:
        """Antithetic candidates around the mean, which moves by their ranks."""
        options = self.options
        pairs = options.population // 2
        steps = self.generator.standard_normal((pairs, self.size)).astype(np.float32)
        mean = self.population[0]
        fitness = self._fit(np.concatenate([mean + options.sigma * steps, mean - options.sigma * steps]))
        ranks = fitness.argsort(kind="stable").argsort(kind="stable") / (2 * pairs - 1) - 0.5
        slope = (ranks[:pairs] - ranks[pairs:]) @ steps / (2 * pairs * options.sigma)
        self.population[0] = mean * (1 - options.decay) + self._adam(slope)
        return {"best fitness": float(fitness.max()), "mean fitness": float(fitness.mean())}

    def _adam(self, slope: NDArray[Any]) -> Genes:
        first, second = self.moments
        first += (1 - BETA1) * (slope - first)
        second += (1 - BETA2) * (slope**2 - second)
        age = self.done + 1
        step = (first / (1 - BETA1**age)) / (np.sqrt(second / (1 - BETA2**age)) + EPSILON)
        slowing = 1 - SLOWEST * self.done / self.total
        moved: Genes = (self.options.rate * slowing * step).astype(np.float32)
        return moved

    # How fit candidates are.

    def _fit(self, candidates: Genes) -> Fitness:
        options = self.options
        drawn = self.generator.choice(options.maps, options.maps_a_generation, replace=False)
        opponents = self._opponents()
        pairings = [(int(m), which) for m in drawn for which in range(len(opponents))]
        games = max(1, options.games // len(pairings))
        streams = [int(self.generator.integers(1 << 62)) for _ in pairings]
        fitness = np.zeros(len(candidates))

        def play(number: int) -> None:
            mine = self._nets(self._genome(candidates[number]))
            nets_of = [each.genome and self._nets(each.genome) for each in opponents]  # scratch: not shared by threads
            for (m, which), stream in zip(pairings, streams, strict=True):
                made = nets_of[which]
                theirs = self._params(made, m) if made else separate(opponents[which].params[m])
                kernel = contest(opponents[which].policy)
                fitness[number] += self._play_games(kernel, self._params(mine, m), theirs, m, stream, games)

        list(self._pool.map(play, range(len(candidates))))
        return fitness / len(pairings)

    def _opponents(self) -> list[_Opponent]:
        first = self.stage == 0 and self.options.first != "untrained"
        names = [self.options.first if first and each == "before" else each for each in self.options.opponents]
        return [self._opponent(name) for name in names]

    def _opponent(self, name: str) -> _Opponent:
        if name in ("before", "untrained"):
            return _Opponent(net_risk.choose, None, self._genome(self.before))
        agents = [registry.agent(name, game) for game in self.maps]
        found = [agent for agent in agents if isinstance(agent, PolicyAgent)]
        return _Opponent(found[0].policy, [agent.policy_params for agent in found], None)

    def _genome(self, genes: Genes) -> Genome:
        options = self.options
        return Genome(genes, options.topology, options.inputs == "logarithms", options.attack)

    def _nets(self, genome: Genome) -> net_risk.Nets:
        return net_risk.make_nets(genome, self.options.precision)

    def _params(self, made: net_risk.Nets, number: int) -> net_risk.Params:
        attack = net_risk.ATTACKS.index(self.options.attack)
        return net_risk.Params(made, self.lands[number], attack, self.options.rounds + 1, np.zeros(4, np.uint64))

    def _play_games(
        self, compete: Kernel, mine: net_risk.Params, theirs: Any, number: int, stream: int, games: int
    ) -> float:
        """The mean result of one candidate's games on a map against opponents of one kind."""
        game = self.maps[number]
        chance, rng = (spread(root(stream, purpose), 0, games) for purpose in ("game", "players"))
        wins, shares = np.zeros(games), np.zeros(games)
        compete(game.table, mine, theirs, chance, rng, stream % game.seats, game.most_actions, wins, shares)
        return float(wins.mean() + self.options.shaping * shares.mean())

    # Checkpoints.

    def snapshot(self) -> Arrays:
        arrays = {"population": self.population, "fitness": self.fitness, "before": self.before}
        arrays["ancestors"] = np.array(self.ancestors, np.float32).reshape(-1, self.size)
        if self.options.strategy == "es":
            arrays["moments"] = self.moments
        return {**arrays, "words": rng_state(self.generator)}

    def restore(self, arrays: Arrays) -> None:
        self.population, self.fitness = arrays["population"].copy(), arrays["fitness"].copy()
        self.before, self.ancestors = arrays["before"].copy(), list(arrays["ancestors"].copy())
        if self.options.strategy == "es":
            self.moments = arrays["moments"].copy()
        set_rng_state(self.generator, arrays["words"])

    def weights(self) -> tuple[Arrays, dict[str, str]]:
        return net_risk.tensors(self._genome(self.best()))

    def seats(self, learned: str, opponent: str) -> list[str]:
        return [f"net:weights={learned}", *[opponent] * (self.game.seats - 1)]


def untrained(topology: str, seed: int, strategy: str = "genetic", lowest: float = 0.0) -> Genes:
    """Untrained nets; those of the genetic algorithm have weights between `lowest` and 1."""
    if strategy == "genetic":
        return net_risk.drawn(topology, seed, lowest)
    spreading = 1.0 / np.sqrt(net_risk.fan_in(topology))
    normal = np.random.default_rng((seed, 0)).standard_normal(net_risk.genes_of(topology))
    return (normal * spreading).astype(np.float32)


def write_untrained(topology: str, seed: int, file: str) -> None:
    """Write untrained nets of the genetic algorithm to a file, to compare others with."""
    nets.save(Path(file), *net_risk.tensors(net_risk.read(f"untrained-{topology}-{seed}")))


def _crossed(one: Genes, other: Genes, generator: np.random.Generator) -> Sequence[Genes]:
    """Two children: the ends swapped behind a cut, or all genes blended."""
    if generator.random() >= BLENDED:
        cut = int(generator.integers(1, one.size))
        return np.concatenate([one[:cut], other[cut:]]), np.concatenate([other[:cut], one[cut:]])
    part = (one - other) * np.float32(generator.uniform(-1.0, 1.0))
    return one - part, other + part


def _mutated(genes: Genes, share: float, generator: np.random.Generator) -> Genes:
    """One gene scaled down or increased by less than 1; or a share of them changed by normal noise."""
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
