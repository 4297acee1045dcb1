"""What is outside, spoken to through the ports. Only bootstrap knows which adapters there are."""
