"""Moves and repairs under the names operators use."""

from __future__ import annotations

from . import config, storage
from .reconcile import find_stuck_sites, recover_stuck_site

__all__ = ["count_pdf_files", "count_txt_files", "find_stuck_sites", "recover_stuck_site"]


def count_txt_files(subdomain: str) -> int:
    """Count the documents of a site that have been read: documents, never pages."""
    folder = storage.site_folder(config.load().storage_dir, subdomain)
    return sum(1 for _ in storage.text_documents(folder))


def count_pdf_files(subdomain: str) -> int:
    """Count the PDFs of a site, minutes and agendas."""
    folder = storage.site_folder(config.load().storage_dir, subdomain)
    return sum(1 for _ in storage.pdf_documents(folder))
