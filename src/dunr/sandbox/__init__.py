"""A payment processor of our own, for rehearsals and for proof.

It runs as its own HTTP server with its own database, and imports nothing of
dunr but this package: what counts the captures must not share the bugs of
what asks for them. Two faces: ``/processor/v1`` is what an engine talks to,
``/sandbox`` is how a person or a test tells it how to behave.
"""
