"""The shell: `fogbound COMMAND`, a module a group of commands."""

from fogbound.cli.app import main

__all__ = ["main"]
