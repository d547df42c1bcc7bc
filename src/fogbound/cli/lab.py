"""The lab in the shell: tournaments, reproductions of published experiments, fair boards."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from fogbound.cli.app import DESIGN, FAILED, RESEARCH, app, err, game_names, out
from fogbound.core.errors import FogboundError
from fogbound.core.files import read_text

if TYPE_CHECKING:
    from fogbound.lab.balance import Balance

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@app.command(rich_help_panel=RESEARCH)
def tournament(
    file: Annotated[Path, typer.Argument(help="The tournament, as a TOML file.")],
    folder: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for results and report.  (default: FILE-results)", show_default=False),
    ] = None,
    engine: Annotated[str, typer.Option(help="local or ray: where games are played.")] = "local",
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an interrupted tournament.")] = False,
    workers: Annotated[int | None, typer.Option(help="Cores to use; all by default.")] = None,
    address: Annotated[str | None, typer.Option(help="Ray: the cluster's address; by default one is started here.")] = None,
    chunk: Annotated[
        int | None,
        typer.Option("--chunk", "--portion", help="Games of a job at most; it is saved as a whole.  (default: 4096)"),
    ] = None,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write the report at the end.")] = True,
    as_json: AsJson = False,
) -> None:
    """Everyone against everyone, with ratings and a report.

    Example: fogbound tournament cup.toml · after an interruption: fogbound tournament cup.toml --resume
    """
    from fogbound.core.job import MOST
    from fogbound.lab.executors import executor
    from fogbound.lab.results import Results
    from fogbound.lab.tournament import load

    made = load(file)
    home = folder or Path(f"{file.stem}-results")
    where = executor(engine, workers, address)
    store = made.store(home / "results.sqlite", resume)
    interrupted = False
    with _progress(as_json) as watch:
        try:
            made.play(store, where, watch, chunk or MOST)
        except KeyboardInterrupt:
            interrupted = True
    results = Results(store)
    standings = results.standings()
    page = _write_report(results, home) if report and results.count else None
    if as_json:
        summary = {"name": results.settings["name"], "games": results.count, "planned": results.total}
        print(
            json.dumps(
                {**summary, "standings": standings, "report": str(page) if page else None, "interrupted": interrupted}
            )
        )
    else:
        _tell_standings(results.settings["name"], results.count, standings)
        if page:
            out.print(f"Report: {page}", highlight=False, soft_wrap=True)
    store.close()
    if interrupted:
        err.print(f"Interrupted after {results.count:,} of {results.total:,} games; go on with --resume.")
        raise typer.Exit(FAILED)


def _write_report(results: object, home: Path) -> Path | None:
    from fogbound.lab import report
    from fogbound.lab.results import Results

    assert isinstance(results, Results)
    try:
        return report.write(results, home)
    except FogboundError as error:  # a missing library is no reason to lose the standings
        err.print(f"No report was written: {error}", style="yellow", markup=False, highlight=False, soft_wrap=True)
        return None


def _tell_standings(name: str, games: int, standings: list[dict[str, object]]) -> None:
    table = Table(title=f"{name}: {games:,} games", box=None, title_justify="left")
    for column in ("", "player", "points", "95%", "Elo", "95%", "Nash", "ms a move", "games"):
        table.add_column(column, justify="left" if column == "player" else "right")
    for place, row in enumerate(standings, 1):
        nash = f"{row['nash']:.2f}" if "nash" in row else "-"
        table.add_row(
            str(place),
            str(row["player"]),
            f"{100 * float(str(row['share'])):.1f}%",
            f"{100 * float(str(row['low'])):.1f} to {100 * float(str(row['high'])):.1f}",
            f"{row['elo']:+.0f}",
            f"{row['elo low']:+.0f} to {row['elo high']:+.0f}",
            nash,
            f"{row['milliseconds a move']:.3g}",
            f"{row['games']:,}",
        )
    out.print(table)


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A progress bar that a tournament reports to."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal) as progress:
        task = progress.add_task("playing", total=None)
        yield lambda there, total: progress.update(task, completed=there, total=total)


@app.command(rich_help_panel=RESEARCH)
def reproduce(
    ids: Annotated[list[str] | None, typer.Argument(help="Experiments to run, as in H6.1; none lists all of them.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Run every experiment whose players exist.")] = False,
    games: Annotated[int | None, typer.Option(help="Games a figure, instead of the default of each experiment.")] = None,
    full: Annotated[bool, typer.Option("--full", help="As many games, and as long thought, as were published.")] = False,
    seed: Annotated[int, typer.Option(help="The seed of the games.")] = 1,
    workers: Annotated[int | None, typer.Option("--jobs", "--workers", help="Cores to use; all by default.")] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--out", help="Folder where games, measurements and nets are kept; an interrupted run goes on there."),
    ] = None,
    part: Annotated[
        str, typer.Option(help="Only a part, as in 2/8: the second of eight; the folders of all parts are put into one.")
    ] = "1/1",
    play: Annotated[
        bool, typer.Option("--play/--no-play", help="Whether to play what the folder does not hold yet.")
    ] = True,
    train: Annotated[
        bool, typer.Option("--train/--no-train", help="Whether to train nets that the folder does not hold yet.")
    ] = True,
    series: Annotated[
        list[Path] | None,
        typer.Option(help="Games with people: a series saved from the page, as in reproduce H6.4 --series FILE."),
    ] = None,
    page: Annotated[Path | None, typer.Option(help="Also write the results as a page (Markdown).")] = None,
    before: Annotated[
        Path | None, typer.Option(help="An earlier page, whose verdicts the page shows beside the new.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The experiments of the published theses: ours beside theirs.

    Examples: fogbound reproduce · fogbound reproduce H6.1 T5.1 · fogbound reproduce --all --full --out runs --page all.md
    """
    from fogbound.core.executor import Local
    from fogbound.lab.reproduce import experiment, experiments, report
    from fogbound.lab.reproduce.comparison import Run

    chosen = [experiment(name) for name in ids or ()] if not everything else [e for e in experiments() if e.runs]
    if not chosen:
        if as_json:
            print(json.dumps([report.summary(each) for each in experiments()]))
        else:
            out.print(report.listing(experiments()))
        return
    run = Run(games, full, seed, folder, _part(part), series or (), play, train)
    if folder is None and (not play or run.part[1] > 1):
        raise FogboundError("--part and --no-play go with a folder; give one with --out.")
    was = report.earlier(read_text(before)) if before else {}
    outcomes = []
    for each in chosen:
        with _progress(as_json) as watch:
            outcome = each.carry_out(run, Local(workers), watch)
        if not play and full:  # where the folder has less in full, what was made quickly is told
            outcome = max(outcome, each.carry_out(replace(run, full=False)), key=lambda made: len(made.lines))
        if not outcome.lines:  # nothing of it is in the folder, or in this part
            continue
        outcomes.append(outcome)
        if not as_json:
            report.tell(outcomes[-1], out)
        if page and play:  # after each, so that an interruption loses only the experiment in hand
            page.write_text(report.markdown(outcomes, experiments(), run, was), encoding="utf-8")
    if page:
        page.write_text(report.markdown(outcomes, experiments(), run, was), encoding="utf-8")
    if as_json:
        print(json.dumps([report.summary(outcome.experiment, outcome) for outcome in outcomes]))


def _part(text: str) -> tuple[int, int]:
    """A part such as 2/8."""
    number, _, parts = text.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise FogboundError(f"“{text}” is no part; write it as 2/8, the second of eight.")
    return int(number), int(parts)


@app.command(rich_help_panel=DESIGN)
def balance(
    game: Annotated[str, typer.Argument(help="The game.", autocompletion=game_names)],
    vary: Annotated[
        list[str] | None, typer.Option(help="A setting and its values: detectives=1..5 or rounds=10,12; one or two.")
    ] = None,
    agents: Annotated[
        str | None,
        typer.Option(help="An agent a side, separated by commas, or one for all; players of three strengths by default."),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(min=1, help="Games for each choice of settings.  (default: 1000, 100 between searches)"),
    ] = None,
    seed: Annotated[int, typer.Option(help="The seed of the games.")] = 0,
    workers: Annotated[int | None, typer.Option(help="Cores to use; all by default.")] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Folder for results, plot and table; an interrupted run goes on there.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Is a game fair, and which settings would make it so?

    Beginners, scripted players and searches play against their like, since what is fair between weak players need not be
    fair between strong ones.

    Examples: fogbound balance scotland-yard/my-board.json · fogbound balance scotland-yard/plan1 --vary detectives=1..5
    """
    from fogbound.core import registry
    from fogbound.core.executor import Local
    from fogbound.lab.balance import balance as measure
    from fogbound.lab.balance import parse
    from fogbound.lab.store import MEMORY

    settings = dict(parse(text) for text in vary or ())
    file = folder / "results.sqlite" if folder else MEMORY
    seated = None if agents is None else registry.split_specs(agents)
    with _progress(as_json) as watch:
        found = measure(game, settings, seated, games, seed, Local(workers), watch, file)
    if folder:
        figure = found.plot()
        for kind in ("png", "svg"):
            figure.savefig(folder / f"balance.{kind}")
        found.frame().to_csv(folder / "balance.csv", index=False)
    if as_json:
        best, sides = found.fairest, range(len(found.side_names))
        fairest = {"settings": best.settings, "shares": [best.played.share(side) for side in sides]}
        print(json.dumps({"game": found.game, "agents": found.agents, "rows": found.rows(), "fairest": fairest}))
        return
    out.print(_shares(found, list(settings)))
    out.print(found.verdict(), highlight=False, soft_wrap=True)
    if folder:
        out.print(f"Plot: {folder / 'balance.png'}", highlight=False, soft_wrap=True)


def _shares(found: Balance, settings: list[str]) -> Table:
    """The sides' shares: a row for each choice of settings and strength of the players."""
    table = Table(box=None)
    for column in (*settings, "players", *found.side_names, "games", ""):
        table.add_column(column, justify="right" if column in (*settings, "games") else "left")
    for point in found.points:
        shares = [
            f"{100 * r:.1f}% [dim]{100 * a:.1f} to {100 * b:.1f}[/dim]"
            for r, a, b in map(point.played.share, range(len(found.side_names)))
        ]
        mark = "[green]fairest[/green]" if settings and point.settings == found.fairest.settings else ""
        table.add_row(*point.settings.values(), point.players, *shares, f"{point.played.games:,}", mark)
    return table
