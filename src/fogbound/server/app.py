"""The web application: pages, the API and the sockets."""

from __future__ import annotations

import asyncio
import json
import mimetypes
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from fastapi import Body, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.websockets import WebSocket

import fogbound
from fogbound.core import registry
from fogbound.core.errors import FogboundError, printable
from fogbound.core.jsonfile import plain
from fogbound.server import limits, metrics
from fogbound.server.docs import docs_page
from fogbound.server.families import Answers, board_bytes, family_json, module_file, safe_spec, who_knows
from fogbound.server.guard import Guard
from fogbound.server.limits import Busy, Room
from fogbound.server.lobby import Lobby, NoTable, Watched
from fogbound.server.messages import Join, NewTable, Trial
from fogbound.server.neighbours import Neighbours
from fogbound.server.puzzles import listed
from fogbound.server.series import series_json
from fogbound.server.socket import Connection, open_connections
from fogbound.server.storage import Storage, StorageTrouble
from fogbound.server.supervision import supervise
from fogbound.server.table import GameTable, digest
from fogbound.server.thinking import AgentFault, NoAnswer, Terms, Thinkers
from fogbound.server.thoughts import saved_json

SENTENCE = 600  # letters of an error: names from outside in it may be long
RECORD_SECONDS = 60.0  # for a replay or an analysis of a record
QUERY_SECONDS = 60.0  # for a game's answer to a question of its own, which may have to be compiled first
WEB = resources.files("fogbound").joinpath("web")


Prepare = Callable[[Lobby], Awaitable[dict[str, Any]]]


def create_app(
    database: str | None = None,
    bot_delay: float = 0.6,
    prepare: Prepare | None = None,
    seeds_for_all: bool = False,
    people: int = 20,
    origins: Collection[str] = (),
    thinkers: int | None = None,
    warm: bool = True,
    names: Collection[str] | None = None,
    metrics_file: Path | None = None,
) -> FastAPI:
    """The application with its own storage; a database URL, or SQLite in the user's data folder.

    What `prepare` makes at the start can be fetched once, by whoever has the ticket `app.state.ticket`.
    An address has the share of so many `people`. Pages of other `origins` than the server's own may use it, if named.
    So many `thinkers` are its worker processes, one a processor by default, none if they are elsewhere. They get
    `warm` before anybody asks: they load the compiled code of all games, or each loads what it needs when it is needed.
    It answers only who asks for it under one of its `names`, if they are given. One of several processes behind one
    port keeps its metrics in a file beside theirs, so that whoever is asked can tell all of them.
    `seeds_for_all` lets the makers of tables with open seats know what will be drawn: for tests only.
    """

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        workers = Thinkers(thinkers)
        found = app.state.lobby = Lobby(Storage(database), workers, bot_delay, seeds_for_all)
        neighbours = Neighbours(found, app.state.shares) if found.storage.shared else None
        app.state.replays = Room("replays", places=18, share=4)
        shares = app.state.shares
        app.state.boards = Answers(shares.drawn, partial(_tell_of, workers, Room("boards", 100, share=20)), kept=256)
        app.state.queries = Answers(shares.queried, partial(_query, workers, Room("answers", 100, share=20)), kept=1000)
        workers.start()
        if neighbours is not None:
            neighbours.start()
        app.state.ticket, app.state.prepared = secrets.token_urlsafe(24), None
        if prepare is not None:
            app.state.prepared = await prepare(found)
        tasks = [
            supervise("clocks and idle tables", found.look_after),
            supervise("forgotten tables", found.clear),
        ]
        if warm and workers.count:
            tasks.append(supervise("compiling in advance", found.compiling.everything))
        else:
            found.compiling.ready = True  # nobody is told to wait
        _measure(found)
        if metrics_file is not None:
            tasks.append(supervise("metrics", partial(metrics.keep, metrics_file)))
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if neighbours is not None:
            await neighbours.close()
        await workers.close()
        found.close()

    app = FastAPI(
        title="Fogbound",
        version=fogbound.__version__,
        lifespan=life,
        docs_url=None,  # FastAPI's own pages load scripts from elsewhere, beside which the secrets of seats are kept
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.shares = limits.Shares(people)
    app.state.metrics_file = metrics_file
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard, shares=app.state.shares, origins=origins, names=names)
    _tell_errors(app)
    _add_routes(app)
    app.mount("/", StaticFiles(directory=str(WEB), html=True), name="web")
    return app


def _measure(found: Lobby) -> None:
    """What can be counted at any time."""
    metrics.TABLES.count = lambda: len(found.tables)
    metrics.CONNECTIONS.count = open_connections
    metrics.WAITING.count = lambda: len(found.thinkers.waiting)
    metrics.WORKERS.count = lambda: len(found.thinkers.alive)


def _tell_errors(app: FastAPI) -> None:
    """Every error is one sentence in the same form."""

    @app.exception_handler(FogboundError)
    async def refused(_request: Request, error: FogboundError) -> JSONResponse:
        return _told(400, str(error))

    @app.exception_handler(NoTable)
    async def missing(_request: Request, error: NoTable) -> JSONResponse:
        return _told(404, str(error))

    @app.exception_handler(Busy)
    async def busy(_request: Request, error: Busy) -> JSONResponse:
        return _told(503, str(error), {"retry-after": "5"})

    @app.exception_handler(StorageTrouble)
    @app.exception_handler(NoAnswer)
    async def trouble(_request: Request, error: FogboundError) -> JSONResponse:
        return _told(503, str(error), {"retry-after": "5"})

    @app.exception_handler(AgentFault)
    async def fault(_request: Request, _error: AgentFault) -> JSONResponse:
        return _told(500, "This could not be worked out; the server's log says why.")

    @app.exception_handler(RequestValidationError)
    async def malformed(_request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "body")
        return _told(400, f"{place or 'The request'}: {plain(first)}.")

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404 and not request.url.path.startswith("/api/") and "." not in request.url.path:
            return FileResponse(str(WEB.joinpath("index.html")))  # the page finds its own way by the address
        return _told(error.status_code, str(error.detail), error.headers)


def _told(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """One sentence on one line, whatever a visitor wrote into it."""
    return JSONResponse({"error": printable(sentence)[:SENTENCE]}, status, headers)


def lobby(request: Request) -> Lobby:
    found: Lobby = request.app.state.lobby
    return found


def address(request: Request) -> str:
    """Who asks, for fair shares."""
    return limits.visitor(request.client.host if request.client else "")


def _token(request: Request) -> str | None:
    kind, _, value = request.headers.get("authorization", "").partition(" ")
    return digest(value) if kind.lower() == "bearer" and value else None


def _add_routes(app: FastAPI) -> None:
    @app.get("/api/health", tags=["operation"])
    async def health() -> dict[str, bool]:
        """Whether the process is alive."""
        return {"alive": True}

    @app.get("/api/ready", tags=["operation"])
    async def ready(request: Request) -> JSONResponse:
        """Whether games can be played: the database answers, and the workers have their rules compiled."""
        found = await _readiness(lobby(request))
        return JSONResponse(found, 200 if all(found.values()) else 503)

    @app.get("/api/compiling", tags=["operation"])
    async def compiling(request: Request) -> list[dict[str, Any]]:
        """What is being compiled now, and how far that is: on a machine's first run, or after an update."""
        return lobby(request).compiling.progress()

    @app.get("/api/metrics", tags=["operation"])
    async def all_metrics(request: Request) -> PlainTextResponse:
        """Counts and times, as Prometheus reads them: of every process behind this port."""
        text = await asyncio.to_thread(metrics.text, request.app.state.metrics_file)
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    @app.get("/api/games", tags=["look around"])
    async def games() -> list[dict[str, Any]]:
        """The games with their boards, options and levels."""
        return await asyncio.to_thread(lambda: [family_json(name) for name in registry.families()])

    @app.get("/api/games/{family}", tags=["look around"])
    async def game(family: str) -> dict[str, Any]:
        """One game with its boards, options and levels."""
        return await asyncio.to_thread(family_json, family)

    @app.get("/api/games/{family}/{query}", tags=["look around"])
    async def ask_game(family: str, query: str, request: Request) -> Response:
        """A game's answer to a question of its own, such as the odds of a battle."""
        return await _ask(request, family if query in registry.family(family).queries else None, query)

    @app.get("/api/agents", tags=["look around"])
    async def agents(game: str, request: Request) -> Response:
        """The agents that can play a game, with their options."""
        return await _about(request, "agents", game)

    @app.get("/api/board", tags=["look around"])
    async def board(game: str, request: Request) -> Response:
        """A board's geometry, seats and facts."""
        return await _about(request, "board", game)

    @app.post("/api/tables", tags=["tables"])
    async def new_table(asked: NewTable, request: Request) -> dict[str, Any]:
        """Make a table. The token is the secret of its maker's seats."""
        table, token = await lobby(request).create(asked, address(request))
        return {"id": table.id, "token": token}

    @app.get("/api/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        """The requests to read, without any script."""
        return HTMLResponse(docs_page(app.openapi()))

    @app.get("/api/tables", tags=["tables"])
    async def tables(request: Request) -> list[dict[str, Any]]:
        """The public lobby."""
        return await lobby(request).listed()

    @app.get("/api/tables/{id}", tags=["tables"])
    async def table(id: str, request: Request) -> dict[str, Any]:
        """What everybody may know about a table; and which seats are the asker's, if his secret comes along."""
        found = await lobby(request).find(id)
        return {**found.summary(), **found.result(), "mine": found.seats_of(_token(request))}

    @app.get("/api/tables/{id}/board", tags=["tables"])
    async def table_board(id: str, request: Request) -> Response:
        """The board of a table: geometry, seats and facts."""
        table = await lobby(request).find(id)
        return _json(await asyncio.to_thread(board_bytes, table.game))

    @app.post("/api/ticket", include_in_schema=False)
    async def ticket(given: Annotated[str, Body()], request: Request) -> dict[str, Any]:
        """What was prepared for the person at this machine; a ticket is good once."""
        state = request.app.state
        prepared = state.prepared
        if prepared is None or not secrets.compare_digest(given.encode(), state.ticket.encode()):
            raise HTTPException(403, "This ticket was used already; open the front page.")
        state.prepared = None
        found: dict[str, Any] = prepared
        return found

    @app.post("/api/tables/{id}/join", tags=["tables"])
    async def join(id: str, asked: Join, request: Request) -> dict[str, Any]:
        """Take open seats. The token is their secret."""
        token = secrets.token_urlsafe(32)
        seats = await (await lobby(request).find(id)).join(token, asked.nickname, asked.seats)
        return {"token": token, "seats": seats}

    @app.post("/api/tables/{id}/leave", tags=["tables"])
    async def leave(id: str, request: Request) -> dict[str, Any]:
        """Give up one's seats; in a running game an agent plays on."""
        await (await lobby(request).find(id)).leave(_token(request) or "")
        return {"left": True}

    @app.post("/api/tables/{id}/next", tags=["tables"])
    async def next_game(id: str, request: Request) -> dict[str, Any]:
        """The rematch, or the next game of a series; for a player, or for who made the table."""
        found = lobby(request)
        return {"id": (await found.rematch(await found.find(id), _token(request))).id}

    @app.get("/api/tables/{id}/series", tags=["records"])
    async def series(id: str, request: Request) -> dict[str, Any]:
        """The results of the series that a table belongs to, up to its own."""
        return series_json(await lobby(request).find(id))

    @app.get("/api/tables/{id}/record", tags=["records"])
    async def record(id: str, request: Request) -> Response:
        """The whole record of a finished game."""
        table = _finished(await lobby(request).find(id))
        return await _think(request, "table_record", {"record": saved_json(table.saved())})

    @app.get("/api/tables/{id}/replay", tags=["records"])
    async def replay_table(id: str, request: Request, seat: int | None = None) -> Response:
        """Every position of a finished game: all revealed, or with one seat's eyes (-1: a spectator's)."""
        table = _finished(await lobby(request).find(id))
        return await _think(request, "table_replay", {"record": saved_json(table.saved()), "seat": seat})

    @app.post("/api/replay", tags=["records"])
    async def replay_record(request: Request, seat: int | None = None) -> Response:
        """Every position of a record."""
        return await _think(request, "record_replay", {"body": await _text(request), "seat": seat})

    @app.post("/api/analysis", tags=["records"])
    async def analysis(request: Request, move: int = 0, agent: str | None = None) -> Response:
        """What the strongest player, or another agent, thinks before a move of a record, as the seat that made it."""
        return await _think(request, "record_analysis", {"body": await _text(request), "move": move, "agent": agent})

    @app.get("/api/tables/{id}/review", tags=["records"])
    async def review_table(id: str, request: Request, start: int = 0) -> Response:
        """What the moves of a finished game were worth, from one on; `next` says where to go on."""
        table = _finished(await lobby(request).find(id))
        return await _think(request, "table_review", {"record": saved_json(table.saved()), "start": start})

    @app.post("/api/review", tags=["records"])
    async def review_record(request: Request, start: int = 0) -> Response:
        """The same of a record."""
        return await _think(request, "record_review", {"body": await _text(request), "start": start})

    @app.get("/api/lessons/{family}", tags=["puzzles"])
    async def lesson(family: str, request: Request) -> Response:
        """A game's lesson: positions, the moves that are right there, and what comes of them."""
        return await _think(request, "lesson", {"family": registry.family(family).name})

    @app.get("/api/puzzles", tags=["puzzles"])
    async def puzzles() -> list[dict[str, Any]]:
        """The puzzles, the easiest first."""
        return await asyncio.to_thread(listed)

    @app.get("/api/puzzles/{id}", tags=["puzzles"])
    async def puzzle(id: str, request: Request, move: int | None = None) -> Response:
        """A puzzle's position; or, with a move, whether that is the right one."""
        return await _think(request, "puzzle", {"id": id, "move": move})

    @app.get("/api/lab", tags=["lab"])
    async def lab(request: Request) -> dict[str, Any]:
        """The tournament or training that `fogbound watch` shows."""
        return await asyncio.to_thread(_watched(request).told)

    @app.get("/api/lab/record", tags=["lab"])
    async def lab_record(seating: int, number: int, request: Request) -> dict[str, Any]:
        """A game of the tournament that is shown."""
        return await asyncio.to_thread(_watched(request).record, seating, number)

    @app.get("/api/definition", tags=["boards"])
    async def definition(game: str, request: Request) -> Response:
        """A board as the JSON of a board file."""
        return await _about(request, "definition", game)

    @app.post("/api/check-board", tags=["boards"])
    async def check_board(design: Annotated[Any, Body()], request: Request) -> Response:
        """What is wrong with a board that somebody drew, or how it is drawn."""
        return await _think(request, "check_board", {"board": design})

    @app.post("/api/balance", tags=["boards"])
    async def balance(asked: Trial, request: Request) -> Response:
        """Some games on a board that somebody drew: how often each side won. To be asked again for more."""
        return await _think(request, "try_board", asked.model_dump())

    @app.get("/api/{query}", tags=["look around"])
    async def ask_any(query: str, request: Request) -> Response:
        """The same answer as `/api/games/GAME/QUERY`, from the first game that knows the question."""
        return await _ask(request, who_knows(query), query)

    @app.get("/games/{family}/{path:path}", include_in_schema=False)
    async def game_file(family: str, path: str) -> Response:
        """A file of a game's own page module."""
        content = _found(await asyncio.to_thread(module_file, family, path))
        return Response(content, media_type=mimetypes.guess_type(path)[0])

    @app.websocket("/api/tables/{id}/socket")
    async def socket(websocket: WebSocket, id: str) -> None:
        await Connection(websocket, websocket.app.state.lobby).serve(id)


async def _readiness(found: Lobby) -> dict[str, bool]:
    try:
        async with asyncio.timeout(5):
            database = await found.storage.run(found.storage.answers)
    except (StorageTrouble, TimeoutError):
        database = False
    workers = bool(found.thinkers.alive or found.thinkers.elsewhere)
    return {"database": database, "workers": workers, "compiled": found.compiling.ready}


def _watched(request: Request) -> Watched:
    found = lobby(request).watched
    if found is None:
        raise HTTPException(404, "Nothing is watched here; `fogbound watch FOLDER` shows a tournament or a training.")
    return found


def _found(answer: Any) -> Any:
    if answer is None:
        raise HTTPException(404, "Not Found")
    return answer


def _finished(table: GameTable) -> GameTable:
    if table.phase != "over":
        raise HTTPException(403, "The record is available once the game is over.")
    return table


async def _text(request: Request) -> str:
    return (await request.body()).decode("utf-8", "replace")


async def _think(request: Request, task: str, asked: dict[str, Any]) -> Response:
    """What a worker makes of a record, with a share for each address."""
    room: Room = request.app.state.replays
    who = address(request)
    thinkers = lobby(request).thinkers
    return _json(await room.run(who, lambda: thinkers.ask_bytes(task, asked, Terms(who, limit=RECORD_SECONDS))))


async def _ask(request: Request, family: str | None, query: str) -> Response:
    asked = [_found(family), query, sorted(request.query_params.items())]
    return _json(await request.app.state.queries.of(json.dumps(asked), address(request)))


async def _query(thinkers: Thinkers, room: Room, text: str, who: str) -> bytes:
    family, query, given = json.loads(text)
    asked = {"family": family, "query": query, "given": dict(given)}
    return await room.run(who, lambda: thinkers.ask_bytes("query", asked, Terms(who, limit=QUERY_SECONDS)))


async def _about(request: Request, task: str, spec: str) -> Response:
    """What there is to tell of a board, which may have to be generated first."""
    return _json(await request.app.state.boards.of(json.dumps([task, safe_spec(spec)]), address(request)))


async def _tell_of(thinkers: Thinkers, room: Room, text: str, who: str) -> bytes:
    task, spec = json.loads(text)
    return await room.run(who, lambda: thinkers.ask_bytes(task, {"game": spec}, Terms(who)))


def _json(content: bytes) -> Response:
    return Response(content, media_type="application/json")
