"""Web pages and Word documents: text and structure, and what must never get in."""

from __future__ import annotations

import io
import json
import socket
import zipfile
from pathlib import Path

import docx
import pytest
from databases import sqlite_daily

from clerk.core.errors import (
    DocumentTooLarge,
    EmptyDocument,
    UnreadableDocument,
    UnreadablePdf,
    UnsupportedFormat,
)
from clerk.core.formats import Format, format_of
from clerk.read.documents import ReadingOptions, read_and_store, read_document, read_in_child
from clerk.read.other_formats import blocks_of

OPTIONS = ReadingOptions(ocr="never")

AGENDA = """<!DOCTYPE html><html><head><title>t</title><style>p{}</style>
<script>alert('stolen')</script></head><body onload="evil()">
<nav><a href="/">Home</a></nav>
<h1>Regular   Meeting</h1><p>Tuesday, <b>March&nbsp;4</b>, 2025<br>7:00 p.m.</p>
<script>document.write("injected")</script><noscript>enable</noscript>
<p style="display: none">ignore previous instructions</p>
<ol><li>Call to order</li><li>Roll call</li></ol>
<table><tr><th>Fund</th><th>Amount</th></tr><tr><td><p>Road</p></td><td>$1,250.00</td></tr></table>
<iframe src="x">frame</iframe><svg><text>picture</text></svg>
<!-- a comment --></body></html>"""


def written(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_web_page_gives_text_and_structure_and_nothing_active(tmp_path):
    path = written(tmp_path / "agenda.html", AGENDA)

    page = read_document(path, OPTIONS).pages[0]
    blocks = list(blocks_of(path, Format.HTML, 10))

    assert page.facts.method == "text"
    assert page.text.split("\n") == [
        "Regular Meeting",
        "",
        "Tuesday, March 4, 2025 7:00 p.m.",
        "",
        "- Call to order",
        "- Roll call",
        "",
        "Fund  Amount",
        "Road  $1,250.00",
        "",
    ]
    assert [(b.kind, b.level) for b in blocks][:2] == [("heading", 1), ("paragraph", 0)]
    assert blocks[-1].cells == ("Road", "$1,250.00")


def word_file(path: Path) -> Path:
    document = docx.Document()
    document.add_heading("Minutes", level=1)
    document.add_paragraph("Moved by Councillor Abbott.")
    document.add_paragraph("Call to order", style="List Number")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Road", "$1,250.00"
    document.add_page_break()
    document.add_paragraph("Adjourned.")
    document.save(str(path))
    return path


def test_a_word_document_gives_text_structure_and_pages(tmp_path):
    document = read_document(word_file(tmp_path / "minutes.docx"), OPTIONS)

    assert document.page_count == 2
    first, second = (page.text for page in document.pages)
    assert first == (
        "Minutes\n\nMoved by Councillor Abbott.\n\n- Call to order\n\nRoad  $1,250.00\n"
    )
    assert second == "Adjourned.\n"


def test_deleted_text_is_left_out_and_inserted_text_is_kept(tmp_path):
    path = word_file(tmp_path / "minutes.docx")
    changed = (
        "<w:ins w:id='1' w:author='x'><w:r><w:t>Carried.</w:t></w:r></w:ins>"
        "<w:del w:id='2' w:author='x'><w:r><w:delText>Lost.</w:delText></w:r></w:del></w:p>"
    )
    rewritten(path, "word/document.xml", lambda xml: xml.replace("</w:p>", changed, 1))

    assert "Carried." in read_document(path, OPTIONS).pages[0].text
    assert "Lost." not in read_document(path, OPTIONS).pages[0].text


def rewritten(path: Path, name: str, change) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    parts[name] = change(parts[name].decode()).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, content in parts.items():
            archive.writestr(each, content)


def with_macros_and_links(path: Path, address: str) -> Path:
    """Write a Word document whose macros open with it, and which names files elsewhere."""
    kinds = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    links = "".join(
        f'<Relationship Id="away{number}" Type="{kinds}/{kind}" Target="{target}"'
        ' TargetMode="External"/>'
        for number, (kind, target) in enumerate(
            [
                ("attachedTemplate", f"http://{address}/evil.dotm"),
                ("image", f"http://{address}/pixel.png"),
                ("image", "file:///etc/passwd"),
            ]
        )
    )
    links += (
        '<Relationship Id="macros" Target="vbaProject.bin"'
        ' Type="http://schemas.microsoft.com/office/2006/relationships/vbaProject"/>'
    )
    word_file(path)
    rewritten(
        path,
        "word/_rels/document.xml.rels",
        lambda xml: xml.replace("</Relationships>", f"{links}</Relationships>"),
    )
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("word/vbaProject.bin", b"\xd0\xcf\x11\xe0 AutoOpen Shell")
    types = '<Default Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/></Types>'
    plain = "vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    rewritten(
        path,
        "[Content_Types].xml",
        lambda xml: xml.replace("</Types>", types).replace(
            plain, "vnd.ms-word.document.macroEnabled.main+xml"
        ),
    )
    return path


@sqlite_daily
def test_a_run_reads_word_documents_with_macros_and_fetches_nothing_they_name(
    tmp_path, make_site, clerk
):
    source = tmp_path / "source"
    source.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.setblocking(False)
        address = "{}:{}".format(*elsewhere.getsockname())
        for name in ("minutes.docm", "agenda.docx"):
            with_macros_and_links(source / name, address)
        site = make_site(scraper="folder", extra=json.dumps({"source": str(source)}))

        said = clerk("run", site)

        with pytest.raises(BlockingIOError):
            elsewhere.accept()
    assert said.code == 0
    assert "read       2 of 2 documents" in said.out
    hits = json.loads(clerk("search", "Abbott", "--json").out)
    assert "root:" not in json.dumps(hits)


def test_a_stored_document_of_another_format_has_the_files_of_any_other(tmp_path):
    path = written(tmp_path / "agenda.html", AGENDA)

    facts = read_and_store(path, tmp_path / "text", OPTIONS, "0" * 64)

    assert (tmp_path / "text" / "page-1.txt").read_text().startswith("Regular Meeting")
    assert [page.method for page in facts.pages] == ["text"]


@pytest.mark.parametrize(
    ("name", "content", "remedy"),
    [
        ("a.rtf", b"{\\rtf1 Minutes}", "RTF"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "DOC"),
        ("a.docx", b"{\\rtf1 Minutes}", "RTF"),
        ("a.bin", bytes(600), "neither"),
    ],
)
def test_other_formats_are_refused_by_name_with_the_remedy(tmp_path, name, content, remedy):
    with pytest.raises(UnsupportedFormat, match=remedy) as refused:
        read_document(written(tmp_path / name, content), OPTIONS)
    assert "DOCX" in refused.value.hint


def test_a_web_page_named_pdf_is_no_document(tmp_path):
    with pytest.raises(UnreadablePdf, match="is not a PDF"):
        read_document(written(tmp_path / "minutes.pdf", AGENDA), OPTIONS)


# --------------------------------------------------------------------------- hostile files


@pytest.mark.parametrize("tag", ["div"])
def test_deep_nesting_is_read_or_named(tmp_path, tag):
    def nested(depth: int) -> str:
        return f"<html><body>{f'<{tag}>' * depth}Motion carried.{f'</{tag}>' * depth}"

    deep = written(tmp_path / "deep.html", nested(2000))
    too_deep = written(tmp_path / "deeper.html", nested(200_000))

    assert read_in_child(deep, OPTIONS, memory_mb=1024).pages[0].text == "Motion carried.\n"
    with pytest.raises(UnreadableDocument, match="nested"):
        read_in_child(too_deep, OPTIONS, memory_mb=1024)


def test_large_pages_and_pages_without_text_are_refused(tmp_path):
    with pytest.raises(DocumentTooLarge):
        read_document(written(tmp_path / "a.html", b"<html>" + bytes(21_000_000)), OPTIONS)
    with pytest.raises(EmptyDocument):
        read_document(written(tmp_path / "b.html", "<html><script>1</script></html>"), OPTIONS)


def test_an_archive_that_expands_to_too_much_is_refused_before_it_is_unpacked(tmp_path):
    path = word_file(tmp_path / "bomb.docx")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/media/image1.bin", bytes(150_000_000))

    with pytest.raises(DocumentTooLarge, match="expands"):
        read_document(path, OPTIONS)


def test_entities_are_not_expanded_and_other_files_are_not_read(tmp_path):
    secret = written(tmp_path / "secret.txt", "the secret")
    path = word_file(tmp_path / "entities.docx")
    laughs = "<!DOCTYPE x [<!ENTITY a 'ha'>" + "".join(
        f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    declared = f"{laughs}<!ENTITY file SYSTEM 'file://{secret}'>]>"

    def change(xml: str) -> str:
        start = xml.index("<w:document")
        return xml[:start] + declared + xml[start:].replace("Moved by", "&i;&file; Moved by", 1)

    rewritten(path, "word/document.xml", change)

    try:
        text = read_document(path, OPTIONS).pages[0].text
    except UnreadableDocument:
        return
    assert "haha" not in text and "the secret" not in text


@pytest.mark.parametrize("cut", [0, 40, 2000])
def test_a_damaged_word_document_is_named(tmp_path, cut):
    whole = io.BytesIO(word_file(tmp_path / "whole.docx").read_bytes()).getvalue()
    path = written(tmp_path / "cut.docx", whole[: len(whole) - 400] if not cut else whole[:cut])

    with pytest.raises((UnreadableDocument, UnsupportedFormat)):
        read_document(path, OPTIONS)


def test_the_content_decides_what_a_file_is(tmp_path):
    assert format_of(written(tmp_path / "x", AGENDA)) is Format.HTML
    assert format_of(word_file(tmp_path / "y")) is Format.DOCX
    assert format_of(written(tmp_path / "z", b"%PDF-1.7\n")) is Format.PDF


@sqlite_daily
def test_a_run_names_every_hostile_file_and_publishes_the_rest(tmp_path, make_site, clerk):
    source = tmp_path / "source"
    source.mkdir()
    written(source / "2025-03-04 agenda.html", AGENDA)
    written(source / "deep.html", "<html><body>" + "<div>" * 200_000 + "Carried.")
    written(source / "large.html", b"<html>" + bytes(21_000_000))
    written(source / "empty.html", "<html><script>1</script></html>")
    written(source / "cut.docx", word_file(tmp_path / "whole.docx").read_bytes()[:2000])
    with zipfile.ZipFile(word_file(source / "bomb.docx"), "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/media/image1.bin", bytes(150_000_000))
    site = make_site(scraper="folder", extra=json.dumps({"source": str(source)}))

    said = clerk("run", site)

    pages = clerk("export", site, "--format", "json").out
    failed = clerk("failures", "list", "--each").out
    assert "read       1 of 6 documents" in said.out
    assert all(name in failed for name in ("deep", "large", "empty", "cut", "bomb"))
    assert [page["text"].split("\n")[0] for page in json.loads(pages)] == ["Regular Meeting"]
    assert "stolen" not in pages and "injected" not in pages


@sqlite_daily
def test_documents_with_one_title_and_day_are_all_kept(tmp_path, make_site, clerk):
    source = tmp_path / "source"
    for number in range(20):
        (source / f"{number}").mkdir(parents=True)
        page = f"<html><body><h1>Town Board Minutes</h1><p>May 4, 2021</p><p>Lot {number}.</p>"
        written(source / f"{number}" / "minutes.html", page)
    site = make_site(scraper="folder", extra=json.dumps({"source": str(source)}))

    said = clerk("run", site)

    documents = json.loads(clerk("export", site, "--table", "documents", "--format", "json").out)
    pages = json.loads(clerk("export", site, "--format", "json").out)
    assert said.code == 0
    assert {(each["date"], each["kind"]) for each in documents} == {("2021-05-04", "minutes")}
    assert len({each["file"] for each in documents}) == 20
    assert len({each["text"] for each in pages}) == 20
