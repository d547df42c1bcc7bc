"""The rules of Risk once more, in plain Python: slow, obvious, and written from the rules page alone.

Territories are their short names, hands are sets, a move is a tuple such as
("attack", "peru", "brazil", 3). The compiled rules are tested against this engine move
by move, and `fogbound bench` measures them by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, product
from random import Random
from typing import Any

from fogbound.games.risk.board import SYMBOLS, Board

Move = tuple[Any, ...]
NEUTRAL = "neutral"
HANDY = (1, 2, 3, 5, 10, 20, 50)


class Dice:
    """Chance as it is at the table."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def draw(self, n: int) -> int:
        return self.rng.randrange(n)

    def roll(self, dice: int) -> list[int]:
        return [self.rng.randint(1, 6) for _ in range(dice)]

    def battle(self, attackers: int, defenders: int, stop: int) -> tuple[int, int]:
        """Roll until the defenders are gone or the attackers down to `stop` or fewer; who is left."""
        while attackers > stop and defenders > 0:
            lost, beaten = compare(self.roll(min(3, attackers)), self.roll(min(2, defenders)))
            attackers, defenders = attackers - lost, defenders - beaten
        return attackers, defenders


class Tape:
    """Chance whose results are given, as a record keeps them."""

    def __init__(self, results: Sequence[int]) -> None:
        self.results = list(results)

    def draw(self, n: int) -> int:
        result = self.results.pop(0)
        assert 0 <= result < n
        return result

    def roll(self, dice: int) -> list[int]:
        """One number for all dice: its digits to the base of six, the last digit first."""
        number = self.draw(6**dice)
        return [number // 6**i % 6 + 1 for i in range(dice)]

    def battle(self, attackers: int, defenders: int, stop: int) -> tuple[int, int]:
        """Up to 40 defenders: draws of how it ends for 40 attackers at a time; more: many rolls at once, or single ones."""
        while attackers > stop and defenders > 0:
            if defenders <= 40:
                ends = battle_ends(attackers, defenders, max(stop, attackers - 40))
                _, attackers, defenders = ends[self._pick([end[0] for end in ends])]
                continue
            above = attackers - stop
            rolls = next((many for many in (64, 16, 4) if above > 2 * many and defenders >= 2 * many), None)
            if rolls:
                lost = self._pick(losses_in(rolls))
                attackers, defenders = attackers - lost, defenders - (2 * rolls - lost)
            else:
                lost, beaten = self._single(min(3, attackers), min(2, defenders))
                attackers, defenders = attackers - lost, defenders - beaten
        return attackers, defenders

    def _pick(self, chances: Sequence[float]) -> int:
        """One of these, each with its chance: the first where their sum goes beyond the number drawn."""
        value = self.draw(2**53) / 2**53 * sum(chances)
        for i, chance in enumerate(chances):
            if value < chance:
                return i
            value -= chance
        return len(chances) - 1

    def _single(self, attacking: int, defending: int) -> tuple[int, int]:
        """All rolls in the order of what the defender loses: one number says which came."""
        number = self.draw(6 ** (attacking + defending))
        for lost, beaten, ways in sorted(roll_ways(attacking, defending), key=lambda each: each[1]):
            if number < ways:
                return lost, beaten
            number -= ways
        raise AssertionError


def compare(attack: Sequence[int], defence: Sequence[int]) -> tuple[int, int]:
    """What the attacker and the defender lose by a roll."""
    pairs = list(zip(sorted(attack, reverse=True), sorted(defence, reverse=True), strict=False))
    beaten = sum(a > d for a, d in pairs)
    return len(pairs) - beaten, beaten


@cache
def roll_ways(attacking: int, defending: int) -> tuple[tuple[int, int, int], ...]:
    """For each result of a roll (lost, beaten) in how many ways it comes."""
    ways: dict[tuple[int, int], int] = {}
    for dice in product(range(6), repeat=attacking + defending):
        result = compare(dice[:attacking], dice[attacking:])
        ways[result] = ways.get(result, 0) + 1
    return tuple((lost, beaten, count) for (lost, beaten), count in ways.items())


@cache
def battle_ends(attackers: int, defenders: int, stop: int) -> tuple[tuple[float, int, int], ...]:
    """Chance, attackers and defenders left: conquests from few left to many, then defeats by few defenders to many."""
    reached = {(attackers, defenders): 1.0}
    ends: dict[tuple[int, int], float] = {}
    while reached:
        at = max(reached, key=sum)
        chance = reached.pop(at)
        if at[0] <= stop or at[1] == 0:
            ends[at] = ends.get(at, 0.0) + chance
            continue
        dice = min(3, at[0]), min(2, at[1])
        for lost, beaten, ways in roll_ways(*dice):
            then = at[0] - lost, at[1] - beaten
            reached[then] = reached.get(then, 0.0) + chance * ways / 6 ** sum(dice)
    won = sorted(end for end in ends if end[1] == 0)
    lost_ends = sorted((end for end in ends if end[1] > 0), key=lambda end: (end[1], -end[0]))
    return tuple((ends[end], *end) for end in won + lost_ends)


@cache
def losses_in(rolls: int) -> tuple[float, ...]:
    """The chances that the attacker loses 0, 1, ... in many rolls of three dice against two."""
    chances = [1.0]
    for _ in range(rolls):
        longer = [0.0] * (len(chances) + 2)
        for before, chance in enumerate(chances):
            for lost, _, ways in roll_ways(3, 2):
                longer[before + lost] += chance * ways / 6**5
        chances = longer
    return tuple(chances)


class ReferenceGame:
    """A game, played with the chance it is given."""

    def __init__(self, board: Board, chance: Dice | Tape) -> None:
        self.board = board
        self.rules = board.rules
        self.names = [territory.id for territory in board.territories]
        self.near = {name: [self.names[j] for j in board.neighbours[i]] for i, name in enumerate(self.names)}
        self.continents = [({self.names[i] for i in c.members}, c.bonus) for c in board.continents]
        self.all_cards = [*self.names, "wild 1", "wild 2"]
        self.symbols = {name: SYMBOLS[symbol] for name, symbol in zip(self.names, board.symbols, strict=True)}
        self.seats = list(range(self.rules.players))
        self.limit = self.rules.army_limit or 250_000

        self.owner: dict[str, int | str | None] = dict.fromkeys(self.names)
        self.armies = dict.fromkeys(self.names, 0)
        self.stock = [board.starting_armies for _ in self.seats]
        self.hands: list[set[str]] = [set() for _ in self.seats]
        self.deck = set(self.all_cards)
        self.turned_in: set[str] = set()
        self.since_shuffle: list[set[str]] = [set() for _ in self.seats]  # cards held since the last reshuffle
        self.sets = 0
        self.missions: list[str | None] = [None for _ in self.seats]
        self.fulfilled: list[set[str]] = [set() for _ in self.seats]  # missions fulfilled at some turn's end
        self.destroyer: list[int | None] = [None for _ in self.seats]
        self.round = 0
        self.phase = "claim"
        self.to_place = 0
        self.captured = False  # whether armies for captured cards are being placed
        self.conquered = False
        self.bonus_taken = False
        self.way: tuple[str, str] | None = None  # of the last attack, or of this turn's fortifying
        self.received: set[str] = set()
        self.dice: tuple[list[int], list[int]] = ([], [])
        self.losses = (0, 0)
        self.winners: list[int] = []

        self.first = chance.draw(len(self.seats))
        self.to_move: int | None = self.first
        if self.rules.goal == "missions":
            self._deal_missions(chance)
        if self.rules.deal or board.neutral:
            self._deal_territories(chance)
            self._go_on_setting_up()

    # The set-up.

    def _order(self, start: int) -> list[int]:
        """All seats in the order of play from one on."""
        return self.seats[start:] + self.seats[:start]

    def _deal_missions(self, chance: Dice | Tape) -> None:
        for seat in self._order(self.first):
            left = [m for m in self._missions() if m not in self.missions and m != f"destroy {seat}"]
            self.missions[seat] = left[chance.draw(len(left))]

    def _missions(self) -> list[str]:
        continents = [f"continents {i}" for i in range(len(self.board.missions))]
        return [*(f"destroy {seat}" for seat in self.seats), *continents, "many", "firmly"]

    def _deal_territories(self, chance: Dice | Tape) -> None:
        owners: list[int | str] = [*self._order(self.first)]
        if self.board.neutral:
            owners.append(NEUTRAL)
        for i in range(len(self.names)):
            free = [name for name in self.names if self.owner[name] is None]
            self._put_first(free[chance.draw(len(free))], owners[i % len(owners)])

    def _put_first(self, name: str, owner: int | str) -> None:
        self.owner[name] = owner
        self.armies[name] = 1
        if isinstance(owner, int):
            self.stock[owner] -= 1

    def _go_on_setting_up(self) -> None:
        assert self.to_move is not None
        for seat in self._order(self.to_move):
            if not self._with_room(seat):
                self.stock[seat] = 0
            if self.stock[seat]:
                self.to_move = seat
                self.phase = "set-up"
                self.to_place = min(2 if self.board.neutral else 1, self.stock[seat])
                return
        self.to_move = self.first
        self.round = 1
        self._begin_turn()

    def _after(self, seat: int) -> int:
        return (seat + 1) % len(self.seats)

    # What can be asked of the map.

    def land(self, owner: int | str | None) -> list[str]:
        return [name for name in self.names if self.owner[name] == owner]

    def room(self, name: str) -> int:
        return self.limit - self.armies[name]

    def _with_room(self, owner: int | str) -> list[str]:
        return [name for name in self.land(owner) if self.room(name) > 0]

    def _held_continents(self, seat: int) -> list[int]:
        mine = set(self.land(seat))
        return [i for i, (members, _) in enumerate(self.continents) if members <= mine]

    def _connected(self, start: str) -> set[str]:
        reached, waiting = {start}, [start]
        while waiting:
            for name in self.near[waiting.pop()]:
                if name not in reached and self.owner[name] == self.owner[start]:
                    reached.add(name)
                    waiting.append(name)
        return reached

    # What can be played.

    def legal(self) -> list[Move]:
        return list(self._legal())

    def _legal(self) -> Iterator[Move]:
        seat = self.to_move
        if seat is None:
            return
        if self.phase == "claim":
            yield from (("claim", name) for name in self.land(None))
        elif self.phase == "set-up":
            yield from (("place", name, 1) for name in self._with_room(seat))
        elif self.phase == "neutral set-up":
            yield from (("place", name, 1) for name in self._with_room(NEUTRAL))
        elif self.phase == "draft":
            yield from self._draft_moves(seat)
        elif self.phase == "attack":
            yield from self._attack_moves(seat)
        elif self.phase == "occupy":
            yield from (("move", count) for count in handy(self._can_follow()))
            yield ("stay",)
        else:
            yield from self._fortify_moves(seat)

    def _draft_moves(self, seat: int) -> Iterator[Move]:
        hand = self.hands[seat]
        must = len(hand) >= 5
        if must or not self.captured:
            for cards in combinations([card for card in self.all_cards if card in hand], 3):
                if self._is_set(cards):
                    own = [] if self.bonus_taken else [card for card in cards if self.owner.get(card) == seat]
                    places: list[str | None] = [*own] or [None]
                    yield from (("exchange", cards, place) for place in places)
        if not must:
            for name in self.land(seat):
                yield from (("place", name, count) for count in handy(min(self.to_place, self.room(name))))

    def _is_set(self, cards: Sequence[str]) -> bool:
        symbols = [self.symbols[card] for card in cards if card in self.symbols]
        return len(symbols) < 3 or len(set(symbols)) in (1, 3)

    def _attack_moves(self, seat: int) -> Iterator[Move]:
        for source in self.land(seat):
            for target in self.near[source]:
                if self.owner[target] != seat:
                    yield from (("attack", source, target, dice) for dice in (1, 2, 3) if dice < self.armies[source])
                    yield from (("battle", source, target, stop) for stop in HANDY if stop < self.armies[source])
        yield ("end attack",)
        yield ("end turn",)

    def _can_follow(self) -> int:
        assert self.way
        return min(self.armies[self.way[0]] - 1, self.room(self.way[1]))

    def _fortify_moves(self, seat: int) -> Iterator[Move]:
        for source in self.land(seat):
            if self.armies[source] < 2 or source in self.received:
                continue
            for target in self._connected(source) - {source}:
                if self.way is None or self.rules.free_fortify or self.way == (source, target):
                    most = min(self.armies[source] - 1, self.room(target))
                    yield from (("fortify", source, target, count) for count in handy(most))
        yield ("end turn",)

    # Playing.

    def play(self, move: Move, chance: Dice | Tape) -> None:
        assert move in self.legal(), move
        self.play_unchecked(move, chance)

    def play_unchecked(self, move: Move, chance: Dice | Tape) -> None:
        assert self.to_move is not None
        kind, seat = move[0], self.to_move
        if kind == "claim":
            self._claim(seat, move[1])
        elif kind == "place":
            self._place(seat, move[1], move[2])
        elif kind == "exchange":
            self._exchange(seat, move[1], move[2])
        elif kind == "attack":
            self._attack(move[1], move[2], move[3], chance)
        elif kind == "battle":
            self._battle(move[1], move[2], move[3], chance)
        elif kind == "move":
            self._follow(seat, move[1])
        elif kind == "stay":
            self._occupied(seat)
        elif kind == "end attack":
            self.phase = "fortify"
            self.way = None
        elif kind == "fortify":
            self._fortify(move[1], move[2], move[3])
        else:
            self._end_turn(seat, chance)

    def _claim(self, seat: int, name: str) -> None:
        self._put_first(name, seat)
        self.to_move = self._after(seat)
        if not self.land(None):
            self._go_on_setting_up()

    def _place(self, seat: int, name: str, count: int) -> None:
        self.armies[name] += count
        self.to_place -= count
        if self.phase == "draft":
            self._go_on_drafting(seat)
            return
        if self.phase == "set-up":
            self.stock[seat] -= 1
            if not self._with_room(seat):
                self.stock[seat] = self.to_place = 0
            if self.to_place:
                return
            if self.board.neutral and self._with_room(NEUTRAL):
                self.phase = "neutral set-up"
                self.to_place = 1
                return
        self.to_move = self._after(seat)
        self._go_on_setting_up()

    def _begin_turn(self) -> None:
        seat = self.to_move
        assert seat is not None
        self.phase = "draft"
        self.captured = self.conquered = self.bonus_taken = False
        self.way = None
        self.received = set()
        self.dice, self.losses = ([], []), (0, 0)
        self.to_place = max(3, len(self.land(seat)) // 3)
        self.to_place += sum(self.continents[i][1] for i in self._held_continents(seat))
        self._go_on_drafting(seat)

    def _go_on_drafting(self, seat: int) -> None:
        if len(self.hands[seat]) >= 5:
            return
        if not self._with_room(seat):
            self.to_place = 0
        if self.to_place == 0:
            self.phase = "attack"
            self.captured = False

    def _exchange(self, seat: int, cards: Sequence[str], place: str | None) -> None:
        self.to_place += self._worth(cards)
        self.sets += 1
        self.hands[seat] -= set(cards)
        self.since_shuffle[seat] -= set(cards)
        self.turned_in |= set(cards)
        if place is not None:
            self.armies[place] = min(self.limit, self.armies[place] + 2)
            self.bonus_taken = True
        self._go_on_drafting(seat)

    def _worth(self, cards: Sequence[str]) -> int:
        if self.rules.cards == "fixed":
            symbols = [self.symbols[card] for card in cards if card in self.symbols]
            if len(set(symbols)) == len(symbols):
                return 10
            return {"infantry": 4, "cavalry": 6, "artillery": 8}[symbols[0]]
        if self.rules.cards == "slow":
            return 4 + self.sets
        first = (4, 6, 8, 10, 12, 15)
        worth = first[self.sets] if self.sets < len(first) else 15 + 5 * (self.sets + 1 - len(first))
        return min(worth, 50) if self.rules.cards == "capped" else worth

    def _attack(self, source: str, target: str, dice: int, chance: Dice | Tape) -> None:
        defending = min(2, self.armies[target])
        faces = chance.roll(dice + defending)
        rolled, against = faces[:dice], faces[dice:]
        self.dice = sorted(rolled, reverse=True), sorted(against, reverse=True)
        lost, beaten = compare(rolled, against)
        self._lose(source, target, lost, beaten, dice)

    def _battle(self, source: str, target: str, stop: int, chance: Dice | Tape) -> None:
        attackers, defenders = self.armies[source] - 1, self.armies[target]
        left, defenders_left = chance.battle(attackers, defenders, stop - 1)
        self.dice = [], []
        self._lose(source, target, attackers - left, defenders - defenders_left, min(3, left))

    def _lose(self, source: str, target: str, lost: int, beaten: int, dice: int) -> None:
        self.way = source, target
        self.losses = lost, beaten
        self.armies[source] -= lost
        self.armies[target] -= beaten
        if self.armies[target] == 0:
            self._conquer(source, target, dice)

    def _conquer(self, source: str, target: str, dice: int) -> None:
        seat, loser = self.to_move, self.owner[target]
        assert seat is not None
        self.owner[target] = seat
        self.armies[source] -= dice
        self.armies[target] = dice
        self.conquered = True
        if isinstance(loser, int) and not self.land(loser):
            self.destroyer[loser] = seat
            for held in (self.hands, self.since_shuffle):
                held[seat] |= held[loser]
                held[loser] = set()
            if all(self.destroyer[other] is not None for other in self.seats if other != seat):
                self._end([seat])
                return
        self.phase = "occupy"
        if self._can_follow() == 0:
            self._occupied(seat)

    def _follow(self, seat: int, count: int) -> None:
        assert self.way
        self.armies[self.way[0]] -= count
        self.armies[self.way[1]] += count
        if self._can_follow() == 0:
            self._occupied(seat)

    def _occupied(self, seat: int) -> None:
        if len(self.hands[seat]) >= 6:
            self.phase, self.captured = "draft", True
            self.to_place = 0
        else:
            self.phase = "attack"

    def _fortify(self, source: str, target: str, count: int) -> None:
        self.armies[source] -= count
        self.armies[target] += count
        self.way = source, target
        self.received.add(target)

    # The end of a turn, and of the game.

    def _end_turn(self, seat: int, chance: Dice | Tape) -> None:
        if self.conquered:
            self._draw_card(seat, chance)
        if self.rules.goal == "missions" and self._mission_ends_game(seat):
            return
        order = [s for s in self._order(self._after(seat)) if self.land(s)]
        following = order[0]
        places = self._order(self.first)
        if places.index(following) <= places.index(seat):
            self.round += 1
        if self.rules.round_limit and self.round > self.rules.round_limit:
            self._end_by_size()
            return
        self.to_move = following
        self._begin_turn()

    def _draw_card(self, seat: int, chance: Dice | Tape) -> None:
        if not self.deck:
            self.deck, self.turned_in = self.turned_in, set()
            self.since_shuffle = [set(hand) for hand in self.hands]
        if self.deck:
            cards = [card for card in self.all_cards if card in self.deck]
            card = cards[chance.draw(len(cards))]
            self.deck.remove(card)
            self.hands[seat].add(card)

    def _mission_ends_game(self, seat: int) -> bool:
        winner = None
        for other in self._order(seat):
            if self.land(other):
                done = {mission for mission in self._missions() if self._is_fulfilled(other, mission)}
                self.fulfilled[other] |= done
                if winner is None and self.missions[other] in done:
                    winner = other
        if winner is not None:
            self._end([winner])
        return winner is not None

    def _is_fulfilled(self, seat: int, mission: str) -> bool:
        kind, _, number = mission.partition(" ")
        mine = self.land(seat)
        many = len(mine) >= self.board.hold_many
        if kind == "many":
            return many
        if kind == "firmly":
            return sum(self.armies[name] >= 2 for name in mine) >= self.board.hold_firmly
        if kind == "continents":
            wanted = self.board.missions[int(number)]
            held = self._held_continents(seat)
            return set(wanted.continents) <= set(held) and len(held) >= len(wanted.continents) + wanted.any_third
        destroyer = self.destroyer[int(number)]
        if int(number) == seat or destroyer is None:
            return False
        return destroyer == seat or self.rules.strict_missions or many

    def _end_by_size(self) -> None:
        sizes = {seat: (len(self.land(seat)), sum(self.armies[name] for name in self.land(seat))) for seat in self.seats}
        self._end([seat for seat in self.seats if sizes[seat] == max(sizes.values())])

    def _end(self, winners: list[int]) -> None:
        self.winners = winners
        self.to_move = None


def handy(most: int) -> list[int]:
    """The numbers of armies that can be given in one move."""
    return [count for count in HANDY if count < most] + ([most] if most > 0 else [])


def play_random(board: Board, rng: Random) -> int:
    """Play a game of uniformly random moves to its end; the number of moves."""
    dice = Dice(rng)
    game = ReferenceGame(board, dice)
    moves = 0
    while game.to_move is not None:
        game.play_unchecked(rng.choice(game.legal()), dice)
        moves += 1
    return moves
