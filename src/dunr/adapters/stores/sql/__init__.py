"""Rows in a SQL database: SQLite, and PostgreSQL where many processes work on one store."""
