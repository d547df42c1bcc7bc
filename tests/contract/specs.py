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
    "empire/seed",
    "empire/seed:players=4,bidding=true,tokens=true",
    "empire/side-a:bidding=true,neutral=true,continents=regions,wild=owned,ties=printed",
    "empire/side-b:players=5,bidding=true,print=other",
    "empire/random:seed=5,width=6,height=5,players=3,tokens=true",
]

# Agents that need nobody at the keyboard; each must play every game that it says it can play.
AGENTS = ["random", "heuristic", "mcts:iterations=50"]
