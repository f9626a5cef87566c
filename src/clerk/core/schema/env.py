"""Run by alembic: migrate over the engine that clerk passes in.

The revisions name every constraint themselves, so the models take no part.
"""

from alembic import context

engine = context.config.attributes["engine"]
with engine.connect() as connection:
    context.configure(
        connection=connection,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()
    connection.commit()
