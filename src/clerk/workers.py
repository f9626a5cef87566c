"""The jobs, under the path that scripts and queued messages know."""

from clerk.pipeline.workers import (
    compile_db_job,
    coordinator_job,
    db_compilation_job,
    deploy_job,
    drain_job,
    extract_entities_job,
    fetch_site_job,
    ocr_complete_coordinator,
    ocr_document_job,
    ocr_page_job,
)

__all__ = [
    "compile_db_job",
    "coordinator_job",
    "db_compilation_job",
    "deploy_job",
    "drain_job",
    "extract_entities_job",
    "fetch_site_job",
    "ocr_complete_coordinator",
    "ocr_document_job",
    "ocr_page_job",
]
