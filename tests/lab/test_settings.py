"""Tournament files: every mistake is told with file, line and what is allowed."""

from __future__ import annotations

from pathlib import Path

import pytest

import fogbound as fb
from fogbound.lab.tournament import load

GOOD = """name = "cup"
boards = ["scotland-yard/plan1"]
games = 10

[agents]
fast = "random"
other = "heuristic:score=sum"
"""


def write(folder: Path, text: str) -> Path:
    file = folder / "cup.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_file_says_who_plays_what(tmp_path: Path) -> None:
    made = load(write(tmp_path, GOOD))
    assert [(player.name, player.spec) for player in made.players] == [("fast", "random"), ("other", "heuristic:score=sum")]
    assert made.total == 10


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("games = 10", "gmaes = 10", 3, "Did you mean “games”? Allowed: name, boards"),
        ("games = 10", "games = 0", 3, "greater than or equal to 1"),
        ("games = 10", 'stop = "soon"', 3, "'games' or 'sprt'"),
        ("games = 10", "games = ", 3, "this is not TOML"),
        ("games = 10", "elo0 = 30", 3, "elo0 must be less than elo1"),
        ("games = 10", 'format = "gauntlet"', None, "a gauntlet needs a field"),
        ("plan1", "plan11", 2, "There is no board “plan11” of scotland-yard. Did you mean “plan1”?"),
        ("heuristic:", "heurstic:", 7, "Did you mean “heuristic”?"),
        ("score=sum", "score=all", 7, "score=all"),
        ('"random"', '"person"', 6, "someone at the keyboard"),
        ("boards", "bords", 2, "Did you mean “boards”?"),
    ],
)
def test_a_mistake_is_told_by_file_and_line(tmp_path: Path, old: str, new: str, line: int | None, words: str) -> None:
    file = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(fb.FogboundError) as caught:
        load(file)
    text = str(caught.value)
    assert text.startswith(f"{file}, line {line}" if line else str(file))
    assert words in text


def test_a_missing_file_and_missing_settings_are_told(tmp_path: Path) -> None:
    with pytest.raises(fb.FogboundError, match="there is no such file"):
        load(tmp_path / "none.toml")
    with pytest.raises(fb.FogboundError, match="at agents"):
        load({"boards": ["scotland-yard/plan1"]})
    with pytest.raises(fb.FogboundError, match="takes part twice"):
        load({"boards": ["scotland-yard/plan1"], "agents": ["random", "random"]})


def test_budgets_are_given_only_to_agents_that_think() -> None:
    made = load(
        {
            "boards": ["scotland-yard/plan1"],
            "agents": ["random", f"{__name__}.Ponderer"],
            "budgets": ["iterations=1", "iterations=2"],
        }
    )
    ponderer = f"{__name__}.Ponderer"
    assert [player.spec for player in made.players] == ["random", f"{ponderer}:iterations=1", f"{ponderer}:iterations=2"]


class Ponderer(fb.Agent):
    name = "ponderer"
    about = "thinks for as long as it may"
    options_model = fb.Budget

    def decide(self, view: fb.View) -> fb.Decision:
        return fb.Decision(view.legal()[0].code)
