"""The outline of a PDF is kept with its pages: it tells where the parts of a packet begin."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from clerk.cli.read import read
from clerk.read.documents import ReadingOptions, read_pdf

PDF = """%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R /Outlines 5 0 R>> endobj
2 0 obj <</Type /Pages /Kids [3 0 R 4 0 R] /Count 2>> endobj
3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 9 0 R
  /Resources <</Font <</F 8 0 R>>>>>> endobj
4 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 9 0 R
  /Resources <</Font <</F 8 0 R>>>>>> endobj
5 0 obj <</Type /Outlines /First 6 0 R /Last 7 0 R /Count 2>> endobj
6 0 obj <</Title (Agenda) /Parent 5 0 R /Next 7 0 R /Dest [3 0 R /Fit]>> endobj
7 0 obj <</Title (Minutes of\\nJanuary) /Parent 5 0 R /Prev 6 0 R /Next 6 0 R
  /Dest [4 0 R /Fit]>> endobj
8 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj
9 0 obj <</Length 55>> stream
BT /F 12 Tf 72 700 Td (The council met at seven) Tj ET
endstream endobj
trailer <</Root 1 0 R /Size 10>>
%%EOF
"""


def test_entries_of_the_outline_are_kept_with_their_pages(tmp_path: Path) -> None:
    path = tmp_path / "packet.pdf"
    path.write_text(PDF)
    document = read_pdf(path, ReadingOptions(ocr="never"))
    assert [
        [(mark.title, mark.level) for mark in page.facts.bookmarks] for page in document.pages
    ] == [[("Agenda", 0)], [("Minutes of January", 0)]]


def test_the_command_prints_them_as_json(tmp_path: Path) -> None:
    path = tmp_path / "packet.pdf"
    path.write_text(PDF)

    done = CliRunner().invoke(read, ["--json", "--ocr", "never", str(path)])

    assert done.exit_code == 0, done.output
    pages = json.loads(done.stdout)["pages"]
    assert [mark["title"] for page in pages for mark in page["bookmarks"]] == [
        "Agenda",
        "Minutes of January",
    ]
