"""Parts of statements that the ledger and its readers share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    BindParameter,
    ColumnElement,
    Connection,
    CursorResult,
    Table,
    any_,
    bindparam,
    func,
    literal_column,
    select,
    type_coerce,
)


def sql_word(word: str) -> ColumnElement[str]:
    """Return a constant that PostgreSQL can match with a partial index, as a bound one cannot."""
    return literal_column(f"'{word}'")


def is_among(
    dialect: str, column: ColumnElement[int], ids: BindParameter[Any]
) -> ColumnElement[bool]:
    """Return the condition that a column is one of the ids given later, see :func:`listed`."""
    if dialect == "postgresql":
        return column == any_(type_coerce(ids, ARRAY(BigInteger)))
    return column.in_(select(func.json_each(ids).table_valued("value").c.value))


def listed(dialect: str, ids: Sequence[int]) -> list[int] | str:
    """Return ids as the one value that the database takes for many."""
    return list(ids) if dialect == "postgresql" else json.dumps(list(ids))


#: A statement that was made once, and its values.
Statement = tuple[Any, Mapping[str, Any]]


def together(conn: Connection, *statements: Statement) -> CursorResult[Any]:
    """Execute independent statements together; return the result of the last.

    PostgreSQL receives them as one: the round trip takes longer than executing them.
    """
    if conn.dialect.name == "postgresql":
        values = {name: value for _, each in statements for name, value in each.items()}
        return conn.execute(_as_one(tuple(statement for statement, _ in statements)), values)
    *before, last = statements
    for each in before:
        conn.execute(*each)
    return conn.execute(*last)


@lru_cache(maxsize=64)
def _as_one(statements: tuple[Any, ...]) -> Any:
    *before, last = statements
    return last.add_cte(*(each.cte(f"step_{number}") for number, each in enumerate(before)))


def bound(table: Table, prefix: str, *names: str) -> dict[str, ColumnElement[Any]]:
    """Return values for columns, to be given by names that no other statement uses."""
    return {name: bindparam(f"{prefix}_{name}", type_=table.c[name].type) for name in names}
