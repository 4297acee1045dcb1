"""The promises as code: what is watched at each request, each commit and each message, and what must hold when a world has come to rest."""
