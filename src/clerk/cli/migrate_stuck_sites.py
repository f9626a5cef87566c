"""``clerk migrate-stuck-sites``: take over the sites of an old installation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from .common import hint, numbered, open_database, operator

if TYPE_CHECKING:
    from clerk.executors.rq import WaitingJob
    from clerk.ops.takeover import Migration, OldJobs

RULE = "=" * 80


@click.command("migrate-stuck-sites")
@click.option("--dry-run", is_flag=True, help="Show what would be done; change nothing.")
def migrate_stuck_sites(dry_run: bool) -> None:
    """Take over an old installation.

    Sites are taken over with the files they have on disk.  Counters count documents,
    not pages, for minutes and agendas alike.  Safe to run twice: sites that
    clerk already works on are not changed.

    \b
    Examples:
      clerk migrate-stuck-sites --dry-run
      clerk migrate-stuck-sites
    """
    settings = open_database()
    from clerk.ops import takeover

    leftovers = takeover.rq_leftovers(settings)
    jobs = takeover.old_jobs(settings)
    waiting = (*jobs.understood, *jobs.unknown)
    migration = takeover.plan_migration(settings.storage_dir, waiting)
    click.echo(RULE)
    click.echo("MIGRATION: Stuck Sites to Atomic Counter System")
    click.echo(RULE)
    click.echo()
    if dry_run:
        click.secho("DRY RUN MODE - no changes will be made", fg="yellow")
        click.echo()
    click.echo(f"Found {len(migration.stuck)} stuck sites in OCR stage")
    click.echo()
    for site in migration.stuck:
        counted = f"{site.completed}/{site.total} completed, {site.failed} failed"
        click.echo(f"  {site.subdomain}: {counted}")
    if migration.stuck:
        click.echo()
    if dry_run:
        click.echo(f"Migrated {len(migration.stuck)} sites")
        _print_what_else(migration, dry_run=True)
        if leftovers is not None:
            click.echo(
                f"Would cancel {leftovers.deferred} deferred coordinators"
                f" and delete {leftovers.failed} failed OCR jobs"
            )
        _print_old_jobs(jobs, dry_run=True)
        click.echo()
        click.secho("Dry run complete - run without --dry-run to apply changes", fg="yellow")
        return

    migrated = takeover.carry_out(migration, who=operator())
    click.echo(f"Migrated {migrated} sites")
    click.echo()
    cleared = None
    if leftovers is None:
        click.echo("No Redis is configured (REDIS_URL is not set): no RQ jobs to clear.")
    else:
        click.echo(f"Clearing {leftovers.deferred} deferred coordinators...")
        cleared = takeover.clear_rq_state(settings)
        assert cleared is not None
        click.echo(f"  Cancelled {cleared.deferred} deferred coordinators")
        click.echo()
        click.echo(f"Clearing {leftovers.failed} failed OCR jobs...")
        click.echo(f"  Deleted {cleared.failed} failed OCR jobs")
    click.echo()
    click.secho("Migration complete!", fg="green")
    click.echo("Next step: Run reconciliation job to unstick sites")
    click.echo("  clerk reconcile-pipeline")
    if cleared and cleared.stale:
        click.echo(f"Removed {cleared.stale} Redis entries of jobs that no longer exist")
    _print_what_else(migration, dry_run=False)
    takeover.clear_unknown_jobs(settings, jobs)
    _print_old_jobs(jobs, dry_run=False)


def _print_old_jobs(jobs: OldJobs, *, dry_run: bool) -> None:
    delete = "Would delete" if dry_run else "Deleted"
    for number, function in _by_function(jobs.understood):
        click.echo(f"{numbered(number, 'waiting job')} {function}: workers of clerk run them")
    for number, function in _by_function(jobs.unknown):
        click.echo(f"{delete} {numbered(number, 'waiting job')} {function}: clerk has no such job")
    for number, function in _by_function(jobs.others):
        click.echo(f"{numbered(number, 'waiting job')} {function}: left, it is not clerk's")


def _by_function(jobs: Sequence[WaitingJob]) -> list[tuple[int, str]]:
    counted = Counter(job.function for job in jobs)
    return [(number, function) for function, number in sorted(counted.items())]


def _print_what_else(migration: Migration, *, dry_run: bool) -> None:
    verb = "Would take over" if dry_run else "Took over"
    if migration.without_documents:
        number = len(migration.without_documents)
        click.echo(f"{number} of them have no documents: completed, with the error of the fetch")
    if migration.others:
        stages = Counter(site.stage for site in migration.others)
        listed = ", ".join(f"{number} {stage}" for stage, number in sorted(stages.items()))
        click.echo(f"{verb} {len(migration.others)} sites in other stages: {listed}")
    if migration.recently_updated:
        number = len(migration.recently_updated)
        click.echo(
            f"{number} changed within the last 2 hours: reconciled after 2 hours without changes"
        )
    if not migration.has_site_progress:
        hint("There is no table site_progress: no old installation is left.")
    for subdomain, why in migration.refused.items():
        hint(f"Not changed: {subdomain}: {why}")
