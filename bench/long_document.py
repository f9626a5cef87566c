"""One long scan in one document: read by one working process, then by two.

    python -m bench.long_document [--pages 200] [--rounds 2]

The same embedded run as ``clerk run``, with the default OCR engine.  The text must be the same
bytes, and two processes at least 1.8 times as fast as one.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice, product
from pathlib import Path

import numpy
from PIL import Image

from bench import options
from bench._synthetic_scans import scans
from clerk.core import config, db, schema
from clerk.executors import embedded
from clerk.pipeline import runs
from clerk.pipeline.flow import Pipeline
from tools.pdf_writer import EncodedImage, PdfWriter, encode_fax, encode_jpeg

BAR = 1.8
PROCESSES = (1, 2)
#: Different scans of each kind, repeated with other dust until there are enough pages.
_SCANS_OF_EACH_KIND = 4
_QUALITY = 60
#: The share of pixels that differ from page to page, and by how much.
_GREY_DUST = (0.002, 0x18)
_BLACK_DUST = (0.0002, 0xFF)


def pages(number: int) -> Iterator[EncodedImage]:
    """Yield scans of which no two lines are alike, so that no recognised line can be reused."""
    drawn = list(scans(min(_SCANS_OF_EACH_KIND, number)))
    for count, scan in enumerate(islice(cycle(drawn), number)):
        grey, dice = "jpeg" in scan.name, numpy.random.default_rng(count)
        page = Image.fromarray(_dusty(scan.pixels, dice, *(_GREY_DUST if grey else _BLACK_DUST)))
        yield encode_jpeg(page, _QUALITY) if grey else encode_fax(page)


def _dusty(
    pixels: numpy.ndarray, dice: numpy.random.Generator, share: float, by: int
) -> numpy.ndarray:
    """Return a copy of which some pixels are lighter or darker."""
    dusty = pixels.copy().reshape(-1)
    dusty[dice.integers(dusty.size, size=int(dusty.size * share))] ^= by
    return dusty.reshape(pixels.shape)


def write_scan(path: Path, number: int) -> None:
    """Write a document with this many scanned pages."""
    writer = PdfWriter()
    for page in pages(number):
        writer.add_page(image=page)
    path.parent.mkdir(parents=True)
    path.write_bytes(writer.getvalue())


def read(site: str, source: Path, processes: int) -> tuple[float, float, float]:
    """Take a site through its reading; return seconds, CPU seconds, and those of others."""
    os.environ["CLERK_WORKERS"] = str(processes)
    extra = json.dumps({"source": str(source)})
    with db.civic_db_connection() as conn:
        db.upsert_site(conn, {"subdomain": site, "scraper": "folder", "extra": extra})
    before, all_before, started = _cpu_seconds(), _cpu_seconds_of_all(), time.perf_counter()
    run_id = runs.start(config.load(), site, goal="ocr")
    embedded.run(Pipeline(config.load()), config.load(), done=lambda: not runs.Unfinished([run_id]))
    seconds, own = time.perf_counter() - started, _cpu_seconds() - before
    return seconds, own, _cpu_seconds_of_all() - all_before - own


def _cpu_seconds() -> float:
    both = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
    return sum(used.ru_utime + used.ru_stime for used in both)


def _cpu_seconds_of_all() -> float:
    """Return what all processes of the machine have used, in user and system mode, nice or not."""
    user, nice, system, *_ = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system) / os.sysconf("SC_CLK_TCK")


def _text(storage: Path, site: str) -> dict[str, bytes]:
    folder = storage / site / "txt"
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def report(number: int, rounds: int) -> bool:
    """Read the document with one process and with two, in turn; return whether the bar is met."""
    with tempfile.TemporaryDirectory() as folder:
        storage, documents = Path(folder) / "sites", Path(folder) / "documents"
        storage.mkdir()
        config.work_embedded_in(storage)
        schema.upgrade(db.get_civic_db())
        write_scan(documents / "long" / "2024-01-15 minutes.pdf", number)
        if number > 2:
            write_scan(documents / "warm-up" / "2024-01-15 minutes.pdf", 2)
            read("warm-up", documents / "warm-up", 1)
        print(f"{number} scanned pages in one document, {config.load().default_ocr_backend}")
        fastest: dict[int, float] = {}
        texts = []
        for turn, processes in product(range(rounds), PROCESSES):
            site = f"read-{turn}-by-{processes}"
            seconds, *cpu = read(site, documents / "long", processes)
            fastest[processes] = min(seconds, fastest.get(processes, seconds))
            texts.append(_text(storage, site))
            _print_row(processes, seconds / fastest[1], *cpu)
    same = all(text == texts[0] for text in texts) and len(texts[0]) == number + 2
    faster = fastest[1] / fastest[2]
    print(f"  {faster:.2f} x faster (bar {BAR}); the same bytes: {'yes' if same else 'NO'}")
    return same and faster >= BAR


def _print_row(processes: int, relative: float, cpu: float, others: float) -> None:
    print(
        f"  {processes} working process{'es' if processes > 1 else '':2}"
        f" {relative:5.2f} of the time of one, {cpu / (cpu + others):4.0%} of all CPU time used",
        flush=True,
    )


def main() -> int:
    """Measure."""
    parser = options.parser("long_document", __doc__)
    parser.add_argument("--pages", type=int, default=200, help="pages of the document [200]")
    parser.add_argument("--rounds", type=int, default=2, help="of which the fastest count [2]")
    asked = parser.parse_args()
    pages, rounds = (2, 1) if asked.tiny else (asked.pages, asked.rounds)
    return options.exit_code(tiny=asked.tiny, bars_met=report(pages, rounds))


if __name__ == "__main__":
    sys.exit(main())
