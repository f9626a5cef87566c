"""What a compiled file stands for: facts about the site, and the hashes of what was compiled."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from .differences import Disk, compiled_rows
from .holdings import digest_of


def about_of(connection: sqlite3.Connection) -> dict[str, str]:
    """Return the facts about the site."""
    return dict(connection.execute("SELECT key, value FROM about").fetchall())


def content_digest(connection: sqlite3.Connection) -> str:
    """Return the hash of a compiled file's content, the same whoever built it."""
    compiled = connection.execute("SELECT source, digest FROM compiled").fetchall()
    return _digest(about_of(connection), compiled)


def disk_digest(about: Mapping[str, str], disk: Disk) -> str:
    """Return that hash of a file that shows the disk, once everything has been read."""
    return _digest(about, compiled_rows(disk))


def _digest(about: Mapping[str, str], compiled: list[tuple[str, str]]) -> str:
    return digest_of(repr((sorted(compiled), sorted(about.items()))).encode())


def write_content(connection: sqlite3.Connection, about: Mapping[str, str], disk: Disk) -> None:
    """Write down what the file stands for, once everything has been read."""
    connection.execute("DELETE FROM about")
    connection.executemany("INSERT INTO about VALUES (?, ?)", sorted(about.items()))
    connection.execute("DELETE FROM compiled")
    connection.executemany("INSERT INTO compiled VALUES (?, ?)", compiled_rows(disk))
