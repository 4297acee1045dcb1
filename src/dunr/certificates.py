"""Whose certificates our connections believe: the authorities that come with the HTTP client, read once a process.

Reading them takes some 50 ms of a processor, far longer than most answers take, and a client that is given none reads them for itself.
"""

import ssl
from functools import cache

import httpx


@cache
def trusted() -> ssl.SSLContext:
    """What every client of ours is made with; threads may share it. The environment has no say in it."""
    return httpx.create_ssl_context(trust_env=False)
