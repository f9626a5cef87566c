"""``clerk install-units``: write the services and timers that keep clerk running."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clerk.core import config, storage
from clerk.core.errors import InvalidInput

from .common import hint, operator

if TYPE_CHECKING:
    from clerk.ops.units import Paths


@click.command("install-units")
@click.option("--user", "scope", flag_value="user", help="For your own systemd.")
@click.option("--system", "scope", flag_value="system", help="For the whole system (needs root).")
@click.option("--as", "account", metavar="NAME", help="The account that services run under.")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write them there instead.",
)
@click.option("--dry-run", is_flag=True, help="Print them; write nothing.")
def install_units(
    scope: str | None, account: str | None, directory: Path | None, dry_run: bool
) -> None:
    """Write services and timers with the paths of this installation.

    On Linux units for systemd, on a Mac an agent for launchd.  Run it in the
    directory that holds .env.

    \b
    Examples:
      clerk install-units --dry-run
      sudo clerk install-units --system --as deploy
    """
    from clerk.ops import units

    scope = scope or ("system" if os.geteuid() == 0 else "user")
    paths = _paths(scope, account)
    files = units.launchd(paths) if sys.platform == "darwin" else units.systemd(paths)
    folder = directory or _folder(scope)
    for name, content in files.items():
        if dry_run:
            click.echo(f"# {folder / name}")
            click.echo(content)
        else:
            _write(folder / name, content)
            click.echo(f"Wrote {folder / name}")
    _warn_about_the_environment()
    if not dry_run:
        _print_next(scope)


def _paths(scope: str, account: str | None) -> Paths:
    from clerk.ops.units import Paths

    settings = config.load()
    program = shutil.which(sys.argv[0]) or shutil.which("clerk")
    beside = Path(sys.executable).with_name("clerk")
    found = beside if beside.is_file() else Path(program or beside)
    database = settings.sql_url.removeprefix("sqlite:///")
    writable = [settings.published.absolute()]
    if settings.sql_url.startswith("sqlite"):
        writable.append(Path(database).parent)
    return Paths(
        clerk=found.absolute(),
        working_directory=Path.cwd(),
        storage_dir=settings.storage_dir.absolute(),
        writable=tuple(writable),
        user=(account or operator()) if scope == "system" else "",
    )


def _folder(scope: str) -> Path:
    from clerk.ops import units

    if sys.platform == "darwin":
        return Path.home() / units.AGENTS_FOLDER
    return units.SYSTEM_FOLDER if scope == "system" else Path.home() / units.USER_FOLDER


def _write(path: Path, content: str) -> None:
    try:
        with storage.written_whole(path) as part:
            part.write_text(content)
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be written: {error.strerror}.",
            hint="Use sudo, or --user for your own systemd.",
        ) from error


def _warn_about_the_environment() -> None:
    """Units do not see this shell: what was set here has to be in .env."""
    settings = config.load()
    for name, variable in (("database_url", "DATABASE_URL"), ("redis_url", "REDIS_URL")):
        if settings.origin(name) == "the environment":
            hint(f"{variable} is set in this shell only: put it into {Path.cwd() / '.env'}")


def _print_next(scope: str) -> None:
    if sys.platform == "darwin":
        hint("Next: launchctl load ~/Library/LaunchAgents/clerk.reconcile.plist")
        return
    control = "systemctl" if scope == "system" else "systemctl --user"
    hint(f"Next: {control} daemon-reload")
    hint(f"      {control} enable --now clerk-reconcile.timer")
    hint(f"      {control} enable --now clerk-worker@ocr")
