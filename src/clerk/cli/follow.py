"""``clerk follow``: who follows what, and the messages they get."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from clerk.core import config
from clerk.core.errors import BadSetting

from .common import (
    hint,
    json_option,
    moment,
    numbered,
    open_database,
    operator,
    print_json,
    print_table,
)
from .serve import require_web

if TYPE_CHECKING:
    from clerk.follow.targets import FollowTarget


@click.group()
def follow() -> None:
    """Notify followers of new documents.

    Readers sign up on the public pages; MAIL_URL and PUBLIC_URL must be set.

    \b
    Examples:
      clerk follow list
      clerk follow test-mail ann@example.org
      * * * * * clerk follow run
    """


@follow.command()
def run() -> None:
    """Match new documents and send messages.

    clerk serve does this continuously; without it, let a timer run this
    command every minute.

    \b
    Example:
      clerk follow run
    """
    settings = open_database()
    require_web()
    from clerk.follow import deliveries
    from clerk.follow.turn import take_turn

    turn = take_turn(settings)
    deliveries.clean_up()
    sent, matched = turn.delivered, turn.matched
    click.echo(
        f"{numbered(matched.documents, 'new document')}, {numbered(matched.hits, 'hit')};"
        f" {numbered(sent.sent, 'message')} sent"
    )
    if sent.retried:
        hint(f"{numbered(sent.retried, 'message')} not sent; they are tried again.")
    if sent.failed:
        hint(f"{numbered(sent.failed, 'message')} refused.")
    if sent.mail_trouble:
        hint(f"Mail cannot be sent: {sent.mail_trouble}")


@follow.command("list")
@json_option
def list_followers(as_json: bool) -> None:
    """Count followers, and list what they follow.

    Addresses are not shown.

    \b
    Example:
      clerk follow list
    """
    open_database()
    from clerk.follow import subscriptions

    counts, popular = subscriptions.counts(), subscriptions.popular()
    hooks = subscriptions.webhooks()
    if as_json:
        followed = [
            {"kind": kind, "label": label, "followers": number} for kind, label, number in popular
        ]
        webhooks = [asdict(each) for each in hooks]
        print_json({"counts": asdict(counts), "followed": followed, "webhooks": webhooks})
        return
    click.echo(
        f"{numbered(counts.followers, 'follower')} by mail ({counts.disabled} disabled),"
        f" {numbered(counts.webhooks, 'webhook')} ({counts.disabled_webhooks} disabled),"
        f" {numbered(counts.unconfirmed, 'sign-up')} not confirmed"
    )
    click.echo(
        f"{numbered(counts.waiting_messages, 'message')} waiting, {counts.sent_messages} sent,"
        f" {counts.failed_messages} failed"
    )
    if popular:
        print_table(("FOLLOWERS", "KIND", "WHAT"), [(n, kind, label) for kind, label, n in popular])
    if hooks:
        print_table(
            ("WEBHOOK", "STATE", "URL", "LAST SENT", "FOLLOWS"),
            [
                (each.id, each.state, each.url, moment(each.last_sent_at), "; ".join(each.follows))
                for each in hooks
            ],
        )


@follow.command()
@click.argument("address")
@json_option
def show(address: str, as_json: bool) -> None:
    """Show what an address or webhook follows.

    Use it to answer requests from the owner of the address.

    \b
    Example:
      clerk follow show ann@example.org
    """
    open_database()
    from clerk.follow import subscriptions

    found = subscriptions.of_address(address)
    if as_json:
        print_json([asdict(each) | {"followed": None, "path": each.path} for each in found])
        return
    print_table(
        ("ID", "WHAT", "HOW OFTEN", "STATE", "SINCE"),
        [
            (each.id, each.label, each.cadence, each.state, moment(each.created_at))
            for each in found
        ],
    )


@follow.command()
@click.argument("address")
def remove(address: str) -> None:
    """Delete an address or webhook with its data.

    \b
    Examples:
      clerk follow remove ann@example.org
      clerk follow remove https://example.org/hook
    """
    open_database()
    from clerk.follow import subscriptions

    subscriptions.remove(address, operator())
    click.echo("Removed.")


@follow.command()
@click.argument("address")
def invite(address: str) -> None:
    """Let an address sign up.

    For FOLLOW_SIGNUP=invitation.  Nothing is sent to the address.

    \b
    Example:
      clerk follow invite ann@example.org
    """
    settings = open_database()
    from clerk.follow import subscriptions

    subscriptions.invite(address, operator())
    click.echo("Invited: the address can sign up on the public pages.")
    if settings.follow_signup != "invitation":
        hint(f"FOLLOW_SIGNUP is {settings.follow_signup}.")


@follow.command("add-webhook")
@click.argument("url")
@click.option("--query", default="", help="Search query to follow.")
@click.option("--site", default="", help="Site to follow, or to search.")
@click.option("--body", default="", help="Body of the site to follow, or to search.")
@click.option("--person", default="", help="Id of the person of the site whose votes to follow.")
@click.option("--matter", default="", help="Matter of the site to follow.")
def add_webhook(url: str, query: str, site: str, body: str, person: str, matter: str) -> None:
    """Notify a URL of new documents.

    Prints the key that signs the requests; docs/follow.md explains how to
    verify a signature.

    \b
    Examples:
      clerk follow add-webhook https://example.org/hook --query zoning
      clerk follow add-webhook https://example.org/hook --site springfield
    """
    settings = open_database()
    from clerk.follow import subscriptions
    from clerk.follow.targets import FollowTarget

    kind, followed = chosen(
        FollowTarget, query=query, site=site, body=body, person=person, matter=matter
    )
    number, secret = subscriptions.add_webhook(settings, url, kind, followed, operator())
    click.echo(f"Webhook {number}")
    click.echo(f"Key: {secret}")


def chosen(
    make: type[FollowTarget], *, query: str, site: str, body: str, person: str, matter: str
) -> tuple[str, FollowTarget]:
    """Return the kind that the options name, and what is followed."""
    if query:
        if person or matter:
            raise click.UsageError("Give --query, --person or --matter, not several of them.")
        return "search", make(text=query, site=site, body=body)
    if not site:
        raise click.UsageError("Say what to follow: --query, or --site.")
    given = {"person": person, "matter": matter, "body": body}
    named = [name for name, value in given.items() if value]
    if len(named) > 1:
        raise click.UsageError("Give one of --body, --person and --matter.")
    if not named:
        return "place", make(site=site)
    return named[0], make(site=site, **{named[0]: given[named[0]]})


@follow.command("test-mail")
@click.argument("address")
def test_mail(address: str) -> None:
    """Send a test message to an address.

    \b
    Example:
      clerk follow test-mail ann@example.org
    """
    settings = config.load()
    if not settings.mail_url:
        raise BadSetting(
            "MAIL_URL is not set.",
            hint="Set it, as in MAIL_URL=smtp://user:password@host:587/?from=clerk@example.org",
        )
    require_web()
    from clerk.follow.deliveries import send_trial

    send_trial(settings, address)
    click.echo("Sent a test message.")
    if not settings.public_url:
        hint("PUBLIC_URL is not set: readers cannot sign up without it.")


@follow.command()
@click.argument("file", type=click.File("rb"), default="-")
def bounce(file: Any) -> None:
    """Record a bounce message.

    The mail server calls this for each message to the sender's address.

    \b
    Example:
      clerk follow bounce < report.eml
    """
    open_database()
    from clerk.follow.bounces import record_bounce

    known = record_bounce(file.read())
    click.echo("Recorded." if known else "Ignored: not a report about a message of clerk.")
