"""Commands about Scotland Yard only: learning on what categories of stations Mr X is found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from fogbound.cli.app import RESEARCH, app, out
from fogbound.core.errors import FogboundError


@app.command("learn-categories", rich_help_panel=RESEARCH)
def learn_categories(
    game: Annotated[str, typer.Argument(help="A game of the Scotland Yard family.")],
    agents: Annotated[
        str, typer.Option(help="Mr X and the detectives whose games it learns from.")
    ] = "mcts:filter,playout=chase,iterations=1000",
    games: Annotated[int, typer.Option(help="How many games.", min=1)] = 200,
    seed: Annotated[int, typer.Option(help="Seed of the games.")] = 0,
    file: Annotated[Path, typer.Option(help="The file to write this board's entry to.")] = Path("categories.json"),
    workers: Annotated[int | None, typer.Option(help="Processes to use; one a core by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Learn on what categories of stations Mr X is found, for `mcts:categories=FILE`.

    Example: fogbound learn-categories scotland-yard/london --games 200 --file categories.json
    """
    from fogbound.core import registry
    from fogbound.games.scotland_yard.game import ScotlandYard
    from fogbound.train.scotland_yard import categories

    played = registry.game(game)
    if not isinstance(played, ScotlandYard):
        raise FogboundError(f"Categories of stations exist only in Scotland Yard; {played.spec} is another game.")
    entry = categories.learn(played, registry.split_specs(agents), games, seed, workers)
    categories.save(file, played.board.name, entry)
    if as_json:
        print(json.dumps(entry))
        return
    out.print(f"Share of possible stations where Mr X really was, by moves to the nearest detective ({games} games):")
    for distance, counts in enumerate(entry["could_be_there"]):
        if sum(counts):
            share = sum(entry["was_there"][distance]) / sum(counts)
            out.print(f"  {distance}: {share:.3f} of {sum(counts):,}", highlight=False)
    out.print(f"Written to {file}.")
