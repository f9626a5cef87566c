"""What a file is, by its content and not by its name.

Documents are PDF, HTML or DOCX files.  Others are told apart so that they can be refused by name.
"""

from __future__ import annotations

import re
import zipfile
from enum import Enum
from pathlib import Path

from .errors import UnreadableDocument, UnsupportedFormat

_SNIFFED_BYTES = 2048
_LOOKS_LIKE_HTML = re.compile(
    rb"<!doctype\s+html|<(?:html|head|body|div|table|title|h[1-6]|p|span|section|main)[\s>]", re.I
)
_CHARSET = re.compile(rb"""charset\s*=\s*["']?([\w.:-]{2,40})""", re.I)


class Format(Enum):
    """What a file is, by its content."""

    PDF = "PDF"
    HTML = "HTML"
    DOCX = "DOCX"
    RTF = "RTF"
    DOC = "DOC"
    UNKNOWN = "unknown"


#: What the names of documents end in, by what they are.
SUFFIXES = {Format.PDF: "", Format.HTML: ".html", Format.DOCX: ".docx"}

#: What is no text of a page, and differs each time it is requested.
_NO_TEXT = re.compile(rb"<(?:(script|style|head)\b|!--)")
_TAG = re.compile(rb"<[^<>]*>")
#: A longer page is compared as it is.
_COMPARED_BYTES = 2_000_000
_MEETING_WORDS = re.compile(rb"(?i)\b(?:agendas?|minutes|call to order|roll call)\b")
_TITLE = re.compile(rb"(?i)<title[^<>]*>([^<]*)")
_NO_DOCUMENT = re.compile(
    rb"(?i)sign in|log ?in|not found|unavailable|error|denied|forbidden|moment"
)
#: A page with less text than this says that there is no document.
_LEAST_LETTERS = 300


def words_of_page(content: bytes) -> bytes:
    """Return the visible words of a web page, roughly: to compare pages, not to be read."""
    if len(content) > _COMPARED_BYTES:
        return content
    lowered, shown, at = content.lower(), list[bytes](), 0
    for found in _NO_TEXT.finditer(lowered):
        if found.start() < at:
            continue
        shown.append(content[at : found.start()])
        end = lowered.find(b"</" + found[1] if found[1] else b"-->", found.end())
        at = len(content) if end < 0 else end
        if end < 0:
            break
    shown.append(content[at:])
    return b" ".join(_TAG.sub(b" ", b" ".join(shown)).split())


def is_meeting_page(content: bytes) -> bool:
    """Whether a web page reads like an agenda or minutes, and not like a message about them."""
    title = _TITLE.search(content[:_COMPARED_BYTES])
    if title and _NO_DOCUMENT.search(title[1]):
        return False
    words = words_of_page(content[:_COMPARED_BYTES])
    return len(words) >= _LEAST_LETTERS and bool(_MEETING_WORDS.search(words))


def refusal(found: Format) -> UnsupportedFormat:
    """Return the error for a file that is no document, with the remedy."""
    if found in (Format.RTF, Format.DOC):
        article = "an" if found is Format.RTF else "a"
        return UnsupportedFormat(
            f"is {article} {found.value} file, which clerk does not read",
            hint="Save it as PDF or DOCX (in LibreOffice: soffice --convert-to pdf FILE).",
        )
    return UnsupportedFormat(
        "is neither a PDF, nor a web page, nor a Word document",
        hint="clerk reads PDF, HTML and DOCX files.",
    )


def format_of(path: Path) -> Format:
    """Return what a file is; its name does not matter."""
    try:
        with path.open("rb") as file:
            start = file.read(_SNIFFED_BYTES)
    except OSError as error:
        raise UnreadableDocument(f"{path} cannot be opened: {error.strerror}.") from error
    if b"%PDF-" in start[:1029]:
        return Format.PDF
    if start.startswith(b"{\\rtf"):
        return Format.RTF
    if start.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return Format.DOC
    if start.startswith(b"PK\x03\x04"):
        try:
            with zipfile.ZipFile(path) as archive:
                names = set(archive.namelist())
        except (zipfile.BadZipFile, OSError, ValueError):
            return Format.UNKNOWN
        return Format.DOCX if "word/document.xml" in names else Format.UNKNOWN
    return Format.HTML if _LOOKS_LIKE_HTML.search(decoded(start).encode()) else Format.UNKNOWN


def decoded(content: bytes) -> str:
    """Return the text of a web page, by the charset it names or else the likeliest."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", "replace")
    declared = _CHARSET.search(content[:_SNIFFED_BYTES])
    for charset in ([declared[1].decode("ascii", "replace")] if declared else []) + ["utf-8-sig"]:
        try:
            return content.decode(charset)
        except (LookupError, UnicodeError):
            continue
    return content.decode("cp1252", "replace")
