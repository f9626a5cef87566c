"""Read who voted how: labels and numbers, roll calls, and prose such as "with Smith opposed".

Each rule for ``AYES: Smith``, ``5 ayes`` and ``5-0`` reads one way of writing; their table lists
them with examples.  A roll call is a run of names, and so no rule of one phrase.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from rapidfuzz.distance import DamerauLevenshtein

from clerk.core import lazy_re as re

from .cues import (
    EARLIER,
    FIRM,
    REPORTED,
    SOFT,
    SPEAKERS,
    BallotCue,
    Cue,
    DissentCue,
    DocumentText,
    Rule,
    find_cues,
)
from .findings import ABSENT, ABSTAIN, AYES, FOURTH, NOES, PASSED, RECUSED, THIRD
from .names import ALSO_SURNAMES, BALLOT_WORDS, STOPS, TITLES, Name, NameList, read_name, read_names
from .record import list_limit
from .text import (
    Phrase,
    end_without,
    indent_start,
    is_inside,
    last_match,
    line_start,
    pattern,
    word_set,
)

_UP_TO_TWENTY = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
"""
_NUMBER_WORDS = {word: number for number, word in enumerate(_UP_TO_TWENTY.split())}
_NUMBER_WORDS["none"] = _NUMBER_WORDS["no"] = 0

#: 5-0, 5 - 0 - 1, 5 to 0, [14 TO 1]; not a date, not an hour, not a section number.
TALLY = pattern(
    r"(?P<yes>[0-9](?<![\d/.$\-:].)(?!(?<=0)\d)\d{0,2})\s{0,2}(?:votes?\s)?(?:-{1,2}|-?to-?|:(?!\d\d)|/)"
    r"\s{0,2}(?P<no>(?!0\d)\d{1,2})"
    r"(?:\s{0,2}-\s{0,2}(?P<abstain>\d{1,2}))?(?:\s{0,2}-\s{0,2}(?P<absent>\d{1,2}))?"
    r"(?![\d/%]|\s?(?:p\.?m|a\.?m|%)|-\d|\.\d|:\d)"
)
#: No tally: ``9-14-98``, ``10-12-04``.
_DATE = re.compile(r"\d{1,2}-\d{1,2}-(?:0\d|[3-9]\d)")
#: The next motion and who moved it: ``103/24 SMITH: That``.
_MOTION_NUMBER = pattern(r"\d{1,3}[/-]\d{2} {1,8}[a-z][\w .'/,-]{1,40}:")
_WORD_TALLY = pattern(
    r"\b(?P<yes>"
    + "|".join(_NUMBER_WORDS)
    + r")\s+(?:\(\d+\)\s+)?to\s+(?P<no>"
    + "|".join(_NUMBER_WORDS)
    + r")\b"
)
_NUMBERED = pattern(
    r"\b(?:no|nos|item|items|section|sec|resolution|ordinance|chapter|case|rule|number|bill|article"
    r"|lot|district|page|phase|code|motion|res|ord|by-?law|r|o|lots|pages|sections|exhibits?"
    r"|parcels?)\b[.:#\s(]*$"
)


#: What a rule asks for, and nobody has given.
_NEEDED = pattern(
    r"\b(?:need(?:s|ed|ing)?|requir(?:e|es|ed|ing)|must\s+have|at\s+least|minimum\s+of)\s+(?:\w+\s+){0,2}$"
)


def tally_in(lower: str, start: int, end: int) -> dict[str, int]:
    """Return the tally printed in a stretch of text: ``5-0-1``, ``[14 TO 1]``, ``three to one``."""
    for match in TALLY.finditer(lower, start, end):
        if _NUMBERED.search(lower[max(0, match.start() - 16) : match.start()]):
            continue
        if _DATE.fullmatch(match[0]) or (
            _MOTION_NUMBER.match(lower, match.start())
            and indent_start(lower, match.start(), 60) is not None
        ):
            continue
        if "/" in match[0] and _NEEDED.search(lower, max(0, match.start() - 40), match.start()):
            # ``failed (needs 3/4)``
            continue
        kinds = {
            AYES: match["yes"],
            NOES: match["no"],
            THIRD: match["abstain"],
            FOURTH: match["absent"],
        }
        return {kind: int(value) for kind, value in kinds.items() if value is not None}
    if words := _WORD_TALLY.search(lower, start, end):
        return {AYES: _NUMBER_WORDS[words["yes"]], NOES: _NUMBER_WORDS[words["no"]]}
    return {}


def ballot_kind(word: str) -> str:
    """Return the list that a label or a spoken vote belongs to."""
    first = word.split()[0]
    if first.startswith(("aye", "yea", "yes", "favo", "for", "affirm", "pour")) or first in (
        "y",
        "in",
    ):
        return AYES
    if first.startswith(("abst", "pass")):
        return ABSTAIN
    if first.startswith(("abs", "exc")) or (word.endswith("present") and first == "not"):
        return ABSENT
    if first.startswith(("rec", "disq", "conf", "declared")):
        return RECUSED
    return ABSTAIN if first == "not" else NOES


#: What has a number: ``Resolution No: RC-2024-23``.
_HAS_NUMBER = pattern(
    r"\b(?:resolutions?|ordinances?|case|file|docket|application|petition|permit|project|contract"
    r"|agreement|bids?|bill|by-?law|lots?|parcel|tract|item|agenda|motion|order|account|check"
    r"|cheque|warrant|invoice|purchase|policy|plan|amendment|exhibit|schedule|section|article"
    r"|chapter|district|ward|precinct|zone|unit|phase|page|minute|meeting|act|law|local\s+law|ref"
    r"|reference|proposal|rfp|licen[cs]e|report|document|res\.?|ord\.?)\s{1,40}$"
)
_NUMBER_SIGN = pattern(
    r"\s?[.#]{1,2}[ ]{0,3}[#(]{0,2}[a-z]{0,4}[-. ]?\d|:[ ]{0,3}[a-z]{1,4}[-. ]?\d"
)
_NUMBER_BEHIND = pattern(r"\s?[.:#]{0,2}\s*[#(]{0,2}[a-z]{0,6}[-./ ]{0,2}\d|\s?[.:#]{1,2} {3,}")


def is_number_sign(lower: str, start: int, end: int) -> bool:
    """Whether the word "no" is short for number: ``Case No. 34-2021``, ``Resolution No: R-5``."""
    if lower[start:end] != "no":
        return False
    if _NUMBER_SIGN.match(lower, end):
        return True
    named = _HAS_NUMBER.search(lower, max(0, start - 60), start)
    return named is not None and _NUMBER_BEHIND.match(lower, end) is not None


_WORDS = (
    r"ayes?|yea[hs]?s?|yes(?:es)?|favou?r|for|affirmative|noes|nays?|no|none|against|opposed"
    r"|opposition|negative|pour|contre"
    r"|abstain(?:ed|ing|s)?|abstentions?|absent|excused|recus(?:ed|als?|e)|disq(?:ualified)?\.?"
    r"|not\s+voting|not\s+present|conflict|passing(?=\s{0,3}:)|dissent(?:ed|ing)"
)
_LABEL = Phrase(
    "aye yea yes favo for affirm no nay against oppos negative abst absent excused recus "
    "disq conflict passing pour contre dissent",
    rf"(?P<word>{_WORDS})[\"']?(?:\s+votes?|\s+were|\s+was|\s+from\s+voting)?"
    r"(?:\s{0,3}(?P<count>\(\s?\d{1,3}\s?\)|\d{1,3}(?![\d/]))(?P<after>\s{0,12}[:\-=])?"
    r"|(?:\s+thereof|\s+thereto|\s+(?:of\s+)?(?:the\s+)?(?:same|motion|resolution|ordinance"
    r"|proposal|proposition|amendment|application|recommendation|request|question|measure)"
    r"|\s+(?:passage|adoption|approval|deferral))?"
    r"\s{0,12}(?P<mark>[:\-=;]|/(?=[^\W\d_])))",
)
_ORDINARY_WORDS = word_set(
    """
    for no none yes against opposed favor favour absent excused conflict opposition negative
    affirmative passing pour contre dissented dissenting
    """
)
_PRESENT_BEFORE = pattern(
    r"\bpresent\b[\w ]{0,20}:\s{0,40}(?!none\b|nil\b|0)\w[^:]{3,160}"
    r"(?:(?:absent|excused)\s{0,3}:[^:]{2,80})?$"
)
_PHRASE_START = pattern(
    r"(?:(?:those|members?)\s+)?(?:(?:voting|voted|votes?)\s+)?(?:in\s+(?:the\s+)?)?$"
)
_LINE_OVER = pattern(r"[ .;]{0,4}(?:\n|$)")
_AWAY_AND = pattern(r"\b(?:excused|absent)\s+(?:&|and)\s+$")
#: ``For example: AYES: Smith; NOES: Jones``
_FOR_EXAMPLE = pattern(r"\b(?:for\s+(?:example|instance)|e\.g\.)(?:[^.\n]|\n(?!\s{0,80}\n)){0,60}$")
_NAME_NEXT = re.compile(r" {1,4}[^\W\d_]")
#: ``In Favour (2)`` in a line of its own, above the names.
_NAME_BELOW = re.compile(r" {1,4}[^\W\d_]| {0,4}\n\s{0,60}[^\W\d_]")


def labelled_list(doc: DocumentText, label: re.Match[str]) -> BallotCue | None:
    """Read the names or the number after a label; not the attendance, and not who spoke."""
    lower, word = doc.lower, label["word"]
    kind = ballot_kind(word)
    if not _is_label(doc, label) or is_number_sign(lower, *label.span("word")):
        return None
    before = lower[max(0, label.start() - 200) : label.start()]
    if word.startswith("not") and _AWAY_AND.search(before[-20:]):
        # ``EXCUSED & NOT VOTING: Smith``
        kind = ABSENT
    if _FOR_EXAMPLE.search(before[-80:]):
        return None
    if kind == ABSENT:
        # Columns have wide gaps between the names of those who are present.
        words = " ".join(lower[max(0, label.start() - 800) : label.start()].split())
        if _PRESENT_BEFORE.search(words[-200:]):
            return None
    if word.startswith(("favo", "for", "against", "oppos")) and SPEAKERS.search(before[-120:]):
        return None
    phrase = _PHRASE_START.search(lower, max(0, label.start() - 40), label.start())
    start = phrase.start() if phrase else label.start()
    count = int(label["count"].strip("( )")) if label["count"] else None
    if count is not None and not label["after"]:
        counted = BallotCue(start, label.end(), SOFT, counts={kind: count})
        below = label["count"][0] == "(" and any(
            _begins_line(doc.text, place) for place in (start, label.start())
        )
        if count and (_NAME_BELOW if below else _NAME_NEXT).match(doc.text, label.end()):
            # ``Ayes 2  Smith, Jones``: a line with as many names as were counted.
            cue = _read_list(doc, kind, label.start(), label.end())
            named = cue.ballots.get(kind, ())
            over = _LINE_OVER.match(doc.text, cue.end) is not None
            if (
                over
                and len(named) == count
                and (
                    count > 1
                    or _begins_line(doc.text, label.start())
                    or all(map(doc.roster.is_known, named))
                )
            ):
                cue.counts[kind] = count
                return cue
            if len(named) > 1 and all(doc.roster.is_known(name) for name in named):
                # Not as many as were counted: somebody is missing.
                counted.incomplete.add(kind)
        return counted
    cue = _read_list(doc, kind, start, label.end())
    if count is not None:
        cue.counts[kind] = count
    if word == "none":
        cue.flags.add("label_typo")
    if cue.ballots or cue.counts or cue.unanimous:
        return cue
    if word not in _ORDINARY_WORDS and _SOMETHING.match(doc.text, label.end()):
        # Somebody is on the list, and cannot be read.
        cue.incomplete.add(kind)
        return cue
    return None


_SOMETHING = pattern(r"[ .]{0,20}[A-Z][^:\n]{2,80}(?:\n|$)")
_FIRST_WORD = pattern(r"[^\W\d_]+")
_YES_BEFORE = pattern(r"\b(?:yes|ayes?|yeas?|for)\s{0,3}-")
_DIGIT_NEXT = pattern(r"\s{0,3}\d{1,2}(?![\d\-/])")
_VOTERS_BEFORE = pattern(
    r"\b(?:voting|voted|votes?|in|those|members|trustees|directors|commissioners|councillors"
    r"|supervisors|aldermen|selectmen|council\w*)\s+(?:the\s+)?$"
    # ``One (1) absent: Smith``
    r"|[a-z]\s\(\d{1,2}\)\s$"
)


def _is_label(doc: DocumentText, label: re.Match[str]) -> bool:
    """Whether the words are a label and not a part of a sentence."""
    word, start = label["word"], label.start()
    printed = doc.text[start : label.end()]
    begin = start - 3 * doc.text.endswith(("In ", "IN "), 0, start)
    before = doc.text[max(0, begin - 3) : begin].rstrip(" ")
    after_break = not before or before[-1] in "\n,;.(/" or before[-1].isdigit()
    if word == "none":
        titled = printed.startswith(("NONE", "None"))
        return titled and label["mark"] == ":" and _begins_line(doc.text, start)
    if label["count"] and (not label["after"] or word == "no"):
        capital = printed[0].isupper() or begin < start
        if word not in _ORDINARY_WORDS or (capital and (after_break or before.endswith(":"))):
            return True
        if capital and _COUNT_BEHIND_LABEL.match(doc.lower, label.end()):
            return True
        return _COUNT_BEFORE_LABEL.search(doc.lower, max(0, start - 24), start) is not None
    mark = label["mark"] or label["after"].strip()
    if mark == ":":
        if word in _SPOKEN_WORDS and printed[0].islower() and before.endswith(","):
            # ``Smith, aye: Jones, nay:`` are votes, each behind its name.
            return False
        if word not in _ORDINARY_WORDS or printed[0].isupper():
            return True
        return _VOTERS_BEFORE.search(doc.lower[max(0, start - 20) : start]) is not None
    if not printed[0].isupper() and not doc.text.endswith("In ", 0, start):
        return False
    if mark == ";":
        # ``Yeas; Smith, Jones, Nays; Brown``, not ``Smith, Aye; Jones, Aye``.
        if word in ("ayes", "yeas", "yeahs", "nays", "noes"):
            return True
        if word in ("no", "for", "yes", "aye", "nay", "yea", "against", "opposed"):
            return False
        # The labels before it have semicolons instead of colons, too.
        return _SEMICOLON_LABEL.search(doc.lower, max(0, start - 240), start) is not None
    if mark == "/":
        value = _FIRST_WORD.match(doc.lower, label.end())
        return value is not None and (value[0] == "none" or value[0] not in BALLOT_WORDS)
    if word not in ("for", "no", "against") or printed.isupper():
        return True
    if _DIGIT_NEXT.match(doc.lower, label.end()):
        return True
    yes = _YES_BEFORE.search(doc.lower, max(0, start - 250), start)
    return after_break and yes is not None


#: ``For 3, against 1, abstention 1``
_COUNT_BEFORE_LABEL = pattern(r"\b(?:for|favou?r|yes|against|no)\s{0,2}:?\s?\d{1,2}\s?[,;]\s{1,3}$")
#: ``the vote was YES 37 NO 21``
_COUNT_BEHIND_LABEL = pattern(r"[,;]?\s{1,3}(?:no|nays?|noes|against|opposed)\s{0,2}:?\s?\d{1,3}\b")
_SEMICOLON_LABEL = pattern(r"\b(?:ayes|yea[hs]?s|nays|noes)\s?;")


def _begins_line(text: str, position: int) -> bool:
    return not text[line_start(text, position) : position].strip()


_NOBODY = pattern(
    r"[\s\-]{0,60}\(?(?:none|nil|n/a|nobody|no one|zero|0)\)?(?![\w-])"
    r"|\s{0,60}-{1,3}(?=\s{0,3}(?:\n|$))"
)
_DECIDED_NEXT = pattern(r"\s{0,40}(?:carried|lost|defeated) {0,8}\n\s{0,60}")
_EVERYBODY = pattern(r"\s{0,40}(?:all|unanimous)\b(?!\s+\w+\s+\w+\s+\w+)")
_COUNT_FIRST = pattern(r"\s{0,60}\(?(\d{1,3})\)?(?:\s{0,4}[-:.,;)]|\s{0,4}(?=\n|$|\(|[^\W\d_]))")
#: ``Ayes: Seven. Nays: One (Smith).``
_COUNT_IN_WORDS = pattern(
    r"\s{0,8}(" + "|".join(_UP_TO_TWENTY.split()) + r")(?=\s{0,3}(?:[.,;(\n]|$))"
)
_COUNT_LAST = pattern(
    r"[ .]{0,80}[-(=]? {0,3}(?:[Tt]otal:? )?(\d{1,2})\)?(?=[ ]{0,3}(?:[;.,\n]|$))"
)
#: A number that ends its line; no indented names follow, and none in brackets.
_COUNT_ALONE = re.compile(r"\s{0,4}[:.,;)]?[ ]*\n(?! {4,}\S| {0,3}\()")
#: The line of who presides, below the list: ``Mayor Smith.``
_PRESIDING = pattern(r"\.[ ]{0,3}\n\s*(?=(?:Mayor|President|Chair\w*|Vice|Deputy|Supervisor)\b)")
_REST_OF_LINE = re.compile(r"\.?[ ]*(?:\n|$)")
_TITLE_LABEL = pattern(
    r"\s{0,40}(?:council\s?(?:members?|men)|commissioners?|trustees?|directors?|supervisors?|aldermen"
    r"|members?)\s?:",
    re.I,
)
#: A list of names that is longer than this is something else.
_LIST_REACH = 1500


def _read_list(doc: DocumentText, kind: str, start: int, position: int) -> BallotCue:
    """Read what is after a label: nobody, everybody, a number, names, or both."""
    text, known = doc.text, doc.roster.known
    cue = BallotCue(start, position, FIRM)
    if title := _TITLE_LABEL.match(text, position):
        # ``AYES: COUNCILMEMBERS: Smith, Jones``
        position = title.end()
    if kind == AYES and (decided := _DECIDED_NEXT.match(doc.lower, position)):
        # ``In Favour:  Carried``, and the names below.
        position = decided.end()
    if nobody := _NOBODY.match(doc.lower, position):
        cue.ballots[kind], cue.counts[kind], cue.end = [], 0, nobody.end()
        return cue
    if everybody := _EVERYBODY.match(doc.lower, position):
        cue.end, cue.unanimous = everybody.end(), kind == AYES
        return cue
    if count := _COUNT_FIRST.match(text, position) or _COUNT_IN_WORDS.match(doc.lower, position):
        cue.counts[kind] = int(count[1]) if count[1].isdigit() else _NUMBER_WORDS[count[1]]
        position = cue.end = count.end()
        if _COUNT_ALONE.match(text[count.end(1) : count.end() + 60]):
            return cue
    limit = list_limit(doc, position, _LIST_REACH)
    listed = doc.names_at(position, limit)
    names, end = listed.names, listed.end
    if names:
        row = _PRESIDING.match(text, end)
        presiding = read_name(text, row.end(), known) if row else None
        if (
            presiding
            and presiding.end <= limit
            and _REST_OF_LINE.match(text[presiding.end : presiding.end + 8])
        ):
            names, end = [*names, presiding], presiding.end
        cue.end = end
        if last := _COUNT_LAST.match(text, end):
            cue.counts.setdefault(kind, int(last[1]))
            cue.end = last.end()
        complete = listed.complete or cue.counts.get(kind) == len(names)
        cue.add_list(doc, kind, NameList(names, end, complete))
    return cue


_BARE_LABEL = Phrase(
    "Ayes Yeas Yeahs Nays Noes Absent Abstain AYES YEAS NAYS NOES ABSENT ABSTAIN In_favo",
    r"(?P<word>Ayes|Yeas|Yeahs|Nays|Noes|Absent|Abstain(?:ed|ing)?|AYES|YEAS|NAYS|NOES|ABSENT"
    r"|ABSTAIN(?:ED)?|In favou?r)\s{1,3}(?=[^\W\d_])",
)
_BLOCK_BEFORE = pattern(r"\b(?:ayes|yea[hs]?s|nays|noes)\b[^\n]{0,12}[\s\S]{0,200}[.;,\n]\s{0,40}$")


def bare_list(doc: DocumentText, label: re.Match[str]) -> BallotCue | None:
    """Read known names after a label that has no colon."""
    start, word = label.start(), label["word"].lower()
    kind = ballot_kind(word)
    token = doc.name_at(label.end())
    if token is None or token.start > label.end() + 2:
        return None
    if not (token.titled or token.surname.lower() in doc.roster.known):
        return None
    if kind in (ABSENT, ABSTAIN) and not _BLOCK_BEFORE.search(
        doc.lower, max(0, start - 240), start
    ):
        return None
    cue = _read_list(doc, kind, start, label.end())
    ends = doc.text[cue.end : cue.end + 2].strip()[:1]
    if not cue.ballots.get(kind) or ends not in (".", ";", ",", ""):
        return None
    return cue


_WERE_LABEL = Phrase(
    "For_the FOR_THE Against_the AGAINST_THE",
    r"(?P<word>For|FOR|Against|AGAINST) (?:the|THE) (?i:motion|amendment|resolution|recommendation)"
    r" (?i:were|was):? {1,3}(?=[A-Z])",
)


def were_list(doc: DocumentText, label: re.Match[str]) -> BallotCue | None:
    """Read who was for or against, told in a sentence that begins with the side."""
    cue = _read_list(doc, ballot_kind(label["word"].lower()), label.start(), label.end())
    return cue if cue.ballots else None


_APPROVED = Phrase(
    "Approved APPROVED", r"(?:Approved|APPROVED) ?:(?=[^:]{3,600}\b(?i:dissent(?:ed|ing)) ?:)"
)


def approved_list(doc: DocumentText, label: re.Match[str]) -> BallotCue | None:
    """Read who approved, above the list of those who dissented."""
    cue = _read_list(doc, AYES, label.start(), label.end())
    return cue if cue.ballots else None


_VOTING = Phrase(
    "those_voting members_voting",
    r"(?:those|members)\s+voting\s+[\"']?(?P<word>aye|yea|yes|nay|no|against|in\s+favou?r)[\"']?"
    r"(?:\s+(?:being|were|are)\b:?|,)\s*(?=[a-z])",
)


def voting_list(doc: DocumentText, label: re.Match[str]) -> BallotCue | None:
    """Read the names behind "those voting aye being"."""
    kind = ballot_kind(label["word"].lower())
    cue = _read_list(doc, kind, label.start(), label.end())
    return cue if kind in cue.ballots else None


_VOTE_OF = Phrase(
    "affirmative negative",
    r"(?P<word>affirmative|negative)\s+votes?\s+(?:of|by|from)\s+(?:the\s+following\s*:?\s*)?(?=[a-z])",
)


def vote_of_names(doc: DocumentText, phrase: re.Match[str]) -> BallotCue | None:
    """Read the names behind "the affirmative vote of", if the first has a title or is known."""
    listed = doc.names_at(phrase.end(), phrase.end() + _LIST_REACH)
    if not listed.names or listed.names[0].start != phrase.end():
        return None
    first = listed.names[0]
    if not (first.titled or doc.roster.is_known(first.surname)):
        return None
    cue = BallotCue(phrase.start(), listed.end, FIRM, vote_type="roll_call")
    cue.add_list(doc, ballot_kind(phrase["word"]), listed)
    return cue


_VOTE_BY = Phrase("vote_by", r"vote\s+by\s+(?=[a-z])")
_WAS_UNANIMOUS = pattern(r"\s+(?:was|is)\s+unanimous\b")


def unanimous_vote_by(doc: DocumentText, phrase: re.Match[str]) -> BallotCue | None:
    """Read the names between "the vote by" and "was unanimous"."""
    listed = doc.names_at(phrase.end(), phrase.end() + _LIST_REACH)
    unanimous = _WAS_UNANIMOUS.match(doc.lower, listed.end)
    if unanimous is None or len(listed.names) < 2 or listed.names[0].start != phrase.end():
        return None
    cue = BallotCue(phrase.start(), unanimous.end(), FIRM, unanimous=True, vote_type="roll_call")
    cue.add_list(doc, AYES, NameList(listed.names, listed.end, True))
    return cue


#: Far fewer labels end than words in capitals begin: its colon is looked for.
_CAPITALS_COLON = re.compile(
    r":(?:(?<=[A-Z]{4}:)|(?<=[A-Z]{4}['., ]:)|(?<=[A-Z]{4}['., ] :)|(?<=[A-Z]{4}['.,]  :))"
)
_MISREAD_LABEL = re.compile(r"(?<![A-Z])([A-Z]{4,9})['.,]? {0,2}:")
_LABELS = ("AYES", "NOES", "NAYS", "NAYES", "YEAS", "ABSENT", "ABSTAIN", "ABSTAINED")
_LABEL_NEAR = pattern(r"\b(?:ayes|noes|nays|yeas)\s{0,3}:")


def misread_label(doc: DocumentText, colon: re.Match[str]) -> BallotCue | None:
    """Read a list after a label with a misread letter, next to one that is not misread."""
    label = _MISREAD_LABEL.search(doc.text, max(0, colon.start() - 13), colon.end())
    if label is None or label[1] in _LABELS:
        return None
    near = [each for each in _LABELS if DamerauLevenshtein.distance(label[1], each) == 1]
    if not near or not _LABEL_NEAR.search(
        doc.lower, max(0, label.start() - 240), label.end() + 240
    ):
        return None
    kinds = {ballot_kind(each.lower()) for each in near}
    if len(kinds) != 1:
        return None
    cue = _read_list(doc, kinds.pop(), label.start(), label.end())
    cue.flags.add("label_typo")
    return cue if cue.ballots or cue.counts else None


_NUMBER = r"(?:\d{1,3}|" + "|".join(_NUMBER_WORDS) + r")"
_COUNT_BEFORE = pattern(
    rf"\b(?P<count>{_NUMBER})(?:-|\s+)(?:\(\d{{1,3}}\)\s+)?(?:members?\s+|votes?\s+)?"
    r"(?:(?:councill?ors|commissioners|trustees|directors|members)\s+(?:present\s+and\s+|(?=voted)))?"
    r"(?:voting\s+|voted\s+)?(?:in\s+(?:the\s+)?)?$"
)
#: Labels and numbers in a row: the first of them decides which number is whose.
_RUN_TOKEN = pattern(
    rf"\b(?:(?P<label>{_WORDS})|(?P<number>{_NUMBER})|and|votes?|voted|voting|in|the)\b"
)
_TALLY_OR_TOTAL = pattern(
    r"(?:\d\s?-|[^\W\d_](?<!\bcall)(?<!\bvote)(?<!\bcarried)(?<!\bpassed)(?<!\bapproved)"
    r"(?<!\badopted)(?<!\bfailed)(?<!\bdefeated)\s{1,4}-)\s{0,4}$"
)


def _count_before(lower: str, position: int) -> tuple[int, int, str] | None:
    """Return the number before a word, where it begins, and how it is written.

    A number may belong to what precedes it: ``Ayes 6 Nays 0``, ``Smith - 3``.
    """
    floor = max(0, position - 40)
    count = _COUNT_BEFORE.search(lower[floor:position])
    if count is None:
        return None
    start = floor + count.start()
    before = lower[max(0, start - 120) : start]
    if _TALLY_OR_TOTAL.search(before):
        return None
    first, edge = "", len(before)
    for token in reversed(list(_RUN_TOKEN.finditer(before))):
        if before[token.end() : edge].strip(' \n,:;.-=()"'):
            break
        edge = token.start()
        first = token.lastgroup or first
    if first == "label":
        return None
    word = count["count"]
    return int(word) if word.isdigit() else _NUMBER_WORDS[word], start, word


_SPOKEN_WORDS = word_set("yes aye yea no nay")
_OPENING = re.compile(r"[(\[]")
_SAID_BEFORE = pattern(
    r"[ \n]{0,3}-?[ \n]{0,3}(?:(?:all|voted|voting) )?(?P<word>ayes?|yeas?|yes|nays?|no)"
)
_UNANIMOUS_BEFORE = pattern(
    r"\b(?:unanimous(?:ly)?|in favou?r|carried|passed|approved|ayes?)[ :,-]{0,4}$"
)
_LABEL_BEFORE = pattern(
    r"\b(?P<word>favou?r|for|against|opposed|ayes?|yeas?|yes|nays?|noes|no"
    r"|abstain(?:ed|ing)?|abstentions?|absent)\s{0,4}(?:\d{1,4}\s{0,3})?$"
)


_LABEL_INSIDE = pattern(
    r"(?P<word>yeas?|ayes?|nays?|noes|opposed|abstain(?:ed|ing))\s{1,3}(?=[a-z])"
)


def names_in_brackets(doc: DocumentText, opening: re.Match[str]) -> BallotCue | None:
    """Read names in brackets after a word such as "against"."""
    bracket = opening.start()
    floor = max(0, bracket - 20)
    square = opening[0] == "["
    close = doc.text.find("]" if square else ")", bracket, bracket + 800)
    if close < 0:
        return None
    if side := _LABEL_INSIDE.match(doc.lower, bracket + 1, close):
        # ``on a roll call of 4-2 (nays Mr. Smith, Mr. Jones)``
        listed = doc.names_at(side.end(), close)
        if listed.names and not doc.text[listed.end : close].strip(" ."):
            cue = BallotCue(bracket, close + 1, FIRM)
            cue.add_list(doc, ballot_kind(side["word"]), listed)
            return cue
    label = _LABEL_BEFORE.search(doc.lower[floor:bracket])
    unanimous = _UNANIMOUS_BEFORE.search(doc.lower[floor:bracket]) if label is None else None
    inside = doc.names_at(bracket + 1, close).names if unanimous else []
    members = len(inside) > 2 and all(doc.roster.is_known(name.surname) for name in inside)
    if unanimous and (square or members):
        # ``Unanimous (Smith/Jones/Brown)``
        label, square = unanimous, True
    elif label is None and (behind := _LABEL_BEHIND.match(doc.lower, close)):
        return _names_before_label(doc, bracket, close, behind)
    elif label is None and not doc.lower.endswith(("yea", "aye", "yes", "nay", "no"), 0, close):
        return None
    listed = doc.names_at(bracket + 1, close)
    if not listed.names:
        return None
    rest = doc.lower[listed.end : close]
    said = _SAID_BEFORE.fullmatch(rest) if label is None and len(listed.names) > 1 else None
    if said:
        # ``(Smith, Jones, Brown - yea)``
        cue = BallotCue(bracket, close + 1, FIRM, vote_type="roll_call")
        cue.add_list(doc, ballot_kind(said["word"]), NameList(listed.names, listed.end, True))
        return cue
    if label is None or rest.strip(" \n.,") or (square and len(listed.names) < 2):
        return None
    kind = AYES if square and "word" not in label.groupdict() else ballot_kind(label["word"])
    start = floor + label.start()
    count = _count_before(doc.lower, start)
    spoken = count is None and doc.lower[start:bracket].split()[0] in _SPOKEN_WORDS
    if spoken and doc.name_before(end_without(doc.text, start, " -:,")) is not None:
        # ``Smith-yes (Jones by phone)``: the vote of Smith, and no label.
        return None
    cue = BallotCue(count[1] if count else start, close + 1, FIRM)
    cue.add_list(doc, kind, listed)
    cue.counts = {kind: count[0]} if count else {}
    return cue


_LABEL_BEHIND = pattern(
    # Not ``In favor: 2 (Smith, Jones) Opposed: 1 (Brown)``, where it is the label of the next list.
    r"\)\s{1,3}(?P<word>against|opposed|for|in favou?r|abstaining)\b(?!\s{0,3}[:=-]|\s+\d)"
)
_COUNT_OF_NAMES = pattern(
    r"(?:\b(?P<yes>\d{1,2})\s{1,3}for\s{1,3}(?:\([^()]{3,200}\)\s{1,3})?and\s{1,3})?"
    r"\b(?P<count>\d{1,2})\s{1,3}$"
)


def _names_before_label(
    doc: DocumentText, bracket: int, close: int, label: re.Match[str]
) -> BallotCue | None:
    """Read ``6 for and 1 (Smith) against``, if there are as many names as were counted."""
    floor = max(0, bracket - 240)
    count = _COUNT_OF_NAMES.search(doc.lower[floor:bracket])
    listed = doc.names_at(bracket + 1, close)
    if count is None or len(listed.names) != int(count["count"]):
        return None
    kind = ballot_kind(label["word"])
    cue = BallotCue(floor + count.start(), label.end(), FIRM)
    cue.add_list(doc, kind, listed)
    cue.counts[kind] = len(listed.names)
    if count["yes"]:
        cue.counts[AYES] = int(count["yes"])
    return cue


_COUNTED = Phrase(
    "favo affirmative opposition aye yea yes against opposed nay noes abst",
    r"(?:favou?r|affirmative|opposition|ayes?|yeas?|yes|against|opposed|nays?|noes"
    r"|abstain\w*|abstentions?)\b",
)
_COUNTED_SHORT = pattern(r"[0-9] (?:vot(?:es?|ed|ing) )?(?P<word>for|no|absent|against)\b")
#: These count only next to a count of the other side.
_DOUBTFUL_WORDS = word_set("no yes for opposed absent against")
_OF_ANOTHER = pattern(r"\s+of\s+(?:the\s+|an?\s+)?(?:counter|alternat|other)")
_VOTES_NEXT = pattern(r"\s{1,3}votes\b")
_LABEL_MARK = pattern(r"\s{0,3}[:=-]")
_DASH = pattern(r" {0,2}- {0,2}(?=[A-Z])")
_THAT_BEING = pattern(r",?\s{1,3}(?:that\s+being|being|cast\s+by)\s{1,3}(?=[A-Z])")
#: ``2 nays, Smith, Jones``: only who is known is named so.
_NAMES_NEXT = pattern(r",? {1,2}(?=[A-Z])")
_LIST_OVER = pattern(
    r" {0,3}(?:[);.\n]|$|,?\s{1,3}(?P<rest>(?:the\s+)?(?:rest|others|all\s+others)\b))"
)


def counts_with_words(doc: DocumentText) -> Iterator[BallotCue]:
    """Read ``5 ayes, 0 nays`` and ``1 nay - Smith``."""
    lower, text = doc.lower, doc.text
    last: BallotCue | None = None
    words = [match.span() for match in _COUNTED.find(lower)]
    words += [
        match.span("word")
        for match in _COUNTED_SHORT.finditer(lower)
        if not is_number_sign(lower, *match.span("word"))
    ]
    for position, end in sorted(words):
        word = lower[position:end]
        counted = _count_before(lower, position)
        if counted is None:
            continue
        count, start, written = counted
        if SPEAKERS.search(lower[max(0, start - 120) : start]):
            # ``Nine persons spoke, six in favor and three against.``
            continue
        if _OF_ANOTHER.match(lower, end):
            # ``six in favour of the proposal and three in favour of the counter proposal``
            continue
        if _NEEDED.search(lower, max(0, start - 40), start):
            # ``The application needed five affirmative votes.``
            continue
        if "\n" in lower[start:position] and _LABEL_MARK.match(lower, end):
            # The number ends a list, and the word is the label of the next one.
            continue
        kind = ballot_kind(word)
        cue = BallotCue(start, end, SOFT, counts={kind: count})
        marked = _DASH.match(text, end) or _THAT_BEING.match(text, end)
        if names_next := marked or _NAMES_NEXT.match(text, end):
            listed = doc.names_at(names_next.end(), names_next.end() + 200)
            surnames, flags = doc.roster.surnames(listed.names)
            over = _LIST_OVER.match(text, listed.end)
            known = marked or all(map(doc.roster.is_known, surnames))
            if surnames and len(surnames) == count and over and known:
                if over["rest"]:
                    # The others voted the other way, and are not named.
                    cue.incomplete.add(NOES if kind == AYES else AYES)
                cue.ballots[kind], cue.end = surnames, listed.end
                cue.flags |= flags
        if (
            last is not None
            and start - last.end < 60
            and kind not in last.counts
            and not doc.blank_line_between(last.end, start)
        ):
            cue.start, cue.at = last.start, last.at
            cue.counts = {**last.counts, **cue.counts}
            cue.ballots = {**last.ballots, **cue.ballots}
            yield cue
        elif cue.ballots or (
            written not in ("no", "none", "one")
            and (word not in _DOUBTFUL_WORDS or _VOTES_NEXT.match(lower, end))
        ):
            yield cue
        last = cue


_COMMA_LABEL = Phrase(
    "Yea YEA Aye AYE Nay NAY Noes NOES",
    r"(?P<word>Yeas|YEAS|Ayes|AYES|Nays|NAYS|Noes|NOES), {1,3}(?=[A-Z]|none\b)",
)


def comma_list(doc: DocumentText, label: re.Match[str]) -> BallotCue | None:
    """Read a line of names after a comma that ends with their number."""
    if indent_start(doc.text, label.start(), 60) is None:
        return None
    kind = ballot_kind(label["word"].lower())
    cue = _read_list(doc, kind, label.start(), label.end())
    return cue if cue.counts.get(kind) == len(cue.ballots.get(kind, ())) else None


_LETTERS = pattern(
    r"\(\s?y\s?-\s?(\d{1,2})(?:\s?[;,]\s?n\s?-\s?(\d{1,2})(?P<names>[^)]{0,80}))?[^)]{0,60}\)"
)


def letter_counts(doc: DocumentText, match: re.Match[str]) -> BallotCue:
    """Read the numbers after Y and N, and who voted no."""
    cue = BallotCue(match.start(), match.end(), FIRM, whole_vote=True)
    cue.counts = {AYES: int(match[1])}
    if match[2]:
        cue.counts[NOES] = int(match[2])
        listed = doc.names_at(*match.span("names"))
        if listed.names:
            cue.add_list(doc, NOES, listed)
    return cue


_LONE_TALLY = pattern(
    r"-(?<=[0-9]-)\d{1,2}(?:-\d{1,2}){0,2}(?:\)?(?=[ ]{0,3}(?:[.;\n]|$))|(?=[,;] [^\d]))"
)
_SENTENCE_START = pattern(r"(?:^|[.;:)\n])[ ]{0,40}\(?$|[^\W\d_] \($")


def may_be_page_number(
    doc: DocumentText, start: int, end: int, counts: dict[str, int], result: str
) -> bool:
    """Whether a tally in a line of its own is the last of its page, or does not fit the result."""
    if not _begins_line(doc.text, start):
        return False
    page_end = doc.page_bounds(doc.page_at(end))[1]
    if page_end < len(doc.text) and not doc.text[end:page_end].strip(" \n\f"):
        return True
    return result == PASSED and counts.get(AYES, 0) <= counts.get(NOES, 0)


def lone_tally(doc: DocumentText, lone: re.Match[str]) -> BallotCue | None:
    """Read a sentence that is a tally and nothing else."""
    lower = doc.lower
    start = lone.start() - 1
    start -= lower[start - 1 : start].isdigit()
    if not _SENTENCE_START.search(lower[max(0, start - 42) : start]):
        return None
    counts = tally_in(lower, start, lone.end())
    if not counts or doc.is_at_another_meeting(start):
        return None
    return BallotCue(start, lone.end(), SOFT, counts=counts)


RULES = (
    Rule(_LABEL, labelled_list, ("AYES: Smith, Jones", "Nays 0", "Yes-4, No-1", "NONE: Smith")),
    Rule(
        _BARE_LABEL,
        bare_list,
        (
            "Tr. Smith and Tr. Jones sat.\nYeahs Smith, Jones; Nays Tr. Brown.",
            "Roll call vote: In favor Mr. Smith, Mr. Jones; opposed-none.",
        ),
        as_printed=True,
    ),
    Rule(
        _WERE_LABEL,
        were_list,
        (
            "For the Motion were Councillors Smith and Jones (Total 2).",
            "Against the Motion was Nil",
        ),
        as_printed=True,
    ),
    Rule(
        _APPROVED,
        approved_list,
        ("Approved:\nAnn Smith, Joe Jones\nDissented:\nNone",),
        as_printed=True,
    ),
    Rule(_VOTING, voting_list, ("Those voting Aye being Commissioner Smith and Mayor Jones;",)),
    Rule(_VOTE_OF, vote_of_names, ("upon the affirmative vote of Councilmen Smith and Jones.",)),
    Rule(_VOTE_BY, unanimous_vote_by, ("The vote by Smith, Jones and Brown was unanimous.",)),
    Rule(_CAPITALS_COLON, misread_label, ("AYES: Smith\nNAVS: Jones",), as_printed=True),
    Rule(
        _OPENING,
        names_in_brackets,
        (
            "15 in favor (Smith, Jones)",
            "1 no (Smith)",
            "6 for and 1 (Smith) against",
            "on a roll call of 4-2 (nays Mr. Smith, Mr. Jones)",
            "PASSED UNANIMOUSLY [Smith, Jones, Brown]",
            "on a roll call vote (Smith, Jones, Brown - yea)",
        ),
        as_printed=True,
    ),
    Rule(_COMMA_LABEL, comma_list, ("Yeas, Smith, Jones - 2",), as_printed=True),
    Rule(_LETTERS, letter_counts, ("(Y-5)", "(Y-4; N-1 Smith)")),
    Rule(_LONE_TALLY, lone_tally, ("Motion to approve. 5-0.",)),
)


def ballot_cues(doc: DocumentText) -> Iterator[Cue]:
    """Yield the places where labels and numbers say who or how many voted which way."""
    yield from find_cues(RULES, doc)
    for cue in counts_with_words(doc):
        cue.rule = counts_with_words.__name__
        yield cue


#: A name, the vote that is spoken, and where that ends.
_Spoken = tuple[Name, str, int]

_SPOKEN = Phrase(
    "aye yea yes nay no abstain absent recuse excused present declared in_favo for, for; for. "
    "against opposed n/a y_ y; y, y. y) n_ n; n, n. n)",
    r"(?:aye|yea|yes|nay|no|abstain(?:ed|s)?|absent|recused?|excused|not\s+voting|not\s+present|present"
    r"|declared\s+(?:(?:an?|pecuniary)\s+)?(?:interest|conflict)(?=\s{0,3}(?:[;,.\n]|$))"
    r"|in\s+favou?r|for(?=\s*[;,.\n])|against(?=\s*[;,.\n])|opposed|(?<=[ -])n/a)\b"
    r"(?:(?!\s{0,3}[:\-=/]\s*[a-z])|(?:(?<=, aye)|(?<=, nay)|(?<=, yes)|(?<=, no)):(?=\s))"
    r"|[yn](?<=[\s:\-=,(].)(?=[\s;,.)]|$)",
)


#: ``Ann Smith - for`` in a line of its own.
_FOR_LAST = re.compile(r"for(?=[ ]{0,8}(?:\n|$))(?<=[-:] for)")
_ROW_OF_VOTE = (
    r"(?P<word>Yes|No|Aye|Nay|Yea|Abstain(?:ed)?|Absent|YES|NO|AYE|NAY|YEA|ABSTAIN|ABSENT)[ ]{1,12}"
    r"(?P<name>[A-Z][^\n:;,]{1,40})(?:\n[ ]{0,20}|$)"
)
#: Lines with the vote first and one name each.
_VOTE_FIRST = Phrase(
    "Yes No_ Aye Nay Yea Abstain Absent YES NO_ AYE NAY YEA ABSTAIN ABSENT", _ROW_OF_VOTE
)
_FEWEST_ROWS = 3


def vote_first_rows(doc: DocumentText) -> Iterator[BallotCue]:
    """Read lines such as ``Yes  Ann Smith``; if one has no name, none of the lists is complete."""
    table: list[re.Match[str]] = []
    for row in _VOTE_FIRST.find(doc.text):
        if table and row.start() == table[-1].end():
            table.append(row)
            continue
        yield from _rows_of_votes(doc, table)
        table = [row] if indent_start(doc.text, row.start(), 20) is not None else []
    yield from _rows_of_votes(doc, table)


def _rows_of_votes(doc: DocumentText, rows: list[re.Match[str]]) -> Iterator[BallotCue]:
    if len(rows) < _FEWEST_ROWS:
        return
    cue = BallotCue(rows[0].start(), rows[-1].end("name"), FIRM, vote_type="roll_call")
    for row in rows:
        name = read_name(row["name"], 0, doc.roster.known, listed=True)
        if name is None or row["name"][name.end :].strip(" ."):
            cue.incomplete = {AYES, NOES}
            continue
        surname, flags = doc.roster.surname(name)
        cue.flags |= flags
        cue.ballots.setdefault(ballot_kind(row["word"].lower()), []).append(surname or name.text)
    if cue.ballots:
        yield cue


#: Two votes of one roll call are at most this far apart.
_FAR = 160


def roll_calls(doc: DocumentText, rows: Sequence[tuple[int, int]] = ()) -> Iterator[BallotCue]:
    """Read runs of ``Mr. Smith, yes; Mrs. Jones, no`` in one line or many, outside of ``rows``."""
    run: list[_Spoken] = []
    #: Where the last vote ends, also one whose name could not be read.
    last_end, unread = 0, False
    #: Where a vote ends whose name could not be read, and which may begin a run.
    orphan = -1
    #: Where a run ends that was broken off.
    broken = -_FAR
    said = [*_SPOKEN.find(doc.lower), *_FOR_LAST.finditer(doc.lower)]
    for spoken in sorted(said, key=lambda spoken: spoken.start()):
        if is_number_sign(doc.lower, *spoken.span()) or is_inside(rows, spoken.start()):
            continue
        word = spoken[0].rstrip(":")
        if word != spoken[0] and doc.text[spoken.start()].isupper():
            # ``Aye: Smith, Jones, Nay: Brown``
            continue
        only_some = _ONLY_SOME.match(doc.lower, spoken.end())
        if run and only_some and not doc.text[last_end : spoken.start()].strip(" ,;\n"):
            # ``yes on all others``, behind ``no on item D``
            last_end = orphan = only_some.end()
            continue
        name = _voter(doc, last_end if run else None, spoken.start())
        if name is not None and (
            _ADVISES.search(doc.text, name.start, spoken.start())
            or _ADVISES_BEHIND.match(doc.text, spoken.start())
        ):
            last_end = spoken.end()
            continue
        if name is not None and only_some:
            # ``Smith, no on item D, yes on all others``: how Smith voted is not one word.
            unread, last_end = unread or bool(run), only_some.end()
            orphan = only_some.end()
            continue
        if name is None and run:
            # Several known people before one vote: ``Councilmen Smith, Jones, Brown, yes``
            between = _BETWEEN.match(doc.text, last_end)
            begin = between.end() if between else last_end
            if title := _OF_SEVERAL.match(doc.text, begin, spoken.start()):
                begin = title.end()
            several = read_names(doc.text, begin, spoken.start(), doc.roster.known)
            if (
                len(several.names) > 1
                and several.names[0].start - begin < 4
                and all(doc.roster.is_known(each.surname) for each in several.names)
                and _TO_VOTE.fullmatch(doc.lower, several.end, spoken.start())
            ):
                run += [(each, word, spoken.end()) for each in several.names]
                last_end = spoken.end()
                continue
            if _UNREAD_VOTER.fullmatch(doc.text, last_end, spoken.start()):
                unread, last_end = True, spoken.end()
                continue
            yield from _roll_call(doc, run, unread)
            run, unread = [], False
            name = _voter(doc, None, spoken.start())
            broken = last_end
        if name is not None:
            if not run:
                begun = orphan >= 0 and _BETWEEN.fullmatch(doc.text, orphan, name.start)
                # ``Smith, Jones, yes``: the vote may be that of both.
                listed = _MORE_BEFORE.search(doc.text, max(0, name.start - 30), name.start)
                near = name.start - broken < _FAR
                # ``Smith, Jones "aye"; Brown "nay"``
                quoted = doc.text[name.end : spoken.start()].strip(" ") == '"'
                unread = bool(begun or (listed and (near or doc.roster.is_known(listed[1]))))
                if (
                    listed
                    and ballot_kind(word) in (AYES, NOES)
                    and (not listed[0].rstrip().endswith(",") or quoted)
                    and doc.text[name.end : spoken.start()].strip(" ") in ("-", ":", ",", '"')
                    and not _LABEL_MARK.match(doc.lower, spoken.end())
                ):
                    # ``Smith and Jones - yes; Brown - no``
                    both = doc.names_before(name.end)
                    before = _MORE_BEFORE.search(
                        doc.text, max(0, both[0].start - 30), both[0].start
                    )
                    if not before and all(doc.roster.is_known(each.surname) for each in both):
                        run += [(each, word, spoken.end()) for each in both[:-1]]
                        unread = False
            run.append((name, word, spoken.end()))
            last_end = spoken.end()
        elif _CAPITAL_BEFORE.search(doc.text, max(0, spoken.start() - 24), spoken.start()):
            orphan = spoken.end()
    yield from _roll_call(doc, run, unread)


#: A vote on a part of the question, and what else is said of it.
_ONLY_SOME = pattern(
    r"\s+(?:on|to|for|except(?:\s+for)?)\s+(?:consent\s+|agenda\s+)?"
    r"(?:items?|numbers?|nos?\.|parts?|all|everything|(?:resolutions?\s+)?#?[\w-]{0,4}\d[\w-]*)\b"
    r"[^;,.\n]{0,80}"
)
#: Who is asked, and does not count: ``Student Representative Smith (advisory) - yes``.
_ADVISES_BEHIND = pattern(r"\w+ {0,3}\((?:non-?\s?voting|advisory)\b", re.I)
_ADVISES = pattern(r"\b(?:student|advis\w+|non-?\s?voting|ex[- ]officio)\b", re.I)


_OF_SEVERAL = pattern(
    r"(?:\w+\s)?(?:council|alder|select|super|comm|trust|direct|memb)\w*[,:]\s", re.I
)


#: Somebody with a title, whose name is not to be read, before a vote.
_UNREAD_VOTER = pattern(
    r"[\s,;.]{1,8}(?:and\s+)?(?:mr|mrs|ms|dr|council\w*|commissioner|trustee|select\w+|supervisor"
    r"|director|member|mayor|chair\w*|ald\w*|cllr)\b\.?,?\s{1,3}[^:;.\n]{2,30}[\s,:\-(]{1,4}"
    r"|[\s,;.]{1,8}(?:and\s+)?(?!all\b)(?-i:[A-Z])[\w'.-]+(?: (?-i:[A-Z])[\w'.-]+){0,2}"
    r"[\s,:\-(]{1,4}",
    re.I,
)
_CAPITAL_BEFORE = re.compile(r"\b[A-Z][\w'.-]+[ ,:(\n-]{1,4}$")
_BETWEEN = pattern(
    r"[\s,;.)|\-\"]{0,120}(?:and\s+)?"
    r"(?:(?:district|ward|precinct|area|seat|zone|division)\s{1,2}\d{1,2}[,:)\-]?\s{1,20})?",
    re.I,
)
_ROLE_AFTER_NAME = pattern(
    r", (?:Vice[- ]?)?(?:Chair\w*|Mayor|President|Secretary|Treasurer|Clerk)$"
)
_TO_VOTE = pattern(
    r"(?:,\s{0,3}(?:vice[- ]?)?(?:chair\w*|mayor|president|secretary|treasurer|clerk))?"
    r"(?:\s?\([^()\n]{1,25}\))?[\s,;:\-(=.\"_\u2026\u00b7]{1,80}(?:voted:?\s+|votes\s+|voting\s+)?[\"(]?$"
)
#: A row of dots or a long line between a name and its vote.
_DOTS = pattern(r" {0,4}(?:\. ?|[_\u2026\u00b7] ?|-(?=-)-){2,40} {0,8}$")


def _voter(doc: DocumentText, previous_end: int | None, start: int) -> Name | None:
    """Return who speaks the vote at ``start``; with a run open, directly after the last vote."""
    text = doc.text
    if previous_end is not None:
        if start - previous_end > _FAR:
            return None
        between = _BETWEEN.match(text, previous_end)
        begin = between.end() if between else previous_end
        if page := _PAGE_BREAK.match(text, previous_end, start):
            previous_end = begin = page.end()
        if town := _TOWN.match(text, begin, start):
            # ``Acton, Pam Lee Yes``: the place that a member speaks for comes first.
            begin = town.end()
        name = read_name(text[begin:start], 0, doc.roster.known, listed=True)
        if name is None or ":" in text[previous_end : begin + name.start]:
            return None
        name = replace(name, start=begin + name.start, end=begin + name.end)
        return name if _TO_VOTE.fullmatch(doc.lower, name.end, start) else None
    # The name ends right before the vote; a capitalised word or a bracket must be there.
    back = start
    while back > max(0, start - 90) and text[back - 1] in _NO_LETTERS:
        back -= 1
    initial = back
    while initial > max(0, back - 40) and (
        text[initial - 1].isalpha() or text[initial - 1] in "'-"
    ):
        initial -= 1
    if not text[initial : initial + 1].isupper() and not text.startswith(")", back - 1):
        return None
    place = _PLACE_BEHIND.search(text, max(0, start - 40), start)
    dots = _DOTS.search(text, max(0, start - 90), start)
    edge = dots.start() if dots else start
    if place:
        # ``Pam Lee(Acton)(Yes)``
        edge = place.start() + 1
    while edge > max(0, start - 12) and text[edge - 1] in ' \n,;:-(="':
        edge -= 1
    role = _ROLE_AFTER_NAME.search(text[max(0, edge - 30) : edge])
    edge -= len(role[0]) if role and edge < start else 0
    first = edge
    while first > max(0, edge - 40) and (text[first - 1].isalpha() or text[first - 1] in "'-."):
        first -= 1
    if not (first < edge < start and text[first].isupper()):
        return None
    name = doc.name_before(edge)
    word = text[first:edge].lower()
    if name is None and word in ALSO_SURNAMES and text[edge:start].strip(" \n") in ("-", ",", ":"):
        # ``with the following votes: Page - aye``
        return Name(text[first:edge], first, edge, False)
    return name


#: The foot of a page between two rows: a line in capitals and the number of the page.
_PAGE_BREAK = re.compile(
    r" {0,4}\n(?:[^a-z\n]{0,100}\n){1,4} {0,60}-? ?(?:[Pp]age )?\d{1,3} ?-? {0,8}"
    r"\n\s{0,80}(?=[A-Z])"
)
_NO_LETTERS = ' \n,;:-(="._\u2026\u00b7'
_TOWN = pattern(r"[A-Z][a-z]{2,15}, {0,2}(?=[A-Z][a-z]+ [A-Z])")
_PLACE_BEHIND = re.compile(r"[^\W\d_.] ?\([A-Z][a-z]{2,20}\) ?\($")

_ATTENDANCE = pattern(r"quorum|attendance|\bpresent\b")
_QUORUM = pattern(r"\bquorum\b|\broll\s?call\s+(?:of\s+members|for\s+attendance|attendance)")
_TO_ORDER = pattern(r"\b(?:called|call|calling|came|come)\b[^.\n]{0,60}?\bto\s+order\b")
#: Not ``took a roll call vote under the open meeting law``: nothing was moved.
_ON_MOTION = re.compile(
    r"\bmotion|\bmoved\b|\bvoted\b|\bvoting\b|\bvote (?:on|to|was|of)\b|\bvote[.:]"
)
_ANNOUNCED = re.compile(r"roll[\s-]?call|vote|called|polled")


def _roll_call(doc: DocumentText, run: list[_Spoken], unread: bool = False) -> Iterator[BallotCue]:
    """Yield a run that is long enough, or announced, to be a roll call.

    If a vote in it is ``unread``, none of its lists is complete.
    """
    if len(run) < 2:
        return
    start = run[0][0].start
    heading = doc.sentence_start(start, 160)
    if not doc.lower[heading:start].strip():
        heading = doc.sentence_start(heading - 1, 60)
    if _ATTENDANCE.search(doc.lower, heading, start):
        return
    quorum = last_match(_QUORUM, doc.lower, max(0, start - 200), start)
    opened = None
    if not quorum and "order" in doc.lower[max(0, start - 400) : start]:
        opened = last_match(_TO_ORDER, doc.lower, max(0, start - 400), start)
    if (asked := quorum or opened) and not _ON_MOTION.search(doc.lower, asked.end(), start):
        # Who is there is asked when a meeting begins, and before there is a motion.
        return
    if len(run) < 3 and not _ANNOUNCED.search(doc.lower[max(0, start - 160) : start]):
        return
    cue = BallotCue(start, run[-1][2], FIRM, vote_type="roll_call")
    for name, spoken, _ in run:
        if spoken in ("present", "n/a"):
            continue
        surname, flags = doc.roster.surname(name)
        cue.flags |= flags
        if surname:
            cue.ballots.setdefault(ballot_kind(spoken), []).append(surname)
    if unread:
        cue.incomplete = {AYES, NOES}
    if set(cue.ballots) - {ABSENT, RECUSED}:
        yield cue


_LETTER_FIRST = Phrase("Y- N- Y: N:", r"[YN][-:] ?(?=[A-Z])")
_AFTER_LETTERED = pattern(r"[\s,;]{1,4}(?:and\s+)?")


def lettered_roll_calls(doc: DocumentText) -> Iterator[BallotCue]:
    """Read runs of ``Y-Smith, Y-Jones, N-Brown``."""
    run: list[_Spoken] = []
    for letter in _LETTER_FIRST.find(doc.text):
        name = read_name(doc.text, letter.end(), doc.roster.known, listed=True)
        if name is None or name.start != letter.end():
            continue
        if run and not _AFTER_LETTERED.fullmatch(doc.lower, run[-1][2], letter.start()):
            yield from _roll_call(doc, run)
            run = []
        run.append((replace(name, start=letter.start()), letter[0][0].lower(), name.end))
    yield from _roll_call(doc, run)


_DISSENT = Phrase(
    "dissent in_dissent oppos abstain nayed recus vot cast absent not_present was_absent "
    "were_absent was_not were_not requested asked "
    "being_absent nay no. no, no; no) no_vote no_by negative against in_favo",
    r"(?:(?:in\s+)?dissent(?:ing|ed|s)?|nayed|abstain(?:ed|ing|s)(?!\s+from\s+(?!vot|the\s+vot))"
    r"|recus(?:ed|ing)(?:\s+(?:himself|herself|themselves)(?=\s{0,3}[.;,]))?"
    r"|oppos(?:ed|ing)(?!\s+(?:the|a|an|this|any|his|her)\s+"
    r"(?!motion|measure|question|vote|item|resolution|ordinance))"
    r"|(?:was|were|being)\s+absent\b|absent\s+(?:from|for|at\s+(?:the\s+)?time)\b|not\s+present\s+for\b"
    r"|(?P<away>(?:(?:was|were)\s+)?not\s+present(?=\s{0,3}(?:[.;)\n]|$)))"
    r"|(?:requested|asked)\s+(?:that\s+)?(?:his|her|their)\s+(?:dissent(?:ing\s+votes?)?|opposition"
    r"|votes?\s+against(?:\s+the\s+\w+)?)\s+(?:be|is|was)\s+(?:recorded|noted)"
    r"|(?P<bare>(?:nay|no|absent|excused|against|in\s+favou?r)(?=\s{0,3}(?:[.,;)\n]|$|and\b)))"
    r"|(?:dissenting|opposing|no|nay|negative)\s+votes?(?:\s+(?:being|was|were))?(?:\s+cast)?"
    r"(?=\s+(?:by|from)\b)"
    r"|(?:nay|no)(?=\s+by\s)"
    r"|vot(?:ed|ing|es)\s+(?:against|in\s+opposition|in\s+the\s+negative|in\s+favou?r"
    r"|in\s+the\s+affirmative|affirmatively"
    r"|for(?=\s{0,3}[.;\n]|\s+(?:the|this)\s+(?:motion|resolution|ordinance|measure|proposal)\b)|[\"']?(?:nay|no|aye|yes|yea)[\"']?)"
    r"|cast(?:ing)?\s+(?:the\s+|a\s+)?(?:only\s+|sole\s+|lone\s+)?"
    r"(?:dissenting|no|nay|negative|opposing)\s+votes?"
    r"|cast(?:ing)?\s+the\s+(?:only|sole|lone)\s+(?:vote\s+in\s+favou?r|(?:yes|aye|affirmative)\s+vote)"
    r")(?!\w)",
)
_BETWEEN_DISSENTS = pattern(
    r"(?:\s+(?:of\s+)?(?:the\s+)?(?:motion|same|measure|resolution|ordinance))?"
    r"[\s,;.]{0,12}(?:(?:and|while|with|but)\s+)?(?:that\s+)?"
)


def dissents(doc: DocumentText) -> Iterator[BallotCue]:
    """Read names that prose puts next to the outcome: ``with Smith abstaining``.

    Sentences in a row that say who voted for and who against are a roll call of their own.
    """
    row: list[DissentCue] = []
    for cue in _each_dissent(doc):
        if row and not _BETWEEN_DISSENTS.fullmatch(
            doc.lower, row[-1].end, max(row[-1].end, cue.start)
        ):
            yield from _joined(row)
            row = []
        row.append(cue)
    yield from _joined(row)


def _joined(row: list[DissentCue]) -> Iterator[BallotCue]:
    """Yield one ballot for phrases in a row if it is said who voted for, else each of them."""
    in_favor = any(AYES in cue.ballots for cue in row)
    if len(row) < 2 or not in_favor or not all(cue.ballots for cue in row):
        yield from row
        return
    whole = BallotCue(row[0].start, row[-1].end, FIRM, vote_type="roll_call")
    for cue in row:
        whole.flags |= cue.flags
        whole.incomplete |= cue.incomplete
        for kind, names in cue.ballots.items():
            held = whole.ballots.setdefault(kind, [])
            held += [name for name in names if name not in held]
    yield whole


_BY = pattern(r"\s*(?:votes?\s+)?(?:by|from|:|-|was|were|cast\s+by)\s*")
_LINK = pattern(r"(?:,?\s{0,3}\b(?:who|having|has|was|were|is|are|both|each|also)\b\s{0,3}){0,3}$")
_SAID_THAT = pattern(
    r"\s+(?:stated|said|noted|explained|indicated)\s+(?:that\s+)?(?:he|she|they)\s+$"
)
_OF_ITEMS = re.compile(
    r"\s*(?:on|for|to)\s+(?:consent\s+)?(?:agenda\s+)?"
    r"(?:items?|clauses?|parts?|sections?|paragraphs?)\b"
)
_NO_NAMES = STOPS | TITLES
_COUNT_LABEL = re.compile(r"[A-Z][A-Za-z]+ {0,3}\(\d{1,3}\) {0,4}(?:\n|$)")
_MORE_BEFORE = re.compile(r"\b([A-Z][\w'-]+)\s{0,3}(?:,|\band\b|&)\s{0,3}$")
_IN_FAVOR = re.compile(r"aye|yes|yea|fav|affirm|for$")


#: Somebody tells how another body voted: ``Cllr Smith said the county had approved it``.
_TOLD = pattern(
    REPORTED.pattern + r"(?:(?!\bmotion\b|\bmoved\b)[^.;]){0,200}"
    r"(?:\b(?:had|has|have|recommended|committee|commission|county|district)\b"
    r"|\b(?:board|council)\s+(?:\w+ly\s+)?voted\b)|\bhad\s+voted\b"
    r"|^\s{0,3}(?:in\s+(?:19|20)\d\d|last\s+(?:week|month|year|meeting))\b"
)


_MOVED = re.compile(r"\bmotion|\bmoved\b|\bsecond")


def _each_dissent(doc: DocumentText) -> Iterator[DissentCue]:
    lower = doc.lower
    for match in _DISSENT.find(lower):
        if is_number_sign(lower, *match.span()):
            continue
        if lower[match.end() : match.end() + 2].lstrip().startswith(":"):
            continue
        if _COUNT_LABEL.match(doc.text, match.start()) and _begins_line(doc.text, match.start()):
            # ``Opposed (2)`` above those who were; the line before it tells who was in favor.
            continue
        bare = match["bare"] is not None
        if bare and lower[match.start() - 1 : match.start()] not in (" ", "\n"):
            continue
        edge = match.start() - 3 * (bare and lower.endswith(" - ", 0, match.start()))
        link = _LINK.search(lower, max(0, edge - 24), edge)
        names = doc.names_before(link.start() if link else edge)
        said = _SAID_THAT.search(lower, max(0, edge - 40), edge) if not names else None
        if said and match[0].endswith(("no", "nay")):
            # ``Mayor Smith stated that he voted no``, and not last year.
            rest = lower[match.end() : doc.sentence_end(match.end(), 80)]
            names = doc.names_before(said.start())[-1:] if not EARLIER.search(rest) else []
        by = _BY.match(lower, match.end()) if not names and not bare else None
        if by is not None:
            names = doc.names_at(by.end(), by.end() + 200).names
        begin = doc.sentence_start(match.start(), 400)
        if lower[max(0, begin - 2) : begin].strip() == ";":
            begin = doc.sentence_start(max(0, begin - 2), 400)
        if not names or _TOLD.search(lower, begin, match.start()):
            continue
        paragraph = max(lower.rfind("\n\n", 0, begin), begin - _FAR, 0)
        earlier = last_match(EARLIER, lower, paragraph, match.start())
        if earlier and not _MOVED.search(lower, earlier.end(), match.start()):
            # ``The Planning Board voted 3-1 last Tuesday. Smith and Jones voted in favor.``
            continue
        known = [
            name
            for name in names
            if name.titled or " " not in name.text or doc.roster.is_known(name.surname)
        ]
        run_on = len(known) < len(names) and len(doc.roster.official) > 2 and bool(known)
        if run_on:
            # ``lease to Brown Farms, Smith and Jones voted in favor``: it begins in other words.
            names = known
        if names[0].text.isupper() and not any(
            name.titled or doc.roster.is_known(name.surname) for name in names
        ):
            # ``TOWNS OPPOSING``: nobody the document knows.
            continue
        if match["away"] and not any(doc.roster.is_known(name.surname) for name in names):
            # ``The engineer was not present.``
            continue
        word = match[0]
        if word.startswith("in"):
            # One name "in favor", unless in brackets behind an outcome, is somebody who spoke.
            begin = doc.sentence_start(match.start())
            alone = len(names) < 2 and "(" not in lower[begin : match.start()]
            if alone or SPEAKERS.search(lower[max(0, begin - 120) : match.start()]):
                continue
        if word.startswith("abst"):
            kind = ABSTAIN
        elif word.startswith("recus"):
            kind = RECUSED
        elif word.startswith(("absent", "excused", "not", "was", "were", "being")):
            kind = ABSENT
        else:
            kind = AYES if _IN_FAVOR.search(word) else NOES
        start, end = min(match.start(), names[0].start), max(match.end(), names[-1].end)
        # ``Carried. Smith absent.`` says it in a sentence of its own.
        own = kind == ABSENT and doc.sentence_start(start) == start and lower[end : end + 1] == "."
        cue = DissentCue(start, end, SOFT, same_sentence=bare and not own)
        tail = lower[match.end() : doc.sentence_end(match.end(), 60)]
        if _OF_ITEMS.match(tail):
            cue.flags = {"per_item_dissent"}
        else:
            surnames, cue.flags = doc.roster.surnames(names)
            cue.ballots = {kind: surnames}
            if run_on:
                cue.incomplete = {kind}
            more = _MORE_BEFORE.search(doc.text, max(0, start - 40), start)
            if more and more[1].lower() not in _NO_NAMES:
                # ``Smith, J0nes, Brown and Lee voting yes``: the list begins before these names.
                cue.incomplete = {kind}
        yield cue


def roll_call_cues(doc: DocumentText) -> Iterator[BallotCue]:
    """Yield the places where names are called, or printed with their vote."""
    called: list[tuple[int, int]] = []
    for read in (vote_first_rows, roll_calls, lettered_roll_calls, dissents):
        for cue in read(doc, [*called]) if read is roll_calls else read(doc):
            # A name that is called is not in prose as well.
            if isinstance(cue, DissentCue) and is_inside(called, cue.end - 1):
                continue
            cue.rule = read.__name__
            if read is not dissents:
                called.append((cue.start, cue.end))
            yield cue
        called.sort()
