"""``clerk read`` as a person or a script sees it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from small_pdfs import LINES, picture_of, printed, scanned, text_at, written

from tools.pdf_writer import PdfWriter, encode_jpeg


def clerk_read(*arguments) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from clerk.cli import main; main()", "read"]
    return subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def two_pages(tmp_path):
    return written(tmp_path / "two.pdf", printed(LINES, ["Second page of the minutes"]))


def test_text_goes_to_stdout_and_how_it_was_read_to_stderr(two_pages):
    done = clerk_read(two_pages)

    assert done.returncode == 0
    first, second = done.stdout.split("\f")
    assert first.splitlines() == list(LINES)
    assert second == "Second page of the minutes\n"
    assert done.stderr.splitlines() == [
        "page 1: text layer, confidence 0.990",
        "page 2: text layer, confidence 0.990",
    ]


def test_json_has_everything_and_nothing_else_is_printed(tmp_path):
    path = written(tmp_path / "scan.pdf", scanned(picture_of(LINES)))

    done = clerk_read("--json", path)
    whole = json.loads(done.stdout)

    assert (whole["file"], whole["page_count"]) == (str(path), 1)
    [page] = whole["pages"]
    assert page["method"] == "ocr"
    assert page["confidence"] > 0.9
    assert page["words"] == page["text"].split()
    assert len(page["boxes"]) == 4 * len(page["words"]) == 4 * len(page["word_confidence"])
    assert "OCR by tesseract" in done.stderr


def test_pages_and_ocr_can_be_chosen(two_pages):
    done = clerk_read("--pages", "2", "--ocr", "always", "--language", "eng", two_pages)

    assert done.stdout == "Second page of the minutes\n"
    assert "page 2: OCR by tesseract" in done.stderr


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"GIF89a", "is not a PDF"),
        (printed(LINES)[:-300], "is truncated"),
    ],
    ids=["empty", "not a PDF", "truncated"],
)
def test_a_bad_file_is_one_line_by_name(tmp_path, content, says):
    path = written(tmp_path / "bad.pdf", content)

    done = clerk_read(path)

    assert (done.returncode, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert line.startswith(f"Error: {path}")
    assert says in line


def test_pages_that_fail_do_not_hide_the_others(tmp_path):
    writer = PdfWriter()
    writer.add_page(image=encode_jpeg(picture_of(LINES, 100), 80))
    writer.add_page(text_at(LINES))
    whole = writer.getvalue()
    start = whole.index(b"\xff\xd8")
    path = written(tmp_path / "half.pdf", whole[:start] + bytes(300) + whole[start + 300 :])

    done = clerk_read(path)

    assert done.returncode == 1
    assert LINES[-1] in done.stdout
    assert "page 1: failed" in done.stderr
    assert "1 of 2 pages could not be read (1)" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["--ocr-backend", "sharp-eyes"], 3, "Installed engines:"),
        (["--language", "tlh"], 3, "TESSDATA_DIR"),
        (["--pages", "one"], 2, "1-3"),
        (["--pages", "7"], 2, "pages 1 to 2"),
    ],
)
def test_what_cannot_be_done_is_refused_with_what_to_do(two_pages, arguments, status, says):
    done = clerk_read(*arguments, two_pages)

    assert done.returncode == status
    assert says in done.stderr
