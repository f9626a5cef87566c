"""Votes are found in whatever way a clerk writes them.  All places and people are invented."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from clerk.extract import Vote, extract_text


@dataclass(frozen=True)
class Expected:
    """What a reader of the minutes would write down about one vote."""

    result: str
    mover: str | None = None
    seconder: str | None = None
    ayes: tuple[str, ...] = ()
    noes: tuple[str, ...] = ()
    abstain: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


def seen(vote: Vote) -> Expected:
    return Expected(
        vote.result,
        vote.mover,
        vote.seconder,
        tuple(vote.ayes),
        tuple(vote.noes),
        tuple(vote.abstain),
        tuple(vote.absent),
    )


STYLES: dict[str, tuple[str, list[Expected]]] = {
    "counts in brackets, the one against named behind a dash": (
        """Motion by Carver, seconded by Dunn, to accept the bid.
Motion carried (4 ayes; 1 nay - Hart).

Motion by Ellis, second by Frost, to adjourn. Motion carried (5 ayes; 0 nays).

Motion by Carver, second by Dunn, to sell the truck. Motion passed 4-1 (Hart - nay).
""",
        [
            Expected("passed", "Carver", "Dunn", noes=("Hart",)),
            Expected("passed", "Ellis", "Frost"),
            Expected("passed", "Carver", "Dunn", noes=("Hart",)),
        ],
    ),
    "a comma behind the label and the count at the end": (
        """Moved by Okafor, seconded by Pruitt, to adopt Resolution 14-22.
Yeas, Okafor, Pruitt, Quinn - 3
Nays, Rossi - 1
Motion carried.
""",
        [Expected("passed", "Okafor", "Pruitt", ("Okafor", "Pruitt", "Quinn"), ("Rossi",))],
    ),
    "one line of labels for each motion": (
        """Motion: Whitlock / Second: Yates / Carried

To approve the minutes of May 3.

Motion: Yates / Second: Zane / Failed

Motion:  Whitlock     Second:  Yates     Vote: 5-0  Carried
Motion:  Zane         Second:  Yates     Vote: 2-3  Failed
""",
        [
            Expected("passed", "Whitlock", "Yates"),
            Expected("failed", "Yates", "Zane"),
            Expected("passed", "Whitlock", "Yates"),
            Expected("failed", "Zane", "Yates"),
        ],
    ),
    "two roll calls in a row of which nobody tells who moved": (
        """Ordinance 2021-14 was read a third time.
AYES: Ames, Bell, Cole
NAYS: None

Ordinance 2021-15 was read a third time.
AYES: Ames, Bell
NAYS: Cole
""",
        [
            Expected("passed", ayes=("Ames", "Bell", "Cole")),
            Expected("unknown", ayes=("Ames", "Bell"), noes=("Cole",)),
        ],
    ),
    "two sentences in a row, each with its own matter": (
        """The ordinance on kennels passed 5-0.
The ordinance on fences failed 2-3.
The clerk noted that the ordinance on signs passed 4-1 in the county.
""",
        [Expected("passed"), Expected("failed")],
    ),
    "a lone word behind each matter": (
        """Item 4. Bridge repair. Carried.
Item 5. Bridge painting. Carried.
""",
        [Expected("passed"), Expected("passed")],
    ),
    "lists without commas, with titles": (
        """Moved by Councilmember Ames, seconded by Councilmember Bell, to approve the plat.
Ayes: Councilmember Ames Councilmember Bell Councilmember Cole
Nays: Mayor Dunn
Motion carried.

Mr. Ford moved, seconded by Mrs. Gray, to table the request.
Yes: Mr. Ford Mrs. Gray Mr. Hale
No: Ms. Ives
Motion passed.
""",
        [
            Expected("passed", "Ames", "Bell", ("Ames", "Bell", "Cole"), ("Dunn",)),
            Expected("passed", "Ford", "Gray", ("Ford", "Gray", "Hale"), ("Ives",)),
        ],
    ),
    "lists without commas, of known members": (
        """Present: Ames, Bell, Cole, Dunn, Everett
Moved by Ames, seconded by Bell, to approve the plat.
Ayes: Ames Bell Cole
Nays: Dunn Everett
Motion carried.
""",
        [Expected("passed", "Ames", "Bell", ("Ames", "Bell", "Cole"), ("Dunn", "Everett"))],
    ),
    "an office behind a title is no member": (
        """Moved by Trustee Ames, seconded by Trustee Bell, to thank Deputy Finance Director Jones.
Ayes: Trustee Ames, Trustee Bell
Motion carried.
""",
        [Expected("passed", "Ames", "Bell", ("Ames", "Bell"))],
    ),
    "a number and two names with a semicolon": (
        """R2031-126 D. Yarrow, S. Fennel;
That we confirm the proceedings of council. Carried.
""",
        [Expected("passed", "D. Yarrow", "S. Fennel")],
    ),
    "Irish lists in brackets of numbers": (
        """A vote was taken on the amendment. For: Cllrs. Byrne, Walsh and Daly (3). Against: Cllrs.
Egan and Foy (2). Abstain: None. The amendment was carried.
""",
        [Expected("passed", ayes=("Byrne", "Walsh", "Daly"), noes=("Egan", "Foy"))],
    ),
    "Australian tally with a slash and lists below": (
        """Moved: Cr Jarvis
Seconded: Cr Hewitt
That Council defer the item.
LOST 3/4
For: Crs Jarvis, Hewitt, Kemp
Against: Crs Irwin, Lowe, Munro, Naylor
""",
        [
            Expected(
                "failed",
                "Jarvis",
                "Hewitt",
                ("Jarvis", "Hewitt", "Kemp"),
                ("Irwin", "Lowe", "Munro", "Naylor"),
            )
        ],
    ),
    "prose with lists below": (
        """Present: Alder, Birch, Cedar, Dogwood, Elm
A motion was made by Councilmember Alder and seconded by Councilmember Birch to approve the
sewer contract.

The motion carried by the following vote:

AYES: Alder, Birch, Cedar, Dogwood
NOES: Elm
ABSENT: None
""",
        [Expected("passed", "Alder", "Birch", ("Alder", "Birch", "Cedar", "Dogwood"), ("Elm",))],
    ),
    "capitals, titles in the list, four part tally": (
        """MOTION: Councilmember Quill moved to approve the recommended action on Item 14, seconded
by Mayor Pro Tem Reyes.

The motion carried, 5-1-0-1, by the following roll call vote:

AYES:      COUNCILMEMBER QUILL, COUNCILMEMBER SATO, COUNCILMEMBER TRAN,
           MAYOR PRO TEM REYES, MAYOR UNDERHILL (5)

NOES:      COUNCILMEMBER VOSS (1)

ABSTAIN:   NONE (0)

ABSENT:    COUNCILMEMBER WREN (1)

Status: 5 - 1 - 0 - 1 - Pass
""",
        [
            Expected(
                "passed",
                "Quill",
                "Reyes",
                ("Quill", "SATO", "TRAN", "Reyes", "UNDERHILL"),
                ("VOSS",),
                (),
                ("WREN",),
            )
        ],
    ),
    "roll call in one line": (
        """Motion by Mr. Hale, seconded by Mrs. Ivers to adopt Resolution 2031-04.
ROLL CALL: Mr. Hale, yes; Mrs. Ivers, yes; Mr. Jansen, no;
           Ms. Kent, ABSTAIN
Motion carried.
""",
        [Expected("passed", "Hale", "Ivers", ("Hale", "Ivers"), ("Jansen",), ("Kent",))],
    ),
    "roll call, one name per line": (
        """Trustee Moss moved to pay the bills. Trustee Nye seconded.
Roll Call Vote:
   Moss: Aye
   Nye: Aye
   Ortiz: Nay
   President Penn: Aye
Motion carried 3-1.
""",
        [Expected("passed", "Moss", "Nye", ("Moss", "Nye", "Penn"), ("Ortiz",))],
    ),
    "roll call with hyphens": (
        """Moved by Abbott, seconded by Baird to table the ordinance.
Roll call: Abbott-yes, Baird-yes, Conway-no, Doyle-no, Egan-no.
Motion failed.
""",
        [Expected("failed", "Abbott", "Baird", ("Abbott", "Baird"), ("Conway", "Doyle", "Egan"))],
    ),
    "result table": (
        """4. Resolution 31-12: Purchase of a Snow Plow

RESULT:        ADOPTED [4 TO 1]
MOVER:         Ann Farrow, Councilwoman
SECONDER:      Ben Gaines, Councilman
AYES:          Farrow, Gaines, Hobbs, Ingram
NAYS:          Carl Judd

5. Resolution 31-13: Salt Purchase

RESULT:        TABLED [UNANIMOUS]
MOVER:         Ben Gaines, Councilman
SECONDER:      Dora Hobbs, Councilwoman
AYES:          Farrow, Gaines, Hobbs, Ingram, Judd
""",
        [
            Expected(
                "passed", "Farrow", "Gaines", ("Farrow", "Gaines", "Hobbs", "Ingram"), ("Judd",)
            ),
            Expected("passed", "Gaines", "Hobbs", ("Farrow", "Gaines", "Hobbs", "Ingram", "Judd")),
        ],
    ),
    "agenda system, counts and names": (
        """A motion was made by Member Kerr, seconded by Member Lund, that this Ordinance be
approved. The motion carried by the following vote:

Aye:   3 -  Kerr, Lund, and Munro
Nay:   1 -  Nash
Absent:   1 -  Oakes
""",
        [Expected("passed", "Kerr", "Lund", ("Kerr", "Lund", "Munro"), ("Nash",), (), ("Oakes",))],
    ),
    "for and against with counts": (
        """Moved: Cr Pratt    Seconded: Cr Quinn
That the tender be accepted.
CARRIED
For: 4 - Pratt, Quinn, Rudd, Shaw
Against: 1 - Tully
""",
        [Expected("passed", "Pratt", "Quinn", ("Pratt", "Quinn", "Rudd", "Shaw"), ("Tully",))],
    ),
    "Irish minutes": (
        """It was proposed by Councillor Ui Broin; seconded by Councillor O'Dowd and agreed that the
works be added to the programme.

Proposed by Councillor Walsh;
Seconded by Councillor Tynan;
And Resolved:
"That the minutes be taken as read and adopted and signed."

On the proposal of Councillor Keane, seconded by Councillor Lacey, it was agreed to suspend
standing orders.
""",
        [
            Expected("passed", "Ui Broin", "O'Dowd"),
            Expected("passed", "Walsh", "Tynan"),
            Expected("passed", "Keane", "Lacey"),
        ],
    ),
    "Irish minutes in Markdown": (
        """**Proposed by Councillor Ryder;**
**Seconded by Councillor Collis (E);**
**And Resolved:**

"That the Minutes be taken as read."

The Minutes were taken as read, adopted and signed on the proposal of Councillor Hoban, seconded by
Councillor Scully.

It was agreed that the Director would revert to Members.

In proposing the Motion, Councillor Galway said that the road was bad. The Director replied.
The Motion was seconded by Councillor Keating and agreed.

At the May 4 meeting, the Council voted 5-2 to approve the plan.
""",
        [
            Expected("passed", "Ryder", "Collis"),
            Expected("passed", "Hoban", "Scully"),
            Expected("passed", "Galway", "Keating"),
        ],
    ),
    "numbered resolutions with names and a colon": (
        """R2031-077 L. Anders, M. Bishop: That we approve the minutes as presented. Carried.

R2031-078 M. Bishop, C. Cole:
WHEREAS the road is worn;
NOW THEREFORE Council directs staff to repair it. Time: 7:08 p.m. Carried.

R2031-079 C. Cole, L. Anders: That the fee be doubled. Defeated.
""",
        [
            Expected("passed", "L. Anders", "M. Bishop"),
            Expected("passed", "M. Bishop", "C. Cole"),
            Expected("failed", "C. Cole", "L. Anders"),
        ],
    ),
    "Canadian resolution": (
        """RESOLUTION NO. 2031-45
MOVED BY: Councillor Dunn
SECONDED BY: Councillor Early
BE IT RESOLVED THAT Council adopt the budget.
CARRIED

RESOLUTION NO. 2031-46
MOVED BY: Councillor Early
SECONDED BY: Deputy Mayor Frost
THAT the grant be declined.
DEFEATED
""",
        [Expected("passed", "Dunn", "Early"), Expected("failed", "Early", "Frost")],
    ),
    "shorthand": (
        """M/S Grant/Hurst to approve the consent calendar. MSC 5-0.

M/S/C (Hurst/Ivory) to adjourn.
""",
        [Expected("passed", "Grant", "Hurst"), Expected("passed", "Hurst", "Ivory")],
    ),
    "dissent in prose": (
        """Moved by Jarvis, seconded by Kemp, to deny the variance. Motion carried with Lister
dissenting.

Kemp moved and Jarvis seconded to adjourn. The motion passed 4-1, Lister opposed.

Commissioner Kemp moved approval. Commissioner Lister seconded. Motion carried; Jarvis abstained.
""",
        [
            Expected("passed", "Jarvis", "Kemp", (), ("Lister",)),
            Expected("passed", "Kemp", "Jarvis", (), ("Lister",)),
            Expected("passed", "Kemp", "Lister", (), (), ("Jarvis",)),
        ],
    ),
    "voting aye and nay": (
        """It was moved by Supervisor Marsh and seconded by Supervisor Noble that the levy be set.
Voting aye: Marsh, Noble, Orr. Voting nay: Price. Motion carried.
""",
        [Expected("passed", "Marsh", "Noble", ("Marsh", "Noble", "Orr"), ("Price",))],
    ),
    "duly made and seconded": (
        """Upon motion duly made and seconded, the Board unanimously approved the minutes of May 4.

It was moved and seconded to go into executive session. Motion carried unanimously.
""",
        [Expected("passed"), Expected("passed")],
    ),
    "Michigan support": (
        """Moved by Trustee Rowe, supported by Trustee Stark, to approve the agenda.
Ayes: Rowe, Stark, Toll
Nays: None
Absent: Usher
Motion carried.
""",
        [Expected("passed", "Rowe", "Stark", ("Rowe", "Stark", "Toll"), (), (), ("Usher",))],
    ),
    "counts only": (
        """Motion by Vale, second by Ware to accept the bid. Ayes: 5 Nays: 0. Motion carried.

Motion: Ware; Second: York. Vote: 4-1. Passed.

Motion made by York and seconded by Vale to hire a planner. 3 ayes, 2 nays. Motion passed.
""",
        [
            Expected("passed", "Vale", "Ware"),
            Expected("passed", "Ware", "York"),
            Expected("passed", "York", "Vale"),
        ],
    ),
    "all in favor": (
        """Selectman Abel made a motion to sign the warrant. Selectman Boyd seconded. All in favor.

Selectman Boyd motioned to adjourn at 8:05 p.m., Selectman Cass seconded, all voted aye.
""",
        [Expected("passed", "Abel", "Boyd"), Expected("passed", "Boyd", "Cass")],
    ),
    "no second, withdrawn": (
        """Commissioner Dale moved to strike Section 4. The motion died for lack of a second.

Commissioner Ellis moved to continue the item; Commissioner Dale seconded. Commissioner Ellis
withdrew his motion.
""",
        [Expected("died", "Dale"), Expected("withdrawn", "Ellis", "Dale")],
    ),
    "majority that failed": (
        """Moved by Finch, seconded by Glenn, to override the veto.
The motion failed, lacking a two-thirds majority, by the following vote:
YEAS: Finch, Glenn, Hardy, Innes
NAYS: Jolly, Knox, Lane
""",
        [
            Expected(
                "failed",
                "Finch",
                "Glenn",
                ("Finch", "Glenn", "Hardy", "Innes"),
                ("Jolly", "Knox", "Lane"),
            )
        ],
    ),
    "amendment inside a motion": (
        """Alderman Mead moved to adopt the ordinance. Alderman Nolan seconded.
Alderman Oster moved to amend the motion by striking Section 2. Alderman Pace seconded.
The amendment failed 2-5.
The main motion carried 6-1.
""",
        [Expected("passed", "Mead", "Nolan"), Expected("failed", "Oster", "Pace")],
    ),
    "substitute motion": (
        """Councilman Quick moved to approve the plan. Councilman Ross seconded.
A substitute motion was made by Councilman Snell and seconded by Councilman Thorn to refer the
plan to committee. The substitute motion carried 4-3.
""",
        [Expected("superseded", "Quick", "Ross"), Expected("passed", "Snell", "Thorn")],
    ),
    "disposition": (
        """412 Accept the report. Moved by Commissioner Upton and seconded by Commissioner
Vance. (Y-4)

413 Repeal the code. Motion to amend the ordinance: Moved by Commissioner Vance and seconded by
Commissioner Upton. (Y-3; N-1, Wells) Motion passed.
""",
        [
            Expected("passed", "Upton", "Vance"),
            Expected("passed", "Vance", "Upton", (), ("Wells",)),
        ],
    ),
    "names in brackets": (
        """Director York made the motion to approve the plan. Director Zane seconded the motion.
The motion passed with 3 in favor (York, Zane and Adair) and 1 against (Bloom).
""",
        [Expected("passed", "York", "Zane", ("York", "Zane", "Adair"), ("Bloom",))],
    ),
    "the body votes": (
        """TOWN OF ALDERBURY
BOARD OF HEALTH
Minutes of March 3, 2031
The Board voted unanimously to approve the food permit for the fair.
The Board voted 3-1 to fine the owner.
""",
        [Expected("passed"), Expected("passed")],
    ),
    "moved without by": (
        """Moved Sutter, seconded Teller, that the report be received. Carried unanimously.

Moved by Cllr. Teller and seconded by Cllr. Sutter to adjourn. CARRIED.
""",
        [Expected("passed", "Sutter", "Teller"), Expected("passed", "Teller", "Sutter")],
    ),
    "whereupon": (
        """The ordinance was introduced, whereupon Councilmember Unger made a motion that the rules
be suspended, which motion was seconded by Councilmember Vick, and upon the roll being called the
vote was as follows:
Ayes: Unger, Vick, Weir
Nays: None
The President declared the motion carried.
""",
        [Expected("passed", "Unger", "Vick", ("Unger", "Vick", "Weir"))],
    ),
    "yeas with counts at the end": (
        """On motion of Mr. Akers, seconded by Mr. Bond, the claims were allowed.
YEAS: Akers, Bond, Crane     3
NAYS: None     0
MOTION PASSED
""",
        [Expected("passed", "Akers", "Bond", ("Akers", "Bond", "Crane"))],
    ),
    "names below the label": (
        """Motion by Member Dyer, second by Member Ennis to close the hearing.
AYES:
John Dyer
Mary Ennis
Ruth Fable
NAYS:
Paul Gibbs
Motion carried.
""",
        [Expected("passed", "Dyer", "Ennis", ("Dyer", "Ennis", "Fable"), ("Gibbs",))],
    ),
    "voting aye above an empty nay": (
        """Supervisors A Upham and B Voss were present. Chairperson C Wilde presided.
Moved by A Upham, second by B Voss to pay the bills.

Voting AYE: Wilde Upham and Voss

Voting Nay: none

Motion carried
""",
        [Expected("passed", "A Upham", "B Voss", ("Wilde", "Upham", "Voss"))],
    ),
    "names voting in favor in prose": (
        """Supervisor Abbey moved that the Board approve the agenda. The motion was adopted by a
vote of (3-0) with Supervisors Abbey, Bristow and Carver voting in favor of the motion; no
Supervisors voting against the motion; and Supervisor Dunning absent for the vote.
""",
        [Expected("passed", "Abbey", None, ("Abbey", "Bristow", "Carver"), (), (), ("Dunning",))],
    ),
    "roll call without punctuation": (
        """Commissioner Eaves moved to adopt the code. Seconded by Commissioner Fitch, and carried
by the vote of the Commission as follows: Mayor Grieve Aye Commissioner Eaves Aye Commissioner
Fitch Nay Mayor Grieve then presented a plaque.
""",
        [Expected("passed", "Eaves", "Fitch", ("Grieve", "Eaves"), ("Fitch",))],
    ),
    "outcome before the mover": (
        """The minutes of the May meeting were confirmed on the proposal of Councillor Hogan and
seconded by Councillor Ivory.

The plan was approved by the members on the proposal of Cllr. J. Keogh, seconded by Cllr. L. Moran.
""",
        [Expected("passed", "Hogan", "Ivory"), Expected("passed", "J. Keogh", "L. Moran")],
    ),
    "a count inside the list": (
        """MOTION BY ALDERMAN NOYES FOR FINAL PASSAGE
A viva voce roll call was taken which resulted as follows:
Yea: Alderman Noyes, Alderman Oakley, 4
Alderman Pratt, Alderwoman Quimby
Nay: 0
MOTION CARRIED
Resolution R-31-063 declared duly adopted.
""",
        [Expected("passed", "Noyes", None, ("Noyes", "Oakley", "Pratt", "Quimby"))],
    ),
    "so voted": (
        """Motion by Councilor Rudge, seconded by Councilor Speke to approve the list. So
unanimously voted.

Moved (Tripp) and seconded (Usher) to accept the grant. Approved unanimously.

Motion by Tripp/Usher to adjourn. Carried.
""",
        [
            Expected("passed", "Rudge", "Speke"),
            Expected("passed", "Tripp", "Usher"),
            Expected("passed", "Tripp", "Usher"),
        ],
    ),
    "did not carry": (
        """On the motion to place the act on the ballot the matter did not carry by a roll call vote
of 5 yeas, 6 nays, 0 absent.

Foyle made a motion to approve the plat and the motion was seconded by Gage. A vote was taken and
the motion passed 5-0-2 with Hurd and Innes abstaining.
""",
        [Expected("failed"), Expected("passed", "Foyle", "Gage", (), (), ("Hurd", "Innes"))],
    ),
    "parish council": (
        """It was resolved that the accounts be approved.

RESOLVED: That the clerk write to the county.

Cllr Jessop proposed that the grass be cut, seconded by Cllr Kitto. Agreed.
""",
        [Expected("passed"), Expected("passed"), Expected("passed", "Jessop", "Kitto")],
    ),
    "motion to, made by": (
        """Motion to Table was made by Com. Wendell and seconded by Com. Arness.
Voice Vote: AYE Unanimously

Motion to replenish petty cash by Worth, seconded Haskell, approved unanimously.

Personnel matters. Motion: Gable. Second: Coombs. All in favor. Resolution adopted.
""",
        [
            Expected("passed", "Wendell", "Arness"),
            Expected("passed", "Worth", "Haskell"),
            Expected("passed", "Gable", "Coombs"),
        ],
    ),
    "Australian minutes": (
        """2031/152
Resolved (Cr George Castle / Cr Paul Amory)
That the minutes be confirmed.
The Motion on being put to the meeting was carried unanimously.

RESOLVED ON THE MOTION OF COUNCILLOR Hutton, seconded by COUNCILLOR Hale,
THAT the apology be accepted.
FOR: Councillors
Hutton, Hale, Marsh and
Waddell
AGAINST: Nil
""",
        [
            Expected("passed", "Castle", "Amory"),
            Expected("passed", "Hutton", "Hale", ("Hutton", "Hale", "Marsh", "Waddell")),
        ],
    ),
    "the mayor in a line of her own": (
        """Council Member Mahler moved approval of the minutes. Council Member Murphy seconded the
motion. The vote follows:
Ayes: Council Members Mahler, Murphy, and Shelby.
Mayor Munday.
Nays: None.
The motion carried.
""",
        [Expected("passed", "Mahler", "Murphy", ("Mahler", "Murphy", "Shelby", "Munday"))],
    ),
    "roll call in columns": (
        """Committeewoman Burnett made a motion to approve the vouchers. Committeeman Thorpe
seconded the motion and on roll-call, members voted as follows:

                         Clayburn       Yea
                         Burnett        Yea
                         Thorpe         Nay

     The Mayor declared the vouchers approved.
""",
        [Expected("passed", "Burnett", "Thorpe", ("Clayburn", "Burnett"), ("Thorpe",))],
    ),
    "withdrawn, then moved denial": (
        """Mr. Barr MOVED for APPROVAL of a sign. Mr. Barr withdrew the motion. Mrs. Gage MOVED
DENIAL of the variance. No difficulty shown. Mr. Miller seconded. Passed Unanimously.
""",
        [Expected("withdrawn", "Barr"), Expected("passed", "Gage", "Miller")],
    ),
    "consent without a vote": (
        """By consensus, the Board directed the manager to advertise the position.

Hearing no objection, the Chair declared the minutes approved.
""",
        [Expected("passed"), Expected("passed")],
    ),
    "VOTED over what was voted": (
        """Mr. Pell moved to sign the warrant. Mrs. Rudd seconded.
VOTED: To sign the warrant of May 3.

Voted: unanimously to accept the gift of two benches.

Ms. Pell moved and Mrs. Rudd seconded that the report be printed. It was unanimously VOTED.
""",
        [
            Expected("passed", "Pell", "Rudd"),
            Expected("passed"),
            Expected("passed", "Pell", "Rudd"),
        ],
    ),
    "members with a slash between them": (
        """Present: Mayor Dana Voss, Trustees Ann Hale, Bo Royce, and Cy Nolan

Motion to approve the consent calendar. (Hale/Royce) Approved 4-0.

Nolan/Hale to grant the license. MC.

Motion/Second (Royce/Nolan) to adjourn. Vote 4-0.

M/S by Hale/Nolan to accept the audit. Carried.
""",
        [
            Expected("passed", "Hale", "Royce"),
            Expected("passed", "Nolan", "Hale"),
            Expected("passed", "Royce", "Nolan"),
            Expected("passed", "Hale", "Nolan"),
        ],
    ),
    "a slash between things": (
        """Present: Mayor Dana Voss, Trustees Ann Hale, Bo Royce, and Cy Nolan

Transfer between funds (Water/Sewer) Approved 4-0.
""",
        [Expected("passed")],
    ),
    "proposed, seconded and agreed in one line": (
        """Proposed: Cllr. Keane Seconded: Cllr. Walsh Agreed unanimously that the report be noted.

Moved by Hobbs, seconded by Tandy Approved 4-0.

Resolved CC/2031/12 (Cr Taylor/Cr Ngata)
That the Council receives the report.
Carried
""",
        [
            Expected("passed", "Keane", "Walsh"),
            Expected("passed", "Hobbs", "Tandy"),
            Expected("passed", "Taylor", "Ngata"),
        ],
    ),
    "for deferral": (
        """Hobbs moved to defer the bill, seconded by Tandy, and carried by the following vote:
For deferral: Hobbs, Tandy, Nolan -3. Against: Voss -1.
""",
        [Expected("passed", "Hobbs", "Tandy", ("Hobbs", "Tandy", "Nolan"), ("Voss",))],
    ),
    "the mayor breaks a tie": (
        """Moved by Hobbs, seconded by Tandy, to adopt. Ayes: Hobbs, Tandy. Nays: Nolan, Royce.
Mayor Webb voted aye to break the tie. Motion carried.
""",
        [Expected("passed", "Hobbs", "Tandy", ("Hobbs", "Tandy", "Webb"), ("Nolan", "Royce"))],
    ),
    "French": (
        """Il est proposé par la conseillère Roy, appuyé par le conseiller Hallé et résolu à
l'unanimité d'adopter l'ordre du jour.
""",
        [Expected("passed", "Roy", "Hallé")],
    ),
}


@pytest.mark.parametrize("style", STYLES)
def test_votes_are_found_in_the_style_of(style: str) -> None:
    text, expected = STYLES[style]

    votes = extract_text([text]).votes

    assert [seen(vote) for vote in votes] == expected


TALK = {
    "a rule": "After stating the item, a majority vote of Council is needed for staff to agendize.",
    "a condition": "If the motion carries, the fee would be refunded to the applicant.",
    "another body": "The House passed Senate Bill 13 with a vote of 40-25 on Monday.",
    "another committee": "TOWN COUNCIL\nMinutes\nThe Planning Commission voted 5-2 to agree.",
    "a request for a motion": "The Chair asked for a motion to approve the minutes.",
    "sympathy": "A vote of sympathy was extended to the family of the late Mr. Ryan.",
    "thanks": "Councillor Lacey proposed a vote of thanks to the staff and it was applauded.",
    "attendance": "Roll call to establish a quorum: Ms. Moody - yes, Mr. Nunn - yes, Ms. Orr - yes",
    "a notice": "Notice of Motion: Councillor Doyle will raise the matter of street lights.",
    "moving house": "Mr. Smith moved to Springfield in 1990 and opened a bakery.",
    "a move": "The library moved into its new building; Ms. Jones thanked the volunteers.",
    "second reading": "Second reading of Ordinance 12 is set for the second Tuesday in May.",
    "work carried out": "Repairs were carried out by the contractor and the bridge is open again.",
    "voters": "Residents voted: they want a park on Tannery Lane.",
    "votes to be counted": "Votes: to be counted by the clerk after the polls close.",
    "last night": "The Commission passed a motion last night to support the library levy.",
}


@pytest.mark.parametrize("kind", TALK)
def test_talk_is_not_a_vote_when_it_is_about(kind: str) -> None:
    assert extract_text([TALK[kind]]).votes == []
