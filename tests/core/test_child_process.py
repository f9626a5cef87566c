"""Children: a crash, a hang or a hunger for memory hurts only the work in hand."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from clerk.core import child_process
from clerk.core.child_process import (
    Began,
    Child,
    Ended,
    Idle,
    Order,
    OrderItem,
    Performed,
    Raised,
    Report,
    call,
)
from clerk.core.errors import DocumentError, UnreadablePdf


def shout(order: Order, index: int, report: Report) -> Performed:
    """Do as the item's name says."""
    word, _, pages = order.items[index].name.partition(" on page ")
    for page in range(1, int(pages or 0) + 1):
        report(60, f"page {page}")
    match word:
        case "raise":
            raise UnreadablePdf("broken \udc80 and \0 at https://ann:hunter2@example.org/")
        case "die":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            os._exit(7)
        case "hang":
            report(0.1)
            time.sleep(60)
        case "memory":
            _ = bytearray(1 << 34)
        case "unsendable":
            return Performed(object())
        case "wait":
            # Until the parent has said what it has to say.
            report(60, "waiting")
            while not Path("said").exists():
                time.sleep(0.01)
    return Performed(word.upper())


def talk(child: Child, seconds: float = 60.0) -> list[Any]:
    """Collect what the child says until it is idle, dead or overdue."""
    said: list[Any] = []
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        select.select([child], [], [], 0.05)
        messages = child.receive()
        if messages is None or child.overdue:
            return [*said, None]
        said += messages
        if said and isinstance(said[-1], Idle):
            return said
    raise AssertionError("it said nothing")


def wait_for_note(child: Child) -> None:
    """Wait until the child has reported something of the item in hand."""
    while not any(isinstance(each, Began) and each.note for each in child.receive() or ()):
        select.select([child], [], [], 0.05)


def order(*names: str) -> Order:
    return Order("shout", items=[OrderItem(name) for name in names])


@pytest.fixture
def child() -> Any:
    child = Child(shout, memory_mb=1024)
    yield child
    child.dismiss()


def test_a_child_answers_item_by_item(child: Child) -> None:
    child.send(order("one", "two"))

    kinds = [type(message) for message in talk(child)]

    assert kinds == [Began, Ended, Began, Ended, Idle]
    assert child.deadline is None


def test_a_child_serves_many_orders(child: Child) -> None:
    for word in ("one", "two", "three"):
        child.send(order(word))
        ended = next(message for message in talk(child) if isinstance(message, Ended))
        assert ended.performed.result == word.upper()


def test_an_error_is_an_answer_that_can_be_kept(child: Child) -> None:
    child.send(order("raise", "fine"))

    said = talk(child)

    raised = next(message for message in said if isinstance(message, Raised))
    assert (raised.error_class, raised.family) == ("UnreadablePdf", "document")
    assert raised.message == "broken ? and ? at https://ann:***@example.org/"
    assert isinstance(said[-1], Idle)


@pytest.mark.parametrize(
    "word, how",
    [
        ("die", "killed by SIGKILL"),
        ("exit", "exited with status 7"),
        ("unsendable", "exited with status 1"),
    ],
)
def test_a_dead_child_is_seen_at_once_with_what_it_had_begun(
    word: str, how: str, capfd: pytest.CaptureFixture[str]
) -> None:
    child = Child(shout)
    child.send(order("fine", word, "never"))

    said = talk(child)

    assert said[-1] is None
    begun = [message.index for message in said if isinstance(message, Began)]
    assert begun == [0, 1]
    assert child.wait_for_end() == how


@pytest.mark.parametrize("pages", [1, 2, 1000])
def test_the_last_word_of_an_item_is_known_when_it_dies(pages: int) -> None:
    child = Child(shout)
    child.send(order("fine", f"die on page {pages}", "never"))

    said = talk(child)

    assert said[-1] is None
    last = next(message for message in reversed(said) if isinstance(message, Began))
    assert (last.index, last.note) == (1, f"page {pages}")
    assert child.wait_for_end() == "killed by SIGKILL"


def test_what_an_item_said_of_itself_is_not_said_of_the_next() -> None:
    child = Child(shout)
    child.send(order("fine on page 3"))
    talk(child)
    child.send(order("fine", "die"))

    said = talk(child)

    begun = [(message.index, message.note) for message in said if isinstance(message, Began)]
    assert begun == [(0, ""), (1, "")]
    child.wait_for_end()


def test_a_line_that_is_not_finished_does_not_count() -> None:
    slate = child_process._Slate()
    assert slate.read() is None
    for page in range(1, 5):
        slate.write(child_process._Line(0, 1.0, page, f"page {page}"))
        before = slate.read()
        free = 1 if slate._memory[0] == 2 else 2

        slate._memory[slate._PLACES[free] + 4] ^= 0xFF

        assert slate.read() == before == (0, 1.0, page, f"page {page}")


def test_a_hanging_child_is_overdue(child: Child) -> None:
    child.send(order("hang"))

    assert talk(child)[-1] is None
    assert child.overdue


def test_only_the_last_of_many_items_sets_the_deadline(
    child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def waited(pid: int) -> float:
        asked.append(pid)
        return 0.0

    monkeypatch.setattr(child_process, "waited_for_processor", waited)
    pairs = [(Began(index, 1.0), Ended(index, 0.0, Performed())) for index in range(50)]
    together = [each for pair in pairs for each in pair]
    now = time.monotonic()

    child._follow([*together, Began(50, 600.0)])

    assert len(asked) == 1
    assert child.deadline is not None and child.deadline >= now + 600.0
    child._follow([*together, Idle(50)])
    assert child.deadline is None


def test_how_long_it_is_busy_is_told_without_its_waits_for_a_processor(
    child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = [5.0]
    monkeypatch.setattr(child_process, "waited_for_processor", lambda _: waited[0])
    child.send(order("hang"))
    assert child.was_given_within(30.0)

    child._given_at -= 60.0
    assert not child.was_given_within(30.0)
    waited[0] += 60.0
    assert child.was_given_within(30.0)


def test_a_child_that_wants_too_much_memory_says_so_and_lives(child: Child) -> None:
    child.send(order("memory", "fine"))

    said = talk(child)

    assert [m.error_class for m in said if isinstance(m, Raised)] == ["MemoryError"]
    assert [m.performed.result for m in said if isinstance(m, Ended)] == ["FINE"]


def test_a_child_told_to_stop_finishes_the_running_item_and_no_more(child: Child) -> None:
    child.send(order("wait", "never", "never"))
    wait_for_note(child)
    child.stop_after_this_item()
    Path("said").touch()

    said = talk(child)

    assert [m.index for m in said if isinstance(m, Ended)] == [0]
    assert said[-1] == Idle(1)


def test_a_stop_that_comes_too_late_does_not_stop_the_next_order(child: Child) -> None:
    child.send(order("one"))
    talk(child)
    child.stop_after_this_item()

    child.send(order("two", "three"))

    assert [m.index for m in talk(child) if isinstance(m, Ended)] == [0, 1]


def pages(order: Order, index: int, report: Report) -> Performed:
    """Report page after page, swallowing whatever goes wrong with one, as a reader does."""
    for page in range(1, 1001):
        report(60, f"page {page}")
        with contextlib.suppress(Exception):
            time.sleep(0.02)
    return Performed(order.items[index].name)


def test_a_child_that_is_to_leave_does_so_with_its_next_report_and_serves_on() -> None:
    child = Child(pages)
    child.send(order("long", "never"))
    wait_for_note(child)

    child.stop_at_next_report()
    said = talk(child)

    assert not [each for each in said if isinstance(each, Ended | Raised)]
    assert said[-1] == Idle(0)
    child.send(order("again"))
    wait_for_note(child)
    child.dismiss()


def test_asking_an_idle_child_to_leave_does_not_stop_the_next_order(child: Child) -> None:
    child.send(order("one on page 3"))
    talk(child)
    child.stop_at_next_report()

    child.send(order("two on page 3", "three"))

    assert [m.index for m in talk(child) if isinstance(m, Ended)] == [0, 1]


def test_children_do_not_keep_each_others_connections_open() -> None:
    first, second = Child(shout), Child(shout)
    first.kill()

    select.select([first], [], [], 60)
    assert first.receive() is None

    first.wait_for_end()
    second.dismiss()


def test_a_call_returns_raises_crashes_and_overruns_as_said() -> None:
    assert call(len, "four", returns=int) == 4
    with pytest.raises(UnreadablePdf, match="broken"):
        call(_raise, returns=int)
    with pytest.raises(DocumentError, match="SIGKILL"):
        call(_die, returns=int)
    with pytest.raises(DocumentError, match="longer than"):
        call(time.sleep, 30, returns=int, seconds=0.2)


def _raise() -> int:
    raise UnreadablePdf("broken")


def _die() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


@pytest.mark.skipif(
    not Path("/proc/self/schedstat").exists(),
    reason="the system does not tell how long a process waits for a processor",
)
def test_waiting_for_a_processor_is_not_held_against_an_item() -> None:
    def compute(seconds: float) -> bool:
        seconds += time.process_time()
        while time.process_time() < seconds:
            pass
        return True

    others = []
    for _ in range(4 * (os.cpu_count() or 1)):
        pid = os.fork()
        if pid == 0:
            while os.getppid() != 1:
                pass
            os._exit(0)
        others.append(pid)
    try:
        computed = call(compute, 0.3, returns=bool, seconds=0.7)
    finally:
        for pid in others:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

    assert computed
