"""What can go wrong, and whose fault it is.

    DunrError
    ├── CallerError            whoever called us: answer 4xx and say what to do
    │   ├── BadRequest            the request cannot be read
    │   ├── BadSignature          the signature is missing, wrong, too old or from the future
    │   ├── NotPermitted          no token, or one without the scope
    │   ├── NoSuchThing           the id names nothing
    │   └── WishRejected          a wish that cannot be granted now (409, 422, 429)
    ├── ProcessorFault         the processor sent what it should not
    │   └── BadEvent              a supported event without what it must have
    ├── SettingsError          the operator: a setting is missing or contradicts another
    ├── NotCarried             a backup, a restore or a move of a store was refused, or is not what it was made of
    └── StoreUnavailable       the store did not answer: nothing was acknowledged, the caller may try again

A decline is not here: it is an answer.
"""


class DunrError(Exception):
    """The root. The text says what happened and what to do; it never carries a secret, a card number or an address."""


class CallerError(DunrError):
    """Whoever called us did something wrong."""

    http_status = 400
    title = "Bad request"


class BadRequest(CallerError):
    """The request cannot be read."""


class BadSignature(CallerError):
    """The signature does not prove who sent this. `skew_seconds` is set where only the time was wrong."""

    title = "Bad signature"

    def __init__(self, text: str, skew_seconds: int | None = None) -> None:
        """Keep the skew: many of these at once mean that our own clock is off."""
        super().__init__(text)
        self.skew_seconds = skew_seconds


class NotPermitted(CallerError):
    """No token, or a token that lacks the scope."""

    title = "Not permitted"

    def __init__(self, text: str, http_status: int = 401) -> None:
        """401 without a valid token, 403 with one that lacks the scope."""
        super().__init__(text)
        self.http_status = http_status


class NoSuchThing(CallerError):
    """The id names nothing here."""

    http_status = 404
    title = "Not found"


class WishRejected(CallerError):
    """A wish that makes sense elsewhere, but not here and now."""

    title = "Not now"

    def __init__(self, text: str, http_status: int) -> None:
        """409 conflict, 422 senseless, 429 too many."""
        super().__init__(text)
        self.http_status = http_status


class ProcessorFault(DunrError):
    """The processor sent something that it should not."""


class BadEvent(ProcessorFault):
    """A supported event lacks a field that it must have, or has one of the wrong kind."""


class SettingsError(DunrError):
    """A setting is missing, unreadable or contradicts another; the text names it and says what to write."""


class StoreUnavailable(DunrError):
    """The store did not answer in time; nothing was acknowledged. Try again."""


class NotCarried(DunrError):
    """A backup, a restore or a move of a store that was refused, or that did not arrive as it was; nothing was overwritten."""
