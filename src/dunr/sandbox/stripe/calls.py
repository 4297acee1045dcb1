"""One request over this face, read whole: who asks, in which version and mode, and for what."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from dunr.sandbox.database import Transaction

from .errors import Wrong
from .form import Tree
from .parsing import P, read


@dataclass(frozen=True)
class StripeCall:
    """``here`` says whether this key, in its mode and for this account, sees the objects in the books at all."""

    method: str
    address: str
    path: Mapping[str, str]
    parameters: Tree
    api_key: str
    api_version: str
    account: str
    account_header: str | None
    key: str | None
    request_id: str
    live: bool
    here: bool
    books_account: str
    public_url: str

    @property
    def id(self) -> str:
        return self.path["id"]

    def read(self, kind: type[P]) -> P:
        return read(kind, self.parameters)


@dataclass(frozen=True)
class Booked:
    """A charge was tried; the answer is its result.

    ``lost``: nobody hears it. ``seconds``: it takes its time. ``kept``: its key keeps it.
    """

    charge_request: str
    lost: bool = False
    seconds: float = 0.0
    kept: bool = True


@dataclass(frozen=True)
class Hung:
    """The result comes true at ``due_at``, and so does the answer."""

    charge_request: str
    due_at: datetime


Result = dict[str, object] | Booked | Hung
Work = Callable[[Transaction, StripeCall], Result]


@dataclass(frozen=True)
class Operation:
    """One line of the table of calls. ``name`` is the SDK's, ``permission`` that of a restricted key."""

    name: str
    method: Literal["GET", "POST", "DELETE"]
    path: str
    resource: str
    permission: str
    work: Work
    what: str = "object"  # how Stripe names what the path's id is for
    of_books: bool = True  # False: a matter of the account itself, seen in either mode


def unsupported(what: str) -> Wrong:
    return Wrong(501, "api_error", f"The sandbox does not do this: {what}.")
