"""A real ``clerk serve`` on loopback, to be talked to and to be attacked."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TypeVar

import httpx

T = TypeVar("T")


class Server:
    """A running ``clerk serve``."""

    def __init__(self, process: subprocess.Popen[str], printed: str, errors: IO[str]) -> None:
        self.process, self.printed, self._errors = process, printed, errors
        self.address, link = re.findall(r"http://\S+", printed)
        self.link = link.partition("link=")[2]
        self.port = httpx.URL(self.address).port or 80

    def logged(self) -> str:
        """Return what it has written to stderr so far."""
        return Path(self._errors.name).read_text()

    def memory(self, name: str = "VmRSS") -> int:
        """Return how many bytes it has in memory, or had at most since :meth:`forget_peak`."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition(f"{name}:")[2].split()[0]) << 10

    def forget_peak(self) -> None:
        """Let the peak of its memory begin at what it has now."""
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    def sockets(self) -> int:
        """Return how many sockets it has open."""
        links = Path(f"/proc/{self.process.pid}/fd").iterdir()
        found = 0
        for link in links:
            with contextlib.suppress(FileNotFoundError):
                found += str(link.readlink()).startswith("socket:")
        return found

    def child(self, module: str, but: int = 0) -> int | None:
        """Return the process id of a process beside it, unless it is a certain one."""
        listed = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        for pid in map(int, " ".join(each.read_text() for each in listed).split()):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
                if pid != but and module.encode() in command:
                    return pid
        return None

    def connect(self, source: str = "127.0.0.1") -> socket.socket:
        """Return a connection to it, from any address of the loopback network."""
        return socket.create_connection(
            ("127.0.0.1", self.port), timeout=60, source_address=(source, 0)
        )


@contextlib.contextmanager
def running(*options: str) -> Iterator[Server]:
    """Run ``clerk serve`` and wait until it answers."""
    command = [sys.executable, "-u", "-m", "clerk", "serve", "--port", "0", *options]
    with tempfile.NamedTemporaryFile("w", suffix=".stderr") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        )
        try:
            assert process.stdout
            printed = process.stdout.readline() + process.stdout.readline()
            assert printed, Path(errors.name).read_text()
            server = Server(process, printed, errors)
            until(lambda: _answers(server))
            yield server
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def _answers(server: Server) -> bool:
    with contextlib.suppress(httpx.TransportError):
        httpx.get(f"{server.address}healthz", timeout=60)
        return True
    return False


def until(found: Callable[[], T | None], seconds: float = 120.0) -> T:
    """Wait until something is there."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        if it := found():
            return it
        time.sleep(0.05)
    raise AssertionError("It did not happen in time.")


def is_closed(connection: socket.socket) -> bool:
    """Whether the other side has closed a connection; what it said before is dropped."""
    connection.setblocking(False)
    try:
        while connection.recv(65536):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return True


def answer_on(connection: socket.socket) -> bytes:
    """Return all that is said on a connection until it is closed."""
    connection.settimeout(60)
    said = b""
    with contextlib.suppress(ConnectionError):
        while more := connection.recv(65536):
            said += more
    return said
