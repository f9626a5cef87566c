"""A polite and careful HTTP client: the only part of clerk that fetches from the network.

Polite: an honest name, robots.txt, one pace per host for all processes of the machine, Retry-After,
few retries, and a pause when a host is in trouble.  Careful: only public addresses on the usual
ports, looked up and checked at every hop, everything read within limits of bytes and time.

:class:`clerk.fetch.http.client.Client` sends requests, :mod:`clerk.fetch.http.responses` has what
comes back, :mod:`clerk.fetch.http.hosts` the pace, :mod:`clerk.fetch.http.limits` the limits.
Nothing is imported here: a folder is fetched without loading httpx.
"""

#: Seconds between two requests to one host, where a fetcher does not say otherwise.
DEFAULT_PACE_SECONDS = 2.7
