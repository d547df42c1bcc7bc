"""Serving the page: for oneself, or for many."""

from __future__ import annotations

import socket
import threading
import webbrowser
from typing import Annotated

import typer

from fogbound.cli.app import PLAY, app, err, out
from fogbound.core.errors import FogboundError

DATABASE_HELP = "Where games are kept: a database URL; SQLite in your data folder by default."


@app.command(rich_help_panel=PLAY)
def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for everybody.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 8400,
    database: Annotated[str | None, typer.Option(help=DATABASE_HELP)] = None,
) -> None:
    """The server for many people: games, the lobby, links to invite.

    Example: fogbound serve --host 0.0.0.0 --port 8400
    """
    run_server(host, port, database)


def run_server(host: str, port: int, database: str | None, open_path: str | None = None) -> None:
    """Serve until interrupted; with a path, open it in the browser as soon as the page answers."""
    try:
        import uvicorn

        from fogbound.server.app import create_app
    except ImportError:
        raise FogboundError("The page needs the extra “server”: pip install 'fogbound[server]'.") from None
    if not _is_free(host, port):
        raise FogboundError(f"Port {port} on {host} is taken; choose another with --port.")
    address = f"http://{host if host != '0.0.0.0' else 'localhost'}:{port}"
    out.print(f"Fogbound is at [bold]{address}{open_path or ''}[/bold]  (Ctrl-C stops it; games are kept)")
    if open_path is not None:
        threading.Timer(1.0, webbrowser.open, [address + open_path]).start()
    uvicorn.run(create_app(database), host=host, port=port, log_level="warning", ws_max_size=65_536)
    err.print("[dim]Stopped.[/dim]")


def _is_free(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
