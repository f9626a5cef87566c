"""What lies on disk, and where: the only module that builds paths of a site.

::

    STORAGE_DIR/
      clerk.db                                  the embedded database (no DATABASE_URL)
      _published/{subdomain}/                   published sites (no PUBLISH_DIR)
      _clerk/                                   clerk's own files
        search/                                 the search index over all sites
        workers/ uploads/ web/ pictures/        locks, uploaded files, the web's secret, page images
        pace/{host}                             when each host may be asked next
        reading/{key}/                          long documents that several processes read
        ocr-networks/{sha256}-...onnx           OCR networks, converted once
      {subdomain}/
        pdfs/{meeting}/{date}.pdf               minutes    } inputs, never deleted;
        _agendas/pdfs/{meeting}/{date}.pdf      agendas    } also .html and .docx
        txt/{meeting}/{date}/                   one directory per document, moved in whole:
            page-1.txt page-2.txt ...             the raw text of each page
            document.json                         how it was read: hash of the PDF, method per page
            words.json                            word boxes per page
            failed-pages.json                     only if some pages could not be read
        _agendas/txt/{meeting}/{date}/
        meetings.db                             the compiled database
        _clerk/                                 caches that can be made again
            extracted/{kind}/{meeting}/{date}.json  votes and entities found in a document
            compile.*                             used by the next build of meetings.db
            publish.lines                         the documents as index.json lists them
            sources.db                            where each document came from
            versions/{sha256}.pdf                 the bytes documents had before
            versions/{sha256}.text                the text that was read from them, packed
            incoming/ fetch.lock                  used by the fetch that is running

    PUBLISH_DIR/{subdomain} -> .versions/{subdomain}/...     a link, see clerk.publish.versions

A flat ``txt/{meeting}/{date}.txt`` of an older installation is a document too.  Nothing outside
this picture is ever written, and a directory under ``txt/`` appears by one rename: what the disk
shows is never half done.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import itertools
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path

from .errors import InvalidInput, InvalidSubdomain, StorageIncomplete, StorageUnusable
from .language import Message
from .public_text import Gate

MINUTES = "minutes"
AGENDAS = "agendas"
KINDS = (MINUTES, AGENDAS)
#: How the names of documents end that are no PDFs; a PDF's name has no ending.
OTHER_FORMATS = (".html", ".docx")

#: Where the documents of a kind lie below the site's directory.
_FOLDER_OF_KIND = {MINUTES: Path(), AGENDAS: Path("_agendas")}

_SUBDOMAIN = re.compile(r"[a-z0-9][a-z0-9.-]{0,62}")
#: The compiled database of a site.
SITE_DATABASE = "meetings.db"
#: The text of one page.
PAGE_FILE = re.compile(r"page-(\d+)\.txt")

#: Names in the storage directory that are files of clerk's own, or that SQLite keeps next to them.
_RESERVED = tuple(
    file + suffix
    for file in ("clerk.db", "sites.db")
    for suffix in ("", "-wal", "-shm", "-journal")
)

#: Knows no installation: what looks like a secret in a name does so everywhere.
_gate = Gate()

#: In a document's text directory: the list of pages that could not be read.
FAILED_PAGES = "failed-pages.json"
#: In a document's text directory: how it was read.
DOCUMENT_FACTS = "document.json"
#: In a document's text directory: the word boxes.
WORDS = "words.json"


def page_file(number: int) -> str:
    """Return the name of a page's text in a document's text directory."""
    return f"page-{number}.txt"


@dataclass(frozen=True, order=True)
class Document:
    """One document of a site, by where it is filed: ``minutes/CityCouncil/2024-01-15``.

    The name of a web page ends in .html, that of a Word document in .docx.
    """

    kind: str
    meeting: str
    date: str

    @cached_property
    def name(self) -> str:
        """The name used in the ledger, in exports and in messages."""
        return "/".join(part for part in (self.kind, self.meeting, self.date) if part)

    @classmethod
    def from_name(cls, name: str) -> Document:
        """Return the document of that name."""
        kind, _, rest = name.partition("/")
        meeting, _, date = rest.rpartition("/")
        odd = rest.startswith("/") or not {"..", "."}.isdisjoint(rest.split("/"))
        if kind not in KINDS or not date or odd:
            raise InvalidInput(
                f"{name!r} is not a document name, as in minutes/Council/2024-01-15."
            )
        return cls(kind, meeting, date)

    @classmethod
    def from_pdf(cls, pdf: Path, folder: Path) -> Document:
        """Return the document that a PDF below the site's folder is."""
        relative = pdf.relative_to(folder)
        kind = AGENDAS if relative.parts[0] == "_agendas" else MINUTES
        inside = relative.relative_to(_FOLDER_OF_KIND[kind] / "pdfs")
        name = inside.name if inside.name.endswith(OTHER_FORMATS) else inside.stem
        meeting = "" if inside.parent == Path() else inside.parent.as_posix()
        return cls(kind, meeting, name)

    @property
    def is_pdf(self) -> bool:
        """Whether it has pages that can be shown as images."""
        return not self.date.endswith(OTHER_FORMATS)

    def pdf(self, folder: Path) -> Path:
        """Return where its file lies below the site's folder, mostly a PDF."""
        name = f"{self.date}.pdf" if self.is_pdf else self.date
        return _place(folder, self.kind, "pdfs", self.meeting) / name

    def text(self, folder: Path) -> Path:
        """Return the directory of its text below the site's folder."""
        return _place(folder, self.kind, "txt", self.meeting) / self.date

    def flat_text(self, folder: Path) -> Path:
        """Return the single text file that an older installation has instead of a directory."""
        return _place(folder, self.kind, "txt", self.meeting) / f"{self.date}.txt"


@lru_cache(maxsize=256)
def _place(folder: Path, kind: str, what: str, meeting: str) -> Path:
    """Return where the documents of a meeting lie; it is asked for again and again."""
    return folder.joinpath(_FOLDER_OF_KIND[kind], what, meeting)


def check_subdomain(subdomain: str) -> str:
    """Return the subdomain, or refuse it: it becomes a directory and a host name."""
    if not _SUBDOMAIN.fullmatch(subdomain) or ".." in subdomain or subdomain in _RESERVED:
        raise InvalidSubdomain(
            Message("%(name)s is not a valid site name.", name=repr(subdomain)),
            hint="Use lower-case letters, digits, dots and hyphens, as in springfield.il.us.",
        )
    return subdomain


def site_folder(storage_dir: Path, subdomain: str) -> Path:
    """Return the directory of a site."""
    return storage_dir / check_subdomain(subdomain)


def own_files(folder: Path) -> Path:
    """Return the directory of clerk's own files in a site's or the storage directory."""
    return folder / "_clerk"


def sources_database(folder: Path) -> Path:
    """Return the file in which older installations recorded where documents came from."""
    return own_files(folder) / "sources.db"


def former_sources_database(folder: Path) -> Path:
    """Return where that file is put once the manifest knows what it says."""
    return own_files(folder) / "sources.db.taken-in"


def incoming_folder(folder: Path) -> Path:
    """Return where a site's documents are written before they get their names."""
    return own_files(folder) / "incoming"


def folder_rules(folder: Path) -> Path:
    """Return the file that tells by which rules the files of a source folder were named last."""
    return own_files(folder) / "folder.rules"


def fetch_lock(folder: Path) -> Path:
    """Return the lock file of the one process that fetches a site."""
    return own_files(folder) / "fetch.lock"


def former_version(folder: Path, sha256: str) -> Path:
    """Return where the bytes are kept that a document of a site had before."""
    return own_files(folder) / "versions" / f"{sha256}.pdf"


def former_text(folder: Path, sha256: str) -> Path:
    """Return where the text is kept that was read from the bytes a document had before."""
    return own_files(folder) / "versions" / f"{sha256}.text"


def remove_all(paths: Iterable[Path]) -> None:
    """Remove files and directories that are in nobody's use."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def compile_lock(folder: Path) -> Path:
    """Return the lock file of the one process that compiles a site."""
    return own_files(folder) / "compile.lock"


def compile_stamp(folder: Path) -> Path:
    """Return the file that tells how the last build left the database of a site."""
    return own_files(folder) / "compile.built"


def stored_database_stamp(folder: Path) -> Path:
    """Return the file that tells which object of the store the database of a site is."""
    return own_files(folder) / "database.stored"


def compile_part(folder: Path) -> Path:
    """Return the database of a site that is being compiled."""
    return own_files(folder) / "compile.part.db"


def published_part(folder: Path) -> Path:
    """Return the database of a site that is being published."""
    return own_files(folder) / "publish.part.db"


def search_index_workplace(folder: Path) -> Path:
    """Return where the search index of a published site is made."""
    return own_files(folder) / "search-index.part"


def published_lines(folder: Path) -> Path:
    """Return the file with the documents of a site as its published index lists them."""
    return own_files(folder) / "publish.lines"


def installation_mark(storage_dir: Path) -> Path:
    """Return the file that says which installation a storage directory belongs to."""
    return own_files(storage_dir) / "installation.json"


def cache_database(storage_dir: Path) -> Path:
    """Return the file that records which files of the store are on this machine."""
    return own_files(storage_dir) / "cache.db"


def cache_lock(storage_dir: Path, number: int) -> Path:
    """Return one of the lock files that keep files of the store from being removed."""
    folder = own_files(storage_dir) / "cache-locks"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{number:03x}"


def pace_folder(storage_dir: Path) -> Path:
    """Return the directory with one file per host that documents are fetched from."""
    return own_files(storage_dir) / "pace"


def machine_pace_folder() -> Path | None:
    """Return that directory for all installations of this user on the machine.

    None if it cannot be trusted: somebody else made it, or it is not a directory.
    """
    folder = Path(tempfile.gettempdir()) / f"clerk-pace-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        facts = folder.lstat()
    except OSError:
        return None
    is_own = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid()
    return folder if is_own and not facts.st_mode & 0o022 else None


def shared_reading_folder(storage_dir: Path) -> Path:
    """Return the directory of the long documents whose pages several processes read."""
    return own_files(storage_dir) / "reading"


def ocr_networks_folder(storage_dir: Path) -> Path:
    """Return the directory of the OCR networks that have been converted."""
    return own_files(storage_dir) / "ocr-networks"


def page_images_folder(storage_dir: Path) -> Path:
    """Return the directory of the page images that have been drawn."""
    return own_files(storage_dir) / "pictures"


def web_folder(storage_dir: Path) -> Path:
    """Return where the web keeps its secret, and files while they come in or go out."""
    return own_files(storage_dir) / "web"


def uploads_folder(storage_dir: Path) -> Path:
    """Return where uploaded files are kept."""
    return own_files(storage_dir) / "uploads"


def worker_lock(storage_dir: Path, worker: str) -> Path:
    """Return the lock file that a worker holds while it lives."""
    return own_files(storage_dir) / "workers" / f"{worker}.lock"


def extracted_file(folder: Path, document: Document) -> Path:
    """Return the file of the votes and entities that were found in a document of a site."""
    return own_files(folder) / "extracted" / f"{document.name}.json"


def compiled_database(folder: Path) -> Path:
    """Return the compiled database of a site, in its folder or in a published version."""
    return folder / SITE_DATABASE


def search_folder(storage_dir: Path) -> Path:
    """Return the directory of this machine's search index over all sites."""
    return own_files(storage_dir) / "search"


def old_search_index(storage_dir: Path) -> list[Path]:
    """Return the files of the search index of older versions."""
    own = own_files(storage_dir)
    return [*storage_dir.glob("sites.db*"), own / "search.lock", *own.glob("index.*")]


def published_link(published: Path, subdomain: str) -> Path:
    """Return the link that leads to the version of a site that readers are served."""
    return published / check_subdomain(subdomain)


def published_versions(published: Path, subdomain: str) -> Path:
    """Return the directory of a site's published versions."""
    return published / ".versions" / check_subdomain(subdomain)


def ignores_case(folder: Path) -> bool:
    """Whether the disk of a site treats names that differ only in case as the same."""
    return own_files(folder).exists() and (folder / "_CLERK").exists()


def cannot_write(path: Path, error: Exception) -> StorageUnusable:
    """Return the error to raise when one of clerk's own files cannot be written."""
    reason = getattr(error, "strerror", None) or error
    return StorageUnusable(
        f"{path} cannot be written to: {reason}.",
        hint="Free some space, fix the permissions, or set STORAGE_DIR to another folder.",
    )


def cannot_read(error: OSError, path: Path, doing: str = "read") -> StorageIncomplete:
    """Return the error to raise when a folder or a file of a site cannot be read."""
    return StorageIncomplete(
        f"{error.filename or path} cannot be {doing}: {error.strerror or error}.",
        hint="Correct its permissions or the disk; the work resumes by itself.",
    )


def is_empty(folder: Path) -> bool:
    """Whether a folder is missing or has nothing in it; False for one that cannot be listed."""
    try:
        return not any(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


@contextlib.contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Raise what the system reports about clerk's own files as StorageUnusable."""
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error) from error


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Callable[[bytes | memoryview], None]]:
    """Give a function that writes to a new file; only its errors become StorageUnusable."""

    def write(chunk: bytes | memoryview) -> None:
        with storage_errors(path.parent):
            file.write(chunk)

    with storage_errors(path.parent):
        file = path.open("wb")
    try:
        yield write
    finally:
        with storage_errors(path.parent):
            file.close()


def check_storage(storage_dir: Path, *, create: bool = False) -> Path:
    """Return the storage directory if it can be written to, else say what is wrong with it."""
    if create:
        try:
            storage_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unusable(storage_dir, error) from error
    if storage_dir.exists() and not storage_dir.is_dir():
        raise StorageUnusable(
            f"The storage directory {storage_dir} is not a folder but a file.",
            hint="Set STORAGE_DIR to a folder.",
        )
    if not storage_dir.is_dir():
        raise StorageUnusable(
            f"The storage directory {storage_dir} does not exist.",
            hint=f"Create it (mkdir -p {storage_dir}) or set STORAGE_DIR to another folder.",
        )
    try:
        with tempfile.TemporaryFile(dir=storage_dir):
            return storage_dir
    except OSError as error:
        raise _unusable(storage_dir, error) from error


@contextlib.contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Keep other processes that ask for the same folder waiting until the block ends."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _unusable(storage_dir: Path, error: OSError) -> StorageUnusable:
    return StorageUnusable(
        f"The storage directory {storage_dir} cannot be written to: {error.strerror}.",
        hint="Free space or correct its permissions, or set STORAGE_DIR to another folder.",
    )


def pdf_documents(folder: Path) -> Iterator[Document]:
    """Yield the documents of a site that have their file on disk, a PDF or another format."""
    for kind in KINDS:
        for parent, name in _files_below(folder / _FOLDER_OF_KIND[kind] / "pdfs"):
            if name.endswith(".pdf"):
                yield Document(kind, parent, name[:-4])
            elif name.endswith(OTHER_FORMATS):
                yield Document(kind, parent, name)


def text_documents(folder: Path, *, incomplete: bool = False) -> Iterator[Document]:
    """Yield the documents of a site that have been read, each once, however many pages it has.

    One whose reading left holes (:data:`FAILED_PAGES`) is only among them if asked for.
    """
    for kind in KINDS:
        found: dict[tuple[str, str], bool] = {}
        for parent, name in _files_below(folder / _FOLDER_OF_KIND[kind] / "txt"):
            document = _document_of_text(parent, name)
            if document:
                found[document] = found.get(document, True) and name != FAILED_PAGES
        for (meeting, date), complete in found.items():
            if complete or incomplete:
                yield Document(kind, meeting, date)


def has_text(folder: Path) -> bool:
    """Whether any document of a site has been read; looks no further than the first."""
    roots = (folder / _FOLDER_OF_KIND[kind] / "txt" for kind in KINDS)
    return any(_document_of_text(*found) for root in roots for found in _files_below(root))


def _document_of_text(parent: str, name: str) -> tuple[str, str] | None:
    """Return the meeting and date of the document that a file below ``txt`` belongs to."""
    if name == FAILED_PAGES:
        meeting, _, date = parent.rpartition("/")
        return meeting, date
    if not name.endswith(".txt"):
        return None
    if "/" in parent or PAGE_FILE.fullmatch(name):
        meeting, _, date = parent.rpartition("/")
        return meeting, date
    return parent, name[:-4]


def unusable_names(folder: Path) -> list[str]:
    """Return the PDFs of a site that are passed over because of their names, secrets hidden.

    No database can hold a name that is not UTF-8, and one with a secret must not be published.
    """
    found = []
    for kind in KINDS:
        pdfs = _FOLDER_OF_KIND[kind] / "pdfs"
        for parent, names in _folders_below(folder / pdfs):
            if _is_usable("\n".join((parent, *names))):
                continue
            for name in sorted(names):
                if not name.endswith((".pdf", *OTHER_FORMATS)) or name.startswith("."):
                    continue
                if not (_is_usable(parent) and _is_usable(name)):
                    readable = os.fsencode(pdfs / parent / name).decode(errors="backslashreplace")
                    found.append(_gate.without_secrets(readable))
    return found


def _files_below(root: Path) -> Iterator[tuple[str, str]]:
    """Yield (folder relative to root, name) of every file whose name can be stored and shown.

    Symlinked folders are not entered, nor hidden ones: those are what a killed writer left.
    """
    for parent, names in _folders_below(root):
        for name in sorted(names):
            if not name.startswith(".") and _is_usable(parent) and _is_usable(name):
                yield parent, name


@lru_cache(maxsize=4096)
def _is_usable(name: str) -> bool:
    """Whether a name on disk is UTF-8 (the system allows any bytes) and without a secret."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return _gate.allows_name(name)


def _folders_below(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder, relative to root, with the names of its files, hidden ones too.

    Raises StorageIncomplete for one that cannot be listed: it must not look as if it were empty.
    """

    def refuse(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            raise cannot_read(error, root, "listed") from error

    top = len(str(root)) + 1
    for folder, subfolders, names in os.walk(root, onerror=refuse):
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        yield folder[top:], names


def sha256_of(path: Path) -> str:
    """Return the hash of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


#: Where a killed writer may have left something, below a site's folder.
_PLACES_OF_PARTS = ("", "_clerk/", "_clerk/*/", "txt/", "txt/*/", "_agendas/txt/*/")
_part_numbers = itertools.count()
_PART = re.compile(r"\..*\.by-(?P<host>[0-9a-f]{8})-(?P<process>[0-9]+)-[^.]*\.part")


def _part_prefix(target: Path) -> str:
    """Begin the name of what is in work, so that it tells who works on it."""
    return f".{target.name[:60]}.by-{_host()}-{os.getpid()}-"


@cache
def _host() -> str:
    return hashlib.sha256(os.uname().nodename.encode()).hexdigest()[:8]


def sweep_parts(folder: Path) -> None:
    """Remove what processes of this machine that are dead have left half written in a site."""
    for place in _PLACES_OF_PARTS:
        for part in folder.glob(f"{place}.*.part"):
            writer = _PART.fullmatch(part.name)
            if writer and writer["host"] == _host() and not _is_alive(int(writer["process"])):
                shutil.rmtree(part, ignore_errors=True)
                with contextlib.suppress(OSError):
                    part.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


@contextlib.contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Give a temporary path next to the target and move it there when the block succeeds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=_part_prefix(path), suffix=".part", dir=path.parent)
    os.close(handle)
    part = Path(name)
    try:
        yield part
        part.chmod(0o644)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def workplace(target: Path) -> Iterator[Path]:
    """Give a temporary directory next to the target, and remove it when the block ends."""
    while True:
        folder = target.with_name(f"{_part_prefix(target)}{next(_part_numbers)}.part")
        try:
            folder.mkdir(0o755)
            break
        except FileExistsError:
            # A dead process of this number has left it.
            continue
    try:
        yield folder
    finally:
        if os.path.lexists(folder):
            shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def directory_written_whole(target: Path) -> Iterator[Path]:
    """Give a temporary directory next to the target and move it there when the block succeeds.

    A directory that is already there is swapped out, so that readers see the old or the new one.
    """
    if not target.parent.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
    with workplace(target) as part:
        yield part
        part.chmod(0o755)
        try:
            part.rename(target)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
            if _exchange(part, target):
                return
            aside = part.with_suffix(".old")
            target.rename(aside)
            part.rename(target)
            if aside.is_dir():
                shutil.rmtree(aside, ignore_errors=True)
            else:
                aside.unlink(missing_ok=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two paths in one step where the system can (Linux)."""
    import ctypes

    at_fdcwd, rename_exchange = -100, 2
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    done = renameat2(at_fdcwd, os.fsencode(one), at_fdcwd, os.fsencode(other), rename_exchange)
    return bool(done == 0)
