"""Run in each child: names lead to the recordings on this machine, and waiting takes no time.

The resolver and the ports are those of the operating system, and the clock is an argument that the
client takes; everything else is clerk as it is installed.
"""

import os
import socket
from pathlib import Path

if os.environ.get("RECORDED_HOSTS"):
    HOSTS = set(Path(os.environ["RECORDED_HOSTS"]).read_text().split())
    PORTS = {443: int(os.environ["RECORDED_HTTPS"]), 80: int(os.environ["RECORDED_HTTP"])}
    look_up, connect = socket.getaddrinfo, socket.create_connection

    def getaddrinfo(host, port, *arguments, **named):
        """Answer for a recorded host that it is this machine."""
        if isinstance(host, str) and host.lower() in HOSTS:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", int(port or 0)))]
        if host in ("127.0.0.1", "localhost", "::1", None):
            return look_up(host, port, *arguments, **named)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    def create_connection(address, *arguments, **named):
        """Connect to the port at which the recordings are served."""
        return connect((address[0], PORTS.get(address[1], address[1])), *arguments, **named)

    socket.getaddrinfo, socket.create_connection = getaddrinfo, create_connection

    class StillClock:
        """A clock that only moves when somebody waits."""

        now = 1_800_000_000.0

        def time(self):
            """Return the moment."""
            return self.now

        monotonic = time

        def sleep(self, seconds):
            """Let time pass at once."""
            self.now += seconds

    from clerk.fetch.http.client import Client

    Client.__init__.__kwdefaults__["clock"] = StillClock()
