"""A merchant's own billing system, over two signed calls: *charge* and *look up*."""
