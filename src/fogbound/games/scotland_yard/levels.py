"""The ladder of Scotland Yard, its champions and its judge, by board and number of detectives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from fogbound.core.levels import BEGINNER, CHAMPION, rated
from fogbound.core.registry import Level
from fogbound.games.scotland_yard.board import BOARDS, Board
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import DETECTIVES, MR_X

RATINGS = Path(__file__).with_name("ratings.json")
SEARCH = "mcts:preset=nijssen-winands,"
HASTY_SEARCH = "blunders:agent=mcts:preset=nijssen-winands+iterations=5000,rate=0.1"

# On a large board searches of different lengths can be told apart on both sides.
LARGE = (
    BEGINNER,
    Level("casual", "Casual", "knows how to play, but two moves in five are hasty", "blunders:rate=0.4"),
    Level("steady", "Steady", "follows simple, sound rules and never changes its mind", "heuristic"),
    Level("thinker", "Thinker", "searches a thousand continuations before each move", SEARCH + "iterations=1000", 0.01),
    Level("master", "Master", "searches ten thousand continuations before each move", SEARCH + "iterations=10000", 0.1),
    CHAMPION,
)
# On a small one any search finds Mr X in the end: what tells players apart is how often they slip.
SMALL = (
    BEGINNER,
    Level("casual", "Casual", "knows how to play, but every other move is hasty", "blunders:rate=0.5"),
    Level("steady", "Steady", "follows simple, sound rules, with a hasty move now and then", "blunders:rate=0.2"),
    Level("thinker", "Thinker", "follows simple, sound rules without a slip", "heuristic"),
    Level("master", "Master", "searches five thousand continuations, with a rare hasty move", HASTY_SEARCH, 0.03),
    CHAMPION,
)
SMALL_WITH_NETS = (
    *SMALL[:4],
    Level(
        "master", "Master", "plays what nets have learned, with a hasty move now and then", "blunders:agent=policy,rate=0.25"
    ),
    CHAMPION,
)
LEAST_LARGE = 100  # stations

# The champions. Nets have learned a board by its own rules, and beat search by others, too, in games that are no longer;
# London's know their way on its board of today. The small grids can be solved in seconds. On London search makes the nets
# better; more than 48 iterations gain nothing, and would have to be done again for every move since Mr X was seen where a
# process joins a game. Mr X takes care where many detectives come near him by chance. Where good detectives hardly ever
# lose, he lives on mistakes: there he leaves out what the net finds unlikely, too, and on the grids he searches.
# Boards without nets of their own are searched in the same way with the nets that play any board, but for the long game
# on plan1: nearly lost as it is for Mr X, they find less in it than plain search.
SOLVING, CAREFUL = "resolve:iterations=48", ",caution=10,beside=2,room=0.5"
MODERN = "resolve:values=resolve-london,iterations=48"
GENERAL = "resolve:values=scotland-yard-guide,iterations=48"
ESCAPING = "policy:floor=0.3,caution=10,beside=6,room=1.5"
NETS = {  # who plays Mr X and the detectives of a board, by the number of these
    **{("london", detectives): (SOLVING, SOLVING) for detectives in (2, 3, 4)},
    ("london", 5): (SOLVING + CAREFUL, SOLVING),
    ("london-modern", 5): (MODERN + CAREFUL, MODERN),
    ("plan1", 3): (ESCAPING, "policy"),
    ("square1", 3): (ESCAPING, "policy"),
    ("plan1-long", 2): (SEARCH + "{budget}", SEARCH + "{budget}"),
}
LONGEST = 20  # rounds of a grid that is solved
SOLVED = {"grid2": (1, 2), "grid3": (1, 2), "grid4": (1, 2), "grid5": (1, 2), "grid5-2020": (2,)}
LOST = {("grid5", 2): 15, ("grid5-2020", 2): 15}  # rounds from which so many perfect detectives always win


def levels(game: ScotlandYard) -> list[Level]:
    small = SMALL_WITH_NETS if champion(game, DETECTIVES) == "policy" else SMALL
    return rated(game, LARGE if len(game.board.stations) >= LEAST_LARGE else small, RATINGS)


def champion(game: ScotlandYard, side: int) -> str:
    name, rules = game.board.name, game.board.rules
    nets = NETS.get((name, rules.detectives))
    if nets is not None and _has_learned_lines(game.board):
        return nets[side]
    shorter = {"detectives": rules.detectives, "rounds": min(rules.rounds, LONGEST)}
    if rules.detectives in SOLVED.get(name, ()) and _is_shipped(game.board, shorter):
        lost = rules.rounds >= LOST.get((name, rules.detectives), rules.rounds + 1)
        return SEARCH + "iterations=5000" if lost and side == MR_X else "perfect"
    return GENERAL


def strong(game: ScotlandYard) -> str:
    """The net of any board, where no other is better."""
    return "graph" if champion(game, DETECTIVES) == GENERAL else ""


def judge(game: ScotlandYard, side: int, effort: int) -> str:
    """The search, but no move is left out or hardly looked at, and a colleague's catch is worth as much as one's own."""
    return f"{SEARCH}c=1,filter=false,coalition=0,iterations={1500 * effort}"


def _has_learned_lines(board: Board) -> bool:
    """Whether a board is the shipped one of its name, for no more rounds: nets know their way by other rules, too."""
    shipped = BOARDS.load(board.name, {})
    same = board.stations == shipped.stations and board.transports == shipped.transports
    return same and board.rules.rounds <= shipped.rules.rounds


def _is_shipped(board: Board, options: Mapping[str, int]) -> bool:
    """Whether a board is the shipped one of its name with these options and no other."""
    return BOARDS.load(board.name, {key: str(value) for key, value in options.items()}) == board
