"""Ports for servers that must be told theirs before they start."""

from __future__ import annotations

import contextlib
import random
import socket


def free_port(host: str = "127.0.0.1") -> int:
    """A port that nobody listens on, below those that the system gives to connections.

    One of those could be taken between two starts of a server.
    """
    while True:
        port = random.SystemRandom().randrange(15_000, 30_000)
        with contextlib.suppress(OSError), socket.create_server((host, port)):
            return port
