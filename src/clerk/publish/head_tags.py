"""What the head of a page says to search engines, reference managers and link previews.

OpenGraph for previews, schema.org as JSON-LD for search engines, Dublin Core and Highwire Press
("citation_...") for reference managers such as Zotero.  The pages of ``clerk serve`` and of a
published site say the same.  What is not known is left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from clerk.core.language import tag_of, word
from clerk.core.public_text import Gate, document_text
from clerk.site_db.queries import CompiledDocument
from clerk.site_db.record import MatterSummary

from .page_text import label

_LONGEST_DESCRIPTION = 300


@dataclass(frozen=True)
class Head:
    """The description of a page."""

    title: str
    description: str
    site_name: str
    #: The address for readers elsewhere; empty if it is not known.
    canonical: str = ""
    kind: str = "website"
    #: Names and contents of further meta elements, in order.
    meta: Sequence[tuple[str, str]] = ()
    #: schema.org, without ``@context``.
    data: Mapping[str, object] = field(default_factory=dict)
    #: Addresses and texts of the pages above this one; addresses may be empty.
    crumbs: Sequence[tuple[str, str]] = ()
    gate: Gate = field(default_factory=Gate)

    def tags(self) -> Markup:
        """Return the elements; everything in them is public and escaped."""
        public = self.gate
        description = shorten(public(self.description))
        lines = [Markup('<meta name="description" content="{}">').format(description)]
        if self.canonical:
            lines.append(Markup('<link rel="canonical" href="{}">').format(public(self.canonical)))
        graph = {
            "og:title": self.title,
            "og:description": description,
            "og:type": self.kind,
            "og:url": self.canonical,
            "og:site_name": self.site_name,
        }
        lines += [
            Markup('<meta property="{}" content="{}">').format(name, public(value))
            for name, value in graph.items()
            if value
        ]
        lines.append(Markup('<meta name="twitter:card" content="summary">'))
        lines += [
            Markup('<meta name="{}" content="{}">').format(name, public(value))
            for name, value in self.meta
            if value
        ]
        described: list[Mapping[str, object]] = [self.data] if self.data else []
        if self.crumbs and all(address for address, _ in self.crumbs):
            steps = [
                {"@type": "ListItem", "position": number, "item": address, "name": text}
                for number, (address, text) in enumerate(self.crumbs, start=1)
            ]
            described.append({"@type": "BreadcrumbList", "itemListElement": steps})
        lines += [json_ld(public.clean(each)) for each in described]
        return Markup("\n").join(lines)


def shorten(text: str) -> str:
    """Return the beginning of a text on one line, as far as a description goes."""
    plain = " ".join(text.split())
    if len(plain) <= _LONGEST_DESCRIPTION:
        return plain
    return plain[: _LONGEST_DESCRIPTION - 1].rpartition(" ")[0] + "…"


def json_ld(data: Mapping[str, object]) -> Markup:
    """Return a data block that no text in it can end or turn into a script."""
    known = {name: value for name, value in data.items() if value not in (None, "", [], {})}
    text = json.dumps({"@context": "https://schema.org", **known}, ensure_ascii=False)
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return Markup('<script type="application/ld+json">{}</script>').format(Markup(text))


def document_head(
    document: CompiledDocument,
    place: str,
    language: str,
    text: str,
    canonical: str,
    *,
    crumbs: Sequence[tuple[str, str]] = (),
    gate: Gate,
    title: str = "",
    pages: str = "",
) -> Head:
    """Describe a document, or some pages of it; ``text`` is where it begins."""
    named = title or described(document)
    publisher = f"{place}, {document.meeting}" if document.meeting else place
    date, pdf = document.date or "", document.source.url or ""
    is_pdf = document.is_pdf and pdf.lower().split("?")[0].endswith(".pdf")
    meta = [
        *(("DC.title", named), ("DC.creator", document.meeting or place), ("DC.publisher", place)),
        *(("DC.date", date), ("DC.type", "Text"), ("DC.language", tag_of(language))),
        *(("DC.identifier", canonical), ("DC.source", pdf), ("DC.coverage", place)),
        ("citation_title", named),
        ("citation_author", document.meeting or place),
        ("citation_publication_date", date.replace("-", "/")),
        ("citation_technical_report_institution", publisher),
        ("citation_language", tag_of(language)),
        ("citation_fulltext_html_url", canonical),
        ("citation_pdf_url", pdf if is_pdf else ""),
        ("citation_firstpage", pages),
    ]
    data = {
        "@type": "DigitalDocument",
        "name": named,
        "url": canonical,
        "datePublished": date,
        "inLanguage": tag_of(language),
        "isBasedOn": pdf,
        "additionalType": document.kind,
        "numberOfPages": document.pages,
        "publisher": organization(document.meeting, place),
    }
    return Head(
        title=f"{named}, {place}",
        description=f"{named}, {place}. {text}",
        site_name=place,
        canonical=canonical,
        kind="article",
        meta=meta,
        data=data,
        crumbs=crumbs,
        gate=gate,
    )


def described(document: CompiledDocument) -> str:
    """Return what a document is called in a title, in the current language."""
    named = label(document)
    return f"{named}, {document.date}" if document.date else named


def organization(body: str | None, place: str) -> dict[str, object]:
    """Return a body as schema.org knows it."""
    if not body:
        return {"@type": "GovernmentOrganization", "name": place}
    parent = {"@type": "GovernmentOrganization", "name": place}
    return {"@type": "GovernmentOrganization", "name": body, "parentOrganization": parent}


def meeting_data(body: str | None, date: str, place: str, canonical: str) -> dict[str, object]:
    """Return a meeting as schema.org knows it."""
    return {
        "@type": "Event",
        "name": f"{body or place}, {date}",
        "startDate": date,
        "url": canonical,
        "organizer": organization(body, place),
        "location": {"@type": "Place", "name": place},
    }


def person_data(name: str, body: str, place: str, canonical: str) -> dict[str, object]:
    """Return a member of a body as schema.org knows them."""
    return {
        "@type": "Person",
        "name": name,
        "url": canonical,
        "memberOf": organization(body, place),
    }


def matter_data(kind: str, number: str | None, name: str, canonical: str) -> dict[str, object]:
    """Return a matter as schema.org knows it: ordinances and resolutions are legislation."""
    if kind in ("ordinance", "resolution"):
        identified = {"legislationIdentifier": number, "legislationType": kind}
        return {"@type": "Legislation", "name": name, "url": canonical, **identified}
    return {"@type": "CreativeWork", "name": name, "url": canonical, "identifier": number}


def matter_name(matter: MatterSummary) -> str:
    """Return what a matter is called in a title."""
    if not matter.matter_number:
        return document_text(matter.matter_title or matter.matter)
    title = f": {matter.matter_title}" if matter.matter_title else ""
    return document_text(f"{word(matter.kind).capitalize()} {matter.matter_number}{title}")
