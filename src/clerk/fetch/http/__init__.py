"""A polite and careful HTTP client: the only part of clerk that asks the network for documents.

Polite: an honest name, robots.txt, one pace per host for all processes of the machine, Retry-After,
few retries, and a pause when a host is in trouble.  Careful: only public addresses on the usual
ports, looked up and checked at every hop, everything read within limits of bytes and time.

:class:`clerk.fetch.http.client.Client` asks, :mod:`clerk.fetch.http.answers` has what comes back.
Nothing is imported here: a folder is fetched without loading httpx.
"""

#: Seconds between two requests to one host, where a fetcher does not say otherwise.
DEFAULT_PACE_SECONDS = 2.7
