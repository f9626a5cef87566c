"""Reading HTML: links, cells and texts, the way every platform's page needs them."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode


def parsed(html: str) -> LexborHTMLParser:
    """Return the tree of a page."""
    return LexborHTMLParser(html)


def text_of(node: LexborNode | None) -> str:
    """Return a node's text with single spaces."""
    return re.sub(r"\s+", " ", node.text(separator=" ")).strip() if node else ""


def href_of(node: LexborNode, base: str) -> str:
    """Return where a link leads, whole, or an empty text."""
    return joined(base, node.attributes.get("href") or "")


def joined(base: str, url: str) -> str:
    """Return a URL seen from its page; an empty text if it leads nowhere on the web."""
    url = url.strip()
    if not url or url.startswith("#"):
        return ""
    try:
        whole = urljoin(base, url)
    except ValueError:
        return ""
    return whole if re.match(r"https?://", whole, re.IGNORECASE) else ""


def frames_and_links(base: str, html: str) -> list[str]:
    """Return what a page frames, then what it links to."""
    tree = parsed(html)
    frames = [node.attributes.get("src") or "" for node in tree.css("iframe[src], frame[src]")]
    links = [node.attributes.get("href") or "" for node in tree.css("a[href]")]
    whole = (joined(base, url) for url in (*frames, *links))
    return list(dict.fromkeys(url for url in whole if url))
