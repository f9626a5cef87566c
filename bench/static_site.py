"""What does a static site cost, compared with compiling the site it shows?

    python -m bench.static_site [--pages 12000] [--pages-per-document 10]

Every document has votes, people and matters. CPU time of this process, in turns in one run; the
search index, which follows the pages, is not in it.

Bars: a full build at most 5 x a full compile; one changed document at most 3 x the compile of that
change.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from hashlib import sha256
from pathlib import Path

import msgspec

from bench import options
from bench.compile import BODIES, SITE, Prose, compile_rows, forget, manifest_row, write_document
from clerk.core.config import Settings
from clerk.core.manifest import DocumentRow
from clerk.core.storage import extracted_file, written_whole
from clerk.publish import publish

FULL_BAR, ONE_BAR = 5.0, 3.0
VOTES = 4
MEMBERS = ("Lindqvist", "Abara", "Moreau", "Brandt", "Okafor", "Sato", "Fischer")


def findings(document: int, change: int) -> bytes:
    """Return what extraction would have found in a document; other votes after each change."""
    members = [f"{name}{chr(97 + document % BODIES)}" for name in MEMBERS]
    place = {"page": 1, "start": 0, "end": 40, "quote": "Moved and seconded."}
    votes = [
        place
        | {
            "motion": f"to adopt Ordinance {change}-{each}",
            "mover": members[0],
            "seconder": members[1],
            "result": "passed",
            "result_text": "carried",
            "vote_type": "roll_call",
            "ayes": members[:5],
            "noes": members[5:6],
            "abstain": [],
            "absent": members[6:],
            "recused": [],
            "tally": {"ayes": 5, "noes": 1},
            "unanimous": False,
            "flags": [],
            "confidence": 0.9,
        }
        for each in range(VOTES)
    ]
    said = {"role": None, "group": "member", "status": "present"}
    said |= {"late": False, "left_early": False, "remote": False}
    found = {
        "version": "1",
        "text_sha256": "",
        "votes": votes,
        "entities": [],
        "items": [place | {"number": str(each), "title": f"Item {each}"} for each in range(10)],
        "attendance": [place | said | {"name": name} for name in members],
        "matters": [
            place
            | {
                "kind": "ordinance",
                "number": f"{document // 5}",
                "title": "Zoning",
                "action": "passed",
            }
            | {"key": f"ordinance {document // 5}", "votes": [0], "amounts": [], "addresses": []}
        ],
    }
    return msgspec.json.encode(found)


class Town:
    """A site of minutes that are written and changed here."""

    def __init__(self, folder: Path, pages_per_document: int, prose: Prose) -> None:
        self.folder, self._per_document, self._prose = folder, pages_per_document, prose
        self.rows: dict[str, DocumentRow] = {}
        self._numbers = itertools.count()

    def write(self, document: int) -> None:
        """Write a document, or another text of it."""
        body = f"Body {document % BODIES}"
        day = date(2000, 1, 3) + timedelta(days=14 * (document // BODIES))
        name = f"minutes/{body}/{day}"
        texts = [self._prose.page(next(self._numbers)) for _ in range(self._per_document)]
        write_document(self.folder / "txt" / body / str(day), texts)
        row = manifest_row(self.folder.name, name, texts[0])
        with written_whole(extracted_file(self.folder, row.document)) as part:
            part.write_bytes(found := findings(document, next(self._numbers)))
        self.rows[name] = replace(
            row, body=body, date=day, findings_sha256=sha256(found).hexdigest()
        )

    def compile(self) -> None:
        """Compile the site, without the index over all sites."""
        compile_rows(self.folder, self.rows, into_index=False)

    def publish(self, *, static_site: bool) -> None:
        """Publish it, with or without pages."""
        place = self.folder.parent.with_name("pages" if static_site else "plain")
        settings = Settings(
            storage_dir=self.folder.parent, publish_dir=place, static_site=static_site
        )
        publish(SITE, self.folder, settings, complete=True)


def cpu_seconds(action: Callable[[], object]) -> float:
    """Return the CPU time an action takes in this process."""
    begin = time.process_time()
    action()
    return time.process_time() - begin


def main() -> int:
    """Print the ratios; 1 if a bar is missed."""
    parser = options.parser("static_site", __doc__)
    parser.add_argument("--pages", type=int, default=12_000)
    parser.add_argument("--pages-per-document", type=int, default=10)
    asked = parser.parse_args()
    if asked.tiny:
        asked.pages, asked.pages_per_document = 200, 2
    documents = asked.pages // asked.pages_per_document
    with tempfile.TemporaryDirectory() as scratch:
        town = Town(Path(scratch) / "sites" / "bench", asked.pages_per_document, Prose())
        for document in range(documents):
            town.write(document)
        compiled = cpu_seconds(town.compile)
        plain = cpu_seconds(lambda: town.publish(static_site=False))
        pages = cpu_seconds(lambda: town.publish(static_site=True)) - plain
        rounds = 1 if asked.tiny else 11
        times: list[tuple[float, float]] = []
        for turn in range(rounds + 2):
            town.write(turn * 7 % documents)
            compiling = cpu_seconds(town.compile)
            without = cpu_seconds(lambda: town.publish(static_site=False))
            times.append((compiling, cpu_seconds(lambda: town.publish(static_site=True)) - without))
        one_compiled, one_page = (statistics.median(each[2:]) for each in zip(*times, strict=True))
        forget(town.folder)
    full, one = pages / compiled, one_page / one_compiled
    print(f"{asked.pages:,} pages in {documents:,} documents; CPU time")
    print(f"  full compile          {compiled:8.2f} s")
    print(f"  full static site      {pages:8.2f} s   {full:5.2f} x (bar {FULL_BAR:g})")
    print(f"  one document compiled {1000 * one_compiled:8.1f} ms")
    print(f"  its pages             {1000 * one_page:8.1f} ms  {one:5.2f} x (bar {ONE_BAR:g})")
    return options.exit_code(tiny=asked.tiny, bars_met=full <= FULL_BAR and one <= ONE_BAR)


if __name__ == "__main__":
    sys.exit(main())
