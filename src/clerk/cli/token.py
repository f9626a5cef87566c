"""``clerk token``: the tokens by which programs use the API, and how to end them."""

from __future__ import annotations

from dataclasses import asdict

import click

from .common import numbered, open_database, operator, print_json, print_table
from .serve import require_web
from .session import moment


@click.group()
def token() -> None:
    """List and revoke tokens of programs.

    Tokens are made on the System page.

    \b
    Examples:
      clerk token list
      clerk token revoke 2
    """


@token.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_tokens(as_json: bool) -> None:
    """List the tokens that can be used.

    Tokens themselves are not stored and cannot be shown.

    \b
    Example:
      clerk token list --json
    """
    require_web()
    open_database()
    from clerk.web import sessions

    found = sessions.open_tokens()
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
    """Revoke tokens, effective at once.

    \b
    Example:
      clerk token revoke 2
    """
    require_web()
    open_database()
    from clerk.web import sessions

    sessions.revoke_tokens(ids, by=operator())
    click.echo(f"Revoked {numbered(len(set(ids)), 'token')}.")
