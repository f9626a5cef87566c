"""``clerk pipeline-status`` and ``clerk health``: is it OK?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from .common import hint, open_database, print_json, print_table

if TYPE_CHECKING:
    from clerk.ops.counts import Figures, LastDay, Rates
    from clerk.ops.health import Check, Health

#: Seconds between two looks.
WATCH_SECONDS = 2.0

COLOURS = {"OK": "green", "WARNING": "yellow", "CRITICAL": "red", "UNKNOWN": "magenta"}


@click.command("pipeline-status")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--watch", is_flag=True, help="Look again every other second until interrupted.")
@click.option("--check", is_flag=True, help="Exit 1 unless clerk health is OK.")
@click.pass_context
def pipeline_status(ctx: click.Context, as_json: bool, watch: bool, check: bool) -> None:
    """Show where all sites stand, and which need attention.

    \b
    Examples:
      clerk pipeline-status
      clerk pipeline-status --json | jq .health_score
      clerk pipeline-status --check || echo "look at it"
    """
    open_database()
    from clerk.ops.health import check_all

    found = check_all()
    while watch:
        if not as_json:
            click.clear()
        _show_status(found, as_json=as_json)
        time.sleep(WATCH_SECONDS)
        found = check_all()
    _show_status(found, as_json=as_json)
    if check and not found.is_ok:
        ctx.exit(1)


def _show_status(found: Health, *, as_json: bool) -> None:
    """Show figures and verdict; the verdict alone while the database cannot be used."""
    seen = found.figures
    if as_json:
        figures = seen.as_dict() if seen else {}
        print_json(figures | {"healthy": found.is_ok, "level": found.word})
        return
    if seen is not None:
        _show_figures(seen)
    click.echo(f"Health: {found.word}")
    for check in found.problems:
        click.echo(f"  {check.name}: {check.said}")


def _show_figures(seen: Figures) -> None:
    _show_stages(seen)
    click.echo()
    click.echo(f"Stuck: {len(seen.stuck)}   without documents: {seen.without_documents}")
    score = "-" if seen.health_score is None else f"{seen.health_score} %"
    click.echo(f"Health score: {score}")
    click.echo(f"OCR: {_shares(seen.reading)}")
    click.echo()
    _show_last_day(seen.last_day)
    _show_active(seen)
    _show_attention(seen)
    click.echo()
    click.echo(f"Failed now: {seen.failed}")


def _show_stages(seen: Figures) -> None:
    by_number = sorted(seen.stages.items(), key=lambda each: -each[1])
    new = seen.sites - sum(seen.stages.values())
    rows: list[tuple[str, Any]] = list(by_number)
    if new:
        rows.append(("(not run yet)", new))
    print_table(("STAGE", "SITES"), rows)


def _shares(rates: Rates) -> str:
    if not rates.total:
        return "no documents yet"
    return (
        f"{rates.success} % of {rates.total} documents read,"
        f" {rates.failure} % failed ({rates.failed})"
    )


def _show_last_day(day: LastDay) -> None:
    click.echo(
        f"Last 24 h: {day.documents_read} documents read,"
        f" {day.documents_failed} failed; {day.runs_completed} runs completed,"
        f" {day.runs_partial} partial, {day.runs_failed} failed;"
        f" {day.crashes} crashes"
    )


def _show_active(seen: Figures) -> None:
    busy = [
        f"{name} {each.running} in work, {each.waiting} waiting"
        for name, each in seen.queues.items()
        if each.running or each.waiting
    ]
    click.echo(f"Active: {'; '.join(busy) or 'nothing'}")


def _show_attention(seen: Figures) -> None:
    from clerk.ops.counts import SITES_NAMED

    if not seen.attention:
        return
    click.echo()
    click.echo(f"Needs attention ({len(seen.attention)}):")
    for each in seen.attention[:SITES_NAMED]:
        click.echo(f"  {each.subdomain}: {each.reason}")
    if len(seen.attention) > SITES_NAMED:
        click.echo(f"  ... and {len(seen.attention) - SITES_NAMED} more (--json lists all)")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def health(ctx: click.Context, as_json: bool) -> None:
    """Check everything; exit 0 ok, 1 warning, 2 critical, 3 unknown.

    \b
    Examples:
      clerk health
      clerk health --json | jq '.checks[] | select(.level != "OK")'
    """
    from clerk.ops.health import check_all

    found = check_all()
    if as_json:
        print_json(_health_as_dict(found))
    else:
        _show_health(found)
    ctx.exit(found.level)


def _health_as_dict(found: Health) -> dict[str, Any]:
    return {
        "level": found.word,
        "exit_code": found.level,
        "checks": [check_as_dict(check) for check in found.checks],
        "pipeline": found.figures.as_dict() if found.figures else None,
    }


def check_as_dict(check: Check) -> dict[str, Any]:
    """Return what was looked at as JSON shows it."""
    return {"name": check.name, "level": check.word, "said": check.said, "mend": check.mend}


def _show_health(found: Health) -> None:
    click.secho(_summary(found), fg=COLOURS[found.word])
    show_checks(found.checks)


def _summary(found: Health) -> str:
    """The first line, as monitoring reads it: state, words, figures after the bar."""
    words = "; ".join(f"{check.name}: {check.said}" for check in found.problems) or "all is well"
    if found.figures is None:
        return f"CLERK {found.word} - {words}"
    seen = found.figures
    score = "U" if seen.health_score is None else f"{seen.health_score}%"
    return (
        f"CLERK {found.word} - {words} | score={score} stuck={len(seen.stuck)};0"
        f" sites={seen.sites} attention={len(seen.attention)};0 failed={seen.failed.documents}"
        f" failed_24h={seen.last_day.documents_failed} runs_failed_24h={seen.last_day.runs_failed}"
    )


def show_checks(checks: list[Check]) -> None:
    """Print what was looked at, a line each, and the mends on stderr."""
    width = max(len(check.name) for check in checks)
    for check in checks:
        word = click.style(f"{check.word:8}", fg=COLOURS[check.word])
        click.echo(f"{word}  {check.name:{width}}  {check.said}")
    for check in checks:
        if check.level and check.mend:
            hint(f"{check.name}: {check.mend}")
