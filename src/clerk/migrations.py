"""Taking over an old installation, under the import path of operators' scripts.

:mod:`clerk.ops.takeover` and :mod:`clerk.pipeline.reconcile` do the work.
"""

from __future__ import annotations

from clerk.core import config, storage
from clerk.ops import takeover
from clerk.ops.takeover import LeftoverJobs, Migration
from clerk.pipeline import reconcile
from clerk.pipeline.reconcile import find_stuck_sites

__all__ = [
    "clear_rq_state",
    "count_pdf_files",
    "count_txt_files",
    "find_stuck_sites",
    "migrate_stuck_sites",
    "recover_stuck_site",
]


def count_txt_files(subdomain: str) -> int:
    """Count the documents of a site that have been read: documents, never pages."""
    folder = storage.site_folder(config.load().storage_dir, subdomain)
    return sum(1 for _ in storage.text_documents(folder))


def count_pdf_files(subdomain: str) -> int:
    """Count the PDFs of a site, minutes and agendas."""
    folder = storage.site_folder(config.load().storage_dir, subdomain)
    return sum(1 for _ in storage.pdf_documents(folder))


def migrate_stuck_sites(*, dry_run: bool = False, who: str = "operator") -> Migration:
    """Take over the sites of the old system and return what was decided about each."""
    settings = config.load()
    jobs = takeover.old_jobs(settings)
    waiting = (*jobs.understood, *jobs.unknown)
    return takeover.migrate_stuck_sites(settings.storage_dir, waiting, dry_run=dry_run, who=who)


def clear_rq_state() -> LeftoverJobs | None:
    """Cancel deferred coordinators, delete failed OCR jobs, and return how many there were."""
    return takeover.clear_rq_state(config.load())


def recover_stuck_site(subdomain: str) -> bool:
    """Do what a site needs, and return whether it continues now."""
    return reconcile.recover(config.load(), subdomain).moves
