"""What `deploy/` starts is what the shell understands: every command in the unit and in the compose file is parsed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import typer

from fogbound.cli import serve  # noqa: F401  (adds its commands)
from fogbound.cli.app import app

DEPLOY = Path(__file__).parents[1] / "deploy"


def parsed(words: list[str]) -> dict[str, Any]:
    """The options of a command as they would be given to it."""
    commands: Any = typer.main.get_command(app)
    name, *args = words
    found: dict[str, Any] = commands.commands[name].make_context(name, args).params
    return found


def test_the_units_command_is_understood() -> None:
    line = re.search(r"^ExecStart=(.*)$", (DEPLOY / "fogbound.service").read_text(), re.M)
    assert line is not None
    program, *words = shlex.split(line.group(1))
    assert program.endswith("/bin/fogbound")
    assert parsed(words)["proxy"] == ["127.0.0.1"]


def test_the_commands_of_the_images_are_understood() -> None:
    text = (DEPLOY / "compose.yaml").read_text()
    words = re.search(r"^    command: \[(serve.*)\]$", text, re.M)
    assert words is not None
    found = parsed([word.strip(' "') for word in words.group(1).split(",")])
    assert (found["host"], found["workers"], found["proxy"]) == ("0.0.0.0", 2, ["172.30.84.0/24"])
    assert f"subnet: {found['proxy'][0]}" in text
    default = re.search(r"^CMD (\[.*\])$", (DEPLOY.parent / "Containerfile").read_text(), re.M)
    assert default is not None
    assert parsed(re.findall(r'"([^"]+)"', default.group(1)))["host"] == "0.0.0.0"
