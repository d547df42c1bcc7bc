"""Battle odds of Risk, whose rules are fetched by name when the command is used."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from fogbound.cli.app import LOOK, app, out
from fogbound.core import registry

ODDS = "fogbound.games.risk.odds"


@app.command(rich_help_panel=LOOK)
def odds(
    attackers: Annotated[int, typer.Argument(help="Armies that may attack: all but the one that stays behind.")],
    defenders: Annotated[int, typer.Argument(help="Armies that defend.")],
    stop: Annotated[int, typer.Option(help="Stop when so many attackers are left.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """The exact odds of a Risk battle, with the distribution of survivors.

    Example: fogbound odds 7 4
    """
    result = registry.fetch(f"{ODDS}:battle")(attackers, defenders, stop)
    if as_json:
        print(json.dumps(asdict(result)))
    else:
        out.print(registry.fetch(f"{ODDS}:odds_table")(result))
