"""Read outcomes that are noted, voted or agreed: ``RESULT: PASSED``, ``All in favor``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .ballots import TALLY, tally_in
from .context import FIRM, SOFT, STRONG, DocumentText, OutcomeCue
from .model import DIED, PASSED
from .telling import (
    BODY,
    EXCEPT,
    NO_SECOND,
    TALK,
    VOICE,
    add_manner,
    body_before,
    is_reported,
    verdict,
)
from .text import Phrase, last_match, line_start, pattern


def voting_cues(doc: DocumentText) -> Iterator[OutcomeCue]:
    """Yield a cue for every result that is noted, voted or agreed."""
    yield from _labelled_cues(doc)
    yield from _vote_was_cues(doc)
    yield from _voted_cues(doc)
    yield from _agreement_cues(doc)
    yield from _no_second_cues(doc)


_LABELLED = Phrase(
    "result outcome status disposition decision vote action voting motion",
    r"(?P<label>result|outcome|status|disposition|decision|vote|action(?:\s+taken)?|voting"
    r"|motion)\s{0,3}:\s{0,80}(?P<value>[^\n]{1,100})",
)
_RESULT_WORD = pattern(
    r"\b(?:pass(?:ed|es)?|adopted|approved|carried|carries|accepted|granted|confirmed|ratified"
    r"|tabled|postponed|deferred|continued|referred|received|recommended|forwarded|failed|fails"
    r"|defeated|denied|rejected|lost|withdrawn|unanimous\w*|no\s+action|died)\b"
)


def _labelled_cues(doc: DocumentText) -> Iterator[OutcomeCue]:
    """Yield a cue for ``RESULT: PASSED [14 TO 1]``, ``Vote: 5-0``, ``Status: 7-0-0 - Pass``."""
    for label in _LABELLED.find(doc.lower):
        own = label["value"].partition(". ")[0]
        word = _RESULT_WORD.search(own[:70])
        counts = tally_in(doc.lower, label.start("value"), label.start("value") + len(own))
        loose = label["label"] in (
            "vote",
            "voting",
            "motion",
            "action",
            "action taken",
            "status",
            "decision",
        )
        if word is None and not (counts and label["label"] in ("vote", "voting", "result")):
            continue
        if loose and word is not None and word.start() > 12 and not counts:
            continue
        if label["label"] == "motion" and (word is None or word.start() > 0):
            continue
        yield _labelled(doc, label, word, counts)


_BELOW = pattern(
    r"\s{0,40}mover\s{0,4}:\s{0,60}(?P<mover>[^\n]{2,60})\n\s{0,40}seconder\s{0,4}:\s{0,60}(?=\w)"
)


def _told_below(doc: DocumentText, position: int) -> tuple[str | None, str | None]:
    """Return the mover and the seconder of a table whose first line is the result."""
    below = _BELOW.match(doc.lower, position)
    if below is None:
        return None, None
    mover = doc.name_at(below.start("mover"))
    seconder = doc.name_at(below.end())
    return doc.roster.surname(mover)[0], doc.roster.surname(seconder)[0]


_VOTE_WAS = Phrase(
    "vote",
    r"votes?\s+(?:count\s+|tally\s+)?(?P<was>was\s+|were\s+|is\s+|being\s+)?"
    r"(?=\d{1,2}\s?(?:-|to)\s?\d)",
)
_FOR_IT = pattern(r"\s+(?:in\s+favou?r|to\s+approve|for\s+approval|in\s+the\s+affirmative)\b")


def _vote_was_cues(doc: DocumentText) -> Iterator[OutcomeCue]:
    """Yield a cue for ``The vote was 4-0 in favor``; without those words only the tally is told."""
    lower = doc.lower
    for vote in _VOTE_WAS.find(lower):
        begin, end = doc.sentence_start(vote.start()), doc.sentence_end(vote.end(), 160)
        before = lower[begin : vote.start()]
        tally = TALLY.match(lower, vote.end())
        if not vote["was"] and before.strip() and before.rstrip()[-1] not in ",;-":
            continue
        if tally is None or TALK.search(before) or is_reported(before, lower[vote.end() : end]):
            continue
        start = begin if vote["was"] else vote.start()
        cue = OutcomeCue(start, end, FIRM, at=vote.start())
        cue.counts = tally_in(lower, vote.end(), end)
        cue.result = PASSED if _FOR_IT.match(lower, tally.end()) else ""
        cue.result_text = doc.printed(vote.start(), end)
        yield cue


def _labelled(
    doc: DocumentText, label: re.Match[str], word: re.Match[str] | None, counts: dict[str, int]
) -> OutcomeCue:
    cue = OutcomeCue(label.start(), label.end(), STRONG, label=True, counts=counts)
    cue.result = verdict(label["value"]) if word else ""
    cue.result_text = doc.printed(label.start("value"), label.end("value"))
    cue.unanimous = "unanim" in label["value"]
    cue.own_question = label["label"].startswith("action")
    if label["label"] == "result":
        cue.people = _told_below(doc, label.end())
    if label["label"] == "vote":
        cue.strength = FIRM
        if VOICE.search(label[0]):
            cue.vote_type = "voice"
    return cue


_VOTED = Phrase(
    "vote",
    r"vote[ds]\b(?P<colon>\s{0,3}:)?(?:\s+(?P<how>unanimously|\(?\d{1,2}\s?(?:-|to)\s?\d{1,2}(?:\s?-\s?\d)?\)?"
    r"|[a-z]+\s+to\s+[a-z]+|by\s+(?:consensus|a\s+majority|unanimous\s+consent))\s*,?)?"
    r"(?:\s+(?P<what>to|in\s+favou?r\s+of|for|against|that|on)\b)?",
)
_ALL_FOR = Phrase(
    "all aye vote unanimous so_ordered motion none_opposed no_opposition",
    r"(?:all\s+(?:those\s+)?(?:members\s+|commissioners\s+|trustees\s+|directors\s+"
    r"|councilm\w+\s+|alder\w+\s+|supervisors\s+|selectmen\s+|councillors\s+|present\s+|were\s+|voted\s+|voting\s+|five\s+"
    r"|in\s+attendance\s+){0,4}(?:in\s+(?:the\s+)?(?:favou?r|affirmative)|ayes?\b|[\"']ayes?\b"
    r"|yes\b|yeas?\b|said\s+aye|approved|agreed|concurred)"
    r"|ayes?\s+unanimous|ayes\s+have\s+it|ayes\s+all\b|vote\s+(?:was|is|being)\s+unanimous"
    r"|unanimous\s+(?:vote|approval|ayes?)\b|so\s+ordered\b|motion\s+(?:was\s+"
    r"|is\s+)?unanimous\b|vote[:\s]+unanimous|unanimous(?:ly)?(?=\s{0,3}(?:[.)\n]|$))"
    r"|none\s+opposed\b|no\s+opposition\b)",
)


_WORD_BEFORE = pattern(r"[a-z]\s{1,3}$")


def _voted_cues(doc: DocumentText) -> Iterator[OutcomeCue]:
    """Yield a cue for a body that voted (``The Board voted 5-0 to``) and for ``All in favor.``"""
    lower = doc.lower
    for voted in _VOTED.find(lower):
        cue = _voted(doc, voted)
        if cue is not None:
            yield cue
    for everyone in _ALL_FOR.find(lower):
        if everyone[0] in ("unanimous", "unanimously") and _WORD_BEFORE.search(
            lower[max(0, everyone.start() - 4) : everyone.start()]
        ):
            continue
        begin = doc.sentence_start(everyone.start())
        if (
            TALK.search(lower[begin : everyone.start()])
            or "?" in lower[everyone.end() : everyone.end() + 2]
        ):
            continue
        end = min(doc.sentence_end(everyone.end()), everyone.end() + 100)
        cue = OutcomeCue(
            everyone.start(),
            end,
            SOFT,
            result=PASSED,
            unanimous="ordered" not in everyone[0] and not EXCEPT.search(lower, begin, end),
        )
        cue.result_text = doc.printed(everyone.start(), end)
        cue.counts = tally_in(lower, everyone.start(), end)
        yield cue


def _voted(doc: DocumentText, voted: re.Match[str]) -> OutcomeCue | None:
    if cue := _so_voted(doc, voted):
        return cue
    lower = doc.lower
    if not voted["how"] and voted["what"] not in ("to", "in favor of", "in favour of"):
        return None
    begin = doc.sentence_start(voted.start())
    before = lower[begin : voted.start()]
    if voted["colon"]:
        noted = not before.strip() and doc.text.startswith(("VOTED", "Voted"), voted.start())
        return _voted_cue(doc, voted, begin) if noted else None
    if _IT_WAS.search(before) and voted["what"] in ("to", "that"):
        return _voted_cue(doc, voted, begin)
    after = lower[voted.end() : doc.sentence_end(voted.end(), 120)]
    if TALK.search(before) or is_reported(before, after):
        return None
    if not body_before(before):
        return None
    if not re.search(r"\bmotion\b", before) and not _own_body(doc, before, begin):
        return None
    return _voted_cue(doc, voted, begin)


_SO = pattern(r"\bso\s+(?:unanimously\s+)?$")
_IT_WAS_SO = pattern(r"\bit\s+was\s+(?:unanimously\s+|duly\s+)?$")
_OVER = pattern(r"\s{0,3}(?:\.|$)")


def _so_voted(doc: DocumentText, voted: re.Match[str]) -> OutcomeCue | None:
    """Read ``So voted.`` and ``It was unanimously voted.``, which say nothing of the question."""
    lower = doc.lower
    before = lower[max(0, voted.start() - 24) : voted.start()]
    so = _SO.search(before) or (_OVER.match(lower, voted.end()) and _IT_WAS_SO.search(before))
    if not so:
        return None
    cue = OutcomeCue(voted.start() - len(so[0]), voted.end(), SOFT, result=PASSED)
    cue.unanimous = "unanim" in so[0]
    cue.result_text = doc.printed(cue.start, cue.end)
    cue.counts = tally_in(lower, voted.start(), min(len(lower), voted.end() + 14))
    return cue


_IT_WAS = pattern(r"\bit\s+was\s+(?:\w+ly\s+)?$")


def _voted_cue(doc: DocumentText, voted: re.Match[str], begin: int) -> OutcomeCue:
    lower = doc.lower
    end = doc.sentence_end(voted.end(), 400)
    cue = OutcomeCue(begin, end, FIRM, result=PASSED)
    cue.result_text = doc.printed(voted.start(), end)
    add_manner(cue, lower[begin:end], lower[begin:end])
    cue.counts = tally_in(lower, voted.start(), min(end, voted.end() + 80))
    cue.own_question = True
    return cue


def _own_body(doc: DocumentText, before: str, begin: int) -> bool:
    """Whether the body that is said to have voted is the one whose minutes these are."""
    body = last_match(BODY, before, 0, len(before))
    if body is None or body[0] in ("all", "they", "we", "members", "court", "panel"):
        return True
    heading = doc.lower[: min(1500, line_start(doc.lower, begin + body.start()))]
    if len(heading.strip()) < 12:
        return True
    word = body[0].removesuffix("ers") if body[0].startswith("commission") else body[0]
    if word not in heading:
        return False
    qualified = re.search(r"(\w+)\s+" + body[0] + r"\s+(?:\w+\s+)?$", before)
    common = (
        "the",
        "city",
        "town",
        "county",
        "village",
        "school",
        "full",
        "and",
        "council",
        "board",
        "whole",
    )
    return qualified is None or qualified[1] in common or f"{qualified[1]} {word}" in heading


_AGREEMENT = Phrase(
    "without_obj no_obj by_con by_gen by_unan by_com by_accl consensus",
    r"(?:without\s+objection|no\s+objections?|by\s+(?:general\s+|unanimous\s+)?consensus"
    r"|by\s+(?:unanimous|general|common)\s+consent|by\s+acclamation"
    r"|consensus\s+(?:of\s+(?:the\s+)?\w+\s+(?:\w+\s+)?)?(?:(?:was|is)\s+)?to\b)",
)


def _agreement_cues(doc: DocumentText) -> Iterator[OutcomeCue]:
    """Yield a cue for what was agreed without a vote."""
    lower = doc.lower
    for agreed in _AGREEMENT.find(lower):
        begin = doc.sentence_start(agreed.start())
        end = doc.sentence_end(agreed.end())
        if TALK.search(lower[begin : agreed.start()]):
            continue
        cue = OutcomeCue(
            begin, min(end, agreed.end() + 200), FIRM, result=PASSED, vote_type="consensus"
        )
        heard = re.search(r"\b(?:hearing|being|with)\s+$", lower[begin : agreed.start()])
        if agreed[0].startswith("no") and not heard:
            cue.strength = SOFT
        cue.result_text = doc.printed(begin, cue.end)
        cue.flags.add("consensus")
        cue.own_question = cue.strength == FIRM
        yield cue


_SECOND = pattern(r"second(?=ed\b|\b)")


def _no_second_cues(doc: DocumentText) -> Iterator[OutcomeCue]:
    lower = doc.lower
    for second in _SECOND.finditer(lower):
        missing = NO_SECOND.search(lower, max(0, second.start() - 40), second.end())
        if missing is None or (
            second.end() < len(lower) and lower[second.end()] == "e" and missing[0][:3] != "not"
        ):
            continue
        begin = doc.sentence_start(missing.start())
        before = lower[begin : missing.start()]
        if re.search(r"\b(?:if|unless|would|should)\b", before):
            continue
        start = max(begin, missing.start() - 80)
        sentence = lower[begin : doc.sentence_end(missing.end(), 80)]
        strength = STRONG if "motion" in sentence else SOFT
        cue = OutcomeCue(start, missing.end(), strength, result=DIED, flags={"no_second"})
        cue.result_text = doc.printed(start, missing.end())
        yield cue
