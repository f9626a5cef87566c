"""``clerk site``: the places that are followed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click

from clerk.core import storage
from clerk.core.errors import InvalidInput

from .common import confirm, existing_path, hint, open_database, print_json, print_table

#: Options of ``site add`` and ``site edit`` that are columns of the site.
COLUMNS = ("name", "state", "kind", "country", "start_year", "scraper")


@click.group()
def site() -> None:
    """Add, list and change the places that are followed.

    \b
    Examples:
      clerk site add springfield --from ~/minutes --name "Springfield" --state IL
      clerk site list
      clerk site show springfield
    """


def _facts(command: Any) -> Any:
    """The options that describe a site."""
    options = [
        click.option("--name", help="The name people know it by."),
        click.option("--state", help="As in IL."),
        click.option("--kind", help="As in city, county or school district."),
        click.option("--country", help="As in US."),
        click.option(
            "--start-year", type=click.IntRange(1600, 2100), help="The first year to fetch."
        ),
        click.option("--scraper", help="The fetcher to use; found by itself from --from."),
        click.option("--pattern", help="How paths in a folder are made: {kind}/{meeting}/{date}."),
        click.option("--mapping", help="CSV file with the columns path, meeting, date, kind."),
        click.option("--language", "languages", multiple=True, help="Language to read: eng, spa."),
        click.option("--ocr-backend", help="The OCR engine for this site."),
        click.option(
            "--set",
            "further",
            multiple=True,
            metavar="KEY=VALUE",
            help="Another setting of the fetcher; may be repeated.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@site.command()
@click.argument("subdomain")
@click.option("--from", "source", required=True, help="A folder, a list of URLs, or a portal.")
@_facts
def add(subdomain: str, source: str, **given: Any) -> None:
    """Follow a place under the name SUBDOMAIN.

    \b
    Examples:
      clerk site add springfield --from ./pdfs
      clerk site add springfield --from documents.csv --state IL
      clerk site add columbus --from https://columbus.legistar.com/Calendar.aspx
    """
    storage.check_subdomain(subdomain)
    settings = open_database()
    from clerk.core import db, plugins

    with db.reading_connection() as conn:
        if db.get_site_by_subdomain(conn, subdomain):
            raise InvalidInput(
                f"There is a site {subdomain!r} already.",
                hint=f"Change it: clerk site edit {subdomain} --from {shlex.quote(source)}",
            )
    label, where = _source(source, given.get("scraper"), settings)
    extra = _extra(given)
    chosen = json.dumps(_without_empty({"source": where} | extra))
    columns = _columns(given) | {"scraper": label, "extra": chosen}
    columns.setdefault("name", subdomain)
    row = {"subdomain": subdomain, **columns}
    _check(row, extra, settings)
    with db.civic_db_connection() as conn:
        db.upsert_site(conn, row)
    plugins.manager().hook.post_create(subdomain=subdomain)
    click.echo(f"Added {subdomain}, fetched by {label!r} from {where}.")
    hint(f"Next: clerk {'run' if settings.embedded else 'update -s'} {subdomain}")


def _source(source: str, scraper: str | None, settings: Any) -> tuple[str, str]:
    from clerk.fetch import discover

    where = existing_path(source)
    path = Path(where)
    if not source or ("://" not in where and not path.is_dir() and not path.is_file()):
        raise InvalidInput(
            f"{source!r} is neither a folder nor a file nor a URL.",
            hint="Give a folder of PDFs, a list of URLs (text or CSV), or a portal's address.",
        )
    if path.is_file() and path.suffix.lower() == ".pdf":
        raise InvalidInput(
            f"{source!r} is a document, not a list of them.",
            hint=f"Give the folder it is in: --from {shlex.quote(str(path.parent))}",
        )
    return (scraper, where) if scraper else discover.discover(where, settings)


def _columns(given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in COLUMNS if given.get(name) is not None}


def _extra(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that were given; None stands for one that is to be removed."""
    extra: dict[str, Any] = {}
    for name in ("pattern", "ocr_backend"):
        if given.get(name):
            extra[name] = given[name]
    if given.get("mapping"):
        extra["mapping"] = existing_path(given["mapping"])
    if given.get("languages"):
        extra["languages"] = list(given["languages"])
    for pair in given.get("further") or ():
        key, mark, value = pair.partition("=")
        if not mark:
            raise InvalidInput(f"--set takes KEY=VALUE, not {pair!r}.")
        if key == "source":
            raise InvalidInput("The source is changed with --from.")
        extra[key] = _value(value) if value else None
    return extra


def _without_empty(extra: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in extra.items() if value is not None}


def _check(row: dict[str, Any], extra: dict[str, Any], settings: Any) -> None:
    """Refuse what cannot work before it is written down."""
    from clerk.fetch import discover
    from clerk.pipeline.steps import check_reading
    from clerk.publish import check_targets

    discover.check_choices(row, extra)
    if extra:
        check_reading(row, settings)
        check_targets(row)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


@site.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_sites(as_json: bool) -> None:
    """List the sites and where they stand.

    \b
    Example:
      clerk site list --json
    """
    open_database()
    from clerk.core import db
    from clerk.pipeline import sites

    with db.reading_connection() as conn:
        found = sites.overview(conn)
    if as_json:
        print_json(found)
    elif not found:
        hint("There are no sites yet. Add one: clerk site add NAME --from FOLDER")
    else:
        rows = [
            (
                s["subdomain"],
                s["name"] or "",
                s["outcome"],
                f"{s['read']}/{s['documents']}",
                s["failed"] or "",
                s["cancelled"] or "",
                _moment(s["updated_at"]),
            )
            for s in found
        ]
        print_table(("SITE", "NAME", "STATE", "READ", "FAILED", "CANCELLED", "UPDATED"), rows)


def _moment(value: Any) -> str:
    return value.strftime("%Y-%m-%d %H:%M") if value else "never"


@site.command()
@click.argument("subdomain")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(subdomain: str, as_json: bool) -> None:
    """Show one site: stages, counters against disk, last runs.

    \b
    Example:
      clerk site show springfield
    """
    settings = open_database()
    from clerk.ops import health
    from clerk.pipeline import sites

    facts = sites.describe(subdomain)
    folder = storage.site_folder(settings.storage_dir, subdomain)
    facts["differences"] = health.disk_differences(facts, folder)
    if as_json:
        print_json(facts)
        return
    click.echo(f"{facts['name']} ({subdomain}): {facts['outcome']}")
    click.echo(f"  from     {facts['source'] or '-'} by {facts['scraper'] or '-'}")
    for name, value in sorted(facts["settings"].items()):
        click.echo(f"  setting  {name}={value if isinstance(value, str) else json.dumps(value)}")
    click.echo(f"  updated  {_moment(facts['updated_at'])}")
    if facts["last_error_message"]:
        click.echo(f"  error    {facts['last_error_stage']}: {facts['last_error_message']}")
    disk = facts["disk"]
    click.echo(f"  on disk  {disk['pdfs']} PDFs, {disk['texts']} read")
    if facts["gone"]:
        click.echo(f"  gone     {len(facts['gone'])} not offered any more by the source, but kept")
    for difference in facts["differences"]:
        click.echo(f"  differs  {difference}")
    print_table(
        ("  STAGE", "TOTAL", "COMPLETED", "FAILED", "CANCELLED"),
        [
            (f"  {s['stage']}", s["total"], s["completed"], s["failed"], s["cancelled"])
            for s in facts["stages"]
        ],
    )
    for run in facts["runs"]:
        ended = f"{run['state']}{': ' + run['reason'] if run['reason'] else ''}"
        click.echo(f"  run {run['epoch']}  {_moment(run['created_at'])}  {ended}")


@site.command()
@click.argument("subdomain")
@click.option("--from", "source", help="Another folder, list or portal.")
@_facts
def edit(subdomain: str, source: str | None, **given: Any) -> None:
    """Change what is known about a site; what is not given stays.

    \b
    Examples:
      clerk site edit springfield --name "City of Springfield" --language spa
      clerk site edit springfield --set deploy_to=local:///srv/www
      clerk site edit springfield --set deploy_to=
    """
    if not source and not any(value for value in given.values()):
        raise click.UsageError("Nothing to change was given.")
    settings = open_database()
    from clerk.core import db
    from clerk.pipeline.steps import site_choices

    with db.reading_connection() as conn:
        row = db.require_site(conn, subdomain)
    columns, extra, chosen = _columns(given), _extra(given), site_choices(row)
    if source:
        columns["scraper"], chosen["source"] = _source(source, given.get("scraper"), settings)
    columns["extra"] = json.dumps(_without_empty(chosen | extra))
    _check(row | columns, extra, settings)
    with db.civic_db_connection() as conn:
        db.update_site(conn, subdomain, columns)
    click.echo(f"Changed {subdomain}.")


@site.command()
@click.argument("subdomain")
@click.option("--files", is_flag=True, help="Delete its files too, and unpublish it.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def remove(subdomain: str, files: bool, yes: bool) -> None:
    """Stop following a site.

    Its files stay, and it stays published, unless --files is given.

    \b
    Example:
      clerk site remove springfield --yes
    """
    settings = open_database()
    from clerk.core import db
    from clerk.pipeline import sites

    with db.reading_connection() as conn:
        db.require_site(conn, subdomain)
    question = f"Remove {subdomain}{' and all its files' if files else ''}?"
    if not yes:
        confirm(question)
    left = sites.remove(subdomain, settings, files=files)
    click.echo(f"Removed {subdomain}{' and its files' if files else '; its files stay'}.")
    if left.published:
        versions = left.published.parent / ".versions" / subdomain
        hint(f"It stays published at {left.published}. Unpublish it:")
        hint(f"  rm -r {shlex.quote(str(left.published))} {shlex.quote(str(versions))}")
    for target in left.targets:
        hint(f"It stays at {target}, where clerk deletes nothing: remove it there.")
