"""The hooks a plugin may implement; clerk's own fetchers, OCR engines and deployers use them too.

A plugin is a module with functions, or a class with methods, marked by ``clerk.hookimpl``.  It is
found by the entry point groups ``clerk`` and ``clerk.plugins``, by ``CLERK_PLUGINS=module,module``
or as a file in ``CLERK_PLUGINS_DIR``.  Hooks run in the working process, except ``post_create`` and
``register_cli_commands``, which run in the command.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pluggy import HookspecMarker

if TYPE_CHECKING:
    from clerk.fetch.base import FetcherSpec
    from clerk.publish import Deployer
    from clerk.read.ocr import OcrBackend

hookspec = HookspecMarker("clerk")


@hookspec
def register_fetchers() -> Iterable[FetcherSpec]:  # type: ignore[empty-body]
    """Return the fetchers this plugin offers."""


@hookspec
def register_ocr_backends() -> Iterable[OcrBackend]:  # type: ignore[empty-body]
    """Return the OCR engines this plugin offers."""


@hookspec
def register_deployers() -> Iterable[Deployer]:  # type: ignore[empty-body]
    """Return the places this plugin can publish to."""


@hookspec
def static_site_themes() -> Iterable[str | Path]:  # type: ignore[empty-body]
    """Return folders with templates and files that replace those of published sites."""


@hookspec(firstresult=True)
def fetcher_class(label: str) -> type[Any] | None:
    """Return the fetcher class for a site's ``scraper`` label, or None."""


@hookspec(firstresult=True)
def fetcher_extra(label: str) -> dict[str, Any] | None:
    """Return what the fetcher of that label needs in addition to the site, or None."""


@hookspec
def deploy_municipality(subdomain: str) -> None:
    """Deploy the files of a site.  Raise to have the deploy tried again."""


@hookspec
def post_deploy(site: dict[str, Any]) -> None:
    """Act after a deploy; the site counts as completed only when this has returned."""


@hookspec
def upload_static_file(file_path: str | Path, storage_path: str) -> None:
    """Upload a file to static storage."""


@hookspec
def post_create(subdomain: str) -> None:
    """Act after a site has been created."""


@hookspec
def register_cli_commands() -> Any:
    """Return click commands to add to ``clerk``: one, several, or a dict of them by name."""


@hookspec
def pre_compilation(subdomain: str, run_id: str) -> None:
    """Act before the database of a site is compiled.  Raise to have the compilation retried."""


@hookspec
def post_compilation(subdomain: str, database_path: str, run_id: str) -> None:
    """Act after the database of a site has been compiled, before it is published."""
