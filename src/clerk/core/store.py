"""The store: objects under names that never change, in a bucket that every machine can reach.

::

    {STORAGE_URL}/
      installation.json                     which installation it belongs to
      probe.json                            written by clerk doctor, to see that it can be
      pdf/{sha256}                          the bytes of a document
      text/{sha256}                         the text of a document: pages, words and facts in one
      findings/{sha256}                     the votes and names found in a text
      database/{sha256}                     a compiled meetings.db

An object is named by the hash of its content, written once and checked whenever it is read; texts
and findings are compressed, and named by what they are uncompressed.  What a store answers about
itself (no such bucket, wrong keys, no answer) is the operator's problem and never a document's.

obstore keeps threads that do not survive a fork: a process that has used a store must not fork
children that use one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from . import storage
from .errors import MissingTool, ObjectDamaged, ObjectMissing, StoreUnavailable, WrongInstallation

if TYPE_CHECKING:
    from obstore.store import ObjectStore

#: How long a store may take to answer, all repetitions included.
ANSWER_SECONDS: Final = 60.0
CONNECT_SECONDS: Final = 5.0
RETRIES: Final = 4

PDF: Final = "pdf"
TEXT: Final = "text"
FINDINGS: Final = "findings"
DATABASE: Final = "database"
KINDS: Final = (PDF, TEXT, FINDINGS, DATABASE)
_COMPRESSED = (TEXT, FINDINGS)
_COMPRESSION_LEVEL: Final = 6

INSTALLATION: Final = "installation.json"
#: Written by clerk doctor, read by nobody.
PROBE: Final = "probe.json"

_SHA256 = re.compile(r"[0-9a-f]{64}")
_KEY = re.compile(rf"(?:{'|'.join(KINDS)})/(?P<sha256>[0-9a-f]{{64}})")


@dataclass(frozen=True)
class StoredObject:
    """An object as the store lists it."""

    key: str
    bytes: int
    modified_at: datetime

    @property
    def sha256(self) -> str:
        """The hash that it is named by; empty if clerk would not have named it so."""
        found = _KEY.fullmatch(self.key)
        return found["sha256"] if found else ""


def key_of(kind: str, sha256: str) -> str:
    """Return the name of an object."""
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"{sha256!r} is not a SHA-256")
    return f"{kind}/{sha256}"


#: The process that has started obstore's threads.
_used_by_process: int | None = None


class Store:
    """One bucket or folder, used by one process."""

    def __init__(self, url: str, *, allow_http: bool = False) -> None:
        if find_spec("obstore") is None:
            raise MissingTool.packages_of("server", "A bucket (STORAGE_URL)")
        self.url = url
        self._allow_http = allow_http

    @cached_property
    def _objects(self) -> ObjectStore:
        # Loading it takes longer than most commands.
        from obstore.store import from_url

        global _used_by_process
        if _used_by_process not in (None, os.getpid()):
            raise RuntimeError("a process that had used a store has forked; its child would hang")
        _used_by_process = os.getpid()

        options: dict[str, Any] = {}
        if self.url.startswith("file:"):
            options["mkdir"] = False
        else:
            options["client_options"] = {
                "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
                "timeout": timedelta(seconds=ANSWER_SECONDS),
                "allow_http": self._allow_http,
            }
            options["retry_config"] = {
                "max_retries": RETRIES,
                "retry_timeout": timedelta(seconds=ANSWER_SECONDS),
            }
        with self._explained(self.url):
            return from_url(self.url, **options)

    def put(self, kind: str, sha256: str, content: Path | bytes) -> None:
        """Store an object under the hash of its content, unless it is there already."""
        import obstore
        from obstore.exceptions import AlreadyExistsError

        key = key_of(kind, sha256)
        if kind in _COMPRESSED:
            plain = content.read_bytes() if isinstance(content, Path) else content
            content = zlib.compress(plain, _COMPRESSION_LEVEL)
        with self._explained(key), contextlib.suppress(AlreadyExistsError):
            obstore.put(self._objects, key, content, mode="create", use_multipart=False)

    def get(self, kind: str, sha256: str) -> bytes:
        """Return an object; one with other content than its name says is refused."""
        import obstore

        key = key_of(kind, sha256)
        with self._explained(key):
            content = bytes(obstore.get(self._objects, key).bytes())
        if kind in _COMPRESSED:
            try:
                content = zlib.decompress(content)
            except zlib.error as error:
                raise self._damaged(key) from error
        if hashlib.sha256(content).hexdigest() != sha256:
            raise self._damaged(key)
        return content

    def get_into(self, kind: str, sha256: str, target: Path) -> None:
        """Write a PDF or database to a file, which appears whole and checked or not at all."""
        import obstore

        key = key_of(kind, sha256)
        digest = hashlib.sha256()
        target.parent.mkdir(parents=True, exist_ok=True)
        with storage.written_whole(target) as part:
            with self._explained(key), storage.writing(part) as write:
                for chunk in obstore.get(self._objects, key):
                    digest.update(chunk)
                    write(memoryview(chunk))
            if digest.hexdigest() != sha256:
                raise self._damaged(key)

    def exists(self, kind: str, sha256: str) -> bool:
        """Whether the store has an object."""
        import obstore

        key = key_of(kind, sha256)
        try:
            with self._explained(key):
                obstore.head(self._objects, key)
        except ObjectMissing:
            return False
        return True

    def listing(self, kind: str) -> Iterator[StoredObject]:
        """Yield all objects of a kind, for retention."""
        import obstore

        with self._explained(kind):
            for group in obstore.list(self._objects, f"{kind}/"):
                for each in group:
                    yield StoredObject(each["path"], each["size"], each["last_modified"])

    def delete(self, keys: Sequence[str]) -> None:
        """Remove objects; those that are not there are no error."""
        import obstore

        with self._explained(keys[0] if keys else ""):
            if not self.url.startswith("file:"):
                obstore.delete(self._objects, list(keys))
                return
            for key in keys:
                with contextlib.suppress(FileNotFoundError):
                    obstore.delete(self._objects, key)

    def installation(self) -> str | None:
        """Return the id of the installation that the store belongs to, None for a new store."""
        import obstore

        try:
            with self._explained(INSTALLATION):
                content = bytes(obstore.get(self._objects, INSTALLATION).bytes())
            return str(json.loads(content)["id"])
        except ObjectMissing:
            return None
        except (ValueError, KeyError, TypeError) as error:
            raise StoreUnavailable(
                f"{self.url}/{INSTALLATION} is damaged.",
                hint="Restore it from a backup, or write it again: clerk doctor shows the id.",
            ) from error

    def check_writable(self) -> None:
        """Write a small object that means nothing; raises StoreUnavailable if that is refused."""
        import obstore

        with self._explained(PROBE):
            obstore.put(self._objects, PROBE, b"{}")

    def claim_for(self, installation: str) -> None:
        """Mark a new store as this installation's; refuse the store of another one."""
        import obstore
        from obstore.exceptions import AlreadyExistsError

        found = self.installation()
        if found is None:
            content = json.dumps({"id": installation}).encode()
            with self._explained(INSTALLATION), contextlib.suppress(AlreadyExistsError):
                obstore.put(self._objects, INSTALLATION, content, mode="create")
            found = self.installation()
        if found != installation:
            raise WrongInstallation(
                f"{self.url} belongs to the installation {found}, this database to {installation}.",
                hint="Correct STORAGE_URL or DATABASE_URL; they must belong to one installation.",
            )

    def _damaged(self, key: str) -> ObjectDamaged:
        return ObjectDamaged(
            f"The content of {self.url}/{key} does not match its name.",
            hint="To read it again from its source: clerk reconcile-pipeline --scan",
        )

    @contextlib.contextmanager
    def _explained(self, key: str) -> Iterator[None]:
        """Turn what obstore says into clerk's errors; its own messages may contain keys."""
        from obstore.exceptions import AlreadyExistsError, BaseError

        place = key if "://" in key else f"{self.url}/{key}"
        try:
            yield
        except AlreadyExistsError:
            raise
        except FileNotFoundError as error:
            if key == self.url or any(word in str(error) for word in _WORDS["no bucket"]):
                raise self._unavailable("there is no such bucket", _NO_BUCKET) from error
            raise ObjectMissing(f"{place} does not exist.", hint=_MISSING) from error
        except (BaseError, PermissionError, ValueError, OSError) as error:
            raise self._unavailable(*_trouble(error, self.url)) from error

    def _unavailable(self, why: str, hint: str) -> StoreUnavailable:
        return StoreUnavailable(f"The store {self.url} cannot be used: {why}.", hint=hint)


_NO_BUCKET = "Create the bucket, or correct STORAGE_URL. The work resumes by itself."
_NO_FOLDER = "Mount or create the folder, or correct STORAGE_URL. The work resumes by itself."
_REGION = "Set AWS_REGION to the bucket's region."
_HTTP = "Use an https endpoint, or set AWS_ALLOW_HTTP=true."
_FULL = "Free space there or raise its limit. The work resumes by itself."
_READ_ONLY = "Allow clerk to write there. The work resumes by itself."
_MISSING = (
    "Restore it from a backup, or read it again from its source: clerk reconcile-pipeline --scan"
)

_S3_KEYS: Final = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
#: Where each kind of store takes its keys and its endpoint from.
_KEYS: Final = {
    "gs": "GOOGLE_SERVICE_ACCOUNT (the file of a service account)",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    "s3": _S3_KEYS,
}
_ENDPOINTS: Final = {"s3": " (AWS_ENDPOINT_URL)", "az": " (AZURE_STORAGE_ENDPOINT)"}

_HTTP_STATUS = re.compile(r"status code: (\d{3})\b ?([A-Za-z ]*)")
#: What servers and libraries say, which have no numbers for it in common.
_WORDS: Final = {
    "region": (
        *("AuthorizationHeaderMalformed", "PermanentRedirect", "IncorrectEndpoint"),
        "incorrectly configured region",
    ),
    "no bucket": ("NoSuchBucket", "ContainerNotFound", "bucket does not exist"),
    "no folder": ("canonicalize",),
    "full": (
        *("No space left", "os error 28", "StorageFull", "InsufficientStorage", "QuotaExceeded"),
        *("os error 122", "AccountStorageQuota"),
    ),
    "read-only": ("Read-only", "os error 30"),
    "refused": (
        *("InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "AuthorizationFailed"),
        *("InvalidToken", "ExpiredToken", "AuthenticationFailed", "Forbidden", "Unauthorized"),
        *("MissingCredentials", "credential", "Credential", "token request", "must be specified"),
        *("InvalidAuthenticationInfo", "invalid key", "Unable to decode"),
    ),
    "not https": ("builder error", "URL scheme is not allowed"),
}
_STATUSES: Final = {301: "region", 307: "region", 401: "refused", 403: "refused", 507: "full"}


def _trouble(error: Exception, url: str) -> tuple[str, str]:
    """Return what is wrong with a store in a few words, and what to do about it."""
    said = str(error)
    status = _HTTP_STATUS.search(said)
    kind = _STATUSES.get(int(status[1])) if status else None
    if isinstance(error, PermissionError):
        kind = "refused"
    # What the server says in words is more exact than its number.
    kind = next((name for name, words in _WORDS.items() if any(w in said for w in words)), kind)
    provider = url.partition("://")[0].removesuffix("a")
    provider = "az" if provider not in ("s3", "gs", "file") else provider
    match kind:
        case "region":
            return "the bucket is in another region", _REGION
        case "refused" if provider == "file":
            return "access was refused", "Correct the permissions of the folder."
        case "refused":
            allow = "and what they may do: read, write, list, delete"
            return "access was refused", f"Correct {_KEYS[provider]}, {allow}."
        case "no bucket":
            return "there is no such bucket", _NO_BUCKET
        case "no folder":
            return "there is no such folder", _NO_FOLDER
        case "full":
            return "it is full", _FULL
        case "read-only":
            return "it is read-only", _READ_ONLY
        case "not https":
            return "its endpoint is not https", _HTTP
    found = f"it answered {status[1]} {status[2]}".strip() if status else "it does not answer"
    endpoint = _ENDPOINTS.get(provider, "")
    return found, f"Check the endpoint{endpoint} and the network. The work resumes by itself."
