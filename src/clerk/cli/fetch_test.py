"""``clerk fetch-test``: print what a fetcher yields, without storing anything."""

from __future__ import annotations

import json
import tempfile
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clerk.core import config
from clerk.core.errors import ClerkError, InvalidInput, SourceUnavailable, UnknownPlugin

from .common import existing_path, hint, json_option, numbered, print_json
from .previews import EXAMPLES, described, show_preview
from .previews import as_json as preview_as_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clerk.core.site_extra import SiteRow
    from clerk.fetch.base import FetcherSpec
    from clerk.fetch.http.client import Client

#: At most this many addresses that are not in a recording are listed.
NOT_RECORDED_SHOWN = 5


@click.command("fetch-test")
@click.argument("source")
@click.option("--scraper", default="", help="Fetcher to use; detected from SOURCE.")
@click.option(
    "--since",
    type=click.IntRange(1600, 2100),
    default=2000,
    show_default=True,
    help="First year to list.",
)
@click.option(
    "--pages",
    type=click.IntRange(0),
    default=40,
    show_default=True,
    help="Maximum number of pages to read; 0 for all.",
)
@click.option("--all", "show_all", is_flag=True, help="Print every document.")
@click.option("--permitted", is_flag=True, help="Ignore robots.txt; use only with permission.")
@click.option(
    "--set", "further", multiple=True, metavar="KEY=VALUE", help="Setting of the fetcher."
)
@json_option
def fetch_test(
    source: str,
    scraper: str,
    since: int,
    pages: int,
    show_all: bool,
    permitted: bool,
    further: tuple[str, ...],
    as_json: bool,
) -> None:
    """Print the documents that a fetcher lists.

    SOURCE is a URL, a folder of documents, a list of URLs, or a folder of
    recorded responses with a manifest.json that lists URLs and files.  Nothing
    is stored.

    \b
    Examples:
      clerk fetch-test https://springfield.legistar.com
      clerk fetch-test ./recordings --scraper gazette --all
    """
    settings = config.load()
    from clerk.fetch.base import Window
    from clerk.fetch.candidates import client_opener, find_source
    from clerk.fetch.discover import as_typed, detect, registered
    from clerk.fetch.http.responses import RobotsRefused
    from clerk.fetch.preview import list_source
    from clerk.fetch.recording import MANIFEST, RecordedPortal

    where = existing_path(as_typed(source))
    if "://" not in where and not Path(where).exists():
        raise InvalidInput(f"{source!r} is neither a folder nor a file nor a URL.")
    opened = client_opener(settings, permitted=permitted)
    not_recorded: list[str] = []
    with tempfile.TemporaryDirectory() as pace:
        if (Path(where) / MANIFEST).is_file():
            portal = RecordedPortal(Path(where))
            where = portal.address
            opened = _recorded_opener(portal, Path(pace))
            not_recorded = portal.not_recorded
        chosen: dict[str, Any] = {}
        found_at = ""
        if not scraper:
            scraper, where = detect(where)
            if scraper == "plain":
                hint(f"Looking for the source at {where} ...")
                found = find_source(where, opened)
                if not found.best:
                    raise _with_next_step(
                        next(
                            (e for _, e in found.failed if isinstance(e, RobotsRefused)),
                            found.failed[0][1],
                        ),
                        where,
                        found.pages,
                    )
                best = found.best[0]
                scraper, where, chosen = best.scraper, best.source, dict(best.settings)
                found_at = best.where
        spec = registered().get(scraper)
        if spec is None:
            raise UnknownPlugin(
                f"There is no fetcher {scraper!r}.",
                hint=f"Fetchers: {', '.join(sorted(registered()))}.",
            )
        extra = chosen | _settings(where, further)
        site: SiteRow = {"subdomain": "", "scraper": scraper, "extra": extra}
        until = datetime.now(UTC).date() + timedelta(days=60)
        window = Window(date(since, 1, 1), until, full=True)
        try:
            with opened(spec) as client:
                preview = list_source(spec, site, client, window, most_pages=pages)
        except SourceUnavailable as error:
            raise _with_next_step(error, where) from error
    if as_json:
        print_json(preview_as_json(preview))
        return
    show_preview(preview, found_at)
    left_out = len(preview.documents) - EXAMPLES
    if left_out > 0 and not show_all:
        hint(f"  ... and {numbered(left_out, 'more document')}; --all prints all of them.")
    for url in not_recorded[:NOT_RECORDED_SHOWN]:
        hint(f"  not recorded: {url}")
    if len(not_recorded) > NOT_RECORDED_SHOWN:
        hint(f"  ... and {len(not_recorded) - NOT_RECORDED_SHOWN} more")
    if show_all:
        for each in preview.documents:
            click.echo(described(each))
        for problem in preview.skipped:
            click.echo(f"skipped {problem.what}: {problem.why}")


def _with_next_step(error: ClerkError, where: str, pages: Sequence[str] = ()) -> ClerkError:
    """Return an error with what to do next; nothing is stored here, and no site is edited."""
    from clerk.fetch.candidates import next_step
    from clerk.fetch.http.responses import RobotsRefused

    refused = isinstance(error, RobotsRefused)
    permitted = "With the permission of its owner, --permitted ignores robots.txt."
    error.hint = permitted if refused else next_step(error, where, pages)
    return error


def _recorded_opener(portal: Any, pace: Path) -> Any:
    from clerk.fetch.http.client import Client

    class NoWaiting:
        """A clock that does not wait: recorded answers need no pace."""

        def time(self) -> float:
            return 0.0

        def monotonic(self) -> float:
            return 0.0

        def sleep(self, _seconds: float, /) -> None:
            return

    def opened(_spec: FetcherSpec | None) -> Client:
        return Client(pace, transport=portal, clock=NoWaiting())

    return opened


def _settings(source: str, further: tuple[str, ...]) -> dict[str, object]:
    settings: dict[str, object] = {"source": source}
    for pair in further:
        key, mark, value = pair.partition("=")
        if not mark:
            raise InvalidInput(f"--set takes KEY=VALUE, not {pair!r}.")
        try:
            settings[key] = json.loads(value)
        except ValueError:
            settings[key] = value
    return settings
