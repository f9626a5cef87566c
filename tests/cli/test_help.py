"""Every command's help fits a terminal of 80 columns and shows an example."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator

import click
import pytest

from clerk.cli import COMMANDS, cli

#: Columns for the first sentence next to the longest name of a command.
SHORT_HELP = 50


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command, groups included."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, (*path, name))


def command_at(path: tuple[str, ...]) -> tuple[click.Command, click.Context]:
    """Return a command with a context of 80 columns."""
    context = click.Context(cli, info_name="clerk", terminal_width=80)
    command: click.Command = cli
    for name in path:
        assert isinstance(command, click.Group)
        found = command.get_command(context, name)
        assert found is not None
        command, context = found, click.Context(found, context, name, terminal_width=80)
    return command, context


def help_of(path: tuple[str, ...]) -> str:
    """Return what ``clerk PATH --help`` prints on a terminal of 80 columns."""
    command, context = command_at(path)
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


@pytest.mark.parametrize("path", [path for path in commands(cli) if path], ids=" ".join)
def test_the_first_sentence_of_help_fits_any_list_of_commands(path: tuple[str, ...]) -> None:
    command, _ = command_at(path)
    first = (command.help or "").strip().splitlines()[0]

    assert first.endswith(".")
    assert command.get_short_help_str(SHORT_HELP) == first


@pytest.mark.parametrize("path", list(commands(cli)), ids=" ".join)
def test_no_word_of_help_is_broken_and_the_usage_is_one_line(path: tuple[str, ...]) -> None:
    usage, after, *lines = help_of(path).splitlines()

    assert usage.startswith("Usage: clerk") and after == ""
    assert [line for line in lines if re.search(r"\w-$", line)] == []


@pytest.mark.parametrize("path", list(commands(cli)), ids=" ".join)
def test_one_example_is_announced_as_one_and_more_as_more(path: tuple[str, ...]) -> None:
    text = help_of(path)
    for announced, examples in re.findall(r"^  (Examples?):\n((?:    .+\n)+)", text, re.MULTILINE):
        beginnings = re.findall(r"^    (?!  )", examples, re.MULTILINE)
        assert (announced == "Examples") == (len(beginnings) > 1)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_the_list_of_commands_says_what_their_help_says(name: str) -> None:
    command, _ = command_at((name,))

    assert (command.help or "").strip().splitlines()[0] == COMMANDS[name]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_is_in_the_module_of_its_name(name: str) -> None:
    command, _ = command_at((name,))
    module = importlib.import_module(f"clerk.cli.{name.replace('-', '_')}")

    assert command in vars(module).values()
    assert command.name == name


@pytest.mark.parametrize("path", list(commands(cli)), ids=" ".join)
def test_every_option_has_a_help_text(path: tuple[str, ...]) -> None:
    command, _ = command_at(path)
    options = [each for each in command.params if isinstance(each, click.Option)]

    assert [each.name for each in options if not (each.help or "").endswith((".", "]"))] == []
