"""No secret that a source, a file name, a plugin or an upload brings in leaves to everybody."""

from __future__ import annotations

import html
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import planted
import pytest
from small_sites import ask
from starlette.routing import Route
from web_town import Browser

from clerk.core import config
from clerk.core.storage import text_documents
from clerk.ops.web_sessions import OPERATOR
from clerk.web.app import all_routes

SITES = ("portal", "older", "scans")
FORMATS = ("csv", "jsonl", "json", "txt", "zip")
TABLES = ("pages", "documents", "votes", "entities")
#: Guarded, or not for reading.
NOT_PUBLIC = ("/ops", "/metrics")


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.chaos)]
)
def settings(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path
) -> dict[str, str]:
    """The settings of an installation full of secrets, that went through every stage."""
    folder = tmp_path_factory.mktemp("planted")
    private = folder / planted.FOLDER
    for each in ("plugins", "sites"):
        (private / each).mkdir(parents=True)
    (private / "plugins" / "planted.py").write_text(planted.PLUGIN)
    planted.fill(private / "documents")
    given = {
        "STORAGE_DIR": str(private / "sites"),
        "PUBLISH_DIR": str(folder / "www"),
        "CLERK_PLUGINS_DIR": str(private / "plugins"),
        "GOOD_PDF": str(private / "documents" / "Harbor Board" / "2024-02-01.pdf"),
        "READER_API_KEY": planted.ENVIRONMENT,
        "FETCH_ALLOW_PRIVATE": "yes",
    }
    if request.param == "postgresql":
        given["DATABASE_URL"] = request.getfixturevalue("postgres_of_module")
    else:
        shutil.copy(sqlite_template, private / "sites" / "clerk.db")
    with planted.portal() as address, pytest.MonkeyPatch.context() as environment:
        given["PORTAL"] = address
        for name, value in given.items():
            environment.setenv(name, value)
        planted.add_sites(private / "documents", folder / "further")
        planted.run("portal", "older", "scans")
        planted.upload(private)
        planted.fail_everywhere()
    return given


@pytest.fixture
def secrets(settings: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation full of secrets; the folder that is published."""
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    return Path(settings["PUBLISH_DIR"])


def crawl(client: Browser, starts: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yield every public address that can be reached, with its headers and content."""
    waiting, seen = list(starts), set(starts)
    while waiting:
        address = waiting.pop()
        answer = client.get(address)
        assert answer.status_code < 500, address
        yield address, repr(answer.headers).encode() + answer.content
        if answer.headers.get("content-type", "").startswith(("image/", "application/pdf")):
            continue
        for found in links(answer.text):
            # Filters of a search can be combined without end; another language says the same.
            wanted = not found.startswith(NOT_PUBLIC) and found.count("&") < 2
            wanted = wanted and "lang=" not in found
            if wanted and found not in seen:
                seen.add(found)
                waiting.append(found)


def links(text: str) -> Iterator[str]:
    """Yield the addresses of this server in a page, a feed or JSON."""
    for found in re.findall(
        r"""(?:href|src|action)="([^"]*)"|>(http://[^<]*)<|"(http:[^"]*)\"""", text
    ):
        address = html.unescape("".join(found)).removeprefix("http://localhost")
        if address.startswith("/") and not address.startswith("//"):
            yield address.partition("#")[0]


def starting_points(client: Browser) -> list[str]:
    """Return an address for every public route, with everything there is in its fields."""
    found = ["/coverage?q=portal", "/search.csv?q=harbor", "/search.json?q=harbor"]
    found += ["/search?q=harbor", "/search.atom?q=harbor", "/api/v1/search?q=harbor"]
    for route in all_routes(config.load()):
        readable = isinstance(route, Route) and "GET" in (route.methods or ())
        if readable and not route.path.startswith(NOT_PUBLIC):
            paths = {route.path.replace("{site}", each) for each in (*SITES, "silent")}
            found += [path.replace("{number:int}", "0") for path in paths]
    documents = [
        each["id"]
        for site in SITES
        for each in client.get(f"/api/v1/sites/{site}/documents").json()["items"]
    ]
    for document in documents:
        found += [f"/d/{document}{rest}" for rest in ("", "/original.pdf", "/meeting")]
        found += [f"/api/v1/documents/{document}", f"/api/v1/pages/{document}-1"]
    return [path for path in found if "{" not in path]


def exported(clerk: Callable[..., Any], out: Path) -> Iterator[tuple[str, bytes]]:
    """Yield what every table of every site is in every format."""
    for site, kind, table in product(SITES, FORMATS, TABLES):
        command = ("export", site, "--format", kind, "--table", table, "-o", str(out))
        assert clerk(*command).code == 0
        content = out.read_bytes()
        if kind == "zip":
            with zipfile.ZipFile(out) as archive:
                content = b"".join(
                    name.encode() + archive.read(name) for name in archive.namelist()
                )
        yield f"{site} {kind} {table}", content


def leaks(contents: dict[str, bytes]) -> dict[str, list[str]]:
    found = {name: planted.found_in(content) for name, content in contents.items()}
    return {name: secrets for name, secrets in found.items() if secrets}


@pytest.mark.timeout(900)
def test_no_secret_leaves_by_a_page_a_feed_a_file_or_an_export(
    secrets: Path, tmp_path: Path, clerk: Callable[..., Any]
) -> None:
    client = Browser()
    pages = dict(crawl(client, starting_points(client)))
    files = {
        str(path.relative_to(secrets.parent)): path.read_bytes()
        for root in (secrets, secrets.parent / "further")
        for path in root.rglob("*")
        if path.is_file()
    }

    assert leaks(pages) == {}
    assert leaks(files | {f"name of {name}": name.encode() for name in files}) == {}
    assert leaks(dict(exported(clerk, tmp_path / "exported"))) == {}

    assert_it_could_have_leaked(secrets, pages)


def assert_it_could_have_leaked(published: Path, pages: dict[str, bytes]) -> None:
    """See that what carries secrets is there, and tells readers what they may know."""
    documents = {
        site: dict(ask(published / site / "meetings.db", "SELECT name, source_url FROM documents"))
        for site in SITES
    }
    assert {site: len(each) for site, each in documents.items()} == {
        "portal": 4,
        "older": 1,
        "scans": 4,
    }
    assert {url.partition("/good")[2] for url in documents["portal"].values()} == {
        f".pdf?id={number}" for number in range(1, 5)
    }
    assert "Harbor Board/2024-02-01.pdf" in documents["scans"].values()

    shown = {name: html.unescape(page.decode(errors="replace")) for name, page in pages.items()}
    cleaned = "http://town.example/a.pdf?id=7&token=***"
    for name in ("/", "/new.atom", "/coverage", "/api/v1/sites", "/search.csv?q=harbor"):
        assert cleaned in shown[name], "the names of the sites"
    for site in ("portal", "scans", "older"):
        missing = shown[f"/coverage/{site}"].partition("Could not be read")[2]
        assert "the program that reads it failed" in missing and "It failed" not in missing
        if site != "older":
            assert "token=***" in missing, "the names of the documents"
    (holes,) = [
        page
        for name, page in shown.items()
        if re.fullmatch("/d/[0-9a-f]+", name) and "Page 2:" in page
    ]
    assert "Page 2: the program that reads it failed" in holes
    query = "SELECT failed_pages FROM documents WHERE failed_pages LIKE '%ValueError%'"
    reasons = [row for site in SITES for row in ask(published / site / "meetings.db", query)]
    assert f"ValueError: {cleaned}" in str(reasons), "operators find the reason in the file"
    assert len(pages) > 100


def test_operators_see_paths_and_no_secrets_of_the_installation(secrets: Path) -> None:
    shown = Browser(OPERATOR).get("/ops/sites/portal").text

    assert f"/home/{planted.FOLDER}/minutes" in shown
    assert "bob:***@" in shown and f"bob:{planted.PASSWORD}" not in shown
    assert planted.ENVIRONMENT not in shown


def test_operators_see_no_secret_that_a_source_or_an_error_carries(secrets: Path) -> None:
    operator = Browser(OPERATOR)
    addresses = {
        *("/ops/", "/ops/sites", "/ops/sites?attention=1", "/ops/sites/portal", "/ops/sites/scans"),
        *("/ops/failures", "/ops/failures/preview?action=retry", "/ops/batches", "/ops/queues"),
        *("/ops/audit", "/ops/system", "/ops/reconcile?preview=1"),
        *("/api/v1/health", "/api/v1/followed", "/api/v1/batches?limit=500", "/api/v1/uploads"),
    }
    uploads = [each["id"] for each in operator.get("/api/v1/uploads").json()["items"]]
    addresses |= {f"/ops/uploads/{each}" for each in uploads}
    addresses |= {f"/api/v1/uploads/{each}/issues" for each in uploads}
    addresses |= {f"{each}?fragment=1" for each in ("/ops/", "/ops/sites/portal")}
    hidden = (planted.PASSWORD, planted.TOKEN, planted.JWT, planted.API_KEY, planted.ENVIRONMENT)

    found = {
        (address, secret)
        for address in sorted(addresses)
        for secret in hidden
        if secret in operator.get(address).text
    }

    assert uploads and found == set()
    assert "token=***" in operator.get("/ops/sites/portal").text


def test_documents_with_secrets_in_their_names_stay_where_they_are(secrets: Path) -> None:
    folder = config.load().storage_dir / "older"

    assert [each.name for each in text_documents(folder)] == ["minutes/Harbor Board/2024-03-01"]
    assert len(list(folder.rglob("*.pdf"))) == 3
