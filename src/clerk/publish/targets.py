"""Where a site is published besides this machine: targets, and the deployers that serve them."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import parse_qs, unquote, urlsplit

from clerk.core import plugins
from clerk.core.errors import BadSetting, UnknownPlugin
from clerk.core.site_extra import SiteRow, site_choices

from .bundle import INDEX
from .versions import VersionedFolder


class Deployer(Protocol):
    """A way to copy a published version to a target."""

    #: The scheme of the targets it serves: ``rsync`` for ``rsync://host/www``.
    name: str

    def deploy(self, version: Path, subdomain: str, target: str) -> None:
        """Make the target show the files below ``version``; raise to have it tried again.

        May be called again with the same version, and has then nothing or the rest to do.
        """


@dataclass(frozen=True)
class KeepsVersions:
    """Base of deployers whose targets keep former versions; ``keep`` is set to PUBLISH_KEEP."""

    keep: int = 3

    def versions_to_keep(self, target: str) -> int:
        """Return how many versions stay at a target, which may say so itself: ``?keep=5``."""
        given = option_of(target, "keep")
        if given is None:
            return self.keep
        if not given.isdecimal() or int(given) < 1:
            raise BadSetting(f"{target}: keep must be a whole number of at least 1, not {given!r}.")
        return int(given)


class Local(KeepsVersions):
    """Another folder of this machine, with versions and a link per site: ``local:///srv/www``."""

    name = "local"

    def deploy(self, version: Path, subdomain: str, target: str) -> None:
        """Copy the version and switch the link."""
        place = VersionedFolder(Path(unquote(urlsplit(target).path)), subdomain)
        name = str(json.loads((version / INDEX).read_text())["version"])

        def copy(folder: Path, _stale: object) -> None:
            shutil.copytree(version, folder, dirs_exist_ok=True)

        with place.locked():
            place.serve(name, copy, keep=self.versions_to_keep(target))


def option_of(target: str, name: str) -> str | None:
    """Return one option from the query of a target, or None."""
    given = parse_qs(urlsplit(target).query).get(name)
    return given[-1] if given else None


def further_targets(site: SiteRow) -> list[str]:
    """Return the targets a site is published to in addition to this machine."""
    return list(site_choices(site).targets)


def check_targets(site: SiteRow) -> None:
    """Refuse a target that no deployer serves."""
    for target in further_targets(site):
        find_deployer(target)


def find_deployer(target: str) -> Deployer:
    """Return the deployer that serves a target, a plugin's own before clerk's."""
    scheme = urlsplit(target).scheme
    offered: list[Deployer] = [
        each for some in plugins.manager().hook.register_deployers() for each in some
    ]
    for deployer in offered:
        if deployer.name == scheme:
            return deployer
    names = ", ".join(sorted({deployer.name for deployer in offered}))
    raise UnknownPlugin(f"No deployer serves {target!r}.", hint=f"Deployers: {names}.")
