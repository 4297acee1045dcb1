"""Simulated worlds: the real core, engine, intake, performer and runner over a memory store, against a processor that misbehaves by the seed."""
