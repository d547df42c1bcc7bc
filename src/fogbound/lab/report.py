"""The report of a tournament: one page that explains itself, with its pictures, tables and remarkable games beside it."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fogbound.lab import plots
from fogbound.lab.results import TABLES, Results, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE = "report.html"

STYLE = """
:root { --ink: #2d3748; --faint: #718096; --line: #e2e8f0; --blue: #2b6cb0; }
* { box-sizing: border-box; }
body { margin: 0; background: #f7fafc; color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 2rem 1rem 4rem; }
h1 { font-size: 1.9rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 0 0 .2rem; }
.lead { color: var(--faint); margin: 0 0 1.2rem; } .note { color: var(--faint); font-size: .87rem; margin: .2rem 0 .8rem; }
section { background: white; border: 1px solid var(--line); border-radius: 12px; padding: 1.1rem 1.3rem;
  margin: 1rem 0; overflow-x: auto; }
.best { font-size: 1.1rem; } .best b { color: var(--blue); }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--faint); font-weight: 600; border-bottom: 2px solid var(--line); padding: .3rem .6rem; }
td { border-bottom: 1px solid var(--line); padding: .3rem .6rem; } tr:last-child td { border-bottom: 0; }
td.n, th.n { text-align: right; white-space: nowrap; } .range { color: var(--faint); font-size: .82rem; }
.heat td, .heat th { text-align: center; border: 2px solid white; padding: .5rem .4rem; min-width: 4.2rem; }
.heat th { font-size: .82rem; border-bottom: 2px solid white; } .heat th.row { text-align: right; white-space: nowrap; }
.bar { display: inline-block; height: .65rem; border-radius: 4px; background: var(--blue); vertical-align: middle; }
.track { display: inline-block; width: 110px; background: #edf2f7; border-radius: 4px;
  line-height: 0; margin-right: .5rem; vertical-align: middle; }
svg { max-width: 100%; height: auto; }
code { background: #edf2f7; border-radius: 5px; padding: .1rem .35rem; font-size: .86rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.2rem; margin: 0; }
dt { color: var(--faint); } dd { margin: 0; }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
@media (max-width: 800px) { .two { grid-template-columns: 1fr; } }
a { color: var(--blue); }
"""


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


def _page(results: Results, pictures: dict[str, Figure], games: Sequence[Row]) -> str:
    for name in {"strength", "curves", "lengths", "test"} & set(pictures):
        pictures[name].axes[0].set_title("", loc="left")  # the page has its own headings
    drawn = {name: plots.svg(figure) for name, figure in pictures.items()}
    standings = results.standings()
    parts = [_heading(results, standings), _standings(standings)]
    if len(results.players) > 1:
        parts.append(_cross_table(results, standings))
        parts.append(
            _section("Strength", drawn["strength"], "The bars are 95% intervals: players whose bars overlap may be equal.")
        )
    parts.append(
        _section("How the results settled", drawn["curves"], "A curve that is still moving has not seen enough games.")
    )
    if "test" in drawn:
        parts.append(_section("Sequential test", drawn["test"] + _table(results.tests())))
    sides = "".join(f"<div>{drawn[name]}</div>" for name in drawn if name.startswith("sides"))
    sides = f'<div class="two">{sides}</div>' if len(results.boards) > 1 else sides
    about_sides = "Wins of each side, whoever plays it. “Even” is what a fair board would give."
    parts.append(_section("Sides and the first move", _table(results.sides()) + sides, about_sides))
    parts.append(_section("Players on each side", drawn["roles"]))
    if len(results.boards) > 1:
        parts.append(_section("Boards", _table(results.by_board())))
    parts.append(_section("Length of games", drawn["lengths"] + _table(results.lengths())))
    parts.append(_section("Time", _table(results.times()), "Compiled agents are timed a batch at a time."))
    parts.append(_games(games))
    parts.append(_how(results))
    title = escape(str(results.settings["name"]))
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    body = f"<main>{''.join(parts)}</main>"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head><body>{body}</body></html>\n'


def _heading(results: Results, standings: Sequence[Row]) -> str:
    boards = ", ".join(f"<code>{escape(board.spec)}</code>" for board in results.boards)
    state = f"{results.count:,} games"
    if results.count < results.total:
        state += f" of {results.total:,} planned" + (" at most" if results.test else "; not finished")
    text = f"<h1>{escape(str(results.settings['name']))}</h1>"
    text += f'<p class="lead">{state} · {len(results.players)} players · {boards}</p>'
    if len(standings) > 1:
        best, next_best = standings[0], standings[1]
        clear = best["elo low"] > next_best["elo high"]
        rest = "clearly ahead of" if clear else "ahead of, but within the intervals not clearly better than,"
        text += f'<p class="best"><b>{escape(best["player"])}</b> is first, {rest} {escape(next_best["player"])}.</p>'
    return text


def _standings(rows: Sequence[Row]) -> str:
    extra = [name for name in ("openskill", "nash") if name in rows[0]]
    head = "".join(
        f'<th class="n">{name}</th>' for name in ("Elo", "95%", *(_HEADS[name] for name in extra), "ms a move", "games")
    )
    lines = []
    for place, row in enumerate(rows, 1):
        bar = f'<span class="track"><span class="bar" style="width:{100 * row["share"]:.1f}%"></span></span>'
        share = f'{100 * row["share"]:.1f}% <span class="range">{100 * row["low"]:.1f} to {100 * row["high"]:.1f}</span>'
        cells = [f"{row['elo']:+.0f}", f"{row['elo low']:+.0f} to {row['elo high']:+.0f}"]
        cells += [f"{row['openskill']:.1f} ± {2 * row['sigma']:.1f}"] if "openskill" in row else []
        cells += [f"{row['nash']:.2f}"] if "nash" in row else []
        cells += [_number(row["milliseconds a move"]), f"{row['games']:,}"]
        name = escape(row["player"]) + ("" if row["agent"] == row["player"] else f" <code>{escape(row['agent'])}</code>")
        numbers = "".join(f'<td class="n">{cell}</td>' for cell in cells)
        lines.append(f"<tr><td>{place}</td><td><b>{name}</b></td><td>{bar}{share}</td>{numbers}</tr>")
    note = "Share of the points with its 95% interval; Elo from Bradley-Terry (Luce's model with many seats)."
    if "nash" in rows[0]:
        note += (
            " Nash: the part in a mix of players that nobody beats; more than one player with a part means a cycle or a tie."
        )
    table = f"<table><tr><th></th><th>player</th><th>share of the points</th>{head}</tr>{''.join(lines)}</table>"
    return _section("Standings", table, note)


_HEADS = {"openskill": "OpenSkill", "nash": "Nash"}


def _cross_table(results: Results, standings: Sequence[Row]) -> str:
    found = {(row["player"], row["against"]): row for row in results.cross_table()}
    names = [row["player"] for row in standings]
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    lines = []
    for name in names:
        cells = "".join(_heat_cell(found.get((name, other))) for other in names)
        lines.append(f'<tr><th class="row">{escape(name)}</th>{cells}</tr>')
    table = f'<table class="heat"><tr><th></th>{head}</tr>{"".join(lines)}</table>'
    return _section(
        "Who beats whom", table, "The row's share of the points against the column, in percent, with its 95% interval."
    )


def _heat_cell(row: Row | None) -> str:
    if row is None:
        return '<td style="background:#f7fafc;color:#a0aec0">·</td>'
    share = row["share"]
    strength = abs(share - 0.5) * 2
    red, green, blue = (43, 108, 176) if share >= 0.5 else (221, 107, 32)
    colour = f"rgba({red},{green},{blue},{0.08 + 0.85 * strength:.2f})"
    ink = "white" if strength > 0.6 else "#2d3748"
    interval = f'<span style="font-size:.75rem;opacity:.8">{100 * row["low"]:.1f}–{100 * row["high"]:.1f}</span>'
    title = f"{row['games']:,} games"
    return f'<td style="background:{colour};color:{ink}" title="{title}"><b>{100 * share:.1f}</b><br>{interval}</td>'


def _games(rows: Sequence[Row]) -> str:
    lines = []
    for row in rows:
        link = f'<a href="{escape(row["file"])}">{escape(Path(row["file"]).name)}</a>'
        words = (row["what"], row["board"].replace(",", ", "), row["players"], row["end"])
        cells = "".join(f"<td>{escape(str(word))}</td>" for word in words)
        lines.append(f'<tr>{cells}<td class="n">{row["moves"]}</td><td class="n">{link}</td></tr>')
    head = "<tr><th></th><th>board</th><th>players</th><th>end</th><th class='n'>moves</th><th class='n'>record</th></tr>"
    example = f"<code>fogbound replay {escape(rows[0]['file'])}</code>" if rows else ""
    note = f"To look at one again, in this page's folder: {example}" if rows else ""
    return _section("Longest and shortest games", f"<table>{head}{''.join(lines)}</table>", note)


def _how(results: Results) -> str:
    sittings = [each for each in results.storage.sittings() if each["games"] or not each["ended"]]
    facts: list[tuple[str, str]] = [("seed", str(results.settings["seed"])), ("Fogbound", str(results.about["fogbound"]))]
    for sitting in sittings[-3:]:
        speed = f", {sitting['games'] / sitting['seconds']:,.0f} games/s" if sitting["seconds"] else ""
        games = f"{sitting['games']:,} games{speed}" if sitting["ended"] else "interrupted"
        facts.append(("command", f"<code>{escape(sitting['command'])}</code>"))
        facts.append(("played", f"{sitting['began']}, engine {escape(sitting['engine'])}, {games}"))
        facts.append(("machine", escape(sitting["machine"])))
        facts.append(("versions", ", ".join(f"{name} {number}" for name, number in json.loads(sitting["versions"]).items())))
    if len(sittings) > 3:
        facts.append(("sittings", f"{len(sittings)} in all, the last three are shown"))
    facts += [("settings", f"<code>{escape(json.dumps(results.settings, ensure_ascii=False))}</code>")]
    listed = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts)
    note = "Each seed is played in every seating. The same settings and seed give the same games on any machine."
    return _section("How it was played", f"<dl>{listed}</dl>", note)


def _section(title: str, body: str, note: str = "") -> str:
    about = f'<p class="note">{note}</p>' if note else ""
    return f"<section><h2>{title}</h2>{about}{body}</section>"


PERCENT = {"share", "rate", "even"}


def _table(rows: Sequence[Row]) -> str:
    """Rows as a table; an interval stands behind its figure."""
    if not rows:
        return '<p class="note">nothing yet</p>'
    columns = [name for name in rows[0] if name not in ("low", "high", "seating")]
    numeric = {name for name in columns if isinstance(rows[0][name], (int, float))}
    head = "".join(f'<th class="n">{name}</th>' if name in numeric else f"<th>{name}</th>" for name in columns)
    return f"<table><tr>{head}</tr>{''.join(_cells(row, columns, numeric) for row in rows)}</table>"


def _cells(row: Row, columns: Iterable[str], numeric: set[str]) -> str:
    cells = []
    for name in columns:
        value = row[name]
        text = f"{100 * value:.1f}%" if name in PERCENT else _number(value) if name in numeric else escape(str(value))
        if name in ("share", "rate") and "low" in row:
            text += f' <span class="range">{100 * row["low"]:.1f} to {100 * row["high"]:.1f}</span>'
        cells.append(f'<td class="n">{text}</td>' if name in numeric else f"<td>{text}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _number(value: Any) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.2g}" if abs(value) < 0.1 else f"{value:.2f}"
