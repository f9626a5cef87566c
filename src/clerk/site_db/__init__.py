"""``meetings.db``: the database of one site, compiled from its documents and published as it is.

:func:`compile_site` brings it to what the manifest says; ``schema`` has its tables.
"""

from __future__ import annotations

from clerk.core.storage import SITE_DATABASE as DATABASE

from .build import (
    CompileReport,
    about_site,
    build_lock,
    compile_site,
    content_digest,
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
    "content_digest",
    "digest_of",
    "digest_of_site",
    "is_outdated",
]
