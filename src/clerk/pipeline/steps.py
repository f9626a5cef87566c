"""The steps of the pipeline as a child process does them: files in, files out.

Each takes an order and the item's index and returns what the next step needs to know.
"""

from __future__ import annotations

import errno
import json
import stat
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from clerk.core import config, storage
from clerk.core.config import Settings
from clerk.core.errors import (
    BadSetting,
    DocumentError,
    FileGone,
    MissingTool,
    OperatorError,
    SiteMisconfigured,
    StorageIncomplete,
    StorageUnusable,
    UnusableTraineddata,
)
from clerk.core.states import Step
from clerk.executors.child_process import Order, OrderItem, Performed, Report
from clerk.read import shared_pages
from clerk.read.shared_pages import folder_of_desks, offered

from .blame import pages_blamed

if TYPE_CHECKING:
    from clerk.fetch.base import FetchReport
    from clerk.read.documents import ReadingOptions

#: Steps over a whole site have no pages to count their time by.
FETCH_SECONDS = 6 * 3600.0
SITE_SECONDS = 2 * 3600.0

#: Not a step of its own: some pages of a document that another process reads.
ASSIST = "assist"
#: So many pages are ordered at once; the order is cut short when time is up.
ASSISTED_PAGES = 20

#: Steps that come after the reading: without any text they would publish an empty site.
_NEED_TEXT = (Step.COMPILE, Step.EXTRACT, Step.DEPLOY)

#: How many things a fetch skipped are kept by name.
NAMES_KEPT = 100
UNUSABLE_NAME = "rename it, its name is not UTF-8 or contains a secret"


def perform(order: Order, index: int, report: Report) -> Performed:
    """Do one item of an order."""
    around = _Surroundings.of(order)
    folder, settings = around.folder, around.settings
    if order.step in _NEED_TEXT and not storage.has_text(folder):
        raise _incomplete(folder, f"{folder} has no text on this machine")
    try:
        return _STEPS[order.step](order, order.items[index], folder, settings, report)
    except (BadSetting, MissingTool, UnusableTraineddata) as error:
        raise _site_trouble(error, order) or error from error
    except OSError as error:
        raise _storage_trouble(error, folder) or error from error


class _Surroundings:
    """What the items of an order have in common, looked up once: it takes as long as a page."""

    _latest: ClassVar[_Surroundings | None] = None

    def __init__(self, order: Order) -> None:
        self.order = order
        self.settings = config.load()
        self.folder = storage.site_folder(self.settings.storage_dir, order.site["subdomain"])
        self.desks = folder_of_desks(self.settings.storage_dir)

    @classmethod
    def of(cls, order: Order) -> _Surroundings:
        """Return those of the order in hand."""
        if cls._latest is None or cls._latest.order is not order:
            cls._latest = cls(order)
        return cls._latest

    @cached_property
    def options(self) -> ReadingOptions:
        """How the documents of the order are read."""
        return _reading_options(self.order.site, self.order.options, self.settings)

    @cached_property
    def reader(self) -> str:
        """What identifies their reader."""
        from clerk.read import documents as reading

        return reading.fingerprint(self.options)


def _site_trouble(error: OperatorError, order: Order) -> SiteMisconfigured | None:
    """What a site asks for in vain is its own trouble; other sites are not kept waiting for it.

    An engine or language that the site says nothing about is the machine's.
    """
    own = site_choices(order.site) | order.options
    reads = order.step in (Step.FETCH, Step.DOCUMENT) and not isinstance(error, BadSetting)
    if reads and not (own.get("languages") or own.get("ocr_backend")):
        return None
    return SiteMisconfigured(f"{error} {error.hint}".strip())


def _storage_trouble(error: OSError, folder: Path) -> StorageUnusable | None:
    """A full or read-only disk is nobody's document's fault."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
        return None
    return StorageUnusable(f"{folder} cannot be written to: {error.strerror}")


def fetch(
    order: Order, _item: OrderItem, folder: Path, settings: Settings, report: Report
) -> Performed:
    """Fetch from the site's source and list what is on disk to be read."""
    from clerk.fetch.store import fetch_site

    report(FETCH_SECONDS, "fetching")
    folder.mkdir(parents=True, exist_ok=True)
    fetched = fetch_site(order.site, folder, settings)
    found = documents_to_read(order, folder, settings)
    rejected = [
        {"name": problem.what, "error": f"{problem.error or 'Rejected'}: {problem.why}"}
        for problem in fetched.errors
    ]
    rejected += [
        {"name": name, "error": f"UnusableName: {UNUSABLE_NAME}"}
        for name in storage.unusable_names(folder)
    ]
    return Performed(found | {"rejected": rejected, "detail": summary(fetched)})


def summary(fetched: FetchReport) -> dict[str, Any]:
    """Return the figures of a fetch, and by name what was skipped, as far as a person reads it."""
    skipped = [f"{problem.what}: {problem.why}" for problem in fetched.skipped]
    return {
        "fetcher": fetched.fetcher,
        "meetings": fetched.meetings,
        "new": len(fetched.new),
        "changed": len(fetched.changed),
        "moved": len(fetched.moved),
        "unchanged": len(fetched.unchanged),
        "gone": len(fetched.gone),
        "gaps": len(fetched.gaps),
        "skipped": len(skipped),
        "skipped_names": skipped[:NAMES_KEPT],
    }


def documents_to_read(order: Order, folder: Path, settings: Settings) -> dict[str, Any]:
    """List the documents on disk whose text is not there or not of these bytes."""
    from clerk.fetch.sources import stored_pdfs
    from clerk.read import documents as reading

    engine = engine_of(order.site, order.options, settings)
    documents, carried = [], 0
    for held in stored_pdfs(folder):
        target = storage.Document.from_name(held.name).text(folder)
        if reading.is_current(target, held.sha256, engine):
            carried += 1
        else:
            documents.append({"name": held.name, "bytes": held.bytes, "sha256": held.sha256})
    return {"documents": documents, "carried": carried, "engine": engine}


def engine_of(site: dict[str, Any], options: Mapping[str, Any], settings: Settings) -> str:
    """Return what identifies the reader of a site's documents."""
    from clerk.read import documents as reading

    return reading.fingerprint(_reading_options(site, options, settings))


def read(
    order: Order, item: OrderItem, folder: Path, _settings: Settings, report: Report
) -> Performed:
    """Read one document into its text directory; a failure speaks of it as its source does."""
    from clerk.fetch.sources import name_at_source
    from clerk.read import documents as reading

    document = storage.Document.from_name(item.name)
    pdf = document.pdf(folder)
    _require_file(document, item.sha256, folder)
    sha256 = item.sha256 or storage.sha256_of(pdf)
    around = _Surroundings.of(order)
    try:
        facts = reading.read_and_store(
            pdf,
            document.text(folder),
            around.options,
            sha256,
            _reporting(report),
            pages_blamed(item.error),
            around.desks,
            around.reader,
        )
    except DocumentError as error:
        named = name_at_source(order.site, folder, document)
        raise type(error)(str(error).replace(str(pdf), named), hint=error.hint) from error
    return Performed(pages=len(facts.pages))


def _require_file(document: storage.Document, sha256: str, folder: Path) -> None:
    """Refuse a document whose PDF is not there, and tell a deleted file from a missing folder.

    A document without a known hash was named by a script, and nobody has ever seen its file.
    """
    from clerk.fetch.sources import has_held

    pdf = document.pdf(folder)
    try:
        if not stat.S_ISREG(pdf.stat().st_mode):
            return
        with pdf.open("rb"):
            return
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _incomplete(folder, f"{pdf} cannot be read: {error.strerror}") from error
    if not folder.is_dir():
        raise _incomplete(folder, f"{folder} does not exist on this machine")
    if sha256 and not has_held(folder, document, sha256):
        raise _incomplete(folder, f"{document.name} is not in {folder} on this machine")
    raise FileGone(f"{document.name}: its PDF is not on disk; the site's folder is there.")


def _incomplete(folder: Path, what: str) -> StorageIncomplete:
    return StorageIncomplete(
        f"{what}.",
        hint="Mount the storage directory, correct its permissions, or set STORAGE_DIR to the one"
        " that the other workers use; the work resumes by itself."
        f" If the files were deleted on purpose: clerk run {folder.name} --restart",
    )


def no_text(subdomain: str, documents: int, settings: Settings) -> StorageIncomplete:
    """Return the error that there is no text of a site of which documents were read."""
    folder = storage.site_folder(settings.storage_dir, subdomain)
    return _incomplete(folder, f"{documents} documents were read, but {folder} has no text")


def _reporting(report: Report) -> Callable[[int, int, float], None]:
    def on_page(page: int, pages: int, seconds: float) -> None:
        report(seconds, f"page {page} of {pages}" if page else "waiting for pages")

    return on_page


def invitation(settings: Settings) -> Order | None:
    """Return an order to help with a document that another process reads, if one wants help."""
    desk = offered(folder_of_desks(settings.storage_dir))
    return Order(ASSIST, items=[OrderItem(desk)] * ASSISTED_PAGES) if desk else None


def has_reader(order: Order, settings: Settings) -> bool:
    """Whether the document that an order to help is for is still being read."""
    return shared_pages.has_reader(folder_of_desks(settings.storage_dir) / order.items[0].name)


def assist(order: Order, index: int, report: Report) -> Performed:
    """Read one page of a document that another process reads."""
    from clerk.read import page_helper

    desk = folder_of_desks(config.load().storage_dir) / order.items[index].name
    return Performed(pages=int(page_helper.assist(desk, _reporting(report))))


def check_engine(site: dict[str, Any], options: Mapping[str, Any], settings: Settings) -> None:
    """Refuse an OCR engine that is not installed, be it the choice of a run, a site or a setting.

    clerk's own default is always there and not looked for: loading the engines takes a moment.
    """
    chosen = site_choices(site) | dict(options)
    by_default = settings.origin("default_ocr_backend") == "the default"
    name = chosen.get("ocr_backend") or ("" if by_default else settings.default_ocr_backend)
    if name and chosen.get("ocr") != "never":
        from clerk.read.ocr import find_backend

        find_backend(name)


def check_reading(site: dict[str, Any], settings: Settings) -> None:
    """Refuse an engine or languages of a site's own that this machine does not have."""
    from clerk.read.ocr import check_engine

    chosen = site_choices(site)
    if chosen.get("ocr_backend") or chosen.get("languages"):
        options = _reading_options(site, {}, settings)
        check_engine(options.backend, options.languages)


def _reading_options(
    site: dict[str, Any], options: Mapping[str, Any], settings: Settings
) -> ReadingOptions:
    from clerk.read.documents import ReadingOptions

    chosen = site_choices(site) | dict(options)
    return ReadingOptions.from_settings(
        settings,
        ocr=chosen.get("ocr"),
        backend=chosen.get("ocr_backend"),
        languages=tuple(chosen.get("languages") or ()),
    )


def site_choices(site: dict[str, Any]) -> dict[str, Any]:
    """Return what a site's ``extra`` says, if it is an object."""
    try:
        chosen = json.loads(site.get("extra") or "{}")
    except ValueError:
        return {}
    return chosen if isinstance(chosen, dict) else {}


def coordinate(
    _order: Order, _item: OrderItem, folder: Path, _settings: Settings, _report: Report
) -> Performed:
    """Count the documents that have any text."""
    return Performed(sum(1 for _ in storage.text_documents(folder, incomplete=True)))


def compile_text(
    order: Order, _item: OrderItem, folder: Path, settings: Settings, report: Report
) -> Performed:
    """Compile the database and publish the text at once, before extraction is through."""
    from clerk.publish import publish
    from clerk.site_db import compile_site

    report(SITE_SECONDS, "compiling")
    compiled = compile_site(folder, order.site)
    publish(order.site, folder, settings, complete=False, keep=order.options.get("keep"))
    return Performed({"documents": compiled.documents, "pages": compiled.pages})


def extract(
    order: Order, _item: OrderItem, folder: Path, _settings: Settings, report: Report
) -> Performed:
    """Find votes and names, and compile them in."""
    from clerk.extract import extract_site
    from clerk.site_db import compile_site

    report(SITE_SECONDS, "extracting")
    found = extract_site(folder)
    compile_site(folder, order.site)
    failed = dict(list(found.failed.items())[:NAMES_KEPT])
    return Performed({"votes": found.votes, "entities": found.entities, "failed": failed})


def deploy(
    order: Order, _item: OrderItem, folder: Path, settings: Settings, report: Report
) -> Performed:
    """Publish, and run what plugins do after that; done only when all of it has returned."""
    from clerk.publish import finish_deploy, publish

    report(SITE_SECONDS, "publishing")
    keep = order.options.get("keep")
    published = publish(order.site, folder, settings, complete=True, keep=keep)
    finish_deploy(order.site)
    changed = published.changed or bool(published.targets)
    return Performed({"path": str(published.path), "changed": changed})


_Step = Callable[[Order, OrderItem, Path, Settings, Report], Performed]

_STEPS: dict[str, _Step] = {
    Step.FETCH: fetch,
    Step.DOCUMENT: read,
    Step.COORDINATOR: coordinate,
    Step.COMPILE: compile_text,
    Step.EXTRACT: extract,
    Step.DEPLOY: deploy,
}
