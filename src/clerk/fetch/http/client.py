"""The client: one exchange is waiting for a turn, request, redirects, response, limits."""

from __future__ import annotations

import hashlib
import logging
import ssl
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import httpx
import stamina
from protego import Protego
from stamina.instrumentation import RetryDetails, set_on_retry_hooks

from clerk import __version__
from clerk.core.config import Settings
from clerk.core.errors import DocumentTooLarge, SourceBlocked, SourceUnavailable
from clerk.core.hosts import SharedHosts
from clerk.core.storage import machine_pace_folder, pace_folder, writing

from . import DEFAULT_PACE_SECONDS
from .hosts import Clock, HostFiles, Hosts, HostStates
from .limits import MEGABYTE, TooLarge, check_url, first_bytes, limited_chunks
from .responses import (
    HEAD_BYTES,
    AddressRefused,
    CertificateRefused,
    ChallengePage,
    CircuitOpen,
    Download,
    HostTrouble,
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

LOG = logging.getLogger(__name__)

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
_VIEWER_HOST = "docs.google.com"
_TRY_AGAIN = frozenset({408, 429, *range(500, 600)})
_HOSTS_OWN = frozenset({429, 502, 503, 504})
_REFUSED = frozenset({401, 402, 403, 407, 451})
_MISSING = frozenset({404, 410})

Result = TypeVar("Result")


class Client:
    """Requests pages and documents.  Not for use by several threads at once."""

    def __init__(
        self,
        hosts: HostStates | Path,
        *,
        contact_url: str = "",
        pace_seconds: float = DEFAULT_PACE_SECONDS,
        vendors: Mapping[str, float] | None = None,
        allow_private: bool = False,
        ignore_robots: bool = False,
        site: str = "",
        transport: httpx.BaseTransport | None = None,
        clock: Clock = time,
    ) -> None:
        #: Called with every page that was read, and with pages that are refused as a challenge.
        self.on_page: Callable[[WebPage], None] | None = None
        #: Whether somebody allowed what robots.txt refuses; its delay is kept all the same.
        self.ignore_robots = ignore_robots
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
        states = HostFiles(hosts, clock) if isinstance(hosts, Path) else hosts
        self._hosts = Hosts(states, clock, pace_seconds=pace_seconds, vendors=vendors, site=site)
        self._robots: dict[tuple[str, str, int | None], Protego] = {}
        self._deadline = 0.0

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        *,
        pace_seconds: float = DEFAULT_PACE_SECONDS,
        vendors: Mapping[str, float] | None = None,
        ignore_robots: bool = False,
        site: str = "",
    ) -> Client:
        """Return a client that behaves as the settings say."""
        return cls(
            pace_states(settings),
            contact_url=settings.contact_url,
            pace_seconds=pace_seconds,
            vendors=vendors,
            allow_private=settings.fetch_allow_private,
            ignore_robots=ignore_robots,
            site=site,
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
        content: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> WebPage:
        """Return a page of at most 10 MB; raise when it is missing, refused, or a challenge."""

        def read(response: httpx.Response) -> WebPage:
            try:
                chunks = limited_chunks(response, MAX_PAGE_BYTES, self._clock, self._deadline)
                content = b"".join(chunks)
            except TooLarge as reason:
                raise SourceUnavailable(f"{_shown(response.url)} {reason}.") from reason
            page = WebPage(str(response.url), content, response.headers)
            if self.on_page:
                self.on_page(page)
            _refuse_challenge(response, content[:HEAD_BYTES])
            return page

        request = self._request(
            method,
            url,
            params=params,
            data=form,
            json=json,
            content=content,
            headers=dict(headers or {}),
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
            self._request(method, url, content=body or None, headers=headers),
            save,
            counts_for_site=False,
        )

    def _request(self, method: str, url: str, **parts: Any) -> httpx.Request:
        try:
            return self._http.build_request(method, url, **parts)
        except (httpx.InvalidURL, UnicodeError) as error:
            raise AddressRefused(f"{url} is not an address: {error}.") from error

    def _retried(
        self,
        request: httpx.Request,
        read: Callable[[httpx.Response], Result],
        *,
        counts_for_site: bool = True,
    ) -> Result:
        """Send a request, retry it if that may help, and count failures of the host or the site.

        A document that fails is its own matter and closes neither.
        """
        host = request.url.host
        try:
            for attempt in stamina.retry_context(
                on=_retry_delay, attempts=ATTEMPTS, timeout=None, wait_initial=2, wait_max=30
            ):
                with attempt:
                    result = self._exchange(request, read)
        except (PageMissing, AddressRefused, CircuitOpen, RobotsRefused, DocumentTooLarge):
            raise
        except SourceUnavailable as error:
            if isinstance(error, HostTrouble) or getattr(error, "of_host", False):
                self._hosts.failed(host)
            elif counts_for_site or isinstance(error, SourceBlocked):
                self._hosts.failed_for_site(host)
            raise
        self._hosts.succeeded(host)
        return result

    def _exchange(self, request: httpx.Request, read: Callable[[httpx.Response], Result]) -> Result:
        """Send one request within the deadline and return what ``read`` makes of the response."""
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
            raise HostTrouble(f"{host} took more than {minutes}.") from error
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
            if refused := _certificate_error(error):
                raise CertificateRefused(
                    f"The certificate of {host} is not valid: {refused.verify_message}.",
                    hint="Open the address in a browser. SSL_CERT_FILE can name a file with the "
                    "certificate of an authority of your own.",
                ) from error
            raise HostTrouble(
                f"{_shown(request.url)}: {error or repr(error)}.",
                hint="Check the address, or try again later.",
            ) from error

    def _send(self, request: httpx.Request, *, obey_robots: bool = True) -> httpx.Response:
        """Send a request and follow its redirects, with every check at every hop."""
        first = request.url
        for _ in range(MAX_REDIRECTS + 1):
            check_url(request.url, allow_private=self._allow_private)
            delay_seconds = self._crawl_delay_seconds(request.url) if obey_robots else 0.0
            self._hosts.await_turn(request.url.host, delay_seconds)
            # The wait for a turn is not the host's fault.
            self._deadline = self._clock.monotonic() + TOTAL_SECONDS
            if isinstance(self._transport, VettedTransport):
                self._transport.set_deadline(self._deadline)
            response = self._http.send(request, stream=True)
            if response.next_request is None:
                return response
            response.close()
            request = response.next_request
            if request.url.host == _VIEWER_HOST and (wrapped := request.url.params.get("url")):
                # A viewer of documents around the document: Granicus redirects to it.
                request = self._request("GET", wrapped)
        raise SourceUnavailable(f"{_shown(first)} redirects more than {MAX_REDIRECTS} times.")

    def _check_status(self, response: httpx.Response) -> None:
        """Raise unless the response is the page or document, or says that it has not changed."""
        status, where = response.status_code, _shown(response.url)
        if status == 304 or response.is_success:
            return
        if status in _MISSING:
            raise PageMissing(f"{where} does not exist (status {status}).")
        challenged = is_challenge(response.headers, first_bytes(response, HEAD_BYTES))
        if status in _REFUSED or challenged:
            kind = ChallengePage if challenged else SourceBlocked
            how = "shows a challenge page for browsers, with" if challenged else "returned"
            raise _blocked(where, f"it {how} status {status}", kind)
        if status in _TRY_AGAIN:
            raise self._try_again(response)
        raise SourceUnavailable(f"{where} returned status {status}.")

    def _try_again(self, response: httpx.Response) -> SourceUnavailable:
        """Return TryAgain, or CircuitOpen if the host asks for a pause too long to wait for."""
        message = f"{_shown(response.url)} returned status {response.status_code}"
        wait_seconds = seconds_to_wait(response.headers, self._clock.time())
        if wait_seconds is None or wait_seconds <= MAX_WAIT_SECONDS:
            # Too many requests and an overloaded gateway are the host's; another error of the
            # server may be that of one page.
            of_host = response.status_code in _HOSTS_OWN
            return TryAgain(f"{message}.", wait_seconds, of_host=of_host)
        self._hosts.close_for(response.url.host, wait_seconds)
        return CircuitOpen(f"{message} and asks to wait {wait_seconds:.0f} s.")

    def _crawl_delay_seconds(self, url: httpx.URL) -> float:
        """Return the delay between requests that the host's robots.txt asks for, or refuse the URL.

        It is read once per client; none allows everything, a host in trouble nothing yet.
        """
        host = (url.scheme, url.host, url.port)
        if host not in self._robots:
            robots_url = str(url.copy_with(raw_path=b"/robots.txt"))
            kept = self._hosts.states.robots(robots_url)
            if kept is not None:
                self._robots[host] = Protego.parse(kept)
        if host not in self._robots:
            response = self._send(self._request("GET", robots_url), obey_robots=False)
            try:
                if response.status_code in _TRY_AGAIN:
                    raise self._try_again(response)
                content = first_bytes(response, MAX_ROBOTS_BYTES) if response.is_success else b""
            finally:
                response.close()
            robots = content.decode("utf-8", "replace")
            self._robots[host] = Protego.parse(robots)
            self._hosts.states.keep_robots(robots_url, robots)
        rules = self._robots[host]
        if not self.ignore_robots and not rules.can_fetch(str(url), _AGENT):
            raise RobotsRefused(
                f"robots.txt of {url.host} disallows {url.path}.",
                hint="Ask the town for permission and record it: "
                "clerk site edit SITE --permission-from WHO --permission-reason WHY.",
            )
        return min(float(rules.crawl_delay(_AGENT) or 0.0), MAX_CRAWL_DELAY_SECONDS)


def pace_states(settings: Settings) -> HostStates | Path:
    """Return where the turns at hosts are kept: for all machines, else for all of this machine.

    Sources on private addresses are this installation's own business.
    """
    if not settings.sql_url.startswith("sqlite"):
        return SharedHosts()
    own = pace_folder(settings.storage_dir)
    return own if settings.fetch_allow_private else machine_pace_folder() or own


def _retry_delay(error: Exception) -> bool | float:
    """Say whether to retry, and after how many seconds if the host said so."""
    if not isinstance(error, TryAgain):
        return False
    return True if error.wait_seconds is None else error.wait_seconds


def _log_retry(details: RetryDetails) -> None:
    """Log why a request is sent again, and when."""
    LOG.warning("%s Trying again in %.0f s.", details.caused_by, details.wait_for)


# Its own message says neither what failed nor why.
set_on_retry_hooks([_log_retry])


def _certificate_error(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    """Return the refusal of a certificate that caused an error, if that was the cause."""
    while error is not None and not isinstance(error, ssl.SSLCertVerificationError):
        error = error.__cause__ or error.__context__
    return error


def _refuse_challenge(response: httpx.Response, head: bytes) -> None:
    if is_challenge(response.headers, head):
        raise _blocked(_shown(response.url), "it shows a challenge page", ChallengePage)


def _blocked(where: str, how: str, kind: type[SourceBlocked] = SourceBlocked) -> SourceBlocked:
    return kind(
        f"{where} blocks clerk: {how}.",
        hint="Set CONTACT_URL so that the host sees who sends requests, or ask it to allow clerk.",
    )


def _shown(url: httpx.URL) -> str:
    """Return the URL without its query, which may contain a token."""
    return str(url.copy_with(query=None, fragment=None))
