"""Bots: `fogbound bot` makes a program out of one of our agents."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from fogbound.cli.app import RESEARCH, app


@app.command(rich_help_panel=RESEARCH)
def bot(
    agent: Annotated[str, typer.Argument(help="The agent that answers, such as heuristic or mcts:iterations=1000.")],
) -> None:
    """An agent of ours as a program that speaks the bots' protocol: lines of JSON on standard input and output.

    Programs of your own play by the agent program:COMMAND.

    Examples: fogbound bot heuristic · fogbound run risk --agents "program:./my-bot,heuristic,heuristic"
    """
    from fogbound.agents.engine import serve

    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # whatever an agent prints is no answer
    serve(agent, sys.stdin, lambda line: print(line, file=answers, flush=True))
