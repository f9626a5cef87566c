"""Saying what documents are: their text and what is known of them become an identity.

::

    the manifest   what the source and people say   -> Hints  \
    the text       pages, words, bookmarks          -> pages   -> identify, split -> the manifest

The rules are in :mod:`clerk.identify`.  A document is identified when it is read, and again without
being read when the rules have another version or its source says something else of it.  One that
could not be read is identified by its source alone.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Final

import msgspec
from sqlalchemy import Connection

from clerk.core import manifest
from clerk.core.files import SiteFiles
from clerk.core.manifest import (
    FACTS_OF_DOCUMENTS,
    ContradictingFact,
    DocumentIdentity,
    DocumentPart,
    DocumentRow,
    IdentityFacts,
    fact_in,
    facts_of,
    identified_of,
    others_in,
)
from clerk.core.site_extra import SiteRow
from clerk.core.storage import PAGE_FILE
from clerk.fetch.sources import name_at_source
from clerk.identify import (
    VERSION,
    Bookmark,
    Fact,
    Hints,
    Identity,
    Known,
    PageView,
    Part,
    identify,
    split,
    with_papers,
)
from clerk.identify.bodies import MENTIONED, SHORT_NAMES, fuller_name
from clerk.identify.facts import PAGE, SITE
from clerk.read.files import OCR, PageFacts, load_facts

#: How many documents are recorded in one transaction.
_GROUP: Final = 50
_PIECE: Final = 1 << 16


def identify_documents(
    files: SiteFiles,
    site: SiteRow,
    rows: Iterable[DocumentRow],
    record: Callable[[Mapping[str, DocumentIdentity]], None],
) -> None:
    """Identify documents, by their text if they have any; ``record`` is called per group."""
    found: dict[str, DocumentIdentity] = {}
    for row in rows:
        if row.text_sha256:
            with files.text(row.document, row.text_sha256) as text:
                found[row.name] = identify_text(site, row, text, row.text_sha256)
        else:
            found[row.name] = _identity(identify((), hints_of(site, row)), (), None)
        if len(found) >= _GROUP:
            record(found)
            found = {}
    record(found)


def identify_text(
    site: SiteRow, row: DocumentRow, text: Path, text_sha256: str
) -> DocumentIdentity:
    """Return what a document is by the text in a folder."""
    hints, pages = hints_of(site, row), page_views(text)
    identity = identify(pages, hints)
    parts = split(pages, identity, hints) if len(pages) > 1 else []
    identity = with_papers(identity, parts)
    return _identity(identity, parts if len(parts) > 1 else (), text_sha256)


def bodies_in_full(conn: Connection, subdomain: str) -> dict[str, DocumentIdentity]:
    """Return the documents that call their board "Board" or "School Board", with its name.

    It is the one that other documents of the site use.  What a heading, the portal or a person
    says stays.
    """
    rows = manifest.documents_of_bodies(conn, subdomain, SHORT_NAMES)
    known = manifest.bodies_named(conn, subdomain) if rows else {}
    settled = {}
    for row in rows:
        body, evidence = _in_full(row, known)
        parts = []
        for part in row.parts:
            of_part, evidence_of_part = _in_full(part, known) if part.is_own else (None, {})
            parts.append(
                replace(part, body=of_part, evidence=evidence_of_part) if of_part else part
            )
        if body or tuple(parts) != row.parts:
            settled[row.name] = DocumentIdentity(
                row.identified_of or "",
                **facts_of(row, {"body": body} if body else {}),
                evidence=evidence if body else row.evidence,
                parts=tuple(parts),
            )
    return settled


def _in_full(
    of: DocumentRow | DocumentPart, known: Mapping[str, float]
) -> tuple[str | None, Mapping[str, object]]:
    """Return the full name of a body that has a short one, and the evidence with it."""
    fact = fact_in(of.evidence, "body")
    is_weak = fact.get("source") == PAGE and fact.get("confidence", 0.0) < MENTIONED
    name = fuller_name(of.body, known) if of.body and is_weak else None
    if not name:
        return None, {}
    others = [*others_in(of.evidence), ContradictingFact(field="body", fact=fact)]
    by_site = {**fact, "value": name, "source": SITE, "confidence": _BY_SITE}
    return name, {**of.evidence, "body": by_site, "others": others}


#: How sure a name is that other documents of the site print.
_BY_SITE: Final = 0.6


def hints_of(site: SiteRow, row: DocumentRow) -> Hints:
    """Return what is known of a document from outside."""
    place = ", ".join(str(site[each]) for each in ("name", "state") if site.get(each))
    return Hints(
        path=name_at_source(site, row.name, row.source_url or ""),
        place=place,
        portal=_known(row.listed),
        person=_known(row.corrections),
    )


def _known(said: Mapping[str, str | None]) -> Known:
    return Known(**{name: said.get(name) for name in FACTS_OF_DOCUMENTS})


def page_views(text: Path) -> list[PageView]:
    """Return the pages of a document as they were read."""
    if not text.is_dir():
        flat = Path(f"{text}.txt").read_bytes().decode("utf-8", "replace")
        return [PageView(number, page) for number, page in enumerate(flat.split("\f"), start=1)]
    stored = None
    with contextlib.suppress(msgspec.MsgspecError, UnicodeError):
        # One that somebody has damaged says nothing.
        stored = load_facts(text)
    facts = {each.page: each for each in stored.pages} if stored else {}
    with os.scandir(text) as entries:
        names = [named for entry in entries if (named := PAGE_FILE.fullmatch(entry.name))]
    views = []
    for number, name in sorted((int(named[1]), named[0]) for named in names):
        # By system calls: pages are small and many.
        file = os.open(f"{text}/{name}", os.O_RDONLY | os.O_CLOEXEC)
        try:
            pieces = [os.read(file, _PIECE)]
            while len(pieces[-1]) == _PIECE:
                pieces.append(os.read(file, _PIECE))
        finally:
            os.close(file)
        content = b"".join(pieces).decode("utf-8", "replace")
        page = facts.get(number) or PageFacts(number)
        is_scan = page.method == OCR if page.method else None
        marks = [Bookmark(each.title, each.level) for each in page.bookmarks]
        views.append(PageView(number, content, page.width, page.height, is_scan, marks))
    return views


def _identity(
    identity: Identity, parts: Iterable[Part], text_sha256: str | None
) -> DocumentIdentity:
    evidence = _evidence(identity)
    if identity.others:
        evidence["others"] = [
            {"field": other.field, "fact": _fact(other.fact)} for other in identity.others
        ]
    return DocumentIdentity(
        identified_of(text_sha256, VERSION),
        **_values(identity),
        evidence=evidence,
        parts=tuple(
            DocumentPart(
                part.first_page,
                part.last_page,
                **_values(part),
                first_character=part.first_character,
                of_other_place=part.of_other_place,
                evidence=_evidence(part)
                | {name: _fact(getattr(part, name)) for name in ("place", "begins")},
            )
            for part in parts
        ),
    )


def _values(found: Identity | Part) -> IdentityFacts:
    """Return the values of the facts as the manifest has them."""
    day = found.date.value
    return IdentityFacts(
        kind=found.kind.value,
        body=found.body.value,
        date=date.fromisoformat(day) if day else None,
        title=found.title.value,
    )


def _evidence(found: Identity | Part) -> dict[str, object]:
    return {name: _fact(getattr(found, name)) for name in FACTS_OF_DOCUMENTS}


def _fact(fact: Fact) -> dict[str, object]:
    """Return a fact as it is stored: what is empty is left out."""
    values: dict[str, object] = msgspec.to_builtins(fact)
    return {name: value for name, value in values.items() if value not in (None, "", 0.0)}
