"""For tests, ours and yours: an exam for each port, which every adapter sits."""
