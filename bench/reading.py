"""How fast and how well documents are read, compared with other ways, in one run.

    python -m bench.reading [--data FOLDER] [--pages N] [--only born] [--work FOLDER]

Prints a table of scanned pages, one of born-digital pages, and whether the bars are met.  All ways
read the same pages with one process per core, one way after the other; only ratios mean anything.
The two engines are compared by the processor time of recognition alone, which other work on the
machine and the start of the processes do not change; the table has their speed by the clock.

Scanned pages, with the truth known:

- programs: a picture at 150 dpi and of fixed size in a file, and one ``tesseract`` process per page
  with two languages, as older installations do it;
- ocrmypdf: ``ocrmypdf --sidecar``;
- libtesseract: pictures in memory, ``Recognize()`` in this process;
- tesseract-onnx: clerk's own engine on the same pictures;
- clerk: ``clerk run`` from a folder of PDFs to text on disk.

Born-digital pages: bare text extraction by pypdfium2, which throws the texts away, compared with
``clerk run``, which copies the documents, starts and ends, and writes a file for each page.  The
time that a new file takes is printed, because ext4 needs much longer where files were deleted in
the last minutes, for example by a run of the tests.  So the files are written to a directory of
their own, and --work may name another disk.  What it costs to say what these documents are is
compared with reading and storing them, by processor time.

FOLDER has ``ocr_truth/scans.pdf`` with ``truth/K.txt``, and PDFs below ``pdfs/born`` and
``minutes``; by default it is ``../shared/data`` or what CLERK_SHARED_DATA names.  Without it,
synthetic scans are used, and minutes of an invented town that are as long as real ones.  Missing
programs are installed where that is possible (by root, with apt-get); otherwise the ways that
need them are left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import options
from bench._accuracy import Accuracy, accuracy
from bench._reading_ways import CORES, Asked, Outcome, run
from bench._scans import Scans, born_digital, parts, write_one_word, write_scans
from clerk.core.storage import sha256_of
from clerk.identify import Hints, identify, split, with_papers
from clerk.identify.bodies import body_in_heading
from clerk.identify.kinds import heading_rule
from clerk.pipeline.identification import page_views
from clerk.read.documents import ReadingOptions, fingerprint, read_and_store, read_pdf

_PROGRAMS = {
    "tesseract": ("tesseract-ocr", "tesseract-ocr-eng", "tesseract-ocr-spa"),
    "pdftoppm": ("poppler-utils",),
    "gs": ("ghostscript",),
}
#: What each way needs beside Python.
_NEEDS = {"programs": ("tesseract", "pdftoppm"), "ocrmypdf": ("tesseract", "gs", "ocrmypdf")}
_WAYS = ("programs", "ocrmypdf", "libtesseract", "tesseract-onnx", "clerk")

_PAGES_PER_DOCUMENT = 4
#: Born-digital documents are copied until there are this many pages, so that a run takes a while.
_BORN_PAGES = 12_000


def main() -> int:
    """Print the tables and the bars; the exit code says whether all are met."""
    parser = options.parser("reading", __doc__)
    parser.add_argument("--data", type=Path, default=options.shared_data())
    parser.add_argument("--pages", type=int, default=48, help="real scans; 12 of other kinds")
    parser.add_argument("--only", choices=["scanned", "born"], help="one kind of pages")
    parser.add_argument("--work", type=Path, help="working folder; default: a temporary folder")
    asked = parser.parse_args()
    if asked.tiny:
        asked.data, asked.pages = None, 1
    with tempfile.TemporaryDirectory(dir=asked.work) as folder:
        bars_met = _print_bars(list(_bars(asked, _set_apart(Path(folder)))))
    return options.exit_code(tiny=asked.tiny, bars_met=bars_met)


def _set_apart(folder: Path) -> Path:
    """Return a folder in this one that ext4 places away from the others on the disk.

    The place depends on its name, which is different every time.
    """
    if shutil.which("chattr"):
        subprocess.run(["chattr", "+T", folder], check=False, stderr=subprocess.DEVNULL)
    return Path(tempfile.mkdtemp(dir=folder))


def _bars(asked: argparse.Namespace, folder: Path) -> Iterator[_Bar]:
    """Measure and print what is asked for, and yield its bars."""
    printed = born_digital(asked.data, folder)[: 4 if asked.tiny else None]
    scanned = None
    if asked.only != "born":
        ways = [way for way in _WAYS if _may_run(way, install=not asked.tiny)]
        scanned = _scanned(ways, asked, printed, folder)
        _print_scanned(scanned)
        yield from _scanned_bars(scanned)
    if asked.only != "scanned":
        born = _born(_by_layer(printed), folder, asked)
        _print_born(born, scanned)
        yield from _born_bars(born, scanned)


# ------------------------------------------------------------------------ what can be run


def _may_run(way: str, *, install: bool) -> bool:
    """Whether everything the way needs is there, after trying to install it."""
    missing = [need for need in _NEEDS.get(way, ()) if not _is_there(need)]
    if install:
        _install([package for need in missing for package in _PROGRAMS.get(need, ())])
        missing = [need for need in missing if not _is_there(need)]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        print(f"{', '.join(missing)} {verb} not installed: no comparison with {way}.")
    return not missing


def _is_there(need: str) -> bool:
    return bool(shutil.which(need) or importlib.util.find_spec(need))


def _install(packages: Sequence[str]) -> None:
    if not packages or os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    print(f"Installing {', '.join(packages)} to compare with ...", flush=True)
    subprocess.run(["apt-get", "update"], check=False, **quiet)
    install = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    subprocess.run(install, check=False, **quiet)


# -------------------------------------------------------------------------- scanned pages


@dataclass(frozen=True)
class _Measured:
    """What one way did with the scans."""

    outcome: Outcome
    #: By kind of page.
    accuracy: dict[str, Accuracy]
    #: Seconds for a page with one word on it, a new process included.
    start_up: float


@dataclass(frozen=True)
class _Scanned:
    scans: Scans
    ways: dict[str, _Measured]

    def base(self) -> str:
        """Return the way the others are measured by."""
        return next(iter(self.ways))

    def speed(self, way: str, base: str) -> float:
        """Return how many times as fast a way is as another one, by the clock."""
        return self.ways[base].outcome.seconds / self.ways[way].outcome.seconds


def _scanned(
    ways: Sequence[str], asked: argparse.Namespace, printed: Sequence[Path], folder: Path
) -> _Scanned:
    most = 1 if asked.tiny else None
    scans = write_scans(folder / "scans.pdf", asked.data, printed, asked.pages, most)
    parts(scans, folder / "documents" / "Council", _PAGES_PER_DOCUMENT)
    write_one_word(folder / "almost-nothing" / "Council" / "2024-01-01.pdf")
    # The first start also writes what is kept for later ones.
    starts = "" if asked.tiny else "12"
    return _Scanned(scans, {way: _measured(way, scans, folder, starts) for way in ways})


def _measured(way: str, scans: Scans, folder: Path, starts: str) -> _Measured:
    print(f"reading {len(scans.kinds)} scanned pages: {way} ...", file=sys.stderr, flush=True)
    small, large = folder / "almost-nothing", folder / "documents"
    if way != "clerk":
        small, large = small / "Council" / "2024-01-01.pdf", scans.path
    start_up = [_run_in(folder / way / turn, way, small, 1).seconds for turn in starts]
    outcome = _run_in(folder / way / "all", way, large, len(scans.kinds))
    kinds = dict.fromkeys(scans.kinds)
    return _Measured(
        outcome,
        {kind: _of_kind(scans, outcome, kind) for kind in kinds},
        start_up[-1] if start_up else outcome.seconds,
    )


def _run_in(work: Path, way: str, source: Path, pages: int) -> Outcome:
    work.mkdir(parents=True)
    return run(Asked(way, str(source), str(work), pages))


def _of_kind(scans: Scans, outcome: Outcome, kind: str) -> Accuracy:
    numbers = scans.pages_of(kind)
    read = [outcome.text[number - 1] for number in numbers]
    return accuracy(read, [scans.truth[number - 1] for number in numbers])


def _print_scanned(scanned: _Scanned) -> None:
    kinds, base = list(dict.fromkeys(scanned.scans.kinds)), scanned.base()
    print(f"\nscanned pages: {len(scanned.scans.kinds)}, {CORES} cores")
    counts = ", ".join(f"{len(scanned.scans.pages_of(kind))} {kind}" for kind in kinds)
    print(f"({counts}; errors in % of characters / of words)")
    head = ["", "speed", "CPU a page", "start-up", "MB", *kinds]
    _print_table([head, *(_row(scanned, way, kinds) for way in scanned.ways)])
    print(f"x: multiples of {base}; p: pages that {base} reads in that time; MB: largest process")


def _row(scanned: _Scanned, way: str, kinds: Sequence[str]) -> list[str]:
    each, base = scanned.ways[way], scanned.ways[scanned.base()].outcome
    errors = (each.accuracy[kind] for kind in kinds)
    return [
        way,
        f"{scanned.speed(way, scanned.base()):.2f} x",
        f"{each.outcome.cpu_seconds / base.cpu_seconds:.2f} x",
        f"{each.start_up / base.seconds * len(scanned.scans.kinds):.2f} p",
        f"{each.outcome.megabytes:.0f}",
        *(f"{100 * of.characters:.2f} / {100 * of.words:.2f}" for of in errors),
    ]


def _print_table(rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        padded = (cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        print("  ".join((name.ljust(widths[0]), *padded)))


# --------------------------------------------------------------------- born-digital pages


@dataclass(frozen=True)
class _Born:
    pages: int
    #: What it takes to make a small file where the text is written.
    seconds_a_file: float
    bare: Outcome
    clerk: Outcome
    #: Processor time of saying what documents are, as a share of reading and storing them.
    identity: float

    def share(self) -> float:
        """Return clerk's speed as a share of bare extraction on all cores."""
        return self.bare.limit_seconds / self.clerk.seconds


def _by_layer(pdfs: Sequence[Path]) -> list[Path]:
    """Return the documents with a good text layer on every page."""
    return [path for path in pdfs if _all_by_layer(path)]


def _all_by_layer(path: Path) -> bool:
    pages = read_pdf(path, ReadingOptions(ocr="never")).pages
    return all(page.facts.method == "text" and page.facts.confidence > 0.9 for page in pages)


def _born(pdfs: Sequence[Path], folder: Path, asked: argparse.Namespace) -> _Born:
    source = folder / "born"
    pages = _copied(pdfs[:2] if asked.tiny else pdfs, source, 2 if asked.tiny else _BORN_PAGES)
    print(f"reading {pages} born-digital pages ...", file=sys.stderr, flush=True)
    # In turns, and the best of each, so that other work on the machine disturbs neither.
    bare, clerk = [], []
    for turn in "1" if asked.tiny else "123":
        bare.append(_run_in(folder / "bare" / turn, "pypdfium2", source, pages))
        clerk.append(_run_in(folder / "read" / turn, "clerk", source, pages))
    return _Born(
        pages,
        _seconds_a_file(folder / "read" / "files"),
        min(bare, key=lambda outcome: outcome.limit_seconds),
        min(clerk, key=lambda outcome: outcome.seconds),
        _identity_share(pdfs[:2] if asked.tiny else pdfs, folder / "identity"),
    )


def _identity_share(pdfs: Sequence[Path], folder: Path) -> float:
    """Return the processor time of identifying documents as a share of reading and storing them.

    One after the other in this process, as in a first run: what is remembered of the lines of a
    document helps with the next one, not with itself.  Three such runs, the best of each document.
    """
    options = ReadingOptions()
    reader = fingerprint(options)
    times: dict[Path, list[tuple[float, float]]] = {path: [] for path in pdfs}
    for turn in range(3):
        for remembered in (heading_rule, body_in_heading):
            remembered.cache_clear()
        for number, path in enumerate(pdfs):
            target = folder / f"{number}-{turn}"
            started = time.process_time()
            read_and_store(path, target, options, sha256_of(path), reader=reader)
            stored = time.process_time()
            # Documents of a place are in a folder with its name.
            pages, hints = page_views(target), Hints(path=path.name, place=path.parent.name)
            identity = identify(pages, hints)
            with_papers(identity, split(pages, identity, hints) if len(pages) > 1 else [])
            times[path].append((stored - started, time.process_time() - stored))
    reading, identifying = (
        sum(min(each[which] for each in of) for of in times.values()) for which in (0, 1)
    )
    return identifying / reading


def _seconds_a_file(folder: Path, files: int = 500) -> float:
    folder.mkdir()
    started = time.perf_counter()
    for number in range(files):
        (folder / f"page-{number}.txt").write_bytes(b"A page. " * 250)
    return (time.perf_counter() - started) / files


def _copied(pdfs: Sequence[Path], target: Path, wanted: int) -> int:
    """Fill a folder with the documents, repeated under other dates; return the pages."""
    sizes = [_pages(path) for path in pdfs]
    pages = copies = 0
    while pages < wanted:
        for number, (path, size) in enumerate(zip(pdfs, sizes, strict=True)):
            meeting = target / f"Body {number}"
            meeting.mkdir(parents=True, exist_ok=True)
            day = f"{2000 + copies // 28 // 12}-{copies // 28 % 12 + 1:02}-{copies % 28 + 1:02}"
            shutil.copyfile(path, meeting / f"{day}.pdf")
            pages += size
        copies += 1
    return pages


def _pages(path: Path) -> int:
    return read_pdf(path, ReadingOptions(ocr="never"), only=()).page_count


def _print_born(born: _Born, scanned: _Scanned | None) -> None:
    print(f"\nborn-digital pages: {born.pages}, {CORES} cores, from a folder to text on disk")
    print(f"clerk run: {born.share():.2f} of bare pypdfium2 extraction on the same cores,")
    if scanned:
        print(f"{_times_base(born, scanned):.0f} x {scanned.base()} on scans,")
    print(
        f"{born.clerk.megabytes:.0f} MB in the largest process;"
        f" a new file takes {1e6 * born.seconds_a_file:.0f} microseconds here"
    )


def _times_base(born: _Born, scanned: _Scanned) -> float:
    theirs = scanned.ways[scanned.base()].outcome.seconds / len(scanned.scans.kinds)
    return theirs / (born.clerk.seconds / born.pages)


# ------------------------------------------------------------------------------- the bars


@dataclass(frozen=True)
class _Bar:
    what: str
    value: float
    wanted: float
    at_least: bool = True

    @property
    def met(self) -> bool:
        """Whether the value is on the right side."""
        return self.value >= self.wanted if self.at_least else self.value <= self.wanted


def _scanned_bars(scanned: _Scanned) -> Iterator[_Bar]:
    ways = scanned.ways
    if "programs" in ways:
        yield _Bar("clerk / programs", scanned.speed("clerk", "programs"), 2.2)
        yield _Bar("tesseract-onnx / programs", scanned.speed("tesseract-onnx", "programs"), 5)
    if "ocrmypdf" in ways:
        yield _Bar("clerk / ocrmypdf", scanned.speed("clerk", "ocrmypdf"), 1.6)
    limit = ways["libtesseract"].outcome.limit_seconds
    yield _Bar("clerk / Recognize() alone", limit / ways["clerk"].outcome.seconds, 0.85)
    theirs, ours = (
        ways[way].outcome.recognition_seconds for way in ("libtesseract", "tesseract-onnx")
    )
    yield _Bar("tesseract-onnx / libtesseract, processor time", theirs / ours, 2.3)
    yield _Bar("MB of clerk's largest process", ways["clerk"].outcome.megabytes, 250, False)
    yield _Bar("MB of tesseract-onnx", ways["tesseract-onnx"].outcome.megabytes, 350, False)
    for kind in dict.fromkeys(scanned.scans.kinds):
        yield from _accuracy_bars(kind, {way: each.accuracy[kind] for way, each in ways.items()})


def _accuracy_bars(kind: str, by_way: dict[str, Accuracy]) -> Iterator[_Bar]:
    ours, theirs = by_way["tesseract-onnx"], by_way["libtesseract"]
    more = ours.characters / max(theirs.characters, 1e-6)
    yield _Bar(f"{kind}: wrong characters / libtesseract's", more, 1.1, False)
    points = 100 * (ours.words - theirs.words)
    yield _Bar(f"{kind}: points more wrong words", points, 0.3, False)
    worst = max(a - b for a, b in zip(ours.by_page, theirs.by_page, strict=True))
    yield _Bar(f"{kind}: points more on the worst page", 100 * worst, 5, False)
    if kind == "real":
        yield _Bar(
            "real: % wrong characters of clerk", 100 * by_way["clerk"].characters, 0.4, False
        )
        if "ocrmypdf" in by_way:
            more = by_way["clerk"].characters / by_way["ocrmypdf"].characters
            yield _Bar("real: wrong characters, clerk / ocrmypdf", more, 1, False)


def _born_bars(born: _Born, scanned: _Scanned | None) -> Iterator[_Bar]:
    yield _Bar("born-digital: clerk / bare pypdfium2", born.share(), 0.5)
    yield _Bar("born-digital: identity / reading", born.identity, 0.05, False)
    if scanned and scanned.base() == "programs":
        yield _Bar("born-digital: clerk / programs", _times_base(born, scanned), 100)


def _print_bars(bars: Sequence[_Bar]) -> bool:
    print()
    for bar in bars:
        wanted = f"{'at least' if bar.at_least else 'at most'} {bar.wanted:g}"
        print(f"{bar.what:<56}{bar.value:>9.2f}  {wanted:<14}{'met' if bar.met else 'MISSED'}")
    return all(bar.met for bar in bars)


if __name__ == "__main__":
    sys.exit(main())
