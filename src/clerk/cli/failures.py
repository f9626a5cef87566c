"""``clerk failures``: list failed documents by cause, retry or skip them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Any, TypedDict, Unpack

import click

from clerk.core.states import STAGES

from .common import (
    confirm,
    hint,
    json_option,
    numbered,
    open_database,
    operator,
    plain,
    print_json,
    print_table,
)

if TYPE_CHECKING:
    from clerk.pipeline.failures import Failure, Filter, SelectionResult

#: At most this many failures are named in a preview; the rest is counted.
NAMED = 20


class GivenFilter(TypedDict):
    """The options that select failures; what was not given is None."""

    site: str | None
    stage: str | None
    error: str | None
    document: str | None
    quarantined: bool


class GivenSelection(GivenFilter):
    """And those that freeze, preview and confirm a selection."""

    everything: bool
    listed: IO[str] | None
    dry_run: bool
    yes: bool


def _filters(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that select failures."""
    options = [
        click.option("--site", metavar="SITE", help="Only failures of this site."),
        click.option("--stage", type=click.Choice(STAGES), help="Only failures of this stage."),
        click.option(
            "--error", metavar="TEXT", help="Only errors with this text, such as EncryptedPdf."
        ),
        click.option("--document", metavar="NAME", help="File, URL or name; * is a wildcard."),
        click.option(
            "--quarantined", is_flag=True, help="Only documents that killed their process."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _selection(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the filters, and the options to freeze, preview and confirm a selection."""
    options = [
        click.option("--all", "everything", is_flag=True, help="Select all failures."),
        click.option(
            "--from",
            "listed",
            type=click.File("r"),
            help="Select the failures in a file from 'failures list --each --json'.",
        ),
        click.option("--dry-run", is_flag=True, help="Show the selection; change nothing."),
        click.option("--yes", is_flag=True, help="Do not ask for confirmation."),
    ]
    for option in reversed(options):
        command = option(command)
    return _filters(command)


@click.group()
def failures() -> None:
    """List failed documents; retry or skip them.

    \b
    Examples:
      clerk failures list
      clerk failures retry --error SourceUnavailable
      clerk failures skip --site springfield --reason "scanned twice"
    """


@failures.command("list")
@_filters
@click.option("--each", is_flag=True, help="Print a line per failure instead of per cause.")
@json_option
def list_failures(each: bool, as_json: bool, **given: Unpack[GivenFilter]) -> None:
    """List failures by stage and error.

    Each group is shown with the usual remedy.

    \b
    Examples:
      clerk failures list --site springfield
      clerk failures list --each --json > failures.json
    """
    open_database()
    from clerk.pipeline import failures as found

    wanted = _filter(given)
    groups = [] if each else found.find_groups(wanted)
    selected = found.find(wanted) if each else []
    if as_json:
        by_cause = [
            {
                "stage": group.stage,
                "error": group.kind,
                "documents": group.failed.documents,
                "steps": group.failed.steps,
                "sites": group.sites,
                "remedy": group.remedy,
            }
            for group in groups
        ]
        print_json([*map(_as_dict, selected), *by_cause])
        return
    if not (selected or groups):
        hint("Nothing failed.")
    elif each:
        rows = [(one.id, one.subdomain, one.stage, _name(one), one.error) for one in selected]
        print_table(("ID", "SITE", "STAGE", "DOCUMENT", "ERROR"), rows)
    for group in groups:
        sites = ", ".join(group.sites[:5])
        more = f" and {len(group.sites) - 5} more" if len(group.sites) > 5 else ""
        click.echo(f"{group.failed.all:6}  {group.stage}: {group.kind}")
        click.echo(f"        sites: {sites}{more}")
        click.echo(f"        {group.remedy}")


def _as_dict(failure: Failure) -> dict[str, object]:
    return asdict(failure) | {"kind": failure.kind, "remedy": failure.remedy}


def _name(failure: Failure) -> str:
    if failure.document:
        return failure.file or failure.document
    return f"({failure.documents} without a name)" if failure.step == "carried" else failure.step


@failures.command()
@click.argument("ids", nargs=-1, required=True, type=int, metavar="ID...")
@json_option
def show(ids: tuple[int, ...], as_json: bool) -> None:
    """Show the details of failures.

    \b
    Example:
      clerk failures show 4711
    """
    open_database()
    from clerk.pipeline.failures import find_by_id

    selected = find_by_id(ids)
    if as_json:
        print_json([*map(_as_dict, selected)])
        return
    for one in selected:
        ended = one.finished_at or "not dated"
        click.echo(plain(f"{one.id}  {one.subdomain}  {_name(one)}"))
        if one.document not in ("", _name(one)):
            click.echo(plain(f"  filed as {one.document}"))
        click.echo(f"  {one.state} in {one.stage}, run {one.run_id}, {ended}")
        click.echo(plain(f"  {one.error}"))
        click.echo(
            f"  tried {numbered(one.attempt, 'time')}: {numbered(one.errors, 'error')},"
            f" {numbered(one.crashes, 'crash', 'crashes')}, {numbered(one.lost, 'lost worker')}"
        )
        if one.sha256:
            click.echo(f"  sha256 {one.sha256}, {one.bytes or 'unknown'} bytes")
        click.echo(f"  {one.remedy}")


@failures.command()
@_selection
@click.option("--ocr-backend", metavar="NAME", help="Use this OCR engine.")
@click.pass_context
def retry(ctx: click.Context, /, ocr_backend: str | None, **given: Unpack[GivenSelection]) -> None:
    """Retry failed documents and failed steps.

    Each retried document is removed from the failed count until it finishes.

    \b
    Examples:
      clerk failures retry --error PagesFailed --ocr-backend tesseract --dry-run
      clerk failures retry --site springfield --yes
    """
    settings = open_database()
    from clerk.pipeline import failures as found
    from clerk.read.ocr import find_backend

    if ocr_backend:
        find_backend(ocr_backend)
    selected = _select(given)
    if not _confirmed(selected, "Retry", given):
        return
    decided = found.retry(settings, selected, who=operator(), ocr_backend=ocr_backend)
    _report(ctx, decided, "Retrying")
    if decided.sites and settings.embedded:
        hint(f"Next: clerk run {' '.join(decided.sites[:5])}")


@failures.command()
@_selection
@click.option(
    "--reason", required=True, metavar="TEXT", help="The reason; stored in the audit log."
)
@click.pass_context
def skip(ctx: click.Context, /, reason: str, **given: Unpack[GivenSelection]) -> None:
    """Skip failed documents, now and in later runs.

    They are removed from the counts.  A document whose bytes change is read
    again.

    \b
    Example:
      clerk failures skip --error EncryptedPdf --reason "nobody has the password"
    """
    settings = open_database()
    from clerk.pipeline import failures as found

    selected = _select(given)
    if _confirmed(selected, "Skip", given):
        _report(ctx, found.skip(settings, selected, who=operator(), why=reason), "Skipped")


def _filter(given: GivenFilter | GivenSelection) -> Filter:
    from clerk.pipeline.failures import Filter

    return Filter(
        site=given["site"],
        stage=given["stage"],
        error=given["error"],
        document=given["document"],
        quarantined=given["quarantined"],
    )


def _select(given: GivenSelection) -> list[Failure]:
    """Return the failures that the options select."""
    from clerk.pipeline.failures import Filter, find, parse_selection

    if given["listed"] is not None:
        try:
            parsed = json.load(given["listed"])
        except ValueError as error:
            raise click.BadParameter(f"not JSON: {error}", param_hint="--from") from error
        if not isinstance(parsed, list):
            raise click.BadParameter("not a list of failures", param_hint="--from")
        return parse_selection(parsed)
    wanted = _filter(given)
    if wanted == Filter() and not given["everything"]:
        raise click.UsageError("Select failures with options, or use --all.")
    return find(wanted)


def _confirmed(selected: Sequence[Failure], verb: str, given: GivenSelection) -> bool:
    """Show the selection, and ask whether to go on."""
    if not selected:
        hint("No failure matches.")
        return False
    from clerk.pipeline.failures import count_failed

    failed, sites = count_failed(selected), len({one.subdomain for one in selected})
    for one in selected[:NAMED]:
        click.echo(plain(f"  {one.id}  {one.subdomain}  {_name(one)}: {one.error}"))
    if len(selected) > NAMED:
        click.echo(f"  ... and {len(selected) - NAMED} more")
    if given["dry_run"]:
        click.echo(f"Would {verb.lower()} {failed} of {numbered(sites, 'site')}")
        return False
    if not given["yes"]:
        confirm(f"{verb} {failed} of {numbered(sites, 'site')}?")
    return True


def _report(ctx: click.Context, decided: SelectionResult, verb: str) -> None:
    click.echo(f"{verb} {decided.done} of {numbered(len(decided.sites), 'site')}")
    if decided.changed:
        click.echo(f"Not touched: {decided.changed} that have changed since they were listed")
    for subdomain, why in decided.refused.items():
        hint(f"{subdomain}: {why}")
    if not decided.sites:
        ctx.exit(1)
