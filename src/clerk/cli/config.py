"""``clerk config``: the settings, and where they were set."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import click

from clerk.core import config as settings_module

from .common import json_option, print_json


@click.group()
def config() -> None:
    """Show the settings.

    \b
    Example:
      clerk config show
    """


@config.command()
@json_option
def show(as_json: bool) -> None:
    """Show every setting and where it was set.

    Passwords are hidden.

    \b
    Examples:
      clerk config show
      clerk config show --json | jq '.[] | select(.origin != "the default")'
    """
    settings = settings_module.load()
    rows = []
    for each in fields(settings):
        if "variable" not in each.metadata:
            continue
        value = getattr(settings, each.name)
        if each.metadata["secret"] and isinstance(value, tuple):
            value = ",".join("(hidden)" for _ in value)
        elif each.metadata["secret"] and value:
            value = settings_module.redact(value)
        elif isinstance(value, Path):
            value = str(value)
        elif isinstance(value, tuple):
            value = ",".join(value)
        rows.append(
            {
                "variable": each.metadata["variable"],
                "value": value,
                "origin": settings.origin(each.name),
                "help": each.metadata["help"],
            }
        )
    if as_json:
        print_json(rows)
        return
    for row in rows:
        shown = "(not set)" if row["value"] in ("", None) else row["value"]
        click.echo(f"{row['variable']}={shown}  [{row['origin']}]")
        click.echo(f"    {row['help']}")
