"""What robots.txt of a host allows, asked once per client."""

from __future__ import annotations

from collections.abc import Callable

import httpx
from protego import Protego

from .errors import RobotsRefused

#: A host that asks for more is paced like this anyway.
LONGEST_DELAY = 60.0


class Robots:
    """The rules of hosts.  ``read`` returns the text of a robots.txt, empty if there is none."""

    def __init__(self, agent: str, read: Callable[[httpx.URL], str]) -> None:
        self._agent = agent
        self._read = read
        self._rules: dict[tuple[str, str, int | None], Protego] = {}

    def delay_for(self, url: httpx.URL) -> float:
        """Return the seconds between requests that the host asks for, or refuse the URL."""
        rules = self._rules_of(url)
        if not rules.can_fetch(str(url), self._agent):
            raise RobotsRefused(
                f"robots.txt of {url.host} asks not to fetch {url.path}.",
                hint="Ask the host for permission, or fetch the documents another way.",
            )
        return min(float(rules.crawl_delay(self._agent) or 0.0), LONGEST_DELAY)

    def _rules_of(self, url: httpx.URL) -> Protego:
        key = (url.scheme, url.host, url.port)
        if key not in self._rules:
            self._rules[key] = Protego.parse(self._read(url.copy_with(raw_path=b"/robots.txt")))
        return self._rules[key]
