"""The games that go through every contract test: a new game joins by adding its name here."""

GAMES = [
    "scotland-yard/plan1",
    "scotland-yard/plan1-long",
    "scotland-yard/square1",
    "scotland-yard/london",
    "scotland-yard/london-modern:detectives=2",
    "scotland-yard/grid5",
    "scotland-yard/grid5-2020",
    "scotland-yard/grid3:detectives=1,show_start=true",
]

# Agents that need nobody at the keyboard; each must play every game that it says it can play.
AGENTS = ["random", "heuristic", "mcts:iterations=50"]
