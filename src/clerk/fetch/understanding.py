"""Whether a listing understood what it read: pages are counted and looked through.

A page that is there and yields nothing is a failure with a name of its own.  The links on it that
look like the platform's documents are counted: 226 seen and none listed says that the page has
changed, not that the town has no documents.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

from clerk.core.answers import KEPT_BYTES

from .base import UNDATED, FetcherSpec, FetchReport, Problem
from .http.responses import NothingListed, NotUnderstood, WebPage

#: At least this share of the links that look like documents must have been listed or skipped.
LEAST_SHARE = 0.5

#: So many meetings without any document are not what a town publishes.
MOST_WITHOUT_DOCUMENTS = 30

#: Keys of a session in links and scripts of a page, which a cleaner of sentences does not expect.
_KEYS_IN_MARKUP = re.compile(
    r"""(\b\w{0,20}(?:token|key|secret|passw|session|auth|constr)\w{0,20}["']?\s?[:=]\s?["']?)"""
    r"""[^"'\s&<>]{6,200}""",
    re.IGNORECASE,
)


class EnoughPages(Exception):
    """A preview has read as many pages as it may."""


class PagesRead:
    """The pages that a listing read, and what they link to."""

    def __init__(self, spec: FetcherSpec, most_pages: int = 0) -> None:
        self._patterns = [re.compile(each, re.IGNORECASE) for each in spec.document_links]
        self._most_pages = most_pages
        self._seen: set[str] = set()
        self._most_links = 0
        self.pages = 0
        #: The page with the most links to documents, else the last one.
        self.page: WebPage | None = None

    def read(self, page: WebPage) -> None:
        """Count what a page links to; called by the client for each page."""
        self.pages += 1
        text = unescape(page.text) if self._patterns else ""
        links = {match[0].lower() for pattern in self._patterns for match in pattern.finditer(text)}
        self._seen |= links
        if self.page is None or len(links) >= self._most_links:
            self.page, self._most_links = page, len(links)
        if self._most_pages and self.pages >= self._most_pages:
            raise EnoughPages

    def check(self, documents: int, meetings: int, report: FetchReport) -> None:
        """Raise if nothing came of pages that have something; report if only a part did."""
        if not self.pages:
            return
        undated = sum(1 for problem in report.skipped if problem.error == UNDATED)
        seen, accounted = len(self._seen), documents + len(report.skipped) - undated
        if undated and not documents and not meetings:
            raise NothingListed(
                self.page,
                f"a date next to the {undated} document{'s' * (undated > 1)} that it links",
                "none that clerk can tell",
            )
        if seen and not accounted:
            raise NothingListed(
                self.page,
                f"the {seen} document{'s' * (seen > 1)} that it links",
                "none in a layout that clerk knows",
            )
        if not meetings and not documents and accounted:
            raise NothingListed(
                self.page,
                f"minutes or agendas among the {accounted} document{'s' * (accounted > 1)} that it "
                "links",
                f"none; the first is {report.skipped[0].what}: {report.skipped[0].why}",
            )
        if not meetings and not accounted:
            raise NotUnderstood(self.page, "at least one meeting")
        if report.meetings >= MOST_WITHOUT_DOCUMENTS and not accounted and report.complete:
            raise NothingListed(
                self.page,
                f"an agenda or minutes for at least one of the {report.meetings} meetings that it "
                "lists",
                "none in a layout that clerk knows",
            )
        if accounted < seen * LEAST_SHARE:
            what = self.page.url if self.page else "the source"
            why = f"{seen} links look like documents, and only {accounted} were understood"
            report.errors.append(Problem(what, why, "PartlyUnderstood"))


def readable_answer(page: WebPage, clean: Callable[[str], str]) -> str:
    """Return the beginning of what a host returned, for the operator, without secrets."""
    return clean(_KEYS_IN_MARKUP.sub(r"\1***", page.text[:KEPT_BYTES]))
