"""Extract from one document, from a whole site, or from a text.

The only module of the package that reads and writes files.

What people corrected comes before what the rules find.  A correction is about a stretch of a page.
It changes the vote that is found there, says that there is none, or makes one where the rules find
nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from clerk.core.errors import DocumentError, EmptyDocument
from clerk.core.files import SiteFiles
from clerk.core.manifest import DocumentRow
from clerk.core.parts import part_spans
from clerk.core.storage import (
    AGENDAS,
    Document,
    extracted_file,
    text_documents,
    written_whole,
)

from .findings import (
    BALLOTS,
    LISTS,
    SCHEMA,
    UNKNOWN,
    VERSION,
    Entity,
    Extraction,
    Place,
    Vote,
    place,
    text_hash,
)
from .text import NormalText, page_marks

if TYPE_CHECKING:
    from .votes import Reading

#: What a document or a part must be for votes to be on the record.
MINUTES_KIND = "minutes"
#: Numbered lists in other papers are no agenda: clauses of a contract, notes to the accounts.
_WITH_AGENDA = frozenset({MINUTES_KIND, "agenda", "packet", "notice"})
_PAGE = re.compile(r"page-(\d+)\.txt")


@dataclass
class ExtractReport:
    """How many documents of a site were extracted, and what was found in them."""

    extracted: int = 0
    unchanged: int = 0
    votes: int = 0
    entities: int = 0
    #: Name of the document -> why it could not be read.
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def documents(self) -> int:
        """How many documents the site has."""
        return self.extracted + self.unchanged + len(self.failed)


def extract_site(
    folder: Path, on_document: Callable[[Document, Extraction | None], None] | None = None
) -> ExtractReport:
    """Extract from every document of a site that has text, and keep what was found.

    A document whose text has not changed is not read again.  One that cannot be read is reported
    by name (``on_document`` gets None for it) and does not stop the others.  Votes are not looked
    for in agendas: nothing has been decided yet, and a packet holds votes of other meetings.
    """
    report = ExtractReport()
    for document in text_documents(folder):
        cache = cache_of(folder, document)
        found: Extraction | None = None
        try:
            pages = read_pages(document.text(folder))
            found = _read_cache(cache, pages)
            if found is None:
                found = _extract_to_cache(cache, pages, votes=document.kind != AGENDAS)
                report.extracted += 1
            else:
                report.unchanged += 1
            report.votes += len(found.votes)
            report.entities += len(found.entities)
        except (DocumentError, OSError, UnicodeError) as error:
            report.failed[document.name] = str(error)
        if on_document is not None:
            on_document(document, found)
    return report


#: So many documents are recorded together.
_GROUP = 50


def extract_documents(
    files: SiteFiles,
    rows: Sequence[DocumentRow],
    record: Callable[[Mapping[str, tuple[str, str]]], None],
    corrections: Callable[[str, Mapping[int, str]], Sequence[VoteCorrection]] = lambda *_: (),
) -> ExtractReport:
    """Extract from documents and keep what was found; ``record`` is told by groups.

    ``corrections`` returns those of a document, given its name and its pages by number.

    It is given the name of each document with the hashes of its text and of what was found in it.
    One that cannot be read is reported by name and does not stop the others.
    """
    report = ExtractReport()
    findings: dict[str, tuple[str, str]] = {}
    for row in rows:
        document = row.document
        try:
            with files.text(document, row.text_sha256 or "") as text:
                pages = read_numbered_pages(text)
            found = extract_parts(pages, row, corrections(document.name, pages))
        except (DocumentError, OSError, UnicodeError) as error:
            report.failed[document.name] = str(error)
            continue
        sha256 = files.keep_findings(document, msgspec.json.encode(found))
        findings[document.name] = (row.text_sha256 or "", sha256)
        report.extracted += 1
        report.votes += len(found.votes)
        report.entities += len(found.entities)
        if len(findings) >= _GROUP:
            record(findings)
            findings = {}
    record(findings)
    return report


def cache_of(folder: Path, document: Document) -> Path:
    """Return where a site keeps what was found in a document."""
    return extracted_file(folder, document)


def extract_document(text_dir: Path, cache: Path) -> Extraction:
    """Return what a document contains, from the cache if its text and the extractor are the same.

    ``text_dir`` is a directory of ``page-N.txt`` files or a flat ``.txt`` file.  A cache that is
    damaged or was made by another version is made again.
    """
    pages = read_pages(text_dir)
    return _read_cache(cache, pages) or _extract_to_cache(cache, pages)


def _read_cache(cache: Path, pages: list[str]) -> Extraction | None:
    try:
        found = msgspec.json.decode(cache.read_bytes(), type=Extraction)
    except (OSError, msgspec.DecodeError):
        return None
    same = found.version == VERSION and found.text_sha256 == text_hash("\f".join(pages))
    return found if same else None


def _extract_to_cache(cache: Path, pages: list[str], *, votes: bool = True) -> Extraction:
    found = extract_text(pages, votes=votes)
    with written_whole(cache) as part:
        part.write_bytes(msgspec.json.encode(found))
    return found


def extract_text(
    pages: Sequence[str],
    *,
    votes: bool = True,
    is_minutes: bool = False,
    corrections: Sequence[VoteCorrection] = (),
) -> Extraction:
    """Find the votes and all else in the pages of one document, or only entities and matters.

    Unless it is known to be minutes (``is_minutes``) the text itself must show that there was a
    meeting: otherwise nothing that is said about its votes is a fact.

    Any text is accepted, and the same pages and corrections always give the same answer.
    """
    # Loading the rules takes as long as reading a document: only when they are needed.
    from .attendance import presences
    from .cues import document_text
    from .entities import find_declarations, find_entities, find_speakers
    from .items import Items, agenda_items
    from .matters import find_matters
    from .votes import find_votes

    doc = document_text(pages)
    items = Items(doc)
    found = Extraction(
        version=VERSION,
        text_sha256=text_hash(doc.original),
        votes=corrected_votes(
            doc, find_votes(doc, items, is_minutes) if votes else [], corrections
        ),
        entities=find_entities(doc),
    )
    found.items = agenda_items(items)
    found.matters = find_matters(doc, found.votes, found.entities, items)
    if votes:
        found.attendance = presences(doc, doc.roster.attendees)
        found.speakers = find_speakers(doc, items)
        found.declarations = find_declarations(doc)
    return found


def extraction_as_row(document: str, found: Extraction) -> dict[str, Any]:
    """Return everything found in a document as one object of the published format.

    The people are who is who among the members that are present or absent, move, second or vote;
    a name that cannot be placed, and one that is in doubt, is nobody's.
    """
    from .attendance import MEMBER
    from .roster import resolve_people

    row: dict[str, Any] = {"schema": SCHEMA, "extractor": found.version, "doc": document}
    for kind in LISTS:
        row[kind] = [
            {
                field: value
                for field, value in msgspec.structs.asdict(each).items()
                if field not in ("page_start", "page_end")
            }
            for each in getattr(found, kind)
        ]
    attending: dict[str, list[int]] = defaultdict(list)
    for number, who in enumerate(found.attendance):
        if who.group == MEMBER:
            attending[who.name].append(number)
    voting: dict[str, list[int]] = defaultdict(list)
    for number, vote in enumerate(found.votes):
        lists = BALLOTS if "names" not in vote.doubtful else ()
        printed = [name for kind in lists for name in getattr(vote, kind)]
        certain = (who for who in ("mover", "seconder") if who not in vote.doubtful)
        printed += [name for who in certain if (name := getattr(vote, who))]
        for name in dict.fromkeys(printed):
            voting[name].append(number)
    times = {
        name: len(attending.get(name, ())) + len(voting.get(name, ()))
        for name in (*attending, *voting)
    }
    row["people"] = [
        {
            "name": person.name,
            "spellings": list(person.spellings),
            "attendance": sorted({n for name in person.spellings for n in attending.get(name, ())}),
            "votes": sorted({n for name in person.spellings for n in voting.get(name, ())}),
        }
        for person in resolve_people("", times, lambda _: times)
    ]
    return row


def extract_parts(
    pages: Mapping[int, str], row: DocumentRow, corrections: Sequence[VoteCorrection] = ()
) -> Extraction:
    """Find what is in a document, in each part of a packet by itself; pages by their numbers.

    Votes, and who was there, are in minutes of this place, and agenda items in minutes, agendas and
    notices.  Nothing but entities is taken from papers of other places, or of nobody knows where.
    """
    numbers, texts = list(pages), list(pages.values())
    whole = "\f".join(texts)
    if not row.parts:
        is_record = row.kind == MINUTES_KIND
        found = extract_text(texts, votes=is_record, is_minutes=is_record, corrections=corrections)
        if row.kind not in _WITH_AGENDA:
            found.items = []
        _move(found, 0, 0, 0, numbers)
        return found
    found = Extraction(version=VERSION, text_sha256=text_hash(whole), votes=[], entities=[])
    page_starts = [0, *accumulate(len(text) + 1 for text in texts)]
    for span in part_spans(pages, row.parts):
        words = whole[span.start : span.end].removesuffix("\f")
        if not words.strip():
            continue
        part = span.part
        is_record = part.kind == MINUTES_KIND and part.is_own
        mine = [
            replace(each, start=each.start - span.start, end=each.end - span.start)
            for each in corrections
            if span.start <= each.start < span.end and is_record
        ]
        one = extract_text(
            words.split("\f"), votes=is_record, is_minutes=is_record, corrections=mine
        )
        if not part.is_own:
            one.matters = []
        if not part.is_own or part.kind not in _WITH_AGENDA:
            one.items = []
        before = bisect_right(page_starts, span.start) - 1
        _move(one, span.start, before, span.start - page_starts[before], numbers)
        for matter in one.matters:
            matter.votes = [len(found.votes) + place for place in matter.votes]
        for name in LISTS:
            getattr(found, name).extend(getattr(one, name))
    return found


def _move(
    found: Extraction, by: int, pages_before: int, within: int, numbers: Sequence[int]
) -> None:
    """Move what was found in some pages to where these are in the document.

    The first page begins ``within`` a page; ``numbers`` are those of all pages that could be read.
    """
    every: list[Vote | Entity | Place] = [each for name in LISTS for each in getattr(found, name)]
    for each in every:
        each.start += by
        each.end += by
        if each.page is None:
            continue
        if each.page == 1:
            each.page_start += within
            each.page_end += within
        each.page = numbers[each.page + pages_before - 1]


def explain_text(text: str) -> list[Reading]:
    """Read the votes of a text and keep, for each, which rule read what and what is in doubt."""
    from .cues import document_text
    from .votes import read_votes

    return read_votes(document_text(text.split("\f")))


def read_pages(text: Path) -> list[str]:
    """Return the pages of a document directory in order, or those of a flat file."""
    return list(read_numbered_pages(text).values())


def read_numbered_pages(text: Path) -> dict[int, str]:
    """Return the pages of a document that could be read, in order, by their numbers."""
    if text.is_dir():
        numbered = [
            (int(match[1]), path)
            for path in text.iterdir()
            if (match := _PAGE.fullmatch(path.name))
        ]
        if not numbered:
            raise EmptyDocument(f"{text} has no pages.")
        return {number: _text_of(path) for number, path in sorted(numbered)}
    flat = text if text.is_file() else text.with_name(f"{text.name}.txt")
    return dict(enumerate(_text_of(flat).split("\f"), start=1))


def _text_of(path: Path) -> str:
    """Return a file's text with its line ends as stored."""
    return path.read_bytes().decode("utf-8", "replace")


def extract_whole(text: str) -> Extraction:
    """Extract from a text whose pages are separated by form feeds or ``--- PAGE n ---`` lines.

    Offsets are into the text as given.  Where neither is found, ``page`` is None.
    """
    found = extract_text(text.split("\f"))
    if "\f" in text:
        return found
    marks = page_marks(text)
    offsets = [offset for offset, _ in marks]
    places: list[Vote | Entity | Place] = [*found.votes, *found.entities, *found.attendance]
    places += [*found.items, *found.speakers, *found.declarations, *found.matters]
    for each in places:
        place = bisect_right(offsets, each.start)
        each.page = marks[place - 1][1] if place else None
    return found


#: The fields of a vote that can be corrected, and the name of each in ``doubtful``.
CORRECTABLE: Mapping[str, str] = {
    **{name: name for name in ("motion", "mover", "seconder", "result", "tally", "item")},
    "item_title": "item",
    **dict.fromkeys(BALLOTS, "names"),
}
#: Flags that say something about a field.
_FLAGS = {
    "names": (
        *("incomplete_list", "tally_mismatch", "off_roster_name", "name_typo", "label_typo"),
        "missing_comma",
    ),
    "tally": ("tally_mismatch", "tally_reversed"),
    "result": ("result_implied", "source_contradiction"),
    "mover": ("mover_equals_seconder", "no_mover"),
    "seconder": ("mover_equals_seconder", "no_second"),
}


@dataclass(frozen=True)
class VoteCorrection:
    """What is right about a stretch of a text; no fields mean that there is no vote."""

    start: int
    end: int
    fields: Mapping[str, Any]
    who: str
    at: str


def corrected_votes(
    doc: NormalText, votes: Sequence[Vote], corrections: Sequence[VoteCorrection]
) -> list[Vote]:
    """Return the votes of a document as people corrected them."""
    found = list(votes)
    for each in corrections:
        begin, end = each.start, min(each.end, len(doc.original))
        shared = {
            index: min(vote.end, end) - max(vote.start, begin) for index, vote in enumerate(found)
        }
        nearest = max(shared, key=lambda index: shared[index], default=None)
        # Half of what was marked, or half of the vote: the words around it may be read otherwise.
        known = nearest is not None and 2 * shared[nearest] > min(
            end - begin, found[nearest].end - found[nearest].start
        )
        if known and nearest is not None and not each.fields:
            del found[nearest]
        elif known and nearest is not None:
            _correct(found[nearest], each)
        elif each.fields:
            found.append(_correct(_empty_vote(doc, begin, end), each))
    return sorted(found, key=lambda vote: vote.start)


def valid_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that can be corrected and have a value that fits."""
    kinds = {each.name: each.type for each in msgspec.structs.fields(Vote)}
    valid = {}
    for name in fields.keys() & CORRECTABLE.keys():
        try:
            valid[name] = msgspec.convert(fields[name], kinds[name])
        except msgspec.ValidationError:
            continue
    return valid


def _correct(vote: Vote, correction: VoteCorrection) -> Vote:
    fields = valid_fields(correction.fields)
    for name, value in fields.items():
        setattr(vote, name, value)
    groups = {CORRECTABLE[name] for name in fields}
    known = {CORRECTABLE[name]: 1.0 for name, value in fields.items() if value}
    vote.field_confidence = {
        name: share for name, share in vote.field_confidence.items() if name not in groups
    } | known
    vote.doubtful = [name for name in vote.doubtful if name not in groups]
    settled = {flag for name in groups for flag in _FLAGS.get(name, ())}
    vote.flags = [flag for flag in vote.flags if flag not in settled]
    if "names" in groups and "tally" not in groups:
        # The count was made from, or checked against, the former lists.
        vote.doubtful = [*vote.doubtful, "tally"] if vote.tally else vote.doubtful
    vote.corrected_fields = sorted({*vote.corrected_fields, *fields})
    vote.corrected_by, vote.corrected_at = correction.who, correction.at
    return vote


def _empty_vote(doc: NormalText, begin: int, end: int) -> Vote:
    """Return a vote of which nothing is known but its words."""
    return Vote(
        **place(doc, begin, end),
        item=None,
        item_title=None,
        consent_items=[],
        consent_exceptions=[],
        motion=None,
        mover=None,
        seconder=None,
        result=UNKNOWN,
        result_text=None,
        vote_type=UNKNOWN,
        ayes=[],
        noes=[],
        abstain=[],
        absent=[],
        recused=[],
        tally=None,
        unanimous=False,
        flags=[],
        confidence=1.0,
        field_confidence={},
        doubtful=[],
        doubts=[],
    )
