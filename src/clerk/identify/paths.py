"""What a path says: used where nobody said more and the page prints nothing."""

from __future__ import annotations

from datetime import date
from typing import Final, NamedTuple
from urllib.parse import unquote

from clerk.core import lazy_re as re

from .bodies import body_in_heading
from .dates import MONTH_OF_WORD, calendar_day, printed_dates, whole_year, without_dates
from .facts import AGENDA, FILE_NAME, FOLDER, MINUTES, NOTICE, PACKET, UNKNOWN, Fact
from .kinds import heading_rule

_MONTH = "|".join(sorted(MONTH_OF_WORD, key=len, reverse=True))
#: Names of files have marks where a text has spaces, and numbers without any.
_NAMED = re.compile(
    rf"(?<![^\W\d_])(?P<month>{_MONTH})[\s._,-]{{0,3}}(?P<day>[0-3]?[0-9])(?:st|nd|rd"
    rf"|th)?[\s._,-]{{0,3}}"
    rf"(?P<year>20[0-9]{{2}}|19[0-9]{{2}}|(?<=[\s._,-])[0-9]{{2}})(?![0-9])"
    rf"|(?<![0-9])(?P<day2>[0-3]?[0-9])(?:st|nd|rd"
    rf"|th)?[\s._-]{{0,3}}(?P<month2>{_MONTH})[\s._,-]{{0,3}}"
    rf"(?P<year2>20[0-9]{{2}}|19[0-9]{{2}})(?![0-9])",
    re.IGNORECASE,
)
_DIGITS = re.compile(
    r"(?<![0-9])(?:(?P<year1>(?:19|20)[0-9]{2})(?P<month1>[01][0-9])(?P<day1>[0-3][0-9])"
    r"|(?P<first>[0-3][0-9])(?P<second>[0-3][0-9])(?P<year2>(?:19|20)[0-9]{2}))(?![0-9])"
)
#: "CM_07092020_AGN_AT": where files are called so, the day comes first.
_CODED = re.compile(r"_[0-9]{8}_(?:AGN|MIN|MAT|ATT)(?![A-Za-z])")
#: "Jan1-Nov6-2023" is a period.
_FROM = re.compile(rf"(?:{_MONTH})[\s._]?[0-9]{{1,2}}\s?[-–]\s?$", re.IGNORECASE)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SPACED = re.compile(
    r"(?<![0-9])(?<![0-9][ _-])(?P<first>[0-9]{1,2})(?P<mark>[ _-])(?P<second>[0-9]{1,2})(?P=mark)"
    r"(?P<year>(?:19|20)[0-9]{2}|[0-9]{2})(?![0-9]|-[0-9])"
)
_YEAR_FIRST = re.compile(
    r"(?<![0-9])(?P<year>(?:19"
    r"|20)[0-9]{2})[ _.-](?P<month>[01]?[0-9])[ _.-](?P<day>[0-3]?[0-9])(?![0-9]|-[0-9])"
)
_MONTH_DAY = re.compile(
    rf"(?<![^\W\d_])(?P<month>{_MONTH})[\s._-]{{1,2}}(?P<day>[0-3]?[0-9])(?:st|nd|rd"
    rf"|th)?(?![0-9]|[\s._-]{{1,2}}[0-9])",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"resolution|ordinance|by-?law|\bcase\b|\bfile\b|\bno\b", re.IGNORECASE)
_NUMBERED_BEFORE = re.compile(
    r"(?:resolution|ordinance|by-?law|\bres|\bord|\bno)\W{0,3}$", re.IGNORECASE
)
_YEAR_FOLDER = re.compile(r"(?:19|20)[0-9]{2}")
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{2,5}$")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])|[_\s-]+")
#: "meetingminutes", "townmeeting": words written as one.
_GLUED = re.compile(
    r"(?<=meeting)(?=minutes|agenda)|(?<=board|draft)(?=minutes|agenda)", re.IGNORECASE
)
PACKET_WORD = re.compile(r"\b(?:packet|package|pack)\b", re.IGNORECASE)
#: "FCC-Cancelled-04022024", "AGENDApacket_08-17-26", "spminutes05182021", "CC-Min-01-27-2021".
_SHORT_KINDS: Final = (
    (NOTICE, re.compile(r"cancel", re.IGNORECASE)),
    (PACKET, re.compile(r"packet(?!s)", re.IGNORECASE)),
    (MINUTES, re.compile(r"minutes|protokoll|[0-9] MIN\b|\bmin [0-9]|\bmins\b", re.IGNORECASE)),
    (AGENDA, re.compile(r"agenda|[0-9] AGN\b", re.IGNORECASE)),
)
#: Abbreviations with one meaning.
_SHORT: Final = {
    "BOE": "Board of Education",
    "ZBA": "Zoning Board of Appeals",
    "BZA": "Board of Zoning Appeals",
}
_MOST_CHARACTERS: Final = 500


class PathReading(NamedTuple):
    """What a path says of a document."""

    date: Fact
    kind: Fact
    title: Fact


def _names(path: str) -> list[tuple[str, str]]:
    """Return the name of the file and of its folders, nearest first, each with its source."""
    whole = unquote(path.split("?")[0])[-_MOST_CHARACTERS:]
    parts = [part for part in re.split(r"[/\\]", whole) if part not in ("", ".", "..")]
    if not parts:
        return []
    folders = [(folder, FOLDER) for folder in reversed(parts[:-1])]
    return [(_SUFFIX.sub("", parts[-1]), FILE_NAME), *folders]


def body_of_path(path: str) -> Fact:
    """Return the body that a path names: the file first, then the nearest folder."""
    for text, source in _names(path):
        if named := body_in_name(text):
            return Fact(named, source, text, None, 0.55 if source == FILE_NAME else 0.4)
    return UNKNOWN


def read_path(path: str, *, day_first: bool = False) -> PathReading:
    """Return what a path names: the file first, then the nearest folder."""
    sources = _names(path)
    if not sources:
        return PathReading(UNKNOWN, UNKNOWN, UNKNOWN)
    name = sources[0][0]
    day = kind = UNKNOWN
    for text, source in sources:
        if day is UNKNOWN and (found := _day_in(text, day_first)):
            day = Fact(found.isoformat(), source, text, None, 0.5)
        if kind is UNKNOWN and (named := kind_in_name(text)):
            kind = Fact(named, source, text, None, 0.5 if source == FILE_NAME else 0.35)
    if day is UNKNOWN:
        years = [folder for folder, _ in sources[1:] if _YEAR_FOLDER.fullmatch(folder)]
        match = _MONTH_DAY.search(name) if len(years) == 1 else None
        if match:
            month = MONTH_OF_WORD[match["month"].lower()]
            if found := calendar_day(int(years[0]), month, int(match["day"])):
                day = Fact(found.isoformat(), FILE_NAME, f"{years[0]}/{name}", None, 0.3)
    return PathReading(day, kind, Fact(name, FILE_NAME, name, None, 0.3))


def kind_in_name(name: str) -> str | None:
    """Return the kind that the name of a file or folder says."""
    words = " ".join(_CAMEL.sub(" ", _GLUED.sub(" ", name)).split())
    if PACKET_WORD.search(words):
        return PACKET
    if found := heading_rule(words):
        return found.kind
    return next((kind for kind, word in _SHORT_KINDS if word.search(words)), None)


def body_in_name(name: str) -> str | None:
    """Return the body that the name of a file or folder says."""
    words = " ".join(_CAMEL.sub(" ", _GLUED.sub(" ", without_dates(name))).split())
    for short, whole in _SHORT.items():
        if re.search(rf"\b{short}\b", words):
            return whole
    found = body_in_heading(words)
    return found if found and len(found) > 5 else None


def _day_in(name: str, day_first: bool) -> date | None:
    if not any(map(str.isdigit, name)):
        return None
    name = _CAPITAL.sub(" ", name)
    for match in _NAMED.finditer(name):
        if _FROM.search(name[: match.start()]):
            continue
        which = "2" if match["month2"] else ""
        month = MONTH_OF_WORD[match[f"month{which}"].lower()]
        if found := calendar_day(
            whole_year(match[f"year{which}"]), month, int(match[f"day{which}"])
        ):
            return found
    for match in _YEAR_FIRST.finditer(name):
        if _NUMBERED_BEFORE.search(name[: match.start()]):
            # "Ordinance 2021-04-12" is its number.
            continue
        if found := calendar_day(int(match["year"]), int(match["month"]), int(match["day"])):
            return found
    for match in _DIGITS.finditer(name):
        if match["year1"]:
            year, month, number = (int(match[f"{each}1"]) for each in ("year", "month", "day"))
        else:
            year, first, second = (int(match[each]) for each in ("year2", "first", "second"))
            is_first = day_first or first > 12 or _CODED.search(name)
            month, number = (second, first) if is_first else (first, second)
        if found := calendar_day(year, month, number):
            return found
    for match in _SPACED.finditer(name):
        if len(match["year"]) == 2 and (int(match["first"]) > 12 or _NUMBERED.search(name)):
            # 21-05-12 may begin with the year, or be the number of an ordinance.
            continue
        year, first, second = whole_year(match["year"]), int(match["first"]), int(match["second"])
        month, number = (second, first) if day_first or first > 12 else (first, second)
        if found := calendar_day(year, month, number):
            return found
    # 5.13.24 may be the number of an item, but not next to a word for papers of a meeting.
    short_years = kind_in_name(name) in (AGENDA, MINUTES, NOTICE, PACKET)
    for printed in printed_dates(name, day_first=day_first):
        written = name[printed.start : printed.end]
        if str(printed.day.year) in written or (short_years and "." in written):
            return printed.day
    return None
