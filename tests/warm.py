"""Compile what most tests need, each piece once: the tests' processes then find it on disk.

python -m tests.warm [FAMILY ...]
"""

from __future__ import annotations

import os
import subprocess
import sys


def warm(family: str) -> None:
    import fogbound as fb
    from fogbound.core import registry
    from tests.contract.specs import AGENTS

    game = fb.game(registry.family(family).bench or family)
    fb.play(game, ["random"], seed=1).replay()
    for agent in AGENTS:
        if agent.partition(":")[0] in registry.agents(game):
            match = game.new(seed=1)
            fb.agent(agent, game, side=game.side_of[match.to_move]).choose(match.view(match.to_move))
    for agent in ("random", "heuristic"):
        list(fb.play_set(game, [agent], 2, workers=1))
    environment = fb.env(game, 2)
    environment.step(environment.reset(1).mask.argmax(1))


def main() -> None:
    if len(sys.argv) > 1:
        for family in sys.argv[1:]:
            warm(family)
        return
    from fogbound.core import registry

    print("Compiling the games (once)", flush=True)
    running = [subprocess.Popen([sys.executable, "-m", "tests.warm", family]) for family in registry.families()]
    # Python's own compiling of all modules, also where nothing is to be kept: every process of the tests would do it again.
    written = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    collecting = [sys.executable, "-m", "pytest", "--collect-only", "-qq"]
    subprocess.run(collecting, env=written, stdout=subprocess.DEVNULL, check=False)  # mistakes are told by the tests
    sys.exit(max(process.wait() for process in running))


if __name__ == "__main__":
    main()
