"""``clerk pipeline-status``: the state of all sites."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from .common import json_option, numbered, open_database, print_json, print_table

if TYPE_CHECKING:
    from clerk.ops.counts import Figures
    from clerk.ops.health import Health

#: Seconds between two checks with --watch.
WATCH_SECONDS = 2.0


@click.command("pipeline-status")
@json_option
@click.option("--watch", is_flag=True, help="Repeat every 2 seconds until interrupted.")
@click.option("--check", is_flag=True, help="Exit 1 unless clerk health is OK.")
@click.pass_context
def pipeline_status(ctx: click.Context, as_json: bool, watch: bool, check: bool) -> None:
    """Show the state of all sites.

    Sites that need attention are listed.

    \b
    Examples:
      clerk pipeline-status
      clerk pipeline-status --json | jq .health_score
      clerk pipeline-status --check || echo "needs attention"
    """
    settings = open_database()
    from clerk.ops.health import check_all

    found = check_all(settings)
    while watch:
        if not as_json:
            click.clear()
        _show(found, as_json=as_json)
        time.sleep(WATCH_SECONDS)
        found = check_all(settings)
    _show(found, as_json=as_json)
    if check and not found.is_ok:
        ctx.exit(1)


def _show(found: Health, *, as_json: bool) -> None:
    """Print figures and health; health alone while the database cannot be used."""
    seen = found.figures
    if as_json:
        figures = seen.as_dict() if seen else {}
        print_json(figures | {"healthy": found.is_ok, "level": found.word})
        return
    if seen is not None:
        _show_figures(seen)
    click.echo(f"Health: {found.word}")
    for check in found.problems:
        click.echo(f"  {check.name}: {check.message}")


def _show_figures(seen: Figures) -> None:
    from clerk.ops.counts import SITES_NAMED

    rows: list[tuple[str, Any]] = sorted(seen.stages.items(), key=lambda each: -each[1])
    not_run = seen.sites - sum(seen.stages.values())
    if not_run:
        rows.append(("(not run yet)", not_run))
    print_table(("STAGE", "SITES"), rows)
    click.echo()

    score = "-" if seen.health_score is None else f"{seen.health_score} %"
    rates, ocr = seen.reading, "no documents yet"
    if rates.total:
        ocr = (
            f"{rates.success} % of {rates.total} documents read,"
            f" {rates.failure} % failed ({rates.failed})"
        )
    click.echo(
        f"Sites: {len(seen.stuck)} stuck, {seen.without_documents} without documents,"
        f" {len(seen.failing)} whose last run failed"
    )
    click.echo(f"Health score: {score}")
    click.echo(f"OCR: {ocr}")
    click.echo()

    day = seen.last_day
    click.echo(
        f"Last 24 h: {numbered(day.documents_read, 'document')} read,"
        f" {day.documents_failed} failed; {numbered(day.runs_completed, 'run')} completed,"
        f" {day.runs_partial} partial, {day.runs_failed} failed;"
        f" {numbered(day.crashes, 'crash', 'crashes')}"
    )
    busy = [
        f"{name} {each.running} in work, {each.waiting} waiting"
        for name, each in seen.queues.items()
        if each.running or each.waiting
    ]
    click.echo(f"Active: {'; '.join(busy) or 'nothing'}")
    if seen.attention:
        click.echo()
        click.echo(f"Needs attention ({len(seen.attention)}):")
    for site in seen.attention[:SITES_NAMED]:
        click.echo(f"  {site.subdomain}: {site.reason}")
    if len(seen.attention) > SITES_NAMED:
        click.echo(f"  ... and {len(seen.attention) - SITES_NAMED} more (--json lists all)")
    click.echo()
    click.echo(f"Failed now: {seen.failed}")
