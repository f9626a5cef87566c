"""What several commands share: opening the database, logging, tables, JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from clerk.core import config, storage
from clerk.core.config import Settings

from .verbosity import is_quiet, log_level

#: Done, but some documents failed.
EXIT_DOCUMENTS_FAILED = 4

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def open_database(**flags: Any) -> Settings:
    """Load the settings, check storage and database, and return the settings."""
    settings = config.load(**flags)
    check_database(settings)
    return settings


def check_database(settings: Settings) -> None:
    """Raise an error unless storage and database can be used.

    The default storage directory and its embedded database are created when they are missing;
    whatever a person has named must exist.
    """
    from clerk.core import db, schema

    by_default = settings.origin("storage_dir") == "the default"
    storage.check_storage(settings.storage_dir, create=by_default)
    with db.explained():
        if not settings.database_url and schema.missing_file(db.get_civic_db()):
            schema.upgrade(db.get_civic_db())
        schema.require_usable(db.get_civic_db())


def set_up_log(settings: Settings, *, level: str = "INFO") -> None:
    """Log as the settings say, errors only while a command shows its own progress."""
    from clerk.core import log

    log.set_up(
        settings.log_format,
        level=log_level(level),
        sentry_dsn=settings.sentry_dsn,
        loki_url=settings.loki_url,
    )


def print_json(value: Any) -> None:
    """Print a value as JSON, and nothing else."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def print_table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print columns as wide as they need to be."""
    lines = [[plain(str(cell)) for cell in row] for row in (headings, *rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(headings))]
    for line in lines:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(padded).rstrip())


def plain(text: str) -> str:
    """Return text in one line that cannot move the cursor or change colours of a terminal.

    Names of files and words of sources may hold anything, and URLs may have secrets.
    """
    if "://" in text:
        from clerk.core.public_text import Gate

        text = Gate(keeps_user_names=True).without_secrets(text)
    return "".join(letter if letter.isprintable() else " " for letter in text)


def numbered(number: int, one: str, many: str = "") -> str:
    """Return a number with its word: ``1 page``, ``2 pages``."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """Return a time as a person says it: ``40 s``, ``3 min``, ``2 h 10 min``."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def moment(at: datetime | None, otherwise: str = "") -> str:
    """Return a moment to the minute, or something else if there is none."""
    return at.strftime("%Y-%m-%d %H:%M") if at else otherwise


def seen_from_here(path: str | Path) -> str:
    """Return a path as it is typed here: relative if it is below, else absolute."""
    whole, here = Path(path).absolute(), Path.cwd()
    return str(whole.relative_to(here)) if whole.is_relative_to(here) else str(whole)


def hint(message: str) -> None:
    """Print a hint on stderr, unless clerk was called with --quiet."""
    if not is_quiet():
        click.echo("\n".join(map(plain, message.split("\n"))), err=True)


#: The progress of a scan is shown after each this many documents of a site; groups fit in it.
_SCANNED_BETWEEN = 1000


def scan_progress(subdomain: str, documents: int) -> None:
    """Say on stderr how far the scan of a large site has come."""
    if documents % _SCANNED_BETWEEN == 0:
        hint(f"{subdomain}: {documents} documents checked")


def confirm(question: str) -> None:
    """Ask for confirmation; exit 1 if the answer is no or nobody can answer."""
    try:
        agreed = click.confirm(question)
    except (click.Abort, RuntimeError):
        if sys.stdin and sys.stdin.isatty():
            raise
        hint("\nThis is not a terminal: use --yes to confirm.")
        agreed = False
    if not agreed:
        hint("Nothing was changed.")
        raise click.exceptions.Exit(1)


def on_a_terminal() -> bool:
    """Whether a person sees the progress."""
    return sys.stderr.isatty()


def existing_path(source: str) -> str:
    """Return a local path made absolute, without resolving links, or a URL unchanged."""
    if "://" in source:
        return source
    path = Path(source).expanduser()
    return str(path.resolve() if ".." in path.parts else path.absolute())


def operator() -> str:
    """Return the account name of the person who runs this command."""
    import os
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"
