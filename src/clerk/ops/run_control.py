"""Start and cancel runs of a site on behalf of a person, with an audit entry."""

from __future__ import annotations

from clerk.core.config import Settings
from clerk.core.db import civic_db_connection, lock_site, reading_connection, require_site
from clerk.core.states import QUEUES
from clerk.pipeline import ledger, queues, transitions


def start(settings: Settings, subdomain: str, who: str) -> str:
    """Queue a run of a site, unless one is active; return the id of the active run."""
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        require_site(conn, subdomain)
        active = transitions.active_run(conn, subdomain)
        run_id = active.run_id if active else transitions.start_run(conn, subdomain)
        if active is None:
            ledger.audit(conn, who, "run started", subdomain, run_id)
    queues.offer(settings, QUEUES)
    return str(run_id)


def cancel(subdomain: str, who: str) -> None:
    """Cancel the active run of a site, if there is one."""
    with civic_db_connection() as conn:
        require_site(conn, subdomain)
        if transitions.cancel_run(conn, subdomain, f"Cancelled by {who}"):
            ledger.audit(conn, who, "run cancelled", subdomain)


def is_active(subdomain: str) -> bool:
    """Whether a run of the site is active."""
    with reading_connection() as conn:
        return transitions.active_run(conn, subdomain) is not None
