"""Sites of any make whose list links a page for each meeting, and that page the documents."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import date
from urllib.parse import urlsplit

from clerk.fetch import html
from clerk.fetch.base import FetcherSpec
from clerk.fetch.http.responses import WebPage
from clerk.fetch.links import leads_to_document

from .plain import PlainFetcher, PlainSettings

#: How many links of one form, with a date each, make a list of meetings.
_LEAST_LINKS = 2
#: A longer text around a link is not about one meeting.
_LONGEST_ROW = 300
#: What a list of meetings or one of its rows says.
_MEETING = re.compile(
    r"meeting|agenda|minutes|session|hearing|sitzung|s[ée]ance|sesi[óo]n|vergadering|sammanträde",
    re.IGNORECASE,
)
#: What identifies one page among those of a form: the last part of its address.
_LAST_PART = re.compile(r"[^/?#=]+/?$")


class MeetingPages(PlainFetcher):
    """Lists the documents of the pages that dated links of a list lead to."""

    _form = ""

    def linked_meetings(self, page: WebPage) -> dict[str, date]:
        """Return the pages that dated links lead to: those of the form that most of them have.

        The first list decides which form that is; that of another year may have one meeting only.
        """
        dated = html.DatedPage(page.text, page.url, day_first=self.day_first)
        above = html.titles_above(dated.tree)
        forms: dict[str, dict[str, date]] = defaultdict(dict)
        for node in dated.tree.css("a[href]"):
            url, text = html.href_of(node, page.url), html.text_of(node)
            row = dated.row_of(node)
            if row is None or len(dated.text(row)) > _LONGEST_ROW:
                continue
            said = " ".join((dated.text(row), *above.get(node.mem_id, ())))
            found = dated.date_of(node, row)
            is_page = urlsplit(url).hostname == self.host and not leads_to_document(url, text)
            if found and is_page and _MEETING.search(said) and url != page.url:
                forms[_LAST_PART.sub("", url)][url] = found[0]
        if not self._form:
            most = max(forms, key=lambda form: len(forms[form]), default="")
            self._form = most if len(forms[most]) >= _LEAST_LINKS else ""
        return forms[self._form]


SPEC = FetcherSpec(
    "meeting_pages",
    MeetingPages,
    settings=PlainSettings,
    finds_gaps=False,
    missing="meetings that the list loads by scripts",
    help="A list of meetings of any make that links a page for each of them.",
)
