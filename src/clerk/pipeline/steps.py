"""The steps of the pipeline as a child process does them: files in, files out.

Each takes an order and the item's index and returns what the next step needs to know.
"""

from __future__ import annotations

import errno
import logging
import stat
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

import msgspec
from sqlalchemy import Connection

from clerk.core import config, installation, manifest, outbox, plugins, site_files, storage
from clerk.core.child_process import Order, OrderItem, Performed, Report
from clerk.core.config import Settings
from clerk.core.db import reading_connection, writing_to
from clerk.core.errors import (
    BadSetting,
    DocumentError,
    FileGone,
    MissingTool,
    ObjectDamaged,
    ObjectLost,
    ObjectMissing,
    PagesFailed,
    SearchIndexFailed,
    SiteMisconfigured,
    StorageIncomplete,
    StorageUnusable,
    UnusableTraineddata,
)
from clerk.core.fetch_memory import SiteManifest
from clerk.core.files import SiteFiles
from clerk.core.manifest import DocumentIdentity, DocumentRow, TextRecord
from clerk.core.run_options import NO_OPTIONS, RunOptions
from clerk.core.site_extra import SiteRow, site_choices
from clerk.core.states import EXTRACTION, Step
from clerk.core.store import PDF, TEXT
from clerk.identify.rules_version import VERSION as IDENTITY_VERSION
from clerk.read import language_data, shared_pages

from . import ledger, queues, transitions
from .stages import CompileResult, DeployResult, ExtractResult, FetchResult
from .upload_state import ClaimLost

if TYPE_CHECKING:
    from clerk.read.options import ReadingOptions
    from clerk.site_db import CompileReport

log = logging.getLogger(__name__)

#: Steps over a whole site have no pages to count their time by.
FETCH_SECONDS = 6 * 3600.0
SITE_SECONDS = 2 * 3600.0
#: A fetch that takes longer leaves the rest to the next run, so that what it has is published.
FETCH_BUDGET_SECONDS = 2 * 3600.0

#: Not a step of its own: some pages of a document that another process reads.
ASSIST = "assist"
#: How many pages are ordered at once; the order is cut short when time is up.
ASSISTED_PAGES = 20

#: Extraction from up to this many documents takes seconds.
EXTRACTED_SOON = 50

#: How many things a fetch skipped are kept by name.
NAMES_KEPT = 100
UNUSABLE_NAME = "rename it, its name is not UTF-8 or contains a secret"


def perform(order: Order, index: int, report: Report, settings: Settings) -> Performed:
    """Do one item of an order."""
    around = OrderContext.of(order, settings)
    if order.step != Step.COORDINATOR:
        installation.require_files(around.settings)
    try:
        return _STEPS[order.step](around, order.items[index], report)
    except (BadSetting, MissingTool, UnusableTraineddata) as error:
        # Wrong settings of a site are errors of that site, so that other sites do not wait; an
        # engine or language that the site says nothing about is the machine's.
        if order.step in (Step.FETCH, Step.DOCUMENT) and not isinstance(error, BadSetting):
            own = site_choices(around.site)
            if not (own.languages or own.ocr_backend or order.options.ocr_backend):
                raise
        raise SiteMisconfigured(f"{error} {error.hint}".strip()) from error
    except ObjectLost as error:
        # What is not in the store any more is made again: fetched, read or extracted.
        with writing_to(around.settings.sql_url) as conn:
            _check_of(order)(conn)
            subdomain = around.files.subdomain
            if error.kind == PDF:
                manifest.forget_bytes(conn, subdomain, error.document)
            elif error.kind == TEXT:
                manifest.forget_text(conn, subdomain, [error.document])
            else:
                manifest.forget_findings(conn, subdomain, [error.document])
        if order.step == Step.DOCUMENT:
            raise FileGone(str(error), hint=error.hint) from error
        raise
    except OSError as error:
        raise storage_trouble(error, around.files.folder) or error from error


class OrderContext:
    """What the items of an order have in common, looked up once: it takes as long as a page."""

    _latest: ClassVar[OrderContext | None] = None

    def __init__(self, order: Order, settings: Settings) -> None:
        self.order = order
        self.site = cast(SiteRow, order.site)
        self.settings = settings
        self.files = SiteFiles(self.settings, order.site["subdomain"])
        self.options = order.options
        self.shared_reading = storage.shared_reading_folder(self.settings.storage_dir)

    def documents(self, names: Sequence[str] | None) -> list[DocumentRow]:
        """Return what the manifest says of the site's documents, or of those of these names."""
        with reading_connection(self.settings.sql_url) as conn:
            return manifest.documents(conn, self.files.subdomain, names, with_parts=True)

    @cached_property
    def rows(self) -> dict[str, DocumentRow]:
        """What the manifest said of the documents of the order when it was given."""
        with reading_connection(self.settings.sql_url) as conn:
            names = [item.name for item in self.order.items]
            found = manifest.documents(conn, self.files.subdomain, names)
        return {row.name: row for row in found}

    def changes(self, after: int) -> tuple[Sequence[str] | None, int]:
        """Return the documents that changed behind a number of the outbox, and the last number."""
        with reading_connection(self.settings.sql_url) as conn:
            return outbox.changed_names(conn, self.files.subdomain, after)

    @classmethod
    def of(cls, order: Order, settings: Settings) -> OrderContext:
        """Return the context of the current order."""
        if cls._latest is None or cls._latest.order is not order:
            cls._latest = cls(order, settings)
        return cls._latest

    @cached_property
    def reading_options(self) -> ReadingOptions:
        """How the documents of the order are read."""
        return _reading_options(self.site, self.options, self.settings)

    @cached_property
    def reader(self) -> str:
        """What identifies their reader."""
        from clerk.read.options import fingerprint

        return fingerprint(self.reading_options)


def storage_trouble(error: OSError, folder: Path) -> StorageUnusable | None:
    """Return a full or read-only disk as what it is: nobody's document's fault."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
        return None
    return StorageUnusable(f"{folder} cannot be written to: {error.strerror}")


def fetch(around: OrderContext, _item: OrderItem, report: Report) -> Performed:
    """Fetch from the site's source; the manifest knows afterwards what is to be read."""
    from clerk.fetch.store import fetch_site

    from .scan import scan_site

    settings, files = around.settings, around.files
    report(FETCH_SECONDS, "fetching")
    files.folder.mkdir(parents=True, exist_ok=True)
    with reading_connection(settings.sql_url) as conn:
        is_scanned = site_files.is_scanned(conn, files.subdomain)
    if not is_scanned:
        scan_site(settings, files.subdomain)
    # Refuse a folder that cannot be listed before asking the source: this step is retried often.
    unusable = storage.unusable_names(files.folder)
    order = around.order

    def open_reading(conn: Connection, names: Sequence[str]) -> None:
        # Documents are read while others are still being fetched.
        if order.claim:
            transitions.open_arrived(conn, order.run_id, files.subdomain, engine(), names)

    @cache
    def engine() -> str:
        return engine_of(around.site, around.options, settings)

    record = SiteManifest(settings.sql_url, files.subdomain, _holding(order), open_reading)
    fetched = fetch_site(around.site, files, record, seconds=FETCH_BUDGET_SECONDS)
    rejected = [
        transitions.Rejected(problem.what, problem.error or "Rejected", problem.why)
        for problem in fetched.errors
    ]
    if fetched.names_files:
        unusable = storage.unusable_names(files.folder)
    rejected += [transitions.Rejected(name, "UnusableName", UNUSABLE_NAME) for name in unusable]
    # What was skipped is kept by name, as far as a person reads it.
    skipped = [f"{problem.what}: {problem.why}" for problem in fetched.skipped]
    figures = FetchResult(
        fetcher=fetched.fetcher,
        meetings=fetched.meetings,
        new=len(fetched.new),
        changed=len(fetched.changed),
        moved=len(fetched.moved),
        unchanged=len(fetched.unchanged),
        gone=len(fetched.gone),
        gaps=len(fetched.gaps),
        left=fetched.left,
        skipped=len(skipped),
        skipped_names=skipped[:NAMES_KEPT],
    )
    found = transitions.Found(rejected=tuple(rejected), engine=engine(), figures=figures)
    return Performed(msgspec.to_builtins(found))


def _check_of(order: Order) -> Callable[[Connection], None]:
    """Return what refuses to write for a claim that is not held any more."""

    def check(conn: Connection) -> None:
        if order.claim and order.claim not in ledger.still_held(conn, [order.claim]):
            raise ClaimLost(f"The run of {order.site['subdomain']} has ended.")

    return check


def _holding(order: Order) -> Callable[[Connection], None]:
    """Return what locks the run and the claim for a transaction, or refuses to write."""

    def hold(conn: Connection) -> None:
        if order.claim and not ledger.hold_claim(conn, order.run_id, order.claim):
            raise ClaimLost(f"The run of {order.site['subdomain']} has ended.")

    return hold


def engine_of(site: SiteRow, options: RunOptions, settings: Settings) -> str:
    """Return what identifies the reader of a site's documents."""
    from clerk.read.options import fingerprint

    return fingerprint(_reading_options(site, options, settings))


def read(around: OrderContext, item: OrderItem, report: Report) -> Performed:
    """Read one document into its text directory; a failure speaks of it as its source does."""
    from clerk.fetch.sources import name_at_source
    from clerk.read import documents as reading

    document, files = storage.Document.from_name(item.name), around.files
    with files.pdf(document, item.sha256) as pdf:
        _require_file(document, pdf, around)
        sha256 = item.sha256 or storage.sha256_of(pdf)
        try:
            reading.read_and_store(
                pdf,
                document.text(files.folder),
                around.reading_options,
                sha256,
                _reporting(report),
                item.blamed_pages,
                around.shared_reading,
                around.reader,
            )
        except DocumentError as error:
            with writing_to(around.settings.sql_url) as conn:
                _check_of(around.order)(conn)
                if isinstance(error, PagesFailed):
                    # The document has failed, and its good pages are published all the same.
                    kept = _keep_text(around, document, sha256)
                    manifest.record_texts(conn, files.subdomain, {document.name: kept})
            row = around.rows.get(item.name)
            source_url = (row.source_url if row else None) or ""
            named = name_at_source(around.site, item.name, source_url)
            raise type(error)(str(error).replace(str(pdf), named), hint=error.hint) from error
    text = _keep_text(around, document, sha256)
    return Performed(msgspec.to_builtins(text), pages=text.pages)


def _keep_text(around: OrderContext, document: storage.Document, sha256: str) -> TextRecord:
    """Put the text that was just written into the store, and return what the manifest says of it.

    The OCR engine is left out of the reader if no page needed one.
    """
    from clerk.read.files import ENGINE_MARK, load_facts, load_failed_pages

    from .identification import identify_text

    folder = document.text(around.files.folder)
    facts = load_facts(folder)
    if facts is None:
        raise FileGone(f"{document.name}: its text was removed while it was being written.")
    used_ocr = any(page.engine for page in facts.pages)
    failed_pages = len(load_failed_pages(folder))
    text_sha256 = around.files.keep_text(document)
    row = around.rows.get(document.name)
    # A full cache may have made room for others by removing it.
    with around.files.text(document, text_sha256) as kept:
        identity = identify_text(around.site, row, kept, text_sha256) if row else None
    return TextRecord(
        pdf_sha256=sha256,
        text_sha256=text_sha256,
        reader=around.reader if used_ocr else around.reader.split(ENGINE_MARK)[0],
        pages=facts.page_count,
        failed_pages=failed_pages,
        identity=identity,
    )


def _require_file(document: storage.Document, pdf: Path, around: OrderContext) -> None:
    """Refuse a document whose PDF is not there, and tell a deleted file from a missing folder.

    A deleted one is fetched again by the next run.
    """
    folder = around.files.folder
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
    # It may have been unmounted since the beginning of the step.
    installation.require_files(around.settings)
    with writing_to(around.settings.sql_url) as conn:
        _check_of(around.order)(conn)
        manifest.forget_bytes(conn, around.files.subdomain, document.name)
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
        note = f"page {page} of {pages}" if page else "waiting for pages"
        report(seconds, note, page)

    return on_page


def invitation(settings: Settings) -> Order | None:
    """Return an order to help with a document that another process reads, if one asks for help."""
    key = shared_pages.find_waiting_document(storage.shared_reading_folder(settings.storage_dir))
    return Order(ASSIST, items=[OrderItem(key)] * ASSISTED_PAGES) if key else None


def has_reader(order: Order, settings: Settings) -> bool:
    """Whether the document that an order to help is for is still being read."""
    return shared_pages.has_reader(
        storage.shared_reading_folder(settings.storage_dir) / order.items[0].name
    )


def assist(order: Order, index: int, report: Report, settings: Settings) -> Performed:
    """Read one page of a document that another process reads."""
    from clerk.read import page_helper

    shared = storage.shared_reading_folder(settings.storage_dir) / order.items[index].name
    return Performed(pages=int(page_helper.help_with_page(shared, _reporting(report))))


def check_engine(
    site: SiteRow, options: RunOptions, settings: Settings, *, reads_here: bool
) -> None:
    """Refuse an OCR engine that is not installed, whether a run, a site or a setting chose it.

    With ``reads_here`` the data of the languages must be on this machine, too.
    """
    own = site_choices(site)
    if (options.ocr or own.ocr) == "never":
        return
    name = options.ocr_backend or own.ocr_backend or settings.default_ocr_backend
    wanted = own.languages or settings.ocr_languages
    if name == config.AUTO:
        # Loading the engines takes a moment; looking for the data does not.
        if reads_here:
            language_data.require(wanted, language_data.available())
        return
    from clerk.read import ocr

    if reads_here:
        ocr.check_engine(name, wanted)
    else:
        ocr.find_backend(name)


def check_reading(site: SiteRow, settings: Settings) -> None:
    """Refuse an engine or languages of a site's own that this machine does not have."""
    from clerk.read.ocr import check_engine

    chosen = site_choices(site)
    if chosen.ocr_backend or chosen.languages:
        options = _reading_options(site, NO_OPTIONS, settings)
        check_engine(options.backend, options.languages)


def _reading_options(site: SiteRow, options: RunOptions, settings: Settings) -> ReadingOptions:
    from clerk.read.options import ReadingOptions

    own = site_choices(site)
    return ReadingOptions.from_settings(
        settings,
        ocr=options.ocr or own.ocr,
        backend=options.ocr_backend or own.ocr_backend,
        languages=own.languages,
    )


def coordinate(around: OrderContext, _item: OrderItem, report: Report) -> Performed:
    """Tell whether any document has text, and identify those that are due.

    Where a script or an older system has read them, what it left is taken in first.  After
    anything new, boards that are called by a short name get the one that the site has for them.
    """
    from clerk.extract import VERSION

    from .scan import scan_site

    settings, subdomain = around.settings, around.files.subdomain

    def has_text() -> bool:
        with reading_connection(settings.sql_url) as conn:
            return manifest.has_text(conn, subdomain)

    if around.options.opened_by or not has_text():
        scan_site(settings, subdomain)
    with reading_connection(settings.sql_url) as conn:
        due = manifest.documents_to_identify(conn, subdomain, IDENTITY_VERSION)

    def record(identities: Mapping[str, DocumentIdentity]) -> None:
        with writing_to(settings.sql_url) as conn:
            _check_of(around.order)(conn)
            manifest.record_identities(conn, subdomain, identities)

    if due:
        from .identification import identify_documents

        installation.require_files(settings)
        report(SITE_SECONDS, "identifying documents")
        identify_documents(around.files, around.site, due, record)
    with reading_connection(settings.sql_url) as conn:
        is_new = due or manifest.count_to_extract(conn, subdomain, VERSION)
    if is_new:
        from .identification import bodies_in_full

        with reading_connection(settings.sql_url) as conn:
            settled = bodies_in_full(conn, subdomain)
        record(settled)
    return Performed(has_text())


def compile_text(around: OrderContext, _item: OrderItem, report: Report) -> Performed:
    """Compile the database, and publish the text at once unless extraction ends in moments."""
    from clerk.extract import VERSION
    from clerk.publish import publish, published_at

    report(SITE_SECONDS, "compiling")
    hook = plugins.manager().hook
    of_run = {"subdomain": around.files.subdomain, "run_id": around.order.run_id}
    hook.pre_compilation(**of_run)
    compiled = compile_database(around)
    hook.post_compilation(database_path=str(compiled.path), **of_run)
    with reading_connection(around.settings.sql_url) as conn:
        to_extract = manifest.count_to_extract(conn, around.files.subdomain, VERSION)
    is_published = published_at(around.settings, around.files.subdomain) is not None
    if not (is_published and to_extract <= EXTRACTED_SOON and queues.starts_soon(EXTRACTION)):
        keep = around.options.keep
        publish(around.site, around.files.folder, around.settings, complete=False, keep=keep)
    return Performed(msgspec.to_builtins(CompileResult(compiled.documents, compiled.pages)))


def compile_database(around: OrderContext) -> CompileReport:
    """Bring the site's database, and this machine's search index, to what the manifest says."""
    from clerk.site_db import compile_site
    from clerk.site_db.stored import bring_database, keep_database

    from .search_index import index_site

    files, sql_url = around.files, around.settings.sql_url
    check = _check_of(around.order)
    while True:
        with reading_connection(sql_url) as conn:
            before = site_files.current_database(conn, files.subdomain)
        is_lost = False
        try:
            bring_database(files, before)
        except (ObjectMissing, ObjectDamaged) as error:
            # It is built again, from what is here or from the documents.
            log.warning("Rebuilding the database of %s: %s", files.subdomain, error)
            is_lost = True
        compiled = compile_site(files, around.documents, around.site, around.changes)
        index_site(around.settings, files.subdomain)
        if files.store is None or (before and not compiled.changed and not is_lost):
            return compiled
        sha256 = keep_database(files)
        with writing_to(sql_url) as conn:
            check(conn)
            if site_files.make_database_current(
                conn, files.subdomain, before, sha256, compiled.digest
            ):
                return compiled
        # Another machine was quicker: build on what it has built.


def extract(around: OrderContext, _item: OrderItem, report: Report) -> Performed:
    """Find votes and names in documents not yet extracted, and compile them in."""
    from clerk.annotations.corrections import SiteCorrections
    from clerk.extract import VERSION, extract_documents
    from clerk.extract.documents import VoteCorrection

    from . import follow_pages

    report(SITE_SECONDS, "extracting")
    subdomain, sql_url = around.files.subdomain, around.settings.sql_url
    check = _check_of(around.order)
    corrections = SiteCorrections(subdomain)
    with reading_connection(sql_url) as conn:
        rows = manifest.documents_to_extract(conn, subdomain, VERSION, corrections.digests)

    def corrections_of(name: str, pages: Mapping[int, str]) -> list[VoteCorrection]:
        begins, offset = {}, 0
        for number, text in pages.items():
            begins[number] = offset
            offset += len(text) + 1
        return [
            VoteCorrection(
                begins[each.page] + each.begin,
                begins[each.page] + each.end,
                {} if each.is_none else each.fields,
                each.who,
                each.at,
            )
            for each in corrections.placed(name, pages)
            if each.label == "Vote"
        ]

    def record(findings: Mapping[str, tuple[str, str]]) -> None:
        with writing_to(sql_url) as conn:
            check(conn)
            manifest.record_findings(conn, subdomain, VERSION, findings, corrections.digests)

    found = extract_documents(around.files, rows, record, corrections_of)
    compile_database(around)
    report(SITE_SECONDS, "keeping annotations")
    followed = follow_pages.follow(around.settings, subdomain, everything=False)
    failed = dict(list(found.failed.items())[:NAMES_KEPT])
    annotations = followed.annotations if followed.changed_pages else msgspec.UNSET
    result = ExtractResult(found.votes, found.entities, failed, annotations)
    return Performed(msgspec.to_builtins(result))


def deploy(around: OrderContext, _item: OrderItem, report: Report) -> Performed:
    """Publish, and run what plugins do after that; done only when all of it has returned."""
    from clerk.publish import finish_deploy, publish, publish_search_index
    from clerk.site_db import is_outdated
    from clerk.site_db.stored import bring_database

    report(SITE_SECONDS, "publishing")
    folder, keep = around.files.folder, around.options.keep
    with reading_connection(around.settings.sql_url) as conn:
        current = site_files.current_database(conn, around.files.subdomain)
    try:
        bring_database(around.files, current)
        is_usable = not is_outdated(folder)
    except (ObjectMissing, ObjectDamaged):
        is_usable = False
    if not is_usable:
        compile_database(around)
    published = publish(around.site, folder, around.settings, complete=True, keep=keep)
    report(SITE_SECONDS, "indexing the published site")
    is_indexed = False
    try:
        is_indexed = publish_search_index(around.site, folder, around.settings, keep=keep)
    except SearchIndexFailed as error:
        # The text is published; the next deploy tries again.
        log.warning("%s", error)
    finish_deploy(around.site)
    changed = published.changed or bool(published.targets) or is_indexed
    return Performed(msgspec.to_builtins(DeployResult(str(published.path), changed)))


_Step = Callable[[OrderContext, OrderItem, Report], Performed]

_STEPS: dict[str, _Step] = {
    Step.FETCH: fetch,
    Step.DOCUMENT: read,
    Step.COORDINATOR: coordinate,
    Step.COMPILE: compile_text,
    Step.EXTRACT: extract,
    Step.DEPLOY: deploy,
}
