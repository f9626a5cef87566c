"""What the heads of public pages say to search engines, reference managers and link previews.

Addresses begin with PUBLIC_URL; without it they are left out.  What is not a name, a date or a
word of the documents is in the language of the page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.requests import Request

from clerk.core.language import say, speaking
from clerk.core.public_text import document_text
from clerk.publish import head_tags
from clerk.publish.head_tags import Head
from clerk.site_db.queries import CompiledDocument, SiteDatabase
from clerk.site_db.record import MatterSummary, PersonSummary
from clerk.web.rendering import (
    body_link,
    gate_of,
    language_of,
    matter_link,
    meeting_link,
    person_link,
    settings_of,
)


def _address(request: Request, path: str) -> str:
    base = settings_of(request).public_url
    return document_text(f"{base}{path}") if base else ""


def _head(
    request: Request,
    site: SiteDatabase,
    path: str,
    names: Sequence[str],
    told: str = "",
    data: Mapping[str, object] | None = None,
    above: Sequence[tuple[str, str]] = (),
) -> Head:
    """Describe a page of a place; ``names`` lead from the page to the place."""
    title = ", ".join((*names, site.name))
    steps = [(f"/s/{site.subdomain}/", site.name), *above, (path, names[0])] if names else []
    return Head(
        title=title,
        description=f"{title}. {told}".strip(),
        site_name=site.name,
        canonical=_address(request, path),
        data=data or {},
        crumbs=[(_address(request, each), text) for each, text in steps],
        gate=gate_of(request),
    )


def home_head(request: Request, places: Sequence[str]) -> Head:
    """Describe the front page, and to search engines how its search is asked."""
    with speaking(language_of(request)):
        title = say("Minutes and agendas")
    address = _address(request, "/")
    data: dict[str, object] = {"@type": "WebSite", "name": title, "url": address}
    if address:
        data["potentialAction"] = {
            "@type": "SearchAction",
            "target": _address(request, "/search?q={search_term_string}"),
            "query-input": "required name=search_term_string",
        }
    told = f"{title}: {', '.join(places)}" if places else title
    return Head(title, told, title, address, data=data, gate=gate_of(request))


def place_head(request: Request, site: SiteDatabase, bodies: Sequence[str | None]) -> Head:
    """Describe a place."""
    path = f"/s/{site.subdomain}/"
    data = head_tags.organization(None, site.name) | {"url": _address(request, path)}
    return _head(request, site, path, (), ", ".join(filter(None, bodies)), data)


def body_head(request: Request, site: SiteDatabase, body: str | None, years: Sequence[str]) -> Head:
    """Describe a body."""
    path = body_link(site.subdomain, body)
    data = head_tags.organization(body, site.name) | {"url": _address(request, path)}
    told = f"{years[-1]} – {years[0]}" if years else ""
    return _head(request, site, path, (body,) if body else (), told, data)


def meeting_head(
    request: Request, site: SiteDatabase, body: str | None, date: str, items: Sequence[str]
) -> Head:
    """Describe a meeting by its first items."""
    path = meeting_link(site.subdomain, body, date)
    data = head_tags.meeting_data(body, date, site.name, _address(request, path))
    names = (date, body) if body else (date,)
    above = [(body_link(site.subdomain, body), body)] if body else []
    return _head(request, site, path, names, "; ".join(items), data, above)


def document_head(
    request: Request,
    site: str,
    place: str,
    language: str,
    document: CompiledDocument,
    text: str,
    page: int | None = None,
) -> Head:
    """Describe a document, or one of its pages, by the beginning of its text."""
    path = f"/d/{document.id}" if page is None else f"/p/{document.id}-{page}"
    above = [(f"/s/{site}/", place)]
    if document.meeting:
        above.append((body_link(site, document.meeting), document.meeting))
    with speaking(language_of(request)):
        named, numbered = head_tags.described(document), say("p. %(page)s", page=page)
    return head_tags.document_head(
        document,
        place,
        language,
        text[:1000],
        _address(request, path),
        crumbs=[(_address(request, each), name) for each, name in (*above, (path, named))],
        gate=gate_of(request),
        title=named if page is None else f"{named}, {numbered}",
        pages="" if page is None else str(page),
    )


def person_head(request: Request, site: SiteDatabase, who: PersonSummary) -> Head:
    """Describe a member of a body."""
    path = person_link(site.subdomain, who.person)
    data = head_tags.person_data(who.name, who.body, site.name, _address(request, path))
    above = [(body_link(site.subdomain, who.body), who.body)]
    told = f"{who.first_date} – {who.last_date}" if who.last_date else ""
    return _head(request, site, path, (who.name, who.body), told, data, above)


def matter_head(request: Request, site: SiteDatabase, matter: MatterSummary) -> Head:
    """Describe a matter."""
    path = matter_link(site.subdomain, matter.matter)
    with speaking(language_of(request)):
        name = head_tags.matter_name(matter)
    address = _address(request, path)
    data = head_tags.matter_data(matter.kind, matter.matter_number, name, address)
    told = f"{matter.first_date} – {matter.last_date}" if matter.last_date else ""
    return _head(request, site, path, (name,), told, data)
