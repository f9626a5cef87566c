"""Minutes of many kinds of places, each with the votes in it.  All people are invented.

The cases are written as in ``test_extract_language``.
"""

from __future__ import annotations

import pytest
from test_extract_language import cases, told

from clerk.extract import extract_text

PLACES = """
Board Member Tran moved to approve the Consent Agenda. Board Member Ruiz seconded. The motion
carried unanimously, 7-0.
=> Tran/Ruiz passed 7-0 | unanimous
---
MOTION: That the Board of Education approve the field trip to Quebec as presented.
Moved by: Mr. Dorsey          Seconded by: Mrs. Eng
Roll Call:  Dorsey - Aye   Eng - Aye   Fallon - Nay   Gupta - Aye   Hsu - Absent
Motion carried: 3-1
=> Dorsey/Eng passed 3-1 | ayes Dorsey, Eng, Gupta | noes Fallon | absent Hsu
---
2.1 Approval of Agenda
Motion by D. Keller, second by R. Lamb. Final Resolution: Motion Carries
Yea: D. Keller, R. Lamb, S. Moss, T. Nye
Nay: U. Orr
=> D. Keller/R. Lamb passed 4-1 | ayes D. Keller, R. Lamb, S. Moss, T. Nye | noes U. Orr
---
Upon motion by Member Pace, seconded by Member Quinn, the Commission recommended approval of
PZ-22-014 by a vote of 5-1, with Member Rhodes voting nay.
=> Pace/Quinn passed 5-1 | noes Rhodes
---
Commissioner Stone moved to continue Case No. 21-33 to the October 4 meeting. Seconded by
Commissioner Todd. Ayes: Stone, Todd, Unger. Nays: Vale. Abstained: Webb. Motion carried.
=> Stone/Todd passed 3-1 | ayes Stone, Todd, Unger | noes Vale | abstain Webb
---
ACTION: (Supervisor Xu / Supervisor Yates) Approved staff recommendation.
AYES: Supervisors Xu, Yates, Zabala
NOES: None
ABSENT: Supervisor Arce
=> Xu/Yates passed 3-0 | ayes Xu, Yates, Zabala | absent Arce
---
On motion of Supervisor Burke, seconded by Supervisor Cody, and by the following vote, the Board
adopted Resolution 22-101:
Ayes: Burke, Cody, Doyle, Eason
Noes: Finn
=> Burke/Cody passed 4-1 | ayes Burke, Cody, Doyle, Eason | noes Finn
---
Selectman Gage moved to award the paving bid to Lane Paving for $88,400. Selectman Hall
seconded. Vote 3-0 in favor.
=> Gage/Hall passed 3-0
---
Chair Ives entertained a motion to approve the warrant. So moved by Mr. Jenks, seconded by Ms.
Kerr. So voted (3-0).
=> Jenks/Kerr passed 3-0
---
A motion to enter executive session under RSA 91-A:3 II(a) was made by Lund and seconded by
Marsh. Roll call vote: Lund yes, Marsh yes, Noyes yes. Motion carried 3-0.
=> Lund/Marsh passed 3-0 | ayes Lund, Marsh, Noyes
---
Ald. Orr (W2) moved, seconded by Ald. Pitt (W4), to adopt the substitute ordinance. Ayes 9, Noes
4, Excused 2. Ordinance adopted.
=> Orr/Pitt passed 9-4
---
Alderman Quigley moved passage of Board Bill No. 112. Seconded by Alderwoman Reese. Carried by
the following vote: Ayes: Quigley, Reese, Sims, and President Tate. - 4. Noes: Upton. - 1.
Present: None.
=> Quigley/Reese passed 4-1 | ayes Quigley, Reese, Sims, Tate | noes Upton
---
Trustee Vance made a motion to approve the payment of vouchers 1201 - 1244 in the amount of
$45,233.19. Trustee Wilde seconded the motion. Upon roll call: AYES: Trustees Vance, Wilde,
Yost. NAYS: none. ABSENT: Trustee Zell. Mayor Abel declared the motion carried.
=> Vance/Wilde passed 3-0 | ayes Vance, Wilde, Yost | absent Zell
---
RESOLVED that the minutes of the meeting held on 4 May 2021, having been circulated, be approved
and signed as a correct record. Proposed by Cllr Barnes, seconded by Cllr Cope. All in favour.
=> Barnes/Cope passed | unanimous
---
It was proposed by Cllr Dale and seconded by Cllr Ewart that the Parish Council OBJECTS to the
application. Resolved with 5 votes for, 1 against and 1 abstention.
=> Dale/Ewart passed 5-1
---
Cllr Frith proposed approval of the payments; this was seconded by Cllr Gorse and unanimously
agreed.
=> Frith/Gorse passed | unanimous
---
The recommendation was put to the vote and declared CARRIED with 8 voting in favour, 3 against
and 2 abstentions.
=> -/- passed 8-3
---
Library Board Trustees: H. Irwin motioned to accept the treasurer's report, J. Kean seconded,
motion carried.
=> H. Irwin/J. Kean passed
---
Lowe moved and Mills seconded approval of the August minutes. Passed unanimously.
=> Lowe/Mills passed | unanimous
---
Moved Cr Nash, Seconded Cr Oates that Council defer the item to the next Ordinary Meeting.
CARRIED 6/3
For: Crs Nash, Oates, Penn, Quirk, Ross and Snell
Against: Crs Tighe, Urban and Vine
=> Nash/Oates passed 6-3 | ayes Nash, Oates, Penn, Quirk, Ross, Snell | noes Tighe, Urban, Vine
---
125/21 RESOLVED: (Cr Wells/Cr Yeo) that the report be received.
=> Wells/Yeo passed
---
COUNCIL RESOLUTION 2021/114
MOVED Cr Abbey   SECONDED Cr Bower
That Council adopts the revised fee schedule.
LOST 3/5
=> Abbey/Bower failed 3-5
---
PROCEDURAL MOTION
Moved Cr Carter that the motion be put. The procedural motion was put and carried.
=> Carter/- passed
---
An Cathaoirleach, Cllr. Daly, proposed the adoption of the report, seconded by Cllr. Egan. Agreed.
=> Daly/Egan passed
---
On the proposal of Cllr. Fahy, seconded by Cllr. Glynn, the minutes were confirmed.
=> Fahy/Glynn passed
---
A vote was taken with the following result:
Ar son/For: Cllrs Hoey, Igoe, Joyce (3)
In aghaidh/Against: Cllrs Keane, Lynch (2)
The motion was carried.
=> -/- passed 3-2 | ayes Hoey, Igoe, Joyce | noes Keane, Lynch
---
Resolution #22-045
Moved by Deputy Reeve Moran and seconded by Councillor Neil
THAT Council pass By-law 22-12.
Recorded vote requested by Councillor Olds.
Yeas: Moran, Neil, Pike
Nays: Olds
CARRIED
=> Moran/Neil passed 3-1 | ayes Moran, Neil, Pike | noes Olds
---
22-0301 MOVED by Councillor Quant that Council accept the report for information. CARRIED
22-0302 MOVED by Councillor Rust to close the meeting. DEFEATED
=> Quant/- passed
=> Rust/- failed
---
Moved by Shaw/Tran
That the agenda be adopted as amended.
Carried Unanimously
=> Shaw/Tran passed | unanimous
---
M/S Ulm, Vega to approve. Ayes: Ulm, Vega, Wolf. Noes: Yang. M/C 3-1.
=> Ulm/Vega passed 3-1 | ayes Ulm, Vega, Wolf | noes Yang
---
The Consent Calendar was approved on a motion by Crane, second by Drake, 4-0-1 (Engel abstaining).
=> Crane/Drake passed 4-0 | abstain Engel
---
Councilmember Iverson voted in opposition to Item C. Motion to approve the consent agenda passed
5-0.
=> -/- passed 5-0
---
Roll  Call  Vote:   Mr.  Jay - Yes ;  Mr.  Kidd - Yes ;  Ms.  Lane - No .   Motion  carried .
=> -/- passed 2-1 | ayes Jay, Kidd | noes Lane
---
AYES: Mann, Noll, Opp,
Park and Quist
NAYS: None
MOTION CARRIED
=> -/- passed 5-0 | ayes Mann, Noll, Opp, Park, Quist
---
AYES : Mann , Noll
NAYS : Opp
MOTION CARRIED 2 - 1
=> -/- passed 2-1 | ayes Mann, Noll | noes Opp
---
Motion was made by Councilmember Rand,
seconded by Councilmember Sloan,
to approve the plat.  Motion carried by a
vote of 4 to 1 with Councilmember Thorp
opposed.
=> Rand/Sloan passed 4-1 | noes Thorp
---
Motion by Underwood, second by Vick to deny. Motion failed for lack of a majority, 2-2. Motion
by Vick, second by Wray to table. Motion carried 4-0.
=> Underwood/Vick failed 2-2
=> Vick/Wray passed 4-0
---
Mr. Young moved to reconsider. The motion did not receive a second.
=> Young/- died
---
Ms. Zane moved to approve. Hearing no second, the motion died.
=> Zane/- died
---
The Mayor called for a motion. Motion made by Council Member Ash, 2nd by Council Member Birk.
Aye: 4, Nay: 1 (Cobb), Abstain: 0. Motion passes.
=> Ash/Birk passed 4-1 | noes Cobb
---
Councilmember Dunn: Move approval.
Councilmember East: Second.
Mayor Flood: All in favor? (Ayes) Opposed? (None) Motion carries.
=> Dunn/East passed
---
MR. GRAY: I move that we approve the application.
MS. HOLT: Second.
CHAIRMAN IRBY: All in favor say aye. (Unanimous ayes.) Motion carries 5-0.
=> GRAY/HOLT passed 5-0 | unanimous
---
Chair Jost asked for a roll call vote. Yes - Jost, Kline, Lott. No - Mead. The motion passed, 3
to 1.
=> -/- passed 3-1 | ayes Jost, Kline, Lott | noes Mead
---
A motion was made by Nolan, supported by Ochs, to approve the site plan subject to conditions.
Roll call vote. Ayes: Nolan, Ochs, Pratt. Nays: Quade. Motion carried. Motion by Pratt,
supported by Ochs, to adjourn. All ayes. Motion carried.
=> Nolan/Ochs passed 3-1 | ayes Nolan, Ochs, Pratt | noes Quade
=> Pratt/Ochs passed | unanimous
---
On a roll call vote on the motion, the following members voted YEA: Rice, Sand, Toll. NAY:
Utley. The motion prevailed.
=> -/- passed 3-1 | ayes Rice, Sand, Toll | noes Utley
---
Voting in favor: Vogt, West, Yoder. Voting against: Zook. Absent: Abt. The resolution passed.
=> -/- passed 3-1 | ayes Vogt, West, Yoder | noes Zook | absent Abt
---
Commissioner Bly, seconded by Commissioner Coe, moved to accept the grant. The vote was
unanimous in favor.
=> Bly/Coe passed | unanimous
---
There was a motion by Dow and a second by Eck to waive the second and third readings. Council
unanimously approved.
=> Dow/Eck passed | unanimous
---
Motion: To approve payment of the bills as presented
Made by: Farr
Seconded by: Gant
Ayes: Farr, Gant, Hoyt
Nays: None
Abstentions: None
Motion Carried
=> Farr/Gant passed 3-0 | ayes Farr, Gant, Hoyt
---
Motion made by: Ikeda
Motion seconded by: Judd
Voting:
Ikeda - Yes
Judd - Yes
Kane - No
Motion passed
=> Ikeda/Judd passed 2-1 | ayes Ikeda, Judd | noes Kane
---
Member Lord moved; Member Mapes seconded; carried 4-1 (Nunn dissenting).
=> Lord/Mapes passed 4-1 | noes Nunn
---
Oakley moved to appoint Pam Price as Deputy Clerk, Quill seconded. Ayes all. Motion carried.
=> Oakley/Quill passed | unanimous
---
On motion by Mrs. Rau, seconded by Mr. Seay, the following items were approved by the vote
indicated: Yes: Rau, Seay, Tubbs, Utt; No: none.
=> Rau/Seay passed 4-0 | ayes Rau, Seay, Tubbs, Utt
---
VOTED: On a motion by Ms. Voigt, seconded by Mr. Ware, to approve the minutes (4-0-1; Mr. Yates
abstained).
=> Voigt/Ware passed 4-0 | abstain Yates
---
Mr. Zorn moved to lay the matter on the table. Ms. Ault seconded. The motion was defeated by a
vote of 2 ayes and 5 nays.
=> Zorn/Ault failed 2-5
---
Motion Baum, second Cole to approve Resolution 2021-9. Yes: 6  No: 0  Motion carried.
=> Baum/Cole passed 6-0
---
Moved by Dietz. Seconded by Ervin. All present voting "aye." Motion carried.
=> Dietz/Ervin passed | unanimous
---
Moved by Frey, seconded by Gross to adopt Ordinance 2201 on second reading. Roll call. Voting
aye: Frey, Gross, Hahn. Voting nay: Imes. Motion declared carried by the Mayor.
=> Frey/Gross passed 3-1 | ayes Frey, Gross, Hahn | noes Imes
---
RESULT: APPROVED AS AMENDED [4 TO 0]
MOVER: Jay Kerr, Member
SECONDER: Lee Mott, Vice Chair
AYES: Kerr, Mott, Nagy, Owen
RECUSED: Pell
=> Kerr/Mott passed 4-0 | ayes Kerr, Mott, Nagy, Owen | recused Pell
---
Councilor Quinby moved the question. Councilor Rowe seconded. Motion carried 7-2, Councilors
Shea and Tufts opposed.
=> Quinby/Rowe passed 7-2 | noes Shea, Tufts
---
Councilor Usher stated that he voted against the budget last year. Councilor Vail moved to adopt
the budget; Councilor Wing seconded. The vote was 6-1, motion passes.
=> Vail/Wing passed 6-1
---
The committee report noted that the Finance Committee voted 3-0 to recommend approval. Councilor
York moved passage, seconded by Councilor Zinn. Passed unanimously.
=> York/Zinn passed | unanimous
---
It was the consensus of the Board to table the matter until June.
=> -/- passed
---
Director Aiken made a motion to approve the contract and Director Boyce seconded the motion.
Directors Aiken, Boyce, and Clay voted in favor of the motion. Director Dodge voted against the
motion. The motion carried.
=> Aiken/Boyce passed 3-1 | ayes Aiken, Boyce, Clay | noes Dodge
---
Motion passed with Elder, Floyd, and Gantt voting yes and Hines voting no.
=> -/- passed 3-1 | ayes Elder, Floyd, Gantt | noes Hines
---
Motion by Ingle, seconded by Jolly. Motion carried 3-2. (Yes: Ingle, Jolly, Knox. No: Lantz,
Moyer.)
=> Ingle/Jolly passed 3-2 | ayes Ingle, Jolly, Knox | noes Lantz, Moyer
---
Ms. Novak abstained from voting on the minutes since she was absent. Mr. Olin moved approval of
the minutes, Mr. Pryor seconded, and the motion passed 3-0-1.
=> Olin/Pryor passed 3-0
---
MINUTES OF THE REGULAR MEETING
Present: Commissioners Arlen, Bixby, Crowe, Dunne, Ester
Commissioner Arlen moved, and Commissioner Bixby seconded, to approve the variance for 12 Elm
St. The motion carried 4-1, Commissioner Crowe voting no.
=> Arlen/Bixby passed 4-1 | noes Crowe
---
A. Approval of Minutes - May 3, 2021
Motion: Arlen Second: Bixby
Vote: Yes - 5, No - 0, Abstain - 0
=> Arlen/Bixby passed 5-0
---
ITEM 7. MOTION by Bd. Member Crowe to table. SECOND by Bd. Member Dunne.
VOTE: AYES: 2 NAYS: 3 MOTION FAILED
=> Crowe/Dunne failed 2-3
---
Mayor Pro Tem Ester motioned to approve Ordinance 21-07 on first reading. Council Member Flynn
seconded the motion.
Ayes: Mayor Pro Tem Ester, Council Member Flynn, Council Member Gray
Nays: Council Member Hurst
Motion passed.
=> Ester/Flynn passed 3-1 | ayes Ester, Flynn, Gray | noes Hurst
---
The motion made by Mr. Ivey and seconded by Ms. Jarvis to accept the audit was approved by all
members present.
=> Ivey/Jarvis passed
---
By motion of Mrs. Knapp, second by Mr. Lyle, the Board approved the treasurer's report 6-0.
=> Knapp/Lyle passed 6-0
---
Mr. Moss offered a motion to approve the contract, which was seconded by Ms. Nunn. The motion
passed on a vote of 5 yes, 1 no (Mr. Otis), 1 abstention (Ms. Payne).
=> Moss/Nunn passed 5-1 | noes Otis | abstain Payne
---
On a motion made by Supervisor Quade and seconded by Supervisor Rolfe, the Board of Supervisors
voted to award the contract. Aye: Quade, Rolfe, Sykes. Nay: none.
=> Quade/Rolfe passed 3-0 | ayes Quade, Rolfe, Sykes
---
Action Taken: Approved on consent (Motion: Tyler; Second: Upham; Vote: 5-0)
=> Tyler/Upham passed 5-0
---
4.b Contract with Acme
APPROVED 5-0; Vance/Wolfe
=> -/- passed 5-0
---
Motion by Councillor Xavier
Seconded by Councillor Young
THAT the Minutes of May 4, 2021 be adopted as circulated.
CARRIED
Motion by Councillor Zeller
Seconded by Councillor Abbot
THAT the meeting adjourn at 9:05 p.m.
CARRIED
=> Xavier/Young passed
=> Zeller/Abbot passed
---
Res. 2021-33
Moved by: B. Bolton
Seconded by: C. Cairns
Be it resolved that the report be received.
Disposition: Carried
=> B. Bolton/C. Cairns passed
---
It was moved by Cllr Dixon, seconded by Cllr Ennis and RESOLVED by 6 votes to 2 that the grant
be refused.
=> Dixon/Ennis passed 6-2
---
An amendment was proposed by Cllr Frost, seconded by Cllr Green, to add a condition. On being
put to the vote the amendment was LOST. The substantive motion, proposed by Cllr Hart and
seconded by Cllr Ince, was then put and CARRIED.
=> Frost/Green failed
=> Hart/Ince passed
---
Cr Jones moved a motion, seconded by Cr Kelso, that Council write to the Minister. The motion
was put and carried unanimously.
=> Jones/Kelso passed | unanimous
---
Moved: Cr Lowe
Seconded: Cr Mack
1. That the report be noted; and
2. That a further report be provided.
For the Motion: Crs Lowe, Mack, Nott
Against the Motion: Cr Oram
The motion was CARRIED.
=> Lowe/Mack passed 3-1 | ayes Lowe, Mack, Nott | noes Oram
---
Ald. Price moved to suspend the rules. Ald. Quinn seconded. Upon roll call, all Aldermen present
voted aye. Motion carried.
=> Price/Quinn passed | unanimous
---
Roll was called and the vote was as follows: Rook, yes. Sands, yes. Teal, no. Motion carried.
=> -/- passed 2-1 | ayes Rook, Sands | noes Teal
---
ROLL CALL VOTE
Ulrich     Aye
Vaughn     Aye
Weston     No
Xiong      Absent
Motion Carried 2 Ayes, 1 Nay, 1 Absent
=> -/- passed 2-1 | ayes Ulrich, Vaughn | noes Weston | absent Xiong
---
Yarrow - aye, Zander - aye, Alston - nay, and Birch - aye. Chairman declared the motion carried.
=> -/- passed 3-1 | ayes Yarrow, Zander, Birch | noes Alston
---
Vote: Carver (yes), Dolan (yes), Estep (no), Fults (absent). Motion carried.
=> -/- passed 2-1 | ayes Carver, Dolan | noes Estep | absent Fults
---
Voting Yea: Council Member Gates, Council Member Hines
Voting Nay: Council Member Irons
Motion Carried
=> -/- passed 2-1 | ayes Gates, Hines | noes Irons
---
Motion by Ms. Jules, Seconded by Mr. Kopp.
In Favor: Jules, Kopp, Lentz
Opposed: None
Absent: Minor
Motion Carried.
=> Jules/Kopp passed 3-0 | ayes Jules, Kopp, Lentz | absent Minor
---
Board Action: Motion was made by Nolte and seconded by Ogden to approve the policy. Voting yes:
Nolte, Ogden, Pruitt, Quick. Voting no: Ruhl. Not voting: Storm. Motion carried 4-1.
=> Nolte/Ogden passed 4-1 | ayes Nolte, Ogden, Pruitt, Quick | noes Ruhl | abstain Storm
---
Moved by Tharp, seconded by Urban, that the application be approved. Carried. (Vining opposed)
=> Tharp/Urban passed | noes Vining
---
Ms. Weir made a motion to approve the minutes as amended. Mr. Yost seconded the motion and it
carried.
=> Weir/Yost passed
---
Mr. Zahn moved to approve. Mrs. Abbey seconded it. It passed unanimously.
=> Zahn/Abbey passed | unanimous
---
Councilwoman Boyd asked if the motion could be amended. Councilman Clegg, who made the motion,
agreed. The vote was then taken and the motion carried 4-3.
=> -/- passed 4-3
---
Moved by Member Drury, Second by Member Epps, to recommend approval to the City Council. YES:
Drury, Epps, Fiske NO: Gable. Motion carries 3 to 1.
=> Drury/Epps passed 3-1 | ayes Drury, Epps, Fiske | noes Gable
---
Chairperson Hatch called for a voice vote on the motion. All voted in favor. Motion carried.
=> -/- passed | unanimous
---
HEATH moved that the Board approve the claims. IRVIN seconded. Ayes: HEATH, IRVIN, JUDGE. Nays:
None. Motion carried.
=> HEATH/IRVIN passed 3-0 | ayes HEATH, IRVIN, JUDGE
---
A motion was made by K. Lamb, 2nd by M. Noble to pay bills in the amount of $1,204.55. Ayes:
Lamb, Noble, Otto. Motion Carried.
=> K. Lamb/M. Noble passed 3-0 | ayes Lamb, Noble, Otto
---
Motion/second by Peck/Quon to approve the minutes; motion carried with Reed abstaining.
=> Peck/Quon passed | abstain Reed
---
Moved by Stroud and supported by Tait. AYES: 7 NAYS: 0. Resolution declared adopted.
=> Stroud/Tait passed 7-0
---
The Council took the following action: Moved by Usher, seconded by Voll, adopted unanimously.
=> Usher/Voll passed | unanimous
---
Motion by Wade and second by Yount to approve the plat with the following vote: Yeas: Wade,
Yount, Zinn; Nays: Ash; Excused: Beck.
=> Wade/Yount unknown 3-1 | ayes Wade, Yount, Zinn | noes Ash | absent Beck
---
Mr. Coker seconded the motion made by Mr. Dill to approve the bid. Motion carried 3-0.
=> Dill/Coker passed 3-0
---
Upon the motion of Ms. Eddy and the second of Mr. Foy, the School Committee voted 6-0-1 (Ms.
Gill abstained) to approve the calendar.
=> Eddy/Foy passed 6-0 | abstain Gill
---
It was VOTED, on motion of Mr. Howe, seconded by Mr. Ide, to accept the gift. (Unanimous)
=> Howe/Ide passed | unanimous
---
The Selectboard unanimously approved a motion by Jewell, seconded by Kirk, to hire a clerk.
=> Jewell/Kirk passed | unanimous
---
M. Lyons made a motion to accept the minutes. N. Mabry seconded. Vote: 4 in favor, 0 opposed, 1
abstained (O. Nagle).
=> M. Lyons/N. Mabry passed 4-0 | abstain O. Nagle
---
MOTION TO APPROVE: Ostrom. SECOND: Pyle. ROLL CALL: Ostrom, Aye; Pyle, Aye; Quist, Nay. PASSED
2-1.
=> Ostrom/Pyle passed 2-1 | ayes Ostrom, Pyle | noes Quist
---
Motion: Councilor Rand
Second: Councilor Stow
In favor: 6
Opposed: 1 (Councilor Tran)
Result: Passed
=> Rand/Stow passed 6-1 | noes Tran
---
On motion of Unger seconded by Vitale, Resolution No. 88 was adopted on the following roll call
vote: Ayes: Unger, Vitale, Wynn. Noes: None. Absent: Yates.
=> Unger/Vitale passed 3-0 | ayes Unger, Vitale, Wynn | absent Yates
---
Councilmember Zapp indicated she would be voting no. Councilmember Arden moved adoption;
Councilmember Bloom seconded. Motion carried 4-1 with Zapp opposed.
=> Arden/Bloom passed 4-1 | noes Zapp
---
Moved by Ms. Crisp to approve the request for a waiver
Seconded by Mr. Doane
Approved 5 - 0 - 1, Mr. Elkins abstaining
=> Crisp/Doane passed 5-0 | abstain Elkins
---
Trustees voting aye: Ford, Grubb, Hoag. Trustees voting nay: Isom. Trustees absent: Joyce.
Motion carried.
=> -/- passed 3-1 | ayes Ford, Grubb, Hoag | noes Isom | absent Joyce
---
A motion was duly made by Director Kuhn, seconded by Director Leach and unanimously carried to
ratify the checks.
=> Kuhn/Leach passed | unanimous
---
MOTION: Director Marsh   SECOND: Director Nye   AYES: 5   NOES: 0   ABSENT: 0   MOTION PASSED
=> Marsh/Nye passed 5-0
---
Commissioner Ochoa made the motion. Commissioner Pike provided the second. All were in favor.
=> Ochoa/Pike passed | unanimous
---
It was unanimously RESOLVED to adopt the policy (proposed Cllr Stone; seconded Cllr Thorpe).
=> Stone/Thorpe passed | unanimous
---
There were 7 votes in favour, 4 against and 1 abstention. The motion was therefore CARRIED.
=> -/- passed 7-4
---
VOTING: For - 5; Against - 3; Abstain - 1. The motion was declared LOST for want of a two-thirds
majority.
=> -/- failed 5-3
---
Ms. Uhl moved the adoption of the following resolution; Mr. Vick seconded the motion; and the
roll being called, the vote thereon resulted as follows:
Mr. Vick, Aye; Ms. Uhl, Aye; Mr. Ward, Nay
Resolution 21-19 adopted.
=> Uhl/Vick passed 2-1 | ayes Vick, Uhl | noes Ward
---
CALL TO ORDER: Mayor Sykes called the meeting to order at 7:00 p.m.
ROLL CALL: Members present: Sykes, Tate, Unger, Voss. Absent: Wray.
PUBLIC COMMENT: John Price, 12 Elm Street, spoke in favor of the ordinance. Mary Cobb opposed
the rezoning.
Councilor Tate moved to adopt Ordinance 12. Councilor Unger seconded. Ayes: Sykes, Tate, Unger.
Nays: Voss. Ordinance 12 was adopted.
=> Tate/Unger passed 3-1 | ayes Sykes, Tate, Unger | noes Voss
---
Mrs. Dale stated that the Zoning Board of Appeals had voted 4-1 to deny the variance. Mr. Eads
said he supports the motion. Motion by Mr. Eads, seconded by Mrs. Dale to refer it back. Motion
carried.
=> Eads/Dale passed
---
Chief Fenn reported that the department responded to 42 calls. Two residents voted no on the
survey. Motion by Gore, second by Hite to accept the report. All ayes.
=> Gore/Hite passed | unanimous
---
Ms. Ivy asked for the yeas and nays. The yeas and nays were taken as follows:
YEAS: Messrs. Ivy, Jost, Kerr
NAYS: Mr. Lott
So the resolution was adopted.
=> -/- passed 3-1 | ayes Ivy, Jost, Kerr | noes Lott
---
MOTION:    Mead
SECOND:    Nash
AYES:      Mead, Nash, O'Dell, Pitt
NOES:      None
ABSENT:    Quay
ABSTAIN:   None
MOTION:    Carried
=> Mead/Nash passed 4-0 | ayes Mead, Nash, O'Dell, Pitt | absent Quay
---
Moved by R. St. Clair, seconded by S. Mc Donald to approve. Ayes: R. St. Clair, S. Mc Donald,
and T. Van Horn. Nays: None. Carried.
=> R. St. Clair/S. Mc Donald passed 3-0 | ayes R. St. Clair, S. Mc Donald, T. Van Horn
---
MOVED: Cr Ute      SECONDED: Cr Vane
That the recommendation be adopted.
CARRIED UNANIMOUSLY BY AN ABSOLUTE MAJORITY
=> Ute/Vane passed | unanimous
---
The motion to approve the budget failed on a tie vote, 3-3, with Members Webb, Yates, and Zorn
voting against.
=> -/- failed 3-3 | noes Webb, Yates, Zorn
---
Aldrich moved and Bly seconded to approve the bills. Motion carried.
Aldrich moved and Cody seconded to adjourn at 8:10. Motion carried.
=> Aldrich/Bly passed
=> Aldrich/Cody passed
---
Motion to approve the minutes made by Dow, seconded by Ely; motion carried 5-0, 2 absent (Foy,
Gee).
=> Dow/Ely passed 5-0 | absent Foy, Gee
---
Motion by Hall. Second by Ives. Discussion followed. Mr. Jay noted that the Fire District voted
last year to merge. Question called. Vote: all in favor, none opposed, motion carried.
=> Hall/Ives passed | unanimous
---
Upon a roll call vote, the following voted: Kane: yes, Lamb: yes, Mack: abstain, Nott: no. The
motion passed 2-1-1.
=> -/- passed 2-1 | ayes Kane, Lamb | noes Nott | abstain Mack
---
Commissioner Orr moved for approval with conditions 1-5, seconded by Commissioner Poe, passing
unanimously (6-0).
=> Orr/Poe passed 6-0
---
Quill moved; Rose seconded; unanimous.
=> Quill/Rose passed | unanimous
---
Motion to adjourn: Shaw/Tripp. Meeting adjourned at 9:15 p.m.
=> Shaw/Tripp unknown
---
It was moved by Trustee Upton and seconded by Trustee Vail that the bid of Wood Brothers, Inc.
be accepted. Roll call: Ayes-4, Nays-0, Absent-1. Motion carried.
=> Upton/Vail passed 4-0
---
2021-101  Moved by Wylie, seconded by Young
          That the minutes be adopted.        CARRIED
2021-102  Moved by Zuber, seconded by Adair
          That the fee be waived.             DEFEATED
=> Wylie/Young passed
=> Zuber/Adair failed
---
Cllr Bunce declared an interest and left the room. It was RESOLVED to approve the grant
(proposed by Cllr Cole, seconded by Cllr Dyer) with one abstention.
=> Cole/Dyer passed
---
On the motion of Senator Estes, seconded by Senator Fitch, the resolution was adopted by the
following vote: Yeas 11, nays 2, absent 1.
=> Estes/Fitch passed 11-2
---
Mr. Goff: Aye. Mr. Hood: Aye. Ms. Inge: Nay. Motion carried, 2 to 1.
=> -/- passed 2-1 | ayes Goff, Hood | noes Inge
---
The question was called by Councilman Jude. The vote on the question: Yes - 6, No - 1. Motion to
adopt by Kirk, second Long. Yes - 5, No - 2. Carried.
=> Kirk/Long passed 5-2
---
SELECTMEN'S MEETING  Motion Lyon/Mott to sign the payroll warrant, vote 3-0.
=> Lyon/Mott passed 3-0
---
APPROVED - Unanimous (Nott/Oaks)
=> Nott/Oaks passed | unanimous
---
Pace made a motion to pay the bills totaling $12,554.02. Quine seconded. AYE: all NAY: none.
Motion carried.
=> Pace/Quine passed ?-0 | unanimous
---
It was moved by Mr. Rudd, duly seconded by Mr. Slade and unanimously passed, that the report be
filed.
=> Rudd/Slade passed | unanimous
---
WHEREUPON, Commissioner Tripp moved, which motion was seconded by Commissioner Ulman, that the
order be approved. Voting AYE: Tripp, Ulman, Vetter. Voting NO: none. So ordered.
=> Tripp/Ulman passed 3-0 | ayes Tripp, Ulman, Vetter
---
Mr. Abel moved to appoint Jane Roe and John Doe to the Library Board. Ms. Bates seconded the
motion. Upon vote, Messrs. Abel, Cross and Ms. Bates voted aye. Motion carried.
=> Abel/Bates passed 3-0 | ayes Abel, Cross, Bates
---
The Board went into closed session on a motion by Dodd, seconded by Ellis. Ayes: 5; Nays: 0.
=> Dodd/Ellis passed 5-0
---
Motion was made to approve the bills by Fink and seconded by Grau. Motion carried.
=> Fink/Grau passed
---
It was moved to adjourn by Hobbs; seconded by Ingram. Carried.
=> Hobbs/Ingram passed
---
Jones moved that the meeting be adjourned. Kirby seconded the motion. The meeting was adjourned
at 8:30 p.m.
=> Jones/Kirby unknown
---
Councilmember Lane made a motion to approve the second reading of Bill No. 2021-15; second was
made by Councilmember Mann. Council voted as follows: Lane-aye, Mann-aye, Noel-nay, Orr-aye.
Motion passed by a 3-1 vote.
=> Lane/Mann passed 3-1 | ayes Lane, Mann, Orr | noes Noel
---
RESOLUTION 2021-44 was introduced by Councilman Peale, seconded by Councilwoman Quinn:
ROLL CALL VOTE: AYES: Peale, Quinn, Rand. NAYS: None. ABSENT: Stein.
=> Peale/Quinn passed 3-0 | ayes Peale, Quinn, Rand | absent Stein
---
Introduced by: Torres    Seconded by: Ulman
Roll Call: Torres yes, Ulman yes, Vance no
RESOLUTION ADOPTED
=> Torres/Ulman passed 2-1 | ayes Torres, Ulman | noes Vance
---
Offered by Legislator Wolfe; seconded by Legislator York.
Adopted: Ayes 14, Noes 1 (Zeller), Absent 2.
=> Wolfe/York passed 14-1 | noes Zeller
---
Mr. Ackley made a motion, Mr. Brill seconded the motion to approve the plan as submitted; and it
was unanimously approved.
=> Ackley/Brill passed | unanimous
---
Member Crane moved the staff recommendation. Member Drew seconded. The motion passed by roll
call vote: 5 yes (Crane, Drew, Ely, Fox, Gant) and 2 no (Hale, Ivey).
=> Crane/Drew passed 5-2 | ayes Crane, Drew, Ely, Fox, Gant | noes Hale, Ivey
---
Motion approved 5-1 (Jarvis dissenting). Motion: Kehoe; Second: Lang.
=> Kehoe/Lang passed 5-1 | noes Jarvis
---
Motion carried unanimously with the exception of Trustee Moss, who abstained.
=> -/- passed | abstain Moss
---
Trustee Nunn moved to accept the resignation of Fire Chief Otto. Trustee Page seconded. Trustee
Quill, yes. Trustee Nunn, yes. Trustee Page, yes. Motion carried.
=> Nunn/Page passed 3-0 | ayes Quill, Nunn, Page
---
On a motion from Roth and a second from Sabin, council approved the agenda 6 to 0.
=> Roth/Sabin passed 6-0
---
Thayer motioned to table the request until July 6th with a second from Upson. Unanimously
approved.
=> Thayer/Upson passed | unanimous
---
A motion by Vogel, second by Waite, that the rules be suspended. Yes votes: Vogel, Waite,
Yarrow. No votes: Zick. Motion carried.
=> Vogel/Waite passed 3-1 | ayes Vogel, Waite, Yarrow | noes Zick
---
Moved by Ames to approve. No second. Motion dies.
=> Ames/- died
---
Mr. Boone moved approval, 2nd by Mr. Carr, motion carried with Mr. Dix and Ms. Egan voting in
the negative.
=> Boone/Carr passed | noes Dix, Egan
---
THE MOTION CARRIED BY THE FOLLOWING VOTE: YEAS: FISK, GREER, HOYT; NAYS: NONE; ABSENT: IRISH.
=> -/- passed 3-0 | ayes FISK, GREER, HOYT | absent IRISH
---
Commissioner Jewett's motion to deny failed for lack of a second. Commissioner Kane moved to
approve, seconded by Commissioner Lowry; approved 4-1 (Jewett opposed).
=> Jewett/- died
=> Kane/Lowry passed 4-1 | noes Jewett
---
The Clerk called the roll: Marsh, aye; Nelson, aye; Odom, aye; Pratt, absent; Mayor Quist, aye.
The Mayor declared Resolution 55 duly adopted.
=> -/- passed 4-0 | ayes Marsh, Nelson, Odom, Quist | absent Pratt
---
Ms. Rowan moved, Mr. Sears seconded, and it was so voted, to approve the abatements.
=> Rowan/Sears passed
---
Motion 21-114: Tully/Usher: That the report of the Treasurer be received. Carried.
=> Tully/Usher passed
---
Vance, seconded by Wells, moved the previous question. Two-thirds having voted in the
affirmative, the motion carried.
=> Vance/Wells passed
---
It was agreed, on the proposition of Councillor Yeats, seconded by Councillor Adare, to write to
the Department.
=> Yeats/Adare passed
---
Councillor Brady proposed and Councillor Carey seconded the adoption of the Chief Executive's
report. Following a vote, the result was: For: 12, Against: 7, Abstentions: 1, Not present: 4.
The proposal was carried.
=> Brady/Carey passed 12-7
---
Moved by Deputy Mayor Doyle, That By-law 2021-9 be given third reading. In favour: Doyle, Ezra,
Flood. Opposed: Giles. MOTION CARRIED
=> Doyle/- passed 3-1 | ayes Doyle, Ezra, Flood | noes Giles
---
Motion by Councilor Aiken, seconded by Councilor Boyd, to accept the low bid of $45,200 from
Carr Paving, Inc. Roll call: Aiken, aye; Boyd, aye; Crane, aye; Dowd, nay. Motion carried 3-1.
=> Aiken/Boyd passed 3-1 | ayes Aiken, Boyd, Crane | noes Dowd
---
Director Estes moved to approve Resolution 2021-9 authorizing the General Manager to execute an
agreement with Ford, Grant & Hale LLP. Director Irwin seconded. AYES: Estes, Irwin, Jasper,
Kemp. NOES: None. ABSTAIN: Lyle. Motion carried.
=> Estes/Irwin passed 4-0 | ayes Estes, Irwin, Jasper, Kemp | abstain Lyle
---
Com. Mann made a motion to send a positive recommendation to the City Council for the rezone at
123 Main. Com. North seconded. Com. Ortega, Com. Mann, Com. North voted aye. Com. Platt voted
nay. The motion carried 3 to 1.
=> Mann/North passed 3-1 | ayes Ortega, Mann, North | noes Platt
---
Motion: Ms. Quay moved to approve the Student Handbook.
Second: Mr. Rhee
Discussion: None
Vote: Unanimous
=> Quay/Rhee passed | unanimous
---
C. Personnel. Motion by Sayre, seconded by Tull, to approve items 1-7 on the superintendent's
personnel report. Ayes - Sayre, Tull, Usher, Vogt. Nays - None. Carried.
=> Sayre/Tull passed 4-0 | ayes Sayre, Tull, Usher, Vogt
---
RESOLUTION #33-2021 Authorizing Tax Refunds
Motion by Committeeman Weir; second by Deputy Mayor Xenos.
Roll Call: Weir Y; Xenos Y; Yardley N; Mayor Zito Y
=> Weir/Xenos unknown 3-1 | ayes Weir, Xenos, Zito | noes Yardley
---
It was regularly moved by Abell, seconded by Bond, and carried that the bills be paid.
=> Abell/Bond passed
---
Moved by Castle, seconded by Dorn to approve the minutes. 5-0 carried.
=> Castle/Dorn passed 5-0
---
All Board members voted aye, except Mr. Kolb who voted nay, and the motion carried.
=> -/- passed | noes Kolb
---
Upon call of the roll, the vote was as follows:
Commissioner Lutz   -   Aye
Commissioner Mayer  -   Aye
Commissioner Nolan  -   Nay
The resolution was declared adopted.
=> -/- passed 2-1 | ayes Lutz, Mayer | noes Nolan
---
Moved by O'Hara, seconded by D'Angelo, to approve the de la Rosa variance. AYES: O'Hara,
D'Angelo, McKay, Van Dyke. NAYS: St. John. Carried.
=> O'Hara/D'Angelo passed 4-1 | ayes O'Hara, D'Angelo, McKay, Van Dyke | noes St. John
---
MOTION CARRIED (7-2). Yes: Sears, Toth, Uhl, Vick, Wade, Yoder, Zell. No: Alt, Bloch.
=> -/- passed 7-2 | ayes Sears, Toth, Uhl, Vick, Wade, Yoder, Zell | noes Alt, Bloch
---
VOTE: Ayes 3 (Irby, Jay, Knox) Noes 2 (Lamb, Moss) Motion carried
=> -/- passed 3-2 | ayes Irby, Jay, Knox | noes Lamb, Moss
---
The motion to adopt the plan was made by Pell, seconded by Quinn, and approved 6-0 with Rowe
recused.
=> Pell/Quinn passed 6-0 | recused Rowe
"""


@pytest.mark.parametrize(("excerpt", "votes"), cases(PLACES))
def test_the_votes_of_every_place_are_found(excerpt: str, votes: list[str]) -> None:
    assert [told(vote) for vote in extract_text([excerpt]).votes] == votes


MOVED = [case for case in cases(PLACES) if case[1] and not any("-/" in vote for vote in case[1])]


@pytest.mark.parametrize("place", range(0, len(MOVED) - 1, 2))
def test_a_vote_takes_nothing_from_the_one_before_it(place: int) -> None:
    pair = MOVED[place : place + 2]
    text = "\n\n".join(excerpt for excerpt, _ in pair)

    assert [told(vote) for vote in extract_text([text]).votes] == [
        vote for _, votes in pair for vote in votes
    ]


TALK = """
TOWN COUNCIL MINUTES
The Planning Board recommended approval by a 5-2 vote at its June meeting.
---
Mr. Ames said he would vote no if the motion came up again.
---
Councilor Bray asked whether the motion had passed in 2019 by a vote of 5-0.
---
The referendum passed 1,204 to 876 and the levy was approved by the voters.
---
Residents voting yes on the survey: Ames, Bray, Coyle. The results will be posted.
---
Senate Bill 12 passed the House 88-10 and goes to the Governor.
---
A. Ames seconded the concerns raised by Ms. Bray about traffic.
---
The Mayor moved his family to Ohio. He was seconded to the regional office by the State.
---
Present: Ames, Bray, Coyle. Absent: Dunn. Excused: Egan. Staff present: Foss, Clerk; Gray,
Attorney.
---
Members present and answering roll call: Ames-yes, Bray-yes, Coyle-here, Dunn-absent.
---
Roll Call
Ames     Present
Bray     Present
Coyle    Absent
---
The Board discussed the proposed motion to amend the bylaws. No action was taken.
---
Chair Foss explained that a motion to reconsider must be made by a member who voted on the
prevailing side.
---
The applicant, represented by Smith/Jones Architects, asked that the hearing be continued.
---
Public Hearing on Ordinance 22 was opened. Those speaking in favor: John Moss, Ann Nash. Those
opposed: Bill Orr.
---
The score was 5-0. The team carried the trophy home unanimously happy.
---
The Clerk reported the election results: Ward 1: Yes 412, No 288; Ward 2: Yes 300, No 310.
---
All members were present except Mr. Pike, who was excused. The minutes of June 4 were distributed.
---
Next meeting: May 5-6. Office hours 8-5. Items 3-4 were deferred to staff.
---
Mr. Quinn supports the budget; Mr. Rand opposed the tax increase and asked that it be withdrawn.
---
Commissioner Stone was absent. Commissioner Todd arrived at 7:10 p.m. Mr. Upton opposed the
project at the last meeting.
---
The contract was awarded to Voss and Sons in 2018 on a vote of 4-1.
---
Councilmember Webb thanked the staff for carrying out the motion passed last month.
---
Rule 12: Votes shall be by roll call. A motion carried by a two-thirds vote shall not be
reconsidered.
---
The committee will vote on whether to approve the grant; a majority of 5 yes votes is required.
"""


@pytest.mark.parametrize(("excerpt", "votes"), cases(TALK))
def test_talk_is_no_vote_and_adds_nothing_to_the_vote_before_it(
    excerpt: str, votes: list[str]
) -> None:
    vote = "Motion by Kerr, second by Lund to pay the bills. Motion carried 5-0."

    assert [told(each) for each in extract_text([excerpt]).votes] == votes == []
    assert [told(each) for each in extract_text([f"{vote}\n\n{excerpt}"]).votes] == [
        "Kerr/Lund passed 5-0"
    ]
