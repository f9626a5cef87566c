"""Publishing to S3 and compatible stores: ``s3://bucket/prefix?endpoint=https://host``.

::

    {prefix}/{site}/{version}/meetings.db ...     never overwritten
    {prefix}/{site}/index.json                    written last: names the version to read

Keys and region come from where boto3 finds them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from clerk.core.distribution import install_command
from clerk.core.errors import MissingTool, SourceUnavailable

from .bundle import INDEX
from .targets import KeepsVersions, option_of
from .versions import is_of_this_format

#: Readers may still use the version before.
_KEEP_AT_LEAST = 2


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


def _upload(client: Any, bucket: str, base: str, version: Path, index: dict[str, Any]) -> None:
    for path in sorted(path for path in version.rglob("*") if path.is_file()):
        name = path.relative_to(version).as_posix()
        client.upload_file(str(path), bucket, f"{base}/{index['version']}/{name}")
    index["database"] = f"{index['version']}/{index['database']}"
    body = json.dumps(index, ensure_ascii=False).encode()
    client.put_object(
        Bucket=bucket, Key=f"{base}/{INDEX}", Body=body, ContentType="application/json"
    )


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
