"""The client as everybody sees it; what it takes to ask is imported when it first asks."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from clerk.core.config import Settings

from .answers import Download, Page

if TYPE_CHECKING:
    from .exchange import Exchange


class Client:
    """Asks hosts for pages and documents.  Not for use by several threads at once.

    ``options`` are those of :class:`clerk.fetch.http.exchange.Exchange`.
    """

    def __init__(self, pace_folder: Path, **options: Any) -> None:
        self.pages_read = 0
        self._pace_folder = pace_folder
        self._options = options

    @classmethod
    def from_settings(cls, settings: Settings, **options: Any) -> Client:
        """Return a client that behaves as the settings say."""
        return cls(
            settings.storage_dir / "_clerk" / "pace",
            contact_url=settings.contact_url,
            allow_private=settings.fetch_allow_private,
            **options,
        )

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @cached_property
    def _exchange(self) -> Exchange:
        """The part that asks: a folder of this machine is read without it."""
        from .exchange import Exchange

        return Exchange(self._pace_folder, **self._options)

    def close(self) -> None:
        """Close all connections."""
        if "_exchange" in self.__dict__:
            self._exchange.close()

    def page(self, url: str, **request: Any) -> Page:
        """Return a page of at most 10 MB; raise when it is missing, refused, or a challenge.

        ``request`` is method, params, form, json and headers, as far as they are needed.
        """
        page = self._exchange.page(url, **request)
        self.pages_read += 1
        return page

    def download(self, url: str, to: Path, *, max_bytes: int, **request: Any) -> Download | None:
        """Stream a document into a file, or return None if it has not changed.

        ``request`` is method, body and validators, as far as they are needed.
        """
        return self._exchange.download(url, to, max_bytes=max_bytes, **request)
