"""What a document is (date, body, kind, title), and the parts of a packet, each with evidence.

::

    pages, hints -> identify -> Identity       looks at the first pages only
    pages, identity, hints -> split -> [Part]  one pass over all pages
    identity, parts -> with_papers -> Identity an agenda with its papers is a packet

Nothing here reads files or knows a database: pages and hints go in, values with their evidence come
out.  What a person said comes first, then the portal, then what is printed, then the path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .facts import (
    KINDS,
    SOURCES,
    UNKNOWN,
    Bookmark,
    Fact,
    Hints,
    Identity,
    Known,
    OtherReading,
    PageView,
    Part,
)
from .rules_version import VERSION

if TYPE_CHECKING:
    from .identity import identify
    from .parts import split, with_papers

__all__ = [
    "KINDS",
    "SOURCES",
    "UNKNOWN",
    "VERSION",
    "Bookmark",
    "Fact",
    "Hints",
    "Identity",
    "Known",
    "OtherReading",
    "PageView",
    "Part",
    "identify",
    "split",
    "with_papers",
]


def __getattr__(name: str) -> Any:
    """Load the rules when they are first asked for: most only need the words for kinds."""
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(".identity" if name == "identify" else ".parts", __name__)
    return getattr(module, name)
