"""Read what became of a motion, from printed words only, and which question is put to the vote.

A verb alone proves nothing: "the plan should be adopted" and "if the motion carries" are talk,
"the House passed the bill" is somebody else's vote.  An outcome needs its subject (the motion, the
question), or is a sentence by itself: ``Carried.``

Each rule reads one way of writing; the table at the end lists them with examples.
"""

from __future__ import annotations

from clerk.core import lazy_re as re

from .ballots import TALLY, may_be_page_number, tally_in
from .cues import (
    BODY,
    EARLIER,
    FIRM,
    MENTION,
    OTHER_BODY,
    REPORTED,
    SOFT,
    STRONG,
    DocumentText,
    OutcomeCue,
    QuestionCue,
    Rule,
    body_is_subject,
    is_elsewhere,
)
from .findings import AYES, DIED, FAILED, NOES, PASSED, UNKNOWN, WITHDRAWN
from .motions import SHORTHAND, SLASH, pair_in_brackets, shorthand_names
from .record import is_of_voters
from .text import Phrase, indent_start, last_match, line_start, pattern, word_set

#: The question that a vote decides.
AMENDMENT = "amendment"
SUBSTITUTE = "substitute"
MAIN = "main"
OTHER = "other"

#: Words of a printed result, the first that fits; all others say that it passed.
_RESULT_WORDS = (
    (
        pattern(
            r"\bfail(?:s|ed|ing)?\b|\bdefeat|\blos(?:t|es|ing)\b|\bdenied\b|\breje[ct]|unsuccess|not\s+(?:carr|pass|approv|adopt)"
            r"|\b(?:not|n't)\s+(?:\w+\s+)?(?:carr|pass|approv|adopt|receiv)\w*"
        ),
        FAILED,
    ),
    (pattern(r"withdr"), WITHDRAWN),
    (pattern(r"\bdie[sd]\b"), DIED),
    (pattern(r"no\s+action|no\s+vote"), UNKNOWN),
)


def result_of(phrase: str) -> str:
    """Return the result that a printed phrase in lower case states."""
    for words, result in _RESULT_WORDS:
        if words.search(phrase):
            return result
    return PASSED


_UNANIMOUS = pattern(r"\bunanim\w+|\bnem\.?\s?(?:con|dis)")
_EXCEPT = pattern(
    r"\bexcept(?:ion|ing)?\b|\bother\s+than\b|\bbut\s+(?:for\s+)?(?:mr|ms|mrs)\b"
    r"|\bsave\s+for\b|\bnot\s+unanim|\bnon-unanim"
)
_VOICE = pattern(r"\bvoice\s+vote|\bviva\s+voce|\bvocal\s+vote|\bsaid\s+[\"']?aye")
_ROLL = pattern(r"\broll[\s-]{0,2}call|\bpolled")
_HANDS = pattern(r"\bshow\s+of\s+hands")


def _add_manner(cue: OutcomeCue, near: str, sentence: str) -> None:
    """Set how the vote was taken, and whether the text says that nobody was against."""
    cue.unanimous = _UNANIMOUS.search(near) is not None and not _EXCEPT.search(sentence)
    if _ROLL.search(sentence):
        cue.vote_type = "roll_call"
    elif _VOICE.search(sentence):
        cue.vote_type = "voice"
    elif _HANDS.search(sentence):
        cue.vote_type = "show_of_hands"


_VERB = Phrase(
    "carr prevail pass fail defeat lost died dies withdr adopted approved accepted "
    "ratified granted denied rejected agreed resolved tabled confirmed concurred deferred "
    "continued received appointed elected adopt\u00e9 rejet\u00e9 r\u00e9solu "
    "recommended authorized directed adjourned",
    r"(?P<plain>carried|carries|carry|prevailed|prevails|passed|passes|pass|failed|fails|defeated"
    r"|(?<=motion )failing"
    r"|lost|died|dies|withdrawn|withdrew)\b"
    r"|(?P<approving>adopted|approved|accepted|ratified|granted|denied|rejected|agreed|resolved"
    r"|tabled|confirmed|concurred|deferred|continued|received|appointed|elected|recommended"
    r"|authorized|directed|adjourned|adopt\u00e9e?s?|rejet\u00e9e?s?|r\u00e9solue?)\b",
)
_ALL_NEXT = pattern(r"[ ]{1,3}(?:all\s+(?:were\s+)?in\s+favou?r|unanimous(?:ly)?)\b")
_NOT = pattern(r"\b(?:not|n't|failed\s+to|fails\s+to|did\s+not|does\s+not)\s+(?:\w+\s+)?$")
_INFINITIVE = pattern(
    r"\b(?:be|being|been\s+previously|to\s+be|to|not\s+yet|get|getting|have|having|previously"
    r"|recently|already)\s+(?:\w+ly\s+)?(?:\w+ed\s+and\s+)?$"
)
_NOT_A_VOTE = pattern(
    r"\bnotice\s+of\s+motion|\bvotes?\s+of\s+(?:sympathy|thanks|condolence|congratulation)"
)
_NAMED_MATTER = pattern(
    r"(?:the\s+)?(?:ordinance|resolution|bill|by-?law|order|article|main\s+motion|motion|council\s+bill)"
    r"(?:\s+(?:no\.?\s*|number\s+)?#?[\w.\-/]*\d[\w.\-/]*)?,?(?:\s+as\s+amended,?)?\s+"
    r"(?:(?:was|is|were)\s+)?(?:\w+ly\s+)?$"
)
_MID_SENTENCE = pattern(
    r"(?<!\b[Aa]ye)(?<!\b[Nn]ay)(?<!\b[Yy]es)(?<!\b[Yy]ea)(?<=[a-z]{2}),?\s*$"
    r"|\b(?:an?|the|of),?\s*$"
)
_NOTHING_ELSE = pattern(
    r"\s*(?:[.;\n]|$|as\s+amended|unanimously|\(?\d{1,2}\s?(?:-|to|/)\s?\d"
    r"|by\s+(?:a\s+)?(?:roll|voice|vote|the\s+following|unanimous)|on\s+(?:a\s+)?(?:roll|voice))"
)
_ENACTING = pattern(
    r"\bbe\s+it\s+(?:\w+\s+){0,2}$|\bhereby\s+(?:(?:is|are|be)\s+)?$|(?<!was )\btherefore,?\s+$"
    r"|\bresolves?\s+that\b|\brecommend(?:ation|s|ed)?\b[^.]{0,20}:"
)
#: Only told of in passing: ``items that were agreed``.
_RELATIVE = pattern(r"\b(?:that|which)\s+(?:was|were|had\s+been)\s+(?:\w+ly\s+)?$")
#: ``moved to reconsider the vote by which the lease was approved``
_BY_WHICH = pattern(r"\b(?:vote|motion|action)\s+by\s+which\b[^.;,]*$")
#: What the minutes are, in the line below their title: ``OPEN MINUTES`` and ``Confirmed``.
_STATUS = pattern(r"\bminutes {0,8}\n\s*\Z")
#: When they were approved, above their title: ``Approved 11/14/2023. Vote: 6-0``.
_STAMPED = pattern(r"(?:(?!\bminutes\b|\bmotion|\bmoved\b)[\s\S]){0,400}\Z")
_ON_DATE = pattern(
    r"\s{0,3}:?\s{0,3}(?:on\s)?(?:\d{1,2}[/-]\d{1,2}[/-]\d{2}"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s\d)"
)
_TOP = 400
_MOTION_MADE = pattern(r"\b(?:motion|moved|proposed|seconded)\b")
_WHEREAS = pattern(r"[\s\d.()\-]{0,12}whereas\b")
_DECLARED = pattern(r"\bdeclare[sd]\b.{0,90}$", re.S)
_REPORTED_THAT = pattern(
    r"\b(?:stated|said|noted|reported|reminded|shared|explained|indicated|mentioned|advised)\b"
    r".{0,60}\bthat\b"
)
_ABOUT_MOTION = pattern(r"\b(?:motion(?:s|ed)?|amendments?|question|votes?|voting|substitute)\b")


def outcome_verb(doc: DocumentText, verb: re.Match[str]) -> OutcomeCue | None:
    """Read a verb, if it states what became of a motion of this body at this meeting."""
    lower, text = doc.lower, doc.text
    begin = doc.sentence_start(verb.start())
    before = lower[begin : verb.start()]
    after_end = doc.sentence_end(verb.end(), 60)
    after = lower[verb.end() : after_end]
    if verb["approving"] and (everyone := _ALL_NEXT.match(lower, after_end)):
        # ``The minutes were approved. All in favor.``
        after += everyone[0]
    if doc.is_talk(begin, verb.start()) and not _NOT.search(before):
        return None
    if _INFINITIVE.search(before) or _NOT_A_VOTE.search(before):
        return None
    if _BY_WHICH.search(before):
        return None
    if verb.start() < _TOP and (
        _STATUS.search(lower, 0, verb.start())
        or (_ON_DATE.match(lower, verb.end()) and _STAMPED.match(lower, 0, verb.start()))
    ):
        return None
    if _WHEREAS.match(before) or (_RELATIVE.search(before) and not _MOTION_MADE.search(before)):
        return None
    # What precedes the verb in its sentence, or in its line if a sentence begins there.
    line = line_start(text, verb.start())
    if (
        line <= begin
        or _MID_SENTENCE.search(text[max(begin, line - 12) : line])
        or not text[line : verb.start()].lstrip()[:1].isupper()
    ):
        line = begin
    bare = _is_bare(doc, verb, before)
    matter = lower[line : verb.start()].lstrip(" \n-:.,")
    if _NOTHING_ELSE.match(after) and _NAMED_MATTER.fullmatch(matter):
        strength = MENTION if EARLIER.search(after) else FIRM
    elif _ENACTING.search(before) and not _ABOUT_MOTION.search(before):
        strength = MENTION
    elif "declare" in before and _DECLARED.search(before):
        strength = STRONG
    elif verb["plain"]:
        strength = plain_verb_strength(verb[0], before, after, bare)
    else:
        strength = approving_verb_strength(verb[0], before, after, bare)
    if strength == MENTION or (strength == SOFT and _REPORTED_THAT.search(before)):
        return None
    return _verb_cue(doc, verb, begin, strength, bare)


_SECONDED_BY = pattern(
    r"\bsecond(?:ed|er)\b[^.;\n]{0,16}(?:\b(?:cllr|cr|mrs?|ms|dr)\.)?[^.;\n]{2,40}$"
)
_SAID_TO_THE_END = pattern(r" {1,3}(?:unanimously\b|\(?\d{1,2}\s?-\s?\d)|\s{0,3}(?:[.;\n]|$)")
#: ``Smith/Jones  Carried``
_PAIR_BEFORE = pattern(r"(?:^|\n)[ ]{0,40}[^\s/]{2,20} ?/ ?[^\s/]{2,20}[ ]{1,40}$")
_VERB_ALONE = pattern(r"\s*(?:[.;\n]|$|\(?\d{1,2}\s?-\s?\d)")
_BEFORE_WORDS = re.compile(r"^[\s\-:.,)\]\d]*")
_CLOSED = re.compile(r"\s*(?:[.;\n)\]]|$)")


def _is_bare(doc: DocumentText, verb: re.Match[str], before: str) -> bool:
    """Whether the word begins its sentence (``Carried.``) or is set in capitals by itself."""
    lower, start, end = doc.lower, verb.start(), verb.end()
    printed = doc.text[start:end]
    if not printed[0].isupper():
        return False
    if not _BEFORE_WORDS.sub("", before[-30:]) or not before.strip(" \n-:.,([\"'"):
        return True
    head = lower[max(0, start - 60) : start]
    if _SECONDED_BY.search(head) and _SAID_TO_THE_END.match(lower, end):
        return True
    if before.rstrip()[-1:] in (".", ":", ";", ")") and _VERB_ALONE.match(lower, end):
        return True
    if _PAIR_BEFORE.search(head) and _VERB_ALONE.match(lower, end):
        return True
    if printed.isupper() and (
        _CLOSED.match(lower[end : end + 3]) or doc.text.startswith(" UNANIMOUSLY", end)
    ):
        return True
    return not doc.text[line_start(doc.text, start) : start].strip(" -:.([")


#: ``Unanimously carried by voice vote.``
_ADVERB_ALONE = pattern(r"[\s(]*(?:unanimously|duly|regularly)\s+(?:and\s+\w+ly\s+)?")
_A_RESOLUTION_WAS = pattern(r"\ba\s+resolution\s+was\s+$")
_ANY_MOTION = pattern(r"\b(?:an?|any|no|every|each)\s+(?:\w+\s+)?motion\s+(?:\w+\s+){0,2}$")
_RULE = pattern(r"\b(?:shall|may|must|cannot|can|will|would|requires?)\b")
_SECONDED = pattern(
    r"\bmoved\b.{0,120}\bsecond(?:ed)?\b|^\s*seconded\s+by\b.{2,60}\band\s+(?:was\s+)?$", re.S
)
_SUBJECT = pattern(
    r"\b(?:motions?|amendments?|question|vote|resolutions?|ordinances?|by-?laws?|bills?|measure"
    r"|items?|minutes?|agenda|requests?|applications?|nominations?"
    r"|which|it|same|recommendations?|reports?|budgets?|appointments?|plats?|permits?|variances?"
    r"|contracts?|agreements?|proposals?|warrants?|claims|bids?)\b"
)
_CARRIED_ELSEWHERE = pattern(
    r"\s+(?:out|over|forward|through|onto|away|along|around|down|by\s+(?:the\s+)?(?:state|house"
    r"|senate|legislature|congress|voters))\b"
    r"|\s+(?:a|an|the|his|her|senate|house|its|this|that|these|those|legislation"
    r"|laws?)\s+(?!motion\b|vote\b|chair)"
)
_UNANIMOUS_NEXT = pattern(
    r",?\s+(?:unanimously(?=\s{0,3}(?:[.,;:(\n]|$|(?:by|on|upon|with|as|and)\b))"
    r"|by\s+(?:a\s+)?unanimous\b)"
)
_TALLY_NEXT = pattern(
    r",?\s+(?:by\s+(?:a\s+)?(?:vote\s+of\s+)?|on\s+a\s+(?:vote\s+of\s+)?)?\(?\d{1,2}\s?(?:-|to)"
    r"\s?\d{1,2}\b"
)
_SPEECH = pattern(
    r"\b(?:stated|states|said|says|noted|notes|reported|reports|reminded|shared|explained"
    r"|indicated|mentioned|advised|announced|recalled|added|thanked|asked)\b"
)
#: ``Passed as nobody was there``: the item was passed over.
_PASSED_OVER = pattern(
    r"\s+(?:as\s+(?!amended|presented|read|written|submitted|is)|on\s+(?!a\b|the\b|roll|voice|vote)|over\b)"
)
_OWN_MOTION = re.compile(r"\s+(?:his|her|the|their)\s+motion")
_DULY = re.compile(r"\bduly\s+$|\bunanimously\s+$|\band\s+$")
_ON_A_MOTION = re.compile(r"\s+on\s+(?:a\s+)?motion\b")
#: What was moved may name a previous meeting, and be decided at this one.
_SECONDED_MOTION = pattern(r"\bsecond(?:ed)?\b[^.;]{2,60}\bmotion\s+(?:was\s+)?$")
_AND_BEFORE = re.compile(r"\band\s+(?:\w+ly\s+)?$|,\s*$")
#: ``This was lost by 4 votes to 5.``
_THIS_WAS = pattern(r"\s*(?:this|it)\s+was\s+")
_BY_VOTES = pattern(r"\s+by\s+\d{1,2}(?:\s+votes?)?\s?(?:-|to)\s?\d")


def plain_verb_strength(word: str, before: str, after: str, bare: bool) -> int:
    """Return how surely "carried", "passed", "failed" and the like state an outcome.

    ``before`` and ``after`` are the rest of the sentence; a ``bare`` verb is alone in it.
    """
    if _ANY_MOTION.search(before) and _RULE.search(after):
        return MENTION
    if word in ("carry", "pass") and not _NOT.search(before) and not bare:
        return MENTION
    motion = _ABOUT_MOTION.search(before) or _SECONDED.search(before)
    if _ADVERB_ALONE.fullmatch(before) and not _CARRIED_ELSEWHERE.match(after):
        return STRONG
    if _A_RESOLUTION_WAS.search(before) and after.startswith(" to "):
        return FIRM
    if TALLY.fullmatch(before.strip(" \n([:.,-)]")):
        return FIRM
    if word.startswith("withdr"):
        own = (motion and "second" not in before) or _OWN_MOTION.match(after)
        return FIRM if own else MENTION
    if _CARRIED_ELSEWHERE.match(after) and not (motion and _DULY.search(before)):
        return MENTION
    if is_elsewhere(before, after) and not (
        _SECONDED_MOTION.search(before) and not EARLIER.search(after)
    ):
        return MENTION
    if motion or _ON_A_MOTION.match(after):
        return STRONG
    if bare:
        return MENTION if _PASSED_OVER.match(after) else FIRM
    if not before.strip() and _NOTHING_ELSE.match(after):
        return SOFT
    if word in ("lost", "defeated") and _THIS_WAS.fullmatch(before) and _BY_VOTES.match(after):
        return FIRM
    if word in ("lost", "died", "dies"):
        return MENTION
    if _UNANIMOUS_NEXT.match(after) and not OTHER_BODY.search(after):
        return MENTION if _SPEECH.search(before) else FIRM
    if _SUBJECT.search(before):
        return FIRM if _TALLY_NEXT.match(after) and not _REPORTED_THAT.search(before) else SOFT
    return SOFT if _AND_BEFORE.search(before) else MENTION


_VOTE_TOLD = pattern(
    r"\bunanim|\bby\s+all\b|\bvote\b|\ball\s+in\s+favou?r|\bvoice\s+vote"
    r"|(?<!items )(?<!item )(?<!lots )(?<!nos\. )\(?\b\d{1,2}\s?(?:-|to)\s?\d\b"
)
_PROPOSED_IN_FRENCH = pattern(r"\b(?:propos|appuy|second)\u00e9e?\b")
_ON_MOTION = pattern(
    r"\s+(?:and\s+\w+\s+)?(?:by\s+the\s+\w+\s+)?(?:up)?on\s+(?:the\s+|a\s+)?"
    r"(?:proposal|proposition|(?:[\w'.-]{2,20}\s?/\s?[\w'.-]{2,20}\s+)?motion)\b"
    r"|\s+(?:a|the)\s+motion\s+(?:made\s+)?(?:by|of|from)\b"
    # ``approved the motion by unanimous vote``
    r"(?!\s+(?:an?\s+|the\s+)?(?:unanim|vote|voice|roll|show|majority|following|\d|acclamation))"
    r"|\s+(?:after|following)\s+(?:a\s+)?motion\s+(?:made\s+)?(?:by|of|from)\b"
)
_RESOLVED_THAT = pattern(
    r":|\s{0,2}-\s{0,2}(?:that|to)\b|\s+(?:unanimously|nem|with\s+\d|by\s+\d)"
    r"|\s{0,2}\((?:nem|unanim|\d{1,2}\s)"
)
_AUXILIARY = pattern(
    r"\b(?:was|were|is|are|been|and|then|motion|motions|unanimously|duly|hereby|thereupon"
    r"|declared|therefore|stands?|has|have|also|vote|be\s+it|it|motion\s+is|item|minutes|which"
    r"|resolution|motion,\s[^,.;]{2,40})"
    r"[\s,:\-]+(?:\w+ly\s+|so\s+|then\s+|hereby\s+|all\s+)?[\"(]?$"
)
_UNANIMOUSLY = re.compile(r"\bwas\s+unanimously\s+$")
_TO_BE = re.compile(r"\b(?:was|were|are|is)\b")
_A_MOTION_TO = pattern(r"\s+(?:a|the)\s+motion\s+(?:to|that)\b")
_COUNT_AFTER = pattern(r"[^.;]{0,40},?\s\(\s?\d{1,2}\s?\)\s?[;.]?")
_IT_WAS_RESOLVED = pattern(
    r"\bit\s+was\s+(?:therefore\s+|then\s+|unanimously\s+)?$|\bsecond.{3,60}\band\s+$", re.S
)
_NOTHING_AFTER = re.compile(r"\s*[.;)]?\s*(?:\n.*)?", re.S)
_SECOND_BEFORE = re.compile(r"\bsecond.{0,40},\s*$", re.S)
_MOTION_WAS = re.compile(r"\bmotions?\b[^.]{0,30}$|\bmotion\b.*\b(?:was|is)\s+(?:\w+ly\s+)?$")
_IT_WAS_OR_AND = re.compile(r"\bit\s+(?:was|is)\s+(?:\w+\s+)?$|\band\s+(?:\w+\s+)?$")
_AND_OR_DECLARED = re.compile(r"\b(?:and|declared)\s+(?:\w+\s+)?$|unanimously\s*$")


_HAS_OBJECT = pattern(r"\b(?:motions?|amendments?|resolution|ordinance|item)\s+$")
_APPROVAL = pattern(r"\s+(?:\w+\s+){0,2}(?:unanim|approval|majority)")
_YES_VOTES = pattern(r"\s+(?:with|by)\s+\d{1,2}\s+(?:yes|ayes?|yeas?)\b")
#: What is no outcome unless a vote is told of.
_OFTEN_TALK = ("received", "appointed", "elected", "continued", "deferred", "confirmed")


def approving_verb_strength(word: str, before: str, after: str, bare: bool) -> int:
    """Return how surely "approved", "adopted", "denied" and the like state an outcome.

    ``before`` and ``after`` are the rest of the sentence; a ``bare`` verb is alone in it.
    """
    if is_elsewhere(before, after):
        return MENTION
    if word == "received" and _HAS_OBJECT.search(before) and not _APPROVAL.match(after):
        # ``The motion received a roll call vote``: not what became of it.
        return MENTION
    if word == "adjourned":
        return FIRM if _UNANIMOUSLY.search(before) else MENTION
    voted = _VOTE_TOLD.search(before[-40:] + " " + after)
    if word in ("recommended", "authorized", "directed"):
        return SOFT if voted and body_is_subject(before) else MENTION
    if word.startswith("r\u00e9solu"):
        return FIRM if _PROPOSED_IN_FRENCH.search(before) else MENTION
    if _ON_MOTION.match(after) and _TO_BE.search(before):
        return FIRM
    if word == "resolved" and _IT_WAS_RESOLVED.search(before):
        return FIRM
    if bare and word == "resolved":
        return FIRM if _RESOLVED_THAT.match(after) else MENTION
    if TALLY.fullmatch(before.strip(" \n([:.,-)]")):
        return FIRM
    if _YES_VOTES.match(after) and before.strip():
        # ``Monthly report approved with 21 yes votes``
        return FIRM
    if not before.strip() and not bare and voted and _NOTHING_ELSE.match(after):
        return SOFT
    if (
        _REQUEST_ALONE.fullmatch(before)
        and word in ("granted", "approved")
        and _CLOSED.match(after)
    ):
        return FIRM
    if bare:
        over = _NOTHING_AFTER.fullmatch(after) or _COUNT_AFTER.fullmatch(after)
        return FIRM if voted or over else SOFT
    if body_is_subject(before) and (voted or word == "resolved" or _A_MOTION_TO.match(after)):
        return FIRM
    if voted and _SECOND_BEFORE.search(before):
        return SOFT
    if not _AUXILIARY.search(before):
        return MENTION
    if word in _OFTEN_TALK and not voted:
        return MENTION
    if _MOTION_WAS.search(before):
        return STRONG
    if word in ("agreed", "resolved") and _IT_WAS_OR_AND.search(before):
        # What was agreed without a vote is a decision, and no vote on record.
        return FIRM if voted or word == "resolved" else SOFT
    subject = _SUBJECT.search(before)
    if not subject and not _AND_OR_DECLARED.search(before):
        return SOFT if voted else MENTION
    return FIRM if voted and subject else SOFT


#: ``Variance granted.``: what was asked for, and nothing else.
_REQUEST_ALONE = pattern(
    r"\s*(?:the\s+)?(?:variance|petition|application|permit|special\s+permit|request|waiver|appeal"
    r"|exception|plat|plan|site\s+plan|license|extension)s?\s+"
)
#: ``Adopted, (11); Absent: Smith (1)``
_LONE_COUNT = pattern(
    r"[^.;\n]{0,60}?,?\s(?:unanimous\s+vote\s+)?\(\s?(?P<yes>\d{1,2})\s?\)"
    r"(?=\s?[;.,]\s{1,3}(?:ayes|nays|noes|absent|abstain))"
    r"|,?\s+(?:with|by)\s+(?P<votes>\d{1,2})\s+(?:yes|ayes?|yeas?|(?:affirmative\s+)?votes)\b"
)
_VOTE_OF = pattern(
    r"\b(?:by|on|with)\s+a(?:\s+vote\s+of)?\s+\(?(?P<tally>\d{1,2}\s?(?:-|to)\s?\d{1,2})\)?"
    r"(?:\s+(?:roll[\s-]call\s+|voice\s+)?vote)?\b"
)


#: ``RESOLVED (5 for, 1 against)``
_IN_BRACKETS = pattern(
    r"\s{0,3}\(\s?(?P<yes>\d{1,2})\s+(?:votes?\s+)?(?:for|in\s+favou?r)[,;]?\s+(?:and\s+)?"
    r"(?P<no>\d{1,2})\s+(?:votes?\s+)?against\b"
)


_LINE_OVER = pattern(r"[ .]{0,4}\n")
_NEXT_MOTION = pattern(
    r"\n\s{0,80}(?:[\w.\-]{1,12}\s{1,4}){0,2}(?:it\s+was\s+)?(?:moved|motion|proposed"
    r"|resolution|resolved|seconded)\b"
)
#: The motion itself is refused: ``The motion to rezone the lot was denied``.
_MOTION_REFUSED = pattern(
    r"\b(?:motions?|amendments?|question)\s+(?:(?:to|that|for)\s[^.;]{0,200}"
    r"|(?:(?:was|is|were|being)\s+)?(?:\w+ly\s+)?)$"
)
_DONE_ON_MOTION = pattern(
    r"(?:up)?on\s+(?:a\s+|the\s+)?motion\s+(?:(?:duly\s+)?made\s+)?(?:by|of)\b"
)
_MAIN_QUESTION = pattern(
    r"\b(?:main|original|underlying|primary)\s+(?:motion|question)\b"
    r"|\bas\s+(?:thus\s+|so\s+)?amended\b"
)
_AMENDMENT_QUESTION = pattern(r"\bamendments?\b|\bmotion\s+to\s+amend\b")
_NO_SECOND = pattern(
    r"(?:\b(?:lack|want)\s+of\s+(?:a\s+|any\s+)?|\bno\s+|\bwithout\s+a\s+|\bnot\s+"
    r"|(?:n't|not|failed\s+to|fails\s+to)\s+(?:receiv\w*|get|got|have|heard?"
    r"|obtain\w*)\s+a\s+)second"
)


_LOST_BY = pattern(r"(?:defeated|lost|rejected)\s+by\s+\w+(?:\s+votes?)?\s+to\s")
_TALLY_AFTER_STOP = pattern(
    r"\.[ \n]{1,3}(?P<tally>\d{1,2}\s?-\s?\d{1,2}(?:\s?-\s?\d{1,2})?)(?=\s{0,3}(?:[(.\n]|$))"
)


def _verb_cue(
    doc: DocumentText, verb: re.Match[str], begin: int, strength: int, bare: bool
) -> OutcomeCue:
    """Return the cue of a verb: its sentence, result, manner, counts and question."""
    lower, at = doc.lower, verb.start()
    end = sentence_end = doc.sentence_end(verb.end(), 300)
    start = begin
    subject = last_match(_ABOUT_MOTION, lower, begin, at)
    if subject is not None and subject.start() - begin > 60:
        start = subject.start()
    if bare:
        start = max(start, line_start(lower, at))
    if bare or (doc.text[at].isupper() and _LINE_OVER.match(lower, verb.end())):
        # A lone ``CARRIED`` may have no full stop: its sentence ends where the next motion begins.
        motion = _NEXT_MOTION.search(lower, verb.end(), end)
        sentence_end = motion.start() if motion else end
    sentence = lower[start:sentence_end]
    cue = OutcomeCue(start, min(end, verb.end() + 160), strength, at=at)
    own_end = min(cue.end, start + len(sentence))
    behind = verb.end() + 10
    while lower[behind - 1 : behind].isalpha() and lower[behind : behind + 1].isalpha():
        # Half of a name may be a word: ``passed (Failla opposed)``.
        behind += 1
    cue.result = result_of(lower[max(start, at - 20) : behind])
    cue.refused = verb[0] in ("denied", "rejected") and not _MOTION_REFUSED.search(lower, begin, at)
    if cue.refused and _DONE_ON_MOTION.match(lower, begin):
        # ``On motion of Smith, the application was denied``: to deny it was moved, and carried.
        cue.result = PASSED
    cue.result_text = doc.printed(start if strength == STRONG else at, cue.end)
    _add_manner(cue, lower[start : min(start + len(sentence), verb.end() + 120)], sentence)
    cue.counts = tally_in(lower, at, own_end)
    if not cue.counts and (sides := _IN_BRACKETS.match(lower, verb.end())):
        cue.counts = {AYES: int(sides["yes"]), NOES: int(sides["no"])}
    elif not cue.counts and (lone := _LONE_COUNT.match(lower, verb.end())):
        cue.counts = {AYES: int(lone["yes"] or lone["votes"])}
    if (
        cue.result == FAILED
        and _LOST_BY.match(lower, at)
        and cue.counts.get(AYES, 0) > cue.counts.get(NOES, 0)
    ):
        # ``defeated by 5 votes to 2``: those who defeated it come first.
        cue.counts = {**cue.counts, AYES: cue.counts[NOES], NOES: cue.counts[AYES]}
    if not cue.counts and (vote_of := last_match(_VOTE_OF, lower, begin, at)):
        cue.counts = tally_in(lower, *vote_of.span("tally"))
    if not cue.counts and not ("/" in lower[start:at] and doc.text[at].isupper()):
        cue.counts = tally_in(lower, max(start, at - 60), at)
    told = _TALLY_AFTER_STOP.match(lower, sentence_end - 1) if strength > SOFT else None
    if told and not cue.counts:
        # ``Motion carried.  3-0-2 (Smith, Jones abstained.)``
        counts = tally_in(lower, *told.span("tally"))
        if not may_be_page_number(doc, *told.span("tally"), counts, cue.result):
            cue.counts = counts
    on_motion = _ON_MOTION.match(lower, verb.end())
    if on_motion is not None:
        cue.mover_follows = not doc.blank_line_between(verb.end(), on_motion.end())
    elif strength == FIRM and verb["approving"] and _A_MOTION_TO.match(lower, verb.end()):
        cue.mover_follows = True
    # The subject is what was voted on, and not the motion: ``The ordinance``.  What passes
    # unanimously is voted on, whatever it is.
    before = lower[begin:at]
    own = verb["approving"] is not None
    if not own and not _ABOUT_MOTION.search(before):
        unanimous = _UNANIMOUS_NEXT.match(lower, verb.end()) is not None
        own = _SUBJECT.search(before) is not None or (unanimous and bool(before.strip()))
    cue.own_question = strength == FIRM and own and start == begin
    if slash := SLASH.search(doc.text, verb.end(), own_end) if "/" in sentence else None:
        pair = pair_in_brackets(doc, slash)
        cue.people = (pair.mover, pair.seconder) if pair else (None, None)
    if _MAIN_QUESTION.search(lower[start:at]):
        cue.about = MAIN
    elif _AMENDMENT_QUESTION.search(lower[start:at]):
        cue.about = AMENDMENT
    elif _MAIN_QUESTION.search(lower[verb.end() : min(own_end, verb.end() + 40)]):
        cue.about = MAIN
    if "declared" in before:
        cue.flags.add("declared")
    if verb[0] == "withdrew" and (name := doc.name_before(at)) is not None:
        cue.people = (doc.roster.surname(name)[0], None)
    if cue.result == DIED or (cue.result == FAILED and _NO_SECOND.search(sentence)):
        cue.result = DIED
        cue.flags.add("no_second")
    return cue


_RESULT_LABEL = Phrase(
    "result outcome status disposition decision vote action voting motion",
    r"(?P<label>result|outcome|status|disposition|decision|voted?|action(?:\s+taken)?|voting"
    r"|motion)(?:\s{0,3}:|(?= {4,}(?:carried|passed|defeated|lost|approved)\b))\s{0,80}"
    r"(?P<value>[^\n]{1,100})",
)
_RESULT_WORD = pattern(
    r"\b(?:pass(?:ed|es)?|adopted|approved|carried|carries|accepted|granted|confirmed|ratified"
    r"|tabled|postponed|deferred|continued|referred|received|recommended|forwarded|failed|fails"
    r"|defeated|denied|rejected|lost|withdrawn|unanimous\w*|no\s+action|died)\b"
)
_BELOW = pattern(
    r"\s{0,40}mover\s{0,4}:\s{0,60}(?P<mover>[^\n]{2,60})\n\s{0,40}seconder\s{0,4}:\s{0,60}(?=\w)"
)
_LOOSE_LABELS = ("vote", "voting", "motion", "action", "action taken", "status", "decision")


def labelled_result(doc: DocumentText, line: re.Match[str]) -> OutcomeCue | None:
    """Read the value of a label, if it is a result or a tally."""
    label, value = line["label"], line["value"]
    own = value.partition(". ")[0]
    word = _RESULT_WORD.search(own[:70])
    counts = tally_in(doc.lower, line.start("value"), line.start("value") + len(own))
    if word is None and not (counts and label in ("vote", "voting", "result")):
        return None
    if (
        line.start() < _TOP
        and _STAMPED.match(doc.lower, 0, line.start())
        and "minutes" in doc.lower[line.start() : line.start() + _TOP]
    ):
        # ``Approved May 4. Vote: 6-0``: above the title of the minutes.
        return None
    if label in _LOOSE_LABELS and word is not None and word.start() > 12 and not counts:
        return None
    if label in ("motion", "voted") and (
        word is None or word.start() > 0 or (label == "voted" and word[0].startswith("unanim"))
    ):
        return None
    cue = OutcomeCue(line.start(), line.end(), STRONG, label=True, counts=counts)
    cue.result = result_of(value) if word else ""
    cue.result_text = doc.printed(*line.span("value"))
    cue.unanimous = "unanim" in value
    cue.own_question = label.startswith("action")
    if label == "result" and (below := _BELOW.match(doc.lower, line.end())):
        # The result is the first line of a table.
        mover, _ = doc.roster.surname(doc.name_at(below.start("mover")))
        seconder, _ = doc.roster.surname(doc.name_at(below.end()))
        cue.people = (mover, seconder)
    if label in ("vote", "voted"):
        cue.strength = FIRM
        if _VOICE.search(line[0]):
            cue.vote_type = "voice"
    return cue


_VOTE_WAS = Phrase(
    "vote motion",
    r"(?:votes?\s+(?:count\s+|tally\s+)?(?P<was>was\s+(?:tied\s+(?:at\s+)?)?|were\s+|is\s+|being\s+)?|motion\s+)"
    r"(?=\d{1,2}\s?(?:-|to)\s?\d)",
)
_FOR_IT = pattern(r"\s+(?:in\s+favou?r|to\s+approve|for\s+approval|in\s+the\s+affirmative)\b")


def vote_was(doc: DocumentText, vote: re.Match[str]) -> OutcomeCue | None:
    """Read a tally in a sentence; without "in favor" no result is stated."""
    lower, end = doc.lower, doc.sentence_end(vote.end(), 160)
    begin = doc.sentence_start(vote.start())
    before, after = lower[begin : vote.start()], lower[vote.end() : end]
    if not vote["was"] and before.strip() and before.rstrip()[-1] not in ",;-":
        return None
    tally = TALLY.match(lower, vote.end())
    if tally is None or doc.is_talk(begin, vote.start()):
        return None
    if is_elsewhere(before, after) or REPORTED.search(before):
        return None
    cue = OutcomeCue(begin if vote["was"] else vote.start(), end, FIRM, at=vote.start())
    cue.counts = tally_in(lower, vote.end(), end)
    cue.result = PASSED if _FOR_IT.match(lower, tally.end()) else ""
    cue.result_text = doc.printed(vote.start(), end)
    return cue


_VOTED = Phrase(
    "vote",
    r"vote[ds]\b(?P<colon>\s{0,3}:)?"
    r"(?:\s+(?P<how>unanimously|\(?\d{1,2}\s?(?:-|to)\s?\d{1,2}(?:\s?-\s?\d)?\)?"
    r"|[a-z]+\s+to\s+[a-z]+|by\s+(?:consensus|a\s+majority|unanimous\s+consent"
    r"|(?:a\s+)?(?:unanimous\s+)?(?:roll[\s-]call|voice)(?:\s+vote)?))\s*,?)?"
    r"(?:\s+(?P<what>to|in\s+favou?r\s+of|for|against|that|on)\b)?",
)
_SO = pattern(r"\bso\s+(?:unanimously\s+)?$")
_IT_WAS_SO = pattern(r"\bit\s+was\s+(?:unanimously\s+|duly\s+)?$")
_OVER = pattern(r"\s{0,3}(?:\.|$)")
_IT_WAS = pattern(r"\bit\s+was\s+(?:\w+ly\s+)?$")
_MOTION_SECONDED = pattern(r"\bmotion\b.{2,80}\bsecond.{2,80}$", re.S)
_SECONDED_AND = pattern(
    r"\bsecond(?:ed)?\b.{2,80}(?:\band\s+(?:it\s+was\s+)?|,\s+it\s+was\s+)(?:\w+ly\s+)?$", re.S
)
_MOTION = re.compile(r"\bmotion\b")
_TOWN_IS_SUBJECT = pattern(r"\bthe\s+(?:town|meeting|district|village)\s+(?:\w+ly\s+|then\s+)?$")


def voted(doc: DocumentText, verb: re.Match[str]) -> OutcomeCue | None:
    """Read a body that voted, if it is the one whose minutes these are."""
    lower, start = doc.lower, verb.start()
    head = lower[max(0, start - 24) : start]
    so = _SO.search(head) or (_OVER.match(lower, verb.end()) and _IT_WAS_SO.search(head))
    if so:
        # ``So voted.`` and ``It was unanimously voted.`` say nothing of the question.
        cue = OutcomeCue(start - len(so[0]), verb.end(), SOFT, result=PASSED)
        cue.unanimous = "unanim" in so[0]
        cue.result_text = doc.printed(cue.start, cue.end)
        cue.counts = tally_in(lower, start, min(len(lower), verb.end() + 14))
        return cue
    if not verb["how"] and not (verb["what"] or "").startswith(("to", "in")):
        return None
    begin = doc.sentence_start(start)
    before = lower[begin:start]
    if not before.strip() and doc.text[start].isupper() and (told := TALLY.match(lower, start + 6)):
        # ``Voted 3-0 in favor.``
        end = doc.sentence_end(start, 80)
        cue = OutcomeCue(start, end, FIRM, counts=tally_in(lower, start, end))
        cue.result = PASSED if _FOR_IT.match(lower, told.end()) else ""
        cue.result_text = doc.printed(start, end)
        return cue
    if not before.strip() and verb["how"] == "unanimously" and _OVER.match(lower, verb.end()):
        # ``Smith seconded. Voted unanimously.``
        cue = OutcomeCue(start, verb.end(), FIRM, result=PASSED, unanimous=True)
        cue.result_text = doc.printed(start, verb.end())
        return cue
    if _WHEREAS.match(before):
        return None
    if verb["colon"] and _MOTION_SECONDED.search(before):
        pass
    elif verb["colon"]:
        if before.strip() or not doc.text.startswith(("VOTED", "Voted"), start):
            return None
    elif not (_IT_WAS.search(before) and verb["what"] in ("to", "that")):
        after = lower[verb.end() : doc.sentence_end(verb.end(), 120)]
        if doc.is_talk(begin, start) or is_elsewhere(before, after) or REPORTED.search(before):
            return None
        town = _TOWN_IS_SUBJECT.search(before) and is_of_voters(doc)
        if not town and not body_is_subject(before) and not _SECONDED_AND.search(before):
            return None
        if not town and not _MOTION.search(before) and not _is_own_body(doc, before, begin):
            return None
    end = doc.sentence_end(verb.end(), 400)
    cue = OutcomeCue(begin, end, FIRM, result=PASSED, own_question=True)
    if "second" in before:
        # Who moved and who seconded is said first.
        cue.at = start
    cue.result_text = doc.printed(start, end)
    _add_manner(cue, lower[begin:end], lower[begin:end])
    cue.counts = tally_in(lower, start, min(end, verb.end() + 80))
    return cue


_BODIES = (
    r"(?:board|council|commission|committee|court|trustees|directors|selectmen|authority"
    r"|supervisors)"
)
_BY_VOTE = Phrase(
    "by_a",
    r"by\s+(?:a|an)\s+(?P<how>unanimous|\(?\d{1,2}\s?(?:-|to)\s?\d{1,2}\)?)\s+vote\b(?:[^.;]{0,80}?"
    rf"\bthe\s+(?:\w+\s+){{0,2}}?{_BODIES}\s+(?:\w+ly\s+)?|(?P<behind>(?:\s{{1,3}}\([^()]{{3,60}}\))?,?\s+))"
    r"(?P<did>[a-z]{3,}ed)\b",
)
_BODY_BEFORE = pattern(rf"\bthe\s+(?:\w+\s+){{0,2}}?{_BODIES},?\s+$")


def by_vote(doc: DocumentText, vote: re.Match[str]) -> OutcomeCue | None:
    """Read what the body did by a vote that is told first."""
    lower, begin = doc.lower, doc.sentence_start(vote.start())
    before = lower[begin : vote.start()]
    end = doc.sentence_end(vote.end(), 400)
    if vote["behind"] and not _BODY_BEFORE.search(before):
        return None
    if doc.is_talk(begin, vote.start()) or is_elsewhere(before, lower[vote.end() : end]):
        return None
    cue = OutcomeCue(vote.start(), end, FIRM, result=result_of(vote["did"]), own_question=True)
    cue.counts = tally_in(lower, *vote.span("how"))
    if vote["behind"]:
        # ``the Board, by a 4-1 vote, approved``: what was approved follows.
        cue.at = vote.start("did")
    cue.unanimous = vote["how"] == "unanimous"
    cue.result_text = doc.printed(vote.start(), end)
    return cue


_COMMON_BEFORE_BODY = word_set("the city town county village school full and council board whole")


def _is_own_body(doc: DocumentText, before: str, begin: int) -> bool:
    """Whether the body that is said to have voted is named at the top of the document."""
    body = last_match(BODY, before, 0, len(before))
    if body is None or body[0] in ("all", "they", "we", "members", "court", "panel"):
        return True
    heading = doc.lower[: min(1500, line_start(doc.lower, begin + body.start()))]
    if len(heading.strip()) < 12:
        return True
    word = body[0].removesuffix("ers") if body[0].startswith("commission") else body[0]
    if word not in heading:
        return False
    named = re.search(r"(\w+)\s+" + body[0] + r"\s+(?:\w+\s+)?$", before)
    return named is None or named[1] in _COMMON_BEFORE_BODY or f"{named[1]} {word}" in heading


_ALL_FOR = Phrase(
    "all aye vote unanimous so_ordered motion none_opposed no_opposition",
    r"(?:all\s+(?:those\s+)?(?:members\s+|commissioners\s+|trustees\s+|directors\s+|councilm\w+\s+"
    r"|alder\w+\s+|supervisors\s+|selectmen\s+|councillors\s+|present\s+|were\s+|voted\s+|voting\s+"
    r"|five\s+|in\s+attendance\s+){0,4}(?:in\s+(?:the\s+)?(?:favou?r|affirmative)|ayes?\b"
    r"|[\"']ayes?\b|yes\b|yeas?\b|said\s+aye|approved|agreed|concurred"
    r"|for(?=\s{0,3}(?:[.;\n]|$)))"
    r"|ayes?\s+unanimous|ayes\s+have\s+it|ayes\s+all\b|so\s+ordered\b"
    r"|ayes?\s+unan\w+"
    r"|vote\s+(?:(?:by\s+[^.;:]{3,160}?|of\s+the\s+[a-z]{4,12})\s+)?(?:was|is|being)\s+"
    r"(?:a\s+)?unanimous|vote[:\s]+unanimous"
    r"|unanimous\s+(?:voice\s+)?(?:vote|approval|ayes?)\b"
    r"|motion\s+(?:was\s+|is\s+)?unanimous\b|unanimous(?:ly)?(?=\s{0,3}(?:[.)\n]|$|\d{1,2}\.\s))"
    r"|none\s+opposed\b|no\s+opposition\b"
    r"|(?<=[,;.] )voted\s+in\s+the\s+affirmative\b)",
)
_WORD_BEFORE = pattern(r"[a-z]\s{1,3}$")


def all_in_favor(doc: DocumentText, everyone: re.Match[str]) -> OutcomeCue | None:
    """Read that all were in favor, or that nobody was against."""
    lower, start = doc.lower, everyone.start()
    if everyone[0] in ("unanimous", "unanimously") and _WORD_BEFORE.search(
        lower[max(0, start - 4) : start]
    ):
        return None
    begin = doc.sentence_start(start)
    if doc.is_talk(begin, start) or "?" in lower[everyone.end() : everyone.end() + 2]:
        return None
    end = min(doc.sentence_end(everyone.end()), everyone.end() + 100)
    cue = OutcomeCue(start, end, SOFT, result=PASSED)
    told = everyone[0].startswith(("so", "voted"))
    cue.unanimous = not told and not _EXCEPT.search(lower, begin, end)
    cue.result_text = doc.printed(start, end)
    cue.counts = tally_in(lower, start, end)
    return cue


_AGREEMENT = Phrase(
    "without_obj no_obj by_con by_gen by_unan by_com by_accl consensus",
    r"(?:without\s+objection|no\s+objections?(?!\s+(?:to|was|were)\b)|by\s+(?:general\s+|unanimous\s+)?consensus"
    r"|by\s+(?:unanimous|general|common)\s+consent|by\s+acclamation"
    r"|consensus\s+(?:of\s+(?:the\s+)?\w+\s+(?:\w+\s+)?)?(?:(?:was|is)\s+)?to\b)",
)
#: Who was elected by acclamation; the vote, if there was one, is told elsewhere.
_ELECTED = re.compile(r"\b(?:elected|appointed|nominated)\b")
#: It is moved: ``Motion by Smith to close nominations and elect her by acclamation``.
_TO_ACCLAIM = pattern(
    r"\b(?:motion|moved)\b[^;]{0,160}\bto\s[^;]{0,120}\b(?:accept|elect|appoint|nominate)\s[^;]{0,60}$"
)
_HEARD = re.compile(r"\b(?:hearing|being|with)\s+$")


def agreement(doc: DocumentText, agreed: re.Match[str]) -> OutcomeCue | None:
    """Read what was agreed without a vote."""
    begin = doc.sentence_start(agreed.start())
    before = doc.lower[begin : agreed.start()]
    if doc.is_talk(begin, agreed.start()) or _ELECTED.search(before):
        return None
    if agreed[0].endswith("acclamation") and _TO_ACCLAIM.search(before):
        return None
    if before.endswith("vote ") and doc.lower[agreed.end() : agreed.end() + 1] in (";", ":"):
        # ``Vote by acclamation; Ayes: Smith``: who voted how follows.
        return None
    end = min(doc.sentence_end(agreed.end()), agreed.end() + 200)
    cue = OutcomeCue(begin, end, FIRM, result=PASSED, vote_type="consensus", flags={"consensus"})
    if agreed[0].startswith("no") and not _HEARD.search(before):
        cue.strength = SOFT
    cue.result_text = doc.printed(begin, end)
    cue.own_question = cue.strength == FIRM
    return cue


_NOMINATIONS = Phrase(
    "no_other no_further was_duly was_elected was_appointed were_duly were_elected were_appointed",
    r"(?P<unopposed>(?:was|were)\s+(?:duly\s+)?(?:elected|appointed)\b[^.;]{0,60}?\bun-?opposed\b)|"
    r"no\s+(?:other|further)\s+nominations?\b[^.]{0,140}?(?:\b(?:mr|mrs|ms|dr|cllr)\.[^.]{0,60}?)?\b(?:was|were|be|is)\s+(?:duly\s+|declared\s+"
    r"|re-?){0,3}(?:elected|appointed)\b",
)


def elected(doc: DocumentText, nominations: re.Match[str]) -> OutcomeCue:
    """Read who was elected because nobody else was nominated."""
    end = doc.sentence_end(nominations.end(), 120)
    # Elected unopposed, but maybe by the voters: it counts only for a motion that is open.
    strength = SOFT if nominations["unopposed"] else FIRM
    cue = OutcomeCue(doc.sentence_start(nominations.start()), end, strength, result=PASSED)
    cue.at = nominations.start()
    cue.result_text = doc.printed(nominations.start(), end)
    return cue


_ADJOURNED = Phrase(
    "meeting_was meeting_is meeting_stood meeting_duly meeting_then meeting_adjourned",
    r"meeting\s+(?:was\s+|is\s+|stood\s+)?(?:duly\s+|then\s+)?adjourned\b",
)
_MOVED_TO_ADJOURN = pattern(r"\b(?:motion\w*|move[ds])\b[^.]{0,80}\badjourn.{0,160}$", re.S)


def meeting_adjourned(doc: DocumentText, adjourned: re.Match[str]) -> OutcomeCue | None:
    """Read that the meeting adjourned, if that was moved right before."""
    start = adjourned.start()
    if not _MOVED_TO_ADJOURN.search(doc.lower, max(0, start - 240), start):
        return None
    end = doc.sentence_end(adjourned.end(), 40)
    cue = OutcomeCue(start, end, SOFT, result=PASSED, flags={"result_implied"})
    cue.result_text = doc.printed(start, end)
    return cue


_SECOND = pattern(r"second(?=e[dr]\b|\b)")
_IF = re.compile(r"\b(?:if|unless|would|should)\b")


def no_second(doc: DocumentText, second: re.Match[str]) -> OutcomeCue | None:
    """Read that a motion died because nobody seconded it."""
    lower = doc.lower
    missing = _NO_SECOND.search(lower, max(0, second.start() - 40), second.end())
    seconded = lower.startswith("ed", second.end())
    if missing is None or (seconded and missing[0][:3] not in ("not", "lac", "wan")):
        return None
    begin = doc.sentence_start(missing.start())
    before = lower[begin : missing.start()]
    if _IF.search(before) or (missing[0][:3] == "not" and REPORTED.search(before)):
        # ``Smith said he did not second the motion of May 3``
        return None
    start = max(begin, missing.start() - 80)
    sentence = lower[begin : doc.sentence_end(missing.end(), 80)]
    strength = STRONG if "motion" in sentence else SOFT
    end = missing.end() + 2 * seconded
    cue = OutcomeCue(start, end, strength, result=DIED, flags={"no_second"}, at=missing.start())
    cue.result_text = doc.printed(start, end)
    return cue


_LETTERS = Phrase(
    "MC M.C. M/C MP AIF MSC MSP MUC",
    r"(?:MCU|M\.C\.U\.|M\.C\.(?!\w)|MC|M/C|MPU|MP|AIF|MSCU|MSPU|MUC)(?=[ .,;\n)]|$)",
)
_BREAK_BEFORE = pattern(r"(?:^|[.,;:)\n])\s{0,3}$")


def outcome_letters(doc: DocumentText, letters: re.Match[str]) -> OutcomeCue | None:
    """Read ``MCU`` (motion carried unanimously), ``MC`` and ``AIF`` (all in favor)."""
    start, printed = letters.start(), letters[0]
    if not _BREAK_BEFORE.search(doc.text[max(0, start - 4) : start]):
        return None
    if doc.is_at_another_meeting(start):
        return None
    unanimous = "U" in printed or printed == "AIF"
    return OutcomeCue(
        start, letters.end(), SOFT, result=PASSED, result_text=printed, unanimous=unanimous
    )


#: A tally that ends a sentence: ``M/S/C (Smith/Jones) to file the report, 5-0.``
_TALLY_BEHIND = pattern(r"[,;(]\s?(?P<tally>\d{1,2}-\d{1,2}(?:-\d{1,2})?)(?:\)|\)?\s{0,3}\.?$)")


def shorthand_outcome(doc: DocumentText, short: re.Match[str]) -> OutcomeCue | None:
    """Read the last letter of ``M/S/C``, which says that the motion carried."""
    read = shorthand_names(doc, short)
    if read is None or not read[2] or doc.is_at_another_meeting(short.start() + 1):
        return None
    mover, seconder, letters = read
    named = seconder or mover
    end = named.end if named else short.end()
    printed = doc.text[short.start() : short.end("sign")]
    result = FAILED if letters[0] in "fd" else PASSED
    cue = OutcomeCue(short.start() + 1, end, FIRM, result=result, result_text=printed)
    cue.unanimous = "u" in letters
    if behind := _TALLY_BEHIND.search(doc.lower, end, doc.sentence_end(end)):
        cue.counts = tally_in(doc.lower, *behind.span("tally"))
    return cue


_PUT = Phrase(
    "on upon main original",
    r"(?P<label>(?:main|original)\s+motion(?:,?\s+as\s+amended)?\s{0,2}:)"
    r"|(?:up)?on\s+(?:(?:the|this|that|his|her)\s+)?(?:"
    r"(?P<main>(?:adoption\s+of\s+the\s+)?(?:main|original|primary|underlying)\s+(?:motion|question"
    r"|resolution|ordinance)(?:,?\s+as\s+amended)?|(?:[\w.\-]{1,20}\s+){1,4}as\s+amended)"
    r"|(?P<amendment>(?:proposed\s+|first\s+|second\s+)?(?:motion\s+to\s+amend|amendment))"
    r"|(?P<other>(?:adoption\s+of\s+|approval\s+of\s+)?(?:the\s+)?(?:ordinance|resolution|bill"
    r"|by-?law|item|motion|order|application|petition|question|matter)\b[^:.;\n]{0,60}:)"
    r")(?![\w])",
)
_ANNOUNCED = pattern(
    r"(?:^|\b(?:vote|votes|voted|voting|call|called|question|taken|held|roll|then)\b)"
    r"[\s,:\-]{0,4}(?:(?:was|is|being|then|next|again)\s+)?$"
)


def question(doc: DocumentText, put: re.Match[str]) -> QuestionCue | None:
    """Read which question a vote is announced on."""
    if put["label"]:
        alone = indent_start(doc.text, put.start(), 60) is not None
        return QuestionCue(put.start(), put.end(), about=MAIN) if alone else None
    begin = doc.sentence_start(put.start(), 100)
    before = doc.lower[begin : put.start()]
    if not _ANNOUNCED.search(before) or (put["other"] and not before.strip()):
        return None
    about = MAIN if put["main"] else AMENDMENT if put["amendment"] else OTHER
    return QuestionCue(begin, put.end(), about=about, at=put.start())


RULES = (
    Rule(
        _VERB,
        outcome_verb,
        (
            "The motion carried.",
            "Carried.",
            "The motion failed for lack of a majority.",
            "The ordinance passed 5-0.",
            "Commissioner Smith withdrew his motion.",
            "The Board unanimously approved the minutes.",
            "It was resolved that the fee be set.",
            "The minutes were adopted on the proposal of Cllr Smith.",
        ),
    ),
    Rule(
        _RESULT_LABEL,
        labelled_result,
        (
            "RESULT: PASSED [14 TO 1]",
            "Vote: 5-0",
            "Status: 7-0-0 - Pass",
            "Disposition      Carried",
        ),
    ),
    Rule(_VOTE_WAS, vote_was, ("The vote was 4-0 in favor.", "Vote 4-0.", "Motion 3-1.")),
    Rule(
        _VOTED,
        voted,
        (
            "The Board voted 5-0 to close the road.",
            "So voted.",
            "VOTED: unanimously to adjourn.",
            "Voted 3-0 in favor.",
            "Voted unanimously.",
        ),
    ),
    Rule(
        _BY_VOTE,
        by_vote,
        (
            "By a 4-0 vote the Board authorized the settlement.",
            "On motion of Smith the Board, by a 4-1 vote, approved the lease.",
        ),
    ),
    Rule(
        _ALL_FOR,
        all_in_favor,
        ("All in favor.", "So ordered.", "None opposed.", "Seconded, voted in the affirmative."),
    ),
    Rule(
        _AGREEMENT,
        agreement,
        ("Without objection the meeting adjourned.", "By consensus the item was moved."),
    ),
    Rule(
        _NOMINATIONS,
        elected,
        (
            "There being no other nominations, Mr. Smith was elected as Chairman.",
            "Cllr Smith was elected to the position of Chairman unopposed.",
        ),
    ),
    Rule(
        _ADJOURNED,
        meeting_adjourned,
        ("Smith moved to adjourn, seconded by Jones. The meeting adjourned at 8 p.m.",),
    ),
    Rule(_SECOND, no_second, ("The motion died for lack of a second.", "It was not seconded.")),
    Rule(
        _LETTERS, outcome_letters, ("Smith/Jones. MCU.", "AIF", "Ayes-all. M.C."), as_printed=True
    ),
    Rule(SHORTHAND, shorthand_outcome, ("MSC Smith/Jones", "M/S/C")),
    Rule(
        _PUT,
        question,
        (
            "Roll call vote on the amendment:",
            "Vote on the main motion",
            "Vote on Ordinance 6:",
            "Main motion: 6 yes, 1 no",
        ),
    ),
)
