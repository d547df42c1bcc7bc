"""One table: a game from its waiting room to its end, the people and bots at it, and what each may see.

Only this module holds a true state. What leaves it is made in `seen_by`, through the seat's view.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from typing import Any, Protocol

from fogbound.core import registry
from fogbound.core.agent import Agent
from fogbound.core.contract import SPECTATOR, Game
from fogbound.core.errors import FogboundError
from fogbound.core.match import Match
from fogbound.core.record import Record
from fogbound.core.view import View
from fogbound.server.clocks import Clocks
from fogbound.server.levels import agent_spec, default_level, levels, stand_in_level
from fogbound.server.storage import SeatRow, Storage, TableRow
from fogbound.server.warm import is_ready

AWAY = 30.0  # seconds after which an agent may take over a seat whose holder left
MOST_CHAT = 500


class Refused(FogboundError):
    """What was asked cannot be done; the text says why."""


class Viewer(Protocol):
    """A connection to a table."""

    token: str | None  # digest of the secret, None for a spectator
    shown: int | None  # the seat that a hot-seat screen shows now

    async def send(self, message: dict[str, Any]) -> None: ...


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class GameTable:
    """The authority over one game."""

    def __init__(self, row: TableRow, game: Game, storage: Storage, bot_delay: float) -> None:
        self.row, self.game, self.storage, self.bot_delay = row, game, storage, bot_delay
        self.lock = asyncio.Lock()
        self.viewers: set[Viewer] = set()
        self.agents: dict[int, Agent] = {}
        self.away: dict[str, float] = {}  # since when nobody with this token is connected
        self.clocks = Clocks(row.settings.get("clock") or {}, game.seats)
        self.match: Match | None = None
        self.next_table: str | None = None  # the rematch
        self._bot: asyncio.Task[None] | None = None
        if row.start is not None:
            self.match = _replayed(row, game)

    # What others ask.

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def phase(self) -> str:
        return self.row.phase

    @property
    def version(self) -> int:
        return len(self.match.moves) if self.match else 0

    @property
    def hotseat(self) -> bool:
        return bool(self.row.settings.get("hotseat"))

    def seats_of(self, token: str | None) -> list[int]:
        return [seat.seat for seat in self.row.seats if token is not None and seat.token == token]

    def summary(self) -> dict[str, Any]:
        """What everybody may know about the table."""
        return {
            "id": self.id,
            "spec": self.game.spec,
            "family": self.game.family,
            "phase": self.phase,
            "compiling": not is_ready(self.game.family),
            "public": bool(self.row.settings.get("public")),
            "hotseat": self.hotseat,
            "created": self.row.created,
            "moves": self.version,
            "seats": [self._seat_json(seat) for seat in self.row.seats],
            "clock": self.row.settings.get("clock") or {"kind": "none"},
            "next": self.next_table,
        }

    def _seat_json(self, row: SeatRow) -> dict[str, Any]:
        connected = row.kind == "agent" or any(viewer.token == row.token for viewer in self.viewers if row.token)
        return {
            "seat": row.seat,
            "name": self.game.seat_names[row.seat],
            "side": self.game.side_of[row.seat],
            "kind": row.kind,
            "nickname": row.nickname,
            "level": row.level,
            "ready": row.ready,
            "connected": connected,
            "clock": self.clocks.left(row.seat),
        }

    def seen_by(self, viewer: Viewer) -> dict[str, Any]:
        """All that this viewer gets to see: the only door through which a game leaves the server."""
        mine = self.seats_of(viewer.token)
        message: dict[str, Any] = {"type": "table", **self.summary(), "version": self.version, "mine": mine}
        message["chat"] = self.row.chat[-100:]
        if self.match is None:
            return message
        seat, hand_over = self._eyes(viewer, mine)
        view = self._view(seat)
        over = self.match.over
        message |= {
            "to_move": self.match.to_move,
            "expected": "" if over else self.game.expected(view.state),
            "viewer_seat": seat,
            "hand_over": hand_over,
            "view": self.game.public(view.state),
            "history": self._history(view),
            "legal": self._legal(view) if seat in mine else [],
            "can_undo": seat != SPECTATOR and self._can_undo(seat),
            "outcome": self.game.outcome(self.match.state) if over else None,
            "scores": list(self.match.scores()) if over else None,
        }
        return message

    def _eyes(self, viewer: Viewer, mine: list[int]) -> tuple[int, int | None]:
        """The seat whose view is shown; and on one shared screen the seat that must take over first."""
        assert self.match is not None
        turn = self.match.to_move
        if not mine or self.match.over:
            return (mine[0] if mine else SPECTATOR), None
        if len({self.game.side_of[seat] for seat in mine}) > 1:
            if turn not in mine:
                return SPECTATOR, None
            shown = viewer.shown is not None and self.game.side_of[viewer.shown] == self.game.side_of[turn]
            return (turn, None) if shown else (SPECTATOR, turn)
        return (turn if turn in mine else mine[0]), None

    def _view(self, seat: int) -> View:
        assert self.match is not None
        return self.match.revealed() if self.match.over else self.match.view(seat)

    def _history(self, view: View) -> list[dict[str, Any]]:
        return [
            {
                "number": number,
                "seat": seen.seat,
                "text": self.game.describe(seen.code),
                "details": self.game.details(seen.code),
            }
            for number, seen in enumerate(view.history)
        ]

    def _legal(self, view: View) -> list[dict[str, Any]]:
        return [{"code": m.code, "text": m.text, "details": self.game.details(m.code)} for m in view.legal()]

    def record(self) -> dict[str, Any]:
        return self.saved().to_json()

    def saved(self) -> Record:
        """The record of a finished game."""
        if self.match is None or not self.match.over:
            raise Refused("The record is available once the game is over.")
        names = [self._side_name(side) for side in range(self.game.sides)]
        match = self.match
        return Record(self.game, 0, 0, tuple(names), match.start, tuple(match.moves), match.scores())

    def _side_name(self, side: int) -> str:
        rows = [row for row in self.row.seats if self.game.side_of[row.seat] == side]
        return ", ".join(dict.fromkeys(row.nickname or row.kind for row in rows))

    # What people do.

    async def play(self, token: str | None, code: int, version: int) -> None:
        async with self.lock:
            match = self._running()
            if version != self.version:
                raise Refused("The game has moved on; look again and choose your move.")
            if match.to_move not in self.seats_of(token):
                raise Refused(f"It is not your turn: {self.game.seat_names[match.to_move]} is to move.")
            await self._commit(code)
        await self.announce()

    async def undo(self, token: str | None, version: int) -> None:
        async with self.lock:
            match = self._running()
            seats = [seat for seat in self.seats_of(token) if self._can_undo(seat)]
            if version != self.version or not seats:
                raise Refused("This move cannot be taken back: something was revealed, rolled or answered since.")
            await asyncio.to_thread(self.storage.drop_move, self.id, self.version - 1)
            match.undo()
            self.clocks.turn(match.to_move)
        await self.announce()

    def _can_undo(self, seat: int) -> bool:
        match = self.match
        if match is None or match.over or not match.moves or match.to_move != seat:
            return False
        last = match.moves[-1]
        quiet = last.seat == seat and not last.chance
        return quiet and self.game.reversible(match.state_at(len(match.moves) - 1), last.code)

    async def join(self, token: str, nickname: str, wanted: list[int] | None) -> list[int]:
        async with self.lock:
            open_seats = [row for row in self.row.seats if row.kind == "open"]
            if self.phase != "waiting" or not open_seats:
                raise Refused("There is no open seat at this table; you can watch.")
            side = self.game.side_of[open_seats[0].seat]
            taken = [row for row in open_seats if self._is_wanted(row.seat, wanted, side)]
            if not taken or (wanted and len(taken) != len(set(wanted))):
                raise Refused("That seat is taken; choose an open one.")
            for row in taken:
                row.kind, row.nickname, row.token, row.ready = "person", nickname, digest(token), False
            await self._save_seats()
        await self.announce()
        return [row.seat for row in taken]

    def _is_wanted(self, seat: int, wanted: list[int] | None, side: int) -> bool:
        return seat in wanted if wanted else self.game.side_of[seat] == side

    async def leave(self, token: str) -> None:
        async with self.lock:
            rows = [row for row in self.row.seats if row.token == token]
            if not rows:
                raise Refused("You have no seat at this table.")
            for row in rows:
                if self.phase == "waiting":
                    row.kind, row.nickname, row.token, row.ready = "open", "", None, False
                elif self.phase == "playing":
                    self._give_to_agent(row)
            await self._save_seats()
        await self.announce()

    async def set_ready(self, token: str | None, ready: bool) -> None:
        async with self.lock:
            rows = [row for row in self.row.seats if token and row.token == token]
            if self.phase != "waiting" or not rows:
                raise Refused("Only someone with a seat at a waiting table can be ready.")
            for row in rows:
                row.ready = ready
            await self._save_seats()
            await self._start_if_ready()
        await self.announce()

    async def start(self, token: str | None, fill: str | None) -> None:
        """The first person at the table starts the game; open seats go to agents if a level is given."""
        async with self.lock:
            if self.phase != "waiting":
                raise Refused("The game has begun.")
            host = next((row.token for row in self.row.seats if row.kind == "person"), None)
            if token is None or token != host:
                raise Refused("Only the first person at the table can start the game.")
            for row in self.row.seats:
                if row.kind == "open" and fill:
                    self._give_to_agent(row, fill)
                row.ready = row.ready or row.token == token or row.kind == "agent"
            await self._save_seats()
            await self._start_if_ready()
            if self.phase == "waiting":
                raise Refused("Not everybody is here and ready yet.")
        await self.announce()

    async def take_over(self, token: str | None, seat: int, level: str | None) -> None:
        """An agent plays on for someone who left."""
        async with self.lock:
            if not self.seats_of(token):
                raise Refused("Only a player can ask an agent to take over.")
            rows = [row for row in self.row.seats if row.seat == seat and row.kind == "person"]
            if not rows or self.phase != "playing":
                raise Refused("There is nobody to take over from.")
            since = self.away.get(rows[0].token or "")
            if since is None or time.monotonic() - since < AWAY:
                raise Refused(f"An agent can take over when a player has been away for {AWAY:.0f} seconds.")
            for row in [each for each in self.row.seats if each.token == rows[0].token]:
                self._give_to_agent(row, level)
            await self._save_seats()
        await self.announce()

    def _give_to_agent(self, row: SeatRow, level: str | None = None) -> None:
        level = level or stand_in_level(self.game)
        if level not in [each.name for each in levels(self.game)]:
            raise Refused(f"There is no level “{level}” for {self.game.spec}.")
        row.kind, row.level, row.token, row.ready, row.nickname = "agent", level, None, True, level.capitalize()

    async def say(self, token: str | None, text: str) -> None:
        rows = [row for row in self.row.seats if token and row.token == token]
        entry = {"from": rows[0].nickname if rows else "someone watching", "text": text, "time": time.time()}
        async with self.lock:
            if len(self.row.chat) >= MOST_CHAT:
                raise Refused("The chat of this table is full.")
            await asyncio.to_thread(self.storage.add_chat, self.id, len(self.row.chat), entry)
            self.row.chat.append(entry)
        await self.announce()

    # How a game goes on.

    async def begin(self) -> None:
        """Start at once if nobody has to be waited for."""
        async with self.lock:
            await self._start_if_ready()

    async def _start_if_ready(self) -> None:
        if self.phase != "waiting" or not all(
            row.kind == "agent" or (row.kind == "person" and row.ready) for row in self.row.seats
        ):
            return
        seed = self.row.settings.get("seed")
        self.match = self.game.new(secrets.randbits(62) if seed is None else int(seed))
        self.row.phase, self.row.start = "playing", list(self.match.start)
        await asyncio.to_thread(self.storage.set_phase, self.id, "playing", self.match.start)
        self.clocks.turn(self.match.to_move)

    def _running(self) -> Match:
        if self.match is None or self.phase != "playing":
            raise Refused("The game has not begun." if self.phase == "waiting" else "The game is over.")
        return self.match

    async def _commit(self, code: int) -> None:
        """Play a move on a copy, store it, and only then make it the truth."""
        assert self.match is not None
        after = self.match.copy()
        move = after.play(code)
        store = (self.id, self.version, move.seat, move.code, move.chance, after.over)
        await asyncio.to_thread(self.storage.add_move, *store)
        self.match = after
        if after.over:
            self.row.phase = "over"
            self.clocks.stop()
        else:
            self.clocks.turn(after.to_move)

    async def announce(self) -> None:
        """Tell every viewer, each what he may see; and let a bot think if it is its turn."""
        for viewer in list(self.viewers):
            await viewer.send(self.seen_by(viewer))
        self.wake_bot()

    def wake_bot(self) -> None:
        if self.phase == "playing" and (self._bot is None or self._bot.done()):
            self._bot = asyncio.create_task(self._bots_play())

    async def _bots_play(self) -> None:
        """Play as long as agents are to move; each answers after at least the same time, whatever it needed."""
        while self.match is not None and self.phase == "playing":
            row = self.row.seats[self.match.to_move]
            if row.kind != "agent":
                return
            began, version = time.monotonic(), self.version
            code = await asyncio.to_thread(self._think, row)
            await asyncio.sleep(max(0.0, self.bot_delay - (time.monotonic() - began)))
            async with self.lock:
                if version != self.version or self.phase != "playing":
                    continue
                await self._commit(code)
            for viewer in list(self.viewers):
                await viewer.send(self.seen_by(viewer))

    def _think(self, row: SeatRow) -> int:
        assert self.match is not None
        side = self.game.side_of[row.seat]
        agent = self.agents.get(side)
        if agent is None or self._level_changed(side, row):
            spec = agent_spec(self.game, row.level or default_level(self.game))
            agent = self.agents[side] = registry.agent(spec, self.game, secrets.randbits(62), side)
            agent.level = row.level  # type: ignore[attr-defined]
        return agent.choose(self.match.view(row.seat)).action

    def _level_changed(self, side: int, row: SeatRow) -> bool:
        return getattr(self.agents[side], "level", None) != row.level

    async def time_is_up(self) -> None:
        """A clock ran out: an agent takes the move (clock a move) or the seat (clock a game)."""
        async with self.lock:
            if self.match is None or self.phase != "playing":
                return
            row = self.row.seats[self.match.to_move]
            if row.kind != "person" or not self.clocks.ran_out(row.seat):
                return
            if self.clocks.kind == "game":
                for each in [r for r in self.row.seats if r.token == row.token]:
                    self._give_to_agent(each)
                await self._save_seats()
            else:
                version = self.version
                spec = agent_spec(self.game, stand_in_level(self.game))
                stand_in = registry.agent(spec, self.game, secrets.randbits(62), self.game.side_of[row.seat])
                decision = await asyncio.to_thread(stand_in.choose, self.match.view(row.seat))
                if version == self.version:
                    await self._commit(decision.action)
        await self.announce()

    async def _save_seats(self) -> None:
        await asyncio.to_thread(self.storage.save_seats, self.id, self.row.seats)

    # Comings and goings.

    async def enter(self, viewer: Viewer) -> None:
        self.viewers.add(viewer)
        if viewer.token:
            self.away.pop(viewer.token, None)
        await self.announce()

    async def exit(self, viewer: Viewer) -> None:
        self.viewers.discard(viewer)
        if viewer.token and not any(other.token == viewer.token for other in self.viewers):
            self.away[viewer.token] = time.monotonic()
        await self.announce()

    def close(self) -> None:
        if self._bot is not None:
            self._bot.cancel()


def _replayed(row: TableRow, game: Game) -> Match:
    """A stored game as it stood; what chance draws from now on comes from a fresh secret."""
    match = Match(game, secrets.randbits(62), start=row.start)
    for seat, code, chance in row.moves:
        assert match.to_move == seat
        match.play(code, chance=chance)
    return match
