"""The client: one exchange is waiting for a turn, request, redirects, response, limits."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import httpx
import stamina
from protego import Protego

from clerk import __version__
from clerk.core.config import Settings
from clerk.core.errors import DocumentTooLarge, SourceBlocked, SourceUnavailable
from clerk.core.storage import pace_folder, writing

from . import DEFAULT_PACE_SECONDS
from .hosts import Clock, Hosts
from .limits import MEGABYTE, TooLarge, check_url, first_bytes, limited_chunks
from .responses import (
    HEAD_BYTES,
    AddressRefused,
    CircuitOpen,
    Download,
    PageMissing,
    RobotsRefused,
    TryAgain,
    Validators,
    WebPage,
    format_of,
    is_challenge,
    seconds_to_wait,
)
from .transport import VettedTransport

MAX_REDIRECTS = 5
MAX_PAGE_BYTES = 10 * MEGABYTE
MAX_ROBOTS_BYTES = 512 * 1024
IDLE_SECONDS = 60.0
CONNECT_SECONDS = 20.0
TOTAL_SECONDS = 15 * 60.0
ATTEMPTS = 4
#: A host that asks for a longer pause is closed for that long instead of waited for.
MAX_WAIT_SECONDS = 120.0
#: A host whose robots.txt asks for a longer delay between requests is still asked this often.
MAX_CRAWL_DELAY_SECONDS = 60.0

_AGENT = "clerk"
_TRY_AGAIN = frozenset({408, 429, *range(500, 600)})
_REFUSED = frozenset({401, 402, 403, 407, 451})
_MISSING = frozenset({404, 410})

Result = TypeVar("Result")


class Client:
    """Requests pages and documents.  Not for use by several threads at once."""

    def __init__(
        self,
        folder: Path,
        *,
        contact_url: str = "",
        pace_seconds: float = DEFAULT_PACE_SECONDS,
        vendors: Mapping[str, float] | None = None,
        allow_private: bool = False,
        transport: httpx.BaseTransport | None = None,
        clock: Clock = time,
    ) -> None:
        self._clock = clock
        self._allow_private = allow_private
        self._transport = transport or VettedTransport(clock, allow_private=allow_private)
        agent = f"{_AGENT}/{__version__}" + (f" (+{contact_url})" if contact_url else "")
        self._http = httpx.Client(
            transport=self._transport,
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(IDLE_SECONDS, connect=CONNECT_SECONDS),
            headers={"User-Agent": agent, "Accept-Encoding": "gzip, deflate"},
        )
        self._hosts = Hosts(folder, clock, pace_seconds=pace_seconds, vendors=vendors)
        self._robots: dict[tuple[str, str, int | None], Protego] = {}
        self._deadline = 0.0

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        pace_seconds: float = DEFAULT_PACE_SECONDS,
        vendors: Mapping[str, float] | None = None,
    ) -> Client:
        """Return a client that behaves as the settings say."""
        return cls(
            pace_folder(settings.storage_dir),
            contact_url=settings.contact_url,
            pace_seconds=pace_seconds,
            vendors=vendors,
            allow_private=settings.fetch_allow_private,
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def page(
        self,
        url: str,
        *,
        params: Mapping[str, str] | None = None,
        method: str = "GET",
        form: Mapping[str, str] | None = None,
        json: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> WebPage:
        """Return a page of at most 10 MB; raise when it is missing, refused, or a challenge."""

        def read(response: httpx.Response) -> WebPage:
            try:
                chunks = limited_chunks(response, MAX_PAGE_BYTES, self._clock, self._deadline)
                content = b"".join(chunks)
            except TooLarge as reason:
                raise SourceUnavailable(f"{_shown(response.url)} {reason}.") from reason
            _refuse_challenge(response, content[:HEAD_BYTES])
            return WebPage(str(response.url), content, response.headers)

        request = self._request(
            method, url, params=params, data=form, json=json, headers=dict(headers or {})
        )
        return self._retried(request, read)

    def download(
        self,
        url: str,
        to: Path,
        *,
        max_bytes: int,
        method: str = "GET",
        body: str = "",
        validators: Validators | None = None,
    ) -> Download | None:
        """Stream a document into a file, or return None if it has not changed."""

        def save(response: httpx.Response) -> Download | None:
            if response.status_code == 304:
                return None
            digest, total, head = hashlib.sha256(), 0, b""
            try:
                with writing(to) as write:
                    for chunk in limited_chunks(response, max_bytes, self._clock, self._deadline):
                        write(chunk)
                        digest.update(chunk)
                        total += len(chunk)
                        head += chunk[: HEAD_BYTES - len(head)]
            except TooLarge as reason:
                raise DocumentTooLarge(f"{_shown(response.url)} {reason}.") from reason
            _refuse_challenge(response, head)
            new_validators = Validators.of_response(response.headers)
            return Download(digest.hexdigest(), total, format_of(head), new_validators)

        headers = validators.headers() if validators else {}
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        return self._retried(
            self._request(method, url, content=body or None, headers=headers), save
        )

    def _request(self, method: str, url: str, **parts: Any) -> httpx.Request:
        try:
            return self._http.build_request(method, url, **parts)
        except (httpx.InvalidURL, UnicodeError) as error:
            raise AddressRefused(f"{url} is not an address: {error}.") from error

    def _retried(self, request: httpx.Request, read: Callable[[httpx.Response], Result]) -> Result:
        """Send a request, retry it if that may help, and count the host's failures."""
        host = request.url.host
        try:
            for attempt in stamina.retry_context(
                on=_retry_delay, attempts=ATTEMPTS, timeout=None, wait_initial=2, wait_max=30
            ):
                with attempt:
                    result = self._exchange(request, read)
        except (PageMissing, AddressRefused, CircuitOpen, RobotsRefused, DocumentTooLarge):
            raise
        except SourceBlocked:
            self._hosts.refused(host)
            raise
        except SourceUnavailable:
            self._hosts.failed(host)
            raise
        self._hosts.succeeded(host)
        return result

    def _exchange(self, request: httpx.Request, read: Callable[[httpx.Response], Result]) -> Result:
        """Send one request within the deadline and return what ``read`` makes of the response."""
        self._deadline = self._clock.monotonic() + TOTAL_SECONDS
        if isinstance(self._transport, VettedTransport):
            self._transport.set_deadline(self._deadline)
        host = request.url.host
        try:
            response = self._send(request)
            try:
                self._check_status(response)
                return read(response)
            finally:
                response.close()
        except httpx.TimeoutException as error:
            if self._clock.monotonic() < self._deadline:
                raise TryAgain(f"{host} did not respond in time.") from error
            minutes = f"{TOTAL_SECONDS / 60:.0f} minutes"
            raise SourceUnavailable(f"{host} took more than {minutes}.") from error
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
            raise SourceUnavailable(f"{_shown(request.url)}: {error or repr(error)}.") from error

    def _send(self, request: httpx.Request, *, obey_robots: bool = True) -> httpx.Response:
        """Send a request and follow its redirects, with every check at every hop."""
        first = request.url
        for _ in range(MAX_REDIRECTS + 1):
            check_url(request.url, allow_private=self._allow_private)
            delay_seconds = self._crawl_delay_seconds(request.url) if obey_robots else 0.0
            self._hosts.await_turn(request.url.host, delay_seconds)
            response = self._http.send(request, stream=True)
            if response.next_request is None:
                return response
            response.close()
            request = response.next_request
        raise SourceUnavailable(f"{_shown(first)} redirects more than {MAX_REDIRECTS} times.")

    def _check_status(self, response: httpx.Response) -> None:
        """Raise unless the response is the page or document, or says that it has not changed."""
        status, where = response.status_code, _shown(response.url)
        if status == 304 or response.is_success:
            return
        if status in _MISSING:
            raise PageMissing(f"{where} does not exist (status {status}).")
        if status in _REFUSED or is_challenge(response.headers, first_bytes(response, HEAD_BYTES)):
            raise _blocked(where, f"it returned status {status}")
        if status in _TRY_AGAIN:
            raise self._try_again(response)
        raise SourceUnavailable(f"{where} returned status {status}.")

    def _try_again(self, response: httpx.Response) -> SourceUnavailable:
        """Return TryAgain, or CircuitOpen if the host asks for a pause too long to wait for."""
        message = f"{_shown(response.url)} returned status {response.status_code}"
        wait_seconds = seconds_to_wait(response.headers, self._clock.time())
        if wait_seconds is None or wait_seconds <= MAX_WAIT_SECONDS:
            return TryAgain(f"{message}.", wait_seconds)
        self._hosts.close_for(response.url.host, wait_seconds)
        return CircuitOpen(f"{message} and asks to wait {wait_seconds:.0f} s.")

    def _crawl_delay_seconds(self, url: httpx.URL) -> float:
        """Return the delay between requests that the host's robots.txt asks for, or refuse the URL.

        It is read once per client; none allows everything, a host in trouble nothing yet.
        """
        host = (url.scheme, url.host, url.port)
        if host not in self._robots:
            robots_url = str(url.copy_with(raw_path=b"/robots.txt"))
            response = self._send(self._request("GET", robots_url), obey_robots=False)
            try:
                if response.status_code in _TRY_AGAIN:
                    raise self._try_again(response)
                content = first_bytes(response, MAX_ROBOTS_BYTES) if response.is_success else b""
            finally:
                response.close()
            self._robots[host] = Protego.parse(content.decode("utf-8", "replace"))
        rules = self._robots[host]
        if not rules.can_fetch(str(url), _AGENT):
            raise RobotsRefused(
                f"robots.txt of {url.host} disallows {url.path}.",
                hint="Ask the host for permission, or get the documents in another way.",
            )
        return min(float(rules.crawl_delay(_AGENT) or 0.0), MAX_CRAWL_DELAY_SECONDS)


def _retry_delay(error: Exception) -> bool | float:
    """Say whether to retry, and after how many seconds if the host said so."""
    if not isinstance(error, TryAgain):
        return False
    return True if error.wait_seconds is None else error.wait_seconds


def _refuse_challenge(response: httpx.Response, head: bytes) -> None:
    if is_challenge(response.headers, head):
        raise _blocked(_shown(response.url), "it shows a challenge page")


def _blocked(where: str, how: str) -> SourceBlocked:
    return SourceBlocked(
        f"{where} blocks clerk: {how}.",
        hint="Set CONTACT_URL so that the host sees who is asking, or ask them to allow clerk.",
    )


def _shown(url: httpx.URL) -> str:
    """Return the URL without its query, which may contain a token."""
    return str(url.copy_with(query=None, fragment=None))
