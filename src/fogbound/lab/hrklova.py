"""What the experiments of Hrkľová 2023 share: the board and the opponents."""

GAME = "scotland-yard/grid5"
GAMES = 10_000

# The document names its opponents, not their settings; these are the nearest that we have.
ALPHABETA = "alphabeta:evaluation=v4"
SEARCH = "mcts:worlds=one,iterations=500"

DETECTIVES = {"random": "random", "alpha-beta": ALPHABETA, "MCTS": SEARCH}
