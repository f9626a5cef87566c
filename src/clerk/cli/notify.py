"""``clerk notify``: tell people about problems and their end."""

from __future__ import annotations

import click

from clerk.core import config
from clerk.core.errors import BadSetting

from .common import hint, numbered


@click.group()
def notify() -> None:
    """Report problems by mail or chat.

    Targets are set by NOTIFY_URL.

    \b
    Examples:
      clerk notify test
      */5 * * * * clerk notify run
    """


@notify.command()
@click.pass_context
def test(ctx: click.Context) -> None:
    """Send a test message to every target.

    \b
    Example:
      clerk notify test
    """
    settings = config.load()
    if not settings.notify_url:
        raise BadSetting(
            "NOTIFY_URL is not set.",
            hint="Set it, as in NOTIFY_URL=smtp://host/?from=clerk@example.org&to=ann@example.org",
        )
    from clerk.ops import notify as notices

    wrong = notices.send_test(settings)
    sent = len(settings.notify_url) - len(wrong)
    click.echo(f"Sent a test message to {numbered(sent, 'target')}.")
    for target, why in wrong.items():
        hint(f"Not delivered to {target}: {why}")
    if wrong:
        ctx.exit(1)


@notify.command()
def run() -> None:
    """Check health and report what changed.

    Let a timer run this every few minutes.  Each problem is reported once when
    it begins and once when it ends.

    \b
    Example:
      clerk notify run
    """
    settings = config.load()
    from clerk.ops import notify as notices

    told = notices.run(settings)
    click.echo(
        f"{numbered(told.new, 'new problem')}, {told.ended} ended;"
        f" {numbered(told.delivered, 'notice')} delivered"
    )
    if told.failed:
        hint(f"{numbered(told.failed, 'notice')} not delivered; they are tried again.")
    if not settings.notify_url:
        hint("NOTIFY_URL is not set, so nothing is reported.")
