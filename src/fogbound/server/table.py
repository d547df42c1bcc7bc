"""One table: a game from its waiting room to its end, the people and bots at it, and what each may see.

Only this module holds a true state. What leaves it goes through a seat's view: to people in `news`, `past` and
`view_of`, to agents in `bots.py`. Every change is stored before it becomes the truth.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from fogbound.core.contract import SPECTATOR, Game
from fogbound.core.errors import FogboundError
from fogbound.core.match import Match
from fogbound.core.record import Record
from fogbound.core.view import Seen, View
from fogbound.server import metrics
from fogbound.server.clocks import Clocks
from fogbound.server.levels import agent_spec, levels, stand_in_level
from fogbound.server.seen import Audience, Part, Picture
from fogbound.server.storage import Change, Overtaken, SeatRow, Storage, StorageTrouble, TableRow

PAST_SHOWN = 60  # moves whose results are told to who comes anew
AWAY = 30.0  # seconds after which an agent may take over a seat whose holder left
T = TypeVar("T")


class Refused(FogboundError):
    """What was asked cannot be done; the text says why."""


class Viewer(Protocol):
    """A connection to a table."""

    token: str | None  # digest of the secret, None for a spectator
    address: str
    shown: int | None  # the seat that a hot-seat screen shows now
    changes: bool  # whether it understands what has changed; otherwise it is sent the whole table every time
    audience: Audience | None  # what it was sent last: to whom, which edition, with how many moves
    edition: int
    moves: int

    def wake(self) -> None:
        """Something may be new."""

    def tell(self, message: dict[str, Any]) -> None: ...


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class GameTable:
    """The authority over one game."""

    def __init__(self, row: TableRow, game: Game, storage: Storage) -> None:
        self.row, self.game, self.storage = row, game, storage
        self.lock = asyncio.Lock()
        self.viewers: set[Viewer] = set()
        self.away: dict[str, float] = {}  # since when nobody with this token is connected
        self.changed: Callable[[], None] = lambda: None  # what is to be told whenever something changed
        self.compiling: Callable[[], dict[str, Any] | None] = lambda: None  # how far the agent to move is compiled
        self.edition = 0
        self._reading = 0
        self._doubtful = False  # whether the stored table may be another than this one
        self._pictures: dict[Audience, Picture] = {}
        self._summary: tuple[int, dict[str, Any]] = (-1, {})
        self._take(row, None if row.start is None else _replayed(row, game))

    def _take(self, row: TableRow, match: Match | None) -> None:
        """A table as it was read from the storage is the truth now."""
        self.row, self.match = row, match
        row.moves = []  # the match has them
        self.clocks = Clocks(row.settings.get("clock") or {}, self.game.seats, row.clock)
        if not row.kept:
            self.clocks.since = time.time()  # while nobody kept the table, nobody's time ran
        self._lines = [_line(line, self.edition) for line in row.chat]
        self._pictures.clear()
        self._reading += 1

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

    @property
    def allows_analysis(self) -> bool:
        """Whether players may ask what the computer thinks: its maker decides, and nothing is hidden when it is over."""
        return self.phase == "over" or self.row.settings.get("analysis") is not False

    def agent_of(self, level: str) -> str:
        """The agent behind a level's name, or behind the name of an agent that was seated here with its own options."""
        own: dict[str, str] = self.row.settings.get("agents") or {}
        return own.get(level) or agent_spec(self.game, level)

    def seats_of(self, token: str | None) -> list[int]:
        return [row.seat for row in self.row.seats if token is not None and row.token == token and row.kind == "person"]

    def held_for(self, token: str | None) -> list[int]:
        """Seats where an agent plays as long as their holder is away."""
        return [row.seat for row in self.row.seats if token is not None and row.token == token and row.kind == "agent"]

    def summary(self) -> dict[str, Any]:
        """What everybody may know about the table."""
        present = self._present()
        return {
            "id": self.id,
            "spec": self.game.spec,
            "family": self.game.family,
            "phase": self.phase,
            "compiling": self.compiling(),
            "public": bool(self.row.settings.get("public")),
            "hotseat": self.hotseat,
            "created": self.row.created,
            "moves": self.version,
            "seats": [self._seat_json(seat, present) for seat in self.row.seats],
            "clock": self.row.settings.get("clock") or {"kind": "none"},
            "next": self.row.settings.get("next"),
            "name": self.row.settings.get("name") or "",
            "analysis": self.allows_analysis,
            "series": self.row.settings.get("series"),
        }

    def result(self) -> dict[str, Any]:
        """How a finished game ended; nothing of any other."""
        match = self.match
        if match is None or not match.over:
            return {}
        return {
            "outcome": self.game.outcome(match.state),
            "scores": list(match.scores()),
            "ended": self.row.settings.get("ended"),
            "ratings": {level.name: level.rating for level in levels(self.game)},
        }

    def _present(self) -> set[str]:
        """Tokens of who is connected, here or through another process."""
        return {viewer.token for viewer in self.viewers if viewer.token} | self.row.elsewhere

    def _seat_json(self, row: SeatRow, present: set[str]) -> dict[str, Any]:
        return {
            "seat": row.seat,
            "name": self.game.seat_names[row.seat],
            "side": self.game.side_of[row.seat],
            "kind": row.kind,
            "nickname": row.nickname,
            "level": row.level,
            "ready": row.ready,
            "connected": row.kind == "agent" or (row.token is not None and row.token in present),
            "clock": self.clocks.left(row.seat),
        }

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

    # What is seen.

    def news(self, viewer: Viewer) -> str | None:
        """What this viewer was not sent yet, as a message: the only door through which a game leaves the server."""
        audience = self.audience(viewer)
        picture = self._picture(audience)
        known = viewer.audience == audience
        side = self.game.side_of[audience.seat] if audience.seat != SPECTATOR else None
        lines = [line for line in self._lines if line.side is None or line.side == side]
        text = picture.since(viewer.edition, viewer.moves, lines) if known else picture.whole(lines)
        if text is not None and not viewer.changes:
            text = picture.whole(lines)
        viewer.audience, viewer.edition, viewer.moves = audience, self.edition, len(picture.history)
        return text

    def past(self, viewer: Viewer) -> str:
        """The last positions as this viewer's seat saw them at the time, for one who comes anew: the first whole, of each
        other one what had changed."""
        match, (seat, _) = self.match, self._eyes(viewer, self.seats_of(viewer.token))
        moves = 0 if match is None else len(match.moves)
        first = max(0, moves - PAST_SHOWN)
        views = [] if match is None else [self._looked(match, n, seat) for n in range(first, moves + 1)]
        changes = [
            {name: value for name, value in after.items() if name not in before or before[name] != value}
            for before, after in pairwise([{}, *views])
        ]
        return json.dumps({"type": "past", "viewer_seat": seat, "first": first, "views": changes})

    def _looked(self, match: Match, number: int, seat: int) -> dict[str, Any]:
        """How a position looked to a seat; all is revealed once the game is over."""
        state = match.state_at(number)
        return dict(self.game.public(state if match.over else self.game.concealed(state, seat)))

    def audience(self, viewer: Viewer) -> Audience:
        mine, held = self.seats_of(viewer.token), self.held_for(viewer.token)
        seat, hand_over = self._eyes(viewer, mine)
        over = self.match is not None and self.match.over
        return Audience(seat, hand_over, tuple(mine), tuple(held), over, self._reading)

    def view_of(self, viewer: Viewer) -> View | None:
        """The view of the seat to move, if this viewer looks with its eyes now."""
        match = self.match
        if match is None or match.over:
            return None
        seat, _ = self._eyes(viewer, self.seats_of(viewer.token))
        return match.view(seat) if seat == match.to_move else None

    def _eyes(self, viewer: Viewer, mine: list[int]) -> tuple[int, int | None]:
        """The seat whose view is shown; and on one shared screen the seat that must take over first."""
        if self.match is None or not mine or self.match.over:
            return (mine[0] if mine else SPECTATOR), None
        turn = self.match.to_move
        if len({self.game.side_of[seat] for seat in mine}) > 1:
            if turn not in mine:
                return SPECTATOR, None
            shown = viewer.shown is not None and self.game.side_of[viewer.shown] == self.game.side_of[turn]
            return (turn, None) if shown else (SPECTATOR, turn)
        return (turn if turn in mine else mine[0]), None

    def _picture(self, audience: Audience) -> Picture:
        picture = self._pictures.setdefault(audience, Picture())
        if picture.edition < self.edition:
            picture.update(self.edition, *self._seen_by(audience, len(picture.history)))
        return picture

    def _seen_by(self, audience: Audience, moves_known: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        if self._summary[0] != self.edition:
            self._summary = (self.edition, self.summary())
        fields: dict[str, Any] = {**self._summary[1], "version": self.version, "mine": audience.mine}
        fields["held"] = audience.held
        match, seat = self.match, audience.seat
        if match is None:
            return fields, []
        view = match.revealed() if match.over else match.view(seat)
        fields |= {
            "to_move": match.to_move,
            "expected": "" if match.over else self.game.expected(view.state),
            "viewer_seat": seat,
            "hand_over": audience.hand_over,
            "view": self.game.public(view.state),
            "legal": self._legal(view) if seat in audience.mine else [],
            "can_undo": seat != SPECTATOR and self._can_undo(seat),
            "outcome": self.game.outcome(match.state) if match.over else None,
            "scores": list(match.scores()) if match.over else None,
            "start": self.game.public(view.start) if match.over else None,
        }
        return fields, [self._move_json(moves_known + n, seen) for n, seen in enumerate(view.history[moves_known:])]

    def _move_json(self, number: int, seen: Seen) -> dict[str, Any]:
        game = self.game
        return {"number": number, "seat": seen.seat, "text": game.describe(seen.code), "details": game.details(seen.code)}

    def _legal(self, view: View) -> list[dict[str, Any]]:
        return [{"code": m.code, "text": m.text, "details": self.game.details(m.code)} for m in view.legal()]

    # What people do. Each of these acts under the table's lock, and is tried again if another process was faster.

    async def play(self, token: str | None, code: int, version: int, id: str | None = None) -> int:
        """Play a move; the version after it. A move that carries an id can be sent again, and is then played once."""
        return await self.do(lambda: self._play(token, code, version, id))

    async def _play(self, token: str | None, code: int, version: int, id: str | None) -> int:
        if id is not None and self._was_played(token, code, version):
            return version + 1
        match = self._running()
        if version != self.version:
            raise Refused("The game has moved on; look again and choose your move.")
        if match.to_move not in self.seats_of(token):
            raise Refused(f"It is not your turn: {self.game.seat_names[match.to_move]} is to move.")
        await self.commit(code)
        return version + 1

    def _was_played(self, token: str | None, code: int, version: int) -> bool:
        if self.match is None or not 0 <= version < self.version:
            return False
        move = self.match.moves[version]
        return move.code == code and move.seat in self.seats_of(token)

    async def undo(self, token: str | None, version: int) -> None:
        await self.do(lambda: self._undo(token, version))

    async def _undo(self, token: str | None, version: int) -> None:
        match = self._running()
        if version != self.version or not any(self._can_undo(seat) for seat in self.seats_of(token)):
            raise Refused("This move cannot be taken back: something was revealed, rolled or answered since.")
        before = match.copy()
        before.undo()
        clocks = self.clocks.after(before.to_move)
        await self._store(Change(undo=True, clock=clocks.to_json()))
        self.match, self.clocks = before, clocks
        for picture in self._pictures.values():
            picture.take_back(self.version)

    def _can_undo(self, seat: int) -> bool:
        match = self.match
        if match is None or match.over or not match.moves or match.to_move != seat:
            return False
        last = match.moves[-1]
        quiet = last.seat == seat and not last.chance
        return quiet and self.game.reversible(match.state_at(len(match.moves) - 1), last.code)

    async def join(self, token: str, nickname: str, wanted: list[int] | None) -> list[int]:
        return await self.do(lambda: self._join(token, nickname, wanted))

    async def _join(self, token: str, nickname: str, wanted: list[int] | None) -> list[int]:
        open_seats = [row.seat for row in self.row.seats if row.kind == "open"]
        if self.phase != "waiting" or not open_seats:
            raise Refused("There is no open seat at this table; you can watch.")
        side = self.game.side_of[open_seats[0]]
        taken = [seat for seat in open_seats if (seat in wanted if wanted else self.game.side_of[seat] == side)]
        if not taken or (wanted and len(taken) != len(set(wanted))):
            raise Refused("That seat is taken; choose an open one.")
        await self._seat({seat: SeatRow(seat, "person", nickname, token=digest(token)) for seat in taken})
        return taken

    async def leave(self, token: str) -> None:
        await self.do(lambda: self._leave(token))

    async def _leave(self, token: str) -> None:
        rows = [row for row in self.row.seats if row.token == token]
        if not rows:
            raise Refused("You have no seat at this table.")
        if self.phase == "waiting":
            await self._seat({row.seat: SeatRow(row.seat) for row in rows})
        elif self.phase == "playing":
            await self._seat({row.seat: self.agent_row(row.seat) for row in rows})

    async def set_ready(self, token: str | None, ready: bool) -> None:
        await self.do(lambda: self._set_ready(token, ready))

    async def _set_ready(self, token: str | None, ready: bool) -> None:
        rows = [row for row in self.row.seats if token and row.token == token]
        if self.phase != "waiting" or not rows:
            raise Refused("Only someone with a seat at a waiting table can be ready.")
        await self._seat({row.seat: replace(row, ready=ready) for row in rows})

    async def start(self, token: str | None, fill: str | None) -> None:
        """The first person at the table starts the game; open seats go to agents if a level is given."""
        await self.do(lambda: self._start(token, fill))

    async def _start(self, token: str | None, fill: str | None) -> None:
        if self.phase != "waiting":
            raise Refused("The game has begun.")
        host = next((row.token for row in self.row.seats if row.kind == "person"), None)
        if token is None or token != host:
            raise Refused("Only the first person at the table can start the game.")
        filled = {row.seat: self.agent_row(row.seat, fill) for row in self.row.seats if row.kind == "open" and fill}
        await self._seat(filled | {row.seat: replace(row, ready=True) for row in self.row.seats if row.token == token})
        if self.phase == "waiting":
            raise Refused("Not everybody is here and ready yet.")

    async def take_over(self, token: str | None, seat: int, level: str | None) -> None:
        """An agent plays on for someone who left, until he comes back."""
        await self.do(lambda: self._take_over(token, seat, level))

    async def _take_over(self, token: str | None, seat: int, level: str | None) -> None:
        if not self.seats_of(token):
            raise Refused("Only a player can ask an agent to take over.")
        holder = next((row.token for row in self.row.seats if row.seat == seat and row.kind == "person"), None)
        if holder is None or self.phase != "playing":
            raise Refused("There is nobody to take over from.")
        since = self.away.get(holder)
        if holder in self._present() or since is None or time.monotonic() - since < AWAY:
            raise Refused(f"An agent can take over when a player has been away for {AWAY:.0f} seconds.")
        held = [row for row in self.row.seats if row.token == holder]
        await self._seat(
            {row.seat: replace(self.agent_row(row.seat, level), token=holder, nickname=row.nickname) for row in held}
        )

    async def reclaim(self, token: str | None) -> None:
        """Whoever was away takes his seats back from the agent."""
        await self.do(lambda: self._reclaim(token))

    async def _reclaim(self, token: str | None) -> None:
        if self.phase != "playing" or not self.held_for(token):
            raise Refused("No agent plays for you here.")
        rows = [self.row.seats[seat] for seat in self.held_for(token)]
        await self._seat({row.seat: replace(row, kind="person", level=None) for row in rows})

    def agent_row(self, seat: int, level: str | None = None) -> SeatRow:
        level = level or stand_in_level(self.game)
        if level not in [each.name for each in levels(self.game)]:
            raise Refused(f"There is no level “{level}” for {self.game.spec}.")
        return SeatRow(seat, "agent", level.capitalize(), level, ready=True)

    async def say(self, token: str | None, text: str, team: bool = False) -> None:
        await self.do(lambda: self._say(token, text, team))

    async def _say(self, token: str | None, text: str, team: bool) -> None:
        rows = [row for row in self.row.seats if token and row.token == token]
        line = {"from": rows[0].nickname if rows else "someone watching", "text": text, "time": time.time()}
        await self._store(Change(line=line | {"side": self._team(self.seats_of(token))} if team else line))

    def _team(self, seats: list[int]) -> int:
        """The side to which somebody on these seats can speak alone."""
        sides = {self.game.side_of[seat] for seat in seats}
        if len(sides) > 1:
            raise Refused("You share one screen with the other side: nothing said there would stay in the team.")
        if not sides or sum(side in sides for side in self.game.side_of) < 2:
            raise Refused("Only the players of a side with several seats have a chat of their own.")
        return sides.pop()

    # How a game goes on.

    async def begin(self) -> None:
        """Start at once if nobody has to be waited for."""
        await self.do(lambda: self._seat({}))

    async def set_next(self, id: str) -> None:
        """Where the rematch is. The caller holds the lock."""
        await self._store(Change(settings={**self.row.settings, "next": id}))

    async def give_to_agent(self, seat: int, level: str | None = None) -> None:
        """For good: its time is up, or the agent that sat there failed. The caller holds the lock."""
        row = self.row.seats[seat]
        seats = [each.seat for each in self.row.seats if each.token == row.token] if row.kind == "person" else [seat]
        await self._seat({each: self.agent_row(each, level) for each in seats})

    async def _seat(self, rows: dict[int, SeatRow]) -> None:
        """Put others on some seats, and begin the game if everybody is there now."""
        seats = [rows.get(row.seat, row) for row in self.row.seats]
        ready = all(row.kind == "agent" or (row.kind == "person" and row.ready) for row in seats)
        if self.phase != "waiting" or not ready:
            if rows:
                await self._store(Change(seats=seats))
            return
        seed = self.row.settings.get("seed")
        match = self.game.new(secrets.randbits(62) if seed is None else int(seed))
        clocks = self.clocks.after(match.to_move)
        change = Change(seats=seats, phase="playing", start=list(match.start), clock=clocks.to_json())
        if match.over:  # as where Mr X is shut in from the start
            self._end(change)
        await self._store(change)
        self.match, self.clocks = match, clocks

    def _running(self) -> Match:
        if self.match is None or self.phase != "playing":
            raise Refused("The game has not begun." if self.phase == "waiting" else "The game is over.")
        return self.match

    async def commit(self, code: int) -> None:
        """Play a move on a copy, store it, and only then make it the truth. The caller holds the lock."""
        after = self._running().copy()
        move = after.play(code)
        clocks = self.clocks.after(after.to_move)
        change = Change(move=(move.seat, move.code, move.chance), clock=clocks.to_json())
        if after.over:
            self._end(change)
        await self._store(change)
        self.match, self.clocks = after, clocks
        metrics.MOVES.add()

    def _end(self, change: Change) -> None:
        """Have a change end the game."""
        change.phase, change.settings = "over", {**self.row.settings, "ended": time.time()}

    async def do(self, act: Callable[[], Awaitable[T]]) -> T:
        """Act under the lock on what is surely the truth, then tell everybody."""
        async with self.lock:
            if self._doubtful:
                await self._read_again()
            known = self.row.revision
            try:
                done = await act()
            except (Overtaken, Refused) as error:
                if isinstance(error, Overtaken) or self.storage.shared:
                    await self.catch_up()
                if self.row.revision == known:
                    raise
                done = await self._act_again(act)
        self.announce()
        return done

    async def _act_again(self, act: Callable[[], Awaitable[T]]) -> T:
        """The same on what another process has made of the table."""
        try:
            return await act()
        except Overtaken:
            raise Refused("The table has changed; look again.") from None

    async def _store(self, change: Change) -> None:
        try:
            await self.storage.run(self.storage.change, self.id, self.row.revision, self.version, self.row.said, change)
        except StorageTrouble:
            self._doubtful = True
            raise
        change.apply_to(self.row)
        if change.line is not None:
            self._lines = [*self._lines, _line(change.line, self.edition + 1)][-len(self.row.chat) :]

    async def catch_up(self) -> None:
        """Take in what another process has changed. The caller holds the lock."""
        row = await self._read(self.version)
        if row.revision == self.row.revision:
            self.row.elsewhere = row.elsewhere
            self._note_who_is_away()
            return
        if row.undone != self.row.undone or self.match is None:
            await self._read_again()
            return
        if row.moves:
            match = self.match.copy()
            _play(match, row)
            self.match, row.moves = match, []
        new = row.said - self.row.said
        self._lines += [_line(line, self.edition + 1) for line in row.chat[-new:] if new > 0]
        self.row = row
        self.clocks = Clocks(row.settings.get("clock") or {}, self.game.seats, row.clock)
        self._note_who_is_away()

    async def _read_again(self) -> None:
        """Make the stored table the truth."""
        row = await self._read(0)
        match = None if row.start is None else await asyncio.to_thread(_replayed, row, self.game)
        self._take(row, match)
        self._doubtful = False

    async def _read(self, moves_known: int) -> TableRow:
        try:
            row = await self.storage.run(self.storage.load, self.id, moves_known)
        except StorageTrouble:
            self._doubtful = True
            raise
        if row is None:
            raise Refused("This table is not there any more.")
        return row

    # Comings and goings.

    def announce(self) -> None:
        """Something changed: let every connection look, and agents whose turn it is."""
        self.edition += 1
        for viewer in self.viewers:
            viewer.wake()
        self.changed()

    def tell(self, sentence: str) -> None:
        """One sentence to everybody who is here now."""
        for viewer in self.viewers:
            viewer.tell({"type": "notice", "text": sentence})

    def enter(self, viewer: Viewer) -> None:
        known = viewer.token in self._present()
        self.viewers.add(viewer)
        viewer.wake()
        if not known and self.holds_seat(viewer):
            self._note_who_is_away()
            self.announce()
        else:
            self.changed()

    def exit(self, viewer: Viewer) -> None:
        self.viewers.discard(viewer)
        shown = {other.audience for other in self.viewers}
        self._pictures = {audience: picture for audience, picture in self._pictures.items() if audience in shown}
        if self.holds_seat(viewer) and viewer.token not in self._present():
            self._note_who_is_away()
            self.announce()

    def holds_seat(self, viewer: Viewer) -> bool:
        return viewer.token is not None and any(row.token == viewer.token for row in self.row.seats)

    def _note_who_is_away(self) -> None:
        gone = {row.token for row in self.row.seats if row.token} - self._present()
        self.away = {token: self.away.get(token, time.monotonic()) for token in gone}

    async def refresh(self) -> None:
        """Another process changed something here."""
        await self.do(self.catch_up)


def _line(line: dict[str, Any], edition: int) -> Part:
    """A line of chat as it is sent, to everybody or to one side."""
    side = line.get("side")
    said = {key: line[key] for key in ("from", "text", "time")}
    return Part(json.dumps(said if side is None else {**said, "team": True}), edition, side)


def _replayed(row: TableRow, game: Game) -> Match:
    """A stored game as it stood; what chance draws from now on comes from a fresh secret."""
    match = Match(game, secrets.randbits(62), start=row.start)
    _play(match, row)
    return match


def _play(match: Match, row: TableRow) -> None:
    for seat, code, chance in row.moves:
        assert match.to_move == seat
        match.play(code, chance=chance)
