"""What minutes say in many words is read in one way.  All places and people are invented.

An excerpt is followed by a line for each vote in it, and by a rule::

    => Mover/Seconder result yes-no | ayes Names | noes Names | abstain Names | unanimous
    ---
"""

from __future__ import annotations

import pytest

from clerk.extract import BALLOTS, Vote, extract_text

WHO_MOVED = """
Supervisor Ames moved, seconded by Supervisor Bray, to adopt the plan. Motion carried.
=> Ames/Bray passed
---
Mr. Ames moved and seconded by Mr. Bray to pay the bills. Carried.
=> Ames/Bray passed
---
Trustee Ames then moved, duly seconded by Trustee Bray, that the fee be set. Carried.
=> Ames/Bray passed
---
MEMBER AMES MOVED, SECONDED BY MEMBER BRAY, TO CLOSE THE HEARING. MOTION FAILED.
=> AMES/BRAY failed
---
Moved and seconded by Ames and Bray to recess. Motion carried.
=> Ames/Bray passed
---
Moved, seconded by Bray, to recess. Motion carried.
=> -/Bray passed
---
It was moved and seconded by Commissioner Bray to recess. Motion carried.
=> -/Bray passed
---
Capital Budget
Moved and seconded by Ames and Bray. Motion carried.
=> Ames/Bray passed
"""

LABELS_TIED_TO_NAMES = """
Ayes-Sato, Thorn, Ulrich; Nays-None. Motion carried.
=> -/- passed 3-0 | ayes Sato, Thorn, Ulrich
---
Aye-Sato, Thorn; Nay-Voss; Absent-Zed. Motion carried.
=> -/- passed 2-1 | ayes Sato, Thorn | noes Voss | absent Zed
---
YES-Sato, Thorn
NO-Voss
ABSTAIN-Wu
Motion carried.
=> -/- passed 2-1 | ayes Sato, Thorn | noes Voss | abstain Wu
---
Motion by Smith-Jones, second by Voss to adjourn. Ayes-Smith-Jones, Voss. Nays-None. Carried.
=> Smith-Jones/Voss passed 2-0 | ayes Smith-Jones, Voss
"""

WHOSE_NUMBER = """
Moved by Ito, seconded by Jett. Yeas 6 Nays 0.
=> Ito/Jett passed 6-0
---
Motion by Ito, second by Jett. Ayes 6 Nays 1 Absent 1. Motion carried.
=> Ito/Jett passed 6-1
---
Motion by Ito, second by Jett. 6 Ayes 1 Nay 1 Absent. Motion carried.
=> Ito/Jett passed 6-1
---
Motion by Ito, second by Jett. Ayes - 6 Nays - 0. Motion carried.
=> Ito/Jett passed 6-0
---
Motion by Ito, second by Jett. Ayes: 5 Nays: 2 Motion carried
=> Ito/Jett passed 5-2
---
Motion by Ito, second by Jett. Yes-4, No-1. Motion carried.
=> Ito/Jett passed 4-1
---
Motion: Ito
Second: Jett
Ayes: 4
Nays: 1 (Kemp)
Motion carried.
=> Ito/Jett passed 4-1 | noes Kemp
---
YEAS - Ito, Jett, Lund - 3
NAYS - Kemp - 1
The ordinance was adopted.
=> -/- passed 3-1 | ayes Ito, Jett, Lund | noes Kemp
---
Ms. Ito moved approval. Mr. Jett seconded. The vote was 4-0 in favor with Ms. Kemp absent.
=> Ito/Jett passed 4-0 | absent Kemp
---
Moved by Ito, seconded by Jett. Ayes: 5 (Five). Nays: 0 (Zero). Carried.
=> Ito/Jett passed 5-0
---
Moved by Ito, seconded by Jett. Five ayes and two nays. Carried.
=> Ito/Jett passed 5-2
---
Moved by Ito, seconded by Jett. The vote was 3-3. The motion failed.
=> Ito/Jett failed 3-3
"""

UNANIMITY = """
Ito moved to pay. Jett seconded. All members voted aye except Kemp, who voted nay. Carried.
=> Ito/Jett passed | noes Kemp
---
Moved Ito, seconded Jett. All in favor with the exception of Ms. Kemp who abstained. Carried.
=> Ito/Jett passed | abstain Kemp
---
24-1 MOVED by Ito to pay.
CARRIED UNANIMOUSLY
24-2 MOVED by Jett to go.
CARRIED
=> Ito/- passed | unanimous
=> Jett/- passed
---
24-1 MOVED by Ito to pay.
CARRIED
24-2 MOVED by Jett to go.
CARRIED UNANIMOUSLY
=> Ito/- passed
=> Jett/- passed | unanimous
"""

ONE_QUESTION_AFTER_ANOTHER = """
Roll call vote on Ordinance 5: Ito yes, Jett yes, Kemp no. Ordinance 5 passed.
Roll call vote on Ordinance 6: Ito yes, Jett no, Kemp no. Ordinance 6 failed.
=> -/- passed 2-1 | ayes Ito, Jett | noes Kemp
=> -/- failed 1-2 | ayes Ito | noes Jett, Kemp
---
Mr. Ford moved to adopt. Ms. Gage seconded. Mr. Hill moved to amend Section 2; Mr. Ford seconded.
On the amendment: Ayes - Ford, Hill; Nays - Gage, Jett. Amendment failed. On the main motion: Ayes
- Ford, Gage, Jett; Nays - Hill. Motion carried.
=> Ford/Gage passed 3-1 | ayes Ford, Gage, Jett | noes Hill
=> Hill/Ford failed 2-2 | ayes Ford, Hill | noes Gage, Jett
---
Ford moved to approve the bylaw. Gage seconded. Hill moved to amend it. Ford seconded. The
amendment passed 3-1. The motion as amended passed 4-0.
=> Ford/Gage passed 4-0
=> Hill/Ford passed 3-1
---
Mr. Gray moved to amend the motion. Seconded by Mr. Hall. The amendment passed 4-1, Mr. Ives
dissenting. The main motion, as amended, passed 5-0.
=> Gray/Hall passed 4-1 | noes Ives
=> -/- passed 5-0
---
Gill moved to table Ordinance 5. Hart seconded. Vote: Gill-no, Hart-yes, Irby-yes. Motion to table
passed 2-1.
=> Gill/Hart passed 2-1 | ayes Hart, Irby | noes Gill
---
Ford moved to adopt. Gage seconded. Roll call on the main motion: Ford - yes, Gage - yes, Hill -
no. Motion carried 2-1.
=> Ford/Gage passed 2-1 | ayes Ford, Gage | noes Hill
---
Motion to pay the bills passed 5-0. Motion to adjourn passed 4-1.
=> -/- passed 5-0
=> -/- passed 4-1
"""

ANOTHER_BODY_OR_DAY = """
Mrs. Avery reported that the School Board voted 5-2 last week to close a school.
---
President Hobbs stated the Planning Commission voted 6-1 to recommend approval.
---
At the March 3 meeting, a motion by Ames to approve the plan failed 2-3.
---
Ordinance 12 was adopted in 2019 and has not been changed.
---
Staff noted that the vote was 3-2 at the County Board.
"""

VOICES = """
Moved by Zane, seconded by York to pay. Zane voted aye, Xavier voted nay and York voted aye. Motion
carried.
=> Zane/York passed 2-1 | ayes Zane, York | noes Xavier
---
Ames, Bray and Coyle voted aye; Dunn voted nay; Egan abstained. Motion carried.
=> -/- passed 3-1 | ayes Ames, Bray, Coyle | noes Dunn | abstain Egan
---
The Mayor called the roll. Council Member Shaw voted yes. Council Member Todd voted no. Mayor Ross
voted yes. Motion carried 2-1.
=> -/- passed 2-1 | ayes Shaw, Ross | noes Todd
---
The Council voted as follows: Ames, in favor; Bray, in favor; Coyle, opposed. The motion passed.
=> -/- passed 2-1 | ayes Ames, Bray | noes Coyle
---
Upon roll call, the vote was: Ito, Aye; Jett, Aye; Kemp, Nay; and Lund, Aye. Motion carried.
=> -/- passed 3-1 | ayes Ito, Jett, Lund | noes Kemp
---
Councilmember Diaz introduced the following resolution and moved its adoption. The motion was duly
seconded by Councilmember Erb, and upon vote being taken thereon, the following voted in favor
thereof: Diaz, Erb and Mayor Gruber; and the following voted against the same: None; whereupon
said resolution was declared duly passed and adopted.
=> Diaz/Erb passed 3-0 | ayes Diaz, Erb, Gruber
---
Those voting "Aye": Ms. Moss, Mr. Nash. Those voting "Nay": Mr. Oakes. The bill was declared passed.
=> -/- passed 2-1 | ayes Moss, Nash | noes Oakes
---
Roll call vote: Ayes/Sato, Thorn; Nays/None. Motion carried.
=> -/- passed 2-0 | ayes Sato, Thorn
---
Ames moved to pay. Seconded by Bray. Motion passed, Cook nay.
=> Ames/Bray passed | noes Cook
---
Ames moved to pay. Seconded by Bray. Motion carried with one nay vote by Trustee Cook.
=> Ames/Bray passed | noes Cook
---
Baker moved to approve. Ortiz seconded. Roll call vote: Baker, yes; Ortiz, yes; Chen, no; Dunn, no.
The vote being tied, Mayor Reyes voted yes. Motion carried 3-2.
=> Baker/Ortiz passed 3-2 | ayes Baker, Ortiz, Reyes | noes Chen, Dunn
"""

COUNTS_ALONE = """
Ayes: 5, Nays: 0, Absent: 2. Motion carried.
=> -/- passed 5-0
---
AYES - 6   NAYS - 1   ABSENT - 0. Motion carried.
=> -/- passed 6-1
---
Yes: 4
No: 1
Motion carried.
=> -/- passed 4-1
---
Moved by Moreno; Seconded by Nash
AYES: 3 (Moreno, Nash, Okoye)
NOES: 1 (Petrov)
ACTION: Approved
=> Moreno/Nash passed 3-1 | ayes Moreno, Nash, Okoye | noes Petrov
---
M/S/C (Garcia/Lopez) to approve the warrant register. 5-0.
=> Garcia/Lopez passed 5-0
---
Ms. Ito moved approval; Ms. Jett seconded. The motion passed 4-0-1 (Director Zorn absent).
=> Ito/Jett passed 4-0 | absent Zorn
"""

SURNAMES_THAT_ARE_WORDS = """
AYES: Adams, Baker, Park
NOES: Street
ABSENT: Grant
Motion carried.
=> -/- passed 3-1 | ayes Adams, Baker, Park | noes Street | absent Grant
---
Motion by Bill Stone, seconded by Grant Page, to approve. Motion carried.
=> Stone/Page passed
---
Ayes: Stone, Ward and Banks. Nays: Bill. Motion carried.
=> -/- passed 3-1 | ayes Stone, Ward, Banks | noes Bill
---
Motion by Councilmember Page, second by Mark Park to adjourn. Carried.
=> Page/Park passed
---
AYES: Adams, Baker
NEW BUSINESS
Motion by Adams, second by Baker, to adjourn. Carried.
=> -/- unknown 2-0 | ayes Adams, Baker
=> Adams/Baker passed
"""

RESULTS_IN_FEW_WORDS = """
M/S Lind/Okafor to continue the item. Ayes: All. Noes: None.
=> Lind/Okafor passed ?-0 | unanimous
---
Motion to adjourn - Jarrett, second - Kerr. Unanimous.
=> Jarrett/Kerr passed | unanimous
---
Motion by Keller to approve the minutes. 2nd by Lowe. AIF, MC.
=> Keller/Lowe passed | unanimous
---
Avery moved/Boyle seconded to approve. MCU.
=> Avery/Boyle passed | unanimous
---
Ito/Jett moved to approve the contract. 4/0 approved.
=> Ito/Jett passed 4-0
---
Ms. Lutz moved to appoint Peter Marks. There was no second. The motion failed.
=> Lutz/- died
---
RESOLVED (nem. con.) - That the minutes of the meeting held on 3 March be approved.
=> -/- passed | unanimous
---
Hearing no objection, the Mayor so ordered.
=> -/- passed
"""

MOVERS_IN_PASSING = """
The minutes of the 3 May 2021 meeting were approved. Proposed by Mrs Quail, seconded by Mr Reeve.
=> Quail/Reeve passed
---
Motion (Kranz/Mueller) to approve the licenses. Motion carried 8-0.
=> Kranz/Mueller passed 8-0
---
Motion Carried. (Avery/Boyle, 5-0)
=> Avery/Boyle passed 5-0
---
The rezoning (Smith/Jones) was discussed.
---
Vice Mayor Udall/Councilmember Vega moved to approve the purchase. Passed 5-0.
=> Udall/Vega passed 5-0
---
Upon motion duly made (Doherty) and seconded (Lynch) it was unanimously VOTED to sign the warrant.
=> Doherty/Lynch passed | unanimous
---
Mrs. Abbott motioned to recess. Mr. Banks 2nd. Motion carried.
=> Abbott/Banks passed
---
Councilmember Avery moved, with Councilmember Boyle seconding, to approve Item 8B. Motion carried.
=> Avery/Boyle passed
---
Upon motion of Commissioner Ames, second of Commissioner Bray, and unanimous vote of the Board, the
Board adjourned.
=> Ames/Bray passed | unanimous
---
Councilman Drew offered the following resolution and moved its adoption, seconded by Councilwoman
Fox: RESOLVED, that the Supervisor sign the contract. Carried 3-1
=> Drew/Fox passed 3-1
---
Cllr Lomax proposed, seconded by Cllr Mistry, that the application be REFUSED. On being put to the
vote, the motion was carried by 7 votes to 3 with 1 abstention.
=> Lomax/Mistry passed 7-3
---
MOTION #2024-15 was made by Ames to pay the bid. MOTION was seconded by Bray. MOTION carried 4-0.
=> Ames/Bray passed 4-0
---
Motion to approve the agenda by Ames; seconded by Bray; motion carried.
=> Ames/Bray passed
---
The vote on the original motion to approve, made by Foss and seconded by Grady, carried 5-2.
=> Foss/Grady passed 5-2
---
RESOLVED: That application 23/0045 be supported. (Proposed Cllr Jenkins, seconded Cllr Khan, all in
favour)
=> Jenkins/Khan passed | unanimous
---
Councillor Avery - Councillor Boyle
RESOLVED that the minutes be adopted.
Carried
=> Avery/Boyle passed
"""

COLUMNS = """
Member                Yes   No   Abstain  Absent
Anderson               X
Castillo                    X
Davis                                     X
Motion failed 1-1.
=> -/- failed 1-1 | ayes Anderson | noes Castillo | absent Davis
---
Moved by Councillor Ubaldi
Seconded by Councillor Vezina
Recorded Vote        Yea    Nay
Councillor Ubaldi     ✓
Councillor Vezina     ✓
Mayor Young                  ✓
CARRIED
=> Ubaldi/Vezina passed 2-1 | ayes Ubaldi, Vezina | noes Young
---
AYES:            NOES:          ABSENT:
Stein            Thorpe         Vaughn
Underhill
Motion carried 2-1-1
=> -/- passed 2-1 | ayes Stein, Underhill | noes Thorpe | absent Vaughn
---
| Member | Aye | Nay |
| Ames | X |  |
| Bray |  | X |
Motion failed.
=> -/- failed 1-1 | ayes Ames | noes Bray
---
Y-Avery, Y-Boyle, N-Cook. Motion carried.
=> -/- passed 2-1 | ayes Avery, Boyle | noes Cook
"""

FRENCH = """
Il est proposé par M. Avery, appuyé par Mme Boyle, que le procès-verbal soit adopté. Adoptée à
l'unanimité.
=> Avery/Boyle passed | unanimous
---
Proposé par la conseillère Roy, secondé par le conseiller Cyr : que le budget soit adopté. Rejetée.
=> Roy/Cyr failed
"""


NAMES_OF_SEVERAL_WORDS = """
Proposed Cllr Whittle. Seconded Cllr Nutt. All in favour.
=> Whittle/Nutt passed | unanimous
---
Moved Cr Whittle. Seconded Cr Nutt. Carried.
=> Whittle/Nutt passed
---
Present: Trustees Maria De La Cruz, Anna La Rocca, Jo Van Dyke, Pat St. Clair, Kim Ten Eyck
Motion by Trustee De La Cruz, seconded by Trustee La Rocca, to pay the bills.
AYES: De La Cruz, La Rocca, Van Dyke, St. Clair
NAYS: Ten Eyck
Motion carried.
=> De La Cruz/La Rocca passed 4-1 | ayes De La Cruz, La Rocca, Van Dyke, St. Clair | noes Ten Eyck
---
Motion by Councilmember De La Cruz, seconded by Councilmember von Hagen, to approve.
AYES: De La Cruz, von Hagen, de los Santos
NAYS: Van Der Meer
Motion carried 3-1.
=> De La Cruz/von Hagen passed 3-1 | ayes De La Cruz, von Hagen, de los Santos | noes Van Der Meer
---
Present: Hal Quimby, Anneliese van der Berg, Tom Ito
Mr. Ito moved to award the contract. Ms. van der Berg seconded.

Member                 Yea   Nay   Abstain
Hal Quimby                    X
Anneliese van der Berg  X
Tom Ito                 X

Motion carried 2-1.
=> Ito/van der Berg passed 2-1 | ayes van der Berg, Ito | noes Quimby
---
AYES: Van Dyke De La Cruz Smith
NAYS: none
Motion carried.
=> -/- passed 3-0 | ayes Van Dyke, De La Cruz, Smith
---
Motion by Al Smith, seconded by Bo Le, to adjourn. Ayes: Al Smith, Le. Nays: none. Carried.
=> Smith/Le passed 2-0 | ayes Smith, Le
"""

ROWS_OF_DOTS = """
Roll call vote on the motion to override the veto:
Ald. Kowal ......... Aye          Ald. Sanders ....... No
Ald. Mbeki ......... Aye          Ald. Hsu ........... Absent
Motion to override failed.
=> -/- failed 2-1 | ayes Kowal, Mbeki | noes Sanders | absent Hsu
---
Ayes 3   Stein, Fazio, Holl
Nays 1   Pratt
Motion carried.
=> -/- passed 3-1 | ayes Stein, Fazio, Holl | noes Pratt
---
Motion by Ito, second by Jett. Ayes 5
Nays 1 Mr. Stein moved to adjourn.
=> Ito/Jett unknown 5-1
=> Stein/- unknown
"""

WHAT_PASSED = """
The site plan for 44 Mill Road passed unanimously.

The slate of officers carried by unanimous vote.
=> -/- passed | unanimous
=> -/- passed | unanimous
---
Mr. Dow moved to adopt the site plan, seconded by Ms. Pike. The site plan passed unanimously.
=> Dow/Pike passed | unanimous
---
Rep. Jones reported the levy passed unanimously at the County.
The students passed unanimously their examination.
The Senate bill passed unanimously.
---
The amendment failed 2-3 (Adler and Brisk in favor; Cho, Dunn and Eads opposed).
=> -/- failed 2-3 | ayes Adler, Brisk | noes Cho, Dunn, Eads
---
Public hearing. Speaking: Jane Roe, in favor. John Doe, opposed.
"""


def cases(*groups: str) -> list[tuple[str, list[str]]]:
    """Return the excerpts with the votes a reader finds in them."""
    found = []
    for block in "---\n".join(groups).split("---\n"):
        lines = block.strip("\n").split("\n")
        text = "\n".join(line for line in lines if not line.startswith("=>"))
        found.append((text, [line[3:] for line in lines if line.startswith("=>")]))
    return found


def told(vote: Vote) -> str:
    """Return a vote as the cases write it."""
    head = f"{vote.mover or '-'}/{vote.seconder or '-'} {vote.result}"
    if vote.tally:
        head += f" {vote.tally.get('yes', '?')}-{vote.tally.get('no', '?')}"
    lists = [f"{kind} {', '.join(getattr(vote, kind))}" for kind in BALLOTS if getattr(vote, kind)]
    return " | ".join([head, *lists, *(["unanimous"] if vote.unanimous else [])])


@pytest.mark.parametrize(
    ("excerpt", "votes"),
    cases(
        WHO_MOVED,
        LABELS_TIED_TO_NAMES,
        WHOSE_NUMBER,
        UNANIMITY,
        ONE_QUESTION_AFTER_ANOTHER,
        ANOTHER_BODY_OR_DAY,
        FRENCH,
        COLUMNS,
        MOVERS_IN_PASSING,
        RESULTS_IN_FEW_WORDS,
        SURNAMES_THAT_ARE_WORDS,
        COUNTS_ALONE,
        VOICES,
        NAMES_OF_SEVERAL_WORDS,
        ROWS_OF_DOTS,
        WHAT_PASSED,
    ),
)
def test_a_reader_would_write_down_the_same_votes(excerpt: str, votes: list[str]) -> None:
    assert [told(vote) for vote in extract_text([excerpt]).votes] == votes


@pytest.mark.parametrize(
    ("excerpt", "motion"),
    [
        ("Motion by Ito, supported by Jett, CARRIED, to receive the report.", "receive the report"),
        ("Absent: None\n\nIt was moved (Ito), seconded (Jett), and passed (4-0).", None),
        ("AYES: Ito, Jett\nNOES: None\nMotion carried.", None),
        ("On motion of Ito, seconded by Jett, and carried, the meeting closed.", "meeting closed"),
        ("Ito so moved. Jett seconded. All in favor. Motion carried.", None),
    ],
)
def test_the_words_of_a_motion_are_not_those_of_the_vote(excerpt: str, motion: str | None) -> None:
    (vote,) = extract_text([excerpt]).votes

    assert (vote.motion or "").removeprefix("the ") == (motion or "")
