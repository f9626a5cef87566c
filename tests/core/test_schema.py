"""Upgrades and downgrades of the schema with data in it, on both databases."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import legacy
import pytest
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, create_engine, inspect, text

from clerk.core import db, schema
from clerk.core.errors import DowngradeRefused, SchemaOutdated, SchemaTooNew
from clerk.core.models import metadata


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An empty database."""
    if request.param == "sqlite":
        made = db.engine_for(f"sqlite:///{tmp_path / 'old.db'}")
    else:
        url = request.getfixturevalue("empty_postgres")
        made = db.engine_for(url.replace("postgresql://", "postgresql+psycopg://", 1))
    yield made
    db._engines.pop(made.url.render_as_string(hide_password=False), None)
    made.dispose()


def test_the_migrated_schema_equals_the_models(engine: Engine, tmp_path: Path) -> None:
    schema.upgrade(engine)

    assert shape(engine) == shape_of_models(engine, tmp_path)


@pytest.mark.parametrize(
    "variant",
    [*(pytest.param(each, marks=pytest.mark.chaos) for each in legacy.VARIANTS[:-1]), "sparse"],
)
def test_a_cleaned_up_legacy_schema_equals_the_models(
    engine: Engine, tmp_path: Path, variant: str
) -> None:
    legacy.create_tables(engine, variant)
    legacy.add_site(engine, "springfield", progress=("ocr", 3, 1))

    schema.upgrade(engine)
    schema.drop_legacy(engine)

    assert shape(engine) == shape_after_cleanup(engine, tmp_path)


@pytest.mark.parametrize("variant", legacy.VARIANTS)
def test_a_legacy_database_is_adopted_and_loses_nothing(engine: Engine, variant: str) -> None:
    legacy.create_tables(engine, variant)
    legacy.add_site(engine, "springfield", status="needs_ocr", progress=("ocr", 3, 1))
    before = legacy.rows(engine)

    done = schema.upgrade(engine)

    assert (done.adopted, done.before, done.after) == (True, None, schema.head())
    assert "site_progress (1 rows)" in done.left and "status" in done.left
    assert legacy.rows(engine) == before


def test_what_was_left_is_dropped_later_whatever_the_revision(engine: Engine) -> None:
    legacy.create_tables(engine, "plain")
    legacy.add_site(engine, "springfield", progress=("ocr", 3, 1))
    schema.upgrade(engine)
    schema.require_usable(engine)
    assert schema.has_legacy(engine)

    schema.drop_legacy(engine)

    assert not schema.has_legacy(engine) and schema.what_is_left(engine) == ""
    assert schema.current(engine) == schema.head()


def test_a_database_that_kept_its_legacy_data_can_go_back(engine: Engine) -> None:
    legacy.create_tables(engine, "plain")
    legacy.add_site(engine, "springfield", status="needs_ocr", progress=("ocr", 3, 1))
    before = legacy.rows(engine)
    schema.upgrade(engine)

    schema.downgrade(engine, "0003")

    assert legacy.rows(engine) == before


def test_adopting_twice_changes_nothing(engine: Engine) -> None:
    legacy.create_tables(engine, "by hand")
    legacy.add_site(engine, "springfield", progress=("ocr", 3, 1))
    schema.upgrade(engine)
    before = everything(engine)

    assert schema.upgrade(engine).adopted is False
    assert everything(engine) == before


def test_timestamps_added_manually_keep_their_moment_in_utc(engine: Engine) -> None:
    legacy.create_tables(engine, "by hand")
    legacy.add_site(engine, "springfield", updated_at="2026-01-18T10:00:00")

    schema.upgrade(engine)

    assert site(engine, "springfield")["updated_at"].isoformat() == "2026-01-18T10:00:00+00:00"


@pytest.mark.parametrize("stored", ["FALSE", "TRUE"])
def test_claims_stored_as_text_become_real_booleans(engine: Engine, stored: str) -> None:
    legacy.create_tables(engine, "by hand")
    legacy.add_site(engine, "springfield", coordinator_enqueued=stored)

    schema.upgrade(engine)

    assert site(engine, "springfield")["coordinator_enqueued"] is (stored == "TRUE")
    legacy.add_site(engine, "shelbyville")
    assert site(engine, "shelbyville")["coordinator_enqueued"] is False


def test_impossible_counters_are_made_possible(engine: Engine) -> None:
    legacy.create_tables(engine, "by hand")
    legacy.add_site(engine, "springfield", ocr_total=50, ocr_completed=120, ocr_failed=-70)

    schema.upgrade(engine)

    now = site(engine, "springfield")
    assert (now["ocr_total"], now["ocr_completed"], now["ocr_failed"]) == (120, 120, 0)


def test_a_revision_of_the_old_systems_own_alembic_is_taken_over(engine: Engine) -> None:
    legacy.create_tables(engine, "by hand")
    legacy.add_site(engine, "springfield")
    with engine.begin() as conn:
        conn.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)"))
        conn.execute(text("INSERT INTO alembic_version VALUES ('f3ef907700ab')"))

    done = schema.upgrade(engine)

    assert (done.adopted, done.before, done.after) == (True, "f3ef907700ab", schema.head())


def test_the_revisions_are_those_that_alembic_finds_in_that_order() -> None:
    assert list(schema.revisions()) == [revision for revision, _ in schema.history()]


def test_the_revision_is_what_alembic_says(engine: Engine) -> None:
    assert schema.current(engine) is None

    for revision in schema.revisions():
        with engine.begin() as conn:
            migration = MigrationContext.configure(conn)
            migration.stamp(ScriptDirectory(str(Path(schema.__file__).parent)), revision)
            assert migration.get_current_revision() == revision
        assert schema.current(engine) == revision


def test_two_branches_at_once_are_a_newer_clerks(engine: Engine) -> None:
    schema.upgrade(engine)
    with engine.begin() as conn:
        conn.execute(text("INSERT INTO alembic_version VALUES ('0004')"))

    with pytest.raises(SchemaTooNew, match=f"0004 and {schema.head()}"):
        schema.require_usable(engine)


def test_an_older_database_is_refused_with_the_way_out(engine: Engine) -> None:
    schema.upgrade(engine)
    schema.downgrade(engine, "0003")

    with pytest.raises(SchemaOutdated, match="at revision 0003") as refused:
        schema.require_usable(engine)
    assert refused.value.hint == "Run: clerk db upgrade"


def test_a_newer_clerks_database_is_refused(engine: Engine) -> None:
    schema.upgrade(engine)
    with engine.begin() as conn:
        conn.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    with pytest.raises(SchemaTooNew, match="9999"):
        schema.upgrade(engine)


def test_the_road_can_be_gone_back_and_forth_with_data(engine: Engine, tmp_path: Path) -> None:
    legacy.create_tables(engine, "plain")
    legacy.add_site(engine, "springfield", status="deployed", progress=("completed", 1, 1))
    schema.upgrade(engine)
    schema.drop_legacy(engine)
    add_work(engine)

    for revision, _ in reversed(schema.history()[:-1]):
        schema.downgrade(engine, revision)
        assert schema.current(engine) == revision
        assert site(engine, "springfield")["name"] == "Springfield"
    schema.upgrade(engine)
    schema.drop_legacy(engine)

    assert shape(engine) == shape_after_cleanup(engine, tmp_path)
    assert site(engine, "springfield")["name"] == "Springfield"


def test_going_back_to_0003_restores_the_legacy_structure(engine: Engine) -> None:
    legacy.create_tables(engine, "plain")
    before = shape(engine, only=("site_progress",))
    schema.upgrade(engine)
    schema.drop_legacy(engine)
    add_work(engine)

    schema.downgrade(engine, "0003")

    assert shape(engine, only=("site_progress",)) == before
    columns = {column["name"] for column in inspect(engine).get_columns("sites")}
    assert set(schema.LEGACY_COLUMNS) <= columns
    with engine.begin() as conn:
        assert conn.execute(text("SELECT count(*) FROM items")).scalar() == 1


def test_dropping_the_legacy_columns_keeps_the_rows_that_refer_to_a_site(engine: Engine) -> None:
    legacy.create_tables(engine, "plain")
    legacy.add_site(engine, "springfield")
    schema.upgrade(engine)
    add_work(engine)

    schema.drop_legacy(engine)

    with engine.begin() as conn:
        assert conn.execute(text("SELECT count(*) FROM items")).scalar() == 1


@pytest.mark.parametrize(
    ("variant", "cleaned_up"),
    [
        ("sparse", False),
        ("newest", True),
        pytest.param("plain", True, marks=pytest.mark.chaos),
        pytest.param("by hand", False, marks=pytest.mark.chaos),
        pytest.param("newest", False, marks=pytest.mark.chaos),
        pytest.param("plain", False, marks=pytest.mark.chaos),
        pytest.param("by hand", True, marks=pytest.mark.chaos),
        pytest.param("sparse", True, marks=pytest.mark.chaos),
    ],
)
def test_going_back_keeps_the_columns_of_the_old_system_with_their_data(
    engine: Engine, variant: str, cleaned_up: bool
) -> None:
    legacy.create_tables(engine, variant)
    had_counters = variant in ("by hand", "newest")
    counters = {"ocr_total": 9, "ocr_completed": 7, "current_stage": "ocr"} if had_counters else {}
    finance = {"has_finance_data": True, "finance_source": "x"} if variant == "newest" else {}
    legacy.add_site(engine, "springfield", status="needs_ocr", **counters, **finance)
    before = columns_of(engine), indexes_of(engine)
    schema.upgrade(engine)
    if cleaned_up:
        schema.drop_legacy(engine)

    schema.downgrade(engine, "0001")

    later = {"extra", "country", "lat", "lng"} if variant == "sparse" else set()
    assert (columns_of(engine) - later, indexes_of(engine)) == before
    assert columns(engine, "springfield", *counters, *finance) == (counters | finance)
    legacy.add_site(engine, "shelbyville")
    assert schema.upgrade(engine).after == schema.head()
    schema.downgrade(engine, "0001")
    assert (columns_of(engine) - later, indexes_of(engine)) == before


def test_going_back_takes_away_what_clerk_added(engine: Engine) -> None:
    schema.upgrade(engine)

    schema.downgrade(engine, "0001")

    assert not {"current_stage", "ocr_total", "coordinator_enqueued"} & columns_of(engine)
    assert indexes_of(engine) == set()
    assert set(inspect(engine).get_table_names()) == {
        "alembic_version",
        "job_tracking",
        "site_progress",
        "sites",
    }


@pytest.mark.parametrize(
    "revision",
    [
        "0001",
        pytest.param(f"-{len(schema.revisions()) - 1}", marks=pytest.mark.chaos),
        pytest.param("base", marks=pytest.mark.chaos),
    ],
)
def test_columns_that_may_be_the_old_systems_are_not_dropped(engine: Engine, revision: str) -> None:
    schema.upgrade(engine)
    add_work(engine)
    with engine.begin() as conn:
        conn.execute(text("DROP TABLE adopted_schema"))
    before = shape(engine), everything(engine)

    with pytest.raises(DowngradeRefused, match="which columns of sites") as refused:
        schema.downgrade(engine, revision)

    assert "clerk db downgrade 0002" in refused.value.hint
    assert (shape(engine), everything(engine)) == before
    assert schema.current(engine) == schema.head()
    schema.downgrade(engine, "0002")
    assert "ocr_total" in columns_of(engine)


@pytest.mark.parametrize("variant", [pytest.param("", marks=pytest.mark.chaos), "newest"])
def test_the_tables_of_the_old_system_are_never_dropped(engine: Engine, variant: str) -> None:
    if variant:
        legacy.create_tables(engine, variant)
        legacy.add_site(engine, "springfield", progress=("ocr", 3, 1))
    schema.upgrade(engine)
    before = shape(engine), everything(engine)

    with pytest.raises(DowngradeRefused, match="sites, site_progress and job_tracking"):
        schema.downgrade(engine, "base")

    assert (shape(engine), everything(engine)) == before


def test_parts_become_what_an_older_schema_has_a_place_for(engine: Engine) -> None:
    schema.upgrade(engine)
    add_work(engine)
    with engine.begin() as conn:
        conn.execute(
            text(
                "INSERT INTO documents (id, subdomain, name, kind, first_seen_at) VALUES"
                " (7, 'springfield', 'agendas/x/y', 'packet', '2026-01-01 00:00:00')"
            )
        )
        for page, character, kind in ((1, 0, "agenda"), (2, 0, "minutes"), (2, 814, "report")):
            conn.execute(
                text(
                    "INSERT INTO document_parts"
                    " (document_id, first_page, first_character, last_page, kind)"
                    f" VALUES (7, {page}, {character}, 2, '{kind}')"
                )
            )
        conn.execute(text("UPDATE document_parts SET of_other_place = NULL WHERE first_page = 1"))
    parts = text("SELECT first_page, kind, of_other_place FROM document_parts ORDER BY first_page")

    schema.downgrade(engine, "0026")
    with engine.begin() as conn:
        before = conn.execute(parts).fetchall()
    schema.upgrade(engine)
    with engine.begin() as conn:
        after = conn.execute(parts).fetchall()
        places = conn.execute(text("SELECT first_character FROM document_parts")).scalars().all()

    # Older versions do not know that nobody knows whose a part is.
    assert before == after == [(1, "agenda", True), (2, "minutes", False)]
    assert places == [0, 0]


def test_batches_outlive_the_revision_that_lets_them_be_cancelled(engine: Engine) -> None:
    schema.upgrade(engine)
    schema.downgrade(engine, "0005")
    add_work(engine)
    with engine.begin() as conn:
        for batch, part_of in ((1, "NULL"), (2, "1"), (3, "1")):
            conn.execute(
                text(
                    "INSERT INTO batch_job_trackings"
                    " (id, parent_job_id, item_count, status, claim, parent_batch_id) VALUES"
                    f" ({batch}, 1, 5, 'running', 'token-{batch}', {part_of})"
                )
            )
    chosen = text("SELECT id, parent_job_id, item_count, status, claim FROM batch_job_trackings")
    with engine.begin() as conn:
        before = conn.execute(chosen).fetchall()

    schema.upgrade(engine)
    with engine.begin() as conn:
        after = conn.execute(chosen).fetchall()
    with engine.begin() as conn:
        conn.execute(text("UPDATE batch_job_trackings SET status = 'cancelled' WHERE id = 2"))
        conn.execute(
            text(
                "INSERT INTO batch_history (hour, stage, failed, cancelled)"
                " VALUES ('2026-01-01 00:00:00', 'ocr', 2, 3)"
            )
        )
    schema.downgrade(engine, "0005")

    assert after == before
    with engine.begin() as conn:
        statuses = "SELECT status, parent_batch_id FROM batch_job_trackings ORDER BY id"
        assert [tuple(row) for row in conn.execute(text(statuses))] == [
            ("running", None),
            ("failed", 1),
            ("running", 1),
        ]
        assert conn.execute(text("SELECT failed FROM batch_history")).scalar() == 5


# ------------------------------------------------------------------------------- by hand


def columns_of(engine: Engine) -> set[str]:
    return {column["name"] for column in inspect(engine).get_columns("sites")}


def indexes_of(engine: Engine) -> set[str | None]:
    return {index["name"] for index in inspect(engine).get_indexes("sites")}


def columns(engine: Engine, subdomain: str, *names: str) -> dict[str, Any]:
    """Some columns of a site, whatever the models know of."""
    if not names:
        return {}
    asked = f"SELECT {', '.join(names)} FROM sites WHERE subdomain = :subdomain"
    with engine.begin() as conn:
        return dict(conn.execute(text(asked), {"subdomain": subdomain}).one()._mapping)


def add_work(engine: Engine) -> None:
    """A run with an item for springfield."""
    with engine.begin() as conn:
        conn.execute(
            text(
                "INSERT INTO sites (subdomain, name) VALUES ('springfield', 'Springfield')"
                " ON CONFLICT DO NOTHING"
            )
        )
        conn.execute(
            text("INSERT INTO runs (run_id, subdomain, epoch) VALUES ('r1', 'springfield', 1)")
        )
        conn.execute(
            text(
                "INSERT INTO jobs (id, kind, run_id, subdomain, stage, queue)"
                " VALUES (1, 'stage', 'r1', 'springfield', 'ocr', 'ocr')"
            )
        )
        conn.execute(
            text("INSERT INTO items (id, job_id, run_id, step) VALUES (1, 1, 'r1', 'document')")
        )


def site(engine: Engine, subdomain: str) -> dict[str, Any]:
    from clerk.core.models import sites_table

    present = {column["name"] for column in inspect(engine).get_columns("sites")}
    wanted = [column for column in sites_table.c if column.name in present]
    with engine.begin() as conn:
        row = conn.execute(
            sites_table.select().with_only_columns(*wanted).filter_by(subdomain=subdomain)
        ).one()
    return dict(row._mapping)


def everything(engine: Engine) -> dict[str, list[tuple[Any, ...]]]:
    with engine.begin() as conn:
        return {
            name: sorted(
                (tuple(row) for row in conn.execute(text(f'SELECT * FROM "{name}"'))), key=repr
            )
            for name in inspect(conn).get_table_names()
        }


def shape_after_cleanup(engine: Engine, tmp_path: Path) -> set[str]:
    """What the models make, without the guards of counters that SQLite cannot add later."""
    made = shape_of_models(engine, tmp_path)
    if engine.dialect.name == "sqlite":
        made = {line for line in made if not line.startswith("sites: check ck_sites_")}
    return made


def shape_of_models(engine: Engine, tmp_path: Path) -> set[str]:
    """What the models make of an empty database of the same kind."""
    if engine.dialect.name == "sqlite":
        other = create_engine(f"sqlite:///{tmp_path / 'models.db'}")
        metadata.create_all(other)
        made = shape(other)
        other.dispose()
        return made
    with engine.begin() as conn:
        conn.execute(text("CREATE SCHEMA models"))
        conn.execute(text("SET LOCAL search_path TO models"))
        metadata.create_all(conn)
    made = shape(engine, schema_name="models")
    with engine.begin() as conn:
        conn.execute(text("DROP SCHEMA models CASCADE"))
    return made


def shape(
    engine: Engine, *, schema_name: str | None = None, only: tuple[str, ...] = ()
) -> set[str]:
    """Everything about the tables that the database itself knows, a line each."""
    found = inspect(engine)
    names = [name for name in found.get_table_names(schema_name) if name != "alembic_version"]
    return {
        line
        for name in names
        if not only or name in only
        for line in _shape_of_table(found, name, schema_name)
    }


def _shape_of_table(found: Any, name: str, schema_name: str | None) -> Iterator[str]:
    facts = {
        "column": (found.get_columns, ("type", "nullable", "default")),
        "index": (found.get_indexes, ("column_names", "unique", "dialect_options")),
        "unique": (found.get_unique_constraints, ("column_names",)),
        "check": (found.get_check_constraints, ("sqltext",)),
        "foreign key": (
            found.get_foreign_keys,
            ("constrained_columns", "referred_table", "referred_columns", "options"),
        ),
    }
    for what, (read, wanted) in facts.items():
        for row in read(name, schema_name):
            told = (_plain(row.get(fact)) for fact in wanted)
            yield f"{name}: {what} {row['name']} {' '.join(told)}"
    yield f"{name}: primary key {found.get_pk_constraint(name, schema_name)['constrained_columns']}"


def _plain(value: Any) -> str:
    """Without the differences of wording: where the sequence lies, SQLite's two kinds of moment."""
    if isinstance(value, dict):
        return " ".join(f"{name}={_plain(each)}" for name, each in sorted(value.items()))
    return str(value).replace("TIMESTAMP", "DATETIME").replace("models.", "")


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_upgrades_at_once_take_turns(
    kind: str, storage: Path, empty_postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "postgresql":
        monkeypatch.setenv("DATABASE_URL", empty_postgres)
    command = [sys.executable, "-m", "clerk", "db", "upgrade"]

    upgrades = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    said = [each.communicate() for each in upgrades]

    assert [each.returncode for each in upgrades] == [0, 0, 0], said
    assert sorted("Upgraded" in out for out, _ in said) == [False, False, True]
