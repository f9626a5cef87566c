"""Recorded answers of real towns, served under their own host names, and a score over them.

Run it: ``python tests/fetch/recorded_towns.py [PART OF A NAME ...]``.  For each recording the
address that a person would type goes through the discovery of ``clerk site add``, the listing of
the fetcher that it picks is compared with what a person expects, and documents with the right date,
body and kind are counted.  robots.txt is obeyed as recorded; where it refuses, a permission is
given.  Recordings lie outside the repository; a third of them was set aside before any rule was
written (``SET_ASIDE``).
"""

from __future__ import annotations

import fnmatch
import gzip
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

import stamina
from shared_data import SHARED_DATA

from clerk.fetch import discover
from clerk.fetch.base import FetcherSpec, Window
from clerk.fetch.candidates import find_source
from clerk.fetch.http.client import Client
from clerk.fetch.http.responses import RobotsRefused
from clerk.fetch.preview import Preview, list_source

#: The day of the score, so that it does not change with time.
TODAY = date(2026, 11, 17)

#: Recordings that were not looked at while the rules were written.
SET_ASIDE = (
    "granicus/rtachicago*",
    "granicus/metra*",
    "infocouncil/burwood*",
    "boardbook/omahahousing*",
    "wordpress/kerman*",
    "legistar_html/charlotte_calendar_row_zoning*",
    "legistar_html/hennepin*",
    "legistar_html/phila*",
    "onbase/akron_search_committees*",
    "civicclerk/laceywa*",
    "civicplus/avenal*",
    "civicweb/lascruces*",
    "plain_index/omaha*",
)

#: What a person types where it is not the recorded address.
TYPED = {
    "civicclerk/laceywa*": "https://laceywa.portal.civicclerk.com/",
    "civicclerk/southfulton*": "https://southfultonga.portal.civicclerk.com/",
    "boarddocs/cvsd*": "https://go.boarddocs.com/wa/cvsd/Board.nsf/Public",
    "boarddocs/grand_rapids*": "https://go.boarddocs.com/mi/grand/Board.nsf/Public",
    "boarddocs/akron*": "https://go.boarddocs.com/oh/akron/Board.nsf/Public",
    "boarddocs/ctpf*": "https://www.boarddocs.com/il/ctpf/board.nsf/Public",
    "civicweb/sarpy*": "https://sarpy.civicweb.net/Portal/",
    "civicweb/lascruces*": "https://lascruces.civicweb.net/Portal/",
    "diligent/*": "https://tulsaschools.diligent.community/Portal/",
    "infocouncil/waverley*": "https://waverley.infocouncil.biz/",
    "infocouncil/burwood*": "https://burwood.infocouncil.biz/",
    "moderngov/*": "https://democracy.manchester.gov.uk/mgListCommittees.aspx",
    "primegov/claytoncountyga*": "https://claytoncountyga.primegov.com/public/portal",
    "primegov/middlesex*": "https://middlesexcountynj.primegov.com/public/portal",
    "escribe/*": "https://pub-chulavista.escribemeetings.com/",
    "legistar_api/*": "https://webapi.legistar.com/v1/seattle",
    "cmis/*": "https://birmingham.cmis.uk.com/birmingham/Meetings.aspx",
    "civicplus/nashcounty*": "http://nc-nashcounty.civicplus.com/AgendaCenter",
    "civicplus/columbus*": "https://www.cityofcolumbuswi.com/AgendaCenter",
    "civicplus/search_results*": "https://town.civicplus.com/AgendaCenter",
    "civicplus/anthony*": "https://www.cityofanthonynm.gov/AgendaCenter",
    "plain_index/omaha*": "https://cityclerk.cityofomaha.org/city-council/agendas",
    "swagit/*": "https://dart.new.swagit.com/views/113",
    "simbli/*": "https://simbli.eboardsolutions.com/SB_Meetings/SB_MeetingListing.aspx?S=223",
    "oparl/*": "https://oparl.example.org/",
    "notubiz/*": "https://haarlem.notubiz.nl/",
}


@dataclass(frozen=True)
class Expected:
    """A document as a person expects it; an empty field is not known."""

    url: str
    kind: str
    date: str = ""
    body: str = ""
    or_url: str = ""


@dataclass
class RecordedTown:
    """What a town answered, and what a person expects of it."""

    name: str
    typed: str
    answers: list[tuple[str, str, bytes]] = field(default_factory=list)
    expected: list[Expected] = field(default_factory=list)
    total: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)
    robots: dict[str, str] = field(default_factory=dict)
    #: Whether a permission was needed, because robots.txt refuses.
    permitted: bool = False

    @property
    def set_aside(self) -> bool:
        return any(fnmatch.fnmatch(self.name, pattern) for pattern in SET_ASIDE)

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Answer as recorded: the exact address, else the same page with another query."""
        url = str(request.url)
        if request.url.path == "/robots.txt":
            robots = self.robots.get(request.url.host)
            return httpx.Response(200, text=robots) if robots else httpx.Response(404)
        wanted = simple(url)
        nearest: tuple[int, bytes] | None = None
        for method, recorded, content in self.answers:
            if method != request.method:
                continue
            if simple(recorded) == wanted:
                return answered(content)
            shown = re.sub(r"\.\.\..*|\?.*", "", recorded)
            same = simple(url.partition("?")[0])[:2] == simple(shown)[:2]
            if "..." in recorded:
                same = simple(url)[1].startswith(simple(shown)[1])
            if same and urlsplit(url).hostname == urlsplit(recorded).hostname:
                common = len(set(simple(url)[2]) & set(simple(recorded)[2]))
                ids = {"id", "mid", "lmeetingid", "meeting", "clip_id", "doctype", "year", "dsp"}
                asked = {key for key, _ in simple(url)[2]} & ids
                if asked and not asked <= {key for key, _ in simple(recorded)[2]}:
                    continue
                if dict(simple(url)[2]).items() >= {
                    key: value for key, value in simple(recorded)[2] if key in ids
                }.items() and (nearest is None or common > nearest[0]):
                    nearest = (common, content)
        if nearest:
            return answered(nearest[1])
        for each in self.expected:
            if wanted in (simple(each.url), simple(each.or_url or each.url)):
                return httpx.Response(200, content=b"%PDF-1.4 " + url.encode() + b"\n%%EOF\n")
        return httpx.Response(404)


def answered(content: bytes) -> httpx.Response:
    if content.startswith(b"LOCATION "):
        return httpx.Response(302, headers={"Location": content[9:].decode()})
    return httpx.Response(200, content=content)


def simple(url: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """A URL without what does not matter: scheme, case of the host and path, session, order."""
    parts = urlsplit(url)
    query = tuple(
        sorted(
            (key.lower(), value)
            for key, value in parse_qsl(parts.query, keep_blank_values=True)
            if key != "_"
        )
    )
    return (parts.hostname or "").lower(), unquote(parts.path).lower().rstrip("/"), query


def content_of(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def load_towns() -> list[RecordedTown]:
    """All recordings, with truths where there are some, else with what links of the page say."""
    robots = {}
    folder = SHARED_DATA / "recordings2" / "robots"
    for entry in json.loads((folder / "manifest.json").read_text()):
        robots[urlsplit(entry["url"]).hostname or ""] = (folder / entry["name"]).read_text()
    towns = []
    for manifest in sorted(SHARED_DATA.glob("recordings*/*/manifest.json")):
        platform = manifest.parent.name
        if platform == "robots":
            continue
        entries = json.loads(manifest.read_text())
        truth_file = manifest.parent / "truth.json"
        truths = json.loads(truth_file.read_text()) if truth_file.exists() else []
        entries = [each for each in entries if not each["name"].endswith(".md")]
        for name, group in grouped(platform, entries).items():
            typed = next(
                (url for pattern, url in TYPED.items() if fnmatch.fnmatch(name, pattern)),
                group[0]["url"],
            )
            town = RecordedTown(name, typed, robots=robots)
            for entry in group:
                town.answers += exchanges(manifest.parent, entry)
            files = [entry["name"] for entry in group]
            for truth in truths:
                if any(fnmatch.fnmatch(each, truth["recording"]) for each in files):
                    listed = truth.get("list") or [*truth["first_ten"], *truth["last_ten"]]
                    town.expected += [
                        Expected(
                            each["url"],
                            each["kind"],
                            each.get("date") or "",
                            each.get("body") or "",
                            each.get("or_url") or "",
                        )
                        for each in listed
                        if each["kind"] in ("agenda", "minutes")
                    ]
                    kinds = {
                        kind: number
                        for kind, number in truth["by_kind"].items()
                        if kind in ("agenda", "minutes")
                    }
                    town.total += sum(kinds.values())
                    town.by_kind |= kinds
            if not any(fnmatch.fnmatch(e, t["recording"]) for e in files for t in truths):
                town.expected = list(counted(platform, group, town))
                town.total = len(town.expected)
                town.by_kind = dict(Counter(each.kind for each in town.expected))
            towns.append(town)
    return towns


#: Platforms whose files are answers of one town each; the others have one listing a file.
_TOGETHER = frozenset(
    ("cmis", "moderngov", "oparl", "notubiz", "ibabs", "simbli", "escribe", "legistar_api")
)


def grouped(platform: str, entries: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Sort the files into towns: by the first part of the name, or one listing each."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        town = entry["name"].split("_")[0]
        if platform in _TOGETHER:
            key = platform
        elif entry["role"] in ("list", "feed", "vcr-cassette", "replay") or (
            entry["role"] == "api-json" and "meetingDocuments" not in entry["name"]
        ):
            key = entry["name"]
        else:
            key = next((each for each in groups if each.split("/")[1].split("_")[0] == town), "")
            key = key.partition("/")[2]
        if key:
            groups.setdefault(f"{platform}/{key}", []).append(entry)
    return {name: group for name, group in groups.items() if "robots" not in name}


def exchanges(folder: Path, entry: dict[str, Any]) -> Iterator[tuple[str, str, bytes]]:
    path, url = folder / entry["name"], entry["url"]
    if entry["role"] == "vcr-cassette":
        import yaml

        for each in yaml.safe_load(path.read_text())["interactions"]:
            body = each["response"]["body"]["string"]
            content = body.encode() if isinstance(body, str) else body
            headers = {k.lower(): v[0] for k, v in each["response"]["headers"].items()}
            if headers.get("content-encoding") == "gzip" and content[:2] == b"\x1f\x8b":
                content = gzip.decompress(content)
            if each["response"]["status"]["code"] in (301, 302):
                content = b"LOCATION " + headers["location"].encode()
            yield each["request"]["method"], each["request"]["uri"], content
    elif entry["role"] == "replay":
        for key, answer in json.loads(path.read_text()):
            if key[0] == "requests":
                yield key[2], key[1], answer.encode()
    else:
        if url.startswith("https://oparl.example.org/..."):
            yield from oparl(path)
            return
        if "tabid/70/...calendar" in url:
            url = "https://birmingham.cmis.uk.com/birmingham/Meetings.aspx"
        if "{id}" in url:
            number = {"sarpy_4927": "4927"}.get("_".join(path.name.split("_")[:2]), "0")
            url = url.replace("{id}", number)
        url = url.replace("{city}", "town").replace(
            "https://cityclerk.cityofomaha.org/...", TYPED["plain_index/omaha*"]
        )
        if "legistar_api" in str(folder) and "events" in entry["name"]:
            url = "https://webapi.legistar.com/v1/seattle/events"
        if "swagit" in str(folder):
            url = TYPED["swagit/*"]
        yield (
            entry["method"],
            url.replace(" (SOAP GetMeetingsByDateRange / GetMeetingtypes)", ""),
            content_of(path),
        )


def oparl(path: Path) -> Iterator[tuple[str, str, bytes]]:
    answer = json.loads(path.read_text())
    yield "GET", answer["id"], path.read_bytes()
    lists = {
        "Body": "https://oparl.example.org/bodies",
        "Meeting": "https://oparl.example.org/body/0/meetings/",
    }
    kind = path.name.split("-")[0]
    if kind in lists:
        page = {"data": [answer], "links": {}, "pagination": {}}
        yield "GET", lists[kind], json.dumps(page).encode()


# --------------------------------------------------- what links say where nobody has counted


def counted(platform: str, group: list[dict[str, Any]], town: RecordedTown) -> Iterator[Expected]:
    """The documents that the links of an answer name, told by their addresses alone."""
    counter = COUNTERS.get(platform)
    if counter:
        seen = set()
        for _, url, content in town.answers:
            for each in counter(url, content.decode("utf-8", "replace")):
                # The same address at the vendor's host and the town's own.
                key = simple(each.url)[1:]
                if key not in seen:
                    seen.add(key)
                    yield each


def _named(title: str) -> str:
    """A title that names a body; "Regular Meeting" does not say whose it is."""
    return title if _BODY.search(title) else ""


def _links(pattern: str, kinds: dict[str, str]) -> Callable[[str, str], Iterator[Expected]]:
    def count(url: str, text: str) -> Iterator[Expected]:
        text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
        for match in re.finditer(pattern, text, re.IGNORECASE):
            kind = kinds.get(match[2].lower(), "")
            if kind:
                whole = str(httpx.URL(url).join(match[1].replace("&amp;", "&")))
                yield Expected(whole, kind, match.groupdict().get("day") or "")

    return count


def _civicplus(url: str, text: str) -> Iterator[Expected]:
    pattern = r"/AgendaCenter/ViewFile/(Agenda|Minutes)/_(\d\d)(\d\d)(\d{4})-\d+(?![\d])"
    for match in re.finditer(pattern, text, re.IGNORECASE):
        day = f"{match[4]}-{match[2]}-{match[3]}"
        yield Expected(str(httpx.URL(url).join(match[0])), match[1].lower(), day)


def _primegov(url: str, text: str) -> Iterator[Expected]:
    for meeting in json.loads(text):
        names = [d.get("templateName") or "" for d in meeting.get("documentList") or []]
        for each in meeting.get("documentList") or []:
            name = each.get("templateName") or ""
            kind = "minutes" if re.search("minutes|journal", name, re.I) else "agenda"
            packet_beside = "packet" in name.lower() and any(
                "agenda" in n.lower() and "packet" not in n.lower() for n in names
            )
            output = each["compileOutputType"]
            pdf = any(
                d["compileOutputType"] == 1 and "genda" in (d.get("templateName") or "")
                for d in meeting["documentList"]
            )
            if output == 3 and (pdf or kind == "minutes"):
                continue
            formats = {
                d["compileOutputType"]
                for d in meeting["documentList"]
                if d["templateId"] == each["templateId"]
            }
            # A Word file only where there is nothing else.
            wanted = output in (1, 3) or formats == {2}
            if wanted and not packet_beside and "otice" not in name:
                query = f"meetingTemplateId={each['templateId']}&compileOutputType={output}"
                day = (meeting.get("dateTime") or "")[:10]
                if not day:
                    day = str(
                        __import__("datetime")
                        .datetime.strptime(meeting["date"], "%b %d, %Y")
                        .date()
                    )
                yield Expected(
                    str(httpx.URL(url).join(f"/Public/CompiledDocument?{query}")),
                    kind,
                    day,
                    _named(meeting.get("title") or ""),
                )


def _civicclerk(url: str, text: str) -> Iterator[Expected]:
    for event in json.loads(text)["value"]:
        files = event.get("publishedFiles") or []
        agenda = any(each["type"] == "Agenda" for each in files)
        for each in files:
            if each["type"] in ("Agenda", "Minutes") or (
                each["type"] == "Agenda Packet" and not agenda
            ):
                stream = (
                    f"/v1/Meetings/GetMeetingFileStream(fileId={each['fileId']},plainText=false)"
                )
                kind = "minutes" if each["type"] == "Minutes" else "agenda"
                yield Expected(
                    str(httpx.URL(url).join(stream)),
                    kind,
                    event["startDateTime"][:10],
                    event["categoryName"],
                )


def _boarddocs(url: str, text: str) -> Iterator[Expected]:
    board = url.partition("oard.nsf")[0] + "oard.nsf"
    if text.startswith("["):
        for each in json.loads(text):
            if each.get("unique"):
                day = each["numberdate"]
                yield Expected(
                    f"{board}/goto?open&id={each['unique']}",
                    "agenda",
                    f"{day[:4]}-{day[4:6]}-{day[6:]}",
                    _named(each["name"]),
                )
    for meeting in re.findall(r"<meeting .*?</meeting>", text, re.DOTALL):
        number = re.search(r' id="(\w+)"', meeting)
        day = re.search(r"<start>\s*<date[^>]*>([\d-]+)", meeting)
        if number:
            yield Expected(f"{board}/goto?open&id={number[1]}", "agenda", day[1] if day else "")


def _escribe(url: str, text: str) -> Iterator[Expected]:
    if text.startswith("{"):
        for meeting in json.loads(text)["d"]:
            types = set()
            for link in meeting["MeetingDocumentLink"] or []:
                kind = {
                    "Agenda": "agenda",
                    "PostMinutes": "minutes",
                    "Minutes": "minutes",
                    "PostAgenda": "agenda",
                }.get(link["Type"])
                if kind and link["Format"] == ".pdf" and link["Type"] not in types:
                    types.add(link["Type"])
                    yield Expected(
                        str(httpx.URL(url).join("/").join(link["Url"])),
                        kind,
                        meeting["StartDate"][:10].replace("/", "-"),
                        _named(meeting["MeetingName"]),
                    )


def _oparl(url: str, text: str) -> Iterator[Expected]:
    answer = json.loads(text)
    if answer.get("type", "").endswith("/Meeting"):
        for name, kind in (("invitation", "agenda"), ("resultsProtocol", "minutes")):
            yield Expected(answer[name]["accessUrl"], kind, answer["start"][:10], "")


def _legistar_api(url: str, text: str) -> Iterator[Expected]:
    if not url.endswith("/events"):
        return
    for event in json.loads(text):
        for name in ("Agenda", "Minutes"):
            if event[f"Event{name}File"]:
                yield Expected(
                    event[f"Event{name}File"],
                    name.lower(),
                    event["EventDate"][:10],
                    event["EventBodyName"],
                )


def _swagit(url: str, text: str) -> Iterator[Expected]:
    for link in re.findall(r'href="([^"]*agenda[^"]*)"', text, re.I):
        yield Expected(str(httpx.URL(url).join(link)), "agenda")


def _simbli(url: str, text: str) -> Iterator[Expected]:
    for each in json.loads(text):
        yield Expected(
            f"https://simbli.eboardsolutions.com/SB_Meetings/ViewMeeting.aspx?S=223"
            f"&MID={each['Master_MeetingID']}",
            "agenda",
            each["MM_DateTime"][:10],
            _named(each["MM_MeetingTitle"]),
        )


COUNTERS: dict[str, Callable[[str, str], Iterator[Expected]]] = {
    "granicus": _links(
        r"[\"']((?:https?:)?[^\"'\s]*(Agenda|Minutes)Viewer\.php\?[^\"'\s]*(?:clip|event)_id=\d+[^\"'\s]*)",
        {"agenda": "agenda", "minutes": "minutes"},
    ),
    "legistar_html": _links(
        r"[\"'](View\.ashx\?M=(A|M)&(?:amp;)?ID=[^\"']*)", {"a": "agenda", "m": "minutes"}
    ),
    "iqm2": _links(
        r"[\"']([^\"']*File(?:Open|View)\.aspx\?Type=(14|15|12)&(?:amp;)?ID=[^\"']*)",
        {"14": "agenda", "15": "minutes", "12": "minutes"},
    ),
    "novusagenda": _links(
        r"[\"']([^\"']*DisplayAgendaPDF\.ashx\?(MeetingID|MinutesMeetingID)=[^\"']*)",
        {"meetingid": "agenda", "minutesmeetingid": "minutes"},
    ),
    "municode": _links(
        r"(https?://[^\"'&?]*/MEET-(Agenda|Minutes)-[0-9a-f]+\.pdf)",
        {"agenda": "agenda", "minutes": "minutes"},
    ),
    "civicplus": _civicplus,
    "primegov": _primegov,
    "civicclerk": _civicclerk,
    "boarddocs": _boarddocs,
    "escribe": _escribe,
    "oparl": _oparl,
    "legistar_api": _legistar_api,
    "swagit": _swagit,
    "simbli": _simbli,
}


# ------------------------------------------------------------------------------- the score


@dataclass
class Score:
    """What was found of a town: of the listed expectations, and of all by kind."""

    town: RecordedTown
    scraper: str = ""
    meetings: int = 0
    found: int = 0
    right: int = 0
    by_kind: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)
    error: str = ""
    #: What the command printed.
    said: dict[str, Any] = field(default_factory=dict)

    @property
    def of(self) -> int:
        return self.town.total

    @property
    def estimate(self) -> float:
        """Documents that are right: those found, times the share of right ones in the sample."""
        listed = len(self.town.expected)
        if not listed:
            return 0.0
        if listed == self.town.total:
            return self.right
        found = sum(min(self.by_kind[k], n) for k, n in self.town.by_kind.items())
        return self.right / listed * found


#: Words that stand for a body of people, and words for a meeting of one, which are not part of
#: its name.
_BODY = re.compile(
    r"council|board|commission|committee|authority|panel|forum|directors|supervisors", re.IGNORECASE
)
_OF_A_MEETING = re.compile(
    r"\b(?:regular|special|annual|cancel+ed|rescheduled|meetings?|sessions?|workshop|agendas?|minutes|"
    r"opens|window|[ap]\.?m|[0-9]{1,2}:[0-9]{2}|(?:19|20)[0-9]{2})\b",
    re.IGNORECASE,
)


def said_body(expected: str, body: str) -> bool:
    """Whether a body is what a person says who reads the expected name of a meeting.

    It is a piece of that name as it is written.  Where the name contains a body of people, so does
    the piece, and nothing that is about the meeting: "City Council" of "City Council Special
    Meeting @ 6:30 p.m.".  A name like "Regular Meeting" names nobody: the document will, when it is
    read.  Where it is only a date, the portal may say elsewhere whose meeting it is.
    """

    def words(text: str) -> str:
        return " ".join(re.findall(r"[^\W_]+", text.lower()))

    without_date = re.sub(r"(?i)\b(?:\w+day|\w{3,9} [0-9]{1,2}, )\b", "", expected)
    if not re.search(r"[^\W\d_]{3}", without_date):
        return True
    if not body and not _BODY.search(expected):
        return True
    if not words(body) or f" {words(body)} " not in f" {words(expected)} ":
        return False
    if _BODY.search(expected):
        return bool(_BODY.search(body)) and not _OF_A_MEETING.search(body)
    return True


class StillClock:
    """A clock that only moves when somebody waits."""

    now = 1_800_000_000.0

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def previewed(town: RecordedTown) -> Preview:
    """Type the town's address and list what is found there."""
    with tempfile.TemporaryDirectory() as scratch, stamina.set_testing(True):

        def open_client(_spec: FetcherSpec | None = None) -> Client:
            return Client(
                Path(scratch),
                transport=httpx.MockTransport(town.answer),
                clock=StillClock(),
                ignore_robots=town.permitted,
            )

        found = find_source(town.typed, open_client, today=TODAY)
        if not found.tried and any(isinstance(error, RobotsRefused) for _, error in found.failed):
            # As ``clerk site add --permission-from``: robots.txt refuses, and somebody allowed it.
            town.permitted = True
            found = find_source(town.typed, open_client, today=TODAY)
        if not found.best:
            raise found.failed[0][1]
        candidate, preview = found.best
        site = {
            "subdomain": "town",
            "scraper": candidate.scraper,
            "extra": json.dumps({"source": candidate.source}),
        }
        spec = discover.registered()[candidate.scraper]
        if spec.lists_all and not preview.stopped_early:
            return preview
        window = Window(date(2000, 1, 1), TODAY + timedelta(days=60), full=True)
        return list_source(spec, site, open_client(), window)


def scored(town: RecordedTown) -> Score:
    """Discover and list a town as ``clerk site add`` and the first fetch do."""
    score = Score(town)
    try:
        listing = previewed(town)
    except Exception as error:  # noqa: BLE001 - a score of nothing, with the reason
        score.error = f"{type(error).__name__}: {error}"
        score.wrong = [each.url for each in town.expected]
        return score
    score.scraper, score.meetings = listing.scraper, listing.meetings
    return compare_with_expected(score, listing.documents)


def compare_with_expected(score: Score, documents: Sequence[Any]) -> Score:
    """Count the documents that have the date, body and kind that a person expects."""
    town = score.town
    by_url: dict[Any, list[Any]] = {}
    for each in documents:
        by_url.setdefault(simple(each.url), []).append(each)
        score.by_kind[{"agendas": "agenda"}.get(each.kind, each.kind)] += 1
    score.found = len(documents)
    claimed = set()
    for expected in town.expected:
        offers = [
            each
            for url in {expected.url, expected.or_url or expected.url}
            for each in by_url.get(simple(url), [])
        ]
        kinds = {"agenda": "agendas"}.get(expected.kind, expected.kind)
        offers = [each for each in offers if each.kind == kinds] or offers
        problem = "not found"
        for offer in offers:
            claimed.add(simple(offer.url))
            if offer.kind != kinds:
                problem = f"kind {offer.kind}"
            elif expected.date and str(offer.day) != expected.date:
                problem = f"date {offer.day} not {expected.date}"
            elif expected.body and not said_body(expected.body, offer.body):
                problem = f"body {offer.body!r} not {expected.body!r}"
            elif not offer.day:
                problem = "no date"
            else:
                score.right += 1
                break
        else:
            score.wrong.append(f"{problem}: {expected.kind} {expected.url}")
    if len(town.expected) == town.total and town.total:
        score.invented = sorted(
            f"{each.kind} {each.day} {each.url}"
            for each in documents
            if simple(each.url) not in claimed
        )
    return score


def main() -> None:
    parts = [each for each in sys.argv[1:] if not each.startswith("-")]
    verbose = "-v" in sys.argv
    sums: dict[bool, list[float]] = {False: [0, 0], True: [0, 0]}
    for town in load_towns():
        if parts and not any(part in town.name for part in parts):
            continue
        score = scored(town)
        sums[town.set_aside][0] += score.estimate
        sums[town.set_aside][1] += score.of
        flag = "*" if town.set_aside else " "
        sys.stdout.write(
            f"{flag}{town.name:48} {score.scraper:13} {score.meetings:5} meetings "
            f"{score.right:4}/{len(town.expected):4} right, kinds {dict(score.by_kind)} "
            f"of {town.by_kind} {score.error[:150]}"
            f"{f' invented {len(score.invented)}' if score.invented else ''}\n"
        )
        if verbose:
            for line in [*score.wrong[:8], *("invented " + each for each in score.invented[:8])]:
                sys.stdout.write(f"      {line}\n")
    for aside, (right, of) in sums.items():
        which = "set aside" if aside else "seen"
        sys.stdout.write(f"{which}: {right:.0f} of {of:.0f} ({right / max(of, 1):.1%})\n")


if __name__ == "__main__":
    main()
