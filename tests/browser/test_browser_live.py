"""The operators' pages at work: live, on one stream, through restarts, and only by operators."""

from __future__ import annotations

import contextlib
import http.server
import re
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from .conftest import PATIENCE, Served, Visit, eventually
from .seeing import measured, violations


def streams(served: Served) -> int:
    """Return how many live streams the server has open."""
    figures = served.get("/metrics").text
    found = re.search(r"^clerk_live_streams (\d+)", figures, re.MULTILINE)
    assert found
    return int(found[1])


def test_progress_is_live_from_an_actual_run(visit: Visit, served: Served) -> None:
    page = visit("/ops/sites/springfield", operator=True)
    page.get_by_text("Live", exact=True).wait_for()
    runs = page.locator("code", has_text="springfield-").count()
    loads: list[str] = []
    page.on("load", lambda _: loads.append("load"))

    with _operator(served, _cookies(page)) as client:
        client.post("/ops/sites/springfield/run")

    page.locator("code", has_text="springfield-").nth(runs).wait_for()
    page.get_by_text("run partial").nth(1).wait_for()
    assert loads == [], "nothing was loaded again but the live part"


def _cookies(page: Any) -> dict[str, str]:
    return {each["name"]: each["value"] for each in page.context.cookies()}


def _operator(served: Served, cookies: dict[str, str]) -> httpx.Client:
    return httpx.Client(base_url=served.address, cookies=cookies, timeout=PATIENCE)


def test_a_paused_page_stands_still(visit: Visit, served: Served) -> None:
    page = visit("/ops/audit", operator=True)
    page.get_by_text("Live", exact=True).wait_for()
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("Paused", exact=True).wait_for()
    # What was asked for before is still shown when it comes.
    page.locator("#live:not(.htmx-request)").wait_for()
    rows = page.locator("tbody tr").count()

    _pause_and_resume_a_queue(page, served)
    page.wait_for_timeout(1500)
    assert page.locator("tbody tr").count() == rows

    page.get_by_role("button", name="Resume").click()
    page.locator("tbody tr").nth(rows + 1).wait_for()


def _pause_and_resume_a_queue(page: Any, served: Served) -> None:
    with _operator(served, _cookies(page)) as client:
        for action in ("pause", "resume"):
            client.post("/ops/queues/deploy", data={"action": action})


def test_eight_tabs_share_one_stream(visit: Visit, served: Served) -> None:
    first = visit("/ops/audit", operator=True)
    first.get_by_text("Live", exact=True).wait_for()
    tabs = [first] + [first.context.new_page() for _ in range(7)]
    for tab in tabs[1:]:
        tab.goto(f"{served.address}/ops/audit")
        tab.get_by_text("Live", exact=True).wait_for()
    rows = first.locator("tbody tr").count()

    # The server notices after a moment that the tabs of the test before are closed.
    eventually(lambda: streams(served) == 1)
    _pause_and_resume_a_queue(first, served)
    for tab in tabs:
        tab.bring_to_front()
        tab.locator("tbody tr").nth(rows + 1).wait_for()

    tabs[0].close()
    rows = tabs[1].locator("tbody tr").count()
    _pause_and_resume_a_queue(tabs[1], served)
    tabs[1].bring_to_front()
    tabs[1].locator("tbody tr").nth(rows + 1).wait_for()


def test_a_restarted_server_is_found_again(visit: Visit, served: Served) -> None:
    page = visit("/ops/", operator=True, quiet=True)
    page.get_by_text("Live", exact=True).wait_for()

    # It ends although a stream is open.
    served.stop()
    page.get_by_text("Connection lost").wait_for()
    served.start()
    page.get_by_text("Live", exact=True).wait_for()


def test_failures_are_retried_in_bulk_after_a_confirmation(visit: Visit) -> None:
    page = visit("/ops/failures", operator=True)
    page.get_by_role("button", name="Retry").click()
    page.get_by_role("heading", name="Retry 1 document of 1 site?").wait_for()
    page.get_by_role("button", name="Retry them").click()

    page.get_by_role("heading", name="Retried 1 document").wait_for()
    assert violations(page) == []


def test_a_ticked_box_is_not_swept_away(visit: Visit, served: Served) -> None:
    page = visit("/ops/failures", operator=True)
    page.get_by_text("Live", exact=True).wait_for()
    page.get_by_role("checkbox").first.check()

    _pause_and_resume_a_queue(page, served)
    page.wait_for_timeout(1500)
    assert page.get_by_role("checkbox").first.is_checked()


def test_filters_survive_live_updates(visit: Visit, served: Served) -> None:
    """Those in the address, and those that are chosen and not sent yet."""
    page = visit("/ops/sites?q=shelby", operator=True)
    page.get_by_text("Live", exact=True).wait_for()
    page.get_by_label("Fetcher").select_option("folder")
    page.get_by_label("needs attention").check()
    site = visit("/ops/sites/springfield?state=completed", operator=True)
    site.get_by_text("Live", exact=True).wait_for()
    site.get_by_label("State").select_option("failed")
    site.get_by_role("heading", name="Documents").click()

    with (
        page.expect_response("**/ops/sites?q=shelby&fragment=1"),
        site.expect_response("**/ops/sites/springfield?state=completed&fragment=1"),
    ):
        _pause_and_resume_a_queue(page, served)
    for each in (page, site):
        each.wait_for_timeout(500)

    assert page.locator("tbody tr").count() == 1, "still only what matches"
    assert page.get_by_label("Fetcher").input_value() == "folder"
    assert page.get_by_label("needs attention").is_checked()
    assert site.get_by_label("State").input_value() == "failed"
    assert site.locator("#documents ~ .scroll").first.get_by_text("failed").count() == 0


def test_a_phone_shows_every_column_without_scrolling(visit: Visit) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "operator": True}
    page = visit("/ops/sites/springfield", **phone)
    row = page.locator("tr[id^=item-]", has_text="failed").first

    assert row.get_by_text("UnreadablePdf").first.is_visible()
    box = row.get_by_text("UnreadablePdf").first.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    label = (
        "getComputedStyle(document.querySelector('tr[id^=item-] td[data-label=State]'), '::before')"
    )
    assert "State" in measured(page, f"{label}.content")


def test_a_box_ticked_while_an_answer_is_on_its_way_stays_ticked(
    visit: Visit, served: Served
) -> None:
    page = visit("/ops/failures", operator=True)
    page.get_by_role("checkbox").first.wait_for()
    held: list[Any] = []
    page.route("**/ops/failures?fragment=1", lambda route: held.append(route))
    _pause_and_resume_a_queue(page, served)
    give_up = time.monotonic() + PATIENCE
    while not held and time.monotonic() < give_up:
        page.wait_for_timeout(100)
    page.get_by_role("checkbox").first.check()

    with page.expect_response("**/ops/failures?fragment=1"):
        held[0].continue_()
    page.wait_for_timeout(500)

    assert page.get_by_role("checkbox").first.is_checked()


def test_operators_pages_work_without_javascript(visit: Visit) -> None:
    page = visit("/ops/failures", operator=True, java_script_enabled=False)
    page.get_by_role("button", name="Skip").click()
    page.get_by_role("link", name="Back", exact=True).click()
    page.get_by_role("link", name="Refresh").click()

    page.get_by_role("heading", name="Failures").wait_for()


def test_a_link_works_once(visit: Visit, served: Served) -> None:
    link = served.login_link().removeprefix(served.address)
    page = visit(link, quiet=True)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="Overview").wait_for()
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("heading", name="Search the minutes").wait_for()

    again = visit(link, quiet=True)
    assert again.get_by_text("has been used or has expired").is_visible()


def test_a_session_that_ended_is_said_on_the_page(visit: Visit, served: Served) -> None:
    page = visit("/ops/audit", operator=True, quiet=True)
    page.get_by_text("Live", exact=True).wait_for()
    cookies = _cookies(page)
    page.context.clear_cookies()

    with _operator(served, cookies) as client:
        client.post("/ops/queues/deploy", data={"action": "pause"})
        client.post("/ops/queues/deploy", data={"action": "resume"})
    page.get_by_text("Logged out").wait_for()


def test_a_session_is_revoked_with_a_button_and_its_page_says_so(
    visit: Visit, served: Served
) -> None:
    page = visit(served.login_link().removeprefix(served.address), quiet=True)
    page.get_by_role("button", name="Log in").click()
    page.get_by_text("Live", exact=True).wait_for()

    system = visit("/ops/system", operator=True)
    newest = system.get_by_role("button", name="Revoke the session of").first
    newest.click()
    system.get_by_role("heading", name="Sessions").wait_for()

    page.get_by_text("Logged out").wait_for()


@contextlib.contextmanager
def another_site(html: str) -> Iterator[str]:
    """Serve a page from another origin, as an attacker would."""

    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://localhost:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("method", ["post", "get"])
def test_another_site_cannot_act_for_an_operator(visit: Visit, served: Served, method: str) -> None:
    page = visit("/ops/queues", operator=True, quiet=True)
    form = (
        f'<form method="{method}" action="{served.address}/ops/queues/ocr">'
        '<button name="action" value="pause">Win a prize</button></form>'
    )
    with another_site(form) as evil:
        page.goto(evil)
        with page.expect_navigation():
            page.get_by_role("button").click()

    page.goto(f"{served.address}/ops/queues")
    assert page.get_by_text("paused by").count() == 0
