"""`fogbound new-game` writes a game that passes every check that our own games have to pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fogbound as fb
from fogbound.cli import new_game as _command  # noqa: F401  (adds the command)
from fogbound.cli.app import app
from tests.contract import test_agents, test_hidden, test_moves
from tests.examples.test_kuhn import checks
from tests.installed import install_project, on_path

SPEC = "light-house/beach:cells=7"


@pytest.fixture(scope="module", autouse=True)
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("new")
    written = CliRunner().invoke(app, ["new-game", "light-house", "--out", str(folder / "mine")])
    assert written.exit_code == 0, written.output
    with on_path(*install_project(folder / "mine", folder / "site")):
        yield folder / "mine"


@pytest.mark.parametrize("check", checks(test_moves) + checks(test_hidden))
def test_it_keeps_the_contract(check: Callable[[str], None]) -> None:
    check(SPEC)


def test_agents_play_it() -> None:
    test_agents.test_it_plays_whole_games_by_legal_moves_only(SPEC, "random")
    test_agents.test_its_decision_depends_on_the_view_alone(SPEC, "random")
    test_agents.test_compiled_sets_play_the_same_games_as_matches(SPEC, "random")


def test_a_seeker_who_digs_at_random_finds_it_as_often_as_he_digs() -> None:
    """Three of the eight cells without the rock."""
    found = sum(result.scores[1] for result in fb.play_set("light-house", ["random"], games=4000, seed=1, workers=1))
    assert found / 4000 == pytest.approx(3 / 8, abs=0.03)


def test_it_is_short_and_bears_its_name_alone(game: Path) -> None:
    code = (game / "src" / "fogbound_light_house" / "game.py").read_text()
    assert len(code.splitlines()) < 200 and "class LightHouse(Game)" in code
    files = [file for file in game.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    assert {file.suffix for file in files} == {".py", ".js", ".css", ".toml", ".md"}
    assert not any("digger" in (str(file) + file.read_text(encoding="utf-8")).lower() for file in files)


def test_a_name_that_cannot_be_one_is_refused(game: Path) -> None:
    for name, folder, sentence in (("Big Game", "x", "small letters"), ("chess", str(game), "exists already")):
        refused = CliRunner().invoke(app, ["new-game", name, "--out", folder])
        assert sentence in str(refused.exception)
