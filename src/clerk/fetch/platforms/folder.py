"""The fetcher ``folder``: documents in a folder of this machine, in whatever layout.

PDF, HTML and DOCX files are documents.

Meeting, kind and date are found in each path, or by a pattern, or in a mapping file::

    {kind}/{meeting}/{date}*.pdf          a template: one field per part, * and ** as in a shell
    (?P<meeting>\\w+)-(?P<date>\\d+)       a regular expression with named groups
    path,meeting,date,kind                 the first line of a mapping file (CSV), one row per file

The folder is never written to.
"""

from __future__ import annotations

import csv
import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote_from_bytes

from clerk import __version__
from clerk.core.errors import BadSetting, SourceUnavailable
from clerk.core.storage import KINDS, MINUTES
from clerk.fetch import naming
from clerk.fetch.base import (
    Context,
    DocumentRef,
    Fetcher,
    FetcherSpec,
    MeetingRef,
    Problem,
    SourceSettings,
    Window,
)
from clerk.fetch.local_files import FILE_SUFFIXES, begins_as_pdf, known_look, looks_of_file
from clerk.fetch.sources import file_url, readable_name

_FIELDS = ("meeting", "date", "kind", "year", "month", "day", "title")
_WILDCARDS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
_SYSTEM_FILES = frozenset(("thumbs.db", "desktop.ini"))


class FolderSettings(SourceSettings, kw_only=True):
    """What can be set for a folder."""

    #: A template or regular expression for the paths below the folder.
    pattern: str = ""
    #: A CSV file with the columns path, meeting, date, kind.
    mapping: str = ""
    #: The kind of all documents, minutes or agendas, if they are of one kind.
    kind: str = ""
    #: The meeting of documents that do not say it.
    meeting: str = ""
    #: 1.2.2024 is the first of February.
    day_first: bool = False
    #: Make hard links instead of copies; only for files that are never changed in place.
    link: bool = False

    def check(self) -> None:
        """Refuse a kind, a pattern or a mapping file that cannot be used."""
        if self.kind and self.kind not in KINDS:
            raise BadSetting(f"kind must be minutes or agendas, not {self.kind!r}.")
        compiled_pattern(self.pattern)
        rows_of_mapping(self.mapping)


@dataclass(frozen=True)
class PathFacts:
    """What one place says about a document; an empty field is not known there."""

    meeting: str = ""
    date: str = ""
    kind: str = ""
    title: str = ""

    def or_else(self, other: PathFacts) -> PathFacts:
        """Return these facts, with what is missing taken from the other."""
        return PathFacts(
            self.meeting or other.meeting,
            self.date or other.date,
            self.kind or other.kind,
            self.title or other.title,
        )


class FolderFetcher(Fetcher):
    """Lists the PDFs below a folder, each as a meeting of its own."""

    settings: FolderSettings

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.root = Path(self.settings.source).expanduser()
        #: Made once: to write out a path takes as long as to look at a file.
        self._root = str(self.root)
        self.settings.check()
        self.pattern = compiled_pattern(self.settings.pattern)
        rows = rows_of_mapping(self.settings.mapping)
        self.mapping = {row["path"]: self._mapped(row) for row in rows}

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield one meeting per PDF, in whatever order the folder gives them."""
        if not self.settings.source or not self.root.is_dir():
            raise SourceUnavailable(
                f"The folder {self.settings.source!r} does not exist.",
                hint="Name another one with: clerk site edit.",
            )
        mapping = self.settings.mapping
        mapping_file = Path(mapping).expanduser() if mapping else None
        unused = set(self.mapping)
        for found in walk(self.root):
            if isinstance(found, Problem):
                # What is below it is neither here nor gone.
                self.report.complete = False
                self.report.errors.append(found)
                continue
            unused.discard(found)
            if self._looks_the_same(found):
                continue
            relative = Path(found)
            path = self.root / relative
            if path != mapping_file and self._is_candidate(path, relative):
                yield self._meeting(path, relative)
        for row in sorted(unused):
            self.skip(row, "named in the mapping file, but not in the folder")

    def _looks_the_same(self, relative: str) -> bool:
        """Whether a file is as it was fetched; it need not be named again then."""
        if not self.known_files:
            return False
        key = file_id(relative)
        try:
            facts = os.stat(f"{self._root}/{relative}")  # noqa: PTH116 - many
        except OSError:
            return False
        looks = known_look(looks_of_file(facts, may_link=self.settings.link))
        same = looks == self.known_files.get(key)
        if same:
            self.passed_over.append(key)
        return same

    def rules(self) -> str:
        """Return what the names of files depend on besides their paths."""
        return repr((self.settings, sorted(self.mapping.items()), __version__))

    def _is_candidate(self, path: Path, relative: Path) -> bool:
        """Whether a file is called as documents are, or is a PDF; others are skipped by name."""
        name = relative.name.lower()
        if name in _SYSTEM_FILES or (name.startswith(".") and not name.endswith(FILE_SUFFIXES)):
            return False
        if name.startswith("."):
            self.skip(readable_name(relative), "a hidden file")
            return False
        if name.endswith(FILE_SUFFIXES):
            return True
        try:
            if path.is_file() and begins_as_pdf(path):
                return True
            self.skip(readable_name(relative), "not a PDF, HTML or DOCX file")
        except OSError as error:
            self.skip(readable_name(relative), f"not a PDF, unreadable: {error.strerror}")
        return False

    def _meeting(self, path: Path, relative: Path) -> MeetingRef:
        """Return what is known of a path: by the mapping, by the pattern, else by guessing."""
        name = relative.as_posix()
        facts = self.mapping.get(name, PathFacts())
        if self.pattern and (match := self.pattern.fullmatch(name)):
            groups = {key: value or "" for key, value in match.groupdict().items()}
            day = [groups[part] for part in ("year", "month", "day") if groups.get(part)]
            matched = PathFacts(
                groups.get("meeting", ""),
                self._date(groups.get("date") or "-".join(day)),
                naming.find_kind(groups.get("kind", "")) or "",
                groups.get("title", ""),
            )
            facts = facts.or_else(matched)
        said = facts.or_else(PathFacts(self.settings.meeting, kind=self.settings.kind))
        stated = {"kind": said.kind, "body": said.meeting, "date": said.date, "title": said.title}
        file = relative.name
        stem = Path(file).stem if file.lower().endswith(FILE_SUFFIXES) else file
        # Some systems write an accent as a character of its own.
        parts = [unicodedata.normalize("NFC", part) for part in (*relative.parts[:-1], stem)]
        guessed = naming.date_of_path(parts, day_first=self.settings.day_first)
        facts = facts.or_else(
            PathFacts(
                self.settings.meeting or naming.body_of_path(parts),
                guessed.isoformat() if guessed else naming.month_of_path(parts) or "",
                naming.kind_of_path(parts) or self.settings.kind,
                naming.title_of_path(parts),
            )
        )
        start = datetime.fromisoformat(facts.date) if len(facts.date) == 10 else None
        return MeetingRef(
            vendor_id=file_id(str(relative)),
            body=facts.meeting,
            title=facts.date if facts.date and not start else facts.title,
            start_local=start,
            guessed=frozenset(name for name, value in stated.items() if not value),
            documents=(
                DocumentRef(
                    facts.kind or MINUTES,
                    file_url(path),
                    "file",
                    title=readable_name(relative),
                    method="FILE",
                ),
            ),
        )

    def _mapped(self, row: dict[str, str]) -> PathFacts:
        day, kind = row.get("date") or "", row.get("kind") or ""
        facts = PathFacts(row.get("meeting") or "", self._date(day), naming.find_kind(kind) or "")
        for name, given, understood in (("date", day, facts.date), ("kind", kind, facts.kind)):
            if given and not understood:
                what = f"{row['path']} in the mapping file"
                self.report.errors.append(Problem(what, f"{name} {given!r} cannot be understood"))
        return facts

    def _date(self, text: str) -> str:
        day = naming.find_date(text, day_first=self.settings.day_first)
        return day.isoformat() if day else naming.find_month(text) or ""


#: What quoting changes.
_QUOTED = re.compile(rb"[^A-Za-z0-9_.~/-]+")
#: Paths of which that is at most a space: most of them.
_PLAIN = re.compile(r"[A-Za-z0-9_.~/ -]*")


def file_id(relative: str) -> str:
    """Return what identifies a file of the folder: its path below it, quoted as in an address."""
    if _PLAIN.fullmatch(relative):
        return relative.replace(" ", "%20")
    quoted = _QUOTED.sub(lambda found: _quoted(found[0]), os.fsencode(relative))
    return quoted.decode("ascii")


@lru_cache(maxsize=1024)
def _quoted(piece: bytes) -> bytes:
    return quote_from_bytes(piece).encode()


def walk(root: Path) -> Iterator[str | Problem]:
    """Yield the path of every file below a folder, and a problem for every unreadable folder.

    Links to folders are followed, after all real folders, unless they lead to one already seen.
    """
    seen: set[tuple[int, int]] = set()
    waiting, linked = [""], list[str]()
    while waiting or linked:
        # Ends with a slash, unless it is the folder itself.
        folder = waiting.pop() if waiting else linked.pop(0)
        try:
            facts = (root / folder).stat()
            if (facts.st_dev, facts.st_ino) in seen:
                continue
            seen.add((facts.st_dev, facts.st_ino))
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError as error:
            name = readable_name(Path(folder))
            yield Problem(name, f"cannot be read: {error.strerror}", type(error).__name__)
            continue
        for entry in entries:
            try:
                is_folder = entry.is_dir()
            except OSError:
                is_folder = False
            if not is_folder:
                yield folder + entry.name
            elif entry.is_symlink():
                linked.append(f"{folder}{entry.name}/")
            else:
                waiting.append(f"{folder}{entry.name}/")


def rows_of_mapping(mapping: str) -> list[dict[str, str]]:
    """Return the rows of a mapping file that name a path; nothing without a file."""
    if not mapping:
        return []
    try:
        with Path(mapping).expanduser().open(newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file)
            if "path" not in (rows.fieldnames or ()):
                raise csv.Error("its first line names no column 'path'")
            return [row for row in rows if row["path"]]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadSetting(
            f"The mapping file {mapping!r} cannot be read: {reason}.",
            hint="It is a CSV file with the columns path,meeting,date,kind.",
        ) from error


def compiled_pattern(pattern: str) -> re.Pattern[str] | None:
    """Return the regular expression of a template, or the one that was given."""
    if not pattern:
        return None
    hint = "A pattern looks like {kind}/{meeting}/{date}*.pdf"
    try:
        written = pattern if "(?P<" in pattern else _template_regex(pattern)
        compiled = re.compile(written, re.IGNORECASE)
    except re.error as error:
        raise BadSetting(
            f"The pattern {pattern!r} cannot be understood: {error}.", hint=hint
        ) from error
    if compiled.groupindex.keys().isdisjoint(_FIELDS):
        raise BadSetting(
            f"The pattern {pattern!r} names no field, such as {{meeting}} or {{date}}.", hint=hint
        )
    return compiled


def _template_regex(template: str) -> str:
    """Return a template as a regular expression.

    A field matches as little as possible, but everything there is before a star.
    """
    parts = [part for part in re.split(r"(\{\w+\}|\*\*/?|\*|\?)", template) if part]
    regex = ""
    for part, next_part in zip(parts, [*parts[1:], ""], strict=True):
        if part in _WILDCARDS:
            regex += _WILDCARDS[part]
        elif not re.fullmatch(r"\{\w+\}", part):
            regex += re.escape(part)
        elif part[1:-1] in _FIELDS:
            regex += f"(?P<{part[1:-1]}>[^/]+{'' if next_part.startswith('*') else '?'})"
        else:
            raise BadSetting(
                f"There is no field {part[1:-1]!r} in patterns.",
                hint=f"Fields: {', '.join(_FIELDS)}.",
            )
    return regex


SPEC = FetcherSpec(
    "folder",
    FolderFetcher,
    settings=FolderSettings,
    lists_all=True,
    finds_gaps=False,
    help="PDFs in a folder of this machine, in any layout.",
)
