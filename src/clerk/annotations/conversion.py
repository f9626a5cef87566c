"""Files in other formats become files of PubAnnotation's lines, which are then uploaded as any.

Files, folders, ``.zip``, ``.tar``, ``.tgz`` and ``.gz`` are read.  Names in archives are only used
as names of documents, never as paths.
"""

from __future__ import annotations

import gzip
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

import msgspec

from clerk.core.errors import UnusableUpload

from . import formats

FORMATS = ("pubannotation", *formats.READERS, "brat")

#: One file is converted in memory; all files of an upload together may be this large.
FILE_BYTES, ALL_BYTES = 256 << 20, 4 << 30

_SUFFIXES = {
    "pubannotation": (".json", ".jsonl"),
    "w3c": (".jsonld", ".json", ".jsonl"),
    "conll": (".conll", ".conllu", ".iob", ".bio", ".txt"),
    "tsv": (".tsv", ".txt"),
    "spacy": (".jsonl",),
    "brat": (".txt", ".ann"),
}


@dataclass(frozen=True)
class _Source:
    """A file with its name and content."""

    name: str
    content: bytes


def convert(
    paths: Sequence[Path], format: str, folder: Path, *, sourcedb: str = "", sourceid: str = ""
) -> list[Path]:
    """Write a file of lines for each file of that format, and return them.

    ``sourcedb`` is used for objects without one, and for their ``sourceid`` the name of their file,
    numbered if there are several.  Raises `UnusableUpload` for a file that is not of the format.
    """
    if format not in FORMATS:
        raise UnusableUpload(f"The format must be one of {', '.join(FORMATS)}, not {format!r}.")
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for source, objects in _objects(_limited(_sources(paths, format)), format):
        stem = PurePosixPath(source.name)
        given = sourceid or str(stem.with_suffix("")).removesuffix(".spacy")
        lines = []
        for number, value in enumerate(objects, 1):
            if not value.get("sourcedb"):
                value["sourcedb"] = sourcedb
            if not value.get("sourceid"):
                value["sourceid"] = given if number == 1 else f"{given}-{number}"
            lines.append(msgspec.json.encode(value) + b"\n")
        name = stem.name if stem.suffix == ".jsonl" else f"{stem.name}.jsonl"
        path = folder / f"{len(written):06}" / name[-156:]
        path.parent.mkdir()
        path.write_bytes(b"".join(lines))
        written.append(path)
    if not written:
        raise UnusableUpload(f"There is no file of the format {format} to upload.")
    return written


def _objects(
    sources: Iterable[_Source], format: str
) -> Iterator[tuple[_Source, list[dict[str, object]]]]:
    """Yield each file with the objects in it; brat has two files for an object."""
    waiting: dict[str, _Source] = {}
    for source in sources:
        try:
            if format == "brat":
                stem, _, kind = source.name.rpartition(".")
                other = waiting.pop(stem, None)
                if other is None:
                    waiting[stem] = source
                    continue
                text, marks = (other, source) if kind == "ann" else (source, other)
                found = formats.brat.load(text.content.decode(), marks.content.decode())
                yield text, [found]
            elif format == "pubannotation":
                if source.name.endswith(".jsonl"):
                    listed = msgspec.json.Decoder(dict[str, object]).decode_lines(source.content)
                else:
                    either = dict[str, object] | list[dict[str, object]]
                    decoded = msgspec.json.decode(source.content, type=either)
                    listed = decoded if isinstance(decoded, list) else [decoded]
                yield source, listed
            else:
                yield source, list(formats.READERS[format](source.content))
        except (ValueError, TypeError, LookupError, AttributeError, msgspec.MsgspecError) as error:
            message = f"{source.name} cannot be read as {format}: {error}."
            raise UnusableUpload(message) from error
    if waiting:
        alone = next(iter(waiting.values())).name
        raise UnusableUpload(f"brat needs a .txt and an .ann file per document; {alone} is alone.")


def _limited(sources: Iterable[_Source]) -> Iterator[_Source]:
    left = ALL_BYTES
    for source in sources:
        left -= len(source.content)
        if left < 0:
            raise UnusableUpload(f"The files are larger than {ALL_BYTES >> 30} GiB together.")
        yield source


def _sources(paths: Sequence[Path], format: str) -> Iterator[_Source]:
    """Yield the files of that format, also those in folders and archives, by name."""
    for path in paths:
        if path.is_dir():
            inside = sorted(each for each in path.rglob("*") if each.is_file())
            chosen = [each for each in inside if each.name.lower().endswith(_SUFFIXES[format])]
            for each in chosen:
                with each.open("rb") as file:
                    yield _Source(each.relative_to(path).as_posix(), _read(file, each.name))
            continue
        try:
            yield from _opened(path, format)
        except FileNotFoundError:
            raise UnusableUpload(f"There is no file {path}.") from None
        except (OSError, EOFError, zlib.error, tarfile.TarError, zipfile.BadZipFile) as error:
            raise UnusableUpload(f"{path.name} cannot be read: {error}.") from error


def _opened(path: Path, format: str) -> Iterator[_Source]:
    name = path.name.lower()
    if name.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            for info in sorted(archive.infolist(), key=lambda each: each.filename):
                if _is_wanted(info.filename, format) and not info.is_dir():
                    with archive.open(info) as file:
                        yield _Source(info.filename, _read(file, info.filename))
    elif name.endswith((".tar", ".tgz", ".tar.gz")):
        with tarfile.open(path) as archive:
            members = [each for each in archive.getmembers() if each.isfile()]
            for member in sorted(members, key=lambda each: each.name):
                extracted = archive.extractfile(member) if _is_wanted(member.name, format) else None
                if extracted:
                    yield _Source(member.name, _read(extracted, member.name))
    elif name.endswith(".gz"):
        with gzip.open(path) as unpacked:
            yield _Source(path.name[: -len(".gz")], _read(unpacked, path.name))
    else:
        with path.open("rb") as file:
            yield _Source(path.name, _read(file, path.name))


def _is_wanted(name: str, format: str) -> bool:
    parts = PurePosixPath(name).parts
    safe = not name.startswith("/") and ".." not in parts
    return safe and name.lower().endswith(_SUFFIXES[format])


def _read(file: IO[bytes] | gzip.GzipFile, name: str) -> bytes:
    content = file.read(FILE_BYTES + 1)
    if len(content) > FILE_BYTES:
        raise UnusableUpload(f"{name} is larger than {FILE_BYTES >> 20} MiB.")
    return content
