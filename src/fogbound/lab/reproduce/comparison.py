"""What a published experiment is, whether it can be run now, and what a run of it gave.

An experiment names games and agents by their specs. It can be run as soon as the registry knows all of them; nothing in
it has to change then. With a folder, what was played, measured and trained is kept there, and a later run goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import Any

from fogbound.core import registry
from fogbound.core.errors import FogboundError
from fogbound.core.executor import Executor
from fogbound.lab.reproduce import people, trainings
from fogbound.lab.reproduce.figures import (
    JUDGED,
    PICTURE,
    RARE,
    TOO_FEW,
    UNLIKELY,
    Cell,
    Length,
    Line,
    Seconds,
    Set,
    TrainedWins,
    Verdict,
    Wins,
    WonLength,
    alike,
    apart,
    compared,
    exactly,
    fisher,
    in_order_once,
    judged,
)
from fogbound.lab.reproduce.people import Played
from fogbound.lab.reproduce.trainings import Net
from fogbound.lab.sets import SetResult, grow_sets, play_sets, read_sets
from fogbound.lab.tournament import Watch

DOCUMENTS = {
    "H": "Husa 2022, Scotland Yard",
    "T": "Tulušák 2020, Scotland Yard",
    "L": "Lukáš 2024, Eight-Minute Empire",
    "V": "Vašátko 2018, Risk",
    "K": "Hrkľová 2023, Scotland Yard",
}
NO_FIGURE = "no figure published"  # a picture, or a statement without figures
Figures = Mapping[str, float]
Said = tuple[str, bool | None]
"""What a document says, and whether it is so here; None if that cannot be told."""


@dataclass(frozen=True)
class Claim:
    """Something the document says in words about its figures."""

    text: str
    about: Sequence[str]
    """Labels of the figures that it speaks of."""
    holds: Callable[[Figures], bool]

    def judge(self, lines: Mapping[str, Line]) -> bool | None:
        return self.holds({label: line.ours for label, line in lines.items()})


@dataclass(frozen=True)
class Order:
    """Something the document says in words: that some figures are smaller than others."""

    text: str
    pairs: Sequence[tuple[str | float, str]]
    """Labels of the smaller figure and of the larger one; a number may stand for the smaller."""
    by: float = 0.0
    """By how much, where the document says so."""

    @property
    def about(self) -> Sequence[str]:
        return list(dict.fromkeys(label for pair in self.pairs for label in pair if isinstance(label, str)))

    def judge(self, lines: Mapping[str, Line]) -> bool | None:
        """None if it is the other way round, but by no more than chance may make: then nothing can be told."""
        if any(
            smaller.ours >= larger.ours and apart(smaller, larger) < RARE for smaller, larger in self._pairs(lines, self.by)
        ):
            return False
        return True if all(smaller.ours < larger.ours for smaller, larger in self._pairs(lines)) else None

    def once(self, lines: Mapping[str, Line]) -> float | None:
        """How often it is so of nets that are trained once each, by the spread of trainings; None if they are not."""
        pairs = self._pairs(lines, self.by)
        trained = all(line.seeds > 1 for pair in pairs for line in pair)
        return prod(in_order_once(*pair) for pair in pairs) if trained else None

    def _pairs(self, lines: Mapping[str, Line], by: float = 0.0) -> list[tuple[Line, Line]]:
        return [((lines[a] if isinstance(a, str) else exactly(a)).moved(by), lines[b]) for a, b in self.pairs]


@dataclass(frozen=True)
class NoMore:
    """Something the document says in words: that figures exceed others by less than a margin, if at all.

    That two figures look alike shows little if both are known badly. So the whole 95% interval of what is between them has
    to be on one side of the margin; otherwise nothing can be told.
    """

    text: str
    pairs: Sequence[tuple[str, str]]
    """Labels of a figure, and of the one that may exceed it."""
    margin: float

    @property
    def about(self) -> Sequence[str]:
        return list(dict.fromkeys(label for pair in self.pairs for label in pair))

    def judge(self, lines: Mapping[str, Line]) -> bool | None:
        pairs = [(lines[a].moved(self.margin), lines[b]) for a, b in self.pairs]
        clear = [limit.ours > figure.ours for limit, figure in pairs if apart(limit, figure) < UNLIKELY]
        if not all(clear):
            return False
        return True if len(clear) == len(pairs) else None


@dataclass(frozen=True)
class Variant:
    """A possible cause of differences, tried out: figures of the experiment, played in another way under the same labels.

    A figure that agrees this way is explained by the cause; for one that still differs the cause is ruled out.
    """

    cause: str
    cells: Sequence[Cell]


@dataclass(frozen=True)
class Finding:
    """A possible cause of differences that was looked into by other means than playing, and what was found."""

    cause: str
    found: str
    """The figure that decided it."""
    command: str
    """With which a reader finds the same."""
    about: Sequence[str] = ("*",)
    """Labels of the figures and texts of the claims that it speaks of, with * for any characters."""
    explains: bool = False
    """Whether it explains them; otherwise it is ruled out as their cause."""


@dataclass(frozen=True)
class Run:
    """How an experiment is run: its sizes and seed, where results are kept, and what of it is done here."""

    games: int | None = None
    """Games a figure, instead of the experiment's own number."""
    full: bool = False
    """As many games, and as long thought, as were published."""
    seed: int = 1
    folder: Path | None = None
    part: tuple[int, int] = (1, 1)
    """Only every n-th set of games from the k-th on, as (k, n); the others are made elsewhere."""
    series: Sequence[Path] = ()
    """Files of games with people."""
    play: bool = True
    """Whether anything is played, trained or measured; otherwise only what the folder holds is told."""
    train: bool = True
    """Whether nets are trained that the folder does not hold; otherwise those that are there play."""

    def mine(self, number: int) -> bool:
        part, parts = self.part
        return number % parts == part - 1


@dataclass(frozen=True)
class Experiment:
    """One published experiment."""

    id: str
    title: str
    setup: str
    """What was published, with its sizes; what is played here is told beside each figure."""
    cells: Sequence[Cell] = ()
    full: int = 100
    """Games a cell in the document."""
    quick: int = 100
    """Games a cell that finish in minutes."""
    shrink: Mapping[str, str] = field(default_factory=dict)
    """What is replaced in the agents' specs unless the experiment is run in full, such as budgets."""
    claims: Sequence[Claim | Order | NoMore] = ()
    exact: Callable[[], Sequence[Line]] | None = None
    """For figures that are worked out at once rather than played."""
    measure: Sequence[Callable[[Run], Sequence[Line]]] = ()
    """For figures that are measured for a while: portions, of which each is kept in the run's folder as a whole."""
    uses: Sequence[tuple[Sequence[str], str]] = ()
    """Agents and games that `exact` and `measure` need."""
    needs: Sequence[str] = ()
    """What it needs that no spec can name, such as people."""
    from_people: Callable[[Sequence[Played]], Sequence[Line]] | None = None
    """Its figures from games with people, where it needs some."""
    nets: Sequence[Net] = ()
    """Nets that are trained in the run's folder before anything is played."""
    once: bool = False
    """Whether the document trained each of its nets once."""
    reconstructed: str = ""
    """What the document does not give, and is ours."""
    variants: Sequence[Variant] = ()
    findings: Sequence[Finding] = ()
    possible: Sequence[str] = ()
    """What may still be the cause of differences: a sentence each."""
    answer: Callable[[Outcome], str] | None = None
    """A question that the document leaves open, and what was found: it is told before all its experiments."""

    @property
    def document(self) -> str:
        return DOCUMENTS[self.id[0]]

    def missing(self) -> list[str]:
        """What it needs, in whole or in part, that is not there yet."""
        lacking = dict.fromkeys(self.needs)
        for agents, game in self._uses():
            lacking |= dict.fromkeys(missing(agents, game))
        return list(lacking)

    def ready(self, cells: Sequence[Cell]) -> list[Cell]:
        """Those figures that can be played now; of several nets that were trained alike, with those that are there."""
        there = [_of_those_there(cell) if isinstance(cell, TrainedWins) else cell for cell in cells]
        return [cell for cell in there if cell.sets and not any(missing(agents, game) for game, agents in samples(cell))]

    @property
    def runs(self) -> bool:
        """Whether at least a part of it can be run now."""
        worked_out = bool(self.exact or self.measure) and not any(missing(agents, game) for agents, game in self.uses)
        return not self.needs and (worked_out or bool(self.nets) or bool(self.ready(self.cells)))

    @property
    def state(self) -> str:
        """What `fogbound reproduce` lists."""
        lacking = self.missing()
        if not lacking:
            return "runs now"
        how = "; play a series on the page and give its file with --series" if self.from_people else ""
        return f"{'runs in part; the rest ' if self.runs else ''}needs {few(lacking)}{how}"

    def _uses(self) -> list[tuple[Sequence[str], str]]:
        trained = {net.name for net in self.nets}
        sets = [(agents, game) for cell in self.cells for game, agents in samples(cell)]
        return [*self.uses, *(each for each in sets if not any(name in agent for agent in each[0] for name in trained))]

    def run(
        self,
        games: int | None = None,
        full: bool = False,
        seed: int = 1,
        engine: Executor | None = None,
        watch: Watch | None = None,
        **how: Any,
    ) -> Outcome:
        """Run what can be run: quick sizes by default, the published ones in full, or a number of games a figure."""
        return self.carry_out(Run(games, full, seed, **how), engine, watch)

    def carry_out(self, run: Run, engine: Executor | None = None, watch: Watch | None = None) -> Outcome:
        """Run what can be run, as told."""
        if run.series and self.from_people:
            lines = self.from_people(people.read(run.series))
            if not lines:
                files = ", ".join(map(str, run.series))
                raise FogboundError(f"{files} has no game of those that {self.id} needs. {self.setup}")
            figures = {line.label: line for line in lines}
            return Outcome(self, lines, self._told(figures, self.claims), run.seed)
        if not self.runs:
            how = f" {self.setup}" if self.from_people else ""
            raise FogboundError(f"{self.id} cannot be run yet: it needs {few(self.missing())}.{how}")
        if self.nets and run.folder is None and not (self.exact or self.measure or self.ready(self.cells)):
            raise FogboundError(f"{self.id} trains nets first; give a folder for them with --out.")
        with trainings.found_in(run.folder):
            self._train(run)
            lines = [*(self.exact() if self.exact else ()), *self._measured(run)]
            played = self._play(run, engine, watch)
        main = self._compared(self.cells, played, run)
        lines += alike(main, main)
        figures = _figures(lines)
        tried = []
        for variant in self.variants:
            pairs = self._compared(variant.cells, played, run)
            found = alike(pairs, [*main, *pairs])
            other = _figures(found)
            told = self._told(figures | other, [claim for claim in self.claims if _speaks_of(claim, variant, other)])
            tried += [Tried(variant.cause, found, told)] if found else []
        tried += self._trained_once(figures)
        return Outcome(self, lines, self._told(figures, self.claims), run.seed, run.full, tried)

    def _told(self, lines: Mapping[str, Line], claims: Sequence[Claim | Order | NoMore]) -> list[Said]:
        """Whether claims hold, of those whose figures are all there."""
        return [(claim.text, claim.judge(lines)) for claim in claims if all(name in lines for name in claim.about)]

    def _trained_once(self, lines: Mapping[str, Line]) -> list[Tried]:
        """Where the document trained each net once, what it says of two may be chance: a cause of every such difference."""
        told = dict(self._told(lines, self.claims))
        wrong = [claim for claim in self.claims if isinstance(claim, Order) and told.get(claim.text) is False]
        chances = {claim.text: chance for claim in wrong if (chance := claim.once(lines)) is not None}
        return [Tried("each net was trained once", chances=chances)] if self.once and chances else []

    def _train(self, run: Run) -> None:
        """Train what is not there; a quick run is content with the nets that are, if every figure has one to play."""
        enough = not run.full and len(self.ready(self.cells)) == len(self.cells)
        if run.play and run.train and run.folder is not None and self.nets and not enough:
            trainings.train([net for number, net in enumerate(self.nets) if run.mine(number)], run.folder)
            _lacks.cache_clear()

    def _measured(self, run: Run) -> Iterator[Line]:
        """What `measure` gives: a file in the folder for each portion, so that an interruption loses only the last."""
        if run.folder is None:
            yield from (line for portion in self.measure for line in portion(run))
            return
        name = f"{self.id.replace('/', '+')}-{'full' if run.full else 'quick'}-{run.seed}"
        whole = run.folder / "measured" / f"{name}.json"  # what was not measured in portions
        if whole.exists():
            yield from _read(whole)
            return
        for number, portion in enumerate(self.measure):
            file = whole.with_name(f"{name}-{number + 1}.json") if len(self.measure) > 1 else whole
            if not file.exists() and run.play and run.mine(number):
                _keep(portion(run), file)
            yield from _read(file) if file.exists() else ()

    def sets(self, cell: Cell, run: Run) -> list[Set]:
        """The games of a figure as they are played: with less thought unless the run is a full one."""
        words = {} if run.full else self.shrink
        return [(game, tuple(_replaced(agent, words) for agent in agents)) for game, agents in cell.sets]

    def count(self, cell: Cell, run: Run) -> int:
        """Games of each set of a figure. Published numbers are the least in a full run: where games cost nothing, ours are
        more."""
        shared = cell.shared if isinstance(cell, TrainedWins) else 0
        if shared and (run.full or run.games):
            return -(-(run.games or shared) // len(cell.sets))
        own = max(self.full, self.quick) if run.full else self.quick
        return own if run.games is None else run.games

    def _play(self, run: Run, engine: Executor | None, watch: Watch | None) -> dict[Set, SetResult]:
        """The games of all figures, and of those by which causes are tried."""
        every = [cell for variant in self.variants for cell in variant.cells]
        wanted: dict[Set, int] = {}
        for cell in self.ready([*self.cells, *every]):
            for which in self.sets(cell, run):
                wanted[which] = max(self.count(cell, run), wanted.get(which, 0))
        if not run.play:
            assert run.folder
            there = zip(wanted, read_sets(run.folder / "sets", list(wanted), run.seed), strict=True)
            return {which: result for which, result in there if result}
        mine = {which: games for number, (which, games) in enumerate(wanted.items()) if run.mine(number)}
        played: dict[Set, SetResult] = {}
        for games in sorted(set(mine.values())):
            sets = [which for which in mine if mine[which] == games]
            played |= zip(sets, self._play_sets(sets, games, run, engine, watch), strict=True)
        return played

    def _play_sets(
        self, sets: Sequence[Set], games: int, run: Run, engine: Executor | None, watch: Watch | None
    ) -> Sequence[SetResult]:
        if run.folder is None:
            return play_sets(self.id, sets, games, run.seed, engine, watch)
        run.folder.mkdir(parents=True, exist_ok=True)
        return grow_sets(run.folder / "sets", sets, games, run.seed, engine, watch)

    def _compared(self, cells: Sequence[Cell], played: Mapping[Set, SetResult], run: Run) -> list[tuple[Cell, Line]]:
        """The figures that are there."""
        there = []
        for cell in cells:
            found = [played[which] for which in self.sets(cell, run) if which in played]
            if len(found) == len(cell.sets) or (found and isinstance(cell, TrainedWins)):
                there.append((cell, compared(cell, found)))
        return there


@dataclass(frozen=True)
class Tried:
    """What a variant gave: its figures, and whether the claims about them hold with these."""

    cause: str
    lines: Sequence[Line] = ()
    claims: Sequence[Said] = ()
    chances: Mapping[str, float] = field(default_factory=dict)
    """Of claims that hold with it now and then: how often."""

    def found(self, label: str) -> float | None:
        """How often chance alone makes what is left of a difference: 1 or 0 for what is simply so or not."""
        if label in self.chances:
            return self.chances[label]
        claims = {text: float(holds) for text, holds in self.claims if holds is not None}
        lines = {line.label: line for line in self.lines if line.verdict in JUDGED}
        if label not in lines:
            return claims.get(label)
        line = lines[label]
        return float(line.verdict == "agrees") if line.p is None else line.p


@dataclass(frozen=True)
class Outcome:
    """What a run of an experiment gave."""

    experiment: Experiment
    lines: Sequence[Line]
    claims: Sequence[Said]
    seed: int
    full: bool = False
    tried: Sequence[Tried] = ()

    @property
    def untested(self) -> list[str]:
        """What the document says of figures that are not all there yet."""
        told = {text for text, _ in self.claims}
        return [claim.text for claim in self.experiment.claims if claim.text not in told]

    @property
    def answer(self) -> str:
        return self.experiment.answer(self) if self.experiment.answer else ""

    @property
    def has_full_size(self) -> bool:
        """Whether every figure was played as often, and with as long thought, as was published."""
        depends = self.experiment.shrink or self.experiment.measure
        whole = {cell.label for cell in self.experiment.cells} <= {line.label for line in self.lines}
        return whole and (self.full or not depends) and not any(self.lacking(line) for line in self.lines)

    def lacking(self, line: Line) -> int:
        """How many games a figure is made of less than the published one."""
        if not line.games or line.unit == "rounds":
            return 0
        published = {cell.label: cell.of for cell in self.experiment.cells if isinstance(cell, (Wins, TrainedWins))}
        return max(0, published.get(line.label, self.experiment.full) - line.games)

    def differing(self) -> list[str]:
        """Labels of the figures, and texts of the statements, that differ."""
        return [line.label for line in self.lines if line.verdict == "differs"] + [
            text for text, holds in self.claims if holds is False
        ]

    @property
    def agreeing(self) -> int:
        return sum(line.verdict == "agrees" for line in self.lines) + sum(holds is True for _, holds in self.claims)

    def explanations(self, label: str) -> list[str]:
        """Causes that were tested and explain a difference.

        The more causes are tried, the more likely a wrong one fits by chance. So one explains a difference only if it fits
        the better the more there are: Bonferroni's correction for as many as were tried. And it has to make a difference:
        a figure that is the same with it, only known less well, agrees with anything.
        """
        causes = self.causes(label)
        return [cause for cause, p in causes.items() if p >= RARE * len(causes) and self._changes(cause, label)]

    def _changes(self, cause: str, label: str) -> bool:
        """Whether a figure is another one with a cause; what is simply so or not is."""
        with_it = [line for each in self.tried if each.cause == cause for line in each.lines if line.label == label]
        without = [line for line in self.lines if line.label == label]
        return all(apart(one, other) < UNLIKELY for one in with_it for other in without if one.p is not None)

    def ruled_out(self, label: str) -> list[str]:
        """Causes that were tested and do not explain a difference."""
        return [cause for cause, p in self.causes(label).items() if p < RARE]

    def causes(self, label: str) -> dict[str, float]:
        """All causes that were tested for a difference, and how often chance alone makes what each leaves of it."""
        played = {each.cause: p for each in self.tried if (p := each.found(label)) is not None}
        about = [each for each in self.experiment.findings if any(fnmatchcase(label, part) for part in each.about)]
        return played | {each.cause: float(each.explains) for each in about}

    @property
    def explained(self) -> int:
        return sum(bool(self.explanations(label)) for label in self.differing())

    @property
    def unexplained(self) -> list[str]:
        return [label for label in self.differing() if not self.explanations(label)]

    @property
    def verdict(self) -> str:
        """The verdict on the whole: on its figures if there are any, and on what the text says."""
        compared = [line for line in self.lines if line.verdict in JUDGED]
        different = sum(line.verdict == "differs" for line in compared)
        wrong = sum(holds is False for _, holds in self.claims)
        timed = any(line.theirs is not None for line in self.lines)
        not_compared = "theirs was timed on another machine" if timed else NO_FIGURE
        if any(line.verdict == TOO_FEW for line in self.lines):
            not_compared = TOO_FEW
        if not compared and not self.claims:
            return "not tested yet" if self.untested else not_compared
        parts = [f"in {different} of {len(compared)} figures"] if different else []
        parts += [f"in {wrong} of {len(self.claims)} statements of the text"] if wrong else []
        if parts:
            return f"differs {' and '.join(parts)}"
        if compared:
            return "agrees"
        agrees = any(holds for _, holds in self.claims)
        return f"{not_compared}; its text {'agrees' if agrees else 'can be neither confirmed nor denied'}"

    def frame(self) -> Any:
        """A pandas DataFrame with a row a figure."""
        from fogbound.lab.results import _pandas

        return _pandas().DataFrame([line.row() for line in self.lines])


def _keep(lines: Sequence[Line], file: Path) -> None:
    """Write down what was measured, as a whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_text(json.dumps([line.row() for line in lines], indent=1), encoding="utf-8")
    part.replace(file)


def _read(file: Path) -> list[Line]:
    return [Line(**row) for row in json.loads(file.read_text(encoding="utf-8"))]


def _figures(lines: Sequence[Line]) -> dict[str, Line]:
    """Figures by their labels, for what is said of them; of too few trainings nothing is."""
    return {line.label: line for line in lines if line.verdict != TOO_FEW}


def _speaks_of(claim: Claim | Order | NoMore, variant: Variant, there: Mapping[str, Line]) -> bool:
    """Whether a claim is about figures of a variant that are all there: with some of them alone unlike would be compared."""
    about = {cell.label for cell in variant.cells} & set(claim.about)
    return bool(about) and about <= there.keys()


def samples(cell: Cell) -> list[Set]:
    """Games of a figure that tell whether it can be played."""
    return cell.samples if isinstance(cell, TrainedWins) else cell.sets


def _of_those_there(cell: TrainedWins) -> TrainedWins:
    """A figure with those of its nets that are there."""
    if not any(missing(agents, game) for game, agents in samples(cell)):
        return cell
    games = [game for game, _ in samples(cell)]
    there = [agents for agents, game in zip(cell.line_ups, games, strict=True) if not missing(agents, game)]
    return replace(cell, line_ups=there)


def few(names: Sequence[str], most: int = 3) -> str:
    """Names in a row; of very many only the first."""
    left = len(names) - most
    return ", ".join(names) if left <= 0 else f"{', '.join(names[:most])} and {left} more"


def _replaced(text: str, words: Mapping[str, str]) -> str:
    for old, new in words.items():
        text = text.replace(old, new)
    return text


def missing(agents: Sequence[str], game: str) -> list[str]:
    """What the registry does not know of a game and the agents that are to play it."""
    known = (tuple(registry.families()), tuple(registry.agents()), (os.environ.get(trainings.WHERE, ""),))
    return list(dict.fromkeys(lack for agent in agents or ("random",) for lack in _lacks(agent, game, known)))


@lru_cache(maxsize=4096)
def _lacks(agent: str, game: str, _known: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """What is not known of an agent and its game; asked again when the registry knows more names."""
    name = registry.split_options(agent)[0]
    try:
        played = registry.game(game)
    except FogboundError:
        family = game.partition("/")[0]
        unknown = (f"agent {name}",) if name not in registry.agents() else ()
        return (f"game {game if family in registry.families() else family}", *unknown)
    try:
        registry.agent(agent, played)
    except FogboundError:
        return (f"agent {agent}" if name in registry.agents(played) else f"agent {name}",)
    return ()


__all__ = [
    "DOCUMENTS",
    "NO_FIGURE",
    "PICTURE",
    "Cell",
    "Claim",
    "Experiment",
    "Figures",
    "Finding",
    "Length",
    "Line",
    "Net",
    "NoMore",
    "Order",
    "Outcome",
    "Run",
    "Seconds",
    "TrainedWins",
    "Tried",
    "Variant",
    "Verdict",
    "Wins",
    "WonLength",
    "few",
    "fisher",
    "judged",
    "missing",
]
