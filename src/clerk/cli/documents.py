"""``clerk documents``: what the documents of a site are taken for, and correcting it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from clerk.identify.facts import KINDS, Fact

from .common import (
    confirm,
    hint,
    json_option,
    numbered,
    on_a_terminal,
    open_database,
    operator,
    plain,
    print_json,
    print_table,
)
from .previews import print_identities

if TYPE_CHECKING:
    from clerk.ops.document_facts import IdentifiedDocument

#: How many are printed; all are used.
SHOWN = 500


@click.group()
def documents() -> None:
    """Show and correct what documents are.

    \b
    Examples:
      clerk documents list springfield --doubtful
      clerk documents set springfield scan-2-2.pdf --date 2024-06-12
    """


@documents.command("list")
@click.argument("site")
@click.option(
    "--match",
    "pattern",
    default="",
    metavar="PATTERN",
    help="Only documents that match, such as '*.pdf'.",
)
@click.option("--kind", type=click.Choice((*KINDS, "unknown")), help="Only documents of this kind.")
@click.option("--doubtful", is_flag=True, help="Only documents that a person should check.")
@json_option
def list_documents(
    site: str, pattern: str, kind: str | None, doubtful: bool, as_json: bool
) -> None:
    """List documents and what they are.

    Doubtful documents come first, each with its doubts; long names are
    shortened. `clerk documents show` and --json print everything.

    \b
    Examples:
      clerk documents list springfield --doubtful
      clerk documents list springfield --match 'minutes/2024/*' --json
    """
    open_database()
    from clerk.ops import document_facts

    found = document_facts.list_documents(site, pattern, kind=kind or "", doubtful=doubtful)
    if as_json:
        print_json([_plain(each) for each in found])
        return
    print_identities(
        (each.date, each.kind, each.body, each.file, each.doubts) for each in found[:SHOWN]
    )
    doubts = sum(bool(each.doubts) for each in found)
    hint(f"{numbered(len(found), 'document')}, {doubts} in doubt.")
    if len(found) > SHOWN:
        hint(f"The first {SHOWN} are shown; --json has all.")


def _plain(each: IdentifiedDocument) -> dict[str, object]:
    facts = asdict(each)
    facts.pop("parts")
    return facts


@documents.command()
@click.argument("site")
@click.argument("document")
@json_option
def show(site: str, document: str, as_json: bool) -> None:
    """Show what one document is, and why.

    DOCUMENT is a file or URL at the source, or a document name.  Prints the
    evidence, any contradictions, and the parts of a packet.

    \b
    Example:
      clerk documents show springfield 'packets/February-3-2026.pdf'
    """
    open_database()
    from clerk.ops import document_facts

    found = document_facts.find_document(site, document)
    if as_json:
        print_json(asdict(found))
        return
    click.echo(plain(f"{found.file}  ({found.name})"))
    identity = found.identity
    for name in ("date", "body", "kind", "title"):
        fact: Fact = getattr(identity, name)
        click.echo(plain(f"  {name:6} {getattr(found, name) or 'unknown'}{_told(fact)}"))
        for other in identity.others:
            if other.field == name:
                # What a person said may be another reading of the page.
                word = "also" if other.fact.value == str(getattr(found, name)) else "but"
                click.echo(plain(f"         {word} {other.fact.value}{_told(other.fact)}"))
    for doubt in found.doubts:
        click.echo(f"  doubt  {doubt}")
    if found.parts:
        rows = [
            (
                f"  {part.first_page}-{part.last_page}",
                *(part.kind or "-", part.date or "-", part.body or "-"),
                title if len(title) <= 50 else f"{title[:49]}…",
                _PLACES[part.of_other_place],
            )
            for part in found.parts
            for title in [part.title or "-"]
        ]
        print_table(("  PAGES", "KIND", "DATE", "BODY", "TITLE", ""), rows)


#: Whose a part of a packet is.
_PLACES = {True: "other place", False: "", None: "place unknown"}


def _told(fact: Fact) -> str:
    """Say where a fact comes from."""
    if not fact.source:
        return ""
    words = fact.source.replace("_", " ")
    if fact.page:
        words += f" {fact.page}"
    if fact.quote and fact.quote != fact.value:
        words += f": {' '.join(fact.quote.split())!r}"
    return f"  [{words}, {100 * fact.confidence:.0f} %]"


@documents.command("set")
@click.argument("site")
@click.argument("pattern")
@click.option("--date", help="Date of the meeting, such as 2024-01-15, or 'unknown'.")
@click.option("--body", help="Body that met, such as 'City Council', or 'unknown'.")
@click.option("--kind", help=f"One of {', '.join(KINDS)}, or 'unknown'.")
@click.option("--title", help="Title, or 'unknown'.")
@click.option("--undo", is_flag=True, help="Remove earlier corrections instead.")
@click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def set_facts(
    site: str, pattern: str, undo: bool, dry_run: bool, yes: bool, **given: str | None
) -> None:
    """Correct dates, bodies, kinds and titles.

    PATTERN is a file or URL at the source, or a document name; * and ? are
    wildcards.  Corrections survive later fetches and readings and are recorded
    in the audit log.

    \b
    Examples:
      clerk documents set springfield scan-2-2.pdf --date 2024-06-12
      clerk documents set springfield 'board/*' --body Trustees --dry-run
      clerk documents set springfield scan-2-2.pdf --undo
    """
    settings = open_database()
    from clerk.ops import document_facts

    said = {name: value for name, value in given.items() if value is not None}
    if undo == bool(said):
        raise click.UsageError("Give either --undo or what to set.")
    found = document_facts.list_documents(site, pattern)
    if not found:
        from clerk.core.errors import NotFound

        raise NotFound(
            f"No document of {site} matches {pattern!r}.",
            hint=f"Find it: clerk documents list {site} --match '*WORD*'",
        )
    if undo:
        names = [each.name for each in found if each.corrected]
        for each in found:
            if each.corrected:
                click.echo(plain(f"{each.file}: {', '.join(each.corrected)} as found"))
    else:
        checked = document_facts.check_said(said)
        planned = document_facts.plan(found, checked)
        names = [each.name for each in planned]
        for change in planned[:SHOWN]:
            words = ", ".join(
                f"{name} {before or 'unknown'} "
                + ("confirmed" if before == after else f"-> {after or 'unknown'}")
                for name, (before, after) in change.changes.items()
            )
            click.echo(plain(f"{change.file}: {words}"))
    if dry_run or not names:
        hint(f"{numbered(len(names), 'document')} would change." if names else "Nothing to change.")
        return
    if len(names) > 1 and not yes and on_a_terminal():
        confirm(f"Change {len(names)} documents?")
    if undo:
        changed = document_facts.withdraw(settings.sql_url, site, names, who=operator())
    else:
        changed = document_facts.correct(settings.sql_url, site, names, checked, who=operator())
    click.echo(f"Changed {numbered(changed, 'document')} of {site}.")
    hint(f"To update pages and votes: clerk {'run' if settings.embedded else 'update -s'} {site}")
