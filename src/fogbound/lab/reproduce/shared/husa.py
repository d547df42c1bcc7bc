"""What the experiments of Husa 2022 share: the two boards and the players."""

BOARDS = {board: f"scotland-yard/{board}:stuck_detectives=pass" for board in ("plan1", "square1")}

SEARCH = "mcts:worlds=one,iterations=5000,c=1.4"

PLAYERS = {
    "heuristic": "heuristic",
    "MCTS": SEARCH,
    "MCTS (heuristic)": f"{SEARCH},playout=heuristic",
    "net": "net:weights=husa",
}

QUICK = {"iterations=5000": "iterations=500"}
