"""The ways of reading that bench/reading.py compares: ``python -m bench._reading_ways ASKED``.

Each way is run in a process of its own that holds next to nothing itself, so that the work and the
memory of its children are those of the way.  ASKED is an :class:`Asked` as JSON; the answer is an
:class:`Outcome` as JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench.options import bytecode

CORES = len(os.sched_getaffinity(0))
DPI = 200
_SEEDS_DPI = 150
_SEEDS_SIZE = (1276, 1648)
_SITE = "bench"


@dataclass(frozen=True)
class Asked:
    """A way by name, what it is to read (a PDF or, for ``clerk``, a folder), where it may write."""

    way: str
    source: str
    folder: str
    pages: int


@dataclass
class Outcome:
    """The text of each page, the time by the clock and of all processors, memory in MB.

    ``limit_seconds`` is what the pages would take if nothing but the recognition were done, and
    ``recognition_seconds`` the processor time of that, in processes that have loaded the engine.
    """

    text: list[str] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    megabytes: float = 0.0
    limit_seconds: float = 0.0
    recognition_seconds: float = 0.0


def run(asked: Asked) -> Outcome:
    """Read in a new process."""
    order = [sys.executable, "-m", "bench._reading_ways", json.dumps(asdict(asked))]
    done = subprocess.run(order, check=True, stdout=subprocess.PIPE)
    return Outcome(**json.loads(done.stdout.splitlines()[-1]))


def _perform(asked: Asked) -> Outcome:
    os.environ["STORAGE_DIR"] = asked.folder
    if asked.way == "clerk":
        _add_site(asked)
    # What was written before is not to be paid for by whoever comes next.
    os.sync()
    work_before, started = _work_of_children(), time.perf_counter()
    outcome = _WAYS[asked.way](asked)
    outcome.seconds = time.perf_counter() - started
    outcome.cpu_seconds = _work_of_children() - work_before
    outcome.megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    if asked.way == "clerk":
        outcome.text = _texts_of_site(asked)
    return outcome


def _work_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


# ------------------------------------------------------------------------------ other ways


def by_programs(asked: Asked) -> Outcome:
    """Write a picture per page and start tesseract on each, so many at a time as there are cores.

    As older installations do it: 150 dpi, every page squeezed to the same size, two languages.
    """
    with ThreadPoolExecutor(CORES) as threads:
        read = threads.map(lambda number: _page_by_programs(asked, number), _numbers(asked))
        return Outcome(list(read))


def _page_by_programs(asked: Asked, number: int) -> str:
    picture = Path(asked.folder) / f"picture-{number}"
    width, height = map(str, _SEEDS_SIZE)
    options = ["-r", str(_SEEDS_DPI), "-scale-to-x", width, "-scale-to-y", height]
    options += ["-png", "-singlefile", "-f", str(number), "-l", str(number)]
    subprocess.run(["pdftoppm", *options, asked.source, picture], check=True)
    tesseract = ["tesseract", f"{picture}.png", "stdout", "-l", "eng+spa"]
    one_thread = os.environ | {"OMP_THREAD_LIMIT": "1"}
    done = subprocess.run(tesseract, capture_output=True, check=True, env=one_thread)
    return done.stdout.decode()


def by_ocrmypdf(asked: Asked) -> Outcome:
    """Let OCRmyPDF write its sidecar."""
    sidecar = Path(asked.folder) / "sidecar.txt"
    options = ["--sidecar", str(sidecar), "--jobs", str(CORES), "--output-type", "pdf", "--quiet"]
    output = str(Path(asked.folder) / "out.pdf")
    subprocess.run([sys.executable, "-m", "ocrmypdf", *options, asked.source, output], check=True)
    return Outcome(sidecar.read_text().split("\f")[: asked.pages])


def by_libtesseract(asked: Asked) -> Outcome:
    """Let libtesseract read pictures in memory, one process per core."""
    return _on_all_cores(_page_by_libtesseract, asked)


def _page_by_libtesseract(image: Any, dpi: int) -> str:
    from clerk.read import tesseract

    api = tesseract.engine(("eng",))
    api.SetImageBytes(image.pixels, image.width, image.height, 1, image.width)
    api.SetSourceResolution(dpi)
    api.Recognize()
    return str(api.GetUTF8Text())


def by_bare_pdfium(asked: Asked) -> Outcome:
    """Extract text layers with pypdfium2 and throw them away: the limit for born-digital pages."""
    paths = sorted(map(str, Path(asked.source).rglob("*.pdf")))
    with ProcessPoolExecutor(CORES, get_context("spawn")) as pool:
        jobs = [pool.submit(_extract_bare, paths[core::CORES]) for core in range(CORES)]
        return Outcome(limit_seconds=sum(job.result() for job in jobs) / CORES)


def _extract_bare(paths: list[str]) -> float:
    import pypdfium2

    started = time.perf_counter()
    for path in paths:
        with pypdfium2.PdfDocument(path) as document:
            for page in document:
                textpage = page.get_textpage()
                textpage.get_text_range()
                textpage.close()
                page.close()
    return time.perf_counter() - started


# ----------------------------------------------------------------------------------- clerk


def by_engine(asked: Asked) -> Outcome:
    """Let the engine tesseract-onnx read pictures in memory, one process per core."""
    return _on_all_cores(partial(_page_by_engine, asked.folder), asked)


def _page_by_engine(folder: str, image: Any, dpi: int) -> str:
    from clerk.read.recognition import recognise

    return str(recognise(_engine(Path(folder).parent), image, ["eng"], dpi).text)


@cache
def _engine(kept_in: Path) -> Any:
    from clerk.read.tesseract import Tesseract
    from clerk.read.tesseract_onnx import TesseractOnnx

    return TesseractOnnx(Tesseract(), lambda: kept_in)


def by_clerk(asked: Asked) -> Outcome:
    """Let ``clerk run`` take a folder of documents to text on disk."""
    _clerk(asked, "run", _SITE, "--stage", "ocr")
    return Outcome()


def _add_site(asked: Asked) -> None:
    _clerk(asked, "site", "add", _SITE, "--from", asked.source)


def _clerk(asked: Asked, *arguments: str) -> None:
    kept = bytecode(Path(asked.folder).parent / "bytecode")
    order = [sys.executable, "-m", "clerk", *arguments]
    subprocess.run(order, check=True, capture_output=True, env=os.environ | kept)


def _texts_of_site(asked: Asked) -> list[str]:
    pages = Path(asked.folder, _SITE, "txt").glob("*/*/page-*.txt")
    in_order = sorted(pages, key=lambda path: (path.parent.name, int(path.stem[5:])))
    return [path.read_text() for path in in_order]


# ---------------------------------------------------------------------------------- common


def _numbers(asked: Asked) -> range:
    return range(1, asked.pages + 1)


def _on_all_cores(read: Callable[[Any, int], str], asked: Asked) -> Outcome:
    """Read page by page with one process per core, each taking the next page when it is free."""
    with ProcessPoolExecutor(CORES, get_context("spawn"), _load, (read,)) as pool:
        pages = list(pool.map(partial(_read_page, read, asked.source), _numbers(asked)))
    texts, seconds, cpu_seconds = zip(*pages, strict=True)
    return Outcome(
        list(texts), limit_seconds=sum(seconds) / CORES, recognition_seconds=sum(cpu_seconds)
    )


def _load(read: Callable[[Any, int], str]) -> None:
    """Read a word: an engine is loaded when it is first used."""
    from PIL import Image, ImageDraw, ImageFont

    from clerk.read.ocr import GreyImage

    picture = Image.new("L", (600, 200), 255)
    ImageDraw.Draw(picture).text((100, 80), "Adjourned", 0, ImageFont.load_default(size=40))
    read(GreyImage(*picture.size, picture.tobytes()), DPI)


def _read_page(read: Callable[[Any, int], str], path: str, number: int) -> tuple[str, float, float]:
    """Return the text of a page, and the seconds and the processor time of its recognition."""
    with _document(path).page(number) as page:
        picture = page.render(DPI, megapixels=40)
    started, cpu_started = time.perf_counter(), time.process_time()
    text = read(*picture)
    return text, time.perf_counter() - started, time.process_time() - cpu_started


_OPEN = contextlib.ExitStack()


@cache
def _document(path: str) -> Any:
    """Open a PDF for as long as the process lives."""
    from clerk.read import pdf

    return _OPEN.enter_context(pdf.opened(Path(path)))


_WAYS = {
    "programs": by_programs,
    "ocrmypdf": by_ocrmypdf,
    "libtesseract": by_libtesseract,
    "pypdfium2": by_bare_pdfium,
    "tesseract-onnx": by_engine,
    "clerk": by_clerk,
}


if __name__ == "__main__":
    print(json.dumps(asdict(_perform(Asked(**json.loads(sys.argv[1]))))))
