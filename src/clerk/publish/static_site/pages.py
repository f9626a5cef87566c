"""The pages of a static site: which there are, and what each shows.

A page is named by a key: its kind and what it is about, as in ``("meeting", "Council",
"2024-01-15")``.  :meth:`SitePages.render` returns the files of a key; a long page has several.
Everything that is shown has passed the gate or is the text of a document.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import groupby
from typing import Any
from urllib.parse import quote

from jinja2 import Environment

from clerk.core import language
from clerk.core.language import say, tag_of, word
from clerk.core.public_text import Gate, PublicText, document_text
from clerk.core.storage import Document
from clerk.publish import head_tags, page_text
from clerk.publish.head_tags import Head
from clerk.publish.page_text import counted, day, label
from clerk.site_db.meeting import decided_matters
from clerk.site_db.queries import (
    CompiledDocument,
    CompiledVote,
    HeldMeeting,
    PartOfPacket,
    SiteDatabase,
)
from clerk.site_db.record import (
    DeclaredInterest,
    MatterStep,
    PublicSpeaker,
    Recorded,
    RecordedItem,
    RecordedPresence,
    SiteRecord,
)
from clerk.site_db.rows import page_image

from . import addresses, feeds
from .held import HeldMeetings

#: A page: its kind, and what it is about.
Key = tuple[str | None, ...]

#: What a page shows before it goes on in another file.
VOTES_PER_FILE = 100
ROWS_PER_FILE = 200
ITEMS_PER_FILE = 200
LATEST = 12
LONGEST_MOTION = 300
#: Upper bound of what one page asks the database for.
_ALL = 1_000_000

#: What is shown of a meeting besides its documents and votes.
_OF_A_MEETING: Mapping[str, type[Recorded]] = {
    "items": RecordedItem,
    "attendance": RecordedPresence,
    "speakers": PublicSpeaker,
    "interests": DeclaredInterest,
    "matters": MatterStep,
}
#: Pages that are written whenever anything changes: they count or list everything.
ALWAYS: Sequence[Key] = tuple(
    (kind,)
    for kind in ("home", "search", "calendar", "votes", "people", "matters", "missing", "robots")
)


@dataclass(frozen=True)
class Parts:
    """Where a part of a long page is among the others; ``link`` leads to another."""

    number: int
    last: int
    link: Callable[[int], str]


@dataclass(frozen=True, slots=True)
class ListedVote:
    """A vote in a list; ``address`` is where it is shown with its evidence."""

    address: str
    date: str
    motion: str
    result: str
    #: How the person voted that the list is about; empty in other lists.
    ballot: str

    @classmethod
    def of(cls, row: Mapping[str, Any], address: str) -> ListedVote:
        """Make one of a row of ``votes``; what is not certain is not told."""
        doubtful = json.loads(row["doubtful"] or "[]")
        motion, result = row["motion"] or "", word(row["result"] or "unknown")
        tally = json.loads(row["tally"] or "null")
        if "result" in doubtful:
            result = say("result not certain")
        elif tally and "tally" not in doubtful:
            result += f" ({', '.join(counted(number, side) for side, number in tally.items())})"
        elif row["unanimous"]:
            result += f" {say('unanimously')}"
        if "motion" in doubtful:
            motion = say("A motion, see the quote")
        elif not motion:
            motion = say("A motion that is not quoted")
        elif len(motion) > LONGEST_MOTION:
            motion = motion[:LONGEST_MOTION].rpartition(" ")[0] + " …"
        ballots = ", ".join(word(each) for each in row["ballot"].split(",") if each)
        return cls(address, *map(document_text, (day(row["date"]), motion, result, ballots)))


@dataclass(frozen=True)
class SiteFacts:
    """What the pages say about the site as a whole."""

    subdomain: str
    name: str
    state: str
    language: str
    is_complete: bool
    #: current, outdated or none
    search: str
    #: Where the static site is published, without a slash at the end; empty if that is not known.
    url: str
    #: Where ``clerk serve`` shows the same; empty if that is not known.
    served_at: str
    with_images: bool

    @property
    def spoken(self) -> str:
        """The language of the pages: that of the documents, if there is a catalogue of it."""
        return language.spoken_in(self.language)


@dataclass
class SitePages:
    """The pages of one compiled site."""

    db: SiteDatabase
    environment: Environment
    gate: Gate
    facts: SiteFacts
    assets: Mapping[str, str]
    record: SiteRecord = field(init=False)
    #: The gate, for texts that are not public yet.
    public: Callable[[str], PublicText] = field(init=False)

    def __post_init__(self) -> None:
        self.record = SiteRecord(self.db)
        # The same names are printed on thousands of pages.
        self.public = lru_cache(maxsize=10_000)(self.gate)
        self._context = {
            "site": self.facts,
            "quoted": tag_of(self.facts.language),
            "asset": lambda name: self.assets[name],
            "meeting_of": self._meeting_of,
            **{
                name: getattr(addresses, name)
                for name in (
                    *("body_page", "year_page", "meeting_page", "document_page", "page_of"),
                    *("votes_page", "person_page", "matter_page", "matters_page"),
                    *("calendar_page", "body_slug"),
                )
            },
        }

    @cached_property
    def held(self) -> HeldMeetings:
        """The meetings of the site, looked up when a page is made that lists them."""
        return HeldMeetings.of(self.db)

    # ------------------------------------------------------------------------- which pages

    def keys(self) -> Iterator[Key]:
        """Yield the key of every page."""
        yield from ALWAYS
        rows, held = self.db.rows, self.held
        for body in held.bodies:
            yield from (("body", body), ("atom", body), ("ics", body))
            yield from (("year", body, year) for year in held.years(body))
        yield from (("atom_of_all",), ("ics_of_all",))
        yield from (("meeting", *meeting) for meeting in sorted(held.meetings, key=repr))
        yield from (("calendar_year", year) for year in held.all_years())
        for name, document_id in rows("SELECT name, id FROM documents ORDER BY name"):
            yield "document", name, document_id
        years = "SELECT DISTINCT meeting, substr(date, 1, 4) FROM votes WHERE repeats IS NULL"
        for body, year in rows(years):
            yield "votes_of_year", body, year
        for (person,) in rows("SELECT person FROM people"):
            yield "person", person
        for person, year in rows(PERSON_YEARS):
            yield "votes_of_person", person, year
        for (matter,) in rows("SELECT matter FROM matters"):
            yield "matter", matter
        for (year,) in rows("SELECT DISTINCT substr(last_date, 1, 4) FROM matters"):
            yield "matters_of_year", year

    @staticmethod
    def address(key: Key) -> str:
        """Return the address of the first file of a page."""
        kind, *about = key
        return _ADDRESSES[str(kind)](*about)

    # ------------------------------------------------------------------------ how they look

    def render(self, key: Key) -> dict[str, str]:
        """Return the files of a page by their addresses; none if there is no such page."""
        kind, *about = key
        with page_text.printing_for(self.public), language.speaking(self.facts.spoken):
            shown: dict[str, str] = getattr(self, f"_{kind}")(*about)
        return shown

    def _page(
        self,
        template: str,
        address: str,
        head: Head,
        *,
        parts: Parts | None = None,
        section: str = "",
        **values: Any,
    ) -> str:
        return self.environment.get_template(template).render(
            self._context,
            link=partial(addresses.relative, address),
            head=head,
            parts=parts or Parts(1, 1, str),
            section=section,
            **values,
        )

    def _head(
        self,
        title: str,
        description: str,
        address: str,
        *,
        served: str = "",
        data: Mapping[str, Any] | None = None,
        crumbs: Sequence[tuple[str, str]] = (),
    ) -> Head:
        """Describe a page; ``served`` is where ``clerk serve`` shows the same."""
        return Head(
            title=title,
            description=description,
            site_name=self.facts.name,
            canonical=self.canonical(address, served),
            data=data or {},
            crumbs=self._crumbs(crumbs),
            gate=self.gate,
        )

    def canonical(self, address: str, served: str = "") -> str:
        """Return the address of a page for readers elsewhere; empty if none is known."""
        if self.facts.url:
            return document_text(f"{self.facts.url}/{addresses.relative('', address)}")
        if self.facts.served_at and served:
            return document_text(f"{self.facts.served_at}{served}")
        return ""

    def _crumbs(self, steps: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        if not (self.facts.url and steps):
            return []
        above = [("index.html", self.facts.name), *steps]
        return [(self.canonical(address), text) for address, text in above]

    def _in_parts(
        self, address: str, lists: Mapping[str, Sequence[Any]], sizes: Mapping[str, int]
    ) -> Iterator[tuple[str, Parts, dict[str, Any]]]:
        """Divide lists over as many files as the longest needs."""
        last = max(
            (-(-len(some) // sizes[name]) for name, some in lists.items()),
            default=1,
        )
        for number in range(1, max(last, 1) + 1):
            place = addresses.part_of(address, number)
            shown = {
                name: some[(number - 1) * sizes[name] : number * sizes[name]]
                for name, some in lists.items()
            }
            yield place, self._parts(address, number, max(last, 1)), shown

    @staticmethod
    def _parts(address: str, number: int, last: int) -> Parts:
        place = addresses.part_of(address, number)
        return Parts(
            number,
            last,
            lambda other: addresses.relative(place, addresses.part_of(address, other)),
        )

    # ----------------------------------------------------------------------------- the site

    def _home(self) -> dict[str, str]:
        facts, address = self.facts, "index.html"
        totals = self.db.totals()
        place = f"{facts.name}, {facts.state}" if facts.state else facts.name
        head = self._head(
            say("%(name)s: minutes and agendas", name=place),
            say(
                "Minutes and agendas of %(place)s: %(documents)s, %(votes)s, full text, search and"
                " feeds.",
                place=place,
                documents=counted(totals["documents"], "document"),
                votes=counted(totals["votes"], "vote"),
            ),
            address,
            served=f"/s/{facts.subdomain}/",
            data={
                "@type": "WebSite",
                "name": say("Minutes and agendas of %(place)s", place=place),
                "url": self.canonical(address),
                "about": head_tags.organization(None, facts.name),
            },
        )
        return {
            address: self._page(
                "home.html",
                address,
                head,
                totals=totals,
                people=self._number("SELECT count(*) FROM people"),
                matters=self.record.count_matters(),
                bodies=self.db.bodies(),
                latest=self.held.latest(LATEST),
                newest=self.newest_documents(LATEST),
                is_complete=facts.is_complete,
            )
        }

    @staticmethod
    def named(body: str | None) -> str:
        """Return what a body is called."""
        return body or say("Body not known")

    def _number(self, query: str, *values: Any) -> int:
        return int(self.db.rows(query, *values)[0][0])

    def newest_documents(self, limit: int, body: str | None = "") -> list[CompiledDocument]:
        """Return the documents that were seen last, of all bodies or of one."""
        of_body = "" if body == "" else "WHERE meeting IS ?"
        query = f"""SELECT name FROM documents {of_body}
                    ORDER BY first_seen_at DESC NULLS LAST, date DESC NULLS LAST, name LIMIT ?"""
        values = (limit,) if body == "" else (body, limit)
        names = [name for (name,) in self.db.rows(query, *values)]
        return [self.db.document(Document.from_name(name)) for name in names]

    @cached_property
    def first_seen(self) -> dict[str, str | None]:
        """When each document was first seen, by its name."""
        return dict(self.db.rows("SELECT name, first_seen_at FROM documents"))

    def _search(self) -> dict[str, str]:
        head = self._head(
            f"{say('Search')}, {self.facts.name}",
            say("Search the minutes and agendas of %(place)s.", place=self.facts.name),
            "search.html",
        )
        page = self._page(
            "search.html", "search.html", head, section="search.html", search=self.facts.search
        )
        return {"search.html": page}

    def _missing(self) -> dict[str, str]:
        page = self.environment.get_template("404.html")
        return {"404.html": page.render(self._context, url=self.facts.url)}

    def _robots(self) -> dict[str, str]:
        lines = ["User-agent: *", "Disallow:"]
        if self.facts.url:
            lines.append(f"Sitemap: {self.facts.url}/sitemap.xml")
        return {"robots.txt": "\n".join((*lines, ""))}

    # ---------------------------------------------------------------- bodies and meetings

    def _body(self, body: str | None) -> dict[str, str]:
        if body not in self.held.bodies:
            return {}
        address, name, place = addresses.body_page(body), self.named(body), self.facts.name
        undated = [
            CompiledDocument.of(row)
            for row in self.db.rows(
                "SELECT * FROM documents WHERE meeting IS ? AND date IS NULL ORDER BY name", body
            )
        ]
        years = self.held.years(body)
        vote_years = self.db.rows(
            """SELECT substr(date, 1, 4), count(*) FROM votes
               WHERE meeting IS ? AND repeats IS NULL GROUP BY 1 ORDER BY 1 DESC NULLS LAST""",
            body,
        )
        head = self._head(
            f"{name}, {place}",
            say(
                "Meetings, minutes, agendas and votes: %(about)s.",
                about=f"{name}, {place}" + (f", {years[-1]}–{years[0]}" if years else ""),
            ),
            address,
            served=self._served("body", body),
            data=head_tags.organization(body, place) | {"url": self.canonical(address)},
            crumbs=[(address, name)],
        )
        found = {}
        for file, parts, shown in self._in_parts(
            address, {"undated": undated}, {"undated": ROWS_PER_FILE}
        ):
            found[file] = self._page(
                "body.html",
                file,
                head,
                parts=parts,
                body=body,
                years=years,
                latest=self.held.latest(LATEST, body) if parts.number == 1 else [],
                members=self._members(body) if body and parts.number == 1 else [],
                votes=sum(number for _, number in vote_years),
                vote_years=[year for year, _ in vote_years],
                **shown,
            )
        return found

    def _members(self, body: str) -> list[tuple[str, str, str, str]]:
        rows = self.db.rows(
            """SELECT person, printed_name, first_date, last_date FROM people WHERE meeting = ?
               ORDER BY last_date DESC NULLS LAST, printed_name""",
            body,
        )
        return [(person, document_text(name), first, last) for person, name, first, last in rows]

    def _served(self, kind: str, *about: str | None) -> str:
        """Return where ``clerk serve`` shows the same."""
        site = quote(self.facts.subdomain)
        parts = "/".join(quote(each or "-", safe="") for each in about)
        if kind in ("body", "meeting"):
            # Names of bodies keep their slashes there.
            parts = "/".join(quote(each or "-") for each in about)
            return f"/s/{site}/{parts}/"
        return {"document": f"/d/{parts}"}.get(kind, f"/{kind}/{site}/{parts}")

    def _year(self, body: str | None, year: str) -> dict[str, str]:
        dates = [date for date in self.held.dates.get(body, ()) if date[:4] == year]
        if not dates:
            return {}
        meetings = [self._held_meeting(body, date) for date in reversed(dates)]
        address, name = addresses.year_page(body, year), self.named(body)
        years = self.held.years(body)
        head = self._head(
            f"{name}, {year}, {self.facts.name}",
            say(
                "%(meetings)s with minutes, agendas and votes: %(about)s.",
                meetings=counted(len(meetings), "meeting"),
                about=f"{name}, {self.facts.name}, {year}",
            ),
            address,
            crumbs=[(addresses.body_page(body), name), (address, year)],
        )
        return {
            file: self._page(
                "year.html",
                file,
                head,
                parts=parts,
                body=body,
                year=year,
                before=max((each for each in years if each < year), default=None),
                after=min((each for each in years if each > year), default=None),
                has_votes=any(meeting.votes for meeting in meetings),
                **shown,
            )
            for file, parts, shown in self._in_parts(
                address, {"meetings": meetings}, {"meetings": ROWS_PER_FILE}
            )
        }

    def _meeting(self, body: str | None, date: str) -> dict[str, str]:
        if (body, date) not in self.held.meetings:
            return {}
        meeting, place = self._held_meeting(body, date), self.facts.name
        address, name = addresses.meeting_page(body, date), self.named(body)
        before, after = self.held.neighbours(body, date)
        # Asked for by document, which an index finds.
        telling = self.held.telling[body, date] if body else []
        lists: dict[str, list[Any]] = {
            kind: [
                each
                for name in telling
                for each in self.record.find(
                    of_kind, document=name, body=str(body), date=date, limit=_ALL
                )
            ]
            for kind, of_kind in _OF_A_MEETING.items()
        }
        lists["matters"] = decided_matters(lists["matters"])
        lists["votes"] = self._votes_of_meeting(body, date) if body else []
        told = ", ".join(
            (
                counted(len(meeting.documents) + len(meeting.parts), "document"),
                counted(len(lists["items"]), "agenda item"),
                counted(len(lists["votes"]), "vote"),
            )
        )
        about = f"{name}, {day(date)}, {place}"
        head = self._head(
            about,
            f"{about}: {told}.",
            address,
            served=self._served("meeting", body, date),
            data=head_tags.meeting_data(body, date, place, self.canonical(address)),
            crumbs=[(addresses.body_page(body), name), (address, day(date))],
        )
        sizes = dict.fromkeys(lists, ITEMS_PER_FILE) | {"votes": VOTES_PER_FILE}
        return {
            file: self._page(
                "meeting.html",
                file,
                head,
                parts=parts,
                meeting=meeting,
                before=before,
                after=after,
                **shown,
            )
            for file, parts, shown in self._in_parts(address, lists, sizes)
        }

    def _votes_of_meeting(self, body: str, date: str) -> list[CompiledVote]:
        return [
            vote
            for name in self.held.telling[body, date]
            for vote in self.db.votes(document=name, body=body, date=date, limit=_ALL)
            if vote.repeats is None
        ]

    def _held_meeting(self, body: str | None, date: str) -> HeldMeeting:
        """Return what is held of a meeting, as ``clerk serve`` shows it."""
        documents = [
            self.db.document(Document.from_name(name))
            for name in self.held.documents.get((body, date), ())
        ]
        parts = [
            PartOfPacket(self.db.document(packet), part)
            for name, place in self.held.parts.get((body, date), ())
            for packet in [Document.from_name(name)]
            for part in self.db.parts(packet)
            if (part.first_page, part.first_character) == place
        ]
        votes = self.db.count_votes(date=date, body=body) if body else 0
        return HeldMeeting(body, date, documents, parts, votes)

    def _calendar(self) -> dict[str, str]:
        latest = [(date, body) for body, date in self.held.latest(2 * LATEST)]
        return {"calendar.html": self._calendar_page("calendar.html", "", latest)}

    def _calendar_year(self, year: str) -> dict[str, str]:
        if year not in self.held.all_years():
            return {}
        address = addresses.calendar_page(year)
        meetings = [
            (date, body)
            for body, dates in self.held.dates.items()
            for date in dates[bisect_left(dates, year) : bisect_left(dates, f"{year}~")]
        ]
        return {address: self._calendar_page(address, year, sorted(meetings, key=_by_date))}

    def _calendar_page(
        self, address: str, year: str, meetings: Sequence[tuple[str, str | None]]
    ) -> str:
        months = [
            (
                page_text.month(month),
                [
                    (date, [body for _, body in some])
                    for date, some in groupby(of_month, lambda row: row[0])
                ],
            )
            for month, of_month in groupby(meetings, lambda row: row[0][:7])
        ]
        head = self._head(
            ", ".join(filter(None, (say("Calendar"), year, self.facts.name))),
            say("Meetings of all bodies of %(place)s.", place=self.facts.name)
            if not year
            else say(
                "Meetings of all bodies of %(place)s in %(year)s.", place=self.facts.name, year=year
            ),
            address,
        )
        return self._page(
            "calendar.html",
            address,
            head,
            section="calendar.html",
            year=year,
            years=self.held.all_years(),
            months=months,
        )

    # -------------------------------------------------------------------------- documents

    def _document(self, name: str, _document_id: str) -> dict[str, str]:
        rows = self.db.rows("SELECT * FROM documents WHERE name = ?", name)
        if not rows:
            return {}
        found, document = CompiledDocument.of(rows[0]), Document.from_name(name)
        pages = self.db.pages(document, limit=_ALL)
        address = addresses.document_page(found.id)
        last = max(1, -(-found.pages // addresses.PAGES_PER_FILE))
        sections, votes = self.db.parts(document), self.db.count_votes(document=name)
        head = head_tags.document_head(
            found,
            self.facts.name,
            self.facts.language,
            pages[0].text[:1000] if pages else "",
            self.canonical(address, self._served("document", found.id)),
            crumbs=self._crumbs(
                [
                    (addresses.body_page(found.meeting), self.named(found.meeting)),
                    (address, label(found)),
                ]
            ),
            gate=self.gate,
        )
        files = {}
        for number in range(1, last + 1):
            first = (number - 1) * addresses.PAGES_PER_FILE + 1
            file = addresses.part_of(address, number)
            shown = [
                each for each in pages if first <= each.page < first + addresses.PAGES_PER_FILE
            ]
            files[file] = self._page(
                "document.html",
                file,
                head,
                parts=self._parts(address, number, last),
                document=found,
                sections=sections,
                votes=votes,
                pages=shown,
                language=tag_of(self.facts.language),
                images={
                    each.page: page_image(found.name, each.page)
                    for each in shown
                    if self.facts.with_images and found.sha256 and found.is_pdf
                },
            )
        return files

    # ------------------------------------------------------------------- votes and people

    def _votes(self) -> dict[str, str]:
        rows = self.db.rows(
            """SELECT meeting, substr(date, 1, 4), count(*) FROM votes
               WHERE repeats IS NULL GROUP BY 1, 2
               ORDER BY 1 NULLS LAST, 2 DESC NULLS LAST"""
        )
        bodies = [
            (body, [(year, number) for _, year, number in some])
            for body, some in groupby(rows, lambda row: row[0])
        ]
        head = self._head(
            f"{say('Votes')}, {self.facts.name}",
            say("Who voted how in %(place)s, with the quoted evidence.", place=self.facts.name),
            "votes.html",
        )
        page = self._page(
            "votes.html",
            "votes.html",
            head,
            section="votes.html",
            total=sum(number for *_, number in rows),
            bodies=bodies,
        )
        return {"votes.html": page}

    def _votes_of_year(self, body: str | None, year: str | None) -> dict[str, str]:
        within = "date IS NULL" if year is None else "date >= ? AND date < ?"
        dates = () if year is None else (year, f"{year}~")
        votes = self._listed_votes(
            f"""SELECT id, meeting, date, motion, result, tally, unanimous, doubtful, '' AS ballot
                FROM votes WHERE {within} AND meeting IS ? AND repeats IS NULL
                ORDER BY date DESC, document, start""",
            *(*dates, body),
        )
        if not votes:
            return {}
        address = addresses.votes_page(body, year)
        about = f"{self.named(body)}, {year or say('no date known')}, {self.facts.name}"
        head = self._head(
            f"{say('Votes')}, {about}",
            say(
                "%(votes)s with the quoted evidence: %(about)s.",
                votes=counted(len(votes), "vote"),
                about=about,
            ),
            address,
            crumbs=[("votes.html", say("Votes")), (address, f"{self.named(body)} {year or ''}")],
        )
        return {
            file: self._page(
                "votes_of_year.html",
                file,
                head,
                parts=parts,
                body=body,
                year=year,
                total=len(votes),
                **shown,
            )
            for file, parts, shown in self._in_parts(
                address, {"votes": votes}, {"votes": ROWS_PER_FILE}
            )
        }

    def _listed_votes(self, query: str, *values: Any) -> list[ListedVote]:
        """Return votes with where each is shown with its evidence."""
        listed = []
        for row in self.db.rows(query, *values):
            vote, body, date = row["id"], row["meeting"], row["date"]
            if body is None or (body, date) not in self.held.meetings:
                address = addresses.meeting_page(body, date) if date else addresses.body_page(body)
            else:
                part = self._parts_of_votes.get(vote, 1)
                page = addresses.part_of(addresses.meeting_page(body, date), part)
                address = f"{page}#{vote}"
            listed.append(ListedVote.of(row, address))
        return listed

    def _meeting_of(self, found: Recorded | CompiledVote) -> str:
        """Return the page of the meeting that something was found in, or else of its document.

        Without a date there is none, nor for a part of a packet that is no minutes.
        """
        if (found.meeting, found.date) in self.held.meetings or found.page_id is None:
            return addresses.meeting_page(found.meeting, found.date)
        return addresses.page_of(found.page_id)

    @cached_property
    def _parts_of_votes(self) -> dict[str, int]:
        """On which part of the page of a meeting its votes are, if it is not the first."""
        long_meetings = self.db.rows(
            f"""SELECT meeting, date FROM votes
                WHERE meeting IS NOT NULL AND date IS NOT NULL AND repeats IS NULL
                GROUP BY 1, 2 HAVING count(*) > {VOTES_PER_FILE}"""
        )
        return {
            vote.id: number // VOTES_PER_FILE + 1
            for body, date in long_meetings
            if (body, date) in self.held.meetings
            for number, vote in enumerate(self._votes_of_meeting(body, date))
        }

    def _people(self) -> dict[str, str]:
        bodies = [
            (body, self._members(body))
            for (body,) in self.db.rows("SELECT DISTINCT meeting FROM people ORDER BY 1")
        ]
        head = self._head(
            f"{say('People')}, {self.facts.name}",
            say(
                "Members of the bodies of %(place)s: attendance, votes, dissents.",
                place=self.facts.name,
            ),
            "people.html",
            served=f"/people/{self.facts.subdomain}",
        )
        page = self._page("people.html", "people.html", head, section="people.html", bodies=bodies)
        return {"people.html": page}

    def _person(self, person: str) -> dict[str, str]:
        if not self.db.rows("SELECT 1 FROM people WHERE person = ?", person):
            return {}
        known, address = self.record.person(person), addresses.person_page(person)
        who = known.summary
        head = self._head(
            f"{who.name}, {who.body}, {self.facts.name}",
            f"{who.name}, {who.body}, {self.facts.name}: {counted(who.votes, 'ballot')},"
            f" {counted(known.attendance['present'], 'meeting attended')},"
            f" {counted(known.dissents, 'dissent')}.",
            address,
            served=self._served("people", person),
            data=head_tags.person_data(
                who.name, who.body, self.facts.name, self.canonical(address)
            ),
            crumbs=[("people.html", say("People")), (address, who.name)],
        )
        page = self._page(
            "person.html",
            address,
            head,
            person=known,
            years=self.db.rows(
                f"""SELECT year, count(*) FROM ({VOTES_OF_PEOPLE}) WHERE person = ?
                    GROUP BY 1 ORDER BY 1 DESC NULLS LAST""",
                person,
            ),
            interests=self.record.find(DeclaredInterest, person=person, limit=ROWS_PER_FILE),
        )
        return {address: page}

    def _votes_of_person(self, person: str, year: str | None) -> dict[str, str]:
        votes = self._listed_votes(
            """SELECT votes.id, votes.meeting, votes.date, motion, result, tally, unanimous,
                      doubtful, group_concat(DISTINCT ballot) AS ballot
               FROM person_names JOIN vote_members ON member = printed_name
               JOIN votes ON votes.id = vote AND votes.meeting = person_names.meeting
               WHERE person = ? AND repeats IS NULL AND substr(votes.date, 1, 4) IS ?
               GROUP BY votes.id
               ORDER BY votes.date DESC, votes.document, votes.start""",
            *(person, year),
        )
        if not votes:
            return {}
        address = addresses.person_page(person, year)
        ((name,),) = self.db.rows("SELECT printed_name FROM people WHERE person = ?", person)
        shown_name = document_text(name)
        head = self._head(
            f"{shown_name}: {say('votes')}, {year or say('no date known')}, {self.facts.name}",
            say(
                "How %(name)s voted: %(votes)s, %(about)s.",
                name=shown_name,
                votes=counted(len(votes), "vote"),
                about=f"{self.facts.name}, {year or say('no date known')}",
            ),
            address,
            crumbs=[
                ("people.html", say("People")),
                (addresses.person_page(person), shown_name),
                (address, year or say("no date known")),
            ],
        )
        return {
            file: self._page(
                "votes_of_person.html",
                file,
                head,
                parts=parts,
                person=person,
                name=shown_name,
                year=year,
                total=len(votes),
                **shown,
            )
            for file, parts, shown in self._in_parts(
                address, {"votes": votes}, {"votes": ROWS_PER_FILE}
            )
        }

    # ---------------------------------------------------------------------------- matters

    def _matters(self) -> dict[str, str]:
        years = self.db.rows(
            """SELECT substr(last_date, 1, 4), count(*) FROM matters GROUP BY 1
               ORDER BY 1 DESC NULLS LAST"""
        )
        head = self._head(
            f"{say('Matters')}, {self.facts.name}",
            say(
                "Ordinances, resolutions and cases of %(place)s, and what became of them.",
                place=self.facts.name,
            ),
            "matters.html",
            served=f"/matters/{self.facts.subdomain}",
        )
        page = self._page("matters.html", "matters.html", head, section="matters.html", years=years)
        return {"matters.html": page}

    def _matters_of_year(self, year: str | None) -> dict[str, str]:
        matters = self.record.matters_of_year(year)
        if not matters:
            return {}
        address = addresses.matters_page(year)
        head = self._head(
            f"{say('Matters')}, {year or say('no date known')}, {self.facts.name}",
            say(
                "%(matters)s by when they were last on an agenda: %(about)s.",
                matters=counted(len(matters), "matter"),
                about=f"{self.facts.name}, {year or say('no date known')}",
            ),
            address,
            crumbs=[("matters.html", say("Matters")), (address, year or say("no date known"))],
        )
        return {
            file: self._page("matters_of_year.html", file, head, parts=parts, year=year, **shown)
            for file, parts, shown in self._in_parts(
                address, {"matters": matters}, {"matters": ROWS_PER_FILE}
            )
        }

    def _matter(self, matter: str) -> dict[str, str]:
        if not self.db.rows("SELECT 1 FROM matters WHERE matter = ?", matter):
            return {}
        known, address = self.record.matter(matter), addresses.matter_page(matter)
        name = head_tags.matter_name(known)
        head = self._head(
            f"{name}, {self.facts.name}",
            f"{name}, {self.facts.name}: {word(known.state)},"
            f" {counted(known.meetings, 'meeting')}.",
            address,
            served=self._served("matters", matter),
            data=head_tags.matter_data(
                known.kind, known.matter_number, name, self.canonical(address)
            ),
            crumbs=[("matters.html", say("Matters")), (address, name)],
        )
        return {
            file: self._page("matter.html", file, head, parts=parts, matter=known, **shown)
            for file, parts, shown in self._in_parts(
                address, {"steps": self.record.steps(matter)}, {"steps": VOTES_PER_FILE}
            )
        }

    # -------------------------------------------------------------------------- feeds

    def _atom_of_all(self) -> dict[str, str]:
        return {"new.atom": feeds.atom(self, "new.atom", self.facts.name)}

    def _atom(self, body: str | None) -> dict[str, str]:
        if body not in self.held.bodies:
            return {}
        address = f"bodies/{addresses.body_slug(body)}.atom"
        title = f"{self.named(body)}, {self.facts.name}"
        return {address: feeds.atom(self, address, title, body)}

    def _ics_of_all(self) -> dict[str, str]:
        return {"calendar.ics": feeds.calendar(self, self.facts.name)}

    def _ics(self, body: str | None) -> dict[str, str]:
        address = f"bodies/{addresses.body_slug(body)}.ics"
        if body not in self.held.bodies:
            return {}
        title = f"{self.named(body)}, {self.facts.name}"
        return {address: feeds.calendar(self, title, body)}


#: Votes that name a person, by year.
VOTES_OF_PEOPLE = """
    SELECT DISTINCT names.person, votes.id, substr(votes.date, 1, 4) AS year
    FROM person_names AS names JOIN vote_members AS members ON members.member = names.printed_name
    JOIN votes ON votes.id = members.vote AND votes.meeting = names.meeting
              AND votes.repeats IS NULL
"""
PERSON_YEARS = f"SELECT DISTINCT person, year FROM ({VOTES_OF_PEOPLE})"

#: The address of a page by its kind; documents have theirs by id.
_ADDRESSES: Mapping[str, Callable[..., str]] = {
    "home": lambda: "index.html",
    "missing": lambda: "404.html",
    "robots": lambda: "robots.txt",
    "search": lambda: "search.html",
    "calendar": lambda: "calendar.html",
    "votes": lambda: "votes.html",
    "people": lambda: "people.html",
    "matters": lambda: "matters.html",
    "atom_of_all": lambda: "new.atom",
    "ics_of_all": lambda: "calendar.ics",
    "body": addresses.body_page,
    "year": addresses.year_page,
    "meeting": addresses.meeting_page,
    "calendar_year": addresses.calendar_page,
    "votes_of_year": addresses.votes_page,
    "person": addresses.person_page,
    "votes_of_person": addresses.person_page,
    "matter": addresses.matter_page,
    "matters_of_year": addresses.matters_page,
    "atom": lambda body: f"bodies/{addresses.body_slug(body)}.atom",
    "ics": lambda body: f"bodies/{addresses.body_slug(body)}.ics",
    "document": lambda name, document_id: addresses.document_page(document_id),
}


def _by_date(meeting: tuple[str, str | None]) -> tuple[str, bool, str]:
    date, body = meeting
    return date, body is None, body or ""


def filters() -> dict[str, Callable[..., Any]]:
    """Return the filters of the templates."""
    return {
        "day": day,
        "when": page_text.when,
        "thousands": page_text.thousands,
        "counted": counted,
        "percent": page_text.percent,
        "reflowed": page_text.in_paragraphs,
        "with_space_between": page_text.with_space_between,
        "plain_flag": page_text.plain_flag,
        "why_unread": page_text.why_unread,
        "word": word,
        "label": label,
    }
