"""Web pages and Word documents: their text, and its structure.

Agendas and minutes also come as HTML and as DOCX.  They have no image and no boxes: what they give
is text in blocks (headings, paragraphs, list items, rows of tables).  The content of the file
decides what it is, not its name.

Both may be hostile.  Nothing in them is executed, followed or fetched: scripts, macros and links to
other files are left out.  What they may hold is limited before they are parsed: bytes, the size an
archive unpacks to, the number of its parts.  The caller runs this in a child process with limits on
time and memory.
"""

from __future__ import annotations

import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import msgspec
from selectolax.lexbor import LexborHTMLParser

from clerk.core.errors import (
    DocumentTooLarge,
    EmptyDocument,
    UnreadableDocument,
    UnsupportedFormat,
)
from clerk.core.formats import Format, decoded, refusal

from .files import TEXT, PageFacts, PageWords, ReadDocument, ReadPage

#: Text alone is never so large.
MOST_HTML_MB: Final = 20
#: What the parts of a Word document may unpack to, how many there may be, and how well packed.
_MOST_UNPACKED_MB = 200
_MOST_XML_MB = 60
_MOST_PARTS = 5000
_MOST_RATIO = 400
#: Text that is written by a program, not compared with anything.
_CONFIDENCE = 0.99

_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
#: Elements that have an end tag, as far as pages are careful.
_NESTING = re.compile(r"<(/?)(?!(?:p|li|t[dhr]|d[dt]|br|hr|img|input|link|meta)\b)[a-z]\w*", re.I)
_DEEPEST = 5000
#: What is never text, with everything inside.
_NO_TEXT = frozenset(
    re.findall(
        r"\w+",
        "script style template noscript iframe object embed svg math canvas audio video select"
        " option button textarea nav head",
    )
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
#: Elements that begin and end a paragraph.
_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        "address article aside blockquote body center dd div dl dt fieldset figcaption figure"
        " footer form header hr li main ol p pre section table tbody tfoot thead tr ul"
        " h1 h2 h3 h4 h5 h6",
    )
)
_CELLS = frozenset(("td", "th"))


class TextBlock(msgspec.Struct, frozen=True, omit_defaults=True):
    """A piece of text: ``heading`` (with its level), ``paragraph``, ``item`` or ``row``."""

    kind: str
    text: str
    level: int = 0
    #: The cells of a row.
    cells: tuple[str, ...] = ()
    page: int = 1


def read_other(path: Path, found: Format, max_megabytes: int) -> ReadDocument:
    """Read a web page or a Word document; a Word document has the pages its breaks make."""
    blocks = list(blocks_of(path, found, max_megabytes))
    if not blocks:
        raise EmptyDocument(f"{path} has no text.")
    last = max(block.page for block in blocks)
    pages = [
        ReadPage(
            text_of([block for block in blocks if block.page == number]),
            PageFacts(number, TEXT, _CONFIDENCE, engine=""),
            PageWords(number),
        )
        for number in range(1, last + 1)
    ]
    return ReadDocument(last, pages)


def blocks_of(path: Path, found: Format, max_megabytes: int) -> Iterator[TextBlock]:
    """Yield the blocks of a file in order; raises a DocumentError if it cannot be read."""
    if found not in (Format.HTML, Format.DOCX):
        refused = refusal(found)
        raise UnsupportedFormat(f"{path} {refused}.", hint=refused.hint)
    size = os.stat(path).st_size  # noqa: PTH116 - one call less than Path for a file that exists
    most = min(max_megabytes, MOST_HTML_MB) if found is Format.HTML else max_megabytes
    if size > most * 1_000_000:
        raise DocumentTooLarge(f"{path} has {size / 1e6:,.0f} MB, more than {most}.")
    if found is Format.HTML:
        html = decoded(path.read_bytes())
        if _depth(html) > _DEEPEST:
            raise UnreadableDocument(f"{path} is nested more than {_DEEPEST:,} elements deep.")
        yield from _blocks_of_html(html)
    else:
        yield from _blocks_of_docx(path)


def text_of(blocks: list[TextBlock]) -> str:
    """Return the text of blocks: a line each, blank lines around headings and paragraphs."""
    lines: list[str] = []
    before = ""
    for block in blocks:
        if lines and not (block.kind == before and block.kind in ("item", "row")):
            lines.append("")
        lines.append(f"- {block.text}" if block.kind == "item" else block.text)
        before = block.kind
    return "\n".join(lines) + "\n" if lines else ""


# ------------------------------------------------------------------------------ web pages


def _depth(html: str) -> int:
    """Return how deep elements are nested; the parser's time grows by the square of it."""
    depth = deepest = 0
    for tag in _NESTING.finditer(html):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest


def _blocks_of_html(html: str) -> Iterator[TextBlock]:
    """Walk the tree without recursion: pages may be nested as deep as they are long."""
    root = LexborHTMLParser(html.replace("\0", "")).body
    kind, level = "paragraph", 0
    cells: list[str] = []
    text: list[str] = []

    def flushed() -> Iterator[TextBlock]:
        said = " ".join("".join(text).split())
        text.clear()
        if said:
            yield TextBlock(kind, said, level)

    node, entering = root, True
    while node is not None:
        tag = node.tag or ""
        if entering and tag == "-text":
            text.append(node.text_content or "")
        elif tag == "br":
            text.append("\n")
        elif tag in _CELLS:
            if entering and "".join(text).strip() and not cells:
                yield from flushed()
            if not entering:
                cells.append(" ".join("".join(text).split()))
                text.clear()
        elif tag in _BLOCKS and not (cells or _in_cell(node)):
            yield from flushed()
            kind, level = "paragraph", 0
            if entering and tag in _HEADINGS:
                kind, level = "heading", _HEADINGS[tag]
            elif entering and tag == "li":
                kind = "item"
        elif tag in _BLOCKS:
            text.append(" ")
        if tag == "tr" and not entering and cells:
            row = tuple(cell for cell in cells if cell)
            if row:
                yield TextBlock("row", "  ".join(row), cells=row)
            cells.clear()
        if entering and node.child is not None and not _is_left_out(node, tag):
            node = node.child
            continue
        if entering and tag not in ("-text", "br") and not _is_left_out(node, tag):
            # An element without content is left at once.
            entering = False
            continue
        entering = True
        if node == root:
            break
        if node.next is not None:
            node = node.next
            continue
        node, entering = node.parent, False
        if node is not None and node == root:
            break
    yield from flushed()


def _in_cell(node: Any) -> bool:
    """Whether a block is in a cell of a table, at most a few levels up."""
    for _ in range(4):
        node = node.parent
        if node is None:
            return False
        if node.tag in _CELLS:
            return True
    return False


def _is_left_out(node: Any, tag: str) -> bool:
    if tag in _NO_TEXT:
        return True
    if tag.startswith("-"):
        return tag != "-text"
    attributes = node.attributes
    return "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))


# ------------------------------------------------------------------------- Word documents

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_SKIPPED = frozenset((f"{_W}del", f"{_W}moveFrom"))
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def _blocks_of_docx(path: Path) -> Iterator[TextBlock]:
    """Yield the paragraphs and rows of a Word document; what was deleted in it is left out.

    Macros are ignored.
    """
    _refuse_bombs(path)
    try:
        with zipfile.ZipFile(path) as archive:
            relations = _parsed(archive.read("_rels/.rels"))
            main = next(
                each.get("Target", "").lstrip("/")
                for each in relations
                if each.get("Type", "").endswith("/officeDocument")
            )
            body = _parsed(archive.read(main)).find(f"{_W}body")
            styles = {}
            part = f"{main.rpartition('/')[0]}/styles.xml"
            for style in _parsed(archive.read(part)) if part in archive.namelist() else ():
                name = style.find(f"{_W}name")
                if style.tag == f"{_W}style" and name is not None:
                    styles[style.get(f"{_W}styleId", "")] = name.get(f"{_W}val", "")
    except (
        *(zipfile.BadZipFile, zlib.error, ElementTree.ParseError, StopIteration),
        *(KeyError, ValueError, OSError, RuntimeError),
    ) as error:
        raise UnreadableDocument(f"{path} is damaged: it cannot be opened as DOCX.") from error
    if body is None:
        raise UnreadableDocument(f"{path} is damaged: it has no text.")
    page = 1
    for each in body:
        if each.tag == f"{_W}tbl":
            for row in each.iterfind(f"{_W}tr"):
                texts = (" ".join(_text_below(cell).split()) for cell in row.iterfind(f"{_W}tc"))
                cells = tuple(filter(None, texts))
                if cells:
                    yield TextBlock("row", "  ".join(cells), cells=cells, page=page)
        if each.tag != f"{_W}p":
            continue
        whole = _text_below(each)
        chosen = each.find(f"{_W}pPr/{_W}pStyle")
        named = styles.get(chosen.get(f"{_W}val", ""), "") if chosen is not None else ""
        kind, level = "paragraph", 0
        if named == "Title" or named.lower().startswith("heading"):
            kind, level = "heading", int(named[-1]) if named[-1:].isdigit() else 1
        elif named.startswith("List") or each.find(f"{_W}pPr/{_W}numPr") is not None:
            kind = "item"
        for number, part in enumerate(whole.split("\f")):
            page += number > 0
            said = "\n".join(filter(None, (" ".join(line.split()) for line in part.split("\n"))))
            if said:
                yield TextBlock(kind, said, level, page=page)


def _parsed(content: bytes) -> ElementTree.Element:
    """Parse a part; Word writes no definitions of entities, and those of others are bombs."""
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise ValueError("definitions of entities")
    return ElementTree.fromstring(content)


def _text_below(element: ElementTree.Element) -> str:
    """Return the text in an element; a form feed stands for a page break."""
    parts: list[str] = []
    walk = [iter(element)]
    while walk:
        child = next(walk[-1], None)
        if child is None:
            walk.pop()
            continue
        tag = child.tag
        if tag == f"{_W}t":
            parts.append(child.text or "")
        elif tag == f"{_W}tab":
            parts.append("\t")
        elif tag in (f"{_W}br", f"{_W}cr"):
            parts.append("\f" if child.get(f"{_W}type") == "page" else "\n")
        elif tag == f"{_W}p" and parts:
            parts.append("\n")
        if tag not in _SKIPPED and tag != _FALLBACK:
            walk.append(iter(child))
    return "".join(parts)


def _refuse_bombs(path: Path) -> None:
    """Refuse an archive that unpacks to more than a document has, before unpacking any of it."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise UnreadableDocument(f"{path} is damaged: its archive cannot be opened.") from error
    unpacked = sum(part.file_size for part in parts)
    packed = sum(part.compress_size for part in parts)
    largest = max((p.file_size for p in parts if p.filename.endswith(".xml")), default=0)
    if (
        len(parts) > _MOST_PARTS
        or unpacked > _MOST_UNPACKED_MB * 1_000_000
        or largest > _MOST_XML_MB * 1_000_000
        or (unpacked > 10_000_000 and unpacked > _MOST_RATIO * max(1, packed))
    ):
        raise DocumentTooLarge(f"{path}: its archive expands to more than the limit.")
