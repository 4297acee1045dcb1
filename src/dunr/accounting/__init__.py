"""What an accountant asks of dunr: the ledger in forms that other programs read, the month in figures, and proof that nothing was rewritten.

Everything here reads through the `Reports` port and changes nothing but the daily record of the audit log.
"""
