"""``clerk reconcile-pipeline``: find and recover what has stopped."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from .common import (
    EXIT_DOCUMENTS_FAILED,
    hint,
    json_option,
    numbered,
    open_database,
    print_json,
    scan_progress,
)

if TYPE_CHECKING:
    from clerk.pipeline.reconcile import Reconciliation

RULE = "=" * 80


@click.command("reconcile-pipeline")
@click.option(
    "--threshold-hours",
    type=click.FloatRange(min=0),
    default=2,
    show_default=True,
    help="Check sites with no progress for this many hours.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be done; change nothing.")
@click.option(
    "--scan",
    is_flag=True,
    help="First compare the files of all sites with the database.",
)
@json_option
@click.pass_context
def reconcile_pipeline(
    ctx: click.Context, threshold_hours: float, dry_run: bool, scan: bool, as_json: bool
) -> None:
    """Find and recover stuck sites.

    Safe to run at any time, even twice at once.  Exits 4 if some sites need a
    person; clerk pipeline-status lists them, too.  With --scan, files that
    were added, changed or deleted manually are found; the next run fetches or
    reads missing ones again.

    \b
    Examples:
      clerk reconcile-pipeline --dry-run
      clerk reconcile-pipeline --scan
      */15 * * * * clerk reconcile-pipeline --threshold-hours 2
    """
    settings = open_database()
    from clerk.core.db import reading_connection
    from clerk.ops import counts
    from clerk.pipeline import sites
    from clerk.pipeline.reconcile import Reconciliation, reconcile
    from clerk.pipeline.scan import scan_sites

    if scan and dry_run:
        raise click.UsageError("--scan changes the database: it cannot be combined with --dry-run.")
    if scan:
        with reading_connection() as conn:
            names = sites.names(conn)
        for subdomain, found in scan_sites(settings, names, scan_progress):
            differences = (
                ("added", found.added),
                ("changed", found.changed),
                ("PDF missing", found.missing_pdfs),
                ("text missing", found.missing_texts),
            )
            words = [f"{len(some)} {what}" for what, some in differences if some]
            if words:
                hint(f"{subdomain}: {', '.join(words)}")
    plans = list(reconcile(settings, threshold_hours, dry_run=dry_run))
    whole = plans.pop()
    assert isinstance(whole, Reconciliation)
    attention = counts.figures(settings).attention
    if as_json:
        print_json(
            {
                "dry_run": dry_run,
                "found": len(whole.found),
                "recovered": whole.recovered,
                "crashed_batches": whole.crashed_batches,
                "need_a_person": len(attention),
                "attention": [asdict(each) for each in attention],
                "sites": [asdict(plan) for plan in whole.found],
            }
        )
    else:
        _print_as_text(whole, dry_run)
    for site in attention:
        hint(f"Needs a person: {site.subdomain}: {site.reason}")
    if attention:
        ctx.exit(EXIT_DOCUMENTS_FAILED)


def _print_as_text(whole: Reconciliation, dry_run: bool) -> None:
    from clerk.core.clock import utc_now

    click.echo(RULE)
    click.echo(f"RECONCILIATION: {utc_now().isoformat()}")
    click.echo(RULE)
    click.echo()
    if dry_run:
        click.secho("DRY RUN MODE - no changes will be made", fg="yellow")
        click.echo()
    if not whole.found:
        click.echo("No stuck sites found")
    else:
        click.echo(f"Found {len(whole.found)} stuck sites:")
        click.echo()
        for plan in whole.found:
            if dry_run and plan.moves:
                click.echo(f"  {plan.subdomain}: Would recover (dry run)")
            else:
                colour = "yellow" if plan.needs_person else None
                click.secho(f"  {plan.subdomain}: {plan.message}", fg=colour)
        click.echo()
        if dry_run:
            click.secho(f"Would recover {whole.recovered} sites", fg="yellow")
        else:
            click.secho(f"Recovered {whole.recovered} sites", fg="green")
    if whole.crashed_batches:
        verb = "Would release" if dry_run else "Released"
        batches = numbered(whole.crashed_batches, "crashed batch", "crashed batches")
        click.echo(f"{verb} the work of {batches}")
