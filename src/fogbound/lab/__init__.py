"""The lab: duels, tournaments with ratings and reports, reproductions of published experiments, fair boards.

import fogbound as fb

fb.lab.duel("scotland-yard/plan1", "heuristic", "random", games=1000)
results = fb.lab.tournament("cup.toml")
results.frame("standings")
fb.lab.balance("scotland-yard/plan1", {"detectives": "1..5"}, ["random"]).plot()
fb.lab.reproduce("H6.1").frame()
"""

from fogbound.lab.balance import Balance, balance
from fogbound.lab.duel import Duel, duel
from fogbound.lab.metrics import Metrics, metrics
from fogbound.lab.reproduce import experiment, experiments, reproduce
from fogbound.lab.results import Results
from fogbound.lab.settings import Settings
from fogbound.lab.simulate import simulate, table
from fogbound.lab.tournament import tournament
from fogbound.lab.tune import Tuned, tune

open_results = Results.open

__all__ = [
    "Balance",
    "Duel",
    "Metrics",
    "Results",
    "Settings",
    "Tuned",
    "balance",
    "duel",
    "experiment",
    "experiments",
    "metrics",
    "open_results",
    "reproduce",
    "simulate",
    "table",
    "tournament",
    "tune",
]
