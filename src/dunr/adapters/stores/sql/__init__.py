"""Rows in a SQL database: SQLite now, with PostgreSQL's place kept in `dialect`."""
