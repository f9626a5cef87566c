"""``clerk install-units``: write services and timers for systemd or launchd."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from clerk.core import config, storage
from clerk.core.errors import InvalidInput

from .common import hint, operator


@click.command("install-units")
@click.option("--user", "scope", flag_value="user", help="Install for your account.")
@click.option(
    "--system", "scope", flag_value="system", help="Install for the whole system (needs root)."
)
@click.option("--as", "account", metavar="NAME", help="Account under which services run.")
@click.option(
    "--directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the files to this directory instead.",
)
@click.option("--dry-run", is_flag=True, help="Print the files; write nothing.")
def install_units(
    scope: str | None, account: str | None, directory: Path | None, dry_run: bool
) -> None:
    """Write systemd or launchd units and timers.

    On Linux these are systemd units, on macOS a launchd agent.  Run it in the
    directory that contains .env.

    \b
    Examples:
      clerk install-units --dry-run
      sudo clerk install-units --system --as deploy
    """
    from clerk.ops import units

    settings = config.load()
    scope = scope or ("system" if os.geteuid() == 0 else "user")
    beside = Path(sys.executable).with_name("clerk")
    program = shutil.which(sys.argv[0]) or shutil.which("clerk")
    writable = [settings.published.absolute()]
    if settings.sql_url.startswith("sqlite"):
        writable.append(Path(settings.sql_url.removeprefix("sqlite:///")).parent)
    paths = units.Paths(
        clerk=(beside if beside.is_file() else Path(program or beside)).absolute(),
        working_directory=Path.cwd(),
        storage_dir=settings.storage_dir.absolute(),
        writable=tuple(writable),
        user=(account or operator()) if scope == "system" else "",
    )
    if sys.platform == "darwin":
        files, folder = units.launchd(paths), Path.home() / units.AGENTS_FOLDER
    else:
        files = units.systemd(paths)
        folder = units.SYSTEM_FOLDER if scope == "system" else Path.home() / units.USER_FOLDER
    folder = directory or folder
    for name, content in files.items():
        if dry_run:
            click.echo(f"# {folder / name}")
            click.echo(content)
        else:
            _write(folder / name, content)
            click.echo(f"Wrote {folder / name}")
    # Units do not have the environment of this shell.
    for setting, variable in (("database_url", "DATABASE_URL"), ("redis_url", "REDIS_URL")):
        if settings.origin(setting) == "the environment":
            hint(f"{variable} is set only in this shell: add it to {Path.cwd() / '.env'}")
    if dry_run:
        return
    if sys.platform == "darwin":
        hint("Next: launchctl load ~/Library/LaunchAgents/clerk.*.plist")
        return
    control = "systemctl" if scope == "system" else "systemctl --user"
    hint(f"Next: {control} daemon-reload")
    hint(f"      {control} enable --now clerk-reconcile.timer clerk-schedule.timer")
    hint(f"      {control} enable --now clerk-notify.timer (with NOTIFY_URL)")
    hint(f"      {control} enable --now clerk-follow.timer (with MAIL_URL, without clerk serve)")
    hint(f"      {control} enable --now clerk-worker@ocr")


def _write(path: Path, content: str) -> None:
    try:
        with storage.written_whole(path) as part:
            part.write_text(content)
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be written: {error.strerror}.",
            hint="Use sudo, or --user to install for your account.",
        ) from error
