"""What minutes say in many words is read in one way.  All places and people are invented.

An excerpt is followed by a line for each vote in it, and by a rule::

    => Mover/Seconder result yes-no | ayes Names | noes Names | abstain Names | unanimous
    ---
"""

from __future__ import annotations

import pytest

from clerk.work.extract import BALLOTS, Vote, extract_text

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
    ),
)
def test_a_reader_would_write_down_the_same_votes(excerpt: str, votes: list[str]) -> None:
    assert [told(vote) for vote in extract_text([excerpt]).votes] == votes
