"""``clerk migrate-stuck-sites``: take over the sites of an old installation."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from .common import hint, open_database, operator

if TYPE_CHECKING:
    from clerk.ops.takeover import Leftovers, Migration

RULE = "=" * 80


@click.command("migrate-stuck-sites")
@click.option("--dry-run", is_flag=True, help="Show what would be done; change nothing at all.")
def migrate_stuck_sites(dry_run: bool) -> None:
    """Take over the sites of an old installation, as the disk shows them.

    Counters count documents, never pages, minutes and agendas alike.  Safe to
    run twice: sites that clerk works on already are left alone.

    \b
    Examples:
      clerk migrate-stuck-sites --dry-run
      clerk migrate-stuck-sites
    """
    open_database()
    from clerk.ops import takeover

    leftovers = takeover.rq_leftovers()
    migration = takeover.plan_migration()
    _print_heading(dry_run)
    _print_sites(migration)
    if dry_run:
        click.echo(f"Migrated {len(migration.stuck)} sites")
        _print_what_else(migration, dry_run=True)
        _print_end_of_dry_run(leftovers)
        return
    migrated = takeover.carry_out(migration, who=operator())
    click.echo(f"Migrated {migrated} sites")
    stale = _clear_rq_state(leftovers)
    _print_next_step()
    if stale:
        click.echo(f"Removed {stale} entries of Redis whose job was gone")
    _print_what_else(migration, dry_run=False)


def _print_heading(dry_run: bool) -> None:
    click.echo(RULE)
    click.echo("MIGRATION: Stuck Sites to Atomic Counter System")
    click.echo(RULE)
    click.echo()
    if dry_run:
        click.secho("DRY RUN MODE - no changes will be made", fg="yellow")
        click.echo()


def _print_sites(migration: Migration) -> None:
    click.echo(f"Found {len(migration.stuck)} stuck sites in OCR stage")
    click.echo()
    for site in migration.stuck:
        counted = f"{site.completed}/{site.total} completed, {site.failed} failed"
        click.echo(f"  {site.subdomain}: {counted}")
    if migration.stuck:
        click.echo()


def _clear_rq_state(leftovers: Leftovers | None) -> int:
    """Clear Redis, saying what there was; return how many entries had no job any more."""
    from clerk.ops import takeover

    click.echo()
    if leftovers is None:
        click.echo("No Redis is configured (REDIS_URL is not set): no RQ jobs to clear.")
        return 0
    click.echo(f"Clearing {leftovers.deferred} deferred coordinators...")
    cleared = takeover.clear_rq_state()
    assert cleared is not None
    click.echo(f"  Cancelled {cleared.deferred} deferred coordinators")
    click.echo()
    click.echo(f"Clearing {leftovers.failed} failed OCR jobs...")
    click.echo(f"  Deleted {cleared.failed} failed OCR jobs")
    return cleared.stale


def _print_next_step() -> None:
    click.echo()
    click.secho("Migration complete!", fg="green")
    click.echo("Next step: Run reconciliation job to unstick sites")
    click.echo("  clerk reconcile-pipeline")


def _print_end_of_dry_run(leftovers: Leftovers | None) -> None:
    if leftovers is not None:
        click.echo(
            f"Would cancel {leftovers.deferred} deferred coordinators"
            f" and delete {leftovers.failed} failed OCR jobs"
        )
    click.echo()
    click.secho("Dry run complete - run without --dry-run to apply changes", fg="yellow")


def _print_what_else(migration: Migration, *, dry_run: bool) -> None:
    verb = "Would take over" if dry_run else "Took over"
    if migration.without_documents:
        number = len(migration.without_documents)
        click.echo(f"{number} of them have no documents: completed, with the error of the fetch")
    if migration.others:
        stages = Counter(site.stage for site in migration.others)
        listed = ", ".join(f"{number} {stage}" for stage, number in sorted(stages.items()))
        click.echo(f"{verb} {len(migration.others)} sites in other stages: {listed}")
    if migration.moved_lately:
        number = len(migration.moved_lately)
        click.echo(
            f"{number} moved within 2 hours: reconciled when they have been silent that long"
        )
    if not migration.legacy:
        hint("There is no table site_progress: nothing of an old installation is left.")
    for subdomain, why in migration.refused.items():
        hint(f"Left alone: {subdomain}: {why}")
