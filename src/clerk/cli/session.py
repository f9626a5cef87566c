"""``clerk session``: list and revoke logins to the web pages."""

from __future__ import annotations

from dataclasses import asdict

import click

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


@click.group()
def session() -> None:
    """List and revoke logins to the web pages.

    \b
    Examples:
      clerk session list
      clerk session revoke 3
    """


@session.command("list")
@json_option
def list_sessions(as_json: bool) -> None:
    """List open sessions and unused login links.

    Times are in UTC.  LAST SEEN is accurate to five minutes.

    \b
    Example:
      clerk session list --json
    """
    require_web()
    open_database()
    from clerk.ops import web_sessions

    found = web_sessions.open_sessions()
    if as_json:
        print_json([asdict(each) for each in found])
        return
    print_table(
        ("ID", "WHO", "ROLE", "LOGGED IN", "LAST SEEN", "EXPIRES", "BROWSER"),
        [
            (
                each.id,
                each.who,
                each.role,
                moment(each.started_at, "not yet"),
                moment(each.last_seen_at),
                moment(each.expires_at),
                each.client if each.started_at else "(login link, not used yet)",
            )
            for each in found
        ],
    )


@session.command()
@click.argument("ids", nargs=-1, type=click.IntRange(1, 2**63 - 1), metavar="[ID]...")
@click.option("--who", help="Revoke all sessions and login links of this person.")
@click.option("--all", "everybody", is_flag=True, help="Revoke all sessions and login links.")
def revoke(ids: tuple[int, ...], who: str | None, everybody: bool) -> None:
    """Log somebody out, or cancel a login link.

    Takes effect immediately on every page; live updates end within seconds.

    \b
    Examples:
      clerk session revoke 3 5
      clerk session revoke --who ann
      clerk session revoke --all
    """
    if sum((bool(ids), who is not None, everybody)) != 1:
        raise click.UsageError("Give IDs, --who or --all.")
    require_web()
    open_database()
    from clerk.ops import web_sessions

    if ids:
        web_sessions.revoke_sessions(ids, by=operator())
        revoked = len(set(ids))
    else:
        revoked = web_sessions.revoke_sessions_of(who, by=operator())
    click.echo(f"Revoked {numbered(revoked, 'session')}.")
    if not revoked:
        hint("See: clerk session list")
