"""The polite client: manners, limits, and where it does not go."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import ipaddress
import socket
import ssl
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from multiprocessing import get_context
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from pathlib import Path

import httpx
import pytest
import stamina

from clerk.core.config import Settings
from clerk.core.errors import DocumentTooLarge, SourceBlocked, SourceUnavailable, StorageUnusable
from clerk.fetch.http.client import Client, pace_states
from clerk.fetch.http.hosts import HostFiles, Hosts
from clerk.fetch.http.limits import check_url, is_public
from clerk.fetch.http.responses import (
    AddressRefused,
    ApiError,
    CircuitOpen,
    HostTrouble,
    PageMissing,
    Validators,
)
from clerk.fetch.http.transport import VettedTransport

PDF = b"%PDF-1.4 hello"
MEGABYTE = 1024 * 1024


class FakeClock:
    """A clock that moves only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0
        self.slept: list[float] = []

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


Handler = Callable[[httpx.Request], httpx.Response]


class Host:
    """A host played by a function; remembers what it was asked."""

    def __init__(self, answer: Handler, robots: str | None = None) -> None:
        self.asked: list[httpx.Request] = []
        self._answer = answer
        self._robots = robots

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/robots.txt":
            if self._robots is None:
                return httpx.Response(404)
            return httpx.Response(200, text=self._robots)
        self.asked.append(request)
        return self._answer(request)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(autouse=True)
def retries_without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=4, cap=True):
        yield


@pytest.fixture
def client_of(tmp_path, clock):
    def make(host: Handler, **options: object) -> Client:
        transport = httpx.MockTransport(host)
        return Client(tmp_path / "pace", transport=transport, clock=clock, **options)

    return make


def in_turn(*answers: httpx.Response | Exception) -> Handler:
    left = list(answers)

    def answer(request: httpx.Request) -> httpx.Response:
        given = left.pop(0)
        if isinstance(given, Exception):
            raise given
        return given

    return answer


def test_a_page_is_read(client_of):
    client = client_of(Host(lambda _: httpx.Response(200, json={"meetings": 3})))

    page = client.page("https://town.example/list", params={"year": "2024"})

    assert page.json() == {"meetings": 3}
    assert page.url == "https://town.example/list?year=2024"


def test_the_client_says_who_it_is(client_of):
    host = Host(lambda _: httpx.Response(200))

    client_of(host, contact_url="https://example.org/us").page("https://town.example/")

    assert host.asked[0].headers["user-agent"].startswith("clerk/")
    assert "(+https://example.org/us)" in host.asked[0].headers["user-agent"]


def test_a_page_that_is_not_json_says_what_it_is_instead(client_of):
    client = client_of(Host(lambda _: httpx.Response(200, html="<html>Welcome</html>")))

    with pytest.raises(ApiError, match="expected JSON, found an HTML page"):
        client.page("https://town.example/api").json()


def test_text_in_an_old_encoding_is_read(client_of):
    client = client_of(Host(lambda _: httpx.Response(200, content="señor".encode("cp1252"))))

    assert client.page("https://town.example/").text == "señor"


# -- manners


def test_requests_to_one_host_keep_their_distance(client_of, clock):
    client = client_of(Host(lambda _: httpx.Response(200)), pace_seconds=2.7)

    for _ in range(3):
        client.page("https://town.example/")

    assert len(clock.slept) == 3
    assert all(2.7 <= pause <= 2.7 * 1.2 for pause in clock.slept)


def test_all_hosts_of_a_vendor_share_one_pace(client_of, clock):
    client = client_of(Host(lambda _: httpx.Response(200)), vendors={"vendor.example": 5.0})

    client.page("https://one.vendor.example/")
    before = clock.now
    client.page("https://two.vendor.example/")

    assert clock.now - before >= 5.0


class StoppedClock(FakeClock):
    """A clock that nobody moves: every turn is asked for at the same moment."""

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


def _take_turns(storage_dir: Path, start: Barrier, results: Queue[list[float]]) -> None:
    clock = StoppedClock()
    folder = pace_states(Settings(storage_dir=storage_dir))
    assert isinstance(folder, Path)
    hosts = Hosts(HostFiles(folder, clock), clock, pace_seconds=1)
    start.wait()
    for _ in range(20):
        hosts.await_turn("town.example")
    results.put(clock.slept)


def test_ten_processes_with_storage_directories_of_their_own_share_the_pace_of_a_host(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    context = get_context("fork")
    results, start = context.Queue(), context.Barrier(10)
    processes = [
        context.Process(target=_take_turns, args=(tmp_path / str(number), start, results))
        for number in range(10)
    ]
    for process in processes:
        process.start()
    waits = sorted(wait for _ in processes for wait in results.get(timeout=120))
    for process in processes:
        process.join()

    turns = [0.0, *waits]
    assert len(turns) == 200
    assert all(later - earlier >= 1 for earlier, later in pairwise(turns))


def test_a_clock_that_was_set_back_does_not_stop_us(tmp_path, clock):
    hosts = Hosts(HostFiles(tmp_path, clock), clock, pace_seconds=1)
    hosts.await_turn("town.example")
    clock.now -= 86_400

    hosts.await_turn("town.example")

    assert sum(clock.slept) < 5


def test_robots_txt_is_obeyed(client_of):
    host = Host(lambda _: httpx.Response(200), robots="User-agent: *\nDisallow: /private")
    client = client_of(host)

    client.page("https://town.example/public")
    with pytest.raises(SourceBlocked, match="disallows /private/x"):
        client.page("https://town.example/private/x")

    assert [request.url.path for request in host.asked] == ["/public"]


def test_pages_that_robots_txt_refuses_do_not_close_the_host(client_of):
    host = Host(lambda _: httpx.Response(200), robots="User-agent: *\nDisallow: /private")
    client = client_of(host)

    for number in range(6):
        with pytest.raises(SourceBlocked, match="disallows"):
            client.page(f"https://town.example/private/{number}")

    assert client.page("https://town.example/public").url == "https://town.example/public"


def test_a_town_that_refuses_us_closes_itself_and_not_its_vendor(client_of):
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(403 if request.url.host.startswith("shut") else 200)

    client = client_of(Host(answer), vendors={"vendor.example": 2.7})
    for _ in range(5):
        with pytest.raises(SourceBlocked, match="403"):
            client.page("https://shut.vendor.example/")

    with pytest.raises(CircuitOpen):
        client.page("https://shut.vendor.example/")

    assert client.page("https://open.vendor.example/").url == "https://open.vendor.example/"


def test_installations_on_one_machine_share_the_turns_at_a_host(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folders = {pace_states(Settings(storage_dir=tmp_path / name)) for name in ("one", "two")}

    assert len(folders) == 1
    (folder,) = folders
    assert folder is not None and folder.stat().st_mode & 0o077 == 0
    private = Settings(storage_dir=tmp_path / "three", fetch_allow_private=True)
    assert pace_states(private) == tmp_path / "three" / "_clerk" / "pace"


def test_a_viewer_around_a_document_is_left_out(client_of, tmp_path):
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "town.example":
            viewer = "https://docs.google.com/gview?url=https%3A%2F%2Ffiles.example%2Fa.pdf"
            return httpx.Response(302, headers={"Location": viewer})
        return httpx.Response(200, content=b"%PDF-1.4 " + request.url.host.encode())

    target = tmp_path / "a"
    client_of(Host(answer)).download("https://town.example/a", target, max_bytes=1000)

    assert target.read_bytes() == b"%PDF-1.4 files.example"


def test_broken_pages_of_one_town_do_not_close_a_host_that_towns_share(client_of):
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(500 if "/broken/" in request.url.path else 200)

    client = client_of(Host(answer), site="broken")
    for _ in range(5):
        with pytest.raises(SourceUnavailable):
            client.page("https://api.vendor.example/broken/list")

    with pytest.raises(CircuitOpen):
        client.page("https://api.vendor.example/broken/list")

    other = client_of(Host(answer), site="other")
    assert other.page("https://api.vendor.example/other/list").content == b""


def test_a_host_that_cannot_be_reached_is_closed_for_all_of_its_towns(client_of):
    def answer(_request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no route")

    client = client_of(Host(answer), site="one")
    for _ in range(5):
        with pytest.raises(SourceUnavailable, match="no route"):
            client.page("https://api.vendor.example/one/list")

    with pytest.raises(CircuitOpen):
        client_of(Host(answer), site="other").page("https://api.vendor.example/other/list")


def test_a_crawl_delay_slows_us_down(client_of, clock):
    client = client_of(Host(lambda _: httpx.Response(200), robots="User-agent: *\nCrawl-delay: 20"))

    client.page("https://town.example/")
    client.page("https://town.example/")

    assert clock.slept[-1] >= 20


def test_a_host_in_trouble_is_asked_again(client_of):
    host = Host(in_turn(httpx.Response(503), httpx.ReadTimeout("slow"), httpx.Response(200)))

    client_of(host).page("https://town.example/")

    assert len(host.asked) == 3


def test_a_retry_says_what_failed_and_when_it_is_tried_again(client_of, caplog):
    with stamina.set_testing(False):
        host = Host(in_turn(httpx.Response(503, headers={"Retry-After": "0"}), httpx.Response(200)))
        client_of(host).page("https://town.example/list")

    [record] = [each for each in caplog.records if each.name == "clerk.fetch.http.client"]
    assert record.getMessage() == (
        "https://town.example/list returned status 503. Trying again in 0 s."
    )


@pytest.mark.parametrize("status", [400, 403, 404, 405, 410])
def test_a_clear_no_is_not_asked_again(client_of, status):
    host = Host(lambda _: httpx.Response(status))

    with pytest.raises(SourceUnavailable):
        client_of(host).page("https://town.example/")

    assert len(host.asked) == 1


def test_a_missing_page_is_told_apart(client_of):
    with pytest.raises(PageMissing, match="404"):
        client_of(Host(lambda _: httpx.Response(404))).page("https://town.example/x")


def test_a_long_retry_after_is_obeyed_by_everybody(client_of, clock):
    client = client_of(Host(lambda _: httpx.Response(429, headers={"Retry-After": "3600"})))

    with pytest.raises(CircuitOpen, match="asks to wait 3600 s"):
        client.page("https://town.example/")
    with pytest.raises(CircuitOpen, match="No requests go to"):
        client_of(Host(lambda _: httpx.Response(200))).page("https://town.example/")
    clock.now += 3601
    client_of(Host(lambda _: httpx.Response(200))).page("https://town.example/")


def test_a_short_retry_after_is_waited_for(client_of):
    answers = in_turn(httpx.Response(429, headers={"Retry-After": "7"}), httpx.Response(200))
    host = Host(answers)

    client_of(host).page("https://town.example/")

    assert len(host.asked) == 2


def test_a_host_that_keeps_failing_is_left_alone(client_of, clock):
    host = Host(lambda _: httpx.Response(500))
    client = client_of(host)
    for _ in range(5):
        with pytest.raises(SourceUnavailable):
            client.page("https://town.example/")
    asked = len(host.asked)

    with pytest.raises(CircuitOpen):
        client.page("https://town.example/")

    assert len(host.asked) == asked
    clock.now += 301
    with pytest.raises(SourceUnavailable, match="returned status 500"):
        client.page("https://town.example/")


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(403, html="<html>Access Denied</html>"),
        httpx.Response(503, html="<html><title>Just a moment...</title></html>"),
        httpx.Response(200, html="<html><script src='/_Incapsula_Resource'></script></html>"),
        httpx.Response(200, headers={"cf-mitigated": "challenge"}),
    ],
)
def test_a_challenge_is_a_refusal_and_never_a_page(client_of, answer):
    host = Host(lambda _: answer)

    with pytest.raises(SourceBlocked):
        client_of(host).page("https://town.example/")

    assert len(host.asked) == 1


# -- documents


def test_a_document_is_streamed_and_hashed(client_of, tmp_path):
    client = client_of(Host(lambda _: httpx.Response(200, content=PDF)))

    download = client.download("https://town.example/a", tmp_path / "part", max_bytes=MEGABYTE)

    assert (tmp_path / "part").read_bytes() == PDF
    assert download and download.sha256 == hashlib.sha256(PDF).hexdigest()
    assert download.format == "a PDF"


def test_an_unchanged_document_is_not_sent_again(client_of, tmp_path):
    def answer(request: httpx.Request) -> httpx.Response:
        if request.headers.get("if-none-match") == '"v1"':
            return httpx.Response(304)
        return httpx.Response(200, content=PDF, headers={"ETag": '"v1"'})

    client = client_of(Host(answer))
    first = client.download("https://town.example/a", tmp_path / "part", max_bytes=MEGABYTE)
    assert first

    second = client.download(
        "https://town.example/a",
        tmp_path / "again",
        max_bytes=MEGABYTE,
        validators=first.validators,
    )

    assert second is None and not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    "headers",
    [
        {"ETag": '" "'},
        {"ETag": '""'},
        {"ETag": 'W/""'},
        {"Last-Modified": "yesterday"},
        {
            "Last-Modified": "Mon, 15 Jan 2024 10:00:00 GMT",
            "Date": "Mon, 15 Jan 2024 10:00:01 GMT",
        },
    ],
)
def test_validators_that_say_nothing_are_not_used(client_of, tmp_path, headers):
    client = client_of(Host(lambda _: httpx.Response(200, content=PDF, headers=headers)))

    download = client.download("https://town.example/a", tmp_path / "part", max_bytes=MEGABYTE)

    assert download and download.validators == Validators()


def test_a_document_beyond_the_limit_is_refused_before_it_is_read(client_of, tmp_path):
    answer = httpx.Response(200, headers={"Content-Length": str(10 * MEGABYTE)})

    with pytest.raises(DocumentTooLarge, match="10 MB"):
        client_of(Host(lambda _: answer)).download(
            "https://town.example/a", tmp_path / "part", max_bytes=MEGABYTE
        )


def test_a_document_that_does_not_say_its_size_is_cut_off(client_of, tmp_path):
    def endless() -> Iterator[bytes]:
        while True:
            yield b"x" * 65_536

    client = client_of(Host(lambda _: httpx.Response(200, content=endless())))

    with pytest.raises(DocumentTooLarge, match="more than 1 MB"):
        client.download("https://town.example/a", tmp_path / "part", max_bytes=MEGABYTE)
    assert (tmp_path / "part").stat().st_size <= MEGABYTE


def test_an_answer_that_unpacks_to_far_more_is_refused(client_of, tmp_path):
    bomb = gzip.compress(b"\0" * 50 * MEGABYTE)
    answer = httpx.Response(200, content=iter([bomb]), headers={"Content-Encoding": "gzip"})

    with pytest.raises(DocumentTooLarge, match="unpacks"):
        client_of(Host(lambda _: answer)).download(
            "https://town.example/a", tmp_path / "part", max_bytes=150 * MEGABYTE
        )


def test_a_page_beyond_ten_megabytes_is_refused(client_of):
    client = client_of(Host(lambda _: httpx.Response(200, content=b"x" * 11 * MEGABYTE)))

    with pytest.raises(SourceUnavailable, match="has 11 MB"):
        client.page("https://town.example/")


def test_an_answer_may_not_take_longer_than_a_quarter_of_an_hour(client_of, clock, tmp_path):
    def slowly() -> Iterator[bytes]:
        for _ in range(100):
            clock.now += 59
            yield b"x"

    host = Host(lambda _: httpx.Response(200, content=slowly()))

    with pytest.raises(SourceUnavailable, match="more than 15 minutes"):
        client_of(host).download("https://town.example/a", tmp_path / "part", max_bytes=MEGABYTE)
    assert len(host.asked) == 1


def test_a_disk_that_cannot_be_written_to_is_not_the_hosts_fault(client_of, tmp_path):
    client = client_of(Host(lambda _: httpx.Response(200, content=PDF)))

    with pytest.raises(StorageUnusable):
        client.download("https://town.example/a", tmp_path / "no" / "part", max_bytes=MEGABYTE)


# -- where it goes


def test_redirects_are_followed(client_of):
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "vendor.example":
            return httpx.Response(302, headers={"Location": "https://town.example/list"})
        return httpx.Response(200, text="here")

    page = client_of(Host(answer)).page("http://vendor.example/list")

    assert (page.url, page.text) == ("https://town.example/list", "here")


def test_redirects_have_an_end(client_of):
    host = Host(lambda _: httpx.Response(302, headers={"Location": "/again"}))

    with pytest.raises(SourceUnavailable, match="more than 5 times"):
        client_of(host).page("https://town.example/")

    assert len(host.asked) == 6


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://town.example:6379/",
        "file:///etc/passwd",
        "ftp://town.example/",
        "https://user:password@town.example/",
    ],
)
def test_no_redirect_leads_to_where_we_do_not_go(client_of, target):
    host = Host(lambda _: httpx.Response(302, headers={"Location": target}))

    with pytest.raises(SourceUnavailable):
        client_of(host).page("https://town.example/")

    assert len(host.asked) == 1


@pytest.mark.parametrize(
    "url", ["", "nonsense", "http://", "http://[", "http://a b/", "gopher://x"]
)
def test_what_is_no_address_is_refused(client_of, url):
    with pytest.raises(AddressRefused):
        client_of(Host(lambda _: httpx.Response(200))).page(url)


@pytest.mark.parametrize(
    "address",
    [
        "10.1.2.3",
        "127.0.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.168.1.1",
        "100.100.100.200",
        "168.63.129.16",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fd00:ec2::254",
        "ff02::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
    ],
)
def test_addresses_that_are_not_public(address):
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])
def test_addresses_that_are_public(address):
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.1", "127.0.0.1.", "2130706433", "0x7f000001", "0x7f.1", "017700000001"),
        *("0xa9fea9fe", "10.1", "192.168.257", "0", "[::1]", "[::ffff:7f00:1]", "[fe80::1%25eth0]"),
        *("localhost", "LOCALHOST.", "hook.localhost", "printer.local", "hook.corp.internal"),
    ],
)
def test_hosts_that_are_private_without_looking_up_a_name(host):
    url = httpx.URL(f"http://{host}/hook")

    with pytest.raises(AddressRefused, match="is not a public address"):
        check_url(url)
    check_url(url, allow_private=True)


@pytest.mark.parametrize(
    "host", ["8.8.8.8", "0x08080808", "local.example", "internal.example.org", "localhost.example"]
)
def test_hosts_that_may_be_public_until_they_are_looked_up(host):
    check_url(httpx.URL(f"http://{host}/hook"))


# -- real sockets


class _Town(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path != "/robots.txt"
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(PDF) if found else 0))
        self.end_headers()
        if found:
            self.wfile.write(PDF)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def town_port() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Town)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_machine_nearby_is_read_only_with_the_allowance(tmp_path, town_port):
    url = f"http://localhost:{town_port}/a.pdf"
    allowed = Settings(storage_dir=tmp_path, fetch_allow_private=True)

    with Client.from_settings(allowed, pace_seconds=0.001) as client:
        assert client.page(url).content == PDF
    with (
        Client.from_settings(Settings(storage_dir=tmp_path)) as client,
        pytest.raises(AddressRefused),
    ):
        client.page(url)


def self_signed(folder: Path) -> Path:
    """A file with a key and a certificate that nobody vouches for."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    form = serialization.PrivateFormat.PKCS8
    path = folder / "town.pem"
    path.write_bytes(
        key.private_bytes(pem, form, serialization.NoEncryption()) + certificate.public_bytes(pem)
    )
    return path


def test_a_certificate_that_nobody_vouches_for_is_an_error_of_the_host(tmp_path):
    pytest.importorskip("cryptography")
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Town)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed(tmp_path))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    allowed = Settings(storage_dir=tmp_path, fetch_allow_private=True)
    try:
        with (
            Client.from_settings(allowed, pace_seconds=0.001) as client,
            pytest.raises(HostTrouble, match="certificate of localhost is not valid: self-signed"),
        ):
            client.page(f"https://localhost:{server.server_port}/a.pdf")
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_name_that_leads_to_a_private_address_is_refused_when_connecting(tmp_path):
    looked_up: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        looked_up.append(host)
        return ["127.0.0.1", "::1", "10.0.0.7"]

    transport = VettedTransport(time, resolve=resolve)
    with (
        Client(tmp_path, transport=transport) as client,
        pytest.raises(AddressRefused, match=r"town\.example"),
    ):
        client.page("http://town.example/")

    assert looked_up == ["town.example"]


def test_the_connection_goes_to_the_address_that_was_checked(tmp_path, town_port):
    transport = VettedTransport(time, allow_private=True, resolve=lambda host, port: ["127.0.0.1"])
    options = {"allow_private": True, "pace_seconds": 0.001}
    with Client(tmp_path, transport=transport, **options) as client:  # type: ignore[arg-type]
        page = client.page(f"http://only.in.this.test.invalid:{town_port}/a.pdf")

    assert page.content == PDF


def test_a_host_that_sends_its_headers_drop_by_drop_meets_the_deadline(tmp_path, clock):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def drip() -> None:
            connection, _ = server.accept()
            with connection, contextlib.suppress(OSError):
                for _ in range(3):
                    clock.now += 400
                    connection.sendall(b"HTTP/1.1 200 OK\r\n"[:5])
                connection.recv(1)

        thread = threading.Thread(target=drip)
        thread.start()
        options = {"allow_private": True, "clock": clock}
        with (
            Client(tmp_path, **options) as client,  # type: ignore[arg-type]
            pytest.raises(SourceUnavailable),
        ):
            client.page(f"http://127.0.0.1:{port}/")
        thread.join(timeout=60)
