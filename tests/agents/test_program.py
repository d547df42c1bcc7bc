"""Programs in any language as players: they are told what their seat may know, and their faults are told in a sentence."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.agents import engine, program
from fogbound.core import registry
from tests.contract.playing import positions

BOTS = Path(__file__).parent.parent.parent / "examples" / "bots"
PYTHON = f"program:{sys.executable} {BOTS / 'bot.py'}"
NODE = Path(sys.executable).parent / "node"  # the one that the page's checks run on
PLAN1 = "scotland-yard/plan1"


@pytest.fixture(autouse=True)
def _nothing_runs_on() -> Iterator[None]:
    yield
    program.close_all()


def script(folder: Path, code: str) -> str:
    """The spec of a bot whose answer to `message` is what the code says."""
    lines = ["import json, sys, time", "for line in sys.stdin:", "    message = json.loads(line)"]
    hello = "    if message['type'] == 'hello': print(json.dumps({'type': 'hello', 'protocol': 1}), flush=True)"
    game = "    if message['type'] == 'game': print(json.dumps({'type': 'game'}), flush=True)"
    file = folder / "bot.py"
    file.write_text("\n".join([*lines, hello, game, "    if message['type'] == 'move':", f"        {code}"]) + "\n")
    return f"program:{sys.executable} {file}"


def compiled(folder: Path) -> str:
    made = folder / "bot"
    subprocess.run([shutil.which("cc") or "cc", "-O1", "-Wall", "-Werror", "-o", made, BOTS / "bot.c"], check=True)
    return f"program:{made}"


def test_examples_in_python_javascript_and_c_play_every_game(tmp_path: Path) -> None:
    bots = [PYTHON, f"program:{NODE} {BOTS / 'bot.mjs'}"]
    bots += [compiled(tmp_path)] if shutil.which("cc") else []
    for spec in (PLAN1, "risk/random:territories=8,players=2,round_limit=3", "empire/seed"):
        for bot in bots:
            record = fb.play(spec, [bot], seed=3)
            assert record.scores is not None
            assert record.moves == fb.play(spec, [bot], seed=3).moves


def test_an_agent_of_ours_plays_the_same_as_a_program() -> None:
    """Both ways at once: our engine behind our own protocol."""
    there = f"program:{sys.executable} -m fogbound bot heuristic"
    assert fb.play(PLAN1, [there], seed=5).moves == fb.play(PLAN1, ["heuristic"], seed=5).moves


@pytest.mark.parametrize("spec", ["risk/random:territories=8,players=2,round_limit=3", "empire/seed"])
def test_an_engine_chooses_what_its_agent_would(spec: str) -> None:
    game, match = fb.game(spec), fb.game(spec).new(seed=2)
    ours, theirs = fb.agent("heuristic", game, seed=9), engine.Engine("heuristic")
    theirs.ready = True
    assert theirs.answer(program.game_message(game, 0, 9)) == {"type": "game"}
    told = 0
    while not match.over:
        view = match.view(match.to_move)
        if game.side_of[view.seat] == 0:
            message = json.loads(json.dumps(program.move_message(view, told, 1.0)))
            answer, told = theirs.answer(message), len(view.history)
            assert answer is not None and answer["move"] == ours.choose(view).action
        match.play(view.legal()[-1])


def test_a_program_is_told_nothing_that_its_seat_may_not_know() -> None:
    """Worlds that differ in what is hidden give the same lines, byte for byte."""
    for spec in (PLAN1, "risk/classic:goal=missions,deal=true,round_limit=3", "empire/seed:bidding=true,players=3"):
        for match in positions(spec, range(2), every=9):
            seat = match.to_move
            other = match.copy()
            other.state = match.view(seat).state.copy()
            rng = fb.agent("random", match.game, seed=8).imagination
            match.game.rules.imagine(match.game.table, other.state, seat, rng)
            told = [json.dumps(program.move_message(each.view(seat), 0, 1.0)) for each in (match, other)]
            assert told[0] == told[1]
    assert set(program.game_message(fb.game(PLAN1), 0, 7)) == {
        "type", "game", "shipped", "definition", "seats", "sides", "side_of", "side", "seed",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("sys.exit('out of ideas')", "ended with exit code 1 when it should have answered. Its last words: out of ideas"),
        ("time.sleep(60)", "did not answer within 0.5 seconds, and was stopped"),
        ("print('e4', flush=True)", "should answer with a JSON object on one line, not “e4”"),
        ("print(json.dumps({'type': 'move', 'move': '99 taxi'}), flush=True)", "answered '99 taxi': "),
        ("print(json.dumps({'type': 'move', 'move': 3.5}), flush=True)", "answered 3.5: 3.5 is not a move"),
        ("print(json.dumps({'type': 'move'}), flush=True)", "answered None: "),
        (
            "print(json.dumps({'type': 'error', 'error': 'I do not know this board'}), flush=True)",
            "I do not know this board",
        ),
    ],
)
def test_a_fault_is_told_in_one_sentence_or_covered_by_a_random_move(code: str, sentence: str, tmp_path: Path) -> None:
    bot = script(tmp_path, code) + ",limit=0.5"
    view = fb.game(PLAN1).new(seed=1).view(0)
    with pytest.raises(fb.FogboundError) as told:
        fb.agent(bot, PLAN1).choose(view)
    assert sentence in str(told.value) and "\n" not in str(told.value)
    forgiving = fb.agent(f"{bot},faults=random", PLAN1)
    assert forgiving.choose(view).action in [move.code for move in view.legal()]
    assert isinstance(forgiving, program.Program) and sentence in forgiving.faults[0]


def test_last_words_are_heard_to_the_end_before_they_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listen = program.Bot._listen
    monkeypatch.setattr(program.Bot, "_listen", lambda bot, pipe: (time.sleep(0.2), listen(bot, pipe)))
    with pytest.raises(fb.FogboundError, match="Its last words: out of ideas"):
        fb.agent(script(tmp_path, "sys.exit('out of ideas')"), PLAN1).choose(fb.game(PLAN1).new(seed=1).view(0))


def test_what_cannot_be_started_is_told() -> None:
    view = fb.game(PLAN1).new(seed=1).view(0)
    for spec, sentence in (
        ("program:./no-such-bot", "There is no program “./no-such-bot” that could be run"),
        ("program:'", "is not a command: No closing quotation"),
        (f"program:{sys.executable} -c 1", "ended with exit code 0"),
    ):
        with pytest.raises(fb.FogboundError, match=sentence):
            fb.agent(spec, PLAN1).choose(view)


def test_a_program_is_started_once_and_told_each_event_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    answer = "print(json.dumps(dict(type='move', move=message['legal'][0]['text'])), flush=True)"
    code = f"open({str(log)!r}, 'a').write(line); {answer}"
    bot = script(tmp_path, code)
    results = list(fb.play_set(PLAN1, [bot, "heuristic"], games=2, workers=1))
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert len(program._idle[bot.removeprefix("program:")]) == 1
    events = sum(len(line["events"]) for line in lines)
    assert events <= sum(result.moves for result in results) < events + 10
    assert all(line["seat"] == 0 for line in lines)


def test_a_command_may_have_spaces_colons_and_options_after_it() -> None:
    name, text = registry.split_options("program:./bot --url http://x:1 --depth=3,limit=5,faults=random")
    options = registry.parse_options(text, "")
    assert (name, options["command"]) == ("program", "./bot --url http://x:1 --depth=3")
    assert (options["limit"], options["faults"]) == ("5", "random")
    assert registry.split_specs("program:./bot,limit=5,heuristic") == ["program:./bot,limit=5", "heuristic"]


def test_an_engine_answers_whatever_it_is_sent() -> None:
    said: list[str] = []
    lines = ["nonsense\n", "[]\n", '{"type": "dance"}\n', '{"type": "move"}\n', '{"type": "game", "game": "chess"}\n']
    lines += ['{"type": "hello", "protocol": 1}\n', '{"type": "quit"}\n', '{"type": "hello"}\n']
    engine.serve("heuristic", lines, said.append)
    assert [json.loads(line)["type"] for line in said] == ["error"] * 5 + ["hello"]
