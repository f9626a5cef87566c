"""Which kind of document it is: rules for headings and for how the text begins.

A rule adds its weight to a kind.  Headings are lines of the title block; a heading that names a
kind nearly decides alone, but an agenda may begin without the word, and minutes may be headed with
nothing but the name of the board.  The tables below have an example for each rule, and the tests
check them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from .facts import (
    AGENDA,
    KINDS,
    MINUTES,
    NOTICE,
    OTHER,
    PACKET,
    PAGE,
    REPORT,
    RESOLUTION,
    UNKNOWN,
    Fact,
)
from .text import LONGEST_HEADING, Line, Words, is_headline, subject_lines


class KindRule(NamedTuple):
    """A pattern, the kind it speaks for, how strongly, and examples of what it matches.

    Whatever it matches contains one of the ``needs`` in lower case, and in a heading a word begins
    with it: to look for these first makes the rules five times as fast.
    """

    kind: str
    weight: float
    words: Words
    examples: tuple[str, ...]
    needs: tuple[str, ...]


def _rule(kind: str, weight: float, words: str, *examples: str, needs: str) -> KindRule:
    return KindRule(kind, weight, Words(words), examples, tuple(needs.split()))


#: Before a word for a kind: then the line names something else.
_NOT_ITSELF = Words(
    r"^minutes ?:|\brequested ?:|\b(?:approv(?:al|e|ing)|adopt(?:ion|ing)?(?: of)?|accept(?:ance"
    r"|ing)?|confirm(?:ation|ing)?|ratif\w*|previous|reading of|review of"
    r"|correction\w*(?: to)?) (?:\S+ ){0,6}(?:minutes|agenda)\b|(?<![/.-])\b[0-9]{1,3} minutes?\b"
    r"|\bminutes? (?:per|each|to speak)\b|\bagenda (?:items?|number|no\b|section|item|date|#)"
    r"|\bagenda ?: ?[0-9]|\bminutes? (?:taker|secretary|clerk|order)\b|\bminutes (?:prepared|taken"
    r"|recorded|submitted) by|\b(?:copy|copies) of (?:the |this )?(?:agenda|minutes)|\b(?:view"
    r"|download|see) (?:the )?(?:agenda|minutes)\b|\bposting (?:of )?(?:the )?agenda|\bon (?:the"
    r"|this) agenda\b|\bagenda (?:is|was|may|will)\b|\bminutes (?:are|were|was|will)\b"
)

#: "Budget Committee Meeting" is no budget; rules of less weight than this may be in such names.
_OF_BODIES_TOO: Final = 6
_BODY_OR_MEETING = Words(
    r"\b(?:budget|audit|study|assessment|policy|planning|finance|calendar|survey|permits?"
    r"|contracts?|personnel|staffing|application|report\w*|evaluation)\b(?: (?:and"
    r"|&) \w+)?(?: (?!to\b|of\b|for\b|from\b)\w+)? (?:committee|board|commission|meeting|session"
    r"|hearing|workshop|council|subcommittee|work)\b"
)

#: What a body is asked to do: an item of an agenda, no title.
_ORDER = Words(
    r"^(?:receive|approve|adopt|authori[sz]e|award|accept|introduce|conduct|discuss(?:ion)?|direct"
    r"|consider"
    r"|recommendation|request to|motion to)\b"
)

#: Lines of the title block, from the strongest.
HEADINGS: Final = (
    _rule(
        AGENDA,
        7,
        r"^(?:(?:regular|special|meeting|council|board) )*agenda (?:and|&|with) (?!minutes\b)\w",
        "AGENDA AND ADMINISTRATIVE STAFF MEMORANDUM",
        "Council Agenda with Staff Reports",
        needs="agenda",
    ),
    _rule(
        MINUTES,
        9,
        r"^(?:draft )?report of (?:the |an? )?(?:\S+ ){0,4}meeting (?:of (?:\S+ ){1,6})?held\b",
        "Report of the meeting held on Tuesday, 8 November 2022",
        needs="report draft",
    ),
    _rule(
        REPORT,
        9,
        r"\bagenda (?:report|statement|bill|memo\w*|letter|transmittal|summary report"
        r"|item (?:report|summary|memo\w*|form|cover)|request)\b|\b(?:request for|council"
        r"|commission) (?:\w+ )?(?:action|communication)(?: (?:form|request|report))?$|\b(?:staff"
        r"|council|administrative|officer'?s?|information|recommendation|board) (?:report"
        r"|memo\w*)\b|^(?:council |board |committee )?report to (?:the )?(?:city "
        r"|town )?(?:council|board|committee)|\b(?:weekly|monthly|quarterly"
        r"|annual) (?:\S+ ){0,4}report$|\breport (?:of|from|by) the \w+|\b(?:staff|staffing"
        r"|personnel) (?:agenda|recommendations?|actions?|items)\b",
        "City Council Agenda Report",
        "CITY COUNCIL STAFF REPORT",
        "Report to Council",
        "AGENDA ITEM SUMMARY",
        "Support Staff Agenda 3/14/2021",
        "REQUEST FOR BOARD ACTION",
        "Board Agenda Letter",
        "COUNCIL COMMUNICATION",
        "Monthly Building Permit Report",
        needs="report memo agenda staff personnel request council commission",
    ),
    _rule(
        PACKET,
        8,
        r"\b(?:agenda|meeting|council|board|committee|resolution) (?:package|packet|pack)\b"
        r"|\bdocument pack\b|\bpublic reports pack\b|\bagenda reports pack\b",
        "Agenda Package",
        "CITY COUNCIL MEETING PACKET",
        "Public Document Pack",
        needs="pack",
    ),
    _rule(
        RESOLUTION,
        8,
        r"^(?:certified )?extracts? (?:of|from) (?:the )?(?:\w+ ){0,2}minutes\b",
        "EXTRACT OF MINUTES OF MEETING",
        needs="extract certified",
    ),
    _rule(
        MINUTES,
        8,
        r"\bminutes\b|\bmintues\b|\bproc[eè]s[- ]verba(?:l|ux)\b|\bcompte[- ]rendu\b"
        r"|\b(?:sitzungs)?niederschrift\b|\bprotokoll\b|^acta\b|\bacta de\b|\bbesluitenlijst\b"
        r"|^notulen\b|^verslag van\b|\b(?:record|journal|summary) of (?:the )?(?:\S+ "
        r"){0,5}(?:proceedings|meeting|action\w*|decisions)|\baction summary\b"
        r"|\bproceedings of the\b|^(?:official )?proceedings$|\bmeeting notes\b|\bcofnodion\b"
        r"|^notes of (?:the |an? )?(?:\S+ ){0,4}meeting\b",
        "MINUTES",
        "Minutes of the Regular Meeting of the Town Board",
        "PROCÈS-VERBAL",
        "Niederschrift",
        "RECORD OF PROCEEDINGS",
        "OFFICIAL PROCEEDINGS",
        "ACTION SUMMARY",
        "Notes of the meeting held on 4 March 2024",
        needs="minut mintu verba niederschrift sitzungsniederschrift protokoll acta record journal "
        "summary proceeding notes cofnod compte besluitenlijst notulen verslag",
    ),
    _rule(
        AGENDA,
        7,
        r"\bagendas?\b|^calendar (?:for|of) (?:the )?(?:(?:regular|special) )?(?:meeting|session"
        r"|(?:mon|tues|wednes|thurs|fri)day)\b|\bordre du jour\b|\btagesordnung\b"
        r"|\border? ?n? del d[ií]a\b|^order of business\b|^(?:meeting )?docket\b|\border paper\b",
        "*** AGENDA ***".strip("* "),
        "NOTICE OF MEETING AND AGENDA",
        "Tagesordnung",
        "ORDRE DU JOUR",
        "ORDER OF BUSINESS",
        "CALENDAR FOR MONDAY, MARCH 4, 2024",
        needs="agenda ordre orde tagesordnung docket calendar",
    ),
    _rule(
        RESOLUTION,
        7,
        r"^(?:(?:city |town |township |village |county |board |council |draft |joint "
        r"|proposed )*)(?:resolution|ordinance|by-?law|local law|bill|council bill)(?: (?:no"
        r"|number|num|nr|#)\b\.?| ?#| r?[0-9]|$)|^(?:a |an )(?:resolution|ordinance|by-?law)\b"
        r"|\bresolution$|^(?:resolution|ordinance|by-?law)s? of the\b|^(?:the )?(?:resolution"
        r"|by-?law) (?:no|number)\b|\bbeing a by-?law\b|^(?:ordinance|resolution) ?[#:]"
        r"|^\w*satzung (?:über|zur|der)\b|^verordnung über\b",
        "RESOLUTION NO. 2024-15",
        "BY-LAW NUMBER 2019-31",
        "TOWNSHIP OF MILLBROOK RESOLUTION",
        "AN ORDINANCE AMENDING CHAPTER 12",
        "Resolution Number 2019-114",
        needs="resolution ordinance law laws bylaw bill satzung verordnung",
    ),
    _rule(
        MINUTES,
        2,
        r"^(?:approved|accepted|confirmed)(?: (?:as (?:amended|corrected|written|presented)|on))*"
        r" ?:? ?(?:(?:jan|feb|mar|apr|may|june|july|aug|sep|oct|nov|dec)[a-z]{0,7}\.? [0-9]"
        r"|[0-9]{1,2}[/-][0-9])",
        "APPROVED: OCTOBER 21, 2014",
        "Approved as amended 3/17/15",
        needs="approved accepted confirmed",
    ),
    _rule(
        NOTICE,
        5,
        r"\bnotice (?:and call )?of (?:\S+ ){0,6}(?:meetings?|hearings?|sessions?|workshops?)\b"
        r"|\b(?:meeting|hearing|public|special) notice\b|\bnotice is hereby given\b"
        r"|\bmeeting notice\b|\b(?:schedule of|dates of) (?:\S+ ){0,4}meetings?\b"
        r"|\bmeeting (?:schedule|dates|calendar)\b|\b(?:cancel+ation|cancel+ed"
        r"|rescheduled) (?:notice|meeting)\b|\bnotice of (?:cancel+ation"
        r"|adjournment|continuance|postponement|(?:possible |potential )?quorum)\b"
        r"|\b(?:annual |special )?town (?:meeting )?warrant$|^(?:public "
        r"|legal |official )?notice$|[-–:] (?:public|legal) notice$|^notice ?:|^warning$"
        r"|^warning (?:for|of) (?:the )?(?:\S+ ){0,4}meeting\b|\bwarrant for (?:the )?(?:\S+ "
        r"){0,3}town meeting\b|\bmeetings? (?:\S+ ){0,4}(?:is |has been |is hereby )?cancel+ed\b"
        r"|\bcancel+ation of\b|^avis (?:public|de convocation|d['’]assemblée)\b"
        r"|\b(?:öffentliche )?bekanntmachung$",
        "NOTICE OF SPECIAL MEETING",
        "2025 Meeting Schedule",
        "NOTICE IS HEREBY GIVEN",
        "CANCELLATION NOTICE",
        "2024 TOWN WARRANT",
        "WARRANT FOR THE ANNUAL TOWN MEETING",
        "WARNING",
        needs="notice schedule rescheduled dates calendar cancel warrant warning avis "
        "bekanntmachung",
    ),
    _rule(
        OTHER,
        7,
        r"\b(?:news|press|media) release\b|^(?:list of )?correspond ?ence\b|\bcorrespond ?ence$"
        r"|\b(?:voting|election|ballot) results\b|\bresults of (?:the )?(?:\S+ ){0,3}(?:vote"
        r"|election)\b|\bproclamation\b|\bnewsletter\b|\bnotice of intent\b"
        r"|\brequest for (?:proposals?|quotations?|bids?)\b|\binvitation to (?:bid|tender)\b"
        r"|\brequest form\b|\bmemorandum of (?:understanding|agreement)\b"
        r"|\bpublic notice of (?:sale|tender)\b|\bletter of\b|\bfor immediate release\b",
        "NEWS RELEASE",
        "CORRESPONDENCE",
        "VOTING RESULTS OF THE TOWN MEETING",
        "NOTICE OF INTENT TO DISCHARGE",
        needs="release correspond results proclamation newsletter intent request memorandum "
        "invitation sale tender letter",
    ),
    _rule(
        OTHER,
        4,
        r"\b(?:agreement|contract|lease|policy|policies|handbook|application|permit|certificate"
        r"|invoice|receipt|(?<!consent\s)calendar|brochure|questionnaire|survey|map|procedures?"
        r"|guidelines?|code of conduct|job description|comments regarding|petition|easement|deed"
        r"|affidavit|warranty|sign-?in sheet)\b",
        "LEASE AGREEMENT",
        "School Calendar 2020-2021",
        "Purchasing Policy",
        needs="agreement contract lease polic handbook application permit certificate "
        "invoice receipt calendar brochure questionnaire survey map procedure "
        "guideline conduct description comments petition easement deed affidavit "
        "warranty sign",
    ),
    _rule(
        REPORT,
        5,
        r"\breports?\b|\btabulation\b|\bmemorandum\b|^memo\b|\bbudgets?\b"
        r"|\bfinancial (?:summary|position|update)\b"
        r"|\bfinancial statements?\b|\bcash balances?\b|\bforecast\b|\bstatus update\b"
        r"|\bbank reconciliation\b|\baccounts payable\b|\b(?:check|cheque|warrant|voucher|claims?"
        r"|payments?|disbursements?) (?:register|list\w*|report)\b|\blist of (?:bills|claims"
        r"|payments|warrants|accounts|cheques|checks)\b|\b(?:payments|accounts|invoices"
        r"|bills) (?:for (?:approval|payment)|to be paid)\b|\bbreakdown\b|\bspreadsheet\b"
        r"|\bstaffing\b|\bpayroll\b|\bpersonnel (?:list|actions?|recommendations?)\b|\bstudy\b"
        r"|\bassessment\b|\binspection\b|\bevaluation\b|\banalysis\b|\baudit(?:ed)?\b"
        r"|(?<!vital\s)\bstatistics\b|\b(?:statement|schedule) of (?:revenues?|expend\w+|accounts"
        r"|cash|operations|payments|receipts)\b|\bcost estimate\b|\bbalance sheet\b"
        r"|\bincome statement\b|\bbills (?:payable|list)\b|\bfindings\b|\bexecutive summary\b"
        r"|\bmaster plan\b|\bstrategic plan\b|\bcapital (?:plan|improvement)\b",
        "MEMORANDUM",
        "Cash Balances, All Funds",
        "CAPITAL BUDGET",
        "Summer Staffing",
        "Treasurer's Report",
        needs="report financial tabulation memo budget statement balance forecast update "
        "reconciliation payable register list bills check cheque warrant voucher claim payment "
        "disbursement breakdown accounts invoices "
        "spreadsheet staffing payroll personnel study assessment inspection evaluation analysis "
        "audit statistics schedule estimate findings summary plan improvement",
    ),
)

_WORD_START = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,4}")
#: Which headings may have a word that begins with these letters.
_HEADINGS_BY_START: Final = {
    start: [n for n, rule in enumerate(HEADINGS) if start in {need[:4] for need in rule.needs}]
    for start in {need[:4] for rule in HEADINGS for need in rule.needs}
}

#: A contract is no letter.
_CONTRACT: Final = _rule(
    OTHER,
    4,
    r"^this (?:\w+ ){0,3}(?:agreement|lease|contract|indenture|deed)\b[^.]{0,30}"
    r"\b(?:is|was|made|entered|between)\b",
    "THIS AGREEMENT is made and entered into this 10th day of April, 2019",
    needs="this",
)
#: How the text begins; each counts once.
OPENINGS: Final = (
    _CONTRACT,
    _rule(
        MINUTES,
        3,
        r"\b(?:council|board|commission|committee) took (?:the )?following actions?\b|\bcall(?:ed"
        r"|s) (?:\S+ ){0,16}to order\b|\bcame to order\b|\bmeeting (?:was "
        r"|is )?(?:duly )?(?:convened|opened|commenced|began|started|held) |\bconvened (?:at|in"
        r"|the|on|a|for|its|into)\b|\bmet (?:in|on|at|for|via|virtually|by|to consider)\b"
        r"|\bwas (?:duly )?(?:held|convened|opened) (?:on|at|in|by|via|this)\b"
        r"|\bopened the meeting\b|^be it remembered\b|\bwelcomed\b|\btrat zusammen\b"
        r"|\best ouverte\b",
        "The meeting was called to order by Supervisor Hale at 7:00 PM.",
        "Mayor Hale called the regular meeting of the council to order",
        "A regular meeting of the Council was held on Tuesday",
        "The Board of Education met in regular session",
        "BE IT REMEMBERED that on the 14th day of April",
        needs="took remembered order meeting convened met was welcomed trat ouverte",
    ),
    _rule(
        MINUTES,
        2,
        r"^(?:\w+ ){0,3}(?:present|in attendance|attending|attendees|absent|apologies|regrets"
        r"|attendance(?= ?:)|excused|also present|aanwezig|afwezig|anwesend|présents?"
        r"|presentes?)\b ?(?::|-|–|were|was|$)|\b(?:was|were) (?:also )?(?:present|absent)\b"
        r"|(?<=[a-z]\.) (?:members )?(?:present|absent) ?:|^roll call ?:? (?:.{0,40}(?:[-–,] ?"
        r"|\bwas ))?(?:present|here|absent)\b",
        "Present: Mayor Hale and Councillors Brandt and Orr",
        "Call to order 7:00 pm by Supervisor Hale. Present: Orr, Brandt",
        "Members Present:",
        "Trustee Orr was absent.",
        needs="present attend absent apologies regrets excused anwesend présent aanwezig afwezig "
        "roll",
    ),
    _rule(
        MINUTES,
        2,
        r"\bseconded by \w|\bmotion (?:was )?(?:carried|passed|made|approved|by \w)|\bmoved (?:to"
        r"|that|and seconded)\b|\bmade (?:a|the) motion\b|^[\w. ]{2,30} seconded\b"
        r"|\ball (?:were )?in favou?r\b|\bcarried unanimously\b|\bit was (?:resolved|agreed|noted"
        r"|reported)\b|\bthe (?:council|board|committee|commission) (?:approved|voted|agreed"
        r"|reviewed|discussed)\b|\broll call (?:was taken|vote)\b|^(?:ayes|yeas|aye|voted) ?:"
        r"|\bmotion carried\b",
        "Motion by Orr, seconded by Brandt, to approve the minutes",
        "All were in favor.",
        "It was resolved that the accounts be paid.",
        needs="second motion moved favor favour carried resolved agreed noted reported "
        "approved voted reviewed discussed roll aye yea",
    ),
    _rule(
        MINUTES,
        2,
        r"\b(?:meeting|session) (?:was )?(?:adjourned|closed|ended|concluded)\b"
        r"|\badjourned (?:at|the meeting)\b",
        "The meeting adjourned at 9:14 p.m.",
        needs="adjourned closed ended concluded",
    ),
    _rule(
        AGENDA,
        2,
        r"^(?:[0-9]{1,2}:[0-9]{2}(?: ?[ap]\.?m\.?)? )?(?:[0-9IVXA-Z]{1,4}(?:\.[0-9]{1,2})?[.)]? "
        r")?(?:call (?:the )?(?:meeting )?to order|roll call|(?:invocation (?:and"
        r"|&) )?pledge(?: of allegiance(?: to the flag)?)?|adjourn(?:ment)?|election of officers"
        r"|invocation|opening (?:remarks|prayer)|moment of silence)(?: ?[:.–-].{0,25})?$",
        "CALL TO ORDER:",
        "1. Roll Call",
        "10:00 A.M. Call to Order",
        "ADJOURNMENT",
        needs="order roll pledge adjourn election invocation opening moment",
    ),
    _rule(
        AGENDA,
        2,
        r"^(?:[0-9IVXA-Z]{1,4}[.)]? )?(?:to (?:receive|approve|consider|note|agree|confirm|discuss"
        r"|resolve|review)\b|apologies(?: for absence)? ?[:.]?$|declarations? of interests?\b"
        r"|disclosure of (?:pecuniary )?interest\b|public (?:comment|participation|input|forum"
        r"|question time)s?(?: period)? ?[:.]?$|(?:old|new|unfinished|other"
        r"|any other) business ?[:.]?$|consent (?:agenda|calendar) ?[:.]?$"
        r"|approval of (?:the )?(?:minutes|agenda) ?[:.]?$)",
        "To receive apologies for absence",
        "Declarations of Interest",
        "NEW BUSINESS:",
        needs="to apologies declaration disclosure public business consent approval",
    ),
    _rule(
        AGENDA,
        4,
        r"\b(?:hereby )?summoned to attend\b|\byou are (?:hereby )?(?:invited|summoned) to\b"
        r"|\bfollowing (?:(?:items? of )?business|subjects|matters|topics)\b"
        r"|\bfor the purpose of transacting\b|\bmembers of the public are (?:welcome|invited"
        r"|entitled)\b|\bthe agenda is\b|\bpublic comment will be\b|\bspeaker (?:card|slip)s?\b",
        "You are hereby summoned to attend a meeting of the Parish Council",
        needs="summoned invited following transacting public agenda speaker",
    ),
    _rule(
        AGENDA,
        4,
        r"^(?:(?:open |public |meeting )?agenda|tagesordnung|ordre du jour|orden del día"
        r"|list of topics|order of business) ?:?$",
        "AGENDA",
        needs="agenda ordnung ordre orden topics order",
    ),
    _rule(
        OTHER,
        6,
        r"^sent ?: |^from ?: .{0,60}@",
        "Sent: Monday, March 6, 2023 8:14 AM",
        needs="sent from",
    ),
    _rule(
        RESOLUTION,
        4,
        r"^(?:and )?whereas\b|\bbe it (?:further )?(?:resolved|ordained|enacted)\b"
        r"|\bnow,? therefore\b|\badopted this (?:order|resolution|ordinance)\b"
        r"|\bhereby (?:enacts|ordains)\b|\benacts as follows\b|\bordains as follows\b",
        "WHEREAS the Council acknowledges the challenges",
        "BE IT RESOLVED that the Council supports",
        needs="whereas resolved ordained enacted therefore enacts ordains adopted",
    ),
    _rule(
        RESOLUTION,
        7,
        r"\b(?:passed|adopted|approved|carried|supported|endorsed) the (?:following|attached"
        r"|enclosed|below) (?:motion|resolution)|\bfollowing (?:motion|resolution) (?:was "
        r"|which was |has been )?(?:duly )?(?:passed|adopted|carried|approved|supported)"
        r"|\bcertify that the (?:foregoing|above|attached|within)\b[^.]{0,40}"
        r"\b(?:resolution|ordinance)\b"
        r"|\b(?:attached|enclosed|following) resolution\b|\bcertified (?:true )?copy of (?:a "
        r")?resolution\b",
        "Please be advised of the following motion passed at the council meeting",
        "Council adopted the following resolution",
        needs="motion resolution ordinance",
    ),
    _rule(
        NOTICE,
        4,
        r"\bnotice is (?:hereby |also )?given\b|\bhereby gives? notice\b|\bplease take notice\b"
        r"|\bhereby (?:notified|warned)(?: and (?:notified|warned))? to (?:meet|assemble)\b"
        r"|\bavis (?:public )?est (?:par les présentes )?donné\b"
        r"|\bwill hold a (?:\S+ ){0,3}(?:public hearing|meeting)\b"
        r"|\bmeetings? (?:\S+ ){0,16}(?:has|have) been "
        r"(?:re-?scheduled|cancel+ed|postponed|moved)\b",
        "NOTICE IS HEREBY GIVEN that the Annual Town Meeting will take place",
        needs="notice hearing meeting hereby avis",
    ),
    _rule(
        OTHER,
        4,
        r"^dear (?:\w|mr|ms)|^to whom it may concern|^please be advised|\b(?:yours|sincerely"
        r"|best regards|kind regards|respectfully) ?(?:truly|faithfully|sincerely|yours)? ?,?$"
        r"|\bon behalf of the\b.{0,80}\bthank\b|\bthank(?:-| )?you for (?:your|the)\b",
        "Dear Mayor and Council,",
        "Yours truly,",
        needs="dear concern advised yours sincerely regards respectfully thank",
    ),
    _rule(
        REPORT,
        4,
        r"^(?:to|from|subject|prepared by|submitted by|presented by|reviewed by|recommendations?"
        r"|background|category|purpose|dept\.?|department|title|fiscal impact"
        r"|financial implications?|executive summary) ?(?:\(s\))? ?:|^(?:recommendations?"
        r"|background|fiscal impact|analysis|executive summary|discussion|staff recommendation)$",
        "FROM: Dana Orr, City Manager",
        "SUBJECT: Roof of the town hall",
        needs="to from subject prepared submitted presented reviewed recommendation "
        "background category purpose dept department title impact implication "
        "summary analysis discussion",
    ),
    _rule(
        REPORT,
        4,
        r"\bvouchers?,? (?:\w+ ){0,3}audited and certified\b|\b(?:vouchers|claims|bills|warrants"
        r"|payments) (?:are|is) (?:approved|presented|submitted) for payment\b",
        "The following vouchers, as audited and certified by the Auditing Officer",
        needs="voucher claims bills warrants payments",
    ),
    _rule(
        REPORT,
        3,
        r"^(?:table|figure|chart) [0-9A-Z]{1,2}(?:[-.][0-9]{1,2})?\b ?[:.–-]",
        "Table 6-1: Cost of the investigation",
        needs="table figure chart",
    ),
)

_MEETING_ALONE = Words(r"\b(?:meeting|session|workshop|hearing)$")
#: Numbered items that only a list of business has.
_LISTED = Words(
    r"[0-9IVXA-Z]{1,4}[.)] (?:call (?:the )?(?:meeting )?to order|roll call|pledge of allegiance"
    r"|adjourn(?:ment)?\b|invocation|apologies|approval of (?:the )?(?:minutes|agenda)"
    r"|public (?:comment|forum|participation)|(?:old|new|unfinished) business|consent agenda)"
)
_LISTED_ENOUGH: Final = 3
_MONEY = re.compile(r"[0-9$£](?:(?<=[$£]) ?[0-9]|(?<=[0-9])(?:,[0-9]{3}|\.[0-9]{2}(?![0-9])|%))")
#: A list of amounts is a report.
_AMOUNTS_SHARE: Final = 0.4
_AMOUNT_LINES: Final = 8
_FEWEST_WORDS: Final = 8
#: Lines of the text after the title block that are looked at.
_OPENING_LINES: Final = 30
#: A heading with this much weight names a report.
_NAMED_REPORT: Final = 7.0
#: A kind with less weight than this is a guess.
_ENOUGH: Final = 4.0


class KindReading(NamedTuple):
    """The kind of a document, and the heading that names it."""

    fact: Fact
    heading: Line | None
    is_letter: bool


def kind_of(block: Sequence[Line], lines: Sequence[Line]) -> KindReading:
    """Return the kind that a title block and the lines of the first page show."""
    weights: defaultdict[str, float] = defaultdict(float)
    shown: dict[str, tuple[float, Line]] = {}
    heading: Line | None = None
    about = subject_lines(block)
    for number, line in enumerate(block):
        found = heading_rule(line.text)
        # "Title:", and on the next line "Publication of the minutes".
        is_subject = number in about and (number - 1 in about or (found and found.kind == OTHER))
        if found and not is_subject:
            # What comes first says what the document is, later headings what it contains;
            # only a notice may be followed by the agenda that it announces.
            later = [kind for kind in shown if kind != NOTICE and shown[kind][0] >= 5]
            share = 0.3 if found.kind in shown else 0.5 if later else 1.0
            weight = max(found.weight * share - 0.15 * number, 1.0)
            weights[found.kind] += weight
            shown.setdefault(found.kind, (weight, line))
    if shown:
        heading = max(shown.values(), key=lambda each: each[0])[1]
    strong = [kind for kind, weight in weights.items() if weight >= _ENOUGH]
    is_letter = False
    if strong not in ([MINUTES], [AGENDA], [PACKET]):
        seen = openings(lines[: len(block) + _OPENING_LINES], len(block))
        for rule, line in seen.items():
            weights[rule.kind] += rule.weight
            shown.setdefault(rule.kind, (rule.weight, line))
        is_letter = any(rule.kind == OTHER and rule is not _CONTRACT for rule in seen)
        amounts = sum(_MONEY.search(line.text) is not None for line in lines)
        if amounts >= _AMOUNT_LINES and amounts >= _AMOUNTS_SHARE * len(lines):
            weights[REPORT] += 3.0
            shown.setdefault(REPORT, (3.0, lines[0]))
    if AGENDA in weights and NOTICE in weights:
        # A notice that lists the business is the agenda.
        listed = sum(
            bool(_LISTED.match(line.text)) for line in lines[: len(block) + _OPENING_LINES]
        )
        weights[AGENDA] += (1.0 if listed >= _LISTED_ENOUGH else 0.5) * weights[NOTICE]
    if not weights:
        words = sum(len(line.text.split()) for line in lines)
        if words < _FEWEST_WORDS:
            return KindReading(UNKNOWN, None, False)
        met = next((line for line in block if _MEETING_ALONE.search(line.text)), None)
        if met and any("agenda" in line.text.lower() for line in lines):
            # The cover of an agenda; minutes say who was there.
            return KindReading(Fact(AGENDA, PAGE, met.text, met.page, 0.45), met, False)
        nothing = Fact(OTHER, PAGE, lines[0].text, lines[0].page, 0.3)
        return KindReading(nothing, None, False)
    (kind, weight), *others = sorted(weights.items(), key=lambda each: -each[1])
    second = others[0][1] if others else 0.0
    confidence = 0.45 if weight < _ENOUGH else min(0.98, 0.6 + 0.38 * (weight - second) / weight)
    line = shown[kind][1]
    fact = Fact(kind, PAGE, line.text, line.page, round(confidence, 2))
    # A report to the council may end with "Respectfully".
    is_letter = is_letter and not (kind == REPORT and shown[kind][0] >= _NAMED_REPORT)
    return KindReading(fact, heading, is_letter)


def openings(
    lines: Sequence[Line], block_lines: int, kinds: Collection[str] = KINDS
) -> dict[KindRule, Line]:
    """Return the rules of some kinds that the text after the title block fits, each with its line.

    The labels of a report or an e-mail may be in the title block too, and so may the sentence that
    opens minutes, if it begins with the day.
    """
    small = [line.text.lower() for line in lines]
    whole = "\n".join(small)
    starts = [0, *accumulate(len(text) + 1 for text in small)]
    found: dict[KindRule, Line] = {}
    for rule in OPENINGS:
        if rule.kind not in kinds:
            continue
        first = 0 if rule.kind in (REPORT, OTHER, MINUTES) else block_lines
        # To look for a word in the whole text takes a tenth of the time of looking line by line.
        numbers: set[int] = set()
        for word in rule.needs:
            at = whole.find(word, starts[first])
            while at >= 0:
                number = bisect_right(starts, at) - 1
                numbers.add(number)
                at = whole.find(word, starts[number + 1])
        for number in sorted(numbers):
            line = lines[number]
            if rule.kind == MINUTES and number < block_lines and len(line.text) <= _FULL:
                continue
            # "EXECUTIVE SESSION CALLED TO ORDER" and "Approval of the minutes of the meeting held
            # on ..." are items of an agenda, no sentences of minutes; "MEMBERS ABSENT" is none.
            if rule.words.search(small[number]) and not (
                rule.kind == MINUTES
                and (
                    (line.text.isupper() and not line.text.startswith("MEMBERS "))
                    or is_item(small[number])
                )
            ):
                found[rule] = line
                break
    return found


#: A longer line is no heading.
_FULL: Final = 70


def is_item(line: str) -> bool:
    """Whether a line is about the minutes or the agenda, and no motion that was made."""
    return not _MADE.search(line) and bool(_NOT_ITSELF.search(line))


_MADE = Words(r"\b(?:motion by|moved by|seconded|second by|carried)\b")


@lru_cache(maxsize=1024)
def heading_rule(line: str) -> KindRule | None:
    """Return the rule of the kind that a heading names."""
    if len(line) > LONGEST_HEADING and not is_headline(line):
        return None
    small = line.lower()
    starts = _HEADINGS_BY_START.keys() & _WORD_START.findall(small)
    if not starts or _ORDER.match(small):
        return None
    for number in sorted({number for start in starts for number in _HEADINGS_BY_START[start]}):
        rule = HEADINGS[number]
        if rule.words.search(small):
            if rule.kind in (MINUTES, AGENDA) and _NOT_ITSELF.search(small):
                continue
            if rule.weight < _OF_BODIES_TOO and _BODY_OR_MEETING.search(small):
                continue
            return rule
    return None
