"""``meetings.db``: the database of one site, compiled from its documents and published as it is.

:func:`compile_site` brings it to what the manifest says; ``schema`` has its tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clerk.core.storage import SITE_DATABASE as DATABASE

if TYPE_CHECKING:
    from .build import (
        CompileReport,
        about_site,
        build_lock,
        compile_site,
        digest_of,
        digest_of_site,
        is_outdated,
    )

__all__ = [
    "DATABASE",
    "CompileReport",
    "about_site",
    "build_lock",
    "compile_site",
    "digest_of",
    "digest_of_site",
    "is_outdated",
]


def __getattr__(name: str) -> Any:
    """Load the compiler when it is first asked for: a search needs only the schema."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import build

    return getattr(build, name)
