"""How long a person waits for the computer's first move, from the start of a server: cold (nothing compiled) and warm.

    python -m benchmarks.first_move                        # every game's quick start against its usual level
    python -m benchmarks.first_move risk steady master     # one game and some levels
    python -m benchmarks.first_move scotland-yard/london champion      # another board than the quick start's
    python -m benchmarks.first_move --count                # counts the kernels that progress bars are drawn with

Each line is a server of its own: cold with an empty cache, then warm with what the cold one left, asked as soon as it
answers, and asked after three seconds, in which a person opens the page and clicks. Times are wall-clock seconds on this
machine from when it is asked: until the table is made, and until an agent has moved. What a level says that it thinks
is part of the latter.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fogbound.core import registry
from fogbound.core.compiled import on_compiled
from fogbound.core.levels import levels
from fogbound.server.compiling import RULES
from tests.server.running import Server, sqlite

PAUSE = 3.0  # seconds in which a person opens the page, looks and clicks


def first_move(game: str, side: int, level: str, cache: Path, pause: float = 0.0) -> dict[str, float]:
    """Start a server, after a pause make a table as the page does, and wait for an agent's first move."""
    os.environ["FOGBOUND_CACHE"] = str(cache)
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        server = Server(sqlite(Path(folder)), thinkers=max(2, os.cpu_count() or 1))
        try:
            time.sleep(pause)
            up = time.perf_counter() - began
            board = server.get(f"/api/board?game={game}")
            seats = [level if each != side else "me" for each in board["side_of"]]
            if board["side_of"][0] == side:  # the person would have to move first: agents alone do as well
                seats = [level] * len(seats)
            table, token = server.new_table(game, *seats)
            made = time.perf_counter() - began
            server.client(table, token).until(lambda message: message.get("type") == "table" and message["version"] > 0)
            moved = time.perf_counter() - began
            return {"up": up, "table": made - up, "first move": moved - up}
        finally:
            server.kill()


def measure(specs: list[str], wanted: list[str]) -> None:
    print("| game | level | thinks | cold: table | cold: move | warm: table | warm: move | open: table | open: move |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for spec in specs:
        quick = registry.family(spec.partition("/")[0]).quick_start
        assert quick is not None
        game = quick.game if spec in registry.families() else spec
        ladder = levels(registry.game(game))
        for level in [level for level in ladder if level.name in wanted] or [ladder[2]]:
            with tempfile.TemporaryDirectory() as cache:
                asked = game, quick.side, level.name, Path(cache)
                found = [first_move(*asked), first_move(*asked), first_move(*asked, PAUSE)]
            cells = [f"{each[key]:.1f}" for each in found for key in ("table", "first move")]
            print(f"| {game} | {level.title} | {level.seconds:g} | {' | '.join(cells)} |", flush=True)


COUNT = """
import sys
from benchmarks.first_move import counted
print(counted(*sys.argv[1:]))
"""


def counted(spec: str, what: str) -> int:
    """How many kernels are compiled in this process for the rules of a game or an agent, beside what others compile."""
    from fogbound.server.warm import compile_rules, try_agent

    done = itertools.count()
    on_compiled(lambda: next(done) and None)
    game = registry.game(spec)
    if what == RULES:
        compile_rules(game)
    else:
        try_agent(game, what)
    return next(done)


def counts(spec: str, agent: str) -> dict[str, int]:
    """The same for an agent in one process and the rules in another, which share an empty cache as two workers do."""
    with tempfile.TemporaryDirectory() as cache:
        shared = {**os.environ, "FOGBOUND_CACHE": cache}
        asked = {what: [sys.executable, "-c", COUNT, spec, what] for what in (agent, RULES)}
        running = {
            what: subprocess.Popen(each, env=shared, stdout=subprocess.PIPE, text=True) for what, each in asked.items()
        }
        return {what: int(process.communicate()[0]) for what, process in running.items()}


def count(names: list[str]) -> None:
    """Write `kernels.json` beside each game: about how many kernels a worker compiles for the rules and for each level."""
    for name in names:
        quick = registry.family(name).quick_start
        assert quick is not None
        found = {RULES: 0}
        for level in levels(registry.game(quick.game)):
            new = counts(quick.game, level.agent)
            found |= new | {RULES: max(found[RULES], new[RULES])}
        file = sys.modules[type(registry.game(name)).__module__].__file__
        assert file is not None
        Path(file).with_name("kernels.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        print(name, found, flush=True)


def main(arguments: list[str]) -> None:
    named = [each for each in arguments if each.partition("/")[0] in registry.families()]
    wanted = [each for each in arguments if each not in named and not each.startswith("-")]
    if "--count" in arguments:
        count([each for each in named if each in registry.families()] or registry.families())
    else:
        measure(named or registry.families(), wanted)


if __name__ == "__main__":
    main(sys.argv[1:])
