"""Serving the page: for oneself, or for many."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import webbrowser
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

import typer

from fogbound.cli.app import PLAY, app, err, out
from fogbound.core.errors import FogboundError

if TYPE_CHECKING:
    from fogbound.server.app import Prepare

FIRST_PORT = 8400
UNREAD_MILLISECONDS = 60_000
LOOPBACK = ("localhost", "127.0.0.1", "::1")
RESTART_PAUSE = 1.0  # seconds before a server process that ended is started again
HOPELESS = 2  # how a process ends that cannot serve as it was told to: another would end in the same way
DATABASE = "FOGBOUND_DATABASE"
EngineName = Literal["local", "ray"]
LogKind = Literal["text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]
DATABASE_HELP = "Where games are kept: a database URL; SQLite in your data folder by default."
PROXY_HELP = "A proxy in front, as an address or a network: whom it says a visitor is (X-Forwarded-For) is believed."
ORIGIN_HELP = "Another origin whose pages may use this server, as https://play.example.org; its own always may."
NAME_HELP = "Another name that people ask for this server under; on a loopback address only localhost is answered."
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
    name: Annotated[list[str] | None, typer.Option(help=NAME_HELP)] = None,
    people: Annotated[int, typer.Option("--people-per-address", min=1, help=PEOPLE_HELP)] = 20,
    program: Annotated[list[str] | None, typer.Option(help=PROGRAM_HELP)] = None,
    log: Annotated[LogKind, typer.Option(help=LOG_HELP)] = "text",
    log_level: Annotated[LogLevel, typer.Option(help="From which level on events are logged.")] = "warning",
    inherited: Annotated[int | None, typer.Option(hidden=True, help="The socket of one of several processes.")] = None,
    metrics: Annotated[Path | None, typer.Option(hidden=True, help="The file in which it keeps its metrics.")] = None,
) -> None:
    """The server for many people: games, the lobby, links to invite.

    Example: fogbound serve --host 0.0.0.0 --port 8400
    """
    allow_programs(program or [])
    if thinkers == 0 and not _is_postgresql(database):
        raise FogboundError("A server without thinkers needs PostgreSQL, through which `fogbound thinker` thinks for it.")
    door = Door(tuple(proxy or ()), tuple(origin or ()), tuple(name or ()), people)
    settings: dict[str, Any] = {"door": door, "thinkers": thinkers, "log": log, "log_level": log_level}
    if inherited is not None:
        _end_with_parent()
        run_server(host, port, database, listener=socket.socket(fileno=inherited), metrics=metrics, **settings)
    elif workers == 1:
        run_server(host, port, database, **settings)
    else:
        run_many(host, port, database, workers, **settings)


@app.command(rich_help_panel=PLAY)
def thinker(
    database: Annotated[str, typer.Option(help="The PostgreSQL that the servers use.", envvar=DATABASE)],
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that think; one a processor by default.")] = None,
    engine: Annotated[EngineName, typer.Option(help="Where they run: on this machine, or on a Ray cluster.")] = "local",
    address: Annotated[str | None, typer.Option(help="Ray: the cluster's address; by default one is started here.")] = None,
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
    from fogbound.server.workers import Local, OnRay

    async def think() -> None:
        await Runner(Storage(database), Thinkers(workers, place)).run()

    set_up(log, log_level)
    place = Local() if engine == "local" else OnRay(workers, address)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    out.print("[dim]Thinking; Ctrl-C stops it.[/dim]")
    try:
        asyncio.run(think())
    finally:
        place.close()


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
    """Who is let in: whose word about visitors' addresses is believed, which pages may ask, under which names, and an
    address's share."""

    proxies: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    people: int = 20

    def arguments(self) -> list[str]:
        """The same on a command line."""
        proxies = [word for proxy in self.proxies for word in ("--proxy", proxy)]
        origins = [word for origin in self.origins for word in ("--origin", origin)]
        names = [word for name in self.names for word in ("--name", name)]
        return [*proxies, *origins, *names, "--people-per-address", str(self.people)]

    def names_at(self, host: str) -> set[str] | None:
        """The names to answer to on an address. On loopback without a proxy nobody but this machine can mean the server:
        a name from elsewhere that leads here is a trick (DNS rebinding). Elsewhere any name is answered."""
        if self.proxies or not _is_loopback(host):
            return None
        return {*LOOPBACK, host, *self.names, *(urlsplit(origin).hostname or "" for origin in self.origins)}


USUAL = Door()


def _is_loopback(host: str) -> bool:
    try:
        return host in LOOPBACK or ip_address(host).is_loopback
    except ValueError:
        return False


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
    command += ["--host", host, "--log", log, "--log-level", log_level, *door.arguments()]
    folder = tempfile.TemporaryDirectory(prefix="fogbound-")

    def start(number: int) -> subprocess.Popen[bytes]:
        environment = {**os.environ, DATABASE: str(database)}
        own = [*command, "--metrics", str(Path(folder.name) / f"{number}.json")]
        return subprocess.Popen(own, env=environment, pass_fds=[shared.fileno()], start_new_session=True)

    running = [start(number) for number in range(workers)]
    out.print(f"Fogbound is at {_for_others(host, port)}", highlight=False, soft_wrap=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        while not any(each.poll() == HOPELESS for each in running):
            time.sleep(RESTART_PAUSE)
            running = [each if each.poll() in (None, HOPELESS) else start(number) for number, each in enumerate(running)]
    except KeyboardInterrupt:
        pass
    hopeless = any(each.poll() == HOPELESS for each in running)
    for each in running:
        each.terminate()
    for each in running:
        each.wait()
    folder.cleanup()
    err.print("[dim]Stopped.[/dim]")
    if hopeless:
        raise typer.Exit(HOPELESS)


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
    metrics: Path | None = None,
) -> None:
    """Serve until interrupted; open the browser on what was prepared (or the front page) as soon as the page answers."""
    try:
        import uvicorn

        from fogbound.server import listening as polite
        from fogbound.server.app import create_app
        from fogbound.server.logs import set_up
    except ModuleNotFoundError:
        raise FogboundError("The page needs the extra “server”: pip install 'fogbound[server]'.") from None
    taken = listener or listening(host, port)
    set_up(log, log_level)
    settings = polite.settings(door.proxies, share=10 * door.people)
    app = create_app(
        database,
        prepare=prepare,
        people=door.people,
        origins=door.origins,
        thinkers=thinkers,
        names=door.names_at(host),
        metrics_file=metrics,
    )
    address = _address(host, port)

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if listener is not None:
                return
            path = f"/#ticket={app.state.ticket}" if prepare else "/"
            opened = browser and _has_screen() and webbrowser.open(address + path)
            shown = _for_others(host, port) if opened or not prepare else address + path
            out.print(f"Fogbound is at {shown}", highlight=False, soft_wrap=True)
            out.print("[dim]Ctrl-C stops it; games are kept.[/dim]")

    Server(uvicorn.Config(app, **settings, log_config=None, access_log=False)).run([taken])
    if listener is None:
        err.print("[dim]Stopped.[/dim]")


def _address(host: str, port: int) -> str:
    return f"http://{host if host != '0.0.0.0' else 'localhost'}:{port}"


def _for_others(host: str, port: int) -> str:
    """Where the server is, and if it listens to everybody, under which addresses of this machine others find it."""
    if host not in ("0.0.0.0", "::"):
        return _address(host, port)
    others = " or ".join(f"http://{found}:{port}" for found in own_addresses())
    return f"{_address('0.0.0.0', port)}" + (f", for others in your network at {others}" if others else "")


def own_addresses() -> list[str]:
    """Addresses of this machine that others can reach, the one towards the wide world first."""
    found: list[str] = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # an address that nobody has; nothing is sent, but the way there is chosen
        found.append(probe.getsockname()[0])
    with suppress(OSError):
        found += [str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    return [each for each in dict.fromkeys(found) if not each.startswith("127.")]


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
