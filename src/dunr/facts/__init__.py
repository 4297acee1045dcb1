"""What is known of the world, as data: decline codes, network rules, paydays and currencies, frozen for the core."""
