"""Asking and answering: one exchange is turn, request, hops, answer, limits."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import httpx
import stamina

from clerk import __version__
from clerk.core.errors import DocumentTooLarge, SourceBlocked, SourceUnavailable, StorageUnusable

from .addresses import check_url
from .answers import (
    HEAD_BYTES,
    Download,
    Page,
    Validators,
    is_challenge,
    seconds_to_wait,
    sniffed,
    usable_validators,
)
from .clock import Clock, SystemClock
from .errors import AddressRefused, CircuitOpen, PageMissing, RobotsRefused, TryAgain
from .hosts import Hosts
from .robots import Robots
from .transport import VettedTransport

MEGABYTE = 1024 * 1024

MAX_REDIRECTS = 5
MAX_PAGE_BYTES = 10 * MEGABYTE
ROBOTS_BYTES = 512 * 1024
#: An answer may unpack to so many times its size, once it is larger than a megabyte.
MAX_RATIO = 100
IDLE_SECONDS = 60.0
CONNECT_SECONDS = 20.0
TOTAL_SECONDS = 15 * 60.0
ATTEMPTS = 4
#: A host that asks for a longer pause is left alone instead of waited for.
LONGEST_WAIT = 120.0

_AGENT = "clerk"
_TRY_AGAIN = frozenset({408, 429, *range(500, 600)})
_REFUSED = frozenset({401, 402, 403, 407, 451})
_MISSING = frozenset({404, 410})

Answer = TypeVar("Answer")


class Exchange:
    """Asks hosts for pages and documents, for :class:`clerk.fetch.http.Client`."""

    def __init__(
        self,
        pace_folder: Path,
        *,
        contact_url: str = "",
        pace_seconds: float = 2.7,
        vendors: Mapping[str, float] | None = None,
        allow_private: bool = False,
        transport: httpx.BaseTransport | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._clock = clock or SystemClock()
        self._allow_private = allow_private
        self._transport = transport
        self._agent = f"{_AGENT}/{__version__}" + (f" (+{contact_url})" if contact_url else "")
        self._hosts = Hosts(pace_folder, self._clock, pace_seconds=pace_seconds, vendors=vendors)
        self._robots = Robots(_AGENT, self._read_robots)
        self._deadline = 0.0

    def close(self) -> None:
        """Close all connections."""
        if "_http" in self.__dict__:
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
    ) -> Page:
        """Return a page of at most 10 MB; raise when it is missing, refused, or a challenge."""
        request = self._request(
            method, url, params=params, data=form, json=json, headers=dict(headers or {})
        )
        return self._asked(request, self._read_page)

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
        headers = validators.headers() if validators else {}
        if body:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        request = self._request(method, url, content=body or None, headers=headers)
        return self._asked(request, lambda answer: self._save(answer, to, max_bytes))

    # -- one exchange

    @cached_property
    def _wire(self) -> httpx.BaseTransport:
        return self._transport or VettedTransport(self._clock, allow_private=self._allow_private)

    @cached_property
    def _http(self) -> httpx.Client:
        return httpx.Client(
            transport=self._wire,
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(IDLE_SECONDS, connect=CONNECT_SECONDS),
            headers={"User-Agent": self._agent, "Accept-Encoding": "gzip, deflate"},
        )

    def _request(self, method: str, url: str, **parts: Any) -> httpx.Request:
        try:
            return self._http.build_request(method, url, **parts)
        except (httpx.InvalidURL, UnicodeError) as error:
            raise AddressRefused(f"{url} is not an address: {error}.") from error

    def _asked(self, request: httpx.Request, read: Callable[[httpx.Response], Answer]) -> Answer:
        """Ask, again if that may help, and keep the host's record."""
        host = request.url.host
        try:
            answer = self._with_retries(request, read)
        except (PageMissing, AddressRefused, CircuitOpen, RobotsRefused, DocumentTooLarge):
            raise
        except SourceBlocked:
            self._hosts.refused(host)
            raise
        except SourceUnavailable:
            self._hosts.failed(host)
            raise
        self._hosts.succeeded(host)
        return answer

    def _with_retries(
        self, request: httpx.Request, read: Callable[[httpx.Response], Answer]
    ) -> Answer:
        for attempt in stamina.retry_context(
            on=_pause_before_retry,
            attempts=ATTEMPTS,
            timeout=None,
            wait_initial=2,
            wait_max=30,
        ):
            with attempt:
                return self._exchange(request, read)
        raise AssertionError("the last attempt returns or raises")

    def _exchange(self, request: httpx.Request, read: Callable[[httpx.Response], Answer]) -> Answer:
        self._set_deadline()
        try:
            answer = self._after_redirects(request)
            try:
                self._judge(answer)
                return read(answer)
            finally:
                answer.close()
        except httpx.TimeoutException as error:
            raise self._too_slow(request.url.host) from error
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
            raise SourceUnavailable(f"{_shown(request.url)}: {error or repr(error)}.") from error

    def _too_slow(self, host: str) -> SourceUnavailable:
        if self._clock.monotonic() >= self._deadline:
            return SourceUnavailable(f"{host} took more than {TOTAL_SECONDS / 60:.0f} minutes.")
        return TryAgain(f"{host} did not answer in time.")

    def _set_deadline(self) -> None:
        self._deadline = self._clock.monotonic() + TOTAL_SECONDS
        if isinstance(self._wire, VettedTransport):
            self._wire.set_deadline(self._deadline)

    def _after_redirects(
        self, request: httpx.Request, *, obey_robots: bool = True
    ) -> httpx.Response:
        """Send a request and follow where it leads, with every check at every hop."""
        first = request.url
        for _ in range(MAX_REDIRECTS + 1):
            check_url(request.url, allow_private=self._allow_private)
            delay = self._robots.delay_for(request.url) if obey_robots else 0.0
            answer = self._send(request, delay)
            if answer.next_request is None:
                return answer
            answer.close()
            request = answer.next_request
        raise SourceUnavailable(f"{_shown(first)} redirects more than {MAX_REDIRECTS} times.")

    def _send(self, request: httpx.Request, delay: float) -> httpx.Response:
        self._hosts.await_turn(request.url.host, delay)
        return self._http.send(request, stream=True)

    def _judge(self, answer: httpx.Response) -> None:
        """Raise unless the answer is what was asked for, or says that it has not changed."""
        status, where = answer.status_code, _shown(answer.url)
        if status == 304 or answer.is_success:
            return
        if status in _MISSING:
            raise PageMissing(f"{where} is not there (it answered {status}).")
        if status in _REFUSED or is_challenge(answer.headers, _first_bytes(answer)):
            raise _blocked(where, f"it answered {status}")
        if status in _TRY_AGAIN:
            raise self._try_again(answer, f"{where} answered {status}.")
        raise SourceUnavailable(f"{where} answered {status}.")

    def _try_again(self, answer: httpx.Response, message: str) -> SourceUnavailable:
        wait = seconds_to_wait(answer.headers, self._clock.time())
        if wait is None or wait <= LONGEST_WAIT:
            return TryAgain(message, wait)
        self._hosts.close_for(answer.url.host, wait)
        return CircuitOpen(f"{message[:-1]} and asks to wait {wait:.0f} s.")

    def _read_robots(self, url: httpx.URL) -> str:
        """Return a host's robots.txt; none at all allows everything, a broken host nothing yet."""
        answer = self._after_redirects(self._request("GET", str(url)), obey_robots=False)
        try:
            if answer.status_code in _TRY_AGAIN:
                raise self._try_again(answer, f"{_shown(url)} answered {answer.status_code}.")
            return _first_bytes(answer, ROBOTS_BYTES).decode("utf-8", "replace") * answer.is_success
        finally:
            answer.close()

    # -- reading

    def _read_page(self, answer: httpx.Response) -> Page:
        try:
            content = b"".join(self._chunks(answer, MAX_PAGE_BYTES))
        except _TooMuch as reason:
            raise SourceUnavailable(f"{_shown(answer.url)} {reason}.") from reason
        _refuse_challenge(answer, content[:HEAD_BYTES])
        return Page(str(answer.url), content, answer.headers)

    def _save(self, answer: httpx.Response, to: Path, max_bytes: int) -> Download | None:
        if answer.status_code == 304:
            return None
        digest, total, head = hashlib.sha256(), 0, b""
        try:
            with _writing(to) as write:
                for chunk in self._chunks(answer, max_bytes):
                    write(chunk)
                    digest.update(chunk)
                    total += len(chunk)
                    head += chunk[: HEAD_BYTES - len(head)]
        except _TooMuch as reason:
            raise DocumentTooLarge(f"{_shown(answer.url)} {reason}.") from reason
        _refuse_challenge(answer, head)
        validators = usable_validators(answer.headers)
        return Download(str(answer.url), digest.hexdigest(), total, sniffed(head), validators)

    def _chunks(self, answer: httpx.Response, max_bytes: int) -> Iterator[bytes]:
        """Yield the unpacked bytes within the limits of size, ratio and time."""
        announced = answer.headers.get("content-length", "")
        if announced.isdigit() and int(announced[:15]) > max_bytes:
            raise _TooMuch(f"has {int(announced[:15]) / MEGABYTE:.0f} MB")
        total = 0
        for chunk in answer.iter_bytes():
            total += len(chunk)
            if total > max_bytes:
                raise _TooMuch(f"has more than {max_bytes / MEGABYTE:.0f} MB")
            if total > MEGABYTE and total > MAX_RATIO * max(answer.num_bytes_downloaded, 1):
                raise _TooMuch("unpacks to far more than it is")
            if self._clock.monotonic() > self._deadline:
                raise httpx.ReadTimeout("too slow")
            yield chunk


def _pause_before_retry(error: Exception) -> bool | float:
    """Say whether to ask again, and after how long if the host said so."""
    if not isinstance(error, TryAgain):
        return False
    return True if error.wait_seconds is None else error.wait_seconds


class _TooMuch(Exception):
    """An answer is beyond a limit."""


def _first_bytes(answer: httpx.Response, limit: int = HEAD_BYTES) -> bytes:
    head = b""
    for chunk in answer.iter_bytes():
        head += chunk
        if len(head) >= limit:
            break
    return head[:limit]


def _refuse_challenge(answer: httpx.Response, head: bytes) -> None:
    if is_challenge(answer.headers, head):
        raise _blocked(_shown(answer.url), "it shows a challenge page")


def _blocked(where: str, how: str) -> SourceBlocked:
    return SourceBlocked(
        f"{where} does not let clerk in: {how}.",
        hint="Set CONTACT_URL so that the host sees who asks, or ask them to allow clerk.",
    )


def _shown(url: httpx.URL) -> str:
    """Return the URL without its query, which may carry a token."""
    return str(url.copy_with(query=None, fragment=None))


@contextlib.contextmanager
def _writing(to: Path) -> Iterator[Callable[[bytes], object]]:
    """Give a function that writes; what the disk says is about our storage, not about the host."""

    def write(chunk: bytes) -> None:
        with _storage_errors(to):
            file.write(chunk)

    with _storage_errors(to):
        file = to.open("wb")
    try:
        yield write
    finally:
        with _storage_errors(to):
            file.close()


@contextlib.contextmanager
def _storage_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageUnusable(
            f"{path} cannot be written to: {error.strerror or error}.",
            hint="Free space or mend its permissions, or set STORAGE_DIR to another folder.",
        ) from error
