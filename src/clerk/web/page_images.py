"""Pictures of pages: drawn by a process of their own, kept in a cache.

A PDF may crash or exhaust whoever draws it, and a process with threads must not fork; so the web
asks a single-threaded painter (``python -m clerk.web.page_images``), which forks a child for each
picture::

    web  --{"path", "page", "width"}-->  painter  --fork-->  child
         <--length, bytes-- or <--error--
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import subprocess
import sys
import threading
from hashlib import blake2b
from pathlib import Path
from queue import SimpleQueue
from typing import IO

from clerk.core.config import Settings
from clerk.core.errors import ClerkError, DocumentError, TransientError
from clerk.core.storage import written_whole

SECONDS = 20.0
MEMORY_MB = 1024
PAINTERS = 2
#: So many requests may wait for a painter; the server has 40 threads.
WAITING = 24
#: So many pictures stay; then the oldest half goes.
KEPT = 4000

_HEAD = struct.Struct("!?I")


def picture(settings: Settings, site: str, pdf: Path, page: int, width: int) -> bytes:
    """Return a page as a WebP picture, from the cache if the PDF has not changed."""
    facts = pdf.stat()
    seen = f"{pdf}|{facts.st_mtime_ns}|{facts.st_size}|{page}|{width}"
    folder = settings.storage_dir / "_clerk" / "pictures"
    path = folder / f"{blake2b(seen.encode(), digest_size=16).hexdigest()}.webp"
    with contextlib.suppress(FileNotFoundError):
        return path.read_bytes()
    drawn = _studio.draw(pdf, page, width)
    with contextlib.suppress(OSError), written_whole(path) as part:
        part.write_bytes(drawn)
    _forget_old(folder)
    return drawn


def _forget_old(folder: Path) -> None:
    with contextlib.suppress(OSError):
        pictures = list(folder.glob("*.webp"))
        if len(pictures) > KEPT:
            pictures.sort(key=lambda path: path.stat().st_mtime)
            for path in pictures[: KEPT // 2]:
                path.unlink(missing_ok=True)


class Studio:
    """A few painters, and a bound on who may wait for one: pages must not wait for pictures."""

    def __init__(self) -> None:
        self._idle: SimpleQueue[Painter] = SimpleQueue()
        self._room = threading.BoundedSemaphore(WAITING)
        self._painters = [Painter() for _ in range(PAINTERS)]
        for painter in self._painters:
            self._idle.put(painter)

    def draw(self, pdf: Path, page: int, width: int) -> bytes:
        """Return a picture, or say why there is none."""
        if not self._room.acquire(blocking=False):
            raise TransientError("Too many pictures are being drawn just now.")
        try:
            painter = self._idle.get()
            try:
                return painter.draw(pdf, page, width)
            finally:
                self._idle.put(painter)
        finally:
            self._room.release()

    def close(self) -> None:
        """End the painters."""
        for painter in self._painters:
            painter.close()


class Painter:
    """A painter as the web sees it: started when needed, and again when it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def draw(self, pdf: Path, page: int, width: int) -> bytes:
        """Return a picture, or say why there is none; for one caller at a time."""
        order = json.dumps([str(pdf), page, width]).encode() + b"\n"
        drawn, answer = self._ask(order)
        if not drawn:
            raise DocumentError(answer.decode(errors="replace"))
        return answer

    def _ask(self, order: bytes) -> tuple[bool, bytes]:
        process = self._running()
        assert process.stdin and process.stdout
        try:
            process.stdin.write(order)
            process.stdin.flush()
            drawn, length = _HEAD.unpack(_exactly(process.stdout, _HEAD.size))
            return drawn, _exactly(process.stdout, length)
        except (BrokenPipeError, EOFError) as error:
            self.close()
            raise DocumentError("The page could not be drawn.") from error

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "clerk.web.page_images"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        return self._process

    def close(self) -> None:
        """End the painter."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


_studio = Studio()


def close() -> None:
    """End the painters of this process, if there are any."""
    _studio.close()


def _exactly(stream: IO[bytes], length: int) -> bytes:
    said = stream.read(length)
    if len(said) < length:
        raise EOFError
    return said


def paint_on_order() -> None:
    """Be the painter: draw what is asked for until nobody asks any more."""
    from clerk.executors import child_process
    from clerk.read.documents import page_image

    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        path, page, width = json.loads(line)
        try:
            answer = child_process.call(
                page_image,
                Path(path),
                page,
                width,
                returns=bytes,
                seconds=SECONDS,
                memory_mb=MEMORY_MB,
            )
            drawn = True
        except ClerkError as error:
            drawn, answer = False, type(error).__name__.encode()
        out.write(_HEAD.pack(drawn, len(answer)) + answer)
        out.flush()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
        paint_on_order()
