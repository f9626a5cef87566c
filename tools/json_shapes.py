"""Write the schemas of what ``--json`` prints: ``python -m tools.json_shapes FOLDER``.

FOLDER is one where docs/tutorial.md has been followed.  Every command below runs there, and the
shape of its answer goes to ``docs/reference/json/NAME.json``, together with what was known of it
before.  A field that is gone, or has another type, is refused: raise its version in VERSIONS.
A test compares the answers with the schemas.
"""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from clerk.cli import cli

ROOT = Path(__file__).parents[1]
SCHEMAS = ROOT / "docs" / "reference" / "json"
PAGE = ROOT / "docs" / "reference" / "json.md"
SITE = "millbrook-falls"
MINUTES = "minutes/Town Council/Minutes/2023-01-23.pdf"

COLLECTION = """{"sourcedb": "papers", "sourceid": "1", "text": "Ruiz moved.",
 "denotations": [{"span": {"begin": 0, "end": 4}, "obj": "Person"}]}"""

#: Name of the schema -> the command without --json.  UPLOAD and FAILURE stand for numbers that
#: earlier commands answered.
COMMANDS = {
    "annotations-validate": ["annotations", "validate", "collection.json"],
    "annotations-upload": [
        "annotations",
        "upload",
        "collection.json",
        "-p",
        "shapes",
        "--create-docs",
    ],
    "annotations-status": ["annotations", "status", "UPLOAD"],
    "annotations-watch": ["annotations", "watch", "UPLOAD"],
    "annotations-issues": ["annotations", "issues", "UPLOAD"],
    "annotations-list": ["annotations", "list"],
    "annotations-orphans": ["annotations", "orphans"],
    "annotations-compare": ["annotations", "compare", "shapes", "shapes"],
    "annotations-reports-list": ["annotations", "reports", "list"],
    "annotations-rollback": ["annotations", "rollback", "UPLOAD"],
    "batch-cleanup": ["batch", "cleanup", "--dry-run"],
    "batch-health": ["batch", "health"],
    "batch-list": ["batch", "list"],
    "batch-report": ["batch", "report", "timing"],
    "batch-show": ["batch", "show", "1"],
    "config-show": ["config", "show"],
    "doctor": ["doctor"],
    "documents-list": ["documents", "list", SITE],
    "documents-show": ["documents", "show", SITE, "*/2023-04-05.pdf"],
    "extract": ["extract", MINUTES],
    "extract-votes": ["extract", "--votes", MINUTES],
    "failures-list": ["failures", "list"],
    "failures-list-each": ["failures", "list", "--each"],
    "failures-show": ["failures", "show", "FAILURE"],
    "fetch-test": ["fetch-test", "minutes"],
    "follow-list": ["follow", "list"],
    "health": ["health"],
    "languages-list": ["languages", "list"],
    "pipeline-status": ["pipeline-status"],
    "queue-list": ["queue", "list"],
    "read": ["read", MINUTES],
    "reconcile-pipeline": ["reconcile-pipeline", "--dry-run"],
    "redo": ["redo", "--stage", "compilation", "--site", SITE, "--dry-run"],
    "run": ["run", SITE],
    "schedule-list": ["schedule", "list"],
    "schedule-run": ["schedule", "run", "--dry-run"],
    "search": ["search", "budget"],
    "search-index-status": ["search-index", "status"],
    "session-list": ["session", "list"],
    "site-list": ["site", "list"],
    "site-show": ["site", "show", SITE],
    "token-list": ["token", "list"],
    "versions": ["versions", SITE, "minutes/Planning Board/2023-04-05"],
}
#: Commands with --json that do not run here -> why their output needs no schema of its own.
WITHOUT_SCHEMA = {
    "annotations retry": "prints what `clerk annotations upload` prints",
    "follow show": "prints what one address or webhook follows, for its owner",
}
#: Raised when a field is removed or means something else; new fields do not change it.
VERSIONS = dict.fromkeys((*COMMANDS, "index"), 1) | {"extract": 3}
#: Objects whose keys are data: names of stages, sites, fields, causes.
MAPS = {
    *("stages", "hours_by_stage", "blocked", "messages", "evidence", "details", "tally", "extra"),
    *("field_confidence", "settings", "origin", "failed_pages", "batches", "queues", "documents"),
    *("by_label", "issue_counts", "held_back", "cleared", "stored", "subscriptions", "cadences"),
}


def answer(command: list[str], folder: Path) -> Any:
    """Return what a command prints as JSON; one object per line is a list."""
    with contextlib.chdir(folder):
        done = CliRunner().invoke(cli, [*command, "--json"])
    # 1: something is not well, 4: documents failed; the answer says so, too.
    if done.exit_code not in (0, 1, 4) or not isinstance(done.exception, SystemExit | None):
        ended = f"clerk {' '.join(command)} ended with {done.exit_code}"
        raise SystemExit(f"{ended}: {done.stderr}") from done.exception
    if command[0] == "extract" or command[:2] == ["annotations", "issues"]:
        return [json.loads(line) for line in done.stdout.splitlines()]
    return json.loads(done.stdout)


def answers(folder: Path) -> dict[str, Any]:
    """Return what every command prints, and the published index."""
    (folder / "collection.json").write_text(COLLECTION)
    found: dict[str, Any] = {}
    numbers: dict[str, str] = {}
    for name, command in COMMANDS.items():
        found[name] = answer([numbers.get(word, word) for word in command], folder)
        if name == "annotations-upload":
            numbers["UPLOAD"] = str(found[name]["id"])
        elif name == "failures-list-each":
            numbers["FAILURE"] = str(found[name][0]["id"])
    return found | {"index": index_of(folder)}


def index_of(folder: Path) -> Any:
    """Return the published index.json."""
    return json.loads((folder / "sites" / "_published" / SITE / "index.json").read_text())


def shape(value: Any, name: str = "") -> dict[str, Any]:
    """Return the schema of one value; any single value may be null where it is not known."""
    if isinstance(value, dict):
        if name in MAPS:
            return {"type": ["object", "null"]}
        fields = {key: shape(each, key) for key, each in sorted(value.items())}
        return {"type": ["object", "null"], "properties": fields, "required": sorted(fields)}
    if isinstance(value, list):
        items: dict[str, Any] = {}
        for each in value:
            items = joined(items, shape(each))
        return {"type": ["array", "null"], **({"items": items} if items else {})}
    if value is None:
        return {}
    types = {bool: "boolean", int: "number", float: "number", str: "string"}
    return {"type": [types[type(value)], "null"]}


def joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of values that have either shape."""
    if not one or not other:
        return one or other
    types = sorted({*one["type"], *other["type"]} - {"null"})
    both: dict[str, Any] = {"type": [*types, "null"]}
    if "items" in one or "items" in other:
        both["items"] = joined(one.get("items", {}), other.get("items", {}))
    if "properties" in one and "properties" in other:
        fields, others = one["properties"], other["properties"]
        both["properties"] = {
            name: joined(fields.get(name, {}), others.get(name, {}))
            for name in sorted({*fields, *others})
        }
        both["required"] = sorted({*one["required"]} & {*other["required"]})
    elif "properties" in one or "properties" in other:
        both |= {key: (one | other)[key] for key in ("properties", "required")}
    return both


def gone(before: dict[str, Any], now: dict[str, Any], path: str = "") -> list[str]:
    """Return the fields that an answer always had and does not have any more."""
    found = []
    if "items" in before and "items" in now:
        found += gone(before["items"], now["items"], f"{path}[]")
    if "properties" in before and "properties" in now:
        missing = set(before["required"]) - set(now["properties"])
        found += [f"{path}.{name}" for name in sorted(missing)]
        for name in before["properties"].keys() & now["properties"].keys():
            found += gone(before["properties"][name], now["properties"][name], f"{path}.{name}")
    return found


def main() -> None:
    """Write every schema, and the page that lists them."""
    folder = Path(sys.argv[1])
    SCHEMAS.mkdir(parents=True, exist_ok=True)
    for name, value in answers(folder).items():
        file, now = SCHEMAS / f"{name}.json", shape(value)
        before = json.loads(file.read_text()) if file.exists() else {}
        identity = f"urn:clerk:{name}:{VERSIONS[name]}"
        if before.get("$id") == identity:
            lost = gone(before, now)
            if lost:
                raise SystemExit(f"{name}: {', '.join(lost)} gone; raise its version in VERSIONS.")
            now = joined({key: before[key] for key in before if not key.startswith("$")}, now)
        head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": identity}
        file.write_text(json.dumps(head | now, indent=1) + "\n")
    rows = []
    for name, command in COMMANDS.items():
        words = " ".join(word for word in command if word != SITE and "/" not in word)
        rows.append(
            f"| `clerk {words} --json` | {VERSIONS[name]} | [{name}.json](json/{name}.json) |"
        )
    version = VERSIONS["index"]
    rows.append(f"| `index.json` of a published site | {version} | [index.json](json/index.json) |")
    PAGE.write_text(
        "\n".join(
            [
                *("# JSON", "", "<!-- Made by `python -m tools.json_shapes`. -->", ""),
                "What `--json` prints, as JSON Schemas. A version is raised when a field is gone",
                "or changes its meaning; new fields may appear at any time, so ignore what you do",
                "not know. A value that is not known is null. `clerk extract --json` (one per",
                "file, with `--votes` per vote) and `clerk annotations issues --json` print one",
                "object per line; their schemas are of the list of them.",
                *("", "| output | version | schema |", "|---|---|---|", *rows, ""),
                *(f"- `clerk {name} --json` {why}." for name, why in WITHOUT_SCHEMA.items()),
                "",
            ]
        )
    )


if __name__ == "__main__":
    main()
