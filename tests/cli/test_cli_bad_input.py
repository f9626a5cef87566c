"""Bad input gets one line that names the thing and says what to do; nothing changes."""

from __future__ import annotations

import io
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from databases import sqlite_daily
from small_work import hurry
from sqlalchemy import text

from clerk import __version__
from clerk.core import config, db, schema
from clerk.pipeline import runs

Clerk = Callable[..., Any]
SECRET = "hunter2-canary"


def forget_engines() -> None:
    """Close connections to databases that no fixture knows."""
    while db._engines:
        db._engines.popitem()[1].dispose()


def test_the_version_is_printed(clerk: Clerk) -> None:
    assert clerk("--version").out == f"clerk {__version__}\n"


def test_a_mistyped_command_is_answered_with_the_one_that_was_meant(clerk: Clerk) -> None:
    said = clerk("serch", "budget")

    assert said.code == 2
    assert "No such command 'serch'" in said.err
    assert "'search'" in said.err


def test_a_port_in_use_is_said_in_one_sentence(clerk: Clerk, storage: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        said = clerk("serve", "--port", str(port))

    assert said.code == 3
    assert said.err.splitlines() == [
        f"Error: Cannot listen on 127.0.0.1 port {port}: Address already in use.",
        "Choose another: clerk serve --port 8080",
    ]


def test_an_empty_folder_is_called_empty(clerk: Clerk, storage: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    said = clerk("site", "add", "springfield", "--from", str(tmp_path / "empty"), "--yes")

    assert said.code == 0
    assert "There are no documents in this folder yet." in said.out
    assert "DATE" not in said.out


@pytest.mark.parametrize(
    "name", ["Upper", "a/b", "..", "a..b", "", "-x", "ümlaut", "clerk.db", "clerk.db-wal"]
)
def test_a_name_that_cannot_be_a_folder_is_refused(clerk: Clerk, storage: Path, name: str) -> None:
    said = clerk("site", "add", "--from", ".", "--", name)

    assert said.code == 2
    assert repr(name) in said.err
    assert "Traceback" not in said.err
    assert list(storage.iterdir()) == []


@sqlite_daily
@pytest.mark.parametrize(
    "command",
    [
        ("run", "atlantis"),
        ("failures", "list", "--site", "atlantis"),
        ("update", "-s", "atlantis"),
        ("site", "show", "atlantis"),
        ("site", "remove", "atlantis", "--yes"),
    ],
)
def test_an_unknown_site_is_named(clerk: Clerk, database: str, command: tuple[str, ...]) -> None:
    said = clerk(*command)

    assert said.code == 1
    assert said.err.splitlines() == [
        "Error: There is no site 'atlantis'.",
        "List the sites: clerk site list",
    ]


@pytest.mark.parametrize(
    ("source", "options", "said"),
    [
        ("", (), "'' is neither a folder nor a file nor a URL"),
        ("pipe", (), "'pipe' is neither a folder nor a file nor a URL"),
        ("one.pdf", (), "'one.pdf' is a document, not a list of them"),
        ("http://", (), "'http://' is not an http or https address"),
        ("ftp://host/list", (), "'ftp://host/list' is not an http or https address"),
        (".", ("--pattern", "{foo}"), "There is no field 'foo' in patterns"),
        (".", ("--pattern", "(?P<date>"), "The pattern '(?P<date>' cannot be understood"),
        (".", ("--pattern", "minutes"), "The pattern 'minutes' names no field"),
        (".", ("--mapping", "absent.csv"), "absent.csv' cannot be read: No such file"),
        (".", ("--mapping", "wrong.csv"), "its first line names no column 'path'"),
        (".", ("--start-year", "-5"), "-5 is not in the range"),
        (".", ("--set", "kind=poems"), "kind must be minutes or agendas"),
    ],
)
def test_a_source_that_cannot_be_used_is_refused_before_it_is_written_down(
    clerk: Clerk, storage: Path, tmp_path: Path, source: str, options: tuple[str, ...], said: str
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "one.pdf").touch()
    (tmp_path / "wrong.csv").write_text("file,date\n")

    answer = clerk("site", "add", "springfield", "--from", source, *options)

    assert answer.code == 2
    assert said in answer.err
    assert clerk("site", "list").out == ""


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("CLERK_PLUGINS", "no_such_module", "'no_such_module' of CLERK_PLUGINS cannot be loaded"),
        ("CLERK_PLUGINS_DIR", "absent", "CLERK_PLUGINS_DIR must be a folder, not 'absent'"),
        ("CLERK_PLUGINS_DIR", "broken", "broken/rude.py cannot be loaded: RuntimeError: no."),
        ("SENTRY_DSN", SECRET, "SENTRY_DSN must look like"),
    ],
)
def test_a_plugin_or_address_that_cannot_be_used_stops_a_run_and_is_no_fault_of_the_site(
    clerk: Clerk,
    storage: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    said: str,
) -> None:
    if variable == "SENTRY_DSN":
        pytest.importorskip("sentry_sdk", reason="the Sentry client is not installed")
    hurry(monkeypatch)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "rude.py").write_text("raise RuntimeError('no.')\n")
    assert clerk("site", "add", "springfield", "--from", ".").code == 0
    monkeypatch.setenv(variable, value)

    answer = clerk("run", "springfield")

    assert answer.code == 3
    assert said in answer.err
    assert SECRET not in answer.err
    assert "Traceback" not in answer.err
    monkeypatch.delenv(variable)
    assert clerk("run", "springfield").code == 4
    assert "no documents" in clerk("site", "list").out


def test_sites_are_named_or_those_that_are_due_not_both(clerk: Clerk, database: str) -> None:
    assert clerk("run", "x", "--all-due").code == 2


def test_an_unknown_worker_type_and_stage_are_usage_errors(clerk: Clerk, database: str) -> None:
    assert clerk("worker", "scan").code == 2
    assert clerk("run", "x", "--stage", "scan").code == 2


def test_a_missing_storage_directory_is_named(
    clerk: Clerk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("STORAGE_DIR", str(tmp_path / "absent"))

    said = clerk("site", "list")

    assert said.code == 3
    assert "absent does not exist" in said.err
    assert "mkdir -p" in said.err
    assert not (tmp_path / "absent").exists()


def test_a_storage_directory_that_is_a_file_is_named(
    clerk: Clerk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("STORAGE_DIR", str(tmp_path / "file"))

    said = clerk("site", "list")

    assert said.code == 3
    assert "is not a folder but a file" in said.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_storage_directory_is_named(clerk: Clerk, storage: Path) -> None:
    storage.chmod(0o500)
    said = clerk("site", "list")
    storage.chmod(0o700)

    assert said.code == 3
    assert "cannot be written to" in said.err


def test_a_database_that_was_not_migrated_says_how(
    clerk: Clerk, storage: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/new.db")

    said = clerk("site", "list")

    assert said.code == 3
    assert "clerk db upgrade" in said.err


@pytest.mark.parametrize(
    ("command", "code"),
    [("site list", 3), ("db current", 0), ("db check", 1), ("db backup", 3), ("run x", 3)],
)
def test_to_look_for_a_database_does_not_make_it(
    clerk: Clerk,
    storage: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    command: str,
    code: int,
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/new.db")

    said = clerk(*command.split())

    assert said.code == code
    assert "Traceback" not in said.err
    assert not (tmp_path / "new.db").exists()


def test_commands_that_meet_at_a_new_storage_directory_all_work(storage: Path) -> None:
    command = [sys.executable, "-m", "clerk", "site", "list"]

    together = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    said = [process.communicate()[1].splitlines()[0] for process in together]

    assert said == ["There are no sites yet. Add one: clerk site add NAME --from FOLDER"] * 4
    beside = ("clerk.db-wal", "clerk.db-shm")
    assert [file.name for file in storage.iterdir() if file.name not in beside] == ["clerk.db"]


def test_an_empty_postgresql_says_how(
    clerk: Clerk, storage: Path, monkeypatch: pytest.MonkeyPatch, empty_postgres: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", empty_postgres)

    assert clerk("reconcile-pipeline").code == 3
    assert clerk("db", "check").code == 1
    assert clerk("db", "upgrade").code == 0
    assert clerk("reconcile-pipeline").code == 0


def test_a_database_newer_than_the_code_is_left_alone(clerk: Clerk, database: str) -> None:
    with db.civic_db_connection() as conn:
        conn.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    for command in (("site", "list"), ("db", "upgrade"), ("run", "x")):
        said = clerk(*command)
        assert said.code == 3
        assert "9999" in said.err
        assert "pip install --upgrade townclerk\n" in said.err
    assert schema.current(db.get_civic_db()) == "9999"


def test_going_back_is_refused_where_it_could_drop_what_clerk_did_not_make(
    clerk: Clerk, database: str
) -> None:
    with db.civic_db_connection() as conn:
        conn.execute(text("DROP TABLE adopted_schema"))

    for revision, next_step in (("0001", "clerk db downgrade 0002"), ("base", "downgrade 0002")):
        said = clerk("db", "downgrade", "--yes", revision)
        assert said.code == 3
        assert said.out == ""
        assert said.err.startswith("Error: The schema cannot go back to 0001: ")
        assert next_step in said.err and len(said.err.splitlines()) == 2
    assert schema.current(db.get_civic_db()) == schema.head()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DATABASE_URL", f"mysql://me:{SECRET}@host/db"),
        ("DATABASE_URL", f"postgresql://me:{SECRET}@host:port/db"),
        ("DATABASE_URL", f"postgresql://me:{SECRET}/x@host/db"),
        ("DATABASE_URL", "nonsense"),
        ("DATABASE_URL", "sqlite://folder/file.db"),
        ("DATABASE_URL", "sqlite:///:memory:"),
        ("DATABASE_URL", "sqlite://"),
        ("REDIS_URL", f"redis://me:{SECRET}@host?db=abc"),
        ("REDIS_URL", f"redis://me:{SECRET}@host?foo=bar"),
        ("REDIS_URL", f"http://me:{SECRET}@host"),
        ("REDIS_URL", f"redis://me:{SECRET}@host:99999999/0"),
        ("REDIS_URL", f"redis://me:{SECRET}@host/first"),
        ("REDIS_URL", f"redis://me:{SECRET}@host/0?ssl_cert_reqs=none"),
        ("REDIS_URL", "unix://"),
        ("CLERK_WORKERS", "many"),
        ("CLERK_WORKERS", "-1"),
        ("CLERK_WORKERS", "99999999999"),
        ("OCR_LANGUAGES", ","),
        ("LEASE_SECONDS", "-1"),
        ("LEASE_SECONDS", "3600"),
        ("LOG_FORMAT", "xml"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_and_secrets_hidden(
    clerk: Clerk, storage: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)

    said = clerk("site", "list")

    assert said.code == 3
    assert said.err.startswith(f"Error: {variable} ")
    assert SECRET not in said.err + said.out
    assert list(storage.iterdir()) == []


def test_a_database_that_does_not_answer_is_named_without_its_password(
    clerk: Clerk, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"postgres://me:{SECRET}@127.0.0.1:1/clerk")

    said = clerk("site", "list")

    assert said.code == 3
    assert "The database postgresql://me:***@127.0.0.1:1/clerk does not answer" in said.err
    assert "from the environment" in said.err
    assert SECRET not in said.err


@pytest.mark.parametrize("command", [("site", "list"), ("db", "upgrade"), ("db", "check")])
def test_a_database_file_in_no_folder_is_named(
    clerk: Clerk,
    storage: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    command: tuple[str, ...],
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/absent/clerk.db")

    said = clerk(*command)

    assert said.code == 3
    assert "absent/clerk.db does not answer: unable to open database file" in said.err
    assert "Check its folder" in said.err
    assert "Traceback" not in said.err


def test_a_password_with_a_slash_is_hidden_whole(
    clerk: Clerk, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"postgres://me:12/{SECRET}@127.0.0.1:1/clerk")

    said = clerk("site", "list")

    assert said.code == 3
    assert "me:***@127.0.0.1:1/clerk" in said.err
    assert SECRET not in said.err


@pytest.mark.parametrize("command", [("site", "list"), ("db", "upgrade"), ("db", "current")])
def test_a_file_that_is_no_database_is_named(
    clerk: Clerk, storage: Path, command: tuple[str, ...]
) -> None:
    (storage / "clerk.db").write_bytes(b"Dear diary, " * 1000)

    said = clerk(*command)

    assert said.code == 3
    assert said.err.startswith("Error: The database sqlite:////")
    assert "file is not a database" in said.err
    assert "Traceback" not in said.err


def test_a_database_that_may_only_be_read_is_named(
    clerk: Clerk, storage: Path, sqlite_template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(sqlite_template, storage / "only.db")
    url = f"sqlite:///file:{storage}/only.db?mode=ro&uri=true"
    monkeypatch.setenv("DATABASE_URL", url)

    said = clerk("site", "add", "springfield", "--from", str(storage))

    assert said.code == 3
    assert "cannot be used: attempt to write a readonly database" in said.err


def test_a_user_without_rights_on_the_tables_is_told(
    clerk: Clerk, storage: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(postgres, autocommit=True) as conn:
        conn.execute(f"CREATE ROLE bystander LOGIN PASSWORD '{SECRET}'")
    url = re.sub(r"//[^@/]*@", f"//bystander:{SECRET}@", postgres)
    monkeypatch.setenv("DATABASE_URL", url)

    for command in (("site", "list"), ("db", "upgrade")):
        said = clerk(*command)
        assert said.code == 3
        assert "cannot be used: permission denied" in said.err
        assert SECRET not in said.err
    forget_engines()
    with psycopg.connect(postgres, autocommit=True) as conn:
        conn.execute("DROP ROLE bystander")


def test_an_option_that_postgresql_does_not_know_is_told(
    clerk: Clerk, storage: Path, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", f"{postgres}{'&' if '?' in postgres else '?'}foo=bar")

    said = clerk("site", "list")

    assert said.code == 3
    assert 'invalid connection option "foo"' in said.err
    forget_engines()


def test_settings_that_are_not_text_are_named(clerk: Clerk, tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"STORAGE_DIR=caf\xe9\n")

    said = clerk("site", "list")

    assert said.code == 3
    assert f"{tmp_path}/.env cannot be read" in said.err


def test_a_question_mark_in_the_storage_directory_is_part_of_its_name(
    clerk: Clerk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wh?at").mkdir()
    monkeypatch.setenv("STORAGE_DIR", str(tmp_path / "wh?at"))

    assert clerk("site", "list").code == 0

    assert (tmp_path / "wh?at" / "clerk.db").is_file()
    assert not (tmp_path / "wh").exists()
    forget_engines()


@sqlite_daily
@pytest.mark.parametrize("hours", ["1e9", "nan", "inf", "-1"])
def test_a_threshold_beyond_the_calendar_is_refused(
    clerk: Clerk, database: str, hours: str
) -> None:
    said = clerk("reconcile-pipeline", "--threshold-hours", hours)

    assert said.code == 2
    assert "Traceback" not in said.err


def test_a_no_is_no_interruption(
    clerk: Clerk, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in (("queue", "purge", "ocr"), ("db", "downgrade", "0001")):
        monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
        said = clerk(*command)
        assert said.code == 1
        assert said.err.splitlines()[-1] == "Nothing was changed."
    assert schema.current(db.get_civic_db()) == schema.head()


def test_nobody_to_ask_is_a_no(storage: Path) -> None:
    for stdin in (subprocess.DEVNULL, None):
        said = subprocess.run(
            [sys.executable, "-m", "clerk", "queue", "purge", "ocr"],
            stdin=stdin,
            close_fds=True,
            preexec_fn=(lambda: os.close(0)) if stdin is None else None,
            capture_output=True,
            text=True,
        )
        assert said.returncode == 1
        assert "use --yes to confirm" in said.stderr
        assert "Traceback" not in said.stderr


@pytest.mark.parametrize(
    ("command", "buffered"),
    [
        (("--help",), True),
        (("--version",), False),
        (("batch", "report", "slow", "--csv"), True),
        *(
            pytest.param(command, buffered, marks=pytest.mark.chaos)
            for command, buffered in (
                (("db", "history"), True),
                (("db", "history"), False),
                (("--help",), False),
                (("--version",), True),
                (("extract", "--json", "page.txt"), False),
                (("extract", "--json", "page.txt"), True),
                (("batch", "report", "slow", "--csv"), False),
            )
        ),
    ],
)
@pytest.mark.parametrize(
    ("output", "code", "said"),
    [
        ("/dev/full", 1, "Error: No space left on device.\n"),
        ("closed", 1, "Error: Standard output is closed.\n"),
        ("closed pipe", 0, ""),
    ],
)
def test_output_that_nobody_takes_is_no_traceback(
    storage: Path,
    tmp_path: Path,
    output: str,
    code: int,
    said: str,
    command: tuple[str, ...],
    buffered: bool,
) -> None:
    (tmp_path / "page.txt").write_text("Motion by Mr. Smith, seconded by Mrs. Jones. Carried.\n")
    reader, writer = os.pipe()
    os.close(reader)
    target = os.open(output, os.O_WRONLY) if output.startswith("/") else writer

    answer = _run_with_output(target, *command, buffered=buffered, closed=output == "closed")

    assert answer.returncode == code
    assert answer.stderr == said


@pytest.mark.parametrize("output", ["/dev/full", "closed pipe"])
def test_an_error_keeps_its_exit_code_when_stderr_takes_nothing(storage: Path, output: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    target = os.open(output, os.O_WRONLY) if output.startswith("/") else writer

    answer = subprocess.run(
        [sys.executable, "-m", "clerk", "run", "--stage", "scan", "x"], stderr=target
    )
    os.close(target)

    assert answer.returncode == 2


def test_a_file_is_never_opened_in_place_of_a_closed_standard_stream(storage: Path) -> None:
    code = (
        "import os, clerk.cli; clerk.cli._occupy_closed_streams(); "
        "os._exit(os.open('probe', os.O_CREAT | os.O_WRONLY))"
    )

    answer = subprocess.run(
        [sys.executable, "-c", code], preexec_fn=lambda: [os.close(number) for number in (0, 1, 2)]
    )

    assert answer.returncode > 2


def _run_with_output(
    target: int, *command: str, buffered: bool, closed: bool
) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    try:
        return subprocess.run(
            [sys.executable, *([] if buffered else ["-u"]), "-m", "clerk", *command],
            stdout=target,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            preexec_fn=(lambda: os.close(1)) if closed else None,
        )
    finally:
        os.close(target)


def test_a_redis_that_does_not_answer_is_named_without_its_password(
    clerk: Clerk, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", f"redis://me:{SECRET}@127.0.0.1:1/0")

    said = clerk("worker", "ocr", "--burst")

    assert said.code == 3
    assert "me:***@127.0.0.1:1/0" in said.err
    assert SECRET not in said.err


@pytest.mark.parametrize(
    "command", [("queue", "list"), ("queue", "purge", "ocr", "--runs", "--yes")]
)
def test_queues_are_shown_and_kept_while_redis_does_not_answer(
    clerk: Clerk,
    database: str,
    make_site: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
) -> None:
    run_id = runs.start(config.load(), make_site())
    monkeypatch.setenv("REDIS_URL", f"redis://me:{SECRET}@127.0.0.1:1/0")

    said = clerk(*command)

    assert said.code == 3
    assert "me:***@127.0.0.1:1/0 does not answer" in said.err
    assert "Traceback" not in said.err
    assert SECRET not in said.err
    assert ("fetch" in said.out) == (command[1] == "list")
    assert runs.summarise(run_id).state == "active"


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_worker_without_a_server_says_what_to_set(clerk: Clerk, database: str) -> None:
    said = clerk("worker", "ocr")

    assert said.code == 3
    assert "Workers need REDIS_URL or a PostgreSQL database" in said.err
    assert "Traceback" not in said.err
