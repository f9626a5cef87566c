"""Images of pages and parts of PDFs: made by a process of its own; images are kept in a cache.

A PDF may crash or exhaust the process that draws it, and a process with threads must not fork; so
the web asks a single-threaded process (``python -m clerk.web.page_images``), which forks a child
for each image::

    web  --["image", path, page, width]-->  drawing process  --fork-->  child
         --["pdf", path, first, last]---->
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
from clerk.core.language import Message
from clerk.core.storage import page_images_folder, written_whole

SECONDS = 20.0
MEMORY_MB = 1024
PROCESSES = 2
#: At most this many requests wait for an image; the server has 40 threads.
WAITING = 24
#: When the cache has more images than this, the older half is removed.
KEPT = 4000

_HEAD = struct.Struct("!?I")


def page_image(settings: Settings, pdf: Path, page: int, width: int) -> bytes:
    """Return a page as a WebP image, from the cache if the PDF has not changed."""
    stat = pdf.stat()
    version = f"{pdf}|{stat.st_mtime_ns}|{stat.st_size}|{page}|{width}"
    folder = page_images_folder(settings.storage_dir)
    path = folder / f"{blake2b(version.encode(), digest_size=16).hexdigest()}.webp"
    with contextlib.suppress(FileNotFoundError):
        return path.read_bytes()
    drawn = _pool.draw("image", pdf, page, width)
    with contextlib.suppress(OSError), written_whole(path) as part:
        part.write_bytes(drawn)
    with contextlib.suppress(OSError):
        images = list(folder.glob("*.webp"))
        if len(images) > KEPT:
            images.sort(key=lambda each: each.stat().st_mtime)
            for each in images[: KEPT // 2]:
                each.unlink(missing_ok=True)
    return drawn


def pages_as_pdf(pdf: Path, first: int, last: int) -> bytes:
    """Return some pages of a PDF as a PDF of their own."""
    return _pool.draw("pdf", pdf, first, last)


class DrawingPool:
    """A few drawing processes, and a bound on the requests that wait for one."""

    def __init__(self) -> None:
        self._idle: SimpleQueue[DrawingProcess] = SimpleQueue()
        self._room = threading.BoundedSemaphore(WAITING)
        self._processes = [DrawingProcess() for _ in range(PROCESSES)]
        for each in self._processes:
            self._idle.put(each)

    def draw(self, what: str, pdf: Path, *numbers: int) -> bytes:
        """Return an image or a PDF; raise DocumentError if there is none."""
        if not self._room.acquire(blocking=False):
            raise TransientError(Message("Too many images are being drawn at the moment."))
        try:
            process = self._idle.get()
            try:
                return process.draw(what, pdf, *numbers)
            finally:
                self._idle.put(process)
        finally:
            self._room.release()

    def close(self) -> None:
        """End the processes."""
        for each in self._processes:
            each.close()


class DrawingProcess:
    """A drawing process: started when needed, and again after it died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def draw(self, what: str, pdf: Path, *numbers: int) -> bytes:
        """Return what is asked for; raise DocumentError if it cannot be.  One caller at a time."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "clerk.web.page_images"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        requests, answers = self._process.stdin, self._process.stdout
        assert requests and answers
        try:
            requests.write(json.dumps([what, str(pdf), *numbers]).encode() + b"\n")
            requests.flush()
            drawn, length = _HEAD.unpack(_read_exactly(answers, _HEAD.size))
            answer = _read_exactly(answers, length)
        except (BrokenPipeError, EOFError) as error:
            self.close()
            raise DocumentError(Message("The page could not be drawn.")) from error
        if not drawn:
            raise DocumentError(answer.decode(errors="replace"))
        return answer

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


_pool = DrawingPool()


def close() -> None:
    """End the drawing processes of this process, if there are any."""
    _pool.close()


def _read_exactly(stream: IO[bytes], length: int) -> bytes:
    read = stream.read(length)
    if len(read) < length:
        raise EOFError
    return read


def draw_requested_pages() -> None:
    """Draw the pages that stdin asks for until it ends."""
    from clerk.core import child_process
    from clerk.read import documents

    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        what, path, *numbers = json.loads(line)
        try:
            answer = child_process.call(
                documents.page_image if what == "image" else documents.pages_as_pdf,
                Path(path),
                *numbers,
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
        draw_requested_pages()
