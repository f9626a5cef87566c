"""What a machine that serves pages has: databases, the search index, and files when needed.

::

    python -m clerk.pipeline.mirror PARENT            keep databases and search index up to date
    python -m clerk.pipeline.mirror SITE DOCUMENT     bring one document's PDF and text

Without STORAGE_URL the databases are there, and only the search index is kept.  These are processes
of their own, because one that has used a store must not fork, and a server does.
"""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import time

from clerk.core import config, installation, manifest, site_files
from clerk.core.config import Settings
from clerk.core.db import reading_connection
from clerk.core.errors import (
    ClerkError,
    NotFound,
    ObjectDamaged,
    ObjectMissing,
    StorageUnusable,
)
from clerk.core.files import SiteFiles
from clerk.core.storage import Document
from clerk.search.index import IndexBusy
from clerk.site_db.stored import bring_database

from .search_index import Tail

_log = logging.getLogger(__name__)

#: How often a serving machine asks for changes.
EVERY_SECONDS = 0.5
#: How often it checks that the databases it has copied are still there.
LOOK_AGAIN_SECONDS = 60.0
#: How long a reader of a page waits for its files.
BRING_SECONDS = 60.0


def bring_databases(settings: Settings, brought_before: dict[str, str] | None = None) -> list[str]:
    """Bring the databases that are newer in the store, and return the sites they are of.

    Those in ``brought_before``, by site, are not checked; what is here now is added to it.
    """
    here = {} if brought_before is None else brought_before
    with reading_connection(settings.sql_url) as conn:
        current = site_files.current_databases(conn)
    brought, lost = [], list[ClerkError]()
    for subdomain, sha256 in current.items():
        if here.get(subdomain) == sha256:
            continue
        try:
            if bring_database(SiteFiles(settings, subdomain), sha256):
                brought.append(subdomain)
            here[subdomain] = sha256
        except (ObjectMissing, ObjectDamaged) as error:
            # Built again by the site's next run; other sites do not wait for it.
            lost.append(error)
    if lost:
        raise lost[0]
    return brought


def keep_databases(settings: Settings, parent: int) -> None:
    """Bring newer databases and index them as long as the server lives; try again after errors."""
    complaint, tail = "", Tail(settings)
    brought, look_again_at = dict[str, str](), 0.0
    while os.getppid() == parent:
        try:
            if settings.storage_url:
                installation.require_files(settings)
                if time.monotonic() > look_again_at:
                    brought, look_again_at = {}, time.monotonic() + LOOK_AGAIN_SECONDS
                bring_databases(settings, brought)
            with contextlib.suppress(IndexBusy):
                if not tail.run():
                    tail.check_some()
            complaint = ""
        except (ClerkError, OSError) as error:
            if str(error) != complaint:
                _log.error("Pages may be out of date: %s", error)
            complaint = str(error)
        time.sleep(EVERY_SECONDS)


def bring_document(settings: Settings, subdomain: str, document: Document) -> None:
    """Have a document's PDF and text on this machine, from a process that may fork.

    Without STORAGE_URL they are there or nowhere.
    """
    folder = SiteFiles(settings, subdomain).folder
    if not settings.storage_url or (
        document.pdf(folder).is_file() and document.text(folder).is_dir()
    ):
        return
    command = [sys.executable, "-m", "clerk.pipeline.mirror", subdomain, document.name]
    try:
        done = subprocess.run(command, capture_output=True, timeout=BRING_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise StorageUnusable(f"The store {settings.storage_url} is too slow.") from error
    if done.returncode:
        raise StorageUnusable(done.stderr.decode(errors="replace").strip() or "The store failed.")


def has_pdf(settings: Settings, subdomain: str, document: Document) -> bool:
    """Whether the document is a PDF, and can be shown."""
    return document.is_pdf and has_original(settings, subdomain, document)


def has_original(settings: Settings, subdomain: str, document: Document) -> bool:
    """Whether the file of a document is kept, whatever its format."""
    if document.pdf(SiteFiles(settings, subdomain).folder).is_file():
        return True
    if not settings.storage_url:
        return False
    with reading_connection(settings.sql_url) as conn:
        row = manifest.document(conn, subdomain, document.name)
    return row is not None and row.pdf_sha256 is not None


def main(arguments: list[str]) -> int:
    """Be one of the two processes; return the exit code."""
    settings = config.load()
    if len(arguments) == 1:
        keep_databases(settings, int(arguments[0]))
        return 0
    subdomain, name = arguments
    try:
        with reading_connection(settings.sql_url) as conn:
            row = manifest.document(conn, subdomain, name)
        if row is None:
            raise NotFound(f"There is no document {name!r} of {subdomain!r}.")
        files = SiteFiles(settings, subdomain)
        if row.pdf_sha256:
            with files.pdf(row.document, row.pdf_sha256):
                pass
        if row.text_sha256:
            with files.text(row.document, row.text_sha256):
                pass
    except (ClerkError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main(sys.argv[1:]))
