"""``clerk redo``: repeat a stage for the sites that match."""

from __future__ import annotations

from dataclasses import asdict

import click

from clerk.core.states import STAGES

from .common import confirm, hint, json_option, numbered, open_database, operator, print_json

#: How many sites the preview lists.
SITES_SHOWN = 20


@click.command()
@click.option("--stage", required=True, type=click.Choice(STAGES), help="Stage to repeat.")
@click.option("--site", "sites", multiple=True, help="Only this site; may be repeated.")
@click.option(
    "--where",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="Only sites with this value: scraper=legistar.",
)
@click.option(
    "--engine-older-than", metavar="VERSION", help="Only documents read by an older OCR engine."
)
@click.option("--document", metavar="NAME", help="Document name; * is a wildcard.")
@click.option("--dry-run", is_flag=True, help="Show what matches; change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
def redo(
    stage: str,
    sites: tuple[str, ...],
    where: tuple[str, ...],
    engine_older_than: str | None,
    document: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Repeat a stage for the sites that match.

    The stages after it are repeated, too.  New work goes first; workers, clerk
    serve or clerk run do the work.

    \b
    Examples:
      clerk redo --stage ocr --engine-older-than 5.5 --dry-run
      clerk redo --stage extraction --where scraper=legistar
      clerk redo --stage ocr --document 'minutes/Council/2024-*'
    """
    settings = open_database()
    from clerk.pipeline import redo as repetition

    pairs = [each.partition("=") for each in where]
    if any(not mark for _, mark, _ in pairs):
        raise click.UsageError("--where needs COLUMN=VALUE, as in scraper=legistar.")
    wanted = repetition.Selection(
        stage,
        sites,
        {column: value for column, _, value in pairs},
        engine_older_than or "",
        document or "",
    )
    found = repetition.plan(settings, wanted)
    matching = [each for each in found if not each.left_out]
    documents = sum(len(each.documents) for each in matching)
    started: list[str] = []
    if not as_json:
        for each in matching[:SITES_SHOWN]:
            number = f": {numbered(len(each.documents), 'document')}" if each.documents else ""
            click.echo(f"  {each.subdomain}{number}")
        if len(matching) > SITES_SHOWN:
            click.echo(f"  ... and {len(matching) - SITES_SHOWN} more")
    for each in found:
        if each.left_out:
            hint(f"Left out: {each.subdomain}: {each.left_out}")
    if matching and not dry_run:
        if not yes:
            confirm(f"Do {stage} again for {numbered(len(matching), 'site')}?")
        started = repetition.carry_out(settings, stage, matching, who=operator())
    if as_json:
        print_json({"dry_run": dry_run, "started": started, "sites": [asdict(e) for e in found]})
        return
    verb = "Would redo" if dry_run else "Queued"
    counted = f", {numbered(documents, 'document')}" if documents else ""
    shown = len(matching) if dry_run else len(started)
    click.echo(f"{verb} {stage} of {numbered(shown, 'site')}{counted}.")
