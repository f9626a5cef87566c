"""Pipeline columns and counters in sites

An operator may have added some of the columns by hand before; what is there is kept and mended.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

STAGES = ("fetch", "ocr", "compilation", "extraction", "deploy")
MOMENTS = {"sites": ("started_at", "updated_at", "last_error_at"), "job_tracking": ("created_at",)}

#: Columns of sites that the oldest installations do not have.
LATER = ("name", "state", "kind", "scraper", "extra", "country", "lat", "lng")
LATER_NUMBERS = ("pages", "start_year")


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
    """Add what is missing, mend what an operator added by hand, and guard the counters."""
    present = {column["name"] for column in sa.inspect(op.get_bind()).get_columns("sites")}
    with op.batch_alter_table("sites") as batch:
        for column in _columns_of_sites():
            if column.name not in present:
                batch.add_column(column)
    _add_tracking_table_if_missing()
    _mend_values()
    _mend_moments()
    with op.batch_alter_table("sites") as batch:
        batch.alter_column("coordinator_enqueued", server_default=sa.false())
        for stage in STAGES:
            batch.create_check_constraint(
                f"ck_sites_{stage}", f"{stage}_completed + {stage}_failed <= {stage}_total"
            )
    _create_indexes()


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
    """Take the columns away again; the legacy ones are untouched."""
    for index in (
        "idx_sites_coordinator_enqueued",
        "idx_sites_updated_at",
        "idx_sites_current_stage",
    ):
        op.drop_index(index, "sites")
    with op.batch_alter_table("sites") as batch:
        for stage in STAGES:
            batch.drop_constraint(f"ck_sites_{stage}", type_="check")
        for column in _new_columns():
            batch.drop_column(column.name)
