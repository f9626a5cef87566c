"""``clerk db``: create, upgrade and check the database."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clerk.core import config, storage
from clerk.core.errors import SchemaOutdated, StorageUnusable

from .common import confirm, hint, numbered, open_database, operator, scan_progress

if TYPE_CHECKING:
    from sqlalchemy import Engine


#: How often a long command shows how far it is.
PROGRESS_SECONDS = 5.0


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
    """Upgrade the database to the newest schema.

    The tables of an old installation are adopted and kept; 'clerk db cleanup'
    drops them later.  The files of sites that an older clerk fetched are
    recorded in the database; this can be interrupted and repeated.  A site
    whose files cannot be read is reported and left for its next run.

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
    settings = config.load()
    from clerk.core import installation
    from clerk.pipeline.scan import scan_new_sites

    installation.check(settings)
    for subdomain, found in scan_new_sites(settings, scan_progress):
        if isinstance(found, StorageUnusable):
            # Workers and other sites need not wait for it: doctor and health report it.
            hint(f"The files of {subdomain} are not recorded yet: {found} {found.hint}")
        else:
            click.echo(f"{subdomain}: {numbered(found.documents, 'document')} in its folder")


@db.command()
def current() -> None:
    """Print the revision of the database.

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
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def downgrade(revision: str, yes: bool) -> None:
    """Downgrade the database to REVISION.

    A negative REVISION such as -1 is a number of steps.  'old' goes back to
    the old system: clerk's own tables and columns are removed, the old ones
    are kept with their data, and the old revision is restored.

    \b
    Examples:
      clerk db downgrade 0003
      clerk db backup && clerk db downgrade old
    """
    from clerk.core import schema

    engine = _engine_of_existing_database()
    if revision == "old":
        _downgrade_to_old_system(engine, yes)
        return
    if not yes:
        confirm(f"Downgrade from {schema.current(engine)} to {revision}?")
    schema.downgrade(engine, revision)
    click.echo(f"The database is at {schema.current(engine) or 'nothing'}.")


def _downgrade_to_old_system(engine: Engine, yes: bool) -> None:
    from clerk.core import installation, schema
    from clerk.core.db import reading_connection
    from clerk.pipeline import queues

    lost = schema.lost_with_the_way_back(engine)
    if schema.current(engine) == schema.head():
        with reading_connection() as conn:
            alive = queues.live_workers(conn).alive
        if alive:
            raise click.UsageError(f"Stop clerk's workers first: {alive} alive.")
    click.echo("Going back to the old system permanently removes:")
    for each in lost or ["nothing that has content"]:
        click.echo(f"  {each}")
    click.echo("Files, and the old system's own tables and columns with their data, stay.")
    if not yes:
        confirm("Go back to the old system?")
    settings = config.load()
    is_ours = schema.current(engine) == schema.head() and installation.is_marked(settings)
    revision = schema.downgrade_to_old_system(engine)
    if is_ours:
        installation.remove_mark(settings)
    found = f"at its revision {revision}" if revision else "without a revision, as it was"
    click.echo(f"The database is the old system's again, {found}.")


@db.command()
@click.pass_context
def check(ctx: click.Context) -> None:
    """Exit 0 if the schema is the newest, else 1.

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
@click.option("--with-store", is_flag=True, help="Include the files of the sites.")
def backup(file: Path | None, with_store: bool) -> None:
    """Back up the database to FILE while it is in use.

    SQLite is copied with its online backup API, PostgreSQL with pg_dump.  With
    --with-store, FILE is an archive of the database and STORAGE_DIR.

    \b
    Examples:
      clerk db backup
      clerk db backup --with-store nightly.tar
    """
    from clerk.ops import backups

    engine = _engine_of_existing_database()
    folder = config.load().storage_dir
    target = file or backups.default_name(engine, with_store=with_store)
    size = backups.back_up(engine, target, folder if with_store else None)
    click.echo(f"Wrote {target} ({size} bytes).")
    if not with_store:
        hint(f"Not included: the files of the sites in {folder.absolute()} (--with-store).")


@db.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def restore(file: Path) -> None:
    """Restore a backup into an empty database.

    DATABASE_URL must name an empty database of the same kind, and for an
    archive STORAGE_DIR an empty directory.

    \b
    Example:
      clerk db restore nightly.tar
    """
    from clerk.core import schema
    from clerk.ops import backups

    settings = config.load()
    storage.check_storage(settings.storage_dir)
    engine = _engine()
    done = backups.restore(engine, file, settings.storage_dir)
    files = f", {numbered(done.files, 'file')}" if done.files else ""
    sites = numbered(done.sites, "site")
    click.echo(f"Restored {sites}{files}; the database is at {done.revision}.")
    if done.revision != schema.head():
        hint("Next: clerk db upgrade")
    if not done.files:
        hint(f"The files of the sites go into {settings.storage_dir.absolute()}.")


@db.command()
@click.option("--dry-run", is_flag=True, help="Only check; drop nothing.")
@click.option("--force", is_flag=True, help="Drop even if a check fails.")
@click.option("--yes", is_flag=True, help="With --force: do not ask for the number of sites.")
@click.pass_context
def cleanup(ctx: click.Context, dry_run: bool, force: bool, yes: bool) -> None:
    """Drop the tables that only the old system used.

    Checks first that the new system works, and prints every check with its
    figure.  Exits 1 when one fails.

    \b
    Examples:
      clerk db backup && clerk db cleanup --dry-run
      clerk db cleanup
    """
    settings = open_database()
    from clerk.core import db as database
    from clerk.core import schema
    from clerk.ops import takeover
    from clerk.pipeline import sites

    engine = database.get_civic_db()
    if not schema.has_legacy(engine):
        click.echo("Nothing is left of the old system.")
        return
    criteria = takeover.preflight(settings)
    for each in criteria:
        word = click.style("PASS", fg="green") if each.passed else click.style("FAIL", fg="red")
        click.echo(f"{word}  {each.name:16} {each.figure:28} required: {each.required}")
    passed = all(each.passed for each in criteria)
    click.echo(f"To be dropped: {schema.what_is_left(engine) or 'empty legacy tables'}")
    if dry_run:
        click.echo("Dry run: nothing was dropped.")
        ctx.exit(0 if passed else 1)
    if not passed and not force:
        click.secho("Nothing was dropped: wait until every criterion passes.", fg="red")
        ctx.exit(1)
    if not passed and not yes:
        with database.reading_connection() as conn:
            number = len(sites.overview(conn))
        typed = click.prompt("A check fails. Type the number of sites to drop anyway", type=int)
        if typed != number:
            raise click.UsageError(f"There are {number} sites, not {typed}. Nothing was dropped.")
    takeover.drop_legacy(who=operator(), forced=not passed)
    click.secho("Dropped.", fg="green")


@db.command()
@click.option("--dry-run", is_flag=True, help="Only count what would be removed.")
def prune(dry_run: bool) -> None:
    """Remove history that is older than HISTORY_DAYS.

    Older runs are reduced to totals by day and site and deleted with their
    documents, batches and events; the last run and the last reading of a site
    are kept.  A run without changes keeps one row after two days.  Audit
    entries are kept for AUDIT_DAYS.  With STORAGE_URL, objects that nothing
    refers to for a week are deleted.  Safe to run while workers are active,
    and to interrupt.

    \b
    Examples:
      clerk db prune --dry-run
      clerk db prune
    """
    settings = open_database()
    from clerk.ops import retention

    done, shown_at = retention.Pruned(), time.monotonic()
    for done in retention.prune(settings, dry_run=dry_run):
        if time.monotonic() - shown_at >= PROGRESS_SECONDS:
            shown_at = time.monotonic()
            hint(f"{numbered(done.runs, 'run')}, {numbered(done.events, 'event')} so far")
    click.echo("Would remove:" if dry_run else "Removed:")
    click.echo(f"  {numbered(done.runs, 'run')} older than {settings.history_days} days")
    click.echo(f"  the details of {numbered(done.unchanged_runs, 'run')} without changes")
    click.echo(f"  {numbered(done.events, 'event')} older than {settings.history_days} days")
    entries = numbered(done.audit_entries, "audit entry", "audit entries")
    click.echo(f"  {entries} older than {settings.audit_days} days")
    changes = numbered(done.changes, "change of documents", "changes of documents")
    click.echo(f"  {changes} older than {retention.CHANGES_DAYS} days")
    if settings.storage_url:
        click.echo(f"  {numbered(done.objects, 'object')} that nothing refers to")


def _engine(*, create: bool = False) -> Engine:
    """Return the engine once the server answers; with ``create`` create the default storage.

    A database file that does not exist is not created.
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


def _engine_of_existing_database() -> Engine:
    from clerk.core import schema

    engine = _engine()
    missing = schema.missing_file(engine)
    if missing:
        raise SchemaOutdated(f"There is no database {missing} yet.", hint="Run: clerk db upgrade")
    return engine
