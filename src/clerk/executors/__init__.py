"""How work gets done: one protocol, three executors.

``embedded``    a pool in this process, no server
``rq``          pools in RQ workers on many machines; the only module that knows RQ and Redis
``postgresql``  the same without Redis: workers are woken by notifications of PostgreSQL

All claim work through a :class:`~clerk.executors.work.Flow` with a
:class:`~clerk.executors.pool.Pool`; a queue's message is only a hint that there is some.
Nothing here knows a table.
"""
