"""Executors: what happens when a worker dies, and when nobody waits for the rest."""

from __future__ import annotations

import os
import signal

import pytest

import fogbound as fb
from fogbound.core.executor import Local
from fogbound.core.job import Pending
from fogbound.core.runner import set_of_games

PLAN1 = "scotland-yard/plan1"


class Victim(fb.Agent):
    """Kills the process that it plays in."""

    name = "victim"
    about = "is killed"

    def decide(self, view: fb.View) -> fb.Decision:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def test_a_killed_worker_is_told_in_one_sentence() -> None:
    whole = set_of_games(PLAN1, [f"{__name__}.Victim", "random"], 4)
    with pytest.raises(fb.FogboundError, match="A worker process was killed while it was playing"):
        list(Local(2).play(Pending.of(whole).jobs()))


def test_jobs_are_taken_as_there_is_room_for_them() -> None:
    taken = []

    def jobs():  # type: ignore[no-untyped-def]
        for each in Pending.of(set_of_games(PLAN1, ["random"], 1000), most=1).jobs():
            taken.append(each)
            yield each

    playing = Local(2).play(jobs())
    next(playing)
    assert len(taken) <= 4
    playing.close()  # type: ignore[attr-defined]
