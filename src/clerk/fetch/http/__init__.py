"""A polite and careful HTTP client: the only part of clerk that asks the network for documents.

Polite: an honest name, robots.txt, one pace per host for all processes of the machine, Retry-After,
few retries, and a pause when a host is in trouble.  Careful: only public addresses on the usual
ports, looked up and checked at every hop, everything read within limits of bytes and time.
"""

from .answers import Download, Page, Validators
from .client import Client
from .clock import Clock, SystemClock
from .errors import AddressRefused, CircuitOpen, PageMissing
from .hosts import Hosts

__all__ = [
    "AddressRefused",
    "CircuitOpen",
    "Client",
    "Clock",
    "Download",
    "Hosts",
    "Page",
    "PageMissing",
    "SystemClock",
    "Validators",
]
