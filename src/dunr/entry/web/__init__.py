"""HTTP in and out: webhooks, API and pages. The only asynchronous part of dunr."""
