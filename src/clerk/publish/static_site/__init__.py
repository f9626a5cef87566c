"""The static site of a place: pages that need no server of ours, next to ``meetings.db``.

::

    addresses  where each page is        pages    what each shows       theme    templates and files
    held       the meetings              changes  which pages differ    feeds    Atom, calendar
    search_index                         pagefind's index, which follows the pages

A new version starts with the files of the version before, by links, and only pages that may differ
are written again; everything is if the templates, the gate or the facts about the site changed.
Nothing is written to a file of an older version.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clerk.core.config import Settings, static_site_address
from clerk.core.errors import BadSetting
from clerk.core.public_text import Gate
from clerk.core.site_extra import SiteRow, site_choices
from clerk.core.storage import compiled_database
from clerk.publish.linked_files import follow, mirror
from clerk.site_db.schema import is_current, open_readonly

from . import addresses

# What writes the pages is loaded when pages are written: few sites of a night need any.
if TYPE_CHECKING:
    from clerk.site_db.queries import SiteDatabase

    from .pages import Key, SiteFacts, SitePages
    from .search_index import BuiltIndex
    from .theme import Theme

__all__ = [
    "IMAGES",
    "OF_THE_VERSION",
    "SITE_FILE",
    "SiteMark",
    "StaticSite",
    "read_mark",
    "static_site_of",
]

#: How the static site of a version was made.
SITE_FILE = "site.json"
#: Files of a version that are not the static site's.
IMAGES = "images"
OF_THE_VERSION = ("meetings.db", "index.json", IMAGES, SITE_FILE)
#: Search engines take at most this many addresses in one file.
_ADDRESSES_PER_SITEMAP = 40_000


class SiteMark(msgspec.Struct, frozen=True):
    """How the static site of a version was made.

    ``search`` names the texts in its index, and ``searched`` the content of a database, with the
    rules of indexing, of which they are known to be all texts.
    """

    made_by: str
    search: str = ""
    searched: str = ""
    #: Whether the pages say that extraction is done.
    is_complete: bool = False


def read_mark(version: Path | None) -> SiteMark | None:
    """Return how the static site of a version was made; None if it has none."""
    if version is None:
        return None
    with contextlib.suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode((version / SITE_FILE).read_bytes(), type=SiteMark)
    return None


@dataclass(frozen=True)
class StaticSite:
    """The static site that a version is to have."""

    facts: SiteFacts
    gate: Gate
    theme: Theme
    #: Which texts the search index has that the version gets; empty without one.
    search: str = ""
    #: The content of which these are known to be all texts.
    searched: str = ""

    @property
    def made_by(self) -> str:
        """What every page depends on."""
        about = asdict(replace(self.facts, is_complete=True, search=""))
        told = (self.theme.fingerprint, self.gate.fingerprint(), sorted(about.items()))
        return blake2b(repr(told).encode(), digest_size=16).hexdigest()

    @property
    def identity(self) -> str:
        """What the name of a version depends on."""
        return f"{self.made_by} {self.search}"

    def write_to(
        self,
        target: Path,
        previous: Path | None,
        index: BuiltIndex | None = None,
        stale: Collection[str] | None = None,
    ) -> set[str] | None:
        """Write the site next to ``meetings.db`` in ``target``.

        ``target`` may have files of a former version.  ``previous`` is the version that is served;
        its search index is taken over, with what ``index`` has that is newer.  The pages of
        ``target`` differ from those of ``previous`` in ``stale``, in what is not known if it is
        None.  Returns in which pages the new version differs from ``previous``; None if it may in
        all.
        """
        from jinja2 import TemplateError

        from .changes import Side, changed_pages
        from .held import HeldMeetings
        from .pages import SitePages
        from .search_index import SEARCH_FOLDER, take_over
        from .theme import theme_error

        mark = read_mark(previous)
        is_like_before = previous is not None and mark is not None and mark.made_by == self.made_by
        with contextlib.ExitStack() as stack:
            db = stack.enter_context(_open(target, self.facts.subdomain))
            pages = SitePages(
                db,
                self.theme.environment(self.facts.spoken),
                self.gate,
                self.facts,
                self.theme.assets,
            )
            keys: set[Key] | None = None
            has_same_database = False
            with contextlib.suppress(OSError):
                if previous is not None:
                    before = compiled_database(previous)
                    has_same_database = before.samefile(compiled_database(target))
            if previous is not None and is_like_before and has_same_database:
                keys = {("search",)}
                if mark and mark.is_complete != self.facts.is_complete:
                    keys.add(("home",))
            elif previous is not None and is_like_before:
                with contextlib.suppress(sqlite3.Error, OSError):
                    old = stack.enter_context(_open(previous, self.facts.subdomain))
                    keys = changed_pages(Side(old, HeldMeetings.of(old)), Side(db, pages.held))
            kept = {*OF_THE_VERSION, SEARCH_FOLDER}
            different: set[str] | None = None
            try:
                if previous is not None and keys is not None:
                    if stale is None:
                        mirror(previous, target, kept)
                    else:
                        follow(previous, target, stale)
                    different = set()
                    for key in keys:
                        different |= _remove(target, SitePages.address(key))
                    different |= self._write_pages(target, pages, keys)
                else:
                    mirror(None, target, kept)
                    for name, content in self.theme.static.items():
                        _write(target, self.theme.assets[name], content)
                    _write(target, ".nojekyll", b"\n")
                    self._write_pages(target, pages, pages.keys())
            except TemplateError as error:
                raise theme_error(self.theme, error) from error
        if index:
            index.move_to(target, previous)
        else:
            take_over(previous, target)
        self._write_sitemaps(target)
        made = SiteMark(self.made_by, self.search, self.searched, self.facts.is_complete)
        _write(target, SITE_FILE, msgspec.json.encode(made))
        return different

    @staticmethod
    def _write_pages(target: Path, pages: SitePages, keys: Iterable[Key]) -> set[str]:
        """Write pages, and return their files."""
        made: set[Path] = set()
        written: set[str] = set()
        for key in keys:
            for address, text in pages.render(key).items():
                path = target / address
                if path.parent not in made:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    made.add(path.parent)
                # A letter that UTF-8 cannot hold is shown as a question mark.
                path.write_bytes(text.encode("utf-8", "replace"))
                written.add(address)
        return written

    def _write_sitemaps(self, target: Path) -> None:
        """List every page, if the address of the site is known: a sitemap has no relative links."""
        if not self.facts.url:
            return
        hidden = ("404.html", "search.html")
        found = sorted(each for each in _files_below(target, ".html") if each not in hidden)
        chunks = [
            found[begin : begin + _ADDRESSES_PER_SITEMAP]
            for begin in range(0, len(found), _ADDRESSES_PER_SITEMAP)
        ]
        schema = "http://www.sitemaps.org/schemas/sitemap/0.9"
        for number, some in enumerate(chunks, start=1):
            listed = "".join(
                f"<url><loc>{escape(f'{self.facts.url}/{each}')}</loc></url>\n" for each in some
            )
            name = "sitemap.xml" if len(chunks) == 1 else f"sitemap-{number}.xml"
            text = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{schema}">\n{listed}'
            _write(target, name, f"{text}</urlset>\n".encode())
        if len(chunks) > 1:
            listed = "".join(
                f"<sitemap><loc>{escape(f'{self.facts.url}/sitemap-{number}.xml')}</loc></sitemap>\n"
                for number in range(1, len(chunks) + 1)
            )
            text = f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{schema}">\n'
            _write(target, "sitemap.xml", f"{text}{listed}</sitemapindex>\n".encode())


def static_site_of(
    site: SiteRow,
    settings: Settings,
    gate: Gate,
    about: Mapping[str, str],
    *,
    is_complete: bool,
) -> StaticSite | None:
    """Return the static site that a version is to have; None if it is turned off."""
    chosen = site_choices(site)
    if not (settings.static_site if chosen.static_site is None else chosen.static_site):
        return None
    from .pages import SiteFacts
    from .theme import load_theme

    subdomain = str(site.get("subdomain") or about.get("subdomain"))
    pattern = settings.static_site_url
    if own := chosen.static_site_url:
        try:
            pattern = static_site_address(own)
        except ValueError as error:
            raise BadSetting(
                f"The address of {subdomain}, static_site_url, {error}.",
                hint=f"clerk site edit {subdomain} --set static_site_url=https://example.org/",
            ) from None
    facts = SiteFacts(
        subdomain=subdomain,
        name=about.get("name") or subdomain,
        state=about.get("state", ""),
        language=about.get("language", "eng"),
        is_complete=is_complete,
        search="none",
        url=pattern.replace("{site}", subdomain).rstrip("/"),
        served_at=settings.public_url,
        with_images=chosen.page_images,
    )
    return StaticSite(facts, gate, load_theme(settings))


@contextlib.contextmanager
def _open(folder: Path, subdomain: str) -> Iterator[SiteDatabase]:
    from clerk.site_db.queries import SiteDatabase

    with contextlib.closing(open_readonly(compiled_database(folder), reads_all=True)) as connection:
        if not is_current(connection):
            raise sqlite3.DatabaseError("The database is of another version.")
        connection.row_factory = sqlite3.Row
        yield SiteDatabase(connection, subdomain)


def _remove(target: Path, address: str) -> set[str]:
    """Remove the files of a page, all parts of a long one; return their names."""
    removed, number, part = set[str](), 1, address
    while number == 1 or (target / part).exists():
        (target / part).unlink(missing_ok=True)
        removed.add(part)
        number += 1
        part = addresses.part_of(address, number)
    return removed


def _write(target: Path, name: str, content: bytes) -> None:
    """Write a file that may be a link to that of an older version."""
    path = target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(content)


def _files_below(folder: Path, ending: str, prefix: str = "") -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files_below(Path(entry.path), ending, f"{prefix}{entry.name}/")
            elif entry.name.endswith(ending):
                yield f"{prefix}{entry.name}"
