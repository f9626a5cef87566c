"""A transport that connects only to addresses it has looked up and checked itself.

The check and the connection use the same response of the resolver, so changing a name's address in
between achieves nothing; TLS still verifies the name.  Every read is bound by a deadline for the
whole exchange, so a host that sends one byte a minute cannot block a worker.
"""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Iterable, Iterator
from typing import Any

import httpcore
import httpx

from .hosts import Clock
from .limits import Resolver, allowed_addresses, system_resolver


class VettedTransport(httpx.BaseTransport):
    """Sends requests over connections made by :class:`_VettedBackend`."""

    def __init__(
        self, clock: Clock, *, allow_private: bool = False, resolve: Resolver = system_resolver
    ) -> None:
        self._backend = _VettedBackend(clock, allow_private, resolve)
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            max_connections=4,
            keepalive_expiry=30,
            network_backend=self._backend,
        )

    def set_deadline(self, monotonic: float) -> None:
        """Let every read and write from now on end at that moment of the clock."""
        self._backend.deadline = monotonic

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request and return the response with its body still to be read."""
        with _as_httpx_errors():
            response = self._pool.handle_request(
                httpcore.Request(
                    method=request.method,
                    url=httpcore.URL(
                        scheme=request.url.raw_scheme,
                        host=request.url.raw_host,
                        port=request.url.port,
                        target=request.url.raw_path,
                    ),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_Body(response.stream),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx_errors():
            yield from self._stream

    def close(self) -> None:
        self._stream.close()


@contextlib.contextmanager
def _as_httpx_errors() -> Iterator[None]:
    """Raise the error of the same name that httpx's own transport would raise."""
    try:
        yield
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as error:
        kind = getattr(httpx, type(error).__name__, httpx.TransportError)
        raise kind(str(error)) from error
    except httpcore.UnsupportedProtocol as error:
        raise httpx.UnsupportedProtocol(str(error)) from error


class _VettedBackend(httpcore.SyncBackend):
    def __init__(self, clock: Clock, allow_private: bool, resolve: Resolver) -> None:
        self.clock = clock
        self.deadline = float("inf")
        self._allow_private = allow_private
        self._resolve = resolve

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        addresses = allowed_addresses(host, port, self._resolve, allow_private=self._allow_private)
        while True:
            address = addresses.pop(0)
            seconds = self.seconds_left(timeout, httpcore.ConnectTimeout)
            try:
                stream = super().connect_tcp(address, port, seconds, None, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if not addresses:
                    raise
            else:
                return _BoundStream(stream, self)

    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        raise httpcore.ConnectError("clerk does not fetch from local sockets")

    def seconds_left(self, timeout: float | None, error: type[httpcore.TimeoutException]) -> float:
        left = self.deadline - self.clock.monotonic()
        if left <= 0:
            raise error("the request took too long")
        return min(left, timeout or left, 3600.0)


class _BoundStream(httpcore.NetworkStream):
    def __init__(self, stream: httpcore.NetworkStream, backend: _VettedBackend) -> None:
        self._stream = stream
        self._backend = backend

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(
            max_bytes, self._backend.seconds_left(timeout, httpcore.ReadTimeout)
        )

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._backend.seconds_left(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        left = self._backend.seconds_left(timeout, httpcore.ConnectTimeout)
        secured = self._stream.start_tls(ssl_context, server_hostname, left)
        return _BoundStream(secured, self._backend)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
