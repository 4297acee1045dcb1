"""Names of processes, in leases and in sweeps: no two are alike, and one that has died on this machine is known to be dead at once.

A name says where its process ran as exactly as the system tells: since which start of the machine, and among which processes, since a container counts its own. Of a
process that ran elsewhere nothing is known.
"""

import os
import secrets
import socket
from contextlib import suppress
from pathlib import Path

BOOT = Path("/proc/sys/kernel/random/boot_id")
AMONG = Path("/proc/self/ns/pid")
RANDOM_BYTES = 4


def own_name() -> str:
    """A name that no other process has had."""
    return f"{socket.gethostname()}:{_place()}:{os.getpid()}:{secrets.token_hex(RANDOM_BYTES)}"


def has_died(name: str) -> bool:
    """Whether the process of that name ran here and is gone; False where that cannot be known."""
    host, _, rest = name.partition(":")
    place, _, rest = rest.partition(":")
    number = rest.partition(":")[0]
    if not place or (host, place) != (socket.gethostname(), _place()) or not number.isdecimal():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def _place() -> str:
    """Empty where the system does not tell."""
    with suppress(OSError):
        return f"{BOOT.read_text().strip()[:8]}-{AMONG.readlink().name.strip('pid:[]')}"
    return ""
