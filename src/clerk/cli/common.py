"""What several commands share: opening the database, tables, JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from clerk.core import config, storage
from clerk.core.config import Settings

#: Done, but some documents failed.
EXIT_DOCUMENTS_FAILED = 4


def open_database(**flags: Any) -> Settings:
    """Return the settings once storage and database can be used.

    The default storage directory and its embedded database are made when they are not there;
    whatever a person has named must exist.
    """
    from clerk.core import db, schema

    settings = config.load(**flags)
    by_default = settings.origin("storage_dir") == "the default"
    storage.check_storage(settings.storage_dir, create=by_default)
    with db.explained():
        if not settings.database_url and schema.missing_file(db.get_civic_db()):
            schema.upgrade(db.get_civic_db())
        schema.require_usable(db.get_civic_db())
    return settings


def print_json(value: Any) -> None:
    """Print a value as JSON, and nothing else."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def print_table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print columns as wide as they need to be."""
    lines = [[str(cell) for cell in row] for row in (headings, *rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(headings))]
    for line in lines:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(padded).rstrip())


def numbered(number: int, one: str, many: str = "") -> str:
    """Return a number with its word: ``1 page``, ``2 pages``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def seen_from_here(path: str | Path) -> str:
    """Return a path as it is typed here: short if it lies below, else in full."""
    whole, here = Path(path).absolute(), Path.cwd()
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(whole)


def hint(message: str) -> None:
    """Say on stderr what to do next."""
    click.echo(message, err=True)


def confirm(question: str) -> None:
    """Ask a person; a no, or nobody who could answer, ends the command with nothing done."""
    try:
        agreed = click.confirm(question)
    except (click.Abort, RuntimeError):
        if sys.stdin and sys.stdin.isatty():
            raise
        hint("\nNobody can answer here: give --yes to go on without a question.")
        agreed = False
    if not agreed:
        hint("Nothing was done.")
        raise click.exceptions.Exit(1)


def on_a_terminal() -> bool:
    """Whether progress is seen by a person."""
    return sys.stderr.isatty()


def existing_path(source: str) -> str:
    """Return a local path made absolute, or a URL as it is; links in it stay links."""
    if "://" in source:
        return source
    path = Path(source).expanduser()
    return str(path.resolve() if ".." in path.parts else path.absolute())


def operator() -> str:
    """Return the name of the person who runs this, as far as the system knows it."""
    import os
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"
