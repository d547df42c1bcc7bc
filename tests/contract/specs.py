"""The games that go through every contract test, and every other game that is installed, on its default board."""

import sys
from pathlib import Path

from fogbound.core import registry

PROGRAM = f"program:{sys.executable} {Path(__file__).parent.parent.parent / 'examples' / 'bots' / 'bot.py'}"

GAMES = [
    "scotland-yard/plan1",
    "scotland-yard/plan1-long",
    "scotland-yard/square1",
    "scotland-yard/london",
    "scotland-yard/london-modern:detectives=2",
    "scotland-yard/grid5",
    "scotland-yard/grid5-2020",
    "scotland-yard/grid3:detectives=1,show_start=true",
    "scotland-yard/random:stations=30,seed=1",
    "empire/seed",
    "empire/seed:players=4,bidding=true,tokens=true",
    "empire/side-a:bidding=true,neutral=true,continents=regions,wild=owned,ties=printed",
    "empire/side-b:players=5,bidding=true,print=other",
    "empire/random:seed=5,width=6,height=5,players=3,tokens=true",
    "risk/classic:round_limit=8",
    "risk/classic:players=2,cards=slow,round_limit=8",
    "risk/classic:players=5,goal=missions,deal=true,round_limit=8",
    "risk/classic:players=2,neutral=false,free_fortify=true,army_limit=12,round_limit=8",
    "risk/random:territories=12,players=4,seed=1,goal=missions,strict_missions=true,cards=fixed,round_limit=20",
]

GAMES += [name for name in registry.families() if not any(spec.startswith(f"{name}/") for spec in GAMES)]

# Agents that need nobody at the keyboard; each must play every game that it says it can play.
AGENTS = [
    "random",
    "heuristic",
    "mcts:iterations=20,depth=40",
    "alphabeta:nodes=200,joint=8",
    "alphabeta:evaluation=belief,joint=4,depth=1",
    "turns:iterations=10,ahead=1",
    "planner:iterations=5,plans=3,setup=false",
    "turntree:iterations=10,most=500,longest=200",
    "stranger",
    "maxn:iterations=4,depth=2,candidates=2",
    "flat:playouts=1,longest=40",
    "careless",
    "blunders:rate=0.5",
    "champion:iterations=3",
]

# Agents that play only some games of a family: those small enough to be solved, or those they were trained for.
LIMITED = {
    "perfect": ["scotland-yard/grid3:detectives=1,show_start=true", "scotland-yard/grid5"],
    "qtable": ["scotland-yard/grid5-2020"],
    "resolve:iterations=4": ["scotland-yard/grid3:detectives=1,show_start=true"],  # with exact values
    "resolve:iterations=4,size=60,playouts=1,values=playouts": ["scotland-yard/plan1"],  # with estimates
    "resolve:iterations=2": [
        "scotland-yard/london:detectives=3",  # with the guide of the board
        "scotland-yard/random:stations=30,seed=1",  # with that of any board
    ],
    "policy": [
        "scotland-yard/london",
        "scotland-yard/london:detectives=3",
        "risk/random:territories=12,players=4,seed=1,round_limit=20",
    ],
    "graph": [
        "scotland-yard/london:detectives=3",
        "scotland-yard/grid5-2020",
        "scotland-yard/random:stations=30,seed=1",
    ],
    "rollout:iterations=4": ["risk/random:territories=12,players=4,seed=1,round_limit=20"],
    PROGRAM: [
        "scotland-yard/grid3:detectives=1,show_start=true",
        "empire/seed",
        "risk/random:territories=12,players=4,seed=1,round_limit=20",
    ],
    "net:weights=plan1-detectives": ["scotland-yard/plan1"],  # by deep Q-learning
    "net:weights=pursuit": ["scotland-yard/plan1"],  # by supervised learning
    "net:weights=empire": [spec for spec in GAMES if spec.startswith("empire/")],
    "net:weights=risk-es": ["risk/random:territories=12,players=4,seed=1,round_limit=20"],
}


def name_of(agent: str) -> str:
    return agent.partition(":")[0]


def family_of(spec: str) -> str:
    return spec.partition("/")[0]
