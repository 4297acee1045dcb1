"""The customers of the demo: what fails, what their card answers afterwards, and what they do about it, over three weeks.

They read all of our languages, one reads none of them, and they pay in currencies whose minor units processors count in every way there is.

Only what happens outside of dunr is written here. What dunr makes of it is what the demo shows.
"""

from dataclasses import dataclass

DEMO_START = "2026-06-23T10:00:00Z"  # a Tuesday
DEMO_END = "2026-07-14T10:00:00Z"


@dataclass(frozen=True, slots=True)
class Act:
    """Something that a customer or a bank does at an instant: a call to the sandbox's control face, or to dunr's API."""

    at: str
    says: str
    path: str
    body: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class DemoStory:
    """One customer with one failed invoice."""

    name: str
    title: str
    amount_minor: int
    currency: str
    locale: str
    decline: str
    script: tuple[str, ...]
    acts: tuple[Act, ...] = ()

    @property
    def slug(self) -> str:
        """The part of every id that belongs to this story."""
        return self.name.lower()


def _new_card(slug: str) -> tuple[tuple[str, object], ...]:
    """A fresh card for a customer."""
    return (("id", f"card_{slug}_new"), ("network", "visa"), ("last4", "1881"), ("fingerprint", f"fp_{slug}_new"))


STORIES = (
    DemoStory(
        "Ada",
        "is short of money until payday, and pays on the second retry",
        4900,
        "usd",
        "en-US",
        "insufficient_funds",
        ("decline:insufficient_funds", "succeed"),
    ),
    DemoStory(
        "Ben",
        "never notices: four retries, a pause, then a new card and everything is back",
        2900,
        "eur",
        "de-DE",
        "do_not_honor",
        ("decline:do_not_honor",),
        (Act("2026-07-09T14:00:00Z", "puts a new card on file", "/sandbox/customers/cus_ben/card", _new_card("ben")),),
    ),
    DemoStory(
        "Chiyo",
        "has a stolen card: it is never charged again, the new one at once",
        5000,
        "jpy",
        "ja-JP",
        "stolen_card",
        ("decline:stolen_card",),
        (
            Act(
                "2026-06-26T08:30:00Z",
                "puts a new card on file",
                "/sandbox/customers/cus_chiyo/card",
                _new_card("chiyo"),
            ),
        ),
    ),
    DemoStory(
        "Dev",
        "is charged, but the answer is lost: it is looked up, and never charged twice",
        5000,
        "kwd",
        "en-GB",
        "insufficient_funds",
        ("hang:45:succeed",),
    ),
    DemoStory(
        "Ella",
        "pays by the processor's own link an hour before a retry",
        1500,
        "eur",
        "es-ES",
        "insufficient_funds",
        ("decline:insufficient_funds",),
        (Act("2026-06-29T08:00:00Z", "pays by the hosted link", "/sandbox/invoices/in_ella/pay"),),
    ),
    DemoStory(
        "Farid",
        "lets everything pass: paused, never cancelled",
        1_850_000,
        "ugx",
        "fr-FR",
        "generic_decline",
        ("decline:generic_decline",),
    ),
    DemoStory(
        "Gro",
        "has part of the debt credited; the next retry asks for the rest",
        499_000,
        "huf",
        "hu-HU",
        "insufficient_funds",
        ("decline:insufficient_funds", "succeed"),
        (
            Act(
                "2026-06-25T12:00:00Z",
                "is given a credit",
                "/sandbox/invoices/in_gro/credit",
                (("amount_minor", 99_000),),
            ),
        ),
    ),
    DemoStory(
        "Hugo",
        "clicks *pay now* on the day before the third retry",
        1900,
        "brl",
        "pt-BR",
        "insufficient_funds",
        ("decline:insufficient_funds", "decline:insufficient_funds", "succeed"),
        (Act("2026-07-01T18:00:00Z", "clicks pay now", "/v1/cases/in_hugo/pay-now"),),
    ),
)
