"""The shell: what people type, what they see, and how mistakes are told."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import fogbound as fb
from fogbound.cli import serve as serving
from fogbound.cli.app import app, main
from fogbound.cli.set_run import RunSettings, SetRun
from fogbound.core.agent import Agent, Decision
from fogbound.core.view import View

FOGBOUND = [sys.executable, "-m", "fogbound"]
WIDE = {**os.environ, "COLUMNS": "160", "TERM": "dumb"}
Done = subprocess.CompletedProcess[str]
Here = Callable[..., Done]


def shell(*args: str, typed: str = "") -> Done:
    return subprocess.run([*FOGBOUND, *args], input=typed, capture_output=True, text=True, env=WIDE, check=False)


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """The whole command in this process, which is quicker."""

    def run(*args: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["fogbound", *args])
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        return subprocess.CompletedProcess(args, int(ended.value.code or 0), told.out, told.err)

    return run


def inside(*args: str) -> Any:
    """A command without what tells its errors."""
    for module in ("look", "risk"):
        import_module(f"fogbound.cli.{module}")
    return CliRunner().invoke(app, args)


HELP = """
import sys
from fogbound.cli import main
for command in ([], ["run"], ["play"]):
    sys.argv = ["fogbound", *command, "--help"]
    try:
        main()
    except SystemExit as end:
        assert not end.code
print({"numba", "numpy", "torch", "fastapi", "pandas"} & set(sys.modules))
"""


def test_help_and_version_load_no_heavy_library() -> None:
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, env=WIDE, check=True)
    assert done.stdout.endswith("set()\n")
    assert shell("--version").stdout == f"fogbound {fb.__version__}\n"


def test_every_public_name_is_there() -> None:
    assert all(getattr(fb, name) is not None and name in dir(fb) for name in fb.__all__)


def test_help_shows_the_commands_by_what_people_want_to_do() -> None:
    text = shell("--help").stdout
    for word in ("Play", "Pit and measure agents", "Design boards", "Look around", "check-board", "replay"):
        assert word in text


@pytest.mark.parametrize(
    "command",
    [
        "play",
        "run",
        "replay",
        "check-board",
        "boards",
        "agents",
        "levels",
        "games",
        "bench",
        "odds",
        "tournament",
        "reproduce",
        "balance",
    ],
)
def test_every_command_has_help_with_an_example(here: Here, command: str) -> None:
    done = here(command, "--help")
    assert done.returncode == 0
    assert "Example" in done.stdout


def test_levels_are_told_for_a_board_weakest_first() -> None:
    told = json.loads(inside("levels", "scotland-yard/london:detectives=3", "--json").stdout)
    assert all(list(level) == ["name", "title", "about", "agent", "seconds", "rating"] for level in told)
    assert [told[0]["name"], told[-1]["name"]] == ["beginner", "champion"]
    shown = inside("levels", "risk").stdout
    assert "champion:seconds=1" in shown and "judged by planner:every," in shown


def test_looking_around() -> None:
    assert "scotland-yard/london" in inside("boards").stdout
    assert "heuristic" in inside("agents", "scotland-yard").stdout
    assert "detectives" in inside("games").stdout
    options = {
        each["name"]: each["default"]
        for each in json.loads(inside("games", "scotland-yard/london", "--json").stdout)[0]["options"]
    }
    assert (options["detectives"], options["rounds"]) == (5, 22)  # those of the board, not of the family
    told = inside("games", "risk").stdout
    assert "domination" in told and "scotland-yard" not in told
    assert "Did you mean “risk”?" in str(inside("games", "rsk").exception)
    assert "plan1" in json.loads(inside("boards", "--json").stdout)["scotland-yard"]
    assert {"random", "heuristic", "person"} <= {entry["name"] for entry in json.loads(inside("agents", "--json").stdout)}
    assert json.loads(inside("games", "--json").stdout)[0]["options"]


def test_a_set_prints_one_json_object_and_nothing_else() -> None:
    done = shell(
        "run", "scotland-yard/plan1", "--agents", "heuristic:score=sum,random", "--games", "50", "--seed", "3", "--json"
    )
    summary = json.loads(done.stdout)
    assert summary["agents"] == ["heuristic:score=sum", "random"]
    assert summary["games"] == 50 == sum(summary["wins"]) + summary["draws"]
    assert {"seconds", "moves", "moves_per_second", "games_per_second"} <= set(summary)


def test_a_set_tells_its_result() -> None:
    text = shell("run", "scotland-yard/plan1", "--games", "200").stdout
    assert "Total games: 200" in text
    assert "Mr X won" in text
    assert "95% interval" in text
    assert shell("run", "scotland-yard/plan1", "--games", "5", "--log", "none").stdout == ""


class SlowToLoad(Agent):
    """Its first move in a process takes long, as if it had to be compiled."""

    loaded = False

    def decide(self, view: View) -> Decision:
        if not SlowToLoad.loaded:
            time.sleep(0.5)
            SlowToLoad.loaded = True
        return Decision(view.legal()[0].code)


def test_games_a_second_do_not_include_loading_and_compiling() -> None:
    settings = RunSettings(game="scotland-yard/plan1", agents=["tests.test_cli.SlowToLoad"], games=20, workers=1)
    summary = SetRun(settings).play(quiet=True)
    assert summary["playing_seconds"] < summary["seconds"] - 0.4
    assert summary["games_per_second"] == 20 / summary["playing_seconds"]


def test_every_game_can_be_told_and_kept(tmp_path: Path) -> None:
    told = shell("run", "scotland-yard/plan1", "--games", "2", "--log", "game").stdout
    assert told.count("turn  Mr X") == 2
    folder = tmp_path / "set"
    done = shell("run", "scotland-yard/plan1", "--games", "3", "--log", "game", "--out", str(folder))
    assert done.returncode == 0
    assert fb.load(folder / "game-000002.json").scores is not None
    assert "turn  Mr X" in (folder / "game-000002.txt").read_text()
    assert "Total games: 3" in (folder / "set.txt").read_text()
    replayed = shell("replay", "--terminal", str(folder / "game-000002.json"))
    assert "turn  Mr X" in replayed.stdout


def test_all_starts_are_every_placement() -> None:
    summary = json.loads(shell("run", "scotland-yard/plan1", "--agents", "heuristic", "--all-starts", "--json").stdout)
    assert summary["games"] == 360


def test_a_toml_file_can_hold_all_settings(here: Here, tmp_path: Path) -> None:
    file = tmp_path / "set.toml"
    file.write_text('game = "scotland-yard/plan1"\nagents = ["heuristic", "random"]\ngames = 20\nseed = 5\n')
    assert json.loads(shell("run", str(file), "--json").stdout)["games"] == 20
    assert json.loads(shell("run", str(file), "--games", "7", "--json").stdout)["games"] == 7
    file.write_text('game = "scotland-yard/plan1"\ngamse = 20\n')
    done = here("run", str(file))
    assert done.returncode == 2
    assert "line 2, at gamse" in done.stderr
    file.write_text("game = \n")
    assert "not TOML" in here("run", str(file)).stderr


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("run", "scotland-yard/plan2"), "Did you mean “plan1”?"),
        (("run", "scotland-yard/plan1", "--agents", "heurstic"), "Did you mean “heuristic”?"),
        (("run", "scotland-yard/plan1:rouns=3"), "Did you mean “rounds”?"),
        (("run", "scotland-yard/plan1", "--games", "0"), "“games=0” is not valid"),
        (("run", "scotland-yard/plan1", "--log", "all"), "“log=all” is not valid"),
        (("run", "missing.toml"), "missing.toml: there is no such file"),
        (("play", "scotland-yard/plan1", "--as", "mr-y"), "There is no side “mr-y”"),
        (("solve", "scotland-yard/grid3", "--hours", "0"), "give hours and GB of memory above 0"),
        (("exploit", "scotland-yard/grid3", "--agent", "random", "--side", "mr-y"), "The sides are: Mr X, Detectives"),
        (
            ("exploit", "scotland-yard/grid3", "--agent", "random", "--side", "mr-x", "--starts", "0"),
            "at least one start",
        ),
        (("replay", "missing.json"), "Cannot read missing.json"),
        (("check-board", "missing.json"), "There is no file “missing.json”"),
        (("boards", "chess"), "There is no game “chess”"),
        (("run", "scotland-yard/london", "--all-starts"), "13,366,080 starts"),
    ],
)
def test_a_mistake_is_told_in_one_sentence_with_exit_code_2(here: Here, args: tuple[str, ...], sentence: str) -> None:
    done = here(*args)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_a_board_file_is_checked(tmp_path: Path) -> None:
    board = fb.game("scotland-yard/grid3:detectives=1").definition()
    file = tmp_path / "board.json"
    file.write_text(json.dumps(board, indent=1))
    assert "is sound" in inside("check-board", str(file)).stdout
    board["stations"][4]["links"]["walk"].remove(2)
    file.write_text(json.dumps(board, indent=1))
    done = inside("check-board", str(file))
    assert done.exit_code == 1
    assert "the walk link from 2 to 5 is one-sided" in done.stderr
    assert "line" in done.stderr
    assert json.loads(inside("check-board", str(file), "--json").stdout)["sound"] is False
    file.write_text("{}")
    assert "which game" in inside("check-board", str(file)).stderr
    assert json.loads(inside("check-board", "--schema", "scotland-yard").stdout)["title"] == "BoardFile"


@pytest.mark.parametrize("spec", ["scotland-yard/plan1", "risk/classic", "empire/side-a"])
def test_every_mistake_of_a_board_file_is_told(spec: str, tmp_path: Path) -> None:
    board = fb.game(spec).definition()
    entries, links = {
        "scotland-yard": ("stations", lambda entry: entry["links"]["taxi"]),
        "risk": ("territories", lambda entry: entry["borders"]),
        "empire": ("regions", lambda entry: entry["land"]),
    }[spec.partition("/")[0]]
    links(board[entries][0]).append(links(board[entries][0])[0])
    links(board[entries][1]).append(999 if entries == "stations" else "nowhere")
    file = tmp_path / "board.json"
    file.write_text(json.dumps(board, indent=1))
    told = json.loads(inside("check-board", str(file), "--json").stdout)
    sentences = [each["problem"] for each in told["problems"]]
    assert any("listed twice" in each for each in sentences) and any("does not exist" in each for each in sentences)
    assert [each["line"] for each in told["problems"]] == sorted(each["line"] for each in told["problems"])
    board |= {"nmae": 1, "name": 3}
    file.write_text(json.dumps(board, indent=1))
    told = inside("check-board", str(file)).stderr
    assert "there is no key “nmae” here" in told and "this should be text in quotes" in told


def test_a_damaged_record_is_told_with_the_move_where_it_breaks(tmp_path: Path) -> None:
    record = fb.play("scotland-yard/plan1", ["random"], seed=1)
    data = record.to_json()
    data["moves"][3]["move"] = "pass"
    file = tmp_path / "game.json"
    file.write_text(json.dumps(data))
    done = shell("replay", "--terminal", str(file))
    assert done.returncode == 2
    assert "damaged at move 4" in done.stderr


def test_a_person_plays_a_whole_game_by_number_and_in_words(tmp_path: Path) -> None:
    saved = tmp_path / "game.json"
    typed = "?\nboard\nhello\n99\n1 tram\n" + "1\n" * 60
    done = shell(
        "play", "--terminal", "scotland-yard/plan1", "--as", "detectives", "--seed", "3", "--save", str(saved), typed=typed
    )
    assert done.returncode == 0, done.stderr
    assert "is not a move" in done.stdout
    assert "There is no move number 99" in done.stdout
    assert "Travel log" in done.stdout
    assert "hidden" in done.stdout
    assert fb.load(saved).agents == ("heuristic", "person")


@pytest.mark.parametrize("spec", ["scotland-yard/grid5", "risk/classic:round_limit=2", "empire/seed"])
def test_every_game_is_measured_beside_its_reference(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from fogbound.cli import bench

    monkeypatch.setattr(bench, "SECONDS", 0.01)
    moves, games = bench._random_play(fb.game(spec))
    assert moves.value > 0 and games.value > 0
    assert moves.reference is not None and moves.ratio == pytest.approx(moves.value / moves.reference)


def test_battle_odds_are_told() -> None:
    assert "conquered" in inside("odds", "7", "4").stdout
    assert json.loads(inside("odds", "3", "1", "--json").stdout)["attackers"] == 3
    assert isinstance(inside("odds", "900", "4").exception, fb.FogboundError)


def test_a_person_can_leave_and_the_game_is_kept(tmp_path: Path) -> None:
    saved = tmp_path / "game.json"
    done = shell(
        "play", "--terminal", "scotland-yard/plan1", "--as", "mr-x", "--seed", "3", "--save", str(saved), typed="1\nquit\n"
    )
    assert "You left the game" in done.stdout
    assert fb.load(saved).scores is None


def test_play_asks_what_to_play() -> None:
    done = shell("play", "--terminal", typed="1\n2\nquit\n")
    assert "What would you like to play?" in done.stdout
    assert "You are Detectives" in done.stdout


def test_a_replay_with_a_detectives_eyes_hides_mr_x(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    fb.play("scotland-yard/plan1", ["random"], seed=1).save(file)
    text = shell("replay", str(file), "--steps", "--as", "detective-1").stdout
    assert "Mr X: ? t" in text
    assert "Move 1, Mr X: ?" not in shell("replay", str(file), "--steps").stdout


def test_an_interrupted_set_keeps_what_was_finished_and_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    command = [
        "run",
        "scotland-yard/plan1",
        "--agents",
        "heuristic,random",
        "--games",
        "4000",
        "--log",
        "game",
        "--workers",
        "1",
    ]
    running = subprocess.Popen(
        [*FOGBOUND, *command, "--out", str(folder), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell may start its jobs deaf to Ctrl-C
    )
    games = folder / "games.csv"
    for _ in range(600):
        if games.exists() and len(list(folder.glob("game-*.txt"))) > 70:
            break
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=60)
    assert running.returncode == 1
    kept = json.loads(output)
    assert kept["interrupted"] and 0 < kept["games"] < 4000
    assert b"what was finished is kept" in errors
    assert len(games.read_text().splitlines()) - 1 in (kept["games"], kept["games"] + 1)
    other = shell("run", "scotland-yard/plan1", "--games", "5", "--out", str(folder))
    assert other.returncode == 2
    assert "holds another set" in other.stderr


def test_an_interrupted_set_ends_like_one_that_was_not(tmp_path: Path) -> None:
    command = ["run", "scotland-yard/plan1", "--games", "300", "--seed", "2", "--json"]
    whole = json.loads(shell(*command, "--out", str(tmp_path / "whole")).stdout)
    half = tmp_path / "half"
    shell(*command, "--out", str(half))
    with sqlite3.connect(half / "results.sqlite") as store:
        store.execute("DELETE FROM portions WHERE first % 3 = 1")
    again = json.loads(shell(*command, "--out", str(half)).stdout)
    assert (again["wins"], again["moves"], again["games"]) == (whole["wins"], whole["moves"], 300)
    assert (half / "games.csv").read_text() == (tmp_path / "whole" / "games.csv").read_text()


def test_a_folder_without_a_store_goes_on_from_its_lines(tmp_path: Path) -> None:
    command = ["run", "scotland-yard/plan1", "--games", "300", "--seed", "2", "--json"]
    whole = json.loads(shell(*command, "--out", str(tmp_path / "whole")).stdout)
    half = tmp_path / "half"
    shell(*command, "--out", str(half))
    (half / "results.sqlite").unlink()
    lines = (half / "games.csv").read_text().splitlines(keepends=True)
    (half / "games.csv").write_text("".join(lines[:100]) + lines[100][:3])  # cut short in the middle of a line
    again = json.loads(shell(*command, "--out", str(half)).stdout)
    assert (again["wins"], again["moves"], again["games"]) == (whole["wins"], whole["moves"], 300)
    assert sorted((half / "games.csv").read_text().splitlines()) == sorted(
        (tmp_path / "whole" / "games.csv").read_text().splitlines()
    )


def test_a_server_for_everybody_names_addresses_that_others_can_open(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(each not in ("0.0.0.0", "127.0.0.1") for each in serving.own_addresses())
    monkeypatch.setattr(serving, "own_addresses", lambda: ["192.168.7.5"])
    assert "http://192.168.7.5:8400" in serving._for_others("0.0.0.0", 8400)
    assert serving._for_others("127.0.0.1", 8400) == "http://127.0.0.1:8400"
