"""``clerk db``: create, upgrade and check the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clerk import config, storage

if TYPE_CHECKING:
    from sqlalchemy import Engine


@click.group()
def db() -> None:
    """Create, upgrade and check the database.

    \b
    Examples:
      clerk db upgrade
      clerk db check || echo "not at the newest schema"
    """


@db.command()
def upgrade() -> None:
    """Bring the database to the newest schema.

    An old installation is taken over as it is; what would be lost is left to
    'clerk db cleanup'.
    """
    from clerk import schema

    done = schema.upgrade(_engine(create=True))
    if done.adopted:
        click.echo("Took over an existing installation.")
    if done.before == done.after:
        click.echo(f"The database is at {done.after} already.")
    else:
        click.echo(f"Upgraded the database from {done.before or 'nothing'} to {done.after}.")
    if done.left:
        click.echo(f"Left in place, because old code may still use it: {done.left}.")
        click.echo("Remove it when the new system has proven itself: clerk db cleanup --dry-run")


@db.command()
def current() -> None:
    """Print the revision the database is at."""
    from clerk import schema

    revision = schema.current(_engine())
    suffix = " (head)" if revision == schema.head() else ""
    click.echo(f"{revision or 'none'}{suffix}")


@db.command()
def history() -> None:
    """List the revisions, oldest first."""
    from clerk import schema

    for revision, what in schema.history():
        click.echo(f"{revision}  {what}")


@db.command()
@click.argument("revision")
@click.option("--yes", is_flag=True, help="Do not ask.")
def downgrade(revision: str, yes: bool) -> None:
    """Go back to REVISION, or back some steps with -1, -2 ...

    \b
    Example:
      clerk db downgrade -- -2
    """
    from clerk import schema

    engine = _engine()
    if not yes:
        click.confirm(f"Go back from {schema.current(engine)} to {revision}?", abort=True)
    schema.downgrade(engine, revision)
    click.echo(f"The database is at {schema.current(engine) or 'nothing'}.")


@db.command()
@click.pass_context
def check(ctx: click.Context) -> None:
    """Exit 0 if the database is at the newest schema, else 1."""
    from clerk import schema

    revision = schema.current(_engine())
    if revision == schema.head():
        click.echo(f"The database is at {revision}, the newest schema.")
        return
    click.echo(f"The database is at {revision or 'nothing'}; the newest schema is {schema.head()}.")
    click.echo("Run: clerk db upgrade", err=True)
    ctx.exit(1)


def _engine(*, create: bool = False) -> Engine:
    """Return the engine once the server answers; with ``create`` the default storage is made."""
    from clerk import db as database

    settings = config.load()
    if not settings.database_url:
        by_default = settings.origin("storage_dir") == "the default"
        storage.check_storage(settings.storage_dir, create=create and by_default)
    engine = database.get_civic_db()
    with database.explained(), engine.connect():
        return engine
