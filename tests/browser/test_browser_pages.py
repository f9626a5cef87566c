"""Every page as people see it: readable by all, in any light, at any width, without surprises."""

from __future__ import annotations

import contextlib
import sqlite3
from importlib.resources import files
from typing import Any
from urllib.parse import quote

import pytest

from clerk.core.storage import Document
from clerk.read.files import load_words
from clerk.site_db.rows import document_id

from .conftest import HOSTILE, LINES, Served, Visit, eventually
from .seeing import measured, violations

MINUTES = Document("minutes", "Town Council", "2024-03-01")
MINUTES_ID = document_id("springfield", MINUTES)

TEMPLATES = files("clerk.web") / "templates"
#: Made for others to be put into.
PARTS = (
    "base.html",
    "macros.html",
    "charts.html",
    "worker.html",
    "chart_macros.html",
    "grid.html",
    "provenance.html",
    "follow_form.html",
    "viewer_macros.html",
)

NOWHERE = "/nowhere"
#: Every template with a page that is made from it.
PUBLIC = {
    "public/home.html": "/",
    "public/search.html": "/search?q=motion",
    "public/search.html, nothing found": "/search?q=nothinglikeit",
    "public/search.html, nothing asked": "/search?q=",
    "public/place.html": "/s/springfield/",
    "public/body.html": "/s/springfield/Town%20Council/",
    "public/meeting.html": "/s/springfield/Town%20Council/2024-03-01/",
    "public/calendar.html": "/calendar/springfield?month=2024-03",
    "public/map.html": "/map",
    "public/document.html": f"/d/{MINUTES_ID}",
    "public/page.html": f"/p/{MINUTES_ID}-1?q=motion",
    "public/page.html, a passage": f"/p/{MINUTES_ID}-1?passage=the+zoning+variance&zoom=200",
    "public/embed.html": f"/embed/{MINUTES_ID}-1?q=motion",
    "public/page.html, with annotations": f"/p/{MINUTES_ID}-1?project=springfield/extraction",
    "public/annotations.html": "/annotations",
    "public/votes.html": "/votes?site=springfield",
    "public/choose.html": "/votes",
    "public/people.html": "/people/springfield",
    "public/person.html": "{person}",
    "public/printed_name.html": "/people/springfield/Smith",
    "public/matters.html": "/matters/springfield",
    "public/matter.html": "/matters/springfield/ordinance%202024-5",
    "public/report.html": "/report/{vote}",
    "public/follow_sent.html": "/follow/sent",
    "public/coverage.html": "/coverage",
    "public/coverage_place.html": "/coverage/springfield",
    "public/api.html": "/api",
    "error.html": NOWHERE,
    "ops/login.html": "/ops/login",
}
OPERATORS = {
    "ops/compare.html": "/ops/compare?first=springfield/extraction&second=springfield/extraction",
    "ops/overview.html": "/ops/",
    "ops/sites.html": "/ops/sites",
    "ops/site.html": "/ops/sites/springfield",
    "ops/trends.html": "/ops/charts?span=7d",
    "ops/search.html": "/ops/search?q=town",
    "ops/new_site.html": "/ops/new-site",
    "ops/edit_site.html": "/ops/sites/springfield/edit",
    "ops/sites_preview.html": "/ops/bulk?action=run",
    "ops/run.html": "/ops/runs/{run}",
    "ops/document.html": f"/ops/sites/springfield/documents/{quote(MINUTES.name)}",
    "ops/identities.html": "/ops/sites/springfield/identities",
    "ops/identities_preview.html": "/ops/sites/springfield/identities/preview?kind=agenda",
    "ops/schedules.html": "/ops/schedule",
    "ops/failures.html": "/ops/failures",
    "ops/preview.html": "/ops/failures/preview?action=skip",
    "ops/batches.html": "/ops/batches",
    "ops/batch.html": "/ops/batches/1",
    "ops/uploads.html": "/ops/uploads",
    "ops/upload.html": "/ops/uploads/{upload}",
    "ops/reports.html": "/ops/reports",
    "ops/follow.html": "/ops/follow",
    "ops/project.html": "/ops/project?name=springfield/extraction",
    "ops/queues.html": "/ops/queues",
    "ops/reconcile.html": "/ops/reconcile?preview=1",
    "ops/system.html": "/ops/system",
    "ops/audit.html": "/ops/audit",
}
#: Of a phone and of a desk.
WIDTHS = (390, 1280)
#: The answer to a deed; looked at where the deed is done.
AFTER_A_DEED = {
    "ops/decided.html",
    "ops/sites_done.html",
    "public/changes.html",
    *(f"public/follow_{name}.html" for name in ("confirm", "me", "stop", "stopped")),
}


def test_every_template_is_looked_at() -> None:
    found = {
        f"{folder.name}/{file.name}".removeprefix("templates/")
        for folder in (TEMPLATES, TEMPLATES / "public", TEMPLATES / "ops")
        for file in folder.iterdir()
        if file.name.endswith(".html") and file.name not in PARTS and file.name[0] != "_"
    }
    looked_at = {name.partition(",")[0] for name in (*PUBLIC, *OPERATORS)}

    assert looked_at | AFTER_A_DEED == found


@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 390),
        ("dark", 1280),
        pytest.param("light", 1280, marks=pytest.mark.chaos),
        pytest.param("dark", 390, marks=pytest.mark.chaos),
    ],
)
@pytest.mark.parametrize("pages", [PUBLIC, OPERATORS], ids=["public", "operators"])
def test_pages_are_accessible_and_fit(
    visit: Visit, served: Served, pages: dict[str, str], scheme: str, width: int
) -> None:
    size = {"width": width, "height": 844}
    how = {"operator": True, "viewport": size, "color_scheme": scheme}
    pleasant, missing = visit("/", **how), visit("/", quiet=True, **how)

    with contextlib.closing(sqlite3.connect(served.folder / "sites" / "clerk.db")) as database:
        run = database.execute("SELECT max(run_id) FROM runs").fetchone()[0]
    found = []
    known = {"upload": served.upload, "person": served.person, "run": run, "vote": served.vote}
    for path in pages.values():
        page = missing if path == NOWHERE else pleasant
        page.set_viewport_size(size)
        page.goto(served.address + path.format(**known))
        found += violations(page, of_2_2=pages is PUBLIC)
        for room in WIDTHS:
            page.set_viewport_size(size | {"width": room})
            if measured(page, "document.documentElement.scrollWidth") > room:
                found.append(f"{path} is too wide for {room} pixels")
    assert found == []


def test_hit_boxes_lie_on_their_words(visit: Visit, served: Served) -> None:
    page = visit(f"/p/{MINUTES_ID}-1?q=motion")
    folder = served.folder / "sites" / "springfield"
    words = load_words(MINUTES.text(folder))[1]
    wanted = [box for word, box in words.placed() if word.strip(".,").lower() == "motion"]

    image = page.locator(".scan img").bounding_box()
    shown = [each.bounding_box() for each in page.locator(".scan rect.hit").all()]

    assert len(shown) == len(wanted) == 2
    for (left, top, right, bottom), box in zip(wanted, shown, strict=True):
        assert box["x"] == pytest.approx(image["x"] + left / 1e4 * image["width"], abs=1.5)
        assert box["y"] == pytest.approx(image["y"] + top / 1e4 * image["height"], abs=1.5)
        assert box["width"] == pytest.approx((right - left) / 1e4 * image["width"], abs=1.5)
        assert box["height"] == pytest.approx((bottom - top) / 1e4 * image["height"], abs=1.5)


def test_annotations_are_drawn_on_text_and_scan_and_can_be_linked_to(visit: Visit) -> None:
    page = visit("/annotations?project=springfield/extraction&label=Vote")
    with page.expect_navigation():
        page.locator("tbody a").first.click()
    page.locator(".scan rect.note").first.wait_for(state="attached")
    page.locator(":target").wait_for(state="attached")

    name = measured(page, "decodeURIComponent(location.hash.slice(1))")
    marks = page.locator("mark.note")
    assert name.startswith("springfield/extraction:T")
    assert measured(page, "document.querySelector(':target').id") == name
    assert marks.count() >= 1 and page.locator(".notes li").count() >= 1
    scan = page.locator(".scan img").bounding_box()
    for box in page.locator(".scan rect.note").all():
        found = box.bounding_box()
        assert scan["x"] <= found["x"] and found["width"] < scan["width"]


def test_relations_are_lines_and_projects_can_be_switched_off(visit: Visit) -> None:
    page = visit(f"/p/{MINUTES_ID}-3?project=springfield/extraction")
    listed = page.locator(".notes li[data-from]").count()
    paths = page.locator("svg.relations path")
    text = page.locator("#text").bounding_box()

    assert paths.count() == listed >= 1
    assert page.locator(".scan path.relation").count() == listed
    for path in paths.all():
        found = path.bounding_box()
        assert text["x"] <= found["x"] and found["x"] + found["width"] <= text["x"] + text["width"]
    with page.expect_navigation():
        page.get_by_label("springfield/extraction").click()
    assert page.locator("mark.note").count() == 0
    assert page.get_by_label("springfield/extraction").is_checked() is False
    assert page.locator("svg.relations").count() == 0


def test_the_scan_is_shown_and_its_room_is_kept(visit: Visit) -> None:
    page = visit(f"/p/{MINUTES_ID}-1")
    page.wait_for_load_state("networkidle")

    width, height = measured(page, "(i => [i.naturalWidth, i.naturalHeight])(document.images[0])")
    box = page.locator(".scan img").bounding_box()
    assert width == 1000
    assert box["width"] / box["height"] == pytest.approx(width / height, rel=0.01)


def test_stepping_through_hits(visit: Visit) -> None:
    page = visit(f"/p/{MINUTES_ID}-1?q=motion")

    page.get_by_role("button", name="Next hit").click()
    page.get_by_text("Hit 1 of 2").wait_for()
    page.keyboard.press("n")
    page.get_by_text("Hit 2 of 2").wait_for()
    assert page.locator("mark.now").count() == 1


def test_the_scan_is_enlarged_and_moved_and_the_next_page_keeps_it(visit: Visit) -> None:
    page = visit(f"/p/{MINUTES_ID}-1")
    pane, scan = page.locator(".scan-pane"), page.locator("#scan")
    before = scan.bounding_box()

    page.get_by_role("link", name="200 %").click()
    page.locator("#scan.zoom-200").wait_for()
    assert scan.bounding_box()["width"] == pytest.approx(2 * before["width"], rel=0.02)
    assert "zoom=200" in page.url
    pane.scroll_into_view_if_needed()
    room, after = pane.bounding_box(), scan.bounding_box()
    # Where no word is: a press on a word selects it.
    page.mouse.move(room["x"] + 300, room["y"] + 400)
    page.mouse.down()
    page.mouse.move(room["x"] + 200, room["y"] + 300, steps=4)
    page.mouse.up()
    moved = scan.bounding_box()
    assert moved["x"] == pytest.approx(after["x"] - 100, abs=2)
    assert moved["y"] == pytest.approx(after["y"] - 100, abs=2)
    with page.expect_navigation():
        page.get_by_role("link", name="Next").click()
    page.get_by_role("heading", name="page 2").wait_for()
    assert page.locator("#scan.zoom-200").count() == 1
    page.go_back()
    page.get_by_role("heading", name="page 1").wait_for()


def test_words_are_selected_on_the_scan_and_linked_to(visit: Visit) -> None:
    page = visit(f"/p/{MINUTES_ID}-1", permissions=["clipboard-read", "clipboard-write"])
    words = page.locator("#scan tspan")
    first = words.filter(has_text="seconded").first.bounding_box()
    last = words.filter(has_text="Abara").first.bounding_box()

    page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 2, last["y"] + last["height"] / 2, steps=5)
    page.mouse.up()
    page.get_by_role("button", name="Copy a link to the selected words").click()
    eventually(lambda: copied(page).startswith("http"))

    page.goto(copied(page))
    assert page.locator("mark.passage").first.inner_text().startswith("seconded by Mr. Abara")
    assert page.locator("rect.passage").count() == 1


def copied(page: Any) -> str:
    """What the clipboard holds: the button says for a moment only that something was copied."""
    return str(page.evaluate("() => navigator.clipboard.readText()"))


def test_the_viewer_is_used_by_keys_which_can_be_switched_off(visit: Visit) -> None:
    page = visit(f"/p/{MINUTES_ID}-1")
    with page.expect_navigation():
        page.keyboard.press("ArrowRight")
    page.get_by_role("heading", name="page 2").wait_for()
    page.keyboard.press("+")
    page.locator("#scan.zoom-150").wait_for()
    page.get_by_text("Keyboard").click()
    page.get_by_label("Use single keys").uncheck()
    page.locator("h1").click()
    page.keyboard.press("0")
    with page.expect_navigation():
        page.keyboard.press("ArrowLeft")
    page.get_by_role("heading", name="page 1").wait_for()
    page.keyboard.press("+")
    assert page.locator("#scan.zoom-150").count() == 1, "as it was"


def test_a_script_in_the_text_is_shown_as_text(visit: Visit) -> None:
    page = visit(f"/p/{MINUTES_ID}-1?q=letter")

    assert HOSTILE in page.locator("#text").inner_text()
    assert "owned" not in page.title()


def test_searching_by_hand(visit: Visit) -> None:
    page = visit("/")
    page.get_by_role("searchbox").fill('"zoning variance"')
    page.keyboard.press("Enter")
    with page.expect_navigation(url="**/p/*"):
        page.get_by_role("link", name="Town Council minutes").first.click()

    assert "zoning variance" in page.locator("#text").inner_text()
    assert page.locator("#text mark").count() >= 1
    assert LINES[0] in page.locator("#text").inner_text()


def test_everything_public_works_without_javascript(visit: Visit) -> None:
    page = visit("/", java_script_enabled=False)
    page.get_by_role("searchbox").fill("motion")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("link", name="Town Council minutes").first.click()

    for shown in ("#text mark", "#text", ".scan img"):
        page.locator(shown).first.wait_for()


def test_a_reader_without_connection_is_told_and_can_read_on(visit: Visit) -> None:
    page = visit(f"/p/{MINUTES_ID}-1")
    told = page.get_by_text("You are offline")
    assert told.is_hidden()

    page.context.set_offline(True)
    told.wait_for()
    assert page.locator("#text").is_visible()
    page.context.set_offline(False)
    told.wait_for(state="hidden")


def test_a_phone_shows_facets_before_hits_and_rows_as_cards(visit: Visit) -> None:
    page = visit("/search?q=motion", viewport={"width": 390, "height": 844})
    facets, hit = page.get_by_text("Narrow the results"), page.locator("article.hit").first
    assert facets.bounding_box()["y"] < hit.bounding_box()["y"] < 844
    facets.click()
    page.locator("details.narrow a", has_text="shelbyville").first.click()
    page.locator(".chip", has_text="shelbyville").wait_for()

    page = visit("/s/springfield/", viewport={"width": 390, "height": 844})
    page.locator("table.cards").first.wait_for()
    assert page.locator("table.cards td[data-label=Meetings]").first.is_visible()


def test_a_relative_permalink_is_copied_with_the_address_of_the_site(
    visit: Visit, served: Served
) -> None:
    page = visit(f"/p/{MINUTES_ID}-1?q=motion", permissions=["clipboard-read", "clipboard-write"])

    permalink = f"{served.address}/p/{MINUTES_ID}-1"
    page.locator("summary", has_text="Share").click()
    page.get_by_role("button", name="Copy the link").click()
    eventually(lambda: copied(page) == permalink)
    page.get_by_role("button", name="Copy the citation").click()
    eventually(lambda: copied(page).endswith(f"p. 1. {permalink}"))


def test_an_error_is_reported_accepted_and_marked_on_the_card(visit: Visit, served: Served) -> None:
    """From the card of a reader to the record, without a command being typed."""
    vote = served.votes()[-1]
    matter = "/matters/springfield/ordinance%202024-5"
    reader = visit(matter)
    card = reader.locator(f'[id="{vote["id"]}"]')
    card.get_by_role("link", name="Report an error").click()
    reader.get_by_label("Noes").fill("Brandt, Moreau")
    reader.get_by_label("Ayes").fill("Lindqvist, Abara, Smith")
    reader.get_by_label("Comment").fill("Ms. Moreau voted against it.")
    reader.get_by_role("button", name="Send the report").click()
    reader.get_by_role("status").get_by_text("Thank you").wait_for()

    operator = visit("/ops/reports", operator=True)
    report = operator.get_by_role("article").filter(has_text="Ms. Moreau voted against it.")
    assert report.get_by_label("Noes").input_value() == "Brandt, Moreau"
    report.get_by_role("button", name="Accept").click()
    operator.get_by_text("The correction is stored").wait_for()
    eventually(lambda: any(each["corrected_by"] for each in served.votes()))
    eventually(lambda: reader.goto(served.address + matter) and "Corrected by" in card.inner_text())
    assert "Noes: Brandt, Moreau" in " ".join(card.inner_text().split())
    operator.goto(f"{served.address}/ops/audit")
    operator.get_by_text("error report accepted").first.wait_for()
