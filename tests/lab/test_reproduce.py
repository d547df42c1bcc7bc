"""Reproductions and balance: every published experiment is known, and what can run tells a verdict."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import fogbound as fb
from fogbound.core import registry
from fogbound.core.executor import Local
from fogbound.lab.balance import parse, values, with_settings
from fogbound.lab.reproduce import covered, experiment, experiments, report, vasatko_nets
from fogbound.lab.reproduce.comparison import (
    NO_FIGURE,
    PICTURE,
    Claim,
    Experiment,
    Finding,
    Length,
    Line,
    NoMore,
    Order,
    Outcome,
    Run,
    TrainedWins,
    Tried,
    Variant,
    Wins,
)
from fogbound.lab.reproduce.figures import TOO_FEW, alike
from fogbound.lab.sets import SetResult

RESULTS = Path(__file__).parents[2] / "docs" / "results"
PUBLISHED = [
    *("H6.1", "H6.2", "H6.3", "H6.4", *(f"H6.f{n}" for n in range(1, 12))),
    *("T5.1", "T5.2", "T5.f4", "L7.1", "L7.5", *(f"L{n}" for n in range(7, 23))),
    *("V2.2", "V2.3", "V2.4", "V2.5", "V2.6", "V2.7", "V5.1", "V5.2", "V6.1", "V6.2", "V6.5", "V6.6", "V6.7"),
    *(f"K6.{n}" for n in range(1, 7)),
    *("K6.6s", "K7.t1", *(f"K5.t{n}" for n in range(1, 5)), *(f"K6.t{n}" for n in range(1, 6))),
]


def test_every_published_experiment_is_known() -> None:
    known = {each for found in experiments() for each in covered(found.id)}
    assert set(PUBLISHED) <= known
    assert experiment("h6.f2").id == "H6.f1/f2"
    with pytest.raises(fb.UnknownName):
        experiment("H7")


def test_an_experiment_waits_for_its_players_and_runs_once_they_exist() -> None:
    cells = [
        Wins("one", "scotland-yard/plan1", ["oracle", "random"], 50),
        Wins("two", "scotland-yard/plan1", ["random"], 20),
    ]
    waiting = Experiment("H0", "a test", "", cells, quick=20)
    assert waiting.state == "runs in part; the rest needs agent oracle"
    assert [line.label for line in waiting.run(engine=Local(1)).lines] == ["two"]
    registry.register_agent("oracle", "fogbound.agents.random:Random")
    try:
        assert waiting.state == "runs now"
        assert len(waiting.run(engine=Local(1)).lines) == 2
    finally:
        del registry._agents["oracle"]
    alone = replace(waiting, cells=cells[:1])
    with pytest.raises(fb.FogboundError, match="H0 cannot be run yet: it needs agent oracle"):
        alone.run()


def test_games_with_people_are_read_from_a_saved_series(tmp_path: Path) -> None:
    assert experiment("H6.4").state.startswith("needs people")
    assert not experiment("L12").runs
    chase = {"game": "scotland-yard/plan1", "players": ["Ann", "heuristic"], "kinds": ["person", "agent"]}
    games = [
        {"sides": [0, 1], "scores": [1, 0], "winner": w, "moves": 40, "rounds": 12, "seconds": 60} for w in (0, 1, 0, None)
    ]
    file = tmp_path / "series.json"
    file.write_text(json.dumps({**chase, "agents": [None, "heuristic"], "games": games}), encoding="utf-8")
    outcome = experiment("H6.4").run(series=[file])
    assert [(line.label.partition(": ")[2], line.ours, line.theirs) for line in outcome.lines] == [
        ("wins", 50, 50), ("rounds a game", 12, None), ("seconds a game", 60, None)
    ]  # fmt: skip
    with pytest.raises(fb.FogboundError, match="no game of those that T5"):
        experiment("T5.2").run(series=[file])
    learning = {**chase, "game": "scotland-yard/grid5-2020:rounds=9", "agents": [None, "alphabeta"], "games": games}
    file.write_text(json.dumps(learning), encoding="utf-8")
    assert [line.ours for line in experiment("T5.2").run(series=[file]).lines] == [50]
    chase["game"] = "empire/seed"
    player = {"coins": 2, "armies_left": 4, "points": {"regions": 3, "total": 10}}
    land = {**games[1], "figures": [player, {**player, "coins": 0}]}
    file.write_text(json.dumps({**chase, "agents": [None, "flat"], "games": [land]}), encoding="utf-8")
    told = {line.label: line.ours for line in experiment("L12").run(series=[file]).lines}
    assert told["games that the computer won"] == 100 and told["agent: coins in the end"] == 0
    assert told["person: armies in the end"] == 10 and told["person: points in the end"] == 10
    file.write_text(json.dumps({**chase, "agents": [None, "flat"], "games": [{**land, "winner": 7}]}), encoding="utf-8")
    with pytest.raises(fb.BadFile, match="numbers of the 2 players"):
        experiment("L12").run(series=[file])


def test_tables_of_nets_name_every_net_against_every_opponent_and_play_those_that_are_there() -> None:
    cells = experiment("K6.1").cells
    assert len(cells) == 9
    one = cells[0]
    assert isinstance(one, TrainedWins) and len(one.line_ups) == 5
    assert one.line_ups[0] == ["net:weights=hrklova-mr-x-alphabeta", "random"]
    mixed = experiment("K6.4").cells[0]
    assert isinstance(mixed, TrainedWins) and len(mixed.line_ups) == 10
    there = experiment("K6.4").ready([mixed])[0]
    assert isinstance(there, TrainedWins) and there.line_ups == [["random", "net:weights=hrklova-detectives-mix"]]
    trained = {net.name: net.command for net in experiment("K6.6").nets}
    assert "hrklova-mr-x-mix-3" in trained["hrklova-mr-x-retrained-3"] and "--seed 3" in trained["hrklova-mr-x-mix-3"]


def test_nets_share_the_games_of_a_figure_and_fewer_are_played_by_the_clock() -> None:
    one = experiment("K6.1")
    by_agents, by_clock = one.cells[0], one.cells[-1]
    assert [one.count(cell, Run(full=True)) for cell in (by_agents, by_clock)] == [2000, 100]
    assert one.count(by_agents, Run(games=12)) == 3 and one.count(by_agents, Run()) == one.quick


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"), [(0.2, 21.0, "agrees"), (0.2, 60.0, "differs"), (0.2, None, PICTURE)]
)
def test_a_share_agrees_if_chance_explains_the_difference(ours: float, theirs: float | None, verdict: str) -> None:
    won = np.arange(1000) < 1000 * ours
    played = SetResult("", (), np.array([won, ~won], float).T, np.ones(1000, int), (), ())
    line = Wins("", "", [], theirs).line(played)
    assert line.verdict == verdict
    assert line.low < line.ours < line.high


def test_random_against_random_agrees_with_the_thesis() -> None:
    outcome = fb.lab.reproduce("H6.1", games=1000, engine=Local(1))
    assert len(outcome.lines) == 8
    assert outcome.verdict == "agrees"
    assert list(outcome.frame()["theirs"])[:4] == [68, 36, 21, 6]
    page = report.markdown([outcome], experiments(), Run(1000))
    assert "| plan1, 1 detectives |" in page
    assert "| K6.6 |" in page


def test_a_picture_is_tested_by_what_the_text_says() -> None:
    claims = [Claim("two is larger", ["one", "two"], lambda f: f["two"] > f["one"])]
    cells = [Wins("one", "scotland-yard/plan1", ["random"]), Wins("two", "scotland-yard/plan1:detectives=1", ["random"])]
    outcome = Experiment("H0", "a test", "", cells, quick=200, claims=claims).run(engine=Local(1))
    assert outcome.verdict == f"{NO_FIGURE}; its text agrees"


def test_a_run_in_a_folder_is_made_in_parts_and_goes_on(tmp_path: Path) -> None:
    """Every part is made anywhere; all together give what one run would have given, and nothing is played twice."""
    cells = [Wins(f"{n}", f"scotland-yard/plan1:detectives={n}", ["random"], 30, 40) for n in (1, 2, 3)]
    measured: list[Run] = []

    def measure(run: Run) -> list[Line]:
        measured.append(run)
        return [Line("measured", 1, 1, 1, None, "s", PICTURE)]

    three = Experiment("H0", "a test", "", cells, full=40, quick=20, measure=[measure])
    parts = [three.run(full=True, engine=Local(1), folder=tmp_path, part=(part, 2)) for part in (1, 2)]
    assert [[line.label for line in each.lines] for each in parts] == [["measured", "1", "3"], ["measured", "2"]]
    told = three.run(full=True, engine=Local(1), folder=tmp_path, play=False)
    assert len(measured) == 1 and told.has_full_size
    assert [(line.label, line.games) for line in told.lines] == [("measured", 0), ("1", 40), ("2", 40), ("3", 40)]
    alone = three.run(full=True, engine=Local(1))
    assert [line.ours for line in alone.lines] == [line.ours for line in told.lines]
    quick = three.run(engine=Local(1))
    assert not quick.has_full_size and [quick.lacking(line) for line in quick.lines] == [0, 20, 20, 20]


def test_what_was_measured_before_an_interruption_is_kept(tmp_path: Path) -> None:
    measured: list[str] = []
    interrupted = ["c"]

    def measure(run: Run, name: str) -> list[Line]:
        if name in interrupted:
            raise KeyboardInterrupt
        measured.append(name)
        return [Line(name, 1, 1, 1, None, "", PICTURE)]

    slow = Experiment("H0", "a test", "", measure=[partial(measure, name=name) for name in "abc"])
    with pytest.raises(KeyboardInterrupt):
        slow.run(folder=tmp_path)
    assert [line.label for line in slow.run(folder=tmp_path, play=False).lines] == ["a", "b"]
    interrupted.clear()
    assert [line.label for line in slow.run(folder=tmp_path).lines] == measured == ["a", "b", "c"]
    assert [line.label for line in replace(slow, measure=slow.measure[1:]).run().lines] == ["b", "c"]
    whole = [Line("of an older run", 1, 1, 1, None, "", PICTURE).row()]
    (tmp_path / "measured" / "H0-quick-1.json").write_text(json.dumps(whole), encoding="utf-8")
    assert [line.label for line in slow.run(folder=tmp_path).lines] == ["of an older run"]


def test_a_cause_is_ruled_out_or_explains() -> None:
    game, claim = "scotland-yard/plan1:detectives=4", Claim("it is above half", ["x"], lambda f: f["x"] > 50)
    variants = [
        Variant("three detectives", [Wins("x", "scotland-yard/plan1:detectives=3", ["random"], 62, 1000)]),
        Variant("one detective", [Wins("x", "scotland-yard/plan1:detectives=1", ["random"], 62, 1000)]),
    ]
    finding = Finding("the moon", "it was full", "look up", ["*above*"])
    cells = [Wins("x", game, ["random"], 62, 1000)]
    both = Experiment("H0", "a test", "", cells, quick=1000, claims=[claim], variants=variants, findings=[finding])
    outcome = both.run(engine=Local(1))
    assert outcome.differing() == ["x", "it is above half"]
    assert outcome.explanations("x") == ["one detective"] and outcome.ruled_out("x") == ["three detectives"]
    assert outcome.ruled_out("it is above half") == ["three detectives", "the moon"]
    alone = replace(both, variants=variants[:1]).run(engine=Local(1))
    assert report.counted(alone) == report.Counts(0, 0, 2)
    page = report.markdown([alone], [both], Run(), {"H0": report.Before("agrees", 1, 0)})
    assert (
        "| H0 | a test | agrees | differs in 1 of 1 figures and in 1 of 1 statements of the text | 0 | 0 | 2 | 1 |" in page
    )
    assert report.earlier(page)["H0"] == report.Before(alone.verdict, 0, 2)


def test_the_more_causes_are_tried_the_better_one_has_to_fit() -> None:
    """With three causes, one that chance explains in 2% of cases is open: neither an explanation nor ruled out."""
    differs = Line("x", 1, 0, 2, 9, "%", "differs", 1000, p=0.001)
    other = replace(differs, ours=9, low=8, high=10, verdict="agrees")
    tried = [Tried(cause, [replace(other, p=p)]) for cause, p in (("near", 0.3), ("far", 0.02))]
    tried.append(Tried("wrong", [differs]))
    outcome = Outcome(Experiment("H0", "a test", ""), [differs], [], 1, tried=tried)
    assert (outcome.explanations("x"), outcome.ruled_out("x")) == (["near"], ["wrong"])
    assert "| x | 3 | near | far | 1 |" in report.markdown([outcome], [], Run())
    alone = replace(outcome, tried=tried[1:])
    assert alone.explanations("x") == ["far"]
    vague = Tried("vague", [replace(other, ours=2, low=0, high=30, games=20, p=0.4)])  # no other figure, only a vague one
    assert replace(outcome, tried=[vague]).explanations("x") == [] == replace(outcome, tried=[vague]).ruled_out("x")


def test_a_statement_is_tried_with_a_cause_only_if_all_its_figures_are_there(tmp_path: Path) -> None:
    def cells(rounds: int) -> list[Wins]:
        return [Wins(f"{n}", f"scotland-yard/plan1:detectives={n},rounds={rounds}", ["random"]) for n in (1, 2)]

    said = Order("two catch more often", [("2", "1")])
    short = Experiment("H0", "a test", "", cells(12), quick=20, claims=[said], variants=[Variant("short", cells(3))])
    for part in (1, 2, 3):
        short.run(engine=Local(1), folder=tmp_path, part=(part, 4))
    half = short.run(folder=tmp_path, play=False)
    assert half.claims and [each.claims for each in half.tried] == [[]]
    whole = short.run(engine=Local(1), folder=tmp_path)
    assert [text for each in whole.tried for text, _ in each.claims] == [said.text]


def test_an_order_that_chance_may_have_reversed_is_neither_confirmed_nor_denied() -> None:
    def by_trainings(ours: float, spread: float) -> Line:
        return Line("", ours, 0, 100, None, "%", PICTURE, seeds=3, spread=spread)

    def by_games(ours: float) -> Line:
        return Line("", ours, ours - 3, ours + 3, None, "%", PICTURE, 1000)

    said = Order("a wins less than b", [("a", "b")])
    assert said.judge({"a": by_trainings(40, 9), "b": by_trainings(41, 9)}) is True
    assert said.judge({"a": by_trainings(44, 3), "b": by_trainings(41, 3)}) is None
    assert said.judge({"a": by_trainings(60, 3), "b": by_trainings(41, 3)}) is False
    assert said.judge({"a": by_games(42), "b": by_games(41)}) is None
    assert said.judge({"a": by_games(50), "b": by_games(41)}) is False
    by_ten = replace(said, by=10.0)
    assert [by_ten.judge({"a": by_games(41), "b": by_games(b)}) for b in (40, 42, 50, 60)] == [False, False, True, True]
    assert by_ten.judge({"a": by_trainings(41, 9), "b": by_trainings(40, 9)}) is None
    experiment = Experiment("H0", "a test", "", claims=[said], answer=lambda outcome: "It was the moon.")
    outcome = Outcome(experiment, [by_games(1)], [(said.text, None)], 1)
    assert (outcome.differing(), outcome.agreeing) == ([], 0)
    page = report.markdown([outcome], [], Run())
    assert "That cannot be told here" in page and "may make what is seen: 1 (H0)." in page
    assert page.index("It was the moon.") < page.index("## H0: a test")
    waiting = replace(outcome, claims=[])
    assert (waiting.untested, waiting.verdict) == ([said.text], "not tested yet")
    assert "Statements that are not tested yet: 1 (H0)." in report.markdown([waiting], [], Run())


def test_that_something_makes_no_difference_is_confirmed_only_by_figures_known_well_enough() -> None:
    def figure(ours: float, reach: float) -> Line:
        return Line("", ours, ours - reach, ours + reach, None, "%", PICTURE, 1000)

    alike = NoMore("b is no more than 5 above a", [("a", "b")], 5.0)
    assert alike.judge({"a": figure(50, 2), "b": figure(51, 2)}) is True
    assert alike.judge({"a": figure(50, 8), "b": figure(51, 8)}) is None
    assert alike.judge({"a": figure(50, 2), "b": figure(60, 2)}) is False
    assert alike.judge({"a": figure(50, 2), "b": figure(20, 2)}) is True
    both = replace(alike, pairs=[("a", "b"), ("b", "a")])
    assert both.judge({"a": figure(50, 2), "b": figure(20, 2)}) is False


def test_single_trainings_may_explain_an_order_that_the_means_of_several_deny() -> None:
    """The chance is that of drawing two numbers of the spread that was seen."""

    def trained(ours: float, seeds: int) -> Line:
        return Line("", ours, 0, 100, None, "%", PICTURE, seeds=seeds, spread=2.0)

    said = Order("a wins less than b", [("a", "b")])
    many = {"a": trained(53, 4000), "b": trained(50, 4000)}
    rng = np.random.default_rng(1)
    drawn = rng.normal(53, 2, 100_000) < rng.normal(50, 2, 100_000)
    assert said.once(many) == pytest.approx(drawn.mean(), abs=0.005)
    few = {"a": trained(53, 3), "b": trained(50, 3)}
    assert (said.once(few) or 0) > (said.once(many) or 1)  # known less well
    assert said.once({"a": replace(few["a"], seeds=0), "b": few["b"]}) is None
    once = Experiment("H0", "a test", "", claims=[said], once=True)
    assert replace(once, once=False)._trained_once(many) == []
    outcome = Outcome(once, [], [(said.text, False)], 1, tried=once._trained_once(many))
    assert outcome.explanations(said.text) == ["each net was trained once"]
    assert "Then it is so in 14.4% of cases that a wins less than b." in report.markdown([outcome], [], Run())


def test_trainings_that_differ_widen_the_test_of_a_trained_net() -> None:
    """What Fisher's test calls a difference may be one training more."""

    def played(rate: float) -> SetResult:
        won = np.arange(1000) < 1000 * rate
        return SetResult("", (), np.array([won, ~won], float).T, np.ones(1000, int), (), ())

    spread = [played(rate) for rate in (0.3, 0.45, 0.6, 0.5)]
    cell = TrainedWins("", "", [[]] * 4, 62, 1000)
    assert cell.line(*spread).verdict == "agrees" and cell.line(*[played(0.46)] * 4).verdict == "differs"
    assert cell.line(played(0.46)).verdict == "differs"
    careful = replace(cell, fewest=3)
    assert [careful.line(*spread[:count]).verdict for count in (1, 2, 3)] == [TOO_FEW, TOO_FEW, "agrees"]
    assert replace(careful, theirs=None).line(played(0.46)).verdict == TOO_FEW and careful.line(played(0.46)).p is None
    assert round(cell.line(*spread).spread, 1) == 12.5
    three, many = [[played(rate) for rate in rates] for rates in ((0.5, 0.53, 0.56), np.linspace(0.46, 0.54, 9))]
    one, other = (replace(cell, theirs=80.0, fewest=3, like="random Mr X") for _ in range(2))
    lines = [one.line(*three), other.line(*many)]
    assert [line.verdict for line in lines] == ["agrees", "differs"]  # three trainings alone tell little of their spread
    both = list(zip((one, other), lines, strict=True))
    assert [line.verdict for line in alike(both, both)] == ["differs", "differs"]
    assert alike(both[:1], both[:1]) == lines[:1] and alike(both[:1], both) != lines[:1]
    alone = [(replace(one, like=""), lines[0])]
    assert alike(alone, both) == lines[:1]


def test_published_shares_are_compared_on_one_page_only() -> None:
    """Elsewhere a larger figure could contradict its verdict: other pages link to it."""
    pages = [page for page in RESULTS.glob("*.md") if page.name != "reproductions.md"]
    rows = [
        (page.name, row) for page in pages for row in page.read_text(encoding="utf-8").splitlines() if row.startswith("|")
    ]
    assert pages and not [row for row in rows if re.match(r"\|\s*[HTLVK]\d\S*\s.*\d+ of \d+", row[1])]


def test_balance_finds_the_fairest_setting() -> None:
    found = fb.lab.balance("scotland-yard/plan1", {"detectives": "1..4"}, "random", games=1000, engine=Local(1))
    assert [point.settings["detectives"] for point in found.points] == ["1", "2", "3", "4"]
    rates = [point.played.rate(0)[0] for point in found.points]
    assert rates == sorted(rates, reverse=True)
    assert found.fairest.settings["detectives"] in ("1", "2")
    assert len(found.frame()) == 8
    assert "Fairest: detectives=" in str(found)
    assert found.plot().axes


def test_whether_a_board_is_fair_can_be_asked() -> None:
    """Nothing needs to vary, and the answer is given between players of several strengths."""
    found = fb.lab.balance("scotland-yard/grid3:detectives=1,rounds=4", games=30, engine=Local(1))
    assert found.players == ["beginner", "scripted", "search"]
    assert {row["agent"] for row in found.rows()} == {"careless", "heuristic", "champion:iterations=200"}
    assert all(row["low"] <= row["rate"] <= row["high"] for row in found.rows())
    assert "It is not fair: between " in str(found) or "It may be fair" in str(found)
    assert found.plot().axes


def test_boards_without_nets_of_their_own_are_tried_by_the_net_of_any_board() -> None:
    found = fb.lab.balance("scotland-yard/random:stations=20", {"detectives": "2..3"}, games=10, engine=Local(1))
    assert found.players == ["beginner", "scripted", "net"]
    assert {row["agent"] for row in found.rows()} == {"careless", "heuristic", "graph"}


def test_balance_over_two_settings_is_a_map() -> None:
    vary = {"detectives": [1, 2], "tickets.mr_x.black": "0,2"}
    found = fb.lab.balance("scotland-yard/london", vary, ["random"], games=20, engine=Local(1))
    assert len(found.points) == 4
    assert found.plot().axes


def test_settings_to_vary_are_ranges_or_lists() -> None:
    assert values("1..5") == ["1", "2", "3", "4", "5"]
    assert values("10..30..10") == ["10", "20", "30"]
    assert parse("rounds=10, 12") == ("rounds", ["10", "12"])
    assert with_settings("scotland-yard/plan1:rounds=9", {"rounds": "8"}) == "scotland-yard/plan1:rounds=8"
    for wrong in ("rounds", "rounds=", "rounds=5..1", "rounds=a..b"):
        with pytest.raises(fb.FogboundError):
            parse(wrong)
    with pytest.raises(fb.FogboundError, match="one or two"):
        fb.lab.balance("scotland-yard/plan1", {"rounds": "5", "detectives": "1", "first": "mr_x"})


def test_nets_that_play_on_many_maps_are_judged_by_all_their_games() -> None:
    def played(agents: tuple[str, ...], rate: float) -> SetResult:
        won = np.arange(100) < 100 * rate
        return SetResult("", agents, np.array([won, ~won], float).T, np.ones(100, int), (1, 2), (0.5, 0.5))

    sets = [played(("a",), 0.5), played(("a",), 0.7), played(("b",), 0.9), played(("b",), 0.7)]
    together = vasatko_nets.by_line_up(sets)
    assert [(each.games, each.wins(0), each.side_moves) for each in together] == [(200, 120, (2, 4)), (200, 160, (2, 4))]
    given = ("x", "", [["a"], ["b"]], 80.0, 500)
    best = vasatko_nets.BestOnMaps(*given, fewest=2).line(*sets)
    assert (best.ours, best.seeds, best.verdict) == (80, 2, "agrees")
    every = vasatko_nets.AllOnMaps(*given, each=[95, 96, 94]).line(*sets)
    assert (every.ours, every.games) == (70, 400)
    for kind in (vasatko_nets.AllOnMaps, vasatko_nets.BestOnMaps):
        assert kind(*given, fewest=3).line(*sets).verdict == TOO_FEW
    assert Length("x", "", ["a"]).line(sets[0]).ours == 1
    cell = experiment("V6.2").cells[0]
    assert isinstance(cell, vasatko_nets.OnMaps)
    assert len(cell.samples) == 10 and len({game for game, _ in cell.sets}) == len(cell.sets) == 50
    assert replace(cell, line_ups=cell.line_ups[3:]).sets == cell.sets[15:]  # where nets are missing, others keep their maps
