"""Write the reference pages of the documentation from the code: ``python -m tools.make_reference``.

::

    docs/reference/commands.md     every command with its help
    docs/reference/settings.md     every setting with its default
    docs/reference/exit-codes.md   every error with its exit code
    docs/reference/hooks.md        every plugin hook
    .env.example                   every setting as a line to uncomment

A test fails when one of them is not what the code says.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from clerk.cli import cli
from clerk.core import errors, hookspecs
from clerk.core.config import Settings

ROOT = Path(__file__).parents[1]
_GENERATED = "<!-- Made by `python -m tools.make_reference`; change the code, not this page. -->"


def pages() -> dict[str, str]:
    """Return the text of every generated file by its path in the project."""
    return {
        "docs/reference/commands.md": _commands(),
        "docs/reference/settings.md": _settings(),
        "docs/reference/exit-codes.md": _exit_codes(),
        "docs/reference/hooks.md": _hooks(),
        ".env.example": _dotenv(),
    }


def _commands() -> str:
    lines = ["# Commands", "", _GENERATED, ""]
    for path, command in _all_commands():
        context = click.Context(command, info_name=" ".join(path), terminal_width=80)
        heading = "#" * min(len(path) + 1, 3)
        lines += [f"{heading} `{' '.join(path)}`", "", "```text", command.get_help(context), "```"]
        lines.append("")
    return "\n".join(lines)


def _all_commands() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command with the words that call it, groups before their commands."""
    waiting: list[tuple[tuple[str, ...], click.Command]] = [(("clerk",), cli)]
    while waiting:
        path, command = waiting.pop(0)
        yield path, command
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in reversed(command.list_commands(context)):
                found = command.get_command(context, name)
                if found and not found.hidden:
                    waiting.insert(0, ((*path, name), found))


def _variables() -> Iterator[tuple[str, str, str]]:
    """Yield the variable, the default and the help of every setting."""
    for each in dataclasses.fields(Settings):
        if "variable" in each.metadata:
            yield each.metadata["variable"], _as_written(each.default), each.metadata["help"]


def _as_written(default: Any) -> str:
    """Return a default as it would be written in the environment."""
    if default is None:
        return ""
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, tuple):
        return ",".join(default)
    return f"{default:g}" if isinstance(default, float) else str(default)


def _settings() -> str:
    rows = [
        f"| `{variable}` | {f'`{default}`' if default else 'unset'} | {help} |"
        for variable, default, help in _variables()
    ]
    intro = [
        "A setting is taken from a flag of the command, else from the environment, else from",
        "`.env` in the current directory, else it has its default. `clerk config show` prints each",
        "setting with where it was set.",
    ]
    head = ["| variable | default | meaning |", "|---|---|---|"]
    return "\n".join(["# Settings", "", _GENERATED, "", *intro, "", *head, *rows, ""])


def _dotenv() -> str:
    lines = ["# Settings of clerk. Copy this file to .env and uncomment what you change.", ""]
    for variable, default, help in _variables():
        lines += [f"# {help}", f"#{variable}={default}", ""]
    return "\n".join(lines)


def _exit_codes() -> str:
    lines = [
        *("# Exit codes", "", _GENERATED, "", "| code | meaning |", "|---|---|"),
        "| 0 | success |",
        "| 1 | an error that a message explains |",
        "| 2 | the command was called wrongly |",
        "| 3 | something has to be set up first |",
        "| 4 | the run is done, but documents failed |",
        "| 130 | interrupted |",
        *("", "## Errors", "", "```text", inspect.getdoc(errors) or "", "```", ""),
    ]
    return "\n".join(lines)


def _hooks() -> str:
    lines = ["# Plugin hooks", "", _GENERATED, ""]
    for name, hook in inspect.getmembers(hookspecs, inspect.isfunction):
        if hook.__module__ == hookspecs.__name__:
            signature = str(inspect.signature(hook)).replace("'", "")
            lines += [f"## `{name}{signature}`", "", inspect.getdoc(hook) or "", ""]
    return "\n".join(lines)


def write() -> None:
    """Write every generated file."""
    for path, text in pages().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text)


if __name__ == "__main__":
    write()
