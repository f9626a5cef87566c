"""``clerk reconcile-pipeline``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from .common import EXIT_DOCUMENTS_FAILED, hint, open_database, print_json

if TYPE_CHECKING:
    from clerk.pipeline.reconcile import Reconciliation

RULE = "=" * 80


@click.command("reconcile-pipeline")
@click.option(
    "--threshold-hours",
    type=click.FloatRange(min=0),
    default=2,
    show_default=True,
    help="Look at sites that have not moved for so long.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be done; change nothing at all.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def reconcile_pipeline(
    ctx: click.Context, threshold_hours: float, dry_run: bool, as_json: bool
) -> None:
    """Find what stopped and set it moving again.

    Safe to run at any time and by anybody.  Exits 4 when sites remain that
    need a person.

    \b
    Examples:
      clerk reconcile-pipeline --dry-run
      */15 * * * * clerk reconcile-pipeline --threshold-hours 2
    """
    open_database()
    from clerk.pipeline.reconcile import Reconciliation, reconcile

    plans = list(reconcile(threshold_hours, dry_run=dry_run))
    whole = plans.pop()
    assert isinstance(whole, Reconciliation)
    if as_json:
        _print_as_json(whole, dry_run)
    else:
        _print_as_text(whole, dry_run)
    for plan in whole.need_a_person:
        hint(f"Needs a person: {plan.subdomain}: {plan.message}")
    if whole.need_a_person:
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
        _print_sites(whole, dry_run)
    if whole.crashed_batches:
        verb = "Would take back" if dry_run else "Took back"
        click.echo(f"{verb} the work of {whole.crashed_batches} crashed batches")


def _print_sites(whole: Reconciliation, dry_run: bool) -> None:
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


def _print_as_json(whole: Reconciliation, dry_run: bool) -> None:
    print_json(
        {
            "dry_run": dry_run,
            "found": len(whole.found),
            "recovered": whole.recovered,
            "crashed_batches": whole.crashed_batches,
            "need_a_person": len(whole.need_a_person),
            "sites": [asdict(plan) for plan in whole.found],
        }
    )
