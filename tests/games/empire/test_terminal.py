"""Eight-Minute Empire in the terminal: what a person sees."""

from __future__ import annotations

import pytest
from rich.console import Console

import fogbound as fb
from tests.games.empire.variants import VARIANTS


def shown(match: fb.Match, seat: int = 0) -> str:
    console = Console(width=140, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(match.game.picture(match.view(seat)))
    return console.export_text()


@pytest.mark.parametrize("spec", VARIANTS)
def test_every_variant_can_be_looked_at_from_start_to_end(spec: str) -> None:
    record = fb.play(spec, ["random"], seed=3)
    for moves in (0, 1, 7, 25, len(record.moves)):
        text = shown(record.replay(moves))
        for name in (*record.game.seat_names, *record.game.names):  # type: ignore[attr-defined]
            assert name in text
    log = record.game.table_of_moves(record.replay())
    assert log.count("\nend ") == record.game.seats
    assert record.game.outcome(record.replay().state) in text


def test_the_picture_says_what_is_expected_now() -> None:
    match = fb.game("empire/seed:bidding=true,neutral=true").new(seed=1)
    assert "Red is to make a sealed bid." in shown(match)
    match.play("bid 3")
    assert "sealed bid" in shown(match, seat=1) and "bid 3" not in shown(match, seat=1)
    match.play("bid 1")
    assert "Red is to choose who starts." in shown(match) and "bid 3" in shown(match, seat=1)
    match.play("start blue")
    assert "Blue is to place a neutral army." in shown(match)
    while "neutral" in match.legal()[0].text:
        match.play("neutral F5")
    assert "Blue is to take a card." in shown(match)
    match.play("card 1")


def test_the_log_has_a_line_a_turn() -> None:
    record = fb.play("empire/seed", ["random"], seed=3)
    lines = record.game.table_of_moves(record.replay()).splitlines()
    assert len(lines) == 26 + 2
    assert lines[0].split()[:1] == ["1"] and " for " in lines[0]
