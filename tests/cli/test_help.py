"""Every command's help fits a terminal of 80 columns and shows an example."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from clerk.cli import cli


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command, groups included."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, (*path, name))


def help_of(path: tuple[str, ...]) -> str:
    """Return what ``clerk PATH --help`` prints on a terminal of 80 columns."""
    context = click.Context(cli, info_name="clerk", terminal_width=80)
    command: click.Command = cli
    for name in path:
        assert isinstance(command, click.Group)
        found = command.get_command(context, name)
        assert found is not None
        command, context = found, click.Context(found, context, name, terminal_width=80)
    return command.get_help(context)


@pytest.mark.parametrize("path", list(commands(cli)), ids=" ".join)
def test_help_fits_the_terminal_and_shows_an_example(path: tuple[str, ...]) -> None:
    lines = help_of(path).splitlines()

    assert [line for line in lines if len(line) > 80] == []
    assert any(line.strip().startswith(("clerk ", "STORAGE_DIR=")) for line in lines)


@pytest.mark.parametrize("path", list(commands(cli)), ids=" ".join)
def test_no_line_of_help_is_cut(path: tuple[str, ...]) -> None:
    lines = help_of(path).splitlines()
    cut = [line for line in lines if re.search(r"^  .*\w\.\.\.$", line)]

    assert cut == []
