"""The lab: duels, tournaments with ratings and reports, reproductions of published experiments, fair boards.

import fogbound as fb

fb.lab.duel("scotland-yard/plan1", "heuristic", "random", games=1000)
results = fb.lab.tournament("cup.toml")
results.frame("standings")
"""

from fogbound.lab.duel import Duel, duel
from fogbound.lab.results import Results
from fogbound.lab.settings import Settings
from fogbound.lab.tournament import tournament

open_results = Results.open

__all__ = ["Duel", "Results", "Settings", "duel", "open_results", "tournament"]
