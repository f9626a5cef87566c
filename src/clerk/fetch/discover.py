"""Which fetcher serves a site, a folder or a URL, and whether its settings can be used."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import structs

from clerk.core import plugins
from clerk.core.errors import BadSetting, InvalidInput, UnknownPlugin
from clerk.core.site_extra import SiteChoices, SiteRow, site_extra

from . import OwnFetchers
from .base import FetcherSpec, SourceSettings

AnyStruct = TypeVar("AnyStruct", bound=msgspec.Struct)


@dataclass(frozen=True)
class LegacyFetcher:
    """A fetcher of the older kind, which writes PDFs into the site's folder itself.

    ``extra`` are the arguments that the hook ``fetcher_extra`` returns for its class.
    """

    label: str
    fetcher_class: Callable[..., Any]
    extra: Mapping[str, Any]


def registered() -> dict[str, FetcherSpec]:
    """Return the fetchers of all plugins by id; a plugin's own replaces clerk's of that id."""
    specs: dict[str, FetcherSpec] = {}
    for offered in plugins.manager().hook.register_fetchers():
        for spec in offered:
            specs.setdefault(spec.id, spec)
    return specs


def find_fetcher(site: SiteRow) -> FetcherSpec | LegacyFetcher:
    """Return the fetcher that a site names in its ``scraper`` column."""
    label = str(site.get("scraper") or "")
    hook = plugins.manager().hook
    for offered in hook.register_fetchers():
        spec: FetcherSpec | None
        if isinstance(offered, OwnFetchers):
            spec = offered.named(label)
        else:
            spec = next((each for each in offered if each.id == label), None)
        if spec is not None:
            return spec
    if label and (found := hook.fetcher_class(label=label)):
        return LegacyFetcher(label, found, hook.fetcher_extra(label=label) or {})
    raise UnknownPlugin(
        f"The site {site.get('subdomain')} needs the fetcher {label!r}, which is not installed.",
        hint=f"Fetchers: {', '.join(sorted(registered()))}. Change it with: clerk site edit.",
    )


#: A host as people type it, without a scheme; a name of a file does not end like this.
_TYPED_HOST = re.compile(
    r"(?!.*\.(?:pdf|csv|txt|tsv|json|html?|docx?|zip)$)[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?::[0-9]+)?(?:[/?#].*)?",
    re.IGNORECASE,
)


def as_typed(source: str) -> str:
    """Return what a person typed as an address if it is one without its scheme."""
    source = source.strip()
    if "://" in source or not _TYPED_HOST.fullmatch(source) or Path(source).expanduser().exists():
        return source
    return f"https://{source}"


def detect(source: str) -> tuple[str, str]:
    """Return the fetcher's id and the source to give it, by the address alone."""
    if not re.match(r"https?://", source, re.IGNORECASE):
        return ("folder" if Path(source).is_dir() else "urls"), source
    for spec in registered().values():
        if spec.matches(source):
            return spec.id, source
    return "plain", source


def source_settings(site: SiteRow, spec: FetcherSpec) -> SourceSettings:
    """Read a site's ``extra`` as the settings of its fetcher; refuse a wrong value by name."""
    return _converted(site, spec, spec.settings)


def check_choices(site: SiteRow, given: Collection[str]) -> None:
    """Refuse values in a site's ``extra`` that cannot be used, and unknown names among those given.

    Other names are accepted: an older installation may have left them.  Of a fetcher of the older
    kind it is not known which names it understands.
    """
    spec = find_fetcher(site)
    if isinstance(spec, LegacyFetcher):
        return
    known = {each.name for kind in (spec.settings, SiteChoices) for each in structs.fields(kind)}
    if unknown := sorted(set(given) - known):
        raise InvalidInput(
            f"The fetcher {spec.id!r} has no setting {unknown[0]!r}.",
            hint=f"Settings: {', '.join(sorted(known - {'source'}))}.",
        )
    try:
        source_settings(site, spec).check()
        _converted(site, spec, SiteChoices)
    except BadSetting as error:
        raise InvalidInput(str(error), hint=error.hint) from error


def _converted(site: SiteRow, spec: FetcherSpec, kind: type[AnyStruct]) -> AnyStruct:
    try:
        return msgspec.convert(site_extra(site), kind)
    except msgspec.ValidationError as error:
        subdomain = site.get("subdomain")
        raise BadSetting(
            f"The settings of the site {subdomain} cannot be used by its fetcher {spec.id!r}: "
            f"{error}.",
            hint=f"See them with: clerk site show {subdomain}. "
            f"Change them with: clerk site edit {subdomain} --set KEY=VALUE.",
        ) from error
