"""The strangers of Risk: each keeps to its temper."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.agents.risk.stranger import HELD_OUT, STYLES, TRAINED
from fogbound.games.risk.table import BATTLE, kind_of

GAME = "risk/classic:players=3,deal=true,round_limit=6"


def battles(style: str) -> int:
    record = fb.play(GAME, [f"stranger:style={style}", "heuristic", "heuristic"], seed=4)
    return sum(move.seat == 0 and kind_of(move.code) == BATTLE for move in record.moves)


@pytest.mark.parametrize("style", STYLES)
def test_every_style_loses_to_the_scripted_player(style: str) -> None:
    results = fb.play_set(
        "risk/classic:players=3,round_limit=60", ["heuristic", *[f"stranger:style={style}"] * 2], 60, workers=1
    )
    assert sum(result.scores[0] for result in results) > 36


def test_the_passive_attack_less_than_the_aggressive() -> None:
    assert battles("passive") < battles("aggressive")


def test_some_are_held_out() -> None:
    assert set(HELD_OUT) | set(TRAINED) == set(STYLES) and not set(HELD_OUT) & set(TRAINED)
