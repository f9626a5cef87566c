"""The public pages: everything is found, shown as it was read, and nothing of it is ever run."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import re
from html import unescape
from pathlib import Path
from urllib.parse import urlencode
from xml.etree import ElementTree as Xml

import pytest
from small_sites import (
    appearance,
    compile_folder,
    presence,
    remove_text,
    vote,
    write_found,
    write_text,
)
from web_town import HOSTILE, LINES, MINUTES, PAGES, SITE, Browser, identity

from clerk import web
from clerk.core import config, db
from clerk.core.errors import BadSetting
from clerk.fetch.discover import registered
from clerk.web.middleware import RateLimit
from clerk.web.public import feeds, places
from clerk.web.rendering import STATIC

MINUTES_ID = identity(MINUTES)


def test_a_field_that_is_not_certain_is_not_shown_as_a_fact(visitor: Browser, town: Path) -> None:
    folder, pages = town / SITE["subdomain"], ["A motion was made."]
    document = write_text(folder, "minutes/Doubt/2024-06-01", pages)
    unsure = vote(
        1, motion="sell the hall", quote="the quote", doubtful=["result", "names", "mover", "item"]
    )
    write_found(folder, document, pages, [unsure])
    compile_folder(folder, SITE)

    page = visitor.get(f"/votes?site={SITE['subdomain']}&body=Doubt").text
    before, _, after = page.partition("sell the hall")
    card = after.partition("</article>")[0]

    assert before.rpartition("<article ")[2].startswith('class="vote unknown"')
    assert "Result not certain" in card and "Not certain: result, names, mover." in card
    assert "the quote" in card
    assert "Passed" not in card and "Diaz" not in card and "moved by" not in card


@pytest.mark.parametrize("address", PAGES)
def test_a_page_has_nothing_inline_and_a_policy_that_forbids_it(
    visitor: Browser, address: str
) -> None:
    answer = visitor.get(address)

    assert answer.status_code == (404 if address == "/nowhere" else 200)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert not re.search(r"<style|\sstyle=|\son\w+=[\"']|javascript:", answer.text)
    scripts = set(re.findall(r"<script[^>]*>", answer.text))
    # Data for search engines, which no browser runs.
    assert all("src=" in tag for tag in scripts - {'<script type="application/ld+json">'})


@pytest.mark.parametrize(
    "address",
    [
        "/search?q=letters",
        f"/p/{MINUTES_ID}-2",
        f"/p/{MINUTES_ID}-2?q=script",
        f"/d/{MINUTES_ID}",
        "/votes?site=springfield",
        "/s/springfield/City%20Council/2024-01-15/",
        f"/search?q={HOSTILE}",
        f"/s/springfield/{HOSTILE}/",
        f"/people/springfield/{HOSTILE}",
    ],
)
def test_hostile_text_is_shown_as_text(visitor: Browser, address: str) -> None:
    html = visitor.get(address).text

    assert "<script>alert" not in html and "<img src=x" not in html
    assert "&lt;" in html


def test_hits_are_marked_in_the_text_and_boxed_on_the_scan(visitor: Browser) -> None:
    html = visitor.get(f"/p/{MINUTES_ID}-1?q=zoning+variance").text

    assert re.findall(r"<mark id=\"hit-\d\">(.*?)</mark>", html) == ["zoning", "variance"]
    words = " ".join(LINES).split()
    wanted = [words.index("zoning"), words.index("variance.")]
    boxes = re.findall(
        r'<rect class="hit" x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/>', html
    )
    assert boxes == [(str(at), str(at), "1", "1") for at in wanted]


def test_a_page_leads_to_the_next_page_with_a_hit(visitor: Browser) -> None:
    html = visitor.get(f"/p/{MINUTES_ID}-1?q=zoning").text

    assert f'href="/p/{MINUTES_ID}-2?q=zoning">Hits on page 2' in html


def test_of_hundreds_of_pages_with_hits_the_nearest_are_linked(town: Path) -> None:
    folder, name = town / SITE["subdomain"], "minutes/Library Board/2024-06-06"
    write_text(folder, name, [f"sediment of station {number}" for number in range(1, 601)])
    compile_folder(folder, SITE)
    html = Browser().get(f"/p/{identity(name)}-300?q=sediment").text

    linked = re.findall(r'class="chip"[^>]*><span class="skip">Page </span>(\d+)', html)
    assert linked == [str(number) for number in range(294, 306)]
    assert "600 pages with hits in this document" in html and len(html) < 40_000


def test_a_page_tells_how_to_cite_it_and_where_it_came_from(visitor: Browser, town: Path) -> None:
    html = visitor.get(f"/p/{MINUTES_ID}-1").text
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd.*?>(.*?)</dd>", html, re.DOTALL))

    permalink = f"/p/{MINUTES_ID}-1"
    cited = "Springfield, City Council minutes, 15 January 2024, p. 1."
    assert facts["Cite as"] == f"{cited} {permalink}"
    assert f'href="{permalink}"' in facts["Permalink"]
    assert {"Source", "Fetched", "Text", "SHA-256", "This page"} <= facts.keys()
    assert f'href="/d/{MINUTES_ID}/original.pdf"' in html
    for what in ("text", "citation", "permalink"):
        assert f'data-copy="{what}"' in html and f'id="{what}"' in html


def test_a_permalink_survives_a_new_reading(visitor: Browser, town: Path) -> None:
    folder = town / SITE["subdomain"]
    remove_text(folder, MINUTES)
    write_text(folder, MINUTES, ["The council discussed parking."])
    compile_folder(folder, SITE)

    html = visitor.get(f"/p/{MINUTES_ID}-1?q=parking").text

    assert "discussed <mark" in html and "zoning variance" not in html


def test_facets_are_links_that_narrow(visitor: Browser) -> None:
    html = visitor.get("/search?q=agenda").text
    link = re.search(r'href="(/search\?[^"]*body=Library[^"]*)"', html)

    assert link
    narrowed = visitor.get(link[1].replace("&amp;", "&")).text
    assert "Agenda of the library" in re.sub(r"</?mark>", "", narrowed)
    assert "zoning variance" not in narrowed


def test_a_chosen_facet_stays_can_be_switched_and_removed(visitor: Browser) -> None:
    def bodies(query: str) -> list[str]:
        facets = visitor.get(f"/search.json?{query}").json()["facets"]
        return [each["value"] for each in facets["body"]]

    chosen = bodies("q=agenda")[0]
    query = f"q=agenda&{urlencode({'body': chosen})}"

    assert bodies(query) == bodies("q=agenda") and len(bodies(query)) > 1
    html = visitor.get(f"/search?{query}").text
    assert f'<a aria-current="true" href="/search?q=agenda">{chosen} ' in html


def test_a_query_that_cannot_be_read_is_explained(visitor: Browser) -> None:
    for address in ("/search?q=colour:red", "/search.json?q=colour:red"):
        answer = visitor.get(address)
        assert answer.status_code == 400 and "no field" in answer.text
    assert "quotation mark is missing" in visitor.get(f'/d/{MINUTES_ID}?q="a').text
    assert "quotation mark is missing" in visitor.get(f'/p/{MINUTES_ID}-1?q="a').text


WRONG_VALUES = [
    *({"limit": each} for each in ("-1", "0", "501", "9" * 40, "ten", "1.5", "\u0663")),
    *({"offset": each} for each in ("-1", "10001", "x")),
    *({"cursor": each} for each in ("x", "\u2603", "W10", "bnVsbA", "WyJuZXdlc3QiLDEsMSwxLDFd")),
    *({"from": each} for each in ("yesterday", "2024-13", "2023-02-29", "0000", "2024..2025")),
    *({"to": each} for each in ("2024-00", "1" * 9)),
    *({"year": each} for each in ("..2024", "24", "2024-02-30")),
    {"from": "2024-02", "to": "2024-01"},
    {"sort": "random"},
    {"kind": "gossip"},
    {"by": "town"},
    {"stie": "springfield"},
]
DOORS = ("/search", "/search.json", "/search.csv", "/search.atom", "/search.feed.json")


@pytest.mark.parametrize("words", ["zoning", ""])
@pytest.mark.parametrize("wrong", WRONG_VALUES, ids=str)
def test_a_wrong_value_is_the_same_message_in_cli_pages_and_api(
    visitor: Browser, wrong: dict[str, str], words: str
) -> None:
    address = f"?{urlencode({'q': words, **wrong})}"
    refused = visitor.get(f"/api/v1/search{address}")
    # Which parameters there are depends on the address.
    sentence = refused.json()["error"].partition(";")[0]

    assert refused.status_code == 400 and sentence
    for door in DOORS:
        answer = visitor.get(f"{door}{address}")
        assert answer.status_code == 400, door
        said = answer.json()["error"] if door.endswith(".json") else unescape(answer.text)
        assert sentence in said, door


@pytest.mark.parametrize(
    ("filters", "said"),
    [
        ("&site=shelbyvile", "The site 'shelbyvile' has not been compiled."),
        ("&body=Senate", "There is no body 'Senate'."),
    ],
)
def test_a_place_or_body_that_is_not_there_is_the_same_sentence_at_every_door(
    visitor: Browser, filters: str, said: str
) -> None:
    for door in (*DOORS, "/api/v1/search"):
        answer = visitor.get(f"{door}?q=zoning{filters}")
        assert answer.status_code == 404, door
        assert said in unescape(answer.text), door


def test_a_place_that_has_no_such_page_is_no_mistake(visitor: Browser) -> None:
    answer = visitor.get("/search?q=nobodywrotethis&site=springfield")

    assert answer.status_code == 200 and "with these filters" in answer.text


def test_a_parameter_that_is_given_twice_is_refused_everywhere(visitor: Browser) -> None:
    for door in (*DOORS, "/api/v1/search"):
        answer = visitor.get(f"{door}?q=zoning&site=springfield&site=shelbyville")
        assert answer.status_code == 400 and "site may be given only once." in answer.text, door


def test_a_wrong_value_in_an_address_keeps_the_search_box(visitor: Browser) -> None:
    page = visitor.get("/search?q=zoning&from=2024-13&limit=5").text

    assert "There is no date 2024-13." in page
    assert 'name="q" value="zoning"' in page


def test_every_list_takes_the_limit_and_the_offset(visitor: Browser) -> None:
    def found(door: str, **asked: object) -> list[str]:
        answer = visitor.get(f"{door}?{urlencode({'q': 'the', 'by': 'page', **asked})}").text
        return list(dict.fromkeys(re.findall(r"[0-9a-f]{16}-\d+", answer)))

    for door in (*DOORS, "/api/v1/search"):
        first, second, both = (
            found(door, sort="oldest", limit=limit, offset=offset)
            for limit, offset in ((1, 0), (1, 1), (2, 0))
        )
        assert first + second == both and len(both) == 2, door
    assert found("/search", sort="oldest", limit=1, page=2) == second


def test_what_other_sites_add_to_a_link_is_no_mistake(visitor: Browser) -> None:
    assert visitor.get("/search?q=zoning&utm_source=letter&fbclid=x").status_code == 200


def test_a_document_can_be_searched(visitor: Browser) -> None:
    found = visitor.get("/search.json?q=zoning").json()["found"][0]
    html = visitor.get(f"/d/{found['document']}?q=zoning").text

    assert f"{found['pages_found']} page" in html and "<mark>zoning</mark>" in html.lower()


def test_a_cursor_leads_on_in_json(visitor: Browser) -> None:
    everything = visitor.get("/search.json?q=the&limit=500&by=page").json()
    seen, cursor = [], ""
    while cursor is not None:
        answer = visitor.get(f"/search.json?q=the&limit=1&by=page&cursor={cursor}").json()
        seen += [hit["id"] for hit in answer["hits"]]
        cursor = answer["cursor"]

    assert sorted(seen) == sorted(hit["id"] for hit in everything["hits"])
    assert everything["total"] == len(seen) > 1


def test_a_misspelt_word_is_corrected_and_no_hits_are_reported(visitor: Browser) -> None:
    html = visitor.get("/search?q=zonign").text

    assert "Nothing was found" in html
    assert 'Did you mean <a href="/search?q=zoning">' in html


def test_json_csv_and_atom_give_the_same_hits(visitor: Browser) -> None:
    as_json = visitor.get("/search.json?q=zoning").json()
    rows = list(csv.DictReader(io.StringIO(visitor.get("/search.csv?q=zoning").text)))
    feed = Xml.fromstring(visitor.get("/search.atom?q=zoning").text)
    links = [
        str(each.get("href")).partition("?")[0] for each in feed.iterfind(".//{*}entry/{*}link")
    ]

    hits = sorted(hit["url"] for hit in as_json["hits"])
    assert as_json["total"] == len(hits) == 4
    assert sorted(row["url"] for row in rows) == hits == sorted(str(link) for link in links)
    # What is not known is an empty cell.
    assert {row["in"] for row in rows} == {""}


def test_text_that_a_spreadsheet_would_run_is_disarmed(visitor: Browser) -> None:
    rows = list(csv.DictReader(io.StringIO(visitor.get("/search.csv?q=%22zoning%22").text)))

    assert "'=1+1 zoning" in [row["snippet"] for row in rows]


PUBLIC = "https://minutes.example.org"


@pytest.fixture
def public_visitor(town: Path, monkeypatch: pytest.MonkeyPatch) -> Browser:
    """Somebody who is not logged in, where the public address is known."""
    monkeypatch.setenv("PUBLIC_URL", f"{PUBLIC}/")
    return Browser()


@pytest.mark.parametrize("address", ["/sitemap.xml", "/opensearch.xml", "/new.atom"])
def test_machine_readable_files_are_well_formed(public_visitor: Browser, address: str) -> None:
    assert Xml.fromstring(public_visitor.get(address).text).tag


def test_links_for_others_begin_with_the_public_address(public_visitor: Browser) -> None:
    addresses = (
        *(f"/p/{MINUTES_ID}-1", "/search.json?q=zoning", "/search.csv?q=zoning", "/robots.txt"),
        *("/search.atom?q=zoning", "/new.atom", "/sitemap.xml", "/opensearch.xml"),
    )
    for address in addresses:
        said = public_visitor.get(address, headers={"Host": "127.0.0.1:8000"}).text
        assert f"{PUBLIC}/" in said and "127.0.0.1" not in said, address
    assert public_visitor.get("/", headers={"Host": "minutes.example.org"}).status_code == 200
    assert (
        f'href="{PUBLIC}/p/{MINUTES_ID}-1"'
        in public_visitor.get(f"/p/{MINUTES_ID}-1?q=zoning").text
    )


def test_without_a_public_address_links_are_relative(visitor: Browser) -> None:
    for address in ("/search.json?q=zoning", "/search.atom?q=zoning", "/new.atom", "/robots.txt"):
        assert "localhost" not in visitor.get(address).text, address
    hits = visitor.get("/search.json?q=zoning").json()["hits"]
    assert {hit["url"] for hit in hits} == {f"/p/{hit['id']}" for hit in hits}
    for address in ("/sitemap.xml", "/sitemap-0.xml", "/opensearch.xml"):
        answer = visitor.get(address)
        assert answer.status_code == 404 and "PUBLIC_URL" in answer.text
    assert "Sitemap" not in visitor.get("/robots.txt").text
    assert "opensearch" not in visitor.get("/").text


def test_ids_in_feeds_do_not_depend_on_the_address(
    visitor: Browser, public_visitor: Browser
) -> None:
    def ids(client: Browser, feed: str) -> list[str | None]:
        return [each.text for each in Xml.fromstring(client.get(feed).text).iterfind(".//{*}id")]

    for feed in ("/new.atom", "/search.atom?q=zoning"):
        assert ids(visitor, feed) == ids(public_visitor, feed)
        assert len(set(ids(public_visitor, feed))) > 2
        assert all(str(each).startswith("urn:uuid:") for each in ids(public_visitor, feed))


@pytest.mark.parametrize(
    "value", ["minutes.example.org", "ftp://a.example", "https://a.example/minutes", "https://u@a"]
)
def test_a_public_address_that_cannot_be_right_is_refused(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("PUBLIC_URL", value)
    with pytest.raises(BadSetting, match="PUBLIC_URL"):
        config.load()


def addresses_in(xml: str) -> list[str]:
    return [each.text or "" for each in Xml.fromstring(xml).iter() if each.text]


def test_a_large_site_map_is_an_index_of_several(
    public_visitor: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = addresses_in(public_visitor.get("/sitemap.xml").text)
    assert f"{PUBLIC}/d/{identity(MINUTES)}" in whole

    monkeypatch.setattr(feeds, "SITEMAP_URLS", 3)
    parts = addresses_in(public_visitor.get("/sitemap.xml").text)
    listed = [address for part in parts for address in addresses_in(public_visitor.get(part).text)]

    assert len(parts) == 3 and sorted(listed) == sorted(whole)
    assert public_visitor.get("/sitemap-3.xml").status_code == 404
    assert feeds.SITEMAP_URLS <= 50_000


def test_robots_may_read_documents_and_not_searches(visitor: Browser) -> None:
    lines = visitor.get("/robots.txt").text.splitlines()

    assert {f"Disallow: {each}" for each in ("/search", "/ops/", "/api/", "/report/")} < {*lines}
    assert "Disallow: /d/" not in lines


def test_a_picture_of_a_page_is_drawn_and_kept(visitor: Browser, town: Path) -> None:
    address = f"/p/{MINUTES_ID}-1/image.webp?w=240"
    first = visitor.get(address)

    assert first.headers["content-type"] == "image/webp" and first.content[:4] == b"RIFF"
    assert len(list((town / "_clerk" / "pictures").glob("*.webp"))) == 1
    assert visitor.get(address).content == first.content


def test_a_pdf_that_cannot_be_drawn_hurts_nobody(visitor: Browser, town: Path) -> None:
    pdf = town / "springfield" / "pdfs" / "City Council" / "2024-01-15.pdf"
    pdf.write_bytes(b"%PDF-1.4 not really")

    assert visitor.get(f"/p/{MINUTES_ID}-1/image.webp").status_code == 422
    assert visitor.get(f"/p/{MINUTES_ID}-1").status_code == 200


def test_the_original_is_saved_and_not_run(visitor: Browser) -> None:
    answer = visitor.get(f"/d/{MINUTES_ID}/original.pdf")

    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["content-security-policy"].startswith("sandbox")
    assert answer.content.startswith(b"%PDF")


def test_coverage_names_what_is_missing_and_what_failed(visitor: Browser) -> None:
    html = visitor.get("/coverage/springfield").text

    assert "Library Board, 1 March 2024" in html.partition("Agendas without minutes")[2]
    assert "page 2" in html.partition("Pages that could not be read")[2]


def test_a_persons_votes_come_with_their_evidence(visitor: Browser) -> None:
    html = visitor.get("/people/springfield/City-Council%2Flee").text

    assert "1 aye, 0 no" in html and "<blockquote>moved &lt;script" in html
    assert "result implied" in html and "Printed in the documents as Lee, Ann Lee." in html
    assert "Cy Diaz</a></td>" in html.partition("Agreement with other members")[2]


def test_a_body_without_voters_by_name_has_no_column_of_zeros(installation: Path) -> None:
    folder = installation / SITE["subdomain"]
    minutes = write_text(folder, "minutes/Council/2024-01-15", ["The council met."])
    one = vote(1, ayes=[], noes=[], tally=None, flags=["mover_seconder_colon", "long_gap"])
    write_found(folder, minutes, ["The council met."], [one], attendance=[presence("Ann Lee")])
    compile_folder(folder, SITE)
    visitor = Browser()

    people = visitor.get("/people/springfield").text
    votes = visitor.get("/votes?site=springfield").text

    assert "Ann Lee" in people and "No vote of this body lists the voters by name." in people
    assert ">Aye<" not in people
    assert "long gap" in votes and "seconder colon" not in votes


def test_a_printed_name_leads_to_the_person_who_has_it(visitor: Browser) -> None:
    answer = visitor.get("/people/springfield/Bo%20Wu")

    assert answer.status_code == 307
    assert answer.headers["location"] == "/people/springfield/City-Council%2Fwu"
    assert visitor.get("/people/springfield/Nobody").status_code == 404


def test_a_meeting_shows_items_attendance_speakers_interests_and_matters(visitor: Browser) -> None:
    html = visitor.get("/s/springfield/City%20Council/2024-01-15/").text

    assert '<span class="soft">1</span> Zoning &lt;script' in html
    attendance = html.partition('<h2 id="attendance">')[2].partition("</dl>")[0]
    assert 'Bo Wu</a> <span class="meta">(late)' in attendance
    assert "<dt>Excused</dt>" in attendance and "Pat Clerk" in attendance.partition("guests")[2]
    items = html.partition('<h2 id="items">')[2].partition("</ol>")[0]
    assert "against; on item 1" in items, "speakers are under their item"
    assert "stood aside, his &lt;script" in html
    matters = html.partition('<h2 id="matters">')[2].partition('<h2 id="attendance">')[0]
    assert "Ordinance 2024-5" in matters
    assert matters.count("not certain") == 1 and "failed" in matters.partition("Case 7")[2]


def test_a_meeting_counts_results_and_names_each_matter_once(town: Path) -> None:
    folder = town / SITE["subdomain"]
    named = [
        appearance(key, action="mentioned", votes=[]) for key in ("ordinance 2024-9", "case 8")
    ]
    agenda = write_text(folder, "agendas/City Council/2024-02-02", ["Agenda"])
    write_found(folder, agenda, ["Agenda"], [], matters=named)
    pages = ["moved one", "moved two", "moved three"]
    minutes = write_text(folder, "minutes/City Council/2024-02-02", pages)
    votes = [
        vote(1, quote="moved one", absent=["Wu"], ayes=["Lee"]),
        vote(2, quote="moved two", result="failed"),
        vote(3, quote="moved three", doubtful=["result"]),
    ]
    write_found(folder, minutes, pages, votes, matters=[appearance("ordinance 2024-9")])
    compile_folder(folder, SITE)
    html = Browser().get("/s/springfield/City%20Council/2024-02-02/").text

    assert (
        "3 votes in the minutes: 1 passed, 1 failed, 1 with a result that is not certain." in html
    )
    assert html.index("Ayes:") < html.index("Noes:") < html.index("Absent:")
    matters = html.partition('<h2 id="matters">')[2].partition("</table>")[0]
    assert matters.count("Ordinance 2024-9") == 1 and "<td>passed</td>" in matters
    assert "<td>mentioned</td>" in matters.partition("Case 8")[2], "only on the agenda"
    matter = Browser().get("/matters/springfield/ordinance%202024-9").text
    assert "at 1 meeting, 2 February 2024" in " ".join(matter.split())


def test_a_meeting_with_many_items_is_shown_in_pages(town: Path) -> None:
    folder = town / SITE["subdomain"]
    said = {"page": 1, "start": 0, "end": 9, "quote": "said"}
    items = [
        said | {"start": at, "number": str(at), "title": f"Matter {at}"} for at in range(1, 10_001)
    ]
    agenda = write_text(folder, "agendas/City Council/2024-02-02", ["Agenda"])
    write_found(folder, agenda, ["Agenda"], [], items=items)
    compile_folder(folder, SITE)
    visitor = Browser()

    meeting = "/s/springfield/City%20Council/2024-02-02/"
    first, last = visitor.get(meeting).text, visitor.get(f"{meeting}?page=100").text

    assert "Page 1 of 100" in first and first.count("</span> Matter ") == 100
    assert "</span> Matter 10000</h3>" in last and len(first) < 100_000


def test_a_calendar_shows_the_meetings_of_a_month(visitor: Browser) -> None:
    newest, january = (
        visitor.get("/calendar/springfield"),
        visitor.get("/calendar/springfield?month=2024-01"),
    )

    assert "Meetings in Springfield, March 2024" in newest.text, "the last month with meetings"
    assert 'href="?month=2024-03">March 2024 →' in january.text
    [link] = re.findall(r'href="(/s/[^"]*2024-01-15/)"', january.text)
    assert visitor.get(link).status_code == 200
    assert (
        "No meetings are known in this month"
        in visitor.get("/calendar/springfield?month=2019-05").text
    )
    for wrong in ("2019", "2019-13", "0000-01", "x"):
        assert visitor.get(f"/calendar/springfield?month={wrong}").status_code == 400


def test_a_map_shows_places_by_their_position(town: Path) -> None:
    with db.civic_db_connection() as conn:
        for name, place in (
            ("springfield", ("39.8", "-89.6")),
            ("farm", ("39.9", "-89.5")),
            ("nowhere", ("91", "x")),
            ("bold", (None, None)),
        ):
            shown = "<b>" if name == "bold" else name
            row = {"subdomain": name, "name": shown, "lat": place[0], "lng": place[1]}
            db.upsert_site(conn, row)
    html = Browser().get("/map").text

    drawn = re.findall(r'<a href="([^"]*)" aria-label="(\w+)"><circle', html)
    assert drawn == [("/coverage/farm", "farm"), ("/s/springfield/", "springfield")]
    assert html.count("location not known") == 2 and "<b>" not in html
    west, east = (
        int(re.findall(rf'aria-label="{name}"><circle class="\w*" cx="(\d+)"', html)[0])
        for name in ("springfield", "farm")
    )
    assert 0 < west < east < 1000
    assert "No place has a known location" in Browser().get("/map?q=nowhere").text


def test_a_matter_shows_its_road_with_votes_and_amounts(visitor: Browser) -> None:
    html = visitor.get("/matters/springfield/ordinance%202024-5").text

    assert "15 January 2024</a>: passed" in html and "amounts: $1,200" in html
    assert '<article class="vote passed"' in html
    assert visitor.get("/matters/springfield/none").status_code == 404
    listed = visitor.get("/matters/springfield?kind=case").text
    assert "1 matter" in listed and "<td>mentioned</td>" in listed


def test_no_path_of_this_machine_is_shown(visitor: Browser, town: Path) -> None:
    pages = [visitor.get(address).text for address in (*PAGES, "/nowhere", "/search.json?q=a")]

    assert not [html for html in pages if str(town) in html or "file://" in html]


def test_many_places_are_listed_a_page_at_a_time(
    visitor: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    with db.civic_db_connection() as conn:
        for number in range(9):
            db.upsert_site(conn, {"subdomain": f"town{number}", "name": f"Town {number}"})
    monkeypatch.setattr(places, "PLACES_PER_PAGE", 4)

    first, last = visitor.get("/coverage").text, visitor.get("/coverage?page=3").text
    assert "10 places" in first and "Page 1 of 3" in first
    assert "Town 0" in last or "Town 8" in last
    assert "Town 0" not in first or "Town 0" not in last
    found = visitor.get("/coverage?q=town+7").text
    assert "Town 7" in found and "Town 6" not in found and "1 place<" in found


def test_an_empty_installation_says_what_to_do(installation: Path) -> None:
    client = Browser()

    assert "clerk site add" in client.get("/").text
    assert "Nothing was found" in client.get("/search?q=zoning").text
    for address in ("/votes", "/people", "/coverage", "/new.atom", "/search.csv?q=a"):
        assert client.get(address).status_code == 200


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/s/nowhere/", 404),
        ("/s/..%2f..%2fetc/", 400),
        ("/p/ffffffffffffffff-1", 404),
        ("/p/x", 404),
        ("/d/ffffffffffffffff/original.pdf", 404),
        ("/search?kind=gossip", 400),
        ("/search?page=0", 400),
        ("/search?page=99999999999999999999", 400),
        ("/search?from=yesterday", 400),
        ("/search?sort=random", 400),
        ("/search.json?limit=1000000", 400),
        ("/static/../app.py", 404),
    ],
)
def test_what_cannot_be_right_is_refused_by_name(
    visitor: Browser, address: str, status: int
) -> None:
    assert visitor.get(address).status_code == status


def test_an_unknown_host_is_not_served(visitor: Browser) -> None:
    answer = visitor.get("/", headers={"Host": "evil.example"})

    assert answer.status_code == 421
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_somebody_who_asks_too_often_has_to_wait(visitor: Browser) -> None:
    visitor.app.state.limits["search"] = RateLimit(3, 0.001)
    answers = [visitor.get("/search?q=zoning").status_code for _ in range(5)]

    assert answers == [200, 200, 200, 429, 429]
    assert visitor.get("/").status_code == 200


def test_a_surprise_is_logged_and_not_shown(
    visitor: Browser, town: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (town / "springfield" / "meetings.db").write_bytes(b"not a database")
    with caplog.at_level("ERROR", "clerk"):
        answer = visitor.get("/s/springfield/")

    assert answer.status_code == 500 and "not a database" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_vendored_files_are_the_ones_their_list_names() -> None:
    listed = (STATIC / "VENDORED.md").read_text()

    for name in ("htmx.min.js", "idiomorph-ext.min.js"):
        assert hashlib.sha256((STATIC / name).read_bytes()).hexdigest() in listed


def test_pages_are_light(visitor: Browser) -> None:
    assert (STATIC / "style.css").stat().st_size < 10_000
    for address in ("/", "/search?q=zoning"):
        assert len(gzip.compress(visitor.get(address).content)) < 30_000


def test_templates_never_switch_escaping_off() -> None:
    templates = (Path(web.__file__).parent / "templates").rglob("*.html")

    assert not [path for path in templates if re.search(r"\|\s*safe|autoescape", path.read_text())]


def test_coverage_says_what_is_not_fetched_from_the_portal_of_a_place(
    visitor: Browser, storage: Path
) -> None:
    specs = registered().values()
    with db.civic_db_connection() as conn:
        for spec in specs:
            site = {"subdomain": f"x-{spec.id.replace('_', '-')}", "scraper": spec.id}
            db.upsert_site(conn, site | {"name": f"Town with {spec.id}"})

    listed = unescape(visitor.get("/coverage?q=swagit").text)
    assert "Town with swagit" in listed and ">swagit<" in listed
    for spec in specs:
        said = unescape(visitor.get(f"/coverage/x-{spec.id.replace('_', '-')}").text)
        assert f"a source of type {spec.id}" in said and spec.missing in said
