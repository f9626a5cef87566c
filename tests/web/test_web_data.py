"""Datasette over what is published: off by default, read-only, sandboxed, in its own process."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from web_town import SITE, Browser, write_town

from clerk.core import config
from clerk.publish import publish
from clerk.web import data
from clerk.web.middleware import RateLimit

pytest.importorskip("datasette", reason="Datasette is not installed")

#: Everything Datasette has at an address of its own.
INTERNAL = (
    *("databases", "databases.json", "plugins", "plugins.json", "threads", "threads.json"),
    *("settings", "settings.json", "config", "config.json", "metadata.json", "versions.json"),
    *("actor.json", "permissions", "allow-debug", "messages", "patterns", "auth-token", "logout"),
)
FAILING = (
    "/data/nowhere",
    "/data/springfield/nowhere",
    "/data/springfield/documents/nowhere",
    "/data/springfield?sql=nonsense",
    "/data/springfield?sql=select+nonsense",
    "/data/springfield.json?sql=delete+from+documents",
    "/data/springfield?sql=select+*+from+pragma_database_list",
    "/data/springfield?sql=select+hex(zeroblob(20000000))",
    "/data/springfield/documents?_sort=nonsense",
)


def publish_town(storage: Path) -> None:
    """Publish the town."""
    publish(SITE, storage / SITE["subdomain"], config.load(), complete=True)


@pytest.fixture
def client(installation: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    """Somebody who is not logged in, where the data pages are on."""
    monkeypatch.setenv("DATA_PAGES", "yes")
    browser = Browser()
    yield browser
    browser.app.state.published.close()


def test_without_the_setting_there_are_no_data_pages(town: Path) -> None:
    publish_town(town)

    assert Browser().get("/data/").status_code == 404
    assert Browser().app.state.published is None


def test_published_sites_can_be_read_in_a_sandbox(client: Browser, town: Path) -> None:
    publish_town(town)
    answer = client.get("/data/springfield/documents.json?_shape=array")

    assert {row["meeting"] for row in answer.json()} == {"City Council", "Library Board"}
    assert answer.headers["content-security-policy"].startswith("sandbox")
    assert 'href="/data/springfield' in client.get("/data/").text
    assert "documents" in client.get("/data/springfield").text
    assert client.get("/data/-/static/app.css").status_code == 200
    assert client.head("/data/springfield").status_code == 200
    downloaded = client.get("/data/springfield.db")
    assert downloaded.content.startswith(b"SQLite format 3")


def test_what_is_published_later_is_shown_later(
    client: Browser, installation: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/data/").status_code == 404

    write_town(installation)
    publish_town(installation)
    for _ in range(1000):
        if client.get("/data/springfield").status_code == 200:
            break
    assert client.get("/data/springfield").status_code == 200


def test_nothing_can_be_written_through_it(client: Browser, town: Path) -> None:
    publish_town(town)

    assert client.post("/data/springfield/documents").status_code == 405
    refused = client.get("/data/springfield.json?sql=delete+from+documents")
    assert refused.status_code == 400


def test_queries_have_limits_of_time_and_rows(client: Browser, town: Path) -> None:
    publish_town(town)
    numbers = "with recursive n(x) as (select 1 union all select x+1 from n {}) select {} from n"

    def asked(end: str, what: str) -> dict[str, object]:
        sql = numbers.format(end, what)
        found: dict[str, object] = client.get("/data/springfield.json", params={"sql": sql}).json()
        return found

    assert "time limit" in str(asked("", "count(*)")["error"])
    many = asked("limit 5000", "x")
    assert many["truncated"] is True and len(many["rows"]) == 1000  # type: ignore[arg-type]


@pytest.mark.parametrize("address", INTERNAL)
def test_no_page_about_the_process_can_be_reached(
    client: Browser, town: Path, address: str
) -> None:
    publish_town(town)

    for path in (f"/data/-/{address}", f"/data/%2D/{address}", f"/data/springfield/../-/{address}"):
        assert client.get(path).status_code == 404
        assert client.app.state.published._process is None, "Datasette is not even asked"


def test_no_page_shows_a_path_a_traceback_or_a_setting(
    client: Browser, town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_town(town)
    seen: dict[str, str] = {}
    waiting = ["/data/", *FAILING]
    while waiting and len(seen) < 80:
        address = waiting.pop(0)
        answer = client.get(address, follow_redirects=True)
        seen[address] = answer.text + repr(answer.headers)
        found = re.findall(r'href="(/data/[^"#]*)"', answer.text)
        waiting += [each for each in found if each not in seen and each not in waiting]

    assert len(seen) > 40
    said = "\n".join(seen.values())
    assert str(town) not in said and "site-packages" not in said and "Traceback" not in said
    assert "set-cookie" not in said.lower()
    for address in FAILING:
        assert client.get(address).status_code >= 400, address


def test_somebody_who_asks_too_often_has_to_wait(client: Browser, town: Path) -> None:
    publish_town(town)
    client.app.state.limits["data"] = RateLimit(2, 0.001)

    answers = [client.get("/data/springfield").status_code for _ in range(4)]
    assert answers == [200, 200, 429, 429]


def test_when_many_wait_the_next_is_refused_at_once(
    client: Browser, town: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_town(town)
    monkeypatch.setattr(data, "WAITING", 0)

    answer = client.get("/data/springfield.json")
    assert answer.status_code == 503 and answer.headers["retry-after"]
    assert "Too many queries" in answer.json()["error"]
