"""A row of ``sites``, and the settings in its column ``extra``: a JSON object."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Literal, TypedDict

import msgspec

from .errors import BadSetting


class SiteRow(TypedDict, total=False):
    """A row of ``sites``, or the part of it that is known: a site may not be stored yet."""

    subdomain: str
    name: str | None
    state: str | None
    kind: str | None
    scraper: str | None
    pages: int | None
    start_year: int | None
    extra: str | dict[str, Any] | None
    country: str | None
    lat: str | None
    lng: str | None
    current_stage: str | None
    started_at: datetime | None
    updated_at: datetime | None
    fetch_total: int
    fetch_completed: int
    fetch_failed: int
    ocr_total: int
    ocr_completed: int
    ocr_failed: int
    compilation_total: int
    compilation_completed: int
    compilation_failed: int
    extraction_total: int
    extraction_completed: int
    extraction_failed: int
    deploy_total: int
    deploy_completed: int
    deploy_failed: int
    coordinator_enqueued: bool
    last_error_stage: str | None
    last_error_message: str | None
    last_error_at: datetime | None


class SiteChoices(msgspec.Struct, kw_only=True, frozen=True):
    """What clerk itself understands in a site's ``extra``; the rest is for its fetcher."""

    ocr: Literal["auto", "always", "never"] = "auto"
    ocr_backend: str = ""
    languages: tuple[str, ...] = ()
    deploy_to: str | tuple[str, ...] = ""
    page_images: bool = False
    #: None: as STATIC_SITE and STATIC_SITE_URL say.
    static_site: bool | None = None
    static_site_url: str = ""

    @property
    def targets(self) -> tuple[str, ...]:
        """Where the site is published in addition to this machine."""
        listed = (self.deploy_to,) if isinstance(self.deploy_to, str) else self.deploy_to
        return tuple(filter(None, listed))


def site_choices(site: SiteRow) -> SiteChoices:
    """Return what a site chooses of clerk; what is empty counts as not chosen."""
    extra = site_extra(site)
    names = (name for name in SiteChoices.__struct_fields__ if extra.get(name) not in (None, ""))
    try:
        return msgspec.convert({name: extra[name] for name in names}, SiteChoices, strict=False)
    except msgspec.ValidationError as error:
        subdomain = site.get("subdomain")
        raise BadSetting(
            f"The settings of {subdomain} cannot be used: {error}.",
            hint=f"Change them with: clerk site edit {subdomain} --set KEY=VALUE.",
        ) from error


def site_extra(site: SiteRow) -> dict[str, Any]:
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
