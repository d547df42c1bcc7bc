"""Lukáš 2024, Eight-Minute Empire: flat Monte Carlo against people, how it behaves, and how long it thinks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.seats import seat_agents
from fogbound.core.statistics import wilson
from fogbound.lab.reproduce.comparison import (
    PICTURE,
    Claim,
    Experiment,
    Figures,
    Finding,
    Line,
    Run,
    Seconds,
    Variant,
    fisher,
    judged,
)
from fogbound.lab.reproduce.people import Played, on, won
from fogbound.lab.sets import SetResult

AGENT = "flat:playouts=200"
TURNS = {2: 13, 3: 10, 4: 8, 5: 7}  # cards that each player takes
ARMIES = 14  # of a player


def game_for(players: int) -> str:
    return f"empire/seed:players={players}"


def people_lost(all_games: Sequence[Played]) -> Sequence[Line]:
    """How many games an agent won, and what each kind of player had in the end."""
    games = on(all_games, "empire")
    if not games:
        return []
    count, computer = len(games), sum(won(game, "agent") for game in games)
    low, high = (100 * x for x in wilson(computer, count))
    line = Line("games that the computer won", 100 * computer / count, low, high, 50, "%", PICTURE, count)
    lines = [judged(line, fisher(computer, count, 6, 12))]
    for kind in ("person", "agent"):
        for what in ("points", "coins", "regions", "armies"):
            values = [v for game in games for v in game.having(what, kind)]
            if values:
                mean = float(np.mean(values))
                label, spread = f"{kind}: {what} in the end", (min(values), max(values))
                lines.append(Line(label, mean, *spread, None, "", PICTURE, len(games)))
    return lines


PEOPLE = Experiment(
    id="L7-L18",
    title="12 games with people, of which the computer won 6",
    setup="Flat Monte Carlo with 200 playouts an option: 5 games of a person against one, 3 of one against two, 2 of two "
    "against one, 1 of two against two, 1 of three against two. Play a series on the page against flat:playouts=200, save "
    "it, and give the file with --series.",
    needs=["people"],
    from_people=people_lost,
)


@dataclass
class Habits:
    """What players did over many games."""

    armies: list[int] = field(default_factory=list)
    """On the board in the end, a player each."""
    coins: list[int] = field(default_factory=list)
    """Left in the end."""
    spent: list[float] = field(default_factory=list)
    """The share of his turns after which a player had no coin; 1 if he always had one."""
    options: list[int] = field(default_factory=list)
    """Of all decisions of a turn together, for each turn."""


def habits(game: Game, agent: str, others: str, games: int, seed: int) -> Habits:
    """Let an agent play against others; against its like, all seats count, otherwise the first."""
    found, count = Habits(), game.seats if others == agent else 1
    for number in range(games):
        match, spent = game.new(seed, number), [1.0] * game.seats
        seated = seat_agents(game, [agent, *[others] * (game.sides - 1)], seed, number)
        taken, options = [0] * game.seats, 0
        while not match.over:
            seat, before = match.to_move, int(match.state["played"])
            choices = len(game.legal(match.state))
            options += choices if choices > 1 else 0
            match.play(seated[game.side_of[seat]].choose(match.view(seat)).action)
            if int(match.state["played"]) > before:
                taken[seat] += 1
                found.options += [options] if seat < count else []
                options = 0
                if match.state["coins"][seat] == 0:
                    spent[seat] = min(spent[seat], taken[seat] / TURNS[game.seats])
        found.spent += spent[:count]
        found.armies += [ARMIES - int(reserve) for reserve in match.state["reserve"][:count]]
        found.coins += match.state["coins"][:count].tolist()
    return found


def mean_line(label: str, values: Sequence[float], unit: str, games: int) -> Line:
    """A mean with its 95% interval."""
    mean = float(np.mean(values))
    reach = 1.96 * float(np.std(values)) / max(1, len(values)) ** 0.5
    return Line(label, mean, max(0.0, mean - reach), mean + reach, None, unit, PICTURE, games)


OTHER_WAYS = {  # that might make it spend its coins sooner: the agent, and who it plays against
    "flat against heuristic": (AGENT, "heuristic"),
    "flat with 20 playouts": ("flat:playouts=20", "flat:playouts=20"),
    "flat, improved": (f"{AGENT},improved=true", f"{AGENT},improved=true"),
}


WAYS = [(players, name, agent, agent) for players in TURNS for name, agent in (("flat", AGENT), ("random", "random"))]
WAYS += [(2, name, agent, others) for name, (agent, others) in OTHER_WAYS.items()]


def behaviour(run: Run, players: int, name: str, agent: str, others: str) -> Sequence[Line]:
    """Habits of the flat search, or of a player who does not think."""
    games = run.games or (40 if run.full else 10)
    found = habits(registry.game(game_for(players)), agent, others, games, run.seed)
    figures: dict[str, tuple[Sequence[float], str]] = {
        ARMIES_LEFT: (found.armies, ""),
        COINS_LAST: ([100 * x for x in found.spent], "%"),
        GONE: ([100.0 * (x <= 0.5) for x in found.spent], "%"),
        LEFT: (found.coins, ""),
        OPTIONS: (found.options, ""),
    }
    return [mean_line(of(name_of, players, name), values, unit, games) for name_of, (values, unit) in figures.items()]


def of(figure: str, players: int, name: str = "flat") -> str:
    """The label of a habit."""
    return f"{players} players, {name}: {figure}"


ARMIES_LEFT, COINS_LAST = "armies on the board in the end", "part of the turns until the coins are gone"
GONE, LEFT, OPTIONS = "coins gone by half-time", "coins left in the end", "options of a turn"
OFTEN = 33.0  # percent


def thrift_grows(figures: Figures) -> bool:
    lasting = [figures[of(COINS_LAST, players)] for players in TURNS]
    return lasting[0] < lasting[1] < lasting[2]


SOON_GONE = "with two players its coins are often gone by half-time"
HABITS = "fogbound reproduce L7.1 --full"
BEHAVIOUR = Experiment(
    id="L7.1-L7.5",
    title="How the flat search behaves: its armies, its coins, its thrift, by the number of players",
    setup="Told of the 12 games with people. Its armies in the end were 13.0 on average with two players, 11.3 with three, "
    "8 with four, 11 with five; it had coins left only with four and five players. Here it plays against its like.",
    measure=[partial(behaviour, players=p, name=name, agent=agent, others=others) for p, name, agent, others in WAYS],
    uses=[([AGENT, "random"], game_for(players)) for players in TURNS],
    full=5,
    reconstructed="The computer plays against its like instead of people. Often is taken to mean a third of the cases.",
    claims=[
        Claim(
            "with two players it goes for as many armies as it can",
            [of(ARMIES_LEFT, 2), of(ARMIES_LEFT, 2, "random")],
            lambda f: f[of(ARMIES_LEFT, 2)] > max(f[of(ARMIES_LEFT, 2, "random")], 0.8 * ARMIES),
        ),
        Claim(
            SOON_GONE,
            [of(GONE, 2)],
            lambda f: f[of(GONE, 2)] >= OFTEN,
        ),
        Claim(
            "with three players it is less after armies than with two",
            [of(ARMIES_LEFT, 2), of(ARMIES_LEFT, 3)],
            lambda f: f[of(ARMIES_LEFT, 3)] < f[of(ARMIES_LEFT, 2)],
        ),
        Claim(
            "the more players, the longer it keeps its coins (two, three, four)",
            [of(COINS_LAST, players) for players in TURNS],
            thrift_grows,
        ),
        Claim(
            "coins are left in the end with four and five players rather than with two and three",
            [of(LEFT, players) for players in TURNS],
            lambda f: min(f[of(LEFT, 4)], f[of(LEFT, 5)]) > max(f[of(LEFT, 2)], f[of(LEFT, 3)]),
        ),
    ],
    findings=[
        Finding("another opponent (heuristic)", "gone by half-time in 5% of 40 cases", HABITS, [SOON_GONE]),
        Finding("fewer playouts (20)", "gone by half-time in 1% of 80 cases", HABITS, [SOON_GONE]),
        Finding("“or” and wild cards judged rightly", "gone by half-time in 4% of 80 cases", HABITS, [SOON_GONE]),
    ],
    possible=(
        "People take the cheap cards before the computer can, as neither its like nor the heuristic does.",
        "He tells it of five games, without a count.",
    ),
)

# How long it thinks.
PUBLISHED = {2: 22, 3: 24, 4: 77, 5: 30}


def rounds(turns: int) -> Callable[[SetResult], float]:
    """Counts the rounds of all players, each with so many turns a game."""
    return lambda played: played.games * turns * len(played.side_moves)


def times(agent: str) -> list[Seconds]:
    return [
        Seconds(f"{players} players", game_for(players), [agent], theirs, rounds(TURNS[players]))
        for players, theirs in PUBLISHED.items()
    ]


FOUR = "a round takes longest with four players"
TIMES = Experiment(
    id="L19-L22",
    title="Seconds for one player's round, all players computed",
    setup="200 playouts for each option; 5 games each with two and three players, 3 each with four and five.",
    full=5,
    quick=2,
    cells=times(AGENT),
    claims=[
        Claim(
            FOUR,
            [f"{players} players" for players in PUBLISHED],
            lambda f: f["4 players"] >= max(f["2 players"], f["3 players"], f["5 players"]),
        )
    ],
    variants=[
        Variant("“Or” cards as two options, wild cards at their best", times(f"{AGENT},improved=true")),
    ],
    findings=[
        Finding(
            "a turn with four players has more options",
            "23.0, 21.1, 19.4 and 18.6 options with two to five players",
            HABITS,
            [FOUR],
        ),
        Finding(
            "with four players more has to be listed in the playouts",
            "a turn of random players has 15.8, 15.2, 14.6 and 15.0 options with two to five players; times the turns of "
            "half a game and the options of a thoughtful turn, 4,730, 4,820, 4,520 and 4,880 options are listed for one "
            "playout each of all options of a round",
            HABITS,
            [FOUR],
        ),
        Finding(
            "playouts are longest with four players",
            "a game has 26, 30, 32 and 35 turns with two to five players",
            "fogbound games empire/seed",
            [FOUR],
        ),
    ],
    possible=(
        "His program takes longer for moves by sea, of which four players, who see every card, make the most.",
        "His times are of three games with four players, 69 to 93 s.",
    ),
)

EXPERIMENTS = [PEOPLE, BEHAVIOUR, TIMES]
