"""Commands about Risk only: battle odds."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from fogbound.cli.app import LOOK, app, out


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
    from fogbound.games.risk.odds import battle, odds_table

    result = battle(attackers, defenders, stop)
    if as_json:
        print(json.dumps(asdict(result)))
    else:
        out.print(odds_table(result))
