"""A training runs to its end, stops early, resumes after an interruption, and reports what it did."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fogbound.agents import nets
from fogbound.cli.train import sparkline
from fogbound.core.errors import BadFile, FogboundError
from fogbound.core.runner import GameResult, play_set
from fogbound.train import methods, report, training

GAME = "scotland-yard/grid3:detectives=1,rounds=3"


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(methods.METHODS, "toy", "tests.train.toy:Toy")
    monkeypatch.setattr(training, "play_set", partial(play_set, workers=1))  # other processes take long to start


def begun(home: Path, **options: object) -> training.Training:
    return training.start("toy", GAME, methods.options("toy", **options), home)


def untimed(rows: list[training.Row]) -> list[training.Row]:
    return [{key: value for key, value in row.items() if key != "seconds"} for row in rows]


def test_a_training_leaves_weights_curves_trials_and_a_card(tmp_path: Path) -> None:
    work = begun(tmp_path)
    assert work.run()
    assert work.progress.finished == "all 6 steps done"
    assert [row["done"] for row in work.progress.trials] == [2, 4, 6]
    assert {"checkpoint.safetensors", "latest.safetensors", "best.safetensors", "best.json"} <= {
        file.name for file in tmp_path.iterdir()
    }
    card = json.loads((tmp_path / "best.json").read_text())
    assert card["done"] == work.progress.best_done and card["figures"][0]["games"] == 6
    assert (tmp_path / "curves.csv").read_text().splitlines()[0] == "done,seconds,loss"
    assert len((tmp_path / "trials.csv").read_text().splitlines()) == 4


def test_a_resumed_training_is_the_same_training(tmp_path: Path) -> None:
    whole = begun(tmp_path / "whole")
    whole.run()
    part = begun(tmp_path / "part")
    part.run(lambda work: setattr(work, "_stopping", work.learner.done == 3))
    assert part.learner.done == 3 and not part.progress.finished
    again = training.resume(tmp_path / "part", "toy", GAME)
    assert again.run()
    assert untimed(again.progress.curve) == untimed(whole.progress.curve)
    assert again.progress.trials == whole.progress.trials
    for file in ("latest.safetensors", "best.safetensors"):
        tensors = [nets.load(str(tmp_path / folder / file)).tensors["place"] for folder in ("part", "whole")]
        assert tensors[0] == tensors[1]


def test_a_training_without_progress_stops_early(tmp_path: Path) -> None:
    work = begun(tmp_path, steps=50, trials=50, patience=3, trial_games=2)
    assert work.run()
    assert work.progress.finished == "no better trial among the last 3"
    assert work.learner.done < 50


def test_time_runs_out(tmp_path: Path) -> None:
    work = begun(tmp_path, steps=10_000, minutes=1e-9)
    assert work.run()
    assert work.learner.done == 1 and "minutes are over" in work.progress.finished
    assert len(work.progress.trials) == 1


def test_minutes_count_trials_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A field of slow opponents does not make a minute last nine: trials are part of it, and end with it."""

    def slow(*_given: object, **_named: object) -> Iterator[GameResult]:
        for number in range(10**6):
            clock[0] += 1.0
            yield GameResult(number, (1.0, 0.0), 5)

    clock = [0.0]
    monkeypatch.setattr(training, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(training, "play_set", slow)
    work = begun(tmp_path, steps=10_000, minutes=1, trials=10_000)
    assert work.run()
    assert 60 <= clock[0] <= 62 and work.progress.clock == pytest.approx(60, abs=2)


def test_an_interruption_ends_a_trial_at_once_and_it_is_made_up_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = begun(tmp_path / "whole")
    whole.run()
    part = begun(tmp_path / "part")

    def interrupted(*given: Any, **named: Any) -> Iterator[GameResult]:
        part._stopping = True
        yield from play_set(*given, workers=1, **named)

    with monkeypatch.context() as patched:
        patched.setattr(training, "play_set", interrupted)
        assert not part.run()
    again = training.resume(tmp_path / "part", "toy", GAME)
    assert again.run()
    assert untimed(again.progress.curve) == untimed(whole.progress.curve)
    assert again.progress.trials == whole.progress.trials


def test_an_interruption_abandons_a_long_chunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = begun(tmp_path)

    def long_chunk() -> dict[str, float]:
        signal.raise_signal(signal.SIGINT)
        time.sleep(60)
        return {}

    monkeypatch.setattr(training, "LONGEST_GOODBYE", 0.05)
    monkeypatch.setattr(work.learner, "advance", long_chunk)
    assert not work.run()
    assert training.resume(tmp_path, "toy", GAME).run()


def test_a_folder_with_a_training_is_not_overwritten(tmp_path: Path) -> None:
    begun(tmp_path).run()
    with pytest.raises(FogboundError, match="already holds a training: resume it with --resume"):
        begun(tmp_path)


@pytest.mark.parametrize(
    ("name", "game", "options", "words"),
    [
        ("qtable", GAME, {}, "holds a training with toy, not with qtable"),
        ("toy", "scotland-yard/grid5", {}, "holds a training on scotland-yard/grid3"),
        ("toy", GAME, {"steps": 9}, r"other options \(steps = 6\)"),
    ],
)
def test_another_training_is_not_taken_for_this_one(
    tmp_path: Path, name: str, game: str, options: dict[str, int], words: str
) -> None:
    begun(tmp_path).run()
    with pytest.raises(FogboundError, match=words):
        training.resume(tmp_path, name, game, methods.options("toy", **options) if options else None)


def test_there_must_be_a_training_to_resume(tmp_path: Path) -> None:
    with pytest.raises(FogboundError, match="holds no training to resume"):
        training.resume(tmp_path, "toy", GAME)


def test_options_come_from_preset_file_and_single_settings_in_this_order(tmp_path: Path) -> None:
    file = tmp_path / "options.toml"
    file.write_text("trials = 2\nseed = 5\n")
    options = methods.options("toy", "short", file, ["seed=7", "field=['random']"])
    assert (options.model_dump()["steps"], options.trials, options.seed, options.field) == (2, 2, 7, ["random"])


def test_a_wrong_option_in_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "options.toml"
    file.write_text("trials = 2\nstep = 5\n")
    with pytest.raises(BadFile, match=r"options.toml, line 2.*Did you mean “steps”"):
        methods.options("toy", config=file)
    with pytest.raises(FogboundError, match="is not a setting: write key=value"):
        methods.options("toy", settings=["steps"])
    with pytest.raises(FogboundError, match="greater than or equal to 1"):
        methods.options("toy", settings=["steps=0"])


def test_a_wrong_method_preset_or_game_is_answered_with_what_exists() -> None:
    with pytest.raises(FogboundError, match="qtable"):
        methods.options("qtabel")
    with pytest.raises(FogboundError, match="short"):
        methods.options("toy", preset="shrt")
    with pytest.raises(FogboundError, match="toy learns scotland-yard, not risk"):
        methods.learner("toy", "risk/classic", methods.options("toy"))


def test_without_torch_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "fogbound.train.scotland_yard.dqn", raising=False)
    with pytest.raises(FogboundError, match=r"pip install 'fogbound\[train\]'"):
        methods.method("dqn")


def test_the_report_shows_curves_options_and_the_command(tmp_path: Path) -> None:
    work = begun(tmp_path)
    work.run()
    page = report.write(work).read_text()
    for words in ("all 6 steps done", "<svg", "wins, %", "trial_games = 6", f"fogbound train toy {GAME}"):
        assert words in page
    assert (tmp_path / "curves.png").stat().st_size > 1000
    work.options.field.clear()
    work.progress.trials.clear()
    assert f"fogbound train toy {GAME}" in report.write(work).read_text()  # a training without trials has one too


def test_curves_in_the_terminal_are_bars() -> None:
    assert sparkline([0.0, 0.5, 1.0]) == "▁▅█"
    assert len(sparkline(list(range(1000)))) == 40
    assert sparkline([0.5], 0.0, 1.0) == "▅"
