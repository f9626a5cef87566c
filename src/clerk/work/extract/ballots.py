"""Read who voted how: label lists, roll calls, tallies, and prose such as "with Smith opposed"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from .cues import BALLOT, FIRM, SOFT, Cue, Reading
from .model import ABSENT, ABSTAIN, AYES, NOES, RECUSED
from .names import Name, name_before, names_before, read_name, read_names, vocabulary
from .patterns import Phrase, compiled, line_start
from .roster import Roster

_UP_TO_TWENTY = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
"""
NUMBER_WORDS = {word: number for number, word in enumerate(_UP_TO_TWENTY.split())}
NUMBER_WORDS["none"] = NUMBER_WORDS["no"] = 0
_NUMBER = r"(?:\d{1,3}|" + "|".join(NUMBER_WORDS) + r")"

_WORDS = (
    r"ayes?|yeas?|yes(?:es)?|favou?r|for|affirmative|noes|nays?|no|none|against|opposed"
    r"|opposition|negative"
    r"|abstain(?:ed|ing|s)?|abstentions?|absent|excused|recus(?:ed|als?|e)|disq(?:ualified)?\.?"
    r"|not\s+voting|not\s+present|conflict"
)
_LABEL = Phrase(
    (
        "aye yea yes favo for affirm no nay against oppos negative abst absent excused recus "
        "disq conflict"
    ),
    rf"(?P<word>{_WORDS})(?:\s+votes?|\s+were|\s+was)?"
    r"(?:\s{0,3}(?P<count>\(\s?\d{1,3}\s?\)|\d{1,3}(?![\d/]))(?P<after>\s{0,12}[:\-=])?"
    r"|\s{0,12}(?P<mark>[:\-=]))",
)
_UPPER_LABEL = compiled(
    r"^ {0,60}(?P<word>AYES?|YEAS?|NAYS?|NOES|NO|YES|ABSTAIN(?:ED)?|ABSENT|EXCUSED"
    r"|RECUSED)(?: {2,}| ?\n)(?=\s{0,60}\S)",
    re.M,
)
_COUNT_FIRST = compiled(r"\s{0,60}\(?(\d{1,3})\)?(?:\s{0,4}[-:.,;)]|\s{0,4}(?=\n|$|[^\W\d_]))")
_COUNT_LAST = compiled(r"[ .]{0,80}[-(=]? {0,3}(\d{1,2})\)?(?=[ ]{0,3}(?:[;.,\n]|$))")
_NOBODY = compiled(
    r"[\s\-]{0,60}\(?(?:none|nil|n/a|nobody|no one|zero|0)\)?(?![\w-])"
    r"|\s{0,60}-{1,3}(?=\s{0,3}(?:\n|$))"
)
_EVERYBODY = compiled(r"\s{0,40}(?:all|unanimous)\b(?!\s+\w+\s+\w+\s+\w+)")
#: A list of names that is longer than this is something else.
_LIST_REACH = 1500


def category(word: str) -> str:
    """Return the list that a label or a spoken vote belongs to."""
    first = word.split()[0]
    if first.startswith(("aye", "yea", "yes", "favo", "for", "affirm")) or first == "y":
        return AYES
    if first.startswith(("abst",)):
        return ABSTAIN
    if first.startswith(("abs", "exc")) or (word.endswith("present") and first == "not"):
        return ABSENT
    if first.startswith(("rec", "disq", "conf")):
        return RECUSED
    if first == "not":
        return ABSTAIN
    return NOES


def settle(roster: Roster, names: Iterable[Name]) -> tuple[list[str], set[str]]:
    """Return the surnames, each once, and what had to be noted on the way."""
    settled: list[str] = []
    flags: set[str] = set()
    for name in names:
        for part in _apart(roster, name, flags):
            if part not in settled:
                settled.append(part)
    return settled, flags


def settle_one(roster: Roster, name: Name | None) -> tuple[str | None, set[str]]:
    """Return one surname as :func:`settle` does."""
    if name is None:
        return None, set()
    flags: set[str] = set()
    return _surname(roster, name, flags), flags


def _apart(roster: Roster, name: Name, flags: set[str]) -> list[str]:
    """Split names that lost their comma, if every part is a known surname or there are too many."""
    words = name.text.split()
    if len(words) > 1 and all(word.lower() in roster.known for word in words):
        flags.add("missing_comma")
        return words
    if len(words) > 3 and all(len(word.strip(".")) > 1 for word in words) and words[0][0].isupper():
        flags.add("missing_comma")
        return [word for word in words if word[0].isupper()]
    return [_surname(roster, name, flags)]


def _surname(roster: Roster, name: Name, flags: set[str]) -> str:
    surname, typo = roster.spelled(name.surname)
    if typo:
        flags.add("name_typo")
    if name.surname.lower() in roster.shared:
        return name.text
    words = name.text.split()
    cut = len(words) - len(name.surname.split())
    initials = [word for word in words[:cut] if len(word.strip(".")) == 1]
    return " ".join([*initials, surname]) if initials and len(initials) == cut else surname


def label_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for every ``AYES: Smith, Jones`` and every ``Nays 0``."""
    for label in _LABEL.find(reading.lower):
        if _is_label(reading, label):
            cue = _read_label(reading, label)
            if cue is not None:
                yield cue
    for label in _UPPER_LABEL.finditer(reading.text):
        cue = _read_list(reading, category(label["word"].lower()), label.start("word"), label.end())
        if cue.ballots[next(iter(cue.ballots))]:
            yield cue


_PLAIN = vocabulary(
    """
    for no none yes against opposed favor favour absent excused conflict opposition negative
    affirmative
    """
)


def _is_label(reading: Reading, label: re.Match[str]) -> bool:
    """Whether the words are a label and not a part of a sentence."""
    word = label["word"]
    printed = reading.text[label.start() : label.end()]
    if word == "none":
        return (
            printed.startswith(("NONE", "None"))
            and label["mark"] == ":"
            and _line_start(reading, label.start())
        )
    if label["count"] and (not label["after"] or word == "no"):
        return word not in _PLAIN or (printed[0].isupper() and _after_break(reading, label.start()))
    mark = label["mark"] or label["after"].strip()
    if mark == ":":
        return (
            word not in _PLAIN or printed[0].isupper() or _is_phrase(reading.lower, label.start())
        )
    return printed[0].isupper() and (word not in ("for", "no", "against") or printed.isupper())


def _is_phrase(lower: str, start: int) -> bool:
    return (
        re.search(
            r"\b(?:voting|voted|votes?|in|those|members)\s+(?:the\s+)?$",
            lower[max(0, start - 16) : start],
        )
        is not None
    )


def _after_break(reading: Reading, start: int) -> bool:
    before = reading.text[max(0, start - 3) : start].rstrip(" ")
    return not before or before[-1] in "\n,;.(/"


def _line_start(reading: Reading, start: int) -> bool:
    return not reading.text[line_start(reading.text, start) : start].strip()


_PHRASE_START = compiled(
    r"(?:(?:those|members?)\s+)?(?:(?:voting|voted|votes?)\s+)?(?:in\s+(?:the\s+)?)?$"
)


def _read_label(reading: Reading, label: re.Match[str]) -> Cue | None:
    kind = NOES if label["word"] == "none" else category(label["word"])
    floor = max(0, label.start() - 40)
    phrase = _PHRASE_START.search(reading.lower, floor, label.start())
    start = phrase.start() if phrase else label.start()
    if label["count"] and not label["after"]:
        number = int(label["count"].strip("( )"))
        cue = Cue(BALLOT, start, label.end(), SOFT, counts={kind: number})
        return cue
    cue = _read_list(reading, kind, start, label.end())
    if label["count"]:
        cue.counts[kind] = int(label["count"].strip("( )"))
    if label["word"] == "none":
        cue.flags.add("label_typo")
    return cue if cue.ballots or cue.counts or cue.unanimous else None


def _read_list(reading: Reading, kind: str, start: int, position: int) -> Cue:
    """Read what stands behind a label: nobody, everybody, a number, names, or both."""
    lower, text = reading.lower, reading.text
    cue = Cue(BALLOT, start, position, FIRM)
    nobody = _NOBODY.match(lower, position)
    if nobody:
        cue.ballots[kind], cue.end = [], nobody.end()
        cue.counts[kind] = 0
        return cue
    if everybody := _EVERYBODY.match(lower, position):
        cue.end, cue.unanimous = everybody.end(), kind == AYES
        return cue
    if count := _COUNT_FIRST.match(text, position):
        cue.counts[kind] = int(count[1])
        position = cue.end = count.end()
        if _stands_alone(text, count):
            return cue
    names, end = read_names(
        text, position, min(len(text), position + _LIST_REACH), reading.roster.known
    )
    if names:
        names, end = _with_presiding(reading, names, end)
        cue.ballots[kind], flags = settle(reading.roster, names)
        cue.flags |= flags
        cue.end = end
        if last := _COUNT_LAST.match(text, end):
            cue.counts.setdefault(kind, int(last[1]))
            cue.end = last.end()
    return cue


_PRESIDING = compiled(r"\.[ ]{0,3}\n\s*(?=(?:Mayor|President|Chair\w*|Vice|Deputy|Supervisor)\b)")


def _with_presiding(reading: Reading, names: list[Name], end: int) -> tuple[list[Name], int]:
    """Add who presides when a line of their own follows the list: ``Mayor Smith.``"""
    row = _PRESIDING.match(reading.text, end)
    name = read_name(reading.text, row.end(), reading.roster.known) if row else None
    if (
        row is None
        or name is None
        or not re.match(r"\.?[ ]*(?:\n|$)", reading.text[name.end : name.end + 8])
    ):
        return names, end
    return [*names, name], name.end


def _stands_alone(text: str, count: re.Match[str]) -> bool:
    """Whether a number ends its line, and no indented names follow."""
    rest = text[count.end(1) : count.end() + 60]
    return re.match(r"\s{0,4}[:.,;)]?[ ]*\n(?! {4,}\S)", rest) is not None


_SPOKEN = Phrase(
    "aye yea yes nay no abstain absent recuse excused present",
    r"(?:aye|yea|yes|nay|no|abstain(?:ed|s)?|absent|recused?|excused|not\s+voting|present)\b"
    r"(?!\s*:\s*[a-z])",
)
_LETTER = compiled(r"[yn](?<=[\s:\-=,(].)(?=[\s;,.)]|$)")
_BETWEEN = compiled(r"[\s,;.)|\-\"]{0,120}")
_ROLE_AFTER_NAME = compiled(
    r", (?:Vice[- ]?)?(?:Chair\w*|Mayor|President|Secretary|Treasurer|Clerk)$"
)
_TO_VOTE = compiled(
    r"(?:,\s+(?:vice[- ]?)?(?:chair\w*|mayor|president|secretary|treasurer|clerk))?"
    r"[\s,:\-(=.\"]{1,80}(?:voted\s+|votes\s+|voting\s+)?[\"(]?$"
)


def roll_call_cues(reading: Reading) -> Iterator[Cue]:
    """Yield a cue for every run of ``Mr. Smith, yes; Mrs. Jones, no`` in one line or many."""
    run: list[tuple[Name, str, int]] = []
    last_end = 0
    letters = _LETTER.finditer(reading.lower)
    spoken_votes = sorted([*_SPOKEN.find(reading.lower), *letters], key=re.Match.start)
    for spoken in spoken_votes:
        name = _voter(reading, last_end if run else None, spoken.start())
        if name is None and run:
            yield from _roll_call(reading, run)
            run = []
            name = _voter(reading, None, spoken.start())
        if name is not None:
            run.append((name, spoken[0], spoken.end()))
            last_end = spoken.end()
    yield from _roll_call(reading, run)


def _voter(reading: Reading, previous_end: int | None, start: int) -> Name | None:
    """Return who speaks the vote at ``start``; with a run open, directly behind the last vote."""
    text = reading.text
    if previous_end is None:
        edge = _edge_of_name(text, start)
        return name_before(text, edge, reading.roster.known) if edge else None
    if start - previous_end > 160:
        return None
    between = _BETWEEN.match(text, previous_end)
    begin = between.end() if between else previous_end
    name = read_name(text[begin:start], 0, reading.roster.known)
    if name is None or ":" in text[previous_end : begin + name.start]:
        return None
    name = replace(name, start=begin + name.start, end=begin + name.end)
    return name if _TO_VOTE.fullmatch(reading.lower, name.end, start) else None


def _edge_of_name(text: str, start: int) -> int:
    """Return where a capitalised word ends right before a spoken vote, or 0."""
    edge = start
    while edge > max(0, start - 12) and text[edge - 1] in ' \n,:-(="':
        edge -= 1
    role = _ROLE_AFTER_NAME.search(text[max(0, edge - 30) : edge])
    edge -= len(role[0]) if role and edge < start else 0
    first = edge
    while first > max(0, edge - 40) and (text[first - 1].isalpha() or text[first - 1] in "'-."):
        first -= 1
    return edge if first < edge < start and text[first].isupper() else 0


def _roll_call(reading: Reading, run: list[tuple[Name, str, int]]) -> Iterator[Cue]:
    """Make a cue of a run that is long enough, or announced, to be a roll call."""
    if len(run) < 2:
        return
    start = run[0][0].start
    lead = reading.lower[max(0, start - 160) : start]
    if re.search(r"quorum|attendance|\bpresent\b", lead):
        return
    announced = re.search(r"roll[\s-]?call|vote|called|polled", lead) is not None
    if len(run) < 3 and not announced:
        return
    cue = Cue(BALLOT, start, run[-1][2], FIRM, vote_type="roll_call")
    for name, spoken, _ in run:
        kind = AYES if spoken == "y" else NOES if spoken == "n" else category(spoken)
        if spoken == "present":
            continue
        surname, flags = settle_one(reading.roster, name)
        cue.flags |= flags
        if surname:
            cue.ballots.setdefault(kind, []).append(surname)
    if set(cue.ballots) - {ABSENT, RECUSED}:
        yield cue


_PORTLAND = compiled(
    r"\(\s?y\s?-\s?(\d{1,2})(?:\s?[;,]\s?n\s?-\s?(\d{1,2})(?P<names>[^)]{0,80}))?[^)]{0,60}\)"
)
_BRACKET = compiled(
    r"\b(?P<word>favou?r|for|against|opposed|ayes?|yeas?|yes|nays?|noes|no"
    r"|abstain(?:ed|ing)?|abstentions?|absent)\s{0,4}$"
)
_COUNTED = Phrase(
    "favo affirmative opposition aye yea yes against opposed nay noes abst",
    r"(?:favou?r|affirmative|opposition|ayes?|yeas?|yes|against|opposed|nays?|noes"
    r"|abstain\w*|abstentions?)\b",
)
_COUNT_BEFORE = compiled(
    rf"\b(?P<count>{_NUMBER})\s+(?:\(\d{{1,3}}\)\s+)?(?:members?\s+|votes?\s+)?"
    r"(?:voting\s+|voted\s+)?(?:in\s+(?:the\s+)?)?$"
)
_COUNT_REACH = 40


def _count_before(lower: str, position: int) -> tuple[int | None, int, str]:
    """Return the number before a word, where it begins, and how it is written."""
    floor = max(0, position - _COUNT_REACH)
    count = _COUNT_BEFORE.search(lower[floor:position])
    if count is None:
        return None, position, ""
    return number(count["count"]), floor + count.start(), count["count"]


def counted_cues(reading: Reading) -> Iterator[Cue]:
    """Yield cues for ``15 in favor (Smith, Jones)``, ``5 ayes, 0 nays`` and ``(Y-5)``."""
    bracket = reading.text.find("(")
    while bracket >= 0:
        cue = _bracketed(reading, bracket)
        if cue is not None:
            yield cue
        bracket = reading.text.find("(", bracket + 1)
    yield from _pairs(reading)
    for match in _PORTLAND.finditer(reading.lower):
        yield _portland(reading, match)


def _bracketed(reading: Reading, bracket: int) -> Cue | None:
    """Read the names in a bracket behind a word such as "against"."""
    floor = max(0, bracket - 20)
    label = _BRACKET.search(reading.lower[floor:bracket])
    close = reading.text.find(")", bracket, bracket + 800)
    if label is None or close < 0:
        return None
    names, end = read_names(reading.text, bracket + 1, close, reading.roster.known)
    if not names or reading.text[end:close].strip(" \n.,"):
        return None
    kind = category(label["word"])
    ballots, flags = settle(reading.roster, names)
    count, start, _ = _count_before(reading.lower, floor + label.start())
    cue = Cue(BALLOT, start, close + 1, FIRM, ballots={kind: ballots}, flags=flags)
    if count is not None:
        cue.counts[kind] = count
    return cue


def number(word: str) -> int:
    """Return the number that digits or a word stand for."""
    return int(word) if word.isdigit() else NUMBER_WORDS[word]


_COUNTED_SHORT = compiled(r"(?<=\d )(?:for|no|absent)\b")
_PAIRED = vocabulary(
    """
    no yes for opposed absent against
    """
)


def _pairs(reading: Reading) -> Iterator[Cue]:
    """Yield counts with words; doubtful words count only beside a count of the other side."""
    waiting: Cue | None = None
    short = _COUNTED_SHORT.finditer(reading.lower)
    for match in sorted([*_COUNTED.find(reading.lower), *short], key=re.Match.start):
        word = match[0]
        count, start, written = _count_before(reading.lower, match.start())
        if count is None:
            continue
        kind = category(word)
        cue = Cue(BALLOT, start, match.end(), SOFT, counts={kind: count})
        if waiting is not None and start - waiting.end < 60 and kind not in waiting.counts:
            cue.start, cue.counts = waiting.start, {**waiting.counts, **cue.counts}
            yield cue
        elif word not in _PAIRED and written not in ("no", "none", "one"):
            yield cue
        waiting = cue


def _portland(reading: Reading, match: re.Match[str]) -> Cue:
    cue = Cue(BALLOT, match.start(), match.end(), FIRM, counts={AYES: int(match[1])}, fresh=True)
    if match[2]:
        cue.counts[NOES] = int(match[2])
        names, _ = read_names(
            reading.text, match.start("names"), match.end("names"), reading.roster.known
        )
        if names:
            cue.ballots[NOES], cue.flags = settle(reading.roster, names)
    return cue


_DISSENT = Phrase(
    "dissent oppos abstain recus vot cast absent not_present was_absent were_absent",
    r"(?:dissent(?:ing|ed|s)?|oppos(?:ed|ing)|abstain(?:ed|ing|s)|recus(?:ed|ing)|(?:was"
    r"|were)\s+absent\b|absent\s+(?:from|for)\b|not\s+present\s+for\b"
    r"|vot(?:ed|ing|es)\s+(?:(?:against|[\"']?nay[\"']?|[\"']?no[\"']?|in\s+opposition"
    r"|in\s+the\s+negative)|(?:[\"']?aye[\"']?|[\"']?yes[\"']?|[\"']?yea[\"']?|in\s+favou?r"
    r"|in\s+the\s+affirmative))"
    r"|cast(?:ing)?\s+(?:the\s+|a\s+)?(?:only\s+|sole\s+|lone\s+)?(?:dissenting|no|nay|negative"
    r"|opposing)\s+votes?)(?!\w)",
)
_BY = compiled(r"\s*(?:votes?\s+)?(?:by|from|:|-|was|were|cast\s+by)\s*")
_LINK = compiled(r"(?:,?\s{0,3}\b(?:who|having|has|was|were|is|are|both|each|also)\b\s{0,3}){0,3}$")


def dissent_cues(reading: Reading) -> Iterator[Cue]:
    """Yield cues for names that prose puts beside the outcome: ``with Smith abstaining``."""
    for match in _DISSENT.find(reading.lower):
        if reading.lower[match.end() : match.end() + 2].lstrip().startswith(":"):
            continue
        kind = _spoken_kind(match[0])
        names = _people_around(reading, match)
        if not names:
            continue
        ballots, flags = settle(reading.roster, names)
        start = min(match.start(), names[0].start)
        end = max(match.end(), names[-1].end)
        cue = Cue(BALLOT, start, end, SOFT, ballots={kind: ballots}, flags=flags, prose=True)
        tail = reading.lower[match.end() : reading.clause_end(match.end(), 60)]
        if re.match(r"\s*(?:on|for|to)\s+(?:consent\s+)?(?:agenda\s+)?items?\b", tail):
            cue.ballots, cue.flags = {}, {"per_item_dissent"}
        yield cue


def _spoken_kind(phrase: str) -> str:
    if phrase.startswith("abst"):
        return ABSTAIN
    if phrase.startswith("recus"):
        return RECUSED
    if phrase.startswith(("absent", "not", "was", "were")):
        return ABSENT
    return AYES if re.search(r"aye|yes|yea|fav|affirm", phrase) else NOES


def _people_around(reading: Reading, match: re.Match[str]) -> list[Name]:
    known = reading.roster.known
    link = _LINK.search(reading.lower, max(0, match.start() - 24), match.start())
    names = names_before(reading.text, link.start() if link else match.start(), known)
    if names:
        return names
    by = _BY.match(reading.lower, match.end())
    if by is None:
        return []
    found, _ = read_names(reading.text, by.end(), by.end() + 200, known)
    return found
