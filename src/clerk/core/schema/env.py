"""Run by alembic: migrate over the connection, or the engine, that clerk passes in.

The revisions name every constraint themselves, so the models take no part.
"""

from alembic import context
from sqlalchemy import Connection


def migrate(connection: Connection) -> None:
    """Run the revisions; a transaction that is open already stays open."""
    context.configure(connection=connection, transactional_ddl=True)
    with context.begin_transaction():
        context.run_migrations()


given = context.config.attributes.get("connection")
if given is not None:
    migrate(given)
else:
    with context.config.attributes["engine"].connect() as own:
        migrate(own)
        own.commit()
