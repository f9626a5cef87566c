"""The database, under the path that scripts know.

This is the module :mod:`clerk.core.db` itself, so a script that replaces ``clerk.db.get_civic_db``
replaces it for all of clerk.
"""

import sys

from clerk.core import db
from clerk.core.db import (
    civic_db_connection,
    delete_site,
    get_all_sites,
    get_civic_db,
    get_oldest_site,
    get_site_by_subdomain,
    insert_site,
    update_site,
    upsert_site,
)

__all__ = [
    "civic_db_connection",
    "delete_site",
    "get_all_sites",
    "get_civic_db",
    "get_oldest_site",
    "get_site_by_subdomain",
    "insert_site",
    "update_site",
    "upsert_site",
]

sys.modules[__name__] = db
