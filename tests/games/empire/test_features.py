"""What the value net is told, against a plain reading of the position; and that it does not depend on a draw."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogbound as fb
from fogbound.games.empire import rules
from fogbound.games.empire.features import HEAD, OFFER, OPEN, PLAYER, WHOLE, room, tell
from fogbound.games.empire.game import Empire
from fogbound.games.empire.rules import TAKING

BOARDS = [
    "empire/seed",
    "empire/side-a:neutral=true,continents=regions,wild=owned",
    "empire/side-b:players=4,tokens=true",
    "empire/random:seed=5,width=7,height=6,players=5,tokens=true,wild=owned",
]


def positions(spec: str, games: int = 3) -> list[tuple[Empire, Any]]:
    """Positions between two turns, from random matches."""
    game = fb.game(spec)
    assert isinstance(game, Empire)
    rng = np.random.default_rng(1)
    found = []
    for number in range(games):
        match = game.new(seed=number)
        while not match.over:
            if match.state["phase"] == TAKING:
                found.append((game, match.state.copy()))
            match.play(int(rng.choice(game.legal(match.state))))
    return found[::5]


class Plain:
    """The position as a seat sees it, worked out slowly."""

    def __init__(self, game: Empire, state: Any, seat: int) -> None:
        self.game, self.state, self.seat, self.table = game, state, seat, game.table
        self.players = range(game.seats)
        self.totals = [game.points(state, player)["total"] for player in self.players]
        others = [player for player in self.players if player != seat]
        self.rival = max(others, key=lambda player: (self.totals[player], state["coins"][player], -player))
        self.next = int(state["turn"]) if state["turn"] != seat else (seat + 1) % game.seats
        self.left = (self.table.turns - int(state["played"])) / self.table.turns

    def pieces(self, region: int) -> list[int]:
        return [int(self.state["armies"][region][c] + self.state["cities"][region][c]) for c in range(self.table.colours)]

    def near(self, region: int, sea: bool) -> list[int]:
        facts = self.game.board.regions[region]
        return [self.game.names.index(name) for name in [*facts.land, *(facts.sea if sea else [])]]

    def armies(self, regions: list[int], own: bool) -> int:
        players = [player for player in self.players if (player == self.seat) == own]
        return sum(int(self.state["armies"][region][player]) for region in regions for player in players)

    def is_base(self, region: int) -> bool:
        return region == self.table.start or self.state["cities"][region][self.seat] > 0

    def region(self, region: int) -> list[float]:
        pieces = self.pieces(region)
        mine = pieces.pop(self.seat)
        most, second = [*sorted(pieces, reverse=True), 0][:2]
        lead = mine - most
        hot = [float(mine + most > 0 and min(max(lead, -3), 3) == n) for n in range(-3, 4)]
        own_cities = int(self.state["cities"][region][self.seat])
        own_armies = int(self.state["armies"][region][self.seat])
        land, sea = self.near(region, False), self.near(region, True)
        tokens = sum(int(place) == region for place in self.state["token"]) if self.table.with_tokens else 0
        return [
            *(mine / 3, most / 3, second / 3),
            *hot,
            float(mine + most == 0),
            own_cities,
            int(self.state["cities"][region].sum()) - own_cities,
            (min(own_armies, lead - 1) if lead > 0 else own_armies) / 3,
            float(mine > 0),
            float(mine == 0),
            *(self.armies(land, True) / 4, self.armies(sea, True) / 4),
            *(self.armies(land, False) / 4, self.armies(sea, False) / 4),
            len(sea) / 10,
            float(self.is_base(region)),
            float(any(self.is_base(each) for each in land)),
            float(region == self.table.start),
            tokens / 2,
            float(self.game.holder(self.state, region) == self.rival),
            self.left,
            float(self.game.seats == 2),
            self.game.seats / 5,
        ]

    def continent(self, continent: int) -> list[float]:
        members = [r for r in range(len(self.game.names)) if self.table.continent[r] == continent]
        strength = np.sum([self.pieces(region) for region in members], axis=0).tolist()
        if self.table.by_regions:
            holders = [self.game.holder(self.state, region) for region in members]
            strength = [holders.count(colour) for colour in range(self.table.colours)]
        mine = strength.pop(self.seat)
        most, second = [*sorted(strength, reverse=True), 0][:2]
        lead = mine - most
        return [
            *(mine / 5, most / 5, second / 5),
            *(float(mine + most > 0 and min(max(lead, -4), 4) == n) for n in range(-4, 5)),
            *(len(members) / 5, self.left, self.game.seats / 5, float(self.game.seats == 2)),
            float(self.game.continent_holder(self.state, continent) == self.rival),
        ]

    def own_left(self) -> int:
        turns = range(int(self.state["played"]), self.table.turns)
        return sum((int(self.state["turn"]) + k) % self.game.seats == self.seat for k in range(len(turns)))

    def head(self) -> list[float]:
        wait = (self.seat - int(self.state["turn"])) % self.game.seats
        options = self.game.board.rules
        return [
            *(float(self.game.seats == n) for n in range(2, 6)),
            *(self.left, self.own_left() / 13),
            *(float(self.own_left() == n) for n in range(4)),
            *(wait / 4, float(wait == 0)),
            *(float(options.continents == "regions"), float(options.tokens), float(options.wild == "owned")),
            *(float(options.neutral), len(self.game.names) / 20),
        ]

    def player(self, who: int) -> list[float]:
        points, goods = self.game.points(self.state, who), self.game.goods(self.state, who)
        counts = [goods[good] for good in rules.GOODS[: rules.WILD]]
        worth = self.table.points
        coins = int(self.state["coins"][who])
        return [
            *(points["regions"] / 6, points["continents"] / 6, points["goods"] / 6, points["total"] / 12),
            *(coins / 10, min(3.0, coins / (self.own_left() + 0.5)) / 2),
            *(int(self.state["reserve"][who]) / 10, int(self.state["cities_left"][who]) / 3),
            *(count / 4 for count in counts),
            *((int(worth[good, count + 1]) - int(worth[good, count])) / 2 for good, count in enumerate(counts)),
            *((int(worth[good, count + 2]) - int(worth[good, count])) / 3 for good, count in enumerate(counts)),
            goods["wild"] / 2,
        ]

    def among_all(self) -> list[float]:
        others = [player for player in self.players if player != self.seat]
        coins, reserve = self.state["coins"], self.state["reserve"]
        lead = self.totals[self.seat] - self.totals[self.rival]
        return [
            *(lead / 5, min(max(lead, -2), 2) / 2, (int(coins[self.seat]) - int(coins[self.rival])) / 5),
            float(np.mean([self.totals[player] > self.totals[self.seat] for player in others])),
            float(np.mean([self.totals[player] for player in others])) / 12,
            float(np.mean([coins[player] for player in others])) / 10,
            float(np.mean([coins[player] > coins[self.seat] for player in others])),
            float(np.mean([reserve[player] for player in others])) / 10,
        ]

    def gain(self, who: int, number: int) -> int:
        after = self.state.copy()
        after["goods"][who][self.table.good[number]] += self.table.goods[number]
        return self.game.points(after, who)["goods"] - self.game.points(self.state, who)["goods"]

    def offer(self, place: int) -> list[float]:
        number = int(self.state["row"][place])
        if number < 0:
            return [0.0] * OFFER
        card = self.game.cards[number]
        price, deeds = int(self.table.price[place]), dict(card.actions)
        return [
            *(float(self.state["coins"][who] >= price) for who in (self.seat, self.next)),
            *(self.gain(who, number) / 2 for who in (self.seat, self.rival, self.next)),
            *(deeds.get("move", 0) / 4, deeds.get("sail", 0) / 3, deeds.get("armies", 0) / 3),
            *(deeds.get("city", 0), deeds.get("destroy", 0)),
            *(float(card.good == "wild"), card.goods / 2),
        ]

    def to_come(self) -> list[float]:
        cards = [card for i, card in enumerate(self.game.cards) if int(self.state["deck"]) >> i & 1]
        cards += [self.game.cards[number] for number in self.state["row"][OPEN:] if number >= 0]
        return [sum(card.goods for card in cards if card.good == good) / 10 for good in rules.GOODS]

    def whole(self) -> list[float]:
        players = [number for who in (self.seat, self.rival, self.next) for number in self.player(who)]
        offers = [number for place in range(OPEN) for number in self.offer(place)]
        assert len(self.head()) == HEAD and len(players) == 3 * PLAYER
        return [*self.head(), *players, *self.among_all(), *offers, *self.to_come()]


@pytest.mark.parametrize("spec", BOARDS)
def test_the_net_is_told_what_a_plain_reading_of_the_position_says(spec: str) -> None:
    told = room()
    for game, state in positions(spec):
        for seat in range(game.seats):
            before = state.tobytes()
            tell(game.table, state, seat, told)
            assert state.tobytes() == before
            plain = Plain(game, state, seat)
            whole = plain.whole()
            assert len(whole) == WHOLE
            assert told.whole == pytest.approx(whole, abs=1e-5)
            for region in range(len(game.names)):
                assert told.regions[region] == pytest.approx(plain.region(region), abs=1e-5)
            for continent in range(game.table.continents):
                assert told.continents[continent] == pytest.approx(plain.continent(continent), abs=1e-5)


def test_the_card_that_fills_the_row_up_is_told_like_those_in_the_deck() -> None:
    for game, state in positions("empire/seed:players=3"):
        first, second = room(), room()
        tell(game.table, state, 1, first)
        deck, last = int(state["deck"]), int(state["row"][OPEN])
        drawn = next(card for card in range(42) if deck >> card & 1)
        state["deck"] = deck & ~(1 << drawn) | 1 << last
        state["row"][OPEN] = drawn
        tell(game.table, state, 1, second)
        assert first.whole == pytest.approx(second.whole, abs=1e-6)
