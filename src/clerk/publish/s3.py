"""Publishing to S3 and compatible stores: ``s3://bucket/prefix?endpoint=https://host``.

::

    {prefix}/{site}/{version}/meetings.db ...     never overwritten
    {prefix}/{site}/index.html ...                the static site; only files that changed are sent
    {prefix}/{site}/files.json                    which files of the static site the bucket has
    {prefix}/{site}/index.json                    written last: names the version to read

A bucket cannot exchange many objects at once.  Each page is replaced whole, pages are sent before
those that list them, and what is gone is deleted last; a deploy that is killed is completed by the
next.  Keys and region come from where boto3 finds them.
"""

from __future__ import annotations

import contextlib
import json
import mimetypes
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from clerk.core.distribution import install_command
from clerk.core.errors import MissingTool, SourceUnavailable

from .bundle import INDEX
from .static_site import OF_THE_VERSION, SITE_FILE
from .targets import KeepsVersions, option_of
from .versions import is_of_this_format

#: Readers may still use the version before.
_KEEP_AT_LEAST = 2
#: Which files of the static site the bucket has, with the hash of each.
_FILES = "files.json"
#: What the table of the machine may not know.
_KINDS = {".atom": "application/atom+xml", ".ics": "text/calendar", ".js": "text/javascript"}


def _boto3_client(endpoint: str | None) -> Any:
    try:
        import boto3  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError as error:
        raise MissingTool(
            "Publishing to S3 needs boto3.", hint=f"Install it: {install_command(extra='s3')}"
        ) from error
    # A session of its own: the shared one would keep keys that were changed meanwhile.
    return boto3.session.Session().client("s3", endpoint_url=endpoint)


@dataclass(frozen=True)
class S3(KeepsVersions):
    """A bucket; ``client`` makes what boto3 calls a client for an endpoint."""

    name = "s3"
    client: Callable[[str | None], Any] = _boto3_client

    def deploy(self, version: Path, subdomain: str, target: str) -> None:
        """Upload the files of the version, then the index that names it; delete old versions."""
        address = urlsplit(target)
        client = self.client(option_of(target, "endpoint"))
        keep = max(self.versions_to_keep(target), _KEEP_AT_LEAST)
        base = "/".join(part for part in (address.path.strip("/"), subdomain) if part)
        index = json.loads((version / INDEX).read_text())
        try:
            _upload(client, address.netloc, base, version, index)
            _delete_old(client, address.netloc, base, index["version"], keep)
        except OSError as error:
            raise SourceUnavailable(f"{target} cannot be reached: {error}.") from error
        except Exception as error:  # boto3 creates its classes at run time
            if type(error).__module__.partition(".")[0] not in ("botocore", "boto3"):
                raise
            raise SourceUnavailable(f"{target} refuses the files: {error}.") from error


def _upload(client: Any, bucket: str, base: str, version: Path, index: dict[str, object]) -> None:
    files = {
        path.relative_to(version).as_posix(): path for path in version.rglob("*") if path.is_file()
    }
    own = {name: path for name, path in files.items() if name.split("/")[0] in OF_THE_VERSION}
    for name, path in sorted(own.items()):
        if name != SITE_FILE:
            _send(client, bucket, f"{base}/{index['version']}/{name}", path)
    index["database"] = f"{index['version']}/{index['database']}"
    pages = {} if SITE_FILE not in files else files.keys() - {INDEX, "meetings.db"}
    _upload_pages(client, bucket, base, {name: files[name] for name in pages})
    if pages:
        copied = {"Bucket": bucket, "Key": f"{base}/{index['database']}"}
        client.copy_object(Bucket=bucket, Key=f"{base}/meetings.db", CopySource=copied)
    body = json.dumps(index, ensure_ascii=False).encode()
    client.put_object(
        Bucket=bucket, Key=f"{base}/{INDEX}", Body=body, ContentType="application/json"
    )


def _upload_pages(client: Any, bucket: str, base: str, pages: dict[str, Path]) -> None:
    """Make the bucket have these files of a static site, and no others."""
    wanted = {name: _hash(path) for name, path in pages.items()}
    known: dict[str, str] = {}
    try:
        listed = client.get_object(Bucket=bucket, Key=f"{base}/{_FILES}")["Body"].read()
        with contextlib.suppress(ValueError):
            known = dict(json.loads(listed))
    except Exception as error:  # boto3 creates its classes at run time
        code = getattr(error, "response", {}).get("Error", {}).get("Code")
        if code not in ("NoSuchKey", "404"):
            raise
    changed = [name for name, content in wanted.items() if known.get(name) != content]
    gone = known.keys() - wanted.keys()
    if not (changed or gone):
        return

    def record(files: dict[str, str]) -> None:
        body = json.dumps(dict(sorted(files.items())), indent=0).encode()
        client.put_object(
            Bucket=bucket, Key=f"{base}/{_FILES}", Body=body, ContentType="application/json"
        )

    # What a deploy that is killed has sent or deleted is not known: it is sent again.
    record(known | dict.fromkeys(changed, ""))
    for name in sorted(changed, key=lambda name: (-name.count("/"), name == "index.html", name)):
        _send(client, bucket, f"{base}/{name}", pages[name])
    for name in gone:
        client.delete_object(Bucket=bucket, Key=f"{base}/{name}")
    record(wanted)


def _send(client: Any, bucket: str, key: str, path: Path) -> None:
    kind = _KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    kind = kind or "application/octet-stream"
    if kind.startswith("text/"):
        kind += "; charset=utf-8"
    client.upload_file(str(path), bucket, key, ExtraArgs={"ContentType": kind})


def _hash(path: Path) -> str:
    return blake2b(path.read_bytes(), digest_size=16).hexdigest()


def _delete_old(client: Any, bucket: str, base: str, version: str, keep: int) -> None:
    """Delete all but the newest versions, by when their index was uploaded, and older formats."""
    pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{base}/")
    objects = [each for page in pages for each in page.get("Contents", ())]
    uploaded_at = {
        each["Key"].split("/")[-2]: each["LastModified"]
        for each in objects
        if each["Key"].endswith(f"/{INDEX}") and each["Key"] != f"{base}/{INDEX}"
    }
    others = sorted(
        uploaded_at.keys() - {version}, key=lambda name: uploaded_at[name], reverse=True
    )
    kept = set(filter(is_of_this_format, others[: keep - 1]))
    old = tuple(f"{base}/{name}/" for name in others if name not in kept)
    for each in objects:
        if old and each["Key"].startswith(old):
            client.delete_object(Bucket=bucket, Key=each["Key"])
