"""Pages of towns as they look: whose meeting it was, and no date made of two entries.

Each has the documents a person would expect: kind, day, body, and the end of the address.
"""
# ruff: noqa: E501 - pages have long lines

from __future__ import annotations

import httpx
import pytest
from test_layouts import listed

TOWN = "https://town.example/meetings"
Expected = list[tuple[str, str, str, str]]

PAGES: dict[str, tuple[str, str, Expected]] = {
    "minutes of another day in the same cell, and links that an editor left behind": (
        TOWN,
        """<h1>School Board</h1><table><tr><th>Meeting</th><th>Documents</th></tr><tr><td>January 16, 2024 Regular Meeting</td>
        <td><a href="a.pdf">Agenda</a><br><a href="m.pdf">Minutes of January 2, 2024</a></td></tr></table>
        <p><b>February 6, 2024</b><br><a href="a2.pdf">Agenda</a> <a href="m2.pdf">Minutes</a>
        <a href="2023-02-07-minutes.pdf" title="2023 02 07 Minutes"></a></p>""",
        [
            ("agendas", "2024-01-16", "School Board", "a.pdf"),
            ("agendas", "2024-02-06", "School Board", "a2.pdf"),
            ("minutes", "2024-01-02", "School Board", "m.pdf"),
            ("minutes", "2024-02-06", "School Board", "m2.pdf"),
        ],
    ),
    "days of an upload, an approval and of a meeting that was moved": (
        TOWN,
        """<h1>Minutes</h1><table><tr><th>Title</th><th>Date of Upload</th><th>Download</th></tr><tr>
        <td>Minutes of the 130th meeting of the Board of Approval held on January 16, 2024</td><td>March 4, 2024</td>
        <td><a href="130.pdf"><i class="fa fa-download"></i></a></td></tr></table><h1>Board of Appeals</h1><ul>
        <li><a href="b.pdf">Approved 2/6/2024 - Minutes 1/23/2024</a></li><li><a href="d.pdf">Approved 1/24/2024 Minutes</a></li>
        <li><a href="c.pdf">Rescheduled from January 29, 2024 – Agenda for January 30, 2024</a></li></ul>""",
        [
            ("agendas", "2024-01-30", "Board of Appeals", "c.pdf"),
            ("minutes", "2024-01-16", "Board of Approval", "130.pdf"),
            ("minutes", "2024-01-23", "Board of Appeals", "b.pdf"),
            ("minutes", "2024-01-24", "Board of Appeals", "d.pdf"),
        ],
    ),
    "numbers of months in the names of files, and bodies that are called by letters": (
        TOWN,
        """<p>The Town Board meets on Mondays, and the Planning Commission on Thursdays.</p><h2>Minutes</h2><h3>2024</h3>
        <table><tr><th>Month</th><th>PDF</th></tr><tr><td>February</td><td><a href="2_2024.pdf" title="Minutes of February"><img></a></td>
        </tr></table><p><a href="jan24.pdf">January</a> <a href="r.pdf">Annual Return 31 January 2024</a></p><p><a href="pc.pdf">2024-01-18 PC Minutes</a></p><p><a href="tb.pdf">2024-01-16TBM Minutes</a></p>""",
        [
            ("minutes", "2024-01-16", "Town Board", "tb.pdf"),
            ("minutes", "2024-01-18", "Planning Commission", "pc.pdf"),
            ("minutes", "None", "Town Board", "2_2024.pdf"),
            ("minutes", "None", "Town Board", "jan24.pdf"),
        ],
    ),
    "pages of minutes in cells that say only the day, and documents in the cell of the meeting": (
        TOWN,
        """<h1>Town Board Minutes</h1><h3>2024</h3><table><tr><td><a href="jan2.html">January 2nd</a></td>
        <td><a href="jan16.html">January 16th</a></td></tr></table><h1>Meetings</h1><table><tr><th>Date</th><th>Meeting</th>
        <th>Time</th></tr><tr><td>January 30, 2024</td><td>Annual Town Meeting (<a href="a.pdf">Agenda (pdf)</a>)</td>
        <td>7 p.m.</td></tr></table><h1>Agendas</h1><div>February 6, 2024 at 10:00:00 PM Regular Board Meeting
        <a href="b.pdf">Agenda</a></div>""",
        [
            ("agendas", "2024-01-30", "Town Board", "a.pdf"),
            ("agendas", "2024-02-06", "Town Board", "b.pdf"),
            ("minutes", "2024-01-02", "Town Board", "jan2.html"),
            ("minutes", "2024-01-16", "Town Board", "jan16.html"),
        ],
    ),
    "a column for other papers": (
        "https://www.mairie.fr/conseil",
        """<h1>Procès-verbaux du conseil municipal</h1><table><tr><th>Date</th><th>Procès-verbal</th><th>Liste des délibérations</th>
        </tr><tr><td>16 janvier 2024</td><td><a href="pv.pdf">Télécharger</a></td><td><a href="l.pdf">Télécharger</a></td></tr>
        </table>""",
        [("minutes", "2024-01-16", "conseil municipal", "pv.pdf")],
    ),
    "lines that end with their days": (
        "https://www.ajuntament.cat/plens",
        """<h1>Actes del Ple municipal</h1><p><b>Actes</b><br><a href="1.pdf">Acta</a> del 9 de gener de 2024<br><a href="2.pdf">Acta</a>
        del 16 de gener de 2024<br><a href="3.pdf"><img alt="Acta"></a> 23 de gener de 2024</p>""",
        [
            ("minutes", "2024-01-09", "Ple municipal", "1.pdf"),
            ("minutes", "2024-01-16", "Ple municipal", "2.pdf"),
            ("minutes", "2024-01-23", "Ple municipal", "3.pdf"),
        ],
    ),
    "buttons next to names, and documents without an ending": (
        "https://www.gemeinde.ch/gemeinderat",
        """<h1>Gemeinderat</h1><ul><li><a href="/_doc/5001">Protokoll der Sitzung vom 16. Januar 2024</a>
        <a href="/_doc/5001">Download</a></li><li><a href="e.pdf">Einladung und Traktanden Gemeindeversammlung vom
        17. Januar 2024</a></li></ul>""",
        [
            ("agendas", "2024-01-17", "Gemeindeversammlung", "e.pdf"),
            ("minutes", "2024-01-16", "Gemeinderat", "/_doc/5001"),
        ],
    ),
    "names of files below a year's end, with the day on which they were put there": (
        TOWN,
        """<h1>Town Board Minutes</h1><table><tr><th>Name</th><th>Size</th><th>Date</th></tr><tr>
        <td><a href="1.pdf">Dec 12</a></td><td>100 KB</td><td>January 11, 2024</td></tr><tr><td><a href="2.pdf">Jan 9</a></td>
        <td>90 KB</td><td>February 15, 2024</td></tr></table><h1>City Council</h1><ul><li>January 16, 2024
        <a href="a.pdf">Agenda, revised Jan 12</a> <a href="i.pdf">Item 1 - Minutes of January 2, 2024</a></li></ul>""",
        [
            ("agendas", "2024-01-16", "City Council", "a.pdf"),
            ("minutes", "2023-12-12", "Town Board", "1.pdf"),
            ("minutes", "2024-01-09", "Town Board", "2.pdf"),
        ],
    ),
    "views below kinds, that a handler of documents gives out": (
        TOWN,
        """<h1>Meetings</h1><table><tr><th>Title</th><th>Date</th><th>Agenda</th><th>Minutes</th></tr><tr>
        <td>Board of Commissioners</td><td>1/16/2024 6:00 PM</td><td><a href="/document/center.egov?view=item;id=901">View</a></td>
        <td><a href="/document/center.egov?view=item;id=905">View</a></td></tr></table>""",
        [
            ("agendas", "2024-01-16", "Board of Commissioners", "id=901"),
            ("minutes", "2024-01-16", "Board of Commissioners", "id=905"),
        ],
    ),
    "a meeting of all citizens, and a committee of a Danish town": (
        "https://www.gemeinde.ch/versammlung",
        """<h1>Versammlung</h1><ul><li><a href="e.pdf">Einladung zur Gemeindeversammlung vom 16. Januar 2024</a></li>
        </ul><h1>Økonomiudvalget</h1><ul><li>17. januar 2024 <a href="r.pdf">Referat</a></li></ul>""",
        [
            ("agendas", "2024-01-16", "Gemeindeversammlung", "e.pdf"),
            ("minutes", "2024-01-17", "Økonomiudvalget", "r.pdf"),
        ],
    ),
    "a day in the text of another link, and one of the first of two days": (
        TOWN,
        """<h1>City Council</h1><table><tr><th>Date</th><th>Video</th><th>Agenda</th></tr><tr><td>1/9/2024</td>
        <td><a href="https://video.example/1">Part 1 (1/9/2024)</a> <a href="https://video.example/2">Part 2 (1/10/2024)</a></td>
        <td><a href="1.pdf">PDF</a></td></tr></table><table><tr><td>1/23/2024</td>
        <td><a href="https://video.example/3">Part 2 (1/24/2024)</a></td><td><a href="2.pdf">Agenda</a></td></tr></table>
        <ul><li>Feb. 29 – Mar. 1, 2024: <a href="3.pdf">Agenda</a></li></ul>""",
        [
            ("agendas", "2024-01-09", "City Council", "1.pdf"),
            ("agendas", "2024-01-23", "City Council", "2.pdf"),
            ("agendas", "2024-02-29", "City Council", "3.pdf"),
        ],
    ),
    "short years behind the day, and registers below minutes": (
        "https://www.hall.org/minutes",
        """<h1>Parish Council Minutes</h1><ul><li><a href="1.pdf">23/01/24</a></li><li><a href="2.pdf">06/02/24</a></li>
        <li><a href="3.pdf">Cheque Register 06/02/24</a></li></ul>""",
        [
            ("minutes", "2024-01-23", "Parish Council", "1.pdf"),
            ("minutes", "2024-02-06", "Parish Council", "2.pdf"),
        ],
    ),
    "links that say nothing, each behind the name of its document": (
        TOWN,
        """<h1>Planning Board</h1><p>The minutes of the January 9, 2024 meeting are <a href="m.pdf">here</a>. The agenda for the
        meeting on February 13, 2024 is <a href="a.pdf">here</a>.</p><table><tr><td>March 12, 2024</td>
        <td>Agenda (<a href="1.html">HTML</a>) (<a href="2.pdf">PDF</a>)</td><td>Minutes (<a href="3.pdf">PDF</a>)</td></tr></table>
        <div><div><b>Date:</b> 04/09/2024</div><div><b>Agenda:</b> <a href="4.pdf">View</a></div><div><b>Minutes:</b>
        <a href="5.pdf">View</a></div></div>""",
        [
            ("agendas", "2024-02-13", "Planning Board", "a.pdf"),
            ("agendas", "2024-03-12", "Planning Board", "2.pdf"),
            ("agendas", "2024-04-09", "Planning Board", "4.pdf"),
            ("minutes", "2024-01-09", "Planning Board", "m.pdf"),
            ("minutes", "2024-03-12", "Planning Board", "3.pdf"),
            ("minutes", "2024-04-09", "Planning Board", "5.pdf"),
        ],
    ),
    "centred titles, bold years and breaks, as before style sheets": (
        TOWN,
        """<center><font size=5><b>Oak City Council Minutes</b></font></center><table><tr><td><font><b>2024</b></font><br>
        <a href="1.pdf"><font>January 9</font></a><br><a href="2.pdf">January 23</a><br><br><b>2023</b><br>
        <a href="3.pdf">December 12</a></td></tr></table>""",
        [
            ("minutes", "2023-12-12", "Oak City Council", "3.pdf"),
            ("minutes", "2024-01-09", "Oak City Council", "1.pdf"),
            ("minutes", "2024-01-23", "Oak City Council", "2.pdf"),
        ],
    ),
    "tabs that are called by kinds": (
        TOWN,
        """<h1>Village Council</h1><ul><li><a href="#t1">Agendas</a></li><li><a href="#t2">Minutes</a></li></ul>
        <div id="t1"><p><a href="1.pdf">January 9, 2024</a></p></div><div id="t2"><p><a href="2.pdf">January 9, 2024</a></p></div>""",
        [
            ("agendas", "2024-01-09", "Village Council", "1.pdf"),
            ("minutes", "2024-01-09", "Village Council", "2.pdf"),
        ],
    ),
    "Finnish, Welsh and Polish words for documents, and a summary of something else": (
        "https://www.kunta.fi/kokoukset",
        """<h1>Kunnanhallitus</h1><p>9.1.2024 <a href="1.pdf">Esityslista</a> <a href="2.pdf">Pöytäkirja</a></p>
        <h1>Cyngor Cymuned</h1><p>10.1.2024 <a href="3.pdf">Cofnodion</a></p><h1>Rada Gminy</h1><p>11.1.2024
        <a href="4.pdf">Porządek obrad</a></p><p><a href="5.pdf">Budget Summary 12.1.2024</a></p>""",
        [
            ("agendas", "2024-01-09", "Kunnanhallitus", "1.pdf"),
            ("agendas", "2024-01-11", "Rada Gminy", "4.pdf"),
            ("minutes", "2024-01-09", "Kunnanhallitus", "2.pdf"),
            ("minutes", "2024-01-10", "Cyngor Cymuned", "3.pdf"),
        ],
    ),
    "columns with days of approval and with deadlines": (
        TOWN,
        """<h1>Library Board</h1><table><tr><th>Meeting Date</th><th>Agenda</th><th>Date of Approval</th><th>Minutes</th></tr>
        <tr><td>1/9/2024</td><td><a href="a.pdf">Agenda</a></td><td>2/13/2024</td><td><a href="m.pdf">Minutes</a></td></tr></table>
        <h2>Design Commission</h2><h3>Design Commission Calendar 2024</h3><table><tr><th>Submission Deadline</th><th>Meeting Date</th></tr>
        <tr><td>Thursday, December 14, 2023</td><td><a href="d.pdf">Tuesday, January 16 Agenda</a></td></tr></table>""",
        [
            ("agendas", "2024-01-09", "Library Board", "a.pdf"),
            ("agendas", "2024-01-16", "Design Commission", "d.pdf"),
            ("minutes", "2024-01-09", "Library Board", "m.pdf"),
        ],
    ),
    "a column for each meeting": (
        TOWN,
        """<h1>Parks Commission</h1><table><tr><th></th><th>Jan 9, 2024</th><th>Feb 13, 2024</th></tr>
        <tr><th>Agenda</th><td><a href="a1.pdf">PDF</a></td><td><a href="a2.pdf">PDF</a></td></tr>
        <tr><th>Minutes</th><td><a href="m1.pdf">PDF</a></td><td>not yet</td></tr></table>""",
        [
            ("agendas", "2024-01-09", "Parks Commission", "a1.pdf"),
            ("agendas", "2024-02-13", "Parks Commission", "a2.pdf"),
            ("minutes", "2024-01-09", "Parks Commission", "m1.pdf"),
        ],
    ),
    "dates that begin with the day, on a host of no country": (
        "https://www.shire.com/minutes",
        """<h1>Council Minutes</h1><ul><li><a href="1.pdf">Minutes 23/01/2024</a></li>
        <li><a href="2.pdf">Minutes 06/02/2024</a></li></ul>""",
        [
            ("minutes", "2024-01-23", "Council", "1.pdf"),
            ("minutes", "2024-02-06", "Council", "2.pdf"),
        ],
    ),
    "months alone, and a folder that is called by its kind": (
        TOWN,
        """<h1>Cemetery Board</h1><h2>2024 Minutes</h2><p><a href="jan.pdf">January</a></p><h2>Resources</h2>
        <p><a href="/files/minutes/3.pdf">March 4, 2024</a> <a href="/files/maps/4.pdf">March 5, 2024</a></p>""",
        [
            ("minutes", "2024-03-04", "Cemetery Board", "minutes/3.pdf"),
            ("minutes", "None", "Cemetery Board", "jan.pdf"),
        ],
    ),
    "atas of a Portuguese town, and meetings of a German council": (
        "https://www.camara.pt/atas",
        """<h1>Câmara Municipal</h1><h2>Atas 2024</h2><ul><li><a href="1.pdf">Ata n.º 1 - 09/01/2024</a></li></ul>
        <h1>Sitzungen des Gemeinderats</h1><p>06.02.2024 <a href="2.pdf">Niederschrift</a></p>""",
        [
            ("minutes", "2024-01-09", "Câmara Municipal", "1.pdf"),
            ("minutes", "2024-02-06", "Gemeinderats", "2.pdf"),
        ],
    ),
    "an article with sections of both kinds": (
        TOWN,
        """<article><h1>Select Board Agendas &amp; Minutes</h1><h2>Agendas</h2>
        <div><a href="a.pdf">3-23-24</a><a href="a.pdf">Download</a></div><h2>Minutes</h2>
        <div><a href="m.pdf">3-9-24</a><a href="m.pdf">Download</a></div></article>""",
        [
            ("agendas", "2024-03-23", "Select Board", "a.pdf"),
            ("minutes", "2024-03-09", "Select Board", "m.pdf"),
        ],
    ),
    "a bulletin below the agenda of another day": (
        "https://www.commune.fr/conseil",
        """<main><h1>Conseil municipal</h1><h2>Ordres du jour</h2><ul>
        <li><a href="o.pdf">Séance du 25 septembre 2024</a></li></ul>
        <p><a href="b.pdf">Bulletin municipal janvier 2024</a></p></main>""",
        [("agendas", "2024-09-25", "Conseil municipal", "o.pdf")],
    ),
    "notices of other things in German": (
        "https://www.gemeinde.de/rat",
        """<main><h1>Gemeinderat</h1><h2>Bekanntmachungen</h2><ul>
        <li><a href="s.pdf">Bekanntmachung der Sitzung am 14.05.24</a></li>
        <li><a href="p.pdf">Bekanntmachung Bebauungsplan Nr. 7 vom 02.05.24</a></li>
        <li><a href="h.pdf">Hundesteuersatzung vom 01.01.2020</a></li></ul></main>""",
        [("agendas", "2024-05-14", "Gemeinderat", "s.pdf")],
    ),
    "cards of blocks that name the body": (
        TOWN,
        """<h2>Meetings</h2><div class="c"><div><span>Mar</span> <span>17</span> <span>2024</span></div>
        <div>Planning Commission</div><div><a href="/media/1">Agenda</a></div></div>
        <div class="c"><div><span>Mar</span> <span>4</span> <span>2024</span></div>
        <div>City Council</div><div><a href="/media/2">Agenda</a></div></div>""",
        [
            ("agendas", "2024-03-04", "City Council", "/media/2"),
            ("agendas", "2024-03-17", "Planning Commission", "/media/1"),
        ],
    ),
    "a board that the title calls by its whole name, and one in capitals": (
        TOWN,
        """<h2>Town Board Minutes</h2><p><a href="b.pdf">January 9, 2024 Regular Board Meeting</a></p>
        <h3>EDA</h3><p><a href="e.pdf">8/20/24 Minutes</a></p>""",
        [
            ("minutes", "2024-01-09", "Town Board", "b.pdf"),
            ("minutes", "2024-08-20", "EDA", "e.pdf"),
        ],
    ),
    "tabs of years that lead to their panels": (
        TOWN,
        """<h1>City Council Agendas</h1><ul><li><a href="#a">2024</a></li><li><a href="#b">2023</a></li>
        </ul><div id="a"><p><a href="1.pdf">March 4</a></p><p><a href="2.pdf">March 18</a></p></div>
        <div id="b"><p><a href="3.pdf">March 5</a></p></div>""",
        [
            ("agendas", "2023-03-05", "City Council", "3.pdf"),
            ("agendas", "2024-03-04", "City Council", "1.pdf"),
            ("agendas", "2024-03-18", "City Council", "2.pdf"),
        ],
    ),
    "days below a year and a month": (
        TOWN,
        """<h1>Selectboard</h1><h2>2024</h2><h3>February</h3><p>3 - <a href="1.pdf">Agenda</a><br>
        18 - <a href="2.pdf">Agenda</a>, <a href="3.pdf">Minutes</a></p>""",
        [
            ("agendas", "2024-02-03", "Selectboard", "1.pdf"),
            ("agendas", "2024-02-18", "Selectboard", "2.pdf"),
            ("minutes", "2024-02-18", "Selectboard", "3.pdf"),
        ],
    ),
    "a folder's name behind the last entry of another": (
        TOWN,
        """<div><div>2024 City Council Agendas</div><div><a href="1.pdf">August 21</a></div>
        <div><a href="2.pdf">September 18</a></div></div><div><div>2023 City Council Minutes</div>
        <div><a href="3.pdf">August 15</a></div></div>""",
        [
            ("agendas", "2024-08-21", "City Council", "1.pdf"),
            ("agendas", "2024-09-18", "City Council", "2.pdf"),
            ("minutes", "2023-08-15", "City Council", "3.pdf"),
        ],
    ),
    "years in paragraphs, and a sort of meeting with its subject": (
        TOWN,
        """<h2>Town Board Agendas</h2><p>2024</p><p><a href="1.pdf">January 14</a> |
        <a href="2.pdf">February 11</a></p><p>2023</p><p><a href="3.pdf">April 22 - Special (Budget)</a></p>""",
        [
            ("agendas", "2023-04-22", "Town Board", "3.pdf"),
            ("agendas", "2024-01-14", "Town Board", "1.pdf"),
            ("agendas", "2024-02-11", "Town Board", "2.pdf"),
        ],
    ),
    "years of a council, a board of hearings, commissioners": (
        "https://www.parish.wales/minutes",
        """<h1>Commissioner Meetings</h1><h2>Zoning Hearing Board Minutes</h2>
        <p><a href="z.pdf">1/2/2024</a></p><details><summary>Planning Committee 2024/25</summary>
        <p>14/05/24 <a href="p.pdf">Minutes</a></p></details>""",
        [
            ("minutes", "2024-02-01", "Zoning Hearing Board", "z.pdf"),
            ("minutes", "2024-05-14", "Planning Committee", "p.pdf"),
        ],
    ),
    "a packet in another paragraph of the agenda's row": (
        TOWN,
        """<h1>Water Board</h1><table><tr><td>September 9, 2024</td><td><p><a href="a.pdf">Amended Agenda</a></p>
        <p><a href="p.pdf">Board Packet</a></p></td></tr></table>""",
        [("agendas", "2024-09-09", "Water Board", "a.pdf")],
    ),
    "codes of files, and words in Spanish and Portuguese": (
        "https://www.ciudad.mx/actas",
        """<h1>Concejo Municipal</h1><ul><li><a href="1.pdf">CC-AG-08-05-24</a></li></ul><h2>Minutas</h2><ul>
        <li><a href="2.pdf">26 de febrero de 2024</a></li></ul><h2>Pautas</h2><ul>
        <li><a href="3.pdf">12/05/2024</a></li></ul>""",
        [
            ("agendas", "2024-05-08", "Concejo Municipal", "1.pdf"),
            ("agendas", "2024-05-12", "Concejo Municipal", "3.pdf"),
            ("minutes", "2024-02-26", "Concejo Municipal", "2.pdf"),
        ],
    ),
    "documents that scripts of links and buttons open": (
        TOWN,
        """<h1>City Council</h1><div><h4>Regular Meeting - June 9, 2024</h4>
        <button onclick="location.href='/docs/a.pdf'">Agenda</button>
        <a href="javascript:window.open('/docs/m.pdf')">Minutes</a></div>""",
        [
            ("agendas", "2024-06-09", "City Council", "a.pdf"),
            ("minutes", "2024-06-09", "City Council", "m.pdf"),
        ],
    ),
    "a packet in a paragraph below the title of the meeting, and files by number": (
        TOWN,
        """<h1>Board of Directors</h1><p><strong>May 20, 2024 7.30pm</strong></p><p><a href="/download.php?id=1">Agenda</a></p>
        <p><a href="/download.php?id=2">Board Packet</a></p><p><a href="/download.php?id=3">Minutes</a></p>
        <table><tr><td>DDA</td><td><a href="d.pdf">4/15/24 agenda</a></td></tr></table>""",
        [
            ("agendas", "2024-04-15", "DDA", "d.pdf"),
            ("agendas", "2024-05-20", "Board of Directors", "id=1"),
            ("minutes", "2024-05-20", "Board of Directors", "id=3"),
        ],
    ),
    "rows that name the body of the rows below": (
        TOWN,
        """<h1>Meeting Documents</h1><table><tr><td><b>Town Council</b></td><td></td></tr>
        <tr><td>2/18/2024</td><td><a href="1.pdf">Agenda</a></td></tr>
        <tr><td><b>Planning Commission</b></td><td></td></tr>
        <tr><td>2/12/2024</td><td><a href="2.pdf">Agenda</a></td></tr></table>""",
        [
            ("agendas", "2024-02-12", "Planning Commission", "2.pdf"),
            ("agendas", "2024-02-18", "Town Council", "1.pdf"),
        ],
    ),
    "a paragraph as the title of a list": (
        TOWN,
        """<h3>Boards</h3><ul><li><a href="/drb">Development Review Board</a></li></ul>
        <h1>Conservation Commission</h1><p>Minutes:</p><ul><li><a href="1.pdf">5/13/2024 (draft)</a></li></ul>""",
        [("minutes", "2024-05-13", "Conservation Commission", "1.pdf")],
    ),
    "a meeting of two days, and one that a sentence tells of": (
        TOWN,
        """<h1>Minutes</h1><ul><li><a href="1.pdf">Plan Commission June 10 and June 11, 2024</a></li></ul>
        <p>The Park Board meets Tuesday, March 12, 2024. <a href="2.pdf">Agenda</a></p>""",
        [
            ("agendas", "2024-03-12", "Park Board", "2.pdf"),
            ("minutes", "2024-06-10", "Plan Commission", "1.pdf"),
        ],
    ),
    "pictures that say what they lead to": (
        "https://www.cm-vila.pt/reunioes",
        """<h1>Reuniões da Câmara Municipal</h1><table><tr><td>Wed 8/5/2024</td><td><a href="1.pdf"><img alt="Agenda"></a></td>
        <td><a href="2.pdf"><img alt="Minutes"></a></td></tr></table>""",
        [
            ("agendas", "2024-05-08", "Câmara Municipal", "1.pdf"),
            ("minutes", "2024-05-08", "Câmara Municipal", "2.pdf"),
        ],
    ),
    "titles of sections, and an application that names a day": (
        TOWN,
        """<main><article><section><h2>Township Board Minutes</h2><h3>2024</h3>
        <p><a href="1.pdf">January 9</a></p><h3>2023</h3><p><a href="2.pdf">December 12</a></p>
        </section><section><h2>Planning Commission Minutes</h2><h3>2024</h3>
        <p><a href="3.pdf">January 23</a></p></section><section><h2>Forms</h2>
        <p><a href="f.pdf">Land Division Application, rev. March 4, 2022</a></p></section></article></main>""",
        [
            ("minutes", "2023-12-12", "Township Board", "2.pdf"),
            ("minutes", "2024-01-09", "Township Board", "1.pdf"),
            ("minutes", "2024-01-23", "Planning Commission", "3.pdf"),
        ],
    ),
    "links without a text that an editor left behind": (
        TOWN,
        """<h1>Board of Trustees</h1><p><b>February 15, 2024 - Regular Meeting</b><br>
        <a href="m24.pdf">Minutes</a><a href="m23.pdf" title="Minutes"></a></p>
        <p><b>February 14, 2023 - Regular Meeting</b><br><a href="m23.pdf">Minutes</a></p>""",
        [
            ("minutes", "2023-02-14", "Board of Trustees", "m23.pdf"),
            ("minutes", "2024-02-15", "Board of Trustees", "m24.pdf"),
        ],
    ),
    "files without a name, whose links are days": (
        TOWN,
        """<h1>Minutes</h1><nav><a href="/select-board">Select Board</a></nav><details><summary>2025</summary>
        <ul><li><a href="/media/1201">October 6, 2025</a> <small>Approved October 20, 2025</small></li></ul>
        </details><h2>Photographs</h2><ul><li><a href="/media/77">May 3, 2025</a></li></ul>""",
        [("minutes", "2025-10-06", "Select Board", "/media/1201")],
    ),
    "a table of months and years whose links are days": (
        TOWN,
        """<h2>Village Board Minutes</h2><table><tr><th></th><th>2023</th><th>2024</th></tr><tr><td>January</td>
        <td><a href="a.pdf">9</a></td><td><a href="b.pdf">8</a> <a href="c.pdf">22 (special)</a></td></tr></table>""",
        [
            ("minutes", "2023-01-09", "Village Board", "a.pdf"),
            ("minutes", "2024-01-08", "Village Board", "b.pdf"),
            ("minutes", "2024-01-22", "Village Board", "c.pdf"),
        ],
    ),
    "cards that begin with a day, whose year only programs see": (
        TOWN,
        """<h1>City Council Meetings</h1><ul><li><time datetime="2025-10-13T18:00">Mon <b>13</b> Oct</time>
        <h3>Regular Meeting</h3><p><a href="a.pdf">Agenda</a><a href="m.pdf">Minutes</a></p></li>
        <li><time datetime="2025-09-22T18:00">Mon <b>22</b> Sep</time><h3>Work Session</h3>
        <p><a href="w.pdf">Agenda</a></p></li></ul>""",
        [
            ("agendas", "2025-09-22", "City Council", "w.pdf"),
            ("agendas", "2025-10-13", "City Council", "a.pdf"),
            ("minutes", "2025-10-13", "City Council", "m.pdf"),
        ],
    ),
    "pages of files, and buttons that hand them out": (
        TOWN,
        """<h1>Agendas and Minutes</h1><table><tr><th>Title</th><th>Category</th><th>Update Date</th><th>Download</th></tr>
        <tr><td><a href="/download/cc-agenda/">City Council Agenda</a> October 14, 2025</td><td>City Council</td>
        <td>October 10, 2025</td><td><a href="/download/cc-agenda/?wpdmdl=44&refresh=6">Download</a></td></tr></table>""",
        [("agendas", "2025-10-14", "City Council", "/download/cc-agenda/?wpdmdl=44&refresh=6")],
    ),
    "files of other makers of web sites": (
        TOWN,
        """<h1>School Board</h1><h2>2024-2025 School Year</h2><ul>
        <li>August 19: <a href="/fs/resource-manager/view/a1">Agenda</a></li>
        <li>January 13: <a href="/LinkClick.aspx?fileticket=b2">Minutes</a></li>
        <li>January 6: <a href="/civicax/filebank/blobdload.aspx?BlobID=3">Minutes</a></li>
        <li>June 2: <a href="/DocumentCenter/Home/View/4">Minutes</a></li></ul>""",
        [
            ("agendas", "2024-08-19", "School Board", "/view/a1"),
            ("minutes", "2025-01-06", "School Board", "BlobID=3"),
            ("minutes", "2025-01-13", "School Board", "fileticket=b2"),
            ("minutes", "2025-06-02", "School Board", "/View/4"),
        ],
    ),
    "remarks of later days in links": (
        TOWN,
        """<h1>City Council</h1><div><div><div>10.06.25</div><div>Council meeting</div><div><a href="a.pdf">Agenda</a> ·
        <a href="b.pdf">Agenda (rev. 10.03.25)</a> · <a href="m.pdf">Minutes (approved 10.20.25)</a></div></div></div>""",
        [
            ("agendas", "2025-10-06", "City Council", "a.pdf"),
            ("agendas", "2025-10-06", "City Council", "b.pdf"),
            ("minutes", "2025-10-06", "City Council", "m.pdf"),
        ],
    ),
    "a committee that is called by papers": (
        TOWN,
        """<h1>Agendas and Minutes</h1><h2>2024 Agendas</h2><ul>
        <li><a href="a.pdf">Ordinance Review Committee January 16</a></li>
        <li><a href="b.pdf">Warrant Committee, February 6</a></li>
        <li><a href="o.pdf">Ordinance 2024-05, January 16</a></li></ul>""",
        [
            ("agendas", "2024-01-16", "Ordinance Review Committee", "a.pdf"),
            ("agendas", "2024-02-06", "Warrant Committee", "b.pdf"),
        ],
    ),
    "a Dutch list of decisions": (
        "https://www.gemeente.nl/raad",
        """<h1>Vergaderingen gemeenteraad</h1><ul>
        <li><a href="b.pdf">Besluitenlijst gemeenteraad 20 maart 2024 (pdf, 88 kB)</a></li>
        <li><a href="j.pdf">Jaarverslag 2023</a></li></ul>""",
        [("minutes", "2024-03-20", "gemeenteraad", "b.pdf")],
    ),
    "years of parish councils, which begin in May": (
        "https://www.parish.org.uk/minutes",
        """<h1>Minutes 2023-24</h1><ul><li><a href="may.pdf">Annual Meeting of the Parish Council 10 May</a></li>
        <li><a href="jan.pdf">Planning Committee 24 January</a></li></ul>""",
        [
            ("minutes", "2023-05-10", "Parish Council", "may.pdf"),
            ("minutes", "2024-01-24", "Planning Committee", "jan.pdf"),
        ],
    ),
    "the year of a series before a whole date": (
        "https://www.camara.sp.gov.br/atas",
        """<h1>Atas - Câmara Municipal</h1><a href="1.pdf">Ata da 1ª Sessão de 2024 - 05/02/2024</a>""",
        [("minutes", "2024-02-05", "Câmara Municipal", "1.pdf")],
    ),
    "a year and a day in one text, below the day of the next meeting": (
        "https://www.village.org.uk/council",
        """<h1>Full Council</h1><p><b>Next Meeting - Monday 4th March 2024</b></p><table>
        <tr><td><a href="1.pdf">2024 Agenda - 5th February.pdf</a></td><td></td></tr><tr><td>No Council Meeting in August</td><td></td></tr>
        <tr><td><a href="2.pdf">2023 Agenda - 3rd July.pdf</a></td><td><a href="3.pdf">2023 Minutes 3rd July.pdf</a></td></tr></table>""",
        [
            ("agendas", "2023-07-03", "Full Council", "2.pdf"),
            ("agendas", "2024-02-05", "Full Council", "1.pdf"),
            ("minutes", "2023-07-03", "Full Council", "3.pdf"),
        ],
    ),
    "papers with the day on which they were adopted, and a late report": (
        "https://www.kommun.se/protokoll",
        """<h1>Kommunstyrelsens protokoll</h1><ul><li><a href="1.pdf">15 januari 2024</a></li>
        <li><a href="2.pdf">Reglemente antaget 2022-11-28</a></li></ul><h2>Documents</h2><ul>
        <li><a href="3.pdf">PLU, 4 mars 2020</a></li></ul><h1>Council</h1><table><tr><th>Date</th><th>Open agenda</th></tr><tr>
        <td>31 Jan 2024</td><td><a href="4.pdf">Agenda</a> <a href="5.pdf">Late report</a></td></tr></table>""",
        [
            ("agendas", "2024-01-31", "Council", "4.pdf"),
            ("minutes", "2024-01-15", "Kommunstyrelsens", "1.pdf"),
        ],
    ),
    "a column for each body, and one that did not meet": (
        TOWN,
        """<h2>2023 Meeting Minutes</h2><table><tr><th>Month</th><th>Board of Supervisors</th><th>Planning Commission</th>
        <th>Park Board</th></tr><tr><td>January</td><td><a href="b3.pdf">3 (Reorg.)</a>, <a href="b17.pdf">17</a></td>
        <td><a href="p11.pdf">11</a></td><td>No meeting</td></tr></table>""",
        [
            ("minutes", "2023-01-03", "Board of Supervisors", "b3.pdf"),
            ("minutes", "2023-01-11", "Planning Commission", "p11.pdf"),
            ("minutes", "2023-01-17", "Board of Supervisors", "b17.pdf"),
        ],
    ),
    "addresses in those of a counter of clicks and of a viewer": (
        TOWN,
        """<h1>Township Board Minutes</h1><p><a href="https://www.google.com/url?q=https%3A%2F%2Fdrive.google.com%2Ffile%2Fd%2Fab1%2Fview&amp;sa=D">December 13,
        2023</a></p><h3>January 10, 2024</h3><iframe src="https://docs.google.com/viewer?url=https%3A%2F%2Ftown.example%2Fjan.pdf&amp;embedded=true"></iframe>""",
        [
            ("minutes", "2023-12-13", "Township Board", "/ab1/view"),
            ("minutes", "2024-01-10", "Township Board", "town.example/jan.pdf"),
        ],
    ),
    "Catalan calls, Austrian records, Dutch reports, and French minutes of several councils": (
        "https://www.poble.cat/plens",
        """<h1>Convocatòries de Plens</h1><h3>Convocatòries 2023</h3><p><a href="1.pdf">02. 17 d'abril</a></p>
        <h1>Gemeinderat</h1><p><a href="2.pdf">Verhandlungsschrift über die 12. Sitzung des Gemeinderates am 18. Jänner 2024</a></p>
        <h1>Commissie Ruimte</h1><h2>11 januari 2024</h2><ul><li><a href="3.pdf">Verslag (pdf)</a></li></ul>
        <h1>Les conseils municipaux</h1><p><a href="4.pdf">CR du vendredi 12 janvier 2024 (PDF / 88 Ko)</a></p>
        <h1>Consiglio Comunale</h1><p><a href="5.pdf">Convocazione Consiglio Comunale del 30 gennaio 2024</a></p>
        <h1>Ayuntamiento en Pleno</h1><h2>Actas</h2><h3>Sesión Extraordinaria. Organización</h3><p>27-06-2023 <a href="6.pdf">Descargar</a></p>""",
        [
            ("agendas", "2023-04-17", "Plens", "1.pdf"),
            ("agendas", "2024-01-30", "Consiglio Comunale", "5.pdf"),
            ("minutes", "2023-06-27", "Ayuntamiento en Pleno", "6.pdf"),
            ("minutes", "2024-01-11", "Commissie Ruimte", "3.pdf"),
            ("minutes", "2024-01-12", "conseil municipal", "4.pdf"),
            ("minutes", "2024-01-18", "Gemeinderates", "2.pdf"),
        ],
    ),
    "bodies that a section is called by, and bare boards of a page": (
        "https://www.coco.ie/minutes",
        """<title>Minutes - Corrib County Council</title><h1>Minutes</h1><h2>Municipal District of Kilmore</h2><ul>
        <li><a href="1.pdf">AGM 6th June 2023</a></li></ul><h2>Strategic Policy Committees</h2><h3>Housing SPC</h3><ul>
        <li><a href="2.pdf">Minutes 14/02/2024</a></li></ul>""",
        [
            ("minutes", "2023-06-06", "Municipal District of Kilmore", "1.pdf"),
            ("minutes", "2024-02-14", "Housing SPC", "2.pdf"),
        ],
    ),
    "letters that the page spells out, and a board that it calls by its whole name": (
        TOWN,
        """<p>The Board of Directors meets on Mondays; the Planning Board on Tuesdays.</p><h2>Board Packets</h2><h3>January 24, 2024</h3>
        <p><a href="1.pdf">Board Packet</a></p><h2>Others</h2><ul><li><a href="2.pdf">PB Minutes 1/9/24</a></li>
        <li><a href="3.pdf">ZBA Minutes 1/10/24</a></li><li><a href="4.pdf">CC Minutes 1/11/24</a></li></ul>
        <div><b>Jan</b> <b>17</b> <b>2024</b><h3>City Council</h3><p>6:00 PM, City Hall</p><a href="5.pdf">Agenda</a></div>""",
        [
            ("agendas", "2024-01-17", "City Council", "5.pdf"),
            ("agendas", "2024-01-24", "Board of Directors", "1.pdf"),
            ("minutes", "2024-01-09", "Planning Board", "2.pdf"),
            ("minutes", "2024-01-10", "ZBA", "3.pdf"),
            ("minutes", "2024-01-11", "City Council", "4.pdf"),
        ],
    ),
    "days on which documents were put into a library, and names of files below labels": (
        TOWN,
        """<h1>Township Documents</h1><table><tr><th>Title</th><th>Category</th><th>Date</th><th>Link</th></tr><tr>
        <td>Board of Supervisors Minutes – January 2, 2024</td><td>Minutes</td><td>February 6, 2024</td><td><a href="1.pdf">Download</a></td></tr>
        </table><article><h2>Planning Commission</h2><div>January 16, 2024</div><div>Agenda</div><div><a href="PC0116.pdf">PC0116.pdf</a></div>
        <div>Minutes</div><div><a href="PC0116_0.pdf">PC0116_0.pdf</a></div></article>""",
        [
            ("agendas", "2024-01-16", "Planning Commission", "PC0116.pdf"),
            ("minutes", "2024-01-02", "Board of Supervisors", "1.pdf"),
            ("minutes", "2024-01-16", "Planning Commission", "PC0116_0.pdf"),
        ],
    ),
    "accounts in the sentence of minutes": (
        "https://www.parish.org.uk/meetings",
        """<h1>Parish Council</h1><p>The minutes of the Finance Committee on 22nd January 2024 are <a href="1.pdf">here</a>, and the
        accounts for the year ended 31st March 2023 are <a href="2.pdf">here</a>.</p>""",
        [("minutes", "2024-01-22", "Finance Committee", "1.pdf")],
    ),
    "times of day and columns of bodies in German, and labels of days": (
        "https://www.stadt.de/sitzungen",
        """<h1>Sitzungen</h1><table><tr><th>Tag</th><th>Gremium</th><th>Uhrzeit</th><th>Einladung</th></tr><tr><td>Do., 08.02.2024</td>
        <td>Ausschuss für Umwelt</td><td>17.00 Uhr</td><td><a href="1.pdf">PDF</a></td></tr></table><div><h3>Planning Commission</h3>
        <p>Date: January 17, 2024<br>Time: 6:00 p.m.</p><p><a href="2.pdf">Agenda</a></p></div>""",
        [
            ("agendas", "2024-01-17", "Planning Commission", "2.pdf"),
            ("agendas", "2024-02-08", "Ausschuss für Umwelt", "1.pdf"),
        ],
    ),
    "Czech and Polish minutes with their words for a day, and a resolution below them": (
        "https://www.obec.cz/zapisy",
        """<h1>Zápisy</h1><ul><li><a href="1.pdf">Zápis č. 1/2024 ze zasedání Zastupitelstva obce konaného dne 15. 1. 2024</a></li>
        <li><a href="2.pdf">Pozvánka na zasedání zastupitelstva 25. 3. 2024</a></li></ul><h1>Protokoły</h1><ul>
        <li><a href="3.pdf">Protokół nr LXV/2024 z sesji Rady Gminy w dniu 29 stycznia 2024 r.</a></li>
        <li><a href="4.pdf">Uchwała nr LXV/400/2024 z dnia 29 stycznia 2024 r.</a></li></ul><h1>Actas del Pleno</h1><ul>
        <li><a href="5.pdf">Acta pleno extraordinario y urgente 12-02-2024</a></li></ul>""",
        [
            ("agendas", "2024-03-25", "zastupitelstva", "2.pdf"),
            ("minutes", "2024-01-15", "Zastupitelstva obce", "1.pdf"),
            ("minutes", "2024-01-29", "Rady Gminy", "3.pdf"),
            ("minutes", "2024-02-12", "pleno", "5.pdf"),
        ],
    ),
    "days on which cards were posted, and a vacancy among agendas": (
        "https://www.parish.org.uk/agendas",
        """<title>Agendas - Ashwell Parish Council</title><h1>Agendas</h1><div class="card"><h5 class="card-title">Agenda 11th March 2024</h5>
        <p>Posted: Tue, 5 Mar 2024 10:02</p><a href="1.pdf">Download</a></div><div class="card"><h5 class="card-title">Notice of Vacancy</h5>
        <p>Posted: Mon, 12 Feb 2024 09:00</p><a href="2.pdf">Download</a></div>""",
        [("agendas", "2024-03-11", "Ashwell Parish Council", "1.pdf")],
    ),
    "days of the week before days below a month, and months that are misspelled": (
        TOWN,
        """<h1>Board of Trustees Minutes</h1><ul><li>2024<ul><li>January<ul><li>Mon 15: <a href="1.pdf">Agenda</a></li></ul></li></ul></li>
        </ul><p><a href="2.pdf">Janury 9, 2024</a></p><p><a href="3.pdf">Feburary 13 2024</a></p>""",
        [
            ("agendas", "2024-01-15", "Board of Trustees", "1.pdf"),
            ("minutes", "2024-01-09", "Board of Trustees", "2.pdf"),
            ("minutes", "2024-02-13", "Board of Trustees", "3.pdf"),
        ],
    ),
    "a college of a Belgian town and a bureau of French ones": (
        "https://www.gemeente.be/raad",
        """<h1>Verslagen</h1><h2>College van burgemeester en schepenen</h2><ul><li><a href="1.pdf">Besluitenlijst 15/01/2024</a></li></ul>
        <h1>Conseils communautaires</h1><p><b>Bureau communautaire du 11 janvier 2024</b> : <a href="2.pdf">compte rendu</a></p>""",
        [
            ("minutes", "2024-01-11", "Bureau communautaire", "2.pdf"),
            ("minutes", "2024-01-15", "College van burgemeester en schepenen", "1.pdf"),
        ],
    ),
    "a form in a sentence about minutes, an index of them, and meetings of a year without a day": (
        TOWN,
        """<h1>Minutes</h1><p>We have made Minutes downloadable since January 2022. For older ones of the monthly meeting complete a
        request form, available <a href="1.pdf">here</a>.</p><h2>2024 Minutes</h2><div><a href="2.pdf">2024 Reorganization</a></div>
        <div><a href="3.pdf">February 2024</a></div><h2>Index</h2><ul><li><a href="4.pdf">Index of Council Minutes 2018</a></li></ul>
        <h2>City Council</h2><table><tr><th>Meeting</th><th>Agenda</th></tr><tr><td>Zoning Code Update, January 9, 2024</td>
        <td><a href="5.pdf">PDF</a></td></tr></table>""",
        [
            ("agendas", "2024-01-09", "City Council", "5.pdf"),
            ("minutes", "None", "City Council", "2.pdf"),
            ("minutes", "None", "City Council", "3.pdf"),
        ],
    ),
    "a day in the text of the link before, below a month and a year": (
        TOWN,
        """<h1>Agendas</h1><h2>Board Meetings</h2><h4>January, 2011</h4><ul><li><a href="1.pdf">January 11 REGULAR BOARD</a>
        <a href="2.pdf">Agenda documents</a></li></ul><h2>Recreation</h2><p><a href="3.pdf">REC(21)M02 Minutes of the Recreation
        Committee held on 31 March 2021</a></p>""",
        [
            ("agendas", "2011-01-11", "BOARD", "1.pdf"),
            ("agendas", "2011-01-11", "Board", "2.pdf"),
            ("minutes", "2021-03-31", "Recreation Committee", "3.pdf"),
        ],
    ),
    "invitations and papers in German, and calls of a Belgian council": (
        "https://www.stadt.de/sitzungen",
        """<h1>Niederschriften</h1><ul><li><a href="1.pdf">Mitteilungsblatt Ausgabe 2/2024 vom 19.01.2024</a></li></ul>
        <h1>Sitzungsladungen</h1><ul><li><a href="2.pdf">Ladung zur Stadtratssitzung am 06.02.2024</a></li></ul>
        <h1>Conseil</h1><ul><li><a href="3.pdf">OJ du Conseil communal du 29/01/2024</a></li></ul>""",
        [
            ("agendas", "2024-01-29", "Conseil communal", "3.pdf"),
            ("agendas", "2024-02-06", "Stadtrat", "2.pdf"),
        ],
    ),
    "committees without the word, blocks that say a day, and lists side by side": (
        TOWN,
        """<h1>Borough Committees</h1><div><h3>Finance &amp; Personnel</h3><ul><li><a href="1.pdf">Minutes 1/9/24</a></li></ul></div>
        <h1>City of Oak</h1><h2>2023</h2><div class="row"><div><span>Dec 11</span></div><div><b>Board of Health</b></div>
        <div><a href="2.pdf">Minutes (PDF)</a></div></div><table><tr><td><h3>Trustee Minutes 2024</h3><a href="3.pdf">1-2-24</a></td>
        <td><h3>Zoning Commission Minutes 2023</h3><a href="4.pdf">11-13-23</a></td></tr></table>
        <div><h3>Latest Council Agenda</h3><p>February 12, 2024</p><a href="5.pdf">Read more</a></div>""",
        [
            ("agendas", "2024-02-12", "City Council", "5.pdf"),
            ("minutes", "2023-11-13", "Zoning Commission", "4.pdf"),
            ("minutes", "2023-12-11", "Board of Health", "2.pdf"),
            ("minutes", "2024-01-02", "Trustee", "3.pdf"),
            ("minutes", "2024-01-09", "Finance & Personnel", "1.pdf"),
        ],
    ),
    "buttons of years, and months in Galician and with dots in German": (
        "https://www.commune.fr/conseil",
        """<h1>Procès-verbaux du conseil municipal</h1><button class="x">2023</button><div><ul><li><a href="1.pdf">14 décembre</a></li></ul></div>
        <h1>Gemeinderatsprotokolle</h1><table><tr><th>Datum</th><th>Protokoll</th></tr><tr><td>25. Jän. 2024</td>
        <td><a href="2.pdf">Download</a></td></tr></table><h1>Pleno</h1><ul>
        <li><a href="3.pdf">Acta do Pleno ordinario do 18 de xaneiro de 2024</a></li></ul>""",
        [
            ("minutes", "2023-12-14", "conseil municipal", "1.pdf"),
            ("minutes", "2024-01-18", "Pleno", "3.pdf"),
            ("minutes", "2024-01-25", "Gemeinderat", "2.pdf"),
        ],
    ),
    "a column that says what each document is, and an officer who hears": (
        TOWN,
        """<h1>Agendas &amp; Minutes</h1><table><tr><th>Date</th><th>Type</th><th>Board</th><th>Document</th></tr><tr><td>01/09/2024</td>
        <td>Minutes</td><td>City Council</td><td><a href="1.pdf">Open</a></td></tr><tr><td>01/11/2024</td><td>Ordinance</td>
        <td>City Council</td><td><a href="2.pdf">Open</a></td></tr></table><h1>Zoning Hearing Officer</h1><p>Jan. 9, 2024 –
        <a href="3.pdf">Agenda</a></p>""",
        [
            ("agendas", "2024-01-09", "Zoning Hearing Officer", "3.pdf"),
            ("minutes", "2024-01-09", "City Council", "1.pdf"),
        ],
    ),
    "public inquiries below minutes, and councils of German districts": (
        "https://www.commune.fr/conseil",
        """<h1>Comptes rendus du Conseil Municipal</h1><p><a href="1.pdf">CR CM 15.01.24</a></p>
        <p><a href="2.pdf">Enquête publique : avis du 03.01.24</a></p><h1>Gemeindevertretung</h1><ul>
        <li><a href="3.pdf">Protokoll GV 16.01.2024</a></li></ul>""",
        [
            ("minutes", "2024-01-15", "Conseil Municipal", "1.pdf"),
            ("minutes", "2024-01-16", "Gemeindevertretung", "3.pdf"),
        ],
    ),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_a_town_is_read_as_a_person_would(portal, page):
    source, markup, expected = PAGES[page]
    town = portal("plain", source, {source: f"<html><body>{markup}</body></html>"})

    found = listed(town)

    assert [each[:3] for each in found] == [each[:3] for each in expected]
    assert all(a[3].endswith(b[3]) for a, b in zip(found, expected, strict=True))


def test_a_page_that_shows_a_shared_folder_in_a_frame_lists_its_files(portal):
    town = portal(
        "plain",
        TOWN,
        {
            "embeddedfolderview?id=F1": """<html><title>Minutes</title><body><div class="flip-entry" id="entry-A1">
            <a href="https://drive.google.com/file/d/A1/view"><div class="flip-entry-title">2024-01-17 Minutes.pdf</div></a></div>
            </body></html>""",
            TOWN: """<h1>Board of Commissioners Minutes</h1>
            <iframe src="https://drive.google.com/embeddedfolderview?id=F1#list"></iframe>""",
        },
    )

    assert [each[:3] for each in listed(town)] == [
        ("minutes", "2024-01-17", "Board of Commissioners")
    ]


def test_the_pages_of_years_may_differ_in_their_numbers_only(portal):
    years = "".join(f'<a href="/node/{year - 2000}">{year}</a>' for year in (2023, 2024))
    town = portal(
        "plain",
        f"{TOWN}",
        {
            TOWN: f"<html><body><h1>Town Board Minutes</h1>{years}</body></html>",
            "/node/23": '<h1>2023</h1><a href="a.pdf">December 5</a>',
            "/node/24": '<h1>2024</h1><a href="b.pdf">January 16</a>',
        },
    )

    found = [each[:3] for each in listed(town)]

    assert found == [
        ("minutes", "2023-12-05", "Town Board"),
        ("minutes", "2024-01-16", "Town Board"),
    ]


def test_the_page_of_a_year_is_of_the_body_of_the_list_that_leads_to_it(portal):
    years = "".join(f'<a href="/board/minutes/{year}">{year} Minutes</a>' for year in (2023, 2024))
    town = portal(
        "plain",
        "https://town.example/board/minutes",
        {
            "/minutes/2023": '<h1>2023 Minutes</h1><a href="/dec.pdf">December 17</a>',
            "/minutes/2024": '<h1>2024 Minutes</h1><a href="/jan.pdf">January 7</a>',
            "/minutes": f"<h1>Board of Selectmen Minutes</h1>{years}",
        },
    )

    assert [each[:3] for each in listed(town)] == [
        ("minutes", "2023-12-17", "Board of Selectmen"),
        ("minutes", "2024-01-07", "Board of Selectmen"),
    ]


def test_the_series_of_an_archive_may_be_named_in_no_heading(portal):
    town = portal(
        "archivecenter",
        "https://town.example/Archive.aspx?AMID=37",
        {
            "AMID=37": """<h1>Archive Center</h1><table><tr><td>Preservation Commission Minutes</td></tr>
            <tr><td><a href="Archive.aspx?ADID=9">July 24, 2024</a></td></tr></table>"""
        },
    )

    assert [each[:3] for each in listed(town)] == [
        ("minutes", "2024-07-24", "Preservation Commission")
    ]


def test_novusagenda_may_list_at_its_root_and_a_page_beside_a_pdf_is_no_other_agenda(portal):
    town = portal(
        "novusagenda",
        "https://town.novusagenda.com/agendapublic/",
        {
            "meetingsgeneral": httpx.Response(404),
            "/agendapublic/": """<table><tr><td>04/15/24</td><td>Board of Commissioners</td>
            <td><a href="javascript:window.open('MeetingView.aspx?MeetingID=4&amp;MinutesMeetingID=-1&amp;doctype=Agenda')">x</a></td>
            <td><a href="javascript:window.open('DisplayAgendaPDF.ashx?MeetingID=4')">PDF</a></td></tr></table>""",
        },
    )

    found = listed(town)
    assert [each[:3] for each in found] == [("agendas", "2024-04-15", "Board of Commissioners")]
    assert found[0][3].endswith("DisplayAgendaPDF.ashx?MeetingID=4")
