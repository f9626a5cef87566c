"""Publishing: a compiled site becomes what readers are served.

::

    PUBLISH_DIR/{site} -> .versions/{site}/000007-4be0...     switched by one rename
        meetings.db      the compiled database
        index.json       site, state, counts, and every document with its origin and hash
        images/...       images of the pages, if the site wants them
        index.html ...   the static site (:mod:`clerk.publish.static_site`), unless turned off
        site.json        how the static site was made
        pagefind/...     its search index

A site is published with state ``text-only`` as soon as it is compiled and ``complete`` after
extraction; only as ``complete`` if extraction takes moments.  The search index of the static site
takes longer and follows as a version of its own (:func:`publish_search_index`); until then the
former one is served.  Publishing the same content again does nothing.  Whatever is killed on the
way leaves the old version or the new one, and the next publishing removes the rest.

Everything in a version is public (:mod:`clerk.core.public_text`).  Versions of an older format may
hold more than is public: they are removed as soon as a newer one is served.

Further targets (``deploy_to`` in the site's ``extra``, as in ``rsync://host/www``) are served by
deployers, which are plugins; clerk's own are registered here.  Each gets the finished version, and
is not asked again for a version it has.  Those that keep old versions keep as many as PUBLISH_KEEP
says, or the target itself: ``local:///srv/www?keep=5``.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from clerk.core import plugins
from clerk.core.config import Settings
from clerk.core.files import SiteFiles
from clerk.core.public_text import Gate
from clerk.core.site_extra import SiteRow
from clerk.core.storage import compiled_database
from clerk.site_db import about_site, digest_of_site

from .bundle import Bundle, index_workplace, open_bundle, remove_workplace
from .static_site import read_mark, static_site_of
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
    "publish_search_index",
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


def register_deployers() -> Iterable[Deployer]:
    """Offer clerk's own deployers."""
    from .rsync import Rsync
    from .s3 import S3
    from .targets import Local

    return [Local(), Rsync(), S3()]


def publish(
    site: SiteRow,
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
    # The lock comes first: of two publishers, the later one must not have opened the older bundle.
    with place.locked(), _bundle(site, folder, settings, place, complete=complete) as bundle:
        if not complete and place.serves(replace(bundle, complete=True).version):
            return PublishReport(place.link, bundle.version, False)
        return _serve(place, bundle, site, settings, keep)


def publish_search_index(
    site: SiteRow, folder: Path, settings: Settings, *, keep: int | None = None
) -> bool:
    """Bring the search index of the static site to the texts that are served.

    Returns whether a newer one is served now.  It is made without keeping others from publishing;
    if what is served changed in the meantime, whoever changed it makes the next one.  Whatever is
    killed on the way is done by the next call.
    """
    subdomain = str(site.get("subdomain") or folder.name)
    place = VersionedFolder(settings.published, subdomain)
    served, at_most = place.served(), settings.static_site_search_pages
    mark = read_mark(served)
    if served is None or mark is None:
        return False
    from .static_site import search_index

    if not search_index.engine_version():
        return False
    database = compiled_database(served)
    content = digest_of_site(folder, database)
    searched = f"{content} {search_index.rules(at_most)}"
    indexed = search_index.IndexedDatabase(database, searched)
    planned = None if searched == mark.searched else search_index.plan(indexed, at_most)
    if planned is None or planned.texts in ("", mark.search):
        remove_workplace(folder)
        return False
    with index_workplace(folder) as work:
        if work is None:
            # Another process is making it.
            return False
        index = search_index.build(database, planned, work, served)
        with place.locked(), _bundle(site, folder, settings, place, complete=True) as bundle:
            is_of_these = bundle.content == content and index.completes(bundle.previous)
            if bundle.static is None or not is_of_these:
                return False
            facts = replace(bundle.static.facts, search="current")
            static = replace(bundle.static, search=planned.texts, searched=searched, facts=facts)
            bundle = replace(bundle, static=static, search_index=index)
            return _serve(place, bundle, site, settings, keep).changed


@contextlib.contextmanager
def _bundle(
    site: SiteRow,
    folder: Path,
    settings: Settings,
    place: VersionedFolder,
    *,
    complete: bool,
) -> Iterator[Bundle]:
    """Open what is compiled of a site, with the static site it is to have."""
    gate = Gate.for_site(settings, site)
    files = SiteFiles(replace(settings, storage_dir=folder.parent), folder.name)
    with open_bundle(site, files, gate, complete=complete) as bundle:
        previous = place.served()
        about = about_site(settings, site, gate) | {"subdomain": folder.name}
        static = static_site_of(site, settings, gate, about, is_complete=complete)
        mark = read_mark(previous)
        if static and mark and mark.search:
            from .static_site import search_index

            at_most = settings.static_site_search_pages
            searched = f"{bundle.content} {search_index.rules(at_most)}"
            indexed = search_index.IndexedDatabase(bundle.database, searched)
            is_current = mark.searched == searched or (
                mark.search == search_index.plan(indexed, at_most).texts
            )
            facts = replace(static.facts, search="current" if is_current else "outdated")
            searched = searched if is_current else ""
            static = replace(static, search=mark.search, searched=searched, facts=facts)
        yield replace(bundle, static=static, previous=previous)


def _serve(
    place: VersionedFolder,
    bundle: Bundle,
    site: SiteRow,
    settings: Settings,
    keep: int | None,
) -> PublishReport:
    """Serve a version, here and at the further targets that do not have it."""
    deployed_to = []
    changed = place.serve(
        bundle.version,
        bundle.write_to,
        keep=keep or settings.publish_keep,
        instead_of=bundle.previous if bundle.search_index else None,
        from_spare=True,
    )
    subdomain = place.link.name
    for target in (_HOOKS, *further_targets(site)):
        if place.version_at(target) == bundle.version:
            continue
        version = place.link.resolve()
        if target == _HOOKS:
            # What older plugins implement.
            hook = plugins.manager().hook
            if hook.upload_static_file.get_hookimpls():
                for path in sorted(path for path in version.rglob("*") if path.is_file()):
                    address = f"{subdomain}/{path.relative_to(version).as_posix()}"
                    hook.upload_static_file(file_path=path, storage_path=address)
            hook.deploy_municipality(subdomain=subdomain)
        else:
            deployer = find_deployer(target)
            if isinstance(deployer, KeepsVersions):
                deployer = replace(deployer, keep=settings.publish_keep)
            deployer.deploy(version, subdomain, target)
        place.record_version_at(target, bundle.version)
        deployed_to.append(target)
    targets = [target for target in deployed_to if target != _HOOKS]
    return PublishReport(place.link, bundle.version, changed, targets)


def published_at(settings: Settings, subdomain: str) -> Path | None:
    """Return where a site is published on this machine, or None."""
    link = VersionedFolder(settings.published, subdomain).link
    return link if os.path.lexists(link) else None


def unpublish(settings: Settings, subdomain: str) -> bool:
    """Stop serving a site and delete all its versions; return whether it was published."""
    return VersionedFolder(settings.published, subdomain).remove()


def finish_deploy(site: SiteRow) -> None:
    """Call the hook that follows a deploy; the site is completed only if no plugin fails."""
    plugins.manager().hook.post_deploy(site=dict(site))
