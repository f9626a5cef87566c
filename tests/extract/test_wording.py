"""The words of a motion are those that are printed, from its verb to its end."""

from __future__ import annotations

import pytest

from clerk.extract import extract_text

EXAMPLES = [
    # A label above the names.
    (
        "Motion: To close the hearing\nMoved by Ann Sax, seconded by Bo Marsh\nAction: Approved",
        "close the hearing",
    ),
    # Above the labels of the vote, which may come in any order.
    (
        "The bids were opened.\nAward the contract to Hall Brothers\nRESULT: APPROVED [4 TO 0]\n"
        "MOVER: Ann Sax, Vice Chair\nSECONDER: Bo Marsh, Member\nAYES: Sax, Marsh, Orr, Lee",
        "Award the contract to Hall Brothers",
    ),
    (
        "4. Sell the old truck\nMOVER: Ann Sax, Vice Chair\nSECONDER: Bo Marsh, Member\n"
        "RESULT: APPROVED [4 TO 0]",
        "Sell the old truck",
    ),
    (
        "CONSENT AGENDA\nRESULT: ADOPTED [4 TO 0]\nMOVER: Ann Sax\nSECONDER: Bo Marsh\n"
        "AYES: Sax, Marsh, Orr, Lee",
        "CONSENT AGENDA",
    ),
    (
        "4. Approve the budget\nRESULT:\nMOVER:\nSECONDER:\nAYES:\n\nAPPROVED [4 TO 0]\n"
        "Ann Sax, Vice Chair\nBo Marsh, Member\nSax, Marsh, Orr, Lee",
        "Approve the budget",
    ),
    # Below the number of the resolution.
    (
        "The meeting was called to order at 9 a.m.\nResolution #CM2017.1001\n\n"
        "to approve the minutes of March 14 as corrected:\n\n"
        "The Deputy Reeve called the meeting to order.\n\nCarried",
        "approve the minutes of March 14 as corrected",
    ),
    # Behind the mover, with a semicolon in the middle.
    (
        "R2031-07 D. Yew, S. Kirk: That the accounts dated: May 4 and 5; totaling $180, be"
        " approved. "
        "Carried.",
        "the accounts dated: May 4 and 5; totaling $180, be approved",
    ),
    (
        "Mr. Ito moved approval of the minutes as corrected. Mrs. Jett seconded. Passed.",
        "approval of the minutes as corrected",
    ),
    (
        "Cllr Ito proposed that Cllr Orr be replaced by Cllr Lee, seconded by Cllr Jett."
        " Agreed by all.",
        "Cllr Orr be replaced by Cllr Lee",
    ),
    (
        "It was moved by Mr. Ito and seconded to excuse the chair. Motion carried.",
        "excuse the chair",
    ),
    # Behind the names, with the outcome before them.
    (
        "RESOLVED on the proposition of Cllr Ito, seconded by Cllr Jett, that the minutes be"
        " signed.",
        "the minutes be signed",
    ),
    # All parts of a motion that has several.
    (
        "Moved: Cr Ito\nSeconded: Cr Jett\n1. That the report be received.\n"
        "2. That the land be sold.\nCARRIED 4/3",
        "the report be received. 2. That the land be sold",
    ),
    (
        "Mr. Ito moved to approve the consent agenda including the following:\n\nClaims\n\n"
        "Minutes: March 24\n\nPer diems\n\nAdopted unanimously",
        "approve the consent agenda including the following: Claims Minutes: March 24 Per diems",
    ),
    (
        "Moved (Ann Ito/Bo Jett): that the Board\n\na)     Adopts the first plan.\n\n"
        "Motion carried",
        "the Board a) Adopts the first plan",
    ),
    (
        "Motion: To approve the budget. Made by Mr. Ito, seconded by Mrs. Jett. All voted in the"
        " affirmative.",
        "approve the budget",
    ),
    # What the body did, below the lists.
    (
        "Upon motion of Mr. Carr, seconded by Dr. Dane, and approved by the following vote:\n\n"
        "AYE: BOLL, CARR, DANE\nNAY: EPPS\n\nthe Board awarded the contract to Goode Hauling.",
        "the Board awarded the contract to Goode Hauling",
    ),
    # Behind the seconder, also in a paragraph of its own.
    (
        "Resolved (Cr Ann Ito / Cr Bo Jett)\n\nThat the minutes be confirmed.\n\nCarried",
        "the minutes be confirmed",
    ),
    (
        "Moved by Cr Ito (Town), seconded by Cr Jett (Rural), that the report be noted. CARRIED",
        "the report be noted",
    ),
    (
        "Moved by Ito, seconded by Jett, the Resolution be adopted. Carried, all voting aye.",
        "the Resolution be adopted",
    ),
    # Behind the outcome.
    (
        "On a motion by Ito, seconded by Jett, the Board voted 4-1, with Orr voting"
        " against, to hire a "
        "clerk.",
        "hire a clerk",
    ),
    (
        "A motion was made by Ito, seconded by Jett and voted unanimously to open the beach.",
        "open the beach",
    ),
    (
        "ON MOTION by Mr. Ito, SECONDED by Mr. Jett, by a 4-1 vote (Mr. Orr opposed), the"
        " Motion to add "
        "Item 14 FAILED.",
        "add Item 14",
    ),
    (
        "RESOLVED: (Unanimously)\n\nThat the minutes be approved as a correct record.",
        "the minutes be approved as a correct record",
    ),
    (
        "Upon motion of Director Ito, seconded by Director Jett, the Board approved the contract"
        " with Orr Pumps by the following vote:\nAYES: Ito, Jett\nNOES: None",
        "approved the contract with Orr Pumps",
    ),
    (
        "Il est propos\u00e9 par la conseill\u00e8re Marie Roy, appuy\u00e9 par le conseiller Paul"
        " Leduc et r\u00e9solu d'adopter l'ordre du jour.\nADOPT\u00c9E",
        "adopter l'ordre du jour",
    ),
    (
        "RESOLUTION ADOPTING THE RULES\nupon motion of Hon. Ann Ito duly seconded by Hon. Bo Jett,"
        " Hon. Cy Orr, and Hon. Di Lee, be it;\n\nRESOLVED, as it is hereby resolved to amend the"
        " rules.",
        "amend the rules",
    ),
    (
        "Minutes of 19 April RESOLUTION: That the minutes be confirmed. MOVED: Cr Ito SECONDED: Cr"
        " Jett CARRIED",
        "the minutes be confirmed",
    ),
    ("Motion to Adjourn Ito, Jett Seconds; Motion unanimous", "Adjourn"),
    # Before the outcome.
    ("The agenda was accepted after motion by Ito.", "The agenda was accepted"),
    # After the reasons.
    (
        "R2031-08 D. Yew, S. Kirk:\nWHEREAS Council has a request for a refund;\nNOW"
        " THEREFORE Council "
        "approves the refund. Carried.",
        "Council approves the refund",
    ),
    (
        "R2031-09 D. Yew, S. Kirk: BE IT RESOLVED:\n\n1. That this Council does approve"
        " the sale.\n\n"
        "Carried.",
        "this Council does approve the sale",
    ),
    # The line above asks for it, or the heading says what it is about.
    (
        "(ii) To approve expenditure as itemised.\nProposed by Cllr Ito seconded by Cllr Jett and "
        "unanimously approved.",
        "approve expenditure as itemised",
    ),
    (
        "Adoption of Annual Accounts\n\nCllr Ito proposed acceptance seconded by Cllr"
        " Jett. Agreed.",
        "acceptance (Adoption of Annual Accounts)",
    ),
    # A word with hyphens at the end of a line, and one that was broken there.
    (
        "R2031-10 D. Yew, S. Kirk: That the end-\nof-life care and the re-\nport be funded."
        " Carried.",
        "the end-of-life care and the report be funded",
    ),
    # Who offers what is funded moves nothing.
    (
        "Present: Dan Yew, Sue Kirk, Al Moss, Bea Orr.\n"
        "R2031-11 D. Yew, S. Kirk: That Council funds the lunches offered by the East Ashby "
        "Community\nSupport Services.\nCarried.",
        "Council funds the lunches offered by the East Ashby Community Support Services",
    ),
    # A heading without a full stop is none of its words.
    (
        "Adjournment\nThe meeting adjourned at 9 p.m. on motion of Mr. Ito, seconded by Ms. Jett,"
        " all voting aye.",
        "The meeting adjourned at 9 p.m.",
    ),
    # Line numbers and running headers are not part of it.
    (
        "Ito moved, seconded by Jett, to approve the 1\nminutes of the May 2\nmeeting with the 3\n"
        "changes that Mr. 4\nOrr sent. 5\nMotion carried. 6",
        "approve the minutes of the May meeting with the changes that Mr. Orr sent",
    ),
]


@pytest.mark.parametrize(("excerpt", "words"), EXAMPLES, ids=[words for _, words in EXAMPLES])
def test_a_motion_is_published_in_its_own_words(excerpt: str, words: str) -> None:
    (vote,) = extract_text([excerpt], is_minutes=True).votes

    assert vote.motion == words


@pytest.mark.parametrize(
    "excerpt",
    [
        "Ito so moved. Jett seconded. All in favor. Motion carried.",
        "Roll Call Vote on Substitute Motion: Motion passed 4-3.",
        "1st Ito, 2nd Jett. All ayes. Motion carried.",
        "AYES: Ito, Jett\nNOES: None\nMotion carried.",
    ],
)
def test_words_of_the_vote_are_no_motion(excerpt: str) -> None:
    (vote,) = extract_text([excerpt], is_minutes=True).votes

    assert vote.motion is None
    assert "no_words" in vote.doubts
