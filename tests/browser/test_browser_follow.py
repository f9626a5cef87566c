"""Follow a search by mail, as a person does: from the form to the hit, and out again."""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from ports import free_port
from small_pdfs import printed

from .conftest import LINES, PATIENCE, Served, eventually, write_documents
from .seeing import measured, violations


def _follow_town() -> Any:
    """The mail server of the tests of following, which are another folder."""
    path = Path(__file__).parents[1] / "follow" / "follow_town.py"
    spec = importlib.util.spec_from_file_location("follow_town", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["follow_town"] = module
    spec.loader.exec_module(module)
    return module


follow_town = _follow_town()
ANN = "ann@example.org"


@pytest.fixture
def mailbox() -> Iterator[Any]:
    """A mail server."""
    with follow_town.mail_server() as box:
        yield box


@pytest.fixture
def town(chromium: Any, tmp_path: Path, mailbox: Any) -> Iterator[Served]:
    """A town past its first run, served with a mail server."""
    (tmp_path / "sites").mkdir()
    write_documents(tmp_path / "documents", 2)
    installation = Served(tmp_path, free_port())
    installation.environment = os.environ | {
        "STORAGE_DIR": str(tmp_path / "sites"),
        "MAIL_URL": mailbox.url,
        "PUBLIC_URL": installation.address,
        "CLERK_WORKERS": "1",
    }
    installation.clerk("site", "add", "springfield", "--from", str(tmp_path / "documents"))
    installation.clerk("run", "springfield")
    installation.start()
    yield installation
    installation.stop()


def photograph(page: Any, name: str) -> None:
    """Keep a picture of a page, if SCREENSHOTS names a folder."""
    if folder := os.environ.get("SCREENSHOTS"):
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            page.screenshot(path=f"{folder}/{name}-{width}.png", full_page=True)


def look_at(page: Any, name: str) -> None:
    """See that a page is accessible and fits on a phone."""
    photograph(page, name)
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert measured(page, "document.documentElement.scrollWidth") <= 390


@pytest.mark.timeout(600)
def test_from_the_form_to_the_hit_and_out_again(chromium: Any, town: Served, mailbox: Any) -> None:
    page = chromium.new_context().new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"{town.address}/search?q=%22harbor+street%22")
    page.get_by_text("Follow", exact=True).click()
    page.get_by_label("Mail address").fill(ANN)
    page.get_by_label("How often").select_option("immediate")
    look_at(page, "form")
    page.get_by_role("button", name="Follow by mail").click()
    page.get_by_role("heading", name="Check your mail").wait_for()
    look_at(page, "sent")

    eventually(lambda: len(mailbox.mails) >= 1)
    page.goto(follow_town.links_in(mailbox.mails[0])[1])
    look_at(page, "confirm")
    page.get_by_role("button", name="Confirm").click()
    page.get_by_text("Confirmed.").wait_for()
    look_at(page, "personal")
    mine = page.url

    minutes = town.folder / "documents" / "Town Council" / "2024-09-09.pdf"
    minutes.write_bytes(printed(("Minutes of the Town Council",), LINES))
    town.clerk("run", "springfield")
    eventually(lambda: len(mailbox.mails) >= 2)

    [message] = mailbox.news
    html = message.get_body(("html",)).get_content()
    for scheme in ("light", "dark"):
        reader = chromium.new_context(color_scheme=scheme).new_page()
        reader.set_content(html)
        photograph(reader, f"mail-{scheme}")
        assert violations(reader, "wcag2aa") == []
    page.goto(reader.get_by_role("link", name="Page 2").get_attribute("href"))
    page.locator(".scan rect.hit").first.wait_for(state="attached")
    assert page.locator("#text mark").all_inner_texts()[:2] == ["Harbor", "Street"]

    # All documents read again by another version, and another run: nothing is told.
    town.clerk("redo", "--site", "springfield", "--stage", "ocr", "--yes")
    town.clerk("run", "springfield")
    # Nor of another town, whose first run brings ten years of documents with these words.
    for year in range(2014, 2024):
        old = town.folder / "shelbyville" / "Town Council" / f"{year}-03-01.pdf"
        old.parent.mkdir(parents=True, exist_ok=True)
        old.write_bytes(printed(LINES))
    town.clerk("site", "add", "shelbyville", "--from", str(town.folder / "shelbyville"))
    town.clerk("run", "shelbyville")
    search = "/search?q=%22harbor+street%22&site=shelbyville"
    eventually(lambda: "10 pages in 10 documents" in town.get(search).text)

    stop = message["List-Unsubscribe"].strip(" <>")
    page.goto(stop)
    look_at(page, "stop")
    answer = httpx.post(stop, data={"List-Unsubscribe": "One-Click"}, timeout=PATIENCE)
    assert answer.status_code == 200 and "stopped" in answer.text
    page.goto(mine)
    page.get_by_text("You follow nothing now.").wait_for()
    page.get_by_label("I am sure").check()
    page.get_by_role("button", name="Delete everything").click()
    page.get_by_role("heading", name="Everything is deleted").wait_for()
    look_at(page, "deleted")
    (minutes.parent / "2024-10-10.pdf").write_bytes(printed(LINES))
    town.clerk("run", "springfield")
    time.sleep(3)
    assert len(mailbox.mails) == 2, "one to confirm, one of news"
