"""The sample documents are what they say they are."""

from __future__ import annotations

import subprocess
import sys

import pypdfium2
import pytest

from clerk.samples import (
    FAILED,
    READ,
    SCAN_ONLY_PHRASE,
    TEXT_LAYER_ONLY_PHRASE,
    Sample,
    write_samples,
)
from tools.make_samples import make_samples
from tools.pdf_writer import PdfWriter, Text
from tools.rendering import render_page, text_width
from tools.typesetting import Style, set_pages

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> list[Sample]:
    return write_samples(tmp_path_factory.mktemp("samples"))


def words(text: str) -> list[str]:
    return text.split()


def layers(sample: Sample) -> list[str]:
    """The text layer of each page."""
    with pypdfium2.PdfDocument(sample.path) as document:
        return [page.get_textpage().get_text_range() for page in document]


def test_there_are_minutes_and_agendas_of_three_bodies_over_two_years(samples):
    assert {sample.meeting for sample in samples} == {
        "Town Council",
        "Planning Board",
        "School Committee",
    }
    assert {sample.kind for sample in samples} == {"minutes", "agendas"}
    assert {sample.date[:4] for sample in samples} == {"2023", "2024"}
    assert len({(s.kind, s.meeting, s.date) for s in samples}) == len(samples) >= 14
    assert 25 <= sum(len(sample.pages) for sample in samples) <= 35


def test_together_they_are_small(samples):
    assert sum(sample.path.stat().st_size for sample in samples) < 1.5 * MEGABYTE


def test_the_shipped_samples_are_what_the_script_makes(samples, tmp_path):
    made = make_samples(tmp_path)

    assert [each["pages"] for each in made] == [list(sample.pages) for sample in samples]
    for each, sample in zip(made, samples, strict=True):
        assert each["outcome"] == sample.outcome
        if not sample.scanned:  # how an image is compressed depends on the library's version
            assert (tmp_path / each["file"]).read_bytes() == sample.path.read_bytes()


def test_digital_pages_carry_their_true_text(samples):
    for sample in readable(samples):
        for number, (layer, truth) in enumerate(zip(layers(sample), sample.pages, strict=True), 1):
            if number not in sample.scanned:
                assert words(layer) == words(truth), f"{sample.path.name}, page {number}"


def test_scanned_pages_are_images_and_have_no_text_unless_they_say_so(samples):
    scans = [sample for sample in readable(samples) if sample.scanned]
    assert len(scans) >= 5
    for sample in scans:
        found = layers(sample)
        for number in sample.scanned:
            truth = sample.pages[number - 1] if "text layer" in sample.made else ""
            assert words(found[number - 1]) == words(truth)


def test_scans_are_dark_writing_on_light_paper(samples):
    for sample in readable(samples):
        for number in sample.scanned:
            image = render_page(sample.path.read_bytes(), number - 1, dpi=50)
            levels = image.histogram()
            assert sum(levels[180:]) > 0.8 * sum(levels), f"{sample.path.name}, page {number}"
            assert sum(levels[:128]) > 0


def test_one_document_mixes_scanned_and_digital_pages(samples):
    assert any(0 < len(sample.scanned) < len(sample.pages) for sample in samples)


def test_one_phrase_is_only_in_a_scan_and_one_only_in_a_text_layer(samples):
    [(scan, page)] = places(samples, SCAN_ONLY_PHRASE)
    assert page in scan.scanned
    assert not any(SCAN_ONLY_PHRASE in text for text in layers(scan))

    [(digital, page)] = places(samples, TEXT_LAYER_ONLY_PHRASE)
    assert page not in digital.scanned


def test_one_document_is_damaged_and_cannot_be_opened(samples):
    [damaged] = [sample for sample in samples if sample.outcome == FAILED]

    assert damaged.path.read_bytes().startswith(b"%PDF-")
    with pytest.raises(pypdfium2.PdfiumError):
        pypdfium2.PdfDocument(damaged.path)


def test_the_samples_can_be_written_from_the_command_line(tmp_path):
    command = [sys.executable, "-m", "clerk.samples", str(tmp_path / "town")]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert len(done.stdout.splitlines()) == len(list((tmp_path / "town").rglob("*.pdf")))


def test_the_command_line_wants_one_folder():
    done = subprocess.run([sys.executable, "-m", "clerk.samples"], capture_output=True, text=True)

    assert done.returncode == 2
    assert "FOLDER" in done.stderr


def test_a_long_paragraph_is_wrapped_inside_the_margins():
    style = Style()

    [page] = set_pages("All work and no play makes Jack a dull boy. " * 20, style)

    body = [line[0] for line in page.lines[:-1]]
    assert len(body) > 5
    assert all(
        run.x + text_width(run.words, run.font, run.size) <= 612 - style.margin for run in body
    )


def test_an_empty_last_cell_of_a_table_is_left_out():
    [page] = set_pages("<table 0 50>\n| Gregory Mensah |", Style(footer=""))

    assert page.text == "Gregory Mensah"


def test_brackets_and_accents_survive_the_writer():
    writer = PdfWriter("title (with brackets)")
    writer.add_page([Text(72, 700, "Helvetica", 12, "café (a\\b) – 5 ’quoted’")])

    with pypdfium2.PdfDocument(writer.getvalue()) as document:
        assert document[0].get_textpage().get_text_range() == "café (a\\b) – 5 ’quoted’"
        assert document.get_metadata_value("Title") == "title (with brackets)"


def readable(samples: list[Sample]) -> list[Sample]:
    return [sample for sample in samples if sample.outcome == READ]


def places(samples: list[Sample], phrase: str) -> list[tuple[Sample, int]]:
    """Where a phrase stands: document and page, whatever its line breaks and case."""
    return [
        (sample, number)
        for sample in samples
        for number, text in enumerate(sample.pages, 1)
        if phrase.lower() in " ".join(text.split()).lower()
    ]
