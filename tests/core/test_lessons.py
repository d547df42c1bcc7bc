"""Lessons: every step stands where it should, asks for legal moves, and has its words in every catalogue."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.core.lessons import lesson
from fogbound.server.lessons import lesson as served

TEXTS = Path(fb.__file__).parent / "web" / "texts"
STARTS = {"scotland-yard": "yard", "risk": "risk", "empire": "empire"}


@pytest.mark.parametrize("family", STARTS)
def test_each_step_asks_for_moves_that_can_be_made_and_not_for_all_of_them(family: str) -> None:
    steps = lesson(family)
    assert 5 <= len(steps) <= 8
    for step in steps:
        match = step.match()
        legal = {str(move) for move in match.legal()}
        assert set(step.right) <= legal, step.name
        assert len(legal) > len(step.right), step.name


@pytest.mark.parametrize("family", STARTS)
def test_each_step_has_its_words(family: str) -> None:
    names = {step.name for step in lesson(family)}
    texts = json.loads((TEXTS / f"{family}.en.json").read_text(encoding="utf-8"))
    for kind in ("ask", "right", "wrong"):
        start = f"{STARTS[family]}.{kind}."
        assert {key.removeprefix(start) for key in texts if key.startswith(start)} == names


def test_a_learner_who_plays_a_detective_is_not_shown_mr_x() -> None:
    by_name = {step["name"]: step for step in served("scotland-yard")["steps"]}
    for moment in ("position", "after"):
        assert by_name["search"][moment]["view"]["stations"][0] is None
    assert by_name["catch"]["position"]["view"]["stations"][0] == 9  # he has just shown himself


def test_what_a_lesson_says_in_numbers_is_true() -> None:
    """The figures in the texts of some steps."""
    steps = {step.name: step.match() for step in lesson("scotland-yard")}
    view = steps["black"].view(0)
    assert view.why("153 black")[0].facts == {"n": 115} and view.why("153 bus")[0].facts == {"n": 38}
    facts = {reason.name: reason.facts for reason in steps["flee"].view(0).why("150 taxi")}
    assert "safe" in facts and facts["near"] == {"n": 3}
    view = {step.name: step.match() for step in lesson("risk")}["odds"].view(0)
    battles = [move for move in view.legal() if move.text.startswith("battle") and move.text.endswith("down to 1")]
    shares = {move.text: view.why(move)[0].facts["share"] for move in battles}
    best = max(shares, key=lambda text: shares[text])
    assert best == "battle North Africa > Egypt down to 1" and 0.85 < shares[best] < 0.95
    assert shares["battle Venezuela > Central America down to 1"] < 0.3
    view = {step.name: step.match() for step in lesson("empire")}["or"].view(0)
    assert [view.why(move)[-1].facts["n"] for move in ("use armies", "use move")] == [2, 3]
