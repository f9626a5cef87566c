"""clerk as a library: ``clerk.open(storage)`` gives everything that was compiled there.

::

    import clerk

    towns = clerk.open("sites")
    for hit in towns.search("zoning variance").hits:
        print(hit.site, hit.document, hit.page)
    towns.document("springfield", "minutes/CityCouncil/2024-01-15").text
    towns.votes("springfield", year="2024")
    towns.read("minutes.pdf").pages[0].text
    towns.extract("Motion by Lee to adopt. Carried 5-0.").votes

What it returns are the values that the commands and pages of clerk use; ``docs/library.md`` lists
their fields.  Only reading is offered: ``clerk run`` and the other commands change things.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from clerk.core import config
from clerk.core.errors import UnsupportedPlatform

if TYPE_CHECKING:
    from clerk.extract import Extraction
    from clerk.read.files import ReadDocument
    from clerk.search import Results
    from clerk.site_db.queries import CompiledDocument, CompiledPage, CompiledPart, CompiledVote

Sort = Literal["relevance", "newest", "oldest", "first-seen"]

#: More votes or pages than any one document or site has.
_ALL = 2**31


@dataclass(frozen=True)
class LibraryDocument:
    """A document of a site: what it is, its pages, and the parts of a packet."""

    facts: CompiledDocument
    pages: Sequence[CompiledPage]
    parts: Sequence[CompiledPart]

    @property
    def text(self) -> str:
        """The text of the pages, joined by form feeds."""
        return "\f".join(page.text for page in self.pages)


class Library:
    """The sites of a storage directory, to be read."""

    def __init__(self, storage: str | Path | None = None) -> None:
        """Use a storage directory; None: that of the settings (``STORAGE_DIR``)."""
        if sys.platform == "win32":
            raise UnsupportedPlatform
        chosen = {} if storage is None else {"storage_dir": Path(storage)}
        self._settings = config.load(**chosen)
        self.storage = self._settings.storage_dir

    def sites(self) -> list[str]:
        """Return the names of the sites that have been compiled."""
        from clerk.core.storage import SITE_DATABASE

        return sorted(path.parent.name for path in self.storage.glob(f"[!._]*/{SITE_DATABASE}"))

    def search(
        self,
        text: str,
        *,
        site: str | None = None,
        body: str | None = None,
        kind: str | None = None,
        state: str | None = None,
        person: str | None = None,
        since: str | None = None,
        until: str | None = None,
        sort: str = "relevance",
        limit: int = 20,
        single_pages: bool = False,
        after: str | None = None,
        all_facets: bool = False,
    ) -> Results:
        """Return the documents that match a query, with their best pages, totals and facets.

        The query language is that of ``clerk search``.  ``after`` is the ``cursor`` of an earlier
        answer.  Raises ``clerk.search.QueryError`` for a query with a mistake, ``InvalidInput`` for
        another value that cannot be right, and ``NotFound`` if nothing was found because the site
        or body does not exist.
        """
        from clerk import search

        query = search.Query(
            text,
            site=site,
            body=body,
            kind=kind,
            state=state,
            person=person,
            since=since,
            until=until,
            sort=sort,
            limit=limit,
            single_pages=single_pages,
            after=after,
        )
        results = search.search(self.storage, query, switchable=all_facets)
        if not results.total:
            search.check_place(self.storage, query)
        return results

    def documents(
        self, site: str, *, body: str = "", kind: str = "", year: str = ""
    ) -> list[CompiledDocument]:
        """Return what is known of the documents of a site, newest first, without their text."""
        from clerk.site_db.queries import open_site

        with open_site(self.storage, site) as database:
            return database.documents(limit=_ALL, body=body, kind=kind, year=year)

    def document(self, site: str, name: str) -> LibraryDocument:
        """Return a document with its pages; raise NotFound if the site has none of this name."""
        from clerk.core.storage import Document
        from clerk.site_db.queries import open_site

        wanted = Document.from_name(name)
        with open_site(self.storage, site) as database:
            facts = database.document(wanted)
            return LibraryDocument(
                facts, database.pages(wanted, limit=_ALL), database.parts(wanted)
            )

    def votes(
        self,
        site: str,
        *,
        body: str = "",
        date: str = "",
        year: str = "",
        document: str = "",
        result: str = "",
        member: str = "",
        person: str = "",
    ) -> list[CompiledVote]:
        """Return the votes of a site, newest first, each with its quote and what is doubtful.

        ``member`` is a voter's name as printed, ``person`` an id, as in the values of ``people`` of
        a vote: it stands for all spellings of a name.
        """
        from clerk.site_db.queries import open_site

        filters = {"body": body, "date": date, "year": year, "document": document}
        filters |= {"result": result, "member": member, "person": person}
        with open_site(self.storage, site) as database:
            return database.votes(limit=_ALL, offset=0, **filters)

    def read(
        self,
        file: str | Path,
        *,
        pages: Sequence[int] | None = None,
        ocr: str | None = None,
        engine: str | None = None,
        languages: Sequence[str] = (),
        processes: int | None = None,
    ) -> ReadDocument:
        """Return the text of a PDF, HTML or DOCX file, page by page: text layer, OCR, or both.

        It is read in child processes with limits on time and memory.  ``failed_pages`` of the
        answer names the pages that could not be read; a document that cannot be opened at all is a
        ``DocumentError``.
        """
        from clerk.read.documents import ReadingOptions, read_in_child
        from clerk.read.ocr import check_engine

        settings = self._settings
        options = ReadingOptions.from_settings(
            settings, ocr=ocr, backend=engine, languages=languages
        )
        if options.ocr != "never":
            check_engine(options.backend, options.languages)
        return read_in_child(
            Path(file),
            options,
            pages,
            memory_mb=settings.worker_memory_mb,
            processes=settings.workers if processes is None else processes,
        )

    def extract(self, text: str | Sequence[str]) -> Extraction:
        """Return the votes, names, amounts and more that are found in the text of minutes.

        Give the pages as a list, or one text with form feeds or ``--- PAGE n ---`` lines between
        pages.
        """
        from clerk.extract import extract_text, extract_whole

        return extract_whole(text) if isinstance(text, str) else extract_text(list(text))


def open(storage: str | Path | None = None) -> Library:
    """Open the sites of a storage directory; None: that of the settings (``STORAGE_DIR``)."""
    return Library(storage)
