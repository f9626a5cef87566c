"""The settings in a site's ``extra``: a JSON object in a column of ``sites``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .errors import BadSetting


def site_extra(site: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings in a site's ``extra``, which is stored as a JSON object."""
    extra = site.get("extra") or {}
    try:
        extra = json.loads(extra) if isinstance(extra, str) else extra
        if not isinstance(extra, dict):
            raise ValueError("not an object")
    except ValueError as error:
        subdomain = site.get("subdomain")
        raise BadSetting(
            f"The extra settings of {subdomain} are not a JSON object: {error}.",
            hint=f"Set them again with: clerk site edit {subdomain} --set KEY=VALUE.",
        ) from error
    return extra
