"""A published site before a plain file server, in a real browser: no server of ours."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

import pytest
from small_sites import appearance, compile_folder, presence, vote, write_found, write_text

from clerk.core.config import Settings
from clerk.publish import publish, publish_search_index
from clerk.publish.static_site import search_index

from .conftest import PATIENCE
from .seeing import measured, violations

SITE = {"subdomain": "springfield", "name": "Springfield", "state": "IL"}
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
PHRASE = "copper heron weathervane"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        pass


def write_town(storage: Path) -> None:
    folder = storage / "springfield"
    pages = ["The council met.", f"The {PHRASE} on the roof. A letter: {HOSTILE}", "Adjourned."]
    minutes = write_text(folder, "minutes/City Council/2024-01-15", pages)
    found = {"page": 1, "start": 0, "end": 5, "quote": HOSTILE}
    write_found(
        *(folder, minutes, pages, [vote(2, motion=f"to adopt {HOSTILE}", quote=HOSTILE)]),
        items=[found | {"number": "1", "title": f"Roof {HOSTILE}"}],
        attendance=[presence("Ann Lee", role="Chair"), presence("Bo Wu"), presence("Cy Diaz")],
        speakers=[found | {"name": "Jo Public", "side": "against", "item": "1"}],
        declarations=[found | {"name": "Bo Wu", "kind": "recusal", "about": "his roof"}],
        matters=[appearance("ordinance 2024-5", title=f"Roofs {HOSTILE}")],
    )
    write_text(folder, "agendas/City Council/2024-01-15", ["Agenda of the council"])
    write_text(folder, "minutes/Library & Parks/2023-05-02", [f"page {n}" for n in range(1, 61)])
    write_text(
        folder, "minutes/City Council/letters", ["Nobody knows when the lighthouse was built."]
    )
    for month in range(1, 4):
        write_text(folder, f"minutes/City Council/2022-0{month}-01", ["The lighthouse. " * month])
    compile_folder(folder, SITE, into_index=False)


@pytest.fixture(scope="module", params=[2000, 0], ids=["by page", "by document"])
def address(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site that a plain file server serves below a path, as GitHub Pages does."""
    storage = tmp_path_factory.mktemp("published") / "sites"
    settings = Settings(storage_dir=storage, static_site_search_pages=request.param)
    write_town(storage)
    publish(SITE, storage / "springfield", settings, complete=True)
    with pytest.MonkeyPatch.context() as small:
        small.setattr(search_index, "_BUNDLE_PAGES", 1)
        assert publish_search_index(SITE, storage / "springfield", settings)
    handler = partial(Quiet, directory=str(settings.published))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/springfield/"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def page(chromium: Any, address: str) -> Iterator[Any]:
    """A page that fails the test if it asks another origin, or complains."""
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE * 1000)
    shown = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    shown.on("request", lambda request: asked.append(request.url))
    shown.on("console", lambda message: said.append(message.text))
    shown.on("pageerror", lambda error: said.append(str(error)))
    yield shown
    context.close()
    origin = address.removesuffix("springfield/")
    assert [url for url in asked if not url.startswith((origin, "data:", "blob:"))] == []
    assert said == []


def test_search_finds_the_phrase_and_leads_to_its_page(page: Any, address: str) -> None:
    page.goto(address)
    page.get_by_role("searchbox").fill(f'"{PHRASE}"')
    page.get_by_role("button", name="Search").click()
    page.wait_for_url("**/search.html?q=*")

    page.get_by_text("Results: 1", exact=True).wait_for()
    hit = page.locator("article.hit")
    assert hit.locator("mark").all_inner_texts() == PHRASE.split()
    hit.locator('a[href$="#page-2"]').click()

    page.wait_for_url("**/documents/*.html#page-2")
    page.locator("section[aria-labelledby='page-2']").wait_for()
    assert PHRASE in page.locator("section[aria-labelledby='page-2']").inner_text()
    assert page.title() == "City Council minutes, 2024-01-15, Springfield"
    page.go_back()
    page.get_by_text("Results: 1", exact=True).wait_for()
    page.get_by_label("Year").select_option("2023")
    page.get_by_text("Nothing was found").wait_for()
    assert violations(page) == []


def test_results_of_all_bundles_are_in_the_order_of_time(page: Any, address: str) -> None:
    days = ["no date known", *(f"1 {month} 2022" for month in ("January", "February", "March"))]
    for sort, wanted in (("asc", days), ("desc", days[::-1])):
        page.goto(f"{address}search.html?q=lighthouse&sort={sort}")
        page.get_by_text("Results: 4", exact=True).wait_for()
        titles = page.locator("article.hit h2").all_inner_texts()
        assert [title.rpartition(", ")[2] for title in titles] == wanted
    page.get_by_label("Year").select_option("2022")
    page.get_by_text("Results: 3", exact=True).wait_for()


def test_every_link_is_live_and_every_page_is_clean(page: Any, address: str) -> None:
    waiting, seen, wrong = [urljoin(address, "index.html")], set[str](), []
    kinds = set()
    while waiting:
        url = waiting.pop()
        if url in seen:
            continue
        seen.add(url)
        if not url.endswith(".html"):
            if page.request.get(url).status != 200:
                wrong.append(url)
            continue
        response = page.goto(url)
        if response.status != 200:
            wrong.append(url)
            continue
        links = measured(
            page, "JSON.stringify([...document.querySelectorAll('a[href]')].map((a) => a.href))"
        )
        for link in json.loads(links):
            target, part = urldefrag(link)
            if part and target == url and not page.locator(f"[id='{part}']").count():
                wrong.append(link)
            if target.startswith(address):
                waiting.append(target)
        kind = url.removeprefix(address).split("/")[0]
        if kind not in kinds:
            kinds.add(kind)
            wrong += violations(page)
            page.emulate_media(color_scheme="dark")
            wrong += violations(page, "wcag2aa")
            page.emulate_media(color_scheme="light")
            page.set_viewport_size({"width": 390, "height": 800})
            wide = measured(page, "document.documentElement.scrollWidth")
            if wide > 390:
                wrong.append(f"{url} is {wide} px wide")
            page.set_viewport_size({"width": 1280, "height": 800})
        assert page.title() != "owned"
    assert wrong == []
    assert kinds >= {"index.html", "bodies", "meetings", "documents", "votes", "people", "matters"}


def test_what_is_missing_is_a_page_that_reads_well_and_tables_fit_a_phone(
    page: Any, address: str
) -> None:
    page.goto(urljoin(address, "404.html"))
    page.get_by_role("main").get_by_role("heading", name="Not found").wait_for()
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(urljoin(address, "people.html"))
    page.locator('table.cards td[data-label="Last seen"]').first.wait_for()
    for region in page.locator(".scroll").all():
        assert region.bounding_box()["width"] <= 390
    assert measured(
        page,
        "[...document.querySelectorAll('.scroll')].every((e) => e.scrollWidth <= e.clientWidth)",
    )


def test_without_javascript_the_search_page_offers_to_browse(chromium: Any, address: str) -> None:
    context = chromium.new_context(java_script_enabled=False)
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    page.goto(urljoin(address, "search.html"))
    page.get_by_text("Searching needs JavaScript").wait_for()
    page.get_by_role("link", name="person").click()
    page.get_by_role("link", name="Ann Lee").click()
    page.get_by_role("heading", name="Ann Lee").wait_for()
    context.close()
