"""What a host's robots.txt allows, read once per client."""

from __future__ import annotations

from collections.abc import Callable

import httpx
from protego import Protego

from .answers import RobotsRefused

#: A host that asks for a longer delay is still asked this often.
MAX_DELAY_SECONDS = 60.0


class Robots:
    """The rules of hosts.  ``read`` returns the text of a robots.txt, empty if there is none."""

    def __init__(self, agent: str, read: Callable[[httpx.URL], str]) -> None:
        self._agent = agent
        self._read = read
        self._rules: dict[tuple[str, str, int | None], Protego] = {}

    def delay_seconds(self, url: httpx.URL) -> float:
        """Return the seconds between requests that the host asks for, or refuse the URL."""
        host = (url.scheme, url.host, url.port)
        if host not in self._rules:
            self._rules[host] = Protego.parse(self._read(url.copy_with(raw_path=b"/robots.txt")))
        rules = self._rules[host]
        if not rules.can_fetch(str(url), self._agent):
            raise RobotsRefused(
                f"robots.txt of {url.host} disallows {url.path}.",
                hint="Ask the host for permission, or get the documents in another way.",
            )
        return min(float(rules.crawl_delay(self._agent) or 0.0), MAX_DELAY_SECONDS)
