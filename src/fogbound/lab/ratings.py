"""Strength from results: Bradley-Terry on the Elo scale with bootstrap, OpenSkill, and Nash averaging.

All work on what a seed gives: the scores of all players over all seatings of the seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
PRIOR = 1.0  # a drawn game of each player against one of average strength keeps ratings finite
BOOTSTRAPS = 200


@dataclass(frozen=True)
class Meeting:
    """What one encounter gave."""

    seats: Floats  # how many seats each player had in a game
    outcomes: Floats  # different results of a seed, a row each: every player's score over all its games
    counts: NDArray[np.int64]  # how often each came up
    games: int  # games a seed


@dataclass(frozen=True)
class Rating:
    elo: float
    low: float
    high: float


def elo(meetings: Sequence[Meeting], players: int, seed: int = 0, bootstraps: int = BOOTSTRAPS) -> list[Rating]:
    """Elo ratings around an average of 0, with 95% intervals from resampling the seeds."""
    if not meetings:
        return [Rating(0.0, 0.0, 0.0)] * players
    wins = [meeting.counts @ meeting.outcomes for meeting in meetings]
    games = np.array([meeting.counts.sum() * meeting.games for meeting in meetings], float)
    seats = np.array([meeting.seats for meeting in meetings])
    best = luce(seats, np.array(wins), games, players)
    rng = np.random.default_rng(seed)
    spread = np.array([luce(seats, _resampled(meetings, rng), games, players, best) for _ in range(bootstraps)])
    low, high = np.percentile(spread, [2.5, 97.5], axis=0) if bootstraps else (best, best)
    low, high = np.minimum(low, best), np.maximum(high, best)
    return [Rating(*map(float, row)) for row in zip(best, low, high, strict=True)]


def _resampled(meetings: Sequence[Meeting], rng: np.random.Generator) -> Floats:
    """Wins as they might have been: seeds drawn again from those that were played and one even seed.

    Without the even one, a player who won everything would get an interval of no width.
    """
    drawn = []
    for meeting in meetings:
        even = meeting.seats / meeting.seats.sum() * meeting.games
        seeds = int(meeting.counts.sum())
        chosen = rng.multinomial(seeds, np.append(meeting.counts, 1) / (seeds + 1))
        drawn.append(chosen @ np.vstack([meeting.outcomes, even]))
    return np.array(drawn)


def luce(seats: Floats, wins: Floats, games: Floats, players: int, start: Floats | None = None) -> Floats:
    """Ratings under which each player wins with probability strength / sum of strengths at the table.

    With two sides this is Bradley-Terry. The likelihood has one maximum, which Newton's steps find.
    """
    total = wins.sum(axis=0) + PRIOR / 2
    scale = 400 / np.log(10)
    theta = np.zeros(players) if start is None else start / scale
    for _ in range(100):
        at_table = seats * np.exp(theta)
        chance = at_table / at_table.sum(axis=1, keepdims=True)
        average = 1 / (1 + np.exp(-theta))
        slope = total - games @ chance - PRIOR * average
        bend = np.diag(games @ chance + PRIOR * average * (1 - average)) - (chance * games[:, None]).T @ chance
        step = np.clip(np.linalg.solve(bend, slope), -1.0, 1.0)
        theta = theta + step
        if np.max(np.abs(step)) < 1e-5:
            break
    ratings: Floats = scale * (theta - theta.mean())
    return ratings


def nash(shares: Floats) -> tuple[Floats, Floats]:
    """Nash averaging (Balduzzi et al. 2018): what a mix of players that nobody beats consists of, and each one's margin.

    `shares[a, b]` is a's share of the points against b. Copies of a player, or players that only beat
    the weak, do not change the mix; a cycle of players shares it. Of all such mixes the most even one is taken.
    """
    from scipy.optimize import linprog, minimize

    count = len(shares)
    margin = (shares - shares.T) / 2
    np.fill_diagonal(margin, 0.0)
    even = linprog(np.zeros(count), A_ub=margin, b_ub=np.full(count, 1e-9), A_eq=np.ones((1, count)), b_eq=[1.0]).x
    mix = minimize(
        lambda p: float(np.sum(p * np.log(np.maximum(p, 1e-12)))),
        even,
        jac=lambda p: np.log(np.maximum(p, 1e-12)) + 1,
        bounds=[(0.0, 1.0)] * count,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: np.ones(count)},
            {"type": "ineq", "fun": lambda p: -margin @ p + 1e-6, "jac": lambda p: -margin},
        ],
        method="SLSQP",
        options={"maxiter": 300},
    )
    found = mix.x if mix.success else even
    weights = np.where(found < 1e-4, 0.0, found)
    weights /= weights.sum()
    return weights, margin @ weights


@dataclass(frozen=True)
class Skill:
    """An OpenSkill rating: the estimate and its uncertainty."""

    mu: float
    sigma: float


def openskill(tables: Sequence[tuple[Sequence[int], Floats]], players: int, most: int = 20_000) -> list[Skill]:
    """OpenSkill (Plackett-Luce) over games of many seats: for each seating its players, and a row of scores a game.

    Games are taken in the order of their seeds, `most` of them if there are more.
    """
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    skills: list[Any] = [model.rating() for _ in range(players)]
    longest = max((len(scores) for _, scores in tables), default=0)
    rows = [(seats, scores[i]) for i in range(longest) for seats, scores in tables if i < len(scores)]
    step = max(1, -(-len(rows) // most))
    for seats, scores in rows[::step]:
        teams = [[model.create_rating([skills[player].mu, skills[player].sigma])] for player in seats]
        rated = model.rate(teams, ranks=[-float(score) for score in scores])
        for player in set(seats):
            mine = [team[0] for team, who in zip(rated, seats, strict=True) if who == player]
            skills[player].mu = float(np.mean([rating.mu for rating in mine]))
            skills[player].sigma = float(np.mean([rating.sigma for rating in mine]))
    return [Skill(skill.mu, skill.sigma) for skill in skills]
