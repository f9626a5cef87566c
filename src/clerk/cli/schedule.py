"""``clerk schedule``: when sites are queued automatically."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime

import click

from .common import hint, json_option, moment, open_database, operator, print_json, print_table


@click.group()
def schedule() -> None:
    """Show and change when sites are queued.

    \b
    Examples:
      clerk schedule list
      clerk schedule set springfield --at 06:30 --on mon,thu --zone US/Central
      clerk schedule run
    """


@schedule.command("list")
@click.option("--limit", type=click.IntRange(min=1), help="Maximum number of sites; default all.")
@json_option
def list_schedules(limit: int | None, as_json: bool) -> None:
    """List the sites by their next run.

    \b
    Example:
      clerk schedule list --limit 20
    """
    settings = open_database()
    from clerk.core.db import reading_connection
    from clerk.pipeline import schedule as schedules

    with reading_connection() as conn:
        found = schedules.list_schedules(conn, settings)[:limit]
        last = schedules.looked_at(conn)
    if as_json:
        print_json([asdict(each) | {"words": str(each.rule)} for each in found])
        return
    rows = [
        (
            each.subdomain,
            f"paused by {each.paused_by}" if each.paused_at else _shown(each.next_at),
            moment(each.queued_at, "-"),
            f"{each.rule}{' (default)' if each.by_default else ''}",
            "running" if each.is_active else "",
        )
        for each in found
    ]
    print_table(("SITE", "NEXT (UTC)", "LAST QUEUED", "SCHEDULE", ""), rows)
    if last is None:
        hint("Nothing queues due sites here yet: clerk install-units, or run clerk schedule run.")


def _shown(at: datetime | None) -> str:
    return moment(at, "-")


@schedule.command("set")
@click.argument("site")
@click.option("--every", metavar="HOURS", type=float, help="Interval in hours.")
@click.option("--at", metavar="HH:MM", help="At this local time.")
@click.option("--on", metavar="DAYS", help="Only on these weekdays: mon,thu.")
@click.option("--by-meetings", is_flag=True, help="The day before and after meetings, and weekly.")
@click.option("--zone", default="UTC", show_default=True, help="Time zone of --at.")
@click.option("--jitter", type=int, default=0, help="Start up to this many minutes later.")
@click.option("--default", "by_default", is_flag=True, help="Use the setting SCHEDULE again.")
def set_schedule(
    site: str,
    every: float | None,
    at: str | None,
    on: str | None,
    by_meetings: bool,
    zone: str,
    jitter: int,
    by_default: bool,
) -> None:
    """Set when a site is queued.

    \b
    Examples:
      clerk schedule set springfield --every 6
      clerk schedule set springfield --at 06:30 --on mon,thu --zone US/Central
      clerk schedule set springfield --by-meetings --jitter 30
    """
    settings = open_database()
    from clerk.pipeline import schedule as schedules

    rule = None
    if not by_default:
        days = tuple(day.strip().lower()[:3] for day in on.split(",")) if on else ()
        rule = schedules.ScheduleRule(every, at, days, by_meetings, zone, jitter)
    schedules.set_rule(settings, site, rule, who=operator())
    click.echo(f"{site}: {rule or f'default ({settings.schedule})'}")


@schedule.command()
@click.argument("site")
def pause(site: str) -> None:
    """Stop queueing a site automatically.

    \b
    Example:
      clerk schedule pause springfield
    """
    open_database()
    from clerk.pipeline import schedule as schedules

    schedules.pause(site, who=operator())
    click.echo(f"Paused {site}.")


@schedule.command()
@click.argument("site")
def resume(site: str) -> None:
    """Queue a paused site again.

    \b
    Example:
      clerk schedule resume springfield
    """
    open_database()
    from clerk.pipeline import schedule as schedules

    schedules.resume(site, who=operator())
    click.echo(f"Resumed {site}.")


@schedule.command()
@click.option("--dry-run", is_flag=True, help="Show what would be queued; change nothing.")
@json_option
def run(dry_run: bool, as_json: bool) -> None:
    """Queue the sites that are due.

    Let a timer run this every few minutes.  Missed runs are made up for with
    one run.

    \b
    Examples:
      clerk schedule run --dry-run
      */5 * * * * clerk schedule run
    """
    settings = open_database()
    from clerk.pipeline import schedule as schedules

    done = schedules.queue_due(settings, dry_run=dry_run)
    if as_json:
        print_json(asdict(done) | {"dry_run": dry_run})
        return
    verb = "Would queue" if dry_run else "Queued"
    for name in done.started:
        click.echo(f"{verb} {name}")
    for name, why in done.held_back.items():
        click.echo(f"Held back {name}: {why}")
    hint(f"{verb} {len(done.started)}, {len(done.under_way)} were running already.")
    if settings.embedded and done.started and not dry_run:
        where = "workers and clerk serve" if settings.uses_postgresql else "clerk serve"
        hint(f"They run in {where}, or now with: clerk run --all-due")
