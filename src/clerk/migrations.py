"""Taking over an old installation, under the path that scripts know."""

from clerk.ops.takeover import (
    clear_rq_state,
    count_pdf_files,
    count_txt_files,
    find_stuck_sites,
    migrate_stuck_sites,
    recover_stuck_site,
)

__all__ = [
    "clear_rq_state",
    "count_pdf_files",
    "count_txt_files",
    "find_stuck_sites",
    "migrate_stuck_sites",
    "recover_stuck_site",
]
