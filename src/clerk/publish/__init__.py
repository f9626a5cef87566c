"""Publishing: a compiled site becomes what readers are served.

::

    PUBLISH_DIR/{site} -> .versions/{site}/000007-4be0...     switched by one rename
        meetings.db      the compiled database
        index.json       site, state, counts, and every document with its origin and hash
        images/...       pictures of the pages, if the site wants them

A site is published with state ``text-only`` as soon as it is compiled and ``complete`` after
extraction.  Publishing the same content again does nothing.  Whatever is killed on the way leaves
the old version or the new one, and the next publishing clears away the rest.

Everything in a version is public (:mod:`clerk.core.public_text`).  A database that another version
of clerk has compiled is compiled again first.  Versions of an older format may hold more than is
public: they are removed as soon as a newer one is served.

Further places (``deploy_to`` in the site's ``extra``, as in ``rsync://host/www``) are served by
deployers, which are plugins; clerk's own are registered here.  Each gets the finished version, and
is not asked again for a version it has taken.  Those that keep old versions keep as many as
PUBLISH_KEEP says, or the target itself: ``local:///srv/www?keep=5``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from clerk import hookimpl
from clerk.core import plugins
from clerk.core.config import Settings
from clerk.core.errors import UnknownPlugin
from clerk.core.public_text import Gate
from clerk.site_db import compile_site, is_outdated

from .bundle import COMPLETE, TEXT_ONLY, Bundle, texts, wishes
from .versions import VersionedFolder

__all__ = [
    "COMPLETE",
    "TEXT_ONLY",
    "Deployer",
    "PublishReport",
    "check_targets",
    "finish_deploy",
    "further_places",
    "publish",
    "published_at",
    "register_deployers",
    "unpublish",
]

_HOOKS = "hooks"


class Deployer(Protocol):
    """A way to bring a published version to another place."""

    #: The scheme of the targets it serves: ``rsync`` for ``rsync://host/www``.
    name: str

    def deploy(self, version: Path, subdomain: str, target: str) -> None:
        """Make the target show the files below ``version``; raise to have it tried again.

        May be called again with the same version, and has then nothing or the rest to do.
        """


@dataclass(frozen=True)
class PublishReport:
    """What publishing did; ``targets`` are the further places that got this version now."""

    path: Path
    version: str
    state: str
    changed: bool
    documents: int
    pages: int
    targets: list[str] = field(default_factory=list)


@hookimpl
def register_deployers() -> Iterable[Deployer]:
    """Offer clerk's own deployers."""
    from .local import Local
    from .rsync import Rsync
    from .s3 import S3

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
    if is_outdated(folder):
        compile_site(folder, site)
    bundle = Bundle(site, folder, Gate.for_site(settings, site), complete=complete)
    place = VersionedFolder(settings.published, bundle.subdomain)
    with place.locked(), bundle:
        changed, taken = False, list[str]()
        if complete or not place.serves(bundle.complete_version):
            keep = keep or settings.publish_keep
            changed = place.show(bundle.version, bundle.write_to, keep=keep)
            taken = _deploy_further(bundle, place)
        return PublishReport(
            place.link, bundle.version, bundle.state, changed, bundle.documents, bundle.pages, taken
        )


def published_at(settings: Settings, subdomain: str) -> Path | None:
    """Return where a site is published on this machine, or None."""
    link = VersionedFolder(settings.published, subdomain).link
    return link if os.path.lexists(link) else None


def unpublish(settings: Settings, subdomain: str) -> bool:
    """Take a site with all its versions off the published ones; whether it was among them."""
    return VersionedFolder(settings.published, subdomain).remove()


def further_places(site: Mapping[str, Any]) -> list[str]:
    """Return the targets a site is published to beside this machine."""
    return texts(wishes(site).get("deploy_to"))


def check_targets(site: Mapping[str, Any]) -> None:
    """Refuse a further place that no deployer serves."""
    for target in further_places(site):
        _deployer(target)


def finish_deploy(site: Mapping[str, Any]) -> None:
    """Let the plugins act after a deploy; the site is completed only if none of them fails."""
    plugins.manager().hook.post_deploy(site=dict(site))


def _deploy_further(bundle: Bundle, place: VersionedFolder) -> list[str]:
    """Hand the version to each further place that does not have it yet."""
    taken = []
    for target in [_HOOKS, *bundle.targets]:
        if place.taken(target) != bundle.version:
            _deploy_to(target, place.link.resolve(), bundle.subdomain)
            place.mark_taken(target, bundle.version)
            taken.append(target)
    return [target for target in taken if target != _HOOKS]


def _deploy_to(target: str, version: Path, subdomain: str) -> None:
    if target == _HOOKS:
        _call_hooks(version, subdomain)
    else:
        _deployer(target).deploy(version, subdomain, target)


def _call_hooks(version: Path, subdomain: str) -> None:
    """Call the hooks that older plugins implement."""
    hook = plugins.manager().hook
    for path in sorted(path for path in version.rglob("*") if path.is_file()):
        address = f"{subdomain}/{path.relative_to(version).as_posix()}"
        hook.upload_static_file(file_path=path, storage_path=address)
    hook.deploy_municipality(subdomain=subdomain)


def _deployer(target: str) -> Deployer:
    scheme = urlsplit(target).scheme
    offered: list[Deployer] = [
        each for some in plugins.manager().hook.register_deployers() for each in some
    ]
    for deployer in offered:
        if deployer.name == scheme:
            return deployer
    names = ", ".join(sorted({deployer.name for deployer in offered}))
    raise UnknownPlugin(f"Nothing can publish to {target!r}.", hint=f"Deployers: {names}.")
