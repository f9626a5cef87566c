"""What a search answers: documents with their best pages, totals and facets.

What costs more than finding is done when it is asked for: :attr:`DocumentHits.document` reads what
is stored of a document, :attr:`DocumentHits.best` looks for the best pages of the documents shown,
the snippet of a hit reads the text of its page, :attr:`Results.facets` counts the pages by their
values, and :attr:`Results.documents` counts the documents of more pages than were fetched.
Text is as it was read: hostile until the caller has escaped it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple

from clerk.site_db.rows import page_id

from .snippets import Snippet

#: What results can be counted and narrowed by.
FACETS: Final = ("site", "state", "body", "kind", "year", "person")
#: Up to this many pages, their documents are counted exactly.
EXACT_PAGES_AT_MOST: Final = 2_000_000


class PartFacts(NamedTuple):
    """What a page is of: in a packet, a part of it; empty is not known."""

    kind: str
    body: str
    date: str


class FoundPage(NamedTuple):
    """What the site's database says of a page that was found.

    ``file`` is the document's path or URL at its source.  ``part`` is what the page is of if it is
    in a packet.
    """

    snippet: Snippet = ()
    gone_at: str = ""
    file: str = ""
    part: PartFacts | None = None
    first_seen_at: str = ""


class RankedDocument(NamedTuple):
    """What the index says of a document that was found."""

    site: str
    site_name: str
    name: str
    id: str
    kind: str
    body: str
    date: str


@dataclass
class Hit:
    """A page that was found; kind, body and date are those of the document."""

    of_document: RankedDocument
    page: int
    score: float | None
    _look: Callable[[Hit], FoundPage] = field(repr=False, compare=False)

    @property
    def site(self) -> str:
        """The site's subdomain."""
        return self.of_document.site

    @property
    def site_name(self) -> str:
        """The name of the place."""
        return self.of_document.site_name

    @property
    def document(self) -> str:
        """The name of the document."""
        return self.of_document.name

    @property
    def document_id(self) -> str:
        """The permanent id of the document."""
        return self.of_document.id

    @property
    def kind(self) -> str:
        """The kind of the document."""
        return self.of_document.kind

    @property
    def body(self) -> str:
        """The body whose document it is; empty if that is not known."""
        return self.of_document.body

    @property
    def date(self) -> str:
        """The date of the document; empty if that is not known."""
        return self.of_document.date

    @property
    def page_id(self) -> str:
        """The permanent id of the page."""
        return page_id(self.document_id, self.page)

    @property
    def title(self) -> str:
        """What the page is from: body, date and kind."""
        return " ".join(part for part in (self.body, self.date, self.kind) if part)

    @cached_property
    def _looked(self) -> FoundPage:
        return self._look(self)

    @property
    def file(self) -> str:
        """The document's path or URL at its source, or its name."""
        return self._looked.file or self.document

    @property
    def part(self) -> PartFacts | None:
        """What the page is of, if it is in a packet."""
        return self._looked.part

    @property
    def of(self) -> PartFacts:
        """What the page is of: a part of a packet, or the document."""
        return self._looked.part or PartFacts(self.kind, self.body, self.date)

    @property
    def snippet(self) -> Snippet:
        """Its text in parts, each with whether it is a hit; none if the page cannot be read."""
        return self._looked.snippet

    @property
    def first_seen_at(self) -> str:
        """When the document was first seen; empty if that is not known."""
        return self._looked.first_seen_at

    @property
    def gone_at(self) -> str:
        """Since when the source does not offer the document any more; empty if it does."""
        return self._looked.gone_at


@dataclass(frozen=True)
class DocumentHits:
    """A document that was found."""

    _describe: Callable[[], tuple[RankedDocument, int]] = field(repr=False)
    _look: Callable[[], tuple[Sequence[Hit], int]] = field(repr=False)

    @cached_property
    def _described(self) -> tuple[RankedDocument, int]:
        return self._describe()

    @cached_property
    def _looked(self) -> tuple[Sequence[Hit], int]:
        return self._look()

    @property
    def document(self) -> RankedDocument:
        """What the index says of it."""
        return self._described[0]

    @property
    def pages(self) -> int:
        """How many pages it has."""
        return self._described[1]

    @property
    def best(self) -> Sequence[Hit]:
        """The best of its pages, at most BEST_PAGES."""
        return self._looked[0]

    @property
    def pages_found(self) -> int:
        """How many of its pages were found."""
        return self._looked[1]

    @property
    def facts(self) -> Hit:
        """What the document is; all its hits say the same of it."""
        return self.best[0]


class Facet(NamedTuple):
    """A value some of the found pages have, and how many."""

    value: str
    label: str
    pages: int


@dataclass(frozen=True)
class Results:
    """An answer; ``total`` counts all found pages, ``facets`` are over all of them.

    Of a facet that is chosen, ``facets`` has the chosen value, and the others if they were asked
    for.  ``cursor`` leads on; it is None at the end.  ``is_partial`` says that a part of the index
    cannot be read and is being rebuilt.
    """

    found: Sequence[DocumentHits] = ()
    total: int = 0
    did_you_mean: str | None = None
    cursor: str | None = None
    is_partial: bool = False
    _count: Callable[[], int] = field(default=lambda: 0, repr=False, compare=False)
    _facets: Callable[[Sequence[str]], dict[str, list[Facet]]] = field(
        default=lambda _: {}, repr=False, compare=False
    )

    @cached_property
    def facets(self) -> dict[str, list[Facet]]:
        """The values that the found pages have, by facet, the most frequent first."""
        return self.count_by(*FACETS)

    def count_by(self, *names: str) -> dict[str, list[Facet]]:
        """Return the values of some facets, the most frequent first; those not named cost nothing.

        Persons cost as much as all others.
        """
        return self._facets(names)

    @property
    def hits(self) -> list[Hit]:
        """The pages shown, in order."""
        return [hit for document in self.found for hit in document.best]

    @cached_property
    def documents(self) -> int:
        """How many documents the found pages are of; exact up to EXACT_PAGES_AT_MOST pages."""
        return self._count()

    @property
    def documents_are_exact(self) -> bool:
        """Whether `documents` was counted, or estimated."""
        return self.total <= EXACT_PAGES_AT_MOST
