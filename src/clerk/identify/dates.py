"""Dates as they are printed: the only module that turns words into dates of documents.

Every regular expression takes linear time.  What is no day of the calendar (31 February, the year
9999) is no date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

FIRST_YEAR: Final = 1800
LAST_YEAR: Final = 2100
#: Two-digit years from this one on belong to the last century.
_CENTURY_TURNS = 70

_MONTHS = """
    january jan janvier enero januar jänner
    february feb febr février fevrier febrero februar feber
    march mar mars marzo märz maerz
    april apr avril abril
    may mai mayo
    june jun juin junio juni
    july jul juillet julio juli
    august aug août aout agosto
    september sept sep septembre septiembre
    october oct octobre octubre oktober okt
    november nov novembre noviembre
    december dec décembre decembre diciembre dezember dez
""".strip().splitlines()
MONTH_OF_WORD: Final = {word: n for n, line in enumerate(_MONTHS, 1) for word in line.split()}
_MONTH = "|".join(sorted(MONTH_OF_WORD, key=len, reverse=True))

_WEEKDAYS = """
    monday mon lundi lunes montag
    tuesday tues tue mardi martes dienstag
    wednesday wed mercredi miércoles miercoles mittwoch
    thursday thurs thur thu jeudi jueves donnerstag
    friday fri vendredi viernes freitag
    saturday sat samedi sábado sabado samstag
    sunday sun dimanche domingo sonntag
""".strip().splitlines()
_WEEKDAY_OF_WORD = {word: n for n, line in enumerate(_WEEKDAYS) for word in line.split()}
_WEEKDAY = "|".join(sorted(_WEEKDAY_OF_WORD, key=len, reverse=True))

_YEAR4 = r"(?:1[89]|20)[0-9]{2}"
_SUFFIX = r"(?:\s?(?:st|nd|rd|th|er|ro|º|°|\.))?"

#: A weekday before a date, taken into the quote.
_BEFORE = rf"(?:(?<![^\W\d_])(?P<weekday>{_WEEKDAY})\b[.,]?\s{{0,3}}(?:the\s|den\s|le\s)?)?"

_NAMED = re.compile(
    rf"{_BEFORE}(?:"
    # March 4, 2025; Oct. 3,2024; March the 4th 2025
    rf"(?<![^\W\d_])(?P<month1>{_MONTH})(?![^\W\d_])\.?\s{{0,3}}(?:the\s)?(?P<day1>[0-9]{{1,2}}){_SUFFIX}"
    rf"\s{{0,2}}[,.;]?\s{{0,3}}(?P<year1>{_YEAR4})(?![0-9])"
    # 4 March 2025; 4th day of March, 2025; 4 de marzo de 2025; 4. März 2025
    rf"|(?<![0-9])(?P<day2>[0-9]{{1,2}}){_SUFFIX}\s{{0,3}}(?:day\s)?(?:of\s|de\s|del\s)?\s{{0,2}}"
    rf"(?P<month2>{_MONTH})(?![^\W\d_])\.?,?\s{{0,3}}(?:de\s|del\s|in the year\s)?"
    rf"(?P<year2>{_YEAR4})(?![0-9])"
    rf")",
    re.IGNORECASE,
)
#: A date at the beginning of a line.
DATE_START: Final = re.compile(
    rf"(?:(?:{_WEEKDAY})\b[.,]?\s)?(?:[0-9]{{1,2}}{_SUFFIX}\s(?:day\s)?(?:of\s"
    rf"|de\s)?(?:{_MONTH})\b"
    rf"|[0-9]{{1,4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,4}}|(?:{_MONTH})\b\.?\s[0-9]{{1,2}})",
    re.IGNORECASE,
)
_NUMBERS = re.compile(
    rf"{_BEFORE}(?<![0-9./-])(?:"
    rf"(?P<year>{_YEAR4})(?P<mark1>[-/.])(?P<month>[0-9]{{1,2}})(?P=mark1)(?P<day>[0-9]{{1,2}})"
    rf"|(?P<first>[0-9]{{1,2}})(?P<mark2>[-/.])(?P<second>[0-9]{{1,2}})(?P=mark2)"
    rf"(?P<last>{_YEAR4}|[0-9]{{2}})"
    rf")(?![0-9]|[-/.][0-9])",
    re.IGNORECASE,
)


class PrintedDate(NamedTuple):
    """A date in a text; ``ambiguous`` if month and day could be the other way round."""

    day: date
    start: int
    end: int
    ambiguous: bool = False
    wrong_weekday: bool = False


def printed_dates(text: str, *, day_first: bool = False) -> list[PrintedDate]:
    """Return the dates in a text in their order."""
    return sorted([*_named(text), *_in_numbers(text, day_first)], key=lambda found: found.start)


#: A UK or Irish postcode.
_BRITISH = re.compile(
    r"\b[A-Z]{1,2}[0-9][0-9A-Z]? [0-9][A-Z]{2}\b|\b(?:parish council|councillors?' surgery|VAT)\b"
)


def day_comes_first(text: str) -> bool:
    """Whether numbers are rather 31/12 than 12/31, by how the text writes other dates."""
    day = month = 0
    for match in _NAMED.finditer(text):
        day += bool(match["day2"]) and " day" not in match[0].lower()
        month += bool(match["month1"])
    for match in _NUMBERS.finditer(text):
        if not match["year"]:
            day += 2 * (int(match["first"]) > 12)
            month += 2 * (int(match["second"]) > 12)
    return day > month or (day == month and bool(_BRITISH.search(text)))


def without_dates(text: str, mark: str = " ") -> str:
    """Return the text with a mark in place of each date."""
    return _NUMBERS.sub(mark, _NAMED.sub(mark, text))


def _named(text: str) -> Iterator[PrintedDate]:
    for match in _NAMED.finditer(text):
        which = "1" if match["month1"] else "2"
        month = MONTH_OF_WORD[match[f"month{which}"].lower()]
        if day := calendar_day(int(match[f"year{which}"]), month, int(match[f"day{which}"])):
            yield PrintedDate(
                day, match.start(), match.end(), wrong_weekday=_contradicts(match, day)
            )


def _in_numbers(text: str, day_first: bool) -> Iterator[PrintedDate]:
    for match in _NUMBERS.finditer(text):
        if match["year"]:
            found = calendar_day(int(match["year"]), int(match["month"]), int(match["day"]))
            if found:
                yield PrintedDate(found, *match.span(), wrong_weekday=_contradicts(match, found))
            continue
        year, first, second = whole_year(match["last"]), int(match["first"]), int(match["second"])
        by_month, by_day = calendar_day(year, first, second), calendar_day(year, second, first)
        readings = [day for day in ((by_day, by_month) if day_first else (by_month, by_day)) if day]
        fitting = [day for day in readings if not _contradicts(match, day)] or readings
        if fitting:
            yield PrintedDate(
                fitting[0],
                *match.span(),
                ambiguous=len(set(fitting)) > 1,
                wrong_weekday=_contradicts(match, fitting[0]),
            )


def calendar_day(year: int, month: int, day: int) -> date | None:
    """Return the day if the calendar has it and a meeting may have been on it."""
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def iso_day(text: str) -> date | None:
    """Return the day of an ISO date, None for anything else."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return calendar_day(found.year, found.month, found.day)


def whole_year(digits: str) -> int:
    """Return the year that two or four digits stand for."""
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (1900 if int(digits) >= _CENTURY_TURNS else 2000)


def _contradicts(match: re.Match[str], day: date) -> bool:
    weekday = match["weekday"]
    return bool(weekday) and _WEEKDAY_OF_WORD[weekday.lower()] != day.weekday()
