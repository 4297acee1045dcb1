"""How the merchant's own system is told that access changed."""
