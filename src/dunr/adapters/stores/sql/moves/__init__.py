"""Whole stores, as rows that are not looked into: backup, restore, and the move to another database, each proved by counting again."""
