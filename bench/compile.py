"""How fast is compiling?  Ours against sqlite-utils, and one changed document in a large site.

    python -m bench.compile [--pages 100000] [--pages-per-document 10]

Both sides read the same page files.  sqlite-utils does ``insert_all`` and ``enable_fts``; ours also
hashes, joins broken words, writes the documents' table and the state for the next build, and is
shown without and with the index over all sites.

One changed document is compiled in a site of a tenth of the pages, and in two of all of them: with
the same number of bodies, so that each has ten times the documents, and with ten times the bodies.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from clerk.site_db import compile_site

WORDS_PER_PAGE = 400
BODIES = 20
SITE = {"subdomain": "bench", "name": "Bench"}


class Prose:
    """Text with a vocabulary like that of minutes: a few words everywhere, many rare ones."""

    def __init__(self, seed: int = 1) -> None:
        pick = random.Random(seed)
        letters = "etaoinshrdlucmfwygpb"
        vocabulary = ["".join(pick.choices(letters, k=pick.randint(2, 11))) for _ in range(30_000)]
        weights = [1 / (rank + 5) for rank in range(len(vocabulary))]
        self._words = pick.choices(vocabulary, weights, k=1_000_000)

    def page(self, number: int) -> str:
        """Return the text of a page; the same for the same number."""
        start = number * 379 % (len(self._words) - WORDS_PER_PAGE)
        words = self._words[start : start + WORDS_PER_PAGE]
        lines = (" ".join(words[at : at + 12]) for at in range(0, len(words), 12))
        return "\n".join(lines) + f"\nitem{number}\n"


def write_document(folder: Path, texts: list[str]) -> None:
    """Write a document's directory as reading leaves it: moved in whole."""
    part = folder.with_name(f".{folder.name}.part")
    part.mkdir(parents=True)
    for number, text in enumerate(texts, start=1):
        (part / f"page-{number}.txt").write_text(text)
    (part / "document.json").write_text(f'{{"pdf_sha256": "0", "page_count": {len(texts)}}}')
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)


def write_site(
    folder: Path, pages: int, pages_per_document: int, prose: Prose, bodies: int = BODIES
) -> None:
    """Write the texts of a site."""
    numbers = iter(range(pages))
    for document in itertools.count():
        texts = [prose.page(n) for n in itertools.islice(numbers, pages_per_document)]
        if not texts:
            return
        day = f"{1990 + document // bodies // 300}-{document // bodies % 300:03}"
        write_document(folder / "txt" / f"Body {document % bodies}" / day, texts)


def rows(folder: Path) -> Iterator[dict[str, object]]:
    """Yield what sqlite-utils is given: the pages of the same files."""
    for place, _, names in os.walk(folder / "txt"):
        for name in names:
            if name.endswith(".txt"):
                path = f"{place}/{name}"
                *_, meeting, date = place.split("/")
                with open(path, encoding="utf-8") as file:  # noqa: PTH123 - the quickest way
                    text = file.read()
                yield {
                    "id": path,
                    "meeting": meeting,
                    "date": date,
                    "page": int(name[5:-4]),
                    "text": text,
                    "page_image": "",
                    "entities_json": None,
                    "votes_json": None,
                }


def with_sqlite_utils(folder: Path) -> None:
    """Compile the other way."""
    import sqlite_utils

    path = folder / "other.db"
    path.unlink(missing_ok=True)
    database = sqlite_utils.Database(path)
    database["minutes"].insert_all(rows(folder), pk="id")
    database["minutes"].enable_fts(["text"])
    database.close()
    path.unlink()


def seconds(action: Callable[[], object]) -> float:
    """Return how long an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def forget(folder: Path) -> None:
    """Make the next build a full one."""
    for path in [folder / "meetings.db", *folder.glob("_clerk/compile.*")]:
        path.unlink(missing_ok=True)
    for path in folder.parent.glob("sites.db*"):
        path.unlink()


def without_index(folder: Path) -> None:
    """Compile only ``meetings.db``."""
    compile_site(folder, SITE, into_index=False)


def incremental(
    folders: list[Path], pages_per_document: int, prose: Prose, rounds: int = 25
) -> list[float]:
    """Return the median time of compiling one changed document in each site, taken in turns."""
    times: dict[Path, list[float]] = {folder: [] for folder in folders}
    numbers = itertools.count(10**7)
    for turn in range(rounds + 3):
        for folder in folders:
            documents = sorted((folder / "txt" / "Body 0").iterdir())
            texts = [prose.page(next(numbers)) for _ in range(pages_per_document)]
            write_document(documents[turn % len(documents)], texts)
            times[folder].append(seconds(partial(compile_site, folder, SITE)))
    return [statistics.median(each[3:]) for each in times.values()]


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--pages-per-document", type=int, default=10)
    parser.add_argument("--folder", type=Path, help="where to work (default: a temporary folder)")
    asked = parser.parse_args()
    prose = Prose()
    with tempfile.TemporaryDirectory(dir=asked.folder) as scratch:
        large, small, wide = (Path(scratch) / name / "bench" for name in ("large", "small", "wide"))
        write_site(large, asked.pages, asked.pages_per_document, prose)
        print_full(large, asked.pages)
        write_site(small, asked.pages // 10, asked.pages_per_document, prose)
        write_site(wide, asked.pages, asked.pages_per_document, prose, bodies=10 * BODIES)
        print_incremental([small, wide, large], asked, prose)


def print_full(folder: Path, pages: int) -> None:
    """Print full builds side by side, the best of three each."""
    other, bare, whole = [], [], []
    for _ in range(3):
        other.append(seconds(lambda: with_sqlite_utils(folder)))
        forget(folder)
        bare.append(seconds(lambda: without_index(folder)))
        forget(folder)
        whole.append(seconds(lambda: compile_site(folder, SITE)))
    base = min(other)
    print(f"full build of {pages:,} pages")
    print(f"  sqlite-utils insert_all + enable_fts    {base:7.2f} s")
    print(f"  clerk, meetings.db                      {min(bare):7.2f} s {base / min(bare):6.2f} x")
    print(
        f"  clerk, with the index over all sites    {min(whole):7.2f} s {base / min(whole):6.2f} x"
    )


def print_incremental(folders: list[Path], asked: argparse.Namespace, prose: Prose) -> None:
    """Print what one changed document costs in a small and in large sites."""
    for folder in folders:
        compile_site(folder, SITE)
    small, *large = incremental(folders, asked.pages_per_document, prose)
    unchanged = seconds(lambda: compile_site(folders[-1], SITE))
    print("one changed document")
    print(f"  in {asked.pages // 10:,} pages                 {small * 1000:10.1f} ms")
    for shape, each in zip(("more bodies", "long bodies"), large, strict=True):
        ratio = each / small
        print(f"  in {asked.pages:,} pages, {shape}   {each * 1000:10.1f} ms   ratio {ratio:.2f}")
    print(f"  nothing changed                 {unchanged * 1000:10.1f} ms")


if __name__ == "__main__":
    main()
