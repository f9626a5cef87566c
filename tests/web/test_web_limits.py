"""Limits come before bodies: how often, then who, and only then what is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.routing import Route
from test_web_secrets import filled
from uvicorn.server import ServerState
from web_town import Browser

from clerk.core import config
from clerk.core.errors import BadSetting
from clerk.ops.web_sessions import VIEWER
from clerk.web import connections
from clerk.web.app import all_routes
from clerk.web.middleware import (
    CHANGE,
    HEADER_BYTES,
    HEADER_FIELDS,
    TARGET_BYTES,
    RateLimit,
    address_group,
)
from clerk.web.request_bodies import BODY_BYTES, FIELD_BYTES, FIELDS

#: Everybody may do these.
OPEN = (
    "/ops/login",
    "/ops/logout",
    "/report/1",
    "/follow",
    "/follow/confirm/1",
    "/follow/me/1",
    "/follow/stop/1",
)
#: Whoever is logged in may do these; they change nothing.
FOR_VIEWERS = ("/api/v1/annotations/validate",)


def posts() -> Iterator[str]:
    for route in all_routes():
        if isinstance(route, Route) and "POST" in (route.methods or ()):
            yield filled(route.path)


class BodyRead(Exception):
    """Somebody asked for the body."""


def answered_without_body(client: Browser, path: str) -> int:
    """Post something without ever giving the body; return the status of the answer."""
    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    headers = {"host": "localhost", "content-length": "10", "cookie": cookie}
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "server": ("localhost", 80),
        "client": ("203.0.113.9", 1234),
        "scheme": "http",
    }
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        if not statuses:
            raise BodyRead(path)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    asyncio.run(client.app(scope, receive, send))
    return statuses[0]


@pytest.mark.parametrize("role", ["", VIEWER])
def test_of_somebody_who_may_not_no_body_is_read(town: Path, role: str) -> None:
    client, refused = Browser(role), 403 if role else 401
    closed = [path for path in posts() if path not in (*OPEN, *FOR_VIEWERS * bool(role))]

    assert len(closed) > 10
    for path in closed:
        assert answered_without_body(client, path) == refused, path


def test_of_somebody_who_asks_too_often_no_body_is_read(installation: Path) -> None:
    client = Browser()
    client.app.state.limits["login"] = RateLimit(0, 0)
    assert answered_without_body(client, "/ops/login") == 429

    client.app.state.limits[CHANGE] = RateLimit(0, 0)
    for path in posts():
        assert answered_without_body(client, path) == 429, path
    assert client.get("/").status_code == 200, "reading is not limited by it"


def test_forms_have_few_small_fields(installation: Path) -> None:
    client = Browser()

    def status(body: str) -> int:
        form = {"content-type": "application/x-www-form-urlencoded"}
        return client.post("/ops/login", content=body, headers=form).status_code

    assert status("link=x") == 403
    assert status("&".join(["a=1"] * FIELDS)) == 403
    assert status("&".join(["a=1"] * (FIELDS + 1))) == 400
    assert status("a=" + "x" * FIELD_BYTES) == 400
    assert status("a=" + "x" * BODY_BYTES) == 413


def test_addresses_and_headers_have_a_limit(installation: Path) -> None:
    client = Browser()
    many = [(f"x-{number}", "1") for number in range(HEADER_FIELDS)]

    assert client.get("/healthz?" + "x" * TARGET_BYTES).status_code == 414
    assert client.get("/healthz", headers={"x": "y" * HEADER_BYTES}).status_code == 431
    assert client.get("/healthz", headers=many).status_code == 431
    answer = client.get("/healthz", headers=many[:50])
    assert answer.status_code == 200


def test_a_client_that_hangs_up_is_not_logged(
    installation: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def gone() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        pass

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/ops/login",
        "raw_path": b"/ops/login",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-length", b"10")],
        "server": ("localhost", 80),
        "client": ("203.0.113.9", 1234),
        "scheme": "http",
    }
    asyncio.run(Browser().app(scope, gone, send))

    assert caplog.records == []


def test_one_ipv6_network_is_one_client() -> None:
    assert address_group("2001:db8::1") == address_group("2001:db8::ffff:1")
    assert address_group("2001:db8::1") != address_group("2001:db8:0:1::1")
    assert address_group("::ffff:192.0.2.1") == address_group("192.0.2.1") == "192.0.2.1"
    assert address_group("192.0.2.1") != address_group("192.0.2.2")


def test_a_host_is_known_by_the_number_it_was_reached_at(installation: Path) -> None:
    client = Browser()

    assert client.get("http://192.0.2.7/healthz").status_code == 200
    other = {"Host": "192.0.2.8"}
    assert client.get("http://192.0.2.7/healthz", headers=other).status_code == 421
    assert client.get("http://evil.example/healthz").status_code == 421


@pytest.mark.parametrize("value", ["proxy.example", "10.0.0.0/99"])
def test_proxies_are_named_by_number(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("TRUSTED_PROXIES", value)
    with pytest.raises(BadSetting, match="TRUSTED_PROXIES"):
        config.load()


def test_a_client_that_does_not_take_its_answer_is_disconnected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "STALLED_SECONDS", 0.2)

    async def ask_and_read_nothing() -> None:
        given_up = asyncio.Event()

        async def endless(_scope: Any, _receive: Any, send: Any) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            for _ in range(2000):
                await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
            given_up.set()

        protocol = connections.protocol_for(connections.OpenConnections(10, 10, ()))
        config = uvicorn.Config(endless, http=protocol, lifespan="off", log_config=None)
        state = ServerState()
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: protocol(config, state, {}), "127.0.0.1", 0)
        _, writer = await asyncio.open_connection(*server.sockets[0].getsockname(), limit=1)
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        async with asyncio.timeout(60):
            await given_up.wait()
        writer.close()
        server.close()

    asyncio.run(ask_and_read_nothing())
