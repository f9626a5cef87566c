"""``clerk queue``: list, pause, resume and purge the queues."""

from __future__ import annotations

from dataclasses import asdict

import click

from clerk.core.states import QUEUES

from .common import confirm, hint, json_option, open_database, operator, print_json, print_table

_NAMES = click.argument(
    "names", nargs=-1, required=True, type=click.Choice(QUEUES), metavar="QUEUE..."
)


@click.group()
def queue() -> None:
    """List, pause, resume and purge the queues.

    \b
    Examples:
      clerk queue list
      clerk queue pause ocr
    """


@queue.command("list")
@json_option
def list_queues(as_json: bool) -> None:
    """List the queues with their work and workers.

    Exits 3 when Redis does not answer; everything else is still shown.

    \b
    Example:
      clerk queue list --json
    """
    settings = open_database()
    from clerk.pipeline import queues

    found = queues.list_queues(settings)
    if as_json:
        print_json([asdict(each) for each in found])
    else:
        rows = []
        for each in found:
            messages = [f"{number} {what}" for what, number in each.messages.items() if number]
            paused = f"by {each.paused_by}" if each.paused_at else ""
            counts = (each.waiting, each.running, each.sites, each.workers)
            rows.append((each.name, *counts, paused, ", ".join(messages)))
        print_table(("QUEUE", "WAITING", "IN WORK", "SITES", "WORKERS", "PAUSED", "MESSAGES"), rows)
    queues.check_redis(settings)


@queue.command()
@_NAMES
def pause(names: tuple[str, ...]) -> None:
    """Pause queues; running work finishes.

    QUEUE is fetch, ocr, compilation, extraction, deploy or annotations.

    \b
    Example:
      clerk queue pause ocr extraction
    """
    open_database()
    from clerk.pipeline import queues

    for name in names:
        done = queues.pause(name, who=operator())
        click.echo(f"{'Paused' if done else 'Paused already:'} {name}")


@queue.command()
@_NAMES
def resume(names: tuple[str, ...]) -> None:
    """Resume paused queues.

    QUEUE is fetch, ocr, compilation, extraction, deploy or annotations.

    \b
    Example:
      clerk queue resume ocr
    """
    settings = open_database()
    from clerk.pipeline import queues

    for name in names:
        done = queues.resume(settings, name, who=operator())
        click.echo(f"{'Resumed' if done else 'Was not paused:'} {name}")


@queue.command()
@_NAMES
@click.option("--runs", is_flag=True, help="Also cancel waiting runs and uploads.")
@click.option("--dry-run", is_flag=True, help="Show what would be purged; change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def purge(names: tuple[str, ...], runs: bool, dry_run: bool, yes: bool) -> None:
    """Delete the messages of queues in Redis.

    QUEUE is fetch, ocr, compilation, extraction, deploy or annotations.
    Waiting, deferred and failed messages are deleted.  The work itself is in
    the database and is enqueued again; use --runs to cancel it as well.

    \b
    Examples:
      clerk queue purge ocr --dry-run
      clerk queue purge fetch --runs --yes
    """
    settings = open_database()
    from clerk.pipeline import queues

    queues.check_redis(settings)
    for each in queues.list_queues(settings):
        if each.name in names:
            messages = sum(each.messages.values()) - each.messages.get("started", 0)
            waiting = (*queues.waiting_sites(each.name), *queues.waiting_uploads(each.name))
            cancelled = len(waiting) if runs else 0
            hint(f"{each.name}: {messages} messages, {cancelled} runs to cancel")
    if dry_run:
        click.echo("Dry run: nothing was purged.")
        return
    if not yes:
        confirm(f"Purge {', '.join(names)}?")
    for name in names:
        done = queues.purge(settings, name, who=operator(), runs=runs)
        click.echo(f"Purged {name}: {done.messages} messages, {done.runs} runs cancelled")
