"""Names and specs: what they mean, and what is said when they are wrong."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.core import registry
from fogbound.core.agent import Agent, Decision
from fogbound.core.view import View
from tests.installed import install, on_path


class FirstMove(Agent):
    """An agent as a student would write it."""

    name = "first"
    about = "plays the first legal move"

    def decide(self, view: View) -> Decision:
        return Decision(view.legal()[0].code)


def test_a_spec_names_a_board_and_its_options() -> None:
    game = fb.game("scotland-yard/plan1:detectives=2,rounds=18")
    assert game.seats == 3
    assert game.spec == "scotland-yard/plan1:detectives=2,rounds=18"
    assert fb.game("scotland-yard").spec == "scotland-yard/london"
    assert fb.game("scotland-yard:detectives=2").seats == 3
    assert fb.game("scotland-yard/plan1:reveals=2+4,first=detectives").spec.endswith("first=detectives,reveals=2+4")


def test_tickets_can_be_set_one_by_one() -> None:
    game = fb.game("scotland-yard/plan1:tickets.mr_x.black=3,tickets.mr_x.double=1,tickets.detectives.taxi=unlimited")
    match = game.new(seed=1)
    assert game.public(match.state)["tickets"][0] == {"taxi": 2, "tram": 2, "black": 3, "double": 1}
    assert game.public(match.state)["tickets"][1] == {"taxi": None, "tram": 4}


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("scotland-yrd/plan1", "There is no game “scotland-yrd”. Did you mean “scotland-yard”?"),
        ("scotland-yard/plan2", "Did you mean “plan1”?"),
        ("scotland-yard/plan1:detectivs=2", "Did you mean “detectives”?"),
        ("scotland-yard/plan1:detectives=9", "“detectives=9” is not valid"),
        ("scotland-yard/plan1:detectives=many", "“detectives=many” is not valid"),
        ("scotland-yard/plan1:reveals=3+x", "log slots"),
        ("scotland-yard/plan1:reveals=3+30", "the reveal 30 is beyond the last log slot, 13"),
        ("scotland-yard/plan1:detectives=1,detectives=2", "is given twice"),
        ("scotland-yard/plan1:tickets.mr_x.bus=2", "there are no “bus” tickets for this side; it can have black"),
        ("scotland-yard/plan1:tickets.mr_x.taxi=few", "give a number of tickets"),
        ("scotland-yard/grid1", "gridN"),
        ("scotland-yard/gridN", "scotland-yard/gridN stands for many boards: an N x N grid for any N from 2 to 16, as in"),
        ("scotland-yard/missing.json", "there is no such file"),
        ("", "There is no game “”"),
    ],
)
def test_a_wrong_game_is_told_in_one_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(fb.FogboundError) as error:
        fb.game(spec)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("heurstic", "Did you mean “heuristic”?"),
        ("heuristic:scor=sum", "Did you mean “score”?"),
        ("heuristic:score=near", "should be 'nearest', 'sum' or 'weighted'"),
        ("random:x=1", "There is no option “x” of agent “random”"),
        ("no.such.module.Agent", "There is no Python module"),
        ("tests.core.test_registry.Missing", "has no “Missing”"),
        ("tests.core.test_registry.View", "is not an agent"),
    ],
)
def test_a_wrong_agent_is_told_in_one_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(fb.FogboundError) as error:
        fb.agent(spec, "scotland-yard/plan1")
    assert sentence in str(error.value)


def test_specs_are_split_where_a_new_one_begins() -> None:
    text = "mcts:iterations=5000,c=1.4,heuristic:score=sum,random"
    assert registry.split_specs(text) == ["mcts:iterations=5000,c=1.4", "heuristic:score=sum", "random"]
    assert registry.split_specs("random,random") == ["random", "random"]


def test_an_option_is_understood_by_the_name_that_it_had_before() -> None:
    old, new = (fb.agent(f"stranger:{word}=raider", "empire/seed") for word in ("character", "style"))
    assert old.options == new.options
    with pytest.raises(fb.FogboundError, match="no option “character” of agent “stranger”"):
        fb.agent("stranger:style=raider,character=idler", "empire/seed")


def test_options_are_told_from_paths() -> None:
    assert registry.split_options("plan1:rounds=18") == ("plan1", "rounds=18")
    assert registry.split_options("net:weights=a/b.json,deep") == ("net", "weights=a/b.json,deep")
    assert registry.split_options("C:/boards/x.json") == ("C:/boards/x.json", "")
    assert registry.split_options("C:/boards/x.json:detectives=2") == ("C:/boards/x.json", "detectives=2")
    assert registry.split_options("plan1") == ("plan1", "")


def test_an_agent_of_your_own_plays_by_its_python_name() -> None:
    record = fb.play("scotland-yard/grid5", ["tests.core.test_registry.FirstMove", "random"], seed=1)
    assert record.scores is not None
    results = list(fb.play_set("scotland-yard/grid5", ["tests.core.test_registry.FirstMove", "random"], 4, workers=2))
    assert len(results) == 4


def test_an_agent_object_can_be_seated_directly() -> None:
    game = fb.game("scotland-yard/grid5")
    mine = fb.agent("tests.core.test_registry.FirstMove", game)
    assert fb.play(game, [mine, "random"], seed=1).agents == (mine.spec, "random")
    assert mine.spec == "tests.core.test_registry.FirstMove"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """A folder of installed packages."""
    with on_path(str(tmp_path)):
        yield tmp_path
    for name in ("hunt_game", "bad_game"):
        sys.modules.pop(name, None)


HUNT = """
from dataclasses import replace
from fogbound.games.scotland_yard.game import FAMILY as YARD
FAMILY = replace(YARD, name="hunt", title="The Hunt", agents={"first": "hunt_game:First"})
from fogbound import Agent, Decision
class First(Agent):
    name, about, family = "first", "plays the first legal move", "scotland-yard"
    def decide(self, view):
        return Decision(view.legal()[0].code)
class Anywhere(First):
    family = "*"
"""


def test_an_installed_package_brings_games_and_agents(site: Path) -> None:
    (site / "hunt_game.py").write_text(HUNT)
    install(
        site,
        "hunt-game",
        "[fogbound.games]\nhunt = hunt_game:FAMILY\n"
        "[fogbound.agents]\nopener = hunt_game:First\nanywhere = hunt_game:Anywhere\nraider@risk = hunt_game:Anywhere\n",
    )
    assert fb.families()[:3] == ["scotland-yard", "risk", "empire"]
    assert fb.families()[3:] == ["hunt"]
    assert registry.family("hunt").title == "The Hunt"
    yard, risk = fb.game("scotland-yard/grid5"), fb.game("risk")
    assert {"opener", "anywhere"} <= set(registry.agents(yard))
    assert "raider" not in registry.agents(yard)
    assert {"raider", "anywhere"} <= set(registry.agents(risk))
    assert "opener" not in registry.agents(risk)
    assert {"opener", "anywhere", "raider", "first", "heuristic"} <= set(registry.agents())
    assert fb.play(yard, ["opener", "anywhere"], seed=1).scores is not None
    with pytest.raises(fb.UnknownName, match="Did you mean “opener”"):
        fb.agent("openr", yard)
    with pytest.raises(fb.UnknownName, match="There is no agent “opener” for risk"):
        fb.agent("opener", risk)


def test_a_broken_package_is_named_and_breaks_nothing_else(site: Path, caplog: pytest.LogCaptureFixture) -> None:
    (site / "hunt_game.py").write_text(HUNT)
    (site / "bad_game.py").write_text("raise RuntimeError('out of order')")
    install(site, "hunt-game", "[fogbound.games]\nhunt = hunt_game:FAMILY\nlist = builtins:list\n")
    install(site, "bad-game", "[fogbound.games]\nbad = bad_game:FAMILY\n[fogbound.agents]\nodd = nowhere_at_all:Agent\n")
    assert fb.families()[3:] == ["hunt"]
    assert fb.game("scotland-yard/grid5").seats > 0
    registry.agents()
    registry.families()
    assert [record.getMessage() for record in caplog.records] == [
        "The game “bad” from the installed distribution bad-game 1.0 cannot be loaded: RuntimeError: out of order.",
        "The game “list” from the installed distribution hunt-game 1.0 should be a Family: see builtins:list.",
        "The agent “odd” from the installed distribution bad-game 1.0 cannot be loaded: "
        "ModuleNotFoundError: No module named 'nowhere_at_all'.",
    ]
    with pytest.raises(fb.FogboundError, match=r"The game “bad” from the installed distribution bad-game 1\.0 cannot be"):
        fb.game("bad")
    with pytest.raises(fb.FogboundError, match=r"The agent “odd” from the installed distribution bad-game 1\.0 cannot be"):
        fb.agent("odd", "scotland-yard/grid5")


def test_known_names_need_no_look_at_installed_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_installed", None)
    game = fb.game("scotland-yard/grid5")
    assert fb.agent("heuristic", game).game is game
    assert fb.agent("random", game).game is game


def test_a_game_names_only_places_that_exist() -> None:
    for name in fb.families():
        family = registry.family(name)
        levels = family.levels if isinstance(family.levels, str) else ""
        places = [*family.agents.values(), *family.queries.values(), family.reference, family.exact, family.champion, levels]
        for place in filter(None, places):
            assert registry.fetch(place)
        specs = [family.quick_start.game if family.quick_start else name, family.bench or name, *family.first_games]
        assert all(fb.game(spec).family == name for spec in specs)


def test_a_budget_is_iterations_or_seconds() -> None:
    assert sum(fb.Budget(iterations=10).chunks(default=5, chunk=4)) == 10
    assert sum(fb.Budget().chunks(default=5)) == 5
    assert next(fb.Budget(seconds=0.0001).chunks(default=5, chunk=3)) == 3
    with pytest.raises(ValueError, match="not both"):
        fb.Budget(iterations=1, seconds=1)


def test_telling_options_from_a_path_takes_no_longer_for_a_malicious_spec() -> None:
    """Sixty letters and an exclamation mark kept a backtracking expression busy for years."""
    hard = "plan1:" + "a" * 60 + "!"
    assert registry.split_options(hard) == (hard, "")
    with pytest.raises(fb.BadOption, match="may have 4,096 characters"):
        registry.split_options("a:" * 3000)


def test_options_are_what_one_expression_says() -> None:
    """All short texts, beside the expression that says it at a glance but may backtrack."""
    expression = re.compile(r"([\w.-]+(=[^,]*)?,?)*")
    for length in range(6):
        for letters in product("a=,!.", repeat=length):
            text = "".join(letters)
            assert registry._are_options(text) == (expression.fullmatch(text) is not None), text


@pytest.mark.parametrize("name", [".", "..", "a..b", ".a", "a.", "1.2", "no such.Agent", "no_such_module.Agent"])
def test_a_name_with_dots_that_is_no_class_is_told(name: str) -> None:
    with pytest.raises(fb.FogboundError):
        fb.agent(name, "scotland-yard/grid3")
