"""Husa's own files: his boards and configurations are taken over, and what is wrong with one is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.cli.scotland_yard import import_husa
from fogbound.games.scotland_yard import husa_files

SIDE = 3  # of the square of stops
CONFIG = """[GAME]
boardfile = nine.json
gameset = {games}
cmd = no
log = set
[PHANTOM]
phantom = mctshe
thinktime = 0.01
constant = 1.4
[DETECTIVES]
detectives = heuristic
"""


def write_board(folder: Path, reveals: object = (2, 4)) -> Path:
    """Nine stops in a square, taxis between neighbours, a tram between two corners."""
    plan = []
    for stop in range(1, 10):
        y, x = divmod(stop - 1, SIDE)
        near = [(y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)]
        taxi = [{"stop": SIDE * b + a + 1} for b, a in near if 0 <= a < SIDE and 0 <= b < SIDE]
        tram = [{"stop": {1: 9, 9: 1}[stop]}] if stop in (1, 9) else []
        plan.append({"stop": stop, "init": stop % 2 == 1, "posX": x, "posY": y, "taxi": taxi, "tram": tram})
    game = {"turns": 5, "reveals": reveals}
    tickets = {"phantom": {"taxi": 2, "tram": 1}, "detectives": {"count": 2, "taxi": 4, "tram": 1}}
    file = folder / "nine.json"
    file.write_text(json.dumps({"plan": plan, **tickets, "game": game}), encoding="utf-8")
    return file


def test_a_configuration_becomes_a_set_of_games_on_its_board(tmp_path: Path) -> None:
    write_board(tmp_path)
    config = tmp_path / "config.ini"
    config.write_text(CONFIG.format(games="variants"), encoding="utf-8")
    import_husa(config, tmp_path / "ours")
    game = fb.game(f"scotland-yard/{tmp_path / 'ours' / 'nine.board.json'}")
    board = game.definition()
    assert set(board["starts"]["mr_x"]) == {1, 3, 5, 7, 9} and board["stations"][0]["links"] == {"taxi": [2, 4], "tram": [9]}
    assert game.count_starts() == 5 * 4 * 3
    rules = board["rules"]
    assert (rules["rounds"], rules["reveals"], rules["detectives"]) == (5, [2, 4], 2)
    assert rules["tickets"]["detectives"] == {"taxi": 4, "tram": 1}
    made = (tmp_path / "ours" / "config.toml").read_text(encoding="utf-8")
    assert '"mcts:worlds=one,c=1.4,seconds=0.01,playout=heuristic", "heuristic"' in made
    assert "all_starts = true" in made and 'log = "set"' in made


def test_what_is_wrong_with_a_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(fb.BadFile, match="reveals"):
        husa_files.board(write_board(tmp_path, reveals=[{"turn": 2}]))
    for games, person, said in (
        ("many", "heuristic", "number of games"),
        ("3", "player", "fogbound play"),
        ("3", "nm", "nn"),
    ):
        config = tmp_path / "config.ini"
        config.write_text(CONFIG.format(games=games).replace("mctshe", person), encoding="utf-8")
        with pytest.raises(fb.BadFile, match=said):
            husa_files.settings(config)
