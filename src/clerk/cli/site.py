"""``clerk site``: add, list, change and remove sites."""

from __future__ import annotations

import json
import re
import shlex
import sys
from datetime import date
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast
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
    plain,
    print_json,
    print_table,
)
from .previews import show_first_look, show_preview

if TYPE_CHECKING:
    from clerk.core.site_extra import SiteRow
    from clerk.fetch.candidates import Candidate


@click.group()
def site() -> None:
    """Add, list, change and remove sites.

    \b
    Examples:
      clerk site add springfield --from ~/minutes --name "Springfield" --state IL
      clerk site list
      clerk site show springfield
    """


class GivenFacts(TypedDict):
    """The options that describe a site; what was not given is None."""

    name: str | None
    state: str | None
    kind: str | None
    country: str | None
    lat: float | None
    lng: float | None
    start_year: int | None
    scraper: str | None
    pattern: str | None
    mapping: str | None
    languages: tuple[str, ...]
    ocr_backend: str | None
    further: tuple[str, ...]
    permission_from: str | None
    permission_reason: str | None


def _facts(command: Any) -> Any:
    """Add the options that describe a site."""
    options = [
        click.option("--name", help="Display name."),
        click.option("--state", help="State, such as IL."),
        click.option("--kind", help="Kind, such as city, county or school district."),
        click.option("--country", help="Country, such as US."),
        click.option("--lat", type=click.FloatRange(-90, 90), help="Latitude, for the map."),
        click.option("--lng", type=click.FloatRange(-180, 180), help="Longitude, for the map."),
        click.option("--start-year", type=click.IntRange(1600, 2100), help="First year to fetch."),
        click.option("--scraper", help="Fetcher to use; detected from --from."),
        click.option("--pattern", help="Pattern of paths in a folder: {kind}/{meeting}/{date}."),
        click.option("--mapping", help="CSV file with columns path, meeting, date, kind."),
        click.option(
            "--language", "languages", multiple=True, help="Language for OCR, such as eng or spa."
        ),
        click.option(
            "--ocr-backend", metavar="NAME", help="OCR engine for this site, such as tesseract."
        ),
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
        click.option("--permission-reason", help="How and why; stored in the audit log."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@site.command()
@click.argument("subdomain")
@click.option("--from", "source", help="Folder, list of URLs, or portal.")
@click.option("--dry-run", is_flag=True, help="Show what is found; add nothing.")
@click.option("--no-preview", is_flag=True, help="Add it without listing the source first.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@_permission
@_facts
def add(
    subdomain: str,
    source: str | None,
    dry_run: bool,
    no_preview: bool,
    yes: bool,
    **given: Unpack[GivenFacts],
) -> None:
    """Add a site.

    For a folder, a preview is shown first: the number of documents of each
    kind, ten examples, and everything in doubt.

    A portal is listed once, and the result is shown before the site is added.
    If SUBDOMAIN is a URL, the site is named after its host.

    \b
    Examples:
      clerk site add springfield --from ./pdfs
      clerk site add springfield --from documents.csv --state IL
      clerk site add columbus --from https://columbus.legistar.com
      clerk site add https://columbus.legistar.com --dry-run
    """
    from clerk.fetch.base import Window
    from clerk.fetch.discover import as_typed, registered
    from clerk.fetch.preview import list_source

    if source is None and "://" in as_typed(subdomain):
        source = as_typed(subdomain)
        # Named after its host: that of the town, if a vendor's host has one.
        host = (urlsplit(source).hostname or "").removeprefix("www.")
        subdomain = re.sub(r"[^a-z0-9-]+", "-", host.split(".")[0]).strip("-")
    if source is None:
        raise click.UsageError("Missing option '--from'.")
    source = as_typed(source)
    storage.check_subdomain(subdomain)
    settings = open_database()
    from clerk.ops import site_changes

    site_changes.require_new(subdomain, source)
    permission = _given_permission(given)
    label, where = site_changes.resolve_source(source, given["scraper"])
    found: dict[str, object] = {}
    if "://" in where and not no_preview:
        chosen, permission = _look_at(source, given, settings, permission)
        label, where, found = chosen.scraper, chosen.source, dict(chosen.settings)
    elif dry_run and label != "folder" and label in registered():
        # What a list on this machine has.
        local: SiteRow = {"subdomain": "", "scraper": label, "extra": {"source": where}}
        everything = Window(date(1600, 1, 1), date(2100, 12, 31), full=True)
        show_preview(list_source(registered()[label], local, None, everything))
    if label == "folder" and not no_preview:
        columns = _columns(given) | {"subdomain": subdomain}
        site = cast("SiteRow", columns | {"extra": {"source": where} | _extra(given)})
        looked = site_changes.look_at_folder(settings, site)
        show_first_look(looked, subdomain)
        if looked.place and not given["name"]:
            given["name"] = looked.place
            click.echo(
                f"Name: {looked.place}, as most documents print; choose another with --name."
            )
        if not (yes or dry_run) and sys.stdin.isatty() and on_a_terminal():
            confirm(f"Add {subdomain} like this?")
    if dry_run:
        hint("Nothing was added.")
        return
    site_changes.add(
        settings,
        subdomain,
        (label, where),
        _columns(given),
        found | _extra(given),
        who=operator(),
        permission=permission,
    )
    click.echo(plain(f"Added {subdomain}, fetched by {label!r} from {where}."))
    hint(f"Next: clerk {'run' if settings.embedded else 'update -s'} {subdomain}")


def _look_at(
    source: str, given: GivenFacts, settings: Settings, permission: dict[str, str] | None
) -> tuple[Candidate, dict[str, str] | None]:
    """List what is at an address, show it, and return what to use.

    A host that does not respond now is no reason to refuse a portal that is known by its address;
    a page in which nothing is found is.
    """
    from clerk.fetch.candidates import next_step
    from clerk.fetch.http.responses import NotUnderstood, RobotsRefused
    from clerk.ops import site_changes

    scraper = given["scraper"] or ""
    hint(f"Listing {source} ...")
    found = site_changes.look_at(settings, source, scraper, permitted=permission is not None)
    refused = next((e for _, e in found.failed if isinstance(e, RobotsRefused)), None)
    if refused and not found.tried:
        permission = _ask_for_permission(refused)
        found = site_changes.look_at(settings, source, scraper, permitted=True)
    if not found.best:
        candidate, error = found.failed[0]
        sure = scraper or candidate.scraper != "plain"
        if not sure or (isinstance(error, NotUnderstood) and not scraper):
            error.hint = next_step(error, source, found.pages)
            raise error
        hint(f"{candidate.source} could not be listed: {error}")
        return candidate, permission
    chosen = 0
    for number, (candidate, preview) in enumerate(found.tried, 1):
        if len(found.tried) > 1:
            click.echo(f"[{number}] ", nl=False)
        show_preview(preview, candidate.where)
    if len(found.tried) > 1:
        hint(f"The first of {len(found.tried)} is used; name another one with --from.")
        if on_a_terminal() and sys.stdin.isatty():
            numbers = click.IntRange(1, len(found.tried))
            chosen = click.prompt("Which one", type=numbers, default=1, err=True) - 1
    candidate, _ = found.tried[chosen]
    return candidate, permission


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
    from clerk.ops.site_changes import permission_record

    return permission_record(who, reason, who=operator())


def _given_permission(given: GivenFacts) -> dict[str, str] | None:
    who, reason = given["permission_from"], given["permission_reason"]
    if bool(who) != bool(reason):
        raise InvalidInput("Give both --permission-from and --permission-reason.")
    from clerk.ops.site_changes import permission_record

    return permission_record(who, reason, who=operator()) if who and reason else None


def _columns(given: GivenFacts) -> dict[str, object]:
    from clerk.ops.site_changes import COLUMNS

    return {name: value for name, value in given.items() if name in COLUMNS and value is not None}


def _extra(given: GivenFacts) -> dict[str, object]:
    """Return the settings that were given; None removes a setting."""
    extra: dict[str, object] = {}
    if given["pattern"]:
        extra["pattern"] = given["pattern"]
    if given["ocr_backend"]:
        extra["ocr_backend"] = given["ocr_backend"]
    if given["mapping"]:
        extra["mapping"] = existing_path(given["mapping"])
    if given["languages"]:
        extra["languages"] = list(given["languages"])
    from clerk.ops.site_changes import parse_setting

    return extra | dict(map(parse_setting, given["further"]))


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
@click.option("--answer", metavar="NAME", help="Print a response that was not understood.")
@json_option
def show(subdomain: str, answer: str | None, as_json: bool) -> None:
    """Show the stages, files and last runs of a site.

    \b
    Examples:
      clerk site show springfield
      clerk site show springfield --answer 20260301T060000-NotUnderstood
    """
    settings = open_database()
    from clerk.ops import activity
    from clerk.pipeline import sites

    if answer:
        click.echo(activity.text_of_answer(subdomain, answer))
        return
    details = sites.describe(settings, subdomain)
    if as_json:
        print_json(details.as_dict())
        return
    row = details.columns
    click.echo(plain(f"{row['name']} ({subdomain}): {details.outcome}"))
    click.echo(plain(f"  from     {details.source or '-'} by {row['scraper'] or '-'}"))
    if details.settings_error:
        click.echo(plain(f"  {details.settings_error}"))
    for name, value in sorted(details.settings.items()):
        shown = value if isinstance(value, str) else json.dumps(value)
        click.echo(plain(f"  setting  {name}={shown}"))
    click.echo(f"  updated  {moment(row['updated_at'], 'never')}")
    if row["last_error_message"]:
        click.echo(plain(f"  error    {row['last_error_stage']}: {row['last_error_message']}"))
    for kept in activity.kept_answers(subdomain):
        click.echo(plain(f"  answer   {kept.name} of {kept.url} ({kept.bytes} bytes)"))
    click.echo(f"  on disk  {numbered(details.disk.pdfs, 'document')}, {details.disk.texts} read")
    if details.gone:
        click.echo(f"  gone     {len(details.gone)} no longer offered by the source, but kept")
    for difference in details.differences:
        click.echo(plain(f"  differs  {difference}"))
    print_table(
        ("  STAGE", "TOTAL", "COMPLETED", "FAILED", "CANCELLED"),
        [
            (f"  {each.stage}", each.total, each.completed, each.failed, each.cancelled)
            for each in details.stages
        ],
    )
    for run in details.runs:
        ended = f"{run.state}: {run.reason}" if run.reason else run.state
        click.echo(plain(f"  run {run.epoch}  {moment(run.created_at)}  {ended}"))
    if earlier := details.earlier_runs:
        number = numbered(earlier.runs, "run")
        read = numbered(earlier.documents_read, "document")
        days = f"{earlier.first_day} to {earlier.last_day}"
        click.echo(f"  before   {days}: {number}, {earlier.failed} failed; {read} read")


@site.command()
@click.argument("subdomain")
@click.option("--from", "source", help="New folder, list or portal.")
@_permission
@_facts
def edit(subdomain: str, source: str | None, **given: Unpack[GivenFacts]) -> None:
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
    from clerk.ops import site_changes

    found: tuple[str, str] | None = None
    extra = _extra(given)
    permission = _given_permission(given)
    if source:
        found = site_changes.resolve_source(source, given["scraper"])
        if "://" in found[1] and not given["scraper"]:
            chosen, permission = _look_at(source, given, settings, permission)
            found, extra = (chosen.scraper, chosen.source), dict(chosen.settings) | extra
    site_changes.change(
        settings,
        subdomain,
        _columns(given),
        extra,
        who=operator(),
        source=found,
        permission=permission,
    )
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
