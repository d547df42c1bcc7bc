"""Serving the page: for oneself, or for many."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fogbound.cli.app import PLAY, app, err, out
from fogbound.core.errors import FogboundError

if TYPE_CHECKING:
    from fogbound.server.app import Prepare

FIRST_PORT = 8400
UNREAD_MILLISECONDS = 60_000
LogKind = Literal["text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]
THINKERS_HELP = "Processes in which the agents think; one a processor by default."
DATABASE_HELP = "Where games are kept: a database URL; SQLite in your data folder by default."


@app.command(rich_help_panel=PLAY)
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for everybody.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = FIRST_PORT,
    database: Annotated[str | None, typer.Option(help=DATABASE_HELP)] = None,
    thinkers: Annotated[int | None, typer.Option(min=1, help=THINKERS_HELP)] = None,
    log: Annotated[LogKind, typer.Option(help="The log on the standard error: lines for people, or for programs.")] = "text",
    log_level: Annotated[LogLevel, typer.Option(help="From which level on events are logged.")] = "warning",
) -> None:
    """The server for many people: games, the lobby, links to invite.

    Example: fogbound serve --host 0.0.0.0 --port 8400
    """
    run_server(host, port, database, thinkers=thinkers, log=log, log_level=log_level)


def run_server(
    host: str,
    port: int,
    database: str | None,
    prepare: Prepare | None = None,
    browser: bool = False,
    thinkers: int | None = None,
    log: LogKind = "text",
    log_level: LogLevel = "warning",
) -> None:
    """Serve until interrupted; open the browser on what was prepared (or the front page) as soon as the page answers."""
    try:
        import uvicorn

        from fogbound.server.app import create_app
        from fogbound.server.logs import set_up
    except ImportError:
        raise FogboundError("The page needs the extra “server”: pip install 'fogbound[server]'.") from None
    if not is_free(host, port):
        raise FogboundError(f"Port {port} on {host} is taken; choose another with --port.")
    set_up(log, log_level)
    app = create_app(database, prepare=prepare, thinkers=thinkers)
    address = f"http://{host if host != '0.0.0.0' else 'localhost'}:{port}"

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            path = f"/#ticket={app.state.ticket}" if prepare else "/"
            opened = browser and _has_screen() and webbrowser.open(address + path)
            shown = address if opened or not prepare else address + path
            out.print(f"Fogbound is at {shown}", highlight=False, soft_wrap=True)
            out.print("[dim]Ctrl-C stops it; games are kept.[/dim]")

    config = uvicorn.Config(app, host=host, port=port, log_config=None, access_log=False, ws_max_size=65_536)
    Server(config).run([listening(host, port)])
    err.print("[dim]Stopped.[/dim]")


def listening(host: str, port: int) -> socket.socket:
    """A socket that lets go of visitors who stop reading: the system would wait for them for ever."""
    found = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_MILLISECONDS)
    found.bind((host, port))
    found.set_inheritable(True)
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
