"""A free port for a server of a test, from below the range in which the system opens ports by itself: nobody takes it before the server does."""

import secrets
import socket

LOWEST, HIGHEST = 10_000, 32_000


def free_port() -> int:
    while True:
        port = LOWEST + secrets.randbelow(HIGHEST - LOWEST)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
