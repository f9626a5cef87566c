"""``clerk site``: add, list, change and remove sites."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import sys
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from clerk.core import storage
from clerk.core.config import Settings
from clerk.core.errors import ClerkError, InvalidInput

from .common import (
    confirm,
    existing_path,
    hint,
    json_option,
    moment,
    numbered,
    on_a_terminal,
    open_database,
    operator,
    print_json,
    print_table,
)
from .previews import client_opener, show_preview

#: Options of ``site add`` and ``site edit`` that are columns of the site.
COLUMNS = ("name", "state", "kind", "country", "start_year", "scraper")


@click.group()
def site() -> None:
    """Add, list, change and remove sites.

    \b
    Examples:
      clerk site add springfield --from ~/minutes --name "Springfield" --state IL
      clerk site list
      clerk site show springfield
    """


def _facts(command: Any) -> Any:
    """Add the options that describe a site."""
    options = [
        click.option("--name", help="Display name."),
        click.option("--state", help="State, such as IL."),
        click.option("--kind", help="Kind, such as city, county or school district."),
        click.option("--country", help="Country, such as US."),
        click.option("--start-year", type=click.IntRange(1600, 2100), help="First year to fetch."),
        click.option("--scraper", help="Fetcher to use; detected from --from."),
        click.option("--pattern", help="Pattern of paths in a folder: {kind}/{meeting}/{date}."),
        click.option("--mapping", help="CSV file with columns path, meeting, date, kind."),
        click.option(
            "--language", "languages", multiple=True, help="Language for OCR, such as eng or spa."
        ),
        click.option("--ocr-backend", help="OCR engine for this site."),
        click.option(
            "--set",
            "further",
            multiple=True,
            metavar="KEY=VALUE",
            help="Another setting of the fetcher; repeatable.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _permission(command: Any) -> Any:
    """Add the options that record a permission to fetch what robots.txt refuses."""
    options = [
        click.option("--permission-from", help="Who allowed fetching despite robots.txt."),
        click.option("--permission-reason", help="How and why; kept in the audit log."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@site.command()
@click.argument("subdomain")
@click.option("--from", "source", help="Folder, list of URLs, or portal.")
@click.option("--dry-run", is_flag=True, help="Show what is found; add nothing.")
@click.option("--no-preview", is_flag=True, help="Add it without asking the source.")
@_permission
@_facts
def add(subdomain: str, source: str | None, dry_run: bool, no_preview: bool, **given: Any) -> None:
    """Add a site.

    A portal is listed once and shown before it is added. With a URL in place of a name, the
    site is named after its host.

    \b
    Examples:
      clerk site add springfield --from ./pdfs
      clerk site add springfield --from documents.csv --state IL
      clerk site add columbus --from https://columbus.legistar.com
      clerk site add https://columbus.legistar.com --dry-run
    """
    if source is None and "://" in subdomain:
        source, subdomain = subdomain, _name_of_host(subdomain)
    if source is None:
        raise click.UsageError("Missing option '--from'.")
    storage.check_subdomain(subdomain)
    settings = open_database()
    from clerk.core import db, plugins

    with db.reading_connection() as conn:
        if db.get_site_by_subdomain(conn, subdomain):
            raise InvalidInput(
                f"The site {subdomain!r} exists already.",
                hint=f"Change it: clerk site edit {subdomain} --from {shlex.quote(source)}",
            )
    permission = _given_permission(given)
    label, where = _source(source, given.get("scraper"))
    if "://" in where and not no_preview:
        label, where, permission = _look_at(source, given, settings, permission)
    elif dry_run:
        _show_local(label, where)
    if dry_run:
        hint("Nothing was added.")
        return
    extra = _extra(given)
    if permission:
        extra["permission"] = permission
    chosen = json.dumps(_without_empty({"source": where} | extra))
    columns = _columns(given) | {"scraper": label, "extra": chosen}
    columns.setdefault("name", subdomain)
    row = {"subdomain": subdomain, **columns}
    _check(row, extra, settings)
    with db.civic_db_connection() as conn:
        db.upsert_site(conn, row)
        _audit_permission(conn, subdomain, permission)
    plugins.manager().hook.post_create(subdomain=subdomain)
    click.echo(f"Added {subdomain}, fetched by {label!r} from {where}.")
    hint(f"Next: clerk {'run' if settings.embedded else 'update -s'} {subdomain}")


def _name_of_host(url: str) -> str:
    """Return a name for a site from its host: that of the town, if a vendor's host has one."""
    host = (urlsplit(url).hostname or "").removeprefix("www.")
    return re.sub(r"[^a-z0-9-]+", "-", host.split(".")[0]).strip("-")


def _source(source: str, scraper: str | None) -> tuple[str, str]:
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
    if "://" in where and not re.match(r"https?://[^/\s]", where, re.IGNORECASE):
        raise InvalidInput(
            f"{source!r} is not an http or https address.",
            hint="Give a portal's address as in https://springfield.example/minutes, or a folder.",
        )
    return (scraper, where) if scraper else discover.detect(where)


def _look_at(
    source: str, given: dict[str, Any], settings: Settings, permission: dict[str, str] | None
) -> tuple[str, str, dict[str, str] | None]:
    """List what is at an address, show it, and return the fetcher and the source to use.

    A host that does not respond now is no reason to refuse a portal that is known by its address;
    a page in which nothing is found is.
    """
    from clerk.fetch.candidates import find_source
    from clerk.fetch.discover import find_fetcher
    from clerk.fetch.http.responses import NotUnderstood, RobotsRefused

    scraper = given.get("scraper") or ""
    if scraper:
        find_fetcher({"subdomain": source, "scraper": scraper})
    hint(f"Looking at {source} ...")
    opened = client_opener(settings, permitted=permission is not None)
    found = find_source(source, opened, scraper=scraper)
    refused = next((e for _, e in found.failed if isinstance(e, RobotsRefused)), None)
    if refused and not found.tried:
        permission = _ask_for_permission(refused)
        found = find_source(source, client_opener(settings, permitted=True), scraper=scraper)
    if not found.best:
        candidate, error = found.failed[0]
        sure = scraper or candidate.scraper != "plain"
        if not sure or (isinstance(error, NotUnderstood) and not scraper):
            raise error
        hint(f"{candidate.source} could not be listed: {error}")
        return candidate.scraper, candidate.source, permission
    chosen = 0
    for number, (candidate, preview) in enumerate(found.tried, 1):
        if len(found.tried) > 1:
            click.echo(f"[{number}]", nl=False)
        show_preview(preview, candidate.found_in)
    if len(found.tried) > 1:
        hint(f"The first of {len(found.tried)} is used; name another one with --from.")
        if on_a_terminal() and sys.stdin.isatty():
            numbers = click.IntRange(1, len(found.tried))
            chosen = click.prompt("Which one", type=numbers, default=1, err=True) - 1
    candidate, _ = found.tried[chosen]
    return candidate.scraper, candidate.source, permission


def _ask_for_permission(refused: ClerkError) -> dict[str, str]:
    """Ask who allowed what robots.txt refuses; without an answer it is refused."""
    if not (on_a_terminal() and sys.stdin.isatty()):
        raise type(refused)(
            str(refused),
            hint="With the town's permission: --permission-from WHO --permission-reason WHY.",
        )
    hint(str(refused))
    who = click.prompt("Who gave permission to fetch it (empty to stop)", default="", err=True)
    if not who:
        raise refused
    reason = click.prompt("How, and for what", err=True)
    return _permission_record(who, reason)


def _permission_record(who: str, reason: str) -> dict[str, str]:
    return {
        "granted_by": who,
        "reason": reason,
        "recorded_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "recorded_by": operator(),
    }


def _given_permission(given: dict[str, Any]) -> dict[str, str] | None:
    who, reason = given.get("permission_from"), given.get("permission_reason")
    if bool(who) != bool(reason):
        raise InvalidInput("Give both --permission-from and --permission-reason.")
    return _permission_record(who, reason) if who and reason else None


def _audit_permission(conn: Any, subdomain: str, permission: dict[str, str] | None) -> None:
    from clerk.pipeline import ledger

    if permission:
        detail = f"by {permission['granted_by']}: {permission['reason']}"
        ledger.audit(conn, operator(), "permission to fetch recorded", subdomain, detail)


def _show_local(label: str, where: str) -> None:
    """Show what a folder or list on this machine has."""
    from clerk.fetch.base import Window
    from clerk.fetch.discover import registered
    from clerk.fetch.preview import list_source

    if label not in registered():
        return
    site = {"subdomain": "", "scraper": label, "extra": {"source": where}}
    everything = Window(date(1600, 1, 1), date(2100, 12, 31), full=True)
    show_preview(list_source(registered()[label], site, None, everything))


def _columns(given: dict[str, Any]) -> dict[str, Any]:
    return {name: given[name] for name in COLUMNS if given.get(name) is not None}


def _extra(given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that were given; None removes a setting."""
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
            raise InvalidInput("Use --from to change the source.")
        try:
            extra[key] = json.loads(value) if value else None
        except ValueError:
            extra[key] = value
    return extra


def _without_empty(extra: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in extra.items() if value is not None}


def _check(row: dict[str, Any], extra: dict[str, Any], settings: Settings) -> None:
    """Raise an error for settings that cannot work, before they are stored."""
    from clerk.fetch import discover
    from clerk.pipeline.steps import check_reading
    from clerk.publish import check_targets

    discover.check_choices(row, extra)
    if extra:
        check_reading(row, settings)
        check_targets(row)


@site.command("list")
@json_option
def list_sites(as_json: bool) -> None:
    """List the sites and their state.

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
        print_json([vars(each) for each in found])
    elif not found:
        hint("There are no sites yet. Add one: clerk site add NAME --from FOLDER")
    else:
        rows = [
            (
                s.subdomain,
                s.name or "",
                s.outcome,
                f"{s.read}/{s.documents}",
                s.failed or "",
                s.cancelled or "",
                moment(s.updated_at, "never"),
            )
            for s in found
        ]
        print_table(("SITE", "NAME", "STATE", "READ", "FAILED", "CANCELLED", "UPDATED"), rows)


@site.command()
@click.argument("subdomain")
@json_option
def show(subdomain: str, as_json: bool) -> None:
    """Show the stages, files and last runs of a site.

    \b
    Example:
      clerk site show springfield
    """
    settings = open_database()
    from clerk.pipeline import sites

    facts = sites.describe(settings.storage_dir, subdomain).as_dict()
    if as_json:
        print_json(facts)
        return
    click.echo(f"{facts['name']} ({subdomain}): {facts['outcome']}")
    click.echo(f"  from     {facts['source'] or '-'} by {facts['scraper'] or '-'}")
    if facts["settings_error"]:
        click.echo(f"  {facts['settings_error']}")
    for name, value in sorted(facts["settings"].items()):
        click.echo(f"  setting  {name}={value if isinstance(value, str) else json.dumps(value)}")
    click.echo(f"  updated  {moment(facts['updated_at'], 'never')}")
    if facts["last_error_message"]:
        click.echo(f"  error    {facts['last_error_stage']}: {facts['last_error_message']}")
    disk = facts["disk"]
    click.echo(f"  on disk  {disk['pdfs']} PDFs, {disk['texts']} read")
    if facts["gone"]:
        click.echo(f"  gone     {len(facts['gone'])} no longer offered by the source, but kept")
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
        click.echo(f"  run {run['epoch']}  {moment(run['created_at'])}  {ended}")
    if earlier := facts["earlier_runs"]:
        number = numbered(earlier["runs"], "run")
        read = numbered(earlier["documents_read"], "document")
        days = f"{earlier['first_day']} to {earlier['last_day']}"
        click.echo(f"  before   {days}: {number}, {earlier['failed']} failed; {read} read")


@site.command()
@click.argument("subdomain")
@click.option("--from", "source", help="New folder, list or portal.")
@_permission
@_facts
def edit(subdomain: str, source: str | None, **given: Any) -> None:
    """Change a site; options not given stay as they are.

    \b
    Examples:
      clerk site edit springfield --name "City of Springfield" --language spa
      clerk site edit springfield --set deploy_to=local:///srv/www
      clerk site edit springfield --set deploy_to=
    """
    if not source and not any(value for value in given.values()):
        raise click.UsageError("Give at least one option to change.")
    settings = open_database()
    from clerk.core import db, manifest
    from clerk.core.errors import BadSetting
    from clerk.core.site_extra import site_extra

    with db.reading_connection() as conn:
        row = db.require_site(conn, subdomain)
    columns, extra, chosen = _columns(given), _extra(given), dict[str, Any]()
    with contextlib.suppress(BadSetting):
        # What cannot be read is written again from what is given now.
        chosen = site_extra(row)
    permission = _given_permission(given)
    if source:
        label, where = _source(source, given.get("scraper"))
        if "://" in where and not given.get("scraper"):
            label, where, permission = _look_at(source, given, settings, permission)
        columns["scraper"], chosen["source"] = label, where
    if permission:
        chosen["permission"] = permission
    columns["extra"] = json.dumps(_without_empty(chosen | extra))
    _check(row | columns, extra, settings)
    with db.civic_db_connection() as conn:
        db.update_site(conn, subdomain, columns)
        manifest.announce_site(conn, subdomain, manifest.FACTS)
        _audit_permission(conn, subdomain, permission)
    click.echo(f"Changed {subdomain}.")


@site.command()
@click.argument("subdomain")
@click.option("--files", is_flag=True, help="Also delete its files and unpublish it.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def remove(subdomain: str, files: bool, yes: bool) -> None:
    """Remove a site.

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
        hint(f"It stays at {target}; clerk deletes nothing there: remove it manually.")
