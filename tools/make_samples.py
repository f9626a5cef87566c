"""Make the sample documents that clerk ships: ``python -m tools.make_samples``.

Writes minutes and agendas of an invented town, and ``samples.json`` with the truth about them, into
``src/clerk/samples``.  The same versions of the libraries write the same bytes each time.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from clerk.samples import FAILED, READ
from tools.pdf_writer import PdfWriter
from tools.sample_town import PLANS, Plan
from tools.typesetting import set_pages

TARGET = Path(__file__).parents[1] / "src" / "clerk" / "samples"


def make_samples(folder: Path) -> list[dict[str, Any]]:
    """Write all sample documents and ``samples.json`` into a folder; return what was written."""
    samples = [_make(plan, folder, seed) for seed, plan in enumerate(PLANS)]
    truth = json.dumps(samples, indent=1, ensure_ascii=False)
    (folder / "samples.json").write_text(f"{truth}\n", "utf-8")
    return samples


def _make(plan: Plan, folder: Path, seed: int) -> dict[str, Any]:
    title = f"{plan.meeting} {plan.kind} {plan.date}"
    pages = set_pages(plan.source, plan.style)
    printer = PdfWriter(title)
    for page in pages:
        printer.add_page(page.marks)
    pdf = printer.getvalue()
    if plan.scanner is not None:
        writer = PdfWriter(title)
        for number, page in enumerate(pages, 1):
            if plan.is_scanned(number):
                image = plan.scanner.scan(pdf, number - 1, seed)
                writer.add_page(page.marks if plan.text_layer else (), image, invisible=True)
            else:
                writer.add_page(page.marks)
        pdf = writer.getvalue()
    path = folder / plan.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pdf[: int(len(pdf) * plan.kept)])
    return {
        "file": plan.path,
        "kind": plan.kind,
        "meeting": plan.meeting,
        "date": plan.date,
        "made": plan.made,
        "pages": [page.text for page in pages],
        "scanned": [number for number in range(1, len(pages) + 1) if plan.is_scanned(number)],
        "outcome": FAILED if plan.kept < 1 else READ,
    }


if __name__ == "__main__":
    for sample in make_samples(TARGET):
        sys.stdout.write(f"{sample['file']}  (pages: {len(sample['pages'])}; {sample['made']})\n")
