"""The manual pages of clerk (``man clerk-run``), made from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from clerk import __version__

Path = tuple[str, ...]


def all_commands(cli: click.Command) -> Iterator[tuple[Path, click.Command]]:
    """Yield every command with the words that call it, groups before their commands."""
    waiting: list[tuple[Path, click.Command]] = [(("clerk",), cli)]
    while waiting:
        path, command = waiting.pop(0)
        yield path, command
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in reversed(command.list_commands(context)):
                found = command.get_command(context, name)
                if found and not found.hidden:
                    waiting.insert(0, ((*path, name), found))


def pages(cli: click.Command) -> dict[str, str]:
    """Return the pages by file name: ``clerk.1`` and one per command, ``clerk-run.1``.

    The commands of a group are described on its page.
    """
    found: dict[str, list[str]] = {}
    for path, command in all_commands(cli):
        name = "-".join(path[:2])
        if len(path) <= 2:
            found[name] = _head(path, command)
        else:
            found[name] += [f'.SH "{" ".join(path).upper()}"', *_synopsis(path, command)]
            found[name] += [".PP", *_description(command), *_options(path, command, ".SS OPTIONS")]
    listed = sorted(name for name in found if name != "clerk")
    found["clerk"] += [".SH COMMANDS"]
    for path, command in all_commands(cli):
        if len(path) == 2:
            found["clerk"] += [".TP", f".BR {_text('-'.join(path))} (1)", _text(_first(command))]
    for name, lines in found.items():
        others = ["clerk"] if name != "clerk" else listed[:1]
        lines += [".SH SEE ALSO", *(f".BR {_text(other)} (1)" for other in others)]
    return {f"{name}.1": "\n".join(lines) + "\n" for name, lines in found.items()}


def _head(path: Path, command: click.Command) -> list[str]:
    name = "-".join(path)
    return [
        f'.TH "{name.upper()}" "1" "" "clerk {__version__}" "clerk"',
        *(".SH NAME", rf"{_text(name)} \- {_text(_first(command).rstrip('.'))}"),
        *(".SH SYNOPSIS", *_synopsis(path, command)),
        *(".SH DESCRIPTION", *_description(command)),
        *_options(path, command, ".SH OPTIONS"),
    ]


def _synopsis(path: Path, command: click.Command) -> list[str]:
    pieces = command.collect_usage_pieces(_context(path, command))
    return [f'.B "{_text(" ".join(path))}"', _text(" ".join(pieces))]


def _context(path: Path, command: click.Command) -> click.Context:
    return click.Context(command, info_name=" ".join(path), terminal_width=80)


def _first(command: click.Command) -> str:
    """Return the first sentence of the help."""
    return inspect.cleandoc(command.help or "").partition("\n\n")[0].replace("\n", " ")


def _description(command: click.Command) -> list[str]:
    """Return the help; a paragraph after ``\\b`` keeps its lines, as on a terminal."""
    lines: list[str] = []
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        first, _, rest = paragraph.partition("\n")
        lines.append(".PP")
        if first.strip() == "\b":
            lines += [".nf", *map(_text, rest.splitlines()), ".fi"]
        else:
            lines.append(_text(" ".join(paragraph.split())))
    return lines[1:]


def _options(path: Path, command: click.Command, heading: str) -> list[str]:
    context = _context(path, command)
    records = [each.get_help_record(context) for each in command.get_params(context)]
    lines = [heading]
    for option, help in filter(None, records):
        if not help:
            # An argument: its name is in the synopsis.
            continue
        lines += [".TP", f'.B "{_text(option)}"', _text(" ".join(help.split()))]
    return lines


def _text(text: str) -> str:
    """Return text that roff prints as it is."""
    safe = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    return rf"\&{safe}" if safe[:1] in (".", "'") else safe
