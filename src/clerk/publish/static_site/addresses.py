"""Where each page of a static site is: stable addresses, and links that work below any path.

::

    index.html search.html calendar.html people.html votes.html matters.html 404.html
    bodies/{body}.html           bodies/{body}/{year}.html       bodies/{body}.atom  .ics
    meetings/{body}/{date}.html  documents/{id}.html             votes/{body}/{year}.html
    people/{person}.html         people/{person}/{year}.html     calendar/{year}.html
    matters/{matter}.html        matters/by-year/{year}.html
    new.atom calendar.ics sitemap.xml robots.txt static/ pagefind/

A page that is too long goes on in further files: ``documents/{id}_2.html``; no slug has such an
end.  Every link names a file, so that a bucket or a folder without a web server serves them, too.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import quote

from clerk.core.public_text import PublicText

#: Pages of a document that are shown in one file.
PAGES_PER_FILE = 50
#: Stand for what is not known; no slug of a name begins like this.
NO_BODY = "_unknown"
NO_YEAR = "_undated"
_NOT_IN_A_SLUG = re.compile(r"[^a-z0-9]+")
_LONGEST_SLUG = 60
_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?")


@lru_cache(maxsize=50_000)
def slug(name: str) -> str:
    """Return a name as part of an address: readable, and another one for every other name.

    Letters and digits only, so that it is a file name on every system; a hash is added unless the
    name can be told from its slug.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = _NOT_IN_A_SLUG.sub("-", plain).strip("-")
    if name == words.replace("-", " ").title() and len(words) <= _LONGEST_SLUG:
        return words
    told = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    return f"{words[:_LONGEST_SLUG].strip('-')}-{told}".lstrip("-")


def body_slug(body: str | None) -> str:
    """Return the part of an address that names a body."""
    return NO_BODY if body is None else slug(body)


def body_page(body: str | None) -> str:
    """Return the address of a body."""
    return f"bodies/{body_slug(body)}.html"


def year_page(body: str | None, year: str) -> str:
    """Return the address of the meetings of a body in a year."""
    return f"bodies/{body_slug(body)}/{year}.html"


def meeting_page(body: str | None, date: str | None) -> str:
    """Return the address of a meeting; without a date, of the body's documents that have none."""
    if date is None:
        return f"{body_page(body)}#undated"
    return f"meetings/{body_slug(body)}/{date if _DATE.fullmatch(date) else slug(date)}.html"


def document_page(document_id: str, page: int = 1) -> str:
    """Return the address of a document, or of one of its pages."""
    part = (page - 1) // PAGES_PER_FILE + 1
    place = part_of(f"documents/{document_id}.html", part)
    return place if page == 1 else f"{place}#page-{page}"


def page_of(page_id: str) -> str:
    """Return the address of a page by its id."""
    document_id, _, number = page_id.rpartition("-")
    return document_page(document_id, int(number))


def votes_page(body: str | None, year: str | None) -> str:
    """Return the address of the votes of a body in a year."""
    return f"votes/{body_slug(body)}/{year or NO_YEAR}.html"


def person_page(person: str, year: str | None = "") -> str:
    """Return the address of a person, or of their votes in a year; None is not known."""
    return f"people/{slug(person)}{'' if year == '' else f'/{year or NO_YEAR}'}.html"


def matter_page(matter: str) -> str:
    """Return the address of a matter."""
    return f"matters/{slug(matter)}.html"


def matters_page(year: str | None) -> str:
    """Return the address of the matters that were last on an agenda in a year."""
    return f"matters/by-year/{year or NO_YEAR}.html"


def calendar_page(year: str) -> str:
    """Return the address of the meetings of all bodies in a year."""
    return f"calendar/{year}.html"


def part_of(page: str, number: int) -> str:
    """Return the address of a further part of a long page."""
    return page if number == 1 else f"{page.removesuffix('.html')}_{number}.html"


def relative(page: str, target: str) -> PublicText:
    """Return the link from a page to a file of the site."""
    # Addresses are made of slugs and hashes, and need no gate.
    return PublicText("../" * page.count("/") + _quoted(target))


@lru_cache(maxsize=50_000)
def _quoted(target: str) -> str:
    return quote(target, safe="/#-_.~")
