"""Work in a child process: a crash, a hang or a hunger for memory hurts only the running item.

The parent sends an :class:`Order` (some items of one kind of work) over a socket pair; the child
answers item by item.  A dead child is seen by the end of the stream, at once, and the item it had
begun is known.  Children end with their parent.  Nothing is shared, so nothing can be corrupted::

    parent  --Order-->  child
            <--Began(0)-- <--Ended(0)-- <--Began(1)-- ...  <--Idle--

How far an item is, page by page, is not sent but written on a slate that both see, the one thing
they share: only the last word counts, and waking the parent for each page costs both of them time.
There the parent also writes that the item is to be left, and the child sees it with its next page.

The time an item may take is that of the clock less what its process spent waiting for a processor:
a busy machine costs nobody a page, and a process that sleeps for ever is still found.

The child is forked, so that a new one costs milliseconds after the old one died: the parent must
not run threads of its own.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import gc
import mmap
import os
import resource
import select
import signal
import socket
import struct
import time
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Protocol, TypeVar

import msgspec

from clerk.core import errors
from clerk.core.run_options import NO_OPTIONS, RunOptions

T = TypeVar("T")

#: Time an item may take that says nothing about itself.
DEFAULT_SECONDS = 600.0

#: The cause recorded for an item, or a page of it, that used up its time.
OUT_OF_TIME = "The time limit was reached"

_PR_SET_PDEATHSIG = 1
#: How often it is checked whether a child is overdue.
_POLL_SECONDS = 0.05
_LENGTH = struct.Struct("!I")
_READ_BYTES = 1 << 18


class OrderItem(msgspec.Struct, frozen=True):
    """One piece of work of an order."""

    name: str = ""
    bytes: int = 0
    sha256: str = ""
    #: Pages at which earlier attempts lost their process, and how: they are not read again.
    blamed_pages: dict[int, str] = {}


class Order(msgspec.Struct, frozen=True):
    """What a child is to do: items of one step of one site."""

    step: str
    site: dict[str, Any] = {}
    items: list[OrderItem] = msgspec.field(default_factory=lambda: [OrderItem()])
    options: RunOptions = NO_OPTIONS
    #: Of an upload of annotations: what its steps need to know, encoded by them.
    upload: bytes = b""
    #: The token of the claim it is for, if it is for one.
    claim: str = ""
    run_id: str = ""


class Performed(msgspec.Struct, frozen=True):
    """What an item gave: anything that can be sent, and the number of pages if it has any."""

    result: Any = None
    pages: int | None = None


class Began(msgspec.Struct, frozen=True, tag=True):
    """The item is running and may take this long before it reports again.

    ``position`` says in a number where in the item it is, ``note`` says the same to people.
    """

    index: int
    seconds: float
    note: str = ""
    position: int = 0


class Ended(msgspec.Struct, frozen=True, tag=True):
    """The item is done."""

    index: int
    seconds: float
    performed: Performed


class Raised(msgspec.Struct, frozen=True, tag=True):
    """The item raised: the class of the error and its message."""

    index: int
    seconds: float
    error_class: str
    message: str
    family: str


class Idle(msgspec.Struct, frozen=True, tag=True):
    """The order is finished, or was stopped before the item of this index."""

    index: int


Message = Began | Ended | Raised | Idle


class Report(Protocol):
    """How an item reports its progress: the seconds it may take from now, and where it is.

    The position is a number of the item's own: a page, or what identifies a document in a part of
    an upload; 0 is nowhere in particular.  The note is for people.
    """

    def __call__(self, seconds: float, note: str = "", position: int = 0) -> None:
        """Extend the deadline."""


#: Sent while an order is under way: leave the rest of it.  It may come too late.
_STOP = Order(step="", items=[])

#: Does one item of an order, in the child.
Perform = Callable[[Order, int, Report], Performed]

_encoder = msgspec.msgpack.Encoder()
_decode_order = msgspec.msgpack.Decoder(Order).decode
_decode_message = msgspec.msgpack.Decoder(Message).decode

#: File descriptors that belong to the parent alone; a child closes them.
_parents_own: set[int] = set()


class _Line(NamedTuple):
    """What an item reports: until when it may take, by the monotonic clock, and where it is."""

    item: int
    deadline: float
    position: int
    note: str


class Stopped(BaseException):
    """The parent asks to leave the item at once.

    Not an Exception: no guard of a page, of a document or of a plugin takes it for a failure.
    """


class _Slate:
    """Memory that a child writes to and its parent reads, and one byte the other way round.

    There are two places, written in turn, and then the byte that says which of them counts: a child
    that is killed while it writes leaves the line before.
    """

    _PLACES = (0, 256, 512)
    _LINE = struct.Struct("idQ200p")
    #: Set by the parent: the item is to be left.
    _LEAVE = 768

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, mmap.PAGESIZE)

    def write(self, line: _Line) -> None:
        """Let this be the line that counts."""
        free = 1 if self._memory[0] == 2 else 2
        self._LINE.pack_into(
            self._memory,
            self._PLACES[free],
            line.item,
            line.deadline,
            line.position,
            line.note.encode(errors="replace"),
        )
        self._memory[0] = free

    def read(self) -> _Line | None:
        """Return the line that counts, or None if nothing was written since it was wiped."""
        if not self._memory[0]:
            return None
        place = self._PLACES[self._memory[0]]
        item, deadline, position, note = self._LINE.unpack_from(self._memory, place)
        return _Line(item, deadline, position, note.decode(errors="ignore"))

    def ask_to_leave(self) -> None:
        """Ask the child to leave its item."""
        self._memory[self._LEAVE] = 1

    @property
    def asked_to_leave(self) -> bool:
        """Whether the parent asks to leave the item."""
        return bool(self._memory[self._LEAVE])

    def wipe(self) -> None:
        """Forget what was written by either."""
        self._memory[0] = self._memory[self._LEAVE] = 0


class Child:
    """A working process, as its parent sees it."""

    def __init__(self, perform: Perform, *, memory_mb: int = 0) -> None:
        self._socket, theirs = socket.socketpair()
        self._buffer = bytearray()
        self._slate = _Slate()
        self._last_line: _Line | None = None
        #: The index of the running item, by what the child has sent.
        self._in_hand: int | None = None
        #: When the running item is overdue, by the monotonic clock; None while idle.
        self.deadline: float | None = None
        #: How long the child had waited for a processor when the deadline was set.
        self._waited = 0.0
        #: When it was last given something, and how long it had waited for a processor by then.
        self._given_at = self._waited_before = 0.0
        _parents_own.add(self._socket.fileno())
        self.pid = os.fork()
        if self.pid == 0:
            _be_child(theirs, self._slate, perform, memory_mb)
        theirs.close()

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._socket.fileno()

    def send(self, order: Order) -> None:
        """Give the child something to do; a dead one is noticed by the next :meth:`receive`."""
        self.allow(DEFAULT_SECONDS)
        self._given_at, self._waited_before = time.monotonic(), self._waited
        self._slate.wipe()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            _send(self._socket, order)

    def allow(self, seconds: float) -> None:
        """Let the running item take this long from now."""
        self.deadline, self._waited = time.monotonic() + seconds, waited_for_processor(self.pid)

    def was_given_within(self, seconds: float) -> bool:
        """Whether it has had its order for less than that, waits for a processor not counted."""
        taken = time.monotonic() - self._given_at
        if taken >= seconds:
            taken -= waited_for_processor(self.pid) - self._waited_before
        return taken < seconds

    def stop_after_this_item(self) -> None:
        """Ask the child to leave the rest of its order."""
        with contextlib.suppress(OSError):
            _send(self._socket, _STOP)

    def stop_at_next_report(self) -> None:
        """Ask the child to leave its order, the running item at its next report.

        It answers with Idle.  An item that never says anything goes on: kill the child then.
        """
        self._slate.ask_to_leave()

    def receive(self) -> list[Message] | None:
        """Return what the child has said since, or None when it is dead and has said all."""
        gone = False
        while select.select([self._socket], [], [], 0)[0]:
            said = self._read()
            self._buffer += said
            if len(said) < _READ_BYTES:
                gone = not said
                break
        messages: list[Message] = []
        while len(self._buffer) >= _LENGTH.size:
            end = _LENGTH.size + _LENGTH.unpack_from(self._buffer)[0]
            if end > len(self._buffer):
                break
            messages.append(_decode_message(bytes(self._buffer[_LENGTH.size : end])))
            del self._buffer[:end]
        self._follow(messages)
        # What the running item has reported since the last look.
        line = self._slate.read()
        if line is not None and line != self._last_line and line.item == self._in_hand:
            self._last_line = line
            seconds = line.deadline - time.monotonic()
            self.allow(seconds)
            messages.append(Began(line.item, seconds, line.note, line.position))
        return None if gone and not messages else messages

    def _read(self) -> bytes:
        try:
            return self._socket.recv(_READ_BYTES)
        except ConnectionResetError:
            return b""

    def _follow(self, messages: Sequence[Message]) -> None:
        if messages:
            last = messages[-1]
            self._in_hand = last.index if isinstance(last, Began) else None
        # Only the latest item is running: setting a deadline reads files of the system.
        for message in reversed(messages):
            if isinstance(message, Began):
                self.allow(message.seconds)
                break
            if isinstance(message, Idle):
                self.deadline = None
                break

    @property
    def overdue(self) -> bool:
        """Whether the running item has used up its time."""
        if self.deadline is None or time.monotonic() <= self.deadline:
            return False
        return time.monotonic() > self.deadline + waited_for_processor(self.pid) - self._waited

    def kill(self) -> None:
        """End the child now."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait_for_end(self) -> str:
        """Wait for a dead child and say how it died."""
        with contextlib.suppress(OSError):
            _parents_own.discard(self._socket.fileno())
            self._socket.close()
        try:
            _, status = os.waitpid(self.pid, 0)
        except ChildProcessError:
            return "ended"
        if os.WIFSIGNALED(status):
            return f"killed by {_signal_name(os.WTERMSIG(status))}"
        return f"exited with status {os.WEXITSTATUS(status)}"

    def dismiss(self) -> None:
        """End an idle child in order, or any child at once."""
        self.kill()
        self.wait_for_end()


def waited_for_processor(pid: int) -> float:
    """Return how many seconds a process and its children were ready to run, but not running.

    0 where the system does not tell.
    """
    waited = 0.0
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        children = []
    for each in (str(pid), *children):
        with contextlib.suppress(OSError, ValueError, IndexError):
            waited += int(Path(f"/proc/{each}/schedstat").read_text().split()[1]) / 1e9
    return waited


def call(
    function: Callable[..., T],
    *args: Any,
    returns: type[T],
    seconds: float = DEFAULT_SECONDS,
    memory_mb: int = 0,
) -> T:
    """Run one function in a child of its own and return what it returns.

    Its errors come back as clerk's own; a crash or an overrun is a DocumentError that says so.
    """

    def perform(_order: Order, _index: int, _report: Report) -> Performed:
        return Performed(msgspec.to_builtins(function(*args)))

    child = Child(perform, memory_mb=memory_mb)
    try:
        child.send(Order(step="call"))
        child.allow(seconds)
        # What it reports of itself extends nothing here.
        deadline, waited = child.deadline, child._waited
        while not child.overdue:
            select.select([child], [], [], _POLL_SECONDS)
            messages = child.receive()
            child.deadline, child._waited = deadline, waited
            if messages is None:
                raise errors.DocumentError(f"The working process was {child.wait_for_end()}")
            for message in messages:
                if isinstance(message, Ended):
                    return msgspec.convert(message.performed.result, returns)
                if isinstance(message, Raised):
                    raise revive(message)
        raise errors.DocumentError(f"It took longer than {seconds:.0f} seconds and was stopped")
    finally:
        child.dismiss()


def revive(message: Raised) -> errors.ClerkError:
    """Return the error a child met as an exception of this process."""
    known = getattr(errors, message.error_class, None)
    if isinstance(known, type) and issubclass(known, errors.ClerkError):
        return known(message.message)
    return errors.ClerkError(f"{message.error_class}: {message.message}")


# ------------------------------------------------------------------------ inside the child


def _be_child(
    connection: socket.socket, slate: _Slate, perform: Perform, memory_mb: int
) -> NoReturn:
    """Leave the parent, serve orders until it is gone, and never return into its code."""
    try:
        for descriptor in _parents_own:
            with contextlib.suppress(OSError):
                os.close(descriptor)
        _parents_own.clear()
        # What came with the fork stays: to look through it for garbage would only copy its memory.
        gc.freeze()
        # How the child dies is the parent's to tell.
        faulthandler.disable()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        parent = os.getppid()
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory_mb:
            # The limit counts the address space that came with the fork too.
            inherited = 0
            with contextlib.suppress(OSError):
                inherited = int(Path("/proc/self/statm").read_text().split()[0])
            most = inherited * resource.getpagesize() + (memory_mb << 20)
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        _serve(connection, slate, perform)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        os._exit(0)
    except BaseException:  # noqa: BLE001 - the edge of the process: say it and end
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _serve(connection: socket.socket, slate: _Slate, perform: Perform) -> None:
    while True:
        order = _decode_order(_receive_frame(connection))
        if order == _STOP:
            continue
        index, came_of_it = 0, list[Message]()
        while index < len(order.items) and not (index and _told_to_stop(connection)):
            # The result of one item is sent with the beginning of the next: it wakes the parent.
            _send(connection, *came_of_it, Began(index, DEFAULT_SECONDS))
            came_of_it.clear()
            started = time.monotonic()
            try:
                if slate.asked_to_leave:
                    break
                performed = perform(order, index, partial(_report, slate, index))
                came_of_it.append(Ended(index, time.monotonic() - started, performed))
            except Stopped:
                break
            except Exception as error:  # noqa: BLE001 - the edge of an item: every error is an answer
                came_of_it.append(_raised(index, time.monotonic() - started, error))
            index += 1
        _send(connection, *came_of_it, Idle(index))
        came_of_it.clear()


def _report(slate: _Slate, index: int, seconds: float, note: str = "", position: int = 0) -> None:
    if slate.asked_to_leave:
        raise Stopped
    slate.write(_Line(index, time.monotonic() + seconds, position, note))


def _raised(index: int, seconds: float, error: Exception) -> Raised:
    families = {
        errors.SiteMisconfigured: "site",
        errors.FileGone: "gone",
        errors.PagesOutOfTime: "slow",
        errors.DocumentError: "document",
        errors.Conflict: "conflict",
        errors.DatabaseUnavailable: "conflict",
        errors.TransientError: "transient",
        errors.OperatorError: "operator",
        MemoryError: "document",
    }
    family = next((name for kind, name in families.items() if isinstance(error, kind)), "other")
    hint = error.hint if isinstance(error, errors.OperatorError) else ""
    said = errors.without_passwords(f"{error} {hint}".strip())
    # Not every database takes half characters and zeros.
    said = said.encode("utf-8", "replace").decode().replace("\0", "?") or "no message"
    return Raised(index, seconds, type(error).__name__, said, family)


def _told_to_stop(connection: socket.socket) -> bool:
    """Whether the parent has sent something before its order was through; it only says stop."""
    if not select.select([connection], [], [], 0)[0]:
        return False
    _receive_frame(connection)
    return True


# ------------------------------------------------------------------------------- framing


def _send(connection: socket.socket, *messages: Order | Message) -> None:
    bodies = map(_encoder.encode, messages)
    connection.sendall(b"".join(_LENGTH.pack(len(body)) + body for body in bodies))


def _receive_frame(connection: socket.socket) -> bytes:
    (length,) = _LENGTH.unpack(_receive_exactly(connection, _LENGTH.size))
    return _receive_exactly(connection, length)


def _receive_exactly(connection: socket.socket, length: int) -> bytes:
    received = bytearray()
    while len(received) < length:
        part = connection.recv(length - len(received))
        if not part:
            raise EOFError
        received += part
    return bytes(received)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
