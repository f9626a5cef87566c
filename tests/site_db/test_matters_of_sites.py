"""What is one matter in the documents of a site, whatever order they come in, and its state."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from dataclasses import astuple, dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_sizes import examples

from clerk.extract.findings import MENTIONED
from clerk.site_db import schema
from clerk.site_db.joined import Joins


@dataclass(frozen=True)
class Appearance:
    """A matter as one document prints it."""

    document: str
    date: str | None
    start: int
    key: str
    action: str
    number: str | None = None
    title: str | None = None
    doubtful: str | None = None

    @property
    def id(self) -> str:
        return f"{self.document}-{self.start}"


def write(path: Path, *changes: dict[str, list[Appearance]]) -> None:
    """Bring documents to what they now print, one build after the other; an empty list removes."""
    for change in changes:
        with closing(schema.open_private(path)) as db:
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'matters'").fetchone():
                schema.create(db)
                db.executescript(schema.INDEXES)
            db.execute("BEGIN")
            joins = Joins(db)
            joins.note(list(change))
            for document, appearances in change.items():
                db.execute("DELETE FROM matter_appearances WHERE document = ?", (document,))
                for each in appearances:
                    insert(db, each)
            joins.note(list(change))
            joins.join()
            db.execute("COMMIT")


def insert(db: sqlite3.Connection, each: Appearance) -> None:
    values = {
        **{"id": each.id, "document": each.document, "date": each.date, "start": each.start},
        **{"matter": each.key, "matter_key": each.key, "kind": each.key.split()[0]},
        **{"matter_number": each.number, "matter_title": each.title, "action": each.action},
        "doubtful": each.doubtful,
    }
    for _, name, kind, is_required, default, _ in db.execute(
        "PRAGMA table_info(matter_appearances)"
    ):
        if is_required and default is None and name not in values:
            values[name] = 0 if kind == "INTEGER" else "x"
    marks = ", ".join("?" * len(values))
    db.execute(
        f"INSERT INTO matter_appearances ({', '.join(values)}) VALUES ({marks})",
        list(values.values()),
    )


def matters(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT * FROM matters ORDER BY matter").fetchall()


def as_a_reader_would(appearances: list[Appearance]) -> list[tuple[object, ...]]:
    """The matters by reading everything that is printed, of which the build looks at a part."""
    printed = {each.key for each in appearances}
    steps = defaultdict(list)
    for each in appearances:
        steps[full_key(each, printed)].append(each)
    rows = []
    for matter, some in sorted(steps.items()):
        some.sort(key=lambda each: (each.date or "", each.document, each.start))
        certain = [
            each.action
            for each in some
            if each.action != MENTIONED and not json.loads(each.doubtful or "[]")
        ]
        dates = [each.date for each in some if each.date]
        rows.append(
            (
                *(matter, matter.split()[0]),
                most_common([each.number for each in some]),
                most_common([each.title for each in some]),
                certain[-1] if certain else MENTIONED,
                *(min(dates, default=None), max(dates, default=None), len(some)),
            )
        )
    return rows


def full_key(each: Appearance, printed: set[str]) -> str:
    """``24-5`` is 2024-5 in 2024 and 2025, if that is printed anywhere."""
    kind, _, number = each.key.partition(" ")
    short, _, rest = number.partition("-")
    if len(short) == 2 and each.date:
        for year in (int(each.date[:4]), int(each.date[:4]) - 1):
            whole = f"{kind} {year}-{rest}"
            if f"{year % 100:02}" == short and whole in printed:
                return whole
    return each.key


def most_common(values: list[str | None]) -> str | None:
    counted = Counter(filter(None, values)).most_common(1)
    return counted[0][0] if counted else None


KEYS = st.sampled_from(
    ["ordinance 24-5", "ordinance 2024-5", "ordinance 23-5", "ordinance 2023-5", "bill 2024-5"]
)
PRINTED = st.builds(
    Appearance,
    document=st.sampled_from("abcd"),
    date=st.none(),
    start=st.just(0),
    key=KEYS,
    action=st.sampled_from([MENTIONED, "passed", "tabled", "introduced"]),
    number=st.sampled_from([None, "24-5", "2024-5"]),
    title=st.sampled_from([None, "Fences", "An ordinance about fences"]),
    doubtful=st.sampled_from([None, "[]", '["action"]']),
)
DATES = st.fixed_dictionaries(
    {
        name: st.sampled_from([None, "2023-12-30", "2024-01-15", "2025-02-01", "2026-01-01"])
        for name in "abcd"
    }
)


@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.lists(PRINTED, max_size=6), min_size=1, max_size=4), DATES)
def test_matters_are_what_a_reader_of_everything_would_say(
    tmp_path: Path, builds: list[list[Appearance]], dates: dict[str, str | None]
) -> None:
    path = tmp_path / "meetings.db"
    path.unlink(missing_ok=True)
    now: dict[str, list[Appearance]] = {}
    for printed in builds:
        changed: dict[str, list[Appearance]] = {each.document: [] for each in printed}
        for place, each in enumerate(printed):
            of_document = changed[each.document]
            facts = astuple(each)[3:]
            of_document.append(Appearance(each.document, dates[each.document], place, *facts))
        now |= changed
        write(path, changed)

    everything = [each for of_document in now.values() for each in of_document]
    assert matters(path) == as_a_reader_would(everything)


def test_the_state_of_a_matter_is_what_was_certainly_done_last(tmp_path: Path) -> None:
    path = tmp_path / "meetings.db"
    introduced = Appearance("a", "2024-01-15", 0, "ordinance 2024-5", "introduced")
    passed = Appearance("b", "2024-02-15", 0, "ordinance 2024-5", "passed")
    doubted = Appearance("c", "2024-03-15", 0, "ordinance 2024-5", "failed", doubtful='["action"]')
    mentioned = Appearance("d", "2024-04-15", 0, "ordinance 2024-5", MENTIONED)

    write(path, {"d": [mentioned]}, {"b": [passed]}, {"a": [introduced]}, {"c": [doubted]})

    ((matter, _, _, _, state, first, last, appearances),) = matters(path)
    assert (matter, state) == ("ordinance 2024-5", "passed")
    assert (first, last, appearances) == ("2024-01-15", "2024-04-15", 4)


@pytest.mark.parametrize(
    ("date", "is_the_same"),
    [("2024-01-15", True), ("2025-12-31", True), ("2023-12-31", False), ("2026-01-01", False)],
)
def test_a_short_year_is_that_of_the_meeting_or_the_one_before(
    tmp_path: Path, date: str, is_the_same: bool
) -> None:
    path = tmp_path / "meetings.db"
    write(path, {"a": [Appearance("a", date, 0, "ordinance 24-5", "passed")]})
    assert [row[0] for row in matters(path)] == ["ordinance 24-5"]

    whole = Appearance("b", "2024-01-01", 0, "ordinance 2024-5", "introduced")
    write(path, {"b": [whole]})

    found = [row[0] for row in matters(path)]
    assert found == ([whole.key] if is_the_same else [whole.key, "ordinance 24-5"])
    # The document with the whole year goes: nothing says any more that it is the same.
    write(path, {"b": []})
    assert [row[0] for row in matters(path)] == ["ordinance 24-5"]
