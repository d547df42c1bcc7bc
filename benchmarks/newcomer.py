"""How long a newcomer needs from `pip install` to the first result of an agent of his own: steps and seconds.

python benchmarks/newcomer.py [WHEEL]     (without one it is built first, which is not counted)
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parent.parent
AGENT = """import fogbound as fb


class First(fb.Agent):
    name = "first"
    about = "plays the first legal move"

    def decide(self, view: fb.View) -> fb.Decision:
        return fb.Decision(view.legal()[0].code)
"""


def timed(what: str, *words: str, cwd: Path, **environment: str) -> tuple[float, str]:
    """Run a step and say how long it took."""
    own = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    began = perf_counter()
    done = subprocess.run(words, cwd=cwd, env={**own, **environment}, capture_output=True, text=True, check=True)
    seconds = perf_counter() - began
    print(f"| {what} | {seconds:.1f} |", flush=True)
    return seconds, done.stdout


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        wheel = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else built(home)
        python, fogbound = str(home / "venv" / "bin" / "python"), str(home / "venv" / "bin" / "fogbound")
        cache = {"FOGBOUND_CACHE": str(home / "cache")}
        print("| step | seconds |\n|---|---|")
        total = timed("`python -m venv venv`", sys.executable, "-m", "venv", "venv", cwd=home)[0]
        total += timed("`pip install fogbound`", python, "-m", "pip", "install", "-q", str(wheel), cwd=home)[0]
        (home / "my_agents.py").write_text(AGENT)
        print(f"| write `my_agents.py`, {len(AGENT.splitlines())} lines | |")
        words = ["run", "scotland-yard/plan1", "--agents", "my_agents.First,heuristic", "--games", "100", "--json"]
        seconds, told = timed(
            f"`fogbound {' '.join(words[:-1])}`, compiling for the first time", fogbound, *words, cwd=home, **cache
        )
        print(f"| in all | {total + seconds:.1f} |")
        timed("the same again", fogbound, *words, cwd=home, **cache)
        timed("`fogbound --help`", fogbound, "--help", cwd=home, **cache)
        print(f"\nwins {json.loads(told)['wins']}")


def built(home: Path) -> Path:
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", home, ROOT], check=True)
    return next(home.glob("*.whl"))


if __name__ == "__main__":
    main()
