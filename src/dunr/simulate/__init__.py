"""Seeded worlds over the real core and engine, and checkers that hold the promises against them."""
