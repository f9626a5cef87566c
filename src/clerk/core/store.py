"""The store: objects under names that never change, in a bucket that every machine can reach.

::

    {STORAGE_URL}/
      installation.json                     which installation it belongs to
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
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from . import storage
from .errors import ObjectDamaged, ObjectMissing, StoreUnavailable, WrongInstallation

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

_SHA256 = re.compile(r"[0-9a-f]{64}")
#: What a server says when it does not know who we are, or that we may not do this.
_REFUSED = (
    *("InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "AuthorizationFailed"),
    *("InvalidToken", "ExpiredToken", "AuthenticationFailed", "Forbidden", "Unauthorized"),
    *("AuthorizationHeaderMalformed", "MissingCredentials"),
)


@dataclass(frozen=True)
class StoredObject:
    """An object as the store lists it."""

    key: str
    bytes: int
    modified_at: datetime


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
                hint="Restore it from a backup, or write it again: clerk doctor says the id.",
            ) from error

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
                hint="Correct STORAGE_URL or DATABASE_URL: both must be of the same installation.",
            )

    def _damaged(self, key: str) -> ObjectDamaged:
        return ObjectDamaged(
            f"{self.url}/{key} has another content than its name says.",
            hint="It is read again from its source by: clerk reconcile-pipeline --scan",
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
            if "NoSuchBucket" in str(error) or key == self.url:
                raise self._unavailable("there is no such bucket", _NO_BUCKET) from error
            raise ObjectMissing(f"{place} is not there.", hint=_MISSING) from error
        except (BaseError, PermissionError, ValueError, OSError) as error:
            said = str(error)
            if isinstance(error, PermissionError) or any(word in said for word in _REFUSED):
                raise self._unavailable("access was refused", _KEYS) from error
            if "NoSuchBucket" in said:
                raise self._unavailable("there is no such bucket", _NO_BUCKET) from error
            if "canonicalize" in said:
                raise self._unavailable("there is no such folder", _NO_FOLDER) from error
            if "status code: 301" in said or "PermanentRedirect" in said:
                raise self._unavailable("the bucket is in another region", _REGION) from error
            if "builder error" in said:
                raise self._unavailable("its endpoint is not https", _HTTP) from error
            raise self._unavailable(_first_words(said), _ANSWER) from error

    def _unavailable(self, why: str, hint: str) -> StoreUnavailable:
        return StoreUnavailable(f"The store {self.url} cannot be used: {why}.", hint=hint)


_NO_BUCKET = "Create the bucket, or correct STORAGE_URL. The work resumes by itself."
_NO_FOLDER = "Mount or create the folder, or correct STORAGE_URL. The work resumes by itself."
_KEYS = (
    "Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or your provider's variables), and what"
    " they may do: read, write, list, delete."
)
_REGION = "Set AWS_REGION to the bucket's region."
_HTTP = "Use an https endpoint in AWS_ENDPOINT_URL, or set AWS_ALLOW_HTTP=true."
_ANSWER = "Check the endpoint (AWS_ENDPOINT_URL) and the network. The work resumes by itself."
_MISSING = "Restore it from a backup, or let it be read again: clerk reconcile-pipeline --scan"

_HTTP_STATUS = re.compile(r"status code: (\d{3} [A-Za-z ]+)")


def _first_words(said: str) -> str:
    """Return what a person can do something with: the status, or that nobody answered."""
    status = _HTTP_STATUS.search(said)
    if status:
        return f"it answered {status[1].strip()}"
    if "No space left" in said or "os error 28" in said:
        return "it is full"
    if "Read-only" in said or "os error 30" in said:
        return "it is read-only"
    return "it does not answer"
