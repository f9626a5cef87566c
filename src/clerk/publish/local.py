"""Publishing into another folder of this machine: ``local:///srv/www``."""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

from clerk.site_db.holdings import digest_of

from .bundle import INDEX
from .targets import keep_of
from .versions import VersionedFolder, version_name


class Local:
    """A folder with versions and a link per site, as the folder of published sites is."""

    name = "local"

    def deploy(self, version: Path, subdomain: str, target: str) -> None:
        """Copy the version and switch the link."""
        place = VersionedFolder(Path(unquote(urlsplit(target).path)), subdomain)
        name = version_name(digest_of((version / INDEX).read_bytes()))
        with place.locked():
            place.show(name, lambda folder: _copy(version, folder), keep=keep_of(target))


def _copy(version: Path, folder: Path) -> None:
    shutil.copytree(version, folder, dirs_exist_ok=True)
