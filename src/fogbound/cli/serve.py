"""Serving the page: for oneself, or for many."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import webbrowser
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from fogbound.cli.app import PLAY, app, err, out
from fogbound.core.errors import FogboundError

if TYPE_CHECKING:
    from fogbound.server.app import Prepare

FIRST_PORT = 8400
UNREAD_MILLISECONDS = 60_000
RESTART_PAUSE = 1.0  # seconds before a server process that ended is started again
DATABASE = "FOGBOUND_DATABASE"
LogKind = Literal["text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]
DATABASE_HELP = "Where games are kept: a database URL; SQLite in your data folder by default."
PROXY_HELP = "A proxy in front, as an address or a network: whom it says a visitor is (X-Forwarded-For) is believed."
ORIGIN_HELP = "Another origin whose pages may use this server, as https://play.example.org; its own always may."
PEOPLE_HELP = "How many people may come from one address; its sockets, tables and requests are limited accordingly."
THINKERS_HELP = "Processes in which the agents think; two or more by default, 0 for those of `fogbound thinker`."
PROGRAM_HELP = "A program that visitors may play against, as NAME=COMMAND; it speaks the bots' protocol."
LOG_HELP = "The log on the standard error: lines for people, or for programs."


@app.command(rich_help_panel=PLAY)
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for everybody.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = FIRST_PORT,
    database: Annotated[str | None, typer.Option(help=DATABASE_HELP, envvar=DATABASE)] = None,
    workers: Annotated[int, typer.Option(min=1, help="Server processes; more than one need PostgreSQL.")] = 1,
    thinkers: Annotated[int | None, typer.Option(min=0, help=THINKERS_HELP)] = None,
    proxy: Annotated[list[str] | None, typer.Option(help=PROXY_HELP)] = None,
    origin: Annotated[list[str] | None, typer.Option(help=ORIGIN_HELP)] = None,
    people: Annotated[int, typer.Option("--people-per-address", min=1, help=PEOPLE_HELP)] = 20,
    program: Annotated[list[str] | None, typer.Option(help=PROGRAM_HELP)] = None,
    log: Annotated[LogKind, typer.Option(help=LOG_HELP)] = "text",
    log_level: Annotated[LogLevel, typer.Option(help="From which level on events are logged.")] = "warning",
    inherited: Annotated[int | None, typer.Option(hidden=True, help="The socket of one of several processes.")] = None,
) -> None:
    """The server for many people: games, the lobby, links to invite.

    Example: fogbound serve --host 0.0.0.0 --port 8400
    """
    allow_programs(program or [])
    if thinkers == 0 and not _is_postgresql(database):
        raise FogboundError("A server without thinkers needs PostgreSQL, through which `fogbound thinker` thinks for it.")
    door = Door(tuple(proxy or ()), tuple(origin or ()), people)
    settings: dict[str, Any] = {"door": door, "thinkers": thinkers, "log": log, "log_level": log_level}
    if inherited is not None:
        _end_with_parent()
        run_server(host, port, database, listener=socket.socket(fileno=inherited), **settings)
    elif workers == 1:
        run_server(host, port, database, **settings)
    else:
        run_many(host, port, database, workers, **settings)


@app.command(rich_help_panel=PLAY)
def thinker(
    database: Annotated[str, typer.Option(help="The PostgreSQL that the servers use.", envvar=DATABASE)],
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that think; one a processor by default.")] = None,
    log: Annotated[LogKind, typer.Option(help=LOG_HELP)] = "text",
    log_level: Annotated[LogLevel, typer.Option(help="From which level on events are logged.")] = "warning",
) -> None:
    """Think for servers on other machines, those that were started with --thinkers 0 on the same database.

    Example: fogbound thinker --database postgresql+psycopg://fogbound@db/fogbound
    """
    if not _is_postgresql(database):
        raise FogboundError("Thinkers are asked through PostgreSQL: give --database postgresql+psycopg://...")
    import asyncio

    from fogbound.server.errands import Runner
    from fogbound.server.logs import set_up
    from fogbound.server.storage import Storage
    from fogbound.server.thinking import Thinkers

    async def think() -> None:
        await Runner(Storage(database), Thinkers(workers)).run()

    set_up(log, log_level)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    out.print("[dim]Thinking; Ctrl-C stops it.[/dim]")
    asyncio.run(think())


def allow_programs(given: list[str]) -> None:
    """Make programs known to this process and those that it starts."""
    from fogbound.server.levels import PROGRAMS, programs

    allowed = programs()
    for text in given:
        name, _, command = (part.strip() for part in text.partition("="))
        if not name or not command or not name.isprintable() or "," in command:
            raise FogboundError(f"“{text}” is not a program: write NAME=COMMAND, as in Gambler=./my-bot, without commas.")
        allowed[name] = command
    if allowed:
        os.environ[PROGRAMS] = json.dumps(allowed)


def _is_postgresql(database: str | None) -> bool:
    return (database or "").startswith("postgresql")


@dataclass(frozen=True)
class Door:
    """Who is let in: whose word about visitors' addresses is believed, which pages may ask, and an address's share."""

    proxies: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    people: int = 20

    def arguments(self) -> list[str]:
        """The same on a command line."""
        proxies = [word for proxy in self.proxies for word in ("--proxy", proxy)]
        origins = [word for origin in self.origins for word in ("--origin", origin)]
        return [*proxies, *origins, "--people-per-address", str(self.people)]


USUAL = Door()


def run_many(
    host: str,
    port: int,
    database: str | None,
    workers: int,
    door: Door,
    thinkers: int | None,
    log: LogKind,
    log_level: LogLevel,
) -> None:
    """Serve with several processes behind one port until interrupted; one that ends is started again."""
    if not _is_postgresql(database):
        raise FogboundError(
            "Several server processes need PostgreSQL: give --database postgresql+psycopg://..., or leave --workers out."
        )
    shared = listening(host, port)
    share = max(1, (os.cpu_count() or 1) // workers) if thinkers is None else thinkers
    command = [sys.executable, "-m", "fogbound", "serve", "--inherited", str(shared.fileno()), "--thinkers", str(share)]
    command += ["--log", log, "--log-level", log_level, *door.arguments()]

    def start() -> subprocess.Popen[bytes]:
        environment = {**os.environ, DATABASE: str(database)}
        return subprocess.Popen(command, env=environment, pass_fds=[shared.fileno()], start_new_session=True)

    running = [start() for _ in range(workers)]
    out.print(f"Fogbound is at {_address(host, port)}", highlight=False, soft_wrap=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        while True:
            time.sleep(RESTART_PAUSE)
            running = [each if each.poll() is None else start() for each in running]
    except KeyboardInterrupt:
        for each in running:
            each.terminate()
        for each in running:
            each.wait()
    err.print("[dim]Stopped.[/dim]")


def _end_with_parent() -> None:
    """One of several processes does not outlive the one that started it."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, daemon=True).start()


def run_server(
    host: str,
    port: int,
    database: str | None,
    prepare: Prepare | None = None,
    browser: bool = False,
    door: Door = USUAL,
    thinkers: int | None = None,
    log: LogKind = "text",
    log_level: LogLevel = "warning",
    listener: socket.socket | None = None,
) -> None:
    """Serve until interrupted; open the browser on what was prepared (or the front page) as soon as the page answers."""
    try:
        import uvicorn

        from fogbound.server import listening as polite
        from fogbound.server.app import create_app
        from fogbound.server.logs import set_up
    except ImportError:
        raise FogboundError("The page needs the extra “server”: pip install 'fogbound[server]'.") from None
    taken = listener or listening(host, port)
    set_up(log, log_level)
    settings = polite.settings(door.proxies, share=10 * door.people)
    app = create_app(database, prepare=prepare, people=door.people, origins=door.origins, thinkers=thinkers)
    address = _address(host, port)

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if listener is not None:
                return
            path = f"/#ticket={app.state.ticket}" if prepare else "/"
            opened = browser and _has_screen() and webbrowser.open(address + path)
            shown = address if opened or not prepare else address + path
            out.print(f"Fogbound is at {shown}", highlight=False, soft_wrap=True)
            out.print("[dim]Ctrl-C stops it; games are kept.[/dim]")

    Server(uvicorn.Config(app, **settings, log_config=None, access_log=False)).run([taken])
    if listener is None:
        err.print("[dim]Stopped.[/dim]")


def _address(host: str, port: int) -> str:
    return f"http://{host if host != '0.0.0.0' else 'localhost'}:{port}"


def listening(host: str, port: int) -> socket.socket:
    """A socket that lets go of visitors who stop reading: the system would wait for them for ever."""
    if not is_free(host, port):
        raise FogboundError(f"Port {port} on {host} is taken; choose another with --port.")
    found = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_MILLISECONDS)
    found.bind((host, port))
    found.listen(2048)
    return found


def free_port(host: str, first: int = FIRST_PORT) -> int:
    """The first port that nobody listens on."""
    for port in range(first, first + 100):
        if is_free(host, port):
            return port
    raise FogboundError(f"All ports from {first} to {first + 99} are taken.")


def _has_screen() -> bool:
    """Whether a browser window could open: a browser inside the terminal would only be in the way."""
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def is_free(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
