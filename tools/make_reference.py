"""Write the reference pages of the documentation from the code: ``python -m tools.make_reference``.

::

    docs/reference/commands.md     every command with its help
    docs/reference/settings.md     every setting with its default
    docs/reference/exit-codes.md   every error with its exit code
    docs/reference/hooks.md        every plugin hook
    docs/reference/meetings-db.md  every table of meetings.db with its columns
    docs/reference/metrics.md      every metric
    docs/reference/search-words.md  every sample word that search finds on more pages than FTS5
    docs/reference/api.md          every address of the API; openapi.json beside it
    .env.example                   every setting as a line to uncomment

A test fails when one of them is not what the code says.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click

import clerk.samples
from clerk.cli import cli
from clerk.cli.manual import all_commands
from clerk.core import errors, hookspecs
from clerk.core.config import Settings
from clerk.core.storage import search_folder
from clerk.search import Query, index, search
from clerk.search.words import stemmer
from clerk.site_db import schema
from clerk.web import metrics
from clerk.web.api import openapi

ROOT = Path(__file__).parents[1]
_GENERATED = "<!-- Made by `python -m tools.make_reference`; change the code, not this page. -->"


def pages() -> dict[str, str]:
    """Return the text of every generated file by its path in the project."""
    return {
        "docs/reference/commands.md": _commands(),
        "docs/reference/settings.md": _settings(),
        "docs/reference/exit-codes.md": _exit_codes(),
        "docs/reference/hooks.md": _hooks(),
        "docs/reference/meetings-db.md": _meetings_db(),
        "docs/reference/metrics.md": _metrics(),
        "docs/reference/search-words.md": _search_words(),
        "docs/reference/api.md": _api(),
        "docs/reference/openapi.json": json.dumps(openapi(), indent=1) + "\n",
        ".env.example": _dotenv(),
    }


def _commands() -> str:
    lines = ["# Commands", "", _GENERATED, ""]
    for path, command in all_commands(cli):
        context = click.Context(command, info_name=" ".join(path), terminal_width=80)
        heading = "#" * min(len(path) + 1, 3)
        lines += [f"{heading} `{' '.join(path)}`", "", "```text", command.get_help(context), "```"]
        lines.append("")
    return "\n".join(lines)


def _variables() -> Iterator[tuple[str, str, str]]:
    """Yield the variable, the default and the help of every setting."""
    for each in dataclasses.fields(Settings):
        if "variable" in each.metadata:
            yield each.metadata["variable"], _as_written(each.default), each.metadata["help"]


def _as_written(default: Any) -> str:
    """Return a default as it would be written in the environment."""
    if default is None:
        return ""
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, tuple):
        return ",".join(default)
    return f"{default:g}" if isinstance(default, float) else str(default)


def _settings() -> str:
    rows = [
        f"| `{variable}` | {f'`{default}`' if default else 'unset'} | {help} |"
        for variable, default, help in _variables()
    ]
    intro = [
        "A setting is taken from a flag of the command, else from the environment, else from",
        "`.env` in the current directory, else it has its default. `clerk config show` prints each",
        "setting with where it was set.",
    ]
    head = ["| variable | default | meaning |", "|---|---|---|"]
    return "\n".join(["# Settings", "", _GENERATED, "", *intro, "", *head, *rows, ""])


def _dotenv() -> str:
    lines = ["# Settings of clerk. Copy this file to .env and uncomment what you change.", ""]
    for variable, default, help in _variables():
        lines += [f"# {help}", f"#{variable}={default}", ""]
    return "\n".join(lines)


def _exit_codes() -> str:
    lines = [
        *("# Exit codes", "", _GENERATED, "", "| code | meaning |", "|---|---|"),
        "| 0 | success |",
        "| 1 | an error; the message explains it |",
        "| 2 | invalid arguments or input |",
        "| 3 | something has to be set up first |",
        "| 4 | the run is done, but documents failed |",
        "| 130 | interrupted |",
        *("", "## Errors", "", "```text", inspect.getdoc(errors) or "", "```", ""),
    ]
    return "\n".join(lines)


def _hooks() -> str:
    lines = ["# Plugin hooks", "", _GENERATED, ""]
    for name, hook in inspect.getmembers(hookspecs, inspect.isfunction):
        if hook.__module__ == hookspecs.__name__:
            signature = str(inspect.signature(hook)).replace("'", "")
            lines += [f"## `{name}{signature}`", "", inspect.getdoc(hook) or "", ""]
    return "\n".join(lines)


def _meetings_db() -> str:
    lines = [
        *("# Tables of meetings.db", "", _GENERATED, ""),
        f"Version {schema.VERSION} (`PRAGMA user_version`). [meetings.db](../meetings-db.md) says",
        "what the tables mean.",
        "",
    ]
    with closing(sqlite3.connect(":memory:")) as connection:
        schema.create(connection)
        tables = connection.execute(
            "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')"
            " AND name NOT LIKE '%fts%' AND name NOT LIKE 'sqlite%' ORDER BY name"
        ).fetchall()
        for table, kind in tables:
            lines += [f"## `{table}`" + (" (a view)" if kind == "view" else ""), ""]
            lines += ["| column | type | |", "|---|---|---|"]
            leads = {
                row[3]: f"leads to `{row[2]}.{row[4]}`"
                for row in connection.execute(f"PRAGMA foreign_key_list({table})")
            }
            for column in connection.execute(f"PRAGMA table_xinfo({table})"):
                _, name, type, required, _, is_key, _ = column
                notes = ["primary key"] if is_key else ["never NULL"] if required else []
                notes += [leads[name]] if name in leads else []
                lines.append(f"| `{name}` | {type.lower()} | {', '.join(notes)} |")
            lines.append("")
    return "\n".join(lines)


def _metrics() -> str:
    rows = [
        f"| `{name}` | {', '.join(f'`{label}`' for label in labels)} | {help} |"
        for name, (help, labels) in sorted(metrics.METRICS.items())
    ]
    intro = "`clerk serve` offers them at `/metrics`, to its own machine or with a token."
    head = ["| metric | labels | meaning |", "|---|---|---|"]
    return "\n".join(["# Metrics", "", _GENERATED, "", intro, "", *head, *rows, ""])


def _search_words() -> str:
    """Ask for every word of the sample documents in FTS5 and in the index over all sites."""
    sample_site = "millbrook-falls"
    truth = Path(inspect.getfile(clerk.samples)).with_name("samples.json")
    samples = json.loads(truth.read_text("utf-8"))
    with (
        tempfile.TemporaryDirectory() as scratch,
        closing(sqlite3.connect(":memory:")) as fts5,
    ):
        storage, shard = Path(scratch), "0-000001"
        columns = f'text, tokenize="{schema.TOKENIZER}"'
        fts5.execute(f"CREATE VIRTUAL TABLE pages USING fts5({columns})")
        fts5.execute("CREATE VIRTUAL TABLE words USING fts5vocab(pages, row)")
        with index.ShardWriter(search_folder(storage) / shard) as writer:
            writer.put_place(index.PlaceFacts(sample_site, "Millbrook Falls", "", "eng"))
            for number, sample in enumerate(samples, start=1):
                facts = index.StoredFacts(sample_site, sample["file"], "minutes", "", "", 1)
                texts = [
                    index.PageText(at, text) for at, text in enumerate(sample["pages"], start=1)
                ]
                identity = f"{number:016x}"
                writer.put(index.IndexedDocument(identity, facts, "", "eng", "", number, texts))
                fts5.executemany("INSERT INTO pages VALUES (?)", [(each.text,) for each in texts])
            writer.commit(index.ShardProgress())
        index.write_layout(storage, index.Layout(index.VERSION, [shard]))
        by_fts5 = dict(fts5.execute("SELECT term, doc FROM words ORDER BY term").fetchall())
        exact = {word: search(storage, Query(f'"{word}"')).total for word in by_fts5}
        in_any_form = {word: search(storage, Query(word)).total for word in by_fts5}
    forms: dict[str, list[str]] = {}
    for word in by_fts5:
        forms.setdefault(stemmer("eng").stem(word), []).append(word)
    more = [word for word in by_fts5 if in_any_form[word] != by_fts5[word]]
    others = [word for word in by_fts5 if exact[word] != by_fts5[word]]
    rows = []
    for word in more:
        same_stem = [each for each in forms[stemmer("eng").stem(word)] if each != word]
        found = f"{by_fts5[word]} | {in_any_form[word]}"
        rows.append(f"| {word} | {found} | {', '.join(same_stem) or 'unexplained'} |")
    return "\n".join(
        [
            *("# Words that search finds on more pages than FTS5", "", _GENERATED, ""),
            f"The sample documents have {len(by_fts5):,} words. Each was searched in FTS5, as",
            "`meetings.db` has it, and in the index over all sites; the pages found are counted.",
            "",
            f"- In quotes, {len(others)} words differ{': ' if others else '.'}{', '.join(others)}",
            f"- Without quotes, {len(by_fts5) - len(more):,} words are found on as many pages.",
            f"- Without quotes, {len(more)} words are found on another number of pages, because",
            "  the index finds all forms of a word: those with the same stem.",
            "",
            *("| word | pages, FTS5 | pages, search | also found |", "|---|---|---|---|"),
            *rows,
            "",
        ]
    )


def _api() -> str:
    rows = [
        f"| {method.upper()} | `{path}` | {described.get('summary', '')} |"
        for path, methods in openapi()["paths"].items()
        for method, described in methods.items()
    ]
    intro = "`clerk serve` answers these; `/api` describes them. [OpenAPI 3.1](openapi.json)."
    head = ["| method | address | answer |", "|---|---|---|"]
    return "\n".join(["# API", "", _GENERATED, "", intro, "", *head, *rows, ""])


def write() -> None:
    """Write every generated file."""
    for path, text in pages().items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text)


if __name__ == "__main__":
    write()
