"""The sandbox in the shape of Stripe's API, over the same books, clock, scripts and webhooks.

Objects, errors and events look as they do at Stripe for the API version that a
caller or an endpoint is pinned to. What moves money is decided where it always
is in the sandbox; this folder translates, and keeps what Stripe alone knows.
"""
