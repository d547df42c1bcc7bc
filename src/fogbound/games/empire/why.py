"""Why a move of Eight-Minute Empire is good: the points that it and the rest of its card bring, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from fogbound.core.contract import Reason, State
from fogbound.core.rng import stream
from fogbound.core.view import View
from fogbound.core.world import World
from fogbound.games.empire.rules import ACTING, BID, CHOOSING, DONE, KIND_SHIFT, SEALED, SET_NEUTRAL, START, TAKE

if TYPE_CHECKING:
    from fogbound.games.empire.game import Empire

MOST_LOOKED_AT = 300  # positions of one turn


def reasons(game: Empire, view: View, action: int, belief: Mapping[str, float]) -> list[Reason]:
    kind, seat, before = action >> KIND_SHIFT, view.seat, view.state
    if kind in (START, SET_NEUTRAL):
        return []
    if kind == BID:
        left = int(before["coins"][seat]) - (action & SEALED)
        return [Reason("bid", f"If it wins, {_coins(left)} are left for cards.", {"n": left})]
    after = World(game, before.copy(), stream(0, "why")).play(action).state
    best, sure = best_of_turn(game, after, seat)
    gain, now = best - _total(game, before, seat), _total(game, after, seat) - _total(game, before, seat)
    if kind == DONE:
        text = "Nothing else that the card can do brings a point now."
        return [] if best_of_turn(game, before, seat)[0] > _total(game, before, seat) else [Reason("done", text, {})]
    found = _costs(game, before, after, seat) if kind == TAKE else []
    if now and kind != TAKE:
        found.append(Reason("points", f"It changes your points by {now:+d} at once.", {"points": now}))
    found += _losses(game, before, after, seat)
    if gain != now or kind == TAKE:
        words = "at least " if not sure else ""
        text = f"Used well, the card brings {words}{_points(gain)} this turn."
        found.append(Reason("brings" if sure else "brings-at-least", text, {"n": gain}))
    return found


def _costs(game: Empire, before: State, after: State, seat: int) -> list[Reason]:
    price, left = int(before["coins"][seat] - after["coins"][seat]), int(after["coins"][seat])
    found = [
        Reason("price", f"It costs {_coins(price)}; {_coins(left)} are left.", {"n": price, "left": left})
        if price
        else Reason("no-price", "It costs nothing.", {})
    ]
    goods = game.points(after, seat)["goods"] - game.points(before, seat)["goods"]
    if goods > 0:
        found.append(Reason("goods", f"Its goods bring {_points(goods)}.", {"n": goods}))
    return found


def _losses(game: Empire, before: State, after: State, seat: int) -> list[Reason]:
    """What others lose by it."""
    lost = {other: _total(game, before, other) - _total(game, after, other) for other in range(game.seats) if other != seat}
    names = game.seat_names
    return [
        Reason("takes", f"{names[other]} loses {_points(n)}.", {"seat": names[other], "n": n})
        for other, n in lost.items()
        if n > 0
    ]


def best_of_turn(game: Empire, state: State, seat: int) -> tuple[int, bool]:
    """The most points that a player can have at the end of a turn, and whether everything was looked at."""
    seen, nothing_drawn = {state.tobytes()}, stream(0, "why")
    waiting, best = [state], _total(game, state, seat)
    for position in waiting:
        if position["turn"] != seat or position["phase"] not in (CHOOSING, ACTING):
            continue
        for code in game.legal(position):
            if code >> KIND_SHIFT == DONE:
                continue
            following = World(game, position.copy(), nothing_drawn).play(code).state
            if following.tobytes() not in seen and len(seen) < MOST_LOOKED_AT:
                seen.add(following.tobytes())
                waiting.append(following)
                best = max(best, _total(game, following, seat))
    return best, len(seen) < MOST_LOOKED_AT


def _total(game: Empire, state: State, seat: int) -> int:
    return game.points(state, seat)["total"]


def _points(n: int) -> str:
    return "1 point" if n == 1 else f"{n} points"


def _coins(n: int) -> str:
    return "1 coin" if n == 1 else f"{n} coins"
