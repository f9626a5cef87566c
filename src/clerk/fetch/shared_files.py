"""Files and folders that towns share by Google Drive, Dropbox or SharePoint.

The addresses that people open show a viewer.  Here is where the bytes are, and where a folder is
listed as a plain page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import html

_DRIVE_FILE = re.compile(
    r"//drive\.google\.com/(?:file/(?:u/[0-9]+/)?d/|(?:open|uc)\?(?:[^#]*&)?id=)([\w-]+)"
)
#: Not ``/d/e/``: that is a page which its owner has published.
_GOOGLE_DOCUMENT = re.compile(r"//docs\.google\.com/document/(?:u/[0-9]+/)?d/(?!e/)([\w-]+)")
_DRIVE_FOLDER = re.compile(
    r"//drive\.google\.com/(?:drive/(?:u/[0-9]+/)?folders/"
    r"|(?:embedded)?folderview\?(?:[^#]*&)?id=)([\w-]+)"
)
_LISTING = "https://drive.google.com/embeddedfolderview?id="
_DROPBOX_FILE = re.compile(r"//(?:www\.)?dropbox\.com/(?:s|scl/fi)/", re.IGNORECASE)
_SHAREPOINT_FILE = re.compile(r"\.sharepoint\.com/:[bw]:/", re.IGNORECASE)
_OTHER_FOLDER = re.compile(
    r"//(?:www\.)?dropbox\.com/(?:sh|scl/fo)/|\.sharepoint\.com/:f:/|//1drv\.ms/f/"
    r"|//(?:\w+\.)?box\.com/(?:s|v)/",
    re.IGNORECASE,
)
#: What is not a document, by its name.
_MEDIA = re.compile(r"\.(?:mp[34]|m4[av]|mov|wav|jpe?g|png|gif|heic|pptx?|xlsx?|csv|zip)$", re.I)


def file_address(url: str) -> str:
    """Return where the bytes of a shared file are, or an empty text if that is its own address."""
    if match := _DRIVE_FILE.search(url):
        return f"https://drive.google.com/uc?export=download&id={match[1]}"
    if match := _GOOGLE_DOCUMENT.search(url):
        return f"https://docs.google.com/document/d/{match[1]}/export?format=pdf"
    if _DROPBOX_FILE.search(url):
        bare = re.sub(r"[?&](?:dl|raw)=[01]\b", "", url)
        if "?" not in bare:
            bare = bare.replace("&", "?", 1)
        return f"{bare}{'&' if '?' in bare else '?'}dl=1"
    if _SHAREPOINT_FILE.search(url):
        return f"{url}{'&' if '?' in url else '?'}download=1"
    return ""


def folder_address(url: str) -> str:
    """Return the page that lists a folder of Google Drive; an empty text for any other address."""
    match = _DRIVE_FOLDER.search(url)
    return f"{_LISTING}{match[1]}" if match else ""


def is_closed_folder(url: str) -> bool:
    """Whether a shared folder is listed by scripts only."""
    return bool(_OTHER_FOLDER.search(url))


def entries_of(markup: str, url: str) -> Iterator[tuple[str, str]] | None:
    """Return the addresses and names in the list of a folder, or None if the page is not one.

    The days next to them are those on which they were changed.
    """
    if not url.startswith(_LISTING):
        return None
    nodes = html.parsed(markup).css(".flip-entry")
    found = (
        (html.href_of(link, url), html.text_of(node.css_first(".flip-entry-title")))
        for node in nodes
        if (link := node.css_first("a[href]")) is not None
    )
    return ((address, name) for address, name in found if address and not _MEDIA.search(name))
