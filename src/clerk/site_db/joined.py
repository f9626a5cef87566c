"""What is the same in the documents of a site: people of a body, matters, votes printed again.

Which rows these are follows from the rows of the documents alone, so that a full build and any
sequence of incremental ones end with the same.  Written again are the people of bodies of which a
document changed, and the matters and meetings that appear in it, before or after the change::

    joins.note(documents)   before they are removed, and after they are added
    joins.join()
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rapidfuzz.fuzz import ratio

from clerk.extract.findings import MENTIONED
from clerk.extract.matters import key_with_century, key_without_century
from clerk.extract.roster import TERM_GAP_DAYS, resolve_people

from .meeting import ALIKE, plain_words
from .schema import insert

#: The first and the last day after a day, perhaps at most so many days after it, on which documents
#: of a body print one of some names.
_DAYS_AFTER = """
WITH period AS (SELECT coalesce(date(:after, :within), '9999-12-31') AS until)
SELECT min(first), max(last) FROM (
    SELECT (SELECT min(date) FROM document_names WHERE meeting = :body AND printed_name = value
            AND date > :after AND date <= until) AS first,
           (SELECT max(date) FROM document_names WHERE meeting = :body AND printed_name = value
            AND date > :after AND date <= until) AS last
    FROM json_each(:names), period)
"""


class Joins:
    """The bodies and matters that a build has to join again."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        db.execute("CREATE TEMP TABLE noted_bodies (meeting TEXT PRIMARY KEY)")
        db.execute("CREATE TEMP TABLE noted_keys (matter_key TEXT PRIMARY KEY)")
        db.execute("CREATE TEMP TABLE noted_matters (matter TEXT PRIMARY KEY)")
        meeting = "meeting TEXT, date TEXT, PRIMARY KEY (meeting, date)"
        db.execute(f"CREATE TEMP TABLE noted_meetings ({meeting})")

    def note(self, documents: Iterable[str] | None) -> None:
        """Look again at what these documents name; at everything if None."""
        notes = (
            ("noted_bodies", "meeting", "document_names"),
            ("noted_keys", "matter_key", "matter_appearances"),
            ("noted_matters", "matter", "matter_appearances"),
            ("noted_meetings", "meeting, date", "votes"),
        )
        for table, column, source in notes:
            chosen = f"INSERT OR IGNORE INTO {table} SELECT DISTINCT {column} FROM {source}"
            if documents is None:
                self._db.execute(chosen)
            else:
                named = [(name,) for name in documents]
                self._db.executemany(f"{chosen} WHERE document = ?", named)

    def join(self) -> None:
        """Write the people and matters again that may be others than before."""
        for (body,) in self._all("SELECT meeting FROM noted_bodies ORDER BY 1"):
            self._join_people(body)
        self._join_matters()
        meetings = (
            "SELECT meeting, date FROM noted_meetings WHERE meeting IS NOT NULL AND date > ''"
        )
        for body, date in self._all(f"{meetings} ORDER BY 1, 2"):
            self._join_votes(body, date)

    def _all(self, query: str, *values: object) -> list[tuple[str, ...]]:
        return self._db.execute(query, values).fetchall()

    def _join_people(self, body: str) -> None:
        mine = "SELECT person FROM people WHERE meeting = ?"
        self._db.execute(f"DELETE FROM person_terms WHERE person IN ({mine})", (body,))
        self._db.execute("DELETE FROM person_names WHERE meeting = ?", (body,))
        self._db.execute("DELETE FROM people WHERE meeting = ?", (body,))
        query = """SELECT printed_name, sum(times), min(date), max(date) FROM document_names
                   WHERE meeting = ? GROUP BY printed_name"""
        printed = {name: rest for name, *rest in self._db.execute(query, (body,))}

        def printed_with(name: str) -> list[str]:
            found = self._all(
                """SELECT DISTINCT other.printed_name FROM document_names AS one
                   JOIN document_names AS other USING (document, meeting)
                   WHERE meeting = ? AND one.printed_name = ?""",
                *(body, name),
            )
            return [other for (other,) in found]

        people = resolve_people(
            body, {name: times for name, (times, _, _) in printed.items()}, printed_with
        )
        for person in people:
            days = [printed[name][1:] for name in person.spellings]
            first = min((day for day, _ in days if day), default=None)
            last = max((day for _, day in days if day), default=None)
            insert(self._db, "people", [(person.key, body, person.name, first, last)])
            names = [(body, name, person.key, printed[name][0]) for name in person.spellings]
            insert(self._db, "person_names", names)
            terms = [(person.key, *term) for term in self._terms(body, person.spellings, first)]
            insert(self._db, "person_terms", terms)

    def _terms(
        self, body: str, spellings: Sequence[str], first: str | None
    ) -> Iterator[tuple[str, str]]:
        """Yield the terms of a person, whose first day is known: one begins after a long gap.

        The index is looked at once for every such gap in time, not for every document.
        """
        names = json.dumps(list(spellings))

        def days_after(day: str, within: str | None) -> tuple[str | None, str | None]:
            asked = {"body": body, "names": names, "after": day, "within": within}
            found: tuple[str | None, str | None]
            found = self._db.execute(_DAYS_AFTER, asked).fetchone()
            return found

        while first:
            last = first
            while further := days_after(last, f"+{TERM_GAP_DAYS} days")[1]:
                last = further
            yield first, last
            first, _ = days_after(last, None)

    def _join_votes(self, body: str, date: str) -> None:
        """Mark the votes of a meeting that one of its documents prints again.

        Minutes are often in the packet of the next meeting, too.  Votes are the same if their
        results are and their quotes are similar.  Those of the meeting's own documents are kept.
        """
        found = self._db.execute(
            """SELECT votes.id, document, result, coalesce(nullif(quote, ''), motion, ''), repeats
               FROM votes JOIN documents ON documents.name = document
               WHERE votes.meeting = ?1 AND votes.date = ?2
               ORDER BY documents.meeting IS ?1 AND documents.date IS ?2 DESC,
                        kind IS 'minutes' DESC, document, start, votes.id""",
            (body, date),
        ).fetchall()
        kept: list[tuple[str, str, str, str]] = []
        repeated: set[tuple[str, str]] = set()
        changed: list[tuple[str | None, str]] = []
        is_in_one = len({document for _, document, *_ in found}) < 2
        for vote, document, result, quote, before in found:
            words = "" if is_in_one else plain_words(quote)
            first = next(
                (
                    other
                    for other, place, outcome, others in kept
                    if place != document
                    and outcome == result
                    and (other, document) not in repeated
                    and ratio(others, words, score_cutoff=ALIKE) >= ALIKE
                ),
                None,
            )
            if first is None:
                kept.append((vote, document, result, words))
            else:
                repeated.add((first, document))
            if first != before:
                changed.append((first, vote))
        self._db.executemany("UPDATE votes SET repeats = ? WHERE id = ?", changed)

    def _join_matters(self) -> None:
        # A number with a whole year that comes or goes decides about those with a short one.
        shorter = [(key_without_century(key),) for (key,) in self._all("SELECT * FROM noted_keys")]
        self._db.executemany("INSERT OR IGNORE INTO noted_keys VALUES (?)", shorter)
        appearances = self._all(
            """SELECT id, matter_key, date, matter FROM matter_appearances
               WHERE matter_key IN (SELECT matter_key FROM noted_keys)"""
        )
        changed, noted = [], set()
        for name, key, date, before in appearances:
            whole = key_with_century(key, date)
            is_printed = whole != key and self._all(
                "SELECT 1 FROM matter_appearances WHERE matter_key = ? LIMIT 1", whole
            )
            matter = whole if is_printed else key
            if matter != before:
                changed.append((matter, name))
            noted |= {(before,), (matter,)}
        self._db.executemany("UPDATE matter_appearances SET matter = ? WHERE id = ?", changed)
        self._db.executemany("INSERT OR IGNORE INTO noted_matters VALUES (?)", sorted(noted))
        self._db.execute("DELETE FROM matters WHERE matter IN (SELECT matter FROM noted_matters)")
        steps = self._db.execute(
            """SELECT matter, kind, matter_number, matter_title, action, date, doubtful
               FROM matter_appearances WHERE matter IN (SELECT matter FROM noted_matters)
               ORDER BY matter, date, document, start, id"""
        )
        rows = []
        for matter, some in groupby(steps, lambda row: row[0]):
            of_matter = list(some)
            numbers = Counter(number for _, _, number, *_ in of_matter if number)
            titles = Counter(title for _, _, _, title, *_ in of_matter if title)
            # Its state is what the last meeting certainly did with it.
            done = [
                action
                for *_, action, _, doubtful in of_matter
                if action != MENTIONED and doubtful in (None, "[]")
            ]
            dates = [date for *_, date, _ in of_matter if date]
            rows.append(
                (
                    *(matter, of_matter[0][1]),
                    numbers.most_common(1)[0][0] if numbers else None,
                    titles.most_common(1)[0][0] if titles else None,
                    *(done[-1] if done else MENTIONED, min(dates, default=None)),
                    *(max(dates, default=None), len(of_matter)),
                )
            )
        insert(self._db, "matters", rows)
