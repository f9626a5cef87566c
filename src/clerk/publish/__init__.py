"""Publishing: a compiled site becomes what readers are served.

::

    PUBLISH_DIR/{site} -> .versions/{site}/000007-4be0...     switched by one rename
        meetings.db      the compiled database
        index.json       site, state, counts, and every document with its origin and hash
        images/...       images of the pages, if the site wants them

A site is published with state ``text-only`` as soon as it is compiled and ``complete`` after
extraction; only as ``complete`` if extraction takes moments.  Publishing the same content again
does nothing.  Whatever is killed on the way leaves the old version or the new one, and the next
publishing removes the rest.

Everything in a version is public (:mod:`clerk.core.public_text`).  Versions of an older format may
hold more than is public: they are removed as soon as a newer one is served.

Further targets (``deploy_to`` in the site's ``extra``, as in ``rsync://host/www``) are served by
deployers, which are plugins; clerk's own are registered here.  Each gets the finished version, and
is not asked again for a version it has.  Those that keep old versions keep as many as PUBLISH_KEEP
says, or the target itself: ``local:///srv/www?keep=5``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from clerk import hookimpl
from clerk.core import plugins
from clerk.core.config import Settings
from clerk.core.files import SiteFiles
from clerk.core.public_text import Gate

from .bundle import open_bundle
from .targets import Deployer, KeepsVersions, check_targets, find_deployer, further_targets
from .versions import VersionedFolder

__all__ = [
    "Deployer",
    "KeepsVersions",
    "PublishReport",
    "check_targets",
    "finish_deploy",
    "further_targets",
    "publish",
    "published_at",
    "register_deployers",
    "unpublish",
]

#: The older hooks are recorded like a target, so that they are called once per version.
_HOOKS = "hooks"


@dataclass(frozen=True)
class PublishReport:
    """What publishing did; ``targets`` are the further targets that got this version now."""

    path: Path
    version: str
    changed: bool
    targets: list[str] = field(default_factory=list)


@hookimpl
def register_deployers() -> Iterable[Deployer]:
    """Offer clerk's own deployers."""
    from .rsync import Rsync
    from .s3 import S3
    from .targets import Local

    return [Local(), Rsync(), S3()]


def publish(
    site: Mapping[str, Any],
    folder: Path,
    settings: Settings,
    *,
    complete: bool,
    keep: int | None = None,
) -> PublishReport:
    """Publish what is compiled, here and wherever else the site asks for.

    ``keep`` versions of the site stay on disk; as many as PUBLISH_KEEP says if it is None.  What
    is served as complete does not become text-only again before its content has changed.
    """
    subdomain = str(site.get("subdomain") or folder.name)
    place = VersionedFolder(settings.published, subdomain)
    gate = Gate.for_site(settings, site)
    files = SiteFiles(replace(settings, storage_dir=folder.parent), folder.name)
    # The lock comes first: of two publishers, the later one must not have opened the older bundle.
    with place.locked(), open_bundle(site, files, gate, complete=complete) as bundle:
        changed, deployed_to = False, list[str]()
        if complete or not place.serves(replace(bundle, complete=True).version):
            keep = keep or settings.publish_keep
            changed = place.serve(bundle.version, bundle.write_to, keep=keep)
            for target in (_HOOKS, *further_targets(site)):
                if place.version_at(target) != bundle.version:
                    _deploy(place.link.resolve(), subdomain, target, settings)
                    place.record_version_at(target, bundle.version)
                    deployed_to.append(target)
        targets = [target for target in deployed_to if target != _HOOKS]
        return PublishReport(place.link, bundle.version, changed, targets)


def _deploy(version: Path, subdomain: str, target: str, settings: Settings) -> None:
    """Call the deployer of a target, or the hooks that older plugins implement."""
    if target != _HOOKS:
        deployer = find_deployer(target)
        if isinstance(deployer, KeepsVersions):
            deployer = replace(deployer, keep=settings.publish_keep)
        deployer.deploy(version, subdomain, target)
        return
    hook = plugins.manager().hook
    for path in sorted(path for path in version.rglob("*") if path.is_file()):
        address = f"{subdomain}/{path.relative_to(version).as_posix()}"
        hook.upload_static_file(file_path=path, storage_path=address)
    hook.deploy_municipality(subdomain=subdomain)


def published_at(settings: Settings, subdomain: str) -> Path | None:
    """Return where a site is published on this machine, or None."""
    link = VersionedFolder(settings.published, subdomain).link
    return link if os.path.lexists(link) else None


def unpublish(settings: Settings, subdomain: str) -> bool:
    """Stop serving a site and delete all its versions; return whether it was published."""
    return VersionedFolder(settings.published, subdomain).remove()


def finish_deploy(site: Mapping[str, Any]) -> None:
    """Call the hook that follows a deploy; the site is completed only if no plugin fails."""
    plugins.manager().hook.post_deploy(site=dict(site))
