"""Pipeline columns and counters in sites

The old system, or an operator, may have added some of the columns before; what is there is kept and
corrected.  The table ``adopted_schema`` says what it was, so that going back leaves it alone.
"""

from typing import Any

import sqlalchemy as sa
from alembic import context, op

from clerk.core.errors import DowngradeRefused

revision = "0002"
down_revision = "0001"

STAGES = ("fetch", "ocr", "compilation", "extraction", "deploy")
MOMENTS = {"sites": ("started_at", "updated_at", "last_error_at"), "job_tracking": ("created_at",)}

#: Columns of sites that the oldest installations do not have.
LATER = ("name", "state", "kind", "scraper", "extra", "country", "lat", "lng")
LATER_NUMBERS = ("pages", "start_year")


INDEXES = ("idx_sites_current_stage", "idx_sites_updated_at", "idx_sites_coordinator_enqueued")


def _new_columns() -> list[sa.Column[Any]]:
    moment = sa.DateTime(timezone=True)
    return [
        sa.Column("current_stage", sa.String()),
        sa.Column("started_at", moment),
        sa.Column("updated_at", moment),
        *(
            sa.Column(f"{stage}_{counter}", sa.Integer(), server_default=sa.text("0"))
            for stage in STAGES
            for counter in ("total", "completed", "failed")
        ),
        sa.Column("coordinator_enqueued", sa.Boolean(), server_default=sa.false()),
        sa.Column("last_error_stage", sa.String()),
        sa.Column("last_error_message", sa.Text()),
        sa.Column("last_error_at", moment),
    ]


def _columns_of_sites() -> list[sa.Column[Any]]:
    words = [sa.Column(name, sa.String()) for name in LATER]
    numbers = [sa.Column(name, sa.Integer()) for name in LATER_NUMBERS]
    return [*words, *numbers, *_new_columns()]


def upgrade() -> None:
    """Add what is missing, correct what an operator added, and guard the counters."""
    found = sa.inspect(op.get_bind())
    present = {column["name"] for column in found.get_columns("sites")}
    _record_what_was_there(found, present)
    with op.batch_alter_table("sites") as batch:
        for column in _columns_of_sites():
            if column.name not in present:
                batch.add_column(column)
    _add_tracking_table_if_missing()
    _mend_values()
    _mend_moments()
    with op.batch_alter_table("sites") as batch:
        batch.alter_column("coordinator_enqueued", server_default=sa.false())
        # Workers of the old system may go on for a while; they count without looking at the total.
        for stage in () if context.config.attributes.get("keep_legacy") else STAGES:
            batch.create_check_constraint(
                f"ck_sites_{stage}", f"{stage}_completed + {stage}_failed <= {stage}_total"
            )
    _create_indexes()


def _record_what_was_there(found: Any, columns: set[str]) -> None:
    """Record tables, columns and indexes, and moments without a time zone, which get one."""
    adopted = op.create_table(
        "adopted_schema",
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "name", name="pk_adopted_schema"),
    )
    tables = [name for name in ("site_progress", "job_tracking") if found.has_table(name)]
    indexes = {
        index["name"]
        for table in ("sites", *tables)
        for index in found.get_indexes(table)
        if index["name"] in (*INDEXES, "ix_job_tracking_subdomain")
    }
    naive = [
        f"{table}.{column['name']}"
        for table, names in MOMENTS.items()
        if found.has_table(table)
        for column in found.get_columns(table)
        if column["name"] in names and not getattr(column["type"], "timezone", False)
    ]
    recorded = {"table": tables, "column": columns, "index": indexes, "without zone": naive}
    rows = [{"kind": kind, "name": name} for kind, names in recorded.items() for name in names]
    op.bulk_insert(adopted, rows)


def _mend_values() -> None:
    """Make real booleans of the text that SQLite stores for FALSE, and counters that add up."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "UPDATE sites"
            " SET coordinator_enqueued = lower(coordinator_enqueued) IN ('true', '1', 't')"
            " WHERE typeof(coordinator_enqueued) = 'text'"
        )
    for stage in STAGES:
        for counter in ("total", "completed", "failed"):
            op.execute(
                f"UPDATE sites SET {stage}_{counter} = 0"
                f" WHERE {stage}_{counter} IS NULL OR {stage}_{counter} < 0"
            )
        op.execute(
            f"UPDATE sites SET {stage}_total = {stage}_completed + {stage}_failed"
            f" WHERE {stage}_completed + {stage}_failed > {stage}_total"
        )


def _mend_moments() -> None:
    """Give moments a time zone, and on SQLite the one way of writing them that can be compared."""
    found = sa.inspect(op.get_bind())
    for table, names in MOMENTS.items():
        for column in found.get_columns(table):
            if column["name"] in names:
                _mend_moment(table, column)


def _mend_moment(table: str, column: Any) -> None:
    name = column["name"]
    if op.get_bind().dialect.name == "sqlite":
        comparable = f"strftime('%Y-%m-%d %H:%M:%f', {name})"
        op.execute(
            f"UPDATE {table} SET {name} = {comparable} || '000' WHERE {comparable} IS NOT NULL"
        )
    elif not column["type"].timezone:
        op.execute(
            f"ALTER TABLE {table} ALTER COLUMN {name} TYPE timestamptz"
            f" USING {name} AT TIME ZONE 'UTC'"
        )


def _add_tracking_table_if_missing() -> None:
    if "job_tracking" in sa.inspect(op.get_bind()).get_table_names():
        op.create_index(
            "ix_job_tracking_subdomain", "job_tracking", ["subdomain"], if_not_exists=True
        )
        return
    op.create_table(
        "job_tracking",
        sa.Column("rq_job_id", sa.String(), primary_key=True),
        sa.Column("subdomain", sa.String(), nullable=False),
        sa.Column("job_type", sa.String(), nullable=False),
        sa.Column("stage", sa.String()),
        sa.Column(
            "created_at", sa.DateTime(timezone=True), server_default=sa.text("CURRENT_TIMESTAMP")
        ),
    )
    op.create_index("ix_job_tracking_subdomain", "job_tracking", ["subdomain"])


def _create_indexes() -> None:
    op.create_index("idx_sites_current_stage", "sites", ["current_stage"], if_not_exists=True)
    op.create_index("idx_sites_updated_at", "sites", ["updated_at"], if_not_exists=True)
    op.create_index(
        "idx_sites_coordinator_enqueued",
        "sites",
        ["subdomain", "coordinator_enqueued"],
        postgresql_where=sa.text("coordinator_enqueued = false"),
        sqlite_where=sa.text("coordinator_enqueued = 0"),
        if_not_exists=True,
    )


def downgrade() -> None:
    """Take away what the upgrade added, and leave what was there before it."""
    conn = op.get_bind()
    if not sa.inspect(conn).has_table("adopted_schema"):
        raise DowngradeRefused(
            "The schema cannot go back to 0001: the database was made by an older clerk, which did"
            " not record which columns of sites the old system had made.",
            hint="Go back to 0002, which keeps all of them (clerk db downgrade 0002), or restore"
            " the backup from before the upgrade.",
        )
    adopted = {tuple(row) for row in conn.execute(sa.text("SELECT kind, name FROM adopted_schema"))}
    for index in INDEXES:
        if ("index", index) not in adopted:
            op.drop_index(index, "sites")
    guards = {each["name"] for each in sa.inspect(conn).get_check_constraints("sites")}
    with op.batch_alter_table("sites") as batch:
        for stage in STAGES:
            if f"ck_sites_{stage}" in guards:
                batch.drop_constraint(f"ck_sites_{stage}", type_="check")
        for column in _new_columns():
            if ("column", column.name) not in adopted:
                batch.drop_column(column.name)
    op.drop_table("adopted_schema")
