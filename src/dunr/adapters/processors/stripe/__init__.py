"""Stripe as a processor, on its official SDK.

What Stripe does that shaped this adapter, as its documentation says it:

An invoice is paid through one PaymentIntent of its own, the default payment, which Stripe makes when the invoice is
finalized. That intent cannot be edited or cancelled directly (API reference, *The Invoice Payment object*, `is_default`);
it is cancelled only by voiding its invoice, which would throw the debt away. So an intent that waits for the customer is
not cancelled here. It need not be: a further payment of the invoice confirms the same intent anew, and one intent
captures once. See `intents`.

Paying an invoice takes neither an amount nor metadata. What an attempt came to is found again by the invoice's charges,
and proved by the events that Stripe keeps for thirty days, which name the idempotency key of the request behind them.
See `finding`.

Since 2025-03-31 an invoice names neither its subscription, nor its payment, nor why it failed. Events are therefore only
hints at ids, whatever version their endpoint is pinned to, and everything is read with one version of our own.
"""
