"""Ids as processors write them: a short prefix and nothing that can be guessed."""

from __future__ import annotations

import secrets


def new_id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(10)}"
