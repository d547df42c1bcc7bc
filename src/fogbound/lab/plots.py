"""Pictures of results. Every function returns a matplotlib figure, for a notebook, a file or the report."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.core.errors import FogboundError
from fogbound.lab import sequential

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from fogbound.lab.balance import Balance, Point
    from fogbound.lab.results import Results

COLOURS = ("#2b6cb0", "#dd6b20", "#2f855a", "#805ad5", "#c53030", "#0987a0", "#b7791f", "#4a5568", "#d53f8c", "#68752b")
SIDES = {
    "Red": "#c53030", "Blue": "#2b6cb0", "Green": "#2f855a", "Yellow": "#d69e2e", "Violet": "#805ad5", "Black": "#4a5568",
    "Pink": "#d53f8c",
}  # fmt: skip
INK, FAINT = "#2d3748", "#cbd5e0"
STYLE = {
    "font.size": 10,
    "font.family": "sans-serif",
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titleweight": "bold",
    "axes.titlesize": 11,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#edf2f7",
    "axes.axisbelow": True,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "savefig.bbox": "tight",
    "savefig.dpi": 150,
}


def _colour(number: int, side: str = "") -> str:
    """A colour for the next line; a side that is called by a colour has that one."""
    return SIDES.get(side, COLOURS[number % len(COLOURS)])


def canvas(width: float, height: float, columns: int = 1, rows: int = 1) -> tuple[Figure, list[Any]]:
    """An empty figure in the house's style, with its panels row by row."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        raise FogboundError("Pictures need matplotlib, which is not installed: pip install 'fogbound[lab]'.") from None
    matplotlib.rcParams.update(STYLE)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    return figure, list(axes)


def svg(figure: Figure) -> str:
    """A figure as SVG that can stand inside a page."""
    import matplotlib

    matplotlib.rcParams.update({**STYLE, "svg.hashsalt": "fogbound"})
    out = StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :]


def cross_table(results: Results) -> Figure:
    """A heat map: the row's share of the points against the column."""
    shares = {(row["player"], row["against"]): row["share"] for row in results.cross_table()}
    names = [row["player"] for row in results.standings()]
    values = np.array([[shares.get((a, b), np.nan) for b in names] for a in names])
    return heat_map(values, names, names, "Share of the points of the row against the column")


def side_table(results: Results, board: int = 0) -> Figure:
    """A heat map for two sides: wins of the first side, rows playing it, against columns playing the second."""
    game = results.boards[board].game()
    names = [row["player"] for row in results.standings()]
    values = np.full((len(names), len(names)), np.nan)
    for encounter in results.pairings:
        for seating in encounter.seatings:
            games = results.games[seating.number]
            if encounter.board == board and len(seating.players) == 2 and len(games.numbers):
                row, column = (names.index(results.names[player]) for player in seating.players)
                values[row, column] = games.scores[:, 0].mean()
    first, second = game.side_names[:2]
    figure = heat_map(values, names, names, _short(game.spec))
    figure.axes[0].set_ylabel(f"share of {first}, played by")
    figure.axes[0].set_xlabel(f"{second} played by")
    return figure


def heat_map(values: Any, rows: Sequence[str], columns: Sequence[str], title: str, fair: float = 0.5) -> Figure:
    """Shares in colours: blue above what would be even, orange below."""
    figure, (axes,) = canvas(2.6 + 0.95 * len(columns), 1.6 + 0.55 * len(rows))
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("fog", ["#dd6b20", "#fbd9bf", "#ffffff", "#c3d9ef", "#2b6cb0"])
    axes.imshow(np.where(np.isnan(values), fair, values), cmap=colours, vmin=fair - 0.5, vmax=fair + 0.5, aspect="auto")
    for i, line in enumerate(values):
        for j, value in enumerate(line):
            if np.isnan(value):
                axes.text(j, i, "–", ha="center", va="center", color="#718096")
            else:
                strong = abs(value - fair) > 0.3
                axes.text(j, i, f"{100 * value:.1f}", ha="center", va="center", color="white" if strong else INK)
    axes.set_xticks(range(len(columns)), [_short(name) for name in columns], rotation=30, ha="right")
    axes.set_yticks(range(len(rows)), [_short(name) for name in rows])
    axes.grid(False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    axes.set_title(title, loc="left")
    return figure


def ratings(results: Results) -> Figure:
    """Elo with error bars, the strongest on top."""
    rows = results.standings()
    figure, (axes,) = canvas(7.5, 1.2 + 0.42 * len(rows))
    for place, row in enumerate(reversed(rows)):
        errors = [[max(0.0, row["elo"] - row["elo low"])], [max(0.0, row["elo high"] - row["elo"])]]
        axes.errorbar(row["elo"], place, xerr=errors, fmt="o", color=COLOURS[0], capsize=4, markersize=7, linewidth=1.8)
    axes.set_yticks(range(len(rows)), [_short(row["player"]) for row in reversed(rows)])
    axes.set_ylim(-0.6, len(rows) - 0.4)
    axes.axvline(0, color=FAINT, linewidth=1)
    axes.set_xlabel("Elo, average 0, with 95% intervals")
    axes.set_title("Strength", loc="left")
    return figure


def curves(results: Results) -> Figure:
    """How each player's share of the points settled as games were played."""
    figure, (axes,) = canvas(7.5, 3.6)
    seats = max((len(encounter.group) for encounter in results.pairings), default=2)
    for colour, row in enumerate(results.standings()):
        player = results.names.index(row["player"])
        points, games = _by_number(results, player)
        if not games.any():
            continue
        reached = np.cumsum(games)
        share = np.cumsum(points) / np.maximum(reached, 1)
        # Seeds are not quite independent of their pairs; the band is the plain binomial one.
        spread = 1.96 * np.sqrt(np.maximum(share * (1 - share), 1e-9) / np.maximum(reached, 1))
        shown = _thinned(len(share))
        line = _colour(colour)
        axes.plot(reached[shown], share[shown], color=line, label=_short(row["player"]), linewidth=1.8)
        axes.fill_between(
            reached[shown], (share - spread)[shown], (share + spread)[shown], color=line, alpha=0.12, linewidth=0
        )
    axes.axhline(1 / seats, color=FAINT, linewidth=1)
    _count_logarithmically(axes)
    axes.set_ylim(0, 1)
    axes.set_xlabel("games of the player")
    axes.set_ylabel("share of the points so far")
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axes.set_title("How the results settled", loc="left")
    return figure


def _count_logarithmically(axes: Any) -> None:
    """A logarithmic axis with its numbers written out: 20, 50, 1,000."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(10, (1, 2, 5)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _by_number(results: Results, player: int) -> tuple[Any, Any]:
    """Points and games of a player for each number of a seed."""
    most = max((int(games.numbers[-1]) + 1 for games in results.games.values() if len(games.numbers)), default=1)
    points, count = np.zeros(most), np.zeros(most)
    for encounter in results.pairings:
        for seating in encounter.seatings:
            games = results.games[seating.number]
            for side, who in enumerate(seating.players):
                if who == player:
                    points[games.numbers] += games.scores[:, side]
                    count[games.numbers] += 1
    return points, count


def _thinned(length: int, most: int = 300) -> Any:
    """Indices for drawing a long curve on a logarithmic axis."""
    return np.unique(np.geomspace(1, length, most).astype(int) - 1) if length > most else np.arange(length)


def roles(results: Results) -> Figure:
    """Each player's share on each side, with intervals; a panel a board."""
    rows = results.roles()
    boards = [board.spec for board in results.boards]
    names = [row["player"] for row in results.standings()]
    figure, panels = canvas(max(5.5, 4.2 * len(boards)), 1.4 + 0.5 * len(names), len(boards))
    for axes, board in zip(panels, boards, strict=True):
        mine = [row for row in rows if row["board"] == board]
        sides = list(dict.fromkeys(row["side"] for row in mine))
        height = 0.8 / max(1, len(sides))
        for row in mine:
            side = sides.index(row["side"])
            place = len(names) - 1 - names.index(row["player"]) + (len(sides) - 1 - 2 * side) * height / 2
            errors = [[max(0.0, row["share"] - row["low"])], [max(0.0, row["high"] - row["share"])]]
            first = row["player"] == mine[0]["player"]
            axes.barh(
                place, row["share"], height * 0.92, xerr=errors, color=_colour(side, row["side"]),
                error_kw={"ecolor": INK, "elinewidth": 1, "capsize": 2}, label=row["side"] if first else None,
            )  # fmt: skip
        axes.set_yticks(range(len(names)), [_short(name) for name in reversed(names)])
        axes.axvline(1 / max(1, len(sides)), color=FAINT, linewidth=1)
        axes.set_xlim(0, 1)
        axes.set_xlabel("share of the points")
        axes.set_title(_short(board), loc="left")
        axes.legend(
            fontsize=8,
            ncols=max(1, len(sides)),
            loc="upper center",
            bbox_to_anchor=(0.5, -0.28 if len(names) < 4 else -0.18),
        )
    return figure


def lengths(results: Results) -> Figure:
    """How many games are still going on after so many moves, a curve a board."""
    figure, (axes,) = canvas(7.5, 3.2)
    for colour, board in enumerate(results.boards):
        found = [
            results.games[seating.number].lengths
            for encounter in results.pairings
            if results.boards[encounter.board] == board
            for seating in encounter.seatings
        ]
        merged = np.sort(np.concatenate(found)) if found else np.zeros(0)
        if len(merged):
            moves = np.arange(0, merged[-1] + 2)
            going = 1 - np.searchsorted(merged, moves, side="left") / len(merged)
            axes.step(moves, going, where="post", color=_colour(colour), label=board.spec, linewidth=1.8)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("moves")
    axes.set_ylabel("share of games at least this long")
    axes.legend(fontsize=8)
    axes.set_title("Length of games", loc="left")
    return figure


def tests(results: Results) -> Figure:
    """The sequential test of each encounter on its way to a bound."""
    assert results.test is not None
    figure, (axes,) = canvas(7.5, 3.4)
    for colour, encounter in enumerate(results.pairings):
        limit = results.decision(encounter).seeds
        scores = results.seed_scores(encounter)[:limit, encounter.group[0]] / len(encounter.seatings)
        if len(set(encounter.group)) > 1 and len(scores):
            path = sequential.ratios(scores, results.test)
            label = f"{_short(results.names[encounter.group[0]])} – {_short(results.names[encounter.group[-1]])}"
            axes.plot(np.arange(1, len(path) + 1), path, color=_colour(colour), label=label, linewidth=1.6)
    for bound, words in zip(results.test.bounds, ("elo0", "elo1"), strict=True):
        axes.axhline(bound, color=INK, linewidth=1, linestyle="--")
        axes.annotate(words, (0, bound), xycoords=("axes fraction", "data"), fontsize=8, va="bottom")
    axes.set_xlabel("seeds")
    axes.set_ylabel("log-likelihood ratio")
    axes.legend(fontsize=8)
    axes.set_title("Sequential test", loc="left")
    return figure


def _short(name: str, most: int = 34) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def balance(measured: Balance) -> Figure:
    """Shares with intervals by strength or along one setting, or over two settings as a heat map."""
    names = list(measured.points[0].settings)
    if len(names) == 2:
        return _balance_map(measured, names)
    figure, (axes,) = canvas(7.5, 3.8)
    curves = {players: measured.of(players) for players in measured.players} if names else {"": measured.points}
    places = np.arange(len(next(iter(curves.values()))))
    for style, (players, points) in zip(("-", ":", "-."), curves.items(), strict=False):
        _shares(axes, places, points, measured.side_names, players if len(curves) > 1 else "", style if names else "")
    axes.axhline(1 / len(measured.side_names), color=INK, linewidth=1, linestyle="--")
    if names:
        first = next(iter(curves.values()))
        best = next(place for place, point in enumerate(first) if point.settings == measured.fairest.settings)
        axes.axvspan(best - 0.3, best + 0.3, color=COLOURS[2], alpha=0.12, linewidth=0)
        axes.annotate("fairest", (best, 1.01), xycoords=("data", "axes fraction"), ha="center", fontsize=9, color=COLOURS[2])
        axes.set_xticks(places, [point.settings[names[0]] for point in first])
    else:
        axes.set_xticks(places, [point.players for point in measured.points])
    axes.set_ylim(0, 1)
    axes.set_xlabel(names[0] if names else "players")
    axes.set_ylabel("share of the points")
    axes.legend(fontsize=9)
    axes.set_title(_who(measured), loc="left", pad=18)
    return figure


def _shares(axes: Any, places: Any, points: Sequence[Point], sides: Sequence[str], players: str, style: str) -> None:
    for side, name in enumerate(sides):
        rates = np.array([point.played.share(side) for point in points])
        errors = np.abs(rates[:, 1:] - rates[:, :1]).T
        label = f"{name}, {players}" if players else name
        drawn = {"color": _colour(side, name), "capsize": 4, "linewidth": 1.8, "label": label}
        axes.errorbar(places, rates[:, 0], yerr=errors, fmt=f"o{style}", **drawn)


def _who(measured: Balance) -> str:
    several = len(measured.players) > 1
    return measured.game if several else f"{measured.game}: {' / '.join(measured.agents)}"


def _balance_map(measured: Balance, names: Sequence[str]) -> Figure:
    points = measured.of(measured.players[-1])
    rows = list(dict.fromkeys(point.settings[names[0]] for point in points))
    columns = list(dict.fromkeys(point.settings[names[1]] for point in points))
    values = np.array([point.played.share(0)[0] for point in points]).reshape(len(rows), len(columns))
    title = f"{_who(measured)}: share of {measured.side_names[0]} by {names[0]} (rows) and {names[1]} (columns)"
    figure = heat_map(values, rows, columns, title, 1 / len(measured.side_names))
    axes = figure.axes[0]
    best = measured.fairest.settings
    place = columns.index(best[names[1]]) - 0.5, rows.index(best[names[0]]) - 0.5
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle(place, 1, 1, fill=False, edgecolor=COLOURS[2], linewidth=3))
    axes.set_xlabel(names[1])
    axes.set_ylabel(names[0])
    return figure
