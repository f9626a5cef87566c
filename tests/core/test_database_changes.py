"""Noticing that the database has changed."""

from __future__ import annotations

import threading

from sqlalchemy import event

from clerk.core import db
from clerk.core.database_changes import ChangeCounter
from clerk.pipeline import ledger


def test_the_number_differs_after_a_change_and_only_then(database: str) -> None:
    counter = ChangeCounter()
    before = counter.read()

    assert before is not None and counter.read() == before
    with db.civic_db_connection() as conn:
        ledger.record(conn, "tested")
    assert counter.read() not in (None, before)
    counter.close()


def test_closing_during_a_read_leaves_no_connection_behind(database: str) -> None:
    engine, counter = db.get_civic_db(), ChangeCounter()
    engine.dispose()
    connecting, go_on = threading.Event(), threading.Event()

    @event.listens_for(engine, "connect")
    def wait(*_: object) -> None:
        connecting.set()
        assert go_on.wait(60)

    reading = threading.Thread(target=counter.read)
    reading.start()
    assert connecting.wait(60)
    closing = threading.Thread(target=counter.close)
    closing.start()
    closing.join(0.5)
    go_on.set()
    reading.join()
    closing.join()

    assert engine.pool.checkedout() == 0  # type: ignore[attr-defined]
