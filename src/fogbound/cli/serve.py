"""Serving the page: for oneself, or for many."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from fogbound.cli.app import PLAY, app, err, out
from fogbound.core.errors import FogboundError

if TYPE_CHECKING:
    from fogbound.server.app import Prepare

FIRST_PORT = 8400
DATABASE_HELP = "Where games are kept: a database URL; SQLite in your data folder by default."
PROXY_HELP = "A proxy in front, as an address or a network: whom it says a visitor is (X-Forwarded-For) is believed."
ORIGIN_HELP = "Another origin whose pages may use this server, as https://play.example.org; its own always may."
PEOPLE_HELP = "How many people may come from one address; its sockets, tables and requests are limited accordingly."


@app.command(rich_help_panel=PLAY)
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for everybody.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = FIRST_PORT,
    database: Annotated[str | None, typer.Option(help=DATABASE_HELP)] = None,
    proxy: Annotated[list[str] | None, typer.Option(help=PROXY_HELP)] = None,
    origin: Annotated[list[str] | None, typer.Option(help=ORIGIN_HELP)] = None,
    people: Annotated[int, typer.Option("--people-per-address", min=1, help=PEOPLE_HELP)] = 20,
) -> None:
    """The server for many people: games, the lobby, links to invite.

    Example: fogbound serve --host 0.0.0.0 --port 8400
    """
    run_server(host, port, database, door=Door(tuple(proxy or ()), tuple(origin or ()), people))


@dataclass(frozen=True)
class Door:
    """Who is let in: whose word about visitors' addresses is believed, which pages may ask, and an address's share."""

    proxies: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    people: int = 20


USUAL = Door()


def run_server(
    host: str, port: int, database: str | None, prepare: Prepare | None = None, browser: bool = False, door: Door = USUAL
) -> None:
    """Serve until interrupted; open the browser on what was prepared (or the front page) as soon as the page answers."""
    try:
        import uvicorn

        from fogbound.server import listening
        from fogbound.server.app import create_app
    except ImportError:
        raise FogboundError("The page needs the extra “server”: pip install 'fogbound[server]'.") from None
    if not is_free(host, port):
        raise FogboundError(f"Port {port} on {host} is taken; choose another with --port.")
    settings = listening.settings(door.proxies, share=10 * door.people)
    app = create_app(database, prepare=prepare, people=door.people, origins=door.origins)
    address = f"http://{host if host != '0.0.0.0' else 'localhost'}:{port}"

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            path = f"/#ticket={app.state.ticket}" if prepare else "/"
            opened = browser and _has_screen() and webbrowser.open(address + path)
            shown = address if opened or not prepare else address + path
            out.print(f"Fogbound is at {shown}", highlight=False, soft_wrap=True)
            out.print("[dim]Ctrl-C stops it; games are kept.[/dim]")

    config = uvicorn.Config(app, host=host, port=port, **settings)
    Server(config).run()
    err.print("[dim]Stopped.[/dim]")


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
