"""``clerk token``: list and revoke API tokens."""

from __future__ import annotations

from dataclasses import asdict

import click

from .common import (
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
def token() -> None:
    """List and revoke API tokens.

    Tokens are created on the System page.

    \b
    Examples:
      clerk token list
      clerk token revoke 2
    """


@token.command("list")
@json_option
def list_tokens(as_json: bool) -> None:
    """List the valid tokens.

    Tokens themselves are not stored and cannot be shown.

    \b
    Example:
      clerk token list --json
    """
    require_web()
    open_database()
    from clerk.ops import web_sessions

    found = web_sessions.open_tokens()
    if as_json:
        print_json([asdict(each) for each in found])
        return
    print_table(
        ("ID", "NAME", "ROLE", "CREATED", "CREATED BY"),
        [
            (each.id, each.name, each.role, moment(each.created_at), each.created_by)
            for each in found
        ],
    )


@token.command()
@click.argument("ids", nargs=-1, required=True, type=click.IntRange(1, 2**63 - 1), metavar="ID...")
def revoke(ids: tuple[int, ...]) -> None:
    """Revoke tokens immediately.

    \b
    Example:
      clerk token revoke 2
    """
    require_web()
    open_database()
    from clerk.ops import web_sessions

    web_sessions.revoke_tokens(ids, by=operator())
    click.echo(f"Revoked {numbered(len(set(ids)), 'token')}.")
