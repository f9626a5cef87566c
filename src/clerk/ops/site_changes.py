"""Add and change sites: for ``clerk site`` and the operators' pages.

What cannot work is refused before anything is stored; what people do is audited in the transaction
that does it.
"""

from __future__ import annotations

import contextlib
import json
import re
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from clerk.core import outbox, plugins
from clerk.core.config import Settings, redact
from clerk.core.db import (
    civic_db_connection,
    get_site_by_subdomain,
    insert_site,
    lock_site,
    reading_connection,
    require_site,
    update_site,
)
from clerk.core.errors import BadSetting, InvalidInput
from clerk.core.site_extra import SiteRow, site_extra
from clerk.core.storage import check_subdomain
from clerk.fetch import FetcherSpec, discover
from clerk.fetch.candidates import FoundSources, client_opener, find_source
from clerk.pipeline import first_look, ledger
from clerk.pipeline.steps import check_reading
from clerk.publish import check_targets

#: Columns that people set.
COLUMNS = ("name", "state", "kind", "country", "lat", "lng", "start_year", "scraper")


def require_new(subdomain: str, source: str = "FOLDER") -> None:
    """Refuse a name that cannot be one, or that a site has already."""
    check_subdomain(subdomain)
    with reading_connection() as conn:
        if get_site_by_subdomain(conn, subdomain):
            raise InvalidInput(
                f"The site {subdomain!r} already exists.",
                hint=f"Change it: clerk site edit {subdomain} --from {shlex.quote(source)}",
            )


def resolve_source(source: str, scraper: str | None = None) -> tuple[str, str]:
    """Return the fetcher for a folder, a list or an address, and the source to give it."""
    where = source = discover.as_typed(source)
    if "://" not in source:
        path = Path(source).expanduser()
        where = str(path.resolve() if ".." in path.parts else path.absolute())
    path = Path(where)
    if not source or ("://" not in where and not path.is_dir() and not path.is_file()):
        raise InvalidInput(
            f"{source!r} is neither a folder nor a file nor a URL.",
            hint="Give a folder of PDFs, a list of URLs (text or CSV), or a portal's address.",
        )
    if path.is_file() and path.suffix.lower() == ".pdf":
        raise InvalidInput(
            f"{source!r} is a document, not a list of them.",
            hint=f"Give the folder it is in: --from {shlex.quote(str(path.parent))}",
        )
    if "://" in where and not re.match(r"https?://[^/\s]", where, re.IGNORECASE):
        raise InvalidInput(
            f"{source!r} is not an http or https address.",
            hint="Give a portal's address as in https://springfield.example/minutes, or a folder.",
        )
    return (scraper, where) if scraper else discover.detect(where)


def look_at(
    settings: Settings, source: str, scraper: str = "", *, permitted: bool = False
) -> FoundSources:
    """List what is at an address; nothing is stored.

    ``permitted``: the town allowed what its robots.txt refuses.
    """
    if scraper:
        discover.find_fetcher({"subdomain": source, "scraper": scraper})
    return find_source(source, client_opener(settings, permitted=permitted), scraper=scraper)


def look_at_folder(settings: Settings, site: SiteRow) -> first_look.Looked:
    """Return what the files of a folder would be taken for; nothing is stored."""
    extra = site_extra(site)
    row: SiteRow = {**site, "scraper": "folder", "extra": json.dumps(_without_empty(extra))}
    _check(row, extra, settings)
    spec = discover.find_fetcher(row)
    assert isinstance(spec, FetcherSpec), "a folder is read by clerk itself"
    return first_look.look_at_folder(spec, site, settings)


def permission_record(granted_by: str, reason: str, *, who: str) -> dict[str, str]:
    """Return how a permission to fetch what robots.txt refuses is stored."""
    return {
        "granted_by": granted_by,
        "reason": reason,
        "recorded_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "recorded_by": who,
    }


def parse_setting(pair: str) -> tuple[str, Any]:
    """Return the name and the value of KEY=VALUE; an empty value is None, which removes it."""
    key, mark, value = pair.partition("=")
    key = key.strip()
    if not mark or not key:
        raise InvalidInput(f"A setting is KEY=VALUE, not {pair!r}.")
    if key == "source":
        raise InvalidInput("Use --from to change the source.")
    try:
        return key, json.loads(value) if value else None
    except ValueError:
        return key, value


def add(
    settings: Settings,
    subdomain: str,
    source: tuple[str, str],
    columns: Mapping[str, object],
    extra: Mapping[str, object],
    *,
    who: str,
    permission: Mapping[str, str] | None = None,
) -> None:
    """Store a new site with its fetcher, its source and its settings."""
    label, where = source
    chosen = {"source": where} | dict(extra) | ({"permission": permission} if permission else {})
    row = {"name": subdomain} | dict(columns) | {"subdomain": subdomain, "scraper": label}
    row["extra"] = json.dumps(_without_empty(chosen))
    _check(cast(SiteRow, row), extra, settings)
    with civic_db_connection() as conn:
        lock_site(conn, subdomain)
        if get_site_by_subdomain(conn, subdomain):
            raise InvalidInput(f"The site {subdomain!r} already exists.")
        insert_site(conn, row)
        ledger.audit(conn, who, "site added", subdomain, f"{label} from {redact(where)}")
        _audit_permission(conn, who, subdomain, permission)
    plugins.manager().hook.post_create(subdomain=subdomain)


def change(
    settings: Settings,
    subdomain: str,
    columns: Mapping[str, object],
    extra: Mapping[str, object],
    *,
    who: str,
    source: tuple[str, str] | None = None,
    permission: Mapping[str, str] | None = None,
) -> list[str]:
    """Change columns and settings of a site, and return which; None removes a setting."""
    with reading_connection() as conn:
        row = require_site(conn, subdomain)
    before: dict[str, object] = {}
    with contextlib.suppress(BadSetting):
        # What cannot be read is written again from what is given now.
        before = site_extra(row)
    chosen, values = before | dict(extra), dict(columns)
    if source is not None:
        values["scraper"], chosen["source"] = source
    if permission:
        chosen["permission"] = permission
    chosen = _without_empty(chosen)
    values["extra"] = json.dumps(chosen)
    _check(cast(SiteRow, {**row, **values}), extra, settings)
    differing = [name for name in values if name != "extra" and values[name] != row.get(name)]
    differing += [name for name in before | chosen if before.get(name) != chosen.get(name)]
    with civic_db_connection() as conn:
        update_site(conn, subdomain, values)
        if differing:
            outbox.announce_site(conn, subdomain, outbox.FACTS)
            ledger.audit(conn, who, "site changed", subdomain, ", ".join(sorted(differing)))
        _audit_permission(conn, who, subdomain, permission)
    return sorted(differing)


def _without_empty(extra: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in extra.items() if value is not None}


def _check(row: SiteRow, extra: Mapping[str, object], settings: Settings) -> None:
    """Raise an error for settings that cannot work, before they are stored."""
    discover.check_choices(row, extra)
    if extra:
        check_reading(row, settings)
        check_targets(row)


def _audit_permission(
    conn: Any, who: str, subdomain: str, permission: Mapping[str, str] | None
) -> None:
    if permission:
        detail = f"by {permission['granted_by']}: {permission['reason']}"
        ledger.audit(conn, who, "permission to fetch recorded", subdomain, detail)
