"""Every way clerk can fail.

ClerkError                exit 1   says what failed and why; ``hint`` is the next step
 +- DocumentError                  this document is bad: count it as failed, carry on
 |   +- UnreadablePdf              not a PDF, truncated, damaged
 |   +- UnreadableFile             the source's file cannot be opened: a dead link, no permission
 |   +- UnreadableDocument         a web page or Word document that is damaged
 |   +- UnsupportedFormat          a format clerk does not read: RTF, DOC
 |   +- EncryptedPdf               needs a password
 |   +- EmptyDocument              zero bytes or zero pages
 |   +- DocumentTooLarge           exceeds a limit of bytes, pages or pixels
 |   +- PagesFailed                some pages could not be read; the good ones are kept
 |   |   +- PagesOutOfTime         ... because they reached the time limit: the next run tries again
 |   +- FileGone                   its file was deleted; the site's other files are there
 +- TransientError                 it may work later: try again
 |   +- SourceUnavailable          the portal, list or folder did not answer
 |   |   +- SourceBlocked          it blocks clerk: robots.txt, a refusal, a challenge page
 |   +- Conflict                   another process changed the same thing: repeat, no fault
 |   +- DatabaseUnavailable        exit 3
 |   +- QueueUnavailable           exit 3
 |   +- SearchIndexFailed          a published site is served without its newest search index
 |   +- SiteOutdated               another version of clerk compiled it: the next run does it again
 +- SiteMisconfigured              this site's own settings cannot be used: its work fails
 +- OperatorError         exit 3   nothing will work until a person acts: stop
 |   +- BadSetting                 a variable or flag has an invalid value
 |   +- MissingTool                a program, engine or language is not installed
 |   +- UnsupportedPlatform        clerk does not run on Windows itself: use WSL
 |   +- UnusablePlugin             a plugin cannot be loaded
 |   +- UnusableTraineddata        OCR data the fast engine cannot read: libtesseract can
 |   +- StorageUnusable            the storage directory is missing, read-only or full
 |   |   +- StorageIncomplete      a site's files are not on this machine: release the work
 |   |   +- StoreUnavailable       the bucket does not answer or refuses us
 |   |   +- ObjectMissing          the bucket lacks an object that the manifest names
 |   |   +- ObjectDamaged          the content of an object does not match its name
 |   |   +- WrongInstallation      database and storage belong to two installations
 |   +- DatabaseUnusable           not a database, read-only, or no rights on its tables
 |   +- SchemaOutdated             the database is older than the code: clerk db upgrade
 |   +- SchemaTooNew               the database is newer than the code: upgrade clerk
 |   +- SchemaUnknown              the tables are neither clerk's nor the old system's
 |   +- DowngradeRefused           the downgrade would drop what clerk did not create
 +- NotFound              exit 1   the thing named does not exist
 |   +- UnknownSite
 |   +- UnknownStage
 |   +- UnknownPlugin     exit 3   no fetcher, engine or deployer of that name is installed
 +- NotAllowed            exit 1   the caller does not have the required role
 +- InvalidInput          exit 2   the input is not valid
     +- InvalidSubdomain
     +- UnusableUpload             not an annotation file, or one that must not be opened
"""

from __future__ import annotations

import re
import traceback


class ClerkError(Exception):
    """Something clerk can explain in a line."""

    exit_code = 1

    def __init__(self, message: str = "", *, hint: str = "") -> None:
        #: What str() returns; a Message of :mod:`.language` if readers of public pages see it.
        self.explanation = message or (self.__doc__ or "").strip()
        super().__init__(self.explanation)
        self.hint = hint


class DocumentError(ClerkError):
    """The document is bad."""


class UnreadablePdf(DocumentError):
    """Not a readable PDF."""


class UnreadableFile(DocumentError):
    """The source's file cannot be opened."""


class EncryptedPdf(DocumentError):
    """The PDF needs a password."""


class EmptyDocument(DocumentError):
    """The document is empty."""


class DocumentTooLarge(DocumentError):
    """The document exceeds a limit."""


class PagesFailed(DocumentError):
    """Some pages could not be read."""


class UnreadableDocument(DocumentError):
    """A web page or a Word document is damaged."""


class UnsupportedFormat(DocumentError):
    """The file has a format that clerk does not read."""


class PagesOutOfTime(PagesFailed):
    """Some pages reached the time limit; the next run tries them again."""


class FileGone(DocumentError):
    """The document's file was deleted."""


class TransientError(ClerkError):
    """It may work later."""


class SourceUnavailable(TransientError):
    """The source did not answer."""


class SourceBlocked(SourceUnavailable):
    """The source blocks clerk."""


class Conflict(TransientError):
    """Another process has changed the same thing."""


class DatabaseUnavailable(TransientError):
    """The database does not answer."""

    exit_code = 3


class QueueUnavailable(TransientError):
    """The queue does not answer."""

    exit_code = 3


class SearchIndexFailed(TransientError):
    """The search index of a published site could not be built; the site is served without it."""


class SiteOutdated(TransientError):
    """A site was compiled by another version of clerk; its next run compiles it again."""


class SiteMisconfigured(ClerkError):
    """The site's own settings cannot be used."""


class OperatorError(ClerkError):
    """Nothing will work until a person acts."""

    exit_code = 3


class BadSetting(OperatorError):
    """A setting has an invalid value."""


class MissingTool(OperatorError):
    """Something that is needed is not installed."""

    @classmethod
    def packages_of(cls, extra: str, purpose: str) -> MissingTool:
        """Return the error for something whose packages are in an extra."""
        from .distribution import install_command

        return cls(
            f"{purpose} needs packages that are not installed.",
            hint=f"Install them: {install_command(extra=extra)}",
        )


class UnsupportedPlatform(OperatorError):
    """clerk does not run on Windows itself; it runs in the Windows Subsystem for Linux."""

    def __init__(self) -> None:
        super().__init__(
            hint="Run wsl --install in PowerShell, then install clerk in the Linux it opens."
        )


class UnusablePlugin(OperatorError):
    """A plugin cannot be loaded."""


class UnusableTraineddata(OperatorError):
    """The OCR data cannot be read."""


class StorageUnusable(OperatorError):
    """The storage directory cannot be used."""


class StorageIncomplete(StorageUnusable):
    """The files of a site are not on this machine."""


class StoreUnavailable(StorageUnusable):
    """The store cannot be used."""


class ObjectMissing(StorageUnusable):
    """The store lacks an object."""


class ObjectDamaged(StorageUnusable):
    """The content of an object does not match its name."""


class ObjectLost(TransientError):
    """An object of a document is missing or damaged; what it was made from is read again."""

    def __init__(self, message: str, *, kind: str, document: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.document = document


class WrongInstallation(StorageUnusable):
    """The storage belongs to another installation."""


class DatabaseUnusable(OperatorError):
    """The database cannot be used."""


class SchemaOutdated(OperatorError):
    """The database is older than this version of clerk."""


class SchemaTooNew(OperatorError):
    """The database is newer than this version of clerk."""


class SchemaUnknown(OperatorError):
    """The tables belong neither to clerk nor to the old system."""


class DowngradeRefused(OperatorError):
    """The downgrade would drop what clerk did not create."""


class NotFound(ClerkError):
    """The thing named does not exist."""


class UnknownSite(NotFound):
    """No such site."""


class UnknownStage(NotFound, ValueError):
    """No such stage."""


class UnknownPlugin(NotFound):
    """No plugin of that name."""

    exit_code = 3


class NotAllowed(ClerkError):
    """You do not have the required role."""


class InvalidInput(ClerkError, ValueError):
    """The input is not valid."""

    exit_code = 2


class InvalidSubdomain(InvalidInput):
    """Not a valid site name."""


class UnusableUpload(InvalidInput):
    """Not a readable annotation file."""


#: What stands for a secret.
HIDDEN = "***"
_PASSWORD_IN_URL = re.compile(r"(?<=://)([^\s/:@]*):([^\s/@]+)@")


def without_passwords(text: str) -> str:
    """Return the text without passwords in URLs; the user names stay."""
    return _PASSWORD_IN_URL.sub(rf"\1:{HIDDEN}@", text) if "://" in text else text


#: How many lines of a traceback are kept.
TRACE_LINES = 5


def described(error: BaseException | str) -> str:
    """Return "Class: message" and the first lines of where it happened, without passwords.

    It is stored, logged and printed, and what failed may have named a URL.
    """
    if isinstance(error, str):
        return without_passwords(error)
    lines = [without_passwords(f"{type(error).__name__}: {error}")]
    for frame in traceback.extract_tb(error.__traceback__)[-TRACE_LINES:]:
        lines.append(f"{frame.filename}:{frame.lineno} in {frame.name}")
    return "\n".join(lines)
