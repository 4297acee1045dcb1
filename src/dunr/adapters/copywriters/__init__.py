"""Who writes prose for a mail or a report. Nothing that touches money may import this."""
