"""How a document is called where it came from."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from clerk.core.errors import BadSetting
from clerk.core.site_extra import SiteRow, site_extra


def name_at_source(site: SiteRow, name: str, source_url: str) -> str:
    """Return what a document is called where it came from: a path in the folder, or a URL."""
    if not source_url.startswith("file:"):
        return source_url or name
    path, root = path_of_file_url(source_url), Path()
    with contextlib.suppress(BadSetting):
        root = Path(str(site_extra(site).get("source") or ""))
    return readable_name(path.relative_to(root) if path.is_relative_to(root) else path)


def file_url(path: Path) -> str:
    """Return a file URL, whatever bytes the path is made of."""
    return "file://" + quote_from_bytes(os.fsencode(path.absolute()))


def path_of_file_url(url: str) -> Path:
    """Return the path of a file URL."""
    quoted = url[len("file://") :] if url.startswith("file:///") else urlsplit(url).path
    return Path(os.fsdecode(unquote_to_bytes(quoted)))


def readable_name(path: Path) -> str:
    """Return the path as text that can be printed and stored, whatever bytes it is made of."""
    return os.fsencode(path).decode("utf-8", "replace")
