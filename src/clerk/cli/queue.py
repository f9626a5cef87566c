"""``clerk queue``: what waits, who serves, pause and purge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from clerk.core.states import QUEUES

from .common import confirm, hint, open_database, operator, print_json, print_table

if TYPE_CHECKING:
    from clerk.ops.queues import QueueState

_NAMES = click.argument("names", nargs=-1, required=True, type=click.Choice(QUEUES))


@click.group()
def queue() -> None:
    """Look at the queues, pause them, purge them.

    \b
    Examples:
      clerk queue list
      clerk queue pause ocr
    """


@queue.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_queues(as_json: bool) -> None:
    """List the queues: what waits, what is in work, who serves.

    Exits 3 when Redis does not answer; what it has nothing to do with is shown.

    \b
    Example:
      clerk queue list --json
    """
    open_database()
    from clerk.ops import queues

    found = queues.look()
    if as_json:
        print_json([asdict(each) for each in found])
    else:
        _print(found)
    queues.check_redis()


def _print(found: Iterable[QueueState]) -> None:
    print_table(
        ("QUEUE", "WAITING", "IN WORK", "SITES", "WORKERS", "PAUSED", "MESSAGES"),
        [
            (
                each.name,
                each.waiting,
                each.running,
                each.sites,
                each.workers,
                f"by {each.paused_by}" if each.paused_at else "",
                ", ".join(f"{number} {what}" for what, number in each.messages.items() if number),
            )
            for each in found
        ],
    )


@queue.command()
@_NAMES
def pause(names: tuple[str, ...]) -> None:
    """Give out no more work of some queues; what is in hand is finished.

    \b
    Example:
      clerk queue pause ocr extraction
    """
    open_database()
    from clerk.ops import queues

    for name in names:
        done = queues.pause(name, who=operator())
        click.echo(f"{'Paused' if done else 'Paused already:'} {name}")


@queue.command()
@_NAMES
def resume(names: tuple[str, ...]) -> None:
    """Give out work of paused queues again.

    \b
    Example:
      clerk queue resume ocr
    """
    open_database()
    from clerk.ops import queues

    for name in names:
        done = queues.resume(name, who=operator())
        click.echo(f"{'Resumed' if done else 'Was not paused:'} {name}")


@queue.command()
@_NAMES
@click.option("--runs", is_flag=True, help="Also cancel runs and uploads that wait.")
@click.option("--dry-run", is_flag=True, help="Show what would be purged; change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def purge(names: tuple[str, ...], runs: bool, dry_run: bool, yes: bool) -> None:
    """Delete the messages of queues in Redis.

    Waiting, deferred and failed ones are deleted.

    Work that clerk has to do is in the database and is offered again; give
    --runs to cancel that as well.

    \b
    Examples:
      clerk queue purge ocr --dry-run
      clerk queue purge fetch --runs --yes
    """
    open_database()
    from clerk.ops import queues

    queues.check_redis()
    _show(names, runs)
    if dry_run:
        click.echo("Dry run: nothing was purged.")
        return
    if not yes:
        confirm(f"Purge {', '.join(names)}?")
    for name in names:
        done = queues.purge(name, who=operator(), runs=runs)
        click.echo(f"Purged {name}: {done.messages} messages, {done.runs} runs cancelled")


def _show(names: tuple[str, ...], runs: bool) -> None:
    from clerk.ops import queues

    for each in queues.look():
        if each.name not in names:
            continue
        messages = sum(each.messages.values()) - each.messages.get("started", 0)
        waiting = (*queues.waiting_sites(each.name), *queues.waiting_uploads(each.name))
        cancelled = len(waiting) if runs else 0
        hint(f"{each.name}: {messages} messages, {cancelled} runs to cancel")
