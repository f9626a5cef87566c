"""Whatever stands in an address, no page fails: it answers, or says what cannot be right."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples
from starlette.routing import Route
from web_town import MINUTES, SITE, Browser, identity

from clerk.ops.web_sessions import OPERATOR
from clerk.web.app import all_routes

GOOD = {
    "site": SITE["subdomain"],
    "document": identity(MINUTES),
    "page": f"{identity(MINUTES)}-1",
    "rest": "City Council/2024-01-15/",
    "member": "Lee",
}
FIELDS = (
    *("q", "page", "site", "body", "kind", "from", "to", "sort", "year", "limit", "offset"),
    *("w", "member", "result", "job", "status", "outcome", "attention", "state", "stage"),
    *("error", "document", "preview", "action", "id", "project", "link", "next", "fragment"),
)
ODD = ("", "0", "-1", "1", "99999999999999999999", "1e3", "..", "../..", "a/b", "%00", "\0", "'")
MORE_ODD = ('"', "*", "<b>", "2024", "2024-13-45", "minutes", "newest", "retry", "\ud800", "٣", "☃")


def texts() -> st.SearchStrategy[str]:
    return st.sampled_from((*ODD, *MORE_ODD)) | st.text(max_size=12)


def pages() -> list[str]:
    """Return the paths of all pages that are looked at."""
    return [
        route.path
        for route in all_routes()
        if isinstance(route, Route)
        and "GET" in (route.methods or ())
        and not route.path.startswith("/api/v1")
        and route.path != "/ops/stream"
    ]


@st.composite
def addresses(draw: st.DrawFn) -> str:
    def filled(field: re.Match[str]) -> str:
        if field[2] == ":int":
            return str(draw(st.integers(0, 10**30)))
        good = GOOD.get(field[1])
        value = draw(st.just(good) | texts()) if good else draw(texts())
        return quote(value.encode("utf-8", "replace"), safe="/" if field[2] else "")

    path = re.sub(r"\{(\w+)(:\w+)?\}", filled, draw(st.sampled_from(pages())))
    query = draw(st.dictionaries(st.sampled_from(FIELDS), texts(), max_size=4))
    return f"{path}?{urlencode(query, errors='replace')}"


@pytest.fixture
def client(town: Path) -> Browser:
    """An operator, who can reach everything."""
    return Browser(OPERATOR)


@settings(
    max_examples=examples(300),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(address=addresses())
@example(address=f"/ops/batches/{10**30}")
@example(address=f"/ops/uploads/{2**63}")
@example(address="/?fragment=1")
@example(address=f"/sitemap-{10**30}.xml")
def test_no_address_fails_on_the_server(client: Browser, address: str) -> None:
    answer = client.get(address)

    assert answer.status_code < 500, address
