"""Commands about Scotland Yard only: on what categories of stations Mr X is found, and boards of another program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from fogbound.cli.app import DESIGN, RESEARCH, app, out
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


@app.command("import-husa", rich_help_panel=DESIGN)
def import_husa(
    file: Annotated[Path, typer.Argument(help="A board (.json) or a configuration (.ini) of Husa's program.")],
    folder: Annotated[Path, typer.Option("--out", help="The folder to write to.")] = Path("."),
) -> None:
    """Take over a board of Husa's program, or its config.ini with the board that it names, as a set for `fogbound run`.

    Example: fogbound import-husa config.ini --out imported · then fogbound run imported/config.toml
    """
    from fogbound.cli.set_run import RunSettings
    from fogbound.core import registry, tomlfile
    from fogbound.games.scotland_yard import husa_files

    settings = husa_files.settings(file) if file.suffix == ".ini" else None
    source = file.parent / settings["game"] if settings else file
    made = folder / f"{source.stem}.board.json"
    husa_files.save(husa_files.board(source), made)
    game = registry.game(f"scotland-yard/{made}")
    out.print(f"Board: {made} ({len(game.definition()['stations'])} stations)", highlight=False, soft_wrap=True)
    if settings:
        written = folder / f"{file.stem}.toml"
        asked = registry.checked(RunSettings, {**settings, "game": game.spec}, "a set")
        written.write_text(tomlfile.written(asked), encoding="utf-8")
        out.print(f"Set of games: {written}; play it with fogbound run {written}", highlight=False, soft_wrap=True)
