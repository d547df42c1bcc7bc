"""The report of a tournament: one page that explains itself, with its pictures, tables and remarkable games beside it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fogbound.lab import pages, plots
from fogbound.lab.results import TABLES, Results, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = "report.html"


def write(results: Results, folder: str | Path) -> Path:
    """Write the page, plots as PNG and SVG, tables as CSV, and the longest and shortest games; the page's path."""
    home = Path(folder)
    for name in ("plots", "tables", "games"):
        (home / name).mkdir(parents=True, exist_ok=True)
    pictures = {name: make(results) for name, make in _pictures(results).items()}
    for name, figure in pictures.items():
        figure.savefig(home / "plots" / f"{name}.png")
        figure.savefig(home / "plots" / f"{name}.svg")
    for table in TABLES:
        _csv(home / "tables" / f"{table}.csv", getattr(results, table)())
    games = _save_games(results, home)
    page = home / PAGE
    page.write_text(_page(results, pictures, games), encoding="utf-8")
    return page


def _pictures(results: Results) -> dict[str, Callable[[Results], Figure]]:
    found: dict[str, Callable[[Results], Figure]] = {"strength": plots.ratings, "curves": plots.curves}
    if len(results.players) > 1:
        found["cross-table"] = plots.cross_table
    for board, spec in enumerate(results.boards):
        if len(spec.game().side_names) == 2:
            name = "sides" if len(results.boards) == 1 else f"sides-{board + 1}"
            found[name] = lambda r, b=board: plots.side_table(r, b)  # type: ignore[misc]
    found |= {"roles": plots.roles, "lengths": plots.lengths}
    if results.test is not None:
        found["test"] = plots.tests
    return found


def _csv(file: Path, rows: Sequence[Row]) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        if rows:
            writer = csv.DictWriter(out, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def _save_games(results: Results, home: Path) -> list[Row]:
    """The longest and shortest games as records that can be replayed."""
    rows = []
    for extreme in results.extremes():
        record = results.record(extreme.seating.number, extreme.number)
        file = Path("games") / f"seating-{extreme.seating.number}-game-{extreme.number}.json"
        record.save(home / file)
        end = record.game.outcome(record.replay().state)
        names = " / ".join(results.names[player] for player in extreme.seating.players)
        row = {"what": extreme.what, "board": record.game.spec, "players": names, "moves": extreme.moves, "end": end}
        rows.append(row | {"file": file.as_posix()})
    return rows


def _page(results: Results, figures: dict[str, Figure], games: Sequence[Row]) -> str:
    for name in {"strength", "curves", "lengths", "test"} & set(figures):
        figures[name].axes[0].set_title("", loc="left")  # the page has its own headings
    pictures = {name: plots.svg(figure) for name, figure in figures.items()}
    standings = results.standings()
    tables = {name: getattr(results, name)() for name in ("tests", "sides", "by_board", "lengths", "times")}
    return pages.render(
        "fogbound.lab",
        "tournament.html",
        title=results.settings["name"],
        state=_state(results),
        players=len(results.players),
        boards=[board.spec for board in results.boards],
        standings=standings,
        cross_table=_cross_table(results, [row["player"] for row in standings]),
        pictures=pictures,
        side_pictures=[picture for name, picture in pictures.items() if name.startswith("sides")],
        games=games,
        settings=results.settings,
        version=results.about["fogbound"],
        runs=_runs(results),
        **tables,
    )


def _state(results: Results) -> str:
    """How many games there are, and whether they are all."""
    if results.count == results.total:
        return f"{results.count:,} games"
    rest = "at most" if results.test else "not finished"
    return f"{results.count:,} games of {results.total:,} planned{' ' if results.test else '; '}{rest}"


def _cross_table(results: Results, names: Sequence[str]) -> dict[str, list[Row | None]]:
    """For each player a row of cells with their colours, in the order of the names."""
    found = {(row["player"], row["against"]): {**row, **_colours(row["share"])} for row in results.cross_table()}
    return {name: [found.get((name, other)) for other in names] for name in names}


def _colours(share: float) -> Row:
    strength = abs(share - 0.5) * 2
    red, green, blue = (43, 108, 176) if share >= 0.5 else (221, 107, 32)
    ink = "white" if strength > 0.6 else "#2d3748"
    return {"colour": f"rgba({red},{green},{blue},{0.08 + 0.85 * strength:.2f})", "ink": ink}


def _runs(results: Results) -> list[Row]:
    """The runs that played games, and one that was killed or is still going on."""
    runs = [run for run in results.store.runs() if run["games"] or not run["ended"]]
    return [{**run, "versions": json.loads(run["versions"])} for run in runs]
