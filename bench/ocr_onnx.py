"""Compare the OCR engines in one run: libtesseract in process against tesseract-onnx.

Both read every page in turn, each in a process of its own, so that load on the machine hits both
alike.  Pages: real scans with their truth (CLERK_SHARED_DATA or --data) and synthetic scans.

    python -m bench.ocr_onnx --pages 8
    python -m bench.ocr_onnx --data FOLDER --json
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy
from rapidfuzz.distance import Levenshtein

from bench._synthetic_scans import Scan, scans

ENGINES = ("tesseract", "tesseract-onnx")
REAL_DPI = 200
#: Marks that mean the same are not told apart.
_ALIKE = str.maketrans("–—“”’‘\ufffe", "--\"\"''-")


@dataclass
class Figures:
    """What one engine did with one set of pages."""

    pages: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    wrong_characters: int = 0
    characters: int = 0
    words_found: int = 0
    words: int = 0
    rates: list[float] = field(default_factory=list)

    def add(self, answer: dict[str, float | str], truth: str) -> None:
        read, true = _plain(str(answer["text"])), _plain(truth)
        wrong = Levenshtein.distance(read, true)
        found, wanted = Counter(read.split()), Counter(true.split())
        self.pages += 1
        self.seconds += float(answer["seconds"])
        self.cpu_seconds += float(answer["cpu_seconds"])
        self.wrong_characters += wrong
        self.characters += len(true)
        self.words_found += 2 * (found & wanted).total()
        self.words += found.total() + wanted.total()
        self.rates.append(100 * wrong / max(1, len(true)))

    def row(self) -> dict[str, float]:
        return {
            "pages": self.pages,
            "pages/s": self.pages / self.seconds,
            "CPU s/page": self.cpu_seconds / self.pages,
            "CER %": 100 * self.wrong_characters / max(1, self.characters),
            "median CER %": float(numpy.median(self.rates)),
            "word F1 %": 100 * self.words_found / max(1, self.words),
        }


def _plain(text: str) -> str:
    return " ".join(text.translate(_ALIKE).split())


class Child:
    """An engine in a process of its own that reads pages from files."""

    def __init__(self, engine: str, kept_in: Path) -> None:
        started = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.ocr_onnx", "--child", engine, "--kept-in", str(kept_in)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.ask("")
        self.start_up_seconds = time.perf_counter() - started

    def ask(self, line: str) -> dict[str, float | str]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer: dict[str, float | str] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> float:
        """End the process and return the most memory it took, in MB."""
        megabytes = float(self.ask("memory")["megabytes"])
        self._process.communicate()
        return megabytes


def serve(engine: str, kept_in: Path) -> None:
    """Read the pages named on stdin: what a child does."""
    from clerk.work.ocr import GreyImage
    from clerk.work.ocr_onnx.engine import TesseractOnnx
    from clerk.work.tesseract import Tesseract

    backend = TesseractOnnx(kept_in) if engine == "tesseract-onnx" else Tesseract()
    backend.recognise(GreyImage(60, 40, bytes(range(60)) * 40), ["eng"], REAL_DPI)
    for line in sys.stdin:
        path, _, dpi = line.strip().partition("\t")
        answer: dict[str, float | str] = {}
        if path == "memory":
            answer = {"megabytes": _most_memory()}
        elif path:
            pixels = numpy.load(path)
            image = GreyImage(pixels.shape[1], pixels.shape[0], pixels.tobytes())
            wall, cpu = time.perf_counter(), time.process_time()
            text = backend.recognise(image, ["eng"], int(dpi)).text
            seconds, cpu_seconds = time.perf_counter() - wall, time.process_time() - cpu
            answer = {"text": text, "seconds": seconds, "cpu_seconds": cpu_seconds}
        print(json.dumps(answer), flush=True)


def _most_memory() -> float:
    """Return the most memory this process held; getrusage would count its parent's too."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def real_scans(data: Path, pages: int) -> Iterator[Scan]:
    """Yield the real scanned pages with their truth."""
    import pypdfium2

    with pypdfium2.PdfDocument(data / "ocr_truth" / "scans.pdf") as document:
        for number in range(min(pages, len(document))):
            page = document[number].render(scale=REAL_DPI / 72, grayscale=True).to_pil()
            truth = (data / "ocr_truth" / "truth" / f"{number + 1}.txt").read_text()
            yield Scan("real scans", numpy.asarray(page.convert("L")), REAL_DPI, truth)


def compare(pages: Iterable[Scan], folder: Path) -> dict[str, object]:
    """Let every engine read every page, in turn; return the figures of each."""
    cold = Child("tesseract-onnx", folder / "networks")
    cold_seconds = cold.start_up_seconds
    cold.close()
    children = {engine: Child(engine, folder / "networks") for engine in ENGINES}
    figures: dict[tuple[str, str], Figures] = {}
    for scan in pages:
        numpy.save(folder / "page.npy", scan.pixels)
        for engine, child in children.items():
            answer = child.ask(f"{folder / 'page.npy'}\t{scan.dpi}")
            figures.setdefault((scan.name, engine), Figures()).add(answer, scan.truth)
    return {
        "pages": {f"{kind} | {engine}": each.row() for (kind, engine), each in figures.items()},
        "against libtesseract": _ratios(figures),
        "start-up s": {engine: child.start_up_seconds for engine, child in children.items()},
        "first start-up s": cold_seconds,
        "memory MB": {engine: child.close() for engine, child in children.items()},
    }


def _ratios(figures: dict[tuple[str, str], Figures]) -> dict[str, dict[str, float]]:
    """Say how the second engine compares with the first, by kind of page."""
    ratios = {}
    for kind in dict.fromkeys(kind for kind, _ in figures):
        theirs, ours = (figures[kind, engine] for engine in ENGINES)
        worst = max(b - a for a, b in zip(theirs.rates, ours.rates, strict=True))
        ratios[kind] = {
            "times as fast": theirs.seconds / ours.seconds,
            "times as fast, CPU": theirs.cpu_seconds / ours.cpu_seconds,
            "CER ratio": ours.wrong_characters / max(1, theirs.wrong_characters),
            "F1 points": ours.row()["word F1 %"] - theirs.row()["word F1 %"],
            "worst page, points": worst,
        }
    return ratios


def show(result: dict[str, object]) -> None:
    """Print the figures as tables."""
    for title, table in result.items():
        print(f"\n{title}")
        if not isinstance(table, dict):
            print(f"  {table:.2f}")
            continue
        for name, row in table.items():
            values = row.items() if isinstance(row, dict) else [("", row)]
            print(f"  {name:38}", "  ".join(f"{label} {value:.2f}" for label, value in values))


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--data", type=Path, default=os.environ.get("CLERK_SHARED_DATA"))
    parser.add_argument("--pages", type=int, default=8, help="of each kind of synthetic scan")
    parser.add_argument("--real-pages", type=int, default=1000, help="at most, of the real scans")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--kept-in", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return serve(options.child, options.kept_in)
    pages = scans(options.pages)
    if options.data:
        pages = chain(real_scans(Path(options.data), options.real_pages), pages)
    else:
        print("No real scans: set CLERK_SHARED_DATA or --data.", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        result = compare(pages, Path(folder))
    print(json.dumps(result, indent=1)) if options.json else show(result)
    return None


if __name__ == "__main__":
    main()
