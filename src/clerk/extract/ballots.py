"""Read who voted how where labels and numbers say so: ``AYES: Smith``, ``5 ayes``, ``5-0``.

Each rule reads one way of writing; the table at the end lists them with examples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rapidfuzz.distance import DamerauLevenshtein

from .context import FIRM, SOFT, SPEAKERS, BallotCue, Cue, DocumentText, Rule, find_cues
from .findings import ABSENT, ABSTAIN, AYES, FOURTH, NOES, RECUSED, THIRD
from .forms import list_limit
from .names import BALLOT_WORDS, NameList, read_name
from .text import Phrase, end_without, indent_start, line_start, pattern, word_set

_UP_TO_TWENTY = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty
"""
_NUMBER_WORDS = {word: number for number, word in enumerate(_UP_TO_TWENTY.split())}
_NUMBER_WORDS["none"] = _NUMBER_WORDS["no"] = 0

#: 5-0, 5 - 0 - 1, 5 to 0, [14 TO 1]; not a date, not an hour, not a section number.
TALLY = pattern(
    r"(?P<yes>[0-9](?<![\d/.$\-:].)(?!(?<=0)\d)\d{0,2})\s{0,2}(?:votes?\s)?(?:-{1,2}|to|:(?!\d\d)|/)"
    r"\s{0,2}(?P<no>(?!0\d)\d{1,2})"
    r"(?:\s{0,2}-\s{0,2}(?P<abstain>\d{1,2}))?(?:\s{0,2}-\s{0,2}(?P<absent>\d{1,2}))?"
    r"(?![\d/%]|\s?(?:p\.?m|a\.?m|%)|-\d|\.\d|:\d)"
)
#: No tally: ``9-14-98``, ``10-12-04``.
_DATE = re.compile(r"\d{1,2}-\d{1,2}-(?:0\d|[3-9]\d)")
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


def tally_in(lower: str, start: int, end: int) -> dict[str, int]:
    """Return the tally printed in a stretch of text: ``5-0-1``, ``[14 TO 1]``, ``three to one``."""
    for match in TALLY.finditer(lower, start, end):
        if _NUMBERED.search(lower[max(0, match.start() - 16) : match.start()]):
            continue
        if _DATE.fullmatch(match[0]):
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
    if first.startswith(("aye", "yea", "yes", "favo", "for", "affirm")) or first in ("y", "in"):
        return AYES
    if first.startswith("abst"):
        return ABSTAIN
    if first.startswith(("abs", "exc")) or (word.endswith("present") and first == "not"):
        return ABSENT
    if first.startswith(("rec", "disq", "conf")):
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
_NUMBER_SIGN = pattern(r"\s?[.#]{1,2}[ ]{0,3}[#(]{0,2}[a-z]{0,4}[-. ]?\d")
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
    r"|opposition|negative"
    r"|abstain(?:ed|ing|s)?|abstentions?|absent|excused|recus(?:ed|als?|e)|disq(?:ualified)?\.?"
    r"|not\s+voting|not\s+present|conflict"
)
_LABEL = Phrase(
    "aye yea yes favo for affirm no nay against oppos negative abst absent excused recus "
    "disq conflict",
    rf"(?P<word>{_WORDS})[\"']?(?:\s+votes?|\s+were|\s+was)?"
    r"(?:\s{0,3}(?P<count>\(\s?\d{1,3}\s?\)|\d{1,3}(?![\d/]))(?P<after>\s{0,12}[:\-=])?"
    r"|(?:\s+thereof|\s+thereto|\s+(?:of\s+)?(?:the\s+)?(?:same|motion|resolution|ordinance"
    r"|proposal|proposition|amendment|application|recommendation|request|question|measure)"
    r"|\s+(?:passage|adoption|approval|deferral))?"
    r"\s{0,12}(?P<mark>[:\-=;]|/(?=[^\W\d_])))",
)
_ORDINARY_WORDS = word_set(
    """
    for no none yes against opposed favor favour absent excused conflict opposition negative
    affirmative
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


def labelled_list(doc: DocumentText, label: re.Match[str]) -> BallotCue | None:
    """Read the names or the number after a label; not the attendance, and not who spoke."""
    lower, word = doc.lower, label["word"]
    kind = ballot_kind(word)
    if not _is_label(doc, label) or is_number_sign(lower, *label.span("word")):
        return None
    before = lower[max(0, label.start() - 200) : label.start()]
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
        if count and _begins_line(doc.text, label.start()):
            # ``Ayes 2  Smith, Jones``: a line with as many names as were counted.
            cue = _read_list(doc, kind, label.start(), label.end())
            named = len(cue.ballots.get(kind, ()))
            if named == count and _LINE_OVER.match(doc.text, cue.end):
                return cue
        return BallotCue(start, label.end(), SOFT, counts={kind: count})
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
)


def _is_label(doc: DocumentText, label: re.Match[str]) -> bool:
    """Whether the words are a label and not a part of a sentence."""
    word, start = label["word"], label.start()
    printed = doc.text[start : label.end()]
    before = doc.text[max(0, start - 3) : start].rstrip(" ")
    after_break = not before or before[-1] in "\n,;.(/" or before[-1].isdigit()
    if word == "none":
        titled = printed.startswith(("NONE", "None"))
        return titled and label["mark"] == ":" and _begins_line(doc.text, start)
    if label["count"] and (not label["after"] or word == "no"):
        if word not in _ORDINARY_WORDS or (printed[0].isupper() and after_break):
            return True
        return _COUNT_BEFORE_LABEL.search(doc.lower, max(0, start - 24), start) is not None
    mark = label["mark"] or label["after"].strip()
    if mark == ":":
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
_SEMICOLON_LABEL = pattern(r"\b(?:ayes|yea[hs]?s|nays|noes)\s?;")


def _begins_line(text: str, position: int) -> bool:
    return not text[line_start(text, position) : position].strip()


_NOBODY = pattern(
    r"[\s\-]{0,60}\(?(?:none|nil|n/a|nobody|no one|zero|0)\)?(?![\w-])"
    r"|\s{0,60}-{1,3}(?=\s{0,3}(?:\n|$))"
)
_EVERYBODY = pattern(r"\s{0,40}(?:all|unanimous)\b(?!\s+\w+\s+\w+\s+\w+)")
_COUNT_FIRST = pattern(r"\s{0,60}\(?(\d{1,3})\)?(?:\s{0,4}[-:.,;)]|\s{0,4}(?=\n|$|\(|[^\W\d_]))")
_COUNT_LAST = pattern(r"[ .]{0,80}[-(=]? {0,3}(\d{1,2})\)?(?=[ ]{0,3}(?:[;.,\n]|$))")
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
    if nobody := _NOBODY.match(doc.lower, position):
        cue.ballots[kind], cue.counts[kind], cue.end = [], 0, nobody.end()
        return cue
    if everybody := _EVERYBODY.match(doc.lower, position):
        cue.end, cue.unanimous = everybody.end(), kind == AYES
        return cue
    if count := _COUNT_FIRST.match(text, position):
        cue.counts[kind] = int(count[1])
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


_MISREAD_LABEL = re.compile(r"[A-Z](?<![A-Z].)[A-Z]{3,8}['.,]? {0,2}:")
_LABELS = ("AYES", "NOES", "NAYS", "NAYES", "YEAS", "ABSENT", "ABSTAIN", "ABSTAINED")
_LABEL_NEAR = pattern(r"\b(?:ayes|noes|nays|yeas)\s{0,3}:")


def misread_label(doc: DocumentText, label: re.Match[str]) -> BallotCue | None:
    """Read a list after a label with a misread letter, next to one that is not misread."""
    word = label[0].rstrip(" :'.,").upper()
    if not label[0][1].isupper() or word in _LABELS or len(word) < 4:
        return None
    near = [each for each in _LABELS if DamerauLevenshtein.distance(word, each) == 1]
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
    r"(?:voting\s+|voted\s+)?(?:in\s+(?:the\s+)?)?$"
)
#: Labels and numbers in a row: the first of them decides which number is whose.
_RUN_TOKEN = pattern(rf"\b(?:(?P<label>{_WORDS})|(?P<number>{_NUMBER})|and|votes?|voting|in|the)\b")
_TALLY_OR_TOTAL = pattern(r"(?:\d\s?-|[^\W\d_]\s{1,4}-)\s{0,4}$")


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


_SPOKEN = word_set("yes aye yea no nay")
_OPENING = re.compile(r"[(\[]")
_SAID_BEFORE = pattern(
    r"[ \n]{0,3}-?[ \n]{0,3}(?:(?:all|voted|voting) )?(?P<word>ayes?|yeas?|yes|nays?|no)"
)
_UNANIMOUS_BEFORE = pattern(
    r"\b(?:unanimous(?:ly)?|in favou?r|carried|passed|approved|ayes?)[ :,-]{0,4}$"
)
_LABEL_BEFORE = pattern(
    r"\b(?P<word>favou?r|for|against|opposed|ayes?|yeas?|yes|nays?|noes|no"
    r"|abstain(?:ed|ing)?|abstentions?|absent)\s{0,4}(?:\d{1,2}\s{0,3})?$"
)


def names_in_brackets(doc: DocumentText, opening: re.Match[str]) -> BallotCue | None:
    """Read names in brackets after a word such as "against"."""
    bracket = opening.start()
    floor = max(0, bracket - 20)
    square = opening[0] == "["
    close = doc.text.find("]" if square else ")", bracket, bracket + 800)
    if close < 0:
        return None
    label = _LABEL_BEFORE.search(doc.lower[floor:bracket])
    unanimous = _UNANIMOUS_BEFORE.search(doc.lower[floor:bracket]) if label is None else None
    if unanimous and (square or _all_known(doc, bracket, close)):
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
    spoken = count is None and doc.lower[start:bracket].split()[0] in _SPOKEN
    if spoken and doc.name_before(end_without(doc.text, start, " -:,")) is not None:
        # ``Smith-yes (Jones by phone)``: the vote of Smith, and no label.
        return None
    cue = BallotCue(count[1] if count else start, close + 1, FIRM)
    cue.add_list(doc, kind, listed)
    cue.counts = {kind: count[0]} if count else {}
    return cue


def _all_known(doc: DocumentText, bracket: int, close: int) -> bool:
    """Whether brackets hold a list of three members or more, and nothing else."""
    names = doc.names_at(bracket + 1, close).names
    return len(names) > 2 and all(doc.roster.is_known(name.surname) for name in names)


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
_COUNTED_SHORT = pattern(r"[0-9] (?:votes? )?(?P<word>for|no|absent|against)\b")
#: These count only next to a count of the other side.
_DOUBTFUL_WORDS = word_set("no yes for opposed absent against")
_VOTES_NEXT = pattern(r"\s{1,3}votes\b")
_LABEL_MARK = pattern(r"\s{0,3}[:=-]")
_DASH = pattern(r" {0,2}- {0,2}(?=[A-Z])")
_THAT_BEING = pattern(r",?\s{1,3}(?:that\s+being|being|cast\s+by)\s{1,3}(?=[A-Z])")
_LIST_OVER = pattern(r" {0,3}(?:[);.\n]|$)")


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
        if "\n" in lower[start:position] and _LABEL_MARK.match(lower, end):
            # The number ends a list, and the word is the label of the next one.
            continue
        kind = ballot_kind(word)
        cue = BallotCue(start, end, SOFT, counts={kind: count})
        if dash := _DASH.match(text, end) or _THAT_BEING.match(text, end):
            listed = doc.names_at(dash.end(), dash.end() + 200)
            surnames, flags = doc.roster.surnames(listed.names)
            if surnames and len(surnames) == count and _LIST_OVER.match(text, listed.end):
                cue.ballots[kind], cue.end = surnames, listed.end
                cue.flags |= flags
        if (
            last is not None
            and start - last.end < 60
            and kind not in last.counts
            and not doc.blank_line_between(last.end, start)
        ):
            cue.start, cue.counts = last.start, {**last.counts, **cue.counts}
            cue.ballots = {**last.ballots, **cue.ballots}
            yield cue
        elif written not in ("no", "none", "one") and (
            word not in _DOUBTFUL_WORDS or _VOTES_NEXT.match(lower, end)
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
    r"[0-9]-\d{1,2}(?:-\d{1,2}){0,2}(?:\)?(?=[ ]{0,3}(?:[.;\n]|$))|(?=[,;] [^\d]))"
)
_SENTENCE_START = pattern(r"(?:^|[.;:)\n])[ ]{0,40}\(?$|[^\W\d_] \($")


def lone_tally(doc: DocumentText, lone: re.Match[str]) -> BallotCue | None:
    """Read a sentence that is a tally and nothing else."""
    lower = doc.lower
    start = lone.start() - lower[lone.start() - 1 : lone.start()].isdigit()
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
    Rule(_VOTE_OF, vote_of_names, ("upon the affirmative vote of Councilmen Smith and Jones.",)),
    Rule(_VOTE_BY, unanimous_vote_by, ("The vote by Smith, Jones and Brown was unanimous.",)),
    Rule(_MISREAD_LABEL, misread_label, ("AYES: Smith\nNAVS: Jones",), as_printed=True),
    Rule(
        _OPENING,
        names_in_brackets,
        (
            "15 in favor (Smith, Jones)",
            "1 no (Smith)",
            "6 for and 1 (Smith) against",
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
