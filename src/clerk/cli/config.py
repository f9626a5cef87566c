"""``clerk config``: what is set, and where."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from clerk.core import config as settings_module
from clerk.core.config import Settings

from .common import print_json


@click.group()
def config() -> None:
    """Show the settings.

    \b
    Example:
      clerk config show
    """


@config.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(as_json: bool) -> None:
    """Show every setting: its value, where it was set, and what it does.

    Passwords are hidden.

    \b
    Examples:
      clerk config show
      clerk config show --json | jq '.[] | select(.origin != "the default")'
    """
    rows = _rows(settings_module.load())
    if as_json:
        print_json(rows)
        return
    for row in rows:
        shown = "(not set)" if row["value"] in ("", None) else row["value"]
        click.echo(f"{row['variable']}={shown}  [{row['origin']}]")
        click.echo(f"    {row['help']}")


def _rows(settings: Settings) -> list[dict[str, Any]]:
    return [
        {
            "variable": each.metadata["variable"],
            "value": _shown(getattr(settings, each.name), secret=each.metadata["secret"]),
            "origin": settings.origin(each.name),
            "help": each.metadata["help"],
        }
        for each in fields(settings)
        if "variable" in each.metadata
    ]


def _shown(value: Any, *, secret: bool) -> Any:
    if secret and value:
        return settings_module.redact(value)
    if isinstance(value, Path):
        return str(value)
    return ",".join(value) if isinstance(value, tuple) else value
