"""``clerk db``: create, upgrade and check the database."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clerk.core import config, storage
from clerk.core.errors import SchemaOutdated

from .common import confirm, hint, open_database, operator

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from clerk.ops.health import Criterion


@click.group()
def db() -> None:
    """Create, upgrade and check the database.

    \b
    Examples:
      clerk db upgrade
      clerk db check || echo "not at the newest schema"
      clerk db backup && clerk db cleanup --dry-run
    """


@db.command()
def upgrade() -> None:
    """Bring the database to the newest schema.

    An old installation is taken over as it is; what would be lost is left to
    'clerk db cleanup'.

    \b
    Example:
      clerk db backup && clerk db upgrade
    """
    from clerk.core import schema

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
    """Print the revision the database is at.

    \b
    Example:
      clerk db current
    """
    from clerk.core import schema

    revision = schema.current(_engine())
    suffix = " (head)" if revision == schema.head() else ""
    click.echo(f"{revision or 'none'}{suffix}")


@db.command()
def history() -> None:
    """List the revisions, oldest first.

    \b
    Example:
      clerk db history
    """
    from clerk.core import schema

    for revision, what in schema.history():
        click.echo(f"{revision}  {what}")


@db.command()
@click.argument("revision")
@click.option("--yes", is_flag=True, help="Do not ask.")
def downgrade(revision: str, yes: bool) -> None:
    """Go back to REVISION, or back some steps with -1, -2 ...

    What the old system made of the table sites is kept.  Refused where it is
    not known what that was, and beyond 0001.

    \b
    Example:
      clerk db downgrade 0003
    """
    from clerk.core import schema

    engine = _made_engine()
    if not yes:
        confirm(f"Go back from {schema.current(engine)} to {revision}?")
    schema.downgrade(engine, revision)
    click.echo(f"The database is at {schema.current(engine) or 'nothing'}.")


@db.command()
@click.pass_context
def check(ctx: click.Context) -> None:
    """Exit 0 if the database is at the newest schema, else 1.

    \b
    Example:
      clerk db check || clerk db upgrade
    """
    from clerk.core import schema

    revision = schema.current(_engine())
    if revision == schema.head():
        click.echo(f"The database is at {revision}, the newest schema.")
        return
    click.echo(f"The database is at {revision or 'nothing'}; the newest schema is {schema.head()}.")
    hint("Run: clerk db upgrade")
    ctx.exit(1)


@db.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
def backup(file: Path | None) -> None:
    """Copy the database to FILE while it is in use.

    SQLite is copied by its online backup, PostgreSQL by pg_dump.

    \b
    Examples:
      clerk db backup
      clerk db backup before_migration.sql
    """
    from clerk.ops import backups

    engine = _made_engine()
    target = file or backups.default_name(engine)
    size = backups.back_up(engine, target)
    click.echo(f"Wrote {target} ({size} bytes).")


@db.command()
@click.option("--dry-run", is_flag=True, help="Only check; drop nothing.")
@click.option("--force", is_flag=True, help="Drop although a criterion fails.")
@click.option("--yes", is_flag=True, help="With --force: do not ask for the number of sites.")
@click.pass_context
def cleanup(ctx: click.Context, dry_run: bool, force: bool, yes: bool) -> None:
    """Drop what only the old system used.

    Pre-flight checks must show that the new one works.

    Prints every criterion with its figure.  Exits 1 when one fails.

    \b
    Examples:
      clerk db backup && clerk db cleanup --dry-run
      clerk db cleanup
    """
    open_database()
    from clerk.core import schema
    from clerk.ops import health, takeover

    engine = _engine()
    if not schema.has_legacy(engine):
        click.echo("Nothing is left of the old system.")
        return
    criteria = health.preflight()
    _print_criteria(criteria)
    passed = all(each.passed for each in criteria)
    click.echo(f"To be dropped: {schema.what_is_left(engine) or 'empty legacy tables'}")
    if dry_run:
        click.echo("Dry run: nothing was dropped.")
        ctx.exit(0 if passed else 1)
    if not passed and not force:
        click.secho("Nothing was dropped: wait until every criterion passes.", fg="red")
        ctx.exit(1)
    if not passed and not yes:
        _ask_for_the_number_of_sites()
    takeover.drop_legacy(who=operator(), forced=not passed)
    click.secho("Dropped.", fg="green")


def _print_criteria(criteria: Iterable[Criterion]) -> None:
    for each in criteria:
        word = click.style("PASS", fg="green") if each.passed else click.style("FAIL", fg="red")
        click.echo(f"{word}  {each.name:16} {each.figure:28} required: {each.required}")


def _ask_for_the_number_of_sites() -> None:
    from clerk.core import db as database
    from clerk.pipeline import sites

    with database.reading_connection() as conn:
        number = len(sites.overview(conn))
    typed = click.prompt("A criterion fails. Type the number of sites to drop anyway", type=int)
    if typed != number:
        raise click.UsageError(f"There are {number} sites, not {typed}. Nothing was dropped.")


def _engine(*, create: bool = False) -> Engine:
    """Return the engine once the server answers; with ``create`` the default storage is made.

    A file that is not there is not made by looking at it.
    """
    from clerk.core import db as database
    from clerk.core import schema

    settings = config.load()
    if not settings.database_url:
        by_default = settings.origin("storage_dir") == "the default"
        storage.check_storage(settings.storage_dir, create=create and by_default)
    engine = database.get_civic_db()
    if not schema.missing_file(engine):
        with database.explained(), engine.connect():
            pass
    return engine


def _made_engine() -> Engine:
    """Return the engine of a database that is there."""
    from clerk.core import schema

    engine = _engine()
    missing = schema.missing_file(engine)
    if missing:
        raise SchemaOutdated(f"There is no database {missing} yet.", hint="Run: clerk db upgrade")
    return engine
