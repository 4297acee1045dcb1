"""dunr beside a merchant's own billing system, on the manual clock, behind a real socket."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from dunr.bootstrap import build
from dunr.core.effects import PublishCharge
from dunr.entry.web.app import build_app
from dunr.settings import Settings
from tests.billing.merchant import SECRET, Merchant, merchant
from tests.entry.web.served import START, Served, serving
from tests.ports import free_port


class Billed(Served):
    """One running dunr and its merchant."""

    def __init__(self, application: Any, http: httpx.Client, books: Merchant) -> None:  # noqa: ANN401 - as in `served`
        super().__init__(application, http)
        self.merchant = self.asked = books  # who is asked before a charge may be somebody else

    def leave(self, charge: str = "ch_1", **more: object) -> httpx.Response:
        body: dict[str, object] = {"id": charge, "amount_minor": 4900, "currency": "usd", "subscription": "sub_1"}
        body |= {"customer": {"id": "cus_1", "email": "ada@example.com"}, "instrument": {"id": "wallet_1"}}
        return self.post("/v1/charges", **(body | more))

    def charge(self, charge: str = "ch_1") -> dict[str, Any]:
        answer = self.get(f"/v1/charges/{charge}")
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    def told(self) -> list[str]:
        """What the merchant was told of charges, oldest first."""
        records = self.application.reports.effects(kind=PublishCharge.__name__, case_id=None, limit=100)
        return [one.effect.end.value for one in reversed(records) if isinstance(one.effect, PublishCharge)]


@contextmanager
def billed(folder: Path, **chosen: object) -> Iterator[Billed]:
    """dunr with its billing system, over a store in memory unless chosen otherwise."""
    with merchant() as books:
        port = free_port()
        defaults: dict[str, Any] = {"store": "memory:", "clock": "manual", "clock_start": START, "policy": "fibonacci"}
        defaults |= {"processor": "billing_http", "account": "acct_billing", "processor_timeout_seconds": 1}
        defaults |= {"billing_charge_url": f"{books.url}/charge", "billing_look_up_url": f"{books.url}/look-up"}
        defaults |= {"billing_secret": SECRET, "webhook_secrets": (SECRET,)}
        defaults |= {"billing_retryable_codes": ("NO_CREDIT", "BUSY"), "billing_final_codes": ("BARRED",)}
        settings = Settings(data=folder / "data", port=port, **(defaults | chosen))
        application = build(settings)
        try:
            with (
                serving(build_app(application), port),
                httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60.0, trust_env=False, verify=False) as http,
            ):
                yield Billed(application, http, books)
        finally:
            application.close()
