"""The fetcher ``folder``: documents in a folder of this machine, in whatever layout.

Meeting, kind and date are read off each path, or by a pattern, or from a mapping file::

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
from datetime import date, datetime, time
from functools import partial
from pathlib import Path
from urllib.parse import quote_from_bytes

from clerk.core.errors import BadSetting, SourceUnavailable
from clerk.core.storage import KINDS, MINUTES
from clerk.fetch import files, naming
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

_FIELDS = ("meeting", "date", "kind", "year", "month", "day", "title")
_SYSTEM_FILES = frozenset(("thumbs.db", "desktop.ini"))


class FolderSettings(SourceSettings, kw_only=True):
    """What can be said about a folder."""

    #: A template or regular expression for the paths below the folder.
    pattern: str = ""
    #: A CSV file with the columns path, meeting, date, kind.
    mapping: str = ""
    #: The kind of documents that do not tell it.
    kind: str = MINUTES
    #: The meeting of documents that do not tell it.
    meeting: str = ""
    #: 1.2.2024 is the first of February.
    day_first: bool = False
    #: Make hard links instead of copies; only for files that are never changed in place.
    link: bool = False

    def check(self) -> None:
        """Refuse a kind, a pattern or a mapping file that cannot be used."""
        if self.kind not in KINDS:
            raise BadSetting(f"kind must be minutes or agendas, not {self.kind!r}.")
        compiled_pattern(self.pattern)
        rows_of_mapping(self.mapping)


@dataclass(frozen=True)
class Reading:
    """What is known of a document from one place; an empty field is not known there."""

    meeting: str = ""
    date: str = ""
    kind: str = ""
    title: str = ""

    def over(self, other: Reading) -> Reading:
        """Return this reading, with what it lacks taken from the other."""
        return Reading(
            self.meeting or other.meeting,
            self.date or other.date,
            self.kind or other.kind,
            self.title or other.title,
        )


class FolderFetcher(Fetcher):
    """Lists the PDFs below a folder, each as a meeting of its own."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.root = Path(self.settings.source).expanduser()
        self.settings.check()
        self.pattern = compiled_pattern(self.settings.pattern)
        rows = rows_of_mapping(self.settings.mapping)
        self.mapping = {row["path"]: self._mapped(row) for row in rows}

    def list_meetings(self, window: Window) -> Iterator[MeetingRef]:
        """Yield one meeting per PDF, in whatever order the folder gives them."""
        if not self.settings.source or not self.root.is_dir():
            raise SourceUnavailable(
                f"The folder {self.settings.source!r} is not there.",
                hint="Name another one with: clerk site edit.",
            )
        unused = set(self.mapping)
        for path in self._files():
            relative = path.relative_to(self.root)
            unused.discard(relative.as_posix())
            if self._is_candidate(path, relative):
                yield self._meeting(path, relative)
        for row in sorted(unused):
            self.skip(row, "named in the mapping file, but not in the folder")

    def _files(self) -> Iterator[Path]:
        for found in walk(self.root):
            if isinstance(found, Problem):
                self.report.errors.append(found)
            elif not self._is_mapping_file(found):
                yield found

    def _is_mapping_file(self, path: Path) -> bool:
        return bool(self.settings.mapping) and path == Path(self.settings.mapping).expanduser()

    def _is_candidate(self, path: Path, relative: Path) -> bool:
        """Whether a file is called a PDF or begins like one; others are skipped by name."""
        name = relative.name.lower()
        if name in _SYSTEM_FILES or (name.startswith(".") and not name.endswith(".pdf")):
            return False
        if name.startswith("."):
            self.skip(files.readable_name(relative), "a hidden file")
            return False
        if name.endswith(".pdf"):
            return True
        return self._begins_as_pdf(path, relative)

    def _begins_as_pdf(self, path: Path, relative: Path) -> bool:
        try:
            if path.is_file() and files.begins_as_pdf(path):
                return True
            self.skip(files.readable_name(relative), "not a PDF")
        except OSError as error:
            self.skip(files.readable_name(relative), f"not a PDF, unreadable: {error.strerror}")
        return False

    def _meeting(self, path: Path, relative: Path) -> MeetingRef:
        reading = self._reading(relative)
        start = _start(reading.date)
        where = quote_from_bytes(os.fsencode(relative))
        name = files.readable_name(relative)
        return MeetingRef(
            vendor_id=where,
            body=reading.meeting,
            title=reading.date if reading.date and not start else reading.title,
            start_local=start,
            documents=(
                DocumentRef(
                    reading.kind, files.url_of_path(path), "file", title=name, method="FILE"
                ),
            ),
        )

    def _reading(self, relative: Path) -> Reading:
        """Return what is known of a path: by the mapping, by the pattern, else by guessing."""
        mapped = self.mapping.get(relative.as_posix(), Reading())
        matched = self._matched(relative)
        return mapped.over(matched).over(self._guessed(relative))

    def _matched(self, relative: Path) -> Reading:
        match = self.pattern.fullmatch(relative.as_posix()) if self.pattern else None
        if not match:
            return Reading()
        groups = {key: value or "" for key, value in match.groupdict().items()}
        spoken = groups.get("date") or "-".join(
            groups[part] for part in ("year", "month", "day") if groups.get(part)
        )
        return Reading(
            groups.get("meeting", ""),
            self._date(spoken),
            naming.find_kind(groups.get("kind", "")) or "",
            groups.get("title", ""),
        )

    def _guessed(self, relative: Path) -> Reading:
        # Some systems write an accent as a character of its own.
        composed = partial(unicodedata.normalize, "NFC")
        parts = list(map(composed, [*relative.parts[:-1], _stem(relative.name)]))
        day = naming.date_of_path(parts, day_first=self.settings.day_first)
        return Reading(
            self.settings.meeting or naming.body_of_path(parts),
            day.isoformat() if day else naming.month_of_path(parts) or "",
            naming.kind_of_path(parts) or self.settings.kind,
            naming.title_of_path(parts),
        )

    def _date(self, text: str) -> str:
        day = naming.find_date(text, day_first=self.settings.day_first)
        return day.isoformat() if day else naming.find_month(text) or ""

    def _mapped(self, row: dict[str, str]) -> Reading:
        day, kind = row.get("date") or "", row.get("kind") or ""
        reading = Reading(row.get("meeting") or "", self._date(day), naming.find_kind(kind) or "")
        for name, given, read in (("date", day, reading.date), ("kind", kind, reading.kind)):
            if given and not read:
                what = f"{row['path']} in the mapping file"
                self.report.errors.append(Problem(what, f"{name} {given!r} cannot be understood"))
        return reading


def walk(root: Path) -> Iterator[Path | Problem]:
    """Yield every file below a folder once, and a problem for every folder that cannot be read.

    Links to folders are followed, after all real folders, unless they lead to one already seen.
    """
    seen: set[tuple[int, int]] = set()
    waiting, linked = [root], list[Path]()
    while waiting or linked:
        folder = waiting.pop() if waiting else linked.pop(0)
        try:
            facts = folder.stat()
            if (facts.st_dev, facts.st_ino) in seen:
                continue
            seen.add((facts.st_dev, facts.st_ino))
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            name = files.readable_name(folder.relative_to(root))
            yield Problem(name, f"cannot be read: {error.strerror}", type(error).__name__)
            continue
        for entry in entries:
            if not _is_folder(entry):
                yield folder / entry.name
            elif entry.is_symlink():
                linked.append(folder / entry.name)
            else:
                waiting.append(folder / entry.name)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


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
    """Return the regular expression for a template or for one written by hand."""
    if not pattern:
        return None
    try:
        written = pattern if "(?P<" in pattern else _from_template(pattern)
        made = re.compile(written, re.IGNORECASE)
    except re.error as error:
        raise _bad_pattern(pattern, f"cannot be understood: {error}") from error
    if made.groupindex.keys().isdisjoint(_FIELDS):
        raise _bad_pattern(pattern, "names no field, such as {meeting} or {date}")
    return made


def _bad_pattern(pattern: str, why: str) -> BadSetting:
    hint = "A pattern looks like {kind}/{meeting}/{date}*.pdf"
    return BadSetting(f"The pattern {pattern!r} {why}.", hint=hint)


def _from_template(template: str) -> str:
    """A field takes as little as it can, but all there is before a star."""
    parts = [part for part in re.split(r"(\{\w+\}|\*\*/?|\*|\?)", template) if part]
    after = [*parts[1:], ""]
    return "".join(_regex_of(part, next_part) for part, next_part in zip(parts, after, strict=True))


def _regex_of(part: str, next_part: str) -> str:
    wildcards = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    if part in wildcards:
        return wildcards[part]
    if not re.fullmatch(r"\{\w+\}", part):
        return re.escape(part)
    field = part[1:-1]
    if field not in _FIELDS:
        raise BadSetting(
            f"There is no field {field!r} in patterns.", hint=f"Fields: {', '.join(_FIELDS)}."
        )
    return f"(?P<{field}>[^/]+)" if next_part.startswith("*") else f"(?P<{field}>[^/]+?)"


def _start(text: str) -> datetime | None:
    return datetime.combine(date.fromisoformat(text), time()) if len(text) == 10 else None


def _stem(name: str) -> str:
    return name[:-4] if name.lower().endswith(".pdf") else name


SPEC = FetcherSpec(
    "folder",
    FolderFetcher,
    settings=FolderSettings,
    lists_all=True,
    finds_gaps=False,
    help="PDFs in a folder of this machine, in any layout.",
)
